// The second example: number 12 of GLSL.std.450 is Degrees.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "GLSL.std.450", id = 12)
float inlineFastSqrt(float val);
layout(location = 0) in float i;
layout(location = 0) out float o;
void main() { o = inlineFastSqrt(i); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(set = "GLSL.std.450", id = 12)]]
float inlineFastSqrt(float val);
layout(location = 0) in float i;
layout(location = 0) out float o;
void main() { o = inlineFastSqrt(i); }
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint Fragment %main "main" %o %i
//                OpExecutionMode %main OriginUpperLeft
//                OpName %main "main"
//                OpName %o "o"
//                OpName %i "i"
//                OpDecorate %o Location 0
//                OpDecorate %i Location 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//       %float = OpTypeFloat 32
// %_ptr_Output_float = OpTypePointer Output %float
//           %o = OpVariable %_ptr_Output_float Output
// %_ptr_Input_float = OpTypePointer Input %float
//           %i = OpVariable %_ptr_Input_float Input
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//          %12 = OpLoad %float %i
//          %13 = OpExtInst %float %2 Degrees %12
//                OpStore %o %13
//                OpReturn
//                OpFunctionEnd
