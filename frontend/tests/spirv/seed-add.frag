// The first example of the feature's page.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
// Define OpIAdd (SPIR-V Opcode 128)
spirv_instruction(id = 128)
int rawIntegerAdd(int a, int b);

layout(location = 0) out int result;

void main() {
    int x = 10;
    int y = 20;
    // Emits OpIAdd into the output SPIR-V stream
    result = rawIntegerAdd(x, y);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
// Define OpIAdd (SPIR-V Opcode 128)
[[spirv::instruction(id = 128)]]
int rawIntegerAdd(int a, int b);

layout(location = 0) out int result;

void main() {
    int x = 10;
    int y = 20;
    // Emits OpIAdd into the output SPIR-V stream
    result = rawIntegerAdd(x, y);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint Fragment %main "main" %result
//                OpExecutionMode %main OriginUpperLeft
//                OpName %main "main"
//                OpName %x "x"
//                OpName %y "y"
//                OpName %result "result"
//                OpDecorate %result Location 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//         %int = OpTypeInt 32 1
// %_ptr_Function_int = OpTypePointer Function %int
//      %int_10 = OpConstant %int 10
//      %int_20 = OpConstant %int 20
// %_ptr_Output_int = OpTypePointer Output %int
//      %result = OpVariable %_ptr_Output_int Output
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//           %x = OpVariable %_ptr_Function_int Function
//           %y = OpVariable %_ptr_Function_int Function
//                OpStore %x %int_10
//                OpStore %y %int_20
//          %15 = OpLoad %int %x
//          %16 = OpLoad %int %y
//          %17 = OpIAdd %int %15 %16
//                OpStore %result %17
//                OpReturn
//                OpFunctionEnd
