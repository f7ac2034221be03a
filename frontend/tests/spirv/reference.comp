// Operands by reference: the pointer, whatever else stands before the type.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 234) uint at_(spirv_by_reference uint p, uint scope, uint semantics, uint value);
spirv_instruction(id = 230) uint exchange_(inout spirv_by_reference uint p, uint scope, uint equal, uint unequal, uint value, uint comparator);
spirv_instruction(id = 61) uint load_(const spirv_by_reference uint p);
spirv_instruction(id = 62) void store_(spirv_by_reference in uint p, uint value);
spirv_instruction(set = "GLSL.std.450", id = 35) float modf_(float x, out spirv_by_reference float whole);
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) buffer C { vec4 c; } c[2];
shared uint s[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  b[0] = at_(b[i], 1u, 0u, 2u) + at_((s[i]), 2u, 0u, 3u);
  b[1] = exchange_(b[2], 1u, 0u, 0u, 5u, load_(s[1]));
  store_(s[2], 7u);
  float whole;
  c[0].c.x = modf_(c[1].c.y, whole) + modf_(1.5, c[0].c.z);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(id = OpAtomicIAdd)]] uint at_([[spirv::reference]] uint p, uint scope, uint semantics, uint value);
[[spirv::instruction(id = 230)]] uint exchange_(inout [[spirv::by_reference]] uint p, uint scope, uint equal, uint unequal, uint value, uint comparator);
[[spirv::instruction(id = 61)]] uint load_(const [[spirv::reference]] uint p);
[[spirv::instruction(id = 62)]] void store_([[spirv::reference]] in uint p, uint value);
[[spirv::instruction(set = "GLSL.std.450", id = 35)]] float modf_(float x, out [[spirv::reference]] float whole);
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) buffer C { vec4 c; } c[2];
shared uint s[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  b[0] = at_(b[i], 1u, 0u, 2u) + at_((s[i]), 2u, 0u, 3u);
  b[1] = exchange_(b[2], 1u, 0u, 0u, 5u, load_(s[1]));
  store_(s[2], 7u);
  float whole;
  c[0].c.x = modf_(c[1].c.y, whole) + modf_(1.5, c[0].c.z);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %gl_LocalInvocationIndex %_ %s %c
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %i "i"
//                OpName %gl_LocalInvocationIndex "gl_LocalInvocationIndex"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %s "s"
//                OpName %C "C"
//                OpMemberName %C 0 "c"
//                OpName %c "c"
//                OpName %whole "whole"
//                OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
//                OpDecorate %_runtimearr_uint ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//                OpDecorate %C Block
//                OpMemberDecorate %C 0 Offset 0
//                OpDecorate %c Binding 1
//                OpDecorate %c DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
// %_ptr_Function_uint = OpTypePointer Function %uint
// %_ptr_Input_uint = OpTypePointer Input %uint
// %gl_LocalInvocationIndex = OpVariable %_ptr_Input_uint Input
// %_runtimearr_uint = OpTypeRuntimeArray %uint
//           %B = OpTypeStruct %_runtimearr_uint
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
//      %uint_1 = OpConstant %uint 1
//      %uint_0 = OpConstant %uint 0
//      %uint_2 = OpConstant %uint 2
//      %uint_4 = OpConstant %uint 4
// %_arr_uint_uint_4 = OpTypeArray %uint %uint_4
// %_ptr_Workgroup__arr_uint_uint_4 = OpTypePointer Workgroup %_arr_uint_uint_4
//           %s = OpVariable %_ptr_Workgroup__arr_uint_uint_4 Workgroup
// %_ptr_Workgroup_uint = OpTypePointer Workgroup %uint
//      %uint_3 = OpConstant %uint 3
//       %int_1 = OpConstant %int 1
//       %int_2 = OpConstant %int 2
//      %uint_5 = OpConstant %uint 5
//      %uint_7 = OpConstant %uint 7
//       %float = OpTypeFloat 32
//     %v4float = OpTypeVector %float 4
//           %C = OpTypeStruct %v4float
// %_arr_C_uint_2 = OpTypeArray %C %uint_2
// %_ptr_StorageBuffer__arr_C_uint_2 = OpTypePointer StorageBuffer %_arr_C_uint_2
//           %c = OpVariable %_ptr_StorageBuffer__arr_C_uint_2 StorageBuffer
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
// %_ptr_Function_float = OpTypePointer Function %float
//   %float_1_5 = OpConstant %float 1.5
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//           %i = OpVariable %_ptr_Function_uint Function
//       %whole = OpVariable %_ptr_Function_float Function
//          %12 = OpLoad %uint %gl_LocalInvocationIndex
//                OpStore %i %12
//          %19 = OpLoad %uint %i
//          %21 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %19
//          %25 = OpAtomicIAdd %uint %21 %uint_1 %uint_0 %uint_2
//          %30 = OpLoad %uint %i
//          %32 = OpAccessChain %_ptr_Workgroup_uint %s %30
//          %34 = OpAtomicIAdd %uint %32 %uint_2 %uint_0 %uint_3
//          %35 = OpIAdd %uint %25 %34
//          %36 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//                OpStore %36 %35
//          %39 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_2
//          %41 = OpAccessChain %_ptr_Workgroup_uint %s %int_1
//          %42 = OpLoad %uint %41
//          %43 = OpAtomicCompareExchange %uint %39 %uint_1 %uint_0 %uint_0 %uint_5 %42
//          %44 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
//                OpStore %44 %43
//          %45 = OpAccessChain %_ptr_Workgroup_uint %s %int_2
//                OpStore %45 %uint_7
//          %54 = OpAccessChain %_ptr_StorageBuffer_float %c %int_1 %int_0 %uint_1
//          %55 = OpLoad %float %54
//          %58 = OpExtInst %float %2 Modf %55 %whole
//          %60 = OpAccessChain %_ptr_StorageBuffer_float %c %int_0 %int_0 %uint_2
//          %61 = OpExtInst %float %2 Modf %float_1_5 %60
//          %62 = OpFAdd %float %58 %61
//          %63 = OpAccessChain %_ptr_StorageBuffer_float %c %int_0 %int_0 %uint_0
//                OpStore %63 %62
//                OpReturn
//                OpFunctionEnd
