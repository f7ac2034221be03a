// A condition on push constants stays a branch; what is varying inside is masked.
// emit: stats ir
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(push_constant) uniform P { uint mode; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (mode == 1u) o[i] = i; else if (mode == 2u) { if (i < 3u) o[i] = 50u; }
}

// run:
// push u32 1
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 0 1 2 3 4 5 6 7
// run:
// push u32 2
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 50 50 50 9 9 9 9 9
// run:
// push u32 3
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 9*8
