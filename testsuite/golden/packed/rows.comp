// Workgroups of 2 × 2 invocations: two of a row in a subgroup of 8. Loops and selections of each are its own.
// emit: stats remarks
// require: workgroups in a subgroup: 2
#version 450
layout(local_size_x=2, local_size_y=2) in;
layout(set=0,binding=0,std430) readonly buffer I { uint i[]; };
layout(set=0,binding=1,std430) buffer O { uint o[]; };
uint collatz(uint n) {
  uint steps = 0u;
  while (n > 1u && steps < 100u) { n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u; steps++; }
  return steps;
}
void main() {
  uint w = gl_NumWorkGroups.x * 2u;
  uint at = gl_GlobalInvocationID.y * w + gl_GlobalInvocationID.x;
  uint steps = collatz(i[at]);
  if ((gl_WorkGroupID.x & 1u) == 0u) steps += 1000u * gl_LocalInvocationIndex;
  o[at] = steps;
}

// run:
// groups 3 2 1
// buffer 0 0 u32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
// buffer 0 1 u32 x24
// expect 0 1 u32 exact 0 1001 7 2 5 1008 2016 3003 19 6 2014 3009 9 1017 17 4 12 1020 2020 3007 7 15 2015 3010

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 337
// helper instructions: 0
// blocks: 15
// contiguous accesses: 0
// transposed accesses: 0
// uniform accesses: 0
// gathered loads: 1
// scattered stores: 1
// lane by lane: 0
// workgroups in a subgroup: 2
// masked constructs: 1
// code bytes: 2552
// ---- remarks
// rows.comp:16: gather: the index differs from lane to lane by no known distance
// rows.comp:18: scatter: the index differs from lane to lane by no known distance
