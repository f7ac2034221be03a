//! Booleans (SPIR-V specification, "Relational and Logical Instructions").

use super::row::{binary, compose, unary};
use super::{BinaryFn, Done, Family, How, InstContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::value::{Comps, Lanes};
use spirv::Op as Names;

const FAMILY: Family = Family::Logical;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[&[
    binary!(LogicalEqual, "llvm.icmp \"eq\"", bool_eq, BOOL),
    binary!(LogicalNotEqual, "llvm.icmp \"ne\"", bool_ne, BOOL),
    binary!(LogicalOr, "llvm.or", bool_or, BOOL),
    binary!(LogicalAnd, "llvm.and", bool_and, BOOL),
    unary!(LogicalNot, "llvm.xor with -1", bool_not, BOOL),
    compose!(Any, "llvm.intr.vector.reduce.or", any, BOOL).note("or of the components, lane by lane of the subgroup"),
    compose!(All, "llvm.intr.vector.reduce.and", all, BOOL).note("and of the components, lane by lane of the subgroup"),
]];

/// The components of the first operand, combined.
fn fold(l: &mut Lanes<'_, '_>, args: &[Comps], f: BinaryFn) -> Comps {
    let mut comps = args[0].iter();
    let first = comps.next().cloned();
    first
        .map(|first| comps.fold(first, |a, b| l.map([(&a, Scalar::Bool), (b, Scalar::Bool)], |l, [a, b]| f(l, a, b))))
        .into_iter()
        .collect()
}

fn any(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    fold(l, args, |l, a, b| l.bool_or(a, b))
}

fn all(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    fold(l, args, |l, a, b| l.bool_and(a, b))
}
