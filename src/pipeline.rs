//! The stages between an input and a kernel, each run once and when first asked for, with the time it took.

use crate::backend::{CompiledModule, Emit, Isa, JitKernel, c_header, compile, object_file};
use crate::frontend::Diagnostics;
use crate::lowering::analysis::interface::{Interface, interface};
use crate::lowering::analysis::listing::listing;
use crate::lowering::simt::value::Width;
use crate::lowering::transform::{Pass, by_name};
use crate::lowering::{LoweredModule, Options, ir};
use crate::{Compiler, Error, ErrorKind, Input, Kernel, Object, Result, backend, frontend, lowering, spec};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time that each stage took; zero for stages that did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// GLSL or assembly to SPIR-V, and validation.
    pub front_end: Duration,
    /// SPIR-V to structured IR.
    pub lift: Duration,
    /// Transforms of the IR.
    pub transform: Duration,
    /// IR to Cranelift IR.
    pub lower: Duration,
    /// Cranelift IR to callable code.
    pub codegen: Duration,
}

/// Work that each stage took, in steps: operations looked at and the like. Other than times they are the same each time, so
/// that growth can be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageWork {
    /// SPIR-V to structured IR.
    pub lift: u64,
    /// Transforms of the IR.
    pub transform: u64,
    /// IR to Cranelift IR.
    pub lower: u64,
}

/// An input on its way to a kernel; see [`Compiler::stages`].
pub struct Stages<'a> {
    compiler: &'a Compiler,
    input: &'a Input,
    words: Option<Vec<u32>>,
    lifted: Option<ir::Module>,
    module: Option<ir::Module>,
    lowered: Option<LoweredModule>,
    warnings: Diagnostics,
    includes: Vec<PathBuf>,
    times: StageTimes,
    work: StageWork,
}

/// Runs a stage and adds the time it took. A panic in it becomes an error: an embedder's process must survive whatever
/// shader it is given.
fn timed<T>(time: &mut Duration, stage: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    // AssertUnwindSafe: stages make new values out of immutable ones; what a panicking one has made is dropped.
    let result = std::panic::catch_unwind(AssertUnwindSafe(stage));
    *time += start.elapsed();
    result.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Error::Lowering(lowering::Error::Internal(format!("panic: {text}"))))
    })
}

/// The same, and adds the steps that it took.
fn counted<T>(time: &mut Duration, steps: &mut u64, stage: impl FnOnce() -> Result<T>) -> Result<T> {
    let (result, taken) = lowering::work::measured(|| timed(time, stage));
    *steps += taken;
    result
}

impl<'a> Stages<'a> {
    pub(crate) fn new(compiler: &'a Compiler, input: &'a Input) -> Stages<'a> {
        Stages {
            compiler,
            input,
            words: None,
            lifted: None,
            module: None,
            lowered: None,
            warnings: Diagnostics::default(),
            includes: vec![],
            times: StageTimes::default(),
            work: StageWork::default(),
        }
    }

    /// Time that the stages took which have run.
    pub fn times(&self) -> StageTimes {
        self.times
    }

    /// Work of the stages which have run.
    pub fn work(&self) -> StageWork {
        self.work
    }

    /// Warnings of the GLSL compiler.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Files that GLSL included, each once; empty before [`spirv`](Self::spirv).
    pub fn includes(&self) -> &[PathBuf] {
        &self.includes
    }

    /// The SPIR-V module. There is none for IR text.
    pub fn spirv(&mut self) -> Result<&[u32]> {
        if self.words.is_none() {
            let (compiler, input, warnings, includes) =
                (self.compiler, self.input, &mut self.warnings, &mut self.includes);
            self.words = Some(timed(&mut self.times.front_end, || words(compiler, input, warnings, includes))?);
        }
        Ok(self.words.as_deref().unwrap_or_default())
    }

    /// An error of a stage behind the front end. What looks like a fault of the compiler is one only where the module is
    /// valid; whether it is takes longer to find out than to compile it, so that is done only now.
    fn explain(&self, error: Error) -> Error {
        let words = match error.kind() {
            ErrorKind::Internal | ErrorKind::Codegen => self.words.as_deref(),
            _ => None,
        };
        match words.map(|words| frontend::validate(words, self.compiler.target_environment())) {
            Some(Err(invalid @ frontend::Error::Validation { .. })) => invalid.into(),
            _ => error,
        }
    }

    /// The structured IR as it is lifted from SPIR-V, or as it is read from its text.
    pub fn lifted(&mut self) -> Result<&ir::Module> {
        if self.lifted.is_none() {
            let compiler = self.compiler;
            let module = if let Input::Ir { source } = self.input {
                counted(&mut self.times.lift, &mut self.work.lift, || Ok(ir::parse(source)?))
            } else {
                self.spirv()?;
                let words = self.words.as_deref().unwrap_or_default();
                counted(&mut self.times.lift, &mut self.work.lift, || {
                    Ok(lowering::lift::lift(words, &options(compiler, words)?)?)
                })
            };
            self.lifted = Some(module.map_err(|error| self.explain(error))?);
        }
        self.lifted.as_ref().ok_or_else(missing)
    }

    /// The structured IR after all transforms, which is what is lowered. IR text is not transformed, unless by the passes
    /// that were chosen.
    pub fn module(&mut self) -> Result<&ir::Module> {
        if self.module.is_none() {
            let (compiler, input) = (self.compiler, self.input);
            let mut module = self.lifted()?.clone();
            let module = counted(&mut self.times.transform, &mut self.work.transform, || {
                match (compiler.chosen_passes(), input) {
                    (Some(names), _) => {
                        let passes: lowering::Result<Vec<Pass>> = names.iter().map(|name| by_name(name)).collect();
                        for pass in passes? {
                            (pass.run)(&mut module)?;
                        }
                        Ok(module)
                    }
                    (None, Input::Ir { .. }) => Ok(module),
                    (None, _) => Ok(lowering::transform::pipeline(module, &compiler.lowering_options()?)?),
                }
            });
            self.module = Some(module.map_err(|error| self.explain(error))?);
        }
        self.module.as_ref().ok_or_else(missing)
    }

    /// The structured IR as SPIR-V again: as it was lifted or, where [`passes`](Compiler::passes) were chosen, after them.
    pub fn structured_spirv(&mut self) -> Result<Vec<u32>> {
        let module = if self.compiler.chosen_passes().is_some() { self.module()? } else { self.lifted()? };
        Ok(lowering::to_spirv(module)?)
    }

    /// What the shader declares.
    pub fn interface(&mut self) -> Result<Interface> {
        // A lifted module has one entry point, the chosen one.
        Ok(interface(self.module()?, 0)?)
    }

    /// The transformed IR with what the uniformity analysis found.
    pub fn analysis(&mut self) -> Result<String> {
        let width = Width::new(&self.compiler.lowering_options()?, self.compiler.isa()?.target());
        Ok(listing(self.module()?, 0, width)?)
    }

    /// Cranelift IR.
    pub fn lowered(&mut self) -> Result<&LoweredModule> {
        if self.lowered.is_none() {
            let compiler = self.compiler;
            self.module()?;
            let module = self.module.as_ref().ok_or_else(missing)?;
            let lowered = counted(&mut self.times.lower, &mut self.work.lower, || {
                let isa = compiler.isa()?;
                let lowered = lowering::simt::lower(module, &compiler.lowering_options()?, isa.target())?;
                // Not every rule of SPIR-V is checked on the way here. Code that breaks Cranelift's rules would be made into
                // some machine code or other.
                backend::verify(&lowered, isa)?;
                Ok(lowered)
            });
            self.lowered = Some(lowered.map_err(|error| self.explain(error))?);
        }
        self.lowered.as_ref().ok_or_else(missing)
    }

    /// Machine code, with assembly text.
    pub fn machine_code(&mut self) -> Result<CompiledModule> {
        let compiler = self.compiler;
        self.lowered()?;
        let lowered = self.lowered.as_ref().ok_or_else(missing)?;
        let code = timed(&mut self.times.codegen, || Ok(compile(lowered, compiler.isa()?, Emit::Asm)?));
        code.map_err(|error| self.explain(error))
    }

    /// An object file and its header, for the compiler's target.
    pub fn object(&mut self) -> Result<Object> {
        let (compiler, input) = (self.compiler, self.input);
        self.lowered()?;
        let lowered = self.lowered.as_ref().ok_or_else(missing)?;
        let module = self.module.as_ref().ok_or_else(missing)?;
        let object = timed(&mut self.times.codegen, || {
            let isa = compiler.isa()?;
            let symbol = compiler.object_symbol(&lowered.interface.entry, input)?;
            let bytes = object_file(&compile(lowered, isa, Emit::Code)?, isa, &symbol)?;
            Ok(Object { bytes, header: c_header(&symbol, &module.types, lowered), symbol })
        });
        object.map_err(|error| self.explain(error))
    }

    /// The kernel.
    pub fn kernel(mut self) -> Result<Kernel> {
        self.lowered()?;
        let lowered = self.lowered.take().ok_or_else(missing)?;
        let isa: &Isa = self.compiler.isa()?;
        let jit = timed(&mut self.times.codegen, || Ok(JitKernel::compile(&lowered, isa)?));
        let jit = jit.map_err(|error| self.explain(error))?;
        Ok(Kernel::new(jit, lowered, self.times, self.warnings))
    }
}

/// For a result that was stored just before.
fn missing() -> Error {
    Error::Lowering(lowering::Error::Internal("a stage has no result".into()))
}

/// The front end.
fn words(
    compiler: &Compiler,
    input: &Input,
    warnings: &mut Diagnostics,
    includes: &mut Vec<PathBuf>,
) -> Result<Vec<u32>> {
    let words = match input {
        Input::Glsl { source, file_name } => {
            let compiled = frontend::compile_glsl(source, &compiler.glsl_options_for(file_name))?;
            (*warnings, *includes) = (compiled.warnings, compiled.includes);
            return Ok(compiled.words);
        }
        Input::Spirv(words) => words.clone(),
        Input::Assembly { source, file_name } => {
            let version = compiler.glsl_options_for(file_name).effective_spirv_version();
            frontend::assemble(source, file_name, version)?
        }
        Input::Ir { .. } => return Err(Error::Options("there is no SPIR-V for an input of structured IR".into())),
    };
    if compiler.validates() {
        frontend::validate(&words, compiler.target_environment())?;
    }
    Ok(words)
}

/// The options of lowering for a module.
fn options(compiler: &Compiler, words: &[u32]) -> Result<Options> {
    let mut options = compiler.lowering_options()?;
    options.spec.extend(spec::resolve(words, compiler.spec_choices())?);
    Ok(options)
}
