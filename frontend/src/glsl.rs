//! GLSL to SPIR-V through shaderc, that is glslang.
//!
//! In: text and [`GlslOptions`]. Out: words, with `OpLine` for every statement, and warnings; or errors with the line,
//! the column and the source line. glslang spends some 80 ms on its tables of built-in functions, so there is one
//! compiler in the process and it is never dropped; `warm_up.rs` builds the tables in the background.

use crate::diagnostics::{self, Source};
use crate::include::{self, Includes};
use crate::stack::with_big_stack;
use crate::{
    Diagnostics, Error, GlslOptions, Optimize, Result, Severity, SpirvVersion, Stage, TargetEnv, Warnings, scan,
};
use std::path::PathBuf;
use std::sync::OnceLock;

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

/// The process's compiler.
fn compiler() -> Result<&'static shaderc::Compiler> {
    static COMPILER: OnceLock<Option<shaderc::Compiler>> = OnceLock::new();
    let compiler = COMPILER.get_or_init(|| shaderc::Compiler::new().ok());
    compiler.as_ref().ok_or_else(|| Error::Internal("shaderc cannot create its compiler".to_string()))
}

/// Compiles GLSL to SPIR-V.
///
/// A source without `#version` is taken as `#version 450`.
///
/// # Errors
/// [`Error::Glsl`] where the source is wrong, [`Error::Options`] where the options are.
pub fn compile_glsl(source: &str, options: &GlslOptions) -> Result<CompiledGlsl> {
    with_checked(source, options, |source, shaderc_options, tag, includes| {
        let kind = shader_kind(source, options);
        let module = compiler()?.compile_into_spirv(source, kind, tag, &options.entry, Some(shaderc_options));
        let module = module.map_err(|error| failure(error, options, &includes.sources()))?;
        let (words, messages) = (module.as_binary().to_vec(), module.get_warning_messages());
        Ok((words, diagnostics::parse(&messages, &includes.sources())))
    })
    .map(|((words, warnings), includes)| CompiledGlsl { words, warnings, includes })
}

/// Runs GLSL's preprocessor only.
///
/// # Errors
/// As [`compile_glsl`], for what the preprocessor finds.
pub fn preprocess_glsl(source: &str, options: &GlslOptions) -> Result<PreprocessedGlsl> {
    with_checked(source, options, |source, shaderc_options, tag, includes| {
        let result = compiler()?.preprocess(source, tag, &options.entry, Some(shaderc_options));
        let result = result.map_err(|error| failure(error, options, &includes.sources()))?;
        Ok(result.as_text())
    })
    .map(|(text, includes)| PreprocessedGlsl { text, includes })
}

/// Checks a source and hands it to shaderc, on a thread with a big stack. `run` is given the source, shaderc's options, the
/// source's tag and what was included. Gives the files that were included, too.
fn with_checked<T: Send>(
    source: &str,
    options: &GlslOptions,
    run: impl FnOnce(&str, &shaderc::CompileOptions<'_>, &str, &Includes<'_>) -> Result<T> + Send,
) -> Result<(T, Vec<PathBuf>)> {
    options.check()?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let fail = |fault: scan::Fault| {
        let place = scan::line_column(source, fault.offset);
        Error::Glsl(Diagnostics::error(&options.file_name, place, fault.what, source))
    };
    scan::check(source).map_err(fail)?;
    let stage = options.stage.or_else(|| Stage::from_file_name(&options.file_name));
    let has_version = scan::has_version(source, stage).map_err(fail)?;
    with_big_stack(|| {
        let tag = include::tag_of(&options.file_name);
        let main = Source { tag: tag.clone(), name: options.file_name.clone(), text: source.to_string() };
        let includes = Includes::new(main, PathBuf::from(&options.file_name), &options.include_dirs);
        let result = {
            let mut shaderc_options = shaderc_options(options, &includes)?;
            if !has_version {
                // glslang's default is 100, for which it has no SPIR-V.
                shaderc_options.set_forced_version_profile(450, shaderc::GlslProfile::Core);
            }
            run(source, &shaderc_options, &tag, &includes)?
        };
        Ok((result, includes.into_files()))
    })?
}

/// What shaderc's error means.
fn failure(error: shaderc::Error, options: &GlslOptions, sources: &[Source]) -> Error {
    match error {
        shaderc::Error::CompilationError(_, messages) => glsl_error(&messages, sources),
        shaderc::Error::InvalidStage(_) => Error::Options(format!(
            "{}: cannot tell the shader's stage: use an extension such as `.comp`, the option -fshader-stage=compute, or \
             `#pragma shader_stage(compute)`",
            options.file_name
        )),
        error => Error::Internal(format!("shaderc: {error}")),
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

fn shaderc_options<'a>(options: &GlslOptions, includes: &'a Includes<'a>) -> Result<shaderc::CompileOptions<'a>> {
    let mut result = shaderc::CompileOptions::new().map_err(|error| Error::Internal(format!("shaderc: {error}")))?;
    result.set_target_env(shaderc::TargetEnv::Vulkan, env_version(options.target_env) as u32);
    result.set_target_spirv(spirv_version(options.effective_spirv_version()));
    // Before the level, which would strip it else: errors of later stages name lines of GLSL.
    result.set_generate_debug_info();
    result.set_optimization_level(match options.optimize {
        Optimize::None => shaderc::OptimizationLevel::Zero,
        Optimize::Size => shaderc::OptimizationLevel::Size,
        Optimize::Performance => shaderc::OptimizationLevel::Performance,
    });
    match options.warnings {
        Warnings::Report => {}
        Warnings::Suppress => result.set_suppress_warnings(),
        Warnings::Error => result.set_warnings_as_errors(),
    }
    for (name, value) in &options.defines {
        result.add_macro_definition(name, value.as_deref());
    }
    result.set_include_callback(|requested, kind, from, depth| {
        let relative = kind == shaderc::IncludeType::Relative;
        let (resolved_name, content) = includes.resolve(requested, relative, from, depth)?;
        Ok(shaderc::ResolvedInclude { resolved_name, content })
    });
    Ok(result)
}

/// The option before the pragma before the extension. Reading the pragma costs a second run of the preprocessor, so it
/// happens only where the text has one or nothing else tells.
fn shader_kind(source: &str, options: &GlslOptions) -> shaderc::ShaderKind {
    use shaderc::ShaderKind as K;
    let from_name = Stage::from_file_name(&options.file_name);
    let may_differ = options.stage.is_none() && source.contains("shader_stage");
    let Some(stage) = options.stage.or(from_name) else { return K::InferFromSource };
    let (forced, default) = match stage {
        Stage::Vertex => (K::Vertex, K::DefaultVertex),
        Stage::Fragment => (K::Fragment, K::DefaultFragment),
        Stage::TessControl => (K::TessControl, K::DefaultTessControl),
        Stage::TessEvaluation => (K::TessEvaluation, K::DefaultTessEvaluation),
        Stage::Geometry => (K::Geometry, K::DefaultGeometry),
        Stage::Compute => (K::Compute, K::DefaultCompute),
        Stage::RayGeneration => (K::RayGeneration, K::DefaultRayGeneration),
        Stage::AnyHit => (K::AnyHit, K::DefaultAnyHit),
        Stage::ClosestHit => (K::ClosestHit, K::DefaultClosestHit),
        Stage::Miss => (K::Miss, K::DefaultMiss),
        Stage::Intersection => (K::Intersection, K::DefaultIntersection),
        Stage::Callable => (K::Callable, K::DefaultCallable),
        Stage::Task => (K::Task, K::DefaultTask),
        Stage::Mesh => (K::Mesh, K::DefaultMesh),
    };
    if may_differ { default } else { forced }
}

fn env_version(env: TargetEnv) -> shaderc::EnvVersion {
    match env {
        TargetEnv::Vulkan1_0 => shaderc::EnvVersion::Vulkan1_0,
        TargetEnv::Vulkan1_1 => shaderc::EnvVersion::Vulkan1_1,
        TargetEnv::Vulkan1_2 => shaderc::EnvVersion::Vulkan1_2,
        TargetEnv::Vulkan1_3 => shaderc::EnvVersion::Vulkan1_3,
    }
}

fn spirv_version(version: SpirvVersion) -> shaderc::SpirvVersion {
    match version {
        SpirvVersion::V1_0 => shaderc::SpirvVersion::V1_0,
        SpirvVersion::V1_1 => shaderc::SpirvVersion::V1_1,
        SpirvVersion::V1_2 => shaderc::SpirvVersion::V1_2,
        SpirvVersion::V1_3 => shaderc::SpirvVersion::V1_3,
        SpirvVersion::V1_4 => shaderc::SpirvVersion::V1_4,
        SpirvVersion::V1_5 => shaderc::SpirvVersion::V1_5,
        SpirvVersion::V1_6 => shaderc::SpirvVersion::V1_6,
    }
}
