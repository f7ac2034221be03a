//! The contract between a compiled kernel and whoever calls it.
//!
//! ```c
//! int32_t kernel(const g2n_context *ctx, void *scratch, uint64_t first_workgroup, uint64_t workgroup_count);
//! ```
//!
//! returns 0 when the range was run, 1 when it was interrupted, and 2 when a host function is missing. Workgroups are numbered x first, then y, then z, over
//! the dispatch's size. Each field is defined once, here: lowering reads offsets with [`std::mem::offset_of!`], and
//! [`c_definitions`] makes C out of the same text, with assertions that a C compiler sees the same offsets.
//!
//! Invariants: `scratch` is aligned to [`SCRATCH_ALIGN`] and belongs to the call; descriptors, buffers and push constants
//! stay valid and, unless bound as writable, unchanged for its duration; [`Context::zero_block`] is [`ZERO_BLOCK_SIZE`]
//! zero bytes that nobody writes; the base of a buffer of fewer bytes than a block's fixed part never reaches a kernel
//! (binding it is an error).

mod c;

pub use c::c_definitions;

/// Version of the layout below, in [`Context::version`].
pub const ABI_VERSION: u32 = 1;
/// Alignment of scratch memory in bytes.
pub const SCRATCH_ALIGN: usize = 64;
/// Bytes of [`Context::zero_block`].
pub const ZERO_BLOCK_SIZE: usize = 256;
/// Largest buffer that may be bound, in bytes: offsets are unsigned 32-bit numbers.
pub const MAX_BUFFER_SIZE: u64 = u32::MAX as u64;
/// A kernel ran its whole range.
pub const STATUS_DONE: i32 = 0;
/// A kernel saw the interrupt flag and stopped.
pub const STATUS_INTERRUPTED: i32 = 1;
/// [`Context::host_functions`] lacks a function that the kernel calls; nothing was run.
pub const STATUS_NO_FUNCTION: i32 = 2;

/// What a descriptor is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorKind {
    /// Nothing is bound; `base` points at the zero block and `size` is 0.
    Unbound = 0,
    /// A storage, uniform or texel buffer.
    Buffer = 1,
    /// An image.
    Image = 2,
    /// A sampler.
    Sampler = 3,
}

c::abi_structs! {
    /// One bound resource: 64 bytes, tagged by `kind`.
    pub struct Descriptor = "g2n_descriptor" {
        /// A [`DescriptorKind`].
        pub kind: u32,
        /// Reserved, 0.
        pub flags: u32,
        /// First byte.
        pub base: *mut u8,
        /// Bytes, at most [`MAX_BUFFER_SIZE`].
        pub size: u64,
        /// Images: width, height, depth or layers, in texels. Samplers: filter and address modes.
        pub extent: [u32; 3],
        /// Images: format, as `VkFormat`.
        pub format: u32,
        /// Images: bytes from row to row and from slice to slice.
        pub pitch: [u32; 2],
        /// Images: mip levels and samples.
        pub levels: u32,
        /// Reserved, 0.
        pub reserved: u32,
        /// Images: table of further mip levels, or null.
        pub mips: *const u8,
    }

    /// A range of addresses that PhysicalStorageBuffer pointers may reach.
    pub struct AddressRange = "g2n_address_range" {
        /// First byte.
        pub base: *mut u8,
        /// Bytes.
        pub size: u64,
    }

    /// A function of the embedder's that computes an instruction for a subgroup. Threads call it at once; it must not touch
    /// the memory of the dispatch.
    pub struct HostFunction = "g2n_host_function" {
        /// Called with `data`, the lanes that are active (lane 0 is the lowest bit), and memory for the arguments and the
        /// results: for each component in turn one 32-bit word for each lane of the subgroup. Literal operands are
        /// components too. Booleans are 0 or 1.
        pub call: Option<unsafe extern "C" fn(data: *mut u8, active: u64, args: *const u8, results: *mut u8)>,
        /// Passed back to `call`.
        pub data: *mut u8,
    }

    /// Where what a shader prints goes. Threads call it at once.
    pub struct PrintSink = "g2n_print_sink" {
        /// Called with `data`, the number of the print in the module, the lanes that print (lane 0 is the lowest bit), and
        /// the arguments as for host functions; the first three components are `gl_GlobalInvocationID`. Null: nothing is
        /// printed.
        pub call: Option<unsafe extern "C" fn(data: *mut u8, print: u64, active: u64, args: *const u8)>,
        /// Passed back to `call`.
        pub data: *mut u8,
    }

    /// All that a kernel reads of its caller, other than the resources themselves.
    pub struct Context = "g2n_context" {
        /// [`ABI_VERSION`].
        pub version: u32,
        /// Bytes of this struct.
        pub size: u32,
        /// Workgroups in x, y and z: `gl_NumWorkGroups`.
        pub groups: [u32; 3],
        /// Number of descriptors.
        pub descriptor_count: u32,
        /// Added to the workgroup's id: `vkCmdDispatchBase`.
        pub base_group: [u32; 3],
        /// Bytes of push constants.
        pub push_size: u32,
        /// Descriptors, by slot.
        pub descriptors: *const Descriptor,
        /// Push constants, at least as many bytes as the shader's block.
        pub push: *const u8,
        /// [`ZERO_BLOCK_SIZE`] zero bytes.
        pub zero_block: *const u8,
        /// Address ranges for PhysicalStorageBuffer.
        pub ranges: *const AddressRange,
        /// Number of them.
        pub range_count: u64,
        /// Functions that compute instructions, by index.
        pub host_functions: *const HostFunction,
        /// Number of them.
        pub host_function_count: u64,
        /// Print sink.
        pub print: PrintSink,
        /// Polled by loops and between workgroups: not 0 means stop. May be null.
        pub interrupt: *const u32,
    }
}

const _: () = assert!(size_of::<Descriptor>() == 64);

/// A kernel.
///
/// Arguments: context, scratch, first workgroup, number of workgroups. Returns [`STATUS_DONE`], [`STATUS_INTERRUPTED`] or
/// [`STATUS_NO_FUNCTION`].
pub type KernelFn = unsafe extern "C" fn(*const Context, *mut u8, u64, u64) -> i32;
