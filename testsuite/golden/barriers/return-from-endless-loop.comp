// A function with barriers returns from within an endless loop: the loop ends when the last invocation has left it, in step
// or one by one.
#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0,std430) buffer B { uint o[]; };
shared uint done;
uint together() {
  for (uint i = 0u;; i++) {
    if (gl_LocalInvocationIndex == 0u) done = i;
    barrier();
    uint d = done;
    barrier();
    if (d >= 5u) return i * 10u;
  }
  return 7u;
}
uint apart() {
  for (uint i = 0u;; i++) {
    barrier();
    if (gl_LocalInvocationIndex * 3u <= i * 16u) return i;
  }
  return 7u;
}
void main() {
  uint r = together();
  barrier();
  r += apart();
  barrier();
  o[gl_GlobalInvocationID.x] = r + 1u;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 x64
// expect 0 0 u32 exact 51 52 52 52 52 52 53 53 53 53 53 54 54 54 54 54 54 55 55 55 55 55 56 56 56 56 56 57 57 57 57 57 57 58 58 58 58 58 59 59 59 59 59 60 60 60 60 60 60 61 61 61 61 61 62 62 62 62 62 63 63 63 63 63
