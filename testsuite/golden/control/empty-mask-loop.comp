// Loops that no lane is in any more, though their conditions hold for ever: they end, or are never begun.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint r = i;
  while (n == 0u) { // always; every lane leaves
    if (r >= 40u) break;
    r += 3u + (i & 1u);
  }
  if (i > 1000u) { // no lane
    while (n == 0u) o[i] = 7u;
  }
  if (i < 6u) {
    if (i >= 6u) { // none of those
      do { r += o[i]; } while (n == 0u);
    }
    r += 1u;
  }
  o[i] = r;
}

// run:
// groups 2 1 1
// push u32 0
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 43 42 42 44 41 42 42 43 41 41 40 43 at 0
// expect 0 0 u32 exact 42 41 41 43 40 41 42 43 41 41 40 43 at 48
