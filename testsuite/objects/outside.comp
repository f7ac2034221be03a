// An instruction that the program computes, and a print.
#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_debug_printf : require
layout(local_size_x = 6) in;
spirv_instruction(id = 60000) uint mix_in(uint a, vec2 b, spirv_literal uint factor);
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i % 3u != 1u) data[i] = mix_in(data[i], vec2(i, 0.5), 7u);
    if (i == 4u) debugPrintfEXT("data %u of %v2f, \"quoted\" 100%%", data[i], vec2(1.5, -2.0));
}
