// std140: arrays and structs are aligned to 16 bytes, a vec3 leaves room for a scalar.
// emit: interface
#version 450
layout(local_size_x = 1) in;
struct S { float a; vec2 b; };
layout(std140, binding = 0) uniform U { vec3 v; float w; float k[3]; S s[2]; };
layout(std430, binding = 1) buffer O { float o[]; };
void main() {
  o[0] = v.x + v.z; o[1] = w; o[2] = k[2]; o[3] = s[1].a; o[4] = s[1].b.y;
}

// v at 0, w at 12, k at 16 with stride 16, s at 64 with stride 16: a at 0, b at 8.
// run:
// buffer 0 0 ubo f32 1 2 3 4  5 0 0 0  6 0 0 0  7 0 0 0  8 0 9 10  11 0 12 13
// buffer 0 1 f32 x5
// expect 0 1 f32 exact 4 4 7 11 13

// ==== printed (cargo xtask bless) ====
// ---- interface
// entry point `main`, workgroup size 1 x 1 x 1
// set 0 binding 0: uniform buffer `U`, read only, 96 bytes
//        0  vec3 v
//       12  float w
//       16  float[3] k
//       64  S[2] s
// set 0 binding 1: storage buffer `O`, written, 4 bytes for each element
//        0  float[] o
