//! glslang in a process of its own, so that what it dies of does not take the caller's process along.
//!
//! The parent starts the program that the options name, with [`CHILD_ARGUMENT`] behind its own arguments, and gives it a
//! file with a request as its standard input. The child answers on its standard output and ends. Requests and answers are
//! lists of texts, each after its length in eight bytes. Whatever the child does instead of answering is an error:
//! ending, by a signal or not, saying something else, or saying nothing until the time is up, when it is killed.
//!
//! Includes travel in the request, since the parent has found them already.

use crate::engine::{self, Action, Failure, Job, KnownIncludes, Output};
use crate::{ChildCompiler, GlslOptions, Optimize, SpirvVersion, Stage, TargetEnv, Warnings, spirv};
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What the child process is told to become a compiler.
pub const CHILD_ARGUMENT: &str = "--glslc2native-child";

/// First text of requests and answers; changes with their form.
const GREETING: &str = "glslc2native child 1";

/// Collects texts.
#[derive(Default)]
struct Packer(Vec<u8>);

impl Packer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
}

/// Takes texts apart.
struct Unpacker<'a>(&'a [u8]);

impl<'a> Unpacker<'a> {
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<8>()?;
        let (bytes, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn number(&mut self) -> Option<usize> {
        self.text()?.parse().ok()
    }
}

const OPTIMIZE: &[(Optimize, &str)] =
    &[(Optimize::None, "none"), (Optimize::Size, "size"), (Optimize::Performance, "performance")];
const WARNINGS: &[(Warnings, &str)] =
    &[(Warnings::Report, "report"), (Warnings::Suppress, "suppress"), (Warnings::Error, "error")];
const ACTIONS: &[(Action, &str)] = &[(Action::Compile, "compile"), (Action::Preprocess, "preprocess")];

fn name_of<T: PartialEq>(table: &[(T, &'static str)], value: &T) -> &'static str {
    table.iter().find(|(known, _)| known == value).map_or("", |(_, name)| name)
}

fn value_of<T: Copy>(table: &[(T, &str)], name: &str) -> Option<T> {
    table.iter().find(|(_, known)| *known == name).map(|(value, _)| *value)
}

fn pack(job: &Job, includes: &KnownIncludes) -> Vec<u8> {
    let options = &job.options;
    let mut packer = Packer::default();
    let stage = options.stage.map(|stage| stage.to_string()).unwrap_or_default();
    let texts = [
        GREETING,
        name_of(ACTIONS, &job.action),
        &job.text,
        &job.tag,
        if job.forces_version { "forced" } else { "" },
        &options.file_name,
        &stage,
        options.target_env.name(),
        options.effective_spirv_version().name(),
        &options.entry,
        name_of(OPTIMIZE, &options.optimize),
        name_of(WARNINGS, &options.warnings),
        &options.defines.len().to_string(),
        &includes.found.len().to_string(),
    ];
    texts.into_iter().for_each(|text| packer.text(text));
    for (name, value) in &options.defines {
        packer.text(name);
        packer.text(if value.is_some() { "=" } else { "" });
        packer.text(value.as_deref().unwrap_or(""));
    }
    for (requested, relative, from, tag, text) in &includes.found {
        [requested.as_str(), if *relative { "relative" } else { "" }, from, tag, text]
            .iter()
            .for_each(|text| packer.text(text));
    }
    packer.0
}

fn unpack(bytes: &[u8]) -> Option<(Job, KnownIncludes)> {
    let mut unpacker = Unpacker(bytes);
    if unpacker.text()? != GREETING {
        return None;
    }
    let action = value_of(ACTIONS, &unpacker.text()?)?;
    let (text, tag) = (unpacker.text()?, unpacker.text()?);
    let forces_version = !unpacker.text()?.is_empty();
    let file_name = unpacker.text()?;
    let stage = unpacker.text()?;
    let stage = if stage.is_empty() { None } else { Some(stage.parse::<Stage>().ok()?) };
    let target_env = unpacker.text()?.parse::<TargetEnv>().ok()?;
    let spirv_version = Some(unpacker.text()?.parse::<SpirvVersion>().ok()?);
    let entry = unpacker.text()?;
    let optimize = value_of(OPTIMIZE, &unpacker.text()?)?;
    let warnings = value_of(WARNINGS, &unpacker.text()?)?;
    let (defines, includes) = (unpacker.number()?, unpacker.number()?);
    let mut options = GlslOptions {
        file_name,
        stage,
        target_env,
        spirv_version,
        entry,
        optimize,
        warnings,
        ..GlslOptions::default()
    };
    for _ in 0..defines {
        let (name, has_value, value) = (unpacker.text()?, !unpacker.text()?.is_empty(), unpacker.text()?);
        options.defines.push((name, has_value.then_some(value)));
    }
    let mut known = KnownIncludes::default();
    for _ in 0..includes {
        let (requested, relative) = (unpacker.text()?, !unpacker.text()?.is_empty());
        known.found.push((requested, relative, unpacker.text()?, unpacker.text()?, unpacker.text()?));
    }
    Some((Job { action, text, tag, options, forces_version }, known))
}

fn pack_answer(answer: &Result<(Output, String), Failure>) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.text(GREETING);
    let (kind, bytes, messages): (&str, Vec<u8>, &str) = match answer {
        Ok((Output::Words(words), messages)) => ("words", spirv::to_bytes(words), messages),
        Ok((Output::Text(text), messages)) => ("text", text.clone().into_bytes(), messages),
        Err(Failure::Messages(messages)) => ("messages", vec![], messages),
        Err(Failure::NoStage) => ("no stage", vec![], ""),
        Err(Failure::Internal(what) | Failure::Crashed(what)) => ("internal", vec![], what),
    };
    packer.text(kind);
    packer.bytes(&bytes);
    packer.text(messages);
    packer.0
}

fn unpack_answer(bytes: &[u8]) -> Option<Result<(Output, String), Failure>> {
    let mut unpacker = Unpacker(bytes);
    if unpacker.text()? != GREETING {
        return None;
    }
    let kind = unpacker.text()?;
    let bytes = unpacker.bytes()?;
    let messages = unpacker.text()?;
    Some(match kind.as_str() {
        "words" => {
            let words =
                bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
            Ok((Output::Words(words.collect()), messages))
        }
        "text" => Ok((Output::Text(String::from_utf8_lossy(bytes).into_owned()), messages)),
        "messages" => Err(Failure::Messages(messages)),
        "no stage" => Err(Failure::NoStage),
        _ => Err(Failure::Internal(messages)),
    })
}

/// A file that holds `bytes`, to be read from its start, and that has no name any more.
fn nameless_file(bytes: &[u8]) -> std::io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("glslc2native-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
    let written = file.write_all(bytes).and_then(|()| file.rewind());
    fs::remove_file(&path)?;
    written.map(|()| file)
}

/// Runs a job in a child process.
pub(crate) fn run(child: &ChildCompiler, job: &Job, includes: &KnownIncludes) -> Result<(Output, String), Failure> {
    let program = child.program.display();
    let request = nameless_file(&pack(job, includes))
        .map_err(|error| Failure::Internal(format!("cannot write a request for a child process: {error}")))?;
    let mut process = Command::new(&child.program)
        .args(&child.arguments)
        .arg(CHILD_ARGUMENT)
        .stdin(Stdio::from(request))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Failure::Internal(format!("cannot start the child compiler {program}: {error}")))?;
    let answer = answer(&mut process, child.timeout);
    if answer.is_none() {
        // It may have ended by itself just now.
        drop(process.kill());
    }
    let status = process.wait().map_err(|error| Failure::Internal(format!("{program}: {error}")))?;
    match answer {
        None => {
            Err(Failure::Crashed(format!("it did not end within {} s and was killed", child.timeout.as_secs_f32())))
        }
        Some(bytes) => unpack_answer(&bytes).unwrap_or_else(|| Err(Failure::Crashed(how(status)))),
    }
}

/// What the child says until it closes its output; `None` where that takes too long.
fn answer(process: &mut Child, timeout: Duration) -> Option<Vec<u8>> {
    let mut output = process.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    let deadline = Instant::now() + timeout;
    std::thread::spawn(move || {
        let mut bytes = vec![];
        drop(output.read_to_end(&mut bytes));
        drop(sender.send(bytes));
    });
    receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

/// How a process ended that gave no answer.
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        const NAMES: &[(i32, &str)] =
            &[(4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS"), (8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV")];
        let name = NAMES.iter().find(|(number, _)| *number == signal).map_or("a signal", |(_, name)| name);
        return format!("its process ended by {name} ({signal})");
    }
    format!("its process ended with {status} and without an answer")
}

/// Answers one request, from standard input on standard output. A program that is named as the child compiler in
/// [`ChildCompiler`] calls this, and nothing else, where [`CHILD_ARGUMENT`] is among its arguments.
pub fn serve_child() -> ExitCode {
    let mut output = own_stdout();
    let mut request = vec![];
    let read = std::io::stdin().read_to_end(&mut request);
    let Some((job, includes)) = read.ok().and_then(|_| unpack(&request)) else { return ExitCode::FAILURE };
    let answer = engine::run_with_known(&job, &includes);
    match output.write_all(&pack_answer(&answer)).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Standard output, out of reach of C++ that prints to it.
#[cfg(unix)]
fn own_stdout() -> Box<dyn Write> {
    use std::os::fd::{AsFd, AsRawFd};

    unsafe extern "C" {
        /// POSIX: makes descriptor `to` another name of what `from` names.
        fn dup2(from: i32, to: i32) -> i32;
    }

    let Ok(own) = std::io::stdout().as_fd().try_clone_to_owned() else { return Box::new(std::io::stdout()) };
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        // SAFETY: both are open descriptors, and Rust's own handle of descriptor 1 stays valid: it names the null device.
        let result = unsafe { dup2(null.as_raw_fd(), 1) };
        debug_assert!(result <= 1);
    }
    Box::new(File::from(own))
}

/// Standard output.
#[cfg(not(unix))]
fn own_stdout() -> Box<dyn Write> {
    Box::new(std::io::stdout())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_read_back() {
        let options = GlslOptions {
            file_name: "a\nb é.frag".to_string(),
            stage: Some(Stage::Fragment),
            defines: vec![("A".to_string(), None), ("B".to_string(), Some(String::new()))],
            target_env: TargetEnv::Vulkan1_1,
            spirv_version: Some(SpirvVersion::V1_2),
            entry: "go".to_string(),
            optimize: Optimize::Size,
            warnings: Warnings::Error,
            ..GlslOptions::default()
        };
        let text = "void main() {}\0".to_string();
        let job = Job { action: Action::Preprocess, text, tag: "tag".to_string(), options, forces_version: true };
        let found = [("x", true, "tag", "dir/x", "int x;"), ("y", false, "dir/x", "y", "")];
        let includes = KnownIncludes {
            found: found
                .iter()
                .map(|(a, b, c, d, e)| (a.to_string(), *b, c.to_string(), d.to_string(), e.to_string()))
                .collect(),
        };
        let packed = pack(&job, &includes);
        assert_eq!(unpack(&packed), Some((job, includes)));
        // Cut or damaged requests are refused.
        assert!((0..packed.len()).all(|end| unpack(packed.get(..end).unwrap_or_default()).is_none()));
        let mut damaged = packed;
        damaged[3] = 0xff;
        assert_eq!(unpack(&damaged), None);
    }

    #[test]
    fn answers_read_back() {
        let answers = [
            Ok((Output::Words(vec![1, 0x0203_0405]), "warning".to_string())),
            Ok((Output::Text("text".to_string()), String::new())),
            Err(Failure::Messages("a:1: error".to_string())),
            Err(Failure::NoStage),
            Err(Failure::Internal("what".to_string())),
        ];
        for answer in answers {
            let packed = pack_answer(&answer);
            assert_eq!(unpack_answer(&packed), Some(answer));
            assert!((0..packed.len()).all(|end| unpack_answer(packed.get(..end).unwrap_or_default()).is_none()));
        }
    }
}
