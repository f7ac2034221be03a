//! Integer dot products (SPIR-V specification, "Arithmetic Instructions"; SPV_KHR_integer_dot_product): of vectors, and of
//! two words that hold four 8-bit components each (`PackedVectorFormat4x8Bit`, component 0 in the low bits).
//!
//! Components are extended to the result's type, which is at least as wide, so that a result is exact modulo 2^width. Only
//! the addition of an accumulator saturates.

use super::row::compose;
use super::{Done, Family, How, InstContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::legal::{Conversion, Legal};
use crate::simt::value::{Comp, Comps, Lanes};
use cranelift_codegen::ir as clif;
use smallvec::smallvec;
use spirv::Op as Names;

const FAMILY: Family = Family::Arithmetic;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const PACKED: &str = "vectors, or words of four 8-bit components";
const SATURATING: &str = "vectors, or words of four 8-bit components; the accumulation saturates";

/// The rows.
pub const ROWS: &[Row] = &[
    compose!(SDot, "–", sdot, INT).note(PACKED),
    compose!(UDot, "–", udot, INT).note(PACKED),
    compose!(SUDot, "–", sudot, INT).note(PACKED),
    compose!(SDotAccSat, "–", sdot_sat, INT).note(SATURATING),
    compose!(UDotAccSat, "–", udot_sat, INT).note(SATURATING),
    compose!(SUDotAccSat, "–", sudot_sat, INT).note(SATURATING),
];

/// Components of 64 bits stay such, all others are computed in lanes of 32 bits.
fn lane_of(result: Scalar) -> Scalar {
    if result.bits() == 64 { Scalar::Int { width: 64, signed: true } } else { Scalar::I32 }
}

/// `f` on components of one type.
fn binary(
    l: &mut Lanes<'_, '_>,
    [a, b]: [&Comp; 2],
    scalar: Scalar,
    mut f: impl FnMut(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
) -> Comp {
    l.map([(a, scalar), (b, scalar)], |l, [a, b]| f(l, a, b))
}

/// A component extended to lanes of the result.
fn extended(l: &mut Lanes<'_, '_>, comp: &Comp, from: Scalar, signed: bool, result: Scalar) -> Comp {
    let to = lane_of(result);
    if from.bits() == to.bits() {
        return comp.clone();
    }
    if to.bits() == 32 {
        return l.map([(comp, from)], |l, [v]| l.read_int(v, from, signed));
    }
    l.convert(Conversion::Int { signed }, from, to, comp)
}

/// The dot product of two vectors, or of two words, in lanes of the result. `signed` says which of the operands is.
fn product(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps], signed: [bool; 2]) -> Option<Comp> {
    let (a, b, result) = (args.first()?, args.get(1)?, *cx.result.first()?);
    let [first, second] = [*cx.operands.first()?, *cx.operands.get(1)?];
    if let ([a], [b]) = (&a[..], &b[..]) {
        let sum = binary(l, [a, b], Scalar::I32, |l, a, b| l.dot_packed([a, b], signed));
        // Only a sum of unsigned products has no sign.
        return Some(extended(l, &sum, Scalar::I32, signed[0], result));
    }
    let mut sum: Option<Comp> = None;
    let lane = lane_of(result);
    for (a, b) in a.iter().zip(b) {
        let a = extended(l, a, first, signed[0], result);
        let b = extended(l, b, second, signed[1], result);
        let product = binary(l, [&a, &b], lane, |l, a, b| l.imul(a, b));
        sum = Some(match sum {
            None => product,
            Some(sum) => binary(l, [&sum, &product], lane, |l, a, b| l.iadd(a, b)),
        });
    }
    sum
}

fn plain(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps], signed: [bool; 2]) -> Comps {
    let (Some(sum), Some(&result)) = (product(l, cx, args, signed), cx.result.first()) else { return Comps::new() };
    smallvec![l.map([(&sum, lane_of(result))], |l, [sum]| l.wrap_int(sum, result))]
}

fn accumulated(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps], signed: [bool; 2]) -> Comps {
    let (Some(sum), Some([accumulator])) = (product(l, cx, args, signed), args.get(2).map(|c| &c[..])) else {
        return Comps::new();
    };
    let Some(&result) = cx.result.first() else { return Comps::new() };
    let signed = signed[0];
    let lane = lane_of(result);
    if result.bits() >= 32 {
        let add = |l: &mut Legal<'_>, a, b| if signed { l.sadd_sat(a, b) } else { l.uadd_sat(a, b) };
        return smallvec![binary(l, [&sum, accumulator], lane, add)];
    }
    smallvec![binary(l, [&sum, accumulator], lane, |l, sum, accumulator| {
        let narrow = Scalar::Int { width: result.bits() as u8, signed };
        let sum = l.wrap_int(sum, narrow);
        let accumulator = l.read_int(accumulator, result, signed);
        let total = l.iadd(sum, accumulator);
        let largest = (1i64 << (result.bits() - u32::from(signed))) - 1;
        let high = l.int_like(total, largest);
        let low = l.int_like(total, if signed { -largest - 1 } else { 0 });
        let total = l.sclamp(total, low, high);
        l.wrap_int(total, result)
    })]
}

fn sdot(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, cx, args, [true, true])
}

fn udot(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, cx, args, [false, false])
}

fn sudot(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, cx, args, [true, false])
}

fn sdot_sat(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, cx, args, [true, true])
}

fn udot_sat(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, cx, args, [false, false])
}

fn sudot_sat(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, cx, args, [true, false])
}
