//! What each task does.

use crate::process::{self, Failure, Outcome, cargo, failure, no_arguments, root, run, target_dir};
use crate::{library, peers, setup, shaderc, targets};
use std::fs;
use std::process::Command;

/// A command line of the demo: `glslc2native` runs a shader and writes a picture.
struct Example {
    title: &'static str,
    arguments: &'static [&'static str],
    picture: &'static str,
}

/// The size of the pictures is in all of these lines.
const EXAMPLES: &[Example] = &[
    Example {
        title: "The Mandelbrot set, 1024 × 768 points",
        arguments: &[
            "run",
            "examples/mandelbrot.comp",
            "--size",
            "1024,768",
            "--push",
            "width=1024",
            "--push",
            "height=768",
            "--push",
            "iterations=500",
            "--bind",
            "0:0=u32*1024x768",
            "--out",
            "0:0=rgba8:1024x768:target/demo/mandelbrot.png",
            "--time",
        ],
        picture: "target/demo/mandelbrot.png",
    },
    Example {
        title: "The same picture, blurred",
        arguments: &[
            "run",
            "examples/blur.comp",
            "--size",
            "1024,768",
            "--push",
            "width=1024",
            "--push",
            "height=768",
            "--push",
            "radius=6",
            "--bind",
            "0:0=rgba8:target/demo/mandelbrot.png",
            "--bind",
            "0:1=u32*1024x768",
            "--out",
            "0:1=rgba8:1024x768:target/demo/blur.png",
            "--time",
        ],
        picture: "target/demo/blur.png",
    },
];

/// Runs a cargo command that builds; what it built of shaderc goes into the cache whether or not it succeeds.
pub fn build(command: &mut Command) -> Outcome {
    let outcome = run(command);
    shaderc::store();
    outcome
}

/// Builds a binary of the workspace, and says how to start it. All is built with `--workspace`: a package alone has fewer
/// features of the crates below Cranelift, so that cargo would build Cranelift once more.
pub fn binary(name: &str) -> Outcome<Command> {
    build(&mut cargo(["build", "--quiet", "--workspace", "--bin", name]))?;
    let mut command = Command::new(target_dir().join("debug").join(name));
    command.current_dir(root());
    Ok(command)
}

/// Runs the examples.
pub fn demo(arguments: &[String]) -> Outcome {
    no_arguments("demo", arguments)?;
    setup::set_up()?;
    build(&mut cargo(["build", "--workspace", "--bin", "glslc2native"]))?;
    let folder = root().join("target/demo");
    fs::create_dir_all(&folder).map_err(|error| failure(format!("{}: {error}", folder.display())))?;
    for example in EXAMPLES {
        eprintln!("\n{}", example.title);
        run(binary("glslc2native")?.args(example.arguments))?;
        let picture = root().join(example.picture);
        match fs::metadata(&picture) {
            Ok(data) => eprintln!("wrote {} ({} bytes)", picture.display(), data.len()),
            Err(error) => return Err(failure(format!("{} was not written: {error}", picture.display()))),
        }
    }
    Ok(())
}

/// Runs all tests.
pub fn test(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    build(cargo(["test", "--workspace"]).args(arguments))
}

/// Rewrites golden files.
pub fn bless(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    build(cargo(["test", "--workspace", "--test", "golden"]).args(arguments).env("GLSLC2NATIVE_BLESS", "1"))
}

/// Runs the benchmarks.
pub fn bench(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    run(binary("bench")?.args(arguments))
}

/// Runs the tests of the Vulkan conformance suite from a checkout.
pub fn conformance(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    run(binary("conformance")?.args(arguments))
}

/// Checks random programs, some of them on lavapipe too, or where that differs on SwiftShader.
pub fn random(arguments: &[String]) -> Outcome {
    setup::set_up()?;
    let mut command = binary("random")?;
    // Where the two differ, one is at fault: the programs say which.
    let drivers: Vec<_> = peers::lavapipe().into_iter().chain(peers::swiftshader()).collect();
    if let Ok(list) = std::env::join_paths(&drivers)
        && !drivers.is_empty()
    {
        command.env("VK_DRIVER_FILES", &list).env("VK_ICD_FILENAMES", &list);
    }
    run(command.args(arguments))
}

/// Regenerates the mapping manual, or checks that it is current.
pub fn manual(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [option] if option == "--check" => true,
        _ => return Err(Failure { code: 2, message: "`cargo xtask manual` takes `--check` or nothing".to_string() }),
    };
    setup::set_up()?;
    let text = process::output(&mut binary("manual")?)?;
    let path = root().join("docs/mapping-manual.md");
    if fs::read_to_string(&path).is_ok_and(|old| old == text) {
        eprintln!("{} is current", path.display());
        return Ok(());
    }
    if check {
        return Err(failure(format!("{} is not current: run `cargo xtask manual`", path.display())));
    }
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(&path, &text)
    };
    write().map_err(|error| failure(format!("{}: {error}", path.display())))?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// A check's name, and what it does.
type Check = (&'static str, fn() -> Outcome);

/// All checks. Each runs even where one before it failed, so that one run shows all that is wrong.
pub fn ci(arguments: &[String]) -> Outcome {
    no_arguments("ci", arguments)?;
    setup::set_up()?;
    // Objects for other targets are linked and emulated where that is possible; it may not be on every machine.
    if let Err(failure) = targets::targets(&[]) {
        eprintln!("warning: {}; trials of other targets' objects will be reported as ignored", failure.message);
    }
    const CHECKS: &[Check] = &[
        ("formatting", || run(&mut cargo(["fmt", "--all", "--check"]))),
        ("lints", || build(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))),
        ("generated files", || manual(&["--check".to_string()])),
        ("the standard library", || library::stdlib(&["--check".to_string()])),
        ("the build without shaderc", || run(&mut cargo(["check", "-p", "glslc2native", "--no-default-features"]))),
        ("tests", || test(&[])),
    ];
    let mut failed = vec![];
    for (name, check) in CHECKS {
        eprintln!("\n== {name}");
        if let Err(failure) = check() {
            eprintln!("error: {}", failure.message);
            failed.push(*name);
        }
    }
    eprintln!("\n{} of {} checks passed", CHECKS.len() - failed.len(), CHECKS.len());
    if failed.is_empty() { Ok(()) } else { Err(failure(format!("failed: {}", failed.join(", ")))) }
}
