//! How much work compiling is, counted where the time goes: operations, regions and values looked at, steps of searches. Tests
//! double the size of a shader and compare the counts, which say what clocks cannot: that no stage is more than linear.
//!
//! Each thread counts for itself, from when it started.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps.
#[inline]
pub(crate) fn add(steps: u64) {
    STEPS.set(STEPS.get().wrapping_add(steps));
}

/// Runs `f` and counts the steps that this thread took for it.
pub fn measured<T>(f: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let result = f();
    (result, STEPS.get().wrapping_sub(before))
}
