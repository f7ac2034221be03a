//! `cargo xtask`: set-up, demo, tests, golden files and generated documents.
//!
//! Depends on nothing but the standard library, so that it builds in a second on a machine where nothing is installed
//! yet. Every task sets up first: it installs missing tools and fetches shaderc's library from the user's cache.
#![deny(missing_docs)]

mod library;
mod peers;
mod process;
mod setup;
mod shaderc;
mod targets;
mod tasks;

use process::Outcome;
use std::process::ExitCode;

/// A task of the command line.
struct Task {
    name: &'static str,
    /// What may follow the name.
    arguments: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const TASKS: &[Task] = &[
    Task {
        name: "demo",
        arguments: "",
        help: "build, run the mandelbrot and the blur example, say where the pictures are and how long each stage took",
        run: tasks::demo,
    },
    Task {
        name: "test",
        arguments: "[ARGUMENTS OF cargo test]",
        help: "run all tests, those in documentation too",
        run: tasks::test,
    },
    Task {
        name: "bless",
        arguments: "[FILTER]",
        help: "rewrite what golden files expect to be printed; never the values that runs expect",
        run: tasks::bless,
    },
    Task {
        name: "bench",
        arguments: "[FILTER] [--write]",
        help: "measure all kernels beside other Vulkan drivers; --write puts the tables into docs/benchmarks.md",
        run: tasks::bench,
    },
    Task {
        name: "bench compile",
        arguments: "[FILTER]",
        help: "how long the stages of compilation take; `bench run`: dispatches alone",
        run: tasks::bench,
    },
    Task {
        name: "peers",
        arguments: "",
        help: "bring the drivers that bench compares with: lavapipe and SwiftShader",
        run: peers::peers,
    },
    Task {
        name: "targets",
        arguments: "",
        help: "install C compilers and emulators of the other targets, whose objects the tests then run",
        run: targets::targets,
    },
    Task {
        name: "manual",
        arguments: "[--check]",
        help: "regenerate docs/mapping-manual.md from the op table; --check fails where it is not current",
        run: tasks::manual,
    },
    Task {
        name: "stdlib",
        arguments: "[--check]",
        help: "compile the GLSL functions of lowering/stdlib; --check fails where their words are not current",
        run: library::stdlib,
    },
    Task {
        name: "precision",
        arguments: "[--every N] [FUNCTION]",
        help: "measure the standard library on all 2^32 inputs (hours; resumes) and write docs/precision.md",
        run: library::precision,
    },
    Task {
        name: "random",
        arguments: "[--count N] [--seed S]",
        help: "check random programs; what fails is made smaller and written as a golden file (docs/random.md)",
        run: tasks::random,
    },
    Task {
        name: "ci",
        arguments: "",
        help: "formatting, lints, generated files, the build without shaderc, and all tests",
        run: tasks::ci,
    },
    Task {
        name: "setup",
        arguments: "",
        help: "install missing tools and fetch shaderc's library, which every other task does by itself",
        run: |arguments| process::no_arguments("setup", arguments).and_then(|()| setup::set_up()),
    },
];

fn help() -> String {
    let mut text = "Usage: cargo xtask TASK\n\nTasks:\n".to_string();
    for task in TASKS {
        let call = format!("{} {}", task.name, task.arguments);
        text.push_str(&format!("  {:<32}{}\n", call.trim_end(), task.help));
    }
    text
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) if !matches!(name.as_str(), "--help" | "-h" | "help") => (name, rest),
        Some(_) => {
            print!("{}", help());
            return ExitCode::SUCCESS;
        }
        None => {
            eprint!("{}", help());
            return ExitCode::from(2);
        }
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("error: there is no task `{name}`\n\n{}", help());
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("error: {}", failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}
