// Core instructions: results of all kinds, overloads, unnamed parameters, numbers as GLSL writes them.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
struct R { uint low; uint high; };
spirv_instruction(id = 128) uint add_(uint a, uint b);
spirv_instruction(id = 0x80) uvec2 add_(uvec2, uvec2);
spirv_instruction(id = 0200) int add_(int, int);
spirv_instruction(id = 149) R addc_(uint a, uint b);
spirv_instruction(id = 225)
void barrier_(uint scope, uint semantics);
layout(binding = 0) buffer B { uint b[]; };
void main() {
  R r = addc_(b[0], b[1]);
  uvec2 v = add_(uvec2(r.low), uvec2(r.high));
  b[2] = add_(v.x, v.y) + uint(add_(1, int(b[3])));
  barrier_(1u, 72u);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
struct R { uint low; uint high; };
[[spirv::instruction(id = OpIAdd)]] uint add_(uint a, uint b);
[[spirv::instruction(id = (100 + 28))]] uvec2 add_(uvec2, uvec2);
[[ spirv :: instruction ( id = 128u ) ]] int add_(int, int);
[[spirv::instruction(id = OpIAddCarry)]] R addc_(uint a, uint b);
[[spirv::instruction(id = OpMemoryBarrier)]]
void barrier_(uint scope, uint semantics);
layout(binding = 0) buffer B { uint b[]; };
void main() {
  R r = addc_(b[0], b[1]);
  uvec2 v = add_(uvec2(r.low), uvec2(r.high));
  b[2] = add_(v.x, v.y) + uint(add_(1, int(b[3])));
  barrier_(1u, 72u);
}
