//! Integer dot products: of vectors, and of words that hold four bytes each. Only the accumulation saturates.

use super::shaped::{Shaped, exact};

/// A row whose body calls `f`, the instruction `id` with these parameters.
macro_rules! dot {
    ($row:expr, $id:literal, $prototype:literal) => {
        Shaped {
            prelude: concat!(
                "spirv_instruction(extensions = [\"SPV_KHR_integer_dot_product\"], capabilities = [6016, 6018, 6019], id = ",
                $id,
                ") ",
                $prototype,
                ";"
            ),
            ..$row
        }
    };
}

fn bytes(word: u32, signed: bool) -> Vec<i64> {
    word.to_le_bytes().map(|b| if signed { i64::from(b as i8) } else { i64::from(b) }).to_vec()
}

fn sum(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The low 32 bits of a dot product of vectors, for which signs do not matter.
fn vectors(x: &[u32]) -> u32 {
    let (a, b) = x.split_at(x.len() / 2);
    a.iter().zip(b).fold(0, |sum: u32, (&a, &b)| sum.wrapping_add(a.wrapping_mul(b)))
}

fn signed(sum: i64, accumulator: u32) -> Vec<u32> {
    vec![(sum as i32).saturating_add(accumulator as i32) as u32]
}

/// The table.
pub const SHAPED: &[Shaped] = &[
    dot!(
        exact!("SDot-packed", [(I, 1), (I, 1)] -> (I, 1), "return f_(a, b, 0);", |x| {
            vec![sum(&bytes(x[0], true), &bytes(x[1], true)) as u32]
        }),
        4450,
        "int f_(int a, int b, spirv_literal uint format)"
    ),
    dot!(
        exact!("UDot-packed", [(U, 1), (U, 1)] -> (U, 1), "return f_(a, b, 0);", |x| {
            vec![sum(&bytes(x[0], false), &bytes(x[1], false)) as u32]
        }),
        4451,
        "uint f_(uint a, uint b, spirv_literal uint format)"
    ),
    dot!(
        exact!("SUDot-packed", [(I, 1), (U, 1)] -> (I, 1), "return f_(a, b, 0);", |x| {
            vec![sum(&bytes(x[0], true), &bytes(x[1], false)) as u32]
        }),
        4452,
        "int f_(int a, uint b, spirv_literal uint format)"
    ),
    dot!(
        exact!("SDotAccSat-packed", [(I, 1), (I, 1), (I, 1)] -> (I, 1), "return f_(a, b, c, 0);", |x| {
            signed(sum(&bytes(x[0], true), &bytes(x[1], true)), x[2])
        }),
        4453,
        "int f_(int a, int b, int c, spirv_literal uint format)"
    ),
    dot!(
        exact!("UDotAccSat-packed", [(U, 1), (U, 1), (U, 1)] -> (U, 1), "return f_(a, b, c, 0);", |x| {
            vec![(sum(&bytes(x[0], false), &bytes(x[1], false)) as u32).saturating_add(x[2])]
        }),
        4454,
        "uint f_(uint a, uint b, uint c, spirv_literal uint format)"
    ),
    dot!(
        exact!("SUDotAccSat-packed", [(I, 1), (U, 1), (I, 1)] -> (I, 1), "return f_(a, b, c, 0);", |x| {
            signed(sum(&bytes(x[0], true), &bytes(x[1], false)), x[2])
        }),
        4455,
        "int f_(int a, uint b, int c, spirv_literal uint format)"
    ),
    dot!(
        exact!("SDot-3", [(I, 3), (I, 3)] -> (I, 1), "return f_(a, b);", |x| vec![vectors(x)]),
        4450,
        "int f_(ivec3 a, ivec3 b)"
    ),
    dot!(
        exact!("UDot-4", [(U, 4), (U, 4)] -> (U, 1), "return f_(a, b);", |x| vec![vectors(x)]),
        4451,
        "uint f_(uvec4 a, uvec4 b)"
    ),
    dot!(
        exact!("SUDot-2", [(I, 2), (U, 2)] -> (I, 1), "return f_(a, b);", |x| vec![vectors(x)]),
        4452,
        "int f_(ivec2 a, uvec2 b)"
    ),
    // What overflows before the accumulation is undefined, so the components are small.
    dot!(
        exact!("SDotAccSat-2", [(I, 2), (I, 2), (I, 1)] -> (I, 1), "return f_(a % 1000, b % 1000, c);", |x| {
            let part = |i: usize| i64::from(x[i] as i32).rem_euclid(1000);
            signed(part(0) * part(2) + part(1) * part(3), x[4])
        }),
        4453,
        "int f_(ivec2 a, ivec2 b, int c)"
    ),
    dot!(
        exact!("UDotAccSat-3", [(U, 3), (U, 3), (U, 1)] -> (U, 1), "return f_(a % 1000u, b % 1000u, c);", |x| {
            let part = |i: usize| x[i] % 1000;
            let sum: u32 = (0..3).map(|i| part(i) * part(i + 3)).sum();
            vec![sum.saturating_add(x[6])]
        }),
        4454,
        "uint f_(uvec3 a, uvec3 b, uint c)"
    ),
    dot!(
        exact!("SUDotAccSat-2", [(I, 2), (U, 2), (I, 1)] -> (I, 1), "return f_(-(a % 1000), b % 1000u, c);", |x| {
            let a = |i: usize| -i64::from(x[i] as i32).rem_euclid(1000);
            signed(a(0) * i64::from(x[2] % 1000) + a(1) * i64::from(x[3] % 1000), x[4])
        }),
        4455,
        "int f_(ivec2 a, uvec2 b, int c)"
    ),
];
