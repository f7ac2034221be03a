//! Measures all engines in turn, kernel by kernel.
//!
//! **To the first result.** Each round starts a new process for each engine: its first compilation is cold, its next ones
//! are warm. The driver is open and the buffers are there when the clock starts.
//!
//! **Steady.** A process for each engine and number of threads has compiled the kernel, has run it once and was found to be
//! right; then each runs once a round, A B C A B C, until a time is over.

use super::median;
use super::work::Work;
use super::worker::{Kind, Time, Worker};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// New processes for each engine.
    pub processes: usize,
    /// Warm compilations in each of them.
    pub warm: usize,
    /// A kernel's steady runs end after this time …
    pub steady: Duration,
    /// … but not before so many rounds …
    pub least: usize,
    /// … and after so many at the latest.
    pub most: usize,
}

/// Times of an engine with a kernel: medians. What failed says why.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// CPU time from SPIR-V to the first result, in a new process.
    pub cold: Option<Duration>,
    /// The same in a process that has compiled the kernel before.
    pub warm: Option<Duration>,
    /// A dispatch with one thread: CPU time.
    pub one_cpu: Option<Duration>,
    /// A dispatch with one thread: wall clock.
    pub one_wall: Option<Duration>,
    /// A dispatch with two threads: wall clock.
    pub two_wall: Option<Duration>,
    /// The first thing that went wrong.
    pub fault: Option<String>,
}

/// Numbers of threads that steady runs are measured at.
const THREADS: [usize; 2] = [1, 2];

/// Measures all engines with one kernel, in the order of `kinds`.
pub fn kernel(work: &'static Work, spv: &Path, kinds: &[Kind], effort: Effort) -> Vec<Measured> {
    let mut all = vec![Measured::default(); kinds.len()];
    first_results(work, spv, kinds, effort, &mut all);
    steady(work, spv, kinds, effort, &mut all);
    all
}

fn first_results(work: &Work, spv: &Path, kinds: &[Kind], effort: Effort, all: &mut [Measured]) {
    let compile = format!("compile {}", spv.display());
    let mut times: Vec<[Vec<Duration>; 2]> = vec![Default::default(); kinds.len()];
    for _ in 0..effort.processes {
        for ((kind, [cold, warm]), measured) in kinds.iter().zip(&mut times).zip(&mut *all) {
            let mut once = || {
                let mut worker = Worker::start(kind, 1)?;
                worker.ask(&format!("blank {}", work.name))?;
                cold.push(worker.time(&compile)?.cpu);
                for _ in 0..effort.warm {
                    warm.push(worker.time(&compile)?.cpu);
                }
                Ok(())
            };
            note(measured, once());
        }
    }
    for (measured, [cold, warm]) in all.iter_mut().zip(&times) {
        (measured.cold, measured.warm) = (median(cold), median(warm));
    }
}

/// A worker that steady runs are measured in, and the times so far.
struct Runner {
    engine: usize,
    threads: usize,
    worker: Worker,
    times: Vec<Time>,
}

fn steady(work: &Work, spv: &Path, kinds: &[Kind], effort: Effort, all: &mut [Measured]) {
    let start = |kind: &Kind, threads: usize| {
        let mut worker = Worker::start(kind, threads)?;
        worker.ask(&format!("open {}", work.name))?;
        worker.ask(&format!("compile {}", spv.display()))?;
        worker.ask("check")?;
        Ok::<_, String>(worker)
    };
    let mut runners = vec![];
    for threads in THREADS {
        for (engine, kind) in kinds.iter().enumerate() {
            if all[engine].fault.is_none() {
                match start(kind, threads) {
                    Ok(worker) => runners.push(Runner { engine, threads, worker, times: vec![] }),
                    Err(what) => all[engine].fault = Some(what),
                }
            }
        }
    }
    // What gave a wrong result once is not measured at all.
    runners.retain(|runner| all[runner.engine].fault.is_none());
    let begin = Instant::now();
    for round in 0..effort.most {
        if round >= effort.least && begin.elapsed() > effort.steady {
            break;
        }
        for runner in &mut runners {
            match runner.worker.time("run") {
                Ok(time) => runner.times.push(time),
                Err(what) => note(&mut all[runner.engine], Err(what)),
            }
        }
    }
    for Runner { engine, threads, times, .. } in runners {
        let middle = |of: fn(&Time) -> Duration| median(&times.iter().map(of).collect::<Vec<_>>());
        let (cpu, wall) = (middle(|time| time.cpu), middle(|time| time.wall));
        match threads {
            1 => (all[engine].one_cpu, all[engine].one_wall) = (cpu, wall),
            _ => all[engine].two_wall = wall,
        }
    }
}

/// Keeps the first fault.
fn note(measured: &mut Measured, result: Result<(), String>) {
    if let Err(what) = result {
        measured.fault.get_or_insert(what);
    }
}
