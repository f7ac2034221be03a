//! Cranelift's flags for accesses to memory.
//!
//! All memory is in the target's byte order, buffers too: a program that a kernel is linked into fills them as it fills its
//! own. Lane 0 of a vector lies at the lowest address on every target.

use cranelift_codegen::ir::MemFlagsData;

/// Memory that shaders may write: any alignment, never trapping.
pub(super) fn data_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Stack slots and scratch: words of 32 bits or vectors of them, never trapping.
pub(super) fn frame_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Atomics: aligned, since bindings start where their resource's `align` says and offsets are checked.
pub(super) fn atomic_flags() -> MemFlagsData {
    MemFlagsData::trusted()
}
