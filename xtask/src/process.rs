//! Starting other programs, and the paths and errors that all tasks share.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a task failed.
#[derive(Debug)]
pub struct Failure {
    /// Exit code to end with.
    pub code: u8,
    /// What to print; empty where the program that failed has said it.
    pub message: String,
}

/// What a task returns.
pub type Outcome<T = ()> = Result<T, Failure>;

/// A failure with exit code 1.
pub fn failure(message: impl Into<String>) -> Failure {
    Failure { code: 1, message: message.into() }
}

/// Fails where a task that takes no arguments got some.
pub fn no_arguments(task: &str, arguments: &[String]) -> Outcome {
    match arguments {
        [] => Ok(()),
        _ => Err(Failure { code: 2, message: format!("`cargo xtask {task}` takes no arguments") }),
    }
}

/// The checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A cargo command in the checkout.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let quoted = |argument: &OsStr| {
        let text = argument.to_string_lossy().into_owned();
        if text.is_empty() || text.contains([' ', '\'', '"', '*', '$', '(']) { format!("'{text}'") } else { text }
    };
    std::iter::once(name).chain(command.get_args().map(quoted)).collect::<Vec<_>>().join(" ")
}

/// Prints a command and runs it; its failure, exit code and all, is the task's.
pub fn run(command: &mut Command) -> Outcome {
    eprintln!("$ {}", shown(command));
    let status = command.status().map_err(|error| failure(format!("cannot start `{}`: {error}", shown(command))))?;
    if status.success() {
        return Ok(());
    }
    let message = format!("`{}` failed ({status})", shown(command));
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Failure { code, message })
}

/// What a command prints to stdout. Its messages go to stderr as usual.
pub fn output(command: &mut Command) -> Outcome<String> {
    let result = command.stderr(Stdio::inherit()).output();
    let result = result.map_err(|error| failure(format!("cannot start `{}`: {error}", shown(command))))?;
    if !result.status.success() {
        return Err(failure(format!("`{}` failed ({})", shown(command), result.status)));
    }
    String::from_utf8(result.stdout).map_err(|_| failure(format!("`{}` prints no UTF-8", shown(command))))
}
