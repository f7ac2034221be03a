// Whole subgroups have returned before a loop with barriers.
// no-opt-module: spirv-opt wraps early returns in a switch that lanes leave one by one, around barriers
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l >= 8u && l < 16u || l == 20u) return;
  for (int k = 0; k < 4; ++k) {
    o[l] += 1u;
    barrier();
  }
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*32
// expect 0 0 u32 exact 4 4 4 4 4 4 4 4 0 0 0 0 0 0 0 0 4 4 4 4 0 4 4 4 4 4 4 4 4 4 4 4
