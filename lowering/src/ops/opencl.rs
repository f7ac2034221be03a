//! OpenCL.std ("OpenCL Extended Instruction Set Specification"): the functions that a shader can use, on 32-bit components.
//! Those with a precision have that of their counterparts in GLSL.std.450.
//!
//! What stores through a pointer, loads or prints belongs to kernels and is refused, as is what nobody has written yet.

use super::row::{binary, per_lane, ternary, unary, unsupported};
use super::{Done, Family, How, LaneContext, Row, glsl};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use cranelift_codegen::ir::{self as clif, condcodes::FloatCC};
use spirv::OpenclStd100Op as Names;

const FAMILY: Family = Family::OpenCl;

const fn name(op: Names) -> Opcode {
    Opcode::OpenCl(op)
}

/// The rows.
pub const ROWS: &[&[Row]] =
    &[ROUNDING, ARITHMETIC, GEOMETRY, FUNCTIONS, INTEGERS, BITS, POINTERS, EXACT, UNWRITTEN, WIDTHS, KERNEL];

const ROUNDING: &[Row] = &[
    unary!(ceil, "llvm.intr.ceil", ceil, F32),
    unary!(floor, "llvm.intr.floor", floor, F32),
    unary!(rint, "llvm.intr.roundeven", nearest, F32),
    unary!(trunc, "llvm.intr.trunc", ftrunc, F32),
    per_lane!(round, "llvm.intr.round", round_away, F32).note("halves away from zero"),
    unary!(fabs, "llvm.intr.fabs", fabs, F32),
    per_lane!(sign, "–", sign, F32).note("a zero keeps its sign; of a NaN 0"),
    per_lane!(copysign, "llvm.intr.copysign", copysign, F32),
];

const ARITHMETIC: &[Row] = &[
    unary!(sqrt, "llvm.intr.sqrt", sqrt, F32),
    unary!(half_sqrt, "llvm.intr.sqrt", sqrt, F32),
    unary!(native_sqrt, "llvm.intr.sqrt", sqrt, F32),
    unary!(rsqrt, "–", inverse_sqrt, F32).note("1 / sqrt(x)"),
    unary!(half_rsqrt, "–", inverse_sqrt, F32).note("1 / sqrt(x)"),
    unary!(native_rsqrt, "–", inverse_sqrt, F32).note("1 / sqrt(x)"),
    per_lane!(half_recip, "–", reciprocal, F32),
    per_lane!(native_recip, "–", reciprocal, F32),
    binary!(half_divide, "llvm.fdiv", fdiv, F32),
    binary!(native_divide, "llvm.fdiv", fdiv, F32),
    unary!(degrees, "–", degrees, F32),
    unary!(radians, "–", radians, F32),
    ternary!(fma, "llvm.intr.fma", fma, F32).note("fused where the target can"),
    per_lane!(mad, "–", mad, F32).note("a * b + c, not fused"),
    per_lane!(fdim, "–", fdim, F32).note("x > y ? x - y : 0; a NaN where there is one"),
    binary!(fmax, "llvm.intr.maxnum", nmax, F32).note("of a number and a NaN the number"),
    binary!(fmin, "llvm.intr.minnum", nmin, F32).note("of a number and a NaN the number"),
    binary!(fmax_common, "llvm.intr.maxnum", fmax, F32),
    binary!(fmin_common, "llvm.intr.minnum", fmin, F32),
    per_lane!(maxmag, "–", maxmag, F32).note("the one of the greater magnitude, else fmax"),
    per_lane!(minmag, "–", minmag, F32).note("the one of the lesser magnitude, else fmin"),
    ternary!(fclamp, "–", nclamp, F32).note("fmin(fmax(x, low), high)"),
    ternary!(mix, "–", fmix, F32).note("x * (1 - a) + y * a"),
    binary!(step, "–", step, F32).note("x < edge ? 0 : 1"),
    ternary!(smoothstep, "–", smooth_step, F32),
];

/// `whole!(op, function)`: by the emitter of the same function of GLSL.std.450.
macro_rules! whole {
    ($op:ident, $emit:ident) => {
        Row::new(name(Names::$op), FAMILY, "–", stringify!($emit), How::Compose(glsl::$emit), Done::F32)
    };
}

const GEOMETRY: &[Row] = &[
    whole!(cross, cross).note("of three components"),
    whole!(distance, distance),
    whole!(fast_distance, distance),
    whole!(length, length),
    whole!(fast_length, length),
    whole!(normalize, normalize),
    whole!(fast_normalize, normalize),
];

/// `stdlib!(op op …: "function")`: by a function of the standard library.
macro_rules! stdlib {
    ($($op:ident: $function:literal;)*) => {
        &[$(Row::new(name(Names::$op), FAMILY, "–", $function, How::Stdlib($function), Done::F32)),*]
    };
}

const FUNCTIONS: &[Row] = stdlib! {
    sin: "sin"; half_sin: "sin"; native_sin: "sin";
    cos: "cos"; half_cos: "cos"; native_cos: "cos";
    tan: "tan"; half_tan: "tan"; native_tan: "tan";
    asin: "asin"; acos: "acos"; atan: "atan"; atan2: "atan2";
    sinh: "sinh"; cosh: "cosh"; tanh: "tanh"; asinh: "asinh"; acosh: "acosh"; atanh: "atanh";
    exp: "exp"; half_exp: "exp"; native_exp: "exp";
    exp2: "exp2"; half_exp2: "exp2"; native_exp2: "exp2";
    log: "log"; half_log: "log"; native_log: "log";
    log2: "log2"; half_log2: "log2"; native_log2: "log2";
    powr: "pow"; half_powr: "pow"; native_powr: "pow";
    ldexp: "ldexp";
};

const INTEGERS: &[Row] = &[
    unary!(s_abs, "llvm.intr.abs", iabs, I32),
    per_lane!(u_abs, "–", same, I32),
    per_lane!(s_abs_diff, "–", s_abs_diff, I32).note("as an unsigned number"),
    per_lane!(u_abs_diff, "–", u_abs_diff, I32),
    binary!(s_add_sat, "llvm.intr.sadd.sat", sadd_sat, I32),
    binary!(u_add_sat, "llvm.intr.uadd.sat", uadd_sat, I32),
    binary!(s_sub_sat, "llvm.intr.ssub.sat", ssub_sat, I32),
    binary!(u_sub_sat, "llvm.intr.usub.sat", usub_sat, I32),
    per_lane!(s_hadd, "–", s_hadd, I32).note("(x + y) >> 1 without overflow"),
    per_lane!(u_hadd, "–", u_hadd, I32).note("(x + y) >> 1 without overflow"),
    per_lane!(s_rhadd, "–", s_rhadd, I32).note("(x + y + 1) >> 1 without overflow"),
    per_lane!(u_rhadd, "–", u_rhadd, I32).note("(x + y + 1) >> 1 without overflow"),
    ternary!(s_clamp, "–", sclamp, I32),
    ternary!(u_clamp, "–", uclamp, I32),
    binary!(s_max, "llvm.intr.smax", smax, I32),
    binary!(u_max, "llvm.intr.umax", umax, I32),
    binary!(s_min, "llvm.intr.smin", smin, I32),
    binary!(u_min, "llvm.intr.umin", umin, I32),
    binary!(s_mul_hi, "–", smulhi, I32),
    binary!(u_mul_hi, "–", umulhi, I32),
    per_lane!(s_mad_hi, "–", s_mad_hi, I32).note("mul_hi(a, b) + c"),
    per_lane!(u_mad_hi, "–", u_mad_hi, I32).note("mul_hi(a, b) + c"),
    binary!(s_mul24, "llvm.mul", imul, I32).note("all 32 bits are multiplied"),
    binary!(u_mul24, "llvm.mul", imul, I32).note("all 32 bits are multiplied"),
    per_lane!(s_mad24, "–", mad24, I32).note("all 32 bits are multiplied"),
    per_lane!(u_mad24, "–", mad24, I32).note("all 32 bits are multiplied"),
];

const BITS: &[Row] = &[
    per_lane!(clz, "llvm.intr.ctlz", clz, I32).note("32 for 0"),
    per_lane!(ctz, "llvm.intr.cttz", ctz, I32).note("32 for 0"),
    unary!(popcount, "llvm.intr.ctpop", popcount, I32),
    per_lane!(rotate, "llvm.intr.fshl", rotate, I32).note("the amount modulo 32"),
    per_lane!(bitselect, "–", bitselect, NUM32).note("(a & ~c) | (b & c)"),
];

const POINTERS: &[Row] = unsupported![
    "it stores a second result through a pointer: use the instruction of GLSL.std.450, or two";
    fract frexp lgamma_r modf remquo sincos
];

const EXACT: &[Row] = unsupported![
    "the exact remainder is not done: use FRem";
    fmod remainder
];

const UNWRITTEN: &[Row] = unsupported![
    "this function has not been written: compute it from those of GLSL.std.450";
    acospi asinpi atanpi atan2pi cbrt cospi erfc erf exp10 expm1 half_exp10 native_exp10 hypot ilogb lgamma log10 half_log10
    native_log10 log1p logb nan nextafter pow pown rootn sinpi tanpi tgamma s_mad_sat u_mad_sat
];

const WIDTHS: &[Row] = unsupported![
    "8-, 16- and 64-bit types are not done in this version: shift and combine 32-bit numbers";
    u_upsample s_upsample
];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels: use core instructions, or DebugPrintf";
    vloadn vstoren vload_half vload_halfn vstore_half vstore_half_r vstore_halfn vstore_halfn_r vloada_halfn vstorea_halfn
    vstorea_halfn_r shuffle shuffle2 printf prefetch select
];

type Args<'a> = &'a [clif::Value];

fn same(_: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    args[0]
}

/// The bits of `of`, with the sign of `like`.
fn signed(l: &mut Legal<'_>, of: clif::Value, like: clif::Value) -> clif::Value {
    let ty = l.ty(of);
    let [of, like] = [of, like].map(|v| l.float_bits(v));
    let bits = l.ty(of).lane_bits();
    let top = l.lane_bits(l.ty(of), 1 << (bits - 1));
    let rest = l.bnot(top);
    let [sign, size] = [l.band(like, top), l.band(of, rest)];
    let both = l.bor(sign, size);
    l.reinterpret(both, ty)
}

fn copysign(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    signed(l, args[0], args[1])
}

fn sign(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let sign = l.fsign(args[0]);
    let nan = l.is_nan(args[0]);
    let zero = l.float_like(sign, 0.0);
    l.select(nan, zero, sign)
}

fn round_away(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    // Adding the float below a half, and not a half, keeps what is just below a half from reaching 1.
    let below_half = l.float_like(args[0], f64::from(f32::from_bits(0x3eff_ffff)));
    let offset = signed(l, below_half, args[0]);
    let moved = l.fadd(args[0], offset);
    let whole = l.ftrunc(moved);
    // From 2^23 on all are whole, and the addition may round.
    let size = l.fabs(args[0]);
    let limit = l.float_like(size, f64::from(1 << 23));
    let small = l.fcmp(FloatCC::LessThan, size, limit);
    let rounded = l.select(small, whole, args[0]);
    signed(l, rounded, args[0])
}

fn reciprocal(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let one = l.float_like(args[0], 1.0);
    l.fdiv(one, args[0])
}

fn mad(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let product = l.fmul(args[0], args[1]);
    l.fadd(product, args[2])
}

fn fdim(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let difference = l.fsub(args[0], args[1]);
    let zero = l.float_like(difference, 0.0);
    let below = l.fcmp(FloatCC::LessThanOrEqual, args[0], args[1]);
    l.select(below, zero, difference)
}

/// The one of two whose magnitude compares so, else what `tie` makes of both.
fn by_magnitude(l: &mut Legal<'_>, args: Args<'_>, cc: FloatCC, tie: clif::Value) -> clif::Value {
    let [x, y] = [l.fabs(args[0]), l.fabs(args[1])];
    let [first, second] = [l.fcmp(cc, x, y), l.fcmp(cc, y, x)];
    let rest = l.select(second, args[1], tie);
    l.select(first, args[0], rest)
}

fn maxmag(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let tie = l.nmax(args[0], args[1]);
    by_magnitude(l, args, FloatCC::GreaterThan, tie)
}

fn minmag(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let tie = l.nmin(args[0], args[1]);
    by_magnitude(l, args, FloatCC::LessThan, tie)
}

fn s_abs_diff(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let [high, low] = [l.smax(args[0], args[1]), l.smin(args[0], args[1])];
    l.isub(high, low)
}

fn u_abs_diff(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let [high, low] = [l.umax(args[0], args[1]), l.umin(args[0], args[1])];
    l.isub(high, low)
}

/// Half of the bits in which the operands differ.
fn half_difference(l: &mut Legal<'_>, args: Args<'_>, signed: bool) -> clif::Value {
    let differ = l.bxor(args[0], args[1]);
    if signed { l.sshr_const(differ, 1) } else { l.ushr_const(differ, 1) }
}

fn rounded_down(l: &mut Legal<'_>, args: Args<'_>, signed: bool) -> clif::Value {
    let common = l.band(args[0], args[1]);
    let half = half_difference(l, args, signed);
    l.iadd(common, half)
}

fn rounded_up(l: &mut Legal<'_>, args: Args<'_>, signed: bool) -> clif::Value {
    let either = l.bor(args[0], args[1]);
    let half = half_difference(l, args, signed);
    l.isub(either, half)
}

fn s_hadd(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    rounded_down(l, args, true)
}

fn u_hadd(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    rounded_down(l, args, false)
}

fn s_rhadd(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    rounded_up(l, args, true)
}

fn u_rhadd(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    rounded_up(l, args, false)
}

fn s_mad_hi(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let high = l.smulhi(args[0], args[1]);
    l.iadd(high, args[2])
}

fn u_mad_hi(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let high = l.umulhi(args[0], args[1]);
    l.iadd(high, args[2])
}

fn mad24(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let product = l.imul(args[0], args[1]);
    l.iadd(product, args[2])
}

fn clz(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let highest = l.find_umsb(args[0]);
    let top = l.int_like(highest, 31);
    l.isub(top, highest)
}

fn ctz(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    // The zeros below the lowest bit, as ones; all of them for 0.
    let below = l.add_const(args[0], -1);
    let not = l.bnot(args[0]);
    let zeros = l.band(not, below);
    l.popcount(zeros)
}

fn rotate(l: &mut Legal<'_>, _: &LaneContext, args: Args<'_>) -> clif::Value {
    let back = l.ineg(args[1]);
    let mask = l.int_like(back, 31);
    let [up, down] = [l.band(args[1], mask), l.band(back, mask)];
    let [left, right] = [l.ishl(args[0], up), l.ushr(args[0], down)];
    l.bor(left, right)
}

fn bitselect(l: &mut Legal<'_>, cx: &LaneContext, args: Args<'_>) -> clif::Value {
    let bits = |l: &mut Legal<'_>, v| if cx.operand.is_float() { l.float_bits(v) } else { v };
    let [a, b, c] = [bits(l, args[0]), bits(l, args[1]), bits(l, args[2])];
    let not = l.bnot(c);
    let [a, b] = [l.band(a, not), l.band(b, c)];
    let both = l.bor(a, b);
    if cx.operand.is_float() { l.float_from_bits(both) } else { both }
}
