// modf, frexp, ldexp: numbers taken apart and put together.

#include "sign.glsl"

#define INFINITY intBitsToFloat(0x7F800000)

void std_modf(float x, out float fraction, out float whole) {
    whole = trunc(x);
    precise float rest = x - whole;
    // Infinities have no fraction. A fraction of 0 has the sign of x.
    float left = abs(rest);
    float size = abs(x) == INFINITY ? 0.0 : left;
    fraction = with_sign(size, x);
}

void std_frexp(float x, out float significand, out int exponent) {
    // A denormal number is scaled by 2^24 first.
    float a = abs(x);
    bool tiny = a < 1.1754944e-38;
    precise float scaled = x * (tiny ? 16777216.0 : 1.0);
    int b = floatBitsToInt(scaled);
    int e = ((b >> 23) & 255) - (tiny ? 150 : 126);
    // Zeros, infinities and NaNs are their own significands.
    bool plain = floatBitsToUint(a) - 1u < 0x7F7FFFFFu;
    int between = (b & int(0x807FFFFFu)) | 0x3F000000;
    int all = floatBitsToInt(x);
    significand = intBitsToFloat(plain ? between : all);
    exponent = plain ? e : 0;
}

float power(int n) {
    return intBitsToFloat((n + 127) << 23);
}

// x * 2^exponent by three factors, the largest last: only the last product is rounded, or it is 0 whatever was rounded
// before, or infinite.
float std_ldexp(float x, int exponent) {
    int e = clamp(exponent, -300, 300);
    int last = clamp(e, -100, 100);
    int middle = clamp(e - last, -100, 100);
    precise float r = ((x * power(e - last - middle)) * power(middle)) * power(last);
    return r;
}
