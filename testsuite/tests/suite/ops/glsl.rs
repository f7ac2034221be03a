//! Functions of GLSL.std.450 that work component by component.

use super::{Op, op};

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn any_nan(args: &[u32]) -> bool {
    args.iter().any(|&bits| f(bits).is_nan())
}

/// The reference's number, of zeros either; where an operand is a NaN, a NaN or any operand.
fn number_or_nan(args: &[u32], want: u32, got: u32) -> bool {
    f(got) == f(want) || (any_nan(args) && (f(got).is_nan() || args.contains(&got)))
}

/// As [`number_or_nan`]; anything where the bounds (second and third operand) are in the wrong order or a NaN.
fn clamped(args: &[u32], want: u32, got: u32) -> bool {
    let ordered = f(args[1]) <= f(args[2]);
    !ordered || number_or_nan(args, want, got)
}

/// NMin, NMax: a number where there is one.
fn number(_: &[u32], want: u32, got: u32) -> bool {
    f(got) == f(want) || (f(got).is_nan() && f(want).is_nan())
}

fn number_clamped(args: &[u32], want: u32, got: u32) -> bool {
    let ordered = f(args[1]) <= f(args[2]);
    !ordered || number(args, want, got)
}

/// Integer bounds in the wrong order leave the result open.
fn signed_clamped(args: &[u32], want: u32, got: u32) -> bool {
    want == got || args[1] as i32 > args[2] as i32
}

fn unsigned_clamped(args: &[u32], want: u32, got: u32) -> bool {
    want == got || args[1] > args[2]
}

fn equal_but_nan(args: &[u32], want: u32, got: u32) -> bool {
    f(want) == f(got) || any_nan(args)
}

/// Halves may go either way.
fn rounded(args: &[u32], want: u32, got: u32) -> bool {
    let x = f(args[0]);
    want == got || (x.is_nan() && f(got).is_nan()) || ((x - x.floor()) == 0.5 && (f(got) - x).abs() == 0.5)
}

/// Within the rounding of operands of this size.
fn blended(args: &[u32], want: u32, got: u32) -> bool {
    let size = (f(args[0]).abs() + f(args[1]).abs()) * (1.0 + f(args[2]).abs());
    (f(want) - f(got)).abs() <= size * 1e-6
}

/// Undefined where the edges are in the wrong order.
fn smooth(args: &[u32], want: u32, got: u32) -> bool {
    f(args[0]) >= f(args[1]) || (f(want) - f(got)).abs() <= 1e-5
}

/// Fused or not: both are right.
fn fused_or_not(args: &[u32], want: u32, got: u32) -> bool {
    let [a, b, c] = [f(args[0]), f(args[1]), f(args[2])];
    let close = |want: f32| want == f(got) || (want.is_nan() && f(got).is_nan());
    close(f(want)) || close(a * b + c)
}

fn fmin(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn fmax(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A function that GLSL has no name for, by its number in the set.
macro_rules! raw {
    ($row:expr, $id:literal, $params:literal) => {
        $row.prototype(concat!("spirv_instruction(set = \"GLSL.std.450\", id = ", $id, ") $R f(", $params, ");"))
    };
}

/// The table.
pub const OPS: &[Op] = &[
    op!("FAbs", "abs($a)", |a: f32| -> f32 { a.abs() }),
    op!("SAbs", "abs($a)", |a: i32| -> i32 { a.wrapping_abs() }),
    op!("FSign", "sign($a)", |a: f32| -> f32 {
        if a > 0.0 {
            1.0
        } else if a < 0.0 {
            -1.0
        } else {
            0.0
        }
    })
    .any(equal_but_nan),
    op!("SSign", "sign($a)", |a: i32| -> i32 { a.signum() }),
    op!("Floor", "floor($a)", |a: f32| -> f32 { a.floor() }),
    op!("Ceil", "ceil($a)", |a: f32| -> f32 { a.ceil() }),
    op!("Trunc", "trunc($a)", |a: f32| -> f32 { a.trunc() }),
    op!("RoundEven", "roundEven($a)", |a: f32| -> f32 { a.round_ties_even() }),
    op!("Round", "round($a)", |a: f32| -> f32 { a.round_ties_even() }).any(rounded),
    op!("Fract", "fract($a)", |a: f32| -> f32 { a - a.floor() }).ulp(1),
    op!("FMin", "min($a, $b)", |a: f32, b: f32| -> f32 { fmin(a, b) }).any(number_or_nan),
    op!("FMax", "max($a, $b)", |a: f32, b: f32| -> f32 { fmax(a, b) }).any(number_or_nan),
    op!("FClamp", "clamp($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { fmin(fmax(a, b), c) }).any(clamped),
    raw!(op!("NMin", "f($a, $b)", |a: f32, b: f32| -> f32 { a.min(b) }).any(number), 79, "$A a, $B b"),
    raw!(op!("NMax", "f($a, $b)", |a: f32, b: f32| -> f32 { a.max(b) }).any(number), 80, "$A a, $B b"),
    raw!(
        op!("NClamp", "f($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { a.max(b).min(c) }).any(number_clamped),
        81,
        "$A a, $B b, $C c"
    ),
    op!("SMin", "min($a, $b)", |a: i32, b: i32| -> i32 { a.min(b) }),
    op!("SMax", "max($a, $b)", |a: i32, b: i32| -> i32 { a.max(b) }),
    op!("SClamp", "clamp($a, $b, $c)", |a: i32, b: i32, c: i32| -> i32 { a.max(b).min(c) }).any(signed_clamped),
    op!("UMin", "min($a, $b)", |a: u32, b: u32| -> u32 { a.min(b) }),
    op!("UMax", "max($a, $b)", |a: u32, b: u32| -> u32 { a.max(b) }),
    op!("UClamp", "clamp($a, $b, $c)", |a: u32, b: u32, c: u32| -> u32 { a.max(b).min(c) }).any(unsigned_clamped),
    op!("FMix", "mix($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { a * (1.0 - c) + b * c }).any(blended).moderate(),
    op!("Step", "step($a, $b)", |a: f32, b: f32| -> f32 { if b < a { 0.0 } else { 1.0 } }).any(equal_but_nan),
    op!("SmoothStep", "smoothstep($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { smoothstep(a, b, c) })
        .any(smooth)
        .moderate(),
    op!("Sqrt", "sqrt($a)", |a: f32| -> f32 { a.sqrt() }).ulp(1),
    op!("InverseSqrt", "inversesqrt($a)", |a: f32| -> f32 { 1.0 / a.sqrt() }).ulp(2),
    op!("Radians", "radians($a)", |a: f32| -> f32 { a * (std::f32::consts::PI / 180.0) }).ulp(2),
    op!("Degrees", "degrees($a)", |a: f32| -> f32 { a * (180.0 / std::f32::consts::PI) }).ulp(2),
    op!("FindILsb", "findLSB($a)", |a: u32| -> i32 { if a == 0 { -1 } else { a.trailing_zeros() as i32 } }),
    op!("FindILsb-signed", "findLSB($a)", |a: i32| -> i32 { if a == 0 { -1 } else { a.trailing_zeros() as i32 } }),
    op!("FindUMsb", "findMSB($a)", |a: u32| -> i32 { 31 - a.leading_zeros() as i32 }),
    // Of a negative number the highest bit that is 0.
    op!("FindSMsb", "findMSB($a)", |a: i32| -> i32 { 31 - (if a < 0 { !a } else { a }).leading_zeros() as i32 }),
    op!("FmaKHR", "f($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) }).prototype(
        "spirv_instruction(extensions = [\"SPV_KHR_fma\"], capabilities = [6030], id = 4427) $R f($A a, $B b, $C c);",
    ),
    op!("Fma", "fma($a, $b, $c)", |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) }).any(fused_or_not),
];
