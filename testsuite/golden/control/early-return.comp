// Invocations leave at different places, and store only before they do.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= 13u) return;
  o[i] = 1u;
  if ((i & 1u) != 0u) {
    if (i > 8u) return;
    o[i] += 2u;
  } else {
    for (uint k = 0u; k < i; ++k) {
      if (k == 4u) { o[i] += 100u; return; }
      o[i] += 10u;
    }
  }
  o[i] += 1000u;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 7*16
// expect 0 0 u32 exact 1001 1003 1021 1003 1041 1003 141 1003 141 1 141 1 141 7 7 7
