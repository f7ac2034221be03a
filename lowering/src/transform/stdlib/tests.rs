//! The library is what the table of its functions says, and functions of GLSL become calls of it.

use super::library::{self, FUNCTIONS, INDEX, lift_function};
use crate::ir::verify::verify;
use crate::ir::*;
use crate::ops::{How, rows};
use std::collections::HashSet;

#[test]
fn every_row_has_a_function_and_every_function_a_row() {
    let rows: HashSet<&str> = rows()
        .filter_map(|row| match row.how {
            How::Stdlib(name) => Some(name),
            _ => None,
        })
        .collect();
    let square = |name: &str| (2..=4).all(|n| library::find(&format!("{name}{n}")).is_some());
    let missing: Vec<_> = rows.iter().filter(|name| library::find(name).is_none() && !square(name)).collect();
    assert!(missing.is_empty(), "no function for {missing:?}");
    let unused: Vec<_> =
        FUNCTIONS.iter().map(|f| f.name.trim_end_matches(['2', '3', '4'])).filter(|n| !rows.contains(n)).collect();
    // `exp2`, `log2` and `atan2` end in a digit of their own.
    let unused: Vec<_> = unused.into_iter().filter(|n| !rows.contains(&*format!("{n}2"))).collect();
    assert!(unused.is_empty(), "no row for {unused:?}");
    let indexed: Vec<&str> = INDEX.iter().map(|(name, ..)| *name).collect();
    assert_eq!(indexed, FUNCTIONS.iter().map(|f| f.name).collect::<Vec<_>>());
    println!("{} functions for {} rows", FUNCTIONS.len(), rows.len());
    assert!(!FUNCTIONS.is_empty());
}

/// Each function becomes a valid function of a module, never contracted; and none needs the library itself, so that what
/// needs what has no cycle.
#[test]
fn functions_are_plain_code() {
    let mut operations = 0;
    for function in FUNCTIONS {
        let lifted = lift_function(function).unwrap();
        let mut module = Module::default();
        let id = library::import(function, &mut module).unwrap();
        verify(&module).unwrap_or_else(|error| panic!("{}: {error}", function.name));
        let copy = &module.functions[id];
        assert_eq!(copy.params.len(), function.params.len(), "{}", function.name);
        copy.for_each_op(copy.body, &mut |_, op| {
            let OpKind::Inst(inst) = &copy.ops[op].kind else { panic!("{}: no instruction", function.name) };
            let row = crate::ops::row(inst.opcode).unwrap();
            let own = !matches!(row.how, How::Stdlib(_) | How::Unsupported(_));
            assert!(own && row.speculatable, "{}: {}", function.name, inst.opcode);
            let last = inst.opcode == Opcode::Core(spirv::Op::CompositeConstruct);
            assert!(last || inst.flags & NO_CONTRACTION != 0, "{}: {}", function.name, inst.opcode);
            operations += 1;
        });
        assert!(!lifted.module.entries.is_empty());
    }
    println!("{operations} operations of {} functions", FUNCTIONS.len());
    assert!(operations > FUNCTIONS.len());
}

/// The IR text of a shader that stores `body`'s last value; `%x` is a `float`, `%n` an `int`.
#[test]
fn lifting_is_deterministic() {
    for function in FUNCTIONS {
        let [a, b] = [(); 2].map(|()| lift_function(function).unwrap().module.to_string());
        assert_eq!(a, b, "{}", function.name);
    }
    println!("{} functions", FUNCTIONS.len());
}
