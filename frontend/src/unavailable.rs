//! What the crate offers in place of shaderc and SPIRV-Tools where it is built without the feature `glsl`: the same
//! functions, each of which says what is missing.

use crate::{Diagnostics, Error, GlslOptions, Result, SpirvVersion, TargetEnv};
use std::path::PathBuf;

/// A module that GLSL was compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledGlsl {
    /// The module.
    pub words: Vec<u32>,
    /// Warnings, if any.
    pub warnings: Diagnostics,
    /// The files that were included.
    pub includes: Vec<PathBuf>,
}

/// What the preprocessor made of GLSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedGlsl {
    /// GLSL.
    pub text: String,
    /// The files that were included.
    pub includes: Vec<PathBuf>,
}

/// What a child process is told to become a GLSL compiler, which this build is none.
pub const CHILD_ARGUMENT: &str = "--glslc2native-child";

/// Does nothing in this build.
pub fn warm_up() {}

/// Answers no request in this build.
pub fn serve_child() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

/// Compiling GLSL is not part of this build.
///
/// # Errors
/// Always [`Error::Unavailable`].
pub fn compile_glsl(_source: &str, _options: &GlslOptions) -> Result<CompiledGlsl> {
    Err(Error::Unavailable("compiling GLSL"))
}

/// Preprocessing GLSL is not part of this build.
///
/// # Errors
/// Always [`Error::Unavailable`].
pub fn preprocess_glsl(_source: &str, _options: &GlslOptions) -> Result<PreprocessedGlsl> {
    Err(Error::Unavailable("preprocessing GLSL"))
}

/// Validation is not part of this build.
///
/// # Errors
/// Always [`Error::Unavailable`].
pub fn validate(_words: &[u32], _env: TargetEnv) -> Result<()> {
    Err(Error::Unavailable("validating SPIR-V"))
}

/// Assembling is not part of this build.
///
/// # Errors
/// Always [`Error::Unavailable`].
pub fn assemble(_text: &str, _file_name: &str, _version: SpirvVersion) -> Result<Vec<u32>> {
    Err(Error::Unavailable("assembling SPIR-V"))
}

/// Disassembling is not part of this build.
///
/// # Errors
/// Always [`Error::Unavailable`].
pub fn disassemble(_words: &[u32]) -> Result<String> {
    Err(Error::Unavailable("disassembling SPIR-V"))
}
