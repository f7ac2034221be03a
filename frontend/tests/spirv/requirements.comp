// Extensions and capabilities, in any order and place, once each, also of what is never called.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_shader_clock", "SPV_KHR_multiview"], capabilities = [5055, 61], id = 130) uint sub_(uint, uint);
spirv_instruction(capabilities = [61, 4439], id = 199) uint and_(uint, uint);
spirv_instruction(id = 197, capabilities = [62], extensions = ["SPV_KHR_multiview"]) uint or_(uint, uint);
float f() { return 1.0; }
layout(binding = 0) buffer B { uint b[]; };
void main() { b[0] = sub_(b[1], b[2]); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::extension("SPV_KHR_shader_clock", "SPV_KHR_multiview")]] [[spirv::capability(5055, 61)]] [[spirv::instruction(id = 130)]] uint sub_(uint, uint);
[[spirv::instruction(id = 199), spirv::capability(MultiView)]] uint and_(uint, uint);
[[spirv::instruction(id = 197)]] [[spirv::capability(GroupNonUniformVote)]] uint or_(uint, uint);
[[spirv::capability(62)]] float f() { return 1.0; }
layout(binding = 0) buffer B { uint b[]; };
void main() { b[0] = sub_(b[1], b[2]); }
