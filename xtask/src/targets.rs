//! Compilers and emulators of the targets that this machine is not: with them, the tests run objects for every target.
//!
//! They are packages of Debian and Ubuntu. Where they cannot be had, the trials that need them are reported as ignored.

use crate::process::{Outcome, no_arguments};
use crate::setup;
use std::process::{Command, Stdio};

/// A program and the package that brings it. A cross compiler is of no use without the C library of its target.
const TOOLS: &[(&str, &[&str])] = &[
    ("qemu-aarch64", &["qemu-user"]),
    ("aarch64-linux-gnu-gcc", &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]),
    ("riscv64-linux-gnu-gcc", &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"]),
    ("s390x-linux-gnu-gcc", &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"]),
];

/// Brings what is missing.
pub fn targets(arguments: &[String]) -> Outcome {
    no_arguments("targets", arguments)?;
    let missing = TOOLS.iter().filter(|(program, _)| !is_there(program));
    let packages: Vec<&str> = missing.flat_map(|(_, packages)| packages.iter().copied()).collect();
    if packages.is_empty() { Ok(()) } else { setup::install(&packages) }
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_there_or_not() {
        assert!(is_there("cargo"));
        assert!(!is_there("glslc2native-no-such-program"));
    }
}
