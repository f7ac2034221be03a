#version 450
// Calls of functions out of line: the shader's own, with masks and versions for uniform arguments, and the library's.
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { int x[]; };
layout(std430, binding = 1) writeonly buffer Out { int y[]; };
layout(push_constant) uniform Push { int n; };
int steps;

int walk(int from, int to) {
  int sum = 0;
  for (int i = from; i < to; i++) {
    steps++;
    if (i % 3 == 0) continue;
    sum += i * i;
    if (sum > 1000) return -sum;
    if ((sum & 15) == 9) sum ^= 5;
    if (i > 100) break;
  }
  return sum + from;
}
float wave(float x) { return sin(x) * sin(x) + cos(x) * cos(x) + exp2(x) - exp2(x) + log2(8.0) + atan(x * 0.0); }

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(x.length())) return;
  int a = x[i];
  steps = 0;
  int r = walk(0, n) + walk(n, n + n);
  if (a > 2) r += walk(a, n) + walk(1, a);
  else r -= walk(a, a + a) + walk(2, n);
  for (int k = 0; k < a; k++) r += walk(k, a) + walk(k, n) + walk(0, k);
  r += walk(3, a) + walk(4, a) + walk(5, a) + walk(6, a) + walk(7, a) + walk(8, a) + walk(9, a) + walk(10, a);
  r += walk(3, n) + walk(4, n) + walk(5, n) + walk(6, n) + walk(7, n) + walk(8, n) + walk(9, n) + walk(10, n);
  y[i] = r + 10000 * int(wave(float(a)) + 0.5) + steps * 100000;
}
