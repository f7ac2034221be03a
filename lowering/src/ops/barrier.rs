//! Barriers (SPIR-V specification, "Barrier Instructions").

use super::row::{simt, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Barrier;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const KERNEL: &str = "belongs to OpenCL kernels: use ControlBarrier";

/// The rows.
pub const ROWS: &[&[Row]] = &[
    &[
        simt!(ControlBarrier, "–", "workgroup")
            .flow(Flow::None)
            .note("cuts the code into loops over the workgroup's subgroups; a fence where the memory's scope is wider"),
        simt!(MemoryBarrier, "llvm.fence", "memory")
            .flow(Flow::None)
            .note("a fence where the scope is wider than the workgroup, which runs on one thread"),
    ],
    unsupported![
        KERNEL;
        TypeNamedBarrier NamedBarrierInitialize MemoryNamedBarrier ControlBarrierArriveINTEL ControlBarrierWaitINTEL
    ],
];
