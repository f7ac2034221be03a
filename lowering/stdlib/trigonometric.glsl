// sin, cos, tan, asin, acos, atan, atan2.
//
// x = k pi + r with |r| <= pi / 2, k an integer for sin, half of an odd one for cos; then sin or cos of x is sin r, with the
// other sign where the integer is odd. k comes from adding a large number whose last place is 1: the sum's last bit is the
// sign. pi is taken in three parts; multiples of the first two are exact to |k| = 2^15, which keeps the absolute error
// small to |x| = 10^5. Far beyond that r is anything, and the result is kept in [-1, 1], as it is where rounding would carry
// it beyond.

#include "sign.glsl"

const float ROUND = 12582912.0; // 1.5 * 2^23
const float PI = 3.1415927;
const float PI_LOW = -8.742277657347586e-08;
const float HALF_PI = 1.5707964;
const float HALF_PI_LOW = -4.371138828673793e-08;

float sin_reduced(float x, float k, float shifted) {
    precise float r = ((x - k * 3.140625) - k * 0.0009670257568359375) - k * 6.278329465203569e-07;
    precise float z = r * r;
    precise float s = r * (1.0 + z * (-0.16666657 + z * (0.008333009 + z * (-0.0001980605 + z * 2.5989214e-06))));
    return intBitsToFloat(floatBitsToInt(clamp(s, -1.0, 1.0)) ^ (floatBitsToInt(shifted) << 31));
}

float std_sin(float x) {
    precise float shifted = x * 0.31830987 + ROUND;
    precise float k = shifted - ROUND;
    return sin_reduced(x, k, shifted);
}

float std_cos(float x) {
    precise float shifted = (x * 0.31830987 + 0.5) + ROUND;
    precise float k = (shifted - ROUND) - 0.5;
    return sin_reduced(x, k, shifted);
}

// By multiples of pi / 2; tan r is a quotient of polynomials, and odd multiples turn it over and round.
float std_tan(float x) {
    precise float shifted = x * 0.63661975 + ROUND;
    precise float k = shifted - ROUND;
    precise float far = ((x - k * 1.5703125) - k * 0.00048351287841796875) - k * 3.1391647326017846e-07;
    float r = clamp(far, -0.7855, 0.7855);
    precise float z = r * r;
    precise float numerator = r * (1.0 + z * -0.09578029);
    precise float denominator = 1.0 + z * (-0.42911412 + z * 0.00970913);
    precise float turned = -denominator;
    bool odd = (floatBitsToInt(shifted) & 1) != 0;
    precise float quotient = (odd ? turned : numerator) / (odd ? numerator : denominator);
    return quotient;
}

// asin of 0 <= s <= 1/2, whose square is z.
float asin_small(float s, float z) {
    precise float r = s + s * (z * (0.16666752 + z * (0.074953094 + z * (0.045469154 + z * (0.024184741 + z * 0.0421584)))));
    return r;
}

// asin a = pi / 2 - 2 asin sqrt((1 - a) / 2) above 1/2.
float std_asin(float x) {
    float a = abs(x);
    bool above = a > 0.5;
    precise float outer = (1.0 - a) * 0.5;
    precise float inner = a * a;
    float root = sqrt(outer);
    float z = above ? outer : inner;
    float s = above ? root : a;
    float p = asin_small(s, z);
    precise float rest = HALF_PI - (p + p);
    return with_sign(above ? rest : p, x);
}

float std_acos(float x) {
    float a = abs(x);
    bool above = a > 0.5;
    precise float outer = (1.0 - a) * 0.5;
    precise float inner = a * a;
    float root = sqrt(outer);
    float z = above ? outer : inner;
    float s = above ? root : a;
    float p = with_sign(asin_small(s, z), x);
    precise float near = HALF_PI - (p - HALF_PI_LOW);
    precise float far = p + p;
    precise float back = far + PI;
    float beyond = x < 0.0 ? back : far;
    return above ? beyond : near;
}

// atan of 0 <= t <= 1.
float atan_small(float t) {
    precise float z = t * t;
    precise float p = t + t * (z * (-0.33333153 + z * (0.19993767 + z * (-0.14211002 + z * (0.10665768
        + z * (-0.075516514 + z * (0.04320454 + z * (-0.016363012 + z * 0.0029193612))))))));
    return p;
}

float std_atan(float x) {
    float a = abs(x);
    bool above = a > 1.0;
    precise float t = (above ? 1.0 : a) / (above ? a : 1.0);
    float p = atan_small(t);
    precise float rest = HALF_PI - p;
    return with_sign(above ? rest : p, x);
}

float std_atan2(float y, float x) {
    float a = abs(x);
    float b = abs(y);
    bool steep = b > a;
    float low = steep ? a : b;
    float high = steep ? b : a;
    // Of zeros and infinities the quotient would be a NaN.
    precise float quotient = low / high;
    float same = high == 0.0 ? 0.0 : 1.0;
    float t = low == high ? same : quotient;
    float p = atan_small(t);
    precise float rest = HALF_PI - p;
    float upright = steep ? rest : p;
    precise float behind = PI - upright;
    return with_sign(floatBitsToInt(x) < 0 ? behind : upright, y);
}
