//! What a module declares beside its instructions: decorations, built-ins, execution modes, storage classes, capabilities
//! (SPIR-V specification, §3.20 "Decoration", §3.21 "BuiltIn", §3.6 "Execution Mode", §3.7 "Storage Class", §3.31
//! "Capability"), and what becomes of each.
//!
//! A declaration that none of the tables lists belongs to a stage or an extension that is not done: it is not read, and
//! the instructions that would give it a meaning are refused.

use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, StorageClass};

/// What becomes of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Handling {
    /// It has the effect that the specification gives it.
    Obeyed,
    /// It is not read, and need not be: a hint, a promise, or something that holds anyway.
    Ignored,
    /// A shader that relies on it is not compiled.
    Refused,
}

/// One declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared<T> {
    /// Which.
    pub what: T,
    /// What becomes of it.
    pub handling: Handling,
    /// How, why, or what to do instead.
    pub why: &'static str,
}

const fn obeyed<T: Copy>(what: T, why: &'static str) -> Declared<T> {
    Declared { what, handling: Handling::Obeyed, why }
}

const fn ignored<T: Copy>(what: T, why: &'static str) -> Declared<T> {
    Declared { what, handling: Handling::Ignored, why }
}

const fn refused<T: Copy>(what: T, why: &'static str) -> Declared<T> {
    Declared { what, handling: Handling::Refused, why }
}

/// The decorations that mean something to a compute shader.
pub const DECORATIONS: &[Declared<Decoration>] = &[
    ignored(Decoration::RelaxedPrecision, "32 bits are always enough"),
    obeyed(Decoration::SpecId, "the options may give the constant's value"),
    obeyed(Decoration::Block, "the interface of a buffer or of push constants"),
    obeyed(Decoration::BufferBlock, "a storage buffer in modules before SPIR-V 1.3"),
    obeyed(Decoration::RowMajor, "never recomputed"),
    obeyed(Decoration::ColMajor, "never recomputed"),
    obeyed(Decoration::ArrayStride, "never recomputed"),
    obeyed(Decoration::MatrixStride, "never recomputed"),
    obeyed(Decoration::Offset, "never recomputed; natural or not"),
    obeyed(Decoration::BuiltIn, "see built-ins"),
    obeyed(Decoration::DescriptorSet, "names the binding"),
    obeyed(Decoration::Binding, "names the binding"),
    obeyed(Decoration::NonWritable, "the buffer may be bound read-only"),
    obeyed(Decoration::NonReadable, "kept in the interface"),
    obeyed(Decoration::Volatile, "the access is neither merged nor moved"),
    obeyed(Decoration::Coherent, "the access is neither merged nor moved"),
    obeyed(Decoration::NoContraction, "the operation is never fused"),
    ignored(Decoration::Restrict, "a promise that is not relied on"),
    ignored(Decoration::Aliased, "buffers are taken to alias"),
    ignored(Decoration::RestrictPointer, "a promise that is not relied on"),
    ignored(Decoration::AliasedPointer, "buffers are taken to alias"),
    ignored(Decoration::Invariant, "the same expression gives the same bits in any case"),
    ignored(Decoration::Constant, "a promise that is not relied on"),
    ignored(Decoration::Uniform, "uniformity is analysed, not believed"),
    ignored(Decoration::UniformId, "uniformity is analysed, not believed"),
    ignored(Decoration::NonUniform, "uniformity is analysed, not believed"),
    ignored(Decoration::SaturatedConversion, "conversions to integers saturate anyway"),
    ignored(Decoration::NoSignedWrap, "a promise that is not relied on: integers wrap"),
    ignored(Decoration::NoUnsignedWrap, "a promise that is not relied on: integers wrap"),
    obeyed(Decoration::FPFastMathMode, "no fusing without AllowContract or Fast; no other permission is used"),
    ignored(Decoration::Alignment, "a promise that is not relied on"),
    ignored(Decoration::AlignmentId, "a promise that is not relied on"),
    ignored(Decoration::MaxByteOffset, "a promise that is not relied on"),
    ignored(Decoration::MaxByteOffsetId, "a promise that is not relied on"),
    ignored(Decoration::CounterBuffer, "for reflection"),
    ignored(Decoration::UserSemantic, "for reflection"),
    ignored(Decoration::UserTypeGOOGLE, "for reflection"),
    ignored(Decoration::LinkageAttributes, "a module is whole: nothing is linked"),
    ignored(Decoration::GLSLShared, "layout is by Offset"),
    ignored(Decoration::GLSLPacked, "layout is by Offset"),
    ignored(Decoration::CPacked, "layout is by Offset"),
    ignored(Decoration::Location, "compute shaders have no inputs but built-ins"),
    ignored(Decoration::Component, "compute shaders have no inputs but built-ins"),
    ignored(Decoration::InputAttachmentIndex, "only fragment shaders read input attachments"),
    obeyed(Decoration::FPRoundingMode, "to nearest even, as always; other modes are refused"),
    refused(Decoration::ArrayStrideIdEXT, "layout by specialisation is not done: use ArrayStride"),
    refused(Decoration::OffsetIdEXT, "layout by specialisation is not done: use Offset"),
];

/// The built-ins that a compute shader may read.
pub const BUILTINS: &[Declared<BuiltIn>] = &[
    obeyed(BuiltIn::NumWorkgroups, "uniform"),
    obeyed(BuiltIn::WorkgroupSize, "a constant"),
    obeyed(BuiltIn::WorkgroupId, "uniform"),
    obeyed(BuiltIn::LocalInvocationId, "affine where the workgroup's rows are whole chunks"),
    obeyed(BuiltIn::GlobalInvocationId, "affine where the workgroup's rows are whole chunks"),
    obeyed(BuiltIn::LocalInvocationIndex, "affine"),
    obeyed(BuiltIn::SubgroupSize, "a constant"),
    obeyed(BuiltIn::NumSubgroups, "a constant"),
    obeyed(BuiltIn::SubgroupId, "uniform"),
    obeyed(BuiltIn::SubgroupLocalInvocationId, "lane numbers"),
    obeyed(BuiltIn::SubgroupEqMask, "bits of the subgroup size only"),
    obeyed(BuiltIn::SubgroupGeMask, "bits of the subgroup size only"),
    obeyed(BuiltIn::SubgroupGtMask, "bits of the subgroup size only"),
    obeyed(BuiltIn::SubgroupLeMask, "bits of the subgroup size only"),
    obeyed(BuiltIn::SubgroupLtMask, "bits of the subgroup size only"),
    refused(BuiltIn::DeviceIndex, "there is one device: write 0"),
];

/// The execution modes that a compute shader may have.
pub const EXECUTION_MODES: &[Declared<ExecutionMode>] = &[
    obeyed(ExecutionMode::LocalSize, "the workgroup's size"),
    obeyed(ExecutionMode::LocalSizeId, "the workgroup's size, by constants"),
    obeyed(ExecutionMode::DenormPreserve, "denormals are always kept"),
    obeyed(ExecutionMode::SignedZeroInfNanPreserve, "always kept"),
    obeyed(ExecutionMode::RoundingModeRTE, "always so"),
    obeyed(ExecutionMode::SubgroupUniformControlFlowKHR, "invocations reconverge at merge blocks"),
    obeyed(ExecutionMode::MaximallyReconvergesKHR, "invocations reconverge at merge blocks"),
    ignored(ExecutionMode::LocalSizeHint, "a hint"),
    ignored(ExecutionMode::LocalSizeHintId, "a hint"),
    ignored(ExecutionMode::VecTypeHint, "a hint"),
    obeyed(ExecutionMode::FPFastMathDefault, "no fusing without AllowContract or Fast; no other permission is used"),
    ignored(ExecutionMode::DerivativeGroupQuadsKHR, "derivatives are refused where they are used"),
    ignored(ExecutionMode::DerivativeGroupLinearKHR, "derivatives are refused where they are used"),
    ignored(ExecutionMode::QuadDerivativesKHR, "derivatives are refused where they are used"),
    ignored(ExecutionMode::RequireFullQuadsKHR, "lanes of no invocation are off"),
    refused(
        ExecutionMode::ContractionOff,
        "belongs to OpenCL kernels: use NoContraction, or compile without contraction",
    ),
    refused(ExecutionMode::DenormFlushToZero, "denormals are always kept: leave it out"),
    refused(ExecutionMode::RoundingModeRTZ, "rounding is always to nearest even: leave it out"),
    refused(ExecutionMode::RoundingModeRTPINTEL, "rounding is always to nearest even: leave it out"),
    refused(ExecutionMode::RoundingModeRTNINTEL, "rounding is always to nearest even: leave it out"),
    refused(ExecutionMode::FloatingPointModeALTINTEL, "floats are always IEEE 754: leave it out"),
    refused(ExecutionMode::Shader64BitIndexingEXT, "buffers are at most 4 GiB: index with 32 bits"),
];

/// The storage classes.
pub const STORAGE_CLASSES: &[Declared<StorageClass>] = &[
    obeyed(StorageClass::StorageBuffer, "bound by set and binding; bounds are checked"),
    obeyed(StorageClass::Uniform, "bound by set and binding; bounds are checked"),
    obeyed(StorageClass::PushConstant, "a block of bytes per dispatch"),
    obeyed(StorageClass::Input, "built-ins"),
    obeyed(StorageClass::Function, "values, or memory of the subgroup"),
    obeyed(StorageClass::Private, "values, or memory of the subgroup"),
    obeyed(StorageClass::Workgroup, "scratch memory of the thread that runs the workgroup"),
    refused(StorageClass::UniformConstant, "images and samplers are not done in this version: use a storage buffer"),
    refused(StorageClass::Image, "images are not done in this version: use a storage buffer"),
    refused(StorageClass::PhysicalStorageBuffer, "buffer references are not done in this version: bind the buffer"),
    refused(StorageClass::AtomicCounter, "atomic operations are not done in this version"),
    refused(StorageClass::Output, "compute shaders have no outputs"),
    refused(StorageClass::CrossWorkgroup, "belongs to OpenCL kernels: use StorageBuffer"),
    refused(StorageClass::Generic, "belongs to OpenCL kernels: use a storage class"),
];

const VARIABLE_INDEX: &str = "an index into an array of descriptors must be a constant in this version";
const HOLDS: &str = "the execution mode asks for what is so anyway";

/// The capabilities that concern compute shaders. None is refused where it is declared: what it allows is refused where
/// it is used.
pub const CAPABILITIES: &[Declared<Capability>] = &[
    obeyed(Capability::Matrix, "see matrix ops"),
    obeyed(Capability::Shader, ""),
    obeyed(Capability::VulkanMemoryModel, "every access is as strong as it asks"),
    obeyed(Capability::VulkanMemoryModelDeviceScope, "every access is as strong as it asks"),
    obeyed(Capability::WorkgroupMemoryExplicitLayoutKHR, "blocks share their memory; 32-bit types"),
    obeyed(Capability::BitInstructions, "bit instructions without Shader"),
    obeyed(Capability::FMAKHR, "FmaKHR"),
    obeyed(Capability::ExpectAssumeKHR, "ExpectKHR, AssumeTrueKHR"),
    obeyed(Capability::DenormPreserve, HOLDS),
    obeyed(Capability::SignedZeroInfNanPreserve, HOLDS),
    obeyed(Capability::RoundingModeRTE, HOLDS),
    obeyed(Capability::FloatControls2, "no permission but AllowContract is used"),
    obeyed(Capability::RuntimeDescriptorArray, "not indexed by variables"),
    obeyed(Capability::ReplicatedCompositesEXT, "CompositeConstructReplicateEXT; constants are refused"),
    refused(Capability::DenormFlushToZero, "denormals are always kept"),
    refused(Capability::RoundingModeRTZ, "rounding is always to nearest even"),
    obeyed(Capability::Float16, "16-bit floats, computed with 32 bits and rounded"),
    obeyed(Capability::Float64, "64-bit floats"),
    obeyed(Capability::Int8, "8-bit integers"),
    obeyed(Capability::Int16, "16-bit integers"),
    obeyed(Capability::Int64, "64-bit integers"),
    obeyed(Capability::StorageBuffer8BitAccess, "loads extend, stores write the bytes of the type"),
    obeyed(Capability::UniformAndStorageBuffer8BitAccess, "loads extend, stores write the bytes of the type"),
    obeyed(Capability::StoragePushConstant8, "loads extend, stores write the bytes of the type"),
    obeyed(Capability::StorageBuffer16BitAccess, "loads extend, stores write the bytes of the type"),
    obeyed(Capability::UniformAndStorageBuffer16BitAccess, "loads extend, stores write the bytes of the type"),
    obeyed(Capability::StoragePushConstant16, "loads extend, stores write the bytes of the type"),
    refused(Capability::UniformBufferArrayDynamicIndexing, VARIABLE_INDEX),
    refused(Capability::StorageBufferArrayDynamicIndexing, VARIABLE_INDEX),
    refused(Capability::UniformBufferArrayNonUniformIndexing, VARIABLE_INDEX),
    refused(Capability::StorageBufferArrayNonUniformIndexing, VARIABLE_INDEX),
    refused(Capability::ShaderNonUniform, VARIABLE_INDEX),
    refused(Capability::VariablePointers, "variable pointers are not done in this version"),
    refused(Capability::VariablePointersStorageBuffer, "variable pointers are not done in this version"),
    refused(Capability::PhysicalStorageBufferAddresses, "buffer references are not done in this version"),
    obeyed(Capability::GroupNonUniform, "the first active lane is elected"),
    obeyed(Capability::GroupNonUniformVote, "active lanes only"),
    obeyed(Capability::GroupNonUniformArithmetic, "active lanes only"),
    obeyed(Capability::GroupNonUniformBallot, "active lanes only"),
    obeyed(Capability::GroupNonUniformShuffle, "lanes that are off give 0"),
    obeyed(Capability::GroupNonUniformShuffleRelative, "lanes that are off give 0"),
    obeyed(Capability::GroupNonUniformClustered, "clusters larger than a subgroup are the subgroup"),
    obeyed(Capability::GroupNonUniformQuad, "subgroups of 4 or more"),
    obeyed(Capability::GroupNonUniformRotateKHR, "lanes that are off give 0"),
    obeyed(Capability::QuadControlKHR, "quads are of four lanes in a row"),
    obeyed(Capability::SubgroupBallotKHR, "active lanes only"),
    obeyed(Capability::SubgroupVoteKHR, "active lanes only"),
    obeyed(Capability::Groups, "AMD's reductions and scans of subgroups"),
    refused(Capability::GroupNonUniformPartitionedEXT, "lanes are not partitioned by values"),
    obeyed(Capability::Int64Atomics, "buffers that they work on start at a multiple of 8 bytes"),
    obeyed(Capability::AtomicFloat16AddEXT, "rounded once an addition"),
    obeyed(Capability::AtomicFloat32AddEXT, "AtomicFAddEXT"),
    obeyed(Capability::AtomicFloat64AddEXT, "buffers that they work on start at a multiple of 8 bytes"),
    obeyed(Capability::AtomicFloat16MinMaxEXT, "of a number and a NaN the number"),
    obeyed(Capability::AtomicFloat32MinMaxEXT, "of a number and a NaN the number"),
    obeyed(Capability::AtomicFloat64MinMaxEXT, "of a number and a NaN the number"),
    refused(Capability::ImageQuery, "images are not done in this version"),
    refused(Capability::Image1D, "images are not done in this version"),
    refused(Capability::Sampled1D, "images are not done in this version"),
    refused(Capability::ImageBuffer, "images are not done in this version"),
    refused(Capability::SampledBuffer, "images are not done in this version"),
    refused(Capability::StorageImageExtendedFormats, "images are not done in this version"),
    refused(Capability::StorageImageReadWithoutFormat, "images are not done in this version"),
    refused(Capability::StorageImageWriteWithoutFormat, "images are not done in this version"),
    obeyed(Capability::DotProduct, "SDot and others"),
    obeyed(Capability::DotProductInputAll, "vectors of integers of every width"),
    obeyed(Capability::DotProductInput4x8Bit, "vectors of four 8-bit components"),
    obeyed(Capability::DotProductInput4x8BitPacked, "words of four 8-bit components"),
    refused(Capability::CooperativeMatrixKHR, "cooperative matrices are not done"),
    refused(Capability::RayQueryKHR, "ray tracing is not done"),
    refused(Capability::ShaderClockKHR, "there is no shader clock"),
    refused(
        Capability::Kernel,
        "OpenCL kernels are not compiled: only entry points of the execution model GLCompute are",
    ),
    refused(Capability::Addresses, "OpenCL kernels are not compiled"),
    refused(Capability::Linkage, "a module is whole: nothing is linked"),
];

/// Why a decoration is refused; `None` for one that is obeyed or need not be.
pub fn decoration_refusal(decoration: Decoration) -> Option<&'static str> {
    refusal(DECORATIONS, decoration)
}

/// Why an execution mode of a compute shader is refused; `None` for one that is obeyed or need not be.
pub fn execution_mode_refusal(mode: ExecutionMode) -> Option<&'static str> {
    refusal(EXECUTION_MODES, mode)
}

fn refusal<T: Copy + PartialEq>(table: &[Declared<T>], what: T) -> Option<&'static str> {
    table.iter().find(|d| d.what == what && d.handling == Handling::Refused).map(|d| d.why)
}
