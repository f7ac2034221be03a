//! Integers: arithmetic, shifts, minimum and maximum (SPIR-V specification, "Arithmetic Instructions" and "Bit
//! Instructions").
//!
//! Shift amounts are modulo the width. A vector is shifted by one amount for all lanes, or lane by lane.

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

    /// `a + b` of signed integers, as near as the type allows.
    pub fn sadd_sat(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let sum = self.iadd(a, b);
        // It overflowed where the sum has another sign than both operands.
        let [x, y] = [self.bxor(a, sum), self.bxor(b, sum)];
        let overflow = self.band(x, y);
        self.saturate(sum, overflow, a)
    }

    /// `a - b` of signed integers, as near as the type allows.
    pub fn ssub_sat(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let difference = self.isub(a, b);
        // It overflowed where the operands differ in sign, and the difference has not the first one's.
        let [x, y] = [self.bxor(a, b), self.bxor(a, difference)];
        let overflow = self.band(x, y);
        self.saturate(difference, overflow, a)
    }

    /// `value`, or where `overflow` is negative the limit with the sign of `like`.
    fn saturate(&mut self, value: clif::Value, overflow: clif::Value, like: clif::Value) -> clif::Value {
        let ty = self.ty(value);
        let top = ty.lane_bits() - 1;
        let largest = self.lane_bits(ty, u64::MAX >> (64 - top));
        let sign = self.sshr_const(like, top);
        let limit = self.bxor(sign, largest);
        let zero = self.int(ty, 0);
        let overflows = self.icmp(IntCC::SignedLessThan, overflow, zero);
        self.select(overflows, limit, value)
    }

    /// `a + b` of unsigned integers, at most the largest.
    pub fn uadd_sat(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let sum = self.iadd(a, b);
        let ones = self.int_like(sum, -1);
        let overflows = self.icmp(IntCC::UnsignedLessThan, sum, a);
        self.select(overflows, ones, sum)
    }

    /// `a - b` of unsigned integers, at least 0.
    pub fn usub_sat(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let difference = self.isub(a, b);
        let zero = self.int_like(difference, 0);
        let overflows = self.icmp(IntCC::UnsignedLessThan, a, b);
        self.select(overflows, zero, difference)
    }

    /// The dot product of the four bytes of each 32-bit lane. `signed` says which operand's bytes are.
    pub fn dot_packed(&mut self, words: [clif::Value; 2], signed: [bool; 2]) -> clif::Value {
        if self.ty(words[0]) != types::I32X4 {
            return self.dot_bytes(words, signed);
        }
        // Even and odd bytes as 16-bit lanes: no product of two pairs needs more than 32 bits, and Cranelift knows the
        // products and their pairwise sums as one instruction.
        let [a, b] = [0, 1].map(|i| {
            let pairs = self.reinterpret(words[i], types::I16X8);
            if signed[i] {
                let up = self.ishl_const(pairs, 8);
                [self.sshr_const(up, 8), self.sshr_const(pairs, 8)]
            } else {
                let low = self.int(types::I16X8, 0xff);
                [self.band(pairs, low), self.ushr_const(pairs, 8)]
            }
        });
        let [even, odd] = [0, 1].map(|i| {
            let [low_a, low_b] = [a[i], b[i]].map(|v| self.ins().swiden_low(v));
            let low = self.ins().imul(low_a, low_b);
            let [high_a, high_b] = [a[i], b[i]].map(|v| self.ins().swiden_high(v));
            let high = self.ins().imul(high_a, high_b);
            self.ins().iadd_pairwise(low, high)
        });
        self.iadd(even, odd)
    }

    /// The same, byte by byte.
    fn dot_bytes(&mut self, words: [clif::Value; 2], signed: [bool; 2]) -> clif::Value {
        let mut sum = None;
        for byte in 0..4 {
            let [a, b] = [0, 1].map(|i| {
                let top = self.ishl_const(words[i], 24 - 8 * byte);
                if signed[i] { self.sshr_const(top, 24) } else { self.ushr_const(top, 24) }
            });
            let product = self.ins().imul(a, b);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.iadd(sum, product),
            });
        }
        sum.unwrap_or(words[0])
    }
}
