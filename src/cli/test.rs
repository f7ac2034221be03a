//! Running shader tests: `glslc2native test`.
//!
//! The tests run in a worker, which is this program again: see [`Supervisor`]. Paths go to it, outcomes come back.

use super::args::TestArgs;
use super::{Failure, output};
use glslc2native::testing::{self, FailureKind, Outcome, Supervisor, TestOptions};
use glslc2native::{Compiler, frontend};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Time that a worker has beyond that of a test, to tell of a dispatch that was interrupted.
const GRACE: Duration = Duration::from_secs(5);

/// What came of a test, and how long it took.
struct Report {
    path: String,
    outcome: Outcome,
    time: Duration,
}

/// Runs the tests under the paths.
pub fn test(args: &TestArgs) -> Result<(), Failure> {
    let size = args.subgroup_size;
    if !size.is_power_of_two() || size > 64 {
        return Err(Failure::Usage(format!("--subgroup-size {size}: it must be 1, 2, 4, 8, 16, 32 or 64")));
    }
    let timeout = Duration::from_secs(args.timeout.into());
    if args.worker {
        let compiler = Compiler::new().opt(args.opt.unwrap_or_default()).scalar(args.scalar);
        let options = TestOptions { compiler, subgroup_size: size, timeout, threads: args.threads };
        frontend::warm_up();
        testing::serve(|path| testing::run_file(Path::new(path), &options));
        return Ok(());
    }
    let paths = testing::find(&args.paths)?;
    let names = paths.iter().map(|path| path.to_string_lossy().into_owned());
    let names: Vec<String> =
        names.filter(|name| args.filter.as_deref().is_none_or(|filter| name.contains(filter))).collect();
    if names.is_empty() {
        return Err(Failure::Input("there are no tests".into()));
    }
    let program = std::env::current_exe().map_err(|error| format!("this program's own file: {error}"))?;
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let worker = move || {
        let mut command = Command::new(&program);
        command.args(&arguments).arg("--worker");
        command
    };
    let mut supervisor = Supervisor::new(worker, timeout + GRACE);
    let mut reports = vec![];
    for path in names {
        let start = Instant::now();
        let outcome = supervisor.run(&path)?;
        let report = Report { path, outcome, time: start.elapsed() };
        if let Some(line) = line(&report, args.verbose) {
            output(line.as_bytes())?;
        }
        reports.push(report);
    }
    output(summary(&reports).as_bytes())?;
    if let Some(file) = &args.junit {
        std::fs::write(file, junit(&reports)).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let failed = reports.iter().any(|report| matches!(report.outcome, Outcome::Failed { .. }));
    if failed { Err(Failure::Tests) } else { Ok(()) }
}

/// A failure is told in any case, the other outcomes where all are asked for.
fn line(report: &Report, verbose: bool) -> Option<String> {
    let path = &report.path;
    match &report.outcome {
        Outcome::Failed { kind, message } => {
            Some(format!("FAIL {path}: {}: {}\n", kind.name(), message.trim_end().replace('\n', "\n    ")))
        }
        Outcome::Passed { checks } if verbose => Some(format!("pass {path}: {checks} values\n")),
        Outcome::Skipped { reason } if verbose => Some(format!("skip {path}: {reason}\n")),
        _ => None,
    }
}

/// The count, and why tests failed and were skipped.
fn summary(reports: &[Report]) -> String {
    let mut passed = 0;
    let mut failed: BTreeMap<FailureKind, usize> = BTreeMap::new();
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for report in reports {
        match &report.outcome {
            Outcome::Passed { .. } => passed += 1,
            Outcome::Failed { kind, .. } => *failed.entry(*kind).or_default() += 1,
            Outcome::Skipped { reason } => *skipped.entry(reason).or_default() += 1,
        }
    }
    let count = |counts: Vec<usize>| counts.into_iter().sum::<usize>();
    let (failures, skips) = (count(failed.values().copied().collect()), count(skipped.values().copied().collect()));
    let mut text = format!("{} tests: {passed} passed, {failures} failed, {skips} skipped\n", reports.len());
    for (kind, count) in failed {
        let _ = writeln!(text, "  failed {count}: {}", kind.name());
    }
    for (reason, count) in skipped {
        let _ = writeln!(text, "  skipped {count}: {reason}");
    }
    text
}

/// The report that build servers read.
fn junit(reports: &[Report]) -> String {
    let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
    let count = |select: fn(&Outcome) -> bool| reports.iter().filter(|report| select(&report.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let skips = count(|outcome| matches!(outcome, Outcome::Skipped { .. }));
    let time = seconds(reports.iter().map(|report| report.time).sum());
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"glslc2native\" tests=\"{}\" failures=\"{failures}\" skipped=\"{skips}\" time=\"{time}\">",
        reports.len()
    );
    for Report { path, outcome, time } in reports {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (folder, name) = (xml(folder), xml(name));
        let head = format!("<testcase classname=\"{folder}\" name=\"{name}\" time=\"{}\"", seconds(*time));
        let _ = match outcome {
            Outcome::Passed { .. } => writeln!(text, "{head}/>"),
            Outcome::Skipped { reason } => writeln!(text, "{head}><skipped message=\"{}\"/></testcase>", xml(reason)),
            Outcome::Failed { kind, message } => {
                let message = xml(message);
                writeln!(text, "{head}><failure type=\"{}\">{message}</failure></testcase>", kind.name())
            }
        };
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// Text as XML has it; characters that it cannot have are left out.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
