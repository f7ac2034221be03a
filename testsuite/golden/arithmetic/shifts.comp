// Shift amounts count modulo 32.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { uint n[]; };
layout(std430, binding = 1) buffer O { ivec3 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = ivec3(3 << n[i], -100 >> n[i], int(0x80000000u >> n[i])); }

// run:
// buffer 0 0 u32 0 1 31 32 33 0xffffffff
// buffer 0 1 i32 x24
// expect 0 1 i32 exact 3 -100 -2147483648 0  6 -50 0x40000000 0  -2147483648 -1 1 0  3 -100 -2147483648 0  6 -50 0x40000000 0  -2147483648 -1 1 0
