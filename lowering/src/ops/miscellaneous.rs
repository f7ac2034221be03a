//! What fits no other family (SPIR-V specification, "Miscellaneous Instructions").

use super::row::{lift, per_lane, unsupported};
use super::{Done, Family, Flow, How, LaneContext, Row};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use cranelift_codegen::ir as clif;
use spirv::Op as Names;

const FAMILY: Family = Family::Miscellaneous;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, KERNEL, FRAGMENT];

const DIRECT: &[Row] = &[
    per_lane!(Select, "llvm.select", select, BOOL)
        .gives(Done::ALL)
        .fits()
        .note("a scalar condition is repeated; composites leaf by leaf"),
    lift!(Undef, "llvm.mlir.undef", "constants").note("zero"),
    lift!(Nop, "–", "skipped"),
    lift!(AssumeTrueKHR, "llvm.intr.assume", "skipped").note("a promise that is not relied on"),
];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels";
    SizeOf
];

const FRAGMENT: &[Row] = unsupported![
    "derivatives need fragment shaders, which are not done in this version";
    DPdx DPdy Fwidth DPdxFine DPdyFine FwidthFine DPdxCoarse DPdyCoarse FwidthCoarse
];

fn select(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.select(args[0], args[1], args[2])
}
