//! Control flow (SPIR-V specification, §2.11 "Structured Control Flow" and "Control-Flow Instructions").

use super::row::{lift, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::ControlFlow;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[STRUCTURE, FRAGMENT, INTERLOCK];

const STRUCTURE: &[Row] = &[
    lift!(Phi, "block arguments", "region arguments and results"),
    lift!(LoopMerge, "–", "loop").note("the control is kept as a hint"),
    lift!(SelectionMerge, "–", "selection").note("the control is kept as a hint"),
    lift!(Label, "blocks", "regions"),
    lift!(Branch, "llvm.br", "terminators"),
    lift!(BranchConditional, "llvm.cond_br", "selection, condition")
        .note("uniform: a branch; varying: both sides under masks; weights are not read"),
    lift!(Switch, "llvm.switch", "switch"),
    lift!(Unreachable, "llvm.unreachable", "unreachable").note("no invocation reaches it; nothing is emitted"),
];

const FRAGMENT: &[Row] = unsupported![
    "discarding invocations needs fragment shaders, which are not done in this version";
    Kill TerminateInvocation DemoteToHelperInvocation IsHelperInvocationEXT
];

const INTERLOCK: &[Row] = unsupported![
    "fragment shader interlock needs fragment shaders, which are not done in this version";
    BeginInvocationInterlockEXT EndInvocationInterlockEXT
];
