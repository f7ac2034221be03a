// The first example of the feature's page.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
// Define OpIAdd (SPIR-V Opcode 128)
spirv_instruction(id = 128)
int rawIntegerAdd(int a, int b);

layout(location = 0) out int result;

void main() {
    int x = 10;
    int y = 20;
    // Emits OpIAdd into the output SPIR-V stream
    result = rawIntegerAdd(x, y);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
// Define OpIAdd (SPIR-V Opcode 128)
[[spirv::instruction(id = 128)]]
int rawIntegerAdd(int a, int b);

layout(location = 0) out int result;

void main() {
    int x = 10;
    int y = 20;
    // Emits OpIAdd into the output SPIR-V stream
    result = rawIntegerAdd(x, y);
}
