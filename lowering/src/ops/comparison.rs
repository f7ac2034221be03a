//! Comparisons of numbers (SPIR-V specification, "Relational and Logical Instructions").

use super::row::{per_lane, unary};
use super::{Done, Family, How, LaneContext, Row};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use cranelift_codegen::ir as clif;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use spirv::Op as Names;

const FAMILY: Family = Family::Comparison;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[INTEGERS, FLOATS, CLASSES];

/// A comparison of integers.
macro_rules! icmp {
    ($op:ident, $llvm:literal, $cc:ident, $reads:ident) => {
        Row::new(
            name(Names::$op),
            FAMILY,
            $llvm,
            concat!("icmp ", stringify!($cc)),
            How::Binary(|l, a, b| l.icmp(IntCC::$cc, a, b)),
            Done::INT,
        )
        .$reads()
        .gives(Done::BOOL)
    };
}

/// A comparison of floats.
macro_rules! fcmp {
    ($op:ident, $llvm:literal, $cc:ident) => {
        Row::new(
            name(Names::$op),
            FAMILY,
            $llvm,
            concat!("fcmp ", stringify!($cc)),
            How::Binary(|l, a, b| l.fcmp(FloatCC::$cc, a, b)),
            Done::FLOAT,
        )
        .gives(Done::BOOL)
    };
}

const INTEGERS: &[Row] = &[
    icmp!(IEqual, "llvm.icmp \"eq\"", Equal, unsigned),
    icmp!(INotEqual, "llvm.icmp \"ne\"", NotEqual, unsigned),
    icmp!(UGreaterThan, "llvm.icmp \"ugt\"", UnsignedGreaterThan, unsigned),
    icmp!(SGreaterThan, "llvm.icmp \"sgt\"", SignedGreaterThan, signed),
    icmp!(UGreaterThanEqual, "llvm.icmp \"uge\"", UnsignedGreaterThanOrEqual, unsigned),
    icmp!(SGreaterThanEqual, "llvm.icmp \"sge\"", SignedGreaterThanOrEqual, signed),
    icmp!(ULessThan, "llvm.icmp \"ult\"", UnsignedLessThan, unsigned),
    icmp!(SLessThan, "llvm.icmp \"slt\"", SignedLessThan, signed),
    icmp!(ULessThanEqual, "llvm.icmp \"ule\"", UnsignedLessThanOrEqual, unsigned),
    icmp!(SLessThanEqual, "llvm.icmp \"sle\"", SignedLessThanOrEqual, signed),
];

const FLOATS: &[Row] = &[
    fcmp!(FOrdEqual, "llvm.fcmp \"oeq\"", Equal),
    fcmp!(FUnordEqual, "llvm.fcmp \"ueq\"", UnorderedOrEqual).note("not (< or >)"),
    fcmp!(FOrdNotEqual, "llvm.fcmp \"one\"", OrderedNotEqual).note("< or >"),
    fcmp!(FUnordNotEqual, "llvm.fcmp \"une\"", NotEqual),
    fcmp!(FOrdLessThan, "llvm.fcmp \"olt\"", LessThan),
    fcmp!(FUnordLessThan, "llvm.fcmp \"ult\"", UnorderedOrLessThan).note("not >="),
    fcmp!(FOrdGreaterThan, "llvm.fcmp \"ogt\"", GreaterThan),
    fcmp!(FUnordGreaterThan, "llvm.fcmp \"ugt\"", UnorderedOrGreaterThan).note("not <="),
    fcmp!(FOrdLessThanEqual, "llvm.fcmp \"ole\"", LessThanOrEqual),
    fcmp!(FUnordLessThanEqual, "llvm.fcmp \"ule\"", UnorderedOrLessThanOrEqual).note("not >"),
    fcmp!(FOrdGreaterThanEqual, "llvm.fcmp \"oge\"", GreaterThanOrEqual),
    fcmp!(FUnordGreaterThanEqual, "llvm.fcmp \"uge\"", UnorderedOrGreaterThanOrEqual).note("not <"),
    fcmp!(LessOrGreater, "–", OrderedNotEqual),
    fcmp!(Ordered, "llvm.fcmp \"ord\"", Ordered),
    fcmp!(Unordered, "llvm.fcmp \"uno\"", Unordered),
];

const CLASSES: &[Row] = &[
    unary!(IsNan, "llvm.fcmp \"uno\"", is_nan, FLOAT).gives(Done::BOOL),
    unary!(IsInf, "llvm.intr.is.fpclass", is_inf, FLOAT).gives(Done::BOOL),
    unary!(IsFinite, "llvm.intr.is.fpclass", is_finite, FLOAT).gives(Done::BOOL),
    per_lane!(IsNormal, "llvm.intr.is.fpclass", is_normal, FLOAT).gives(Done::BOOL),
    unary!(SignBitSet, "–", sign_bit, FLOAT).gives(Done::BOOL),
];

/// 16-bit floats have a least normal number of their own.
fn is_normal(l: &mut Legal<'_>, cx: &LaneContext, args: &[clif::Value]) -> clif::Value {
    let least = match cx.operand.bits() {
        16 => 2f64.powi(-14),
        32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    l.is_normal(args[0], least)
}
