//! Threads that help with dispatches: started when first needed, kept for the life of the process, so that a small
//! dispatch costs microseconds.
//!
//! [`run_with_helpers`] runs a task on the calling thread and on up to `helpers` others at once, and returns when all have
//! left it. The caller never waits for a helper to *start*: whoever comes late finds the job gone. So progress is certain
//! even when no thread can be started.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

/// Stack of a helper, in bytes. Kernels' frames are bounded, see [`MAX_FRAME_SIZE`](crate::MAX_FRAME_SIZE).
const STACK_SIZE: usize = 4 << 20;
/// More helpers than this are not started.
const MAX_WORKERS: usize = 1023;
/// How often a waiting caller looks up.
const TICK: Duration = Duration::from_millis(50);

/// What all threads of a dispatch run.
type Task<'a> = dyn Fn() + Sync + 'a;

/// A task as the helpers see it.
struct Job {
    /// Points to a `Task` that outlives the job's time in the queue and every call that a helper makes.
    task: *const Task<'static>,
    /// Signalled when `running` becomes 0.
    left: Condvar,
}

// SAFETY: `task` points to a `Sync` closure, and `run_with_helpers` keeps it alive while any helper can reach it.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

/// A job that waits for helpers or has some.
struct Entry {
    job: Arc<Job>,
    /// Helpers that may still join.
    wanted: usize,
    /// Helpers that are inside the task.
    running: usize,
}

struct State {
    jobs: VecDeque<Entry>,
    workers: usize,
}

struct Pool {
    state: Mutex<State>,
    /// Signalled when a job comes in.
    work: Condvar,
}

static POOL: Pool = Pool { state: Mutex::new(State { jobs: VecDeque::new(), workers: 0 }), work: Condvar::new() };

impl Pool {
    /// A poisoned lock is used as it is: nothing that can panic runs while it is held.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a helper.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(entry) = state.jobs.iter_mut().find(|e| e.wanted > 0) else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            entry.wanted -= 1;
            entry.running += 1;
            let job = entry.job.clone();
            drop(state);
            // SAFETY: `running` counts this call, and the job's owner waits until it is 0 before the task dies.
            let task = unsafe { &*job.task };
            // A panic in a task is the task's to report; it must not cost the pool a thread or the owner its wake-up.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(task));
            state = self.lock();
            if let Some(entry) = state.jobs.iter_mut().find(|e| Arc::ptr_eq(&e.job, &job)) {
                entry.running -= 1;
                if entry.running == 0 {
                    job.left.notify_all();
                }
            }
        }
    }
}

/// Runs `task` on up to `helpers` other threads while `own` runs on this one; then waits until all helpers have left the
/// task, calling `tick` from time to time.
pub(crate) fn run_with_helpers(helpers: usize, task: &Task<'_>, own: impl FnOnce(), tick: impl FnMut()) {
    // SAFETY: only the lifetime changes. `guard` below keeps this function from returning, also by a panic, before the
    // job is out of the queue and no helper is in the task.
    let task = unsafe { std::mem::transmute::<*const Task<'_>, *const Task<'static>>(task) };
    let job = Arc::new(Job { task, left: Condvar::new() });
    let mut state = POOL.lock();
    while state.workers < helpers.min(MAX_WORKERS) {
        let builder = std::thread::Builder::new().name("glslc2native".into()).stack_size(STACK_SIZE);
        if builder.spawn(|| POOL.work()).is_err() {
            break;
        }
        state.workers += 1;
    }
    state.jobs.push_back(Entry { job: job.clone(), wanted: helpers, running: 0 });
    drop(state);
    let mut guard = Guard { job, tick };
    for _ in 0..helpers {
        POOL.work.notify_one();
    }
    own();
    guard.finish();
}

/// Runs `task` on `threads` new threads with `stack` bytes of stack each, and returns when all have left it. The caller waits,
/// and calls `tick` from time to time. Fewer threads than wanted will do.
///
/// # Errors
///
/// No thread could be started.
pub(crate) fn run_on_new_threads(
    threads: usize,
    stack: usize,
    task: &Task<'_>,
    mut tick: impl FnMut(),
) -> std::io::Result<()> {
    std::thread::scope(|scope| {
        // Closed when the last thread has left.
        let (inside, left) = mpsc::channel::<()>();
        for number in 0..threads {
            let inside = inside.clone();
            let builder = std::thread::Builder::new().name("glslc2native".into()).stack_size(stack);
            let run = move || {
                let _inside = inside;
                task();
            };
            match builder.spawn_scoped(scope, run) {
                Err(error) if number == 0 => return Err(error),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(inside);
        while left.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
            tick();
        }
        Ok(())
    })
}

/// Takes a job out of the queue and waits for its helpers, at the latest when dropped.
struct Guard<F: FnMut()> {
    job: Arc<Job>,
    tick: F,
}

impl<F: FnMut()> Guard<F> {
    /// Lets nobody in any more. True when nobody is in, and the job is out of the queue then.
    fn close(&self, state: &mut State) -> bool {
        let Some(index) = state.jobs.iter().position(|e| Arc::ptr_eq(&e.job, &self.job)) else { return true };
        state.jobs[index].wanted = 0;
        let closed = state.jobs[index].running == 0;
        if closed {
            state.jobs.remove(index);
        }
        closed
    }

    fn finish(&mut self) {
        let mut state = POOL.lock();
        while !self.close(&mut state) {
            let (locked, timeout) = self.job.left.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            state = locked;
            if timeout.timed_out() {
                drop(state);
                (self.tick)();
                state = POOL.lock();
            }
        }
    }
}

impl<F: FnMut()> Drop for Guard<F> {
    fn drop(&mut self) {
        let mut state = POOL.lock();
        while !self.close(&mut state) {
            state = self.job.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Waits until `count` threads have come here.
    fn meet(arrived: &AtomicUsize, count: usize) {
        arrived.fetch_add(1, Ordering::SeqCst);
        while arrived.load(Ordering::SeqCst) < count {
            std::thread::yield_now();
        }
    }

    #[test]
    fn helpers_run_beside_the_caller() {
        let arrived = AtomicUsize::new(0);
        run_with_helpers(3, &|| meet(&arrived, 4), || meet(&arrived, 4), || ());
        assert_eq!(arrived.load(Ordering::SeqCst), 4);
    }

    #[test]
    fn many_small_jobs_from_many_threads() {
        let ran = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let left = AtomicUsize::new(100);
                        let take = || {
                            while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok() {
                                ran.fetch_add(1, Ordering::SeqCst);
                            }
                        };
                        run_with_helpers(2, &take, take, || ());
                    }
                });
            }
        });
        assert_eq!(ran.load(Ordering::SeqCst), 4 * 200 * 100);
    }

    #[test]
    fn a_panic_of_the_caller_waits_for_helpers() {
        let arrived = AtomicUsize::new(0);
        let left = AtomicUsize::new(0);
        let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let task = || {
                meet(&arrived, 2);
                std::thread::sleep(Duration::from_millis(20));
                left.fetch_add(1, Ordering::SeqCst);
            };
            let own = || {
                meet(&arrived, 2);
                std::panic::resume_unwind(Box::new("as a test"));
            };
            run_with_helpers(1, &task, own, || ());
        }));
        assert!(panicked.is_err());
        assert_eq!(left.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_panic_of_a_helper_is_survived() {
        for _ in 0..2 {
            let arrived = AtomicUsize::new(0);
            let task = || {
                meet(&arrived, 2);
                std::panic::resume_unwind(Box::new("as a test"));
            };
            run_with_helpers(1, &task, || meet(&arrived, 2), || ());
        }
    }
}
