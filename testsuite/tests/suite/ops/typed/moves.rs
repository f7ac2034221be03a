//! What only moves components, at every type: composites, memory of every kind, blocks, values through branches and loops.
//!
//! All results are components of the input, so they are compared bit by bit.

use super::{ALL, HEADER, glsl, is_float};
use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem;
use libtest_mimic::Trial;

/// GLSL of a scalar, and which element of the input it is for invocation `i` (elements `8 * i ..` are its own; `c` is the
/// uniform block's array of four, `d` the push constants' array of two).
struct Case {
    glsl: &'static str,
    element: fn(usize) -> From,
}

enum From {
    Own(usize),
    Any(usize),
    Block(usize),
    Push(usize),
}

use From::*;

const fn case(glsl: &'static str, element: fn(usize) -> From) -> Case {
    Case { glsl, element }
}

const CASES: &[Case] = &[
    case("v.wzyx.x", |_| Own(3)),
    case("v[i & 3u]", |i| Own(i & 3)),
    case("extract_(w, i & 3u)", |i| Own(4 + (i & 3))),
    case("inserted[1]", |_| Own(1)),
    case("insert_(v, w.x, i & 3u)[2]", |i| Own(if i & 3 == 2 { 4 } else { 2 })),
    case("splat_(w.y).z", |_| Own(5)),
    case("expect_(v.z, w.z)", |_| Own(2)),
    case("i % 3u == 0u ? v.x : w.x", |i| Own(if i % 3 == 0 { 0 } else { 4 })),
    case("pick_(i % 3u == 1u, v, w).y", |i| Own(if i % 3 == 1 { 1 } else { 5 })),
    case("local[(i + 1u) % 5u]", |i| Own((i + 1) % 5)),
    case("local[gl_WorkGroupID.x & 3u]", |i| Own((i / 16) & 3)),
    case("kept", |i| Own(i % 8)),
    case("s.tail[i & 1u]", |i| Own(6 + (i & 1))),
    case("copy.head.y", |_| Own(1)),
    case("blocks[i].head.x", |i| Any(4 * i)),
    case("blocks[i].tail[1]", |i| Any(4 * i + 3)),
    case("vectors[i].z", |i| Any(4 * i + 2)),
    case("a[(i * 37u) & 63u]", |i| Any((i * 37) & 63)),
    case("a[i + 1u]", |i| Any(i + 1)),
    case("a[gl_WorkGroupID.x]", |i| Any(i / 16)),
    case("c[i & 3u]", |i| Block(i & 3)),
    case("c[2]", |_| Block(2)),
    case("d[1]", |_| Push(1)),
    case("d[i & 1u]", |i| Push(i & 1)),
    case("neighbour", |i| Any(8 * (i ^ 1))),
    case("table[i & 3u]", |_| Any(usize::MAX)),
];

const INVOCATIONS: usize = 48;

fn shader(elem: Elem) -> String {
    let (t, t2, t4) = (glsl(elem, 1), glsl(elem, 2), glsl(elem, 4));
    let stores: String = CASES
        .iter()
        .enumerate()
        .map(|(k, case)| format!("  o[{}u * i + {k}u] = {};\n", CASES.len(), case.glsl))
        .collect();
    let literal = |n: usize| if is_float(elem) { format!("{t}({n}.5)") } else { format!("{t}({})", 17 * n) };
    let table: Vec<String> = (0..4).map(literal).collect();
    format!(
        "{HEADER}layout(local_size_x = 16) in;
spirv_instruction(id = 77) {t} extract_({t4} v, uint at);
spirv_instruction(id = 78) {t4} insert_({t4} v, {t} component, uint at);
spirv_instruction(extensions = [\"SPV_EXT_replicated_composites\"], capabilities = [6024], id = 4463) {t4} splat_({t} v);
spirv_instruction(extensions = [\"SPV_KHR_expect_assume\"], capabilities = [5629], id = 5631) {t} expect_({t} v, {t} e);
spirv_instruction(id = 169) {t4} pick_(bool c, {t4} x, {t4} y);
struct S {{ {t2} head; {t} tail[2]; }};
layout(std430, binding = 0) readonly buffer A {{ {t} a[]; }};
layout(std430, binding = 1) readonly buffer B {{ S blocks[]; }};
layout(std430, binding = 2) readonly buffer V {{ {t4} vectors[]; }};
layout(std140, binding = 3) uniform C {{ {t} c[4]; }};
layout(std430, binding = 4) writeonly buffer O {{ {t} o[]; }};
layout(std430, binding = 5) writeonly buffer Q {{ {t} q[]; }};
layout(std430, binding = 6) writeonly buffer R {{ S r[]; }};
layout(std430, push_constant) uniform P {{ {t} d[2]; }};
shared {t} exchanged[16];
void main() {{
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  {t4} v = {t4}(a[8u * i], a[8u * i + 1u], a[8u * i + 2u], a[8u * i + 3u]);
  {t4} w = {t4}(a[8u * i + 4u], a[8u * i + 5u], a[8u * i + 6u], a[8u * i + 7u]);
  {t4} inserted = w;
  inserted[1] = v.y;
  {t} local[5];
  for (uint k = 0u; k < 5u; ++k) local[k] = a[8u * i + k];
  const {t} table[4] = {t}[4]({});
  {t} kept = v.x;
  for (uint k = 0u; k <= i % 8u; ++k) kept = a[8u * i + k];
  S s = S(v.xy, {t}[2](w.z, w.w));
  S copy = s;
  exchanged[l] = v.x;
  barrier();
  {t} neighbour = exchanged[l ^ 1u];
{stores}  q[(i * 5u) % {INVOCATIONS}u] = v.y;
  if (i % 3u != 0u) r[i] = S(v.xy, {t}[2](v.z, v.w));
}}
",
        table.join(", ")
    )
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    ALL.iter().map(|&elem| trial(format!("ops/typed/moves-{}", elem.name()), move || run(elem))).collect()
}

/// Every shader.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    ALL.iter().map(|&elem| ("moves", shader(elem)))
}

fn table(elem: Elem, n: usize) -> u64 {
    if is_float(elem) { super::bits_of_float(n as f64 + 0.5, elem) } else { 17 * n as u64 }
}

fn run(elem: Elem) -> Result<usize, String> {
    let mut rng = Rng::new(29);
    let size = elem.size();
    let source = shader(elem);
    let input = matrix::spirv(&source, "moves", false).map_err(|error| format!("{error}\n{source}"))?;
    let mut random = |n: usize| -> Vec<u8> { (0..n * size).map(|_| rng.u32() as u8).collect() };
    let memory = random(INVOCATIONS * 8);
    let (block, push) = (random(4), random(2));
    // Elements of an array in std140 are 16 bytes apart.
    let uniform: Vec<u8> = block.chunks(size).flat_map(|e| [e, &vec![0xEE; 16 - size]].concat()).collect();
    let buffers: Buffers = [
        ((0, 0), memory.clone()),
        ((0, 1), memory.clone()),
        ((0, 2), memory.clone()),
        ((0, 3), uniform),
        ((0, 4), vec![0; INVOCATIONS * CASES.len() * size]),
        ((0, 5), vec![0; INVOCATIONS * size]),
        ((0, 6), vec![0xAB; INVOCATIONS * 4 * size]),
    ]
    .into();
    let run = Run { groups: [INVOCATIONS as u32 / 16, 1, 1], push: push.clone(), buffers, ..Run::default() };
    let at = |bytes: &[u8], k: usize| elem.read(&bytes[k * size..][..size]);
    matrix::execute(&input, &matrix::standard(), &run, |_, after| {
        let out = &after[&(0, 4)];
        for (j, case) in (0..INVOCATIONS * CASES.len()).map(|j| (j, &CASES[j % CASES.len()])) {
            let i = j / CASES.len();
            let want = match (case.element)(i) {
                Own(k) => at(&memory, 8 * i + k),
                Any(usize::MAX) => table(elem, i & 3),
                Any(k) => at(&memory, k),
                Block(k) => at(&block, k),
                Push(k) => at(&push, k),
            };
            if at(out, j) != want {
                return Err(format!(
                    "{} at {}, invocation {i}: expected {}, got {}",
                    case.glsl,
                    elem.name(),
                    elem.show(want),
                    elem.show(at(out, j))
                ));
            }
        }
        for i in 0..INVOCATIONS {
            if at(&after[&(0, 5)], i * 5 % INVOCATIONS) != at(&memory, 8 * i + 1) {
                return Err(format!("scattered {} of invocation {i}", elem.name()));
            }
            let own = &after[&(0, 6)][i * 4 * size..][..4 * size];
            let want = if i % 3 != 0 { memory[8 * i * size..][..4 * size].to_vec() } else { vec![0xAB; 4 * size] };
            if own != want {
                return Err(format!("block of {}s stored by invocation {i}: {own:x?}, not {want:x?}", elem.name()));
            }
        }
        Ok(())
    })
}
