//! Random structured programs, compiled and interpreted side by side.
//!
//! | module | makes |
//! |---|---|
//! | [`source`] | programs as trees that print as GLSL, and that are interpreted statement by statement |
//! | [`shapes`] | programs as structured IR, with what GLSL cannot say: values through exits, constructs in loop headers |
//! | `interpret` | runs IR for one invocation |
//!
//! A program runs at several subgroup sizes, widths of chunks and levels; its IR goes to SPIR-V and back, before and after
//! transforms; some go through the interpreter of IR, and through another Vulkan driver. What differs is made smaller and
//! written as a golden file. The same seed makes the same program and the same checks everywhere.

mod file;
#[path = "../../../lowering/src/transform/tests/generate.rs"]
#[allow(dead_code)] // the tests of transforms use the rest
mod generate_ir;
#[path = "../../../lowering/src/transform/tests/interpret.rs"]
#[allow(dead_code)]
mod interpret;
pub mod shapes;
pub mod source;

pub use file::write_golden;

use crate::bench::vulkan;
use crate::guard::Guard;
use crate::matrix::{self, ALL_SIZES, Config};
use crate::rng::Rng;
use crate::runs::{Expect, Run};
use crate::values::{Compare, Elem};
use glslc2native::frontend::{self, TargetEnv};
use glslc2native::lowering::{Options, ir, lift, to_spirv, transform};
use glslc2native::{Compiler, Input};

/// Invocations of a program, in workgroups of [`GROUP`]: no multiple of any subgroup but the smallest.
pub const COUNT: u32 = 60;
/// Invocations of a workgroup.
pub const GROUP: u32 = 12;
/// Steps of the interpreters after which a program is left out.
const FUEL: u32 = 60_000;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs that were checked.
    pub programs: usize,
    /// Their statements or operations.
    pub statements: usize,
    /// Programs that run too long to be checked.
    pub skipped: usize,
    /// Runs of compiled code.
    pub runs: usize,
    /// Modules that went to SPIR-V and back.
    pub trips: usize,
    /// Runs of the interpreter of IR.
    pub interpreted: usize,
    /// Programs that ran on another driver with the same result.
    pub driver: usize,
    /// Of those, programs of which a driver also had another result, or has one for another form of the program.
    pub alone: usize,
    /// Programs for which all drivers and forms have results of their own.
    pub at_odds: usize,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.statements += other.statements;
        self.skipped += other.skipped;
        self.runs += other.runs;
        self.trips += other.trips;
        self.interpreted += other.interpreted;
        self.driver += other.driver;
        self.alone += other.alone;
        self.at_odds += other.at_odds;
    }
}

/// What to check of a program.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where it runs.
    pub configs: Vec<Config>,
    /// With Cranelift's verifier.
    pub verify: bool,
    /// From a module that SPIRV-Tools optimised, too.
    pub optimised: bool,
    /// To SPIR-V and back.
    pub trips: bool,
    /// By the interpreter of IR, for a few invocations.
    pub interpret: bool,
}

impl Plan {
    /// What is checked of a seed: one configuration for each, two for one in four, everything for one in 128.
    pub fn of(seed: u64) -> Plan {
        let mut rng = Rng::new(seed ^ 0x5EED);
        let (verify, optimised) = (seed % 8 == 3, seed.is_multiple_of(16));
        let (trips, interpret) = (seed % 8 == 1, seed % 8 == 2);
        if seed % 128 == 7 {
            let configs = matrix::configs(&ALL_SIZES);
            return Plan { configs, verify: true, optimised: true, trips: true, interpret: true };
        }
        let count = if seed.is_multiple_of(4) { 2 } else { 1 };
        let configs = (0..count).map(|_| config(&mut rng)).collect();
        Plan { configs, verify, optimised, trips, interpret }
    }
}

/// Any configuration; large subgroups less often, since their code is long.
fn config(rng: &mut Rng) -> Config {
    let sizes = if rng.below(12) == 0 { &ALL_SIZES[5..] } else { &ALL_SIZES[..5] };
    let (subgroup_size, scalar) = (*rng.pick(sizes), rng.below(4) == 0);
    let subgroup_size = if scalar { subgroup_size.min(8) } else { subgroup_size };
    Config { subgroup_size, scalar, o0: rng.below(2) == 0, contract: false }
}

/// A program that is to be run.
struct Subject<'a> {
    words: &'a [u32],
    run: &'a Run,
    plan: &'a Plan,
}

impl Subject<'_> {
    /// Runs the words, and what becomes of them on the way to SPIR-V and back.
    fn check(&self, tally: &mut Tally) -> Result<(), String> {
        for config in &self.plan.configs {
            execute(self.words, config, self.run, self.plan.verify).map_err(|error| format!("{config}: {error}"))?;
            tally.runs += 1;
        }
        // What is inlined, out of line, with masks and in versions.
        if let (Some(words), Some(config)) = (matrix::out_of_line(self.words), self.plan.configs.last()) {
            execute(&words, config, self.run, self.plan.verify)
                .map_err(|error| format!("{config}: nothing inlined: {error}"))?;
            tally.runs += 1;
        }
        if !self.plan.trips {
            return Ok(());
        }
        let lift = |words: &[u32]| lift::lift(words, &Options::default()).map_err(|error| error.to_string());
        let mut module = lift(self.words)?;
        let config = self.plan.configs.last().copied().unwrap_or(Config {
            subgroup_size: 8,
            scalar: false,
            o0: false,
            contract: false,
        });
        for pass in ["", "inline", "promote", "simplify", "reuse"] {
            let fail = |error: String| format!("to SPIR-V and back, after `{pass}`: {error}");
            if let Ok(pass) = transform::by_name(pass) {
                (pass.run)(&mut module).map_err(|error| fail(error.to_string()))?;
            }
            let words = written(&module).map_err(fail)?;
            let again = lift(&words).map_err(fail)?;
            ir::verify::verify(&again).map_err(|error| fail(error.to_string()))?;
            if pass.is_empty() && again.to_string() != module.to_string() {
                return Err(fail(format!("the IR is not the same\n{module}\n{again}")));
            }
            execute(&words, &config, self.run, self.plan.verify).map_err(|error| fail(format!("{config}: {error}")))?;
            tally.trips += 1;
        }
        Ok(())
    }
}

/// A module as valid SPIR-V.
fn written(module: &ir::Module) -> Result<Vec<u32>, String> {
    let words = to_spirv(module).map_err(|error| error.to_string())?;
    frontend::validate(&words, TargetEnv::Vulkan1_3).map_err(|error| error.to_string())?;
    Ok(words)
}

/// Compiles and runs on one thread, between guards.
fn execute(words: &[u32], config: &Config, run: &Run, verify: bool) -> Result<(), String> {
    let compiler = matrix::compiler(*config, &[]).verify(verify);
    let kernel = compiler.compile(&Input::Spirv(words.to_vec())).map_err(|e| e.to_string())?;
    run.check(config.subgroup_size, &matrix::dispatch(&kernel, run, 1, Guard::Bytes)?)
}

/// Runs on the first device. Where the result is another one, the next is asked, and then all of them about the module that
/// SPIRV-Tools' optimiser makes of this one, since drivers have faults of their own. One that agrees is enough; where all
/// differ, and from each other too, none is to be believed.
fn on_drivers(
    devices: &[vulkan::Device],
    words: &[u32],
    optimised: impl FnOnce() -> Option<Vec<u32>>,
    run: &Run,
    tally: &mut Tally,
) -> Result<(), String> {
    if devices.is_empty() {
        return Ok(());
    }
    let mut others: Vec<Buffers> = vec![];
    // The second form is made when it is asked for.
    for module in std::iter::once(words.to_vec()).chain(std::iter::once_with(optimised).flatten()) {
        for device in devices {
            let after = on_driver(device, &module, run)?;
            if run.check(8, &after).is_ok() {
                tally.driver += 1;
                tally.alone += usize::from(!others.is_empty());
                return Ok(());
            }
            others.push(after);
        }
    }
    if let Some(first) = others.first()
        && others.iter().all(|other| other == first)
    {
        return run.check(8, first).map_err(|error| format!("all other drivers: {error}"));
    }
    tally.at_odds += 1;
    Ok(())
}

/// What buffers hold.
type Buffers = std::collections::BTreeMap<(u32, u32), Vec<u8>>;

/// Compiles and runs on another driver; buffers are those of set 0, from 0 on.
fn on_driver(device: &vulkan::Device, words: &[u32], run: &Run) -> Result<Buffers, String> {
    let mut buffers = vec![];
    for bytes in run.buffers.values() {
        let mut buffer = device.buffer(bytes.len())?;
        buffer.bytes_mut().copy_from_slice(bytes);
        buffers.push(buffer);
    }
    // SAFETY: the module comes from glslang or has been validated, and programs access their own words only.
    let pipeline = unsafe { device.pipeline(words, buffers.len() as u32, run.push.len() as u32)? };
    device.dispatch(&pipeline, &buffers, &run.push, run.groups)?;
    Ok(run.buffers.keys().copied().zip(buffers.iter().map(|buffer| buffer.bytes().to_vec())).collect())
}

/// 32-bit words as bytes.
fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Words that a buffer must hold afterwards.
fn expect(binding: u32, words: &[u32]) -> Expect {
    let values = words.iter().map(|&word| u64::from(word)).collect();
    Expect { line: 0, subgroup_size: None, slot: (0, binding), elem: Elem::U32, how: Compare::Exact, values, at: 0 }
}

/// The inputs of all invocations.
fn inputs() -> Vec<u32> {
    let mut rng = Rng::new(17);
    (0..COUNT).map(|i| if i < 24 { i } else { rng.u32() >> rng.below(32) }).collect()
}

/// A program that fails, made smaller.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// What went wrong.
    pub message: String,
    /// The text of the smaller program.
    pub text: String,
    /// File extension: what the text is.
    pub extension: &'static str,
    /// What it must do.
    pub run: Run,
}

/// Checks the program of a seed: odd multiples of 5 make IR, all others GLSL. `devices`: also on one
/// of them.
///
/// # Errors
/// What went wrong, with a smaller program that shows it.
pub fn check_seed(seed: u64, devices: &[vulkan::Device]) -> Result<Tally, Box<Failure>> {
    // IR divides by zero and shifts too far, which SPIR-V leaves undefined: other drivers need not agree.
    if seed % 10 == 5 { shapes::check_seed(seed, &[]) } else { source::check_seed(seed, devices) }
}

/// What kind of failure a message tells of: its first line without numbers. A smaller program must fail in the same way.
fn kind_of(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(80).collect()
}

/// Does a program fail in this way?
fn fails_as(result: Result<Tally, String>, kind: &str) -> bool {
    result.is_err_and(|message| kind_of(&message) == kind)
}

/// The IR of an input as it was lifted.
fn lifted(words: &[u32]) -> Result<ir::Module, String> {
    let input = Input::Spirv(words.to_vec());
    Compiler::new().stages(&input).lifted().cloned().map_err(|error| error.to_string())
}
