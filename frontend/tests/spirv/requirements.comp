// Extensions and capabilities, in any order and place, once each, also of what is never called.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_shader_clock", "SPV_KHR_multiview"], capabilities = [5055, 61], id = 130) uint sub_(uint, uint);
spirv_instruction(capabilities = [61, 4439], id = 199) uint and_(uint, uint);
spirv_instruction(id = 197, capabilities = [62], extensions = ["SPV_KHR_multiview"]) uint or_(uint, uint);
float f() { return 1.0; }
layout(binding = 0) buffer B { uint b[]; };
void main() { b[0] = sub_(b[1], b[2]); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::extension("SPV_KHR_shader_clock", "SPV_KHR_multiview")]] [[spirv::capability(5055, 61)]] [[spirv::instruction(id = 130)]] uint sub_(uint, uint);
[[spirv::instruction(id = 199), spirv::capability(MultiView)]] uint and_(uint, uint);
[[spirv::instruction(id = 197)]] [[spirv::capability(GroupNonUniformVote)]] uint or_(uint, uint);
[[spirv::capability(62)]] float f() { return 1.0; }
layout(binding = 0) buffer B { uint b[]; };
void main() { b[0] = sub_(b[1], b[2]); }
// ==== spirv
//                OpCapability Shader
//                OpCapability GroupNonUniform
//                OpCapability GroupNonUniformVote
//                OpCapability MultiView
//                OpCapability ShaderClockKHR
//                OpExtension "SPV_KHR_multiview"
//                OpExtension "SPV_KHR_shader_clock"
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpDecorate %_runtimearr_uint ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
// %_runtimearr_uint = OpTypeRuntimeArray %uint
//           %B = OpTypeStruct %_runtimearr_uint
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
//       %int_1 = OpConstant %int 1
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
//       %int_2 = OpConstant %int 2
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %16 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
//          %17 = OpLoad %uint %16
//          %19 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_2
//          %20 = OpLoad %uint %19
//          %21 = OpISub %uint %17 %20
//          %22 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//                OpStore %22 %21
//                OpReturn
//                OpFunctionEnd
