//! The standard matrix: every run is executed at subgroup sizes 8, 8 with one lane a chunk (the same size: this is what
//! tests masks), 4, 1 and 32, each at `-O0` and `-O`, with one and two threads, between guards.

use crate::guard::{Guard, Guarded};
use crate::runs::{Buffers, Run};
use glslc2native::frontend::{GlslOptions, Optimize};
use glslc2native::{Bindings, Compiler, DispatchOptions, Input, Kernel, OptLevel, SpecValue, Stage};
use std::fmt;

/// A configuration of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// W.
    pub subgroup_size: u32,
    /// One lane a chunk.
    pub scalar: bool,
    /// `-O0`, else `-O`.
    pub o0: bool,
    /// Fuse multiplications and additions.
    pub contract: bool,
}

impl fmt::Display for Config {
    /// As the command line has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--subgroup-size {}", self.subgroup_size)?;
        write!(f, "{}", if self.scalar { " --scalar" } else { "" })?;
        write!(f, "{}", if self.o0 { " -O0" } else { " -O" })?;
        write!(f, " -ffp-contract={}", if self.contract { "on" } else { "off" })
    }
}

/// Sizes of the standard matrix.
pub const SIZES: [u32; 4] = [8, 4, 1, 32];
/// Every subgroup size there is.
pub const ALL_SIZES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Configurations for these subgroup sizes; 8 comes with one lane a chunk too. Contraction is off.
pub fn configs(sizes: &[u32]) -> Vec<Config> {
    let mut configs = Vec::new();
    for &subgroup_size in sizes {
        for scalar in [false, true] {
            if scalar && subgroup_size != 8 {
                continue;
            }
            for o0 in [true, false] {
                configs.push(Config { subgroup_size, scalar, o0, contract: false });
            }
        }
    }
    configs
}

/// The standard matrix.
pub fn standard() -> Vec<Config> {
    configs(&SIZES)
}

/// Compiles GLSL to SPIR-V, with SPIRV-Tools' optimiser or without.
pub fn spirv(source: &str, file_name: &str, optimised: bool) -> Result<Input, String> {
    let optimize = if optimised { Optimize::Performance } else { Optimize::None };
    let stage = Some(Stage::Compute);
    let compiler = Compiler::new().glsl_options(GlslOptions { optimize, stage, ..GlslOptions::default() });
    let input = Input::Glsl { source: source.into(), file_name: file_name.into() };
    let words = compiler.stages(&input).spirv().map_err(|error| error.to_string())?.to_vec();
    Ok(Input::Spirv(words))
}

/// The module with `DontInline` on every function that is called; `None` where there is none.
pub fn out_of_line(words: &[u32]) -> Option<Vec<u32>> {
    // SPIR-V specification, §2.3: instructions follow five words; each begins with its length and its opcode. Both of
    // these have a result type and a result; then come the function that is called and the control mask.
    const FUNCTION: u32 = 54;
    const CALL: u32 = 57;
    const DONT_INLINE: u32 = 2;
    let (mut functions, mut called) = (vec![], vec![]);
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        match first & 0xFFFF {
            FUNCTION => functions.push((*words.get(at + 2)?, at + 3)),
            CALL => called.push(*words.get(at + 3)?),
            _ => {}
        }
        at += (first >> 16).max(1) as usize;
    }
    let mut changed = words.to_vec();
    for (_, control) in functions.iter().filter(|(id, _)| called.contains(id)) {
        *changed.get_mut(*control)? = DONT_INLINE;
    }
    (!called.is_empty()).then_some(changed)
}

/// A compiler for a configuration.
pub fn compiler(config: Config, spec: &[(u32, u64)]) -> Compiler {
    let opt = if config.o0 { OptLevel::None } else { OptLevel::Speed };
    let mut compiler = Compiler::new()
        .subgroup_size(config.subgroup_size)
        .scalar(config.scalar)
        .opt(opt)
        .contract(config.contract)
        .verify(true);
    for &(id, bits) in spec {
        compiler = compiler.spec_constant(id, SpecValue::Bits(bits));
    }
    compiler
}

/// Runs a kernel on copies of a run's buffers, between guards; gives the buffers afterwards. Buffers and push constants
/// that the shader declares and never uses are not bound: that would be an error.
pub fn dispatch(kernel: &Kernel, run: &Run, threads: usize, guard: Guard) -> Result<Buffers, String> {
    let mut guarded = Vec::new();
    let interface = kernel.interface();
    for (&slot, bytes) in &run.buffers {
        guarded.push((slot, Guarded::new(bytes, guard)?));
    }
    let mut bindings = Bindings::new();
    for ((set, binding), buffer) in &mut guarded {
        if interface.resources.iter().any(|used| (used.set, used.binding) == (*set, *binding)) {
            bindings.bind(*set, *binding, buffer.bytes_mut());
        }
    }
    bindings.push(run.push.get(..interface.push_size as usize).unwrap_or(&run.push));
    let options = DispatchOptions { threads, ..DispatchOptions::default() };
    kernel.dispatch_with(&mut bindings, run.groups, options).map_err(|error| error.to_string())?;
    drop(bindings);
    let after = guarded.into_iter().map(|(slot, buffer)| {
        let bytes = buffer.check().map_err(|error| format!("binding {}:{}: {error}", slot.0, slot.1))?;
        Ok((slot, bytes))
    });
    after.collect()
}

/// Runs an input at every configuration, with one and two threads, and has `check` look at the buffers. Gives the number
/// of runs; the message of a failure begins with the configuration.
pub fn execute(
    input: &Input,
    configs: &[Config],
    run: &Run,
    check: impl Fn(&Config, &Buffers) -> Result<(), String>,
) -> Result<usize, String> {
    let mut count = 0;
    for config in configs {
        let fail = |error: String| format!("{config}: {error}");
        let kernel = compiler(*config, &run.spec).compile(input).map_err(|error| fail(error.to_string()))?;
        // The page finds stray loads, the bytes find stray stores by the second thread.
        for (threads, guard) in [(1, Guard::Page), (2, Guard::Bytes)] {
            let fail = |error: String| fail(format!("{threads} thread(s): {error}"));
            let after = dispatch(&kernel, run, threads, guard).map_err(fail)?;
            check(config, &after).map_err(fail)?;
            count += 1;
        }
    }
    Ok(count)
}
