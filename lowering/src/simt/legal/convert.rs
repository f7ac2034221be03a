//! Conversions between numeric types and reinterpretation of bits (SPIR-V specification, "Conversion
//! Instructions").
//!
//! Float to integer saturates, and a NaN gives 0. Reinterpretation that changes the number of lanes is little-endian on
//! every target: the first of the narrower lanes is the lower part of the wider.
//!
//! Conversions between widths take and give all the values of a component in order, either one scalar or its chunks, since
//! 64-bit lanes take twice the chunks. Integers of 8 and 16 bits are held in 32-bit lanes, extended by their type's
//! signedness, and 16-bit floats as the 32-bit float of the same value ([`half`](super::half)).

use super::Legal;
use crate::ir::Scalar;
use crate::simt::value::Chunks;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self as clif, Endianness, InstBuilder, MemFlagsData, types};

/// A conversion between numeric types, by its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `OpConvertSToF`, `OpConvertUToF`.
    IntToFloat {
        /// How the operand is read.
        signed: bool,
    },
    /// `OpConvertFToS`, `OpConvertFToU`.
    FloatToInt {
        /// How the result is to be read.
        signed: bool,
    },
    /// `OpFConvert`.
    Float,
    /// `OpSConvert`, `OpUConvert`.
    Int {
        /// How the operand is extended.
        signed: bool,
    },
}

impl Legal<'_> {
    /// Float to signed integer of as many bits.
    pub fn fcvt_to_sint(&mut self, a: clif::Value) -> clif::Value {
        if self.ty(a) == types::F64X2 {
            // No vector form on x86-64.
            return self.lane_by_lane([a], |l, [a]| l.fcvt_to_sint(a));
        }
        let ty = Self::int_type(self.ty(a));
        self.ins().fcvt_to_sint_sat(ty, a)
    }

    /// Float to unsigned integer of as many bits.
    pub fn fcvt_to_uint(&mut self, a: clif::Value) -> clif::Value {
        if self.ty(a) == types::F64X2 {
            return self.lane_by_lane([a], |l, [a]| l.fcvt_to_uint(a));
        }
        let ty = Self::int_type(self.ty(a));
        self.ins().fcvt_to_uint_sat(ty, a)
    }

    /// Signed integer to the nearest float of as many bits.
    pub fn fcvt_from_sint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.ins().fcvt_from_sint(ty, a)
    }

    /// Unsigned integer to the nearest float of as many bits.
    pub fn fcvt_from_uint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.ins().fcvt_from_uint(ty, a)
    }

    /// The float type of as many bits and lanes.
    pub fn float_type(ty: clif::Type) -> clif::Type {
        let lane = if ty.lane_bits() == 64 { types::F64 } else { types::F32 };
        lane.by(ty.lane_count()).unwrap_or(types::INVALID)
    }

    /// The same bits as `ty`, which has as many.
    pub fn reinterpret(&mut self, a: clif::Value, ty: clif::Type) -> clif::Value {
        let from = self.ty(a);
        if from == ty {
            return a;
        }
        let flags = match from.lane_count() == ty.lane_count() {
            true => MemFlagsData::new(),
            false => MemFlagsData::new().with_endianness(Endianness::Little),
        };
        self.ins().bitcast(ty, flags, a)
    }

    /// The bits of a float as an integer.
    pub fn float_bits(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::int_type(self.ty(a));
        self.reinterpret(a, ty)
    }

    /// The float with these bits.
    pub fn float_from_bits(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.reinterpret(a, ty)
    }

    /// A component of type `from` converted to type `to`.
    pub fn convert(&mut self, conversion: Conversion, from: Scalar, to: Scalar, values: &[clif::Value]) -> Chunks {
        match conversion {
            Conversion::IntToFloat { signed } => self.int_to_float(from, to, signed, values),
            Conversion::FloatToInt { signed } => self.float_to_int(from, to, signed, values),
            Conversion::Float => self.float_to_float(from, to, values),
            Conversion::Int { signed } => self.int_to_int(from, to, signed, values),
        }
    }

    fn each(&mut self, values: &[clif::Value], mut f: impl FnMut(&mut Self, clif::Value) -> clif::Value) -> Chunks {
        values.iter().map(|&v| f(self, v)).collect()
    }

    /// An integer of 8 or 16 bits in its 32-bit lanes, extended as signed or unsigned; others as they are.
    pub fn extend_narrow(&mut self, value: clif::Value, bits: u32, signed: bool) -> clif::Value {
        if !matches!(bits, 8 | 16) {
            return value;
        }
        if !signed {
            let mask = self.int_like(value, (1 << bits) - 1);
            return self.ins().band(value, mask);
        }
        if self.is_vector(value) {
            let up = self.ishl_const(value, 32 - bits);
            return self.sshr_const(up, 32 - bits);
        }
        let low = self.ins().ireduce(if bits == 8 { types::I8 } else { types::I16 }, value);
        self.ins().sextend(types::I32, low)
    }

    /// An integer of type `from` as `signed` reads it, in lanes of 32 or 64 bits.
    pub fn read_int(&mut self, value: clif::Value, from: Scalar, signed: bool) -> clif::Value {
        match from {
            Scalar::Int { width, signed: held } if held != signed => {
                self.extend_narrow(value, u32::from(width), signed)
            }
            _ => value,
        }
    }

    /// The low bits of a lane as an integer of type `to`.
    pub fn wrap_int(&mut self, value: clif::Value, to: Scalar) -> clif::Value {
        match to {
            Scalar::Int { width, signed } => self.extend_narrow(value, u32::from(width), signed),
            _ => value,
        }
    }

    fn int_to_int(&mut self, from: Scalar, to: Scalar, signed: bool, values: &[clif::Value]) -> Chunks {
        let widens = from.bits() < to.bits();
        let read = self.each(values, |l, v| if widens { l.read_int(v, from, signed) } else { v });
        match (from.bits() == 64, to.bits() == 64) {
            (false, true) => self.widen_ints(&read, signed),
            (true, false) => {
                let low = self.narrow_ints(&read);
                self.each(&low, |l, v| l.wrap_int(v, to))
            }
            (true, true) => read,
            // Extended as the operand was read, which may not be how the result is held.
            (false, false) if widens => {
                let Scalar::Int { signed: held, .. } = to else { return read };
                if signed == held || !signed { read } else { self.each(&read, |l, v| l.wrap_int(v, to)) }
            }
            (false, false) => self.each(&read, |l, v| l.wrap_int(v, to)),
        }
    }

    /// 32-bit integers as 64-bit ones.
    pub fn widen_ints(&mut self, values: &[clif::Value], signed: bool) -> Chunks {
        let mut out = Chunks::new();
        for &value in values {
            match (self.is_vector(value), signed) {
                (true, true) => out.extend([self.ins().swiden_low(value), self.ins().swiden_high(value)]),
                (true, false) => out.extend([self.ins().uwiden_low(value), self.ins().uwiden_high(value)]),
                (false, true) => out.push(self.ins().sextend(types::I64, value)),
                (false, false) => out.push(self.ins().uextend(types::I64, value)),
            }
        }
        out
    }

    /// The low halves of 64-bit integers, or 64-bit lane masks as 32-bit ones.
    pub fn narrow_ints(&mut self, values: &[clif::Value]) -> Chunks {
        if !values.first().is_some_and(|&v| self.is_vector(v)) {
            return self.each(values, |l, v| l.ins().ireduce(types::I32, v));
        }
        values.chunks(2).map(|pair| self.halves_of(pair, [0, 2, 4, 6])).collect()
    }

    /// Four of the 32-bit halves of two chunks of 64-bit lanes.
    fn halves_of(&mut self, pair: &[clif::Value], lanes: [u8; 4]) -> clif::Value {
        let low = self.reinterpret(pair[0], types::I32X4);
        let high = pair.get(1).map_or(low, |&v| self.reinterpret(v, types::I32X4));
        self.shuffle32(low, high, lanes)
    }

    /// 64-bit integers as their low and high words.
    pub fn words_of_wide(&mut self, values: &[clif::Value]) -> [Chunks; 2] {
        let low = self.narrow_ints(values);
        let high = match values.first().is_some_and(|&v| self.is_vector(v)) {
            true => values.chunks(2).map(|pair| self.halves_of(pair, [1, 3, 5, 7])).collect(),
            false => {
                let high = self.each(values, |l, v| l.ushr_const(v, 32));
                self.narrow_ints(&high)
            }
        };
        [low, high]
    }

    /// 64-bit integers of their low and high words.
    pub fn wide_of_words(&mut self, low: &[clif::Value], high: &[clif::Value]) -> Chunks {
        let mut out = Chunks::new();
        for (&low, &high) in low.iter().zip(high) {
            if self.is_vector(low) {
                let both = self.interleave2([low, high]);
                out.extend(both.map(|pair| self.reinterpret(pair, types::I64X2)));
            } else {
                let low = self.ins().uextend(types::I64, low);
                let high = self.ins().uextend(types::I64, high);
                let high = self.ishl_const(high, 32);
                out.push(self.bor(low, high));
            }
        }
        out
    }

    /// Lane masks of 32 bits for lanes of 64; scalar booleans as they are.
    pub fn widen_masks(&mut self, masks: &[clif::Value]) -> Chunks {
        match masks.first().is_some_and(|&v| self.is_vector(v)) {
            true => self.widen_ints(masks, true),
            false => masks.into(),
        }
    }

    /// Lane masks of 64 bits for lanes of 32; scalar booleans as they are.
    pub fn narrow_masks(&mut self, masks: &[clif::Value]) -> Chunks {
        match masks.first().is_some_and(|&v| self.is_vector(v)) {
            true => self.narrow_ints(masks),
            false => masks.into(),
        }
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, signed: bool, values: &[clif::Value]) -> Chunks {
        let read = self.each(values, |l, v| l.read_int(v, from, signed));
        let vector = read.first().is_some_and(|&v| self.is_vector(v));
        let plain = |l: &mut Self, v| if signed { l.fcvt_from_sint(v) } else { l.fcvt_from_uint(v) };
        let to_lane = |l: &mut Self, ty, v| match signed {
            true => l.ins().fcvt_from_sint(ty, v),
            false => l.ins().fcvt_from_uint(ty, v),
        };
        let floats = match (from.bits() == 64, to.bits() == 64) {
            (true, true) => return self.each(&read, plain),
            (false, true) if vector => {
                let wide = self.widen_ints(&read, signed);
                return self.each(&wide, plain);
            }
            (false, true) => return self.each(&read, |l, v| to_lane(l, types::F64, v)),
            (false, false) => self.each(&read, plain),
            // By way of 64-bit floats would round twice.
            (true, false) if vector => {
                self.stats.lane_by_lane += 1;
                read.chunks(2)
                    .map(|pair| {
                        let lanes: [clif::Value; 4] = std::array::from_fn(|lane| {
                            let lane_of = self.ins().extractlane(pair[lane / 2], lane as u8 % 2);
                            to_lane(self, types::F32, lane_of)
                        });
                        self.vector(&lanes)
                    })
                    .collect()
            }
            (true, false) => self.each(&read, |l, v| to_lane(l, types::F32, v)),
        };
        // Every integer below the largest 16-bit float is a 32-bit float, so that only one step rounds.
        if to.bits() == 16 { self.each(&floats, |l, v| l.round_to_half(v)) } else { floats }
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, signed: bool, values: &[clif::Value]) -> Chunks {
        let vector = values.first().is_some_and(|&v| self.is_vector(v));
        let to_lane = |l: &mut Self, ty, v| match signed {
            true => l.ins().fcvt_to_sint_sat(ty, v),
            false => l.ins().fcvt_to_uint_sat(ty, v),
        };
        let ints = match (from.bits() == 64, to.bits() == 64, vector) {
            (false, false, _) => self.each(values, |l, v| if signed { l.fcvt_to_sint(v) } else { l.fcvt_to_uint(v) }),
            (true, false, true) => values.chunks(2).map(|pair| self.doubles_to_words(pair, signed)).collect(),
            (_, false, false) => self.each(values, |l, v| to_lane(l, types::I32, v)),
            (_, true, false) => return self.each(values, |l, v| to_lane(l, types::I64, v)),
            (_, true, true) => {
                self.stats.lane_by_lane += 1;
                let mut out = Chunks::new();
                for &value in values {
                    for first in (0..self.ty(value).lane_count() as u8).step_by(2) {
                        let [low, high] = [0, 1].map(|lane| {
                            let lane = self.ins().extractlane(value, first + lane);
                            to_lane(self, types::I64, lane)
                        });
                        let low = self.ins().scalar_to_vector(types::I64X2, low);
                        out.push(self.ins().insertlane(low, high, 1));
                    }
                }
                return out;
            }
        };
        let (low, high) = match (to.bits(), signed) {
            (bits @ (8 | 16), true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (bits @ (8 | 16), false) => (0, (1 << bits) - 1),
            _ => return ints,
        };
        self.each(&ints, |l, v| {
            let [low, high] = [low, high].map(|limit| l.int_like(v, limit));
            let limited = if signed { l.sclamp(v, low, high) } else { l.umin(v, high) };
            l.read_int(limited, Scalar::Int { width: to.bits() as u8, signed }, to.is_signed())
        })
    }

    /// Two chunks of 64-bit floats as one of 32-bit integers, saturated; NaN gives 0. There is no conversion of such
    /// vectors on x86-64, but adding 2^52 leaves the integer as the low bits of the float.
    fn doubles_to_words(&mut self, pair: &[clif::Value], signed: bool) -> clif::Value {
        let (least, most) = match signed {
            true => (f64::from(i32::MIN), f64::from(i32::MAX)),
            false => (0.0, f64::from(u32::MAX)),
        };
        let words: Chunks = self.each(pair, |l, value| {
            let [low, high] = [least, most].map(|limit| l.float_like(value, limit));
            let magic = l.float_like(value, if signed { 1.5 } else { 1.0 } * (1u64 << 52) as f64);
            let limited = l.fclamp(value, low, high);
            let whole = l.ftrunc(limited);
            let shifted = l.fadd(whole, magic);
            let number = l.fcmp(FloatCC::Ordered, value, value);
            l.mask_value(number, shifted)
        });
        self.halves_of(&words, [0, 2, 4, 6])
    }

    fn float_to_float(&mut self, from: Scalar, to: Scalar, values: &[clif::Value]) -> Chunks {
        let vector = values.first().is_some_and(|&v| self.is_vector(v));
        let halved = |l: &mut Self, values: &[clif::Value]| match to.bits() {
            16 => l.each(values, |l, v| l.round_to_half(v)),
            _ => values.into(),
        };
        match (from.bits() == 64, to.bits() == 64) {
            (true, true) => values.into(),
            (false, false) if from.bits() == to.bits() => values.into(),
            (false, false) => halved(self, values),
            (false, true) if vector => {
                let mut out = Chunks::new();
                for &value in values {
                    let high = self.shuffle32(value, value, [2, 3, 2, 3]);
                    out.extend([value, high].map(|half| self.ins().fvpromote_low(half)));
                }
                out
            }
            (false, true) => self.each(values, |l, v| l.ins().fpromote(types::F64, v)),
            (true, false) => {
                // Rounded once: what is rounded to 16 bits is a 32-bit float.
                let rounded = halved(self, values);
                if !vector {
                    return self.each(&rounded, |l, v| l.ins().fdemote(types::F32, v));
                }
                rounded
                    .chunks(2)
                    .map(|pair| {
                        let low = self.ins().fvdemote(pair[0]);
                        let high = pair.get(1).map_or(low, |&v| self.ins().fvdemote(v));
                        self.shuffle32(low, high, [0, 1, 4, 5])
                    })
                    .collect()
            }
        }
    }
}
