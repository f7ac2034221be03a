//! A time after which a dispatch is stopped.
//!
//! Kernels know no clock: they look at a flag. A thread waits beside the dispatch and sets the flag when the time is up, or
//! when the caller's own flag is set. It is only there where a time was given.

use crate::{Error, Result, backend};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the caller's own flag is looked at.
const TICK: Duration = Duration::from_millis(5);

/// Says that the dispatch has ended, also when it ends by a panic.
struct Ended<'a>(&'a Mutex<bool>, &'a Condvar);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }
}

/// Calls `dispatch` with `flag`, which is set when `timeout` has passed or when `outer` is set.
pub(crate) fn run(
    timeout: Duration,
    outer: Option<&AtomicU32>,
    flag: &AtomicU32,
    dispatch: impl FnOnce(&AtomicU32) -> backend::Result<()>,
) -> Result<()> {
    let timed_out = AtomicU32::new(0);
    let (ended, signal) = (Mutex::new(false), Condvar::new());
    let start = Instant::now();
    let watch = || {
        let mut guard = ended.lock().unwrap_or_else(PoisonError::into_inner);
        while !*guard {
            let left = timeout.saturating_sub(start.elapsed());
            let interrupted = outer.is_some_and(|outer| outer.load(Ordering::Relaxed) != 0);
            if left.is_zero() || interrupted {
                timed_out.store(u32::from(!interrupted), Ordering::Relaxed);
                flag.store(1, Ordering::Relaxed);
                return;
            }
            let wait = if outer.is_some() { left.min(TICK) } else { left };
            guard = signal.wait_timeout(guard, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    };
    let result = std::thread::scope(|scope| {
        let watcher = std::thread::Builder::new().name("glslc2native deadline".into()).spawn_scoped(scope, watch);
        let _ended = Ended(&ended, &signal);
        match watcher {
            Ok(_) => Ok(dispatch(flag)),
            Err(error) => Err(Error::Limit(format!("no thread to watch the time: {error}"))),
        }
    })?;
    match result {
        Err(backend::Error::Interrupted) if timed_out.load(Ordering::Relaxed) != 0 => Err(Error::Timeout(timeout)),
        other => Ok(other?),
    }
}
