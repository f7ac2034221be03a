// spirv_instruction with `set`: instructions of GLSL.std.450 that GLSL has no name for.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(set = "GLSL.std.450", id = 79) float nmin(float, float);
spirv_instruction(set = "GLSL.std.450", id = 80) vec2 nmax(vec2, vec2);
spirv_instruction(set = "GLSL.std.450", id = 81) float nclamp(float, float, float);
spirv_instruction(set = "GLSL.std.450", id = 31) float root(float);
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer O { float o[][5]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  vec2 v = nmax(vec2(x[i]), vec2(2.0, 100.0));
  o[i] = float[5](nmin(x[i], 4.0), v.x, v.y, nclamp(x[i], 1.0, 5.0), root(x[i]));
}

// run:
// buffer 0 0 f32 9 nan 0.25
// buffer 0 1 f32 x15
// expect 0 1 f32 exact 4 9 100 5 3  4 2 100 1 nan  0.25 2 100 1 0.5
