//! Atomics (SPIR-V specification, "Atomic Instructions").

use super::row::{simt, unsupported};
use super::{Done, Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Atomic;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const KERNEL: &str = "belongs to OpenCL kernels: use AtomicCompareExchange";

/// The rows.
pub const ROWS: &[&[Row]] =
    &[MEMORY, unsupported![KERNEL; AtomicCompareExchangeWeak AtomicFlagTestAndSet AtomicFlagClear]];

/// Lane by lane, active lanes only: machine atomics on buffers, plain operations on Workgroup memory.
const MEMORY: &[Row] = &[
    simt!(AtomicLoad, "llvm.load atomic", "memory").of(Done::NUM32),
    simt!(AtomicStore, "llvm.store atomic", "memory").of(Done::NUM32).flow(Flow::None),
    simt!(AtomicExchange, "llvm.atomicrmw xchg", "memory").of(Done::NUM32),
    simt!(AtomicCompareExchange, "llvm.cmpxchg", "memory").of(Done::I32),
    simt!(AtomicIIncrement, "llvm.atomicrmw add", "memory").of(Done::I32),
    simt!(AtomicIDecrement, "llvm.atomicrmw sub", "memory").of(Done::I32),
    simt!(AtomicIAdd, "llvm.atomicrmw add", "memory").of(Done::I32),
    simt!(AtomicISub, "llvm.atomicrmw sub", "memory").of(Done::I32),
    simt!(AtomicSMin, "llvm.atomicrmw min", "memory").of(Done::I32),
    simt!(AtomicUMin, "llvm.atomicrmw umin", "memory").of(Done::I32),
    simt!(AtomicSMax, "llvm.atomicrmw max", "memory").of(Done::I32),
    simt!(AtomicUMax, "llvm.atomicrmw umax", "memory").of(Done::I32),
    simt!(AtomicAnd, "llvm.atomicrmw _and", "memory").of(Done::I32),
    simt!(AtomicOr, "llvm.atomicrmw _or", "memory").of(Done::I32),
    simt!(AtomicXor, "llvm.atomicrmw _xor", "memory").of(Done::I32),
    simt!(AtomicFMinEXT, "llvm.atomicrmw fmin", "memory").of(Done::F32),
    simt!(AtomicFMaxEXT, "llvm.atomicrmw fmax", "memory").of(Done::F32),
    simt!(AtomicFAddEXT, "llvm.atomicrmw fadd", "memory").of(Done::F32),
];
