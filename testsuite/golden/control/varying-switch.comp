// A switch on a selector that differs from lane to lane: cases that fall through, a default in the middle, a continue and a return from within.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint r = 0u;
  for (uint k = 0u; k < 4u; ++k) {
    switch ((i + k * 3u) % 7u) {
    case 2u: r += 1u; // falls through
    default: r = r * 2u + 10u; // falls through
    case 4u:
      if (k == 2u) continue;
      r += 100u;
      break;
    case 5u:
      r += 1000u;
      if (r > 2500u) { o[i] = r + 5u; return; }
      break;
    }
    r += k;
  }
  o[i] = r;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 1459 977 2339 1677 1377 4335 2783 1459 977 2339 1677 1377 at 0
// expect 0 0 u32 exact 4335 2783 1459 977 2339 1677 1377 4335 2783 1459 977 2339 at 48
