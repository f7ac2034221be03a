// for, while and do-while with break and continue, under varying conditions.
// emit: ir
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, n = x[i], s = 0u;
  for (uint k = 0u; k < n; ++k) {
    if (k == 3u) continue;
    if (k == 6u) break;
    s += k;
  }
  while (s > 9u) s -= 4u;
  do { s = s * 2u + 1u; } while (s < n);
  o[i] = s;
}

// for: 0, 0+1, 0+1+2, 0+1+2+4, 0+1+2+4+5; while: down to at most 9; do: doubled once, or until n.
// run:
// groups 2 1 1
// buffer 0 0 u32 0 2 3 5 8 100
// buffer 0 1 u32 x8
// expect 0 1 u32 exact 1 3 7 15 17 143 1 1
