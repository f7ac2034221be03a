//! Random structured IR: results and arguments of every construct, exits that pass values, constructs in loop headers and
//! continue regions, cases that fall through with values. What each invocation must do is what the interpreter of IR says.

use super::interpret::{self, Val};
use super::{
    COUNT, Failure, GROUP, Plan, Subject, Tally, bytes_of, expect, fails_as, generate_ir, inputs, kind_of, on_drivers,
    written,
};
use crate::bench::vulkan;
use crate::runs::Run;
use glslc2native::frontend;
use glslc2native::lowering::ir;

/// Words of the output for each invocation.
const WORDS: usize = generate_ir::WORDS;

/// Checks the program of a seed.
///
/// # Errors
/// As [`check_seed`](super::check_seed).
pub fn check_seed(seed: u64, devices: &[vulkan::Device]) -> Result<Tally, Box<Failure>> {
    let plan = Plan::of(seed);
    let text = generate_ir::shader(seed, GROUP);
    check(&text, &plan, devices).map_err(|message| {
        let smaller = shrink(&text, &plan, devices, &kind_of(&message));
        let message = check(&smaller, &plan, devices).err().unwrap_or(message);
        let module = module(&smaller);
        let run = module.as_ref().ok().and_then(|module| expected(module).ok()).unwrap_or_default();
        let words = module
            .and_then(|module| written(&module))
            .and_then(|words| frontend::disassemble(&words).map_err(|error| error.to_string()));
        // Golden files of IR are not transformed, so assembly it is.
        match words {
            Ok(text) => Box::new(Failure { seed, message, text, extension: "spvasm", run }),
            Err(_) => Box::new(Failure { seed, message, text: smaller, extension: "ir", run }),
        }
    })
}

fn module(text: &str) -> Result<ir::Module, String> {
    let module = ir::parse(text).map_err(|error| format!("{error}\n{text}"))?;
    ir::verify::verify(&module).map_err(|error| format!("{error}\n{text}"))?;
    Ok(module)
}

/// What the module must do. The error is why it cannot be said: mostly that it runs too long.
fn expected(module: &ir::Module) -> Result<Run, String> {
    let inputs = inputs();
    let values = |words: &[u32]| Val::Composite(words.iter().map(|&word| Val::Bits(u64::from(word))).collect());
    let mut outputs = vec![];
    for invocation in 0..COUNT as usize {
        let initial = |global: &ir::Global| match (global.class, global.binding) {
            (ir::StorageClass::Input, _) => Some(values(&[invocation as u32, 0, 0])),
            (_, Some(0)) => Some(Val::Composite(vec![values(&inputs)])),
            (_, Some(_)) => Some(Val::Composite(vec![values(&[0; COUNT as usize * WORDS])])),
            _ => None,
        };
        let after = interpret::run_from(module, super::FUEL as usize, &initial)?;
        let output = module.globals.iter().find(|(_, global)| global.binding == Some(1)).map(|(id, _)| id);
        let Some(Val::Composite(members)) = output.and_then(|id| after.get(&id)) else {
            return Err("no output".into());
        };
        let Some(Val::Composite(words)) = members.first() else { return Err("no array".into()) };
        let own = words.iter().skip(invocation * WORDS).take(WORDS);
        outputs.extend(own.map(|word| if let Val::Bits(bits) = word { *bits as u32 } else { 0 }));
    }
    let mut run = Run { groups: [COUNT / GROUP, 1, 1], ..Run::default() };
    run.buffers.insert((0, 0), bytes_of(&inputs));
    run.buffers.insert((0, 1), vec![0; outputs.len() * 4]);
    run.expects = vec![expect(1, &outputs)];
    Ok(run)
}

fn check(text: &str, plan: &Plan, devices: &[vulkan::Device]) -> Result<Tally, String> {
    let module = module(text)?;
    let Ok(run) = expected(&module) else { return Ok(Tally { skipped: 1, ..Tally::default() }) };
    let statements = module.functions.values().map(|function| function.ops.len()).sum();
    let mut tally = Tally { programs: 1, statements, interpreted: COUNT as usize, ..Tally::default() };
    let words = match written(&module) {
        Ok(words) => words,
        // The one thing that has no form there.
        Err(error) if error.contains("continue construct of a loop") => {
            return Ok(Tally { skipped: 1, ..Tally::default() });
        }
        Err(error) => return Err(format!("writing it as SPIR-V: {error}")),
    };
    tally.trips += 1;
    Subject { words: &words, run: &run, plan }.check(&mut tally)?;
    on_drivers(devices, &words, || None, &run, &mut tally)?;
    Ok(tally)
}

/// Leaves out lines, many at once and then fewer, as long as what remains is a module that fails.
fn shrink(text: &str, plan: &Plan, devices: &[vulkan::Device], kind: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut step = lines.len() / 2;
    while step > 0 {
        let mut at = 0;
        while at < lines.len() {
            let mut smaller = lines.clone();
            smaller.drain(at..(at + step).min(lines.len()));
            let candidate = smaller.join("\n");
            if module(&candidate).is_ok() && fails_as(check(&candidate, plan, devices), kind) {
                lines = smaller;
            } else {
                at += step;
            }
        }
        step /= 2;
    }
    lines.join("\n")
}
