// Core instructions: results of all kinds, overloads, unnamed parameters, numbers as GLSL writes them.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
struct R { uint low; uint high; };
spirv_instruction(id = 128) uint add_(uint a, uint b);
spirv_instruction(id = 0x80) uvec2 add_(uvec2, uvec2);
spirv_instruction(id = 0200) int add_(int, int);
spirv_instruction(id = 149) R addc_(uint a, uint b);
spirv_instruction(id = 225)
void barrier_(uint scope, uint semantics);
layout(binding = 0) buffer B { uint b[]; };
void main() {
  R r = addc_(b[0], b[1]);
  uvec2 v = add_(uvec2(r.low), uvec2(r.high));
  b[2] = add_(v.x, v.y) + uint(add_(1, int(b[3])));
  barrier_(1u, 72u);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
struct R { uint low; uint high; };
[[spirv::instruction(id = OpIAdd)]] uint add_(uint a, uint b);
[[spirv::instruction(id = (100 + 28))]] uvec2 add_(uvec2, uvec2);
[[ spirv :: instruction ( id = 128u ) ]] int add_(int, int);
[[spirv::instruction(id = OpIAddCarry)]] R addc_(uint a, uint b);
[[spirv::instruction(id = OpMemoryBarrier)]]
void barrier_(uint scope, uint semantics);
layout(binding = 0) buffer B { uint b[]; };
void main() {
  R r = addc_(b[0], b[1]);
  uvec2 v = add_(uvec2(r.low), uvec2(r.high));
  b[2] = add_(v.x, v.y) + uint(add_(1, int(b[3])));
  barrier_(1u, 72u);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %R "R"
//                OpMemberName %R 0 "low"
//                OpMemberName %R 1 "high"
//                OpName %r "r"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %v "v"
//                OpDecorate %_runtimearr_uint ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
//           %R = OpTypeStruct %uint %uint
// %_ptr_Function_R = OpTypePointer Function %R
// %_runtimearr_uint = OpTypeRuntimeArray %uint
//           %B = OpTypeStruct %_runtimearr_uint
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
//       %int_1 = OpConstant %int 1
//      %v2uint = OpTypeVector %uint 2
// %_ptr_Function_v2uint = OpTypePointer Function %v2uint
// %_ptr_Function_uint = OpTypePointer Function %uint
//       %int_2 = OpConstant %int 2
//      %uint_0 = OpConstant %uint 0
//      %uint_1 = OpConstant %uint 1
//       %int_3 = OpConstant %int 3
//     %uint_72 = OpConstant %uint 72
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//           %r = OpVariable %_ptr_Function_R Function
//           %v = OpVariable %_ptr_Function_v2uint Function
//          %18 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//          %19 = OpLoad %uint %18
//          %21 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
//          %22 = OpLoad %uint %21
//          %23 = OpIAddCarry %R %19 %22
//                OpStore %r %23
//          %28 = OpAccessChain %_ptr_Function_uint %r %int_0
//          %29 = OpLoad %uint %28
//          %30 = OpCompositeConstruct %v2uint %29 %29
//          %31 = OpAccessChain %_ptr_Function_uint %r %int_1
//          %32 = OpLoad %uint %31
//          %33 = OpCompositeConstruct %v2uint %32 %32
//          %34 = OpIAdd %v2uint %30 %33
//                OpStore %v %34
//          %37 = OpAccessChain %_ptr_Function_uint %v %uint_0
//          %38 = OpLoad %uint %37
//          %40 = OpAccessChain %_ptr_Function_uint %v %uint_1
//          %41 = OpLoad %uint %40
//          %42 = OpIAdd %uint %38 %41
//          %44 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_3
//          %45 = OpLoad %uint %44
//          %46 = OpBitcast %int %45
//          %47 = OpIAdd %int %int_1 %46
//          %48 = OpBitcast %uint %47
//          %49 = OpIAdd %uint %42 %48
//          %50 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_2
//                OpStore %50 %49
//                OpMemoryBarrier %uint_1 %uint_72
//                OpReturn
//                OpFunctionEnd
