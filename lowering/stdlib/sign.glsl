// With the sign of another number; `size` is not negative.
float with_sign(float size, float sign_of) {
    return intBitsToFloat(floatBitsToInt(size) | (floatBitsToInt(sign_of) & int(0x80000000u)));
}
