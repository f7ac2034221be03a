// A quad has four lanes: a subgroup of fewer is no compilation that the shader could be told of.
// subgroup-size: 2
// error: GroupNonUniformQuadBroadcast is not supported: quads need a subgroup size of at least 4
#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = subgroupQuadBroadcast(o[i], 1u); }
