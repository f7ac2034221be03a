//! Room on the stack for recursion over nested constructs.
//!
//! Walks over regions recurse, a few frames for each level. Up to [`FEW`] levels fit into any thread's stack; for more, the
//! work is done on a thread that has the room, so that deep shaders compile wherever they are compiled. [`MAX_NESTING`] bounds
//! the levels, and with them that room.

use crate::error::{Error, Place, Result};
use crate::ir::{MAX_NESTING, Module};
use crate::work;

/// Levels for which every stack has room.
const FEW: usize = 150;
/// Bytes for one level, in the walk with the largest frames.
const LEVEL: usize = 24 << 10;
/// Bytes beside that.
const BASE: usize = 2 << 20;

/// Runs `f` with room for that many levels of nesting.
pub(crate) fn with_room<T: Send>(levels: usize, f: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if levels <= FEW {
        return f();
    }
    let size = BASE + levels.min(MAX_NESTING + FEW) * LEVEL;
    let (result, done) = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("glslc2native lowering".into()).stack_size(size);
        let thread = builder.spawn_scoped(scope, || work::measured(f)).map_err(|error| Error::Limit {
            place: Place::default(),
            what: format!("no thread with a stack of {size} bytes, for {levels} levels of nesting: {error}"),
        })?;
        // A panic goes on here: it is the caller's to report.
        Ok::<_, Error>(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    work::add(done);
    result
}

/// Levels of nesting that a module has, or may have once calls are replaced by bodies.
pub(crate) fn levels(module: &Module) -> usize {
    let each = module.functions.values().map(|function| {
        let mut deepest = 0;
        let mut left = vec![(function.body, 1)];
        while let Some((region, depth)) = left.pop() {
            deepest = deepest.max(depth);
            let ops = &function.regions[region].ops;
            let constructs = ops.iter().filter(|&&op| function.ops[op].kind.is_construct());
            left.extend(constructs.flat_map(|&op| function.regions_of(op)).map(|inner| (inner, depth + 1)));
        }
        deepest + 1
    });
    each.sum()
}
