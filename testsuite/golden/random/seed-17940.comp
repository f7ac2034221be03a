// A random program that gave a wrong result.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) readonly buffer X { uint input_[]; };
layout(std430, binding = 1) buffer O { uint output_[]; };
layout(std430, binding = 2) buffer M { uint memory[]; };
layout(push_constant) uniform P { uint y; };
uint base;
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
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  c0 = 0u;
  do {
    ++c0;
    v3 = memory[base + (v0 & 7u)];
  } while (c0 < 5u && !(v0 < t[w.x & 3u]));
  return ((((((((((((((((((((((((((((((((((((v4 * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0) * 31u) + c1) * 31u) + c2);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  base = i * 8u;
  output_[i] = f(input_[i], y);
}

// run:
// groups 5 1 1
// push u32 5
// buffer 0 0 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// buffer 0 0 u32 16 17 18 19 20 21 22 23 526407 11016920 18531737 128 25 273962827 26831 1720413656
// buffer 0 0 u32 517763 354629037 381485813 5 53736 31 0 697618 4163 57385 2 32 795542 1151885843 6233768 127
// buffer 0 0 u32 0 426545152 15184395 1938914612 70196996 72837 43124550 41482354 11920650 3 92624203 44880
// buffer 0 1 u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// buffer 0 1 u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// buffer 0 1 u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// buffer 0 1 u32 0 0 0 0 0 0 0 0 0 0 0 0
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
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// buffer 0 2 u32 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
// expect 0 1 u32 exact 3081534779 2084462426 1087390073 90317720 3388212663 2391140310 1394071801 396999448 3694894391 2697822038 1700749685 703677332 4001572275 3004499922 2007427569 1010355216 at 0
// expect 0 1 u32 exact 13282863 3311177806 2314105453 1317033100 319960747 3617855690 2620783337 1623710984 3693820632 3356654695 2349108166 10329023 3924533574 74339412 3984522064 3504310631 at 64
// expect 0 1 u32 exact 2387876892 927974962 2515612138 2391140310 4118595415 2237066752 3081534779 1709337965 1207741020 3638879030 1087390073 1239994399 1887782761 3345494668 3110703767 1007401376 at 128
// expect 0 1 u32 exact 3081534779 854719551 2737033620 3779501451 1946604987 2924571226 2825730489 3493414413 3297778805 90317720 3550025300 3738593007 at 192
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
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 768
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 832
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 896
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 960
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1024
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1088
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1152
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1216
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1280
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1344
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1408
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1472
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1536
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1600
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1664
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1728
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1792
// expect 0 2 u32 exact 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 at 1856
