//! Runs the shader tests of others from the reader's own checkouts, and writes `docs/conformance.md`.
//! `cargo xtask conformance` runs it.
//!
//! ```text
//! conformance --cts FOLDER[@REVISION] --amber FOLDER[@REVISION]           prints the page
//! conformance --cts FOLDER[@REVISION] --amber FOLDER[@REVISION] --write   writes docs/conformance.md
//! ```
//!
//! The folders are those of VK-GL-CTS and of google/amber; either may be left out. Every test runs at each of [`configs`], in
//! a process of its own: see [`Supervisor`].

use glslc2native::testing::{self, FailureKind, Outcome, Supervisor, TestOptions};
use glslc2native_testsuite::cases;
use glslc2native_testsuite::matrix::{self, Config};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Time that a test may take, at all configurations together.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where the tests are in a checkout: option, folder, name.
const SOURCES: &[(&str, &str, &str)] = &[
    ("--cts", "external/vulkancts/data/vulkan/amber", "VK-GL-CTS, AmberScript and VkScript"),
    ("--amber", "tests", "google/amber"),
    ("--cts", "external/vulkancts/data/vulkan/glsl", "VK-GL-CTS, shader cases"),
];

/// Tests that fail for what they are themselves: the end of the path, and why.
const REMARKS: &[(&str, &str)] = &[
    (
        "signed_op/uint_umulextended.amber",
        "reads and writes components 4 to 14 of a `vec4`: undefined; here such stores are dropped",
    ),
    (
        "determinant_compute_fp16_mat_3x3.amber",
        "expects 5140 ± 4 where the determinant of the matrix is 5150.2; here it is 5152, the nearest number of 16 bits",
    ),
    ("template.amber", "no script: the scripts beside it are made from it"),
];

/// Tests that expect at least so many invocations of every subgroup: a part of the path, and how many.
const LEAST_SUBGROUPS: &[(&str, u32)] = &[("subgroup_uniform_control_flow", 4)];

fn configs() -> [Config; 4] {
    let config = |subgroup_size, scalar, o0| Config { subgroup_size, scalar, o0, contract: false };
    [config(8, false, false), config(8, true, true), config(1, false, false), config(32, false, true)]
}

struct Test {
    /// Index in [`SOURCES`].
    source: usize,
    folder: String,
    name: String,
    outcome: Outcome,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--worker"] {
        testing::serve(run);
        return ExitCode::SUCCESS;
    }
    match report(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a job: a script's path, or a path and the number of a case in it.
fn run(job: &str) -> Outcome {
    let mut passed = Outcome::Passed { checks: 0 };
    let least = LEAST_SUBGROUPS.iter().find(|(part, _)| job.contains(part)).map_or(1, |(_, least)| *least);
    for config in configs() {
        let config = Config { subgroup_size: config.subgroup_size.max(least), ..config };
        let outcome = match job.split_once('\t') {
            None => {
                let compiler = matrix::compiler(config, &[]);
                let options = TestOptions { compiler, subgroup_size: config.subgroup_size, ..TestOptions::default() };
                testing::run_file(Path::new(job), &options)
            }
            Some((path, index)) => run_case(path, index, config),
        };
        match (outcome, &mut passed) {
            (Outcome::Passed { checks }, Outcome::Passed { checks: all }) => *all += checks,
            (Outcome::Failed { kind: FailureKind::Values, message }, _) => {
                return Outcome::Failed { kind: FailureKind::Values, message: format!("{config}: {message}") };
            }
            (outcome, _) => return outcome,
        }
    }
    passed
}

fn run_case(path: &str, index: &str, config: Config) -> Outcome {
    let failed = |message| Outcome::Failed { kind: FailureKind::Error, message };
    let case = std::fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| {
        let index: usize = index.parse().map_err(|_| format!("`{index}` is no number"))?;
        cases::parse(&text)?.into_iter().nth(index).ok_or_else(|| format!("there is no case {index}"))
    });
    match case {
        Err(error) => failed(error),
        Ok(case) if case.both.is_none() => Outcome::Skipped { reason: "needs graphics pipelines".into() },
        Ok(case) => match cases::run(&case, &matrix::compiler(config, &[])) {
            Ok(checks) => Outcome::Passed { checks },
            Err(error) if error.contains(": expected ") => {
                Outcome::Failed { kind: FailureKind::Values, message: error }
            }
            Err(error) => failed(error),
        },
    }
}

fn report(arguments: &[String]) -> Result<(), String> {
    let mut folders: BTreeMap<&str, (PathBuf, Option<&str>)> = BTreeMap::new();
    let mut write = false;
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        match argument {
            "--write" => write = true,
            "--cts" | "--amber" => {
                let folder = rest.next().ok_or_else(|| format!("{argument} needs a folder"))?;
                let (path, revision) = match folder.split_once('@') {
                    Some((path, revision)) => (path, Some(revision)),
                    None => (folder, None),
                };
                folders.insert(argument, (path.into(), revision));
            }
            _ => {
                return Err("usage: conformance [--cts FOLDER[@REVISION]] [--amber FOLDER[@REVISION]] [--write]".into());
            }
        }
    }
    if folders.is_empty() {
        return Err("a checkout is needed: --cts FOLDER, --amber FOLDER".into());
    }
    let mut tests = vec![];
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let worker = move || {
        let mut command = Command::new(&program);
        command.arg("--worker");
        command
    };
    let mut supervisor = Supervisor::new(worker, TIMEOUT);
    for (source, (option, folder, title)) in SOURCES.iter().enumerate() {
        let Some((root, _)) = folders.get(option) else { continue };
        let before = tests.len();
        run_source(source, &root.join(folder), &mut supervisor, &mut tests)?;
        eprintln!("{title}: {} tests", tests.len() - before);
    }
    if tests.is_empty() {
        return Err("there are no tests in these folders".into());
    }
    let revisions: Vec<(&str, &str)> =
        folders.iter().filter_map(|(option, (_, revision))| Some((*option, (*revision)?))).collect();
    let page = page(&tests, &revisions);
    if !write {
        print!("{page}");
        return Ok(());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md");
    std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs everything under a folder.
fn run_source(source: usize, root: &Path, supervisor: &mut Supervisor, tests: &mut Vec<Test>) -> Result<(), String> {
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let mut jobs = vec![];
    for path in testing::find(&[root.to_path_buf()])? {
        let name = relative(&path);
        let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_string());
        jobs.push((path.to_string_lossy().into_owned(), folder, name));
    }
    for path in case_files(root)? {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let cases = cases::parse(&text).map_err(|error| format!("{}:{error}", path.display()))?;
        for (index, case) in cases.into_iter().enumerate() {
            let job = format!("{}\t{index}", path.to_string_lossy());
            jobs.push((job, relative(&path), format!("{} {}", relative(&path), case.name)));
        }
    }
    let root = root.to_string_lossy();
    for (job, folder, name) in jobs {
        let outcome = match supervisor.run(&job)? {
            // Where the checkout is does not belong on the page.
            Outcome::Failed { kind, message } => {
                Outcome::Failed { kind, message: message.replace(&format!("{root}/"), "") }
            }
            outcome => outcome,
        };
        tests.push(Test { source, folder, name, outcome });
    }
    Ok(())
}

/// The `.test` files under a folder, sorted.
fn case_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = vec![];
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "test") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What a message says without its places, so that failures of one kind stand together.
fn reason(message: &str) -> String {
    let mut text = message.lines().next().unwrap_or_default();
    if let Some((_, after)) = text.split_once("(SPIR-V ").and_then(|(_, rest)| rest.split_once(") ")) {
        text = after;
    }
    for mark in ["error: ", "invalid SPIR-V: "] {
        text = text.rsplit_once(mark).map_or(text, |(_, after)| after);
    }
    // `line 12: ` and `12:3: ` stand before what went wrong.
    while let Some((place, after)) = text.split_once(": ") {
        let is_place = |c: char| c.is_ascii_digit() || c == ':';
        if !place.trim_start_matches("line ").chars().all(is_place) {
            break;
        }
        text = after;
    }
    text.trim().to_string()
}

/// Is the outcome that of a test that concerns no compute shader?
fn is_elsewhere(outcome: &Outcome) -> bool {
    const ELSEWHERE: &[&str] =
        &["graphics pipelines", "ray tracing", "raytracing", "image", "sampler", "texel buffer", "OpenCL"];
    matches!(outcome, Outcome::Skipped { reason } if ELSEWHERE.iter().any(|word| reason.contains(word)))
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
    elsewhere: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed { .. } => self.passed += 1,
            Outcome::Failed { .. } => self.failed += 1,
            Outcome::Skipped { .. } if is_elsewhere(outcome) => self.elsewhere += 1,
            Outcome::Skipped { .. } => self.skipped += 1,
        }
    }

    fn row(&self, name: &str) -> String {
        let Count { passed, failed, skipped, elsewhere } = self;
        format!("| {name} | {passed} | {failed} | {skipped} | {elsewhere} |\n")
    }
}

const HEAD: &str = "\
# Conformance

The shader tests of the Vulkan conformance suite and of google/amber, run by this compiler from the reader's own checkouts:

    git clone https://github.com/KhronosGroup/VK-GL-CTS
    git clone https://github.com/google/amber
    cargo xtask conformance --cts VK-GL-CTS --amber amber            # prints this page
    cargo xtask conformance --cts VK-GL-CTS --amber amber --write    # writes it

`glslc2native test PATH` runs AmberScript and VkScript files one by one.

- *Passed* means at every configuration that is tried: subgroups of 8, 1 and 32 invocations, and 8 one lane at a time; `-O`
  and `-O0`; on all CPUs. Bytes around every buffer are watched. Tests in `subgroup_uniform_control_flow` expect subgroups
  of four invocations at least, and have 4 in place of 1.
- *Skipped* are tests that ask by name for a feature or an extension that this compiler lacks. What is not supported
  otherwise is *failed*.
- *Elsewhere* are tests that need a graphics or ray tracing pipeline, images or OpenCL C: they are read and not run.
- Shader cases (`.test`) whose code is the same for every stage run as compute shaders, one workgroup for each row of values.

";

fn page(tests: &[Test], revisions: &[(&str, &str)]) -> String {
    let mut text = String::from(HEAD);
    for (option, revision) in revisions {
        let name = if *option == "--cts" { "VK-GL-CTS" } else { "google/amber" };
        let _ = writeln!(text, "{name} is at revision `{revision}`.");
    }
    for (source, (_, folder, title)) in SOURCES.iter().enumerate() {
        let own: Vec<&Test> = tests.iter().filter(|test| test.source == source).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {title}\n\nUnder `{folder}`:\n\n");
        let mut folders: BTreeMap<&str, Count> = BTreeMap::new();
        let mut total = Count::default();
        for test in &own {
            folders.entry(&test.folder).or_default().add(&test.outcome);
            total.add(&test.outcome);
        }
        text += "| folder | passed | failed | skipped | elsewhere |\n|---|---:|---:|---:|---:|\n";
        let concerned = |count: &&Count| count.passed + count.failed + count.skipped > 0;
        let mut others = Count::default();
        for (folder, count) in &folders {
            if concerned(&count) {
                text += &count.row(&format!("`{folder}`"));
            } else {
                others.elsewhere += count.elsewhere;
            }
        }
        if others.elsewhere > 0 {
            text += &others.row("folders without compute tests");
        }
        text += &total.row("**all**");
        reasons(&mut text, &own, "Failed", |outcome| match outcome {
            Outcome::Failed { kind, message } => Some((format!("{}: {}", kind.name(), reason(message)), true)),
            _ => None,
        });
        reasons(&mut text, &own, "Skipped", |outcome| match outcome {
            Outcome::Skipped { reason } if !is_elsewhere(outcome) => Some((reason.clone(), true)),
            _ => None,
        });
        reasons(&mut text, &own, "Elsewhere", |outcome| match outcome {
            Outcome::Skipped { reason } if is_elsewhere(outcome) => Some((reason.clone(), false)),
            _ => None,
        });
    }
    text
}

/// A list of reasons with the tests that have them, or only their count.
fn reasons(text: &mut String, tests: &[&Test], title: &str, select: impl Fn(&Outcome) -> Option<(String, bool)>) {
    let mut groups: BTreeMap<(String, bool), Vec<&str>> = BTreeMap::new();
    for test in tests {
        if let Some((reason, named)) = select(&test.outcome) {
            let remark = REMARKS.iter().find(|(end, _)| test.name.ends_with(end));
            let reason = remark.map_or(reason, |(_, remark)| (*remark).to_string());
            groups.entry((reason, named)).or_default().push(&test.name);
        }
    }
    if groups.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {title}\n\n");
    for ((reason, named), names) in groups {
        let _ = writeln!(text, "- {}: {}", names.len(), escaped(&reason));
        if named {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(text, "  ({})", names.join(", "));
        }
    }
}

/// Text that Markdown leaves alone.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}
