// One contiguous load and store per operand; the bound is the only mask.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=256) in;
layout(set=0,binding=0,std430) readonly buffer X { float x[]; };
layout(set=0,binding=1,std430) buffer Y { float y[]; };
layout(push_constant) uniform PC { uint n; float a; } pc;
void main(){
  uint i = gl_GlobalInvocationID.x;
  if (i < pc.n) y[i] = pc.a * x[i] + y[i];
}

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 199
// helper instructions: 44
// blocks: 21
// contiguous accesses: 3
// transposed accesses: 0
// uniform accesses: 2
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 1
// code bytes: 1783
