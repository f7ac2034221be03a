// Functions of GLSL by reference: writes come back.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
void set_(spirv_by_reference uint p, uint value);
void set_(spirv_by_reference uint p, uint value) { p = value; }
uint next_(inout spirv_by_reference uint p) { p++; return p; }
uint read_(const spirv_by_reference uint p) { return p; }
layout(binding = 0) buffer B { uint b[]; };
void main() {
  set_(b[0], 7u);
  b[1] = next_(b[0]) + read_(b[2]);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
void set_([[spirv::reference]] uint p, uint value);
void set_([[spirv::reference]] uint p, uint value) { p = value; }
uint next_(inout [[spirv::reference]] uint p) { p++; return p; }
uint read_(const [[spirv::reference]] uint p) { return p; }
layout(binding = 0) buffer B { uint b[]; };
void main() {
  set_(b[0], 7u);
  b[1] = next_(b[0]) + read_(b[2]);
}
// ==== spirv
//                OpCapability Shader
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint GLCompute %main "main" %_
//                OpExecutionMode %main LocalSize 1 1 1
//                OpName %main "main"
//                OpName %set__u1_u1_ "set_(u1;u1;"
//                OpName %p "p"
//                OpName %value "value"
//                OpName %next__u1_ "next_(u1;"
//                OpName %p_0 "p"
//                OpName %read__u1_ "read_(u1;"
//                OpName %p_1 "p"
//                OpName %B "B"
//                OpMemberName %B 0 "b"
//                OpName %_ ""
//                OpName %param "param"
//                OpName %param_0 "param"
//                OpName %param_1 "param"
//                OpDecorate %_runtimearr_uint ArrayStride 4
//                OpDecorate %B Block
//                OpMemberDecorate %B 0 Offset 0
//                OpDecorate %_ Binding 0
//                OpDecorate %_ DescriptorSet 0
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//        %uint = OpTypeInt 32 0
// %_ptr_Function_uint = OpTypePointer Function %uint
//           %9 = OpTypeFunction %void %_ptr_Function_uint %_ptr_Function_uint
//          %14 = OpTypeFunction %uint %_ptr_Function_uint
//          %18 = OpTypeFunction %uint %uint
//         %int = OpTypeInt 32 1
//       %int_1 = OpConstant %int 1
// %_runtimearr_uint = OpTypeRuntimeArray %uint
//           %B = OpTypeStruct %_runtimearr_uint
// %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
//           %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
//       %int_0 = OpConstant %int 0
//      %uint_7 = OpConstant %uint 7
// %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
//       %int_2 = OpConstant %int 2
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//       %param = OpVariable %_ptr_Function_uint Function
//     %param_0 = OpVariable %_ptr_Function_uint Function
//     %param_1 = OpVariable %_ptr_Function_uint Function
//          %40 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//          %41 = OpLoad %uint %40
//                OpStore %param %41
//                OpStore %param_0 %uint_7
//          %43 = OpFunctionCall %void %set__u1_u1_ %param %param_0
//          %44 = OpLoad %uint %param
//          %45 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//                OpStore %45 %44
//          %47 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//          %48 = OpLoad %uint %47
//                OpStore %param_1 %48
//          %49 = OpFunctionCall %uint %next__u1_ %param_1
//          %50 = OpLoad %uint %param_1
//          %51 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
//                OpStore %51 %50
//          %53 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_2
//          %54 = OpLoad %uint %53
//          %55 = OpFunctionCall %uint %read__u1_ %54
//          %56 = OpIAdd %uint %49 %55
//          %57 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
//                OpStore %57 %56
//                OpReturn
//                OpFunctionEnd
// %set__u1_u1_ = OpFunction %void None %9
//           %p = OpFunctionParameter %_ptr_Function_uint
//       %value = OpFunctionParameter %_ptr_Function_uint
//          %13 = OpLabel
//          %22 = OpLoad %uint %value
//                OpStore %p %22
//                OpReturn
//                OpFunctionEnd
//   %next__u1_ = OpFunction %uint None %14
//         %p_0 = OpFunctionParameter %_ptr_Function_uint
//          %17 = OpLabel
//          %23 = OpLoad %uint %p_0
//          %26 = OpIAdd %uint %23 %int_1
//                OpStore %p_0 %26
//          %27 = OpLoad %uint %p_0
//                OpReturnValue %27
//                OpFunctionEnd
//   %read__u1_ = OpFunction %uint None %18
//         %p_1 = OpFunctionParameter %uint
//          %21 = OpLabel
//                OpReturnValue %p_1
//                OpFunctionEnd
