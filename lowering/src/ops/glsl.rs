//! GLSL.std.450 ("SPIR-V Extended Instructions for GLSL"). What has a precision follows the Vulkan specification,
//! "Precision and Operation of SPIR-V Instructions": each is computed by the expression that it is derived from.

use super::cast::bitcast;
use super::row::{binary, compose, ternary, unary};
use super::vectors::Vectors;
use super::{Done, Family, Flow, How, InstContext, Row};
use crate::ir::Opcode;
use crate::simt::value::{Comp, Comps, Lanes};
use cranelift_codegen::ir::condcodes::FloatCC;
use smallvec::smallvec;
use spirv::GlslStd450Op as Names;

const FAMILY: Family = Family::Glsl;

const fn name(op: Names) -> Opcode {
    Opcode::Glsl(op)
}

/// The rows.
pub const ROWS: &[&[Row]] =
    &[ROUNDING, MINIMUM, MIXING, GEOMETRY, BITS, FUNCTIONS, POINTERS, PACKING, WIDE, MATRICES, FRAGMENT];

const ROUNDING: &[Row] = &[
    unary!(Round, "llvm.intr.roundeven", nearest, FLOAT)
        .fits()
        .note("ties to even, which the specification leaves open"),
    unary!(RoundEven, "llvm.intr.roundeven", nearest, FLOAT).fits(),
    unary!(Trunc, "llvm.intr.trunc", ftrunc, FLOAT).fits(),
    unary!(FAbs, "llvm.intr.fabs", fabs, FLOAT).fits(),
    unary!(SAbs, "llvm.intr.abs", iabs, INT).signed(),
    unary!(FSign, "–", fsign, FLOAT).fits(),
    unary!(SSign, "–", isign, INT).signed().fits(),
    unary!(Floor, "llvm.intr.floor", floor, FLOAT).fits(),
    unary!(Ceil, "llvm.intr.ceil", ceil, FLOAT).fits(),
    unary!(Fract, "–", fract, FLOAT).note("x - floor(x)"),
    unary!(Sqrt, "llvm.intr.sqrt", sqrt, FLOAT),
    unary!(InverseSqrt, "–", inverse_sqrt, FLOAT).note("1 / sqrt(x)"),
    unary!(Radians, "–", radians, HALF_OR_SINGLE).note("x * (π / 180)"),
    unary!(Degrees, "–", degrees, HALF_OR_SINGLE).note("x * (180 / π)"),
];

const MINIMUM: &[Row] = &[
    binary!(FMin, "llvm.intr.minnum", fmin, FLOAT).fits().note("y < x ? y : x"),
    binary!(UMin, "llvm.intr.umin", umin, INT).unsigned().fits(),
    binary!(SMin, "llvm.intr.smin", smin, INT).signed().fits(),
    binary!(FMax, "llvm.intr.maxnum", fmax, FLOAT).fits().note("x < y ? y : x"),
    binary!(UMax, "llvm.intr.umax", umax, INT).unsigned().fits(),
    binary!(SMax, "llvm.intr.smax", smax, INT).signed().fits(),
    ternary!(FClamp, "–", fclamp, FLOAT).fits().note("min(max(x, low), high)"),
    ternary!(UClamp, "–", uclamp, INT).unsigned().fits().note("min(max(x, low), high)"),
    ternary!(SClamp, "–", sclamp, INT).signed().fits().note("min(max(x, low), high)"),
    binary!(NMin, "llvm.intr.minnum", nmin, FLOAT).fits().note("of a number and a NaN the number"),
    binary!(NMax, "llvm.intr.maxnum", nmax, FLOAT).fits().note("of a number and a NaN the number"),
    ternary!(NClamp, "–", nclamp, FLOAT).fits().note("min(max(x, low), high); a NaN gives low"),
];

const MIXING: &[Row] = &[
    ternary!(FMix, "–", fmix, FLOAT).note("x * (1 - a) + y * a"),
    binary!(Step, "–", step, FLOAT).fits().note("x < edge ? 0 : 1"),
    ternary!(SmoothStep, "–", smooth_step, FLOAT)
        .note("t * t * (3 - 2 * t), t = clamp((x - low) / (high - low), 0, 1)"),
    ternary!(Fma, "llvm.intr.fma", fma, FLOAT).note("fused where the target can"),
];

const GEOMETRY: &[Row] = &[
    compose!(Length, "–", length, FLOAT).note("sqrt(dot(x, x)); |x| of a scalar"),
    compose!(Distance, "–", distance, FLOAT).note("length(x - y)"),
    compose!(Cross, "–", cross, FLOAT),
    compose!(Normalize, "–", normalize, FLOAT).note("x * (1 / length(x)); x / |x| of a scalar"),
    compose!(FaceForward, "–", face_forward, FLOAT).fits().note("dot(Nref, I) < 0 ? N : -N"),
    compose!(Reflect, "–", reflect, FLOAT).note("I - 2 * dot(N, I) * N"),
    compose!(Refract, "–", refract, FLOAT)
        .note("k = 1 - eta² * (1 - dot(N, I)²); k < 0 ? 0 : eta * I - (eta * dot(N, I) + sqrt(k)) * N"),
];

const BITS: &[Row] = &[
    unary!(FindILsb, "llvm.intr.cttz", find_lsb, I32).note("-1 for 0"),
    unary!(FindSMsb, "llvm.intr.ctlz", find_smsb, I32).note("-1 for 0 and -1"),
    unary!(FindUMsb, "llvm.intr.ctlz", find_umsb, I32).note("-1 for 0"),
];

/// `stdlib!(Op, "llvm.op", "function", TYPES)`: by a function of the standard library.
macro_rules! stdlib {
    ($op:ident, $llvm:literal, $function:literal, $done:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, $function, How::Stdlib($function), Done::$done)
    };
}

const FUNCTIONS: &[Row] = &[
    stdlib!(Sin, "llvm.intr.sin", "sin", HALF_OR_SINGLE),
    stdlib!(Cos, "llvm.intr.cos", "cos", HALF_OR_SINGLE),
    stdlib!(Tan, "llvm.intr.sin / llvm.intr.cos", "tan", HALF_OR_SINGLE),
    stdlib!(Asin, "llvm.intr.asin", "asin", HALF_OR_SINGLE),
    stdlib!(Acos, "llvm.intr.acos", "acos", HALF_OR_SINGLE),
    stdlib!(Atan, "llvm.intr.atan", "atan", HALF_OR_SINGLE),
    stdlib!(Sinh, "llvm.intr.sinh", "sinh", HALF_OR_SINGLE),
    stdlib!(Cosh, "llvm.intr.cosh", "cosh", HALF_OR_SINGLE),
    stdlib!(Tanh, "llvm.intr.tanh", "tanh", HALF_OR_SINGLE),
    stdlib!(Asinh, "–", "asinh", HALF_OR_SINGLE),
    stdlib!(Acosh, "–", "acosh", HALF_OR_SINGLE),
    stdlib!(Atanh, "–", "atanh", HALF_OR_SINGLE),
    stdlib!(Atan2, "llvm.intr.atan2", "atan2", HALF_OR_SINGLE),
    stdlib!(Pow, "llvm.intr.pow", "pow", HALF_OR_SINGLE),
    stdlib!(Exp, "llvm.intr.exp", "exp", HALF_OR_SINGLE),
    stdlib!(Log, "llvm.intr.log", "log", HALF_OR_SINGLE),
    stdlib!(Exp2, "llvm.intr.exp2", "exp2", HALF_OR_SINGLE),
    stdlib!(Log2, "llvm.intr.log2", "log2", HALF_OR_SINGLE),
    stdlib!(ModfStruct, "–", "modf", FLOAT),
    stdlib!(FrexpStruct, "llvm.intr.frexp", "frexp", FLOAT).gives(Done::NUM),
    stdlib!(Ldexp, "llvm.intr.ldexp", "ldexp", FLOAT),
];

const POINTERS: &[Row] = &[
    stdlib!(Modf, "–", "modf", FLOAT).flow(Flow::Special).note("the whole part is stored through the pointer"),
    stdlib!(Frexp, "llvm.intr.frexp", "frexp", FLOAT)
        .flow(Flow::Special)
        .gives(Done::NUM)
        .note("the exponent is stored through the pointer"),
];

const PACKING: &[Row] = &[
    stdlib!(PackSnorm4x8, "–", "pack_snorm_4x8", F32).gives(Done::I32),
    stdlib!(PackUnorm4x8, "–", "pack_unorm_4x8", F32).gives(Done::I32),
    stdlib!(PackSnorm2x16, "–", "pack_snorm_2x16", F32).gives(Done::I32),
    stdlib!(PackUnorm2x16, "–", "pack_unorm_2x16", F32).gives(Done::I32),
    stdlib!(PackHalf2x16, "–", "pack_half_2x16", F32).gives(Done::I32).note("to the nearest even; denormals kept"),
    stdlib!(UnpackSnorm4x8, "–", "unpack_snorm_4x8", I32).gives(Done::F32),
    stdlib!(UnpackUnorm4x8, "–", "unpack_unorm_4x8", I32).gives(Done::F32),
    stdlib!(UnpackSnorm2x16, "–", "unpack_snorm_2x16", I32).gives(Done::F32),
    stdlib!(UnpackUnorm2x16, "–", "unpack_unorm_2x16", I32).gives(Done::F32),
    stdlib!(UnpackHalf2x16, "–", "unpack_half_2x16", I32).gives(Done::F32).note("denormals kept"),
];

const WIDE: &[Row] = &[
    compose!(PackDouble2x32, "–", bitcast, I32).gives(Done::F64).fits().note("the first word is the lower"),
    compose!(UnpackDouble2x32, "–", bitcast, F64).gives(Done::I32).fits().note("the first word is the lower"),
];

const MATRICES: &[Row] = &[
    stdlib!(Determinant, "–", "determinant", FLOAT),
    stdlib!(MatrixInverse, "–", "inverse", FLOAT).note("cofactors times 1 / determinant"),
];

const FRAGMENT: &[Row] = &[
    fragment(Names::InterpolateAtCentroid),
    fragment(Names::InterpolateAtSample),
    fragment(Names::InterpolateAtOffset),
    Row::unsupported(name(Names::IMix), FAMILY, "was removed from GLSL.std.450: use Select"),
];

const fn fragment(op: Names) -> Row {
    Row::unsupported(name(op), FAMILY, "interpolation needs fragment shaders, which are not done in this version")
}

/// Components of the type of the first operand.
fn vectors<'x, 'l, 'a>(l: &'x mut Lanes<'l, 'a>, cx: &InstContext<'_>) -> Vectors<'x, 'l, 'a> {
    Vectors { lanes: l, scalar: cx.operands[0] }
}

pub(super) fn length(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    smallvec![vectors(l, cx).length(&args[0])]
}

pub(super) fn distance(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let between = v.zip(&args[0], &args[1], |v, a, b| v.sub(a, b));
    smallvec![v.length(&between)]
}

pub(super) fn cross(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let ([x, y, z], [p, q, r]) = (&args[0][..], &args[1][..]) else { return Comps::new() };
    let mut minor = |a, b, c, d| {
        let first = v.mul(a, b);
        let second = v.mul(c, d);
        v.sub(&first, &second)
    };
    smallvec![minor(y, r, q, z), minor(z, p, r, x), minor(x, q, p, y)]
}

pub(super) fn normalize(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let length = v.length(&args[0]);
    if let [x] = &args[0][..] {
        return smallvec![v.binary(x, &length, |l, a, b| l.fdiv(a, b))];
    }
    let one = v.float(1.0);
    let factor = v.binary(&one, &length, |l, a, b| l.fdiv(a, b));
    v.scale(&args[0], &factor)
}

/// `cond(a, b) ? x : y` for each pair of components.
fn choose(v: &mut Vectors<'_, '_, '_>, cond: (FloatCC, &Comp, &Comp), x: &[Comp], y: &[Comp]) -> Comps {
    let ((cc, a, b), scalar) = (cond, v.scalar);
    let mut pair = |x, y| {
        v.lanes.map([(a, scalar), (b, scalar), (x, scalar), (y, scalar)], |l, [a, b, x, y]| {
            let holds = l.fcmp(cc, a, b);
            l.select(holds, x, y)
        })
    };
    x.iter().zip(y).map(|(x, y)| pair(x, y)).collect()
}

fn face_forward(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let [normal, incident, reference] = args else { return Comps::new() };
    let dot = v.dot_of(reference, incident);
    let zero = v.float(0.0);
    let back: Comps = normal.iter().map(|n| v.unary(n, |l, n| l.fneg(n))).collect();
    choose(&mut v, (FloatCC::LessThan, &dot, &zero), normal, &back)
}

fn reflect(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let [incident, normal] = args else { return Comps::new() };
    let dot = v.dot_of(normal, incident);
    let two = v.float(2.0);
    let factor = v.mul(&two, &dot);
    v.zip(incident, normal, |v, i, n| {
        let along = v.mul(&factor, n);
        v.sub(i, &along)
    })
}

fn refract(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = vectors(l, cx);
    let [incident, normal, eta] = args else { return Comps::new() };
    let [eta] = &eta[..] else { return Comps::new() };
    let dot = v.dot_of(normal, incident);
    let (zero, one) = (v.float(0.0), v.float(1.0));
    // k = 1 - eta² (1 - dot²)
    let square = v.mul(&dot, &dot);
    let sine = v.sub(&one, &square);
    let eta_square = v.mul(eta, eta);
    let bent = v.mul(&eta_square, &sine);
    let k = v.sub(&one, &bent);
    let root = v.unary(&k, |l, k| l.sqrt(k));
    let scaled = v.mul(eta, &dot);
    let factor = v.add(&scaled, &root);
    let through = v.zip(incident, normal, |v, i, n| {
        let i = v.mul(eta, i);
        let n = v.mul(&factor, n);
        v.sub(&i, &n)
    });
    let none: Comps = through.iter().map(|_| zero.clone()).collect();
    choose(&mut v, (FloatCC::LessThan, &k, &zero), &none, &through)
}
