//! Control flow under varying and uniform conditions: a shader and the same in Rust, for each invocation.
//!
//! Every shader has a function `uint f(uint x, uint y)`; `x` is different in every invocation, `y` is a uniform. The Rust
//! function beside it must give the same.

use crate::support::{Setup, trial};
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;

struct Case {
    name: &'static str,
    glsl: &'static str,
    rust: fn(u32, u32) -> u32,
}

const COUNT: u32 = 101;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    CASES.iter().map(|case| trial(format!("control/{}", case.name), move || run(case))).collect()
}

/// Every shader, by the name of its case.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    CASES.iter().map(|case| (case.name, shader(case)))
}

fn shader(case: &Case) -> String {
    format!(
        "#version 450
layout(local_size_x = 20) in;
layout(std430, binding = 0) readonly buffer X {{ uint x[]; }};
layout(std430, binding = 1) buffer O {{ uint o[]; }};
layout(push_constant) uniform P {{ uint y; }};
{}
void main() {{
  uint i = gl_GlobalInvocationID.x;
  o[i] = f(x[i], y);
}}
",
        case.glsl
    )
}

fn run(case: &Case) -> Result<usize, String> {
    let source = shader(case);
    let mut rng = Rng::new(3);
    let xs: Vec<u32> = (0..COUNT).map(|i| if i < 40 { i % 20 } else { rng.u32() >> rng.below(32) }).collect();
    let mut count = 0;
    for y in [0, 1, 7] {
        let setup = Setup::groups(COUNT.div_ceil(20), 1, 1)
            .push(&[y])
            .words(0, xs.iter().copied())
            .zeros(1, COUNT as usize)
            .expect(1, xs.iter().map(|&x| (case.rust)(x, y)));
        count += setup.run(case.name, &source).map_err(|error| format!("y = {y}: {error}"))?;
    }
    Ok(count)
}

const CASES: &[Case] = &[
    Case {
        name: "if-else-varying",
        glsl: "uint f(uint x, uint y) { if (x > 9u) return x * 2u; else return x + y; }",
        rust: |x, y| if x > 9 { x.wrapping_mul(2) } else { x + y },
    },
    Case {
        name: "if-else-uniform",
        glsl: "uint f(uint x, uint y) { uint r; if (y > 0u) r = x + 5u; else r = x ^ 3u; return r; }",
        rust: |x, y| if y > 0 { x.wrapping_add(5) } else { x ^ 3 },
    },
    Case {
        name: "if-nested",
        glsl: "uint f(uint x, uint y) {
  uint r = 1u;
  if ((x & 1u) != 0u) {
    r += 10u;
    if (y > 0u) { r += 100u; if ((x & 2u) != 0u) r += 1000u; else { r *= 3u; if (x > 12u) r ^= 0xFFu; } }
  } else if ((x & 4u) != 0u) { r = x * 7u; }
  return r + (x & 3u);
}",
        rust: |x, y| {
            let mut r = 1u32;
            if x & 1 != 0 {
                r += 10;
                if y > 0 {
                    r += 100;
                    if x & 2 != 0 {
                        r += 1000;
                    } else {
                        r *= 3;
                        if x > 12 {
                            r ^= 0xFF;
                        }
                    }
                }
            } else if x & 4 != 0 {
                r = x.wrapping_mul(7);
            }
            r.wrapping_add(x & 3)
        },
    },
    Case {
        name: "for-varying-count",
        glsl: "uint f(uint x, uint y) { uint r = y; for (uint k = 0u; k < (x & 15u); ++k) r = r * 3u + k; return r; }",
        rust: |x, y| (0..x & 15).fold(y, |r, k| r.wrapping_mul(3).wrapping_add(k)),
    },
    Case {
        name: "for-uniform-count",
        glsl: "uint f(uint x, uint y) { uint r = x; for (uint k = 0u; k < y; ++k) r = r * 5u + k; return r; }",
        rust: |x, y| (0..y).fold(x, |r, k| r.wrapping_mul(5).wrapping_add(k)),
    },
    Case {
        name: "for-constant-count",
        glsl: "uint f(uint x, uint y) { uint r = x; for (int k = 9; k >= 0; k -= 3) r = (r << 1) ^ uint(k); return r; }",
        rust: |x, _| [9, 6, 3, 0].into_iter().fold(x, |r, k| (r << 1) ^ k),
    },
    Case {
        name: "while-collatz",
        glsl: "uint f(uint x, uint y) {
  uint n = (x & 63u) + 1u, steps = 0u;
  while (n != 1u) { n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u; ++steps; }
  return steps;
}",
        rust: |x, _| {
            let (mut n, mut steps) = ((x & 63) + 1, 0);
            while n != 1 {
                n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        },
    },
    Case {
        name: "do-while",
        glsl: "uint f(uint x, uint y) { uint n = x & 31u, r = 0u; do { r = r * 2u + (n & 1u); n >>= 1; } while (n != 0u); return r + y; }",
        rust: |x, y| {
            let (mut n, mut r) = (x & 31, 0);
            loop {
                r = r * 2 + (n & 1);
                n >>= 1;
                if n == 0 {
                    break r + y;
                }
            }
        },
    },
    Case {
        name: "do-while-continue",
        glsl: "uint f(uint x, uint y) {
  uint c = 0u, r = 0u;
  do { ++c; if (c == (x & 3u)) continue; r += c; if (r > 20u) break; } while (c < 10u + (x & 4u));
  return r * 100u + c;
}",
        rust: |x, _| {
            let (mut c, mut r) = (0, 0);
            loop {
                c += 1;
                if c != (x & 3) {
                    r += c;
                    if r > 20 {
                        break;
                    }
                }
                if c >= 10 + (x & 4) {
                    break;
                }
            }
            r * 100 + c
        },
    },
    Case {
        name: "break-varying",
        glsl: "uint f(uint x, uint y) { uint r = 0u; for (uint k = 0u; k < 20u; ++k) { if (k == (x & 31u)) break; r += k + y; } return r; }",
        rust: |x, y| (0..20.min(x & 31)).map(|k| k + y).sum(),
    },
    Case {
        name: "break-uniform",
        glsl: "uint f(uint x, uint y) { uint r = x; for (uint k = 0u; k < 20u; ++k) { if (k == y) break; r = r * 3u + 1u; } return r; }",
        rust: |x, y| (0..20.min(y)).fold(x, |r, _| r.wrapping_mul(3).wrapping_add(1)),
    },
    Case {
        name: "continue-varying",
        glsl: "uint f(uint x, uint y) { uint r = 0u; for (uint k = 0u; k < 12u; ++k) { if (((x >> k) & 1u) != 0u) continue; r += 1u << k; } return r; }",
        rust: |x, _| !x & 0xFFF,
    },
    Case {
        name: "continue-and-break",
        glsl: "uint f(uint x, uint y) {
  uint r = 0u, k = 0u;
  while (true) {
    ++k;
    if (k > (x & 15u) + y) break;
    if ((k & 1u) == 0u) continue;
    r += k;
    if (r > 30u) { r += 1000u; break; }
  }
  return r * 32u + k;
}",
        rust: |x, y| {
            let (mut r, mut k) = (0, 0);
            loop {
                k += 1;
                if k > (x & 15) + y {
                    break;
                }
                if k & 1 == 0 {
                    continue;
                }
                r += k;
                if r > 30 {
                    r += 1000;
                    break;
                }
            }
            r * 32 + k
        },
    },
    Case {
        name: "return-in-loop",
        glsl: "uint f(uint x, uint y) { for (uint k = 0u; k < 10u; ++k) { if (k * k > (x & 63u)) return k; } return 99u; }",
        rust: |x, _| (0..10).find(|k| k * k > (x & 63)).unwrap_or(99),
    },
    Case {
        name: "return-in-nested-loops",
        glsl: "uint f(uint x, uint y) {
  for (uint i = 1u; i < 6u; ++i)
    for (uint j = i; j < 8u; ++j) {
      if (i * j == (x & 31u)) return i * 10u + j;
      if (j > i + 4u + y) break;
    }
  return 0u;
}",
        rust: |x, y| {
            for i in 1..6 {
                for j in i..8 {
                    if i * j == (x & 31) {
                        return i * 10 + j;
                    }
                    if j > i + 4 + y {
                        break;
                    }
                }
            }
            0
        },
    },
    Case {
        name: "loops-in-loops",
        glsl: "uint f(uint x, uint y) {
  uint r = 0u;
  for (uint i = 0u; i < (x & 7u); ++i) {
    uint s = i;
    for (uint j = 0u; j <= i; ++j) { if (j == y) continue; s += j * x; uint k = j; while (k > 0u) { k -= 1u; r ^= s + k; if (k == 2u) break; } }
    if (s > 1000u) break;
    r += s;
  }
  return r;
}",
        rust: |x, y| {
            let mut r = 0u32;
            for i in 0..x & 7 {
                let mut s = i;
                for j in 0..=i {
                    if j == y {
                        continue;
                    }
                    s = s.wrapping_add(j.wrapping_mul(x));
                    let mut k = j;
                    while k > 0 {
                        k -= 1;
                        r ^= s.wrapping_add(k);
                        if k == 2 {
                            break;
                        }
                    }
                }
                if s > 1000 {
                    break;
                }
                r = r.wrapping_add(s);
            }
            r
        },
    },
    Case {
        name: "loop-carried-swap",
        glsl: "uint f(uint x, uint y) { uint a = 0u, b = 1u; for (uint k = 0u; k < (x & 15u); ++k) { uint t = a + b; a = b; b = t; } return a * 3u + b; }",
        rust: |x, _| {
            let (a, b) = (0..x & 15).fold((0, 1), |(a, b), _| (b, a + b));
            a * 3 + b
        },
    },
    Case {
        name: "value-of-the-exiting-iteration",
        glsl: "uint f(uint x, uint y) { uint last = 77u, k = 0u; for (;;) { uint v = k * x; if ((v & 12u) == 8u) break; last = v; if (++k > 9u) break; } return last ^ (k << 24); }",
        rust: |x, _| {
            let (mut last, mut k) = (77, 0u32);
            loop {
                let v = k.wrapping_mul(x);
                if v & 12 == 8 {
                    break;
                }
                last = v;
                k += 1;
                if k > 9 {
                    break;
                }
            }
            last ^ (k << 24)
        },
    },
    Case {
        name: "function-early-returns",
        glsl: "uint g(uint v) { if (v < 3u) return 1u; if (v < 9u) { if ((v & 1u) == 0u) return 2u; v += 5u; } return v * 3u; }
uint f(uint x, uint y) { uint r = g(x & 15u); if (r > 20u) r -= g(x & 3u); return r + g(y); }",
        rust: |x, y| {
            let g = |mut v: u32| {
                if v < 3 {
                    return 1;
                }
                if v < 9 {
                    if v & 1 == 0 {
                        return 2;
                    }
                    v += 5;
                }
                v * 3
            };
            let mut r = g(x & 15);
            if r > 20 {
                r -= g(x & 3);
            }
            r + g(y)
        },
    },
    Case {
        name: "function-out-inout",
        glsl: "bool split(uint v, out uint low, inout uint sum) { low = v & 7u; sum += v; if (v > 100u) { low = 9u; return false; } sum *= 2u; return true; }
uint f(uint x, uint y) { uint sum = y, low, r = 0u; if (split(x, low, sum)) r = 1u; uint old = low; if (split(x >> 3, low, sum)) r += 2u; return sum * 64u + old * 8u + low + r; }",
        rust: |x, y| {
            let split = |v: u32, sum: &mut u32| {
                *sum = sum.wrapping_add(v);
                if v > 100 {
                    return (false, 9);
                }
                *sum = sum.wrapping_mul(2);
                (true, v & 7)
            };
            let mut sum = y;
            let (first, old) = split(x, &mut sum);
            let (second, low) = split(x >> 3, &mut sum);
            let r = u32::from(first) + 2 * u32::from(second);
            sum.wrapping_mul(64).wrapping_add(old * 8 + low + r)
        },
    },
    Case {
        name: "function-loop-in-branch",
        glsl: "uint g(uint n) { uint s = 0u; for (uint k = 0u; k < n; ++k) { if (k == 5u) return s + 100u; s += k; } return s; }
uint f(uint x, uint y) { uint r = 0u; if ((x & 1u) != 0u) r = g(x & 7u); else r = g(y) + 1u; return r; }",
        rust: |x, y| {
            let g = |n: u32| if n > 5 { 110 } else { (0..n).sum() };
            if x & 1 != 0 { g(x & 7) } else { g(y) + 1 }
        },
    },
    Case {
        name: "function-of-array-and-struct",
        glsl: "struct S { uint a; uint b[3]; };
S g(S s, uint k) { if (k > 4u) return s; s.a += k; s.b[1] = s.a * 2u; return s; }
uint f(uint x, uint y) { S s; s.a = x; s.b[0] = 1u; s.b[1] = 2u; s.b[2] = 3u; s = g(g(s, x & 7u), y); return s.a + s.b[0] * 3u + s.b[1] * 5u + s.b[2] * 7u; }",
        rust: |x, y| {
            let g = |(a, b): (u32, u32), k: u32| {
                if k > 4 {
                    return (a, b);
                }
                let a = a.wrapping_add(k);
                (a, a.wrapping_mul(2))
            };
            let (a, b) = g(g((x, 2), x & 7), y);
            a.wrapping_add(3).wrapping_add(b.wrapping_mul(5)).wrapping_add(21)
        },
    },
    Case {
        name: "lanes-out-of-bounds-inactive",
        glsl: "uint f(uint x, uint y) { uint i = gl_GlobalInvocationID.x; if (i + 50u < 40u) { o[i + 0x10000000u] = 1u; o[0x3FFFFFFFu] = 2u; } return x; }",
        rust: |x, _| x,
    },
    Case {
        name: "division-in-inactive-lanes",
        glsl: "uint f(uint x, uint y) { uint r = 5u; uint d = x & 3u; if (d != 0u) r = 100u / d; int m = int(x << 31); if (m != 0) r += uint(m / -1) >> 31; return r; }",
        rust: |x, _| {
            let r = 100u32.checked_div(x & 3).unwrap_or(5);
            // MIN / -1 is MIN.
            r + (x & 1)
        },
    },
    Case {
        name: "short-circuit",
        glsl: "uint calls;
bool g(uint v) { ++calls; return (v & 2u) != 0u; }
uint f(uint x, uint y) { calls = 0u; bool a = (x & 1u) != 0u && g(x); bool b = (x & 4u) != 0u || g(x) || y > 3u; return calls * 4u + (a ? 2u : 0u) + (b ? 1u : 0u); }",
        rust: |x, y| {
            let g = x & 2 != 0;
            let a = x & 1 != 0 && g;
            let b = x & 4 != 0 || g || y > 3;
            let calls = u32::from(x & 1 != 0) + u32::from(x & 4 == 0);
            calls * 4 + u32::from(a) * 2 + u32::from(b)
        },
    },
    Case {
        name: "store-then-leave",
        glsl: "uint f(uint x, uint y) {
  uint i = gl_GlobalInvocationID.x;
  for (uint k = 0u; k < 8u; ++k) {
    if (k >= (x & 7u)) return k + o[i];
    o[i] = o[i] + k;
  }
  return 12345u;
}",
        // Invocations without an element load zeros and store nothing.
        rust: |x, _| (0..x & 7).sum::<u32>() + (x & 7),
    },
    Case {
        name: "infinite-loop-with-return",
        glsl: "uint f(uint x, uint y) { uint k = x & 31u; for (;;) { if (k > 40u) return k; k += 3u + y; } }",
        rust: |x, y| {
            let mut k = x & 31;
            while k <= 40 {
                k += 3 + y;
            }
            k
        },
    },
    Case {
        name: "private-variable",
        glsl: "uint acc = 4u;
void add(uint v) { if (v > 3u) acc += v; else acc *= 2u; }
uint f(uint x, uint y) { add(x & 7u); add(y); for (uint k = 0u; k < (x & 3u); ++k) add(k + 2u); return acc; }",
        rust: |x, y| {
            let mut acc = 4u32;
            let mut add = |v: u32| if v > 3 { acc += v } else { acc *= 2 };
            add(x & 7);
            add(y);
            (0..x & 3).for_each(|k| add(k + 2));
            acc
        },
    },
    Case {
        name: "switch",
        glsl: "uint f(uint x, uint y) {
  uint r = y;
  switch (x & 7u) { case 0u: r += 1u; case 1u: r += 10u; break; case 2u: return 5u; case 5u: case 6u: r *= 3u; break; default: r ^= 0xF0u; }
  return r;
}",
        rust: |x, y| match x & 7 {
            0 => y + 11,
            1 => y + 10,
            2 => 5,
            5 | 6 => y * 3,
            _ => y ^ 0xF0,
        },
    },
    Case {
        name: "switch-in-loop",
        glsl: "uint f(uint x, uint y) {
  uint r = 0u;
  for (uint k = 0u; k < 9u; ++k) {
    switch ((x >> k) & 3u) { case 0u: continue; case 1u: r += k; break; case 3u: if (k > 5u) return r + 500u; default: r += 7u; }
    r = r * 2u + y;
  }
  return r;
}",
        rust: |x, y| {
            let mut r = 0u32;
            for k in 0..9 {
                match (x >> k) & 3 {
                    0 => continue,
                    1 => r += k,
                    3 => {
                        if k > 5 {
                            return r + 500;
                        }
                        r += 7;
                    }
                    _ => r += 7,
                }
                r = r * 2 + y;
            }
            r
        },
    },
];
