//! Scratch memory of kernels: one block a thread, aligned to [`SCRATCH_ALIGN`], kept for the next dispatch.

use glslc2native_lowering::abi::SCRATCH_ALIGN;
use std::alloc::Layout;
use std::cell::Cell;
use std::ptr::NonNull;

/// Larger blocks are given back after the dispatch.
const KEEP: usize = 4 << 20;

/// An aligned block of memory.
struct Block {
    base: NonNull<u8>,
    layout: Layout,
}

impl Block {
    /// `None` when there is no such memory. `size` is not 0.
    fn new(size: usize) -> Option<Block> {
        let layout = Layout::from_size_align(size, SCRATCH_ALIGN).ok()?;
        // SAFETY: callers ask for at least one byte.
        let base = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Block { base, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `base` was allocated with this layout and is freed once.
        unsafe { std::alloc::dealloc(self.base.as_ptr(), self.layout) };
    }
}

thread_local! {
    static CACHE: Cell<Option<Block>> = const { Cell::new(None) };
}

/// Calls `f` with at least `size` bytes of scratch memory that nobody else uses meanwhile; `None` when there is no such
/// memory.
pub(crate) fn with_scratch<R>(size: usize, f: impl FnOnce(*mut u8) -> R) -> Option<R> {
    if size == 0 {
        return Some(f(std::ptr::without_provenance_mut(SCRATCH_ALIGN)));
    }
    // Taken out of the cache, so that a dispatch inside this one gets a block of its own.
    let block = match CACHE.take() {
        Some(block) if block.layout.size() >= size => block,
        _ => Block::new(size)?,
    };
    let result = f(block.base.as_ptr());
    if block.layout.size() <= KEEP {
        CACHE.set(Some(block));
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_reused_and_not_shared() {
        let first = with_scratch(100, |p| p as usize);
        assert_eq!(first.map(|p| p % SCRATCH_ALIGN), Some(0));
        assert_eq!(with_scratch(50, |p| p as usize), first, "a smaller request takes the cached block");
        let nested = with_scratch(64, |outer| with_scratch(64, |inner| (outer as usize, inner as usize)));
        assert!(nested.flatten().is_some_and(|(outer, inner)| outer != inner));
        assert_eq!(with_scratch(0, |p| p as usize % SCRATCH_ALIGN), Some(0));
        assert_eq!(with_scratch(usize::MAX / 2, |_| ()), None);
    }
}
