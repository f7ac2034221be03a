//! The same shaders in other ways: from every SPIR-V version, from the IR's text, without bounds checks, on several threads
//! at once. What comes out must be the same.

use crate::support::trial;
use crate::{control, kernels, memory, ops};
use glslc2native::frontend::{GlslOptions, SpirvVersion, TargetEnv};
use glslc2native::lowering::ir;
use glslc2native::{Compiler, Input, Stage};
use glslc2native_testsuite::guard::Guard;
use glslc2native_testsuite::matrix::{self, Config};
use libtest_mimic::Trial;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("variants/spirv-versions".into(), spirv_versions),
        trial("variants/ir-text".into(), ir_text),
        trial("variants/ir-text-run".into(), ir_text_run),
        trial("variants/unchecked".into(), unchecked),
        trial("variants/one-kernel-many-threads".into(), many_threads),
        trial("variants/many-kernels".into(), many_kernels),
    ]
}

fn glsl(source: &str) -> Input {
    Input::Glsl { source: source.into(), file_name: "variant.comp".into() }
}

/// SPIR-V 1.0 has storage buffers in another storage class than later versions have, 1.6 has other workgroup sizes.
fn spirv_versions() -> Result<usize, String> {
    let mut count = 0;
    for &version in SpirvVersion::ALL {
        let target_env = TargetEnv::ALL.iter().copied().find(|env| env.spirv_version() >= version).unwrap_or_default();
        let options = GlslOptions {
            stage: Some(Stage::Compute),
            target_env,
            spirv_version: Some(version),
            ..GlslOptions::default()
        };
        for (name, source, setup) in kernels::exact()? {
            let fail = |error: String| format!("{name} in {version}: {error}");
            let input = glsl(&source);
            let compiler = Compiler::new().glsl_options(options.clone());
            let words = compiler.stages(&input).spirv().map_err(|error| fail(error.to_string()))?.to_vec();
            if words[1] != version.word() {
                return Err(fail(format!("the module has version {:#x}", words[1])));
            }
            count += matrix::execute(&Input::Spirv(words), &matrix::configs(&[8]), &setup.0, |config, after| {
                setup.0.check(config.subgroup_size, after)
            })
            .map_err(fail)?;
        }
    }
    Ok(count)
}

/// Every module prints, parses back and prints the same, before the transforms and after them.
fn ir_text() -> Result<usize, String> {
    let mut count = 0;
    for (name, source) in ops::shaders().chain(control::shaders()).chain(memory::shaders()) {
        let compiler = Compiler::new().stage(Stage::Compute);
        let input = glsl(&source);
        let mut stages = compiler.stages(&input);
        let lifted = stages.lifted().map_err(|error| format!("{name}: {error}"))?.to_string();
        let transformed = stages.module().map_err(|error| format!("{name}: {error}"))?.to_string();
        for text in [lifted, transformed] {
            let module = ir::parse(&text).map_err(|error| format!("{name}: {error}\n{text}"))?;
            ir::verify::verify(&module).map_err(|error| format!("{name}: {error}\n{text}"))?;
            let again = module.to_string();
            if again != text {
                let differs = text.lines().zip(again.lines()).find(|(a, b)| a != b);
                return Err(format!("{name}: printed again, it differs: {differs:?}"));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// The IR's text runs as the shader does that it was made from.
fn ir_text_run() -> Result<usize, String> {
    let mut count = 0;
    for (name, source, setup) in kernels::exact()? {
        let compiler = Compiler::new().contract(false);
        let input = glsl(&source);
        let source = compiler.stages(&input).module().map_err(|error| error.to_string())?.to_string();
        count += matrix::execute(&Input::Ir { source }, &matrix::configs(&[8]), &setup.0, |config, after| {
            setup.0.check(config.subgroup_size, after)
        })
        .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(count)
}

/// Without bounds checks, for kernels that check for themselves: lanes that are off must not touch memory either.
fn unchecked() -> Result<usize, String> {
    let mut count = 0;
    for (name, source, setup) in kernels::exact()?.into_iter().filter(|(name, ..)| *name != "tiny") {
        for config in matrix::standard() {
            let fail = |error: String| format!("{name}: {config}: {error}");
            let compiler = matrix::compiler(config, &[]).unchecked(true);
            let kernel = compiler.compile(&glsl(&source)).map_err(|error| fail(error.to_string()))?;
            for guard in [Guard::Page, Guard::Bytes] {
                let after = matrix::dispatch(&kernel, &setup.0, 1, guard).map_err(fail)?;
                setup.0.check(config.subgroup_size, &after).map_err(fail)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// A kernel is dispatched by several threads at once, each with buffers of its own.
fn many_threads() -> Result<usize, String> {
    let mut count = 0;
    let config = Config { subgroup_size: 8, scalar: false, o0: false, contract: false };
    for (name, source, setup) in kernels::exact()? {
        let kernel = matrix::compiler(config, &[]).compile(&glsl(&source)).map_err(|error| error.to_string())?;
        let run = || {
            (0..20).try_for_each(|_| {
                let after = matrix::dispatch(&kernel, &setup.0, 2, Guard::Bytes)?;
                setup.0.check(8, &after)
            })
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked".to_string())?)
        })
        .map_err(|error| format!("{name}: {error}"))?;
        count += 80;
    }
    Ok(count)
}

/// Kernels own their code: hundreds live side by side, and dropping some leaves the others alone.
fn many_kernels() -> Result<usize, String> {
    let (_, source, setup) = kernels::exact()?.into_iter().nth(1).ok_or("no kernel")?;
    let config = Config { subgroup_size: 4, scalar: false, o0: true, contract: false };
    let compiler = matrix::compiler(config, &[]);
    let input = matrix::spirv(&source, "many", false)?;
    let mut kernels = (0..300)
        .map(|_| compiler.compile(&input).map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, String>>()?;
    let mut keep = false;
    kernels.retain(|_| {
        keep = !keep;
        keep
    });
    for kernel in &kernels {
        setup.0.check(4, &matrix::dispatch(kernel, &setup.0, 1, Guard::Bytes)?)?;
    }
    Ok(kernels.len())
}
