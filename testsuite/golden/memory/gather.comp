// A computed index is gathered, without a branch for each lane.
// emit: stats remarks
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[(i * 5u) & 7u]; }

// run:
// buffer 0 0 u32 10..18
// buffer 0 1 u32 x8
// expect 0 1 u32 exact 10 15 12 17 14 11 16 13

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 188
// helper instructions: 24
// blocks: 13
// contiguous accesses: 1
// transposed accesses: 0
// uniform accesses: 0
// gathered loads: 1
// scattered stores: 0
// lane by lane: 0
// masked constructs: 0
// code bytes: 1315
// ---- remarks
// gather.comp:7: gather: the index differs from lane to lane by no known distance
