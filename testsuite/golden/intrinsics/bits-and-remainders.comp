// OpBitReverse, OpFMod (the divisor's sign), OpFRem (the dividend's), OpBitCount and OpBitFieldUExtract by number.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(id = 204) uint reverse(uint a);
spirv_instruction(id = 205) uint count(uint a);
spirv_instruction(id = 203) uint field(uint a, uint offset, uint bits);
spirv_instruction(id = 141) float fmod_(float a, float b);
spirv_instruction(id = 140) vec2 frem_(vec2 a, vec2 b);
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer O { float o[][3]; };
layout(std430, binding = 2) buffer P { uint p[][3]; };
void main() {
  uint i = gl_GlobalInvocationID.x, bits = floatBitsToUint(x[i]);
  o[i] = float[3](fmod_(x[i], 4.0), fmod_(x[i], -4.0), frem_(vec2(0.0, x[i]), vec2(4.0)).y);
  p[i] = uint[3](reverse(bits), count(bits), field(bits, 23u, 8u));
}

// run:
// buffer 0 0 f32 5.5 -5.5 3 -1
// buffer 0 1 f32 x12
// buffer 0 2 u32 x12
// expect 0 1 f32 exact 1.5 -2.5 1.5  2.5 -1.5 -1.5  3 -1 3  3 -1 -1
// expect 0 2 u32 exact 0x00000d02 4 129  0x00000d03 5 129  0x00000202 2 128  0x000001fd 8 127
