//! How long compiling and running takes.
//!
//! ```text
//! bench compile [FILTER]    SPIR-V to callable code: medians of 50 warm runs, each stage, at -O and -O0
//! bench run [FILTER]        steady dispatches: medians, on one and on two threads
//! ```
//!
//! `FILTER` is a part of a kernel's name. The kernels are those of `testsuite/kernels`; what cannot be compiled yet says why.

use glslc2native::{Bindings, Compiler, DispatchOptions, Input, Kernel, OptLevel, StageTimes};
use glslc2native_testsuite::rng::Rng;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// A kernel and how it is dispatched.
struct Work {
    name: &'static str,
    groups: [u32; 3],
    /// Bytes of the buffers, by binding in set 0.
    buffers: &'static [usize],
    /// Push constants.
    push: &'static [Push],
}

enum Push {
    U(u32),
    F(f32),
}

const MI: usize = 1 << 20;

/// All kernels, with the sizes that peers were measured at.
const WORK: &[Work] = &[
    Work { name: "tiny", groups: [1 << 16, 1, 1], buffers: &[16 * MI], push: &[] },
    Work {
        name: "saxpy",
        groups: [1 << 16, 1, 1],
        buffers: &[64 * MI, 64 * MI],
        push: &[Push::U(16 << 20), Push::F(1.5)],
    },
    Work { name: "matmul_naive", groups: [32, 32, 1], buffers: &[MI, MI, MI], push: &[Push::U(512)] },
    Work {
        name: "mandelbrot",
        groups: [64, 64, 1],
        buffers: &[4 * MI],
        push: &[
            Push::U(1024),
            Push::U(1024),
            Push::U(200),
            Push::F(-2.0),
            Push::F(-1.25),
            Push::F(2.5 / 1024.0),
            Push::F(2.5 / 1024.0),
        ],
    },
    Work { name: "blur5", groups: [128, 128, 1], buffers: &[16 * MI, 16 * MI], push: &[Push::U(2048), Push::U(2048)] },
    Work { name: "transc", groups: [1 << 14, 1, 1], buffers: &[16 * MI, 16 * MI], push: &[Push::U(4 << 20)] },
    Work { name: "reduce", groups: [1 << 14, 1, 1], buffers: &[16 * MI, MI / 16], push: &[Push::U(4 << 20)] },
    Work { name: "matmul_tiled", groups: [32, 32, 1], buffers: &[MI, MI, MI], push: &[Push::U(512)] },
    Work { name: "histogram", groups: [1 << 10, 1, 1], buffers: &[64 * MI, 1024], push: &[Push::U(64)] },
    Work { name: "raymarch", groups: [64, 64, 1], buffers: &[MI], push: &[Push::U(512), Push::U(512), Push::F(0.5)] },
];

const COMPILE_RUNS: usize = 50;
/// A dispatch is repeated until this much time has passed, but three times at least.
const RUN_TIME: Duration = Duration::from_millis(400);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (mode, filter) = match arguments[..] {
        [mode] => (mode, ""),
        [mode, filter] => (mode, filter),
        _ => ("", ""),
    };
    let measure: fn(&Work, &[u32]) -> Result<(), Failure> = match mode {
        "compile" => compile,
        "run" => run,
        _ => {
            eprintln!("usage: bench compile|run [FILTER]");
            return ExitCode::from(2);
        }
    };
    print_head(mode);
    let mut count = 0;
    for work in WORK.iter().filter(|work| work.name.contains(filter)) {
        match spirv(work.name).and_then(|words| measure(work, &words)) {
            Ok(()) => count += 1,
            // One line: a kernel that needs what is not supported yet is no failure of the bench.
            Err(error) => println!("{:<14}{}", work.name, error.to_string().lines().next().unwrap_or_default()),
        }
    }
    if count == 0 {
        eprintln!("no kernel was measured");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn print_head(mode: &str) {
    if mode == "compile" {
        println!("SPIR-V to callable code, medians of {COMPILE_RUNS} warm runs, in ms");
        println!("kernel        level     total    lift  transform   lower  codegen   insts    bytes");
    } else {
        println!("steady dispatches, medians, in ms");
        println!("kernel         1 thread  2 threads");
    }
}

fn spirv(name: &str) -> Result<Vec<u32>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let path: PathBuf = folder.join(format!("{name}.comp"));
    let compiler = Compiler::new().include_dir(folder);
    Ok(compiler.stages(&Input::read(path)?).spirv()?.to_vec())
}

fn median<T: Ord + Copy>(values: &mut [T]) -> T {
    values.sort();
    values[values.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn compile(work: &Work, words: &[u32]) -> Result<(), Failure> {
    for (opt, level) in [(OptLevel::Speed, "-O"), (OptLevel::None, "-O0")] {
        let compiler = Compiler::new().opt(opt);
        // Warm: the compiler's own set-up and the caches.
        let kernel = compiler.compile_spirv(words)?;
        let mut totals = Vec::with_capacity(COMPILE_RUNS);
        let mut stages: [Vec<Duration>; 4] = Default::default();
        for _ in 0..COMPILE_RUNS {
            let start = Instant::now();
            let kernel = compiler.compile_spirv(words)?;
            totals.push(start.elapsed());
            let StageTimes { lift, transform, lower, codegen, .. } = kernel.times();
            for (all, time) in stages.iter_mut().zip([lift, transform, lower, codegen]) {
                all.push(time);
            }
        }
        let [lift, transform, lower, codegen] = stages.map(|mut times| ms(median(&mut times)));
        println!(
            "{:<14}{level:<5}{:>10.3}{lift:>8.3}{transform:>11.3}{lower:>8.3}{codegen:>9.3}{:>8}{:>9}",
            work.name,
            ms(median(&mut totals)),
            kernel.stats().kernel_insts + kernel.stats().helper_insts,
            kernel.code_size(),
        );
    }
    Ok(())
}

fn run(work: &Work, words: &[u32]) -> Result<(), Failure> {
    let kernel = Compiler::new().compile_spirv(words)?;
    let one = steady(&kernel, work, 1)?;
    let two = steady(&kernel, work, 2)?;
    println!("{:<14}{:>9.3}  {:>9.3}", work.name, ms(one), ms(two));
    Ok(())
}

/// The median time of a dispatch.
fn steady(kernel: &Kernel, work: &Work, threads: usize) -> Result<Duration, Failure> {
    let mut rng = Rng::new(1);
    // Numbers of moderate size: denormals and NaNs would be slow on some CPUs and are not what is measured.
    let mut buffers: Vec<Vec<f32>> =
        work.buffers.iter().map(|&bytes| (0..bytes / 4).map(|_| rng.unit()).collect()).collect();
    let mut bindings = Bindings::new();
    for (binding, buffer) in (0..).zip(&mut buffers) {
        bindings.bind(0, binding, buffer);
    }
    let push: Vec<u8> = work
        .push
        .iter()
        .flat_map(|value| match value {
            Push::U(value) => value.to_le_bytes(),
            Push::F(value) => value.to_le_bytes(),
        })
        .collect();
    bindings.push(&push);
    let mut times = vec![];
    let start = Instant::now();
    while times.len() < 4 || start.elapsed() < RUN_TIME {
        let options = DispatchOptions { threads, ..DispatchOptions::default() };
        let start = Instant::now();
        kernel.dispatch_with(&mut bindings, work.groups, options)?;
        times.push(start.elapsed());
    }
    // The first touches the memory for the first time.
    Ok(median(&mut times[1..]))
}
