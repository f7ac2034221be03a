//! What an entry point declares to the outside: resources by (set, binding), push constants, workgroup size,
//! specialisation constants (SPIR-V specification, §3.20 "Decoration"; Vulkan specification, "Shader Resource Interface").
//!
//! In: a lifted module and an entry point. Out: [`Interface`]; only what the entry point statically uses is listed.

use crate::ir::{GlobalId, SpecConstant, TypeId};

/// Kind of a buffer resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// `StorageBuffer`, or `Uniform` with `BufferBlock`.
    StorageBuffer,
    /// `Uniform` with `Block`.
    UniformBuffer,
}

/// A buffer that the shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The variable.
    pub global: GlobalId,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Name of the instance, or of the block where it has none.
    pub name: String,
    /// Kind.
    pub kind: ResourceKind,
    /// The block.
    pub block: TypeId,
    /// Number of descriptors: 1, or the length of an array of blocks.
    pub count: u32,
    /// Slot of element 0 in the context's descriptor table; elements follow.
    pub slot: u32,
    /// Bytes of the block without its runtime array; a smaller buffer cannot be bound.
    pub fixed_size: u64,
    /// `ArrayStride` of the runtime array that ends the block, if there is one.
    pub runtime_stride: Option<u32>,
    /// The shader stores to it or does atomics on it.
    pub written: bool,
    /// Text for people: members with types and offsets.
    pub members: Vec<MemberInfo>,
}

/// A member of a block, for listings and for binding by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// Dotted path from the block.
    pub name: String,
    /// GLSL spelling of the type (`uint`, `vec4`, `float[]`).
    pub ty: String,
    /// Bytes from the start of the block.
    pub offset: u32,
    /// Bytes it takes; 0 for a runtime array.
    pub size: u32,
    /// Scalar type and number of components where the member is a scalar or vector.
    pub scalar: Option<(crate::ir::Scalar, u32)>,
}

/// What an entry point declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Entry point's name.
    pub entry: String,
    /// Workgroup size.
    pub local_size: [u32; 3],
    /// Buffers, by set, then binding.
    pub resources: Vec<Resource>,
    /// Number of slots in the descriptor table.
    pub slots: u32,
    /// Bytes of push constants that the shader declares.
    pub push_size: u32,
    /// Members of the push-constant block.
    pub push_members: Vec<MemberInfo>,
    /// Specialisation constants.
    pub spec_constants: Vec<SpecConstant>,
}
