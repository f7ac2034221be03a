// Loads out of bounds give zero and stores are dropped, each invocation for itself.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(std430, binding = 2) readonly buffer J { uint j[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[j[i + 8u]] = x[j[i]] + 1u; }

// The indices of the loads, then those of the stores. 0x40000001 * 4 wraps round to 4.
// run:
// buffer 0 0 u32 10 11 12
// buffer 0 1 u32 5*8
// buffer 0 2 u32 0 3 2 0xffffffff 1 0x40000001 7 2  1 0 3 2 8 4 0x80000000 7
// expect 0 1 u32 exact 1 11 1 13 1 5 5 13
