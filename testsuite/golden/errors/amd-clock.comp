// An instruction that nobody computes is named, with its set or number and the place.
// error: AMD.TimeAMD is not supported: there is no shader clock
// error: is not supported
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "SPV_AMD_gcn_shader", id = 3) uvec2 mystery();
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = mystery().x; }
