// Execution modes whose operands are constants.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(constant_id = 3) const uint X = 4u;
const uint Y = X + 1u;
spirv_execution_mode_id(38, X, Y, 2u);
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(constant_id = 3) const uint X = 4u;
const uint Y = X + 1u;
[[spirv::execution_mode_id(38, X, Y, 1u + 1u)]];
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpExecutionModeId %main LocalSizeId %X %Y %uint_2
//                OpName %main "main"
//                OpName %X "X"
//                OpName %Y "Y"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpDecorate %X SpecId 3
//                OpDecorate %_runtimearr_float ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
//           %X = OpSpecConstant %uint 4
//      %uint_1 = OpConstant %uint 1
//           %Y = OpSpecConstantOp %uint IAdd %X %uint_1
//      %uint_2 = OpConstant %uint 2
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
//          %21 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//          %22 = OpLoad %float %21
//          %23 = OpFMul %float %22 %float_2
//          %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//                OpStore %24 %23
//                OpReturn
//                OpFunctionEnd
