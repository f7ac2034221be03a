//! Names of instructions: a SPIR-V core opcode or a GLSL.std.450 instruction.
//!
//! Both enumerations come from the SPIR-V headers, so a name is spelled here exactly as in the specification.

use smallvec::SmallVec;
use std::fmt;

/// Operands of an instruction, in SPIR-V order.
pub type Operands = SmallVec<[super::Value; 4]>;

/// [`Inst::flags`](super::Inst::flags): decorated `NoContraction`; never fused into an `fma`.
pub const NO_CONTRACTION: u32 = 1;
/// [`Inst::flags`](super::Inst::flags): a memory access that others see and are seen by: volatile, coherent, or made available
/// or visible (memory operand or decoration). It is neither merged nor moved.
pub const VOLATILE: u32 = 2;

/// Which instruction: one row of the op table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opcode {
    /// A core SPIR-V instruction.
    Core(spirv::Op),
    /// An instruction of the extended set GLSL.std.450.
    Glsl(spirv::GlslStd450Op),
}

impl fmt::Display for Opcode {
    /// `IAdd` for a core instruction, `GLSL.Sqrt` for one of GLSL.std.450.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opcode::Core(op) => write!(f, "{op:?}"),
            Opcode::Glsl(op) => write!(f, "GLSL.{op:?}"),
        }
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
