// Consecutive lanes of every width are vector loads and stores, and each type writes its own bytes only.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A { int8_t a[]; };
layout(std430, binding = 1) buffer B { uint16_t b[]; };
layout(std430, binding = 2) buffer C { float16_t c[]; };
layout(std430, binding = 3) buffer D { double d[]; };
layout(std430, binding = 4) buffer E { int64_t e[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = a[i] + int8_t(1);
    b[i] = b[i] + uint16_t(1);
    c[i] = c[i] * float16_t(0.1);
    d[i] = d[i] * 0.1;
    e[i] = e[i] + int64_t(a[i]);
}

// run:
// groups 2 1 1
// buffer 0 0 i8 127 -128 -1 0  1 2 3 4  5 6 7 8
// buffer 0 1 u16 65535 0 1 2  3 4 5 6  7 8
// buffer 0 2 f16 1 -2 65504 0x0001  0x8000 inf 3 10  -7 0.5
// buffer 0 3 f64 1 -2 3 1e300  10 0.5 -inf 7  8 9
// buffer 0 4 i64 1 2 3 4  -5 9223372036854775807 7 8  9 10
// expect 0 0 i8 exact -128 -127 0 1  2 3 4 5  6 7 8 9
// expect 0 1 u16 exact 0 1 2 3  4 5 6 7  8 9
// expect 0 2 f16 exact 0x2e66 0xb266 0x6e65 0x0000  0x8000 inf 0x34cc 0x3c00  0xb999 0x2a66
// expect 0 3 f64 ulp 1 0.1 -0.2 0.3 1e299  1 0.05 -inf 0.7  0.8 0.9
// expect 0 4 i64 exact -127 -125 3 5  -3 -9223372036854775806 11 13  15 17

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 640
// helper instructions: 136
// blocks: 43
// contiguous accesses: 11
// transposed accesses: 0
// uniform accesses: 0
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 0
// code bytes: 5618
