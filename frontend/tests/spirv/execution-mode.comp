// Execution modes with literals; several with one number; one that is given twice.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 32);
spirv_execution_mode(capabilities = [9], 4459, 16);
spirv_execution_mode(4459, 32);
spirv_execution_mode(capabilities = [4466], 4461, 32);
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::execution_mode(4459, 32)]] [[spirv::extension("SPV_KHR_float_controls"), spirv::capability(DenormPreserve)]];
[[spirv::execution_mode(4459, 8 + 8), spirv::capability(Float16)]]
[[spirv::execution_mode(4459, 32)]];
[[spirv::execution_mode(4461, 32)]] [[spirv::capability(SignedZeroInfNanPreserve)]]
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== spirv
//                OpCapability Shader
//                OpCapability Float16
//                OpCapability DenormPreserve
//                OpCapability SignedZeroInfNanPreserve
//                OpExtension "SPV_KHR_float_controls"
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpExecutionMode %main DenormPreserve 32
//                OpExecutionMode %main SignedZeroInfNanPreserve 32
//                OpExecutionMode %main DenormPreserve 16
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
//       %float = OpTypeFloat 32
// %_runtimearr_float = OpTypeRuntimeArray %float
//           %B = OpTypeStruct %_runtimearr_float
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
//     %float_2 = OpConstant %float 2
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %16 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//          %17 = OpLoad %float %16
//          %18 = OpFMul %float %17 %float_2
//          %19 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//                OpStore %19 %18
//                OpReturn
//                OpFunctionEnd
