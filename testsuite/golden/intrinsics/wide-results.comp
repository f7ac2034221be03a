// Instructions with two results give a struct: OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended, on scalars and vectors.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
struct U { uint low, high; };
struct U2 { uvec2 low, high; };
struct I { int low, high; };
spirv_instruction(id = 149) U add_carry(uint a, uint b);
spirv_instruction(id = 150) U sub_borrow(uint a, uint b);
spirv_instruction(id = 151) U mul_extended(uint a, uint b);
spirv_instruction(id = 152) I mul_extended(int a, int b);
spirv_instruction(id = 149) U2 add_carry(uvec2 a, uvec2 b);
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uvec4 o[][3]; };
void main() {
  uint i = gl_GlobalInvocationID.x, a = x[2u * i], b = x[2u * i + 1u];
  U sum = add_carry(a, b), difference = sub_borrow(a, b), product = mul_extended(a, b);
  I signed_product = mul_extended(int(a), int(b));
  U2 sums = add_carry(uvec2(a, 1u), uvec2(1u, b));
  o[i] = uvec4[3](uvec4(sum.low, sum.high, difference.low, difference.high),
                  uvec4(product.low, product.high, uint(signed_product.low), uint(signed_product.high)),
                  uvec4(sums.low, sums.high));
}

// run:
// buffer 0 0 u32 3 5  0xffffffff 2
// buffer 0 1 u32 x24
// expect 0 1 u32 exact 8 0 0xfffffffe 1  15 0 15 0  4 6 0 0
// expect 0 1 u32 exact 1 1 0xfffffffd 0  0xfffffffe 1 0xfffffffe 0xffffffff  0 3 1 0 at 48
