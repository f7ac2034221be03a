//! Casts (SPIR-V specification, "Conversion Instructions").
//!
//! A bitcast between components of different numbers of bits goes by way of 32-bit words; the lower-numbered component has
//! the lower-order bits.

use super::row::{compose, convert, unsupported};
use super::{Done, Family, How, InstContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::legal::{Conversion, Legal};
use crate::simt::value::{Chunks, Comp, Comps, Lanes};
use cranelift_codegen::ir as clif;
use spirv::Op as Names;

const FAMILY: Family = Family::Cast;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, WIDTHS, HALF, KERNEL, POINTERS];

const SATURATES: &str = "saturates; NaN gives 0";

const DIRECT: &[Row] = &[
    convert!(ConvertFToU, "llvm.fptoui", Conversion::FloatToInt { signed: false }, FLOAT, INT).note(SATURATES),
    convert!(ConvertFToS, "llvm.fptosi", Conversion::FloatToInt { signed: true }, FLOAT, INT).note(SATURATES),
    convert!(ConvertSToF, "llvm.sitofp", Conversion::IntToFloat { signed: true }, INT, FLOAT),
    convert!(ConvertUToF, "llvm.uitofp", Conversion::IntToFloat { signed: false }, INT, FLOAT),
    compose!(Bitcast, "llvm.bitcast", bitcast, NUM)
        .fits()
        .note("between components of any widths, the first component the lowest bits; pointers are not cast"),
];

/// A < R, A > R in the manual: A the operand's width, R the result's.
const WIDTHS: &[Row] = &[
    convert!(FConvert, "llvm.fpext (A < R), llvm.fptrunc (A > R)", Conversion::Float, FLOAT, FLOAT)
        .note("to the nearest even"),
    convert!(SConvert, "llvm.sext (A < R), llvm.trunc (A > R)", Conversion::Int { signed: true }, INT, INT),
    convert!(UConvert, "llvm.zext (A < R), llvm.trunc (A > R)", Conversion::Int { signed: false }, INT, INT),
];

const HALF: &[Row] =
    &[Row::new(name(Names::QuantizeToF16), FAMILY, "–", "quantize_to_f16", How::Stdlib("quantize_to_f16"), Done::F32)
        .note("to the nearest even; below 2^-14 a zero")];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels: clamp, then convert";
    SatConvertSToU SatConvertUToS
];

const POINTERS: &[Row] = unsupported![
    "pointers have no number in this version: use a binding and an index";
    ConvertPtrToU ConvertUToPtr PtrCastToGeneric GenericCastToPtr GenericCastToPtrExplicit
];

/// The values of a component: one scalar where all are uniform, otherwise all chunks.
type Values = Chunks;

/// `OpBitcast`, and what else only reads bits anew.
pub(super) fn bitcast(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let Some(&to) = cx.result.first() else { return Comps::new() };
    let from = cx.operands[0];
    if from.bits() == to.bits() {
        return args[0].iter().map(|comp| same_width(l, comp, from, to)).collect();
    }
    let uniform = args[0].iter().all(|comp| comp.uniform().is_some());
    let parts: Vec<Values> = args[0]
        .iter()
        .map(|comp| match comp.uniform().filter(|_| uniform) {
            Some(value) => Values::from_slice(&[value]),
            None => l.chunks(comp, from),
        })
        .collect();
    let words = to_words(l.legal, &parts, from);
    let comps = from_words(l.legal, &words, to, cx.result.len());
    comps.into_iter().map(|values| if uniform { Comp::Uniform(values[0]) } else { Comp::Varying(values) }).collect()
}

/// A component as another of as many bits.
fn same_width(l: &mut Lanes<'_, '_>, comp: &Comp, from: Scalar, to: Scalar) -> Comp {
    match (from.is_float(), to.is_float(), from.bits()) {
        (true, true, _) | (false, false, 32 | 64) => comp.clone(),
        (false, false, _) => l.map([(comp, from)], |l, [v]| l.wrap_int(v, to)),
        (true, false, _) => l.map([(comp, from)], |l, [v]| bits_of(l, v, from, to)),
        (false, true, 16) => l.map([(comp, from)], |l, [v]| l.half_from_bits(v)),
        (false, true, _) => l.map([(comp, from)], |l, [v]| l.float_from_bits(v)),
    }
}

/// The bits of a float as an integer of type `to`.
fn bits_of(l: &mut Legal<'_>, value: clif::Value, from: Scalar, to: Scalar) -> clif::Value {
    if from.bits() != 16 {
        return l.float_bits(value);
    }
    let bits = l.half_bits(value);
    l.read_int(bits, Scalar::Int { width: 16, signed: false }, to.is_signed())
}

/// `f(a)` for each value of a component.
fn each(l: &mut Legal<'_>, values: &Values, mut f: impl FnMut(&mut Legal<'_>, clif::Value) -> clif::Value) -> Values {
    values.iter().map(|&v| f(l, v)).collect()
}

/// Components as 32-bit words; the last may be short.
fn to_words(l: &mut Legal<'_>, parts: &[Values], from: Scalar) -> Vec<Values> {
    let unsigned = Scalar::Int { width: from.bits() as u8, signed: false };
    let parts = parts.iter().map(|values| match from.is_float() {
        true => each(l, values, |l, v| bits_of(l, v, from, unsigned)),
        false => each(l, values, |l, v| l.read_int(v, from, false)),
    });
    let parts: Vec<Values> = parts.collect();
    if from.bits() == 64 {
        return parts.iter().flat_map(|values| l.words_of_wide(values)).collect();
    }
    let join = |group: &[Values]| {
        let mut word = group[0].clone();
        for (k, part) in group.iter().enumerate().skip(1) {
            let at = k as u32 * from.bits();
            word = word
                .iter()
                .zip(part)
                .map(|(&word, &part)| {
                    let part = l.ishl_const(part, at);
                    l.bor(word, part)
                })
                .collect();
        }
        word
    };
    parts.chunks((32 / from.bits()) as usize).map(join).collect()
}

/// `count` components of 32-bit words.
fn from_words(l: &mut Legal<'_>, words: &[Values], to: Scalar, count: usize) -> Vec<Values> {
    let ints: Vec<Values> = match to.bits() {
        64 => words.chunks_exact(2).map(|pair| l.wide_of_words(&pair[0], &pair[1])).collect(),
        32 => words.to_vec(),
        bits => {
            let part = |k: usize| (k * bits as usize / 32, (k * bits as usize % 32) as u32);
            let known = |k: &usize| words.get(part(*k).0).is_some();
            (0..count)
                .take_while(known)
                .map(|k| {
                    let (word, at) = part(k);
                    each(l, &words[word], |l, v| {
                        let shifted = l.ushr_const(v, at);
                        l.wrap_int(shifted, to)
                    })
                })
                .collect()
        }
    };
    if !to.is_float() {
        return ints;
    }
    let float = |l: &mut Legal<'_>, v| if to.bits() == 16 { l.half_from_bits(v) } else { l.float_from_bits(v) };
    ints.iter().map(|values| each(l, values, float)).collect()
}
