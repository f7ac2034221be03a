// A random program that gave a wrong result.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) readonly buffer X { uint input_[]; };
layout(std430, binding = 1) buffer O { uint output_[]; };
layout(std430, binding = 2) buffer M { uint memory[]; };
layout(push_constant) uniform P { uint y; };
uint base;
uint g0(uint v0, inout uint v1, out uint v2) {
  v2 = 2u;
  uint v3 = 3u;
  uint v4 = 4u;
  uint v5 = 5u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint c0 = 0u;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  return ((((((((((((((((((((((((((((((((((memory[base + (memory[base + (7u & 7u)] & 7u)] * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + v5) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0);
}
uint g1(uint v0, inout uint v1, out uint v2) {
  v2 = 2u;
  uint v3 = 3u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  return (((((((((((((((((((((((((((((v3 / ((v0 / (4294967295u | 1u)) | 1u)) * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0)));
}
uint f(uint v0, uint v1) {
  uint v2 = 2u;
  uint v3 = 3u;
  uint v4 = 4u;
  precise float f0 = 0.5;
  precise float f1 = 1.5;
  precise float f2 = 2.5;
  uint c0 = 0u;
  uint t[4] = uint[4](5u, 6u, 7u, 8u);
  uvec3 w = uvec3(1u, 2u, 3u);
  c0 = 0u;
  do {
    ++c0;
    memory[base + ((w.x >> (v4 & 31u)) & 7u)] = ((((v1 >> 0u) & 1u) != 0u) ? (v1 % (v2 | 1u)) : v3);
    v4 = memory[base + (v1 & 7u)];
    v2 = (v0 % (max(2u, 4294967295u) | 1u));
  } while (c0 < 5u && !(((memory[base + (v2 & 7u)] >> 0u) & 1u) != 0u));
  return (((((((((((((((((((((((((((((((((((v4 == w.z) ? v0 : v4) + 4294967295u) * 31u) + v0) * 31u) + v1) * 31u) + v2) * 31u) + v3) * 31u) + v4) * 31u) + t[0u & 3u]) * 31u) + t[1u & 3u]) * 31u) + t[2u & 3u]) * 31u) + t[3u & 3u]) * 31u) + w.x) * 31u) + w.y) * 31u) + w.z) * 31u) + uint(int(f0 * 8.0))) * 31u) + uint(int(f1 * 8.0))) * 31u) + uint(int(f2 * 8.0))) * 31u) + c0);
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
// expect 0 1 u32 exact 2060583261 2397800152 2735017047 3072233942 3409450837 3746667732 4083884627 126134226 463351122 800568016 1137784911 1475001806 1812218701 2149435596 2486652491 2823869386 at 0
// expect 0 1 u32 exact 3161086282 3498303176 3835520071 4172736966 214986565 552203460 889420355 1226637250 101318546 2738981506 800294208 2274672858 1901071040 3361097358 431000330 1680258946 at 64
// expect 0 1 u32 exact 1481272150 68256556 1661780452 3746667732 2280631154 3924372410 2060583261 2392735559 1440211350 129467056 2735017047 4261589306 16422595 355043270 861372082 1937455962 at 128
// expect 0 1 u32 exact 2060583261 2390585690 2354449358 2954830373 1622374485 1009598548 3437296403 3104472039 2064044879 3072233942 2912569486 890079754 at 192
// expect 0 2 u32 exact 0 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 0
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 64
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 128
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 192
// expect 0 2 u32 exact 5 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 256
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 320
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 384
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 448
// expect 0 2 u32 exact 5 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 512
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 576
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 640
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 704
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 768
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 832
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 896
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 960
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1024
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1088
// expect 0 2 u32 exact 5 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1152
// expect 0 2 u32 exact 0 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1216
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1280
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 1344
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1408
// expect 0 2 u32 exact 5 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1472
// expect 0 2 u32 exact 0 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 1536
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1600
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1664
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1728
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 2 3 3 3 3 3 3 3 at 1792
// expect 0 2 u32 exact 2 3 3 3 3 3 3 3 5 3 3 3 3 3 3 3 at 1856
