//! Calls into C++ happen on threads with big stacks: glslang and SPIRV-Tools walk trees by recursion.

use crate::{Error, Result};
use std::thread;

/// Bytes of stack. Only what is touched costs memory. Eight times what the deepest text that
/// `scan.rs` lets through has been seen to need.
const STACK_SIZE: usize = 128 << 20;

/// Runs `work` on a thread with a big stack and waits for it. A panic in it becomes [`Error::Internal`].
pub(crate) fn with_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("glslc2native front end".to_string()).stack_size(STACK_SIZE);
        let thread = builder.spawn_scoped(scope, work).map_err(|error| {
            Error::Internal(format!("cannot start a thread with {} MiB of stack: {error}", STACK_SIZE >> 20))
        })?;
        thread.join().map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Error::Internal(text.unwrap_or("the front end panicked").to_string())
        })
    })
}
