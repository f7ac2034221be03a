// OpSDot, OpUDot, OpSUDot and their saturating forms: on words of four bytes (PackedVectorFormat4x8Bit is a literal, and the
// last operand), and on vectors, where there is no format. Bytes: x = (-1, 2, -128, 127), y = (5, -6, -128, 127).
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 8) in;
#define DOT spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6016, 6018, 6019], id =
DOT 4450) int sdot(int a, int b, spirv_literal uint format);
DOT 4451) uint udot(uint a, uint b, spirv_literal uint format);
DOT 4452) int sudot(int a, uint b, spirv_literal uint format);
DOT 4453) int sdot_sat(int a, int b, int c, spirv_literal uint format);
DOT 4454) uint udot_sat(uint a, uint b, uint c, spirv_literal uint format);
DOT 4455) int sudot_sat(int a, uint b, int c, spirv_literal uint format);
DOT 4450) int sdot(ivec3 a, ivec3 b);
DOT 4451) uint udot(uvec2 a, uvec2 b);
DOT 4452) int sudot(ivec4 a, uvec4 b);
DOT 4453) int sdot_sat(ivec2 a, ivec2 b, int c);
DOT 4454) uint udot_sat(uvec3 a, uvec3 b, uint c);
layout(std430, binding = 0) readonly buffer X { int x, y; int bias[]; };
layout(std430, binding = 1) buffer O { int o[][11]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  int a = x ^ bias[i], b = y ^ bias[i];
  uint u = uint(a), v = uint(b);
  o[i] = int[11](
      sdot(a, b, 0), int(udot(u, v, 0)), sudot(a, v, 0),
      sdot_sat(a, b, 0x7fffff00, 0), int(udot_sat(u, v, 0xffffff00u, 0)), sudot_sat(a, v, -0x7fffffff - 1, 0),
      sdot(ivec3(a, b, 3), ivec3(b, -2, 5)), int(udot(uvec2(u, 7), uvec2(3, v))), sudot(ivec4(-1, 2, a, 1), uvec4(5, 6, 7, v)),
      sdot_sat(ivec2(1, -3), ivec2(bias[i], 4), -0x7fffffff), int(udot_sat(uvec3(1, 2, 3), uvec3(v), 0xfffffff0u)));
}

// run:
// buffer 0 0 i8 -1 2 -128 127  5 -6 -128 127
// buffer 0 0 i32 0 -1
// buffer 0 1 i32 x22
// expect 0 1 i32 exact 32496 34288 240 2147483647 -1 -2147483408 -2115297024 -83435744 -67039483 -2147483648 -1  32498 33778 -270 2147483647 -1 -2147483648 2129659419 83435734 67039489 -2147483648 -1
