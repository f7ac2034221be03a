// Floats that do not fit saturate, NaN becomes zero.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer O { int o[]; };
layout(std430, binding = 2) buffer P { uint p[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = int(x[i]); p[i] = uint(x[i]); }

// run:
// groups 2 1 1
// buffer 0 0 f32 1.9 -1.9 nan inf -inf 3e9 -3e9 5e9 2147483648 -0.5 1e-40 4294967040
// buffer 0 1 i32 x12
// buffer 0 2 u32 x12
// expect 0 1 i32 exact 1 -1 0 2147483647 -2147483648 2147483647 -2147483648 2147483647 2147483647 0 0 2147483647
// expect 0 2 u32 exact 1 0 0 4294967295 0 3000000000 0 4294967295 2147483648 0 0 4294967040
