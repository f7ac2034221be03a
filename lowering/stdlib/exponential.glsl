// exp, exp2, log, log2, pow.
//
// 2^x: x = n + f with n an integer and |f| <= 1/2; a polynomial gives 2^f, and 2^n is made from bits in two factors, so that
// the result may be a denormal number or overflow without a special case. n comes from adding a large number whose last
// place is 1: the sum's low bits are n, with twice the exponent's bias added for the factors.
//
// log2 x: x = 2^e m with sqrt(1/2) <= m < sqrt(2); with s = (m - 1) / (m + 1), log2 m is odd in s.

const float MANY = 12583166.0; // 1.5 * 2^23 + 2 * 127

// p * 2^n for the sum `shifted` = n + MANY, -252 <= n <= 254.
float scale_by(float p, float shifted) {
    int both = floatBitsToInt(shifted);
    int half_of = both >> 1;
    precise float part = p * intBitsToFloat(half_of << 23);
    precise float whole = part * intBitsToFloat((both - half_of) << 23);
    return whole;
}

float std_exp2(float x) {
    // Beyond these the result is 0 or infinity. A NaN passes: the clamp gives its first operand where nothing compares.
    float bounded = clamp(x, -151.0, 129.0);
    precise float shifted = bounded + MANY;
    precise float f = bounded - (shifted - MANY);
    precise float p = 1.0 + f * (0.69314724 + f * (0.24022655 + f * (0.055502724
        + f * (0.009617063 + f * (0.0013418152 + f * 0.00015821589)))));
    return scale_by(p, shifted);
}

float std_exp(float x) {
    float bounded = clamp(x, -104.5, 89.5);
    precise float shifted = bounded * 1.442695 + MANY;
    precise float n = shifted - MANY;
    // ln 2 in two parts; n times the first is exact.
    precise float f = (bounded - n * 0.693145751953125) - n * 1.428606765330187e-06;
    precise float p = 1.0 + (f + (f * f) * (0.49999994 + f * (0.16666517
        + f * (0.041668102 + f * (0.0083691925 + f * 0.0013838897)))));
    return scale_by(p, shifted);
}

// What a logarithm is at 0, below, at infinity and for NaN; `r` elsewhere.
float log_special(float x, float r) {
    float beyond = x == 0.0 ? intBitsToFloat(int(0xFF800000u)) : intBitsToFloat(0x7FC00000);
    r = x < intBitsToFloat(0x7F800000) ? r : x;
    return x > 0.0 ? r : beyond;
}

// e and s of a positive finite number.
void log_split(float x, out float e, out float s) {
    // A denormal number is scaled by 2^23 first.
    bool tiny = x < 1.1754944e-38;
    precise float y = x * (tiny ? 8388608.0 : 1.0);
    int b = floatBitsToInt(y) - 0x3F3504F3;
    precise float m = intBitsToFloat((b & 0x007FFFFF) + 0x3F3504F3);
    precise float exponent = float(b >> 23) - (tiny ? 23.0 : 0.0);
    e = exponent;
    precise float quotient = (m - 1.0) / (m + 1.0);
    s = quotient;
}

float std_log2(float x) {
    float e, s;
    log_split(x, e, s);
    precise float z = s * s;
    precise float r = e + s * (2.88539 + z * (0.96182185 + z * (0.57459825 + z * 0.4800983)));
    return log_special(x, r);
}

float std_log(float x) {
    float e, s;
    log_split(x, e, s);
    precise float z = s * s;
    precise float ln_m = s * (2.0 + z * (0.66666776 + z * (0.39977586 + z * 0.29870695)));
    precise float r = e * 0.693145751953125 + (ln_m + e * 1.428606765330187e-06);
    return log_special(x, r);
}

float std_pow(float x, float y) {
    precise float exponent = y * std_log2(x);
    return std_exp2(exponent);
}
