//! Memory: the ways addresses depend on the lane, bounds, and stores that write exactly what they must.

use crate::support::{Setup, trial};
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;

struct Case {
    name: &'static str,
    /// Declarations and `main`, after the version line.
    glsl: &'static str,
    setup: fn() -> Setup,
}

/// Elements of most buffers: no multiple of any subgroup size.
const N: u32 = 77;
/// Invocations: three workgroups of 32, more than there are elements.
const INVOCATIONS: u32 = 96;
/// What results hold before a run, so that a store that must not happen is seen.
const OLD: u32 = 0xDEAD_BEEF;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    CASES.iter().map(|case| trial(format!("memory/{}", case.name), move || run(case))).collect()
}

/// Every shader, by the name of its case.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    CASES.iter().map(|case| (case.name, shader(case)))
}

fn shader(case: &Case) -> String {
    format!("#version 450\n#extension GL_EXT_scalar_block_layout : enable\n{}", case.glsl)
}

fn run(case: &Case) -> Result<usize, String> {
    let source = shader(case);
    (case.setup)().run(case.name, &source).map_err(|error| format!("{error}\n{source}"))
}

/// Element `i` of the inputs.
fn x(i: u32) -> u32 {
    i.wrapping_mul(0x9E37_79B1) ^ 0x55
}

/// The input: elements of `x`, and zero outside.
fn at(index: u32) -> u32 {
    if index < N { x(index) } else { 0 }
}

/// `N` elements in at binding 0, `N` results at binding 1: each invocation with an element must store `f` of its index.
fn map(f: fn(u32) -> u32) -> Setup {
    plain().push(&[5, N]).expect(1, (0..N).map(f))
}

fn plain() -> Setup {
    Setup::groups(INVOCATIONS / 32, 1, 1).words(0, (0..N).map(x)).words(1, (0..N).map(|_| OLD))
}

/// Indices, some of them out of bounds, some so that their product with the stride wraps round to an element's address.
fn indices() -> Vec<u32> {
    let mut rng = Rng::new(21);
    let special = [0, N - 1, N, 0xFFFF_FFFF, 0x4000_0000, 0x4000_0001, 0x8000_0000, 0x2000_0003];
    (0..N).map(|i| if i % 5 == 3 { *rng.pick(&special) } else { rng.below(N) }).collect()
}

/// A permutation of the elements, with one in four out of bounds.
fn targets() -> Vec<u32> {
    (0..N).map(|i| if i % 4 == 1 { 0x4000_0000 + i } else { i * 30 % N }).collect()
}

fn scattered() -> Vec<u32> {
    let mut out = vec![OLD; N as usize];
    for (i, target) in targets().into_iter().enumerate() {
        if let Some(element) = out.get_mut(target as usize) {
            *element = x(i as u32);
        }
    }
    out
}

fn float(i: u32) -> u32 {
    (i as f32 * 0.25).to_bits()
}

macro_rules! mapped {
    ($name:literal, $main:literal, $f:expr) => {
        Case {
            name: $name,
            glsl: concat!(
                "layout(local_size_x = 32) in;\nlayout(std430, binding = 0) readonly buffer X { uint x[]; };\n",
                "layout(std430, binding = 1) buffer O { uint o[]; };\n",
                "layout(push_constant) uniform P { uint k; uint n; };\n",
                "void main() { uint i = gl_GlobalInvocationID.x; ",
                $main,
                " }\n"
            ),
            setup: || map($f),
        }
    };
}

const CASES: &[Case] = &[
    mapped!("contiguous", "o[i] = x[i];", at),
    mapped!("contiguous-offset", "o[i] = x[i + 3u];", |i| at(i + 3)),
    mapped!("contiguous-offset-uniform", "o[i] = x[i + k];", |i| at(i + 5)),
    // Below zero the index wraps: far out of bounds.
    mapped!("contiguous-below-zero", "o[i] = x[i - 2u];", |i| at(i.wrapping_sub(2))),
    mapped!("signed-index", "o[i] = x[int(i) - 9];", |i| at(i.wrapping_sub(9))),
    mapped!("store-offset", "o[i + 3u] = x[i];", |i| if i < 3 { OLD } else { at(i - 3) }),
    mapped!("store-below-zero", "o[i - 3u] = x[i];", |i| at(i + 3)),
    mapped!("reversed", "o[i] = x[n - 1u - i];", |i| at(N - 1 - i)),
    mapped!("strided-2", "o[i] = x[i * 2u];", |i| at(i * 2)),
    mapped!("strided-3", "o[i] = x[i * 3u + 1u];", |i| at(i * 3 + 1)),
    mapped!("strided-uniform", "o[i] = x[i * k];", |i| at(i * 5)),
    // 2^30 elements are 2^32 bytes: a 32-bit product wraps round to element `i`.
    mapped!("wrapping-product", "o[i] = x[i + 0x40000000u];", |_| 0),
    mapped!("wrapping-stride", "o[i] = x[i * 0x40000000u + 1u];", |i| if i == 0 { at(1) } else { at(i.wrapping_mul(0x4000_0000).wrapping_add(1)) }),
    mapped!("wrapping-sum", "o[i] = x[i + 0xFFFFFFF0u];", |i| at(i.wrapping_add(0xFFFF_FFF0))),
    mapped!("uniform", "o[i] = x[k];", |_| at(5)),
    mapped!("uniform-workgroup", "o[i] = x[gl_WorkGroupID.x];", |i| at(i / 32)),
    mapped!("uniform-out-of-bounds", "o[i] = x[k + 1000u] + 7u;", |_| 7),
    mapped!("pairs", "o[i] = x[i / 2u];", |i| at(i / 2)),
    mapped!("swapped-pairs", "o[i] = x[i ^ 1u];", |i| at(i ^ 1)),
    mapped!("computed", "o[i] = x[(i * i + k) % n];", |i| at((i * i + 5) % N)),
    mapped!("chained", "o[i] = x[x[i] % n];", |i| at(at(i) % N)),
    mapped!("masked-contiguous", "if ((i & 3u) == 1u) o[i] = x[i];", |i| if i & 3 == 1 { at(i) } else { OLD }),
    mapped!("masked-all-but-one", "if (i != 9u) o[i] = x[i];", |i| if i == 9 { OLD } else { at(i) }),
    mapped!("masked-else", "if (i > 20u) o[i] = x[i]; else o[i] = x[i + 1u];", |i| if i > 20 { at(i) } else { at(i + 1) }),
    mapped!("inactive-index-wild", "uint j = i < 50u ? i : i * 0x1234567u; if (i < 50u) o[j] = x[j];", |i| if i < 50 { at(i) } else { OLD }),
    mapped!("length", "o[i] = x.length() + i;", |i| N + i),
    mapped!("bounded-by-length", "if (i < uint(o.length())) o[i] = x[i] + 1u;", |i| at(i).wrapping_add(1)),
    mapped!("loop-affine", "uint s = 0u; for (uint j = 0u; j < k; ++j) s += x[i + j]; o[i] = s;", |i| (i..i + 5).fold(0, |s, j| at(j).wrapping_add(s))),
    mapped!("loop-rows", "uint s = 0u; for (uint j = 0u; j < 6u; ++j) s ^= x[j * 11u + i % 11u]; o[i] = s;", |i| (0..6).fold(0, |s, j| s ^ at(j * 11 + i % 11))),
    mapped!("loop-strided", "uint s = 0u; for (uint j = 0u; j < 4u; ++j) s += x[i * 4u + j] >> j; o[i] = s;", |i| (0..4).fold(0u32, |s, j| s.wrapping_add(at(i * 4 + j) >> j))),
    mapped!("loop-masked-store", "for (uint j = 0u; j < (i & 3u); ++j) o[i] = x[i] + j;", |i| if i & 3 == 0 { OLD } else { at(i).wrapping_add((i & 3) - 1) }),
    mapped!("store-then-load", "o[i] = x[i]; o[i] = o[i] * 3u + 1u; o[i] += o[i] >> 4;", |i| {
        let v = at(i).wrapping_mul(3).wrapping_add(1);
        v.wrapping_add(v >> 4)
    }),
    mapped!("old-value", "o[i] = o[i] + x[i];", |i| OLD.wrapping_add(at(i))),
    mapped!("one-invocation", "if (i == k) { for (uint j = 0u; j < n; ++j) o[j] = x[j] ^ j; }", |i| at(i) ^ i),
    mapped!("uniform-store-by-one", "if (gl_LocalInvocationIndex == 7u) o[gl_WorkGroupID.x] = i;", |i| if i < 3 { i * 32 + 7 } else { OLD }),
    Case {
        name: "gather",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
layout(std430, binding = 2) readonly buffer J { uint j[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < uint(o.length())) o[i] = x[j[i]]; }",
        setup: || {
            let all = indices();
            plain().words(2, all.clone()).expect(1, all.into_iter().map(at))
        },
    },
    Case {
        name: "gather-vec4",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uvec4 x[]; };
layout(std430, binding = 1) writeonly buffer O { uvec4 o[]; };
layout(std430, binding = 2) readonly buffer J { uint j[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[j[i]]; }",
        setup: || {
            let all = indices();
            let vector = |j: u32| (0..4).map(move |c| if j < N { x(j * 4 + c) } else { 0 });
            let expected: Vec<u32> = all.iter().flat_map(|&j| vector(j)).collect();
            Setup::groups(3, 1, 1)
                .words(0, (0..4 * N).map(x))
                .zeros(1, 4 * N as usize)
                .words(2, all)
                .expect(1, expected)
        },
    },
    Case {
        name: "scatter",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
layout(std430, binding = 2) readonly buffer J { uint j[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < uint(j.length())) o[j[i]] = x[i]; }",
        setup: || plain().words(2, targets()).expect(1, scattered()),
    },
    Case {
        name: "two-dimensional",
        glsl: "layout(local_size_x = 4, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
layout(push_constant) uniform P { uint w; uint h; };
void main() { uvec2 g = gl_GlobalInvocationID.xy; if (g.x < w && g.y < h) o[g.y * w + g.x] = x[g.x * h + g.y] + x[g.y * w + g.x]; }",
        setup: || {
            let (w, h) = (11, 7);
            Setup::groups(3, 2, 1)
                .push(&[w, h])
                .words(0, (0..N).map(x))
                .words(1, vec![OLD; N as usize + 3])
                .expect(1, (0..N).map(move |i| at(i % w * h + i / w).wrapping_add(at(i))).chain([OLD; 3]))
        },
    },
    Case {
        name: "vec4-transposed",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uvec4 x[]; };
layout(std430, binding = 1) buffer O { uvec4 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i].wxyz + uvec4(0u, i, 0u, 1u); }",
        setup: || {
            let row = |i: u32| [x(i * 4 + 3), x(i * 4).wrapping_add(i), x(i * 4 + 1), x(i * 4 + 2).wrapping_add(1)];
            Setup::groups(3, 1, 1).words(0, (0..4 * N).map(x)).zeros(1, 4 * N as usize).expect(1, (0..N).flat_map(row))
        },
    },
    Case {
        name: "vec2-arrays",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uvec2 x[]; };
layout(std430, binding = 1) buffer O { uvec2 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i + 1u].yx; }",
        setup: || {
            let element = |k: u32| if k < 2 * N { x(k) } else { 0 };
            let row = move |i: u32| [element(i * 2 + 3), element(i * 2 + 2)];
            Setup::groups(3, 1, 1).words(0, (0..2 * N).map(x)).zeros(1, 2 * N as usize).expect(1, (0..N).flat_map(row))
        },
    },
    Case {
        name: "vec3-padding-untouched",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uvec3 x[]; };
layout(std430, binding = 1) buffer O { uvec3 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i].zxy; }",
        setup: || {
            let row = |i: u32| [x(i * 4 + 2), x(i * 4), x(i * 4 + 1), OLD];
            Setup::groups(3, 1, 1)
                .words(0, (0..4 * N).map(x))
                .words(1, vec![OLD; 4 * N as usize])
                .expect(1, (0..N).flat_map(row))
        },
    },
    Case {
        name: "vec3-scalar-layout",
        glsl: "layout(local_size_x = 32) in;
layout(scalar, binding = 0) readonly buffer X { uvec3 x[]; };
layout(scalar, binding = 1) buffer O { uvec3 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i].zxy; }",
        setup: || {
            let row = |i: u32| [x(i * 3 + 2), x(i * 3), x(i * 3 + 1)];
            Setup::groups(3, 1, 1).words(0, (0..3 * N).map(x)).words(1, vec![OLD; 3 * N as usize]).expect(1, (0..N).flat_map(row))
        },
    },
    Case {
        name: "component-store",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uvec4 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i].z = x[i]; if ((i & 1u) != 0u) o[i][i & 3u] = i; }",
        setup: || {
            let row = |i: u32| {
                let mut row = [OLD, OLD, x(i), OLD];
                if i & 1 != 0 {
                    row[(i & 3) as usize] = i;
                }
                row
            };
            Setup::groups(3, 1, 1).words(0, (0..N).map(x)).words(1, vec![OLD; 4 * N as usize]).expect(1, (0..N).flat_map(row))
        },
    },
    Case {
        name: "array-of-structs",
        glsl: "layout(local_size_x = 32) in;
struct T { uint a; uvec2 b; };
struct S { float f; T t[2]; uvec3 v; uint last; };
layout(std430, binding = 0) readonly buffer X { uint head; S s[]; };
layout(std430, binding = 1) buffer O { uvec4 o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = uvec4(s[i].t[1].b.y, s[i].v.z, s[i].t[i & 1u].a + head, s[i].last); }",
        setup: || {
            // S: f at 0, t at 8 (16 bytes each: a at 0, b at 8), v at 48, last at 60; 64 bytes. s starts at 16.
            let word = |i: u32, k: u32| x(4 + i * 16 + k);
            let row = move |i: u32| [word(i, 9), word(i, 14), word(i, 2 + (i & 1) * 4).wrapping_add(x(0)), word(i, 15)];
            Setup::groups(2, 1, 1).words(0, (0..4 + 16 * 64).map(x)).zeros(1, 4 * 64).expect(1, (0..64).flat_map(row))
        },
    },
    Case {
        name: "struct-copy-across-layouts",
        glsl: "layout(local_size_x = 32) in;
struct S { uint a[3]; uvec2 b; };
layout(std140, binding = 0) readonly buffer X { S s[]; };
layout(std430, binding = 1) buffer O { S o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = s[i]; }",
        setup: || {
            // std140: a has stride 16, b at 48, 64 bytes; std430: a has stride 4, b at 16, 24 bytes with padding at 12.
            let row = |i: u32| [x(i * 16), x(i * 16 + 4), x(i * 16 + 8), OLD, x(i * 16 + 12), x(i * 16 + 13)];
            Setup::groups(1, 1, 1).words(0, (0..16 * 29).map(x)).words(1, vec![OLD; 6 * 29]).expect(1, (0..29).flat_map(row))
        },
    },
    Case {
        name: "struct-copy-of-floats",
        glsl: "layout(local_size_x = 32) in;
struct T { float f; float g[2]; };
struct S { float f; T t[2]; };
layout(std430, binding = 0) readonly buffer X { S s[]; };
layout(std140, binding = 1) buffer O { S o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = s[i]; }",
        setup: || {
            // std430: t at 4 with stride 12; 28 bytes. std140: t at 16 with stride 48, g at 16 with stride 16; 112 bytes.
            let row = |i: u32| {
                let mut row = [OLD; 28];
                for (to, from) in [0, 4, 8, 12, 16, 20, 24].into_iter().zip(0..) {
                    row[to] = float(i * 7 + from);
                }
                row
            };
            Setup::groups(1, 1, 1).words(0, (0..7 * 13).map(float)).words(1, vec![OLD; 28 * 13]).expect(1, (0..13).flat_map(row))
        },
    },
    Case {
        name: "uniform-buffer",
        glsl: "layout(local_size_x = 32) in;
struct T { vec3 v; float w; };
layout(std140, binding = 0) uniform U { float scale; vec2 xy; T t[3]; float k[4]; };
layout(std430, binding = 1) buffer O { float o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = k[i & 3u] + t[i % 3u].v.y + xy.y * scale + t[2].w; }",
        setup: || {
            // scale at 0, xy at 8, t at 16 (16 bytes each), k at 64 with stride 16.
            let v = |k: u32| k as f32 * 0.25;
            let element = move |i: u32| v(16 + (i & 3) * 4) + v(4 + i % 3 * 4 + 1) + v(3) * v(0) + v(15);
            Setup::groups(1, 1, 1)
                .words(0, (0..32).map(float))
                .zeros(1, 32)
                .expect(1, (0..32).map(move |i| element(i).to_bits()))
        },
    },
    Case {
        name: "push-constants",
        glsl: "layout(local_size_x = 32) in;
struct T { uint a; uvec2 b; };
layout(push_constant) uniform P { uint first; T t[2]; uvec4 v; uint tail[3]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = first + t[1].b.x * 3u + v.w * 5u + tail[i % 3u] * 7u + t[i & 1u].a; }",
        setup: || {
            // first at 0, t at 8 (16 bytes each: a at 0, b at 8), v at 48, tail at 64.
            let words: Vec<u32> = (0..19).map(|k| k + 100).collect();
            let w = words.clone();
            let element = move |i: u32| w[0] + w[8] * 3 + w[15] * 5 + w[16 + i as usize % 3] * 7 + w[2 + (i as usize & 1) * 4];
            Setup::groups(1, 1, 1).push(&words).zeros(1, 32).expect(1, (0..32).map(element))
        },
    },
    Case {
        name: "array-of-arrays",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[][3][2]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i][i % 3u][1] + x[2][i % 3u][i & 1u]; }",
        setup: || {
            let element = |i: u32| x(i * 6 + i % 3 * 2 + 1).wrapping_add(x(12 + i % 3 * 2 + (i & 1)));
            Setup::groups(1, 1, 1).words(0, (0..6 * 32).map(x)).zeros(1, 32).expect(1, (0..32).map(element))
        },
    },
    Case {
        name: "two-blocks-of-one-buffer",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 0) buffer B { uvec4 b[]; };
void main() { uint i = gl_GlobalInvocationID.x; uvec4 v = b[i]; a[4u * i + 1u] = v.w + v.x; }",
        setup: || {
            let element = |k: u32| if k % 4 == 1 { x(k + 2).wrapping_add(x(k - 1)) } else { x(k) };
            Setup::groups(1, 1, 1).words(0, (0..128).map(x)).expect(0, (0..128).map(element))
        },
    },
    Case {
        name: "qualifiers",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) restrict readonly buffer X { uint x[]; };
layout(std430, binding = 1) coherent volatile buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i]; o[i] = o[i] + o[i]; }",
        setup: || map(|i| at(i).wrapping_mul(2)),
    },
    Case {
        name: "sets",
        glsl: "layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 7) readonly buffer X { uint x[]; };
layout(std430, set = 0, binding = 1) buffer O { uint o[]; };
layout(std430, set = 0, binding = 3) buffer Unused { uint unused[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i]; }",
        // A binding that is declared and not used need not be bound.
        setup: || Setup::groups(3, 1, 1).words(7, (0..N).map(x)).zeros(1, N as usize).expect(1, (0..N).map(x)),
    },
    Case {
        name: "empty-runtime-array",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint head; uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; o[i] = x[i] + x[0] + uint(x.length()) + head; }",
        setup: || Setup::groups(1, 1, 1).words(0, [6]).zeros(1, 20).expect(1, [6; 20]),
    },
    Case {
        name: "odd-sized-buffer",
        glsl: "layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uvec2 x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i != 3u) o[i] = x[i].x + x[i].y + 1000u * uint(x.length()); }",
        // Three elements and a half: what the half reads as is left open.
        setup: || {
            let element = |i: u32| match i {
                0..3 => 3000 + 4 * i + 1,
                3 => 0,
                _ => 3000,
            };
            Setup::groups(1, 1, 1).words(0, 0..7).zeros(1, 32).expect(1, (0..32).map(element))
        },
    },
];
