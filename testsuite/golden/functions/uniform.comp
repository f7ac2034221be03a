// What is uniform at a call is uniform in the function, and so is the result: a barrier may depend on it. Shared memory and
// built-in variables are the caller's.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 1) buffer O { int o[]; };
layout(push_constant) uniform Push { int n; };
shared int s[16];

int bits(int a) {
  int c = 0;
  while (a != 0) { c += a & 1; a >>= 1; }
  return c;
}
int next(int by) {
  uint at = gl_LocalInvocationID.x + uint(by);
  if (at > 15u) return s[at - 16u];
  return s[at];
}
void main() {
  int i = int(gl_LocalInvocationID.x);
  s[i] = i;
  int r = bits(i);
  for (int k = 0; k < bits(n); k++) {
    barrier();
    int v = next(k) + next(i);
    barrier();
    s[i] = v;
  }
  o[gl_GlobalInvocationID.x] = r * 1000 + s[i] + int(gl_WorkGroupID.x);
}

// run:
// push i32 6
// groups 2 1 1
// buffer 0 1 i32 x32
// expect 0 1 i32 exact 3 1012 1021 2030 1023 2032 2041 3034 1011 2020 2029 3038 2031 3040 3049 4026 4 1013 1022 2031 1024 2033 2042 3035 1012 2021 2030 3039 2032 3041 3050 4027
