//! A process that measures one engine, and the coordinator's end of the talk with it.
//!
//! One process an engine and a number of threads, as drivers read their choices once per process, and so that runs of
//! different engines can take turns. A command is a line on the worker's stdin; each is answered by a line on its stdout,
//! `ok …` or `error …`. Nothing runs between commands.
//!
//! | command | answer |
//! |---|---|
//! | `describe` | name and versions of the engine |
//! | `open KERNEL`, `blank KERNEL` | buffers with the kernel's inputs, or with zeros |
//! | `compile FILE.spv` | time from SPIR-V to the first result: CPU and wall clock, in ns |
//! | `run` | time of a dispatch, likewise |
//! | `check` | from fresh inputs, one dispatch gives what it must |

use super::engine::{Driver, Engine, Native};
use super::work::Work;
use glslc2native::OptLevel;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Which engine, as the coordinator names it.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// This compiler at `-O0`.
    Fast,
    /// This compiler at `-O`.
    Optimised,
    /// A Vulkan driver, by its ICD file.
    Driver {
        /// For people.
        name: String,
        /// The loader's description of the driver.
        icd: PathBuf,
    },
}

impl Kind {
    /// Its name in tables.
    pub fn name(&self) -> &str {
        match self {
            Kind::Fast => "-O0",
            Kind::Optimised => "-O",
            Kind::Driver { name, .. } => name,
        }
    }
}

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Time of all CPUs of the process.
    pub cpu: Duration,
    /// Time on the wall.
    pub wall: Duration,
}

/// Time that all threads of this process have run.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives until the call returns. The clock is there on every Unix that this runs on.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn timed(work: impl FnOnce() -> Result<(), String>) -> Result<Time, String> {
    let (cpu, wall) = (cpu_time(), Instant::now());
    work()?;
    Ok(Time { wall: wall.elapsed(), cpu: cpu_time() - cpu })
}

/// Binds this process, and what threads it starts, to the first `count` of its CPUs: what makes every engine use as many
/// threads as the others, whatever it starts.
#[cfg(target_os = "linux")]
fn pin(count: usize) -> Result<(), String> {
    // SAFETY: a set of CPUs is plain bits, for which zero is valid; the calls get its true size.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut allowed) != 0 {
            return Err(format!("sched_getaffinity: {}", std::io::Error::last_os_error()));
        }
        let mut chosen: libc::cpu_set_t = std::mem::zeroed();
        let cpus = (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &allowed));
        cpus.take(count).for_each(|cpu| libc::CPU_SET(cpu, &mut chosen));
        if libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &chosen) != 0 {
            return Err(format!("sched_setaffinity: {}", std::io::Error::last_os_error()));
        }
    }
    Ok(())
}

/// There is no portable way to bind a process.
#[cfg(not(target_os = "linux"))]
fn pin(_: usize) -> Result<(), String> {
    Ok(())
}

/// The worker's side: `worker ENGINE THREADS`. Answers until its stdin ends.
pub fn serve(arguments: &[&str]) -> Result<(), String> {
    let [engine, threads] = arguments else { return Err("a worker needs an engine and a number of threads".into()) };
    let threads: usize = threads.parse().map_err(|_| format!("`{threads}` is no number of threads"))?;
    pin(threads)?;
    let mut engine: Box<dyn Engine> = match *engine {
        "-O0" => Box::new(Native::new(OptLevel::None, threads)),
        "-O" => Box::new(Native::new(OptLevel::Speed, threads)),
        "driver" => Box::new(Driver::new()?),
        other => return Err(format!("there is no engine `{other}`")),
    };
    let mut work = None;
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = match answer(&mut *engine, &mut work, &line) {
            Ok(text) => format!("ok {text}"),
            Err(what) => format!("error {}", what.replace('\n', " ")),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn answer(engine: &mut dyn Engine, work: &mut Option<&'static Work>, line: &str) -> Result<String, String> {
    let (command, argument) = line.split_once(' ').unwrap_or((line, ""));
    let times = |time: Time| format!("{} {}", time.cpu.as_nanos(), time.wall.as_nanos());
    match command {
        "describe" => Ok(engine.description()),
        "open" | "blank" => {
            let chosen = Work::named(argument)?;
            *work = Some(chosen);
            let inputs = if command == "open" { chosen.inputs() } else { chosen.blanks() };
            engine.open(chosen, inputs)?;
            Ok(String::new())
        }
        "compile" => {
            let words = read_spirv(Path::new(argument))?;
            engine.forget();
            timed(|| engine.compile(&words)).map(times)
        }
        "run" => timed(|| engine.run()).map(times),
        "check" => {
            let work = work.ok_or("no kernel is open")?;
            engine.fill(work.inputs())?;
            engine.run()?;
            work.check(&engine.output()?)?;
            Ok(String::new())
        }
        _ => Err(format!("there is no command `{command}`")),
    }
}

fn read_spirv(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_ne_bytes(word)).collect())
}

/// The coordinator's side.
pub struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts this program again as a worker.
    pub fn start(kind: &Kind, threads: usize) -> Result<Worker, String> {
        let program = std::env::current_exe().map_err(|error| format!("this program is not found again: {error}"))?;
        let mut command = Command::new(program);
        let engine = match kind {
            Kind::Fast => "-O0",
            Kind::Optimised => "-O",
            Kind::Driver { icd, .. } => {
                command.env("VK_DRIVER_FILES", icd).env("VK_ICD_FILENAMES", icd);
                // Else Mesa would find the code of an earlier run on the disk.
                command.env("MESA_SHADER_CACHE_DISABLE", "true").env("LP_NUM_THREADS", threads.to_string());
                "driver"
            }
        };
        command.args(["worker", engine, &threads.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("a worker does not start: {error}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = stdout.ok_or("a worker has no stdout")?;
        Ok(Worker { child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, command: &str) -> Result<String, String> {
        let stdin = self.stdin.as_mut().ok_or("the worker has ended")?;
        let sent = writeln!(stdin, "{command}").and_then(|()| stdin.flush());
        let mut line = String::new();
        let read = sent.and_then(|()| self.stdout.read_line(&mut line));
        match (read, line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""))) {
            (Ok(_), ("ok", text)) => Ok(text.into()),
            (Ok(_), ("error", what)) => Err(what.into()),
            _ => Err(format!("the worker ended at `{command}`")),
        }
    }

    /// Sends a command that is answered by a time.
    pub fn time(&mut self, command: &str) -> Result<Time, String> {
        let text = self.ask(command)?;
        let mut numbers = text.split(' ').map(|number| number.parse().map(Duration::from_nanos));
        match (numbers.next(), numbers.next()) {
            (Some(Ok(cpu)), Some(Ok(wall))) => Ok(Time { cpu, wall }),
            _ => Err(format!("the worker answers `{text}` to `{command}`")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It ends when its stdin does.
        self.stdin = None;
        drop(self.child.wait());
    }
}
