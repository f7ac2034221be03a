//! Workgroups: every shape with barriers, atomics on shared memory, and what workgroups on two threads see of each other.

use crate::support::{Setup, trial};
use glslc2native::{Bindings, DispatchOptions, Kernel};
use glslc2native_testsuite::matrix::{self, ALL_SIZES, Config};
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;

/// Shapes of workgroups: multiples of no subgroup size, columns, boxes, the largest.
const SHAPES: [[u32; 3]; 9] =
    [[1024, 1, 1], [7, 11, 13], [1, 1, 64], [33, 1, 1], [16, 16, 4], [3, 5, 1], [1, 37, 2], [2, 1, 1], [32, 32, 1]];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let shapes = SHAPES.iter().map(|&[x, y, z]| {
        let name = format!("workgroups/{x}x{y}x{z}");
        trial(name, move || shape([x, y, z]))
    });
    let others = [
        trial("workgroups/atomics".into(), atomics),
        trial("workgroups/message-passing".into(), message_passing),
        trial("workgroups/look-back".into(), look_back),
    ];
    shapes.chain(others).collect()
}

fn mixed(x: u32) -> u32 {
    let x = (x ^ (x >> 7)).wrapping_mul(0x9E37_79B1);
    x ^ (x >> 15)
}

/// An exclusive scan in place and a turned copy, with values live across the barriers of a loop.
fn shape(size: [u32; 3]) -> Result<usize, String> {
    let [x, y, z] = size;
    let n = x * y * z;
    let source = format!(
        "#version 450
layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;
layout(std430, binding = 0) readonly buffer I {{ uint input_[]; }};
layout(std430, binding = 1) buffer O {{ uint output_[]; }};
shared uint s[{n}];
void main() {{
  uint l = gl_LocalInvocationIndex;
  uint g = gl_WorkGroupID.x * {n}u + l;
  uint own = input_[g];
  uvec3 id = gl_LocalInvocationID;
  s[l] = own;
  barrier();
  for (uint d = 1u; d < {n}u; d <<= 1) {{
    uint before = l >= d ? s[l - d] : 0u;
    barrier();
    s[l] += before;
    barrier();
  }}
  uint turned = s[({z}u - 1u - id.z) + {z}u * (id.y + {y}u * id.x)];
  output_[g] = (s[l] - own) * 31u + turned + own;
}}
"
    );
    let inputs: Vec<u32> = (0..2 * n).map(mixed).collect();
    let mut outputs = vec![];
    for own in inputs.chunks(n as usize) {
        let mut sum = 0u32;
        let sums: Vec<u32> = own
            .iter()
            .map(|&v| {
                sum = sum.wrapping_add(v);
                sum
            })
            .collect();
        for (l, &v) in (0..n).zip(own) {
            let id = [l % x, l / x % y, l / (x * y)];
            let turned = sums[((z - 1 - id[2]) + z * (id[1] + y * id[0])) as usize];
            let before = sums[l as usize].wrapping_sub(v);
            outputs.push(before.wrapping_mul(31).wrapping_add(turned).wrapping_add(v));
        }
    }
    let setup = Setup::groups(2, 1, 1).words(0, inputs).zeros(1, 2 * n as usize).expect(1, outputs);
    setup.run_at("shape", &source, &matrix::configs(&ALL_SIZES))
}

/// An atomic function of GLSL on shared memory, and what it leaves there.
struct Atomic {
    call: &'static str,
    start: u32,
    combine: fn(u32, u32) -> u32,
}

const ATOMICS: [Atomic; 8] = [
    Atomic { call: "atomicAdd(s[k], v)", start: 5, combine: u32::wrapping_add },
    Atomic { call: "atomicAnd(s[k], v | 0xFF00u)", start: !0, combine: |a, v| a & (v | 0xFF00) },
    Atomic { call: "atomicOr(s[k], v & 0xF0u)", start: 0, combine: |a, v| a | (v & 0xF0) },
    Atomic { call: "atomicXor(s[k], v)", start: 9, combine: |a, v| a ^ v },
    Atomic { call: "atomicMin(s[k], v)", start: !0, combine: u32::min },
    Atomic { call: "atomicMax(s[k], v)", start: 0, combine: u32::max },
    Atomic { call: "atomicCompSwap(s[k], 3u, 8u)", start: 3, combine: |a, _| if a == 3 { 8 } else { a } },
    Atomic { call: "atomicExchange(s[k], 77u)", start: 0, combine: |_, _| 77 },
];

/// Every invocation of 75 on one of 16 words; odd ones twice, under a mask. Sums of signed values and floats too.
fn atomics() -> Result<usize, String> {
    const N: u32 = 75;
    let mut count = 0;
    for Atomic { call, start, combine } in ATOMICS {
        let source = format!(
            "#version 450
layout(local_size_x = {N}) in;
layout(std430, binding = 0) buffer O {{ uint o[]; }};
shared uint s[16];
void main() {{
  uint l = gl_LocalInvocationIndex, k = l * 5u & 15u, v = l * 2654435761u;
  if (l < 16u) s[l] = {start}u;
  barrier();
  {call};
  if ((l & 1u) == 1u) {call};
  barrier();
  if (l < 16u) o[l] = s[l];
}}
"
        );
        let mut s = [start; 16];
        for l in 0..N {
            let (k, v) = (((l * 5) & 15) as usize, l.wrapping_mul(2_654_435_761));
            for _ in 0..=(l & 1) {
                s[k] = combine(s[k], v);
            }
        }
        let setup = Setup::groups(1, 1, 1).zeros(0, 16).expect(0, s);
        count += setup.run_at("atomics", &source, &matrix::configs(&ALL_SIZES)).map_err(|e| format!("{call}: {e}"))?;
    }
    Ok(count)
}

/// Kernels for what two threads see of each other.
fn two_threads(source: &str) -> Result<Vec<(Config, Kernel)>, String> {
    let input = matrix::spirv(source, "threads", false)?;
    let configs = matrix::configs(&[8, 1, 32]).into_iter();
    let kernels = configs.map(|config| {
        let kernel = matrix::compiler(config, &[]).compile(&input);
        Ok((config, kernel.map_err(|error| format!("{config}: {error}"))?))
    });
    kernels.collect()
}

fn run(kernel: &Kernel, bindings: &mut Bindings<'_>, groups: u32) -> Result<(), String> {
    let options = DispatchOptions { threads: 2, ..DispatchOptions::default() };
    kernel.dispatch_with(bindings, [groups, 1, 1], options).map_err(|error| error.to_string())
}

/// Odd workgroups wait for the flag of the even one before them, and then read what it wrote with plain stores.
fn message_passing() -> Result<usize, String> {
    const PAIRS: u32 = 64;
    const SOURCE: &str = "#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) coherent buffer D { uint data[]; };
layout(std430, binding = 1) coherent buffer F { uint flags[]; };
layout(std430, binding = 2) buffer O { uint o[]; };
layout(push_constant) uniform P { uint round; };
void main() {
  uint l = gl_LocalInvocationIndex, pair = gl_WorkGroupID.x / 2u;
  if (gl_WorkGroupID.x % 2u == 0u) {
    data[pair * 32u + l] = round * 1000u + l;
    memoryBarrierBuffer();
    barrier();
    if (l == 0u) flags[pair] = round;
  } else {
    while (flags[pair] != round) {}
    memoryBarrierBuffer();
    o[pair * 32u + l] = data[pair * 32u + 31u - l];
  }
}
";
    let mut count = 0;
    for (config, kernel) in two_threads(SOURCE)? {
        let (mut data, mut flags) = (vec![0u32; PAIRS as usize * 32], vec![0u32; PAIRS as usize]);
        for round in 1..=150u32 {
            let mut out = vec![0u32; data.len()];
            let mut bindings = Bindings::new();
            bindings.bind(0, 0, &mut data).bind(0, 1, &mut flags).bind(0, 2, &mut out);
            bindings.push_value("round", round);
            run(&kernel, &mut bindings, 2 * PAIRS)?;
            drop(bindings);
            let wrong = (0..out.len()).find(|&i| out[i] != round * 1000 + 31 - i as u32 % 32);
            if let Some(i) = wrong {
                return Err(format!("{config}: round {round}: element {i} is {}", out[i]));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// A scan in one dispatch: each workgroup publishes its sum and looks back over those before it until it finds a whole
/// prefix. The lowest unfinished workgroup always runs, so that this ends.
fn look_back() -> Result<usize, String> {
    const GROUPS: u32 = 48;
    const SOURCE: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer I { uint input_[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(std430, binding = 2) coherent buffer S { uint next; uint states[]; };
const uint SUM = 1u << 30, PREFIX = 2u << 30, VALUE = SUM - 1u;
shared uint s[64];
shared uint part, before;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0u) part = atomicAdd(next, 1u);
  barrier();
  uint at = part * 64u + l;
  s[l] = input_[at];
  barrier();
  for (uint d = 1u; d < 64u; d <<= 1) {
    uint left = l >= d ? s[l - d] : 0u;
    barrier();
    s[l] += left;
    barrier();
  }
  if (l == 63u) {
    uint sum = 0u;
    atomicExchange(states[part], (part == 0u ? PREFIX : SUM) | s[63]);
    for (uint k = part; k > 0u;) {
      uint state = atomicOr(states[k - 1u], 0u);
      if (state == 0u) continue;
      sum += state & VALUE;
      if (state >= PREFIX) break;
      --k;
    }
    if (part > 0u) atomicExchange(states[part], PREFIX | (sum + s[63]));
    before = sum;
  }
  barrier();
  o[at] = before + s[l];
}
";
    let mut rng = Rng::new(3);
    let input: Vec<u32> = (0..GROUPS * 64).map(|_| rng.below(1000)).collect();
    let mut sum = 0;
    let expected: Vec<u32> = input
        .iter()
        .map(|v| {
            sum += v;
            sum
        })
        .collect();
    let mut count = 0;
    for (config, kernel) in two_threads(SOURCE)? {
        for round in 0..400 {
            let (mut out, mut states) = (vec![0u32; input.len()], vec![0u32; GROUPS as usize + 1]);
            let mut bindings = Bindings::new();
            bindings.bind_read(0, 0, &input).bind(0, 1, &mut out).bind(0, 2, &mut states);
            run(&kernel, &mut bindings, GROUPS)?;
            drop(bindings);
            if let Some(i) = (0..out.len()).find(|&i| out[i] != expected[i]) {
                return Err(format!("{config}: round {round}: element {i}: expected {}, got {}", expected[i], out[i]));
            }
            count += 1;
        }
    }
    Ok(count)
}
