//! Which functions are measured, against what, and what the Vulkan specification asks of each.

use super::interval::{Interval, ulp};
use std::f64::consts::{LN_2, PI};

/// What is asked in a region of inputs.
#[derive(Clone, Copy)]
pub struct Region {
    /// Which inputs, for the table.
    pub inputs: &'static str,
    /// Is an operand in it? Operands are not NaNs.
    pub holds: fn(&[f64]) -> bool,
    /// The bound, for the table.
    pub bound: &'static str,
    /// The greatest absolute error permitted for operands and exact result; infinite where anything is permitted.
    pub error: fn(&[f64], f64) -> f64,
}

/// A function of one or two operands.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// GLSL of operands `x` and `y`.
    pub glsl: &'static str,
    /// How many operands.
    pub operands: usize,
    /// The function in `f64`, far more exact than `f32`.
    pub reference: fn(&[f64]) -> f64,
    /// Is it asked to stay in [-1, 1] for finite operands, whatever they are?
    pub unit: bool,
    /// Inputs with bounds. An input may be in several regions.
    pub regions: &'static [Region],
}

const fn region(
    inputs: &'static str,
    holds: fn(&[f64]) -> bool,
    bound: &'static str,
    error: fn(&[f64], f64) -> f64,
) -> Region {
    Region { inputs, holds, bound, error }
}

const fn case(
    name: &'static str,
    glsl: &'static str,
    reference: fn(&[f64]) -> f64,
    regions: &'static [Region],
) -> Case {
    Case { name, glsl, operands: 1, reference, unit: false, regions }
}

const fn everywhere(_: &[f64]) -> bool {
    true
}

fn in_turn(x: &[f64]) -> bool {
    x[0].abs() <= PI
}

fn to_hundred_thousand(x: &[f64]) -> bool {
    x[0].abs() <= 1e5
}

fn near_one(x: &[f64]) -> bool {
    (0.5..=2.0).contains(&x[0])
}

fn far_from_one(x: &[f64]) -> bool {
    !near_one(x)
}

const SINE: &[Region] = &[
    region("[-π, π]", in_turn, "2⁻¹¹ absolute", |_, _| 2f64.powi(-11)),
    region("\\|x\\| ≤ 10⁵", to_hundred_thousand, "none; here 2⁻¹¹ absolute", |_, _| 2f64.powi(-11)),
];
const LOGARITHM: &[Region] = &[
    region("[0.5, 2]", near_one, "2⁻²¹ absolute", |_, _| 2f64.powi(-21)),
    region("the rest", far_from_one, "3 ULP", |_, exact| 3.0 * ulp(exact)),
];

fn exponential(x: &[f64], exact: f64) -> f64 {
    (3.0 + 2.0 * x[0].abs()) * ulp(exact)
}

fn one() -> Interval {
    Interval::of(1.0)
}

fn sqrt_of_rest(x: f64) -> Interval {
    one().minus(Interval::of(x).times(Interval::of(x)))
}

fn atan2_of(y: Interval, x: Interval) -> Interval {
    let corners = [y.low.atan2(x.low), y.low.atan2(x.high), y.high.atan2(x.low), y.high.atan2(x.high)];
    let low = corners.iter().copied().fold(f64::MAX, f64::min);
    let high = corners.iter().copied().fold(f64::MIN, f64::max);
    if corners.iter().any(|c| c.is_nan()) { Interval::of(f64::NAN) } else { Interval { low, high }.ulps(4096.0) }
}

fn tangent(x: &[f64], exact: f64) -> f64 {
    let part = |value: f64| Interval::of(value).within(2f64.powi(-11));
    part(x[0].sin()).over(part(x[0].cos())).error(exact)
}

fn arc_sine(x: &[f64], exact: f64) -> f64 {
    atan2_of(Interval::of(x[0]), sqrt_of_rest(x[0]).sqrt()).error(exact)
}

fn arc_cosine(x: &[f64], exact: f64) -> f64 {
    atan2_of(sqrt_of_rest(x[0]).sqrt(), Interval::of(x[0])).error(exact)
}

fn sinh_range(x: f64) -> Interval {
    Interval::of(x).exp().minus(Interval::of(-x).exp()).times(Interval::of(0.5))
}

fn cosh_range(x: f64) -> Interval {
    Interval::of(x).exp().plus(Interval::of(-x).exp()).times(Interval::of(0.5))
}

fn area_sine(x: &[f64], exact: f64) -> f64 {
    let v = Interval::of(x[0]);
    v.plus(v.times(v).plus(one()).sqrt()).log(f64::ln).error(exact)
}

fn area_cosine(x: &[f64], exact: f64) -> f64 {
    let v = Interval::of(x[0]);
    v.plus(v.times(v).minus(one()).sqrt()).log(f64::ln).error(exact)
}

fn area_tangent(x: &[f64], exact: f64) -> f64 {
    let v = Interval::of(x[0]);
    one().plus(v).over(one().minus(v)).log(f64::ln).times(Interval::of(0.5)).error(exact)
}

fn power(x: &[f64], exact: f64) -> f64 {
    Interval::of(x[1]).times(Interval::of(x[0]).log(f64::log2)).exp2().error(exact)
}

/// The table.
pub const CASES: &[Case] = &[
    Case { unit: true, ..case("sin", "sin(x)", |x| x[0].sin(), SINE) },
    Case { unit: true, ..case("cos", "cos(x)", |x| x[0].cos(), SINE) },
    case("tan", "tan(x)", |x| x[0].tan(), &[region("[-π, π]", in_turn, "inherited from sin(x) / cos(x)", tangent)]),
    case(
        "asin",
        "asin(x)",
        |x| x[0].asin(),
        &[region("all", everywhere, "inherited from atan2(x, sqrt(1 - x²))", arc_sine)],
    ),
    case(
        "acos",
        "acos(x)",
        |x| x[0].acos(),
        &[region("all", everywhere, "inherited from atan2(sqrt(1 - x²), x)", arc_cosine)],
    ),
    case("atan", "atan(x)", |x| x[0].atan(), &[region("all", everywhere, "4096 ULP", |_, exact| 4096.0 * ulp(exact))]),
    case("exp", "exp(x)", |x| x[0].exp(), &[region("all", everywhere, "3 + 2 \\|x\\| ULP", exponential)]),
    case("exp2", "exp2(x)", |x| x[0].exp2(), &[region("all", everywhere, "3 + 2 \\|x\\| ULP", exponential)]),
    case("log", "log(x)", |x| x[0].ln(), LOGARITHM),
    case("log2", "log2(x)", |x| x[0].log2(), LOGARITHM),
    case(
        "sinh",
        "sinh(x)",
        |x| x[0].sinh(),
        &[region("all", everywhere, "inherited from (exp(x) - exp(-x)) * 0.5", |x, exact| {
            sinh_range(x[0]).error(exact)
        })],
    ),
    case(
        "cosh",
        "cosh(x)",
        |x| x[0].cosh(),
        &[region("all", everywhere, "inherited from (exp(x) + exp(-x)) * 0.5", |x, exact| {
            cosh_range(x[0]).error(exact)
        })],
    ),
    case(
        "tanh",
        "tanh(x)",
        |x| x[0].tanh(),
        &[region("all", everywhere, "inherited from sinh(x) / cosh(x)", |x, exact| {
            sinh_range(x[0]).over(cosh_range(x[0])).error(exact)
        })],
    ),
    case(
        "asinh",
        "asinh(x)",
        |x| x[0].asinh_exact(),
        &[region("all", everywhere, "inherited from log(x + sqrt(x² + 1))", area_sine)],
    ),
    case(
        "acosh",
        "acosh(x)",
        |x| x[0].acosh_exact(),
        &[region("all", everywhere, "inherited from log(x + sqrt(x² - 1))", area_cosine)],
    ),
    case(
        "atanh",
        "atanh(x)",
        |x| x[0].atanh_exact(),
        &[region("all", everywhere, "inherited from log((1 + x) / (1 - x)) * 0.5", area_tangent)],
    ),
    case(
        "sqrt",
        "sqrt(x)",
        |x| x[0].sqrt(),
        &[region("all", everywhere, "inherited from 1 / inversesqrt(x)", |x, exact| {
            Interval::of(x[0]).sqrt().error(exact)
        })],
    ),
    case(
        "inversesqrt",
        "inversesqrt(x)",
        |x| 1.0 / x[0].sqrt(),
        &[region("all", everywhere, "2 ULP", |_, exact| 2.0 * ulp(exact))],
    ),
    Case {
        operands: 2,
        ..case(
            "pow",
            "pow(x, y)",
            |x| x[0].powf(x[1]),
            &[region("x > 0", |x| x[0] > 0.0, "inherited from exp2(y * log2(x))", power)],
        )
    },
    Case {
        operands: 2,
        ..case(
            "atan2",
            "atan(x, y)",
            |x| x[0].atan2(x[1]),
            &[region("not both 0", |x| x != [0.0, 0.0], "4096 ULP", |_, exact| 4096.0 * ulp(exact))],
        )
    },
];

/// The inverse hyperbolic functions from `ln_1p`: the standard library's lose digits of small operands.
trait Area {
    fn asinh_exact(self) -> f64;
    fn acosh_exact(self) -> f64;
    fn atanh_exact(self) -> f64;
}

impl Area for f64 {
    fn asinh_exact(self) -> f64 {
        let a = self.abs();
        if a.is_infinite() {
            return self;
        }
        // Squares of f32 do not overflow.
        (a + a * a / (1.0 + (a * a + 1.0).sqrt())).ln_1p().copysign(self)
    }

    fn acosh_exact(self) -> f64 {
        let t = self - 1.0;
        match self {
            x if x < 1.0 => f64::NAN,
            x if x > 1e16 => x.ln() + LN_2,
            _ => (t + (t * (t + 2.0)).sqrt()).ln_1p(),
        }
    }

    fn atanh_exact(self) -> f64 {
        0.5 * (2.0 * self / (1.0 - self)).ln_1p()
    }
}
