//! Random programs: nested control flow, calls and memory, compiled and interpreted side by side.
//!
//! A program is a tree ([`syntax`]) that prints as GLSL and that [`interpret`] runs for one invocation. What fails is made
//! smaller by leaving statements out before it is shown. `GLSLC2NATIVE_SEEDS=100..200` runs other seeds than usual.

mod generate;
mod interpret;
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
/// Programs of one trial.
const PER_TRIAL: u64 = 8;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let (from, to) = seeds().unwrap_or((0, 40));
    (from..to)
        .step_by(PER_TRIAL as usize)
        .map(|first| {
            let last = (first + PER_TRIAL).min(to);
            trial(format!("programs/{first}..{last}"), move || (first..last).map(check_seed).sum())
        })
        .collect()
}

fn seeds() -> Option<(u64, u64)> {
    let text = std::env::var("GLSLC2NATIVE_SEEDS").ok()?;
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn check_seed(seed: u64) -> Result<usize, String> {
    let program = generate::program(seed);
    check(&program, &matrix::standard(), true).map_err(|error| {
        let smaller = shrink(program);
        let message = check(&smaller, &matrix::standard(), true).err().unwrap_or(error);
        format!("seed {seed}: {message}\n{}", shader(&smaller))
    })
}

/// Leaves out one statement after the other as long as what remains still fails. Invalid programs do not arise: every
/// variable is declared at the start of its function, and every loop counts for itself.
fn shrink(mut program: Program) -> Program {
    // The plainest pair of configurations that shows most faults, so that many programs can be tried.
    let configs = matrix::configs(&[8]);
    if check(&program, &configs, true).is_ok() {
        return program;
    }
    let mut at = 0;
    while let Some(smaller) = program.without(at) {
        if check(&smaller, &configs, true).is_err() {
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
