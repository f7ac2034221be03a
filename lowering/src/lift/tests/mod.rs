//! Tests of lifting: the shape of each construct, the places of errors, and that nothing malformed panics.

pub(crate) mod asm;
mod groups;
mod malformed;
mod module;
mod random;
mod shapes;

use crate::ir::{self, OpKind, RegionId, Terminator};
use asm::assemble;
use std::fmt::Write;

/// What comes before and after the body of `main` in most tests: `%in` and `%out` are buffers of `uint`, `%pi` and `%po` point
/// to their first elements, `%x` and `%y` are loaded from the first two elements of `%in`, and `%c` is `%x < %y`.
pub(super) fn shader(body: &str) -> String {
    format!(
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 4 2 1
         OpName %main \"main\"
         OpName %in \"in_values\"
         OpDecorate %arr ArrayStride 4
         OpDecorate %S BufferBlock
         OpMemberDecorate %S 0 Offset 0
         OpDecorate %in DescriptorSet 0
         OpDecorate %in Binding 0
         OpDecorate %out DescriptorSet 0
         OpDecorate %out Binding 1
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %uint = OpTypeInt 32 0
         %bool = OpTypeBool
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u3 = OpConstant %uint 3
         %true = OpConstantTrue %bool
         %arr = OpTypeRuntimeArray %uint
         %S = OpTypeStruct %arr
         %pS = OpTypePointer Uniform %S
         %pu = OpTypePointer Uniform %uint
         %fu = OpTypePointer Function %uint
         %in = OpVariable %pS Uniform
         %out = OpVariable %pS Uniform
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %pi = OpAccessChain %pu %in %u0 %u0
         %pj = OpAccessChain %pu %in %u0 %u1
         %po = OpAccessChain %pu %out %u0 %u0
         %x = OpLoad %uint %pi
         %y = OpLoad %uint %pj
         %c = OpULessThan %bool %x %y
         {body}
         OpFunctionEnd"
    )
}

/// Lifts a shader that [`shader`] makes.
pub(super) fn lift(body: &str) -> crate::Result<ir::Module> {
    super::lift(&assemble(&shader(body)), &crate::Options::default())
}

/// The shape of the entry point: constructs, terminators, and how many operations stand between them.
pub(super) fn shape(module: &ir::Module) -> String {
    let f = &module.functions[module.entries[0].func];
    let mut out = String::new();
    region(f, f.body, &mut out);
    out
}

fn region(f: &ir::Function, id: RegionId, out: &mut String) {
    for &op in &f.regions[id].ops {
        match &f.ops[op].kind {
            OpKind::Inst(inst) => write!(out, "{} ", inst.opcode).unwrap(),
            OpKind::Variable { .. } => out.push_str("Variable "),
            OpKind::Call { .. } => out.push_str("Call "),
            kind => {
                let names: &[&str] = match kind {
                    OpKind::Selection(_) => &["then", "else"],
                    OpKind::Loop(_) => &["header", "body", "cont"],
                    _ => &[],
                };
                let word = ["switch", "if", "loop"][if names.is_empty() { 0 } else { names.len() - 1 }];
                write!(out, "{word}{} ", op.as_u32()).unwrap();
                for (index, inner) in f.regions_of(op).into_iter().enumerate() {
                    match kind {
                        OpKind::Switch(s) => {
                            let default = if s.default == index { " default" } else { "" };
                            write!(out, "case {:?}{default} ", s.cases[index].literals).unwrap();
                        }
                        _ => write!(out, "{} ", names[index]).unwrap(),
                    }
                    out.push_str("{ ");
                    region(f, inner, out);
                    out.push_str("} ");
                }
            }
        }
    }
    match &f.regions[id].end {
        Terminator::Fallthrough(_) => out.push_str("fallthrough "),
        Terminator::Condition { .. } => out.push_str("condition "),
        Terminator::Merge(_) => out.push_str("merge "),
        Terminator::Reenter(_) => out.push_str("reenter "),
        Terminator::ReenterIf { .. } => out.push_str("reenter_if "),
        Terminator::Break(op, _) => write!(out, "break {} ", op.as_u32()).unwrap(),
        Terminator::Continue(op, _) => write!(out, "continue {} ", op.as_u32()).unwrap(),
        Terminator::Return(_) => out.push_str("return "),
        Terminator::Kill => out.push_str("kill "),
        Terminator::Unreachable => out.push_str("unreachable "),
    }
}
