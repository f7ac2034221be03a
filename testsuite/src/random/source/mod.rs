//! Random GLSL: nested control flow, calls, arrays, floats and memory.

pub mod generate;
mod groups;
mod interpret;
mod lockstep;
pub mod syntax;

use super::interpret::{self as ir_interpret, Val};
use super::{
    COUNT, Failure, GROUP, Plan, Subject, Tally, bytes_of, expect, fails_as, inputs, kind_of, lifted, on_drivers,
};
use crate::bench::vulkan;
use crate::matrix;
use crate::runs::{Expect, Run};
use generate::Exchanges;
use glslc2native::Input;
use glslc2native::lowering::{ir, transform};
use syntax::Program;

/// Words of memory for each invocation.
pub const MEMORY: u32 = 8;
/// The push constant.
const Y: u32 = 5;
/// Invocations that the interpreter of IR runs.
const INTERPRETED: [usize; 4] = [0, 7, 30, 59];

/// The whole shader.
pub fn shader(program: &Program) -> String {
    format!(
        "#version 450
layout(local_size_x = {GROUP}) in;
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

/// What the program must do; `None` when it runs too long.
fn expected(program: &Program) -> Option<Run> {
    let inputs = inputs();
    let (mut outputs, mut memory) = (vec![], vec![]);
    for &x in &inputs {
        let mut own = [3; MEMORY as usize];
        outputs.push(interpret::run(program, (x, Y), &inputs, &mut own, super::FUEL)?);
        memory.extend(own);
    }
    let mut run = Run { groups: [COUNT / GROUP, 1, 1], push: bytes_of(&[Y]), ..Run::default() };
    run.buffers.insert((0, 0), bytes_of(&inputs));
    run.buffers.insert((0, 1), vec![0; COUNT as usize * 4]);
    run.buffers.insert((0, 2), bytes_of(&vec![3; (COUNT * MEMORY) as usize]));
    run.expects = vec![expect(1, &outputs), expect(2, &memory)];
    Some(run)
}

/// Checks the program of a seed.
///
/// # Errors
/// As [`check_seed`](super::check_seed).
pub fn check_seed(seed: u64, devices: &[vulkan::Device]) -> Result<Tally, Box<Failure>> {
    let program = generate::program(seed, Exchanges::default());
    let plan = Plan::of(seed);
    check(&program, &plan, devices).map_err(|message| {
        let smaller = shrink(program, &plan, devices, &message);
        let message = check(&smaller, &plan, devices).err().unwrap_or(message);
        let run = expected(&smaller).unwrap_or_default();
        Box::new(Failure { seed, message, text: shader(&smaller), extension: "comp", run })
    })
}

/// Leaves out one statement after the other as long as what remains still fails. Invalid programs do not arise: every
/// variable is declared at the start of its function, and every loop counts for itself.
fn shrink(mut program: Program, plan: &Plan, devices: &[vulkan::Device], message: &str) -> Program {
    // The configuration that fails, alone, where one does.
    let mut alone = plan.configs.iter().map(|&config| Plan {
        configs: vec![config],
        verify: plan.verify,
        optimised: false,
        trips: false,
        interpret: false,
    });
    let plan = alone.find(|plan| check(&program, plan, &[]).is_err()).unwrap_or_else(|| plan.clone());
    let kind = kind_of(&check(&program, &plan, devices).err().unwrap_or_else(|| message.to_string()));
    for keep in [false, true, false] {
        let mut at = 0;
        while let Some(smaller) = program.without(at, keep) {
            if fails_as(check(&smaller, &plan, devices), &kind) {
                program = smaller;
            } else {
                at += 1;
            }
        }
    }
    program
}

/// Checks a program.
fn check(program: &Program, plan: &Plan, devices: &[vulkan::Device]) -> Result<Tally, String> {
    let Some(run) = expected(program) else { return Ok(Tally { skipped: 1, ..Tally::default() }) };
    let mut tally = Tally { programs: 1, statements: program.statements(), ..Tally::default() };
    let source = shader(program);
    let Input::Spirv(words) = matrix::spirv(&source, "random.comp", false)? else { return Ok(tally) };
    Subject { words: &words, run: &run, plan }.check(&mut tally)?;
    if plan.optimised
        && let Input::Spirv(words) = matrix::spirv(&source, "random.comp", true)?
    {
        let plan = Plan { configs: plan.configs[..1].to_vec(), ..plan.clone() };
        let subject = Subject { words: &words, run: &run, plan: &plan };
        subject.check(&mut tally).map_err(|error| format!("optimised module: {error}"))?;
    }
    if plan.interpret {
        interpret_module(&words, &run, &mut tally)?;
    }
    let optimised = || match matrix::spirv(&source, "random.comp", true) {
        Ok(Input::Spirv(words)) => Some(words),
        _ => None,
    };
    on_drivers(devices, &words, optimised, &run, &mut tally)?;
    Ok(tally)
}

/// Invocations of a workgroup, of programs that exchange values: within a subgroup's size, over it, and in pairs.
const SIZES: [u32; 3] = [12, 32, 37];

fn exchanging_shader(program: &Program, size: u32) -> String {
    format!(
        "#version 450
{extensions}
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
  output_[i] = f(input_[i % {COUNT}u], y);
}}
",
        extensions = groups::EXTENSIONS
    )
}

/// Two workgroups of a program that exchanges values, interpreted in step, for each subgroup size.
fn expected_exchanges(program: &Program, size: u32) -> Option<Run> {
    let inputs = inputs();
    let mut run = Run { groups: [2, 1, 1], push: bytes_of(&[Y]), ..Run::default() };
    run.buffers.insert((0, 0), bytes_of(&inputs));
    run.buffers.insert((0, 1), vec![0; 2 * size as usize * 4]);
    run.buffers.insert((0, 2), bytes_of(&vec![3; (2 * size * MEMORY) as usize]));
    for w in matrix::SIZES {
        let (mut outputs, mut memory) = (vec![], vec![]);
        for group in 0..2 {
            let own: Vec<u32> = (group * size..(group + 1) * size).map(|i| inputs[(i % COUNT) as usize]).collect();
            let mut words = vec![[3; MEMORY as usize]; own.len()];
            outputs.extend(lockstep::run(program, w as usize, &own, Y, &inputs, &mut words, super::FUEL)?);
            memory.extend(words.into_iter().flatten());
        }
        let expects = [expect(1, &outputs), expect(2, &memory)];
        run.expects.extend(expects.map(|expect| Expect { subgroup_size: Some(w), ..expect }));
    }
    Some(run)
}

/// Checks the program of a seed whose invocations exchange values over barriers, by operations on subgroups, or by both, in
/// control flow that they take apart too. Optimised modules are left out: they may put the sides of a condition in another
/// order, which such programs can tell.
///
/// # Errors
/// As [`check_seed`](super::check_seed).
pub fn check_exchanges(seed: u64) -> Result<Tally, Box<Failure>> {
    let size = SIZES[seed as usize % SIZES.len()];
    let kind = seed / SIZES.len() as u64 % 3;
    let exchanges = Exchanges { barriers: kind != 1, groups: kind != 0 };
    let check = |program: &Program| -> Result<Tally, String> {
        let Some(run) = expected_exchanges(program, size) else {
            return Ok(Tally { skipped: 1, ..Tally::default() });
        };
        let input = matrix::spirv(&exchanging_shader(program, size), "random.comp", false)?;
        let check = |config: &matrix::Config, after: &_| run.check(config.subgroup_size, after);
        let runs = matrix::execute(&input, &matrix::standard(), &run, check)?;
        let mut tally = Tally { programs: 1, statements: program.statements(), runs, ..Tally::default() };
        if let (Input::Spirv(words), false, 0) = (&input, exchanges.barriers, seed % 2) {
            let configs = matrix::standard().into_iter().skip(seed as usize % 4).take(1).collect();
            let plan = Plan { configs, verify: true, optimised: false, trips: true, interpret: false };
            Subject { words, run: &run, plan: &plan }.check(&mut tally)?;
        }
        Ok(tally)
    };
    let mut program = generate::program(seed, exchanges);
    check(&program).map_err(|message| {
        let kind = kind_of(&message);
        let mut at = 0;
        while let Some(smaller) = program.without(at, false) {
            if fails_as(check(&smaller), &kind) {
                program = smaller;
            } else {
                at += 1;
            }
        }
        let message = check(&program).err().unwrap_or(message);
        let run = expected_exchanges(&program, size).unwrap_or_default();
        Box::new(Failure { seed, message, text: exchanging_shader(&program, size), extension: "comp", run })
    })
}

/// Runs the IR, as lifted and after transforms, for a few invocations.
fn interpret_module(words: &[u32], run: &Run, tally: &mut Tally) -> Result<(), String> {
    let mut module = lifted(words)?;
    for pass in ["", "inline", "promote", "simplify", "reuse", "clean"] {
        let fail = |error: String| format!("interpreting the IR, after `{pass}`: {error}");
        if let Ok(pass) = transform::by_name(pass) {
            (pass.run)(&mut module).map_err(|error| fail(error.to_string()))?;
        }
        for invocation in INTERPRETED {
            one_invocation(&module, run, invocation).map_err(fail)?;
            tally.interpreted += 1;
        }
    }
    Ok(())
}

fn one_invocation(module: &ir::Module, run: &Run, invocation: usize) -> Result<(), String> {
    let words = |bytes: &[u8]| -> Vec<Val> {
        bytes.chunks_exact(4).map(|b| Val::Bits(u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])))).collect()
    };
    let initial = |global: &ir::Global| match (global.class, global.binding) {
        (ir::StorageClass::Input, _) => {
            Some(Val::Composite(vec![Val::Bits(invocation as u64), Val::Bits(0), Val::Bits(0)]))
        }
        (ir::StorageClass::PushConstant, _) => Some(Val::Composite(words(&run.push))),
        (_, Some(binding)) => {
            let bytes = run.buffers.get(&(0, binding))?;
            Some(Val::Composite(vec![Val::Composite(words(bytes))]))
        }
        _ => None,
    };
    let after = ir_interpret::run_from(module, 2_000_000, &initial)?;
    for (binding, of_each) in [(1, 1), (2, MEMORY as usize)] {
        let global = module.globals.iter().find(|(_, global)| global.binding == Some(binding));
        let Some((id, _)) = global else { continue };
        let Some(Val::Composite(members)) = after.get(&id) else { return Err("no buffer".into()) };
        let Some(Val::Composite(found)) = members.first() else { return Err("no array".into()) };
        let wanted = run.expects.iter().find(|expect| expect.slot == (0, binding));
        let at = invocation * of_each;
        for (index, wanted) in wanted.map_or(&[][..], |e| &e.values[at..at + of_each]).iter().enumerate() {
            let found = &found[at + index];
            if *found != Val::Bits(*wanted) {
                return Err(format!(
                    "invocation {invocation}, binding {binding}: {found:?}, expected {wanted}\n{module}"
                ));
            }
        }
    }
    Ok(())
}
