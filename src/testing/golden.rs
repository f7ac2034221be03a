//! The `run:` and `error:` lines of golden files. Prints are compared by the project's own test suite, since they are those of
//! one target.

use super::{Failure, FailureKind, Memory, Outcome, TestOptions, with_time_limit};
use crate::{Bindings, DispatchOptions, Input, SpecValue};
use glslc2native_scripts::golden::{Golden, Kind};
use glslc2native_scripts::runs::{Buffers, Run};
use std::path::Path;

/// Does the file say what it expects?
pub(super) fn is_test(path: &Path) -> bool {
    Golden::read(path).is_ok_and(|golden| !golden.runs.is_empty() || !golden.header.errors.is_empty())
}

pub(super) fn run(path: &Path, options: &TestOptions) -> Result<Outcome, Failure> {
    let golden = Golden::read(path).map_err(|error| Failure::new(FailureKind::Script, error))?;
    let source = golden.source.clone();
    let file_name = path.to_string_lossy().into_owned();
    let input = match golden.kind {
        Kind::Glsl => Input::Glsl { source, file_name },
        Kind::SpirvAsm => Input::Assembly { source, file_name },
        Kind::Ir => Input::Ir { source },
    };
    if !golden.header.errors.is_empty() {
        return expect_error(&golden, &input, options);
    }
    let sizes = &golden.header.sizes;
    let size = match sizes.first() {
        Some(first) if !sizes.contains(&options.subgroup_size) => *first,
        _ => options.subgroup_size,
    };
    let mut checks = 0;
    for run in &golden.runs {
        let mut compiler = options.compiler.clone().subgroup_size(size);
        for &(id, bits) in &run.spec {
            compiler = compiler.spec_constant(id, SpecValue::Bits(bits));
        }
        let kernel = compiler.compile(&input)?;
        let after = dispatch(&kernel, run, options)?;
        run.check(kernel.subgroup_size(), &after).map_err(|error| Failure::new(FailureKind::Values, error))?;
        checks += run.expects.iter().map(|expect| expect.values.len()).sum::<usize>();
    }
    if checks == 0 {
        return Ok(Outcome::Skipped { reason: "has only prints, which the project's own test suite compares".into() });
    }
    Ok(Outcome::Passed { checks })
}

fn expect_error(golden: &Golden, input: &Input, options: &TestOptions) -> Result<Outcome, Failure> {
    let Err(error) = options.compiler.compile(input) else {
        return Err(Failure::new(FailureKind::Values, "compiles, where an error was expected"));
    };
    let message = error.to_string();
    match golden.header.errors.iter().find(|text| !message.contains(*text)) {
        Some(text) => Err(Failure::new(FailureKind::Values, format!("the error does not hold `{text}`: {message}"))),
        None => Ok(Outcome::Passed { checks: golden.header.errors.len() }),
    }
}

fn dispatch(kernel: &crate::Kernel, run: &Run, options: &TestOptions) -> Result<Buffers, Failure> {
    let interface = kernel.interface();
    let mut memory: Vec<_> = run.buffers.iter().map(|(&slot, bytes)| (slot, Memory::new(bytes))).collect();
    let mut bindings = Bindings::new();
    for ((set, binding), memory) in &mut memory {
        if interface.resources.iter().any(|used| (used.set, used.binding) == (*set, *binding)) {
            bindings.bind(*set, *binding, memory.bytes_mut());
        }
    }
    bindings.push(run.push.get(..interface.push_size as usize).unwrap_or(&run.push));
    with_time_limit(options.timeout, |interrupt| {
        let options =
            DispatchOptions { threads: options.threads, interrupt: Some(interrupt), ..DispatchOptions::default() };
        kernel.dispatch_with(&mut bindings, run.groups, options)
    })?;
    drop(bindings);
    let mut after = Buffers::new();
    for (slot, memory) in memory {
        if let Some(what) = memory.stray() {
            return Err(Failure::new(FailureKind::Memory, format!("binding {}:{}: {what}", slot.0, slot.1)));
        }
        after.insert(slot, memory.bytes().to_vec());
    }
    Ok(after)
}
