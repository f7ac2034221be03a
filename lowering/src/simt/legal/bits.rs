//! Bits: counting, finding, reversing, bit fields (SPIR-V specification, "Bit Instructions"; GLSL.std.450).
//!
//! Cranelift counts and reverses bits of scalars only. In vectors they are counted and reversed by halves within each lane,
//! and found by the exponent of a conversion to float, which is exact for what is left of the number.

use super::Legal;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder};

/// Constants of [`Legal::popcount`]: even bits, even pairs, even nibbles, one per byte.
const COUNT_MASKS: [i64; 4] =
    [0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f, 0x0101_0101_0101_0101];

/// Distances and masks of [`Legal::bit_reverse`].
const SWAPS: [(u32, i64); 5] = [
    (1, 0x5555_5555_5555_5555),
    (2, 0x3333_3333_3333_3333),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (8, 0x00ff_00ff_00ff_00ff),
    (16, 0x0000_ffff_0000_ffff),
];

impl Legal<'_> {
    /// Number of bits that are 1.
    pub fn popcount(&mut self, a: clif::Value) -> clif::Value {
        if !self.is_vector(a) {
            return self.ins().popcnt(a);
        }
        let [bits, pairs, nibbles, bytes] = COUNT_MASKS.map(|mask| self.int_like(a, mask));
        let half = self.ushr_const(a, 1);
        let half = self.band(half, bits);
        let twos = self.isub(a, half);
        let high = self.ushr_const(twos, 2);
        let high = self.band(high, pairs);
        let low = self.band(twos, pairs);
        let fours = self.iadd(low, high);
        let high = self.ushr_const(fours, 4);
        let sum = self.iadd(fours, high);
        let eights = self.band(sum, nibbles);
        let product = self.ins().imul(eights, bytes);
        self.ushr_const(product, self.ty(a).lane_bits() - 8)
    }

    /// Bit 0 becomes the highest bit, and so on.
    pub fn bit_reverse(&mut self, a: clif::Value) -> clif::Value {
        if !self.is_vector(a) {
            return self.ins().bitrev(a);
        }
        let half = self.ty(a).lane_bits() / 2;
        let mut value = a;
        for (distance, mask) in SWAPS.into_iter().filter(|(distance, _)| *distance < half) {
            let mask = self.int_like(a, mask);
            let low = self.band(value, mask);
            let low = self.ishl_const(low, distance);
            let high = self.ushr_const(value, distance);
            let high = self.band(high, mask);
            value = self.bor(low, high);
        }
        let low = self.ishl_const(value, half);
        let high = self.ushr_const(value, half);
        self.bor(low, high)
    }

    /// Index of the lowest bit that is 1; -1 for 0. 32 bits in vectors.
    pub fn find_lsb(&mut self, a: clif::Value) -> clif::Value {
        if !self.is_vector(a) {
            let zero = self.int_like(a, 0);
            let none = self.int_like(a, -1);
            let empty = self.icmp(IntCC::Equal, a, zero);
            let index = self.ins().ctz(a);
            return self.select(empty, none, index);
        }
        let minus = self.ineg(a);
        let lowest = self.band(a, minus);
        self.exponent(lowest)
    }

    /// Index of the highest bit that is 1; -1 for 0. 32 bits in vectors.
    pub fn find_umsb(&mut self, a: clif::Value) -> clif::Value {
        if !self.is_vector(a) {
            // clz is the width for 0.
            let index = self.ins().clz(a);
            let top = self.int_like(a, i64::from(self.ty(a).bits()) - 1);
            return self.isub(top, index);
        }
        let index = self.highest(a);
        let zero = self.int_like(a, 0);
        let top = self.int_like(a, 31);
        let is_top = self.icmp(IntCC::SignedLessThan, a, zero);
        self.select(is_top, top, index)
    }

    /// Index of the highest bit that differs from the sign; -1 for 0 and -1. 32 bits in vectors.
    pub fn find_smsb(&mut self, a: clif::Value) -> clif::Value {
        let sign = self.sshr_const(a, self.ty(a).lane_bits() - 1);
        let differs = self.bxor(a, sign);
        if self.is_vector(a) { self.highest(differs) } else { self.find_umsb(differs) }
    }

    /// Index of the highest bit that is 1 of 32-bit lanes that are not negative; -1 for 0.
    fn highest(&mut self, a: clif::Value) -> clif::Value {
        // Without the bits that follow the highest at once, rounding to float cannot carry into the next exponent.
        let half = self.ushr_const(a, 1);
        let others = self.bnot(half);
        let thinned = self.band(a, others);
        self.exponent(thinned)
    }

    /// The exponent of each lane converted to float, -1 for 0; the sign is ignored.
    fn exponent(&mut self, a: clif::Value) -> clif::Value {
        let float = self.fcvt_from_sint(a);
        let bits = self.float_bits(float);
        let shifted = self.ushr_const(bits, 23);
        let mask = self.int_like(a, 0xff);
        let biased = self.band(shifted, mask);
        let index = self.add_const(biased, -127);
        let none = self.int_like(a, -1);
        self.smax(index, none)
    }

    /// `count` low bits: right for 0 and for the width. Computed on a scalar where the count is the same in all lanes.
    fn low_bits(&mut self, count: clif::Value) -> clif::Value {
        let ty = self.ty(count);
        let count = self.as_splat(count).unwrap_or(count);
        let ones = self.int_like(count, -1);
        let zero = self.int_like(count, 0);
        // Amounts are modulo the width, so -count stands for width - count.
        let amount = self.ineg(count);
        let bits = self.ushr(ones, amount);
        let empty = self.icmp(IntCC::Equal, count, zero);
        let bits = self.select(empty, zero, bits);
        self.fill(bits, ty)
    }

    /// `base` with bits `offset .. offset + count` taken from the low bits of `insert`.
    pub fn bit_field_insert(&mut self, [base, insert, offset, count]: [clif::Value; 4]) -> clif::Value {
        let mask = self.low_bits(count);
        let mask = self.ishl(mask, offset);
        let bits = self.ishl(insert, offset);
        // base ^ ((base ^ bits) & mask)
        let differ = self.bxor(base, bits);
        let differ = self.band(differ, mask);
        self.bxor(base, differ)
    }

    /// Bits `offset .. offset + count` of `base`, zero-extended.
    pub fn bit_field_uextract(&mut self, base: clif::Value, offset: clif::Value, count: clif::Value) -> clif::Value {
        let mask = self.low_bits(count);
        let bits = self.ushr(base, offset);
        self.band(bits, mask)
    }

    /// Bits `offset .. offset + count` of `base`, sign-extended.
    pub fn bit_field_sextract(&mut self, base: clif::Value, offset: clif::Value, count: clif::Value) -> clif::Value {
        // Up until the field's highest bit is the sign, and down; amounts are modulo the width.
        let ty = self.ty(base);
        let uniform = self.as_splat(offset).zip(self.as_splat(count));
        let (offset, count) = uniform.unwrap_or((offset, count));
        let end = self.iadd(offset, count);
        let up = self.ineg(end);
        let down = self.ineg(count);
        let [up, down] = [up, down].map(|amount| self.fill(amount, ty));
        let bits = self.ishl(base, up);
        let bits = self.sshr(bits, down);
        let zero = self.int_like(count, 0);
        let empty = self.icmp(IntCC::Equal, count, zero);
        let zero = self.int(ty, 0);
        if self.is_vector(empty) || !ty.is_vector() {
            return self.select(empty, zero, bits);
        }
        let empty = self.mask(empty, ty);
        self.select(empty, zero, bits)
    }
}
