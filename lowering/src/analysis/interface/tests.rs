use super::*;
use crate::Options;
use crate::lift::tests::asm::assemble;

const SHADER: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 64 1 1
    OpName %main \"main\"
    OpName %In \"Params\"
    OpMemberName %In 0 \"scale\"
    OpMemberName %In 1 \"rows\"
    OpMemberName %In 2 \"light\"
    OpName %Light \"Light\"
    OpMemberName %Light 0 \"position\"
    OpMemberName %Light 1 \"on\"
    OpName %Out \"Out\"
    OpMemberName %Out 0 \"count\"
    OpMemberName %Out 1 \"data\"
    OpName %results \"results\"
    OpMemberName %Push 0 \"offset\"
    OpMemberName %Push 1 \"size\"
    OpDecorate %rt ArrayStride 16
    OpDecorate %arr ArrayStride 64
    OpDecorate %In Block
    OpMemberDecorate %In 0 Offset 0
    OpMemberDecorate %In 1 Offset 16
    OpMemberDecorate %In 1 MatrixStride 16
    OpMemberDecorate %In 1 RowMajor
    OpMemberDecorate %In 2 Offset 208
    OpMemberDecorate %Light 0 Offset 0
    OpMemberDecorate %Light 1 Offset 12
    OpDecorate %Out Block
    OpMemberDecorate %Out 0 Offset 0
    OpMemberDecorate %Out 1 Offset 16
    OpDecorate %Push Block
    OpMemberDecorate %Push 0 Offset 0
    OpMemberDecorate %Push 1 Offset 8
    OpDecorate %params DescriptorSet 1
    OpDecorate %params Binding 0
    OpDecorate %results DescriptorSet 0
    OpDecorate %results Binding 7
    OpDecorate %many DescriptorSet 0
    OpDecorate %many Binding 2
    OpDecorate %unused DescriptorSet 0
    OpDecorate %unused Binding 0
    OpDecorate %n SpecId 5
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %v2 = OpTypeVector %uint 2
    %v3 = OpTypeVector %float 3
    %v4 = OpTypeVector %float 4
    %mat = OpTypeMatrix %v4 3
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u3 = OpConstant %uint 3
    %n = OpSpecConstant %uint 3
    %Light = OpTypeStruct %v3 %uint
    %arr = OpTypeArray %mat %n
    %rt = OpTypeRuntimeArray %v4
    %In = OpTypeStruct %float %arr %Light
    %Out = OpTypeStruct %uint %rt
    %Push = OpTypeStruct %v2 %uint
    %outs = OpTypeArray %Out %u3
    %pIn = OpTypePointer Uniform %In
    %pOut = OpTypePointer StorageBuffer %Out
    %pOuts = OpTypePointer StorageBuffer %outs
    %pPush = OpTypePointer PushConstant %Push
    %pUu = OpTypePointer PushConstant %uint
    %pf = OpTypePointer Uniform %float
    %psu = OpTypePointer StorageBuffer %uint
    %params = OpVariable %pIn Uniform
    %results = OpVariable %pOut StorageBuffer
    %many = OpVariable %pOuts StorageBuffer
    %unused = OpVariable %pOut StorageBuffer
    %push = OpVariable %pPush PushConstant
    %ft = OpTypeFunction %void %psu
    %write = OpFunction %void None %ft
    %wp = OpFunctionParameter %psu
    %wb = OpLabel
    %old = OpAtomicIAdd %uint %wp %u1 %u0 %u1
    OpReturn
    OpFunctionEnd
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %a = OpAccessChain %pf %params %u0
    %s = OpLoad %float %a
    %b = OpAccessChain %psu %many %u1 %u0
    %c = OpLoad %uint %b
    %d = OpAccessChain %psu %results %u0
    %call = OpFunctionCall %void %write %d
    %e = OpAccessChain %pUu %push %u1
    %f = OpLoad %uint %e
    OpReturn
    OpFunctionEnd";

fn of(text: &str) -> Result<Interface> {
    let module = crate::lift::lift(&assemble(text), &Options::default())?;
    interface(&module, 0)
}

#[test]
fn resources_in_order_with_slots() {
    let found = of(SHADER).unwrap();
    assert_eq!((found.entry.as_str(), found.local_size), ("main", [64, 1, 1]));
    let list: Vec<_> = found.resources.iter().map(|r| (r.set, r.binding, r.name.as_str(), r.slot, r.count)).collect();
    assert_eq!(list, [(0, 2, "Out", 0, 3), (0, 7, "results", 3, 1), (1, 0, "Params", 4, 1)]);
    assert_eq!(found.slots, 5);
    let [many, results, params] = &found.resources[..] else { panic!() };
    // The atomic in the function that is called counts; a load does not.
    assert_eq!((many.written, results.written, params.written), (false, true, false));
    assert_eq!((results.kind, params.kind), (ResourceKind::StorageBuffer, ResourceKind::UniformBuffer));
    assert_eq!((results.fixed_size, results.runtime_stride), (16, Some(16)));
    assert_eq!((params.fixed_size, params.runtime_stride), (224, None));
    assert_eq!(found.spec_constants.len(), 1);
    assert_eq!((found.spec_constants[0].id, found.spec_constants[0].value), (5, 3));
}

#[test]
fn members_with_glsl_types() {
    let found = of(SHADER).unwrap();
    let list =
        |m: &[MemberInfo]| m.iter().map(|m| format!("{} {} {} {}", m.offset, m.size, m.ty, m.name)).collect::<Vec<_>>();
    let params = list(&found.resources[2].members);
    assert_eq!(
        params,
        ["0 4 float scale", "16 188 mat3x4[3] rows", "208 12 vec3 light.position", "220 4 uint light.on"]
    );
    assert_eq!(list(&found.resources[1].members), ["0 4 uint count", "16 0 vec4[] data"]);
    assert_eq!(found.push_size, 12);
    assert_eq!(list(&found.push_members), ["0 8 uvec2 offset", "8 4 uint size"]);
    assert_eq!(found.push_members[0].scalar, Some((Scalar::U32, 2)));
}

#[test]
fn errors_name_the_buffer() {
    let error = of(&SHADER.replace("OpDecorate %results Binding 7", "")).unwrap_err().to_string();
    assert!(error.contains("'results' has no Binding"), "{error}");
    let error = of(&SHADER.replace("OpTypeArray %Out %u3", "OpTypeRuntimeArray %Out")).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(interface(&Module::default(), 0).is_err());
}

#[test]
fn variables_that_share_a_binding_share_its_slots() {
    let found = of(&SHADER.replace("OpDecorate %results Binding 7", "OpDecorate %results Binding 2")).unwrap();
    let slots: Vec<_> = found.resources.iter().map(|r| r.slot).collect();
    assert_eq!((slots.as_slice(), found.slots), (&[0, 0, 3][..], 4));
}

#[test]
fn spelling_of_types() {
    let mut types = Types::default();
    let double = Type::Vector { component: Scalar::Float(64), count: 3 };
    let column = types.intern(double);
    let square = types.intern(Type::Matrix { column, columns: 3 });
    let inner = types.intern(Type::Array { element: square, count: 4, stride: 0 });
    let outer = types.intern(Type::RuntimeArray { element: inner, stride: 0 });
    assert_eq!(glsl_type(&types, outer), "dmat3[][4]");
    let signed = types.intern(Type::Vector { component: Scalar::I32, count: 2 });
    assert_eq!(glsl_type(&types, signed), "ivec2");
    let half = types.scalar(Scalar::Float(16));
    assert_eq!(glsl_type(&types, half), "float16_t");
}
