//! Shifts (SPIR-V specification, "Bit Instructions"). Amounts are modulo the width of the base.

use super::row::binary;
use super::{Done, Family, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Shift;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const WIDTHS: &str = "amount modulo the width; an amount of another width is extended or truncated first";

/// The rows.
pub const ROWS: &[&[Row]] = &[&[
    binary!(ShiftRightLogical, "llvm.lshr", ushr, INT).amounts(1).unsigned().fits().note(WIDTHS),
    binary!(ShiftRightArithmetic, "llvm.ashr", sshr, INT).amounts(1).signed().fits().note(WIDTHS),
    binary!(ShiftLeftLogical, "llvm.shl", ishl, INT).amounts(1).note(WIDTHS),
]];
