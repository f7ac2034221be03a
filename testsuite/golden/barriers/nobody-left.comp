// All invocations have returned: nothing of what comes next is executed, though its loops would not end on these numbers. One
// is taken round by the whole workgroup, one is computed once.
#version 450
layout(local_size_x=64) in;
layout(push_constant) uniform P { uint n; uint step; uint end; };
layout(set=0,binding=0,std430) buffer B { uint o[]; };
shared uint s[64];
void main() {
  uint g = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  s[l] = g;
  barrier();
  if (s[0] >= n) return;
  uint acc = 0u;
  for (uint i = 0u; i != end; i += step) {
    s[l] = i + acc;
    barrier();
    acc += s[(l + 1u) & 63u];
    barrier();
  }
  if (g >= n) return;
  uint x = step;
  while (x != end) x = x * x + step;
  s[l] += x;
  barrier();
  o[g] = s[(l + 1u) & 63u] + acc;
}

// run:
// push u32 0 0 64
// groups 1 1 1
// buffer 0 0 u32 x64
// expect 0 0 u32 exact 0 0 0 0 0 0 0 0
