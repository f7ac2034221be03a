//! The standard library: its functions on edge values at the whole matrix, on a sample of all inputs against the bounds of
//! the Vulkan specification, and with the same bits in every configuration.

use super::shaped::{Shaped, close, exact};
use super::{Op, op};
use crate::support::{Setup, trial};
use glslc2native_testsuite::matrix::{self, Config};
use glslc2native_testsuite::precision::cases::{CASES, Case};
use glslc2native_testsuite::precision::{accepts, results, sample, sweep};
use glslc2native_testsuite::values::Compare;
use half::f16;
use libtest_mimic::Trial;

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn case(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).unwrap_or(&CASES[0])
}

/// A function that is measured: judged by its bounds.
macro_rules! bounded {
    ($name:literal, $glsl:literal, $case:literal, |$($p:ident : $t:ty),+|) => {
        op!($name, $glsl, |$($p: $t),+| -> f32 { (case($case).reference)(&[$(f64::from($p)),+]) as f32 })
            .any(|args, _, got| accepts(case($case), args, f(got)))
    };
}

/// By a GLSL function made for each width.
macro_rules! by {
    ($row:expr, $prototype:literal) => {
        $row.prototype($prototype)
    };
}

fn with_sign(size: f32, sign: f32) -> f32 {
    size.abs().copysign(sign)
}

/// Significand in [0.5, 1) and exponent.
fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let wide = f64::from(x).to_bits();
    let exponent = ((wide >> 52) & 0x7FF) as i32 - 1022;
    (f64::from_bits((wide & !(0x7FF << 52)) | (1022 << 52)) as f32, exponent)
}

fn ldexp(x: f32, exponent: i32) -> f32 {
    (f64::from(x) * f64::exp2(f64::from(exponent.clamp(-400, 400)))) as f32
}

fn quantize(x: f32) -> f32 {
    let h = f16::from_f32(x);
    if h.to_bits() & 0x7C00 == 0 { 0f32.copysign(x) } else { h.to_f32() }
}

/// Significands and parts keep their signs; a NaN is a NaN.
fn same_sign(_: &[u32], want: u32, got: u32) -> bool {
    want == got || (f(want).is_nan() && f(got).is_nan())
}

/// The table.
pub const OPS: &[Op] = &[
    bounded!("Sin", "sin($a)", "sin", |a: f32|),
    bounded!("Cos", "cos($a)", "cos", |a: f32|),
    bounded!("Tan", "tan($a)", "tan", |a: f32|),
    bounded!("Asin", "asin($a)", "asin", |a: f32|),
    bounded!("Acos", "acos($a)", "acos", |a: f32|),
    bounded!("Atan", "atan($a)", "atan", |a: f32|),
    bounded!("Exp", "exp($a)", "exp", |a: f32|),
    bounded!("Exp2", "exp2($a)", "exp2", |a: f32|),
    bounded!("Log", "log($a)", "log", |a: f32|),
    bounded!("Log2", "log2($a)", "log2", |a: f32|),
    bounded!("Sinh", "sinh($a)", "sinh", |a: f32|),
    bounded!("Cosh", "cosh($a)", "cosh", |a: f32|),
    bounded!("Tanh", "tanh($a)", "tanh", |a: f32|),
    bounded!("Asinh", "asinh($a)", "asinh", |a: f32|),
    bounded!("Acosh", "acosh($a)", "acosh", |a: f32|),
    bounded!("Atanh", "atanh($a)", "atanh", |a: f32|),
    bounded!("Pow", "pow($a, $b)", "pow", |a: f32, b: f32|),
    bounded!("Atan2", "atan($a, $b)", "atan2", |a: f32, b: f32|),
    op!("Ldexp", "ldexp($a, $b)", |a: f32, b: i32| -> f32 { ldexp(a, b) }),
    by!(
        op!("ModfStruct-fraction", "f($a)", |a: f32| -> f32 {
            with_sign(if a.is_infinite() { 0.0 } else { a - a.trunc() }, a)
        })
        .any(same_sign),
        "$R f($A a) { $A w; return modf(a, w); }"
    ),
    by!(op!("ModfStruct-whole", "f($a)", |a: f32| -> f32 { a.trunc() }), "$R f($A a) { $A w; modf(a, w); return w; }"),
    by!(
        op!("FrexpStruct-significand", "f($a)", |a: f32| -> f32 { frexp(a).0 }),
        "$R f($A a) { int e; return frexp(a, e); }"
    )
    .vector(""),
    by!(
        op!("FrexpStruct-exponent", "f($a)", |a: f32| -> i32 { frexp(a).1 })
            .any(|args, want, got| want == got || !f(args[0]).is_finite()),
        "$R f($A a) { $R e; frexp(a, e); return e; }"
    ),
    by!(
        op!("Modf", "whole($a)", |a: f32| -> f32 { a.trunc() }),
        "spirv_instruction(set = \"GLSL.std.450\", id = 35) $R part($A x, spirv_by_reference $A whole); $R whole($A a) { $A w; part(a, w); return w; }"
    ),
    by!(
        op!("Frexp", "exponent($a)", |a: f32| -> i32 { frexp(a).1 })
            .any(|args, want, got| want == got || !f(args[0]).is_finite()),
        "spirv_instruction(set = \"GLSL.std.450\", id = 51) $A part($A x, spirv_by_reference $R e); $R exponent($A a) { $R e; part(a, e); return e; }"
    ),
    by!(op!("QuantizeToF16", "f($a)", |a: f32| -> f32 { quantize(a) }), "spirv_instruction(id = 116) $R f($A a);"),
    op!("Radians", "radians($a)", |a: f32| -> f32 { (f64::from(a) * (std::f64::consts::PI / 180.0)) as f32 }).ulp(2),
    op!("Degrees", "degrees($a)", |a: f32| -> f32 { (f64::from(a) * (180.0 / std::f64::consts::PI)) as f32 }).ulp(2),
];

/// Packs numbers, each clamped, scaled and rounded, the first lowest.
fn pack(x: &[u32], low: f32, scale: f32, bits: u32) -> Vec<u32> {
    let part = |x: u32| ((f(x).clamp(low, 1.0) * scale).round_ties_even() as i32 as u32) & ((1 << bits) - 1);
    vec![x.iter().rev().fold(0, |word, &x| (word << bits) | part(x))]
}

fn unpack_unorm(word: u32, count: u32) -> Vec<u32> {
    let bits = 32 / count;
    (0..count)
        .map(|k| ((word >> (k * bits)) & ((1 << bits) - 1)) as f32 / ((1 << bits) - 1) as f32)
        .map(f32::to_bits)
        .collect()
}

fn unpack_snorm(word: u32, count: u32) -> Vec<u32> {
    let bits = 32 / count;
    let part = |k: u32| ((word << (32 - bits - k * bits)) as i32 >> (32 - bits)) as f32;
    (0..count).map(|k| (part(k) / ((1 << (bits - 1)) - 1) as f32).max(-1.0).to_bits()).collect()
}

/// The nearest half; of a NaN the quiet one with its sign.
fn half_bits(x: u32) -> u32 {
    if f(x).is_nan() { 0x7E00 | (x >> 16 & 0x8000) } else { f16::from_f32(f(x)).to_bits().into() }
}

fn determinant(columns: &[Vec<f64>]) -> f64 {
    let n = columns.len();
    if n == 1 {
        return columns[0][0];
    }
    let minor = |c: usize| -> Vec<Vec<f64>> {
        columns.iter().enumerate().filter(|(i, _)| *i != c).map(|(_, column)| column[1..].to_vec()).collect()
    };
    (0..n).map(|c| if c % 2 == 0 { 1.0 } else { -1.0 } * columns[c][0] * determinant(&minor(c))).sum()
}

/// The determinant of a matrix whose components are 1/100 of these.
fn small_determinant(x: &[u32], n: usize) -> Vec<u32> {
    let columns: Vec<Vec<f64>> = x.chunks(n).map(|c| c.iter().map(|&v| f64::from(f(v)) * 0.01).collect()).collect();
    vec![(determinant(&columns) as f32).to_bits()]
}

/// Whole operands.
pub const SHAPED: &[Shaped] = &[
    exact!("PackSnorm4x8", [(F, 4)] -> (U, 1), "return packSnorm4x8(mix(a, vec4(0.0), isnan(a)));", |x| {
        pack(&numbers(x), -1.0, 127.0, 8)
    }),
    exact!("PackUnorm4x8", [(F, 4)] -> (U, 1), "return packUnorm4x8(mix(a, vec4(0.0), isnan(a)));", |x| {
        pack(&numbers(x), 0.0, 255.0, 8)
    }),
    exact!("PackSnorm2x16", [(F, 2)] -> (U, 1), "return packSnorm2x16(mix(a, vec2(0.0), isnan(a)));", |x| {
        pack(&numbers(x), -1.0, 32767.0, 16)
    }),
    exact!("PackUnorm2x16", [(F, 2)] -> (U, 1), "return packUnorm2x16(mix(a, vec2(0.0), isnan(a)));", |x| {
        pack(&numbers(x), 0.0, 65535.0, 16)
    }),
    exact!("PackHalf2x16", [(F, 2)] -> (U, 1), "return packHalf2x16(a);", |x| vec![half_bits(x[0]) | half_bits(x[1]) << 16]),
    exact!("UnpackSnorm4x8", [(U, 1)] -> (F, 4), "return unpackSnorm4x8(a);", |x| unpack_snorm(x[0], 4)),
    exact!("UnpackUnorm4x8", [(U, 1)] -> (F, 4), "return unpackUnorm4x8(a);", |x| unpack_unorm(x[0], 4)),
    exact!("UnpackSnorm2x16", [(U, 1)] -> (F, 2), "return unpackSnorm2x16(a);", |x| unpack_snorm(x[0], 2)),
    exact!("UnpackUnorm2x16", [(U, 1)] -> (F, 2), "return unpackUnorm2x16(a);", |x| unpack_unorm(x[0], 2)),
    exact!("UnpackHalf2x16", [(U, 1)] -> (F, 2), "return unpackHalf2x16(a);", |x| {
        [x[0] as u16, (x[0] >> 16) as u16].iter().map(|&h| f16::from_bits(h).to_f32().to_bits()).collect()
    }),
    close!("Determinant-2", [(F, 4)] -> (F, 1), "return determinant(mat2(a.xy, a.zw) * 0.01);", Compare::Tolerance(1e-5), |x| {
        small_determinant(x, 2)
    }),
    close!("Determinant-3", [(F, 3), (F, 3), (F, 3)] -> (F, 1), "return determinant(mat3(a, b, c) * 0.01);", Compare::Tolerance(1e-5), |x| {
        small_determinant(x, 3)
    }),
    close!("Determinant-4", [(F, 4), (F, 4), (F, 4)] -> (F, 1), "return determinant(mat4(a, b, c, vec4(20.0, -70.0, 50.0, 90.0)) * 0.01);", Compare::Tolerance(1e-5), |x| {
        small_determinant(&[x, &[20.0f32, -70.0, 50.0, 90.0].map(f32::to_bits)].concat(), 4)
    }),
    close!("MatrixInverse-2", [(F, 4)] -> (F, 4), "mat2 m = mat2(a.xy, a.zw) * 0.005 + mat2(2.0); m = inverse(m) * m; return vec4(m[0], m[1]);", Compare::Tolerance(1e-5), |_| {
        [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits).to_vec()
    }),
    close!("MatrixInverse-3", [(F, 3), (F, 3), (F, 3)] -> (F, 1), "mat3 m = mat3(a, b, c) * 0.005 + mat3(2.0); mat3 d = inverse(m) * m - mat3(1.0); return abs(d[0].x) + abs(d[0].y) + abs(d[0].z) + abs(d[1].x) + abs(d[1].y) + abs(d[1].z) + abs(d[2].x) + abs(d[2].y) + abs(d[2].z);", Compare::Tolerance(1e-4), |_| {
        vec![0]
    }),
    close!("MatrixInverse-4", [(F, 4), (F, 4), (F, 4)] -> (F, 1), "mat4 m = mat4(a, b, c, vec4(9.0, -5.0, 50.0, 90.0)) * 0.005 + mat4(2.0); mat4 d = m * inverse(m) - mat4(1.0); float worst = 0.0; for (int i = 0; i < 4; ++i) { vec4 s = abs(d[i]); worst = max(worst, max(max(s.x, s.y), max(s.z, s.w))); } return worst;", Compare::Tolerance(1e-4), |_| {
        vec![0]
    }),
];

/// As the shaders have it: 0 for a NaN.
fn numbers(x: &[u32]) -> Vec<u32> {
    x.iter().map(|&x| if f(x).is_nan() { 0 } else { x }).collect()
}

/// Trials that are no rows.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = CASES
        .iter()
        .flat_map(|case| {
            let bounds = trial(format!("precision/{}", case.name), move || within_bounds(case));
            let bits = trial(format!("precision/{}/same-bits", case.name), move || same_bits(case));
            [bounds, bits]
        })
        .collect();
    trials.push(trial("ops/library/every-half".into(), every_half));
    trials
}

const USUAL: Config = Config { subgroup_size: 8, scalar: false, o0: false, contract: true };

/// On one in 8191 inputs, or 2^18 pairs.
fn within_bounds(case: &Case) -> Result<usize, String> {
    let findings = match case.operands {
        1 => sweep(case, USUAL, 8191, |_, _| ()),
        _ => sample(case, USUAL, 1 << 18, |_, _| ()),
    }?;
    let faults = findings.faults(case);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    Ok(findings.regions.iter().map(|found| found.count as usize).sum())
}

/// The library is not contracted, so nothing that a user chooses changes a bit of its results.
fn same_bits(case: &Case) -> Result<usize, String> {
    let expected = results(case, USUAL, 65521)?;
    let mut count = 0;
    for config in matrix::standard() {
        let actual = results(case, config, 65521)?;
        if let Some(i) = (0..expected.len()).find(|&i| expected[i] != actual[i]) {
            return Err(format!("{config}: element {i}: {:e}, not {:e}", f(actual[i]), f(expected[i])));
        }
        count += actual.len();
    }
    Ok(count)
}

/// All 65536 halves to `float`; and back to halves, with the numbers between them and these numbers' neighbours.
fn every_half() -> Result<usize, String> {
    let halves = || 0..=u16::MAX;
    let unpack = Setup::groups(1024, 1, 1).zeros(0, 1 << 16).expect_floats(
        0,
        Compare::Exact,
        halves().map(|h| f16::from_bits(h).to_f32()),
    );
    let source = "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) writeonly buffer R { float r[]; };\n\
                  void main() { uint i = gl_GlobalInvocationID.x; r[i] = unpackHalf2x16(i ^ 0xABCD0000u).x; }\n";
    let mut count = unpack.run_at("unpack", source, &matrix::standard())?;
    let near = halves().flat_map(|h| {
        let x = f16::from_bits(h).to_f32();
        let between = f64::from(x) + (f64::from(f16::from_bits(h.wrapping_add(1)).to_f32()) - f64::from(x)) / 2.0;
        let between = (between as f32).to_bits();
        [x.to_bits(), between, between.wrapping_add(1), between.wrapping_sub(1)]
    });
    let near: Vec<u32> = near.collect();
    let pack = Setup::groups(4096, 1, 1)
        .words(0, near.iter().copied())
        .zeros(1, near.len())
        .expect(1, near.iter().map(|&x| half_bits(x) | half_bits(x) << 16));
    let source = "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) readonly buffer X { float x[]; };\n\
                  layout(std430, binding = 1) writeonly buffer R { uint r[]; };\n\
                  void main() { uint i = gl_GlobalInvocationID.x; r[i] = packHalf2x16(vec2(x[i])); }\n";
    count += pack.run_at("pack", source, &matrix::standard())?;
    Ok(count)
}
