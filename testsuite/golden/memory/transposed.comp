// Arrays of vectors: vector loads and a transpose, and the same back.
// emit: stats
// require: gathered loads: 0
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { vec4 x[]; };
layout(std430, binding = 1) writeonly buffer O { vec4 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i].wzyx * 2.0; }

// run:
// buffer 0 0 f32 1 2 3 4  5 6 7 8  9 10 11 12  13 14 15 16  17 18 19 20
// buffer 0 1 f32 x20
// expect 0 1 f32 exact 8 6 4 2  16 14 12 10  24 22 20 18  32 30 28 26  40 38 36 34

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 348
// helper instructions: 44
// blocks: 16
// contiguous accesses: 0
// transposed accesses: 2
// uniform accesses: 0
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 0
// code bytes: 2103
