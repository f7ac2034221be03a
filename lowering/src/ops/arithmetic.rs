//! Arithmetic (SPIR-V specification, "Arithmetic Instructions").

use super::row::{binary, compose, ternary, unary};
use super::vectors::Vectors;
use super::{BinaryFn, Done, Family, How, InstContext, Row};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use crate::simt::value::{Comps, Lanes};
use cranelift_codegen::ir as clif;
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
    compose!(IAddCarry, "llvm.intr.uadd.with.overflow", add_carry, INT),
    compose!(ISubBorrow, "llvm.intr.usub.with.overflow", sub_borrow, INT),
    compose!(UMulExtended, "–", umul_extended, INT),
    compose!(SMulExtended, "–", smul_extended, INT),
];

fn dot(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    smallvec![v.dot_of(&args[0], &args[1])]
}

/// An instruction with two results.
struct Pair {
    /// The first result, which is exact modulo the type.
    low: BinaryFn,
    /// The second one, of 32 and 64 bits.
    high: BinaryFn,
    /// The second one of so many bits, 8 or 16, for which a lane has room.
    narrow_high: fn(&mut Legal<'_>, clif::Value, clif::Value, u32) -> clif::Value,
    /// How operands are read.
    signed: bool,
}

impl Pair {
    /// A struct of the two results, each component by component.
    fn emit(&self, l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
        let scalar = cx.operands[0];
        let (bits, signed) = (scalar.bits(), self.signed);
        let mut results = Comps::new();
        for high in [false, true] {
            for (a, b) in args[0].iter().zip(&args[1]) {
                results.push(l.map([(a, scalar), (b, scalar)], |l, [a, b]| {
                    if bits >= 32 {
                        return if high { (self.high)(l, a, b) } else { (self.low)(l, a, b) };
                    }
                    let [a, b] = [a, b].map(|v| l.read_int(v, scalar, signed));
                    let value = if high { (self.narrow_high)(l, a, b, bits) } else { (self.low)(l, a, b) };
                    l.wrap_int(value, scalar)
                }));
            }
        }
        results
    }
}

fn add_carry(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let narrow_high = |l: &mut Legal<'_>, a, b, bits| {
        let sum = l.iadd(a, b);
        l.ushr_const(sum, bits)
    };
    Pair { low: |l, a, b| l.iadd(a, b), high: |l, a, b| l.carry(a, b), narrow_high, signed: false }.emit(l, cx, args)
}

fn sub_borrow(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let narrow_high = |l: &mut Legal<'_>, a, b, _| l.borrow(a, b);
    Pair { low: |l, a, b| l.isub(a, b), high: |l, a, b| l.borrow(a, b), narrow_high, signed: false }.emit(l, cx, args)
}

/// The upper bits of a product that 32 bits hold.
fn upper(l: &mut Legal<'_>, a: clif::Value, b: clif::Value, bits: u32) -> clif::Value {
    let product = l.imul(a, b);
    l.ushr_const(product, bits)
}

fn umul_extended(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let (low, high): (BinaryFn, BinaryFn) = (|l, a, b| l.imul(a, b), |l, a, b| l.umulhi(a, b));
    Pair { low, high, narrow_high: upper, signed: false }.emit(l, cx, args)
}

fn smul_extended(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let (low, high): (BinaryFn, BinaryFn) = (|l, a, b| l.imul(a, b), |l, a, b| l.smulhi(a, b));
    Pair { low, high, narrow_high: upper, signed: true }.emit(l, cx, args)
}
