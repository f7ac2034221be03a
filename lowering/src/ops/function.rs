//! Functions (SPIR-V specification, "Function Instructions").

use super::row::{lift, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Function;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, POINTERS];

const DIRECT: &[Row] = &[
    lift!(Function, "llvm.func", "functions").note(
        "control: Inline = alwaysinline, DontInline = noinline, Pure = readonly, Const = readnone in LLVM; a hint here",
    ),
    lift!(FunctionParameter, "llvm.func arguments", "functions"),
    lift!(FunctionEnd, "–", "functions"),
    lift!(FunctionCall, "llvm.call", "inlined").note("recursion is refused"),
    lift!(Return, "llvm.return", "return").note("the lanes that return are off until the function ends"),
    lift!(ReturnValue, "llvm.return", "return").note("the lanes that return are off until the function ends"),
];

const POINTERS: &[Row] = unsupported![
    "function pointers belong to OpenCL extensions: call functions by name";
    ConstantFunctionPointerINTEL FunctionPointerCallINTEL
];
