//! Tests of the transforms: the observable result of a module must not change, whatever is run on it.

mod each;
mod generate;
pub(crate) mod interpret;

use super::*;
use crate::ir::{Module, parse, verify};

fn module(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

/// Runs passes in order, verifying and comparing after each.
fn check(text: &str, passes: &[&str]) -> Module {
    let mut module = module(text);
    let again = parse(&module.to_string()).unwrap_or_else(|e| panic!("{e}\n{module}"));
    assert_eq!(again.to_string(), module.to_string());
    let expected = interpret::run(&module, 100_000);
    for name in passes {
        let before = module.to_string();
        (by_name(name).unwrap().run)(&mut module).unwrap();
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\nafter {name}:\n{module}\nbefore:\n{before}"));
        let found = interpret::run(&module, 100_000);
        assert_eq!(found, expected, "after {name}:\n{module}\nbefore:\n{before}");
        let again = parse(&module.to_string()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(again.to_string(), module.to_string());
    }
    module
}

#[test]
fn random_modules_keep_their_results() {
    let mut finished = 0;
    for seed in 0..300 {
        let text = generate::module(seed);
        let expected = interpret::run(&module(&text), 100_000);
        finished += usize::from(expected.is_ok());
        check(&text, &["inline", "promote", "simplify", "reuse", "contract", "simplify", "clean"]);
        check(&text, &["simplify", "promote", "inline", "simplify", "reuse", "promote", "simplify"]);
    }
    println!("{finished} modules of 300 ran to their end");
    assert!(finished > 280);
}
