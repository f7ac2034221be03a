// A loop without an end of its own ends when all invocations have returned from within it, at different times.
// no-opt-module: the optimiser merges the returns
#version 450
layout(local_size_x = 20) in;
layout(std430, binding = 0) buffer O { uint o[]; };
shared uint s[20];
void main() {
  uint l = gl_LocalInvocationIndex;
  s[l] = l;
  uint k = 0u;
  while (true) {
    barrier();
    o[l] += s[(l + k) % 20u];
    barrier();
    if (k == l % 5u) return;
    ++k;
  }
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*20
// expect 0 0 u32 exact 0 3 9 18 30 5 13 24 38 55 10 23 39 58 80 15 33 54 38 25
