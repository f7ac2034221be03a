//! Early exits become sides of selections.
//!
//! `if (c) return a; …; return b;` of an inlined function is a selection in a wrapper, one side of which breaks out of it.
//! What follows moves into the other side, and both sides merge: then the wrapper is not needed, and short sides can be
//! flattened. An `if (c) continue;` in the body of a loop is treated alike.

use super::super::edges::{Own, Place};
use super::Simplifier;
use crate::ir::*;
use cranelift_entity::packed_option::PackedOption;

/// How many early exits are nested into each other at most.
const MAX_DEPTH: u32 = 64;

/// What is known of a selection that has been made to hold what follows it: nothing follows any more.
#[derive(Clone, Copy, Default)]
pub(super) struct Nested {
    /// The construct further out for which a `Break` does the same.
    pub breaks: PackedOption<OpId>,
    /// The loop for which a `Continue` does the same.
    continues: PackedOption<OpId>,
    /// How many such selections it is in, itself included.
    depth: u32,
}

impl Simplifier<'_> {
    /// If `op`, before `ops[next..]` in `region`, is a selection one side of which leaves as the region does in the end:
    /// moves what follows into its other side.
    pub(super) fn nest(&mut self, op: OpId, region: RegionId, own: Own, ops: &mut Vec<OpId>, next: usize) {
        let (Some((outer, place)), OpKind::Selection(s)) = (own, &self.function.ops[op].kind) else { return };
        let s = s.clone();
        let last_merges = |end: &Terminator| match place {
            Place::Side => !matches!(end, Terminator::Fallthrough(_)),
            Place::Body => matches!(end, Terminator::Fallthrough(_)),
            _ => false,
        };
        let cond = self.subst.get(s.cond);
        let free = self.exits[op].breaks == 0 && self.bits(cond).is_none();
        if !free || self.nested[outer].depth >= MAX_DEPTH || !last_merges(&self.function.regions[region].end) {
            return;
        }
        let leaves = [s.then_region, s.else_region].map(|side| self.leaves_to(side, outer, place));
        let merges =
            [s.then_region, s.else_region].map(|side| matches!(self.function.regions[side].end, Terminator::Merge(_)));
        let other = match (leaves, merges) {
            ([true, true], _) => None,
            ([true, false], [_, true]) => Some(s.else_region),
            ([false, true], [true, _]) => Some(s.then_region),
            _ => return,
        };
        let types: Vec<TypeId> = match (place, &self.function.ops[outer].kind) {
            (Place::Body, OpKind::Loop(l)) => {
                self.function.regions[l.cont].args.iter().map(|&v| self.function.values[v].ty).collect()
            }
            _ => self.function.ops[outer].results.iter().map(|&v| self.function.values[v].ty).collect(),
        };
        let rest = ops.split_off(next);
        let end = std::mem::replace(&mut self.function.regions[region].end, Terminator::Unreachable);
        match other {
            Some(other) => self.append(op, other, rest, end),
            None => {
                self.forget_end(&end);
                rest.into_iter().for_each(|op| self.forget(op));
            }
        }
        for (side, leaves) in [s.then_region, s.else_region].into_iter().zip(leaves) {
            if leaves {
                self.merge_instead(side);
            }
        }
        self.function.ops[op].results.clear();
        let results: Vec<Value> = types.into_iter().map(|ty| self.function.add_result(op, ty)).collect();
        self.function.regions[region].end = match place {
            Place::Body => Terminator::Fallthrough(results),
            _ => Terminator::Merge(results),
        };
        let around = self.nested[outer];
        self.nested[op] = match place {
            Place::Body => Nested { continues: Some(outer).into(), breaks: None.into(), depth: around.depth + 1 },
            _ => Nested { breaks: around.breaks.expand().or(Some(outer)).into(), depth: around.depth + 1, ..around },
        };
    }

    /// Does a side end as the region around its selection does in the end?
    fn leaves_to(&self, side: RegionId, outer: OpId, place: Place) -> bool {
        let around = self.nested[outer];
        match (&self.function.regions[side].end, place) {
            (&Terminator::Break(target, _), Place::Side) => target == outer || around.breaks == Some(target).into(),
            (&Terminator::Continue(target, _), Place::Side) => around.continues == Some(target).into(),
            (&Terminator::Continue(target, _), Place::Body) => target == outer,
            _ => false,
        }
    }

    /// Moves operations and a terminator to the end of a side that merges.
    fn append(&mut self, op: OpId, side: RegionId, rest: Vec<OpId>, end: Terminator) {
        // What follows sees the results of the selection as what this side gives.
        let results = self.function.ops[op].results.clone();
        if let Terminator::Merge(values) = std::mem::replace(&mut self.function.regions[side].end, end) {
            results.iter().zip(values).for_each(|(&result, value)| self.subst.set(result, value));
        }
        let data = &mut self.function.regions[side];
        data.ops.extend(rest);
        if let Terminator::Fallthrough(values) = &mut data.end {
            data.end = Terminator::Merge(std::mem::take(values));
        }
    }

    fn merge_instead(&mut self, side: RegionId) {
        let end = std::mem::replace(&mut self.function.regions[side].end, Terminator::Unreachable);
        self.forget_end(&end);
        if let Terminator::Break(_, values) | Terminator::Continue(_, values) = end {
            self.function.regions[side].end = Terminator::Merge(values);
        }
    }
}
