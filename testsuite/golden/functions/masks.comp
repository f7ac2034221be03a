// Calls in divergent control flow, in loops and nested; the same function with uniform and with varying arguments; early
// returns; stores and atomics under masks. The suite runs this with everything inlined and with nothing inlined.
#version 450
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer X { int x[]; };
layout(std430, binding = 1) buffer O { int o[]; };
layout(std430, binding = 2) buffer L { int log_[]; };
layout(push_constant) uniform Push { int n; };
int calls;

// Stores where it is called, and counts; loops until its own lane is done.
int weigh(int a, int b) {
  calls++;
  atomicAdd(log_[6], 1);
  int s = 0;
  while (true) {
    if (s > b) return s;
    if (a == 0) break;
    s += a;
    log_[gl_LocalInvocationID.x] += a;
    if (s < 0) return -1;
  }
  return -2;
}
// Calls within calls, under masks of their own.
int outer(int a) {
  if (a > 3) return weigh(a, n) + weigh(a, a);
  int r = weigh(n, n);
  for (int i = 0; i < a; i++) r += weigh(i, a);
  return r;
}
void swap_if(bool c, inout ivec2 v, out int was) {
  was = v.x;
  if (!c) return;
  v = v.yx;
}
void main() {
  uint i = gl_LocalInvocationID.x;
  calls = 0;
  int a = x[i];
  int r = 0;
  if (a != 2) r = outer(a);
  else r = weigh(n, 2 * n);
  ivec2 v = ivec2(a, r);
  int was;
  swap_if(a % 2 == 1, v, was);
  o[i] = r;
  o[6 + i] = v.x;
  o[12 + i] = was;
  o[18 + i] = calls;
}

// run:
// push i32 5
// buffer 0 0 i32 0 1 2 3 4 7
// buffer 0 1 i32 x24
// buffer 0 2 i32 x7
// expect 0 1 i32 exact 10 8 15 16 16 21 0 8 2 16 4 21 0 1 2 3 4 7 1 2 1 4 2 2
// expect 0 2 i32 exact 10 10 15 18 16 21 12
