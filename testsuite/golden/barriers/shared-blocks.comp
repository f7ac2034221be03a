// Blocks in Workgroup memory share it, and lie as they are decorated.
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer O { uint o[]; };
shared A { vec4 a[16]; uint n; };
shared B { float b[64]; layout(offset = 512) uvec2 c[64]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  b[l] = float(l);
  c[l] = uvec2(l, 1u);
  barrier();
  atomicAdd(c[l].y, l);
  barrier();
  o[l] = uint(a[l / 4u][l & 3u]) + c[63u - l].y * 1000u;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*64
// expect 0 0 u32 exact 64000 63001 62002 61003 60004 59005 58006 57007 56008 55009 54010 53011 52012 51013 50014 49015 48016 47017 46018 45019 44020 43021 42022 41023 40024 39025 38026 37027 36028 35029 34030 33031 32032 31033 30034 29035 28036 27037 26038 25039 24040 23041 22042 21043 20044 19045 18046 17047 16048 15049 14050 13051 12052 11053 10054 9055 8056 7057 6058 5059 4060 3061 2062 1063
