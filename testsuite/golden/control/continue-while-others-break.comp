// Lanes go on with the loop from within a switch at whose end others wait.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(push_constant) uniform P { uint u; uint s; } pc;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint s = 0u;
  for (uint k = 0u; k < 8u; ++k) {
    switch (pc.s) {
      case 0u:
        if (x[i] > k) break;
        if (pc.u == k) continue;
        s += 1u;
    }
    s += k;
  }
  o[i] = s;
}

// run:
// groups 1 1 1
// push u32 3 0
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 32 29 29 28 30 30 28 31 31 28 32 32 29 29 28 30

// run:
// groups 1 1 1
// push u32 6 0
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 29 29 26 28 23 27 28 24 28 28 25 29 29 26 28 23

// run:
// groups 1 1 1
// push u32 6 1
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28
