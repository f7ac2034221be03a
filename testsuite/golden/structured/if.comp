// A selection without an else side.
// emit: ir-lifted
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint xs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rs[]; };
void main() {
  uint x = xs[gl_GlobalInvocationID.x];
  uint r = 1u;
  if (x < 3u) {
    r = x * 10u;
  }
  rs[gl_GlobalInvocationID.x] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0 1 2 3 4 5 6 7
// buffer 0 1 u32 0*8
// expect 0 1 u32 exact 0 10 20 1 1 1 1 1
