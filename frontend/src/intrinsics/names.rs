//! Names of SPIR-V that sources use in place of numbers, and what instructions may not stand in a function's body.
//!
//! The names come from the SPIRV-Tools that shaderc's library holds, and so are as new as the rest of the front end.

use crate::tools;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Opcodes are looked for below this number.
const OPCODES: u32 = 8_192;

/// The number of the instruction `name`, such as `OpIAdd`.
pub(super) fn opcode(name: &str) -> Option<u32> {
    static NUMBERS: OnceLock<HashMap<String, u32>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        (0..OPCODES).filter_map(|number| Some((tools::opcode_name(number)?.to_string(), number))).collect()
    });
    numbers.get(name.strip_prefix("Op")?).copied()
}

/// The name of an instruction, without `Op`.
pub(super) fn opcode_name(number: u32) -> Option<&'static str> {
    tools::opcode_name(number)
}

/// The number of a capability.
pub(super) fn capability(name: &str) -> Option<u32> {
    tools::capability(name)
}

/// Beginnings of the names of instructions that stand outside of functions or end a block.
const FORBIDDEN_GROUPS: &[(&str, &str)] = &[
    ("Type", "declares a type: use spirv_type"),
    ("Constant", "declares a constant: write the constant in GLSL"),
    ("SpecConstant", "declares a constant: write `layout(constant_id = …) const` in GLSL"),
    ("Decorat", "decorates: use spirv_decorate"),
    ("MemberDecorat", "decorates: use spirv_decorate on the member"),
    ("GroupDecorat", "decorates: use spirv_decorate"),
    ("GroupMemberDecorat", "decorates: use spirv_decorate on the member"),
    ("ExecutionMode", "sets an execution mode: use spirv_execution_mode"),
    ("Source", "is debug information"),
    ("Branch", "ends a block: use if, switch or a loop"),
    ("Return", "ends a block: use return"),
];

/// Instructions that stand outside of functions, that end a block, or that hold one together.
const FORBIDDEN: &[(&str, &str)] = &[
    ("Name", "is debug information"),
    ("MemberName", "is debug information"),
    ("String", "is debug information"),
    ("Line", "is debug information"),
    ("NoLine", "is debug information"),
    ("ModuleProcessed", "is debug information"),
    ("Capability", "declares a capability: use `capabilities = […]`"),
    ("ConditionalCapabilityINTEL", "declares a capability: use `capabilities = […]`"),
    ("Extension", "declares an extension: use `extensions = […]`"),
    ("ExtInstImport", "declares an instruction set: use `set = \"…\"`"),
    ("ExtInst", "needs a set: use `set = \"…\"` with the number that the instruction has there"),
    ("MemoryModel", "is the module's"),
    ("EntryPoint", "is the module's"),
    ("Function", "makes a function"),
    ("FunctionParameter", "makes a function"),
    ("FunctionEnd", "makes a function"),
    ("FunctionCall", "needs a function's id, which GLSL cannot name: call the function"),
    ("Variable", "declares a variable: declare it in GLSL, with spirv_storage_class if need be"),
    ("UntypedVariableKHR", "declares a variable: declare it in GLSL, with spirv_storage_class if need be"),
    ("Phi", "needs the ids of blocks"),
    ("LoopMerge", "needs the ids of blocks: use a loop"),
    ("SelectionMerge", "needs the ids of blocks: use if"),
    ("Label", "begins a block"),
    ("Switch", "ends a block: use switch"),
    ("Kill", "ends a block: use discard"),
    ("Unreachable", "ends a block"),
    ("TerminateInvocation", "ends a block: use GL_EXT_terminate_invocation"),
    ("IgnoreIntersectionKHR", "ends a block: use ignoreIntersectionEXT"),
    ("TerminateRayKHR", "ends a block: use terminateRayEXT"),
    ("EmitMeshTasksEXT", "ends a block: use EmitMeshTasksEXT of GL_EXT_mesh_shader"),
    ("AbortKHR", "ends a block"),
];

/// Why the instruction `number` cannot stand in a function's body; `None` where it can, or is not known.
pub(super) fn forbidden(number: u32) -> Option<String> {
    let name = opcode_name(number)?;
    let exact = FORBIDDEN.iter().find(|(known, _)| *known == name);
    let reason = exact.or_else(|| FORBIDDEN_GROUPS.iter().find(|(group, _)| name.starts_with(group)));
    reason.map(|(_, reason)| format!("Op{name} cannot stand among the instructions of a function: it {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        for (name, number) in [("OpNop", 0), ("OpIAdd", 128), ("OpAtomicIAdd", 234), ("OpSDot", 4450)] {
            assert_eq!(opcode(name), Some(number), "{name}");
            assert_eq!(opcode_name(number), name.strip_prefix("Op"));
        }
        assert_eq!((opcode("OpNonsense"), opcode("IAdd"), opcode_name(60_000)), (None, None, None));
        for (name, number) in [("Matrix", 0), ("Int64", 11), ("GroupNonUniform", 61), ("ShaderClockKHR", 5055)] {
            assert_eq!(capability(name), Some(number), "{name}");
        }
        assert_eq!((capability("Nonsense"), capability("5"), capability("Int64\nOpNop")), (None, None, None));
    }

    #[test]
    fn every_name_of_the_tables_exists() {
        for (name, _) in FORBIDDEN.iter().filter(|(name, _)| !["AbortKHR", "ConditionalCapabilityINTEL"].contains(name))
        {
            assert!(opcode(&format!("Op{name}")).is_some(), "{name}");
        }
        for (group, _) in FORBIDDEN_GROUPS {
            let found = (0..OPCODES).filter(|number| opcode_name(*number).is_some_and(|name| name.starts_with(group)));
            assert!(found.count() > 0, "{group}");
        }
        let refused = (0..OPCODES).filter(|number| forbidden(*number).is_some()).count();
        println!("{refused} instructions are refused");
        assert!((90..250).contains(&refused));
        for number in [0, 1, 61, 62, 128, 227, 400, 4450, 5056, 5380] {
            assert_eq!(forbidden(number), None);
        }
    }
}
