//! GLSL to SPIR-V.
//!
//! In: text and [`GlslOptions`]. Out: words, with `OpLine` for every statement, and warnings; or errors with the line,
//! the column and the source line. Most sources go straight to shaderc. Those that use GL_EXT_spirv_intrinsics or that
//! glslang might crash on, also in an include, are preprocessed, checked and mended first (`guarded.rs`).

use crate::diagnostics::{self, Source};
use crate::engine::{self, Action, Failure, Job, Output};
use crate::include::{self, Includes};
use crate::stack::with_big_stack;
use crate::{Diagnostics, Error, GlslOptions, Isolation, Result, Severity, Stage, doubts, guarded, intrinsics, scan};
use std::cell::Cell;
use std::path::PathBuf;

/// A module that GLSL was compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledGlsl {
    /// The module.
    pub words: Vec<u32>,
    /// Warnings, if any.
    pub warnings: Diagnostics,
    /// The files that were included, each once, in the order in which they were first read.
    pub includes: Vec<PathBuf>,
}

/// What the preprocessor made of GLSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedGlsl {
    /// GLSL without directives other than `#version`, `#extension`, `#pragma` and `#line`.
    pub text: String,
    /// The files that were included, each once, in the order in which they were first read.
    pub includes: Vec<PathBuf>,
}

/// Compiles GLSL to SPIR-V.
///
/// A source without `#version` is taken as `#version 450`.
///
/// # Errors
/// [`Error::Glsl`] where the source is wrong, [`Error::Options`] where the options are, [`Error::Crashed`] where the
/// source had to be compiled in a child process, and that crashed.
pub fn compile_glsl(source: &str, options: &GlslOptions) -> Result<CompiledGlsl> {
    let job = prepare(source, options, Action::Compile)?;
    let guard = || with_big_stack(|| guarded::compile(&job, new_includes(&job)))?;
    let values = options.defines.iter().filter_map(|(_, value)| value.as_deref());
    let texts = values.chain([job.text.as_str()]);
    if options.isolation == Isolation::Always || texts.into_iter().any(needs_care) {
        return guard();
    }
    match with_big_stack(|| direct(&job, new_includes(&job), true))?? {
        Some((Output::Words(words), warnings, includes)) => Ok(CompiledGlsl { words, warnings, includes }),
        Some(_) => Err(Error::Internal("shaderc gave text for a module".to_string())),
        None => guard(),
    }
}

/// Runs GLSL's preprocessor only.
///
/// # Errors
/// As [`compile_glsl`], for what the preprocessor finds.
pub fn preprocess_glsl(source: &str, options: &GlslOptions) -> Result<PreprocessedGlsl> {
    let job = prepare(source, options, Action::Preprocess)?;
    match with_big_stack(|| direct(&job, new_includes(&job), false))?? {
        Some((Output::Text(text), _, includes)) => Ok(PreprocessedGlsl { text, includes }),
        _ => Err(Error::Internal("shaderc gave no text".to_string())),
    }
}

/// Checks a source and the options, and makes a job of them.
fn prepare(source: &str, options: &GlslOptions, action: Action) -> Result<Job> {
    options.check()?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let fail = |fault: scan::Fault| {
        let place = scan::line_column(source, fault.offset);
        Error::Glsl(Diagnostics::error(&options.file_name, place, fault.what, source))
    };
    scan::check(source).map_err(fail)?;
    let stage = options.stage.or_else(|| Stage::from_file_name(&options.file_name));
    let forces_version = !scan::has_version(source, stage).map_err(fail)?;
    let tag = include::tag_of(&options.file_name);
    Ok(Job { action, text: source.to_string(), tag, options: options.clone(), forces_version })
}

/// Includes of a job's text.
fn new_includes(job: &Job) -> Includes<'_> {
    let name = job.options.file_name.clone();
    let main = Source { tag: job.tag.clone(), name: name.clone(), text: job.text.clone() };
    Includes::new(main, PathBuf::from(name), &job.options.include_dirs)
}

/// What a run gave: output, warnings, and the files that were included.
type Ran = (Output, Diagnostics, Vec<PathBuf>);

/// Whether a text has to be read token by token before glslang has it.
fn needs_care(text: &str) -> bool {
    intrinsics::concerns(text) || doubts::may_have(text)
}

/// Hands a job to shaderc as it is. Gives `None` where an include needs care and `may_stop` is set.
fn direct(job: &Job, includes: Includes<'_>, may_stop: bool) -> Result<Option<Ran>> {
    let stopped = Cell::new(false);
    let include = |requested: &str, relative: bool, from: &str, depth: usize| {
        let found = includes.resolve(requested, relative, from, depth)?;
        if may_stop && needs_care(&found.1) {
            stopped.set(true);
            return Err("needs another way".to_string());
        }
        Ok(found)
    };
    let result = engine::run(job, &include);
    if stopped.get() {
        return Ok(None);
    }
    let (output, messages) = result.map_err(|why| failure(why, &job.options, &includes.sources()))?;
    let warnings = diagnostics::parse(&messages, &includes.sources());
    Ok(Some((output, warnings, includes.into_files())))
}

/// What a failure of shaderc means.
pub(crate) fn failure(failure: Failure, options: &GlslOptions, sources: &[Source]) -> Error {
    match failure {
        Failure::Messages(messages) => glsl_error(&messages, sources),
        Failure::NoStage => Error::Options(format!(
            "{}: cannot tell the shader's stage: use an extension such as `.comp`, the option -fshader-stage=compute, or \
             `#pragma shader_stage(compute)`",
            options.file_name
        )),
        Failure::Internal(what) => Error::Internal(what),
        Failure::Crashed(how) => Error::Crashed { file: options.file_name.clone(), how },
    }
}

/// The error that shaderc's messages make; one at least is an error, whatever they say.
fn glsl_error(messages: &str, sources: &[Source]) -> Error {
    let mut found = diagnostics::parse(messages, sources);
    if found.count(Severity::Error) == 0 {
        let name = sources.first().map_or("", |source| &source.name);
        let lost = Diagnostics::error(name, (0, 0), "glslang rejects the source without saying why", "");
        found.items.extend(lost.items);
    }
    Error::Glsl(found)
}
