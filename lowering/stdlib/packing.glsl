// Numbers packed into words, and half-precision numbers.
//
// Adding 1.5 * 2^23 to a number rounds it to an integer, the nearest, even where there are two, and leaves that integer in
// two's complement in the sum's low bits.

const float ROUND = 12582912.0;

uint low_bits(float scaled, uint mask) {
    precise float sum = scaled + ROUND;
    return floatBitsToUint(sum) & mask;
}

uint snorm(float x, float scale, uint mask) {
    precise float scaled = clamp(x, -1.0, 1.0) * scale;
    return low_bits(scaled, mask);
}

uint unorm(float x, float scale, uint mask) {
    precise float scaled = clamp(x, 0.0, 1.0) * scale;
    return low_bits(scaled, mask);
}

uint std_pack_snorm_4x8(float x, float y, float z, float w) {
    return snorm(x, 127.0, 255u) | (snorm(y, 127.0, 255u) << 8) | (snorm(z, 127.0, 255u) << 16)
        | (snorm(w, 127.0, 255u) << 24);
}

uint std_pack_unorm_4x8(float x, float y, float z, float w) {
    return unorm(x, 255.0, 255u) | (unorm(y, 255.0, 255u) << 8) | (unorm(z, 255.0, 255u) << 16)
        | (unorm(w, 255.0, 255u) << 24);
}

uint std_pack_snorm_2x16(float x, float y) {
    return snorm(x, 32767.0, 65535u) | (snorm(y, 32767.0, 65535u) << 16);
}

uint std_pack_unorm_2x16(float x, float y) {
    return unorm(x, 65535.0, 65535u) | (unorm(y, 65535.0, 65535u) << 16);
}

// The bits of a word from `left` bits below its top on, as a number with or without sign, divided.
float from_snorm(uint word, int left, int right, float scale) {
    precise float quotient = float((int(word) << left) >> right) / scale;
    return max(quotient, -1.0);
}

float from_unorm(uint word, int left, int right, float scale) {
    // A number without sign of 16 bits or less is one with sign of 32.
    precise float quotient = float(int((word << left) >> right)) / scale;
    return quotient;
}

void std_unpack_snorm_4x8(uint p, out float x, out float y, out float z, out float w) {
    x = from_snorm(p, 24, 24, 127.0);
    y = from_snorm(p, 16, 24, 127.0);
    z = from_snorm(p, 8, 24, 127.0);
    w = from_snorm(p, 0, 24, 127.0);
}

void std_unpack_unorm_4x8(uint p, out float x, out float y, out float z, out float w) {
    x = from_unorm(p, 24, 24, 255.0);
    y = from_unorm(p, 16, 24, 255.0);
    z = from_unorm(p, 8, 24, 255.0);
    w = from_unorm(p, 0, 24, 255.0);
}

void std_unpack_snorm_2x16(uint p, out float x, out float y) {
    x = from_snorm(p, 16, 16, 32767.0);
    y = from_snorm(p, 0, 16, 32767.0);
}

void std_unpack_unorm_2x16(uint p, out float x, out float y) {
    x = from_unorm(p, 16, 16, 65535.0);
    y = from_unorm(p, 0, 16, 65535.0);
}

// The 16 bits of the nearest half-precision number, the even one of two.
uint to_half(float value) {
    uint b = floatBitsToUint(value);
    uint a = b & 0x7FFFFFFFu;
    // Of a normal number 13 bits go: adding just under a half of their unit, and one more where what stays is odd.
    uint rounded = (a + 0xFFFu + ((a >> 13) & 1u)) >> 13;
    uint normal = min(rounded - (112u << 10), 0x7C00u);
    // Of a number below 2^-14 the unit is 2^-24, which is that of 1/2 here: the addition rounds.
    precise float shifted = uintBitsToFloat(a) + 0.5;
    uint tiny = floatBitsToUint(shifted) - 0x3F000000u;
    uint number = a < 0x38800000u ? tiny : normal;
    uint size = a > 0x7F800000u ? 0x7E00u : number;
    return size | ((b >> 16) & 0x8000u);
}

// The low 16 bits as a half-precision number.
float from_half(uint h) {
    uint shifted = (h & 0x7FFFu) << 13;
    // Exponents differ by 112; a denormal half is a denormal number here before it is scaled.
    precise float scaled = uintBitsToFloat(shifted) * 5.192296858534828e33;
    uint finite = floatBitsToUint(scaled);
    uint other = shifted | 0x7F800000u;
    uint size = shifted < 0x0F800000u ? finite : other;
    return uintBitsToFloat(size | ((h & 0x8000u) << 16));
}

uint std_pack_half_2x16(float x, float y) {
    return to_half(x) | (to_half(y) << 16);
}

void std_unpack_half_2x16(uint p, out float x, out float y) {
    x = from_half(p);
    y = from_half(p >> 16);
}

// Halves below the normal ones become zeros, as the specification asks.
float std_quantize_to_f16(float x) {
    uint h = to_half(x);
    uint zero = h & 0x8000u;
    return from_half((h & 0x7C00u) == 0u ? zero : h);
}
