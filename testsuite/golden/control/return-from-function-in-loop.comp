// A function that returns from within two loops, called in a loop: who has returned takes no part in what the others do.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
uint find(uint x) {
  for (uint a = 0u; a < 4u; ++a) {
    for (uint b = 0u; b < 5u; ++b) {
      if (a * b == x) return a * 10u + b;
      if (a + b > x) break;
    }
  }
  return 99u;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint s = 0u;
  for (uint k = 0u; k < 3u; ++k) s = s * 100u + find((i + k) % 9u);
  o[i] = s;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 1112 111213 121314 131499 149923 992399 239924 992400 240011 1112 111213 121314 at 0
// expect 0 0 u32 exact 131499 149923 992399 239924 992400 240011 1112 111213 121314 131499 149923 992399 at 48
