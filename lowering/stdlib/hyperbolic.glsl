// sinh, cosh, tanh, asinh, acosh, atanh, by the exponential function and the logarithm, with series where those would
// cancel.

#include "exponential.glsl"
#include "sign.glsl"

// e^a / 2 for a >= 0; no overflow before the result's.
float half_exp(float a) {
    precise float h = std_exp(a * 0.5);
    precise float r = (h * 0.5) * h;
    return r;
}

float std_sinh(float x) {
    float a = abs(x);
    float e = half_exp(a);
    precise float large = e - 0.25 / e;
    precise float z = a * a;
    precise float small = a + a * (z * (0.16666716 + z * (0.008330271 + z * 0.0002037334)));
    return with_sign(a < 1.0 ? small : large, x);
}

float std_cosh(float x) {
    float e = half_exp(abs(x));
    precise float r = e + 0.25 / e;
    return r;
}

float std_tanh(float x) {
    float a = abs(x);
    precise float twice = a + a;
    float e = std_exp(twice);
    precise float large = 1.0 - 2.0 / (e + 1.0);
    precise float z = a * a;
    precise float small = a + a * (z * (-0.33333144 + z * (0.1332587 + z * (-0.053044774 + z * 0.017239774))));
    return with_sign(a < 0.5 ? small : large, x);
}

// log(1 + u): the logarithm of the rounded sum, corrected by what was lost in rounding.
float log_1p(float u) {
    precise float sum = 1.0 + u;
    precise float lost = (u - (sum - 1.0)) / sum;
    // Nothing is lost of large numbers, and of infinity it would be a NaN.
    float correction = u < 16777216.0 ? lost : 0.0;
    precise float r = std_log(sum) + correction;
    return r;
}

const float LARGE = 16777216.0;
const float LN_2 = 0.6931472;

// asinh a = log(1 + u), u = a + a^2 / (1 + sqrt(a^2 + 1)); log 2a where a^2 + 1 is a^2.
float std_asinh(float x) {
    float a = abs(x);
    precise float square = a * a;
    precise float more = square + 1.0;
    float root = sqrt(more);
    precise float u = a + square / (root + 1.0);
    bool large = a > LARGE;
    precise float r = log_1p(large ? a : u) + (large ? LN_2 : 0.0);
    return with_sign(r, x);
}

float std_acosh(float x) {
    precise float t = x - 1.0;
    precise float square = t * (t + 2.0);
    // Below 1 the root, and so the result, is a NaN.
    float root = sqrt(t < 0.0 ? t : square);
    precise float u = t + root;
    bool large = x > LARGE;
    precise float r = log_1p(large ? x : u) + (large ? LN_2 : 0.0);
    return r;
}

// atanh a = log(1 + 2 a / (1 - a)) / 2.
float std_atanh(float x) {
    float a = abs(x);
    precise float u = (a + a) / (1.0 - a);
    precise float r = 0.5 * log_1p(u);
    return with_sign(r, x);
}
