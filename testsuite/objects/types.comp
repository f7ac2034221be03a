// Components of 8, 16 and 64 bits: consecutive, as parts of words, gathered and scattered, in shared and local memory.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;

layout(std430, set = 0, binding = 0) readonly buffer Bytes { i8vec4 bytes[]; };
layout(std430, set = 0, binding = 1) buffer Small { uint8_t small[]; };
layout(std430, set = 0, binding = 2) buffer Halves { int16_t halves[]; };
layout(std430, set = 0, binding = 3) buffer Floats { f16vec2 floats[]; };
layout(std430, set = 0, binding = 4) buffer Wide { int64_t wide[]; };
layout(std430, set = 0, binding = 5) buffer Doubles { double doubles[]; };
layout(std430, set = 0, binding = 6) writeonly buffer Turned { i8vec4 turned[]; };
layout(std430, set = 0, binding = 7) writeonly buffer Target { int to[]; };
shared int64_t exchanged[16];

void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    const int64_t table[3] = int64_t[3](0x100000002L, 0x300000004L, -1L);
    i8vec4 b = bytes[i];
    int64_t w = wide[i];
    exchanged[15 - l] = w;
    barrier();
    ivec2 words = ivec2(unpack32(uint64_t(exchanged[l])));
    i8vec4 far = bytes[(i * 7u) % 64u];
    to[8u * i] = int(b.x) * 1000 + int(b.w);
    to[8u * i + 1u] = int(far.y);
    to[8u * i + 2u] = words.x;
    to[8u * i + 3u] = words.y;
    to[8u * i + 4u] = int(table[i % 3u] >> 32);
    to[8u * i + 5u] = int(table[i % 3u]);
    to[8u * i + 6u] = int(floats[i].x + floats[i].y);
    to[8u * i + 7u] = int(double(w) / 1048576.0);
    small[i] = small[i] + uint8_t(200);
    halves[i] = halves[i] * int16_t(3);
    floats[i] = floats[i].yx * float16_t(2);
    wide[i] = w * 3L + int64_t(b.z);
    doubles[i] = doubles[i] * 0.5 + double(b.y);
    if (i % 3u == 0u) turned[(i * 5u) % 64u] = b.wzyx;
}
