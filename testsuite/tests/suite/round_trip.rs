//! IR back to SPIR-V: every module of the suite is lifted, written as SPIR-V, checked by SPIRV-Tools' validator, lifted
//! again, which gives the same IR, and run, which gives the same results; and so after each transform.
//!
//! Transforms turn variables into region arguments, which lift makes variables of again. So behind transforms the IR is
//! compared after one more round.

use crate::support::trial;
use crate::{control, golden_files, kernels, memory, ops};
use glslc2native::frontend::{self, SpirvVersion};
use glslc2native::lowering::{Options, ir, lift, to_spirv, transform};
use glslc2native::{Compiler, Input, TargetEnv};
use glslc2native_testsuite::golden::{self, Golden};
use glslc2native_testsuite::matrix::{self, Config};
use glslc2native_testsuite::runs::Run;
use libtest_mimic::Trial;
use std::path::Path;

/// Transforms, one after the other; the standard library stays out, and with it what it is needed for.
/// Contraction comes last, since it changes results on purpose.
const PASSES: [&str; 6] = ["inline", "promote", "simplify", "reuse", "clean", "contract"];
const CONFIGS: [Config; 2] = [
    Config { subgroup_size: 8, scalar: false, o0: false, contract: false },
    Config { subgroup_size: 4, scalar: false, o0: true, contract: false },
];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("round-trip/golden".into(), golden_modules),
        trial("round-trip/kernels".into(), kernel_modules),
        trial("round-trip/operations".into(), || shaders("operations", ops::shaders())),
        trial("round-trip/control".into(), || shaders("control", control::shaders())),
        trial("round-trip/memory".into(), || shaders("memory", memory::shaders())),
    ]
}

/// What a family comes to.
#[derive(Default)]
struct Tally {
    modules: usize,
    trips: usize,
    runs: usize,
    skipped: Vec<String>,
}

impl Tally {
    fn close(self, family: &str) -> Result<usize, String> {
        let Tally { modules, trips, runs, skipped } = self;
        println!("round trips of {family}: {modules} modules, {trips} modules written, {runs} runs");
        if !skipped.is_empty() {
            println!("skipped {}: {}", skipped.len(), skipped.join("; "));
        }
        Ok(trips)
    }

    /// One module through all trips. `runs`: what it must do.
    fn module(&mut self, name: &str, lifted: &ir::Module, runs: &[&Run]) -> Result<(), String> {
        self.modules += 1;
        let fail = |error: String| format!("{name}: {error}");
        let mut module = lifted.clone();
        // Specialisation has happened: the constants are plain ones from here on.
        module.spec_constants.clear();
        let (words, again) = trip(&module).map_err(fail)?;
        same(&module, &again).map_err(fail)?;
        self.run(name, &words, runs)?;
        self.trips += 1;
        for pass in PASSES {
            let fail = |error: String| format!("{name}: after {pass}: {error}");
            let runs = if pass == "contract" { &[] } else { runs };
            let pass = transform::by_name(pass).map_err(|error| fail(error.to_string()))?;
            (pass.run)(&mut module).map_err(|error| fail(error.to_string()))?;
            let (words, again) = trip(&module).map_err(fail)?;
            let (_, twice) = trip(&again).map_err(fail)?;
            same(&again, &twice).map_err(fail)?;
            self.run(name, &words, runs).map_err(fail)?;
            self.trips += 1;
        }
        Ok(())
    }

    fn run(&mut self, name: &str, words: &[u32], runs: &[&Run]) -> Result<(), String> {
        for run in runs {
            // The module is specialised already.
            let run = Run { spec: vec![], ..(*run).clone() };
            let input = Input::Spirv(words.to_vec());
            self.runs +=
                matrix::execute(&input, &CONFIGS, &run, |config, after| run.check(config.subgroup_size, after))
                    .map_err(|error| format!("{name}: as written again: {error}"))?;
        }
        Ok(())
    }
}

/// Writes, validates and lifts a module.
fn trip(module: &ir::Module) -> Result<(Vec<u32>, ir::Module), String> {
    let words = to_spirv(module).map_err(|error| format!("to_spirv: {error}\n{module}"))?;
    frontend::validate(&words, environment(&words)).map_err(|error| {
        let text = frontend::disassemble(&words).unwrap_or_default();
        format!("{error}\n{module}\n{text}")
    })?;
    let again = lift::lift(&words, &Options::default()).map_err(|error| {
        let text = frontend::disassemble(&words).unwrap_or_default();
        format!("lifting what was written: {error}\n{text}")
    })?;
    ir::verify::verify(&again).map_err(|error| error.to_string())?;
    Ok((words, again))
}

/// The environment whose rules a module is checked by: that of its version.
fn environment(words: &[u32]) -> TargetEnv {
    let version = words.get(1).copied().and_then(SpirvVersion::from_word).unwrap_or(SpirvVersion::V1_6);
    TargetEnv::ALL.iter().copied().find(|env| env.spirv_version() >= version).unwrap_or_default()
}

/// What the validator says against a module that was not made here, in a line.
fn fault_of(words: &[u32]) -> Option<String> {
    let error = frontend::validate(words, environment(words)).err()?;
    Some(error.to_string().lines().next().unwrap_or_default().to_string())
}

/// A module's text with its structs in an order of their own: which comes first is a matter of numbering.
fn canonical(module: &ir::Module) -> String {
    let text = module.to_string();
    let mut lines: Vec<&str> = text.lines().collect();
    let is_struct = |line: &&str| line.starts_with("struct ");
    if let Some(first) = lines.iter().position(is_struct) {
        let count = lines[first..].iter().take_while(|line| is_struct(line)).count();
        lines[first..first + count].sort_unstable();
    }
    lines.join("\n")
}

/// Are two modules equal up to numbering?
fn same(first: &ir::Module, second: &ir::Module) -> Result<(), String> {
    let (first, second) = (canonical(first), canonical(second));
    if first == second {
        return Ok(());
    }
    let line = first.lines().zip(second.lines()).position(|(a, b)| a != b);
    let at = line.unwrap_or_else(|| first.lines().count().min(second.lines().count()));
    Err(format!(
        "line {}: `{}` became `{}`\n{first}\n== became\n{second}",
        at + 1,
        first.lines().nth(at).unwrap_or_default(),
        second.lines().nth(at).unwrap_or_default()
    ))
}

fn lifted(compiler: &Compiler, input: &Input) -> Result<ir::Module, String> {
    compiler.stages(input).lifted().cloned().map_err(|error| error.to_string())
}

fn golden_modules() -> Result<usize, String> {
    let mut tally = Tally::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    for path in golden::find(&folder)? {
        let golden = Golden::read(&path)?;
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        if !golden.header.errors.is_empty() {
            tally.skipped.push(format!("{name} (does not compile)"));
            continue;
        }
        if golden.header.contract {
            tally.skipped.push(format!("{name} (its results depend on contraction)"));
            continue;
        }
        let input = golden_files::input(&golden);
        let original = Compiler::new();
        let words = original.stages(&input).spirv().map(<[u32]>::to_vec).unwrap_or_default();
        if let Some(fault) = fault_of(&words).filter(|_| !words.is_empty()) {
            tally.skipped.push(format!("{name} (not valid to begin with: {fault})"));
            continue;
        }
        // One module for each way in which it is specialised.
        let mut specs: Vec<&[(u32, u64)]> = golden.runs.iter().map(|run| &run.spec[..]).collect();
        specs.dedup();
        if specs.is_empty() {
            specs.push(&[]);
        }
        for spec in specs {
            let module = lifted(&matrix::compiler(CONFIGS[0], spec), &input).map_err(|e| format!("{name}: {e}"))?;
            let runs: Vec<&Run> = golden.runs.iter().filter(|run| run.spec == spec && all_sizes(&golden)).collect();
            tally.module(&name, &module, &runs)?;
        }
    }
    tally.close("golden files")
}

/// May the file run at the sizes that are used here?
fn all_sizes(golden: &Golden) -> bool {
    let sizes = &golden.header.sizes;
    sizes.is_empty() || CONFIGS.iter().all(|config| sizes.contains(&config.subgroup_size))
}

fn kernel_modules() -> Result<usize, String> {
    let mut tally = Tally::default();
    for (name, source, setup) in kernels::exact()? {
        for optimised in [false, true] {
            let module = lifted(&Compiler::new(), &matrix::spirv(&source, name, optimised)?)?;
            tally.module(name, &module, &[&setup.0])?;
        }
    }
    tally.close("kernels")
}

fn shaders(family: &str, shaders: impl Iterator<Item = (&'static str, String)>) -> Result<usize, String> {
    let mut tally = Tally::default();
    for (name, source) in shaders {
        for optimised in [false, true] {
            let input = match matrix::spirv(&source, name, optimised) {
                Ok(input) => input,
                Err(error) if optimised => {
                    let first = error.lines().next().unwrap_or_default();
                    tally.skipped.push(format!("{name} (SPIRV-Tools does not optimise it: {first})"));
                    continue;
                }
                Err(error) => return Err(format!("{name}: {error}")),
            };
            if let Input::Spirv(words) = &input
                && let Some(fault) = fault_of(words)
            {
                tally.skipped.push(format!("{name} (not valid to begin with: {fault})"));
                continue;
            }
            tally.module(name, &lifted(&Compiler::new(), &input)?, &[])?;
        }
    }
    tally.close(family)
}
