//! The error type of this crate. Bad input never panics: every stage returns one of these.

use crate::ir::Loc;
use std::fmt;

/// Where in the input something is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Source file, line and the word offset of the instruction; a default [`Loc`] where nothing is known.
    pub loc: Loc,
    /// Name of the source file, where `OpLine` gives one.
    pub file: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.loc.line) {
            (Some(file), line) if line > 0 => write!(f, "{file}:{line}: ")?,
            (None, line) if line > 0 => write!(f, "line {line}: ")?,
            _ => {}
        }
        match (self.loc.id, self.loc.word) {
            (0, 0) => Ok(()),
            (0, word) => write!(f, "(SPIR-V word {word}) "),
            (id, word) => write!(f, "(SPIR-V %{id}, word {word}) "),
        }
    }
}

/// What went wrong between SPIR-V and Cranelift IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The words are not a SPIR-V module, or one that breaks the specification.
    #[error("{place}invalid SPIR-V: {what}")]
    InvalidSpirv {
        /// Where.
        place: Place,
        /// What is wrong.
        what: String,
    },
    /// A valid module with something that cannot be compiled.
    #[error("{place}{instruction} is not supported: {reason}")]
    Unsupported {
        /// Where.
        place: Place,
        /// The instruction, decoration, capability … by its SPIR-V name.
        instruction: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Larger than the implementation handles.
    #[error("{place}limit exceeded: {what}")]
    Limit {
        /// Where.
        place: Place,
        /// Which limit, its value, and what to do.
        what: String,
    },
    /// IR text that does not parse, or IR that the verifier rejects.
    #[error("line {line}: invalid IR: {what}")]
    InvalidIr {
        /// Line of the text, 0 where there is none.
        line: u32,
        /// What is wrong.
        what: String,
    },
    /// Options that contradict the module or each other.
    #[error("{0}")]
    Options(String),
    /// A fault of the compiler itself.
    #[error("internal error: {0} (this is a bug in glslc2native: please report it with the shader)")]
    Internal(String),
}

impl Error {
    /// The same error at `place`, where it does not say a place of its own: what measures a type does not know who asks.
    #[must_use]
    pub(crate) fn or_at(mut self, at: impl FnOnce() -> Place) -> Self {
        match &mut self {
            Self::InvalidSpirv { place, .. } | Self::Unsupported { place, .. } | Self::Limit { place, .. }
                if *place == Place::default() =>
            {
                *place = at();
            }
            _ => {}
        }
        self
    }
}

/// Result of a stage.
pub type Result<T> = std::result::Result<T, Error>;
