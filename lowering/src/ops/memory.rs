//! Memory (SPIR-V specification, "Memory Instructions").

use super::row::{simt, unsupported};
use super::{Done, Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Memory;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[ACCESS, POINTERS, UNTYPED, IMAGE, KERNEL];

const ACCESS: &[Row] = &[
    simt!(Variable, "llvm.alloca, llvm.mlir.global", "variables")
        .note("becomes values where it is only loaded and stored whole or by constant indices"),
    simt!(Load, "llvm.load", "memory")
        .of(Done::ALL)
        .note("contiguous, transposed, uniform or gathered, by the address; out of bounds 0"),
    simt!(Store, "llvm.store", "memory")
        .of(Done::ALL)
        .flow(Flow::None)
        .note("exactly the bytes of active lanes in bounds"),
    simt!(CopyMemory, "llvm.load, llvm.store", "memory").flow(Flow::None).note("loaded, then stored"),
    simt!(AccessChain, "llvm.getelementptr", "memory")
        .speculatable()
        .note("an address is a base, an affine index and a byte offset by the declared layout"),
    simt!(InBoundsAccessChain, "llvm.getelementptr inbounds", "memory")
        .speculatable()
        .note("as AccessChain; bounds are checked all the same"),
    simt!(ArrayLength, "–", "memory").speculatable().note("(bytes bound - offset of the array) / ArrayStride"),
];

const POINTERS: &[Row] = unsupported![
    "variable pointers are not done in this version: index an array";
    PtrAccessChain InBoundsPtrAccessChain PtrEqual PtrNotEqual PtrDiff RawAccessChainNV
];

const UNTYPED: &[Row] = unsupported![
    "untyped pointers are not done in this version: declare the block's type";
    UntypedVariableKHR UntypedAccessChainKHR UntypedInBoundsAccessChainKHR UntypedPtrAccessChainKHR
    UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR UntypedPrefetchKHR BufferPointerEXT
];

const IMAGE: &[Row] = unsupported![
    "images are not done in this version: use a storage buffer";
    ImageTexelPointer UntypedImageTexelPointerEXT
];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels: copy element by element";
    CopyMemorySized GenericPtrMemSemantics LifetimeStart LifetimeStop UntypedGroupAsyncCopyKHR VariableLengthArrayINTEL
    UntypedVariableLengthArrayINTEL SaveMemoryINTEL RestoreMemoryINTEL MaskedGatherINTEL MaskedScatterINTEL
];
