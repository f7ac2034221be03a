//! Integers: arithmetic, division, shifts, minimum and maximum (SPIR-V specification, "Arithmetic Instructions"
//! and "Bit Instructions").
//!
//! Values that SPIR-V leaves undefined: x/0 = x, x%0 = 0, MIN/-1 = MIN, MIN%-1 = 0, shift amounts modulo the width.
//! Cranelift divides scalars only, and its division traps: one select makes the divisor harmless. Constant divisors need
//! neither: a vector is multiplied with the reciprocal.

use super::Legal;
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};

impl Legal<'_> {
    /// `a + b`, wrapping.
    pub fn iadd(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().iadd(a, b)
    }

    /// `a - b`, wrapping.
    pub fn isub(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().isub(a, b)
    }

    /// `a * b`, wrapping; a constant power of two shifts.
    pub fn imul(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        for (x, y) in [(a, b), (b, a)] {
            if let Some(bits) = self.as_const(y).filter(|bits| bits.is_power_of_two()) {
                return self.ishl_const(x, bits.trailing_zeros());
            }
        }
        self.ins().imul(a, b)
    }

    /// `-a`, wrapping.
    pub fn ineg(&mut self, a: clif::Value) -> clif::Value {
        self.ins().ineg(a)
    }

    /// `|a|`; MIN stays MIN.
    pub fn iabs(&mut self, a: clif::Value) -> clif::Value {
        self.ins().iabs(a)
    }

    /// -1, 0 or 1.
    pub fn isign(&mut self, a: clif::Value) -> clif::Value {
        let top = self.ty(a).lane_bits() - 1;
        let negative = self.sshr_const(a, top);
        let minus = self.ineg(a);
        let positive = self.ushr_const(minus, top);
        self.ins().bor(negative, positive)
    }

    /// `a & b`.
    pub fn band(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().band(a, b)
    }

    /// `a | b`.
    pub fn bor(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().bor(a, b)
    }

    /// `a ^ b`.
    pub fn bxor(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().bxor(a, b)
    }

    /// `!a`.
    pub fn bnot(&mut self, a: clif::Value) -> clif::Value {
        self.ins().bnot(a)
    }

    /// Signed minimum.
    pub fn smin(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().smin(a, b)
    }

    /// Signed maximum.
    pub fn smax(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().smax(a, b)
    }

    /// Unsigned minimum.
    pub fn umin(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().umin(a, b)
    }

    /// Unsigned maximum.
    pub fn umax(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().umax(a, b)
    }

    /// `min(max(x, low), high)`, signed.
    pub fn sclamp(&mut self, x: clif::Value, low: clif::Value, high: clif::Value) -> clif::Value {
        let x = self.smax(x, low);
        self.smin(x, high)
    }

    /// `min(max(x, low), high)`, unsigned.
    pub fn uclamp(&mut self, x: clif::Value, low: clif::Value, high: clif::Value) -> clif::Value {
        let x = self.umax(x, low);
        self.umin(x, high)
    }

    /// `a << amount`; the amount of the same shape as `a`, modulo the width.
    pub fn ishl(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        match self.as_splat(amount) {
            Some(scalar) => self.ins().ishl(a, scalar),
            None => self.lane_by_lane([a, amount], |l, [a, amount]| l.ins().ishl(a, amount)),
        }
    }

    /// `a >> amount`, zeros shifted in; the amount of the same shape as `a`, modulo the width.
    pub fn ushr(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        match self.as_splat(amount) {
            Some(scalar) => self.ins().ushr(a, scalar),
            None => self.lane_by_lane([a, amount], |l, [a, amount]| l.ins().ushr(a, amount)),
        }
    }

    /// `a >> amount`, the sign shifted in; the amount of the same shape as `a`, modulo the width.
    pub fn sshr(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        match self.as_splat(amount) {
            Some(scalar) => self.ins().sshr(a, scalar),
            None => self.lane_by_lane([a, amount], |l, [a, amount]| l.ins().sshr(a, amount)),
        }
    }

    /// `a << amount` by one scalar amount, modulo the width.
    pub fn shl_by(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        self.ins().ishl(a, amount)
    }

    /// `a >> amount` by one scalar amount, modulo the width, zeros shifted in.
    pub fn ushr_by(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        self.ins().ushr(a, amount)
    }

    /// `a >> amount` by one scalar amount, modulo the width, the sign shifted in.
    pub fn sshr_by(&mut self, a: clif::Value, amount: clif::Value) -> clif::Value {
        self.ins().sshr(a, amount)
    }

    /// `a << amount`, `amount` less than the width.
    pub fn ishl_const(&mut self, a: clif::Value, amount: u32) -> clif::Value {
        if amount == 0 {
            return a;
        }
        let amount = self.int(types::I32, i64::from(amount));
        self.ins().ishl(a, amount)
    }

    /// `a >> amount`, zeros shifted in, `amount` less than the width.
    pub fn ushr_const(&mut self, a: clif::Value, amount: u32) -> clif::Value {
        if amount == 0 {
            return a;
        }
        let amount = self.int(types::I32, i64::from(amount));
        self.ins().ushr(a, amount)
    }

    /// `a >> amount`, the sign shifted in, `amount` less than the width.
    pub fn sshr_const(&mut self, a: clif::Value, amount: u32) -> clif::Value {
        if amount == 0 {
            return a;
        }
        let amount = self.int(types::I32, i64::from(amount));
        self.ins().sshr(a, amount)
    }

    /// `a / b`, unsigned; `a` where `b` is 0.
    pub fn udiv(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_const(b) {
            return self.udiv_const(a, divisor);
        }
        let b = self.nonzero(b);
        self.lane_by_lane([a, b], |l, [a, b]| l.ins().udiv(a, b))
    }

    /// `a % b`, unsigned; 0 where `b` is 0.
    pub fn urem(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_const(b) {
            return self.urem_const(a, divisor);
        }
        let b = self.nonzero(b);
        self.lane_by_lane([a, b], |l, [a, b]| l.ins().urem(a, b))
    }

    /// `a / b`, signed, truncated; `a` where `b` is 0, MIN for MIN/-1.
    pub fn sdiv(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_int(b) {
            return self.sdiv_const(a, divisor);
        }
        let b = self.harmless(a, b);
        self.lane_by_lane([a, b], |l, [a, b]| l.ins().sdiv(a, b))
    }

    /// `a - (a / b) * b`, signed: the sign of `a`; 0 where `b` is 0 and for MIN%-1.
    pub fn srem(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if let Some(divisor) = self.as_int(b) {
            return self.srem_const(a, divisor);
        }
        let b = self.harmless(a, b);
        self.lane_by_lane([a, b], |l, [a, b]| l.ins().srem(a, b))
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

    /// `b`, or 1 where it is 0.
    fn nonzero(&mut self, b: clif::Value) -> clif::Value {
        let ty = self.ty(b);
        let scalar = self.as_splat(b).unwrap_or(b);
        let zero = self.int_like(scalar, 0);
        let one = self.int_like(scalar, 1);
        let bad = self.icmp(IntCC::Equal, scalar, zero);
        let safe = self.select(bad, one, scalar);
        self.fill(safe, ty)
    }

    /// `b`, or 1 where `a / b` has no value.
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

    /// The upper half of the product, unsigned.
    pub fn umulhi(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if self.ty(a) != types::I32X4 {
            return self.lane_by_lane([a, b], |l, [a, b]| l.ins().umulhi(a, b));
        }
        let wide = |l: &mut Self, v| [l.ins().uwiden_low(v), l.ins().uwiden_high(v)];
        let [a, b] = [wide(self, a), wide(self, b)];
        self.upper_products(a, b)
    }

    /// The upper half of the product, signed.
    pub fn smulhi(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        if self.ty(a) != types::I32X4 {
            return self.lane_by_lane([a, b], |l, [a, b]| l.ins().smulhi(a, b));
        }
        let wide = |l: &mut Self, v| [l.ins().swiden_low(v), l.ins().swiden_high(v)];
        let [a, b] = [wide(self, a), wide(self, b)];
        self.upper_products(a, b)
    }

    /// The upper halves of two pairs of 64-bit products.
    fn upper_products(&mut self, a: [clif::Value; 2], b: [clif::Value; 2]) -> clif::Value {
        let [low, high] = [0, 1].map(|i| {
            let product = self.ins().imul(a[i], b[i]);
            self.reinterpret(product, types::I32X4)
        });
        self.shuffle32(low, high, [1, 3, 5, 7])
    }

    /// 1 where `a + b` carries, else 0.
    pub fn carry(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let sum = self.iadd(a, b);
        let carries = self.icmp(IntCC::UnsignedLessThan, sum, a);
        self.bool_to_int(carries, self.ty(a))
    }

    /// 1 where `a - b` borrows, else 0.
    pub fn borrow(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let borrows = self.icmp(IntCC::UnsignedLessThan, a, b);
        self.bool_to_int(borrows, self.ty(a))
    }
}
