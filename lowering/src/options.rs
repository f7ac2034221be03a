//! What a caller can choose, and what the target can do.

/// Optimisation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum OptLevel {
    /// `-O0`: fastest compile. No contraction, no mid-end, single-pass register allocation.
    None,
    /// `-O`.
    #[default]
    Speed,
}

/// Options of lowering.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Entry point; `None` takes the only one.
    pub entry: Option<String>,
    /// W, invocations of a subgroup: 1, 2, 4, 8, 16, 32 or 64.
    pub subgroup_size: u32,
    /// One lane a chunk (C = 1) instead of four.
    pub scalar: bool,
    /// Optimisation level.
    pub opt: OptLevel,
    /// Fuse multiplications and additions (`-ffp-contract`).
    pub contract: bool,
    /// No bounds checks: out-of-bounds accesses are undefined behaviour.
    pub unchecked: bool,
    /// Loops look at the interrupt flag also where they are sure to end some time, unless that is soon.
    pub interruptible: bool,
    /// Values of specialisation constants by `SpecId`, as bits.
    pub spec: Vec<(u32, u64)>,
}

impl Default for Options {
    /// W = 8, vectors, `-O`, contraction on, checks on.
    fn default() -> Options {
        Options {
            entry: None,
            subgroup_size: 8,
            scalar: false,
            opt: OptLevel::Speed,
            contract: true,
            unchecked: false,
            interruptible: false,
            spec: vec![],
        }
    }
}

/// What the lowering has to know of the target. The backend derives it from a Cranelift ISA.
#[derive(Clone)]
pub struct Target {
    /// Which instruction set.
    pub arch: Arch,
    /// 128-bit vectors are there (not so on RISC-V without V).
    pub simd: bool,
    /// Fused multiply-add is an instruction, for scalars and vectors.
    pub fma: bool,
    /// x86-64: SSE4.1 is there (vector rounding, 32-bit multiplication, blends).
    pub sse41: bool,
    /// Calling convention of the kernel's entry point and its helpers.
    pub call_conv: cranelift_codegen::isa::CallConv,
    /// Pointer width, for Cranelift's frontend.
    pub frontend: cranelift_codegen::isa::TargetFrontendConfig,
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arch {
    /// x86-64.
    X86_64,
    /// AArch64.
    Aarch64,
    /// RISC-V, 64 bits.
    Riscv64,
    /// s390x.
    S390x,
}
