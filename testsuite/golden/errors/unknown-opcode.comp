// An instruction that nobody computes is named, with its set or number and the place.
// error: opcode 60000 in the function `twice` is not supported
// error: unknown-opcode.comp:8: 
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 60000) uint mystery(uint n);
uint twice(uint n) {
  return 2u * mystery(n);
}
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = twice(o[i]); }
