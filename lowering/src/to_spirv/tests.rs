//! Random modules, with exits and values that SPIR-V has no form for, go to SPIR-V and come back with the same results.

use super::to_spirv;
use crate::ir::{self, StorageClass, parse, verify};
use crate::transform::tests::generate;
use crate::transform::tests::interpret::{Val, run_from};
use crate::{Error, Options, lift};

/// What the only invocation leaves in the output, read from a word of input.
fn output(module: &ir::Module) -> Result<Val, String> {
    let words = |values: &[u64]| Val::Composite(values.iter().map(|&word| Val::Bits(word)).collect());
    let initial = |global: &ir::Global| match (global.class, global.binding) {
        (StorageClass::Input, _) => Some(words(&[0, 0, 0])),
        (_, Some(0)) => Some(Val::Composite(vec![words(&[0x8000_0005])])),
        (_, Some(_)) => Some(Val::Composite(vec![words(&[0; generate::WORDS])])),
        _ => None,
    };
    let mut after = run_from(module, 100_000, &initial)?;
    let out = module.globals.iter().find(|(_, global)| global.binding == Some(1)).map(|(id, _)| id);
    // What nothing writes is not lifted.
    let untouched = Val::Composite(vec![words(&[0; generate::WORDS])]);
    Ok(out.and_then(|id| after.remove(&id)).unwrap_or(untouched))
}

#[test]
fn random_modules_come_back() {
    let (mut compared, mut without_form) = (0, 0);
    for seed in 0..150 {
        let text = generate::shader(seed, 1);
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let Ok(expected) = output(&module) else { continue };
        let words = match to_spirv(&module) {
            Ok(words) => words,
            Err(Error::Unsupported { reason, .. }) if reason.contains("continue construct") => {
                without_form += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}\n{module}"),
        };
        let mut again =
            lift::lift(&words, &Options::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
        verify::verify(&again).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{again}"));
        assert_eq!(output(&again), Ok(expected.clone()), "seed {seed}\n{module}\n{again}");
        (crate::transform::by_name("promote").unwrap().run)(&mut again).unwrap();
        assert_eq!(output(&again), Ok(expected), "seed {seed}, promoted\n{module}\n{again}");
        compared += 1;
    }
    println!("{compared} modules compared; {without_form} leave a continue construct in a way that SPIR-V lacks");
    assert!(compared > 100);
}
