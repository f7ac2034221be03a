//! Constants (SPIR-V specification, "Constant-Creation Instructions").

use super::row::{lift, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Constant;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const BITS: &str = "signed or not, a constant is bits; instructions decide how they are read";
const SPECIALISED: &str = "its value is fixed when the module is lifted: the default, or what the options give";

/// The rows.
pub const ROWS: &[&[Row]] = &[CONSTANTS, REPLICATED, KERNEL];

const CONSTANTS: &[Row] = &[
    lift!(ConstantTrue, "llvm.mlir.constant", "constants"),
    lift!(ConstantFalse, "llvm.mlir.constant", "constants"),
    lift!(Constant, "llvm.mlir.constant", "constants").note(BITS),
    lift!(ConstantComposite, "llvm.mlir.constant", "constants")
        .note("scalars and vectors only in the manual; all composites here"),
    lift!(ConstantNull, "llvm.mlir.zero", "constants"),
    lift!(SpecConstantTrue, "–", "constants").note(SPECIALISED),
    lift!(SpecConstantFalse, "–", "constants").note(SPECIALISED),
    lift!(SpecConstant, "–", "constants").note(SPECIALISED),
    lift!(SpecConstantComposite, "–", "constants").note(SPECIALISED),
    lift!(SpecConstantOp, "–", "constants").note("folded with the same results as at run time"),
];

const REPLICATED: &[Row] = unsupported![
    "replicated constants are not done in this version: write the constituents out";
    ConstantCompositeReplicateEXT SpecConstantCompositeReplicateEXT
];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels: bind a sampler";
    ConstantSampler
];
