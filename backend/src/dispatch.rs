//! Dispatch: calls a kernel over all workgroups, on several threads.
//!
//! Threads take small ascending ranges of workgroups from one counter and run each in order. So the lowest workgroup that
//! has not finished is always being run, and shaders in which a workgroup waits for one with a lower number end.
//!
//! Workgroups are numbered x first, then y, then z, with 64 bits.

use crate::pool::{run_on_new_threads, run_with_helpers};
use crate::scratch::with_scratch;
use crate::{Error, JitKernel, MAX_FRAME_SIZE, Result};
use glslc2native_lowering::abi::{Context, STATUS_DONE, STATUS_INTERRUPTED, STATUS_NO_FUNCTION, ZERO_BLOCK_SIZE};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Told how many workgroups are done, and of how many. Called on the thread that dispatches, a few times a second.
pub type Progress<'a> = dyn FnMut(u64, u64) + 'a;

/// How to run a dispatch.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Threads, the caller's included; 0 takes [`default_threads`].
    pub threads: usize,
    /// Workgroups that a thread takes at once, at least; 0 is 1. Small workgroups need more to be worth a call.
    pub grain: u64,
    /// Not 0 means stop: kernels poll it.
    pub interrupt: Option<&'a AtomicU32>,
    /// Set where no further workgroups should be started, by a function that a kernel calls; the dispatch then fails with
    /// [`Error::Interrupted`].
    pub stop: Option<&'a AtomicBool>,
    /// Called from time to time.
    pub progress: Option<&'a mut Progress<'a>>,
}

/// Ranges per thread: enough that the last one to finish keeps the others waiting only briefly.
const RANGES_PER_THREAD: u64 = 32;
/// Time between two calls of [`Progress`].
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// As many threads as the process may use CPUs.
pub fn default_threads() -> usize {
    static THREADS: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Memory of zeros for [`Context::zero_block`] and unbound descriptors.
pub fn zero_block() -> *const u8 {
    #[repr(align(64))]
    struct Zeros([u8; ZERO_BLOCK_SIZE]);
    static ZEROS: Zeros = Zeros([0; ZERO_BLOCK_SIZE]);
    ZEROS.0.as_ptr()
}

/// Number of workgroups of a dispatch, or why it cannot be run.
fn total_groups(context: &Context) -> Result<u64> {
    let [x, y, z] = context.groups;
    for (axis, (&groups, &base)) in ["x", "y", "z"].iter().zip(context.groups.iter().zip(&context.base_group)) {
        if base.checked_add(groups).is_none() {
            return Err(Error::Dispatch(format!(
                "base group {base} plus {groups} groups in {axis} is more than 2^32 - 1; use smaller dispatches"
            )));
        }
    }
    (u64::from(x) * u64::from(y)).checked_mul(u64::from(z)).ok_or_else(|| {
        Error::Dispatch(format!("{x} x {y} x {z} workgroups are more than 2^64 - 1; use several dispatches"))
    })
}

/// Workgroups that a thread takes at once.
fn range_size(total: u64, threads: u64, grain: u64) -> u64 {
    let grain = grain.max(1);
    let even = total / threads.saturating_mul(RANGES_PER_THREAD).max(1);
    // Whole grains; but where that leaves a thread without work, less.
    let grains = (even / grain).max(1).saturating_mul(grain);
    grains.min(total.div_ceil(threads)).max(1)
}

/// How a dispatch ended so far, as seen by its threads.
mod outcome {
    pub const RUNNING: u8 = 0;
    pub const INTERRUPTED: u8 = 1;
    pub const NO_MEMORY: u8 = 2;
    pub const NO_FUNCTION: u8 = 3;
    pub const BAD_STATUS: u8 = 4;
}

/// What the threads of a dispatch share.
struct Shared<'a> {
    kernel: &'a JitKernel,
    context: Context,
    interrupt: Option<&'a AtomicU32>,
    stop: Option<&'a AtomicBool>,
    total: u64,
    range: u64,
    next: AtomicU64,
    done: AtomicU64,
    outcome: AtomicU8,
}

// SAFETY: the raw pointers in `context` are those that the caller of `run` promises to be valid for all threads.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    /// The next range, or `None` when there is none or the dispatch has ended early.
    fn take(&self) -> Option<(u64, u64)> {
        if self.outcome.load(Ordering::Relaxed) != outcome::RUNNING {
            return None;
        }
        // Compare and exchange, since adding could overflow near the end of 64 bits.
        let first = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                (next < self.total).then(|| next.saturating_add(self.range).min(self.total))
            })
            .ok()?;
        let stopped = self.stop.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if stopped || self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed) != 0) {
            self.outcome.store(outcome::INTERRUPTED, Ordering::Relaxed);
            return None;
        }
        Some((first, self.range.min(self.total - first)))
    }

    /// Runs ranges until there are no more, with a look at `between` after each.
    fn run(&self, mut between: impl FnMut()) {
        let finished = with_scratch(self.kernel.scratch_size(), |scratch| {
            while let Some((first, count)) = self.take() {
                // SAFETY: `run`'s caller promises that the context is what this kernel needs; the scratch memory is this
                // thread's alone, large enough and aligned.
                let status = unsafe { (self.kernel.entry())(&self.context, scratch, first, count) };
                match status {
                    STATUS_DONE => self.done.fetch_add(count, Ordering::Relaxed),
                    STATUS_INTERRUPTED => return self.outcome.store(outcome::INTERRUPTED, Ordering::Relaxed),
                    STATUS_NO_FUNCTION => return self.outcome.store(outcome::NO_FUNCTION, Ordering::Relaxed),
                    _ => return self.outcome.store(outcome::BAD_STATUS, Ordering::Relaxed),
                };
                between();
            }
        });
        if finished.is_none() {
            self.outcome.store(outcome::NO_MEMORY, Ordering::Relaxed);
        }
    }
}

/// Runs all workgroups of a dispatch and returns when they are done.
///
/// A dispatch of zero workgroups does nothing.
///
/// # Errors
///
/// [`Error::Dispatch`] for sizes that cannot be numbered, [`Error::Interrupted`] when the interrupt flag was seen.
///
/// # Safety
///
/// `context` is as [the kernel's interface](glslc2native_lowering::analysis::interface::Interface) and the
/// [ABI](glslc2native_lowering::abi) ask: descriptors for all slots, each with the block's fixed part; push constants; a
/// zero block. No one else writes what the kernel reads, or reads or writes what it writes, until this returns.
pub unsafe fn run(kernel: &JitKernel, context: &Context, options: RunOptions<'_>) -> Result<()> {
    let total = total_groups(context)?;
    if total == 0 {
        return Ok(());
    }
    let threads = if options.threads == 0 { default_threads() } else { options.threads };
    let range = range_size(total, threads as u64, options.grain);
    let helpers = u64::min(threads as u64, total.div_ceil(range)).saturating_sub(1) as usize;
    let interrupt = options.interrupt;
    let context =
        Context { interrupt: interrupt.map_or(context.interrupt, |flag| flag.as_ptr().cast_const()), ..*context };
    let shared = Shared {
        kernel,
        context,
        interrupt,
        stop: options.stop,
        total,
        range,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        outcome: AtomicU8::new(outcome::RUNNING),
    };
    let report = Report { progress: options.progress.map(std::cell::RefCell::new), shown: Instant::now().into() };
    let between = || report.tick(shared.done.load(Ordering::Relaxed), total);
    if kernel.stack_size() > MAX_FRAME_SIZE {
        let stack = kernel.stack_size() as usize + MAX_FRAME_SIZE as usize;
        run_on_new_threads(helpers + 1, stack, &|| shared.run(|| ()), between).map_err(|error| {
            Error::Limit(format!("no thread with a stack of {stack} bytes, which the kernel needs: {error}"))
        })?;
    } else if helpers == 0 {
        shared.run(between);
    } else {
        run_with_helpers(helpers, &|| shared.run(|| ()), || shared.run(between), between);
    }
    match shared.outcome.load(Ordering::Relaxed) {
        _ if options.stop.is_some_and(|flag| flag.load(Ordering::Relaxed)) => Err(Error::Interrupted),
        _ if shared.done.load(Ordering::Relaxed) == total => {
            report.show(total, total);
            Ok(())
        }
        outcome::NO_FUNCTION => Err(Error::Dispatch("the context lacks a host function that the kernel calls".into())),
        outcome::INTERRUPTED => Err(Error::Interrupted),
        outcome::NO_MEMORY => {
            Err(Error::Limit(format!("no memory for {} bytes of scratch for each thread", kernel.scratch_size())))
        }
        _ => Err(Error::Internal("a kernel returned a status that does not exist".into())),
    }
}

/// Calls the progress function at most every [`PROGRESS_INTERVAL`].
struct Report<'a> {
    progress: Option<std::cell::RefCell<&'a mut Progress<'a>>>,
    shown: std::cell::Cell<Instant>,
}

impl Report<'_> {
    fn tick(&self, done: u64, total: u64) {
        if self.progress.is_some() && self.shown.get().elapsed() >= PROGRESS_INTERVAL {
            self.shown.set(Instant::now());
            self.show(done, total);
        }
    }

    fn show(&self, done: u64, total: u64) {
        if let Some(mut progress) = self.progress.as_ref().and_then(|p| p.try_borrow_mut().ok()) {
            progress(done, total);
        }
    }
}
