//! A file of any of the three kinds to SPIR-V words.

use crate::{CompiledGlsl, Diagnostics, Error, GlslOptions, Result, assemble, compile_glsl, is_spirv, load_spirv};
use std::path::{Path, PathBuf};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// GLSL.
    Glsl,
    /// A SPIR-V module.
    Spirv,
    /// SPIR-V assembly.
    Assembly,
}

impl InputKind {
    /// SPIR-V by its magic number or the extension `.spv`, assembly by the extension `.spvasm`, else GLSL.
    pub fn of(file_name: &str, bytes: &[u8]) -> InputKind {
        match Path::new(file_name).extension().and_then(|extension| extension.to_str()) {
            _ if is_spirv(bytes) => InputKind::Spirv,
            Some("spv") => InputKind::Spirv,
            Some("spvasm") => InputKind::Assembly,
            _ => InputKind::Glsl,
        }
    }
}

/// A module and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What the file held.
    pub kind: InputKind,
    /// The module.
    pub words: Vec<u32>,
    /// Warnings of the GLSL compiler.
    pub warnings: Diagnostics,
    /// The files that GLSL included.
    pub includes: Vec<PathBuf>,
}

/// Reads the file `path` and turns it into a module, by its kind. `options.file_name` is not used: the path takes its
/// place.
///
/// # Errors
/// [`Error::Io`] where the file cannot be read, else those of [`load_bytes`].
pub fn load(path: impl AsRef<Path>, options: &GlslOptions) -> Result<Loaded> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    load_bytes(&path.display().to_string(), &bytes, options)
}

/// Turns the contents of a file called `file_name` into a module, by its kind. `options.file_name` is not used.
///
/// # Errors
/// Those of [`compile_glsl`], [`assemble`] and [`load_spirv`].
pub fn load_bytes(file_name: &str, bytes: &[u8], options: &GlslOptions) -> Result<Loaded> {
    let kind = InputKind::of(file_name, bytes);
    let CompiledGlsl { words, warnings, includes } = match kind {
        InputKind::Spirv => plain(load_spirv(bytes)?),
        InputKind::Assembly => {
            let text = String::from_utf8_lossy(bytes);
            plain(assemble(&text, file_name, options.effective_spirv_version())?)
        }
        InputKind::Glsl => {
            // Other encodings than UTF-8 occur in comments, where it does not matter what becomes of them.
            let text = String::from_utf8_lossy(bytes);
            compile_glsl(&text, &GlslOptions { file_name: file_name.to_string(), ..options.clone() })?
        }
    };
    Ok(Loaded { kind, words, warnings, includes })
}

fn plain(words: Vec<u32>) -> CompiledGlsl {
    CompiledGlsl { words, warnings: Diagnostics::default(), includes: vec![] }
}
