// Barriers under conditions that are uniform in fact, but that nobody can prove: values loaded from a buffer, computed in
// loops of their own, chosen by a switch; in functions, with early returns before.
#version 450
layout(local_size_x = 24, local_size_y = 3) in;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer I { uint same[]; };
shared uint s[72];
uint l = gl_LocalInvocationIndex;
uint around(uint value, uint distance) {
  s[l] = value;
  barrier();
  uint other = s[(l + distance) % 64u];
  barrier();
  return other;
}
uint steps(uint n) {
  uint x = 0u;
  while (n > 1u) { n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u; ++x; }
  return x;
}
void main() {
  if (l >= 64u) return;
  uint acc = l;
  uint n = steps(same[l]);
  for (uint i = 0u; i < n; ++i) {
    if (same[l + i] > 2u) acc += around(acc, i + 1u);
    switch (same[i] + i) {
      case 6u: acc += around(acc * 3u, 7u);
      case 7u: acc += around(acc, 2u); break;
      case 9u: break;
      default: acc = around(acc + 1u, 1u);
    }
    if (same[l] == 6u && i > 2u) acc = around(acc, 3u) / 2u;
    // After the last barrier of the iteration.
    if (l == i) continue;
    acc ^= 5u;
  }
  o[l] = acc;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*72
// buffer 0 1 u32 6*100
// expect 0 0 u32 exact 5705 5815 5892 5965 6013 6039 6045 6013 5967 5894 5788 5634 5476 5272 5057 4819 4568 4307 4046 3762 3510 3254 3009 2792 2593 2432 2284 2175 2093 2037 2004 2007 2010 2057 2119 2176 2279 2368 2485 2599 2719 2824 2955 3077 3200 3330 3461 3587 3714 3842 3970 4102 4227 4358 4486 4611 4738 4867 4992 5123 5251 5372 5503 5601 0*8
