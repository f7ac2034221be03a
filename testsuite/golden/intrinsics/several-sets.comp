// Several extended sets in one module: GLSL.std.450, OpenCL.std, two of AMD's, and one whose instructions mean nothing. What a
// function of OpenCL.std computes by the standard library is what GLSL's own gives, bit for bit.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
#define CL spirv_instruction(set = "OpenCL.std", id =
CL 57) float cl_sin(float x);
CL 14) float cl_cos(float x);
CL 92) float native_sin(float x);
CL 62) vec2 cl_tan(vec2 x);
CL 7) float cl_atan2(float y, float x);
CL 50) float powr(float x, float y);
CL 20) float cl_exp2(float x);
CL 37) float cl_log(float x);
CL 63) float cl_tanh(float x);
CL 34) float cl_ldexp(float x, int k);
spirv_instruction(set = "SPV_AMD_shader_trinary_minmax", id = 9) ivec2 mid3(ivec2 x, ivec2 y, ivec2 z);
spirv_instruction(set = "SPV_AMD_gcn_shader", id = 1) float cube_face(vec3 v);
spirv_instruction(set = "GLSL.std.450", id = 79) float nmin(float x, float y);
spirv_instruction(set = "NonSemantic.Nobody.knows", id = 7) void nothing(float x);
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer O { uint same[][10]; };
layout(std430, binding = 2) buffer P { float p[][4]; };
bool equal(float a, float b) { return floatBitsToUint(a) == floatBitsToUint(b); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  float a = x[i];
  nothing(a);
  vec2 t = cl_tan(vec2(a, -a));
  same[i] = uint[10](uint(equal(cl_sin(a), sin(a))), uint(equal(cl_cos(a), cos(a))), uint(equal(native_sin(a), sin(a))),
      uint(equal(t.x, tan(a)) && equal(t.y, tan(-a))), uint(equal(cl_atan2(a, 2.0), atan(a, 2.0))),
      uint(equal(powr(a, 1.5), pow(a, 1.5))), uint(equal(cl_exp2(a), exp2(a))), uint(equal(cl_log(a), log(a))),
      uint(equal(cl_tanh(a), tanh(a))), uint(equal(cl_ldexp(a, 3), ldexp(a, 3))));
  ivec2 m = mid3(ivec2(a), ivec2(2, 0), ivec2(1, 9));
  p[i] = float[4](float(m.x), float(m.y), cube_face(vec3(a, -0.75, 0.5)), nmin(a, 0.75));
}

// run:
// buffer 0 0 f32 0.5 1.25 3 7.5
// buffer 0 1 u32 x40
// buffer 0 2 f32 x16
// expect 0 1 u32 exact 1 1 1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1 1 1
// expect 0 2 f32 exact 1 0 3 0.5  1 1 0 0.75  2 3 0 0.75  2 7 0 0.75
