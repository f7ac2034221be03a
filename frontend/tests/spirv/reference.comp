// Operands by reference: the pointer, whatever else stands before the type.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 234) uint at_(spirv_by_reference uint p, uint scope, uint semantics, uint value);
spirv_instruction(id = 230) uint exchange_(inout spirv_by_reference uint p, uint scope, uint equal, uint unequal, uint value, uint comparator);
spirv_instruction(id = 61) uint load_(const spirv_by_reference uint p);
spirv_instruction(id = 62) void store_(spirv_by_reference in uint p, uint value);
spirv_instruction(set = "GLSL.std.450", id = 35) float modf_(float x, out spirv_by_reference float whole);
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) buffer C { vec4 c; } c[2];
shared uint s[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  b[0] = at_(b[i], 1u, 0u, 2u) + at_((s[i]), 2u, 0u, 3u);
  b[1] = exchange_(b[2], 1u, 0u, 0u, 5u, load_(s[1]));
  store_(s[2], 7u);
  float whole;
  c[0].c.x = modf_(c[1].c.y, whole) + modf_(1.5, c[0].c.z);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(id = OpAtomicIAdd)]] uint at_([[spirv::reference]] uint p, uint scope, uint semantics, uint value);
[[spirv::instruction(id = 230)]] uint exchange_(inout [[spirv::by_reference]] uint p, uint scope, uint equal, uint unequal, uint value, uint comparator);
[[spirv::instruction(id = 61)]] uint load_(const [[spirv::reference]] uint p);
[[spirv::instruction(id = 62)]] void store_([[spirv::reference]] in uint p, uint value);
[[spirv::instruction(set = "GLSL.std.450", id = 35)]] float modf_(float x, out [[spirv::reference]] float whole);
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) buffer C { vec4 c; } c[2];
shared uint s[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  b[0] = at_(b[i], 1u, 0u, 2u) + at_((s[i]), 2u, 0u, 3u);
  b[1] = exchange_(b[2], 1u, 0u, 0u, 5u, load_(s[1]));
  store_(s[2], 7u);
  float whole;
  c[0].c.x = modf_(c[1].c.y, whole) + modf_(1.5, c[0].c.z);
}
