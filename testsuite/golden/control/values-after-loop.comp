// Values that a loop defines, used behind it: each lane keeps those of its own last iteration.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint last = 77u, acc = 0u, k = 0u;
  while (k < (i * 7u) % 11u) {
    last = k * 3u + i;
    if (last % 8u == 5u) break;
    acc += last;
    ++k;
  }
  o[i] = last * 10000u + acc * 20u + k;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 770000 130444 50041 211266 130423 50000 211205 130342 80161 211084 130201 770000 at 0
// expect 0 0 u32 exact 210903 130000 292005 210662 190702 291724 210361 190381 291383 210000 770000 290982 at 48
