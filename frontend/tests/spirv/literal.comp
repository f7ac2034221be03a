// Operands that are words of the instruction.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 81) float extract_(vec4 v, spirv_literal int index);
spirv_instruction(id = 79) vec2 shuffle_(vec4 a, vec4 b, spirv_literal uint x, spirv_literal uint y);
spirv_instruction(id = 81) float extract2_(mat4 m, spirv_literal int column, spirv_literal bool row);
layout(binding = 0) buffer B { vec4 b[]; };
const int THREE = 3;
void main() {
  b[1].xy = shuffle_(b[0], b[2], 1, 2 + 3);
  b[1].z = extract_(b[0], THREE) + extract2_(mat4(b[0], b[1], b[2], b[3]), 2, true);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(id = 81)]] float extract_(vec4 v, [[spirv::literal]] int index);
[[spirv::instruction(id = 79)]] vec2 shuffle_(vec4 a, vec4 b, [[spirv::literal]] uint x, uint y [[spirv::literal]]);
[[spirv::instruction(id = 81)]] float extract2_(mat4 m, [[spirv::literal]] int column, [[spirv::literal]] bool row);
layout(binding = 0) buffer B { vec4 b[]; };
const int THREE = 3;
void main() {
  b[1].xy = shuffle_(b[0], b[2], 1, 2 + 3);
  b[1].z = extract_(b[0], THREE) + extract2_(mat4(b[0], b[1], b[2], b[3]), 2, true);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpDecorate %_runtimearr_v4float ArrayStride 16
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//       %float = OpTypeFloat 32
//     %v4float = OpTypeVector %float 4
// %_runtimearr_v4float = OpTypeRuntimeArray %v4float
//           %B = OpTypeStruct %_runtimearr_v4float
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
//       %int_1 = OpConstant %int 1
// %_ptr_StorageBuffer_v4float = OpTypePointer StorageBuffer %v4float
//       %int_2 = OpConstant %int 2
//     %v2float = OpTypeVector %float 2
//        %uint = OpTypeInt 32 0
//      %uint_0 = OpConstant %uint 0
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//      %uint_1 = OpConstant %uint 1
//       %int_3 = OpConstant %int 3
// %mat4v4float = OpTypeMatrix %v4float 4
//     %float_1 = OpConstant %float 1
//     %float_0 = OpConstant %float 0
//      %uint_2 = OpConstant %uint 2
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %17 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_0
//          %18 = OpLoad %v4float %17
//          %20 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_2
//          %21 = OpLoad %v4float %20
//          %23 = OpVectorShuffle %v2float %18 %21 1 5
//          %27 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1 %uint_0
//          %28 = OpCompositeExtract %float %23 0
//                OpStore %27 %28
//          %30 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1 %uint_1
//          %31 = OpCompositeExtract %float %23 1
//                OpStore %30 %31
//          %32 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_0
//          %33 = OpLoad %v4float %32
//          %34 = OpCompositeExtract %float %33 3
//          %35 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_0
//          %36 = OpLoad %v4float %35
//          %37 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_1
//          %38 = OpLoad %v4float %37
//          %39 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_2
//          %40 = OpLoad %v4float %39
//          %42 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_0 %int_3
//          %43 = OpLoad %v4float %42
//          %47 = OpCompositeExtract %float %36 0
//          %48 = OpCompositeExtract %float %36 1
//          %49 = OpCompositeExtract %float %36 2
//          %50 = OpCompositeExtract %float %36 3
//          %51 = OpCompositeExtract %float %38 0
//          %52 = OpCompositeExtract %float %38 1
//          %53 = OpCompositeExtract %float %38 2
//          %54 = OpCompositeExtract %float %38 3
//          %55 = OpCompositeExtract %float %40 0
//          %56 = OpCompositeExtract %float %40 1
//          %57 = OpCompositeExtract %float %40 2
//          %58 = OpCompositeExtract %float %40 3
//          %59 = OpCompositeExtract %float %43 0
//          %60 = OpCompositeExtract %float %43 1
//          %61 = OpCompositeExtract %float %43 2
//          %62 = OpCompositeExtract %float %43 3
//          %63 = OpCompositeConstruct %v4float %47 %48 %49 %50
//          %64 = OpCompositeConstruct %v4float %51 %52 %53 %54
//          %65 = OpCompositeConstruct %v4float %55 %56 %57 %58
//          %66 = OpCompositeConstruct %v4float %59 %60 %61 %62
//          %67 = OpCompositeConstruct %mat4v4float %63 %64 %65 %66
//          %68 = OpCompositeExtract %float %67 2 1
//          %69 = OpFAdd %float %34 %68
//          %71 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1 %uint_2
//                OpStore %71 %69
//                OpReturn
//                OpFunctionEnd
