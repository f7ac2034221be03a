//! Cranelift's flags for accesses to memory of the kernel's own.

use cranelift_codegen::ir::MemFlagsData;

/// Stack slots and scratch: words of 32 bits or vectors of them, never trapping, in the target's byte order, which is also
/// the order in which lanes of a vector lie in memory on every target (`little` lanes are bitcast where it matters).
pub(super) fn frame_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_endianness(cranelift_codegen::ir::Endianness::Little)
}
