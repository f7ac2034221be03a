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

/// What machines do atomically.
const WORDS: Done = Done::I32.or(Done::I64);
/// The same, and floats by their bits.
const VALUES: Done = WORDS.or(Done::FLOAT);

/// Lane by lane, active lanes only: machine atomics on buffers, plain operations on Workgroup memory.
const MEMORY: &[Row] = &[
    simt!(AtomicLoad, "llvm.load atomic", "memory").of(VALUES),
    simt!(AtomicStore, "llvm.store atomic", "memory").of(VALUES).flow(Flow::None),
    simt!(AtomicExchange, "llvm.atomicrmw xchg", "memory").of(VALUES),
    simt!(AtomicCompareExchange, "llvm.cmpxchg", "memory").of(WORDS),
    simt!(AtomicIIncrement, "llvm.atomicrmw add", "memory").of(WORDS),
    simt!(AtomicIDecrement, "llvm.atomicrmw sub", "memory").of(WORDS),
    simt!(AtomicIAdd, "llvm.atomicrmw add", "memory").of(WORDS),
    simt!(AtomicISub, "llvm.atomicrmw sub", "memory").of(WORDS),
    simt!(AtomicSMin, "llvm.atomicrmw min", "memory").of(WORDS),
    simt!(AtomicUMin, "llvm.atomicrmw umin", "memory").of(WORDS),
    simt!(AtomicSMax, "llvm.atomicrmw max", "memory").of(WORDS),
    simt!(AtomicUMax, "llvm.atomicrmw umax", "memory").of(WORDS),
    simt!(AtomicAnd, "llvm.atomicrmw _and", "memory").of(WORDS),
    simt!(AtomicOr, "llvm.atomicrmw _or", "memory").of(WORDS),
    simt!(AtomicXor, "llvm.atomicrmw _xor", "memory").of(WORDS),
    simt!(AtomicFMinEXT, "llvm.atomicrmw fmin", "memory").of(Done::FLOAT),
    simt!(AtomicFMaxEXT, "llvm.atomicrmw fmax", "memory").of(Done::FLOAT),
    simt!(AtomicFAddEXT, "llvm.atomicrmw fadd", "memory").of(Done::FLOAT),
];
