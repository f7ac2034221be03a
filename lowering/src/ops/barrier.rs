//! Barriers (SPIR-V specification, "Barrier Instructions").

use super::row::unsupported;
use super::{Family, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Barrier;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const LATER: &str = "barriers are not done in this version: split the work into several dispatches";
const KERNEL: &str = "belongs to OpenCL kernels: use ControlBarrier";

/// The rows.
pub const ROWS: &[&[Row]] = &[
    unsupported![LATER; ControlBarrier MemoryBarrier],
    unsupported![
        KERNEL;
        TypeNamedBarrier NamedBarrierInitialize MemoryNamedBarrier ControlBarrierArriveINTEL ControlBarrierWaitINTEL
    ],
];
