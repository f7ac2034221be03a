// The [[spirv::…]] spelling, in macros and mixed with the official one. Both examples of the feature's page are in it: OpIAdd,
// and number 12 of GLSL.std.450, which is Degrees.
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
// Define OpIAdd (SPIR-V Opcode 128)
[[spirv::instruction(id = 128)]]
int rawIntegerAdd(int a, int b);
[[spirv::instruction(set = "GLSL.std.450", id = 12)]]
float inlineFastSqrt(float val);
#define REF [[spirv::reference]]
[[spirv::instruction(id = OpAtomicIAdd)]] int atomic_(REF int p, uint scope, uint semantics, int value);
spirv_instruction(id = 81) float part_(vec4 v, [[spirv::literal]] int index);
void bump(REF int p) { p += 100; }
layout(std430, binding = 0) buffer O { int o[4]; float f[4]; };
layout(std430, binding = 1) buffer C { int count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  o[i] = rawIntegerAdd(10, int(i) * 20);
  bump(o[i]);
  f[i] = i == 0u ? inlineFastSqrt(3.14159265) : part_(vec4(1.5, 2.5, 3.5, 4.5), 2);
  atomic_(count, 1u, 0u, 5);
}

// run:
// buffer 0 0 u32 x8
// buffer 0 1 u32 1
// expect 0 0 u32 exact 110 130 150 170 0x43340000 0x40600000 0x40600000 0x40600000
// expect 0 1 u32 exact 21
