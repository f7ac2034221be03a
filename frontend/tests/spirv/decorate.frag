// Decorations of variables and members: with literals, ids and strings, and several with one number.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(5027);
spirv_decorate(extensions = ["SPV_EXT_shader_stencil_export"], capabilities = [5013], 11, 5014) out int stencil;
spirv_decorate_string(extensions = ["SPV_GOOGLE_hlsl_functionality1"], 5635, "TAG") spirv_decorate_string(5635, "MORE")
layout(location = 0) in flat int color;
layout(binding = 0) buffer Counter { uint counter; } x;
layout(binding = 1) spirv_decorate_id(5634, x) buffer Data {
  spirv_decorate(24) float a;
  spirv_decorate_string(5635, "M") spirv_decorate_string(5635, "N") float m;
} data;
spirv_decorate(30, 3) out float o;
void main() { stencil = color; o = data.a + data.m; x.counter = 1u; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::execution_mode(5027)]]
[[spirv::decorate(11, 5014), spirv::extension("SPV_EXT_shader_stencil_export"), spirv::capability(StencilExportEXT)]] out int stencil;
[[spirv::decorate_string(5635, "TAG"), spirv::extension("SPV_GOOGLE_hlsl_functionality1")]] [[spirv::decorate_string(5635, "MORE")]]
layout(location = 0) in flat int color;
layout(binding = 0) buffer Counter { uint counter; } x;
layout(binding = 1) [[spirv::decorate_id(5634, x)]] buffer Data {
  [[spirv::decorate(24)]] float a;
  [[spirv::decorate_string(5635, "M"), spirv::decorate_string(5635, "N")]] float m;
} data;
[[spirv::decorate(30, 1 + 2)]] out float o;
void main() { stencil = color; o = data.a + data.m; x.counter = 1u; }
// ==== spirv
//                OpCapability Shader
//                OpCapability StencilExportEXT
//                OpExtension "SPV_EXT_shader_stencil_export"
//                OpExtension "SPV_GOOGLE_hlsl_functionality1"
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint Fragment %main "main" %stencil %color %o %data %x
//                OpExecutionMode %main OriginUpperLeft
//                OpExecutionMode %main StencilRefReplacingEXT
//                OpName %main "main"
//                OpName %stencil "stencil"
//                OpName %color "color"
//                OpName %o "o"
//                OpName %Data "Data"
//                OpMemberName %Data 0 "a"
//                OpMemberName %Data 1 "m"
//                OpName %data "data"
//                OpName %Counter "Counter"
//                OpMemberName %Counter 0 "counter"
//                OpName %x "x"
//                OpDecorate %stencil BuiltIn FragStencilRefEXT
//                OpDecorate %color Flat
//                OpDecorate %color Location 0
//                OpDecorateString %color UserSemantic "TAG"
//                OpDecorateString %color UserSemantic "MORE"
//                OpDecorate %o Location 3
//                OpDecorate %Data Block
//                OpMemberDecorate %Data 0 NonWritable
//                OpMemberDecorate %Data 0 Offset 0
//                OpMemberDecorate %Data 1 Offset 4
//                OpMemberDecorateString %Data 1 UserSemantic "M"
//                OpMemberDecorateString %Data 1 UserSemantic "N"
//                OpDecorate %data Binding 1
//                OpDecorate %data DescriptorSet 0
//                OpDecorateId %data CounterBuffer %x
//                OpDecorate %Counter Block
//                OpMemberDecorate %Counter 0 Offset 0
//                OpDecorate %x Binding 0
//                OpDecorate %x DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//         %int = OpTypeInt 32 1
// %_ptr_Output_int = OpTypePointer Output %int
//     %stencil = OpVariable %_ptr_Output_int Output
// %_ptr_Input_int = OpTypePointer Input %int
//       %color = OpVariable %_ptr_Input_int Input
//       %float = OpTypeFloat 32
// %_ptr_Output_float = OpTypePointer Output %float
//           %o = OpVariable %_ptr_Output_float Output
//        %Data = OpTypeStruct %float %float
// %_ptr_StorageBuffer_Data = OpTypePointer StorageBuffer %Data
//        %data = OpVariable %_ptr_StorageBuffer_Data StorageBuffer
//        %uint = OpTypeInt 32 0
//     %Counter = OpTypeStruct %uint
// %_ptr_StorageBuffer_Counter = OpTypePointer StorageBuffer %Counter
//           %x = OpVariable %_ptr_StorageBuffer_Counter StorageBuffer
//       %int_0 = OpConstant %int 0
// %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
//       %int_1 = OpConstant %int 1
//      %uint_1 = OpConstant %uint 1
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %12 = OpLoad %int %color
//                OpStore %stencil %12
//          %25 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0
//          %26 = OpLoad %float %25
//          %28 = OpAccessChain %_ptr_StorageBuffer_float %data %int_1
//          %29 = OpLoad %float %28
//          %30 = OpFAdd %float %26 %29
//                OpStore %o %30
//          %33 = OpAccessChain %_ptr_StorageBuffer_uint %x %int_0
//                OpStore %33 %uint_1
//                OpReturn
//                OpFunctionEnd
