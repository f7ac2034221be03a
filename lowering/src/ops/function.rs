//! Functions (SPIR-V specification, "Function Instructions").

use super::row::{lift, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Function;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// A bit of `FunctionControl`, or what decides in its absence.
pub struct Control {
    /// The bit's name.
    pub name: &'static str,
    /// The attribute that the LLVM dialect makes of it.
    pub llvm: &'static str,
    /// What it does here.
    pub here: &'static str,
}

/// Function control.
pub const CONTROLS: &[Control] = &[
    Control {
        name: "None",
        llvm: "–",
        here: "inlined where it is called once or is small, and as long as copies do not add more operations than the source \
               has and a fixed number; a call otherwise",
    },
    Control {
        name: "Inline",
        llvm: "alwaysinline",
        here: "inlined wherever it is called, up to the limit of a function's size",
    },
    Control { name: "DontInline", llvm: "noinline", here: "a call, also at `-O`, unless a row below says otherwise" },
    Control {
        name: "Pure",
        llvm: "readonly",
        here: "a call whose result nobody uses is left out; noted by itself where the function plainly writes nothing",
    },
    Control {
        name: "Const",
        llvm: "readnone",
        here: "like Pure, and equal calls are made once; noted by itself where the function plainly reads no memory that changes",
    },
];

/// What is inlined whatever its control says, and why.
pub const ALWAYS_INLINED: &[(&str, &str)] = &[
    (
        "reaches a barrier or a subgroup operation",
        "the caller's invocations have to wait in, or exchange values with, one another",
    ),
    ("reaches `OpKill` or `OpTerminateInvocation`", "it ends invocations of the caller"),
    ("takes a pointer to other than a Function variable, or returns one", "addresses are not values here"),
    ("takes, returns or shares by Private variables more than 64 components", "they are passed by value"),
    ("is called with two pointers to one variable", "each would be a copy"),
];

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, POINTERS];

const DIRECT: &[Row] = &[
    lift!(Function, "llvm.func", "functions").note(
        "its control is in the table below",
    ),
    lift!(FunctionParameter, "llvm.func arguments", "functions"),
    lift!(FunctionEnd, "–", "functions"),
    lift!(FunctionCall, "llvm.call", "inlined, or a call").note(
        "inlined as the tables below say; else `call`, once a chunk of a lane-wise function, once with a mask of any other; \
         recursion is refused",
    ),
    lift!(Return, "llvm.return", "return").note("the lanes that return are off until the function ends"),
    lift!(ReturnValue, "llvm.return", "return").note("the lanes that return are off until the function ends"),
];

const POINTERS: &[Row] = unsupported![
    "function pointers belong to OpenCL extensions: call functions by name";
    ConstantFunctionPointerINTEL FunctionPointerCallINTEL
];
