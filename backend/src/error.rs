//! The error type of this crate.

/// What went wrong between Cranelift IR and results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A target or CPU that does not exist or cannot be used.
    #[error("{0}")]
    Target(String),
    /// Larger than the implementation handles.
    #[error("limit exceeded: {0}")]
    Limit(String),
    /// The code generator refused a function, or no memory was to be had for its code.
    #[error("code generation of `{function}` failed: {what}")]
    Codegen {
        /// Name of the function.
        function: String,
        /// What the code generator says.
        what: String,
    },
    /// A dispatch whose sizes cannot be run.
    #[error("{0}")]
    Dispatch(String),
    /// The interrupt flag was set; some workgroups have run and some have not.
    #[error("the dispatch was interrupted")]
    Interrupted,
    /// A fault of the compiler itself.
    #[error("internal error: {0} (this is a bug in glslc2native: please report it with the shader)")]
    Internal(String),
}

/// Result of a stage.
pub type Result<T> = std::result::Result<T, Error>;

/// Runs `f`; a panic inside it becomes [`Error::Internal`].
///
/// For calls into Cranelift, which panics on what it has no rule for. What `f` was writing to must not be used after a
/// panic.
pub(crate) fn catching<T>(what: &str, f: impl FnOnce() -> Result<T>) -> Result<T> {
    // AssertUnwindSafe: callers drop everything that the closure touched when it fails.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(result) => result,
        Err(payload) => {
            let message = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(Error::Internal(format!("panic while {what}: {message}")))
        }
    }
}
