// `precise` forbids fusing: a*b - c is the rounding error of the product only where it is fused.
// contract: on
// emit: ir
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float a; float b; };
layout(std430, binding = 1) buffer O { float o[]; };
void main() { precise float p = a * b - a * b; o[0] = p; o[1] = fma(a, b, 1.0); }

// run:
// buffer 0 0 f32 0.1 0.1
// buffer 0 1 f32 7 7
// expect 0 1 f32 exact 0
// expect 0 1 f32 ulp 1 1.01 at 4
