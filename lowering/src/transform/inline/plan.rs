//! Which functions stay functions: inlining everything makes the fastest code, until there is too much of it.
//!
//! In: a module's functions, callers before callees, and a [`Budget`]. Out: the set of functions that are called and not
//! inlined.
//!
//! How often a function's body would be copied is known when all its callers have been decided on: a caller that is inlined
//! `n` times brings `n` times its calls, one that stays a function brings them once. So the operations of the result are the
//! sum over all functions of copies times own operations, and each decision adds what it costs to that sum. It is linear in
//! the size of the source, however deep calls nest and however many there are.

use crate::analysis::functions::{Functions, callees};
use crate::ir::*;
use crate::options::{OptLevel, Options};
use cranelift_entity::{EntitySet, SecondaryMap};

/// How much code inlining may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Chunks of lanes for which code on a varying value is emitted.
    pub chunks: usize,
    /// Lane-wise functions of at most this many operations are always inlined: a call costs as much.
    pub tiny: usize,
    /// Instructions for all copies of lane-wise functions that are not tiny.
    pub lane_wise: usize,
}

impl Budget {
    /// Everything is inlined that can be.
    pub const UNLIMITED: Budget = Budget { chunks: 1, tiny: usize::MAX, lane_wise: usize::MAX };

    /// What the options ask for.
    pub fn new(options: &Options) -> Budget {
        let width = options.subgroup_size as usize;
        let chunks = if options.scalar || width < 4 { width } else { width / 4 };
        match options.opt {
            OptLevel::None => Budget { chunks, tiny: 8, lane_wise: 0 },
            OptLevel::Speed => Budget { chunks, tiny: 12, lane_wise: 600 },
        }
    }
}

/// Own operations of a function, those in constructs too.
fn size(function: &Function) -> usize {
    let mut ops = 0;
    function.for_each_op(function.body, &mut |_, _| ops += 1);
    ops
}

/// The functions that are called and not inlined. `order`: what the roots reach, callees before callers.
pub(super) fn kept(module: &Module, functions: &Functions, order: &[FuncId], budget: Budget) -> EntitySet<FuncId> {
    let mut kept = EntitySet::new();
    // Where a function would be copied to; a root is there once by itself.
    let mut sites: SecondaryMap<FuncId, usize> = SecondaryMap::new();
    let mut lane_wise = vec![];
    for &id in order.iter().rev() {
        if functions.lane_wise(id) && sites[id] > 0 {
            let copies = sites[id].saturating_mul(budget.chunks);
            lane_wise.push((copies.saturating_mul(size(&module.functions[id])), id));
        }
        let copies = sites[id].max(1);
        for (callee, _) in callees(&module.functions[id]) {
            sites[callee] = sites[callee].saturating_add(copies);
        }
    }
    // The cheapest first, so that as many calls as possible are gone.
    lane_wise.sort_unstable();
    let mut spent = 0usize;
    for (cost, id) in lane_wise {
        if size(&module.functions[id]) <= budget.tiny {
            continue;
        }
        match spent.checked_add(cost).filter(|&sum| sum <= budget.lane_wise) {
            Some(sum) => spent = sum,
            None => {
                kept.insert(id);
            }
        }
    }
    kept
}
