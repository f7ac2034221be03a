//! The command line program.
//!
//! Results go to standard output, everything else to standard error. Exit status: 0 done, 1 wrong input, 2 wrong usage.

mod args;
mod build;
mod emit;
mod image;
mod npy;
mod push;
mod random;
mod run;
mod sink;
mod source;
mod test;
mod values;

use args::{Cli, Command, CompileArgs};
use clap::{CommandFactory, Parser};
use glslc2native::{Error, ErrorKind, Input, frontend};
use std::io::{ErrorKind as IoErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why the program ends early.
#[derive(Debug)]
enum Failure {
    /// The compiler's error.
    Compiler(Box<Error>),
    /// Input that is wrong otherwise.
    Input(String),
    /// A wrong command line.
    Usage(String),
    /// Tests have failed, and were told.
    Tests,
    /// Nobody reads the output any more; that is no error.
    ClosedPipe,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Compiler(Box::new(error))
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Failure {
        Failure::Input(what)
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    // This very program, started by itself to compile GLSL that might crash the compiler.
    if std::env::args_os().next_back().is_some_and(|last| last == frontend::CHILD_ARGUMENT) {
        return frontend::serve_child();
    }
    let cli = Cli::parse_from(args::normalise(std::env::args_os()));
    let result = match &cli.command {
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Test(args)) => test::test(args),
        None => build::build(&cli.build),
    };
    match result {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Tests) => ExitCode::from(1),
        Err(Failure::Compiler(error)) => {
            // Messages about GLSL have their file, line and severity already.
            let prefix = if error.kind() == ErrorKind::Glsl { "" } else { "error: " };
            eprintln!("{prefix}{error}");
            ExitCode::from(1)
        }
        Err(Failure::Input(what)) => {
            eprintln!("error: {what}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(what)) => {
            let _ = Cli::command().error(clap::error::ErrorKind::ValueValidation, what).print();
            ExitCode::from(2)
        }
    }
}

/// Reads the shader.
fn read_input(args: &CompileArgs) -> Result<Input, Failure> {
    let path = args.file.as_deref().ok_or_else(|| Failure::Usage("name a shader".into()))?;
    let io_error = |source| Error::Io { path: path.into(), source };
    let bytes = if path == Path::new("-") {
        let mut bytes = vec![];
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(io_error)?;
        bytes
    } else {
        std::fs::read(path).map_err(io_error)?
    };
    let input = Input::from_bytes(&bytes, &path.to_string_lossy(), args.form)?;
    if matches!(input, Input::Glsl { .. }) {
        frontend::warm_up();
    }
    Ok(input)
}

/// Writes to standard output.
fn output(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == IoErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::Input(format!("standard output: {error}"))),
    }
}
