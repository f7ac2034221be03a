// Some lanes leave a loop by a `break` at the end of its body while others wait for its continue part.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(push_constant) uniform P { uint u; uint s; } pc;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint n = 0u, s = 0u;
  while (true) {
    n++;
    if (n < x[i]) continue;
    s += n;
    break;
  }
  o[i] = s * 100u + n;
}

// run:
// groups 1 1 1
// push u32 0 0
// buffer 0 0 u32 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6
// buffer 0 1 u32 0*16
// expect 0 1 u32 exact 101 707 303 1010 606 202 909 505 101 808 404 101 707 303 1010 606
