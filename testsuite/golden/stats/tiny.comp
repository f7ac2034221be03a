// A store by every invocation.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0,std430) buffer A { uint a[]; };
void main(){ a[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x*3u+1u; }

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 119
// helper instructions: 24
// blocks: 13
// contiguous accesses: 1
// transposed accesses: 0
// uniform accesses: 0
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 0
// code bytes: 979
