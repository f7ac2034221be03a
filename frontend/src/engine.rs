//! One run of shaderc, that is glslang.
//!
//! In: a [`Job`], whose text has been checked, and a function that finds includes. Out: words or text with messages, or why
//! not. It runs in this process or in a child (`child.rs`); nothing else in the crate calls shaderc.
//!
//! glslang spends some 80 ms on its tables of built-in functions, so there is one compiler in the process and it is never
//! dropped; `warm_up.rs` builds the tables in the background.

use crate::stack::with_big_stack;
use crate::{GlslOptions, Optimize, SpirvVersion, Stage, TargetEnv, Warnings};
use std::sync::OnceLock;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Compile,
    Preprocess,
}

/// A run of shaderc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub action: Action,
    pub text: String,
    /// What the text is called in messages.
    pub tag: String,
    pub options: GlslOptions,
    /// Whether the text has no `#version` and is taken as 450: glslang's default is 100, for which it has no SPIR-V.
    pub forces_version: bool,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Words(Vec<u32>),
    Text(String),
}

/// Why nothing came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The source is wrong: shaderc's messages.
    Messages(String),
    /// Nothing tells the shader's stage.
    NoStage,
    Internal(String),
    /// The compiler, which ran in another process, crashed, hung or was killed: how.
    Crashed(String),
}

/// Finds an include: what is requested, whether in quotes, by which tag, how deep. Gives tag and text.
pub(crate) type Include<'a> = &'a dyn Fn(&str, bool, &str, usize) -> Result<(String, String), String>;

/// The process's compiler.
fn compiler() -> Result<&'static shaderc::Compiler, Failure> {
    static COMPILER: OnceLock<Option<shaderc::Compiler>> = OnceLock::new();
    let compiler = COMPILER.get_or_init(|| shaderc::Compiler::new().ok());
    compiler.as_ref().ok_or_else(|| Failure::Internal("shaderc cannot create its compiler".to_string()))
}

/// Runs shaderc on this thread, which needs a big stack.
pub(crate) fn run(job: &Job, include: Include<'_>) -> Result<(Output, String), Failure> {
    let options = shaderc_options(job, include)?;
    let (text, tag, entry) = (&job.text, &job.tag, &job.options.entry);
    match job.action {
        Action::Compile => {
            let kind = shader_kind(text, &job.options);
            let module = compiler()?.compile_into_spirv(text, kind, tag, entry, Some(&options)).map_err(failure)?;
            Ok((Output::Words(module.as_binary().to_vec()), module.get_warning_messages()))
        }
        Action::Preprocess => {
            let result = compiler()?.preprocess(text, tag, entry, Some(&options)).map_err(failure)?;
            Ok((Output::Text(result.as_text()), String::new()))
        }
    }
}

/// Runs shaderc on a thread with a big stack, with includes that are known beforehand.
pub(crate) fn run_with_known(job: &Job, includes: &KnownIncludes) -> Result<(Output, String), Failure> {
    let include = |requested: &str, relative: bool, from: &str, _| includes.find(requested, relative, from);
    with_big_stack(|| run(job, &include)).unwrap_or_else(|error| Err(Failure::Internal(error.to_string())))
}

/// An include that has been found: what was requested, whether in quotes, from which tag; and tag and text.
pub(crate) type KnownInclude = (String, bool, String, String, String);

/// Includes that have been found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownIncludes {
    pub found: Vec<KnownInclude>,
}

impl KnownIncludes {
    fn find(&self, requested: &str, relative: bool, from: &str) -> Result<(String, String), String> {
        let fits = |known: &&KnownInclude| (known.0.as_str(), known.1, known.2.as_str()) == (requested, relative, from);
        let found = self.found.iter().find(fits);
        found.map(|(_, _, _, tag, text)| (tag.clone(), text.clone())).ok_or_else(|| "cannot find it".to_string())
    }
}

fn failure(error: shaderc::Error) -> Failure {
    match error {
        shaderc::Error::CompilationError(_, messages) => Failure::Messages(messages),
        shaderc::Error::InvalidStage(_) => Failure::NoStage,
        error => Failure::Internal(format!("shaderc: {error}")),
    }
}

fn shaderc_options<'a>(job: &Job, include: Include<'a>) -> Result<shaderc::CompileOptions<'a>, Failure> {
    let options = &job.options;
    let mut result = shaderc::CompileOptions::new().map_err(failure)?;
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
    if job.forces_version {
        result.set_forced_version_profile(450, shaderc::GlslProfile::Core);
    }
    result.set_include_callback(move |requested, kind, from, depth| {
        let relative = kind == shaderc::IncludeType::Relative;
        let (resolved_name, content) = include(requested, relative, from, depth)?;
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
