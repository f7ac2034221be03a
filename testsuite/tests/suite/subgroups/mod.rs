//! Subgroup operations: every operation × every type × patterns of active lanes, at every subgroup size.
//!
//! A table of expressions makes two shaders for a type: one with all lanes active, known when it is compiled, and one
//! that runs every expression under several conditions, in a workgroup that is no multiple of a subgroup. What each
//! invocation must get is computed from the values of its subgroup by plain code.

mod arithmetic;
mod moves;
mod sets;
mod types;

use crate::support::trial;
use glslc2native::Compiler;
use glslc2native_testsuite::matrix::{self, ALL_SIZES, Config};
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Expect, Run};
use glslc2native_testsuite::values::Compare;
use libtest_mimic::Trial;
use std::fmt::Write;
use types::{TYPES, Ty};

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let arithmetic = TYPES.iter().map(|ty| {
        trial(format!("subgroups/arithmetic/{}", ty.glsl), move || {
            check(ty, &arithmetic::ops(ty), arithmetic::data, &ALL_SIZES)
        })
    });
    let moves = TYPES.iter().map(|ty| {
        trial(format!("subgroups/moves/{}", ty.glsl), move || check(ty, &moves::ops(ty), moves::data, &ALL_SIZES))
    });
    let quads = TYPES.iter().map(|ty| {
        let sizes = &ALL_SIZES[2..];
        trial(format!("subgroups/quads/{}", ty.glsl), move || check(ty, &moves::quads(), moves::data, sizes))
    });
    let sets = trial("subgroups/sets".into(), || check(types::uint(), &sets::ops(), sets::data, &ALL_SIZES));
    let targets = trial("subgroups/targets".into(), targets);
    arithmetic.chain(moves).chain(quads).chain([sets, targets]).collect()
}

/// Everything compiles for every target. Gives the number of objects.
fn targets() -> Result<usize, String> {
    const TARGETS: [(&str, Option<&str>); 4] =
        [("aarch64", None), ("s390x", None), ("riscv64", None), ("riscv64", Some("rv64gcv"))];
    let mut count = 0;
    for ty in &TYPES {
        let ops: Vec<Op> = arithmetic::ops(ty).into_iter().chain(moves::ops(ty)).chain(moves::quads()).collect();
        let input = matrix::spirv(&shader(ty, &ops, 75, true), ty.glsl, false)?;
        for (target, cpu) in TARGETS {
            let compiler = Compiler::new().subgroup_size(8).target(target, cpu).verify(true);
            let object = compiler.compile_to_object(&input);
            object.map_err(|error| format!("{} for {target} {cpu:?}: {error}", ty.glsl))?;
            count += 1;
        }
    }
    Ok(count)
}

/// The invocations of a subgroup as an expression sees them.
pub struct Subgroup {
    /// Its size, number and how many there are.
    pub w: usize,
    pub id: usize,
    pub count: usize,
    /// Which lanes are active.
    pub active: Vec<bool>,
    /// What `v` is in each lane.
    pub values: Vec<u64>,
    /// What `u` is in all.
    pub uniform: u64,
}

impl Subgroup {
    /// The active lanes.
    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        (0..self.w).filter(|&lane| self.active[lane])
    }

    /// What an active lane has; 0 of others and of none.
    pub fn get(&self, lane: Option<usize>) -> u64 {
        lane.filter(|&lane| lane < self.w && self.active[lane]).map_or(0, |lane| self.values[lane])
    }
}

/// What a lane must get.
pub type Reference = Box<dyn Fn(&Subgroup, usize) -> u64>;

/// An expression in `v`, `u`, `c` and `lane`, and its value.
pub struct Op {
    pub expr: String,
    pub result: Reference,
}

/// An operation of a table.
pub fn op(expr: impl Into<String>, result: impl Fn(&Subgroup, usize) -> u64 + 'static) -> Op {
    Op { expr: expr.into(), result: Box::new(result) }
}

/// Conditions of the masked shader: at random, in patterns of lanes, of whole chunks, of single lanes, of all.
const PATTERNS: [fn(u32, &mut Rng) -> bool; 6] = [
    |_, rng| rng.below(2) == 0,
    |l, _| l % 3 != 1,
    |l, _| l & 4 == 0,
    |l, _| l == 37 || l == 6,
    |l, _| l >= 24,
    |_, _| true,
];

/// Workgroups: the second one has the same value in all invocations.
const GROUPS: usize = 2;

/// Runs all expressions; gives the number of values compared.
fn check(ty: &'static Ty, ops: &[Op], data: fn(&Ty, &mut Rng) -> u64, sizes: &[u32]) -> Result<usize, String> {
    let mut count = 0;
    for (masked, invocations) in [(true, 75), (false, 64)] {
        let mut configs = matrix::configs(sizes);
        configs.push(Config { subgroup_size: 64, scalar: true, o0: false, contract: false });
        if !masked {
            configs.retain(|config| !config.o0);
        }
        let source = shader(ty, ops, invocations, masked);
        let run = run(ty, ops, data, invocations, masked, sizes);
        let input = matrix::spirv(&source, ty.glsl, false).map_err(|error| format!("{error}\n{source}"))?;
        let values: usize = run.expects.first().map_or(0, |expect| expect.values.len());
        let runs = matrix::execute(&input, &configs, &run, |config, after| {
            run.check(config.subgroup_size, after).map_err(|error| format!("{error}\n{}", legend(ops, masked)))
        });
        count += values * runs.map_err(|error| format!("masked: {masked}: {error}"))?;
    }
    Ok(count)
}

/// Which place of a buffer is what.
fn legend(ops: &[Op], masked: bool) -> String {
    let patterns = if masked { PATTERNS.len() } else { 1 };
    let names: Vec<String> = ops.iter().enumerate().map(|(i, op)| format!("{i} {}", op.expr)).collect();
    format!("index = (invocation * {patterns} + pattern) * {} + number; {}", ops.len(), names.join("; "))
}

fn shader(ty: &Ty, ops: &[Op], invocations: usize, masked: bool) -> String {
    let (memory, value) = (ty.memory, ty.glsl);
    let mut source = String::from("#version 450\n");
    for extension in types::EXTENSIONS {
        writeln!(source, "#extension {extension} : require").ok();
    }
    let (load, store) = if ty.is_bool() { (" != 0u", "uint") } else { ("", "") };
    let body: String =
        ops.iter().enumerate().map(|(i, op)| format!("    o[at + {i}u] = {store}({});\n", op.expr)).collect();
    let body = match masked {
        true => format!(
            "  for (uint k = 0u; k < {n}u; k++) if ((m[g] >> k & 1u) != 0u) {{
    uint at = (g * {n}u + k) * {count}u;
{body}  }}",
            n = PATTERNS.len(),
            count = ops.len()
        ),
        false => format!("  uint at = g * {}u;\n{body}", ops.len()),
    };
    write!(
        source,
        "layout(local_size_x = {invocations}) in;
layout(std430, binding = 0) readonly buffer X {{ {memory} x[]; }};
layout(std430, binding = 1) buffer O {{ {memory} o[]; }};
layout(std430, binding = 2) readonly buffer M {{ uint m[]; }};
void main() {{
  uint g = gl_GlobalInvocationID.x, lane = gl_SubgroupInvocationID;
  {value} v = x[g]{load}, u = x[gl_WorkGroupID.x * {invocations}u]{load};
  bool c = (lane * 5u & 8u) == 0u;
{body}
}}
"
    )
    .ok();
    source
}

/// Buffers, and what they must hold for every subgroup size.
fn run(ty: &Ty, ops: &[Op], data: fn(&Ty, &mut Rng) -> u64, invocations: usize, masked: bool, sizes: &[u32]) -> Run {
    let mut rng = Rng::new(7);
    let patterns = if masked { PATTERNS.len() } else { 1 };
    let mut values: Vec<u64> = (0..GROUPS * invocations).map(|_| data(ty, &mut rng)).collect();
    values[invocations..].fill(data(ty, &mut rng));
    let on: Vec<Vec<bool>> = (0..patterns)
        .map(|k| (0..values.len()).map(|g| !masked || PATTERNS[k]((g % invocations) as u32, &mut rng)).collect())
        .collect();
    let mut run = Run { groups: [GROUPS as u32, 1, 1], ..Run::default() };
    // Bindings start and end at multiples of four bytes.
    let padded = |mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let size = ty.elem.size();
    run.buffers.insert((0, 0), padded(values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect()));
    run.buffers.insert((0, 1), padded(vec![0; values.len() * patterns * ops.len() * size]));
    let masks = (0..values.len()).map(|g| (0..patterns).map(|k| u32::from(on[k][g]) << k).sum::<u32>());
    run.buffers.insert((0, 2), masks.flat_map(u32::to_le_bytes).collect());
    for &w in sizes {
        let mut expected = vec![0; values.len() * patterns * ops.len()];
        for k in 0..patterns {
            for (first, subgroup) in subgroups(&values, &on[k], invocations, w as usize) {
                for (lane, (i, op)) in
                    subgroup.lanes().flat_map(|lane| ops.iter().enumerate().map(move |op| (lane, op)))
                {
                    expected[((first + lane) * patterns + k) * ops.len() + i] = (op.result)(&subgroup, lane);
                }
            }
        }
        run.expects.push(Expect {
            line: 0,
            subgroup_size: Some(w),
            slot: (0, 1),
            elem: ty.elem,
            how: Compare::Exact,
            values: expected,
            at: 0,
        });
    }
    run
}

/// The subgroups of all workgroups, each with the number of its first invocation.
fn subgroups(values: &[u64], on: &[bool], invocations: usize, w: usize) -> Vec<(usize, Subgroup)> {
    let count = invocations.div_ceil(w);
    let mut all = vec![];
    for group in 0..values.len() / invocations {
        let start = group * invocations;
        for id in 0..count {
            let first = start + id * w;
            let there = |lane: usize| id * w + lane < invocations;
            all.push((
                first,
                Subgroup {
                    w,
                    id,
                    count,
                    active: (0..w).map(|lane| there(lane) && on[first + lane]).collect(),
                    values: (0..w).map(|lane| if there(lane) { values[first + lane] } else { 0 }).collect(),
                    uniform: values[start],
                },
            ));
        }
    }
    all
}
