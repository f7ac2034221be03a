// modf, frexp, ldexp of 64-bit floats.

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

#define SIGN int64_t(0x8000000000000000ul)
#define FRACTION int64_t(0x000FFFFFFFFFFFFFul)
#define INFINITY int64BitsToDouble(int64_t(0x7FF0000000000000ul))

double with_sign(double size, double sign_of) {
    return int64BitsToDouble(doubleBitsToInt64(size) | (doubleBitsToInt64(sign_of) & SIGN));
}

void std_modf64(double x, out double fraction, out double whole) {
    whole = trunc(x);
    precise double rest = x - whole;
    // Infinities have no fraction. A fraction of 0 has the sign of x.
    double left = abs(rest);
    double size = abs(x) == INFINITY ? 0.0lf : left;
    fraction = with_sign(size, x);
}

void std_frexp64(double x, out double significand, out int exponent) {
    // A denormal number is scaled by 2^54 first.
    double a = abs(x);
    bool tiny = a < 2.2250738585072014e-308lf;
    precise double scaled = x * (tiny ? 18014398509481984.0lf : 1.0lf);
    int64_t b = doubleBitsToInt64(scaled);
    int e = int((b >> 52) & int64_t(2047)) - (tiny ? 1076 : 1022);
    // Zeros, infinities and NaNs are their own significands.
    bool plain = doubleBitsToUint64(a) - 1ul < 0x7FEFFFFFFFFFFFFFul;
    int64_t between = (b & (SIGN | FRACTION)) | int64_t(0x3FE0000000000000ul);
    int64_t all = doubleBitsToInt64(x);
    significand = int64BitsToDouble(plain ? between : all);
    exponent = plain ? e : 0;
}

// 2^n, for n from -1022 to 1023.
double power(int n) {
    return int64BitsToDouble(int64_t(n + 1023) << 52);
}

// In three steps: the first two lose nothing where the last one does not overflow or underflow.
double std_ldexp64(double x, int exponent) {
    int e = clamp(exponent, -2200, 2200);
    int last = clamp(e, -1000, 1000);
    int middle = clamp(e - last, -1000, 1000);
    precise double r = ((x * power(e - last - middle)) * power(middle)) * power(last);
    return r;
}
