// Invocations that went on with the next iteration are absent when the others leave under a condition that is uniform.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint lane = gl_GlobalInvocationID.x, i;
  for (i = 0u; i < 4u; ++i) {
    if (i == (lane & 3u)) continue;
    if (i >= 1u) break;
    o[lane] += 10u;
  }
  o[lane] += i;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*8
// expect 0 0 u32 exact 1 12 11 11 1 12 11 11
