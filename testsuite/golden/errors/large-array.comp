// A local array that no registers and no stack could hold: the message says where (the function, which it is declared in).
// error: large-array.comp:7:
// error: a value of more than 16384 components; keep it in memory and access its parts
#version 450
layout(local_size_x=8) in;
layout(binding=0) buffer B { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint a[20000];
  for (uint k = 0u; k < 20000u; k++) a[(k * i) % 20000u] = k;
  o[i] = a[i];
}
