// Vectors go component by component; the size of a cluster may be larger than the subgroup. The workgroup is one cluster
// of four, all of which see the same at every size from 4.
// sizes: 4 8 16 32 64
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer F { float f[]; };
layout(std430, binding = 1) buffer U { uint u[]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  float x = float(l + 1u);
  float nan = uintBitsToFloat(0x7fc00000u);
  vec3 sum = subgroupAdd(vec3(x, 10.0 * x, -x));
  dvec2 product = subgroupInclusiveMul(dvec2(x, 2.0));
  f16vec2 most = subgroupExclusiveMax(f16vec2(x, -x));
  vec4 other = subgroupShuffle(vec4(x, x * x, 0.5, -x), 3u - l);
  vec2 up = subgroupShuffleUp(vec2(x, -x), 1u);
  uint at = 16u * l;
  f[at] = sum.x; f[at + 1u] = sum.y; f[at + 2u] = sum.z;
  f[at + 3u] = float(product.x); f[at + 4u] = float(product.y);
  f[at + 5u] = float(most.x); f[at + 6u] = float(most.y);
  f[at + 7u] = other.x; f[at + 8u] = other.y; f[at + 9u] = other.z; f[at + 10u] = other.w;
  f[at + 11u] = up.x; f[at + 12u] = up.y;
  // Of a number and a NaN the number.
  f[at + 13u] = subgroupMin(l == 1u ? nan : x);
  f[at + 14u] = subgroupClusteredMax(l == 3u ? nan : x, 64u);
  f[at + 15u] = subgroupExclusiveAdd(-0.0);
  bvec2 both = subgroupAnd(bvec2(l < 9u, l != 2u));
  bvec3 odd = subgroupInclusiveXor(bvec3(true, l == 1u, false));
  i64vec2 wide = subgroupBroadcast(i64vec2(int64_t(l) << 40, -1l), 2u);
  uvec2 pair = subgroupQuadSwapDiagonal(uvec2(l, l + 100u));
  uint bits = uint(both.x) | uint(both.y) << 1 | uint(odd.x) << 2 | uint(odd.y) << 3 | uint(odd.z) << 4;
  bits |= uint(subgroupAllEqual(vec2(1.0, x))) << 5 | uint(subgroupAllEqual(uvec2(3u, l / 4u))) << 6;
  bits |= uint(subgroupAllEqual(nan)) << 7;
  u[4u * l] = bits;
  u[4u * l + 1u] = uint(wide.x >> 40);
  u[4u * l + 2u] = uint(wide.y);
  u[4u * l + 3u] = pair.x * 1000u + pair.y;
}

// run:
// groups 1 1 1
// buffer 0 0 f32 0*64
// buffer 0 1 u32 0*16
// expect 0 0 f32 exact 10 100 -10 1 2 -inf -inf 4 16 0.5 -4 0 0 1 3 0 10 100 -10 2 4 1 -1 3 9 0.5 -3 1 -1 1 3 0 10 100 -10 6 8 2 -1 2 4 0.5 -2 2 -2 1 3 0 10 100 -10 24 16 3 -1 1 1 0.5 -1 3 -3 1 3 0
// expect 0 1 u32 exact 69 2 4294967295 3103 73 2 4294967295 2102 77 2 4294967295 1101 73 2 4294967295 100
