//! Matrices as values: operators, constructors, functions, access to columns and components. Operands are vectors, of which
//! the shaders make the columns.

use super::shaped::{Shaped, close};
use glslc2native_testsuite::values::Compare;

/// Products of numbers up to 100, four of them summed.
const SUMS: Compare = Compare::Tolerance(0.02);
const SAME: Compare = Compare::Exact;

fn f(bits: &u32) -> f32 {
    f32::from_bits(*bits)
}

fn bits(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

/// The sum of columns of `rows` components, each times a component.
fn combine(columns: &[u32], rows: usize, by: &[u32]) -> Vec<u32> {
    bits((0..rows).map(|r| columns.chunks(rows).zip(by).map(|(column, s)| f(&column[r]) * f(s)).sum()))
}

/// The dot product of a vector with each column.
fn dots(vector: &[u32], columns: &[u32]) -> Vec<u32> {
    bits(columns.chunks(vector.len()).map(|c| c.iter().zip(vector).map(|(a, b)| f(a) * f(b)).sum()))
}

fn each(a: &[u32], b: &[u32], op: fn(f32, f32) -> f32) -> Vec<u32> {
    bits(a.iter().zip(b).map(|(a, b)| op(f(a), f(b))))
}

/// The table.
pub const SHAPED: &[Shaped] = &[
    close!("MatrixTimesVector-2x2", [(F, 4), (F, 2)] -> (F, 2), "return mat2(a.xy, a.zw) * b;", SUMS, |x| combine(&x[..4], 2, &x[4..])),
    close!("MatrixTimesVector-2x3", [(F, 3), (F, 3), (F, 2)] -> (F, 3), "return mat2x3(a, b) * c;", SUMS, |x| combine(&x[..6], 3, &x[6..])),
    close!("MatrixTimesVector-3x2", [(F, 4), (F, 2), (F, 3)] -> (F, 2), "return mat3x2(a.xy, a.zw, b) * c;", SUMS, |x| combine(&x[..6], 2, &x[6..])),
    close!("MatrixTimesVector-2x4", [(F, 4), (F, 4), (F, 2)] -> (F, 4), "return mat2x4(a, b) * c;", SUMS, |x| combine(&x[..8], 4, &x[8..])),
    close!("MatrixTimesVector-4x2", [(F, 4), (F, 4), (F, 4)] -> (F, 2), "return mat4x2(a, b) * c;", SUMS, |x| combine(&x[..8], 2, &x[8..])),
    close!("MatrixTimesVector-3x3", [(F, 3), (F, 3), (F, 3)] -> (F, 3), "return mat3(a, b, c) * a;", SUMS, |x| combine(x, 3, &x[..3])),
    close!("MatrixTimesVector-4x4", [(F, 4), (F, 4), (F, 4)] -> (F, 4), "return mat4(a, b, c, a) * b;", SUMS, |x| {
        combine(&[x, &x[..4]].concat(), 4, &x[4..8])
    }),
    close!("MatrixTimesVector-4x3", [(F, 3), (F, 3), (F, 4)] -> (F, 3), "return mat4x3(a, b, b, a) * c;", SUMS, |x| {
        combine(&[&x[..6], &x[3..6], &x[..3]].concat(), 3, &x[6..])
    }),
    close!("MatrixTimesVector-3x4", [(F, 4), (F, 4), (F, 3)] -> (F, 4), "return mat3x4(a, b, a) * c;", SUMS, |x| {
        combine(&[&x[..8], &x[..4]].concat(), 4, &x[8..])
    }),
    close!("VectorTimesMatrix-2x2", [(F, 2), (F, 4)] -> (F, 2), "return a * mat2(b.xy, b.zw);", SUMS, |x| dots(&x[..2], &x[2..])),
    close!("VectorTimesMatrix-2x3", [(F, 3), (F, 3), (F, 3)] -> (F, 2), "return a * mat2x3(b, c);", SUMS, |x| dots(&x[..3], &x[3..])),
    close!("VectorTimesMatrix-3x4", [(F, 4), (F, 4), (F, 4)] -> (F, 3), "return a * mat3x4(b, c, a);", SUMS, |x| {
        dots(&x[..4], &[&x[4..], &x[..4]].concat())
    }),
    close!("VectorTimesMatrix-4x2", [(F, 2), (F, 4), (F, 4)] -> (F, 4), "return a * mat4x2(b, c);", SUMS, |x| dots(&x[..2], &x[2..])),
    close!("MatrixTimesMatrix-2x2", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a) * mat2(b); return vec4(m[0], m[1]);", SUMS, |x| {
        [combine(&x[..4], 2, &x[4..6]), combine(&x[..4], 2, &x[6..])].concat()
    }),
    close!("MatrixTimesMatrix-3x2-2x3", [(F, 4), (F, 2), (F, 3)] -> (F, 4), "mat2 m = mat3x2(a.xy, a.zw, b) * mat2x3(c, c.zxy); return vec4(m[0], m[1]);", SUMS, |x| {
        [combine(&x[..6], 2, &x[6..]), combine(&x[..6], 2, &[x[8], x[6], x[7]])].concat()
    }),
    close!("MatrixTimesMatrix-2x4-4x2", [(F, 4), (F, 4), (F, 4)] -> (F, 4), "mat4 m = mat2x4(a, b) * mat4x2(c, c.wzyx); return m[3];", SUMS, |x| {
        combine(&x[..8], 4, &[x[9], x[8]])
    }),
    close!("MatrixTimesMatrix-4x4", [(F, 4), (F, 4), (F, 4)] -> (F, 4), "mat4 m = mat4(a, b, c, b) * mat4(c, a, b, a); return m[2];", SUMS, |x| {
        combine(&[x, &x[4..8]].concat(), 4, &x[4..8])
    }),
    close!("MatrixTimesScalar", [(F, 4), (F, 1)] -> (F, 4), "mat2 m = mat2(a) * b; return vec4(m[0], m[1]);", SAME, |x| {
        bits(x[..4].iter().map(|v| f(v) * f(&x[4])))
    }),
    close!("ScalarTimesMatrix-3x2", [(F, 4), (F, 2), (F, 1)] -> (F, 4), "mat3x2 m = c * mat3x2(a, b); return vec4(m[2], m[0]);", SAME, |x| {
        bits([4, 5, 0, 1].map(|i: usize| f(&x[i]) * f(&x[6])))
    }),
    close!("matrix-over-scalar", [(F, 4), (F, 1)] -> (F, 4), "mat2 m = mat2(a) / (abs(b) + 1.0); return vec4(m[0], m[1]);", Compare::Ulp(2), |x| {
        bits(x[..4].iter().map(|v| f(v) / (f(&x[4]).abs() + 1.0)))
    }),
    close!("matrix-sum", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a) + mat2(b); return vec4(m[0], m[1]);", SAME, |x| each(&x[..4], &x[4..], |a, b| a + b)),
    close!("matrix-difference", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a) - mat2(b); return vec4(m[0], m[1]);", SAME, |x| each(&x[..4], &x[4..], |a, b| a - b)),
    close!("matrix-negation", [(F, 3), (F, 3)] -> (F, 3), "mat2x3 m = -mat2x3(a, b); return m[1];", SAME, |x| bits(x[3..].iter().map(|v| -f(v)))),
    close!("matrix-plus-scalar", [(F, 4), (F, 1)] -> (F, 4), "mat2 m = mat2(a) + b; m -= 1.0; m++; return vec4(m[0], m[1]);", Compare::Tolerance(1e-4), |x| {
        bits(x[..4].iter().map(|v| f(v) + f(&x[4])))
    }),
    close!("matrix-quotient", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a) / (mat2(abs(b)) + 1.0); return vec4(m[0], m[1]);", Compare::Ulp(2), |x| {
        each(&x[..4], &x[4..], |a, b| a / (b.abs() + 1.0))
    }),
    close!("matrixCompMult", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = matrixCompMult(mat2(a), mat2(b)); return vec4(m[0], m[1]);", SAME, |x| {
        each(&x[..4], &x[4..], |a, b| a * b)
    }),
    close!("matrix-times-assign", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a); m *= mat2(b); return vec4(m[0], m[1]);", SUMS, |x| {
        [combine(&x[..4], 2, &x[4..6]), combine(&x[..4], 2, &x[6..])].concat()
    }),
    close!("Transpose-2x3", [(F, 3), (F, 3)] -> (F, 4), "mat3x2 m = transpose(mat2x3(a, b)); return vec4(m[0], m[2]);", SAME, |x| vec![x[0], x[3], x[2], x[5]]),
    close!("Transpose-4x4", [(F, 4), (F, 4), (F, 4)] -> (F, 4), "return transpose(mat4(a, b, c, a.wzyx))[1];", SAME, |x| vec![x[1], x[5], x[9], x[2]]),
    close!("OuterProduct", [(F, 2), (F, 3)] -> (F, 4), "mat3x2 m = outerProduct(a, b); return vec4(m[1], m[2]);", SAME, |x| {
        bits([(0, 3), (1, 3), (0, 4), (1, 4)].map(|(i, j): (usize, usize)| f(&x[i]) * f(&x[j])))
    }),
    close!("matrix-equality", [(F, 4), (F, 1)] -> (B, 4), "mat2 m = mat2(a); mat2 n = m; n[1].x += b; return bvec4(m == n, m != n, m == mat2(a), m != mat2(a));", SAME, |x| {
        let same = f(&x[2]) + f(&x[4]) == f(&x[2]);
        [same, !same, true, false].map(u32::from).to_vec()
    }),
    close!("constructor-diagonal", [(F, 1)] -> (F, 4), "mat3x4 m = mat3x4(a); return vec4(m[0].x, m[1].y, m[2].z, m[2].w);", SAME, |x| vec![x[0], x[0], x[0], 0]),
    close!("constructor-smaller", [(F, 3), (F, 3), (F, 3)] -> (F, 4), "mat2 m = mat2(mat3(a, b, c)); return vec4(m[0], m[1]);", SAME, |x| vec![x[0], x[1], x[3], x[4]]),
    close!("constructor-larger", [(F, 4)] -> (F, 4), "mat4x3 m = mat4x3(mat2(a)); return vec4(m[0].xy, m[1].y, m[2].z + m[3].x);", SAME, |x| {
        vec![x[0], x[1], x[3], 1f32.to_bits()]
    }),
    close!("constructor-scalars", [(F, 4), (F, 2)] -> (F, 4), "mat2x3 m = mat2x3(a.x, a.y, a.z, a.w, b); return vec4(m[0].z, m[1]);", SAME, |x| vec![x[2], x[3], x[4], x[5]]),
    close!("column-dynamic", [(F, 3), (F, 3), (U, 1)] -> (F, 3), "mat2x3 m = mat2x3(a, b); return m[c & 1u];", SAME, |x| {
        let column = (x[6] & 1) as usize;
        x[3 * column..][..3].to_vec()
    }),
    close!("component-dynamic", [(F, 4), (F, 4), (U, 1)] -> (F, 1), "mat2x4 m = mat2x4(a, b); return m[c & 1u][(c >> 1) & 3u];", SAME, |x| {
        vec![x[(4 * (x[8] & 1) + (x[8] >> 1 & 3)) as usize]]
    }),
    close!("column-store-dynamic", [(F, 4), (F, 2), (U, 1)] -> (F, 4), "mat2 m = mat2(a); m[c & 1u] = b; return vec4(m[0], m[1]);", SAME, |x| {
        if x[6] & 1 == 0 { vec![x[4], x[5], x[2], x[3]] } else { x[..2].iter().chain(&x[4..6]).copied().collect() }
    }),
    close!("component-store-dynamic", [(F, 4), (F, 1), (U, 1)] -> (F, 4), "mat2 m = mat2(a); m[c & 1u][(c >> 1) & 1u] = b; return vec4(m[0], m[1]);", SAME, |x| {
        let mut m = x[..4].to_vec();
        m[(2 * (x[5] & 1) + (x[5] >> 1 & 1)) as usize] = x[4];
        m
    }),
    close!("matrix-select", [(F, 4), (F, 4), (B, 1)] -> (F, 4), "mat2 m = c ? mat2(a) : mat2(b); return vec4(m[0], m[1]);", SAME, |x| {
        if x[8] != 0 { x[..4].to_vec() } else { x[4..8].to_vec() }
    }),
    close!("matrix-loop", [(F, 4), (U, 1)] -> (F, 4), "mat2 m = mat2(1.0); for (uint i = 0u; i < (b & 3u); ++i) m = m * mat2(0.0, 1.0, -1.0, 0.0); m = m * mat2(a); return vec4(m[0], m[1]);", Compare::Tolerance(0.0), |x| {
        let mut m = x[..4].to_vec();
        for _ in 0..x[4] & 3 {
            // A quarter turn of each column; a zero may change its sign.
            m = bits([-f(&m[1]), f(&m[0]), -f(&m[3]), f(&m[2])]);
        }
        bits(m.iter().map(|v| f(v) + 0.0))
    }),
    close!("matrix-array", [(F, 4), (F, 4), (U, 1)] -> (F, 4), "mat2 t[3] = mat2[3](mat2(a), mat2(b), mat2(3.0)); t[1][0] = t[0][1]; mat2 m = t[c % 3u]; return vec4(m[0], m[1]);", SAME, |x| match x[8] % 3 {
        0 => x[..4].to_vec(),
        1 => vec![x[2], x[3], x[6], x[7]],
        _ => bits([3.0, 0.0, 0.0, 3.0]),
    }),
    close!("matrix-in-struct", [(F, 3), (F, 3), (F, 3)] -> (F, 3), "struct S { float k; mat3 m; }; S s = S(2.0, mat3(a, b, c)); S t = s; t.m[1] = s.m[2] * s.k; return t.m * vec3(0.0, 1.0, 0.0);", SUMS, |x| {
        bits(x[6..].iter().map(|v| f(v) * 2.0))
    }),
];
