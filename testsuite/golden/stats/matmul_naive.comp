// One load is uniform for a row, one contiguous for a column.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=16, local_size_y=16) in;
layout(set=0,binding=0,std430) readonly buffer A { float a[]; };
layout(set=0,binding=1,std430) readonly buffer B { float b[]; };
layout(set=0,binding=2,std430) writeonly buffer C { float c[]; };
layout(push_constant) uniform PC { uint n; } pc;
void main(){
  uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
  if (col >= pc.n || row >= pc.n) return;
  float acc = 0.0;
  for (uint k = 0u; k < pc.n; ++k) acc += a[row*pc.n + k] * b[k*pc.n + col];
  c[row*pc.n + col] = acc;
}

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 219
// helper instructions: 44
// blocks: 22
// contiguous accesses: 2
// transposed accesses: 0
// uniform accesses: 2
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 1
// code bytes: 1911
