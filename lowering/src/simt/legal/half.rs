//! 16-bit floats, which are computed with as the 32-bit floats of the same values.
//!
//! Cranelift has no conversion of them that all targets share, so these are sequences of vector operations. A value that is
//! held is always one that 16 bits can represent; [`round_to_half`](Legal::round_to_half) makes it so after an operation.
//! The 24 digits of a 32-bit float are twice 11 and two more, so that rounding first to it and then to 16 bits gives what
//! rounding once would, for sums, products, quotients and roots (Figueroa, "When is double rounding innocuous?").

use super::Legal;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, types};

/// Exponents of the least normal and the largest 16-bit float.
const EXPONENTS: [i32; 2] = [-14, 15];
/// The largest 16-bit float.
const LARGEST: f64 = 65504.0;

/// The bits of the 32-bit float that has the value of a 16-bit float.
pub fn half_to_single(half: u16) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let size = u32::from(half & 0x7fff);
    let bits = match size {
        0x7c00.. => size << 13 | 0x7f80_0000,
        // A denormal is its digits times 2^-24.
        ..0x0400 => (size as f32 / (1u32 << 24) as f32).to_bits(),
        _ => (size << 13) + (112 << 23),
    };
    sign | bits
}

impl Legal<'_> {
    /// The nearest value that 16 bits represent, the even one of two, of a 32- or 64-bit float.
    ///
    /// Adding and subtracting a power of two that is larger by the digits to drop leaves the digits to keep; its exponent
    /// is at least what denormals ask for.
    pub fn round_to_half(&mut self, a: clif::Value) -> clif::Value {
        let ty = self.ty(a);
        let ints = Self::int_type(ty);
        let (digits, bias) = if ty.lane_type() == types::F32 { (23, 127) } else { (52, 1023) };
        let bits = self.reinterpret(a, ints);
        let top = self.int(ints, 1i64.wrapping_shl(ty.lane_bits() - 1));
        let sign = self.band(bits, top);
        let size = self.bxor(bits, sign);
        // The size's exponent alone; ordering integers orders exponents.
        let fraction = self.int(ints, -1i64 << digits);
        let exponent = self.band(size, fraction);
        let [least, most] = EXPONENTS.map(|e| self.int(ints, i64::from(e + bias) << digits));
        let exponent = self.smax(exponent, least);
        let exponent = self.smin(exponent, most);
        let drop = self.int(ints, (digits - 10) << digits);
        let magic = self.iadd(exponent, drop);
        let magic = self.reinterpret(magic, ty);
        let size = self.reinterpret(size, ty);
        let sum = self.fadd(size, magic);
        let rounded = self.fsub(sum, magic);
        let largest = self.float(ty, LARGEST);
        let infinity = self.float(ty, f64::INFINITY);
        let over = self.fcmp(FloatCC::GreaterThan, rounded, largest);
        let rounded = self.select(over, infinity, rounded);
        let rounded = self.reinterpret(rounded, ints);
        let signed = self.bor(rounded, sign);
        self.reinterpret(signed, ty)
    }

    /// The 32-bit float of the value of a 16-bit float, given by its bits in a 32-bit lane; higher bits are not looked at.
    pub fn half_from_bits(&mut self, bits: clif::Value) -> clif::Value {
        let ints = self.ty(bits);
        let floats = Self::float_type(ints);
        let size = self.int(ints, 0x7fff);
        let size = self.band(bits, size);
        let digits = self.ishl_const(size, 13);
        // 2^112 makes up for the biases, of denormals too.
        let scale = self.float(floats, 2f64.powi(112));
        let scaled = self.reinterpret(digits, floats);
        let scaled = self.fmul(scaled, scale);
        let scaled = self.reinterpret(scaled, ints);
        let special = self.int(ints, 0x7bff);
        let special = self.icmp(IntCC::SignedGreaterThan, size, special);
        let infinity = self.int(ints, 0x7f80_0000);
        let largest = self.mask_value(special, infinity);
        let whole = self.bor(scaled, largest);
        let sign = self.ushr_const(bits, 15);
        let sign = self.ishl_const(sign, 31);
        let whole = self.bor(whole, sign);
        self.reinterpret(whole, floats)
    }

    /// The bits of the 16-bit float of the same value, zero-extended in a 32-bit lane.
    pub fn half_bits(&mut self, a: clif::Value) -> clif::Value {
        let ty = self.ty(a);
        let ints = Self::int_type(ty);
        let bits = self.reinterpret(a, ints);
        let top = self.int(ints, i64::from(i32::MIN));
        let sign = self.band(bits, top);
        let size = self.bxor(bits, sign);
        let normal = self.ushr_const(size, 13);
        let bias = self.int(ints, 112 << 10);
        let normal = self.isub(normal, bias);
        // Infinities and NaNs have the largest exponent in either format.
        let infinity = self.int(ints, 0x7f7f_ffff);
        let special = self.icmp(IntCC::SignedGreaterThan, size, infinity);
        let more = self.mask_value(special, bias);
        let normal = self.isub(normal, more);
        // The digits of a denormal are those of its sum with 1/2.
        let half = self.float(ty, 0.5);
        let half_bits = self.int(ints, 0x3f00_0000);
        let float = self.reinterpret(size, ty);
        let shifted = self.fadd(float, half);
        let shifted = self.reinterpret(shifted, ints);
        let denormal = self.isub(shifted, half_bits);
        let least = self.int(ints, 0x3880_0000);
        let small = self.icmp(IntCC::SignedLessThan, size, least);
        let digits = self.select(small, denormal, normal);
        let sign = self.ushr_const(sign, 16);
        self.bor(digits, sign)
    }
}
