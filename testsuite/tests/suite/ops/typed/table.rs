//! The rows: what each instruction computes on one component of any type.

use super::{FLOATS, INTS, Number, Reads, Reference, Row};
use glslc2native_testsuite::values::Elem;
use spirv::{GlslStd450Op as G, Op as S};

const fn core(op: S, args: usize, types: &'static [Elem], reference: Reference) -> Row {
    Row { number: Number::Core(op), args, types, results: &[], reads: Reads::Type, reference }
}

const fn glsl(op: G, args: usize, types: &'static [Elem], reference: Reference) -> Row {
    Row { number: Number::Glsl(op), args, types, results: &[], reads: Reads::Type, reference }
}

const fn ints(op: S, args: usize, f: fn(&[i128], u32) -> i128) -> Row {
    core(op, args, INTS, Reference::Int(f))
}

const fn floats(op: S, args: usize, f: fn(&[f64]) -> f64) -> Row {
    core(op, args, FLOATS, Reference::Float(f))
}

const fn test(op: S, f: fn(&[f64]) -> bool) -> Row {
    core(op, 2, FLOATS, Reference::FloatTest(f))
}

const fn itest(op: S, f: fn(&[i128]) -> bool) -> Row {
    core(op, 2, INTS, Reference::IntTest(f))
}

impl Row {
    const fn signed(mut self) -> Row {
        self.reads = Reads::Signed;
        self
    }

    const fn unsigned(mut self) -> Row {
        self.reads = Reads::Unsigned;
        self
    }

    const fn to(mut self, results: &'static [Elem]) -> Row {
        self.results = results;
        self
    }
}

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [INTEGERS, FIELDS, COMPARE, ARITHMETIC, ORDER, FUNCTIONS, CONVERT].into_iter().flatten()
}

fn srem(v: &[i128], _: u32) -> i128 {
    if v[1] == 0 { 0 } else { v[0] % v[1] }
}

fn smod(v: &[i128], w: u32) -> i128 {
    let rest = srem(v, w);
    if rest != 0 && (rest < 0) != (v[1] < 0) { rest + v[1] } else { rest }
}

fn div(v: &[i128], _: u32) -> i128 {
    if v[1] == 0 { v[0] } else { v[0] / v[1] }
}

/// A shift amount, modulo the width.
fn amount(v: &[i128], w: u32) -> u32 {
    (v[1] & i128::from(w - 1)) as u32
}

const INTEGERS: &[Row] = &[
    ints(S::IAdd, 2, |v, _| v[0] + v[1]),
    ints(S::ISub, 2, |v, _| v[0] - v[1]),
    ints(S::IMul, 2, |v, _| v[0].wrapping_mul(v[1])),
    ints(S::SNegate, 1, |v, _| -v[0]),
    ints(S::UDiv, 2, div).unsigned(),
    ints(S::SDiv, 2, div).signed(),
    ints(S::UMod, 2, srem).unsigned(),
    ints(S::SRem, 2, srem).signed(),
    ints(S::SMod, 2, smod).signed(),
    ints(S::BitwiseAnd, 2, |v, _| v[0] & v[1]),
    ints(S::BitwiseOr, 2, |v, _| v[0] | v[1]),
    ints(S::BitwiseXor, 2, |v, _| v[0] ^ v[1]),
    ints(S::Not, 1, |v, _| !v[0]),
    ints(S::ShiftLeftLogical, 2, |v, w| v[0] << amount(v, w)),
    ints(S::ShiftRightLogical, 2, |v, w| v[0] >> amount(v, w)).unsigned(),
    ints(S::ShiftRightArithmetic, 2, |v, w| v[0] >> amount(v, w)).signed(),
    glsl(G::SAbs, 1, INTS, Reference::Int(|v, _| v[0].abs())).signed(),
    glsl(G::SSign, 1, INTS, Reference::Int(|v, _| v[0].signum())).signed(),
    glsl(G::SMin, 2, INTS, Reference::Int(|v, _| v[0].min(v[1]))).signed(),
    glsl(G::SMax, 2, INTS, Reference::Int(|v, _| v[0].max(v[1]))).signed(),
    glsl(G::UMin, 2, INTS, Reference::Int(|v, _| v[0].min(v[1]))).unsigned(),
    glsl(G::UMax, 2, INTS, Reference::Int(|v, _| v[0].max(v[1]))).unsigned(),
    glsl(G::SClamp, 3, INTS, Reference::Int(|v, _| v[0].max(v[1]).min(v[2]))).signed(),
    glsl(G::UClamp, 3, INTS, Reference::Int(|v, _| v[0].max(v[1]).min(v[2]))).unsigned(),
];

/// Bits `offset .. offset + count`, unsigned.
fn field(base: i128, offset: i128, count: i128) -> i128 {
    (base >> offset) & ((1 << count) - 1)
}

const FIELDS: &[Row] = &[
    ints(S::BitFieldInsert, 4, |v, _| {
        let mask = ((1 << v[3]) - 1) << v[2];
        (v[0] & !mask) | ((v[1] & ((1 << v[3]) - 1)) << v[2])
    }),
    ints(S::BitFieldUExtract, 3, |v, _| field(v[0], v[1], v[2])),
    ints(S::BitFieldSExtract, 3, |v, _| {
        let bits = field(v[0], v[1], v[2]);
        if v[2] > 0 && bits >> (v[2] - 1) != 0 { bits - (1 << v[2]) } else { bits }
    }),
    ints(S::BitCount, 1, |v, _| v[0].count_ones().into()).unsigned(),
    ints(S::BitReverse, 1, |v, w| ((v[0] as u64).reverse_bits() >> (64 - w)).into()).unsigned(),
];

const COMPARE: &[Row] = &[
    itest(S::IEqual, |v| v[0] == v[1]),
    itest(S::INotEqual, |v| v[0] != v[1]),
    itest(S::ULessThan, |v| v[0] < v[1]).unsigned(),
    itest(S::ULessThanEqual, |v| v[0] <= v[1]).unsigned(),
    itest(S::UGreaterThan, |v| v[0] > v[1]).unsigned(),
    itest(S::UGreaterThanEqual, |v| v[0] >= v[1]).unsigned(),
    itest(S::SLessThan, |v| v[0] < v[1]).signed(),
    itest(S::SLessThanEqual, |v| v[0] <= v[1]).signed(),
    itest(S::SGreaterThan, |v| v[0] > v[1]).signed(),
    itest(S::SGreaterThanEqual, |v| v[0] >= v[1]).signed(),
];

const ARITHMETIC: &[Row] = &[
    floats(S::FAdd, 2, |v| v[0] + v[1]),
    floats(S::FSub, 2, |v| v[0] - v[1]),
    floats(S::FMul, 2, |v| v[0] * v[1]),
    floats(S::FDiv, 2, |v| v[0] / v[1]),
    floats(S::FNegate, 1, |v| -v[0]),
    core(S::FRem, 2, FLOATS, Reference::Steps(|v| v[0] - v[1] * (v[0] / v[1]).trunc())),
    core(S::FMod, 2, FLOATS, Reference::Steps(|v| v[0] - v[1] * (v[0] / v[1]).floor())),
    core(S::FmaKHR, 3, FLOATS, Reference::Steps(fma)),
];

fn fma(v: &[f64]) -> f64 {
    v[0].mul_add(v[1], v[2])
}

fn unordered(v: &[f64]) -> bool {
    v[0].is_nan() || v[1].is_nan()
}

const ORDER: &[Row] = &[
    test(S::FOrdEqual, |v| v[0] == v[1]),
    test(S::FOrdNotEqual, |v| v[0] != v[1] && !unordered(v)),
    test(S::FOrdLessThan, |v| v[0] < v[1]),
    test(S::FOrdLessThanEqual, |v| v[0] <= v[1]),
    test(S::FOrdGreaterThan, |v| v[0] > v[1]),
    test(S::FOrdGreaterThanEqual, |v| v[0] >= v[1]),
    test(S::FUnordEqual, |v| v[0] == v[1] || unordered(v)),
    test(S::FUnordNotEqual, |v| v[0] != v[1]),
    test(S::FUnordLessThan, |v| v[0] < v[1] || unordered(v)),
    test(S::FUnordLessThanEqual, |v| v[0] <= v[1] || unordered(v)),
    test(S::FUnordGreaterThan, |v| v[0] > v[1] || unordered(v)),
    test(S::FUnordGreaterThanEqual, |v| v[0] >= v[1] || unordered(v)),
    test(S::LessOrGreater, |v| v[0] != v[1] && !unordered(v)),
    test(S::Ordered, |v| !unordered(v)),
    test(S::Unordered, unordered),
    core(S::IsNan, 1, FLOATS, Reference::FloatTest(|v| v[0].is_nan())),
    core(S::IsInf, 1, FLOATS, Reference::FloatTest(|v| v[0].is_infinite())),
    core(S::IsFinite, 1, FLOATS, Reference::FloatTest(|v| v[0].is_finite())),
    core(S::SignBitSet, 1, FLOATS, Reference::FloatTest(|v| v[0].is_sign_negative())),
    core(S::IsNormal, 1, &[Elem::F16], Reference::FloatTest(|v| v[0].is_finite() && v[0].abs() >= 2f64.powi(-14))),
    core(S::IsNormal, 1, &[Elem::F32], Reference::FloatTest(|v| (v[0] as f32).is_normal())),
    core(S::IsNormal, 1, &[Elem::F64], Reference::FloatTest(|v| v[0].is_normal())),
];

fn min(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn max(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

fn nmin(a: f64, b: f64) -> f64 {
    if a.is_nan() { b } else { min(a, b) }
}

fn nmax(a: f64, b: f64) -> f64 {
    if a.is_nan() { b } else { max(a, b) }
}

const fn exact(op: G, args: usize, f: fn(&[f64]) -> f64) -> Row {
    glsl(op, args, FLOATS, Reference::Float(f))
}

const fn steps(op: G, args: usize, f: fn(&[f64]) -> f64) -> Row {
    glsl(op, args, FLOATS, Reference::Steps(f))
}

const FUNCTIONS: &[Row] = &[
    exact(G::Round, 1, |v| v[0].round_ties_even()),
    exact(G::RoundEven, 1, |v| v[0].round_ties_even()),
    exact(G::Trunc, 1, |v| v[0].trunc()),
    exact(G::Floor, 1, |v| v[0].floor()),
    exact(G::Ceil, 1, |v| v[0].ceil()),
    exact(G::Fract, 1, |v| v[0] - v[0].floor()),
    exact(G::FAbs, 1, |v| v[0].abs()),
    exact(G::FSign, 1, |v| if v[0] == 0.0 { v[0] } else { 1f64.copysign(v[0]) }),
    exact(G::Sqrt, 1, |v| v[0].sqrt()),
    exact(G::FMin, 2, |v| min(v[0], v[1])),
    exact(G::FMax, 2, |v| max(v[0], v[1])),
    exact(G::FClamp, 3, |v| min(max(v[0], v[1]), v[2])),
    exact(G::NMin, 2, |v| nmin(v[0], v[1])),
    exact(G::NMax, 2, |v| nmax(v[0], v[1])),
    exact(G::NClamp, 3, |v| nmin(nmax(v[0], v[1]), v[2])),
    exact(G::Step, 2, |v| if v[1] < v[0] { 0.0 } else { 1.0 }),
    steps(G::InverseSqrt, 1, |v| 1.0 / v[0].sqrt()),
    steps(G::Fma, 3, fma),
    glsl(G::Radians, 1, &[Elem::F16, Elem::F32], Reference::Steps(|v| v[0].to_radians())),
    glsl(G::Degrees, 1, &[Elem::F16, Elem::F32], Reference::Steps(|v| v[0].to_degrees())),
    glsl(G::FMix, 3, FLOATS, Reference::Steps(mix)),
    steps(G::SmoothStep, 3, |v| {
        let t = min(max((v[2] - v[0]) / (v[1] - v[0]), 0.0), 1.0);
        t * t * (3.0 - 2.0 * t)
    }),
];

fn mix(v: &[f64]) -> f64 {
    v[0] * (1.0 - v[2]) + v[1] * v[2]
}

const CONVERT: &[Row] = &[
    core(S::ConvertFToS, 1, FLOATS, Reference::Convert).signed().to(INTS),
    core(S::ConvertFToU, 1, FLOATS, Reference::Convert).unsigned().to(INTS),
    core(S::ConvertSToF, 1, INTS, Reference::Convert).signed().to(FLOATS),
    core(S::ConvertUToF, 1, INTS, Reference::Convert).unsigned().to(FLOATS),
    core(S::FConvert, 1, FLOATS, Reference::Convert).to(FLOATS),
    core(S::SConvert, 1, INTS, Reference::Convert).signed().to(INTS),
    core(S::UConvert, 1, INTS, Reference::Convert).unsigned().to(INTS),
];
