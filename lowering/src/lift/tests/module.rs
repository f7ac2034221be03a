//! Everything of a module besides control flow: entry points, specialisation, places, flags, what is not used.

use super::asm::{assemble, assemble_as};
use super::{lift, shader};
use crate::ir::{self, ConstData, NO_CONTRACTION, OpKind, Opcode, Scalar, Type, VOLATILE};
use crate::{Error, Options};

fn with_spec(text: &str, spec: &[(u32, u64)]) -> crate::Result<ir::Module> {
    super::super::lift(&assemble(text), &Options { spec: spec.to_vec(), ..Options::default() })
}

/// The instructions of the entry point with this opcode.
fn find(module: &ir::Module, op: spirv::Op) -> Vec<(ir::Inst, ir::Loc)> {
    let f = &module.functions[module.entries[0].func];
    let inst = |op: &ir::Op| match &op.kind {
        OpKind::Inst(inst) => Some((inst.clone(), op.loc)),
        _ => None,
    };
    f.ops.values().filter_map(inst).filter(|(i, _)| i.opcode == Opcode::Core(op)).collect()
}

#[test]
fn entry_point_and_its_workgroup_size() {
    let module = lift("OpReturn").unwrap();
    let entry = &module.entries[0];
    assert_eq!((entry.name.as_str(), entry.local_size), ("main", [4, 2, 1]));
    assert_eq!(module.version, (1, 3));
    assert_eq!(module.capabilities, [spirv::Capability::Shader]);
    assert!(entry.modes.is_empty());
    let loads = find(&module, spirv::Op::Load);
    assert_eq!(loads.len(), 2);
    assert!(loads.iter().all(|l| l.1.word > 0 && l.1.id > 0 && l.1.line == 0));
}

const SPEC: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionModeId %main LocalSizeId %x %y %z
    OpName %x \"WIDTH\"
    OpDecorate %x SpecId 0
    OpDecorate %flag SpecId 1
    OpDecorate %f SpecId 2
    OpDecorate %i8 SpecId 3
    OpDecorate %unused SpecId 9
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %byte = OpTypeInt 8 1
    %float = OpTypeFloat 32
    %v2 = OpTypeVector %uint 2
    %x = OpSpecConstant %uint 16
    %flag = OpSpecConstantTrue %bool
    %f = OpSpecConstant %float 1.5
    %i8 = OpSpecConstant %byte -1
    %unused = OpSpecConstant %int -7
    %three = OpConstant %uint 3
    %y = OpSpecConstantOp %uint UDiv %x %three
    %z = OpConstant %uint 1
    %pair = OpSpecConstantComposite %v2 %x %y
    %swapped = OpSpecConstantOp %v2 VectorShuffle %pair %pair 1 0
    %first = OpSpecConstantOp %uint CompositeExtract %swapped 0
    %pick = OpSpecConstantOp %uint Select %flag %first %three
    %minus = OpSpecConstantOp %int SNegate %unused
    %ff = OpSpecConstantOp %bool FOrdLessThan %f %f
    %array = OpTypeArray %uint %pick
    %p = OpTypePointer Function %array
    %pb = OpTypePointer Function %bool
    %pi = OpTypePointer Function %byte
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %v = OpVariable %p Function
    %w = OpVariable %pb Function %ff
    %u = OpVariable %pi Function %i8
    OpReturn
    OpFunctionEnd";

fn array_length(module: &ir::Module) -> u32 {
    module.types.iter().find_map(|(_, t)| if let Type::Array { count, .. } = t { Some(*count) } else { None }).unwrap()
}

#[test]
fn specialisation() {
    let module = with_spec(SPEC, &[]).unwrap();
    assert_eq!(module.entries[0].local_size, [16, 5, 1]);
    assert_eq!(array_length(&module), 5);
    let spec: Vec<_> = module.spec_constants.iter().map(|s| (s.id, s.name.as_str(), s.default, s.value)).collect();
    let f = u64::from(1.5f32.to_bits());
    let minus7 = u64::from(-7i32 as u32);
    assert_eq!(
        spec,
        [(0, "WIDTH", 16, 16), (1, "", 1, 1), (2, "", f, f), (3, "", 0xff, 0xff), (9, "", minus7, minus7)]
    );

    let module = with_spec(SPEC, &[(0, 48), (77, 1)]).unwrap();
    assert_eq!(module.entries[0].local_size, [48, 16, 1]);
    assert_eq!(array_length(&module), 16);
    let module = with_spec(SPEC, &[(1, 0)]).unwrap();
    assert_eq!(array_length(&module), 3);
    // Narrow values take the bits that the type has.
    let module = with_spec(SPEC, &[(3, 0x1fe)]).unwrap();
    assert_eq!(module.spec_constants[3].value, 0xfe);
    assert_eq!(module.spec_constants[3].default, 0xff);
    // A workgroup without invocations.
    let error = with_spec(SPEC, &[(0, 0), (1, 0)]).unwrap_err();
    assert!(error.to_string().contains("workgroup size is 0x0x1"), "{error}");
    let error = with_spec(SPEC, &[(0, 1 << 20)]).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
}

#[test]
fn folded_operations() {
    let cases: &[(&str, u64)] = &[
        ("IAdd %a %b", 7u64.wrapping_sub(3) & 0xffff_ffff),
        ("SDiv %a %b", (-2i32) as u32 as u64),
        ("SRem %b %a", (-3i32) as u32 as u64),
        ("SMod %b %a", 4),
        ("SDiv %a %zero", 7),
        ("SRem %a %zero", 0),
        ("SDiv %min %minus1", 0x8000_0000),
        ("SRem %min %minus1", 0),
        ("UDiv %b %a", (0xffff_fffdu64) / 7),
        ("UMod %b %a", (0xffff_fffdu64) % 7),
        ("ShiftLeftLogical %a %shift", 7 << 1),
        ("ShiftRightArithmetic %b %shift", (-2i32) as u32 as u64),
        ("ShiftRightLogical %b %shift", 0xffff_fffd >> 1),
        ("Not %a", 0xffff_fff8),
    ];
    for (op, wanted) in cases {
        let constants = format!(
            "%int = OpTypeInt 32 1
             %a = OpConstant %int 7
             %b = OpConstant %int -3
             %zero = OpConstant %int 0
             %min = OpConstant %int -2147483648
             %minus1 = OpConstant %int -1
             %shift = OpConstant %int 33
             %fi = OpTypePointer Function %int
             %r = OpSpecConstantOp %int {op}
             %main = OpFunction"
        );
        let text = shader("%v = OpVariable %fi Function %r \n OpReturn").replace("%main = OpFunction", &constants);
        let module = with_spec(&text, &[]).unwrap_or_else(|e| panic!("{op}: {e}"));
        let f = &module.functions[module.entries[0].func];
        let init =
            f.ops.values().find_map(|o| if let OpKind::Variable { init } = o.kind { init } else { None }).unwrap();
        let init = f.as_const(init).unwrap();
        assert_eq!(module.consts[init].data, ConstData::Bits(*wanted), "{op}");
    }
    println!("checked {} operations", cases.len());
}

#[test]
fn pointers_are_not_cast() {
    let text = shader("%v = OpVariable %fl Function \n %n = OpBitcast %long %v \n OpReturn").replace(
        "%main = OpFunction",
        "%long = OpTypeInt 64 0
         %fl = OpTypePointer Function %long
         %main = OpFunction",
    );
    let error = with_spec(&text, &[]).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { instruction, .. } if instruction == "OpBitcast"), "{error}");
}

#[test]
fn lines_and_files() {
    let body = "%big = OpIAdd %uint %x %y
         OpLine %file 12 5
         %s = OpIAdd %uint %x %y
         OpNoLine
         %t = OpIAdd %uint %x %y
         OpLine %file 14 1
         OpBranch %next
         %next = OpLabel
         %u = OpIAdd %uint %x %y
         OpReturn";
    let text =
        shader(body).replace("OpName %main \"main\"", "%file = OpString \"a/shader.comp\" \n OpName %main \"main\"");
    let module = with_spec(&text, &[]).unwrap();
    let lines: Vec<u32> = find(&module, spirv::Op::IAdd).iter().map(|i| i.1.line).collect();
    // The end of a block ends the validity of a line.
    assert_eq!(lines, [0, 12, 0, 0]);
    assert_eq!(module.files, ["a/shader.comp"]);
    // The place of an error has all of it.
    let text = text.replace("%s = OpIAdd %uint %x %y", "%s = OpIAdd %uint %x %c");
    let error = with_spec(&text, &[]).unwrap_err().to_string();
    assert!(error.starts_with("a/shader.comp:12: (SPIR-V %"), "{error}");
    assert!(error.contains("IAdd do not fit together"), "{error}");
}

#[test]
fn lines_of_debug_information() {
    let body = "%l1 = OpExtInst %void %dbg 103 %src %n12 %n12 %n1 %n1
         %s = OpIAdd %uint %x %y
         %l2 = OpExtInst %void %dbg 104
         %t = OpIAdd %uint %x %y
         OpReturn";
    let text = shader(body)
        .replace("OpMemoryModel", "%dbg = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\" \n OpMemoryModel")
        .replace("OpName %main \"main\"", "%file = OpString \"b.hlsl\" \n OpName %main \"main\"")
        .replace(
            "%true =",
            "%src = OpExtInst %void %dbg 35 %file
             %n12 = OpConstant %uint 12
             %n1 = OpConstant %uint 1
             %true =",
        );
    let module = with_spec(&text, &[]).unwrap();
    let lines: Vec<u32> = find(&module, spirv::Op::IAdd).iter().map(|i| i.1.line).collect();
    assert_eq!((lines.as_slice(), module.files.as_slice()), (&[12, 0][..], &["b.hlsl".to_owned()][..]));
}

#[test]
fn flags() {
    let body = "%vl = OpLoad %uint %pi Volatile
         %s = OpIAdd %uint %vl %y
         OpStore %po %s
         OpStore %po %s Aligned 4
         OpReturn";
    let text = shader(body).replace("OpDecorate %arr", "OpDecorate %s NoContraction \n OpDecorate %arr");
    let module = with_spec(&text, &[]).unwrap();
    assert_eq!(find(&module, spirv::Op::Load).iter().map(|i| i.0.flags).collect::<Vec<_>>(), [0, 0, VOLATILE]);
    assert_eq!(find(&module, spirv::Op::IAdd)[0].0.flags, NO_CONTRACTION);
    let stores = find(&module, spirv::Op::Store);
    assert_eq!((stores[0].0.literals.as_slice(), stores[1].0.literals.as_slice()), (&[][..], &[2, 4][..]));
    // By decoration, of the member and of the variable.
    for decoration in ["OpMemberDecorate %S 0 Volatile", "OpDecorate %out Volatile"] {
        let text = text.replace("OpDecorate %arr", &format!("{decoration} \n OpDecorate %arr"));
        let module = with_spec(&text, &[]).unwrap();
        assert!(find(&module, spirv::Op::Store).iter().all(|s| s.0.flags == VOLATILE), "{decoration}");
    }
}

#[test]
fn what_is_not_used_cannot_fail() {
    let text = shader("OpReturn")
        .replace("OpCapability Shader", "OpCapability Shader \n OpCapability 99999 \n OpCapability RayTracingKHR")
        .replace(
            "%main = OpFunction",
            "%img = OpTypeImage %uint 1 0 0 0 2 0
             %wide = OpTypeInt 128 0
             %pimg = OpTypePointer UniformConstant %img
             %tex = OpVariable %pimg UniformConstant
             %main = OpFunction",
        )
        + "
         %other = OpFunction %void None %fn
         %ob = OpLabel
         %bad = OpLoad %uint %undefined
         OpBranch %nowhere
         OpFunctionEnd";
    let module = with_spec(&text, &[]).unwrap();
    assert_eq!(module.functions.len(), 1);
    assert!(!module.types.iter().any(|(_, t)| matches!(t, Type::Opaque(_))));
    assert_eq!(module.globals.len(), 2);
}

#[test]
fn unsupported_instructions_are_named() {
    let text = shader("%q = OpExtInst %uint %set 5 %x \n OpReturn")
        .replace("OpMemoryModel", "%set = OpExtInstImport \"my.set\" \n OpMemoryModel");
    let error = with_spec(&text, &[]).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { instruction, .. } if instruction.contains("my.set")), "{error}");
    // Debug information is dropped.
    let text = text.replace("my.set", "NonSemantic.Shader.DebugInfo.100");
    assert!(with_spec(&text, &[]).is_ok());
    // An opcode that no header knows.
    let mut words = assemble(&shader("OpNop \n OpReturn"));
    let at = words.iter().position(|&w| w == 0x0001_0000).unwrap();
    words[at] = 0x0001_0000 | 60000;
    let error = super::super::lift(&words, &Options::default()).unwrap_err();
    assert!(
        matches!(&error, Error::Unsupported { instruction, .. } if instruction.starts_with("opcode 60000")),
        "{error}"
    );
}

#[test]
fn choice_of_the_entry_point() {
    let second = "OpEntryPoint GLCompute %main \"main\" \n OpEntryPoint GLCompute %main \"other\"";
    let text = shader("OpReturn").replace("OpEntryPoint GLCompute %main \"main\"", second);
    let error = with_spec(&text, &[]).unwrap_err().to_string();
    assert_eq!(error, "the module has several entry points; choose one of 'main', 'other'");
    let choose =
        |name: &str| super::super::lift(&assemble(&text), &Options { entry: Some(name.into()), ..Options::default() });
    assert_eq!(choose("other").unwrap().entries[0].name, "other");
    let error = choose("third").unwrap_err().to_string();
    assert_eq!(error, "there is no entry point 'third'; the module has 'main', 'other'");
    // The only compute shader is taken without being named.
    let text = text.replace("GLCompute %main \"other\"", "Vertex %main \"other\"");
    assert_eq!(with_spec(&text, &[]).unwrap().entries[0].name, "main");
}

#[test]
fn calls() {
    let text =
        shader("%v = OpVariable %fu Function %u3 \n %r = OpFunctionCall %uint %f %v %x \n OpStore %po %r \n OpReturn")
            .replace("%main = OpFunction", "%ft = OpTypeFunction %uint %fu %uint \n %main = OpFunction")
            + "
         %f = OpFunction %uint DontUnroll %ft
         %fp = OpFunctionParameter %fu
         %fv = OpFunctionParameter %uint
         %fb = OpLabel
         %fl = OpLoad %uint %fp
         %fs = OpIAdd %uint %fl %fv
         OpReturnValue %fs
         OpFunctionEnd";
    let module = with_spec(&text, &[]).unwrap();
    assert_eq!(module.functions.len(), 2);
    let main = &module.functions[module.entries[0].func];
    let call =
        main.ops.values().find_map(|o| if let OpKind::Call { callee, .. } = o.kind { Some(callee) } else { None });
    let callee = &module.functions[call.unwrap()];
    assert_eq!((callee.params.len(), callee.control), (2, 2));
    // Another number of arguments.
    let error = with_spec(&text.replace("%f %v %x", "%f %v"), &[]).unwrap_err();
    assert!(error.to_string().contains("does not fit"), "{error}");
}

#[test]
fn constants_of_every_width() {
    let text = shader("OpReturn").replace(
        "%main = OpFunction",
        "%i8 = OpTypeInt 8 1
         %u64 = OpTypeInt 64 0
         %f64 = OpTypeFloat 64
         %p8 = OpTypePointer Private %i8
         %p64 = OpTypePointer Private %u64
         %c8 = OpConstant %i8 -2
         %c64 = OpConstant %u64 18446744073709551614
         %g8 = OpVariable %p8 Private %c8
         %g64 = OpVariable %p64 Private %c64
         %main = OpFunction",
    );
    let text = text.replace("OpReturn", "%l8 = OpLoad %i8 %g8 \n %l64 = OpLoad %u64 %g64 \n OpReturn");
    let module = super::super::lift(&assemble_as(5, &text), &Options::default()).unwrap();
    let inits: Vec<_> = module.globals.values().filter_map(|g| g.init).map(|c| module.consts[c].data.clone()).collect();
    assert_eq!(inits, [ConstData::Bits(0xfe), ConstData::Bits(0xffff_ffff_ffff_fffe)]);
    let byte = Type::Scalar(Scalar::Int { width: 8, signed: true });
    assert!(module.types.iter().any(|(_, t)| *t == byte));
}

#[test]
fn recursive_types_through_physical_pointers() {
    let text = shader("%nl = OpAccessChain %pnode %root %u0 \n OpReturn").replace(
        "%arr = OpTypeRuntimeArray",
        "OpTypeForwardPointer %next PhysicalStorageBuffer
         %Node = OpTypeStruct %next %uint
         %next = OpTypePointer PhysicalStorageBuffer %Node
         %Root = OpTypeStruct %next
         %pRoot = OpTypePointer StorageBuffer %Root
         %pnode = OpTypePointer StorageBuffer %next
         %root = OpVariable %pRoot StorageBuffer
         %arr = OpTypeRuntimeArray",
    );
    let module = with_spec(&text, &[]).unwrap();
    let node = module.types.structs.values().find(|s| s.members.len() == 2).unwrap();
    let (_, to) = module.types.pointee(node.members[0].ty).unwrap();
    assert_eq!(module.types.constituents(to), Some(2));
}
