//! The primitives and what they compute.

use super::{Case, Kind, Kind::*};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

/// A case of integers, floats or booleans with a reference in the same types.
macro_rules! case {
    // name(args) -> result = emit(l, v) | reference
    ($name:expr, [$($kind:ident $arg:ident),*] -> $result:ident, |$l:ident| $emit:expr, $reference:expr) => {
        Case {
            name: $name,
            args: &[$($kind),*],
            result: $result,
            emit: |$l, v| match *v {
                [$($arg),*] => $emit,
                _ => unreachable!(),
            },
            reference: |v| match *v {
                [$($arg),*] => {
                    $(let $arg = case!(@in $kind $arg);)*
                    case!(@out $result $reference)
                }
                _ => unreachable!(),
            },
        }
    };
    (@in Int $x:expr) => { $x as i32 };
    (@in Float $x:expr) => { f32::from_bits($x) };
    (@in Bool $x:expr) => { $x != 0 };
    (@out Int $x:expr) => { ($x) as i32 as u32 };
    (@out Float $x:expr) => { ($x).to_bits() };
    (@out Bool $x:expr) => { u32::from($x) };
}

/// Every primitive that works lane by lane.
pub const CASES: &[&[Case]] = &[INT, DIVISION, BITS, FLOAT, COMPARE, CONVERT];

const INT: &[Case] = &[
    case!("iadd", [Int a, Int b] -> Int, |l| l.iadd(a, b), a.wrapping_add(b)),
    case!("isub", [Int a, Int b] -> Int, |l| l.isub(a, b), a.wrapping_sub(b)),
    case!("imul", [Int a, Int b] -> Int, |l| l.imul(a, b), a.wrapping_mul(b)),
    case!("ineg", [Int a] -> Int, |l| l.ineg(a), a.wrapping_neg()),
    case!("iabs", [Int a] -> Int, |l| l.iabs(a), a.wrapping_abs()),
    case!("isign", [Int a] -> Int, |l| l.isign(a), a.signum()),
    case!("band", [Int a, Int b] -> Int, |l| l.band(a, b), a & b),
    case!("bor", [Int a, Int b] -> Int, |l| l.bor(a, b), a | b),
    case!("bxor", [Int a, Int b] -> Int, |l| l.bxor(a, b), a ^ b),
    case!("bnot", [Int a] -> Int, |l| l.bnot(a), !a),
    case!("smin", [Int a, Int b] -> Int, |l| l.smin(a, b), a.min(b)),
    case!("smax", [Int a, Int b] -> Int, |l| l.smax(a, b), a.max(b)),
    case!("umin", [Int a, Int b] -> Int, |l| l.umin(a, b), (a as u32).min(b as u32)),
    case!("umax", [Int a, Int b] -> Int, |l| l.umax(a, b), (a as u32).max(b as u32)),
    case!("sclamp", [Int x, Int a, Int b] -> Int, |l| l.sclamp(x, a, b), x.max(a).min(b)),
    case!("uclamp", [Int x, Int a, Int b] -> Int, |l| l.uclamp(x, a, b), (x as u32).max(a as u32).min(b as u32)),
    case!("ishl", [Int a, Int b] -> Int, |l| l.ishl(a, b), a.wrapping_shl(b as u32)),
    case!("ushr", [Int a, Int b] -> Int, |l| l.ushr(a, b), (a as u32).wrapping_shr(b as u32)),
    case!("sshr", [Int a, Int b] -> Int, |l| l.sshr(a, b), a.wrapping_shr(b as u32)),
    case!("sadd_sat", [Int a, Int b] -> Int, |l| l.sadd_sat(a, b), a.saturating_add(b)),
    case!("ssub_sat", [Int a, Int b] -> Int, |l| l.ssub_sat(a, b), a.saturating_sub(b)),
    case!("uadd_sat", [Int a, Int b] -> Int, |l| l.uadd_sat(a, b), (a as u32).saturating_add(b as u32)),
    case!("usub_sat", [Int a, Int b] -> Int, |l| l.usub_sat(a, b), (a as u32).saturating_sub(b as u32)),
    case!("dot_packed", [Int a, Int b] -> Int, |l| l.dot_packed([a, b], [true; 2]), dot(a, b, [true; 2])),
    case!("dot_packed unsigned", [Int a, Int b] -> Int, |l| l.dot_packed([a, b], [false; 2]), dot(a, b, [false; 2])),
    case!("dot_packed mixed", [Int a, Int b] -> Int, |l| l.dot_packed([a, b], [true, false]), dot(a, b, [true, false])),
    case!("add_const", [Int a] -> Int, |l| l.add_const(a, -7), a.wrapping_sub(7)),
];

fn dot(a: i32, b: i32, signed: [bool; 2]) -> i32 {
    let bytes = |word: i32, signed: bool| {
        word.to_le_bytes().map(|byte| if signed { i32::from(byte as i8) } else { i32::from(byte) })
    };
    bytes(a, signed[0]).iter().zip(bytes(b, signed[1])).map(|(a, b)| a * b).sum()
}

fn udiv(a: i32, b: i32) -> u32 {
    (a as u32).checked_div(b as u32).unwrap_or(a as u32)
}

fn urem(a: i32, b: i32) -> u32 {
    (a as u32).checked_rem(b as u32).unwrap_or(0)
}

fn sdiv(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { a.wrapping_div(b) }
}

fn srem(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

fn smod(a: i32, b: i32) -> i32 {
    let rest = srem(a, b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

const DIVISION: &[Case] = &[
    case!("udiv", [Int a, Int b] -> Int, |l| l.udiv(a, b), udiv(a, b)),
    case!("urem", [Int a, Int b] -> Int, |l| l.urem(a, b), urem(a, b)),
    case!("sdiv", [Int a, Int b] -> Int, |l| l.sdiv(a, b), sdiv(a, b)),
    case!("srem", [Int a, Int b] -> Int, |l| l.srem(a, b), srem(a, b)),
    case!("smod", [Int a, Int b] -> Int, |l| l.smod(a, b), smod(a, b)),
    case!("umulhi", [Int a, Int b] -> Int, |l| l.umulhi(a, b), (a as u32 as u64 * b as u32 as u64) >> 32),
    case!("smulhi", [Int a, Int b] -> Int, |l| l.smulhi(a, b), (i64::from(a) * i64::from(b)) >> 32),
    case!("carry", [Int a, Int b] -> Int, |l| l.carry(a, b), u32::from((a as u32).overflowing_add(b as u32).1)),
    case!("borrow", [Int a, Int b] -> Int, |l| l.borrow(a, b), u32::from((a as u32) < b as u32)),
];

/// `count` low bits, 0 to 32.
fn low_bits(count: i32) -> u32 {
    u32::MAX.checked_shr(32 - count as u32).unwrap_or(0)
}

/// Offset and count of a field that fits, made of any two numbers.
fn field(offset: i32, count: i32) -> (i32, i32) {
    let count = (count as u32 % 33) as i32;
    ((offset as u32 % (33 - count as u32)) as i32, count)
}

fn insert(base: i32, insert: i32, offset: i32, count: i32) -> u32 {
    let (offset, count) = field(offset, count);
    let mask = low_bits(count).checked_shl(offset as u32).unwrap_or(0);
    (base as u32 & !mask) | ((insert as u32).checked_shl(offset as u32).unwrap_or(0) & mask)
}

fn uextract(base: i32, offset: i32, count: i32) -> u32 {
    let (offset, count) = field(offset, count);
    (base as u32).checked_shr(offset as u32).unwrap_or(0) & low_bits(count)
}

fn sextract(base: i32, offset: i32, count: i32) -> i32 {
    let bits = uextract(base, offset, count);
    let (_, count) = field(offset, count);
    if count == 0 { 0 } else { ((bits << (32 - count)) as i32) >> (32 - count) }
}

/// Brings offset and count into range the way [`field`] does.
macro_rules! with_field {
    ($l:ident, $offset:ident, $count:ident, $emit:expr) => {{
        let width = $l.int_like($count, 33);
        let $count = $l.urem($count, width);
        let room = $l.isub(width, $count);
        let $offset = $l.urem($offset, room);
        $emit
    }};
}

const BITS: &[Case] = &[
    case!("popcount", [Int a] -> Int, |l| l.popcount(a), a.count_ones()),
    case!("bit_reverse", [Int a] -> Int, |l| l.bit_reverse(a), a.reverse_bits()),
    case!("find_lsb", [Int a] -> Int, |l| l.find_lsb(a), if a == 0 { -1 } else { a.trailing_zeros() as i32 }),
    case!("find_umsb", [Int a] -> Int, |l| l.find_umsb(a), 31 - a.leading_zeros() as i32),
    case!("find_smsb", [Int a] -> Int, |l| l.find_smsb(a), 31 - (a ^ (a >> 31)).leading_zeros() as i32),
    case!("bit_field_insert", [Int a, Int b, Int offset, Int count] -> Int,
        |l| with_field!(l, offset, count, l.bit_field_insert([a, b, offset, count])), insert(a, b, offset, count)),
    case!("bit_field_uextract", [Int a, Int offset, Int count] -> Int,
        |l| with_field!(l, offset, count, l.bit_field_uextract(a, offset, count)), uextract(a, offset, count)),
    case!("bit_field_sextract", [Int a, Int offset, Int count] -> Int,
        |l| with_field!(l, offset, count, l.bit_field_sextract(a, offset, count)), sextract(a, offset, count)),
];

fn nmin(a: f32, b: f32) -> f32 {
    if a.is_nan() || b < a { b } else { a }
}

fn nmax(a: f32, b: f32) -> f32 {
    if a.is_nan() || a < b { b } else { a }
}

fn fmin(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn fmax(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn smooth_step(low: f32, high: f32, x: f32) -> f32 {
    let t = fmin(fmax((x - low) / (high - low), 0.0), 1.0);
    (t * t) * (3.0 - 2.0 * t)
}

fn sign(a: f32) -> f32 {
    if a == 0.0 { a } else { 1f32.copysign(a) }
}

const FLOAT: &[Case] = &[
    case!("fadd", [Float a, Float b] -> Float, |l| l.fadd(a, b), a + b),
    case!("fsub", [Float a, Float b] -> Float, |l| l.fsub(a, b), a - b),
    case!("fmul", [Float a, Float b] -> Float, |l| l.fmul(a, b), a * b),
    case!("fdiv", [Float a, Float b] -> Float, |l| l.fdiv(a, b), a / b),
    case!("frem", [Float a, Float b] -> Float, |l| l.frem(a, b), a - b * (a / b).trunc()),
    case!("fmod", [Float a, Float b] -> Float, |l| l.fmod(a, b), a - b * (a / b).floor()),
    case!("fneg", [Float a] -> Float, |l| l.fneg(a), -a),
    case!("fabs", [Float a] -> Float, |l| l.fabs(a), a.abs()),
    case!("sqrt", [Float a] -> Float, |l| l.sqrt(a), a.sqrt()),
    case!("inverse_sqrt", [Float a] -> Float, |l| l.inverse_sqrt(a), 1.0 / a.sqrt()),
    case!("floor", [Float a] -> Float, |l| l.floor(a), a.floor()),
    case!("ceil", [Float a] -> Float, |l| l.ceil(a), a.ceil()),
    case!("ftrunc", [Float a] -> Float, |l| l.ftrunc(a), a.trunc()),
    case!("nearest", [Float a] -> Float, |l| l.nearest(a), a.round_ties_even()),
    case!("fract", [Float a] -> Float, |l| l.fract(a), a - a.floor()),
    case!("fmin", [Float a, Float b] -> Float, |l| l.fmin(a, b), fmin(a, b)),
    case!("fmax", [Float a, Float b] -> Float, |l| l.fmax(a, b), fmax(a, b)),
    case!("nmin", [Float a, Float b] -> Float, |l| l.nmin(a, b), nmin(a, b)),
    case!("nmax", [Float a, Float b] -> Float, |l| l.nmax(a, b), nmax(a, b)),
    case!("fclamp", [Float x, Float a, Float b] -> Float, |l| l.fclamp(x, a, b), fmin(fmax(x, a), b)),
    case!("nclamp", [Float x, Float a, Float b] -> Float, |l| l.nclamp(x, a, b), nmin(nmax(x, a), b)),
    case!("fsign", [Float a] -> Float, |l| l.fsign(a), sign(a)),
    case!("radians", [Float a] -> Float, |l| l.radians(a), a * (std::f64::consts::PI / 180.0) as f32),
    case!("degrees", [Float a] -> Float, |l| l.degrees(a), a * (180.0 / std::f64::consts::PI) as f32),
    case!("fmix", [Float x, Float y, Float t] -> Float, |l| l.fmix(x, y, t), x * (1.0 - t) + y * t),
    case!("step", [Float edge, Float x] -> Float, |l| l.step(edge, x), if x < edge { 0f32 } else { 1.0 }),
    case!("smooth_step", [Float a, Float b, Float x] -> Float, |l| l.smooth_step(a, b, x), smooth_step(a, b, x)),
];

/// A comparison of integers.
macro_rules! icmp {
    ($cc:ident, |$a:ident, $b:ident| $holds:expr) => {
        case!(concat!("icmp ", stringify!($cc)), [Int $a, Int $b] -> Bool, |l| l.icmp(IntCC::$cc, $a, $b), $holds)
    };
}

/// A comparison of floats.
macro_rules! fcmp {
    ($cc:ident, |$a:ident, $b:ident| $holds:expr) => {
        case!(concat!("fcmp ", stringify!($cc)), [Float $a, Float $b] -> Bool, |l| l.fcmp(FloatCC::$cc, $a, $b), $holds)
    };
}

const COMPARE: &[Case] = &[
    icmp!(Equal, |a, b| a == b),
    icmp!(NotEqual, |a, b| a != b),
    icmp!(SignedLessThan, |a, b| a < b),
    icmp!(SignedLessThanOrEqual, |a, b| a <= b),
    icmp!(SignedGreaterThan, |a, b| a > b),
    icmp!(SignedGreaterThanOrEqual, |a, b| a >= b),
    icmp!(UnsignedLessThan, |a, b| (a as u32) < (b as u32)),
    icmp!(UnsignedLessThanOrEqual, |a, b| (a as u32) <= (b as u32)),
    icmp!(UnsignedGreaterThan, |a, b| (a as u32) > (b as u32)),
    icmp!(UnsignedGreaterThanOrEqual, |a, b| (a as u32) >= (b as u32)),
    fcmp!(Ordered, |a, b| a.partial_cmp(&b).is_some()),
    fcmp!(Unordered, |a, b| a.partial_cmp(&b).is_none()),
    fcmp!(Equal, |a, b| a == b),
    fcmp!(NotEqual, |a, b| a != b),
    fcmp!(LessThan, |a, b| a < b),
    fcmp!(LessThanOrEqual, |a, b| a <= b),
    fcmp!(GreaterThan, |a, b| a > b),
    fcmp!(GreaterThanOrEqual, |a, b| a >= b),
    fcmp!(OrderedNotEqual, |a, b| a.partial_cmp(&b).is_some_and(|order| order.is_ne())),
    fcmp!(UnorderedOrEqual, |a, b| a == b || a.is_nan() || b.is_nan()),
    fcmp!(UnorderedOrLessThan, |a, b| a < b || a.is_nan() || b.is_nan()),
    fcmp!(UnorderedOrLessThanOrEqual, |a, b| a <= b || a.is_nan() || b.is_nan()),
    fcmp!(UnorderedOrGreaterThan, |a, b| a > b || a.is_nan() || b.is_nan()),
    fcmp!(UnorderedOrGreaterThanOrEqual, |a, b| a >= b || a.is_nan() || b.is_nan()),
    case!("is_nan", [Float a] -> Bool, |l| l.is_nan(a), a.is_nan()),
    case!("is_inf", [Float a] -> Bool, |l| l.is_inf(a), a.is_infinite()),
    case!("is_finite", [Float a] -> Bool, |l| l.is_finite(a), a.is_finite()),
    case!("is_normal", [Float a] -> Bool, |l| l.is_normal(a, f64::from(f32::MIN_POSITIVE)), a.is_normal()),
    case!("sign_bit", [Float a] -> Bool, |l| l.sign_bit(a), a.is_sign_negative()),
    case!("bool_not", [Bool a] -> Bool, |l| l.bool_not(a), !a),
    case!("bool_and", [Bool a, Bool b] -> Bool, |l| l.bool_and(a, b), a && b),
    case!("bool_and_not", [Bool a, Bool b] -> Bool, |l| l.bool_and_not(a, b), a && !b),
    case!("bool_or", [Bool a, Bool b] -> Bool, |l| l.bool_or(a, b), a || b),
    case!("bool_eq", [Bool a, Bool b] -> Bool, |l| l.bool_eq(a, b), a == b),
    case!("bool_ne", [Bool a, Bool b] -> Bool, |l| l.bool_ne(a, b), a != b),
    case!("select int", [Bool c, Int a, Int b] -> Int, |l| l.select(c, a, b), if c { a } else { b }),
    case!("select float", [Bool c, Float a, Float b] -> Float, |l| l.select(c, a, b), if c { a } else { b }),
    case!("select bool", [Bool c, Bool a, Bool b] -> Bool, |l| l.select(c, a, b), if c { a } else { b }),
    case!("select less float", [Float x, Float y, Float a, Float b] -> Float, |l| {
        let c = l.fcmp(FloatCC::LessThan, x, y);
        l.select(c, a, b)
    }, if x < y { a } else { b }),
    case!("select less int", [Int x, Int y, Float a, Float b] -> Float, |l| {
        let c = l.icmp(IntCC::SignedLessThan, x, y);
        l.select(c, a, b)
    }, if x < y { a } else { b }),
    case!("mask_value int", [Bool c, Int a] -> Int, |l| l.mask_value(c, a), if c { a } else { 0 }),
    case!("mask_value float", [Bool c, Float a] -> Float, |l| l.mask_value(c, a), if c { a } else { 0.0 }),
];

const CONVERT: &[Case] = &[
    case!("fcvt_to_sint", [Float a] -> Int, |l| l.fcvt_to_sint(a), a as i32),
    case!("fcvt_to_uint", [Float a] -> Int, |l| l.fcvt_to_uint(a), a as u32),
    case!("fcvt_from_sint", [Int a] -> Float, |l| l.fcvt_from_sint(a), a as f32),
    case!("fcvt_from_uint", [Int a] -> Float, |l| l.fcvt_from_uint(a), a as u32 as f32),
    case!("float_bits", [Float a] -> Int, |l| l.float_bits(a), a.to_bits()),
    case!("float_from_bits", [Int a] -> Float, |l| l.float_from_bits(a), f32::from_bits(a as u32)),
    case!("int_to_bool", [Int a] -> Bool, |l| l.int_to_bool(a), a != 0),
    case!("bool_to_int", [Bool a, Int like] -> Int, |l| {
        let ty = l.ty(like);
        l.bool_to_int(a, ty)
    }, {
        let _ = like;
        i32::from(a)
    }),
    case!("bool_to_float", [Bool a, Float like] -> Float, |l| {
        let ty = l.ty(like);
        l.bool_to_float(a, ty)
    }, {
        let _ = like;
        f32::from(u8::from(a))
    }),
];

/// Multiply and add, as it is on a target with and without the instruction.
pub const FMA: [Case; 2] = [
    case!("multiply, add", [Float a, Float b, Float c] -> Float, |l| l.fma(a, b, c), a * b + c),
    case!("fma", [Float a, Float b, Float c] -> Float, |l| l.fma(a, b, c), a.mul_add(b, c)),
];

/// Edge values of a kind, as bits.
pub fn edges(kind: Kind) -> &'static [u32] {
    match kind {
        Int => &[
            0,
            1,
            2,
            3,
            5,
            7,
            31,
            32,
            33,
            255,
            641,
            0x00ff_ffff,
            0x0100_0001,
            0x7fff_fffe,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xdead_beef,
            0xffff_fff9,
            0xffff_fffe,
            0xffff_ffff,
        ],
        Float => &[
            0x0000_0000, // 0
            0x8000_0000, // -0
            0x0000_0001, // smallest denormal
            0x3f00_0000, // 0.5
            0xbf00_0000, // -0.5
            0x3f80_0000, // 1
            0x3fc0_0000, // 1.5
            0xc020_0000, // -2.5
            0x4049_0fdb, // pi
            0xc2f6_e979, // -123.456
            0x3eff_ffff, // below 0.5
            0x4aff_ffff, // 2^23 - 0.5
            0xcb00_0001, // -(2^23 + 1)
            0x4eff_ffff, // below 2^31
            0x4f00_0000, // 2^31
            0xcf00_0001, // below -2^31
            0x4f80_0000, // 2^32
            0x7f7f_ffff, // largest
            0x7f80_0000, // infinity
            0xff80_0000, // -infinity
            0x7fc0_0000, // NaN
        ],
        Bool => &[0, 1],
    }
}
