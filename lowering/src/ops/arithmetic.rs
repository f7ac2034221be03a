//! Arithmetic (SPIR-V specification, "Arithmetic Instructions").

use super::row::{binary, compose, ternary, unary};
use super::vectors::Vectors;
use super::{BinaryFn, Done, Family, How, InstContext, Row};
use crate::ir::Opcode;
use crate::simt::value::{Comps, Lanes};
use smallvec::smallvec;
use spirv::Op as Names;

const FAMILY: Family = Family::Arithmetic;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, SPECIAL, WIDE, super::dot::ROWS];

const DIRECT: &[Row] = &[
    unary!(SNegate, "–", ineg, INT),
    unary!(FNegate, "llvm.fneg", fneg, FLOAT).fits(),
    binary!(IAdd, "llvm.add", iadd, INT),
    binary!(FAdd, "llvm.fadd", fadd, FLOAT),
    binary!(ISub, "llvm.sub", isub, INT),
    binary!(FSub, "llvm.fsub", fsub, FLOAT),
    binary!(IMul, "llvm.mul", imul, INT),
    binary!(FMul, "llvm.fmul", fmul, FLOAT),
    binary!(FDiv, "llvm.fdiv", fdiv, FLOAT),
    ternary!(FmaKHR, "llvm.intr.fma", fma, FLOAT).note("fused where the target can"),
];

const SPECIAL: &[Row] = &[
    binary!(UDiv, "llvm.udiv", udiv, INT).unsigned().fits().note("x/0 = x"),
    binary!(SDiv, "llvm.sdiv", sdiv, INT).signed().note("x/0 = x, MIN/-1 = MIN"),
    binary!(UMod, "llvm.urem", urem, INT).unsigned().fits().note("x%0 = 0"),
    binary!(SRem, "llvm.srem", srem, INT).signed().fits().note("x%0 = 0, MIN%-1 = 0"),
    binary!(SMod, "–", smod, INT).signed().fits().note("srem, corrected where signs differ; x%0 = 0, MIN%-1 = 0"),
    binary!(FRem, "llvm.frem", frem, FLOAT).note("x - y * trunc(x / y)"),
    binary!(FMod, "–", fmod, FLOAT).note("x - y * floor(x / y)"),
    binary!(VectorTimesScalar, "–", fmul, FLOAT).note("the scalar is repeated"),
    compose!(Dot, "–", dot, FLOAT).note("sum of products from the first component on"),
];

const WIDE: &[Row] = &[
    compose!(IAddCarry, "llvm.intr.uadd.with.overflow", add_carry, I32),
    compose!(ISubBorrow, "llvm.intr.usub.with.overflow", sub_borrow, I32),
    compose!(UMulExtended, "–", umul_extended, I32),
    compose!(SMulExtended, "–", smul_extended, I32),
];

fn dot(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    smallvec![v.dot_of(&args[0], &args[1])]
}

/// A struct of two results, each component by component.
fn pair(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps], [low, high]: [BinaryFn; 2]) -> Comps {
    let scalar = cx.operands[0];
    let mut both = |f: BinaryFn| -> Comps {
        args[0].iter().zip(&args[1]).map(|(a, b)| l.map([(a, scalar), (b, scalar)], |l, [a, b]| f(l, a, b))).collect()
    };
    let mut results = both(low);
    results.extend(both(high));
    results
}

fn add_carry(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    pair(l, cx, args, [|l, a, b| l.iadd(a, b), |l, a, b| l.carry(a, b)])
}

fn sub_borrow(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    pair(l, cx, args, [|l, a, b| l.isub(a, b), |l, a, b| l.borrow(a, b)])
}

fn umul_extended(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    pair(l, cx, args, [|l, a, b| l.imul(a, b), |l, a, b| l.umulhi(a, b)])
}

fn smul_extended(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    pair(l, cx, args, [|l, a, b| l.imul(a, b), |l, a, b| l.smulhi(a, b)])
}
