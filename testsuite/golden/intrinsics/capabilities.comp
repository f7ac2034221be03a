// Capabilities and extensions that are declared and not used are no error.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(extensions = ["SPV_KHR_shader_clock"], capabilities = [5055], id = 130) uint sub_(uint a, uint b);
spirv_instruction(capabilities = [39, 22, 9], id = 199) uint and_(uint a, uint b);
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = sub_(o[i], and_(i, 1u)); }

// run:
// buffer 0 0 u32 10 20 30 40
// expect 0 0 u32 exact 10 19 30 39
