// A loop with a continue under a condition.
// emit: ir-lifted
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint xs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rs[]; };
void main() {
  uint x = xs[gl_GlobalInvocationID.x];
  uint r = 0u;
  for (uint i = 0u; i < 10u; ++i) {
    if (i == x) {
      r += 50u;
      continue;
    }
    r += i;
  }
  rs[gl_GlobalInvocationID.x] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0 1 2 3 4 5 6 7
// buffer 0 1 u32 0*8
// expect 0 1 u32 exact 95 94 93 92 91 90 89 88
