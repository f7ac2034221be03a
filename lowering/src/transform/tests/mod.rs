//! Tests of the transforms: the observable result of a module must not change, whatever is run on it.

mod each;
mod generate;
pub(crate) mod interpret;

use super::*;
use crate::ir::{self, Module, parse, verify};

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

/// Modules with a token lost, doubled or put in place of another: those that still verify go through every pass.
#[test]
fn damaged_modules_do_no_harm() {
    let mut random = generate::Random::new(7);
    let mut verified = 0;
    for seed in 0..60 {
        let text = generate::module(1000 + seed);
        let tokens: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ',', '[', ']']).collect();
        for _ in 0..40 {
            let mut damaged = tokens.clone();
            for _ in 0..1 + random.below(3) {
                let (at, from) = (random.below(damaged.len()), random.below(damaged.len()));
                match random.below(3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, tokens[from.min(tokens.len() - 1)]),
                    _ => damaged[at] = tokens[from.min(tokens.len() - 1)],
                }
            }
            let text = damaged.concat();
            let Ok(mut module) = parse(&text) else { continue };
            if verify::verify(&module).is_err() {
                continue;
            }
            verified += 1;
            for name in ["simplify", "promote", "inline", "promote", "simplify", "reuse", "contract", "clean"] {
                let before = module.to_string();
                if (by_name(name).unwrap().run)(&mut module).is_err() {
                    break;
                }
                verify::verify(&module).unwrap_or_else(|e| panic!("{e}\nafter {name}:\n{module}\nbefore:\n{before}"));
            }
        }
    }
    println!("{verified} damaged modules verified");
    assert!(verified > 100);
}
