// Subgroup operations see the lanes that are there: after returns, in loops that lanes leave, in cases, in a loop over
// the values that lanes have, where a condition is the subgroup's own result. No total depends on the subgroup size.
// sizes: 1 2 4 8 16 32 64
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void count(uint at) {
  uint here = subgroupAdd(1u);
  if (subgroupElect()) atomicAdd(o[at], here);
}
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l % 5u == 4u) return;
  for (uint k = 0u; k <= (l & 3u); ++k) count(k);
  uint key = l * 7u % 6u;
  for (;;) {
    uint first = subgroupBroadcastFirst(key);
    if (first == key) {
      uint same = subgroupBallotBitCount(subgroupBallot(true));
      if (subgroupElect()) atomicAdd(o[8u + first], same);
      break;
    }
  }
  switch (l & 3u) {
    case 0u: count(16u); break;
    case 1u: count(17u);
    case 2u: count(18u); break;
    default: count(19u);
  }
  for (uint i = 0u; i < 6u; ++i) {
    if (i == (l >> 2) % 8u) break;
    if ((l + i) % 3u == 0u) continue;
    count(24u + i);
  }
  // All have come back.
  count(32u);
  if (subgroupAny(l % 2u == 0u) || subgroupAll(l % 2u == 1u)) {
    if (l % 2u == 0u) count(33u);
    count(34u);
  }
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*48
// expect 0 0 u32 exact 52 39 26 13 0 0 0 0 9 9 9 9 8 8 0 0 13 13 26 13 0 0 0 0 30 27 21 17 14 8 0 0 52 26 52 0 0 0 0 0 0 0 0 0 0 0 0 0
