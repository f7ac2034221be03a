// Division by zero and of the least number by -1, in some lanes only: x/0 = x, x%0 = 0, MIN/-1 = MIN, MIN%-1 = 0.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) readonly buffer B { int b[]; };
layout(std430, binding = 2) buffer O { ivec2 o[]; };
layout(std430, binding = 3) buffer P { uvec2 p[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  o[i] = ivec2(a[i] / b[i], a[i] % b[i]);
  p[i] = uvec2(uint(a[i]) / uint(b[i]), uint(a[i]) % uint(b[i]));
}

// `%` has the sign of the divisor (OpSMod).
// run:
// buffer 0 0 i32 7 -7 7 -7 -2147483648 5 0 -2147483648 100 -2147483648
// buffer 0 1 i32 2 2 -2 -2 -1 0 0 0 -7 1
// buffer 0 2 i32 x20
// buffer 0 3 u32 x20
// groups 2 1 1
// expect 0 2 i32 exact 3 1  -3 1  -3 -1  3 -1  -2147483648 0  5 0  0 0  -2147483648 0  -14 -5  -2147483648 0
// expect 0 3 u32 exact 3 1  2147483644 1  0 7  0 4294967289  0 2147483648  5 0  0 0  2147483648 0  0 100  2147483648 0
