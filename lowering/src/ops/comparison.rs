//! Comparisons of numbers (SPIR-V specification, "Relational and Logical Instructions").

use super::row::unary;
use super::{Done, Family, How, Row};
use crate::ir::Opcode;
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
    ($op:ident, $llvm:literal, $cc:ident) => {
        Row::new(
            name(Names::$op),
            FAMILY,
            $llvm,
            concat!("icmp ", stringify!($cc)),
            How::Binary(|l, a, b| l.icmp(IntCC::$cc, a, b)),
            Done::I32,
        )
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
            Done::F32,
        )
        .gives(Done::BOOL)
    };
}

const INTEGERS: &[Row] = &[
    icmp!(IEqual, "llvm.icmp \"eq\"", Equal),
    icmp!(INotEqual, "llvm.icmp \"ne\"", NotEqual),
    icmp!(UGreaterThan, "llvm.icmp \"ugt\"", UnsignedGreaterThan),
    icmp!(SGreaterThan, "llvm.icmp \"sgt\"", SignedGreaterThan),
    icmp!(UGreaterThanEqual, "llvm.icmp \"uge\"", UnsignedGreaterThanOrEqual),
    icmp!(SGreaterThanEqual, "llvm.icmp \"sge\"", SignedGreaterThanOrEqual),
    icmp!(ULessThan, "llvm.icmp \"ult\"", UnsignedLessThan),
    icmp!(SLessThan, "llvm.icmp \"slt\"", SignedLessThan),
    icmp!(ULessThanEqual, "llvm.icmp \"ule\"", UnsignedLessThanOrEqual),
    icmp!(SLessThanEqual, "llvm.icmp \"sle\"", SignedLessThanOrEqual),
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
    unary!(IsNan, "llvm.fcmp \"uno\"", is_nan, F32).gives(Done::BOOL),
    unary!(IsInf, "llvm.intr.is.fpclass", is_inf, F32).gives(Done::BOOL),
    unary!(IsFinite, "llvm.intr.is.fpclass", is_finite, F32).gives(Done::BOOL),
    unary!(IsNormal, "llvm.intr.is.fpclass", is_normal, F32).gives(Done::BOOL),
    unary!(SignBitSet, "–", sign_bit, F32).gives(Done::BOOL),
];
