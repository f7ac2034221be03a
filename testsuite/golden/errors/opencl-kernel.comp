// An instruction that nobody computes is named, with its set or number and the place.
// error: OpenCL.printf is not supported: belongs to OpenCL kernels
// error: is not supported
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "OpenCL.std", id = 184) int mystery(uint n);
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = uint(mystery(o[i])); }
