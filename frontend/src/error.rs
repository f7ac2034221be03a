//! The error type of this crate. Bad input never panics and never reaches a later stage.

use crate::Diagnostics;
use std::path::PathBuf;

/// What went wrong between a file and SPIR-V words.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// GLSL that does not compile.
    #[error("{0}")]
    Glsl(Diagnostics),
    /// Bytes or words that are not a SPIR-V module.
    #[error("invalid SPIR-V at byte {offset} (word {word}): {what}", word = offset / 4)]
    InvalidSpirv {
        /// Byte from the start of the module.
        offset: usize,
        /// What is wrong and, where it helps, what was expected.
        what: String,
    },
    /// SPIR-V assembly that does not assemble.
    #[error("{file}:{line}:{column}: error: {what}{excerpt}", excerpt = crate::diagnostics::excerpt(source_line, *column))]
    Assembly {
        /// Name of the text.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// What is wrong.
        what: String,
        /// The line itself.
        source_line: String,
    },
    /// A module that parses and that SPIRV-Tools' validator rejects.
    #[error("invalid SPIR-V for {environment}: {what}")]
    Validation {
        /// For which environment it was validated, such as `vulkan1.3`.
        environment: String,
        /// The validator's message, with the instruction it is about on a line of its own.
        what: String,
    },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Options that are wrong in themselves.
    #[error("{0}")]
    Options(String),
    /// The GLSL compiler ran in a child process because the source might be too much for it, and it was.
    #[error("{file}: the GLSL compiler crashed on this source: {how}")]
    Crashed {
        /// Name of the source.
        file: String,
        /// How the process ended.
        how: String,
    },
    /// Something that this build leaves out.
    #[error(
        "{0} needs the cargo feature `glsl`, which this build leaves out: build with the feature, or compile the shader \
         to SPIR-V elsewhere and pass the `.spv` file"
    )]
    Unavailable(&'static str),
    /// A fault of the compiler itself.
    #[error("internal error: {0} (this is a bug in glslc2native: please report it with the shader)")]
    Internal(String),
}

/// Result of the front end.
pub type Result<T> = std::result::Result<T, Error>;
