//! Tasks about the standard library of GLSL functions.

use crate::process::{Failure, Outcome, run};
use crate::setup;
use crate::tasks::binary;

/// Compiles `lowering/stdlib/*.glsl`, or checks that the words are current.
pub fn stdlib(arguments: &[String]) -> Outcome {
    match arguments {
        [] => {}
        [option] if option == "--check" => {}
        _ => return Err(Failure { code: 2, message: "`cargo xtask stdlib` takes `--check` or nothing".to_string() }),
    }
    setup::set_up()?;
    run(binary("stdlib")?.args(arguments))
}

/// Measures the library's functions and writes `docs/precision.md`.
pub fn precision(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    run(binary("precision")?.args(arguments))
}
