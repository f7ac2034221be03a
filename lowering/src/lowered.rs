//! The result of lowering: Cranelift IR with everything a backend and a caller need to know about it.

use crate::analysis::interface::Interface;
use std::fmt;

/// One function in Cranelift IR.
#[derive(Clone, Debug)]
pub struct LoweredFunction {
    /// Symbol name. The first function of a module is the kernel and has the entry point's name.
    pub name: String,
    /// The body. Calls refer to functions of the same module: `UserExternalName { namespace: 0, index }` is the
    /// `index`-th of [`LoweredModule::functions`].
    pub clif: cranelift_codegen::ir::Function,
}

/// A kernel in Cranelift IR.
#[derive(Clone, Debug)]
pub struct LoweredModule {
    /// The kernel, then the helpers that it calls.
    pub functions: Vec<LoweredFunction>,
    /// What the shader declares.
    pub interface: Interface,
    /// W.
    pub subgroup_size: u32,
    /// Bytes of scratch memory that one call needs, aligned to [`SCRATCH_ALIGN`](crate::abi::SCRATCH_ALIGN).
    pub scratch_size: usize,
    /// What the lowering did.
    pub stats: Stats,
    /// Remarks: why a line gathers, masks or goes lane by lane.
    pub remarks: Vec<String>,
}

/// Counts of what the lowering did. Golden files hold them, so that a lost vectorisation is seen without timing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// CLIF instructions in the kernel.
    pub kernel_insts: usize,
    /// CLIF instructions in helpers and functions out of line.
    pub helper_insts: usize,
    /// CLIF blocks in the kernel.
    pub blocks: usize,
    /// Accesses of consecutive components by consecutive lanes: vector loads and stores.
    pub contiguous: usize,
    /// Accesses of vectors by lanes at a fixed distance: vector loads and a transpose.
    pub transposed: usize,
    /// Accesses at one address for the subgroup.
    pub uniform: usize,
    /// Loads gathered lane by lane.
    pub gathered: usize,
    /// Stores scattered lane by lane.
    pub scattered: usize,
    /// Atomic operations.
    pub atomics: usize,
    /// Other operations done lane by lane (vector form missing on the target).
    pub lane_by_lane: usize,
    /// Constructs executed under masks.
    pub masked: usize,
    /// Functions out of line: those of the standard library and the shader's own.
    pub functions: usize,
    /// Their calls, once a chunk where they are called so.
    pub calls: usize,
    /// Workgroups that a subgroup runs side by side: 1 unless they are small.
    pub packed: usize,
    /// Loops over the subgroups of a workgroup, in kernels with barriers.
    pub segments: usize,
    /// Values that have memory for each subgroup, since they live across barriers.
    pub crossing: usize,
}

impl fmt::Display for Stats {
    /// One `name: count` a line, in a fixed order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel instructions: {}", self.kernel_insts)?;
        writeln!(f, "helper instructions: {}", self.helper_insts)?;
        writeln!(f, "blocks: {}", self.blocks)?;
        writeln!(f, "contiguous accesses: {}", self.contiguous)?;
        writeln!(f, "transposed accesses: {}", self.transposed)?;
        writeln!(f, "uniform accesses: {}", self.uniform)?;
        writeln!(f, "gathered loads: {}", self.gathered)?;
        writeln!(f, "scattered stores: {}", self.scattered)?;
        if self.atomics > 0 {
            writeln!(f, "atomics: {}", self.atomics)?;
        }
        if self.functions > 0 {
            writeln!(f, "out of line: {} functions, {} calls", self.functions, self.calls)?;
        }
        writeln!(f, "lane by lane: {}", self.lane_by_lane)?;
        if self.packed > 1 {
            writeln!(f, "workgroups in a subgroup: {}", self.packed)?;
        }
        if self.segments > 0 {
            writeln!(f, "segments: {}", self.segments)?;
            writeln!(f, "values across barriers: {}", self.crossing)?;
        }
        writeln!(f, "masked constructs: {}", self.masked)
    }
}
