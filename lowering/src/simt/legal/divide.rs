//! Division of integers (SPIR-V specification, "Arithmetic Instructions").
//!
//! Values that SPIR-V leaves undefined: x/0 = x, x%0 = 0, MIN/-1 = MIN, MIN%-1 = 0. Cranelift divides scalars only, and its
//! division traps: one select makes the divisor of scalars harmless. 32-bit lanes are divided as 64-bit floats, which is
//! exact and cannot trap; by a constant they are multiplied with its reciprocal.

use super::Legal;
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};

impl Legal<'_> {
    /// `a / b`, unsigned; `a` where `b` is 0.
    pub fn udiv(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_const(b) {
            return self.udiv_const(a, divisor);
        }
        if self.ty(a) == types::I32X4 {
            return self.divide_lanes(a, b, false);
        }
        self.lane_by_lane([a, b], |l, [a, b]| {
            let b = l.nonzero(b);
            l.ins().udiv(a, b)
        })
    }

    /// `a % b`, unsigned; 0 where `b` is 0.
    pub fn urem(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_const(b) {
            return self.urem_const(a, divisor);
        }
        if self.ty(a) == types::I32X4 {
            return self.rest_of_lanes(a, b, false);
        }
        self.lane_by_lane([a, b], |l, [a, b]| {
            let b = l.nonzero(b);
            l.ins().urem(a, b)
        })
    }

    /// `a / b`, signed, truncated; `a` where `b` is 0, MIN for MIN/-1.
    pub fn sdiv(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_int(b) {
            return self.sdiv_const(a, divisor);
        }
        if self.ty(a) == types::I32X4 {
            return self.divide_lanes(a, b, true);
        }
        self.lane_by_lane([a, b], |l, [a, b]| {
            let b = l.harmless(a, b);
            l.ins().sdiv(a, b)
        })
    }

    /// `a - (a / b) * b`, signed: the sign of `a`; 0 where `b` is 0 and for MIN%-1.
    pub fn srem(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_int(b) {
            return self.srem_const(a, divisor);
        }
        if self.ty(a) == types::I32X4 {
            return self.rest_of_lanes(a, b, true);
        }
        self.lane_by_lane([a, b], |l, [a, b]| {
            let b = l.harmless(a, b);
            l.ins().srem(a, b)
        })
    }

    /// The remainder with the sign of `b`; 0 where `b` is 0 and for MIN%-1.
    pub fn smod(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_int(b).filter(|d| d.count_ones() == 1 && *d > 0) {
            let mask = self.int_like(a, divisor - 1);
            return self.band(a, mask);
        }
        // The remainder is corrected where it is not zero and its sign differs from the divisor's.
        let rest = self.srem(a, b);
        let zero = self.int_like(a, 0);
        let differ = self.bxor(rest, b);
        let differ = self.icmp(IntCC::SignedLessThan, differ, zero);
        let some = self.icmp(IntCC::NotEqual, rest, zero);
        let wrong = self.bool_and(differ, some);
        let corrected = self.iadd(rest, b);
        self.select(wrong, corrected, rest)
    }

    /// `a / divisor`, unsigned; `a` for 0. No division in vectors, and none in scalars at `-O`.
    pub fn udiv_const(&mut self, a: clif::Value, divisor: u64) -> clif::Value {
        if divisor <= 1 {
            return a;
        }
        if divisor.is_power_of_two() {
            return self.ushr_const(a, divisor.trailing_zeros());
        }
        let ty = self.ty(a);
        let Some(d) = u32::try_from(divisor).ok().filter(|_| ty == types::I32X4) else {
            let b = self.int(ty, divisor as i64);
            return self.lane_by_lane([a, b], |l, [a, b]| l.ins().udiv(a, b));
        };
        // Granlund and Montgomery, "Division by Invariant Integers using Multiplication": with 2^s <= d < 2^(s+1),
        // m = ceil(2^(32+s) / d) serves when its error is at most 2^s; otherwise one more bit of m is needed, added apart.
        let s = 31 - d.leading_zeros();
        let d = u128::from(d);
        let power = 1u128 << (32 + s);
        let m = power.div_ceil(d);
        if m * d - power <= 1 << s {
            let m = self.int(ty, m as i64);
            let high = self.umulhi(a, m);
            return self.ushr_const(high, s);
        }
        let m = (power * 2).div_ceil(d) - (1 << 32);
        let m = self.int(ty, m as i64);
        let high = self.umulhi(a, m);
        let rest = self.isub(a, high);
        let half = self.ushr_const(rest, 1);
        let sum = self.iadd(half, high);
        self.ushr_const(sum, s)
    }

    /// `a % divisor`, unsigned; 0 for 0.
    pub fn urem_const(&mut self, a: clif::Value, divisor: u64) -> clif::Value {
        if divisor <= 1 {
            return self.int_like(a, 0);
        }
        if divisor.is_power_of_two() {
            let mask = self.int_like(a, divisor as i64 - 1);
            return self.band(a, mask);
        }
        let divisor_value = self.int_like(a, divisor as i64);
        if !self.is_vector(a) {
            return self.ins().urem(a, divisor_value);
        }
        let quotient = self.udiv_const(a, divisor);
        let product = self.imul(quotient, divisor_value);
        self.isub(a, product)
    }

    /// `a / divisor`, signed, truncated; `a` for 0, MIN for MIN/-1.
    pub fn sdiv_const(&mut self, a: clif::Value, divisor: i64) -> clif::Value {
        let ty = self.ty(a);
        let size = divisor.unsigned_abs();
        if matches!(divisor, 0 | 1) {
            return a;
        }
        if divisor == -1 {
            return self.ineg(a);
        }
        if !ty.is_vector() {
            let b = self.int(ty, divisor);
            return self.ins().sdiv(a, b);
        }
        let top = ty.lane_bits() - 1;
        let sign = self.sshr_const(a, top);
        if divisor > 0 && size.is_power_of_two() {
            // Truncation is towards zero: negative dividends get the divisor less one added.
            let k = size.trailing_zeros();
            let bias = self.ushr_const(sign, top + 1 - k);
            let sum = self.iadd(a, bias);
            return self.sshr_const(sum, k);
        }
        let flipped = self.bxor(a, sign);
        let magnitude = self.isub(flipped, sign);
        let quotient = self.udiv_const(magnitude, size);
        let sign = if divisor < 0 { self.bnot(sign) } else { sign };
        let flipped = self.bxor(quotient, sign);
        self.isub(flipped, sign)
    }

    /// `a - (a / divisor) * divisor`, signed; 0 for 0 and -1.
    pub fn srem_const(&mut self, a: clif::Value, divisor: i64) -> clif::Value {
        if matches!(divisor, -1..=1) {
            return self.int_like(a, 0);
        }
        let b = self.int_like(a, divisor);
        if !self.is_vector(a) {
            return self.ins().srem(a, b);
        }
        let quotient = self.sdiv_const(a, divisor);
        let product = self.imul(quotient, b);
        self.isub(a, product)
    }

    /// `b`, or 1 where it is 0; scalars.
    fn nonzero(&mut self, b: clif::Value) -> clif::Value {
        let zero = self.int_like(b, 0);
        let one = self.int_like(b, 1);
        let bad = self.icmp(IntCC::Equal, b, zero);
        self.select(bad, one, b)
    }

    /// `b`, or 1 where `a / b` has no value; scalars.
    fn harmless(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let min = self.int_like(a, i64::MIN >> (64 - self.ty(a).lane_bits()));
        let [zero, minus, one] = [0, -1, 1].map(|k| self.int_like(a, k));
        let divides_by_zero = self.icmp(IntCC::Equal, b, zero);
        let lowest = self.icmp(IntCC::Equal, a, min);
        let by_minus = self.icmp(IntCC::Equal, b, minus);
        let overflows = self.bool_and(lowest, by_minus);
        let bad = self.bool_or(divides_by_zero, overflows);
        self.select(bad, one, b)
    }

    /// The quotients of 32-bit lanes by way of 64-bit floats, truncated; arbitrary where `b` is 0. MIN/-1 wraps.
    ///
    /// The float quotient is exact enough: it is below 2^32 and differs from an integer by 0 or at least 2^-32, so that
    /// rounding it to 53 bits cannot reach the integer above.
    fn float_quotient(&mut self, a: clif::Value, b: clif::Value, signed: bool) -> clif::Value {
        // Adding this leaves the low 32 bits of the integer, in two's complement, as the low bits of the float.
        let magic = self.float(types::F64X2, if signed { 1.5 } else { 1.0 } * (1u64 << 52) as f64);
        let halves = |l: &mut Self, v| {
            let high = l.shuffle32(v, v, [2, 3, 2, 3]);
            [v, high].map(|half| l.low_as_f64(half, signed))
        };
        let dividends = halves(self, a);
        let divisors = match self.as_splat(b) {
            Some(scalar) => {
                let divisor = match signed {
                    true => self.ins().fcvt_from_sint(types::F64, scalar),
                    false => self.ins().fcvt_from_uint(types::F64, scalar),
                };
                [self.ins().splat(types::F64X2, divisor); 2]
            }
            None => halves(self, b),
        };
        let [low, high] = [0, 1].map(|half| {
            let quotient = self.fdiv(dividends[half], divisors[half]);
            let whole = self.ftrunc(quotient);
            let shifted = self.fadd(whole, magic);
            self.reinterpret(shifted, types::I32X4)
        });
        self.shuffle32(low, high, [0, 2, 4, 6])
    }

    /// Lanes 0 and 1 as 64-bit floats.
    fn low_as_f64(&mut self, a: clif::Value, signed: bool) -> clif::Value {
        if signed {
            let wide = self.ins().swiden_low(a);
            return self.ins().fcvt_from_sint(types::F64X2, wide);
        }
        let wide = self.ins().uwiden_low(a);
        self.ins().fcvt_from_uint(types::F64X2, wide)
    }

    /// `a / b` of 32-bit lanes; `a` where `b` is 0.
    fn divide_lanes(&mut self, a: clif::Value, b: clif::Value, signed: bool) -> clif::Value {
        let quotient = self.float_quotient(a, b, signed);
        let zero = self.int_like(b, 0);
        let by_zero = self.icmp(IntCC::Equal, b, zero);
        self.select(by_zero, a, quotient)
    }

    /// `a % b` of 32-bit lanes; 0 where `b` is 0.
    fn rest_of_lanes(&mut self, a: clif::Value, b: clif::Value, signed: bool) -> clif::Value {
        let quotient = self.float_quotient(a, b, signed);
        let product = self.imul(quotient, b);
        let rest = self.isub(a, product);
        let zero = self.int_like(b, 0);
        let divides = self.icmp(IntCC::NotEqual, b, zero);
        self.band(rest, divides)
    }
}
