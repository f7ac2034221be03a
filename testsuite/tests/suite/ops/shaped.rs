//! Operations whose operands and results differ in shape: geometry, composites, extended arithmetic, bit fields.
//!
//! A row is the body of a GLSL function and a Rust function on the components of all operands, one after the other. It is
//! run on varying and on uniform operands.

use super::{Component, Inputs, Ty, dots, edges, library, matrices, random};
use crate::support::{bytes_of, trial, words_of};
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::{Compare, compare};
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// A row.
pub struct Shaped {
    pub name: &'static str,
    /// Types and numbers of components of the operands, which are called `a`, `b`, `c`.
    pub args: &'static [(Ty, usize)],
    pub result: (Ty, usize),
    /// Declarations that the body needs.
    pub prelude: &'static str,
    /// The body of the GLSL function.
    pub body: &'static str,
    /// Components of the result from those of all operands.
    pub reference: fn(&[u32]) -> Vec<u32>,
    pub inputs: Inputs,
    pub how: Compare,
}

const ELEMENTS: usize = 12 * 11;

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn dot(a: &[u32], b: &[u32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (&a, &b)| sum + f(a) * f(b))
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

fn scaled(v: &[u32], s: f32) -> impl Iterator<Item = f32> + '_ {
    v.iter().map(move |&v| f(v) * s)
}

/// Offset and number of bits that lie inside a word, from any two operands; the GLSL below does the same.
fn field(offset: u32, bits: u32) -> (u32, u32) {
    let offset = offset & 31;
    (offset, bits % (33 - offset))
}

fn field_mask(offset: u32, bits: u32) -> u32 {
    if bits == 0 { 0 } else { (u32::MAX >> (32 - bits)) << offset }
}

fn extract_signed(value: u32, offset: u32, bits: u32) -> u32 {
    if bits == 0 { 0 } else { (((value << (32 - bits - offset)) as i32) >> (32 - bits)) as u32 }
}

/// A vector of `n` components, an index into it and a component that replaces the one there.
fn inserted(x: &[u32], n: usize) -> Vec<u32> {
    let mut vector = x[..n].to_vec();
    vector[x[n] as usize % n] = x[n + 1];
    vector
}

fn wide(value: u64) -> Vec<u32> {
    vec![(value >> 32) as u32, value as u32]
}

macro_rules! exact {
    ($name:literal, [$(($t:ident, $n:literal)),+] -> ($r:ident, $m:literal), $body:literal, $reference:expr) => {
        $crate::ops::shaped::Shaped {
            name: $name,
            args: &[$(($crate::ops::Ty::$t, $n)),+],
            result: ($crate::ops::Ty::$r, $m),
            prelude: "",
            body: $body,
            reference: $reference,
            inputs: $crate::ops::Inputs::Edges,
            how: glslc2native_testsuite::values::Compare::Exact,
        }
    };
}
pub(crate) use exact;

macro_rules! close {
    ($name:literal, [$(($t:ident, $n:literal)),+] -> ($r:ident, $m:literal), $body:literal, $how:expr, $reference:expr) => {
        $crate::ops::shaped::Shaped {
            inputs: $crate::ops::Inputs::Moderate,
            how: $how,
            ..$crate::ops::shaped::exact!($name, [$(($t, $n)),+] -> ($r, $m), $body, $reference)
        }
    };
}
pub(crate) use close;

const GEOMETRY: &[Shaped] = &[
    close!("Dot-2", [(F, 2), (F, 2)] -> (F, 1), "return dot(a, b);", Compare::Tolerance(4e-3), |x| floats([dot(&x[..2], &x[2..])])),
    close!("Dot-3", [(F, 3), (F, 3)] -> (F, 1), "return dot(a, b);", Compare::Tolerance(4e-3), |x| floats([dot(&x[..3], &x[3..])])),
    close!("Dot-4", [(F, 4), (F, 4)] -> (F, 1), "return dot(a, b);", Compare::Tolerance(4e-3), |x| floats([dot(&x[..4], &x[4..])])),
    close!("Length-1", [(F, 1)] -> (F, 1), "return length(a);", Compare::Ulp(2), |x| floats([f(x[0]).abs()])),
    close!("Length-3", [(F, 3)] -> (F, 1), "return length(a);", Compare::Ulp(4), |x| floats([dot(x, x).sqrt()])),
    close!("Length-4", [(F, 4)] -> (F, 1), "return length(a);", Compare::Ulp(4), |x| floats([dot(x, x).sqrt()])),
    close!("Distance-2", [(F, 2), (F, 2)] -> (F, 1), "return distance(a, b);", Compare::Ulp(4), |x| {
        let d = floats((0..2).map(|i| f(x[i]) - f(x[i + 2])));
        floats([dot(&d, &d).sqrt()])
    }),
    close!("Distance-4", [(F, 4), (F, 4)] -> (F, 1), "return distance(a, b);", Compare::Ulp(4), |x| {
        let d = floats((0..4).map(|i| f(x[i]) - f(x[i + 4])));
        floats([dot(&d, &d).sqrt()])
    }),
    close!("Cross", [(F, 3), (F, 3)] -> (F, 3), "return cross(a, b);", Compare::Tolerance(4e-3), |x| {
        let (a, b) = (|i: usize| f(x[i % 3]), |i: usize| f(x[3 + i % 3]));
        floats((0..3).map(|i| a(i + 1) * b(i + 2) - b(i + 1) * a(i + 2)))
    }),
    close!("Normalize-3", [(F, 3)] -> (F, 3), "return dot(a, a) == 0.0 ? vec3(0) : normalize(a);", Compare::Tolerance(1e-6), |x| {
        let length = dot(x, x).sqrt();
        floats(scaled(x, if length == 0.0 { 0.0 } else { 1.0 / length }))
    }),
    close!("Normalize-2", [(F, 2)] -> (F, 2), "return dot(a, a) == 0.0 ? vec2(0) : normalize(a);", Compare::Tolerance(1e-6), |x| {
        let length = dot(x, x).sqrt();
        floats(scaled(x, if length == 0.0 { 0.0 } else { 1.0 / length }))
    }),
    close!("Reflect-3", [(F, 3), (F, 3)] -> (F, 3), "return reflect(a, b * 0.01);", Compare::Tolerance(1e-2), |x| {
        let n = floats(scaled(&x[3..], 0.01));
        let twice = 2.0 * dot(&n, &x[..3]);
        floats((0..3).map(|i| f(x[i]) - twice * f(n[i])))
    }),
    close!("FaceForward-3", [(F, 3), (F, 3), (F, 3)] -> (F, 3), "return abs(dot(c, b)) < 0.01 ? vec3(0) : faceforward(a, b, c);", Compare::Exact, |x| {
        let side = dot(&x[6..], &x[3..6]);
        floats(scaled(&x[..3], if side.abs() < 0.01 { 0.0 } else if side < 0.0 { 1.0 } else { -1.0 }))
    }),
    close!("Refract", [(F, 3), (F, 3), (F, 1)] -> (F, 3), "float e = fract(c); vec3 i = a * 0.02, n = b * 0.02; float d = dot(n, i), k = 1.0 - e * e * (1.0 - d * d); return abs(k) < 0.01 ? vec3(0) : refract(i, n, e);", Compare::Tolerance(1e-3), |x| {
        let (e, i, n) = (f(x[6]) - f(x[6]).floor(), floats(scaled(&x[..3], 0.02)), floats(scaled(&x[3..6], 0.02)));
        let d = dot(&n, &i);
        let k = 1.0 - e * e * (1.0 - d * d);
        floats((0..3).map(|c| if k < 0.01 { 0.0 } else { e * f(i[c]) - (e * d + k.sqrt()) * f(n[c]) }))
    }),
    close!("VectorTimesScalar", [(F, 4), (F, 1)] -> (F, 4), "return a * b;", Compare::Exact, |x| floats(scaled(&x[..4], f(x[4])))),
    close!("mix-vector-scalar", [(F, 3), (F, 3), (F, 1)] -> (F, 3), "return mix(a, b, c);", Compare::Tolerance(0.1), |x| {
        floats((0..3).map(|i| f(x[i]) * (1.0 - f(x[6])) + f(x[i + 3]) * f(x[6])))
    }),
    close!("smoothstep-scalar-vector", [(F, 2)] -> (F, 2), "return smoothstep(-1.0, 1.0, a);", Compare::Tolerance(1e-5), |x| {
        floats(x.iter().map(|&x| {
            let t = ((f(x) + 1.0) / 2.0).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }))
    }),
    close!("min-vector-scalar", [(F, 4), (F, 1)] -> (F, 4), "return min(a, b);", Compare::Ulp(0), |x| {
        floats((0..4).map(|i| f(x[i]).min(f(x[4]))))
    }),
];

/// Matrices of `columns` columns, column by column: element `row` of column `column`.
fn element(m: &[u32], columns: usize, column: usize, row: usize) -> f32 {
    f(m[column * (m.len() / columns) + row])
}

const MATRICES: &[Shaped] = &[
    close!("MatrixTimesScalar", [(F, 4), (F, 1)] -> (F, 4), "mat2 m = mat2(a.xy, a.zw) * b; return vec4(m[0], m[1]);", Compare::Exact, |x| {
        floats(scaled(&x[..4], f(x[4])))
    }),
    close!("MatrixTimesVector", [(F, 4), (F, 2)] -> (F, 2), "return mat2(a.xy, a.zw) * b;", Compare::Tolerance(4e-3), |x| {
        floats((0..2).map(|r| (0..2).map(|c| element(&x[..4], 2, c, r) * f(x[4 + c])).sum()))
    }),
    close!("MatrixTimesVector-3x2", [(F, 4), (F, 2), (F, 3)] -> (F, 2), "return mat3x2(a.xy, a.zw, b) * c;", Compare::Tolerance(4e-3), |x| {
        floats((0..2).map(|r| (0..3).map(|c| element(&x[..6], 3, c, r) * f(x[6 + c])).sum()))
    }),
    close!("VectorTimesMatrix", [(F, 3), (F, 4), (F, 2)] -> (F, 2), "return a * mat2x3(b.xyz, vec3(b.w, c));", Compare::Tolerance(4e-3), |x| {
        floats((0..2).map(|c| (0..3).map(|r| f(x[r]) * element(&x[3..], 2, c, r)).sum()))
    }),
    close!("MatrixTimesMatrix", [(F, 4), (F, 4)] -> (F, 4), "mat2 m = mat2(a.xy, a.zw) * mat2(b.xy, b.zw); return vec4(m[0], m[1]);", Compare::Tolerance(4e-3), |x| {
        let at = |c, r| (0..2).map(|k| element(&x[..4], 2, k, r) * element(&x[4..], 2, c, k)).sum();
        floats([at(0, 0), at(0, 1), at(1, 0), at(1, 1)])
    }),
    close!("OuterProduct", [(F, 2), (F, 2)] -> (F, 4), "mat2 m = outerProduct(a, b); return vec4(m[0], m[1]);", Compare::Exact, |x| {
        floats((0..4).map(|k| f(x[k % 2]) * f(x[2 + k / 2])))
    }),
    close!("Transpose", [(F, 4), (F, 2)] -> (F, 3), "mat3x2 m = mat3x2(a.xy, a.zw, b); mat2x3 t = transpose(m); return t[1];", Compare::Exact, |x| {
        vec![x[1], x[3], x[5]]
    }),
];

const COMPOSITES: &[Shaped] = &[
    exact!("Any", [(B, 3)] -> (B, 1), "return any(a);", |x| vec![u32::from(x.contains(&1))]),
    exact!("All", [(B, 4)] -> (B, 1), "return all(a);", |x| vec![u32::from(!x.contains(&0))]),
    exact!("Any-2", [(B, 2)] -> (B, 1), "return any(a);", |x| vec![u32::from(x.contains(&1))]),
    exact!("vector-equality", [(I, 3), (I, 3)] -> (B, 2), "return bvec2(a == b, a != b);", |x| {
        let equal = x[..3] == x[3..];
        vec![u32::from(equal), u32::from(!equal)]
    }),
    exact!("VectorShuffle-reverse", [(U, 4)] -> (U, 4), "return a.wzyx;", |x| vec![x[3], x[2], x[1], x[0]]),
    exact!("VectorShuffle-repeat", [(F, 2)] -> (U, 4), "return floatBitsToUint(a.yxyy);", |x| vec![x[1], x[0], x[1], x[1]]),
    exact!("VectorShuffle-two", [(I, 4), (I, 4)] -> (I, 4), "return ivec4(a.xz, b.wy);", |x| vec![x[0], x[2], x[7], x[5]]),
    exact!("VectorShuffle-three-of-two", [(I, 3), (I, 2)] -> (I, 4), "return ivec4(b, a.yx);", |x| vec![x[3], x[4], x[1], x[0]]),
    exact!("CompositeExtract", [(U, 4)] -> (U, 2), "return uvec2(a.w, a.x + a.z);", |x| vec![x[3], x[0].wrapping_add(x[2])]),
    exact!("CompositeInsert", [(U, 4), (U, 1)] -> (U, 4), "a.y = b; return a;", |x| vec![x[0], x[4], x[2], x[3]]),
    exact!("CompositeInsert-swizzle", [(U, 4), (U, 2)] -> (U, 4), "a.zx = b; return a;", |x| vec![x[5], x[1], x[4], x[3]]),
    exact!("CompositeConstruct-splat", [(I, 1)] -> (I, 4), "return ivec4(a);", |x| vec![x[0]; 4]),
    exact!("CompositeConstruct-parts", [(I, 2), (I, 1)] -> (I, 4), "return ivec4(b, a, 9);", |x| vec![x[2], x[0], x[1], 9]),
    exact!("VectorExtractDynamic-uint", [(U, 4), (U, 1)] -> (U, 1), "return (~a)[b & 3u];", |x| vec![!x[(x[4] & 3) as usize]]),
    exact!("VectorExtractDynamic-float", [(F, 2), (U, 1)] -> (F, 1), "return abs(a)[b & 1u];", |x| vec![x[(x[2] & 1) as usize] & 0x7FFF_FFFF]),
    exact!("VectorExtractDynamic-bool", [(B, 3), (U, 1)] -> (B, 1), "return not(a)[b % 3u];", |x| vec![1 - x[(x[3] % 3) as usize]]),
    Shaped {
        prelude: "spirv_instruction(id = 78) uvec4 insert_(uvec4 v, uint component, uint at);",
        ..exact!("VectorInsertDynamic-uint", [(U, 4), (U, 1), (U, 1)] -> (U, 4), "return insert_(a, c, b & 3u);", |x| inserted(x, 4))
    },
    Shaped {
        prelude: "spirv_instruction(id = 78) vec2 insert_(vec2 v, float component, uint at);",
        ..exact!("VectorInsertDynamic-float", [(F, 2), (U, 1), (F, 1)] -> (F, 2), "return insert_(a, c, b & 1u);", |x| inserted(x, 2))
    },
    Shaped {
        prelude: "spirv_instruction(id = 78) bvec4 insert_(bvec4 v, bool component, uint at);",
        ..exact!("VectorInsertDynamic-bool", [(B, 4), (U, 1), (B, 1)] -> (B, 4), "return insert_(a, c, b & 3u);", |x| inserted(x, 4))
    },
    Shaped {
        prelude: "spirv_instruction(extensions = [\"SPV_EXT_replicated_composites\"], capabilities = [6024], id = 4463) uvec4 splat_(uint v);",
        ..exact!("CompositeConstructReplicateEXT-uint", [(U, 1)] -> (U, 4), "return splat_(a);", |x| vec![x[0]; 4])
    },
    Shaped {
        prelude: "spirv_instruction(extensions = [\"SPV_EXT_replicated_composites\"], capabilities = [6024], id = 4463) vec3 splat_(float v);",
        ..exact!("CompositeConstructReplicateEXT-float", [(F, 1)] -> (F, 3), "return splat_(a);", |x| vec![x[0]; 3])
    },
    Shaped {
        prelude: "spirv_instruction(extensions = [\"SPV_EXT_replicated_composites\"], capabilities = [6024], id = 4463) bvec2 splat_(bool v);",
        ..exact!("CompositeConstructReplicateEXT-bool", [(B, 1)] -> (B, 2), "return splat_(a);", |x| vec![x[0]; 2])
    },
    exact!("dynamic-component", [(U, 4), (U, 1)] -> (U, 1), "return a[b & 3u];", |x| vec![x[(x[4] & 3) as usize]]),
    exact!("dynamic-component-3", [(U, 3), (U, 1)] -> (U, 1), "return a[b % 3u];", |x| vec![x[(x[3] % 3) as usize]]),
    exact!("dynamic-component-store", [(U, 4), (U, 1), (U, 1)] -> (U, 4), "a[b & 3u] = c; return a;", |x| {
        let mut v = x[..4].to_vec();
        v[(x[4] & 3) as usize] = x[5];
        v
    }),
    exact!("constant-array", [(U, 1)] -> (U, 1), "const uint K[5] = uint[5](3u, 1u, 4u, 1u, 5u); return K[a % 5u];", |x| {
        vec![[3, 1, 4, 1, 5][(x[0] % 5) as usize]]
    }),
    exact!("local-array", [(U, 1), (U, 1)] -> (U, 1), "uint t[4]; for (uint k = 0u; k < 4u; ++k) t[k] = a + k; t[b & 3u] = 77u; return t[0] * 2u + t[(b + 1u) & 3u] + t[b & 3u];", |x| {
        let mut t: Vec<u32> = (0..4).map(|k| x[0].wrapping_add(k)).collect();
        t[(x[1] & 3) as usize] = 77;
        let at = |i: u32| t[(i & 3) as usize];
        vec![at(0).wrapping_mul(2).wrapping_add(at(x[1].wrapping_add(1))).wrapping_add(at(x[1]))]
    }),
    exact!("array-values", [(U, 2)] -> (U, 2), "uint t[2] = uint[2](a.x, a.y); uint s[2] = t; s[0] += 1u; return t == s ? uvec2(0u) : uvec2(s[0], t[0]);", |x| {
        vec![x[0].wrapping_add(1), x[0]]
    }),
    exact!("struct-values", [(U, 3), (U, 1)] -> (U, 4), "struct S { uvec3 v; uint k[2]; }; S s = S(a, uint[2](b, 5u)); S t = s; t.v.y = s.k[1]; t.k[0] = s.v.z; return uvec4(t.v.xy, t.k[0], s.k[0]);", |x| {
        vec![x[0], 5, x[2], x[3]]
    }),
    exact!("struct-select", [(B, 1), (U, 2)] -> (U, 2), "struct S { uint p; uint q; }; S s; if (a) s = S(b.x, 1u); else s = S(2u, b.y); return uvec2(s.p, s.q);", |x| {
        if x[0] != 0 { vec![x[1], 1] } else { vec![2, x[2]] }
    }),
    exact!("bool-values", [(B, 4)] -> (B, 4), "bvec4 t = a.wzyx; t.x = !t.x; bool u[2] = bool[2](t.y, t.z); t.y = u[1]; return t;", |x| {
        vec![1 - x[3], x[1], x[1], x[0]]
    }),
];

const INTEGERS: &[Shaped] = &[
    exact!("IAddCarry", [(U, 1), (U, 1)] -> (U, 2), "uint c; uint r = uaddCarry(a, b, c); return uvec2(r, c);", |x| {
        let (sum, carry) = x[0].overflowing_add(x[1]);
        vec![sum, u32::from(carry)]
    }),
    exact!("ISubBorrow", [(U, 1), (U, 1)] -> (U, 2), "uint c; uint r = usubBorrow(a, b, c); return uvec2(r, c);", |x| {
        let (difference, borrow) = x[0].overflowing_sub(x[1]);
        vec![difference, u32::from(borrow)]
    }),
    exact!("UMulExtended", [(U, 1), (U, 1)] -> (U, 2), "uint h, l; umulExtended(a, b, h, l); return uvec2(h, l);", |x| {
        wide(u64::from(x[0]) * u64::from(x[1]))
    }),
    exact!("SMulExtended", [(I, 1), (I, 1)] -> (I, 2), "int h, l; imulExtended(a, b, h, l); return ivec2(h, l);", |x| {
        wide((i64::from(x[0] as i32) * i64::from(x[1] as i32)) as u64)
    }),
    exact!("UMulExtended-2", [(U, 2), (U, 2)] -> (U, 4), "uvec2 h, l; umulExtended(a, b, h, l); return uvec4(h.x, l.x, h.y, l.y);", |x| {
        [wide(u64::from(x[0]) * u64::from(x[2])), wide(u64::from(x[1]) * u64::from(x[3]))].concat()
    }),
    exact!("BitFieldUExtract", [(U, 1), (U, 1), (U, 1)] -> (U, 1), "uint o = b & 31u; return bitfieldExtract(a, int(o), int(c % (33u - o)));", |x| {
        let (offset, bits) = field(x[1], x[2]);
        vec![(x[0] & field_mask(offset, bits)).checked_shr(offset).unwrap_or(0)]
    }),
    exact!("BitFieldSExtract", [(I, 1), (U, 1), (U, 1)] -> (I, 1), "uint o = b & 31u; return bitfieldExtract(a, int(o), int(c % (33u - o)));", |x| {
        let (offset, bits) = field(x[1], x[2]);
        vec![extract_signed(x[0], offset, bits)]
    }),
    exact!("BitFieldInsert", [(U, 2), (U, 1), (U, 1)] -> (U, 1), "uint o = b & 31u; return bitfieldInsert(a.x, a.y, int(o), int(c % (33u - o)));", |x| {
        let (offset, bits) = field(x[2], x[3]);
        let mask = field_mask(offset, bits);
        vec![(x[0] & !mask) | ((x[1] << offset) & mask)]
    }),
    exact!("BitFieldSExtract-4", [(I, 4)] -> (I, 4), "return bitfieldExtract(a, 3, 7);", |x| {
        x.iter().map(|&v| extract_signed(v, 3, 7)).collect()
    }),
    exact!("shift-vector-scalar", [(I, 4), (U, 1)] -> (I, 4), "return a >> b;", |x| {
        x[..4].iter().map(|&v| (v as i32).wrapping_shr(x[4]) as u32).collect()
    }),
    exact!("divide-vector-scalar", [(I, 3), (I, 1)] -> (I, 3), "return a / b;", |x| {
        x[..3].iter().map(|&v| if x[3] == 0 { v } else { (v as i32).wrapping_div(x[3] as i32).bits() }).collect()
    }),
    exact!("float-int-float", [(F, 1)] -> (F, 1), "return float(int(a));", |x| floats([f(x[0]) as i32 as f32])),
];

fn tables() -> impl Iterator<Item = (&'static str, &'static Shaped)> {
    let tables = [
        ("geometry", GEOMETRY),
        ("matrix", MATRICES),
        ("composite", COMPOSITES),
        ("integers", INTEGERS),
        ("dots", dots::SHAPED),
        ("library", library::SHAPED),
        ("matrices", matrices::SHAPED),
    ];
    tables.into_iter().flat_map(|(family, rows)| rows.iter().map(move |row| (family, row)))
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    tables().map(|(family, row)| trial(format!("ops/{family}/{}", row.name), move || run(row))).collect()
}

/// Every shader, by the name of its row.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    tables().map(|(_, row)| (row.name, shader(row)))
}

/// A value of consecutive components of a buffer.
fn load((ty, n): (Ty, usize), k: usize, index: &str) -> String {
    let parts: Vec<String> = (0..n).map(|c| format!("in{k}[{n}u * {index} + {c}u]")).collect();
    let stored = format!("{}({})", ty.stored(n), parts.join(", "));
    format!("{}({stored})", ty.glsl(n))
}

fn shader(row: &Shaped) -> String {
    let (result, n) = row.result;
    let mut text = format!(
        "#version 450\n#extension GL_EXT_spirv_intrinsics : enable\nlayout(local_size_x = 24) in;\n{}\n",
        row.prelude
    );
    for (k, (ty, _)) in row.args.iter().enumerate() {
        let _ = writeln!(text, "layout(std430, binding = {k}) readonly buffer A{k} {{ {} in{k}[]; }};", ty.stored(1));
    }
    for (binding, name) in [(3, "varying_"), (4, "uniform_")] {
        let ty = result.stored(1);
        let _ = writeln!(text, "layout(std430, binding = {binding}) writeonly buffer R{binding} {{ {ty} {name}[]; }};");
    }
    let parameters: Vec<String> =
        row.args.iter().zip(["a", "b", "c"]).map(|((ty, n), name)| format!("{} {name}", ty.glsl(*n))).collect();
    let _ = writeln!(text, "{} f({}) {{ {} }}", result.glsl(n), parameters.join(", "), row.body);
    let _ = writeln!(text, "const uint N = {ELEMENTS}u;\nvoid main() {{\n  uint i = gl_GlobalInvocationID.x;");
    let store = |text: &mut String, name: &str, index: &str| {
        for c in 0..n {
            let component = if n == 1 { String::new() } else { format!("[{c}]") };
            let _ = writeln!(text, "    {name}[{n}u * {index} + {c}u] = {}(r{component});", result.stored(1));
        }
    };
    let call = |index: &str| {
        let args: Vec<String> = row.args.iter().enumerate().map(|(k, &arg)| load(arg, k, index)).collect();
        format!("{} r = f({});", result.glsl(n), args.join(", "))
    };
    let _ = writeln!(text, "  if (i < N) {{\n    {}", call("i"));
    store(&mut text, "varying_", "i");
    let _ =
        writeln!(text, "  }}\n  for (uint k = gl_WorkGroupID.x; k < N; k += gl_NumWorkGroups.x) {{\n    {}", call("k"));
    text += "    if (gl_LocalInvocationIndex == 0u) {\n";
    store(&mut text, "uniform_", "k");
    text + "    }\n  }\n}\n"
}

fn run(row: &Shaped) -> Result<usize, String> {
    let mut rng = Rng::new(11);
    let mut operands: Vec<Vec<u32>> = vec![vec![]; row.args.len()];
    let mut expected = Vec::new();
    for _ in 0..ELEMENTS {
        let mut all = Vec::new();
        for (column, &(ty, n)) in operands.iter_mut().zip(row.args) {
            let edges = edges(ty, row.inputs);
            for _ in 0..n {
                let edge = rng.below(4) != 0;
                let value = if edge { *rng.pick(&edges) } else { random(ty, row.inputs, &mut rng) };
                column.push(value);
                all.push(value);
            }
        }
        expected.extend((row.reference)(&all));
    }
    let mut buffers: Buffers = (0..).zip(operands).map(|(k, column)| ((0, k), bytes_of(column))).collect();
    for binding in [3, 4] {
        buffers.insert((0, binding), vec![0; expected.len() * 4]);
    }
    let source = shader(row);
    let input = matrix::spirv(&source, row.name, false).map_err(|error| format!("{error}\n{source}"))?;
    let run = Run { groups: [ELEMENTS.div_ceil(24) as u32, 1, 1], buffers, ..Run::default() };
    let expected: Vec<u64> = expected.into_iter().map(u64::from).collect();
    matrix::execute(&input, &matrix::standard(), &run, |_, after| {
        for (binding, name) in [(3, "varying"), (4, "uniform")] {
            let actual = &after[&(0, binding)];
            debug_assert_eq!(words_of(actual).len(), expected.len());
            compare(row.result.0.elem(), row.how, &expected, actual).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    })
}
