// Operands that are words of the instruction.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 81) float extract_(vec4 v, spirv_literal int index);
spirv_instruction(id = 79) vec2 shuffle_(vec4 a, vec4 b, spirv_literal uint x, spirv_literal uint y);
spirv_instruction(id = 81) float extract2_(mat4 m, spirv_literal int column, spirv_literal bool row);
layout(binding = 0) buffer B { vec4 b[]; };
const int THREE = 3;
void main() {
  b[1].xy = shuffle_(b[0], b[2], 1, 2 + 3);
  b[1].z = extract_(b[0], THREE) + extract2_(mat4(b[0], b[1], b[2], b[3]), 2, true);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(id = 81)]] float extract_(vec4 v, [[spirv::literal]] int index);
[[spirv::instruction(id = 79)]] vec2 shuffle_(vec4 a, vec4 b, [[spirv::literal]] uint x, uint y [[spirv::literal]]);
[[spirv::instruction(id = 81)]] float extract2_(mat4 m, [[spirv::literal]] int column, [[spirv::literal]] bool row);
layout(binding = 0) buffer B { vec4 b[]; };
const int THREE = 3;
void main() {
  b[1].xy = shuffle_(b[0], b[2], 1, 2 + 3);
  b[1].z = extract_(b[0], THREE) + extract2_(mat4(b[0], b[1], b[2], b[3]), 2, true);
}
