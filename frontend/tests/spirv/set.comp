// Instructions of extended sets, with set and id in either order, and the empty set, which is the core.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "GLSL.std.450", id = 79) float nmin(float, float);
spirv_instruction(id = 80, set = "GLSL.std.450") vec2 nmax(vec2, vec2);
spirv_instruction(set = "", id = 128) int add_(int, int);
layout(binding = 0) buffer B { float b[]; };
void main() {
  vec2 v = nmax(vec2(b[0], b[1]), vec2(b[2]));
  b[3] = nmin(v.x, v.y) + float(add_(1, int(b[4])));
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::set(1, "GLSL.std.450")]] [[spirv::instruction(set = 1, id = 79)]] float nmin(float, float);
[[spirv::instruction(id = 80, set = "GLSL.std.450")]] vec2 nmax(vec2, vec2);
[[spirv::instruction(set = "", id = 128)]] int add_(int, int);
layout(binding = 0) buffer B { float b[]; };
void main() {
  vec2 v = nmax(vec2(b[0], b[1]), vec2(b[2]));
  b[3] = nmin(v.x, v.y) + float(add_(1, int(b[4])));
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %v "v"
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
//     %v2float = OpTypeVector %float 2
// %_ptr_Function_v2float = OpTypePointer Function %v2float
// %_runtimearr_float = OpTypeRuntimeArray %float
//           %B = OpTypeStruct %_runtimearr_float
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//         %int = OpTypeInt 32 1
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//       %int_1 = OpConstant %int 1
//       %int_2 = OpConstant %int 2
//       %int_3 = OpConstant %int 3
//        %uint = OpTypeInt 32 0
//      %uint_0 = OpConstant %uint 0
// %_ptr_Function_float = OpTypePointer Function %float
//      %uint_1 = OpConstant %uint 1
//       %int_4 = OpConstant %int 4
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//           %v = OpVariable %_ptr_Function_v2float Function
//          %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//          %19 = OpLoad %float %18
//          %21 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
//          %22 = OpLoad %float %21
//          %23 = OpCompositeConstruct %v2float %19 %22
//          %25 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
//          %26 = OpLoad %float %25
//          %27 = OpCompositeConstruct %v2float %26 %26
//          %28 = OpExtInst %v2float %2 NMax %23 %27
//                OpStore %v %28
//          %33 = OpAccessChain %_ptr_Function_float %v %uint_0
//          %34 = OpLoad %float %33
//          %36 = OpAccessChain %_ptr_Function_float %v %uint_1
//          %37 = OpLoad %float %36
//          %38 = OpExtInst %float %2 NMin %34 %37
//          %40 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
//          %41 = OpLoad %float %40
//          %42 = OpConvertFToS %int %41
//          %43 = OpIAdd %int %int_1 %42
//          %44 = OpConvertSToF %float %43
//          %45 = OpFAdd %float %38 %44
//          %46 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
//                OpStore %46 %45
//                OpReturn
//                OpFunctionEnd
