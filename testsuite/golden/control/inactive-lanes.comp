// Lanes that are off neither trap, nor store, nor reach memory: for them divisors are zero and addresses wild.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint d = i % 3u == 1u ? i : 0u;
  uint at = i % 3u == 1u ? i : 4000000000u + i;
  uint r = i;
  if (d != 0u) {
    r = 600u / d + i % d;
    o[at] = r; // others have no such word
    for (uint k = 0u; k < d; k += d) r += o[at] - 600u / d;
  }
  if (at == i) o[i] += r; else o[i] = r;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 0 1200 2 3 300 5 6 170 8 9 120 11 at 0
// expect 0 0 u32 exact 12 92 14 15 74 17 18 62 20 21 54 23 at 48
