//! Measures the functions of the standard library and writes `docs/precision.md`. `cargo xtask precision` runs it.
//!
//! ```text
//! precision [FILTER]            all 2^32 inputs, 2^25 pairs; without a filter docs/precision.md is written
//! precision --every N [FILTER]  every N-th input; prints the table
//! precision --write N           every N-th input of functions not yet measured on all; writes docs/precision.md
//! ```
//!
//! Fails where a bound is exceeded. A measured function is kept in `target/precision` until its code changes, so a run may
//! be interrupted. The table says which functions were measured on all inputs.

use glslc2native::lowering::transform::stdlib::library_bytes;
use glslc2native_testsuite::matrix::Config;
use glslc2native_testsuite::precision::cases::{CASES, Case};
use glslc2native_testsuite::precision::{Findings, Found, Worst, sample, sweep};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const PAIRS: usize = 1 << 25;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (every, filter, write) = match arguments[..] {
        [] => (Some(1), "", true),
        ["--every", n] => (n.parse().ok(), "", false),
        ["--every", n, filter] => (n.parse().ok(), filter, false),
        ["--write", n] => (n.parse().ok(), "", true),
        [filter] if !filter.starts_with('-') => (Some(1), filter, false),
        _ => (None, "", false),
    };
    let Some(every) = every.filter(|&n: &u32| n > 0) else {
        eprintln!("usage: precision [--every N] [FILTER], precision --write N");
        return ExitCode::from(2);
    };
    match run(every, filter, write) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures; `false` where a bound is exceeded.
fn run(every: u32, filter: &str, write: bool) -> Result<bool, String> {
    let mut table = String::from(
        "| function | inputs | measured | checked | worst ULP | at | worst absolute | at | bound | of the bound |\n\
         |---|---|---|---:|---:|---|---:|---|---|---:|\n",
    );
    let mut faults = vec![];
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.name.contains(filter)).collect();
    if cases.is_empty() {
        return Err(format!("no function's name contains \"{filter}\""));
    }
    for case in cases {
        let (findings, every) = measured(case, every)?;
        let measured = match (case.operands, every) {
            (1, 1) => "all".to_string(),
            (1, n) => format!("1 in {n}"),
            _ => "pairs".to_string(),
        };
        for (region, found) in case.regions.iter().zip(&findings.regions) {
            let inputs = format!("{} | {measured}", region.inputs);
            table += &row(case, &inputs, region.bound, found);
        }
        faults.extend(findings.faults(case));
    }
    for fault in &faults {
        eprintln!("exceeded: {fault}");
    }
    if write {
        let path = root().join("docs/precision.md");
        fs::write(&path, format!("{HEAD}{table}")).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    } else {
        print!("{table}");
    }
    Ok(faults.is_empty())
}

const HEAD: &str = "\
# Precision of the standard library

Made by `cargo xtask precision`. Functions of one operand are measured on every one of the 2³² inputs, or on every n-th where
the table says \"1 in n\", those of two on all pairs of some edge values and on random pairs, in kernels compiled as users'
are. References are the `f64` functions of
Rust's standard library, which are the C library's: glibc documents errors below 2 ULP of `f64`, which is 2⁻²⁸ ULP of `f32`.
Bounds are those of the Vulkan specification, \"Precision and Operation of SPIR-V Instructions\"; \"inherited\" ones are
computed for each input by carrying the bounds of the formula's operations through it. NaNs and inputs without
a defined result are not counted, and where the specification permits anything (a formula that may give a NaN or an
infinity) only results that are not rounded to the nearest `f32` are passed over. \"Of the bound\" is the greatest part of
the bound that an error above half a unit takes up.

Library code is never contracted and does not use `fma`, so that results have the same bits with and without FMA, at every
subgroup size, and at `-O` and `-O0`; the test suite checks that. Denormal operands and results are kept. For every finite
operand, however large, `sin` and `cos` are in [-1, 1].

";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn row(case: &Case, inputs: &str, bound: &str, found: &Found) -> String {
    let operands = |worst: Worst| {
        if worst.size == 0.0 {
            return String::new();
        }
        let all = worst.at[..case.operands].iter().map(|&bits| format!("{:e}", f32::from_bits(bits)));
        all.collect::<Vec<_>>().join(", ")
    };
    let (ulps, at) = match bound.contains("absolute") {
        true => ("–".to_string(), String::new()),
        false => (format!("{:.2}", found.ulps.size), operands(found.ulps)),
    };
    format!(
        "| {} | {inputs} | {} | {ulps} | {at} | {:.2e} | {} | {bound} | {:.1e} |\n",
        case.name,
        found.count,
        found.absolute.size,
        operands(found.absolute),
        found.share.size
    )
}

/// What was found, now or in an earlier run with the same code.
/// Gives one in how many inputs it was measured on: on all where that has been done.
fn measured(case: &Case, every: u32) -> Result<(Findings, u32), String> {
    let folder = root().join("target/precision");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = |every: u32| folder.join(format!("{}-{every}.txt", case.name));
    let key = format!("{:016x}", hash(&library_bytes(case.name)));
    for every in [1, every] {
        if let Some(known) = fs::read_to_string(path(every)).ok().and_then(|text| parse(&text, &key, case)) {
            eprintln!("{}: measured before", case.name);
            return Ok((known, every));
        }
    }
    let path = path(every);
    let config = Config { subgroup_size: 8, scalar: false, o0: false, contract: true };
    let mut last = 101;
    let progress = |done: u64, total: u64| {
        let percent = done * 100 / total.max(1);
        if percent != last {
            last = percent;
            eprint!("\r{}: {percent} %", case.name);
            let _ = std::io::stderr().flush();
        }
    };
    let findings = match case.operands {
        1 => sweep(case, config, every, progress),
        _ => sample(case, config, (PAIRS / every as usize).max(1 << 16), progress),
    }?;
    eprintln!();
    fs::write(&path, print(&findings, &key)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((findings, every))
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3))
}

fn print(findings: &Findings, key: &str) -> String {
    let mut text = format!("{key}\n");
    let worst = |w: &Worst| format!("{:x} {:x} {:x}", w.size.to_bits(), w.at[0], w.at[1]);
    let _ = writeln!(text, "{}", worst(&findings.beyond));
    for found in &findings.regions {
        let _ = writeln!(
            text,
            "{:x} {} {} {}",
            found.count,
            worst(&found.ulps),
            worst(&found.absolute),
            worst(&found.share)
        );
    }
    text
}

fn parse(text: &str, key: &str, case: &Case) -> Option<Findings> {
    let mut lines = text.lines();
    if lines.next()? != key {
        return None;
    }
    let numbers =
        |line: &str| line.split(' ').map(|word| u64::from_str_radix(word, 16).ok()).collect::<Option<Vec<_>>>();
    let worst = |n: &[u64]| Worst { size: f64::from_bits(n[0]), at: [n[1] as u32, n[2] as u32] };
    let beyond = worst(numbers(lines.next()?)?.get(..3)?);
    let regions = lines.map(|line| {
        let n = numbers(line)?;
        let n = n.get(..10)?;
        Some(Found { count: n[0], ulps: worst(&n[1..4]), absolute: worst(&n[4..7]), share: worst(&n[7..10]) })
    });
    let regions = regions.collect::<Option<Vec<_>>>()?;
    (regions.len() == case.regions.len()).then_some(Findings { regions, beyond })
}
