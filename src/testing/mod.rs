//! Runs shader tests: AmberScript, VkScript, and the runs of golden files.
//!
//! In: a test's file. Out: an [`Outcome`]: what it compared, why it failed, or why it was skipped. A test never takes its
//! caller down by a panic or an endless dispatch; [`Supervisor`] runs tests in another process, so that nothing else does either.
//!
//! A test is *skipped* only for what it says of itself: it has a graphics pipeline, an image or a language that cannot be run,
//! or it asks by name for a feature or an extension that the compiler lacks. Whatever else is not supported is a failure.
//!
//! ```
//! # #[cfg(feature = "glsl")] {
//! use glslc2native::testing::{Outcome, TestOptions, run_script};
//! let script = "#!amber
//! SHADER compute double GLSL
//! #version 450
//! layout(set = 0, binding = 0) buffer Data { uint data[]; };
//! void main() { data[gl_WorkGroupID.x] *= 2; }
//! END
//! BUFFER numbers DATA_TYPE uint32 DATA 1 2 3 END
//! PIPELINE compute pipeline
//!   ATTACH double
//!   BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
//! END
//! RUN pipeline 3 1 1
//! EXPECT numbers IDX 0 EQ 2 4 6
//! ";
//! assert_eq!(run_script(script, "double.amber".as_ref(), &TestOptions::default()), Outcome::Passed { checks: 3 });
//! # }
//! ```

mod features;
mod golden;
mod memory;
mod script;
mod supervise;

pub use glslc2native_scripts as scripts;
pub use script::run_script;
pub use supervise::{Supervisor, serve};

use crate::{Compiler, Error, ErrorKind};
use memory::Memory;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How tests are run.
#[derive(Clone, Debug)]
pub struct TestOptions {
    /// How shaders are compiled, where a test does not say otherwise.
    pub compiler: Compiler,
    /// Invocations of a subgroup, where a test does not say otherwise.
    pub subgroup_size: u32,
    /// Time that a dispatch may take.
    pub timeout: Duration,
    /// Threads of a dispatch; 0 is as many as there are CPUs.
    pub threads: usize,
}

impl Default for TestOptions {
    /// The compiler's own defaults, and ten seconds.
    fn default() -> TestOptions {
        TestOptions { compiler: Compiler::new(), subgroup_size: 8, timeout: Duration::from_secs(10), threads: 0 }
    }
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was as expected.
    Passed {
        /// Values that were compared.
        checks: usize,
    },
    /// Something was not.
    Failed {
        /// What kind of thing.
        kind: FailureKind,
        /// What, and where.
        message: String,
    },
    /// It was not run.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// The test cannot be read.
    Script,
    /// The compiler does not support what the shader does.
    Unsupported,
    /// Another error of compiling or dispatching.
    Error,
    /// Other values than expected.
    Values,
    /// Bytes around a buffer were changed.
    Memory,
    /// A dispatch, or the whole test, took too long.
    Timeout,
    /// A panic, or the end of the process.
    Crash,
}

/// Kinds of failures with their names.
const FAILURE_KINDS: &[(FailureKind, &str)] = &[
    (FailureKind::Script, "unreadable"),
    (FailureKind::Unsupported, "not supported"),
    (FailureKind::Error, "error"),
    (FailureKind::Values, "wrong values"),
    (FailureKind::Memory, "stray stores"),
    (FailureKind::Timeout, "too slow"),
    (FailureKind::Crash, "crash"),
];

impl FailureKind {
    /// As summaries name it.
    pub fn name(self) -> &'static str {
        FAILURE_KINDS.iter().find(|(kind, _)| *kind == self).map_or("error", |(_, name)| name)
    }

    fn from_name(name: &str) -> Option<FailureKind> {
        FAILURE_KINDS.iter().find(|(_, own)| *own == name).map(|(kind, _)| *kind)
    }
}

/// What ends a test early.
struct Failure {
    kind: FailureKind,
    message: String,
}

impl Failure {
    fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let kind = match error.kind() {
            ErrorKind::Unsupported => FailureKind::Unsupported,
            ErrorKind::Interrupted => FailureKind::Timeout,
            ErrorKind::Internal => FailureKind::Crash,
            _ => FailureKind::Error,
        };
        Failure::new(kind, error.to_string())
    }
}

/// Extensions of the files that may be tests.
const EXTENSIONS: &[&str] = &["amber", "vkscript", "comp", "spvasm", "ir"];

/// The tests under paths, sorted: files as they are, and of folders those that say what they expect.
///
/// # Errors
///
/// A path that cannot be read.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = vec![];
    for path in paths {
        if !path.is_dir() {
            std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.push(path.clone());
            continue;
        }
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let message = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(message)? {
                let path = entry.map_err(message)?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if is_test(&path) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn is_test(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("amber" | "vkscript") => true,
        Some(extension) if EXTENSIONS.contains(&extension) => golden::is_test(path),
        _ => false,
    }
}

/// Runs a test. Files named `….expect_fail.…` have to fail, but not for lack of support.
pub fn run_file(path: &Path, options: &TestOptions) -> Outcome {
    let outcome = match path.extension().and_then(|extension| extension.to_str()) {
        Some("comp" | "spvasm" | "ir") => guarded(|| golden::run(path, options)),
        _ => match std::fs::read(path) {
            Ok(bytes) => run_script(&String::from_utf8_lossy(&bytes), path, options),
            Err(error) => Outcome::Failed { kind: FailureKind::Script, message: error.to_string() },
        },
    };
    let expect_fail = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".expect_fail."));
    match outcome {
        Outcome::Failed { kind: FailureKind::Script | FailureKind::Values | FailureKind::Error, .. } if expect_fail => {
            Outcome::Passed { checks: 1 }
        }
        Outcome::Passed { .. } if expect_fail => Outcome::Failed {
            kind: FailureKind::Values,
            message: "passes, though it is named as one that fails".into(),
        },
        outcome => outcome,
    }
}

/// Runs a test; a panic is a failure of it.
fn guarded(run: impl FnOnce() -> Result<Outcome, Failure>) -> Outcome {
    // AssertUnwindSafe: whatever the test made is dropped.
    match std::panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(Outcome::Passed { checks: 0 })) => {
            Outcome::Failed { kind: FailureKind::Script, message: "nothing is expected".into() }
        }
        Ok(Ok(outcome)) => outcome,
        Ok(Err(Failure { kind, message })) => Outcome::Failed { kind, message },
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Outcome::Failed { kind: FailureKind::Crash, message: format!("panic: {text}") }
        }
    }
}

/// Runs a dispatch that sees the flag set when its time is over.
fn with_time_limit<T>(limit: Duration, dispatch: impl FnOnce(&AtomicU32) -> T) -> T {
    let interrupt = AtomicU32::new(0);
    let (done, wait) = mpsc::channel::<()>();
    let flag = &interrupt;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(1, Ordering::Relaxed);
            }
        });
        let result = dispatch(flag);
        drop(done);
        result
    })
}
