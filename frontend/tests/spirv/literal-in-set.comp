// Literals of extended sets: glslang alone would write 0.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "NonSemantic.Test", id = 7) void note_(spirv_literal int a, float x, spirv_literal float b);
spirv_instruction(set = "NonSemantic.Test", id = 8) void one_(spirv_literal bool a);
spirv_instruction(set = "NonSemantic.Test", id = 9) void two_(spirv_literal uint a, spirv_literal int b);
layout(binding = 0) buffer B { float b[]; };
const int FIVE = 5;
void main() {
  note_(FIVE * 2, b[0], 1.5);
  one_(true);
  two_(~0u, -2);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::set(1 << 4, "NonSemantic.Test")]] [[spirv::instruction(set = 16, id = 7)]] void note_([[spirv::literal]] int a, float x, [[spirv::literal]] float b);
[[spirv::instruction(set = 16, id = 8)]] void one_([[spirv::literal]] bool a);
[[spirv::instruction(set = 16, id = 9)]] void two_([[spirv::literal]] uint a, [[spirv::literal]] int b);
layout(binding = 0) buffer B { float b[]; };
const int FIVE = 5;
void main() {
  note_(FIVE * 2, b[0], 1.5);
  one_(true);
  two_(~0u, -2);
}
