// spirv_literal: the operand is a word of the instruction, not an id. OpCompositeExtract and OpVectorShuffle.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(id = 81) uint extract_(uvec4 v, spirv_literal int index);
spirv_instruction(id = 79) uvec2 shuffle_(uvec4 a, uvec4 b, spirv_literal uint x, spirv_literal uint y);
layout(std430, binding = 0) readonly buffer X { uvec4 x[]; };
layout(std430, binding = 1) buffer O { uvec4 o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  o[i] = uvec4(extract_(x[i], 3), extract_(x[i], 1), shuffle_(x[i], x[i] + 10u, 2, 5));
}

// run:
// buffer 0 0 u32 1 2 3 4  5 6 7 8
// buffer 0 1 u32 x8
// expect 0 1 u32 exact 4 2 3 12  8 6 7 16
