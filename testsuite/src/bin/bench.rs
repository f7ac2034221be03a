//! How long compiling and running takes.
//!
//! ```text
//! bench [FILTER] [--write] [--quick] [--peer NAME=ICD.json]…
//!     this compiler at -O0 and -O beside other Vulkan drivers for the CPU: Markdown tables, which --write puts into
//!     docs/benchmarks.md
//! bench compile [FILTER]    SPIR-V to callable code: medians of 50 warm runs, each stage, at -O and -O0
//! bench run [FILTER]        steady dispatches: medians, on one and on two threads
//! ```
//!
//! `FILTER` is a part of a kernel's name. The kernels are those of `testsuite/kernels`; what cannot be compiled says why.
//! `--peer lavapipe=` (without a file) leaves a driver out.

use glslc2native_testsuite::bench::measure::{self, Effort};
use glslc2native_testsuite::bench::report::{self, Machine, Row};
use glslc2native_testsuite::bench::spirv;
use glslc2native_testsuite::bench::stages::MODES;
use glslc2native_testsuite::bench::work::{WORK, Work};
use glslc2native_testsuite::bench::worker::{self, Kind, Worker};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "usage: bench [FILTER] [--write] [--quick] [--peer NAME=ICD.json]…
       bench compile|run [FILTER]";

/// A driver that is compared with, where it is installed.
struct Peer {
    name: &'static str,
    /// Where its ICD file may be; relative ones are in the checkout.
    places: &'static [&'static str],
    /// How to get it.
    hint: &'static str,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "lavapipe",
        places: &[
            "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
            "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
            "/usr/share/vulkan/icd.d/lvp_icd.json",
        ],
        hint: "`cargo xtask peers` installs it (Debian: mesa-vulkan-drivers)",
    },
    Peer {
        name: "SwiftShader",
        places: &["target/peers/swiftshader/vk_swiftshader_icd.json"],
        hint: "`cargo xtask peers` unpacks it from a browser's package (Debian: chromium-common)",
    },
];

const FULL: Effort = Effort { processes: 3, warm: 3, steady: Duration::from_secs(5), least: 3, most: 15 };
const QUICK: Effort = Effort { processes: 1, warm: 1, steady: Duration::from_secs(1), least: 1, most: 5 };

/// The arguments of a comparison.
#[derive(Default)]
struct Choices {
    filter: String,
    write: bool,
    quick: bool,
    /// ICD files by the driver's name; an empty path leaves a driver out.
    peers: Vec<(String, PathBuf)>,
}

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

fn choices(arguments: &[&str]) -> Result<Choices, String> {
    let mut choices = Choices::default();
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--write" => choices.write = true,
            "--quick" => choices.quick = true,
            "--peer" => {
                let text = rest.next().copied().unwrap_or_default();
                let (name, path) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=ICD.json"))?;
                let path = if path.is_empty() { PathBuf::new() } else { std::path::absolute(path).unwrap_or_default() };
                choices.peers.push((name.into(), path));
            }
            filter if !filter.starts_with('-') && choices.filter.is_empty() => choices.filter = filter.into(),
            other => return Err(format!("`{other}` is not understood")),
        }
    }
    if choices.write && !choices.filter.is_empty() {
        return Err("--write is for all kernels, not for some".into());
    }
    Ok(choices)
}

/// The engines to compare, ours first.
fn engines(choices: &Choices) -> Vec<Kind> {
    let mut kinds = vec![Kind::Fast, Kind::Optimised];
    let chosen = |name: &str| choices.peers.iter().find(|(chosen, _)| chosen == name);
    for peer in PEERS.iter().filter(|peer| chosen(peer.name).is_none()) {
        match peer.places.iter().map(|place| root().join(place)).find(|path| path.is_file()) {
            Some(icd) => kinds.push(Kind::Driver { name: peer.name.into(), icd }),
            None => eprintln!("{} is not here: {}, or name its ICD file with --peer", peer.name, peer.hint),
        }
    }
    let given = choices.peers.iter().filter(|(_, path)| !path.as_os_str().is_empty());
    kinds.extend(given.map(|(name, icd)| Kind::Driver { name: name.clone(), icd: icd.clone() }));
    kinds
}

/// A folder that is gone when dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary, String> {
        let path = std::env::temp_dir().join(format!("glslc2native-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Measures everything in turn and prints the tables.
fn compare(choices: &Choices) -> Result<(), String> {
    let machine = Machine::here();
    let folder = Temporary::new()?;
    let (mut kinds, mut descriptions) = (vec![], vec![]);
    for kind in engines(choices) {
        match Worker::start(&kind, 1).and_then(|mut worker| worker.ask("describe")) {
            Ok(description) => {
                eprintln!("{}: {description}", kind.name());
                kinds.push(kind);
                descriptions.push(description);
            }
            Err(what) => eprintln!("{} is left out: {what}", kind.name()),
        }
    }
    let effort = if choices.quick { QUICK } else { FULL };
    let mut rows: Vec<Row> = vec![];
    for work in WORK.iter().filter(|work| work.name.contains(&choices.filter)) {
        eprintln!("measuring {}", work.name);
        let path = folder.0.join(format!("{}.spv", work.name));
        let bytes: Vec<u8> = spirv(work.name)?.iter().flat_map(|word| word.to_ne_bytes()).collect();
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut measured = measure::kernel(work, &path, &kinds, effort);
        for (kind, measured) in kinds.iter().zip(&mut measured) {
            if let Some(what) = &mut measured.fault {
                // Messages name files by their whole paths, which are nobody's business.
                *what = what.replace(&format!("{}/", root().display()), "");
                eprintln!("{}, {}: {what}", work.name, kind.name());
            }
        }
        rows.push((work, measured));
    }
    if rows.is_empty() {
        return Err("no kernel has such a name".into());
    }
    let names: Vec<String> = kinds.iter().map(|kind| kind.name().to_string()).collect();
    let text = report::document(&machine, &names, &descriptions, &rows);
    print!("{text}");
    if choices.write {
        let path = root().join("docs/benchmarks.md");
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let document = std::fs::read_to_string(&path).map_err(fail)?;
        std::fs::write(&path, report::insert(&document, &text)?).map_err(fail)?;
        eprintln!("wrote {}", path.display());
    }
    // Wrong results and refused kernels of ours are failures; those of others are only told.
    let of_ours = rows.iter().flat_map(|(_, measured)| measured.iter().take(2)).filter(|m| m.fault.is_some()).count();
    if of_ours > 0 { Err(format!("{of_ours} measurements of this compiler failed")) } else { Ok(()) }
}

/// The stages of this compiler alone.
fn stages(name: &str, filter: &str) -> Result<(), String> {
    let mode = MODES.iter().find(|(mode, ..)| *mode == name);
    let Some((_, head, measure)) = mode else { return Err(format!("there is no mode `{name}`")) };
    println!("{head}");
    let works: Vec<&Work> = WORK.iter().filter(|work| work.name.contains(filter)).collect();
    for work in &works {
        // One line: a kernel that needs what is not supported is no failure of the bench.
        if let Err(error) = measure(work) {
            println!("{:<14}{}", work.name, error.to_string().lines().next().unwrap_or_default());
        }
    }
    if works.is_empty() { Err("no kernel has such a name".into()) } else { Ok(()) }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["worker", ref rest @ ..] => worker::serve(rest),
        [mode @ ("compile" | "run")] => stages(mode, ""),
        [mode @ ("compile" | "run"), filter] => stages(mode, filter),
        _ => match choices(&arguments) {
            Ok(choices) => compare(&choices),
            Err(what) => {
                eprintln!("error: {what}\n{USAGE}");
                return ExitCode::from(2);
            }
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}
