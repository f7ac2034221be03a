//! Preparing the GLSL compiler in the background.
//!
//! A process that ends while a thread is in glslang would destroy C++ objects under that thread's feet and crash on its
//! way out. So whoever started the preparation, or ends the process, waits for it first: at most some 80 ms.

use crate::{GlslOptions, compile_glsl};
use std::ffi::c_int;
use std::sync::{Condvar, Mutex, Once, PoisonError};

unsafe extern "C" {
    /// C's `atexit`: `handler` is called when the process ends by `exit` or a return from `main`.
    fn atexit(handler: extern "C" fn()) -> c_int;
}

static IS_RUNNING: Mutex<bool> = Mutex::new(false);
static ENDED: Condvar = Condvar::new();

fn set_running(running: bool) {
    *IS_RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = running;
    ENDED.notify_all();
}

extern "C" fn wait() {
    let mut running = IS_RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    while *running {
        running = ENDED.wait(running).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits when it is dropped.
struct WaitOnDrop;

impl Drop for WaitOnDrop {
    fn drop(&mut self) {
        wait();
    }
}

thread_local! {
    /// Lives as long as the thread that called [`warm_up`]. The main thread's is dropped before any handler of `atexit`
    /// runs, and so before the C++ objects that glslang creates while it is being prepared are destroyed.
    static GUARD: WaitOnDrop = const { WaitOnDrop };
}

/// Starts to prepare the GLSL compiler on a thread of its own and returns at once. Worth calling as soon as it is known
/// that GLSL will be compiled; [`compile_glsl`] waits for whatever is not ready yet, and so does the end of the process.
pub fn warm_up() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // SAFETY: the handler is a function without arguments that does not unwind.
        if unsafe { atexit(wait) } != 0 || GUARD.try_with(|_| ()).is_err() {
            return;
        }
        set_running(true);
        // Nothing depends on its success: a compilation that fails says why itself.
        let work = || {
            drop(compile_glsl("#version 450\nvoid main() {}\n", &GlslOptions::default()));
            set_running(false);
        };
        if std::thread::Builder::new().name("glslc2native warm-up".to_string()).spawn(work).is_err() {
            set_running(false);
        }
    });
}
