// A function out of line asks for the ids of workgroups that run side by side.
// emit: stats
// require: workgroups in a subgroup: 4
// require: out of line: 1 functions, 15 calls
#version 450
layout(local_size_x=2) in;
layout(set=0,binding=0,std430) buffer O { uint o[]; };
uint h(uint a) {
  uint r = a;
  for (uint i = 0u; i < (a & 7u); i++) {
    r = r * 31u + gl_LocalInvocationID.x * 3u + gl_WorkGroupID.x;
    if ((r & 64u) != 0u) r ^= gl_GlobalInvocationID.x + gl_WorkGroupID.y * 77u;
    for (uint j = 0u; j < 3u; j++) {
      r += (r >> j) ^ gl_LocalInvocationIndex;
      if ((r & 3u) == 1u) break;
      r = (r << 3) | (r >> 29);
    }
  }
  return r;
}
void main() {
  uint i = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * 2u + gl_GlobalInvocationID.x;
  uint s = o[i];
  s += h(s); s ^= h(s + 1u);
  if ((s & 1u) != 0u) s += h(s + 2u);
  s ^= h(s + 3u); s ^= h(s + 4u); s ^= h(s + 5u); s ^= h(s + 6u);
  if ((s & 4u) != 0u) s ^= h(s + 7u);
  s ^= h(s + 8u); s ^= h(s + 9u); s ^= h(s + 10u); s ^= h(s + 11u); s ^= h(s + 12u); s ^= h(s + 13u); s ^= h(s + 14u);
  o[i] = s;
}

// run:
// groups 7 3 1
// buffer 0 0 u32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42
// expect 0 0 u32 exact 242 239194012 2992219061 492457824 1190335557 2667294336 3598054686 1709677590 3899287013 1871472436 4062198397 1450821388 294506373 4102656208 at 0
// expect 0 0 u32 exact 3578130941 3656406290 1188407573 23485196 2082200551 1768623676 2534932125 2376389144 101391816 2975232482 209799617 1499454660 2691518191 1201474836 at 56
// expect 0 0 u32 exact 2621066562 121020092 1966099 1261372098 1477825490 3192070584 1656126642 2838765268 1821749393 4045346520 2555287433 937842338 3390870836 1754278020 at 112

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 501
// helper instructions: 225
// blocks: 35
// contiguous accesses: 2
// transposed accesses: 0
// uniform accesses: 0
// gathered loads: 0
// scattered stores: 0
// out of line: 1 functions, 15 calls
// lane by lane: 0
// workgroups in a subgroup: 4
// masked constructs: 5
// code bytes: 6487
