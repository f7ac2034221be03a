// Functions of the standard library are functions out of line where a kernel calls many: once a chunk of a varying value,
// once for a uniform one, and equal calls once. Results are those of the functions inlined, bit by bit.
// emit: stats
// require: out of line: 6 functions, 9 calls
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer O { vec4 o[]; };
layout(push_constant) uniform Push { float k; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float a = x[i];
  // One call on scalars; sin and cos of 0 are exact.
  float u = cos(k);
  // A function with two results.
  int e;
  float m = frexp(a, e);
  // Under a mask: lanes that are off call with whatever they hold.
  float p = 0.0;
  if (a > 0.0) p = sin(k * 0.0) + exp2(floor(a)) + pow(2.0, a);
  o[i] = vec4(u + atan(a * 0.0), m, float(e), p + exp2(floor(a)) * 0.0);
}

// run:
// push f32 0
// buffer 0 0 f32 1 2 -3 0.5 4 -0.25 8 3
// buffer 0 1 f32 x32
// expect 0 1 f32 ulp 4 1 0.5 1 4 1 0.5 2 8 1 -0.75 2 0 1 0.5 0 2.4142135 1 0.5 3 32 1 -0.5 -1 0 1 0.5 4 512 1 0.75 2 16
