//! The library is what the table of its functions says, and functions of GLSL become calls of it.

use super::library::{self, FUNCTIONS, INDEX, lift_function};
use crate::ir::verify::verify;
use crate::ir::*;
use crate::ops::{How, rows};
use spirv::GlslStd450Op as G;
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
    let unused: Vec<_> = FUNCTIONS
        .iter()
        .map(|f| f.name.trim_end_matches("64"))
        .map(|n| n.trim_end_matches(['2', '3', '4']))
        .filter(|n| !rows.contains(n))
        .collect();
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
        let id = library::import(function, false, &mut module).unwrap();
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

/// A function that gives `opcode` of its parameters, as if it came from line 7.
fn module_with(opcode: Opcode, params: &[Type], result: Type) -> Module {
    let mut module = Module::default();
    let result = module.types.intern(result);
    let mut function = Function::new("f".into(), result, 0, Loc::default());
    for param in params {
        let ty = module.types.intern(param.clone());
        function.add_param(ty);
    }
    let operands = function.params.iter().copied().collect();
    let inst = Inst { opcode, operands, literals: Default::default(), flags: 0 };
    let loc = Loc { line: 7, word: 70, ..Loc::default() };
    let op = function.push_op(function.body, OpKind::Inst(inst), &[result], loc);
    let body = function.body;
    function.regions[body].end = Terminator::Return(Some(function.ops[op].results[0]));
    module.functions.push(function);
    module
}

const FLOAT: Type = Type::Scalar(Scalar::F32);
const VEC3: Type = Type::Vector { component: Scalar::F32, count: 3 };

/// What is inlined is at the line of the instruction that it stands for, and valid.
#[test]
fn instructions_become_code_at_their_line() {
    let cases = [
        (G::Sin, vec![FLOAT], FLOAT),
        (G::Exp, vec![VEC3], VEC3),
        (G::Pow, vec![VEC3, VEC3], VEC3),
        (G::PackHalf2x16, vec![Type::Vector { component: Scalar::F32, count: 2 }], Type::Scalar(Scalar::U32)),
        (G::UnpackSnorm4x8, vec![Type::Scalar(Scalar::U32)], Type::Vector { component: Scalar::F32, count: 4 }),
    ];
    let mut operations = 0;
    for (op, params, result) in cases {
        let mut module = module_with(Opcode::Glsl(op), &params, result);
        // The component's own type is part of every module.
        module.types.scalar(Scalar::F32);
        super::run(&mut module).unwrap();
        verify(&module).unwrap_or_else(|error| panic!("{op:?}: {error}"));
        crate::transform::inline::run(&mut module).unwrap();
        verify(&module).unwrap_or_else(|error| panic!("{op:?}: {error}"));
        let function = module.functions.values().next().unwrap();
        function.for_each_op(function.body, &mut |_, op| {
            assert_eq!(function.ops[op].loc.line, 7);
            assert!(matches!(function.ops[op].kind, OpKind::Inst(_)));
            operations += 1;
        });
    }
    println!("{operations} operations");
    assert!(operations > 50);
}

/// Operands that do not fit are errors with the line, of any kind.
#[test]
fn misfits_are_errors() {
    let double = Type::Scalar(Scalar::Float(64));
    let error =
        |op, params: &[Type], result| super::run(&mut module_with(Opcode::Glsl(op), params, result)).unwrap_err();
    for (op, params, result) in [
        (G::Sin, vec![Type::Scalar(Scalar::I32)], FLOAT),
        (G::Sin, vec![], FLOAT),
        (G::Sin, vec![VEC3], FLOAT),
        (G::Pow, vec![FLOAT, VEC3], VEC3),
        (G::PackHalf2x16, vec![VEC3], Type::Scalar(Scalar::U32)),
        (G::MatrixInverse, vec![VEC3], VEC3),
    ] {
        let error = error(op, &params, result);
        assert!(matches!(&error, crate::Error::InvalidSpirv { place, .. } if place.loc.line == 7), "{op:?}: {error}");
    }
    let wide = error(G::Exp, std::slice::from_ref(&double), double.clone());
    assert!(matches!(wide, crate::Error::Unsupported { .. }), "{wide}");
}
