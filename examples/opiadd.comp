// A SPIR-V instruction by its number: calls of `rawIntegerAdd` become OpIAdd, which `+` also does. Instructions for which
// GLSL has no operator are reached in the same way.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 64) in;

spirv_instruction(id = 128) int rawIntegerAdd(int a, int b);

layout(set = 0, binding = 0, std430) readonly buffer A { int a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { int b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sum { int sum[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < sum.length()) sum[i] = rawIntegerAdd(a[i], b[i]);
}
