// out and inout are copied in and out at the call, also where the function returns early.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { int x[]; };
layout(std430, binding = 1) buffer O { ivec2 o[]; };
int g;
bool step_(inout int a, out int b) {
  b = a * 10;
  if (a > 3) { a = -1; return true; }
  a += 1;
  g += a;
  return false;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  g = 100;
  int a = x[i], b = 5;
  if (!step_(a, b)) step_(a, b);
  o[i] = ivec2(a, b + g);
}

// run:
// buffer 0 0 i32 0 1 2 3 4 9
// buffer 0 1 i32 x12
// expect 0 1 i32 exact 2 113 3 125 4 137 -1 144 -1 140 -1 190
