// A random program that gave a wrong result.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) readonly buffer X { uint input_[]; };
layout(std430, binding = 1) buffer O { uint output_[]; };
layout(std430, binding = 2) buffer M { uint memory[]; };
layout(push_constant) uniform P { uint y; };
shared uint s[12];
uint base;
uint l;
uint g0(uint v0, inout uint v1, out uint v2) {
  v2 = 2u;
  uint v3 = 3u;
  uint v4 = 4u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint c0 = 0u;
  uint c1 = 0u;
  uint c2 = 0u;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  for (c0 = 0u; c0 < (((((((v1 >> 2u) & 1u) != 0u) ? v2 : v0) == v1) ? w.x : v2) & 7u); ++c0) {
  }
  return ((((((((((((((((((((((((((((((((((((v4 * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0) * 31u) + c1) * 31u) + c2);
}
uint g1(uint v0, inout uint v1, out uint v2) {
  v2 = 2u;
  uint v3 = 3u;
  uint v4 = 4u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint c0 = 0u;
  uint c1 = 0u;
  uint c2 = 0u;
  uint c3 = 0u;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  return (((((((((((((((((((((((((((((((((((((((memory[base + (w.y & 7u)] * (v4 / (w.x | 1u))) * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0) * 31u) + c1) * 31u) + c2) * 31u) + c3);
}
uint f(uint v0, uint v1) {
  uint v2 = 2u;
  uint v3 = 3u;
  uint v4 = 4u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint c0 = 0u;
  uint c1 = 0u;
  uint c2 = 0u;
  uint c3 = 0u;
  uint c4 = 0u;
  uint c5 = 0u;
  uint c6 = 0u;
  uint c7 = 0u;
  uint c8 = 0u;
  uint c9 = 0u;
  uint c10 = 0u;
  uint c11 = 0u;
  uint c12 = 0u;
  uint c13 = 0u;
  uint c14 = 0u;
  uint c15 = 0u;
  uint c16 = 0u;
  uint c17 = 0u;
  uint c18 = 0u;
  uint c19 = 0u;
  uint c20 = 0u;
  uint c21 = 0u;
  uint c22 = 0u;
  uint c23 = 0u;
  uint c24 = 0u;
  uint c25 = 0u;
  uint c26 = 0u;
  uint c27 = 0u;
  uint c28 = 0u;
  uint c29 = 0u;
  uint c30 = 0u;
  uint c31 = 0u;
  uint c32 = 0u;
  uint c33 = 0u;
  uint c34 = 0u;
  uint c35 = 0u;
  uint c36 = 0u;
  uint c37 = 0u;
  uint c38 = 0u;
  uint c39 = 0u;
  uint c40 = 0u;
  uint c41 = 0u;
  uint c42 = 0u;
  uint c43 = 0u;
  uint c44 = 0u;
  uint c45 = 0u;
  uint c46 = 0u;
  uint c47 = 0u;
  uint c48 = 0u;
  uint c49 = 0u;
  uint c50 = 0u;
  uint c51 = 0u;
  uint c52 = 0u;
  uint c53 = 0u;
  uint c54 = 0u;
  uint c55 = 0u;
  uint c56 = 0u;
  uint c57 = 0u;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  switch (v1 & 7u) {
    default:
      v3 = g0((w.y - 2u), v3, v4);
      ;
  }
  if (((v0 == w.z) || (((v1 >> 2u) & 1u) != 0u))) {
    v2 = 4294967295u;
  }
  v3 = (((v3 < v4) ? w.y : 0u) - (v3 ^ v0));
  c27 = 0u;
  while (c27 < 7u && ((((v1 >> 0u) & 1u) != 0u) && (v4 < v3))) {
    ++c27;
    if (!(((v3 >> 1u) & 1u) != 0u)) {
      c28 = 0u;
      do {
        ++c28;
        if ((memory[base + (v0 & 7u)] < v2)) {
          s[l] = c3;
          barrier();
          v3 = s[(l + 1u) % gl_WorkGroupSize.x];
          barrier();
        }
      } while (c28 < 5u && (v3 == w.y));
    } else {
      if ((((v2 >> 1u) & 1u) != 0u)) {
        if ((((v0 ^ w.x) == w.x) && ((v3 / (v0 | 1u)) < v1))) {
        } else {
          if ((v0 == 3u)) {
            s[l] = (v2 + v4);
            barrier();
            v4 = s[(l + 7u) % gl_WorkGroupSize.x];
            barrier();
          }
        }
      }
    }
  }
  return ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((v3 | v4) + v2) * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0) * 31u) + c1) * 31u) + c2) * 31u) + c3) * 31u) + c4) * 31u) + c5) * 31u) + c6) * 31u) + c7) * 31u) + c8) * 31u) + c9) * 31u) + c10) * 31u) + c11) * 31u) + c12) * 31u) + c13) * 31u) + c14) * 31u) + c15) * 31u) + c16) * 31u) + c17) * 31u) + c18) * 31u) + c19) * 31u) + c20) * 31u) + c21) * 31u) + c22) * 31u) + c23) * 31u) + c24) * 31u) + c25) * 31u) + c26) * 31u) + c27) * 31u) + c28) * 31u) + c29) * 31u) + c30) * 31u) + c31) * 31u) + c32) * 31u) + c33) * 31u) + c34) * 31u) + c35) * 31u) + c36) * 31u) + c37) * 31u) + c38) * 31u) + c39) * 31u) + c40) * 31u) + c41) * 31u) + c42) * 31u) + c43) * 31u) + c44) * 31u) + c45) * 31u) + c46) * 31u) + c47) * 31u) + c48) * 31u) + c49) * 31u) + c50) * 31u) + c51) * 31u) + c52) * 31u) + c53) * 31u) + c54) * 31u) + c55) * 31u) + c56) * 31u) + c57);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  base = i * 8u;
  l = gl_LocalInvocationIndex;
  s[l] = 0u;
  barrier();
  output_[i] = f(input_[i % 60u], y);
}

// run:
// groups 2 1 1
// push u32 5
// buffer 0 0 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// buffer 0 0 u32 16 17 18 19 20 21 22 23 526407 11016920 18531737 128 25 273962827 26831 1720413656
// buffer 0 0 u32 517763 354629037 381485813 5 53736 31 0 697618 4163 57385 2 32 795542 1151885843 6233768 127
// buffer 0 0 u32 0 426545152 15184395 1938914612 70196996 72837 43124550 41482354 11920650 3 92624203 44880
// buffer 0 1 u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// buffer 0 1 u32 0 0 0 0 0 0 0 0
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// expect 0 1 u32 exact 1540164420 2926180904 1970659625 564067075 716652624 3399063084 2443541805 3542896401 783749436 3871945264 2916423985 3609993213 4255204936 49860148 3389306165 2786481417 at 0
// expect 0 1 u32 exact 27334452 522742328 3862188345 2853578229 3498789952 995624508 40103229 2030066433 at 64
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 0
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 64
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 128
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 192
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 256
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 320
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 384
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 448
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 512
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 576
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 640
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 704
