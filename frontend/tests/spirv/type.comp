// Types: ids of types, literals, constants by name, and constants by id.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define Pair spirv_type(id = 30, uint, float)
const int WIDTH = 64, HALF = WIDTH / 4;
#define Wide spirv_type(capabilities = [10], id = 22, WIDTH)
#define Half spirv_type(id = 22, capabilities = [9], HALF)
#define Four spirv_type(id = 28, float, spirv_id 4)
#define Signed spirv_type(id = 21, 32, true)
struct S { int x; };
#define Nested spirv_type(id = 30, Four, S, spirv_type(id = 30, vec2))
spirv_instruction(id = 80) Pair pair_(uint, float);
spirv_instruction(id = 81) float second_(Pair p, spirv_literal int i);
spirv_instruction(id = 115) Wide widen_(float x);
spirv_instruction(id = 115) float narrow_(Wide x);
spirv_instruction(id = 115) float narrow_(Half x);
spirv_instruction(id = 115) Half half_(float x);
spirv_instruction(id = 1) Nested none_();
spirv_instruction(id = 81) float inner_(Nested n, spirv_literal int a, spirv_literal int b);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = second_(pair_(1u, b[1]), 1) + narrow_(widen_(b[2])) + narrow_(half_(b[3]));
  b[1] = inner_(none_(), 0, 3);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define Pair [[spirv::type(id = OpTypeStruct, uint, float)]]
const int WIDTH = 64, HALF = WIDTH / 4;
#define Wide [[spirv::type(capabilities = [Float64], id = 22, WIDTH)]]
#define Half [[spirv::type(id = 22, HALF), spirv::capability(Float16)]]
#define Four [[spirv::type(id = 28, float, spirv_id 4)]]
#define Signed [[spirv::type(id = 21, 32, true)]]
struct S { int x; };
#define Nested [[spirv::type(id = 30, spirv_type(id = 28, float, spirv_id 4), S, spirv_type(id = 30, vec2))]]
[[spirv::instruction(id = 80)]] Pair pair_(uint, float);
[[spirv::instruction(id = 81)]] float second_(Pair p, [[spirv::literal]] int i);
[[spirv::instruction(id = 115)]] Wide widen_(float x);
[[spirv::instruction(id = 115)]] float narrow_(Wide x);
[[spirv::instruction(id = 115)]] float narrow_(Half x);
[[spirv::instruction(id = 115)]] Half half_(float x);
[[spirv::instruction(id = 1)]] Nested none_();
[[spirv::instruction(id = 81)]] float inner_(Nested n, [[spirv::literal]] int a, [[spirv::literal]] int b);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = second_(pair_(1u, b[1]), 1) + narrow_(widen_(b[2])) + narrow_(half_(b[3]));
  b[1] = inner_(none_(), 0, 3);
}
// ==== spirv
//                OpCapability Shader
//                OpCapability Float16
//                OpCapability Float64
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %S "S"
//                OpMemberName %S 0 "x"
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
//        %uint = OpTypeInt 32 0
//      %uint_1 = OpConstant %uint 1
//       %int_1 = OpConstant %int 1
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//  %_struct_20 = OpTypeStruct %uint %float
//       %int_2 = OpConstant %int 2
//      %double = OpTypeFloat 64
//       %int_3 = OpConstant %int 3
//        %half = OpTypeFloat 16
//       %int_4 = OpConstant %int 4
// %_arr_float_int_4 = OpTypeArray %float %int_4
//           %S = OpTypeStruct %int
//     %v2float = OpTypeVector %float 2
//  %_struct_42 = OpTypeStruct %v2float
//  %_struct_43 = OpTypeStruct %_arr_float_int_4 %S %_struct_42
//      %int_64 = OpConstant %int 64
//      %int_16 = OpConstant %int 16
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
//          %19 = OpLoad %float %18
//          %21 = OpCompositeConstruct %_struct_20 %uint_1 %19
//          %22 = OpCompositeExtract %float %21 1
//          %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
//          %25 = OpLoad %float %24
//          %27 = OpFConvert %double %25
//          %28 = OpFConvert %float %27
//          %29 = OpFAdd %float %22 %28
//          %31 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
//          %32 = OpLoad %float %31
//          %34 = OpFConvert %half %32
//          %35 = OpFConvert %float %34
//          %36 = OpFAdd %float %29 %35
//          %37 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//                OpStore %37 %36
//          %44 = OpUndef %_struct_43
//          %45 = OpCompositeExtract %float %44 0 3
//          %46 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
//                OpStore %46 %45
//                OpReturn
//                OpFunctionEnd
