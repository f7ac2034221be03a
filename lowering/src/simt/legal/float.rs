//! Floats: arithmetic, remainders, rounding, minimum and maximum (SPIR-V specification, "Arithmetic
//! Instructions"; GLSL.std.450; Vulkan specification, "Precision and Operation of SPIR-V Instructions").
//!
//! Rounding is to nearest even, denormals are kept, and nothing is contracted here: `fma` is emitted where it is asked for.

use super::Legal;
use crate::options::Arch;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// Which way to round to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    Floor,
    Ceil,
    Trunc,
    Nearest,
}

impl Legal<'_> {
    /// `a + b`.
    pub fn fadd(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().fadd(a, b)
    }

    /// `a - b`.
    pub fn fsub(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().fsub(a, b)
    }

    /// `a * b`.
    pub fn fmul(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().fmul(a, b)
    }

    /// `a / b`.
    pub fn fdiv(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().fdiv(a, b)
    }

    /// `-a`: flips the sign bit.
    pub fn fneg(&mut self, a: clif::Value) -> clif::Value {
        self.ins().fneg(a)
    }

    /// `|a|`: clears the sign bit.
    pub fn fabs(&mut self, a: clif::Value) -> clif::Value {
        self.ins().fabs(a)
    }

    /// Square root, correctly rounded.
    pub fn sqrt(&mut self, a: clif::Value) -> clif::Value {
        self.ins().sqrt(a)
    }

    /// `1 / sqrt(a)`.
    pub fn inverse_sqrt(&mut self, a: clif::Value) -> clif::Value {
        let root = self.sqrt(a);
        let one = self.float_like(a, 1.0);
        self.ins().fdiv(one, root)
    }

    /// `a * b + c`, fused where the target can (else it would be a library call).
    pub fn fma(&mut self, a: clif::Value, b: clif::Value, c: clif::Value) -> clif::Value {
        if self.target.fma {
            return self.ins().fma(a, b, c);
        }
        let product = self.ins().fmul(a, b);
        self.ins().fadd(product, c)
    }

    /// `a - b * trunc(a / b)`: the sign of `a`.
    pub fn frem(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let quotient = self.fdiv(a, b);
        let whole = self.ftrunc(quotient);
        let product = self.fmul(b, whole);
        self.fsub(a, product)
    }

    /// `a - b * floor(a / b)`: the sign of `b`.
    pub fn fmod(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let quotient = self.fdiv(a, b);
        let whole = self.floor(quotient);
        let product = self.fmul(b, whole);
        self.fsub(a, product)
    }

    /// The largest integer not above `a`.
    pub fn floor(&mut self, a: clif::Value) -> clif::Value {
        self.round(a, Rounding::Floor)
    }

    /// The smallest integer not below `a`.
    pub fn ceil(&mut self, a: clif::Value) -> clif::Value {
        self.round(a, Rounding::Ceil)
    }

    /// `a` without its fraction.
    pub fn ftrunc(&mut self, a: clif::Value) -> clif::Value {
        self.round(a, Rounding::Trunc)
    }

    /// The nearest integer, the even one of two.
    pub fn nearest(&mut self, a: clif::Value) -> clif::Value {
        self.round(a, Rounding::Nearest)
    }

    /// `a - floor(a)`.
    pub fn fract(&mut self, a: clif::Value) -> clif::Value {
        let whole = self.floor(a);
        self.fsub(a, whole)
    }

    fn round(&mut self, a: clif::Value, rounding: Rounding) -> clif::Value {
        if self.target.arch == Arch::X86_64 && !self.target.sse41 {
            return self.round_by_hand(a, rounding);
        }
        match rounding {
            Rounding::Floor => self.ins().floor(a),
            Rounding::Ceil => self.ins().ceil(a),
            Rounding::Trunc => self.ins().trunc(a),
            Rounding::Nearest => self.ins().nearest(a),
        }
    }

    /// Rounds without the target's help: adding and subtracting 2^23 (2^52) leaves an integer; from 2^23 on, and for
    /// infinities and NaNs, the value is its own result. The sign is kept, also of zeros.
    fn round_by_hand(&mut self, a: clif::Value, rounding: Rounding) -> clif::Value {
        let ty = self.ty(a);
        let ints = Self::int_type(ty);
        let digits = if ty.lane_type() == types::F32 { 23 } else { 52 };
        let big = self.float(ty, (1u64 << digits) as f64);
        let size = self.fabs(a);
        let shifted = self.fadd(size, big);
        let nearest = self.fsub(shifted, big);
        let bits = self.reinterpret(a, ints);
        let top = self.int(ints, 1i64.wrapping_shl(ty.lane_bits() - 1));
        let sign = self.band(bits, top);
        let signed = |l: &mut Self, value| {
            let bits = l.reinterpret(value, ints);
            let bits = l.bor(bits, sign);
            l.reinterpret(bits, ty)
        };
        let one = self.float(ty, 1.0);
        let rounded = match rounding {
            Rounding::Nearest => signed(self, nearest),
            Rounding::Trunc => {
                let above = self.fcmp(FloatCC::GreaterThan, nearest, size);
                let less = self.fsub(nearest, one);
                let size = self.select(above, less, nearest);
                signed(self, size)
            }
            Rounding::Floor => {
                let nearest = signed(self, nearest);
                let above = self.fcmp(FloatCC::GreaterThan, nearest, a);
                let less = self.fsub(nearest, one);
                self.select(above, less, nearest)
            }
            Rounding::Ceil => {
                let nearest = signed(self, nearest);
                let below = self.fcmp(FloatCC::LessThan, nearest, a);
                let more = self.fadd(nearest, one);
                let result = self.select(below, more, nearest);
                signed(self, result)
            }
        };
        let small = self.fcmp(FloatCC::LessThan, size, big);
        self.select(small, rounded, a)
    }

    /// `b < a ? b : a`: of a number and a NaN, either.
    pub fn fmin(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        // `cond(x < y, x, y)` is what Cranelift makes one instruction of on x86-64.
        let less = self.ins().fcmp(FloatCC::LessThan, b, a);
        self.select(less, b, a)
    }

    /// `a < b ? b : a`: of a number and a NaN, either.
    pub fn fmax(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let less = self.ins().fcmp(FloatCC::LessThan, a, b);
        self.select(less, b, a)
    }

    /// The lesser; of a number and a NaN the number.
    pub fn nmin(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        // A NaN in `b` gives `a` already.
        let less = self.fmin(a, b);
        let nan = self.is_nan(a);
        self.select(nan, b, less)
    }

    /// The greater; of a number and a NaN the number.
    pub fn nmax(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let greater = self.fmax(a, b);
        let nan = self.is_nan(a);
        self.select(nan, b, greater)
    }

    /// `min(max(x, low), high)`.
    pub fn fclamp(&mut self, x: clif::Value, low: clif::Value, high: clif::Value) -> clif::Value {
        let x = self.fmax(x, low);
        self.fmin(x, high)
    }

    /// `min(max(x, low), high)`; a NaN gives `low`.
    pub fn nclamp(&mut self, x: clif::Value, low: clif::Value, high: clif::Value) -> clif::Value {
        let x = self.nmax(x, low);
        self.nmin(x, high)
    }

    /// 1, 0 or -1; a zero keeps its sign.
    pub fn fsign(&mut self, a: clif::Value) -> clif::Value {
        let ty = self.ty(a);
        let ints = Self::int_type(ty);
        let bits = self.reinterpret(a, ints);
        let top = self.int(ints, 1i64.wrapping_shl(ty.lane_bits() - 1));
        let sign = self.band(bits, top);
        let one = self.float(ty, 1.0);
        let one = self.reinterpret(one, ints);
        let unit = self.bor(sign, one);
        let unit = self.reinterpret(unit, ty);
        let zero = self.float(ty, 0.0);
        let some = self.ins().fcmp(FloatCC::NotEqual, a, zero);
        self.select(some, unit, a)
    }

    /// Degrees to radians.
    pub fn radians(&mut self, a: clif::Value) -> clif::Value {
        let factor = self.float_like(a, std::f64::consts::PI / 180.0);
        self.fmul(a, factor)
    }

    /// Radians to degrees.
    pub fn degrees(&mut self, a: clif::Value) -> clif::Value {
        let factor = self.float_like(a, 180.0 / std::f64::consts::PI);
        self.fmul(a, factor)
    }

    /// `x * (1 - t) + y * t`.
    pub fn fmix(&mut self, x: clif::Value, y: clif::Value, t: clif::Value) -> clif::Value {
        let one = self.float_like(t, 1.0);
        let rest = self.fsub(one, t);
        let x = self.fmul(x, rest);
        let y = self.fmul(y, t);
        self.fadd(x, y)
    }

    /// `x < edge ? 0 : 1`.
    pub fn step(&mut self, edge: clif::Value, x: clif::Value) -> clif::Value {
        let below = self.ins().fcmp(FloatCC::LessThan, x, edge);
        let zero = self.float_like(x, 0.0);
        let one = self.float_like(x, 1.0);
        self.select(below, zero, one)
    }

    /// `t * t * (3 - 2 * t)` with `t = clamp((x - low) / (high - low), 0, 1)`.
    pub fn smooth_step(&mut self, low: clif::Value, high: clif::Value, x: clif::Value) -> clif::Value {
        let offset = self.fsub(x, low);
        let range = self.fsub(high, low);
        let t = self.fdiv(offset, range);
        let [zero, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|k| self.float_like(x, k));
        let t = self.fclamp(t, zero, one);
        let twice = self.fmul(two, t);
        let rest = self.fsub(three, twice);
        let square = self.fmul(t, t);
        self.fmul(square, rest)
    }
}
