//! Integer dot products (SPIR-V specification, "Arithmetic Instructions"; SPV_KHR_integer_dot_product): of vectors, and of
//! two words that hold four 8-bit components each (`PackedVectorFormat4x8Bit`, component 0 in the low bits).
//!
//! A result is exact modulo 2^32. Only the addition of an accumulator saturates.

use super::row::compose;
use super::{Done, Family, How, InstContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::legal::Legal;
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
    compose!(SDot, "–", sdot, I32).note(PACKED),
    compose!(UDot, "–", udot, I32).note(PACKED),
    compose!(SUDot, "–", sudot, I32).note(PACKED),
    compose!(SDotAccSat, "–", sdot_sat, I32).note(SATURATING),
    compose!(UDotAccSat, "–", udot_sat, I32).note(SATURATING),
    compose!(SUDotAccSat, "–", sudot_sat, I32).note(SATURATING),
];

/// `f` on one component of each operand.
fn binary(
    l: &mut Lanes<'_, '_>,
    [a, b]: [&Comp; 2],
    mut f: impl FnMut(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
) -> Comp {
    l.map([(a, Scalar::U32), (b, Scalar::U32)], |l, [a, b]| f(l, a, b))
}

/// The dot product of two vectors, or of two words; for these it counts which of the operands is signed.
fn product(l: &mut Lanes<'_, '_>, args: &[Comps], signed: [bool; 2]) -> Option<Comp> {
    let (a, b) = (args.first()?, args.get(1)?);
    if let ([a], [b]) = (&a[..], &b[..]) {
        return Some(binary(l, [a, b], |l, a, b| l.dot_packed([a, b], signed)));
    }
    let mut sum: Option<Comp> = None;
    for (a, b) in a.iter().zip(b) {
        let product = binary(l, [a, b], |l, a, b| l.imul(a, b));
        sum = Some(match sum {
            None => product,
            Some(sum) => binary(l, [&sum, &product], |l, a, b| l.iadd(a, b)),
        });
    }
    sum
}

fn plain(l: &mut Lanes<'_, '_>, args: &[Comps], signed: [bool; 2]) -> Comps {
    product(l, args, signed).into_iter().collect()
}

fn accumulated(
    l: &mut Lanes<'_, '_>,
    args: &[Comps],
    signed: [bool; 2],
    add: fn(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
) -> Comps {
    let (Some(sum), Some([accumulator])) = (product(l, args, signed), args.get(2).map(|c| &c[..])) else {
        return Comps::new();
    };
    smallvec![binary(l, [&sum, accumulator], add)]
}

fn sdot(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, args, [true, true])
}

fn udot(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, args, [false, false])
}

fn sudot(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    plain(l, args, [true, false])
}

fn sdot_sat(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, args, [true, true], |l, a, b| l.sadd_sat(a, b))
}

fn udot_sat(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, args, [false, false], |l, a, b| l.uadd_sat(a, b))
}

fn sudot_sat(l: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    accumulated(l, args, [true, false], |l, a, b| l.sadd_sat(a, b))
}
