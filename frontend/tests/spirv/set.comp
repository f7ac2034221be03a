// Instructions of extended sets, with set and id in either order, and the empty set, which is the core.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "GLSL.std.450", id = 79) float nmin(float, float);
spirv_instruction(id = 80, set = "GLSL.std.450") vec2 nmax(vec2, vec2);
spirv_instruction(set = "", id = 128) int add_(int, int);
layout(binding = 0) buffer B { float b[]; };
void main() {
  vec2 v = nmax(vec2(b[0], b[1]), vec2(b[2]));
  b[3] = nmin(v.x, v.y) + float(add_(1, int(b[4])));
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::set(1, "GLSL.std.450")]] [[spirv::instruction(set = 1, id = 79)]] float nmin(float, float);
[[spirv::instruction(id = 80, set = "GLSL.std.450")]] vec2 nmax(vec2, vec2);
[[spirv::instruction(set = "", id = 128)]] int add_(int, int);
layout(binding = 0) buffer B { float b[]; };
void main() {
  vec2 v = nmax(vec2(b[0], b[1]), vec2(b[2]));
  b[3] = nmin(v.x, v.y) + float(add_(1, int(b[4])));
}
