// Reductions live across barriers, decide loops around them, and are taken again under the masks of a workgroup that is
// taken apart. What every subgroup computes alike is not computed by the workgroup.
// sizes: 1 2 4 8 16 32 64
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 48) in;
layout(push_constant) uniform P { uint bits; };
layout(std430, binding = 0) buffer O { uint o[]; };
shared uint part[48];
shared uint most;
void main() {
  uint l = gl_LocalInvocationIndex;
  uint v = o[l];
  if (l == 0u) most = 0u;
  uint own = subgroupAdd(v);
  uint upto = subgroupInclusiveAdd(v);
  part[gl_SubgroupID] = own;
  barrier();
  uint base = 0u;
  for (uint k = 0u; k < gl_SubgroupID; ++k) base += part[k];
  atomicMax(most, subgroupMax(v));
  barrier();
  uint rounds = subgroupBallotFindLSB(uvec4(bits)) + 1u;
  uint sum = 0u;
  for (uint r = 0u; r <= rounds; ++r) {
    barrier();
    if (gl_SubgroupID == 0u && subgroupElect()) part[0] = 0u;
    barrier();
    if ((l + r) % 3u == 0u) {
      uint here = subgroupAdd(l);
      if (subgroupElect()) atomicAdd(part[0], here);
    }
    barrier();
    sum = sum * 7u + part[0];
  }
  // The same in the whole workgroup, in fact.
  while (subgroupAny(most > 0u)) {
    uint before = most;
    barrier();
    if (l == 0u) most = before >> 1;
    barrier();
    sum += before;
    if (before == 1u && subgroupAll(l < 100u)) break;
  }
  o[l] = base + upto;
  o[48u + l] = sum;
}

// run:
// groups 1 1 1
// push u32 1
// buffer 0 0 u32 1*48 0*48
// expect 0 0 u32 exact 1..49 2913*48
// run:
// groups 1 1 1
// push u32 5
// buffer 0 0 u32 5*48 0*48
// expect 0 0 u32 exact 5 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 100 105 110 115 120 125 130 135 140 145 150 155 160 165 170 175 180 185 190 195 200 205 210 215 220 225 230 235 240 2920*48
