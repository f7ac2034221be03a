//! Random programs: nested control flow, calls and memory, compiled and interpreted side by side.
//!
//! A program is a tree ([`syntax`]) that prints as GLSL and that [`interpret`] runs for one invocation. What fails is made
//! smaller by leaving statements out before it is shown. `GLSLC2NATIVE_SEEDS=100..200` runs other seeds than usual.

mod generate;
mod interpret;
mod lockstep;
mod syntax;

use crate::support::{Setup, trial};
use glslc2native_testsuite::matrix::{self, Config};
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;
use syntax::Program;

/// Invocations, in workgroups of 12.
const COUNT: u32 = 60;
/// Words of memory for each invocation.
pub const MEMORY: u32 = 8;
/// Invocations of a workgroup, of programs that exchange values: within a subgroup's size, over it, and in pairs.
const SIZES: [u32; 3] = [12, 32, 37];
/// Programs of one trial.
const PER_TRIAL: u64 = 8;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let (from, to) = seeds().unwrap_or((0, 40));
    let trials = |name: &'static str, exchanges: bool| {
        (from..to).step_by(PER_TRIAL as usize).map(move |first| {
            let last = (first + PER_TRIAL).min(to);
            let run = move || (first..last).map(|seed| check_seed(seed, exchanges)).sum();
            trial(format!("{name}/{first}..{last}"), run)
        })
    };
    trials("programs", false).chain(trials("exchanges", true)).collect()
}

fn seeds() -> Option<(u64, u64)> {
    let text = std::env::var("GLSLC2NATIVE_SEEDS").ok()?;
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn check_seed(seed: u64, exchanges: bool) -> Result<usize, String> {
    let program = generate::program(seed, exchanges);
    if exchanges {
        let size = SIZES[seed as usize % SIZES.len()];
        return check_exchanges(&program, size, &matrix::standard()).map_err(|error| {
            let smaller = shrink(program, |smaller| check_exchanges(smaller, size, &matrix::standard()));
            let message = check_exchanges(&smaller, size, &matrix::standard()).err().unwrap_or(error);
            format!("seed {seed}: {message}\n{}", exchanging_shader(&smaller, size))
        });
    }
    check(&program, &matrix::standard(), true).map_err(|error| {
        // The plainest pair of configurations that shows most faults, so that many programs can be tried.
        let smaller = shrink(program, |smaller| check(smaller, &matrix::configs(&[8]), true));
        let message = check(&smaller, &matrix::standard(), true).err().unwrap_or(error);
        format!("seed {seed}: {message}\n{}", shader(&smaller))
    })
}

/// Leaves out one statement after the other as long as what remains still fails. Invalid programs do not arise: every
/// variable is declared at the start of its function, and every loop counts for itself.
fn shrink(mut program: Program, check: impl Fn(&Program) -> Result<usize, String>) -> Program {
    if check(&program).is_ok() {
        return program;
    }
    let mut at = 0;
    while let Some(smaller) = program.without(at) {
        if check(&smaller).is_err() {
            program = smaller;
        } else {
            at += 1;
        }
    }
    program
}

fn shader(program: &Program) -> String {
    format!(
        "#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) readonly buffer X {{ uint input_[]; }};
layout(std430, binding = 1) buffer O {{ uint output_[]; }};
layout(std430, binding = 2) buffer M {{ uint memory[]; }};
layout(push_constant) uniform P {{ uint y; }};
uint base;
{program}
void main() {{
  uint i = gl_GlobalInvocationID.x;
  base = i * {MEMORY}u;
  output_[i] = f(input_[i], y);
}}
"
    )
}

fn check(program: &Program, configs: &[Config], also_optimised: bool) -> Result<usize, String> {
    let source = shader(program);
    let mut rng = Rng::new(17);
    let inputs: Vec<u32> = (0..COUNT).map(|i| if i < 24 { i } else { rng.u32() >> rng.below(32) }).collect();
    let y = 5;
    let (mut outputs, mut memory) = (vec![], vec![]);
    for &x in &inputs {
        let mut own = [3; MEMORY as usize];
        outputs.push(interpret::run(program, x, y, &mut own));
        memory.extend(own);
    }
    let setup = Setup::groups(COUNT.div_ceil(12), 1, 1)
        .push(&[y])
        .words(0, inputs)
        .zeros(1, COUNT as usize)
        .words(2, vec![3; (COUNT * MEMORY) as usize])
        .expect(1, outputs)
        .expect(2, memory);
    let mut count = setup.run_at("program", &source, configs)?;
    if also_optimised {
        let input = matrix::spirv(&source, "program", true)?;
        count += matrix::execute(&input, &configs[..2], &setup.0, |config, after| {
            setup.0.check(config.subgroup_size, after)
        })
        .map_err(|error| format!("optimised module: {error}"))?;
    }
    Ok(count)
}

fn exchanging_shader(program: &Program, size: u32) -> String {
    format!(
        "#version 450
layout(local_size_x = {size}) in;
layout(std430, binding = 0) readonly buffer X {{ uint input_[]; }};
layout(std430, binding = 1) buffer O {{ uint output_[]; }};
layout(std430, binding = 2) buffer M {{ uint memory[]; }};
layout(push_constant) uniform P {{ uint y; }};
shared uint s[{size}];
uint base;
uint l;
{program}
void main() {{
  uint i = gl_GlobalInvocationID.x;
  base = i * {MEMORY}u;
  l = gl_LocalInvocationIndex;
  s[l] = 0u;
  barrier();
  output_[i] = f(input_[i], y);
}}
"
    )
}

/// Two workgroups, against all of a workgroup interpreted in step. Optimised modules may put the sides of a condition in
/// another order, which such programs can tell: their barriers are in control flow that invocations take apart.
fn check_exchanges(program: &Program, size: u32, configs: &[Config]) -> Result<usize, String> {
    let count = 2 * size;
    let mut rng = Rng::new(17);
    let inputs: Vec<u32> = (0..count).map(|i| if i < 24 { i } else { rng.u32() >> rng.below(32) }).collect();
    let y = 5;
    let (mut outputs, mut memory) = (vec![], vec![]);
    for inputs in inputs.chunks(size as usize) {
        let mut own = vec![[3; MEMORY as usize]; inputs.len()];
        outputs.extend(lockstep::run(program, inputs, y, &mut own));
        memory.extend(own.into_iter().flatten());
    }
    Setup::groups(2, 1, 1)
        .push(&[y])
        .words(0, inputs)
        .zeros(1, count as usize)
        .words(2, vec![3; (count * MEMORY) as usize])
        .expect(1, outputs)
        .expect(2, memory)
        .run_at("program", &exchanging_shader(program, size), configs)
}
