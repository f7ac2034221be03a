//! Ranges of permitted values: the error bounds of the Vulkan specification, "Precision of Individual Operations", carried
//! through formulas, for operations whose precision is inherited from one.

/// Spacing of `f32` at `x`: the specification's `ulp(x)`.
pub fn ulp(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7FF) as i32 - 1023;
    let exponent = (exponent - 23).clamp(-149, 127 - 23);
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Values from `low` to `high`; anything where a bound is a NaN.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

const ANY: Interval = Interval { low: f64::NAN, high: f64::NAN };

/// The greatest finite `f32`.
const MAX: f64 = f32::MAX as f64;

impl Interval {
    /// One value.
    pub fn of(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    fn new(low: f64, high: f64) -> Interval {
        if low.is_nan() || high.is_nan() { ANY } else { Interval { low, high } }
    }

    /// Wider by that many units in the last place; what overflows may be infinite.
    pub fn ulps(self, n: f64) -> Interval {
        let grow = |x: f64, by: f64| {
            let y = if x.is_infinite() { x } else { x + by * ulp(x) };
            if y > MAX {
                f64::INFINITY
            } else if y < -MAX {
                f64::NEG_INFINITY
            } else {
                y
            }
        };
        // A value that overflows may also be given as the greatest finite one.
        let inward = |x: f64| x.clamp(-MAX, MAX);
        let (low, high) = (grow(self.low, -n), grow(self.high, n));
        Interval::new(
            if low == f64::INFINITY { inward(low) } else { low },
            if high == f64::NEG_INFINITY { inward(high) } else { high },
        )
    }

    /// Wider by an absolute error.
    pub fn within(self, error: f64) -> Interval {
        Interval::new(self.low - error, self.high + error)
    }

    /// Of a function that rises.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval::new(f(self.low), f(self.high))
    }

    fn corners(self, other: Interval, f: impl Fn(f64, f64) -> f64) -> Interval {
        let all = [f(self.low, other.low), f(self.low, other.high), f(self.high, other.low), f(self.high, other.high)];
        if all.iter().any(|x| x.is_nan()) {
            return ANY;
        }
        Interval {
            low: all.iter().copied().fold(f64::MAX, f64::min),
            high: all.iter().copied().fold(f64::MIN, f64::max),
        }
    }

    /// `OpFAdd`: correctly rounded, in whichever direction.
    pub fn plus(self, other: Interval) -> Interval {
        self.corners(other, |a, b| a + b).rounded()
    }

    /// `OpFSub`.
    pub fn minus(self, other: Interval) -> Interval {
        self.corners(other, |a, b| a - b).rounded()
    }

    /// `OpFMul`.
    pub fn times(self, other: Interval) -> Interval {
        self.corners(other, |a, b| a * b).rounded()
    }

    /// `OpFDiv`: 2.5 ULP; anything where the divisor may be 0.
    pub fn over(self, other: Interval) -> Interval {
        let whole = other.low > 0.0 || other.high < 0.0;
        if whole { self.corners(other, |a, b| a / b).ulps(2.5) } else { ANY }
    }

    fn rounded(self) -> Interval {
        let exact = self.low == self.high && f64::from(self.low as f32) == self.low;
        if exact { self } else { self.ulps(1.0) }
    }

    /// `sqrt`: inherited from 1 / inversesqrt, which has 2 ULP.
    pub fn sqrt(self) -> Interval {
        self.map(f64::sqrt).ulps(4.5)
    }

    /// `exp`: 3 + 2 |x| ULP.
    pub fn exp(self) -> Interval {
        let n = 3.0 + 2.0 * self.low.abs().max(self.high.abs());
        if n.is_finite() { self.map(f64::exp).ulps(n) } else { self.map(f64::exp) }
    }

    /// `exp2`: 3 + 2 |x| ULP.
    pub fn exp2(self) -> Interval {
        let n = 3.0 + 2.0 * self.low.abs().max(self.high.abs());
        if n.is_finite() { self.map(f64::exp2).ulps(n) } else { self.map(f64::exp2) }
    }

    /// A logarithm: 3 ULP, or 2^-21 where the operand is in [0.5, 2].
    pub fn log(self, f: impl Fn(f64) -> f64) -> Interval {
        let far = self.map(&f).ulps(3.0);
        let near = self.map(&f).within(2f64.powi(-21));
        let inside = self.low <= 2.0 && self.high >= 0.5;
        if inside { Interval::new(far.low.min(near.low), far.high.max(near.high)) } else { far }
    }

    /// The greatest error of a result whose exact value is `x`: infinite where anything is permitted.
    pub fn error(self, x: f64) -> f64 {
        if self.low.is_nan() || self.high.is_nan() {
            return f64::INFINITY;
        }
        (x - self.low).abs().max((x - self.high).abs())
    }
}
