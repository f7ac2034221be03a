// All lanes that are there return while others wait for the loop's continue part.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(push_constant) uniform P { uint u; uint s; } pc;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint s = 0u;
  for (uint k = 0u; k < 8u; ++k) {
    if (x[i] == k) continue;
    if (pc.u == k) {
      o[i] = k + 50u;
      return;
    }
    s += k;
  }
  o[i] = s + 1000u;
}

// run:
// groups 1 1 1
// push u32 3 0
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 53 53 1025 53 53 53 53 53 53 53 53 53 53 1025 53 53

// run:
// groups 1 1 1
// push u32 9 0
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 1028 1021 1025 1028 1022 1026 1028 1023 1027 1028 1024 1028 1021 1025 1028 1022
