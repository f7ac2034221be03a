//! Atomics (SPIR-V specification, "Atomic Instructions").

use super::row::unsupported;
use super::{Family, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Atomic;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const LATER: &str =
    "atomic operations are not done in this version: give each invocation its own element and reduce afterwards";
const KERNEL: &str = "belongs to OpenCL kernels: use AtomicCompareExchange";

/// The rows.
pub const ROWS: &[&[Row]] = &[
    unsupported![
        LATER;
        AtomicLoad AtomicStore AtomicExchange AtomicCompareExchange AtomicIIncrement AtomicIDecrement AtomicIAdd
        AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax AtomicAnd AtomicOr AtomicXor AtomicFMinEXT AtomicFMaxEXT
        AtomicFAddEXT
    ],
    unsupported![KERNEL; AtomicCompareExchangeWeak AtomicFlagTestAndSet AtomicFlagClear],
];
