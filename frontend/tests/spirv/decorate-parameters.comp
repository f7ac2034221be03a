// Decorations of parameters and results, of functions and of instructions.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_decorate(0) float f(spirv_decorate(0) float x, float y) { return x * y; }
float f(float x, spirv_decorate(0) int y) { return x * float(y); }
float g(vec2 a, spirv_decorate_string(extensions = ["SPV_GOOGLE_user_type"], 5636, "arg") vec3 b) { return a.x + b.x; }
spirv_instruction(id = 133) spirv_decorate(42) float mul_(float, float);
spirv_instruction(id = 133) float plain_(float, float);
spirv_instruction(set = "GLSL.std.450", id = 31) spirv_decorate(0) float root_(float);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = f(b[1], b[2]) + f(b[3], 3) + g(vec2(b[4]), vec3(b[5]));
  b[1] = mul_(b[2], b[3]) + plain_(b[2], b[3]) + root_(b[4]);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::decorate(0)]] float f([[spirv::decorate(0)]] float x, float y) { return x * y; }
float f(float x, [[spirv::decorate(0)]] int y) { return x * float(y); }
float g(vec2 a, [[spirv::decorate_string(5636, "arg"), spirv::extension("SPV_GOOGLE_user_type")]] vec3 b) { return a.x + b.x; }
[[spirv::instruction(id = 133), spirv::decorate(42)]] float mul_(float, float);
[[spirv::instruction(id = 133)]] float plain_(float, float);
[[spirv::decorate(0)]] [[spirv::instruction(set = "GLSL.std.450", id = 31)]] float root_(float);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = f(b[1], b[2]) + f(b[3], 3) + g(vec2(b[4]), vec3(b[5]));
  b[1] = mul_(b[2], b[3]) + plain_(b[2], b[3]) + root_(b[4]);
}
// ==== spirv
//                OpCapability Shader
//                OpExtension "SPV_GOOGLE_user_type"
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %f_f1_f1_ "f(f1;f1;"
//                OpName %x "x"
//                OpName %y "y"
//                OpName %f_f1_i1_ "f(f1;i1;"
//                OpName %x_0 "x"
//                OpName %y_0 "y"
//                OpName %g_vf2_vf3_ "g(vf2;vf3;"
//                OpName %a "a"
//                OpName %b "b"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %param "param"
//                OpName %param_0 "param"
//                OpName %param_1 "param"
//                OpName %param_2 "param"
//                OpName %param_3 "param"
//                OpName %param_4 "param"
//                OpDecorate %_runtimearr_float ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//                OpDecorate %f_f1_f1_ RelaxedPrecision
//                OpDecorate %x RelaxedPrecision
//                OpDecorate %y_0 RelaxedPrecision
//                OpDecorateString %b UserTypeGOOGLE "arg"
//                OpDecorate %89 NoContraction
//                OpDecorate %98 RelaxedPrecision
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//       %float = OpTypeFloat 32
// %_ptr_Function_float = OpTypePointer Function %float
//           %9 = OpTypeFunction %float %_ptr_Function_float %_ptr_Function_float
//         %int = OpTypeInt 32 1
// %_ptr_Function_int = OpTypePointer Function %int
//          %16 = OpTypeFunction %float %_ptr_Function_float %_ptr_Function_int
//     %v2float = OpTypeVector %float 2
// %_ptr_Function_v2float = OpTypePointer Function %v2float
//     %v3float = OpTypeVector %float 3
// %_ptr_Function_v3float = OpTypePointer Function %v3float
//          %25 = OpTypeFunction %float %_ptr_Function_v2float %_ptr_Function_v3float
//        %uint = OpTypeInt 32 0
//      %uint_0 = OpConstant %uint 0
// %_runtimearr_float = OpTypeRuntimeArray %float
//           %B = OpTypeStruct %_runtimearr_float
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//       %int_0 = OpConstant %int 0
//       %int_1 = OpConstant %int 1
//       %int_2 = OpConstant %int 2
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//       %int_3 = OpConstant %int 3
//       %int_4 = OpConstant %int 4
//       %int_5 = OpConstant %int 5
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//       %param = OpVariable %_ptr_Function_float Function
//     %param_0 = OpVariable %_ptr_Function_float Function
//     %param_1 = OpVariable %_ptr_Function_float Function
//     %param_2 = OpVariable %_ptr_Function_int Function
//     %param_3 = OpVariable %_ptr_Function_v2float Function
//     %param_4 = OpVariable %_ptr_Function_v3float Function
//          %59 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
//          %60 = OpLoad %float %59
//                OpStore %param %60
//          %62 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
//          %63 = OpLoad %float %62
//                OpStore %param_0 %63
//          %64 = OpFunctionCall %float %f_f1_f1_ %param %param_0
//          %67 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
//          %68 = OpLoad %float %67
//                OpStore %param_1 %68
//                OpStore %param_2 %int_3
//          %70 = OpFunctionCall %float %f_f1_i1_ %param_1 %param_2
//          %71 = OpFAdd %float %64 %70
//          %73 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
//          %74 = OpLoad %float %73
//          %75 = OpCompositeConstruct %v2float %74 %74
//          %77 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_5
//          %78 = OpLoad %float %77
//          %79 = OpCompositeConstruct %v3float %78 %78 %78
//                OpStore %param_3 %75
//                OpStore %param_4 %79
//          %82 = OpFunctionCall %float %g_vf2_vf3_ %param_3 %param_4
//          %83 = OpFAdd %float %71 %82
//          %84 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
//                OpStore %84 %83
//          %85 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
//          %86 = OpLoad %float %85
//          %87 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
//          %88 = OpLoad %float %87
//          %89 = OpFMul %float %86 %88
//          %90 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
//          %91 = OpLoad %float %90
//          %92 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
//          %93 = OpLoad %float %92
//          %94 = OpFMul %float %91 %93
//          %95 = OpFAdd %float %89 %94
//          %96 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
//          %97 = OpLoad %float %96
//          %98 = OpExtInst %float %2 Sqrt %97
//          %99 = OpFAdd %float %95 %98
//         %100 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
//                OpStore %100 %99
//                OpReturn
//                OpFunctionEnd
//    %f_f1_f1_ = OpFunction %float None %9
//           %x = OpFunctionParameter %_ptr_Function_float
//           %y = OpFunctionParameter %_ptr_Function_float
//          %13 = OpLabel
//          %30 = OpLoad %float %x
//          %31 = OpLoad %float %y
//          %32 = OpFMul %float %30 %31
//                OpReturnValue %32
//                OpFunctionEnd
//    %f_f1_i1_ = OpFunction %float None %16
//         %x_0 = OpFunctionParameter %_ptr_Function_float
//         %y_0 = OpFunctionParameter %_ptr_Function_int
//          %20 = OpLabel
//          %35 = OpLoad %float %x_0
//          %36 = OpLoad %int %y_0
//          %37 = OpConvertSToF %float %36
//          %38 = OpFMul %float %35 %37
//                OpReturnValue %38
//                OpFunctionEnd
//  %g_vf2_vf3_ = OpFunction %float None %25
//           %a = OpFunctionParameter %_ptr_Function_v2float
//           %b = OpFunctionParameter %_ptr_Function_v3float
//          %29 = OpLabel
//          %43 = OpAccessChain %_ptr_Function_float %a %uint_0
//          %44 = OpLoad %float %43
//          %45 = OpAccessChain %_ptr_Function_float %b %uint_0
//          %46 = OpLoad %float %45
//          %47 = OpFAdd %float %44 %46
//                OpReturnValue %47
//                OpFunctionEnd
