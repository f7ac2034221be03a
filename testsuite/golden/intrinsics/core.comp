// spirv_instruction with `id`: core instructions, with vectors, and one that gives a struct.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
struct R { uint low; uint high; };
spirv_instruction(id = 128) uint add_(uint a, uint b);          // OpIAdd
spirv_instruction(id = 128) uvec2 add_(uvec2 a, uvec2 b);
spirv_instruction(id = 138) int srem_(int a, int b);            // OpSRem
spirv_instruction(id = 169) uint select_(bool c, uint a, uint b); // OpSelect
spirv_instruction(id = 124) uint bits_(float a);                // OpBitcast
spirv_instruction(id = 149) R addc_(uint a, uint b);            // OpIAddCarry
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[][8]; };
void main() {
  uint i = gl_GlobalInvocationID.x, a = x[i];
  uvec2 v = add_(uvec2(a), uvec2(1u, 2u));
  R r = addc_(a, 0xFFFFFFFFu);
  o[i] = uint[8](add_(a, 5u), v.x, v.y, uint(srem_(int(a) - 5, 3)), select_(a > 2u, 7u, 8u), bits_(float(a)), r.low, r.high);
}

// run:
// buffer 0 0 u32 0 1 4
// buffer 0 1 u32 x24
// expect 0 1 u32 exact 5 1 2 0xfffffffe 8 0 0xffffffff 0  6 2 3 0xffffffff 8 0x3f800000 0 1  9 5 6 0xffffffff 7 0x40800000 3 1
