// Literals of extended sets: glslang alone would write 0.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "NonSemantic.Test", id = 7) void note_(spirv_literal int a, float x, spirv_literal float b);
spirv_instruction(set = "NonSemantic.Test", id = 8) void one_(spirv_literal bool a);
spirv_instruction(set = "NonSemantic.Test", id = 9) void two_(spirv_literal uint a, spirv_literal int b);
layout(binding = 0) buffer B { float b[]; };
const int FIVE = 5;
void main() {
  note_(FIVE * 2, b[0], 1.5);
  one_(true);
  two_(~0u, -2);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::set(1 << 4, "NonSemantic.Test")]] [[spirv::instruction(set = 16, id = 7)]] void note_([[spirv::literal]] int a, float x, [[spirv::literal]] float b);
[[spirv::instruction(set = 16, id = 8)]] void one_([[spirv::literal]] bool a);
[[spirv::instruction(set = 16, id = 9)]] void two_([[spirv::literal]] uint a, [[spirv::literal]] int b);
layout(binding = 0) buffer B { float b[]; };
const int FIVE = 5;
void main() {
  note_(FIVE * 2, b[0], 1.5);
  one_(true);
  two_(~0u, -2);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//          %19 = OpExtInstImport "NonSemantic.Test"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpDecorate %_runtimearr_float ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//         %int = OpTypeInt 32 1
//      %int_10 = OpConstant %int 10
//       %float = OpTypeFloat 32
// %_runtimearr_float = OpTypeRuntimeArray %float
//           %B = OpTypeStruct %_runtimearr_float
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//   %float_1_5 = OpConstant %float 1.5
//        %bool = OpTypeBool
//        %true = OpConstantTrue %bool
//        %uint = OpTypeInt 32 0
// %uint_4294967295 = OpConstant %uint 4294967295
//      %int_n2 = OpConstant %int -2
//       %int_5 = OpConstant %int 5
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %16 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//          %17 = OpLoad %float %16
//          %20 = OpExtInst %void %19 7 %_runtimearr_float %17 %1069547520
//          %23 = OpExtInst %void %19 8 %1
//          %27 = OpExtInst %void %19 9 %4294967295 %4294967294
//                OpReturn
//                OpFunctionEnd
