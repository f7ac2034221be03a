//! Names of instructions: a SPIR-V core opcode, an instruction of an extended set, or one that the embedder has registered.
//!
//! The enumerations come from the SPIR-V headers, so a name is spelled here exactly as in the specification.

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
    /// An instruction of the extended set OpenCL.std.
    OpenCl(spirv::OpenclStd100Op),
    /// An instruction of the extended set SPV_AMD_shader_trinary_minmax.
    TrinaryMinMax(spirv::SpvAmdShaderTrinaryMinmaxOp),
    /// An instruction of the extended set SPV_AMD_gcn_shader.
    GcnShader(spirv::SpvAmdGcnShaderOp),
    /// An instruction of the extended set SPV_AMD_shader_ballot.
    ShaderBallot(spirv::SpvAmdShaderBallotOp),
    /// An instruction of the extended set SPV_AMD_shader_explicit_vertex_parameter.
    ExplicitVertex(spirv::SpvAmdShaderExplicitVertexParameterOp),
    /// An instruction of the extended set NonSemantic.DebugPrintf. Operands: `gl_GlobalInvocationID`, then the arguments;
    /// literal: an index into [`Module::prints`](super::Module::prints).
    Printf(spirv::NonsemanticDebugprintfOp),
    /// An instruction that the embedder has registered. Literals: an index into
    /// [`Module::custom`](super::Module::custom), then the literal operands in order.
    Custom,
}

/// An extended instruction set: its name, and the instruction of a number.
pub struct ExtendedSet {
    /// As `OpExtInstImport` spells it.
    pub name: &'static str,
    /// The instruction of that number, if there is one.
    pub instruction: fn(u32) -> Option<Opcode>,
}

/// The sets of which each instruction has a row in the op table.
pub const EXTENDED_SETS: &[ExtendedSet] = &[
    ExtendedSet { name: "GLSL.std.450", instruction: |n| spirv::GlslStd450Op::from_u32(n).map(Opcode::Glsl) },
    ExtendedSet { name: "OpenCL.std", instruction: |n| spirv::OpenclStd100Op::from_u32(n).map(Opcode::OpenCl) },
    ExtendedSet {
        name: "SPV_AMD_shader_trinary_minmax",
        instruction: |n| spirv::SpvAmdShaderTrinaryMinmaxOp::from_u32(n).map(Opcode::TrinaryMinMax),
    },
    ExtendedSet {
        name: "SPV_AMD_gcn_shader",
        instruction: |n| spirv::SpvAmdGcnShaderOp::from_u32(n).map(Opcode::GcnShader),
    },
    ExtendedSet {
        name: "SPV_AMD_shader_ballot",
        instruction: |n| spirv::SpvAmdShaderBallotOp::from_u32(n).map(Opcode::ShaderBallot),
    },
    ExtendedSet {
        name: "SPV_AMD_shader_explicit_vertex_parameter",
        instruction: |n| spirv::SpvAmdShaderExplicitVertexParameterOp::from_u32(n).map(Opcode::ExplicitVertex),
    },
    ExtendedSet {
        name: "NonSemantic.DebugPrintf",
        instruction: |n| spirv::NonsemanticDebugprintfOp::from_u32(n).map(Opcode::Printf),
    },
];

impl Opcode {
    /// How many sets there are, the core instructions and the custom ones among them.
    pub const SETS: usize = 9;

    /// The number of the set, below [`SETS`](Self::SETS), and that of the instruction in it.
    pub fn number(self) -> (usize, u32) {
        match self {
            Opcode::Core(op) => (0, op as u32),
            Opcode::Glsl(op) => (1, op as u32),
            Opcode::OpenCl(op) => (2, op as u32),
            Opcode::TrinaryMinMax(op) => (3, op as u32),
            Opcode::GcnShader(op) => (4, op as u32),
            Opcode::ShaderBallot(op) => (5, op as u32),
            Opcode::ExplicitVertex(op) => (6, op as u32),
            Opcode::Printf(op) => (7, op as u32),
            Opcode::Custom => (8, 0),
        }
    }
}

impl fmt::Display for Opcode {
    /// `IAdd` for a core instruction, `GLSL.Sqrt` for one of GLSL.std.450, and so on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opcode::Core(op) => write!(f, "{op:?}"),
            Opcode::Glsl(op) => write!(f, "GLSL.{op:?}"),
            Opcode::OpenCl(op) => write!(f, "OpenCL.{op:?}"),
            Opcode::TrinaryMinMax(op) => write!(f, "AMD.{op:?}"),
            Opcode::GcnShader(op) => write!(f, "AMD.{op:?}"),
            Opcode::ShaderBallot(op) => write!(f, "AMD.{op:?}"),
            Opcode::ExplicitVertex(op) => write!(f, "AMD.{op:?}"),
            Opcode::Printf(op) => write!(f, "NonSemantic.{op:?}"),
            Opcode::Custom => f.write_str("Custom"),
        }
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
