//! The programs that a build needs: finds them, and installs the missing ones where apt is there.

use crate::process::{self, Outcome, failure};
use crate::shaderc;
use std::io::IsTerminal;
use std::process::{Command, Stdio};

/// A program that the build starts.
struct Tool {
    program: &'static str,
    /// Oldest version that will do, of programs that print one.
    at_least: Option<(u32, u32)>,
    /// The package of Debian and Ubuntu.
    package: &'static str,
    /// Needed even where shaderc's library is there already: Rust links C++ code with it.
    always: bool,
}

const TOOLS: &[Tool] = &[
    Tool { program: "c++", at_least: None, package: "g++", always: true },
    Tool { program: "cmake", at_least: Some((3, 22)), package: "cmake", always: false },
    Tool { program: "ninja", at_least: None, package: "ninja-build", always: false },
    Tool { program: "python3", at_least: None, package: "python3", always: false },
    Tool { program: "git", at_least: None, package: "git", always: false },
];

/// What a program answers to `--version`, if it is there.
fn version_text(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first `major.minor` in a text.
fn version_in(text: &str) -> Option<(u32, u32)> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.')).find_map(|word| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

impl Tool {
    /// Why it will not do; `None` where it will.
    fn fault(&self) -> Option<String> {
        let Some(text) = version_text(self.program) else { return Some(format!("{} is missing", self.program)) };
        let (least, found) = (self.at_least?, version_in(&text)?);
        let (major, minor) = least;
        (found < least).then(|| format!("{} {}.{} is older than {major}.{minor}", self.program, found.0, found.1))
    }
}

/// A command that runs as root: as it is for root, by sudo for others.
fn as_root(arguments: &[&str]) -> Option<Command> {
    let id = Command::new("id").arg("-u").output().ok()?;
    let mut command = if id.stdout.trim_ascii() == b"0" {
        Command::new("env")
    } else {
        version_text("sudo")?;
        let mut sudo = Command::new("sudo");
        // Without a terminal there is nobody to type a password.
        if !std::io::stdin().is_terminal() {
            sudo.arg("-n");
        }
        sudo.arg("env");
        sudo
    };
    command.arg("DEBIAN_FRONTEND=noninteractive").args(arguments);
    Some(command)
}

/// Installs Debian packages; the package lists are only brought up to date where they are too old.
pub fn install(packages: &[&str]) -> Outcome {
    let mut arguments = vec!["apt-get", "install", "-y", "--no-install-recommends"];
    arguments.extend(packages);
    let command = || as_root(&arguments).ok_or_else(|| failure("neither root nor sudo"));
    if process::run(&mut command()?).is_ok() {
        return Ok(());
    }
    if let Some(mut update) = as_root(&["apt-get", "update"]) {
        process::run(&mut update)?;
    }
    process::run(&mut command()?)
}

/// Makes sure that a build can start: tools are there, and shaderc's library is, if this machine has built it before.
pub fn set_up() -> Outcome {
    shaderc::fetch()?;
    let library_is_ready = shaderc::is_ready();
    let needed = || TOOLS.iter().filter(|tool| tool.always || !library_is_ready);
    let faults = || needed().filter_map(|tool| Some((tool, tool.fault()?))).collect::<Vec<_>>();
    let missing = faults();
    if !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|(tool, _)| tool.package).collect();
        let reasons: Vec<&str> = missing.iter().map(|(_, fault)| fault.as_str()).collect();
        eprintln!("set-up: {}", reasons.join(", "));
        let installed = match version_text("apt-get") {
            Some(_) => install(&packages),
            None => Err(failure("there is no apt-get here")),
        };
        let left: Vec<String> = faults().into_iter().map(|(_, fault)| fault).collect();
        if !left.is_empty() {
            let why = installed.err().map_or(String::new(), |failure| format!(" ({})", failure.message));
            return Err(failure(format!(
                "{}, and cannot be installed from here{why}. Install {} (Debian and Ubuntu call the packages {}), then \
                 run this again",
                left.join(", "),
                missing.iter().map(|(tool, _)| tool.program).collect::<Vec<_>>().join(", "),
                packages.join(" ")
            )));
        }
    }
    if !library_is_ready {
        eprintln!("set-up: shaderc will be built from source, which takes some minutes, once on this machine");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version_in("cmake version 3.25.1\n\nCMake suite"), Some((3, 25)));
        assert_eq!(version_in("c++ (Debian 12.2.0-14) 12.2.0"), Some((12, 2)));
        assert_eq!(version_in("no version."), None);
        assert!((3, 9) < (3, 22));
    }

    #[test]
    fn a_program_that_is_not_there_is_a_fault() {
        let tool = Tool { program: "glslc2native-no-such-program", at_least: None, package: "none", always: true };
        assert!(tool.fault().unwrap().contains("is missing"));
    }
}
