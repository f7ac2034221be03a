//! Functions of OpenCL.std on components, and AMD's of three operands. GLSL has no names for them; they are called by their
//! numbers.

use super::shaped::{Shaped, close};
use super::{Op, op};
use glslc2native_testsuite::values::Compare;

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The same number (of zeros either), or both no number.
fn number(_: &[u32], want: u32, got: u32) -> bool {
    f(got) == f(want) || (f(got).is_nan() && f(want).is_nan())
}

/// As [`number`]; anything where an operand is a NaN.
fn without_nan(args: &[u32], want: u32, got: u32) -> bool {
    number(args, want, got) || args.iter().any(|&bits| f(bits).is_nan())
}

/// As [`number`]; anything where the bounds are in the wrong order or a NaN.
fn clamped(args: &[u32], want: u32, got: u32) -> bool {
    number(args, want, got) || f(args[1]).is_nan() || f(args[2]).is_nan() || f(args[1]) > f(args[2])
}

fn signed_clamped(args: &[u32], want: u32, got: u32) -> bool {
    want == got || args[1] as i32 > args[2] as i32
}

fn unsigned_clamped(args: &[u32], want: u32, got: u32) -> bool {
    want == got || args[1] > args[2]
}

/// Undefined where the edges are in the wrong order.
fn smooth(args: &[u32], want: u32, got: u32) -> bool {
    f(args[0]) >= f(args[1]) || (f(want) - f(got)).abs() <= 1e-5
}

/// Within the rounding of operands of this size.
fn blended(args: &[u32], want: u32, got: u32) -> bool {
    let size = (f(args[0]).abs() + f(args[1]).abs()) * (1.0 + f(args[2]).abs());
    (f(want) - f(got)).abs() <= size * 1e-6
}

/// Fused or not: both are right.
fn fused_or_not(args: &[u32], want: u32, got: u32) -> bool {
    let [a, b, c] = [f(args[0]), f(args[1]), f(args[2])];
    number(args, want, got) || number(args, (a * b + c).to_bits(), got)
}

fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn middle(a: f32, b: f32, c: f32) -> f32 {
    a.min(b).max(a.max(b).min(c))
}

fn half_sum(a: i64, b: i64, up: i64) -> i64 {
    (a + b + up) >> 1
}

/// `call!("set", "Instruction", id, |a: T, …| -> T { … })`: an instruction of one to three operands by its number.
macro_rules! call {
    (@prototype $set:literal, $id:literal, $params:literal) => {
        concat!("spirv_instruction(set = \"", $set, "\", id = ", $id, ") $R f_(", $params, ");")
    };
    ($set:literal, $name:literal, $id:literal, |$a:ident: $ta:ty| -> $r:ty $body:block) => {
        op!($name, "f_($a)", |$a: $ta| -> $r $body).prototype(call!(@prototype $set, $id, "$A a"))
    };
    ($set:literal, $name:literal, $id:literal, |$a:ident: $ta:ty, $b:ident: $tb:ty| -> $r:ty $body:block) => {
        op!($name, "f_($a, $b)", |$a: $ta, $b: $tb| -> $r $body)
            .prototype(call!(@prototype $set, $id, "$A a, $B b"))
    };
    ($set:literal, $name:literal, $id:literal, |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $r:ty $body:block) => {
        op!($name, "f_($a, $b, $c)", |$a: $ta, $b: $tb, $c: $tc| -> $r $body)
            .prototype(call!(@prototype $set, $id, "$A a, $B b, $C c"))
    };
}

/// The same, of OpenCL.std.
macro_rules! cl {
    ($($rest:tt)*) => { call!("OpenCL.std", $($rest)*) };
}

/// The same, of SPV_AMD_shader_trinary_minmax.
macro_rules! amd {
    ($($rest:tt)*) => { call!("SPV_AMD_shader_trinary_minmax", $($rest)*) };
}

/// The table.
pub const OPS: &[Op] = &[
    cl!("cl-ceil", 12, |a: f32| -> f32 { a.ceil() }).any(number),
    cl!("cl-floor", 25, |a: f32| -> f32 { a.floor() }).any(number),
    cl!("cl-rint", 53, |a: f32| -> f32 { a.round_ties_even() }).any(number),
    cl!("cl-round", 55, |a: f32| -> f32 { a.round() }).any(number),
    cl!("cl-trunc", 66, |a: f32| -> f32 { a.trunc() }).any(number),
    cl!("cl-fabs", 23, |a: f32| -> f32 { a.abs() }),
    cl!("cl-sign", 103, |a: f32| -> f32 {
        if a > 0.0 {
            1.0
        } else if a < 0.0 {
            -1.0
        } else {
            0.0
        }
    })
    .any(number),
    cl!("cl-copysign", 13, |a: f32, b: f32| -> f32 { a.copysign(b) }),
    cl!("cl-sqrt", 61, |a: f32| -> f32 { a.sqrt() }).any(number),
    cl!("cl-half_sqrt", 79, |a: f32| -> f32 { a.sqrt() }).any(number),
    cl!("cl-native_sqrt", 93, |a: f32| -> f32 { a.sqrt() }).any(number),
    cl!("cl-rsqrt", 56, |a: f32| -> f32 { 1.0 / a.sqrt() }).ulp(2),
    cl!("cl-half_rsqrt", 77, |a: f32| -> f32 { 1.0 / a.sqrt() }).ulp(2),
    cl!("cl-native_rsqrt", 91, |a: f32| -> f32 { 1.0 / a.sqrt() }).ulp(2),
    cl!("cl-half_recip", 76, |a: f32| -> f32 { 1.0 / a }).any(number),
    cl!("cl-native_recip", 90, |a: f32| -> f32 { 1.0 / a }).any(number),
    cl!("cl-half_divide", 68, |a: f32, b: f32| -> f32 { a / b }).any(number),
    cl!("cl-native_divide", 82, |a: f32, b: f32| -> f32 { a / b }).any(number),
    cl!("cl-degrees", 96, |a: f32| -> f32 { a * (180.0 / std::f32::consts::PI) }).ulp(2),
    cl!("cl-radians", 100, |a: f32| -> f32 { a * (std::f32::consts::PI / 180.0) }).ulp(2),
    cl!("cl-fma", 26, |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) }).any(fused_or_not),
    cl!("cl-mad", 42, |a: f32, b: f32, c: f32| -> f32 { a * b + c }).any(fused_or_not),
    cl!("cl-fdim", 24, |a: f32, b: f32| -> f32 { if a <= b { 0.0 } else { a - b } }).any(number),
    cl!("cl-fmax", 27, |a: f32, b: f32| -> f32 { a.max(b) }).any(number),
    cl!("cl-fmin", 28, |a: f32, b: f32| -> f32 { a.min(b) }).any(number),
    cl!("cl-fmax_common", 97, |a: f32, b: f32| -> f32 { a.max(b) }).any(without_nan),
    cl!("cl-fmin_common", 98, |a: f32, b: f32| -> f32 { a.min(b) }).any(without_nan),
    cl!("cl-maxmag", 43, |a: f32, b: f32| -> f32 {
        if a.abs() > b.abs() {
            a
        } else if b.abs() > a.abs() {
            b
        } else {
            a.max(b)
        }
    })
    .any(number),
    cl!("cl-minmag", 44, |a: f32, b: f32| -> f32 {
        if a.abs() < b.abs() {
            a
        } else if b.abs() < a.abs() {
            b
        } else {
            a.min(b)
        }
    })
    .any(number),
    cl!("cl-fclamp", 95, |a: f32, b: f32, c: f32| -> f32 { a.max(b).min(c) }).any(clamped),
    cl!("cl-mix", 99, |a: f32, b: f32, c: f32| -> f32 { a + (b - a) * c }).any(blended).moderate(),
    cl!("cl-step", 101, |a: f32, b: f32| -> f32 { if b < a { 0.0 } else { 1.0 } }).any(without_nan),
    cl!("cl-smoothstep", 102, |a: f32, b: f32, c: f32| -> f32 { smoothstep(a, b, c) }).any(smooth).moderate(),
    cl!("cl-s_abs", 141, |a: i32| -> i32 { a.wrapping_abs() }),
    cl!("cl-u_abs", 201, |a: u32| -> u32 { a }),
    cl!("cl-s_abs_diff", 142, |a: i32, b: i32| -> u32 { a.abs_diff(b) }),
    cl!("cl-u_abs_diff", 202, |a: u32, b: u32| -> u32 { a.abs_diff(b) }),
    cl!("cl-s_add_sat", 143, |a: i32, b: i32| -> i32 { a.saturating_add(b) }),
    cl!("cl-u_add_sat", 144, |a: u32, b: u32| -> u32 { a.saturating_add(b) }),
    cl!("cl-s_sub_sat", 162, |a: i32, b: i32| -> i32 { a.saturating_sub(b) }),
    cl!("cl-u_sub_sat", 163, |a: u32, b: u32| -> u32 { a.saturating_sub(b) }),
    cl!("cl-s_hadd", 145, |a: i32, b: i32| -> i32 { half_sum(a.into(), b.into(), 0) as i32 }),
    cl!("cl-u_hadd", 146, |a: u32, b: u32| -> u32 { half_sum(a.into(), b.into(), 0) as u32 }),
    cl!("cl-s_rhadd", 147, |a: i32, b: i32| -> i32 { half_sum(a.into(), b.into(), 1) as i32 }),
    cl!("cl-u_rhadd", 148, |a: u32, b: u32| -> u32 { half_sum(a.into(), b.into(), 1) as u32 }),
    cl!("cl-s_clamp", 149, |a: i32, b: i32, c: i32| -> i32 { a.max(b).min(c) }).any(signed_clamped),
    cl!("cl-u_clamp", 150, |a: u32, b: u32, c: u32| -> u32 { a.max(b).min(c) }).any(unsigned_clamped),
    cl!("cl-clz", 151, |a: u32| -> u32 { a.leading_zeros() }),
    cl!("cl-ctz", 152, |a: u32| -> u32 { a.trailing_zeros() }),
    cl!("cl-popcount", 166, |a: u32| -> u32 { a.count_ones() }),
    cl!("cl-rotate", 161, |a: u32, b: u32| -> u32 { a.rotate_left(b & 31) }),
    cl!("cl-bitselect", 186, |a: u32, b: u32, c: u32| -> u32 { (a & !c) | (b & c) }),
    cl!("cl-bitselect-float", 186, |a: f32, b: f32, c: f32| -> f32 {
        let c = c.to_bits();
        f32::from_bits((a.to_bits() & !c) | (b.to_bits() & c))
    }),
    cl!("cl-s_max", 156, |a: i32, b: i32| -> i32 { a.max(b) }),
    cl!("cl-u_max", 157, |a: u32, b: u32| -> u32 { a.max(b) }),
    cl!("cl-s_min", 158, |a: i32, b: i32| -> i32 { a.min(b) }),
    cl!("cl-u_min", 159, |a: u32, b: u32| -> u32 { a.min(b) }),
    cl!("cl-s_mul_hi", 160, |a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }),
    cl!("cl-u_mul_hi", 203, |a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }),
    cl!("cl-s_mad_hi", 153, |a: i32, b: i32, c: i32| -> i32 {
        (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
    }),
    cl!("cl-u_mad_hi", 204, |a: u32, b: u32, c: u32| -> u32 {
        (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
    }),
    cl!("cl-s_mul24", 169, |a: i32, b: i32| -> i32 { a.wrapping_mul(b) }),
    cl!("cl-u_mul24", 170, |a: u32, b: u32| -> u32 { a.wrapping_mul(b) }),
    cl!("cl-s_mad24", 167, |a: i32, b: i32, c: i32| -> i32 { a.wrapping_mul(b).wrapping_add(c) }),
    cl!("cl-u_mad24", 168, |a: u32, b: u32, c: u32| -> u32 { a.wrapping_mul(b).wrapping_add(c) }),
    amd!("FMin3AMD", 1, |a: f32, b: f32, c: f32| -> f32 { a.min(b).min(c) }).any(without_nan),
    amd!("UMin3AMD", 2, |a: u32, b: u32, c: u32| -> u32 { a.min(b).min(c) }),
    amd!("SMin3AMD", 3, |a: i32, b: i32, c: i32| -> i32 { a.min(b).min(c) }),
    amd!("FMax3AMD", 4, |a: f32, b: f32, c: f32| -> f32 { a.max(b).max(c) }).any(without_nan),
    amd!("UMax3AMD", 5, |a: u32, b: u32, c: u32| -> u32 { a.max(b).max(c) }),
    amd!("SMax3AMD", 6, |a: i32, b: i32, c: i32| -> i32 { a.max(b).max(c) }),
    amd!("FMid3AMD", 7, |a: f32, b: f32, c: f32| -> f32 { middle(a, b, c) }).any(without_nan),
    amd!("UMid3AMD", 8, |a: u32, b: u32, c: u32| -> u32 { a.min(b).max(a.max(b).min(c)) }),
    amd!("SMid3AMD", 9, |a: i32, b: i32, c: i32| -> i32 { a.min(b).max(a.max(b).min(c)) }),
];

/// A row on whole vectors, which calls `f_`.
macro_rules! whole {
    ($set:literal, $id:literal, $prototype:literal, $row:expr) => {
        Shaped { prelude: concat!("spirv_instruction(set = \"", $set, "\", id = ", $id, ") ", $prototype, ";"), ..$row }
    };
}

fn dot(a: &[u32], b: &[u32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (&a, &b)| sum + f(a) * f(b))
}

fn distance(x: &[u32]) -> f32 {
    let d: Vec<u32> = (0..3).map(|i| (f(x[i]) - f(x[i + 3])).to_bits()).collect();
    dot(&d, &d).sqrt()
}

fn normalized(x: &[u32]) -> Vec<u32> {
    let length = dot(x, x).sqrt();
    x.iter().map(|&v| if length == 0.0 { 0 } else { (f(v) / length).to_bits() }).collect()
}

/// Face, and coordinates on it; the direction of no length gives no number.
fn cube(x: &[u32]) -> [f32; 3] {
    let (x, y, z) = (f(x[0]), f(x[1]), f(x[2]));
    let (face, s, t, size) = if z.abs() >= x.abs().max(y.abs()) {
        if z < 0.0 { (5.0, -x, -y, -z) } else { (4.0, x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3.0, x, -z, -y) } else { (2.0, x, z, y) }
    } else if x < 0.0 {
        (1.0, z, -y, -x)
    } else {
        (0.0, -z, -y, x)
    };
    [face, s / size * 0.5 + 0.5, t / size * 0.5 + 0.5]
}

/// What works across components.
pub const SHAPED: &[Shaped] = &[
    whole!(
        "OpenCL.std",
        106,
        "float f_(vec3 a)",
        close!("cl-length", [(F, 3)] -> (F, 1), "return f_(a);", Compare::Ulp(4), |x| vec![dot(x, x).sqrt().to_bits()])
    ),
    whole!(
        "OpenCL.std",
        109,
        "float f_(vec4 a)",
        close!("cl-fast_length", [(F, 4)] -> (F, 1), "return f_(a);", Compare::Ulp(4), |x| {
            vec![dot(x, x).sqrt().to_bits()]
        })
    ),
    whole!(
        "OpenCL.std",
        105,
        "float f_(vec3 a, vec3 b)",
        close!("cl-distance", [(F, 3), (F, 3)] -> (F, 1), "return f_(a, b);", Compare::Ulp(4), |x| {
            vec![distance(x).to_bits()]
        })
    ),
    whole!(
        "OpenCL.std",
        108,
        "float f_(vec3 a, vec3 b)",
        close!("cl-fast_distance", [(F, 3), (F, 3)] -> (F, 1), "return f_(a, b);", Compare::Ulp(4), |x| {
            vec![distance(x).to_bits()]
        })
    ),
    whole!(
        "OpenCL.std",
        107,
        "vec3 f_(vec3 a)",
        close!("cl-normalize", [(F, 3)] -> (F, 3), "return dot(a, a) == 0.0 ? vec3(0) : f_(a);", Compare::Tolerance(1e-6), normalized)
    ),
    whole!(
        "OpenCL.std",
        110,
        "vec2 f_(vec2 a)",
        close!("cl-fast_normalize", [(F, 2)] -> (F, 2), "return dot(a, a) == 0.0 ? vec2(0) : f_(a);", Compare::Tolerance(1e-6), normalized)
    ),
    whole!(
        "OpenCL.std",
        104,
        "vec3 f_(vec3 a, vec3 b)",
        close!("cl-cross", [(F, 3), (F, 3)] -> (F, 3), "return f_(a, b);", Compare::Tolerance(4e-3), |x| {
            let (a, b) = (|i: usize| f(x[i % 3]), |i: usize| f(x[3 + i % 3]));
            (0..3).map(|i| (a(i + 1) * b(i + 2) - b(i + 1) * a(i + 2)).to_bits()).collect()
        })
    ),
    whole!(
        "SPV_AMD_gcn_shader",
        1,
        "float f_(vec3 a)",
        close!("CubeFaceIndexAMD", [(F, 3)] -> (F, 1), "return f_(a);", Compare::Exact, |x| vec![cube(x)[0].to_bits()])
    ),
    whole!(
        "SPV_AMD_gcn_shader",
        2,
        "vec2 f_(vec3 a)",
        close!("CubeFaceCoordAMD", [(F, 3)] -> (F, 2), "return a == vec3(0) ? vec2(0) : f_(a);", Compare::Ulp(4), |x| {
            let [_, s, t] = cube(x);
            if x.iter().all(|&v| f(v) == 0.0) { vec![0, 0] } else { vec![s.to_bits(), t.to_bits()] }
        })
    ),
];
