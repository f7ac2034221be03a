// std430: nested structs, a vec3 with a scalar behind it, and a runtime array of structs.
// emit: interface
#version 450
layout(local_size_x = 4) in;
struct T { uint a; uvec2 b; };
struct S { uvec3 v; uint w; T t[2]; };
layout(std430, binding = 0) buffer B { uint n; S s[]; } b;
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= b.n) return;
  o[i] = b.s[i].v.z + b.s[i].w * 10u + b.s[i].t[1].b.x * 100u + uint(b.s.length()) * 1000u;
  b.s[i].t[0].a = 77u;
}

// n at 0, s at 16 with stride 48: v at 0, w at 12, t at 16 with stride 16: a at 0, b at 8.
// run:
// buffer 0 0 u32 2 x3  1 2 3 4  5 0 6 7  8 0 9 1   1 1 5 6  2 2 2 2  3 3 4 3
// buffer 0 1 u32 x3
// expect 0 1 u32 exact 2943 2465 0
// expect 0 0 u32 exact 77 0 at 32
// expect 0 0 u32 exact 77 2 at 80

// ==== printed (cargo xtask bless) ====
// ---- interface
// entry point `main`, workgroup size 4 x 1 x 1
// set 0 binding 0: storage buffer `b`, written, 16 bytes and 48 for each element
//        0  uint n
//       16  S[] s
// set 0 binding 1: storage buffer `O`, written, 4 bytes for each element
//        0  uint[] o
