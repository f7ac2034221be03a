//! The one error type of the library: the errors of the stages, and those of binding.

use crate::{backend, frontend, lowering};
use std::path::PathBuf;

/// What went wrong between source text and results.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// From GLSL, SPIR-V assembly or SPIR-V files.
    #[error(transparent)]
    Frontend(#[from] frontend::Error),
    /// From the compiler proper.
    #[error(transparent)]
    Lowering(#[from] lowering::Error),
    /// From code generation or a dispatch.
    #[error(transparent)]
    Backend(#[from] backend::Error),
    /// What was bound is not what the shader declares.
    #[error("{what}\nthe shader declares:\n{declared}")]
    Interface {
        /// What is wrong.
        what: String,
        /// The shader's interface, one line a resource.
        declared: String,
    },
    /// A dispatch that took longer than it was given; some workgroups have run and some have not.
    #[error("the dispatch was stopped after {} s, the time that it was given", .0.as_secs_f64())]
    Timeout(std::time::Duration),
    /// A dispatch whose invocations cannot be numbered.
    #[error("limit exceeded: {0}")]
    Limit(String),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Options that contradict each other or the input.
    #[error("{0}")]
    Options(String),
}

/// Kind of an [`Error`]: what a caller may want to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The GLSL source has errors.
    Glsl,
    /// Not a valid SPIR-V module (or assembly, or IR text).
    InvalidSpirv,
    /// Valid, but not supported.
    Unsupported,
    /// Larger than the implementation handles.
    Limit,
    /// A binding or push constant is missing, unknown, too small or of another kind.
    Interface,
    /// The code generator failed, or there is no memory for code.
    Codegen,
    /// The dispatch was interrupted.
    Interrupted,
    /// The dispatch took longer than it was given.
    Timeout,
    /// A file cannot be read or written.
    Io,
    /// Options that are wrong in themselves.
    Options,
    /// A fault of glslc2native.
    Internal,
}

impl Error {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Frontend(error) => frontend_kind(error),
            Error::Lowering(error) => lowering_kind(error),
            Error::Backend(error) => backend_kind(error),
            Error::Interface { .. } => ErrorKind::Interface,
            Error::Timeout(_) => ErrorKind::Timeout,
            Error::Limit(_) => ErrorKind::Limit,
            Error::Io { .. } => ErrorKind::Io,
            Error::Options(_) => ErrorKind::Options,
        }
    }
}

fn frontend_kind(error: &frontend::Error) -> ErrorKind {
    use frontend::Error;
    match error {
        Error::Glsl(_) => ErrorKind::Glsl,
        Error::InvalidSpirv { .. } | Error::Assembly { .. } | Error::Validation { .. } => ErrorKind::InvalidSpirv,
        Error::Io { .. } => ErrorKind::Io,
        Error::Options(_) => ErrorKind::Options,
        Error::Unavailable(_) => ErrorKind::Unsupported,
        Error::Crashed { .. } | Error::Internal(_) => ErrorKind::Internal,
    }
}

fn lowering_kind(error: &lowering::Error) -> ErrorKind {
    use lowering::Error;
    match error {
        Error::InvalidSpirv { .. } | Error::InvalidIr { .. } => ErrorKind::InvalidSpirv,
        Error::Unsupported { .. } => ErrorKind::Unsupported,
        Error::Limit { .. } => ErrorKind::Limit,
        Error::Options(_) => ErrorKind::Options,
        Error::Internal(_) => ErrorKind::Internal,
    }
}

fn backend_kind(error: &backend::Error) -> ErrorKind {
    use backend::Error;
    match error {
        Error::Target(_) => ErrorKind::Options,
        Error::Limit(_) | Error::Dispatch(_) => ErrorKind::Limit,
        Error::Codegen { .. } => ErrorKind::Codegen,
        Error::Interrupted => ErrorKind::Interrupted,
        Error::Internal(_) => ErrorKind::Internal,
    }
}

/// Result of the library's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
