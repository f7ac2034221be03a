// Determinants and inverses. Operands are the components column by column.

float minor2(float a, float b, float c, float d) {
    precise float r = a * d - b * c;
    return r;
}

float std_determinant2(float a, float b, float c, float d) {
    return minor2(a, b, c, d);
}

float std_determinant3(float a, float b, float c, float d, float e, float f, float g, float h, float i) {
    precise float r = a * minor2(e, f, h, i) - d * minor2(b, c, h, i) + g * minor2(b, c, e, f);
    return r;
}

// By the minors of the first and of the last two columns.
float std_determinant4(float a, float b, float c, float d, float e, float f, float g, float h, float i, float j, float k,
    float l, float m, float n, float o, float p) {
    precise float r = minor2(a, b, e, f) * minor2(k, l, o, p) - minor2(a, c, e, g) * minor2(j, l, n, p)
        + minor2(a, d, e, h) * minor2(j, k, n, o) + minor2(b, c, f, g) * minor2(i, l, m, p)
        - minor2(b, d, f, h) * minor2(i, k, m, o) + minor2(c, d, g, h) * minor2(i, j, m, n);
    return r;
}

void std_inverse2(float a, float b, float c, float d, out float r0, out float r1, out float r2, out float r3) {
    precise float s = 1.0 / minor2(a, b, c, d);
    precise vec4 r = vec4(d, -b, -c, a) * s;
    r0 = r.x;
    r1 = r.y;
    r2 = r.z;
    r3 = r.w;
}

void std_inverse3(float a, float b, float c, float d, float e, float f, float g, float h, float i, out float r0,
    out float r1, out float r2, out float r3, out float r4, out float r5, out float r6, out float r7, out float r8) {
    float x = minor2(e, f, h, i);
    float y = minor2(c, b, i, h);
    float z = minor2(b, c, e, f);
    precise float s = 1.0 / (a * x + d * y + g * z);
    precise vec3 first = vec3(x, y, z) * s;
    precise vec3 second = vec3(minor2(f, d, i, g), minor2(a, c, g, i), minor2(c, a, f, d)) * s;
    precise vec3 third = vec3(minor2(d, e, g, h), minor2(b, a, h, g), minor2(a, b, d, e)) * s;
    r0 = first.x;
    r1 = first.y;
    r2 = first.z;
    r3 = second.x;
    r4 = second.y;
    r5 = second.z;
    r6 = third.x;
    r7 = third.y;
    r8 = third.z;
}

// A cofactor of the inverse: the sum of three products.
float three(float a, float x, float b, float y, float c, float z) {
    precise float r = a * x - b * y + c * z;
    return r;
}

void std_inverse4(float a, float b, float c, float d, float e, float f, float g, float h, float i, float j, float k, float l,
    float m, float n, float o, float p, out float r0, out float r1, out float r2, out float r3, out float r4, out float r5,
    out float r6, out float r7, out float r8, out float r9, out float r10, out float r11, out float r12, out float r13,
    out float r14, out float r15) {
    float u0 = minor2(a, b, e, f);
    float u1 = minor2(a, c, e, g);
    float u2 = minor2(a, d, e, h);
    float u3 = minor2(b, c, f, g);
    float u4 = minor2(b, d, f, h);
    float u5 = minor2(c, d, g, h);
    float v0 = minor2(i, j, m, n);
    float v1 = minor2(i, k, m, o);
    float v2 = minor2(i, l, m, p);
    float v3 = minor2(j, k, n, o);
    float v4 = minor2(j, l, n, p);
    float v5 = minor2(k, l, o, p);
    precise float s = 1.0 / (u0 * v5 - u1 * v4 + u2 * v3 + u3 * v2 - u4 * v1 + u5 * v0);
    precise vec4 c0 = vec4(three(f, v5, g, v4, h, v3), -three(b, v5, c, v4, d, v3), three(n, u5, o, u4, p, u3),
        -three(j, u5, k, u4, l, u3)) * s;
    precise vec4 c1 = vec4(-three(e, v5, g, v2, h, v1), three(a, v5, c, v2, d, v1), -three(m, u5, o, u2, p, u1),
        three(i, u5, k, u2, l, u1)) * s;
    precise vec4 c2 = vec4(three(e, v4, f, v2, h, v0), -three(a, v4, b, v2, d, v0), three(m, u4, n, u2, p, u0),
        -three(i, u4, j, u2, l, u0)) * s;
    precise vec4 c3 = vec4(-three(e, v3, f, v1, g, v0), three(a, v3, b, v1, c, v0), -three(m, u3, n, u1, o, u0),
        three(i, u3, j, u1, k, u0)) * s;
    r0 = c0.x;
    r1 = c0.y;
    r2 = c0.z;
    r3 = c0.w;
    r4 = c1.x;
    r5 = c1.y;
    r6 = c1.z;
    r7 = c1.w;
    r8 = c2.x;
    r9 = c2.y;
    r10 = c2.z;
    r11 = c2.w;
    r12 = c3.x;
    r13 = c3.y;
    r14 = c3.z;
    r15 = c3.w;
}
