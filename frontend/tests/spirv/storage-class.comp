// Storage classes of variables.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_storage_class(4) uint s[4];
spirv_storage_class(capabilities = [1], 6) float p;
layout(binding = 0) buffer B { uint b[]; };
void main() { s[1] = b[0]; p = 1.0; b[1] = s[1] + uint(p); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::storage_class(4)]] uint s[4];
[[spirv::storage_class(8 - 2), spirv::capability(Shader)]] float p;
layout(binding = 0) buffer B { uint b[]; };
void main() { s[1] = b[0]; p = 1.0; b[1] = s[1] + uint(p); }
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %s %_ %p
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %s "s"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %p "p"
//                OpDecorate %_runtimearr_uint ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
//      %uint_4 = OpConstant %uint 4
// %_arr_uint_uint_4 = OpTypeArray %uint %uint_4
// %_ptr_Workgroup__arr_uint_uint_4 = OpTypePointer Workgroup %_arr_uint_uint_4
//           %s = OpVariable %_ptr_Workgroup__arr_uint_uint_4 Workgroup
//         %int = OpTypeInt 32 1
//       %int_1 = OpConstant %int 1
// %_runtimearr_uint = OpTypeRuntimeArray %uint
//           %B = OpTypeStruct %_runtimearr_uint
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
// %_ptr_Workgroup_uint = OpTypePointer Workgroup %uint
//       %float = OpTypeFloat 32
// %_ptr_Private_float = OpTypePointer Private %float
//           %p = OpVariable %_ptr_Private_float Private
//     %float_1 = OpConstant %float 1
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %20 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//          %21 = OpLoad %uint %20
//          %23 = OpAccessChain %_ptr_Workgroup_uint %s %int_1
//                OpStore %23 %21
//                OpStore %p %float_1
//          %28 = OpAccessChain %_ptr_Workgroup_uint %s %int_1
//          %29 = OpLoad %uint %28
//          %30 = OpLoad %float %p
//          %31 = OpConvertFToU %uint %30
//          %32 = OpIAdd %uint %29 %31
//          %33 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
//                OpStore %33 %32
//                OpReturn
//                OpFunctionEnd
