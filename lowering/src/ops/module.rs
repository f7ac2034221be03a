//! What makes up a module: declarations, debug information, decorations, types (SPIR-V specification, §2.4 "Logical
//! Layout of a Module").

use super::row::{lift, unsupported};
use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Module;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const LAYOUT: &str = "obeyed, ignored or refused one by one: see the table of decorations";
const DEBUG: &str = "kept for messages and listings";

/// The rows.
pub const ROWS: &[&[Row]] = &[DECLARATIONS, DEBUG_INFORMATION, DECORATIONS, TYPES, OPAQUE_TYPES, KERNEL_TYPES, OTHERS];

const DECLARATIONS: &[Row] = &[
    lift!(Capability, "ignored", "skipped").note("declared but not used is no error"),
    lift!(Extension, "ignored", "skipped"),
    lift!(ExtInstImport, "–", "extended sets").note("GLSL.std.450 and NonSemantic sets; others are refused where used"),
    lift!(ExtInst, "–", "extended sets").note("see GLSL ops"),
    lift!(ExtInstWithForwardRefsKHR, "–", "skipped").note("non-semantic sets only"),
    lift!(MemoryModel, "ignored", "checked").note("Logical addressing; GLSL450 and Vulkan memory models"),
    lift!(EntryPoint, "–", "entry points").note("compute shaders"),
    lift!(ExecutionMode, "–", "entry points").note("see the table of execution modes"),
    lift!(ExecutionModeId, "–", "entry points").note("see the table of execution modes"),
];

const DEBUG_INFORMATION: &[Row] = &[
    lift!(SourceContinued, "–", "skipped"),
    lift!(Source, "–", "skipped"),
    lift!(SourceExtension, "–", "skipped"),
    lift!(Name, "–", "names").note(DEBUG),
    lift!(MemberName, "–", "names").note(DEBUG),
    lift!(String, "–", "names").note(DEBUG),
    lift!(Line, "llvm locations", "locations").note(DEBUG),
    lift!(NoLine, "llvm locations", "locations").note(DEBUG),
    lift!(ModuleProcessed, "–", "skipped"),
];

const DECORATIONS: &[Row] = &[
    lift!(Decorate, "–", "decorations").note(LAYOUT),
    lift!(MemberDecorate, "–", "decorations").note(LAYOUT),
    lift!(DecorationGroup, "–", "decorations"),
    lift!(GroupDecorate, "–", "decorations"),
    lift!(GroupMemberDecorate, "–", "decorations"),
    lift!(DecorateId, "–", "decorations").note(LAYOUT),
    lift!(DecorateString, "–", "decorations").note(LAYOUT),
    lift!(MemberDecorateString, "–", "decorations").note(LAYOUT),
];

const TYPES: &[Row] = &[
    lift!(TypeVoid, "!llvm.void", "types"),
    lift!(TypeBool, "i1", "types"),
    lift!(TypeInt, "i<bitwidth>", "types"),
    lift!(TypeFloat, "f16, f32, f64", "types"),
    lift!(TypeVector, "vector<count x scalar>", "types"),
    lift!(TypeMatrix, "–", "types"),
    lift!(TypeArray, "!llvm.array<count x element>", "types").note("ArrayStride is obeyed"),
    lift!(TypeRuntimeArray, "!llvm.array<0 x element>", "types").note("ArrayStride is obeyed"),
    lift!(TypeStruct, "!llvm.struct", "types").note("Offset is obeyed, natural or not"),
    lift!(TypePointer, "!llvm.ptr", "types").note("the storage class decides how memory is reached"),
    lift!(TypeFunction, "!llvm.func", "types"),
    lift!(TypeForwardPointer, "–", "types").note("only physical storage pointers use it"),
];

const OPAQUE_TYPES: &[Row] = &[
    lift!(TypeImage, "–", "types").note("may be declared; instructions on it are not done"),
    lift!(TypeSampler, "–", "types").note("may be declared; instructions on it are not done"),
    lift!(TypeSampledImage, "–", "types").note("may be declared; instructions on it are not done"),
];

const KERNEL_TYPES: &[Row] = unsupported![
    "a type of OpenCL kernels";
    TypeOpaque TypeEvent TypeDeviceEvent TypeReserveId TypeQueue TypePipe TypePipeStorage
];

const OTHERS: &[Row] = unsupported![
    "a declaration of an extension that is not done: use the core instructions";
    TypeUntypedPointerKHR TypeBufferEXT TypeVectorIdEXT MemberDecorateIdEXT ConstantSizeOfEXT TypeBufferSurfaceINTEL
    TypeStructContinuedINTEL ConstantCompositeContinuedINTEL SpecConstantCompositeContinuedINTEL
    ConditionalExtensionINTEL ConditionalEntryPointINTEL ConditionalCapabilityINTEL SpecConstantTargetINTEL
    SpecConstantArchitectureINTEL SpecConstantCapabilitiesINTEL
];
