//! Values of instructions whose operands are constants, for booleans and 32-bit numbers.
//!
//! Where SPIR-V leaves a value undefined it is the one that compiled code gives: x/0 = x, x%0 = 0, MIN/-1 = MIN, MIN%-1 = 0,
//! shift amounts modulo the width, float to integer saturates and NaN gives 0. A result that is not a number is not folded,
//! since processors differ in its sign and payload.

use crate::ir::{Opcode, Scalar};
use spirv::{GlslStd450Op as G, Op as S};

/// How to compute an instruction, a component at a time.
#[derive(Clone, Copy)]
enum Fold {
    Bits1(fn(u32) -> u32),
    Bits2(fn(u32, u32) -> u32),
    Bits3(fn(u32, u32, u32) -> u32),
    Int1(fn(i32) -> i32),
    Int2(fn(i32, i32) -> i32),
    Int3(fn(i32, i32, i32) -> i32),
    Compare(fn(u32, u32) -> bool),
    IntCompare(fn(i32, i32) -> bool),
    Float1(fn(f32) -> f32),
    Float2(fn(f32, f32) -> f32),
    Float3(fn(f32, f32, f32) -> f32),
    FloatTest(fn(f32) -> bool),
    FloatCompare(fn(f32, f32) -> bool),
}

use Fold::*;

fn unordered(a: f32, b: f32) -> bool {
    a.is_nan() || b.is_nan()
}

/// Booleans are the numbers 0 and 1.
const CORE: &[(S, Fold)] = &[
    // Arithmetic.
    (S::SNegate, Int1(i32::wrapping_neg)),
    (S::IAdd, Bits2(u32::wrapping_add)),
    (S::ISub, Bits2(u32::wrapping_sub)),
    (S::IMul, Bits2(u32::wrapping_mul)),
    (S::UDiv, Bits2(|a, b| a.checked_div(b).unwrap_or(a))),
    (S::UMod, Bits2(|a, b| a.checked_rem(b).unwrap_or(0))),
    (S::SDiv, Int2(|a, b| if b == 0 { a } else { a.wrapping_div(b) })),
    (S::SRem, Int2(|a, b| if b == 0 { 0 } else { a.wrapping_rem(b) })),
    (S::SMod, Int2(signed_modulo)),
    (S::FNegate, Bits1(|a| a ^ 0x8000_0000)),
    (S::FAdd, Float2(|a, b| a + b)),
    (S::FSub, Float2(|a, b| a - b)),
    (S::FMul, Float2(|a, b| a * b)),
    (S::FDiv, Float2(|a, b| a / b)),
    (S::VectorTimesScalar, Float2(|a, b| a * b)),
    // Bits and shifts.
    (S::Not, Bits1(|a| !a)),
    (S::BitwiseAnd, Bits2(|a, b| a & b)),
    (S::BitwiseOr, Bits2(|a, b| a | b)),
    (S::BitwiseXor, Bits2(|a, b| a ^ b)),
    (S::ShiftLeftLogical, Bits2(u32::wrapping_shl)),
    (S::ShiftRightLogical, Bits2(u32::wrapping_shr)),
    (S::ShiftRightArithmetic, Bits2(|a, b| (a as i32).wrapping_shr(b) as u32)),
    (S::BitCount, Bits1(u32::count_ones)),
    (S::BitReverse, Bits1(u32::reverse_bits)),
    // Casts.
    (S::Bitcast, Bits1(|a| a)),
    (S::ConvertFToS, Bits1(|a| (f32::from_bits(a) as i32) as u32)),
    (S::ConvertFToU, Bits1(|a| f32::from_bits(a) as u32)),
    (S::ConvertSToF, Bits1(|a| (a as i32 as f32).to_bits())),
    (S::ConvertUToF, Bits1(|a| (a as f32).to_bits())),
    // Comparison.
    (S::IEqual, Compare(|a, b| a == b)),
    (S::INotEqual, Compare(|a, b| a != b)),
    (S::ULessThan, Compare(|a, b| a < b)),
    (S::ULessThanEqual, Compare(|a, b| a <= b)),
    (S::UGreaterThan, Compare(|a, b| a > b)),
    (S::UGreaterThanEqual, Compare(|a, b| a >= b)),
    (S::SLessThan, IntCompare(|a, b| a < b)),
    (S::SLessThanEqual, IntCompare(|a, b| a <= b)),
    (S::SGreaterThan, IntCompare(|a, b| a > b)),
    (S::SGreaterThanEqual, IntCompare(|a, b| a >= b)),
    (S::FOrdEqual, FloatCompare(|a, b| a == b)),
    (S::FOrdNotEqual, FloatCompare(|a, b| a != b && !unordered(a, b))),
    (S::FOrdLessThan, FloatCompare(|a, b| a < b)),
    (S::FOrdLessThanEqual, FloatCompare(|a, b| a <= b)),
    (S::FOrdGreaterThan, FloatCompare(|a, b| a > b)),
    (S::FOrdGreaterThanEqual, FloatCompare(|a, b| a >= b)),
    (S::FUnordEqual, FloatCompare(|a, b| a == b || unordered(a, b))),
    (S::FUnordNotEqual, FloatCompare(|a, b| a != b)),
    (S::FUnordLessThan, FloatCompare(|a, b| a < b || unordered(a, b))),
    (S::FUnordLessThanEqual, FloatCompare(|a, b| a <= b || unordered(a, b))),
    (S::FUnordGreaterThan, FloatCompare(|a, b| a > b || unordered(a, b))),
    (S::FUnordGreaterThanEqual, FloatCompare(|a, b| a >= b || unordered(a, b))),
    (S::IsNan, FloatTest(f32::is_nan)),
    (S::IsInf, FloatTest(f32::is_infinite)),
    // Logical.
    (S::LogicalNot, Bits1(|a| a ^ 1)),
    (S::LogicalAnd, Bits2(|a, b| a & b)),
    (S::LogicalOr, Bits2(|a, b| a | b)),
    (S::LogicalEqual, Compare(|a, b| a == b)),
    (S::LogicalNotEqual, Compare(|a, b| a != b)),
    (S::Select, Bits3(|c, a, b| if c == 1 { a } else { b })),
];

/// Of the extended set only what is exact, and the same for zeros of either sign.
const GLSL: &[(G, Fold)] = &[
    (G::RoundEven, Float1(f32::round_ties_even)),
    (G::Trunc, Float1(f32::trunc)),
    (G::Floor, Float1(f32::floor)),
    (G::Ceil, Float1(f32::ceil)),
    (G::FAbs, Bits1(|a| a & 0x7fff_ffff)),
    (G::SAbs, Int1(i32::wrapping_abs)),
    (G::SSign, Int1(i32::signum)),
    (G::Sqrt, Float1(f32::sqrt)),
    (G::Fma, Float3(f32::mul_add)),
    (G::UMin, Bits2(|a, b| a.min(b))),
    (G::UMax, Bits2(|a, b| a.max(b))),
    (G::SMin, Int2(|a, b| a.min(b))),
    (G::SMax, Int2(|a, b| a.max(b))),
    (G::UClamp, Bits3(|a, low, high| a.max(low).min(high))),
    (G::SClamp, Int3(|a, low, high| a.max(low).min(high))),
];

/// The remainder with the sign of the divisor.
fn signed_modulo(a: i32, b: i32) -> i32 {
    if b == 0 {
        return 0;
    }
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
}

/// Does folding know components of this type?
pub(super) fn is_known(scalar: Scalar) -> bool {
    scalar.bits() == 32
}

/// One component of the result, from one component of each operand. All types must be [known](is_known).
pub(super) fn component(opcode: Opcode, operands: &[u64]) -> Option<u64> {
    let fold = match opcode {
        Opcode::Core(op) => CORE.iter().find(|(row, _)| *row == op).map(|(_, fold)| *fold),
        Opcode::Glsl(op) => GLSL.iter().find(|(row, _)| *row == op).map(|(_, fold)| *fold),
        _ => None,
    };
    let number = |float: f32| (!float.is_nan()).then_some(float.to_bits());
    let float = |bits: u64| f32::from_bits(bits as u32);
    let result = match (fold?, operands) {
        (Bits1(f), &[a]) => Some(f(a as u32)),
        (Bits2(f), &[a, b]) => Some(f(a as u32, b as u32)),
        (Bits3(f), &[a, b, c]) => Some(f(a as u32, b as u32, c as u32)),
        (Int1(f), &[a]) => Some(f(a as i32) as u32),
        (Int2(f), &[a, b]) => Some(f(a as i32, b as i32) as u32),
        (Int3(f), &[a, b, c]) => Some(f(a as i32, b as i32, c as i32) as u32),
        (Compare(f), &[a, b]) => Some(u32::from(f(a as u32, b as u32))),
        (IntCompare(f), &[a, b]) => Some(u32::from(f(a as i32, b as i32))),
        (Float1(f), &[a]) => number(f(float(a))),
        (Float2(f), &[a, b]) => number(f(float(a), float(b))),
        (Float3(f), &[a, b, c]) => number(f(float(a), float(b), float(c))),
        (FloatTest(f), &[a]) => Some(u32::from(f(float(a)))),
        (FloatCompare(f), &[a, b]) => Some(u32::from(f(float(a), float(b)))),
        _ => None,
    };
    result.map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_cases_have_their_values() {
        let (min, minus_one) = (0x8000_0000, 0xffff_ffff);
        let cases: &[(S, &[u64], u64)] = &[
            (S::UDiv, &[7, 0], 7),
            (S::SDiv, &[7, 0], 7),
            (S::UMod, &[7, 0], 0),
            (S::SRem, &[7, 0], 0),
            (S::SMod, &[7, 0], 0),
            (S::SDiv, &[min, minus_one], min),
            (S::SRem, &[min, minus_one], 0),
            (S::SMod, &[min, minus_one], 0),
            (S::SMod, &[minus_one, 3], 2),
            (S::SRem, &[minus_one, 3], minus_one),
            (S::ShiftLeftLogical, &[1, 33], 2),
            (S::ShiftRightArithmetic, &[min, 63], minus_one),
            (S::ConvertFToS, &[0x7fc0_0000], 0),
            (S::ConvertFToS, &[0x7f80_0000], 0x7fff_ffff),
            (S::ConvertFToU, &[0xbf80_0000], 0),
            (S::FUnordLessThan, &[0x7fc0_0000, 0], 1),
            (S::FOrdNotEqual, &[0x7fc0_0000, 0], 0),
        ];
        for &(op, operands, expected) in cases {
            assert_eq!(component(Opcode::Core(op), operands), Some(expected), "{op:?} {operands:x?}");
        }
        assert_eq!(component(Opcode::Core(S::FDiv), &[0, 0]), None);
    }
}
