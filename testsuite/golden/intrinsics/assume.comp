// OpAssumeTrueKHR (5630) promises what is not relied on, true or not. OpExpectKHR (5631) is its operand.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5630) void assume_(bool holds);
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5631) bool expect_(bool x, bool likely);
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  assume_(i < 3u);
  o[i] = expect_(i < 2u, true) ? 10u + i : 20u + i;
}

// run:
// buffer 0 0 u32 x4
// expect 0 0 u32 exact 10 11 22 23
