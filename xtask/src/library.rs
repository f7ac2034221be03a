//! Tasks about the standard library of GLSL functions.

use crate::process::{Failure, Outcome, run};
use crate::tasks::{build, testsuite};
use crate::{process, setup};

/// Compiles `lowering/stdlib/*.glsl`, or checks that the words are current.
pub fn stdlib(arguments: &[String]) -> Outcome {
    match arguments {
        [] => {}
        [option] if option == "--check" => {}
        _ => return Err(Failure { code: 2, message: "`cargo xtask stdlib` takes `--check` or nothing".to_string() }),
    }
    setup::set_up()?;
    build(testsuite("stdlib").args(arguments))
}

/// Measures the library's functions and writes `docs/precision.md`.
pub fn precision(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    // Built first, so that the cache of shaderc is stored before hours of measuring.
    build(&mut process::cargo(["build", "--quiet", "-p", "glslc2native-testsuite", "--bin", "precision"]))?;
    run(testsuite("precision").args(arguments))
}
