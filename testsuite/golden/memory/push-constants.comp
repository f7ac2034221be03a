// Push constants by their offsets.
// emit: interface
#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform P { layout(offset = 4) int a; layout(offset = 16) vec4 v; layout(offset = 40) uint k[2]; };
layout(std430, set = 1, binding = 3) buffer O { int o[]; };
void main() { o[0] = a; o[1] = int(v.z); o[2] = int(k[1]); }

// run:
// push i32 0 -7 0 0
// push f32 1 2 3 4
// push u32 0 0 5 6
// buffer 1 3 i32 x3
// expect 1 3 i32 exact -7 3 6

// ==== printed (cargo xtask bless) ====
// ---- interface
// entry point `main`, workgroup size 1 x 1 x 1
// set 1 binding 3: storage buffer `O`, written, 4 bytes for each element
//        0  int[] o
// push constants, 48 bytes
//        4  int a
//       16  vec4 v
//       40  uint[2] k
