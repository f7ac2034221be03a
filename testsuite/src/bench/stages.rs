//! This compiler alone: how long its stages take, and its dispatches.

use super::work::Work;
use super::{median, spirv};
use glslc2native::{Bindings, Compiler, DispatchOptions, Kernel, OptLevel, StageTimes};
use std::time::{Duration, Instant};

/// Why a kernel was not measured.
pub type Failure = Box<dyn std::error::Error>;

const COMPILE_RUNS: usize = 50;
/// A dispatch is repeated until this much time has passed, but three times at least.
const RUN_TIME: Duration = Duration::from_millis(400);

/// A mode of the program: its name, what it does in a line, and what runs it.
pub type Mode = (&'static str, &'static str, fn(&Work) -> Result<(), Failure>);

/// What can be measured; by the name of the mode.
pub const MODES: &[Mode] = &[
    (
        "compile",
        "SPIR-V to callable code, medians of 50 warm runs, in ms\n\
         kernel        level     total    lift  transform   lower  codegen   insts    bytes",
        compile,
    ),
    ("run", "steady dispatches, medians, in ms\nkernel         1 thread  2 threads", run),
];

fn ms(time: Option<Duration>) -> f64 {
    time.unwrap_or_default().as_secs_f64() * 1e3
}

fn compile(work: &Work) -> Result<(), Failure> {
    let words = spirv(work.name)?;
    for (opt, level) in [(OptLevel::Speed, "-O"), (OptLevel::None, "-O0")] {
        let compiler = Compiler::new().opt(opt);
        // Warm: the compiler's own set-up and the caches.
        let kernel = compiler.compile_spirv(&words)?;
        let mut totals = Vec::with_capacity(COMPILE_RUNS);
        let mut stages: [Vec<Duration>; 4] = Default::default();
        for _ in 0..COMPILE_RUNS {
            let start = Instant::now();
            let kernel = compiler.compile_spirv(&words)?;
            totals.push(start.elapsed());
            let StageTimes { lift, transform, lower, codegen, .. } = kernel.times();
            for (all, time) in stages.iter_mut().zip([lift, transform, lower, codegen]) {
                all.push(time);
            }
        }
        let [lift, transform, lower, codegen] = stages.map(|times| ms(median(&times)));
        println!(
            "{:<14}{level:<5}{:>10.3}{lift:>8.3}{transform:>11.3}{lower:>8.3}{codegen:>9.3}{:>8}{:>9}",
            work.name,
            ms(median(&totals)),
            kernel.stats().kernel_insts + kernel.stats().helper_insts,
            kernel.code_size(),
        );
    }
    Ok(())
}

fn run(work: &Work) -> Result<(), Failure> {
    let kernel = Compiler::new().compile_spirv(&spirv(work.name)?)?;
    let one = steady(&kernel, work, 1)?;
    let two = steady(&kernel, work, 2)?;
    println!("{:<14}{:>9.3}  {:>9.3}", work.name, ms(one), ms(two));
    Ok(())
}

/// The median time of a dispatch.
fn steady(kernel: &Kernel, work: &Work, threads: usize) -> Result<Option<Duration>, Failure> {
    let mut buffers = work.inputs();
    let mut bindings = Bindings::new();
    for (binding, buffer) in (0..).zip(&mut buffers) {
        bindings.bind(0, binding, buffer);
    }
    bindings.push(&work.push_bytes());
    let mut times = vec![];
    let start = Instant::now();
    while times.len() < 4 || start.elapsed() < RUN_TIME {
        let options = DispatchOptions { threads, ..DispatchOptions::default() };
        let start = Instant::now();
        kernel.dispatch_with(&mut bindings, work.groups, options)?;
        times.push(start.elapsed());
    }
    // The first touches the memory for the first time.
    Ok(median(&times[1..]))
}
