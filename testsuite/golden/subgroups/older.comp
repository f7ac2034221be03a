// Instructions of extensions that came before GroupNonUniform: KHR's ballot and vote, AMD's group operations and ballot.
// sizes: 4 8 16 32 64
#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
spirv_instruction(extensions = ["SPV_KHR_shader_ballot"], capabilities = [4423], id = 4421) uvec4 ballot(bool c);
spirv_instruction(extensions = ["SPV_KHR_shader_ballot"], capabilities = [4423], id = 4422) vec2 first(vec2 v);
spirv_instruction(extensions = ["SPV_KHR_shader_ballot"], capabilities = [4423], id = 4432) uint read(uint v, uint lane);
spirv_instruction(extensions = ["SPV_KHR_subgroup_vote"], capabilities = [4431], id = 4428) bool all_(bool c);
spirv_instruction(extensions = ["SPV_KHR_subgroup_vote"], capabilities = [4431], id = 4429) bool any_(bool c);
spirv_instruction(extensions = ["SPV_KHR_subgroup_vote"], capabilities = [4431], id = 4430) bool equal_(bool c);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], capabilities = [18], id = 5000)
  uint add(uint scope, spirv_literal uint operation, uint v);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], capabilities = [18], id = 5005)
  float most(uint scope, spirv_literal uint operation, float v);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], set = "SPV_AMD_shader_ballot", id = 1)
  uint swizzle(uint v, uvec4 lanes);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], set = "SPV_AMD_shader_ballot", id = 2)
  uint masked(uint v, uvec3 mask);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], set = "SPV_AMD_shader_ballot", id = 3)
  uint write(uint v, uint w, uint lane);
spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], set = "SPV_AMD_shader_ballot", id = 4) uint below(uint64_t set);
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint l = gl_LocalInvocationIndex, v = l * 10u + 1u;
  if (l == 3u) return;
  o[l] = ballot(l != 1u).x;
  o[4u + l] = uint(first(vec2(v, 7.0)).x + first(vec2(v, 7.0)).y);
  o[8u + l] = read(v, 2u);
  o[12u + l] = uint(all_(l < 3u)) | uint(any_(l > 2u)) << 1 | uint(equal_(l < 2u)) << 2 | uint(equal_(v > 0u)) << 3;
  o[16u + l] = add(3u, 0u, v) * 10000u + add(3u, 1u, v) * 100u + add(3u, 2u, v);
  o[20u + l] = uint(most(3u, 0u, float(v)));
  o[24u + l] = swizzle(v, uvec4(1u, 2u, 0u, 0u)) * 100u + masked(v, uvec3(30u, 0u, 1u));
  o[28u + l] = write(v, 500u, 1u);
  o[32u + l] = below(5ul);
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*36
// expect 0 0 u32 exact 5 5 5 0 8 8 8 0 21 21 21 0 9 9 9 0 330100 331201 333312 0 21 21 21 0 1111 2111 100 0 1 500 21 0 0 1 1 0
