//! Objects and headers: C programs that are linked with them run and check their results; no object refers to a symbol of
//! another; headers compile as C and as C++ without a warning.
//!
//! Compilers and emulators of other targets are used where they are installed; those trials are ignored elsewhere.

use crate::support::trial;
use glslc2native::{Compiler, Input, Instruction, Object, OptLevel};
use glslc2native_testsuite::matrix::{Config, standard};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A target: its name, CPUs, what C compilers and emulators call it.
struct Target {
    name: &'static str,
    cpus: &'static [Option<&'static str>],
    tools: &'static str,
}

const TARGETS: &[Target] = &[
    Target { name: "x86_64", cpus: &[None, Some("x86-64-v3"), Some("x86-64-v4")], tools: "x86_64" },
    Target { name: "aarch64", cpus: &[None], tools: "aarch64" },
    Target { name: "riscv64", cpus: &[None], tools: "riscv64" },
    Target { name: "s390x", cpus: &[None], tools: "s390x" },
];

/// Programs in C and the shaders that they are linked with.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("saxpy.c", &["../kernels/saxpy.comp"]),
    ("two.c", &["transpose.comp", "row-sums.comp"]),
    ("layouts.c", &["layouts.comp"]),
    ("vectors.c", &["vectors.comp"]),
    ("functions.c", &["functions.comp"]),
    ("outside.c", &["outside.comp"]),
    ("types.c", &["types.comp"]),
];

/// All trials.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![];
    for &(program, shaders) in PROGRAMS {
        for target in TARGETS {
            let host = cfg!(target_os = "linux") && std::env::consts::ARCH == target.name;
            let there = host || installed(&compiler_of(target)) && installed(&emulator_of(target));
            let name = format!("objects/{program}/{}", target.name);
            let check = move || run_program(program, shaders, target, host);
            trials.push(trial(name, check).with_ignored_flag(!there));
        }
    }
    trials.push(trial("objects/self-contained".into(), self_contained));
    trials.push(trial("objects/headers".into(), headers));
    trials
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("objects")
}

fn compiler_of(target: &Target) -> String {
    format!("{}-linux-gnu-gcc", target.tools)
}

fn emulator_of(target: &Target) -> String {
    format!("qemu-{}", target.tools)
}

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A folder of its own for a trial, gone when dropped.
struct Work(PathBuf);

impl Work {
    fn new() -> Result<Work, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("glslc2native-objects-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Work(path))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a command; its standard output, or what went wrong.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(format!("{command:?}: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

fn object(shader: &Path, target: &Target, cpu: Option<&str>, config: &Config) -> Result<Object, String> {
    let input = Input::read(shader).map_err(|e| e.to_string())?;
    let mut compiler = Compiler::new()
        .target(target.name, cpu)
        .subgroup_size(config.subgroup_size)
        .scalar(config.scalar)
        .opt(if config.o0 { OptLevel::None } else { OptLevel::Speed })
        .contract(config.contract);
    if shader.ends_with("outside.comp") {
        compiler = compiler.instruction(Instruction::declared("60000:uint(uint,vec2,literal)")?);
    }
    if shader.ends_with("row-sums.comp") {
        compiler = compiler.spec_constant_named("SCALE", 3);
    }
    compiler.compile_to_object(&input).map_err(|e| format!("{}: {config}: {e}", shader.display()))
}

/// Links a program for every configuration and runs it.
fn run_program(program: &str, shaders: &[&str], target: &'static Target, host: bool) -> Result<usize, String> {
    let mut count = 0;
    let cpus = if host { &target.cpus[..1] } else { target.cpus };
    for (cpu, config) in cpus.iter().flat_map(|cpu| standard().into_iter().map(move |config| (cpu, config))) {
        let work = Work::new()?;
        let mut files = vec![folder().join(program)];
        for shader in shaders {
            let object = object(&folder().join(shader), target, *cpu, &config)?;
            work.write(&format!("{}.h", object.symbol), object.header.as_bytes())?;
            files.push(work.write(&format!("{}.o", object.symbol), &object.bytes)?);
        }
        let binary = work.0.join("program");
        let compiler = if host { "cc".into() } else { compiler_of(target) };
        let mut link = Command::new(&compiler);
        link.args(["-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wl,--fatal-warnings"]);
        link.arg(if host { "-pie" } else { "-static" }).arg("-I").arg(&work.0).arg("-o").arg(&binary).args(&files);
        run(&mut link).map_err(|e| format!("{config}: {e}"))?;
        let mut command = if host {
            Command::new(&binary)
        } else {
            let mut command = Command::new(emulator_of(target));
            command.arg(&binary);
            command
        };
        let text = run(&mut command).map_err(|e| format!("{config}: {e}"))?;
        if !text.contains("checked") || !text.contains("wrong 0") {
            return Err(format!("{config}: {text}"));
        }
        count += 1;
    }
    Ok(count)
}

/// All shaders that objects are made of here.
fn shaders() -> Result<Vec<PathBuf>, String> {
    let mut found = vec![];
    for folder in [folder(), folder().join("../kernels")] {
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        found.extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "comp")));
    }
    found.sort();
    Ok(found)
}

/// The only global symbol of an object is its kernel, and none is undefined, for every target and CPU.
fn self_contained() -> Result<usize, String> {
    let mut count = 0;
    for (shader, target) in shaders()?.iter().flat_map(|shader| TARGETS.iter().map(move |target| (shader, target))) {
        for (cpu, scalar) in target.cpus.iter().flat_map(|cpu| [(*cpu, false), (*cpu, true)]) {
            let config = Config { subgroup_size: 8, scalar, o0: scalar, contract: true };
            let Some(object) = supported(object(shader, target, cpu, &config))? else { continue };
            let work = Work::new()?;
            let file = work.write("kernel.o", &object.bytes)?;
            let symbols = run(Command::new("readelf").args(["--symbols", "--wide"]).arg(&file))?;
            // Columns: number, value, size, type, binding, visibility, section, name.
            let rows: Vec<Vec<&str>> = symbols.lines().map(|line| line.split_whitespace().collect()).collect();
            let rows: Vec<_> = rows.iter().filter(|row| row.len() == 8 && row[0] != "Num:").collect();
            let undefined = rows.iter().filter(|row| row[6] == "UND").count();
            let global: Vec<&str> = rows.iter().filter(|row| row[4] != "LOCAL").map(|row| row[7]).collect();
            if undefined > 0 || global != [object.symbol.as_str()] {
                return Err(format!("{} for {} {cpu:?}:\n{symbols}", shader.display(), target.name));
            }
            let sections = run(Command::new("readelf").args(["--sections", "--wide"]).arg(&file))?;
            let stack = sections.lines().find(|line| line.contains(".note.GNU-stack"));
            if stack.is_none_or(|line| line.contains('X')) {
                return Err(format!("{} for {}: an executable stack\n{sections}", shader.display(), target.name));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// What cannot be compiled yet is left out; other errors are errors.
fn supported(object: Result<Object, String>) -> Result<Option<Object>, String> {
    match object {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.contains("is not supported") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Each header by itself, and all in one file, twice.
fn headers() -> Result<usize, String> {
    let work = Work::new()?;
    let (mut all, mut count) = (String::new(), 0);
    let languages: [&[&str]; 3] = [&["-xc", "-std=c11"], &["-xc++", "-std=c++11"], &["-xc++", "-std=c++17"]];
    let compile = |name: &str| {
        for language in languages {
            let mut command = Command::new("cc");
            command.args(language).args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]);
            run(command.arg(&work.0).arg(work.0.join(name)))?;
        }
        Ok::<usize, String>(languages.len())
    };
    for shader in shaders()? {
        let config = Config { subgroup_size: 8, scalar: false, o0: true, contract: false };
        let Some(object) = supported(object(&shader, &TARGETS[0], None, &config))? else { continue };
        let name = format!("{}.h", object.symbol);
        work.write(&name, object.header.as_bytes())?;
        let include = format!("#include \"{name}\"\n");
        work.write("one.c", include.as_bytes())?;
        count += compile("one.c")?;
        all += &include;
    }
    work.write("all.c", format!("{all}{all}").as_bytes())?;
    Ok(count + compile("all.c")?)
}
