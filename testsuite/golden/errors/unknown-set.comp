// An instruction that nobody computes is named, with its set or number and the place.
// error: instruction 12 of the set "No.such.set" in the function `main` is not supported
// error: this set is not known here; an embedder may register
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "No.such.set", id = 12) uint mystery(uint n);
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = mystery(o[i]); }
