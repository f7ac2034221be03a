//! The op table: one row for each SPIR-V instruction and each instruction of the extended sets that shaders use.
//!
//! The families are those of MLIR's "SPIR-V Dialect to LLVM Dialect conversion manual", one file each. A row says what the
//! LLVM dialect makes of the instruction, how it becomes CLIF, for which component types, whether it may be executed with
//! all lanes off, and how its uniformity follows from its operands. Dispatch in the lowering, `docs/mapping-manual.md`,
//! and the tests that keep both honest come from the table.

mod amd;
mod arithmetic;
mod atomic;
mod barrier;
mod bitwise;
mod cast;
mod check;
mod comparison;
mod composite;
mod constant;
mod control_flow;
pub mod declared;
mod dot;
mod foreign;
mod function;
mod glsl;
mod image;
mod logical;
mod manual;
mod matrix;
mod memory;
mod miscellaneous;
mod module;
mod non_uniform;
mod opencl;
mod outside;
mod row;
mod shift;
#[cfg(test)]
mod tests;
mod vectors;

use crate::ir::{Opcode, Scalar};
use crate::simt::legal::{Conversion, Legal};
use crate::simt::value::{Comps, Lanes};
use cranelift_codegen::ir as clif;
use rspirv::grammar::{
    ExtInstOp, ExtendedInstruction, GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE, LogicalOperand,
    OPENCL_STD_100_INSTRUCTION_TABLE, OperandKind, OperandQuantifier, SPV_AMD_GCN_SHADER_INSTRUCTION_TABLE,
    SPV_AMD_SHADER_BALLOT_INSTRUCTION_TABLE, SPV_AMD_SHADER_EXPLICIT_VERTEX_PARAMETER_INSTRUCTION_TABLE,
    SPV_AMD_SHADER_TRINARY_MINMAX_INSTRUCTION_TABLE,
};
use std::collections::HashMap;
use std::sync::OnceLock;

pub use check::Misfit;
pub use manual::manual;

/// A family of the conversion manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Family {
    Arithmetic,
    Bitwise,
    Cast,
    Comparison,
    Logical,
    Shift,
    Constant,
    Miscellaneous,
    Composite,
    Matrix,
    Memory,
    Atomic,
    ControlFlow,
    Function,
    Glsl,
    OpenCl,
    Amd,
    Outside,
    NonUniform,
    Barrier,
    Image,
    Module,
    /// What no shader that we compile contains: kernels, ray tracing, vendor extensions.
    Foreign,
}

/// What a lane-wise emitter may want to know besides its operands.
#[derive(Clone, Copy, Debug)]
pub struct LaneContext {
    /// Scalar type of the first operand's components.
    pub operand: Scalar,
    /// Scalar type of the result's components.
    pub result: Scalar,
    /// [`NO_CONTRACTION`](crate::ir::NO_CONTRACTION) and others.
    pub flags: u32,
}

/// What an emitter across components may want to know.
#[derive(Clone, Copy, Debug)]
pub struct InstContext<'c> {
    /// Scalar type of each operand's components (of the first leaf; structs are given by `operand_leaves`).
    pub operands: &'c [Scalar],
    /// Leaves of the result.
    pub result: &'c [Scalar],
    /// Constituents of each operand's type: columns of a matrix, components of a vector, elements, members; 1 of a scalar.
    pub counts: &'c [u32],
    /// Constituents of the result's type.
    pub result_count: u32,
    /// Literal operands. Indices into composites are flattened to leaves beforehand for `CompositeExtract` and
    /// `CompositeInsert`, which are handled by the lowering itself.
    pub literals: &'c [u32],
    /// [`NO_CONTRACTION`](crate::ir::NO_CONTRACTION) and others.
    pub flags: u32,
}

/// One operand, one component at a time.
pub type UnaryFn = fn(&mut Legal<'_>, clif::Value) -> clif::Value;
/// Two operands, one component at a time.
pub type BinaryFn = fn(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value;
/// Three operands, one component at a time.
pub type TernaryFn = fn(&mut Legal<'_>, clif::Value, clif::Value, clif::Value) -> clif::Value;
/// Any number of operands, one component at a time.
pub type LaneFn = fn(&mut Legal<'_>, &LaneContext, &[clif::Value]) -> clif::Value;
/// Operands whole: dot products, lengths, composites.
pub type ComposeFn = fn(&mut Lanes<'_, '_>, &InstContext<'_>, &[Comps]) -> Comps;

/// How an instruction becomes CLIF.
#[derive(Clone, Copy)]
pub enum How {
    /// Component by component: `f(a)`.
    Unary(UnaryFn),
    /// Component by component: `f(a, b)`. Scalar operands beside vectors are repeated.
    Binary(BinaryFn),
    /// Component by component: `f(a, b, c)`.
    Ternary(TernaryFn),
    /// Component by component, with the types.
    PerLane(LaneFn),
    /// Component by component, to another numeric type.
    Convert(Conversion),
    /// Across components.
    Compose(ComposeFn),
    /// By the lowering itself (memory, control flow, built-in structure); the text names the module.
    Simt(&'static str),
    /// Consumed when the module is lifted (types, decorations, debug information); the text says by what.
    Lift(&'static str),
    /// By a function of the GLSL standard library.
    Stdlib(&'static str),
    /// Not done; the text says why and what to do.
    Unsupported(&'static str),
}

impl How {
    /// Does a component of the result depend on the same component of the operands only?
    pub fn is_lane_wise(&self) -> bool {
        matches!(self, How::Unary(_) | How::Binary(_) | How::Ternary(_) | How::PerLane(_) | How::Convert(_))
    }
}

/// How a row reads integer operands: what it wants in the bits of a lane that the type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Only the type's own bits count.
    Bits,
    /// Extended with the sign.
    Signed,
    /// Extended with zeros.
    Unsigned,
}

/// How a result's uniformity follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// As the least uniform operand, component by component for lane-wise rows.
    Operands,
    /// The same in all active lanes of the subgroup.
    Subgroup,
    /// Of a reduction the same in all active lanes of the subgroup, of scans and clusters not.
    Group,
    /// Special: the analysis has a rule of its own (memory, builtins), or it differs from lane to lane.
    Special,
    /// No result.
    None,
}

/// Component types of the operands for which a row is done: a set of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done(pub u16);

impl Done {
    /// Nothing, or nothing that has components.
    pub const NONE: Done = Done(0);
    /// `OpTypeBool`.
    pub const BOOL: Done = Done(1);
    /// 32-bit integers.
    pub const I32: Done = Done(2);
    /// 32-bit floats.
    pub const F32: Done = Done(4);
    /// 8-bit integers.
    pub const I8: Done = Done(8);
    /// 16-bit integers.
    pub const I16: Done = Done(16);
    /// 64-bit integers.
    pub const I64: Done = Done(32);
    /// 16-bit floats.
    pub const F16: Done = Done(64);
    /// 64-bit floats.
    pub const F64: Done = Done(128);
    /// 32-bit integers and floats.
    pub const NUM32: Done = Done(6);
    /// Integers of every width.
    pub const INT: Done = Done(Self::I8.0 | Self::I16.0 | Self::I32.0 | Self::I64.0);
    /// Floats of every width.
    pub const FLOAT: Done = Done(Self::F16.0 | Self::F32.0 | Self::F64.0);
    /// 16- and 32-bit floats.
    pub const HALF_OR_SINGLE: Done = Done(Self::F16.0 | Self::F32.0);
    /// Numbers of every width.
    pub const NUM: Done = Done(Self::INT.0 | Self::FLOAT.0);
    /// Numbers of every width, and booleans.
    pub const ALL: Done = Done(Self::NUM.0 | Self::BOOL.0);

    /// Both sets.
    pub const fn or(self, other: Done) -> Done {
        Done(self.0 | other.0)
    }

    /// Is the row done for this component type?
    pub fn has(self, scalar: Scalar) -> bool {
        let bit = match scalar {
            Scalar::Bool => Done::BOOL,
            Scalar::Int { width: 8, .. } => Done::I8,
            Scalar::Int { width: 16, .. } => Done::I16,
            Scalar::Int { width: 64, .. } => Done::I64,
            Scalar::Int { .. } => Done::I32,
            Scalar::Float(16) => Done::F16,
            Scalar::Float(64) => Done::F64,
            Scalar::Float(_) => Done::F32,
        };
        self.0 & bit.0 != 0
    }
}

/// One row.
#[derive(Clone, Copy)]
pub struct Row {
    /// The instruction.
    pub opcode: Opcode,
    /// Its family.
    pub family: Family,
    /// What the LLVM dialect maps it to by the conversion manual, or `–`.
    pub llvm: &'static str,
    /// How it becomes CLIF.
    pub how: How,
    /// The same in a word or two, for the manual: the emitter's name, or the module.
    pub here: &'static str,
    /// Component types of the first operand (of the result where there is none) for which that is done.
    pub done: Done,
    /// Component types of the result for which that is done; the same as `done` where there is no conversion.
    pub results: Done,
    /// May be executed with all lanes off, and ahead of a branch: no side effect, no trap.
    pub speculatable: bool,
    /// Uniformity rule.
    pub flow: Flow,
    /// How integer operands are read.
    pub reads: Reads,
    /// Results of operands that their types can represent are such too: nothing is wrapped to 8 or 16 bits, nor rounded
    /// to a 16-bit float.
    pub fits: bool,
    /// The first operand that is an amount: an unsigned number of bits, in an integer type of its own.
    pub amounts: usize,
    /// Special cases, for the manual.
    pub note: &'static str,
}

/// The families, in the manual's order, with their rows.
const FAMILIES: &[(Family, &[&[Row]])] = &[
    (Family::Arithmetic, arithmetic::ROWS),
    (Family::Bitwise, bitwise::ROWS),
    (Family::Cast, cast::ROWS),
    (Family::Comparison, comparison::ROWS),
    (Family::Logical, logical::ROWS),
    (Family::Miscellaneous, miscellaneous::ROWS),
    (Family::Shift, shift::ROWS),
    (Family::Constant, constant::ROWS),
    (Family::Composite, composite::ROWS),
    (Family::Matrix, matrix::ROWS),
    (Family::Memory, memory::ROWS),
    (Family::Atomic, atomic::ROWS),
    (Family::ControlFlow, control_flow::ROWS),
    (Family::Glsl, glsl::ROWS),
    (Family::OpenCl, opencl::ROWS),
    (Family::Amd, amd::ROWS),
    (Family::Outside, outside::ROWS),
    (Family::Function, function::ROWS),
    (Family::NonUniform, non_uniform::ROWS),
    (Family::Barrier, barrier::ROWS),
    (Family::Image, image::ROWS),
    (Family::Module, module::ROWS),
    (Family::Foreign, foreign::ROWS),
];

/// The row of an instruction; `None` for an opcode newer than the SPIR-V headers.
pub fn row(opcode: Opcode) -> Option<&'static Row> {
    static INDEX: OnceLock<HashMap<Opcode, &'static Row>> = OnceLock::new();
    INDEX.get_or_init(|| rows().map(|row| (row.opcode, row)).collect()).get(&opcode).copied()
}

/// How many ids an instruction has at least as operands, by the grammar: what emitters may index.
pub fn required_operands(opcode: Opcode) -> usize {
    static COUNTS: OnceLock<HashMap<Opcode, usize>> = OnceLock::new();
    let count = |operands: &[LogicalOperand]| {
        let ids = [OperandKind::IdRef, OperandKind::IdScope, OperandKind::IdMemorySemantics];
        operands.iter().filter(|o| o.quantifier == OperandQuantifier::One && ids.contains(&o.kind)).count()
    };
    let counts = COUNTS.get_or_init(|| {
        let core = INSTRUCTION_TABLE.iter().map(|i| (Opcode::Core(i.opcode), count(i.operands)));
        core.chain(extended().map(|(opcode, i)| (opcode, count(i.operands)))).collect()
    });
    counts.get(&opcode).copied().unwrap_or(0)
}

/// The instructions of the extended sets that the grammar tables have and whose meaning the op table knows.
fn extended() -> impl Iterator<Item = (Opcode, &'static ExtendedInstruction<'static>)> {
    let tables = [
        &GLSL_STD_450_INSTRUCTION_TABLE,
        &OPENCL_STD_100_INSTRUCTION_TABLE,
        &SPV_AMD_SHADER_TRINARY_MINMAX_INSTRUCTION_TABLE,
        &SPV_AMD_GCN_SHADER_INSTRUCTION_TABLE,
        &SPV_AMD_SHADER_BALLOT_INSTRUCTION_TABLE,
        &SPV_AMD_SHADER_EXPLICIT_VERTEX_PARAMETER_INSTRUCTION_TABLE,
    ];
    tables.into_iter().flat_map(|table| table.iter()).filter_map(|i| {
        let opcode = match i.opcode {
            ExtInstOp::GlslStd450(op) => Opcode::Glsl(op),
            ExtInstOp::OpenclStd100(op) => Opcode::OpenCl(op),
            ExtInstOp::SpvAmdShaderTrinaryMinmax(op) => Opcode::TrinaryMinMax(op),
            ExtInstOp::SpvAmdGcnShader(op) => Opcode::GcnShader(op),
            ExtInstOp::SpvAmdShaderBallot(op) => Opcode::ShaderBallot(op),
            ExtInstOp::SpvAmdShaderExplicitVertexParameter(op) => Opcode::ExplicitVertex(op),
            _ => return None,
        };
        Some((opcode, i))
    })
}

/// All rows, family by family.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|(_, groups)| groups.iter().copied().flatten())
}
