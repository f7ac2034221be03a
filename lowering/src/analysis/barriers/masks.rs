//! Which constructs at workgroup level need masks, and which values cannot stay in registers there.
//!
//! In: a function cut into pieces, with what is known so far. Out: what was found beyond it; the plan is then made again,
//! until nothing is found. Everything found only ever adds masks and places in memory, so that it ends.
//!
//! - A selection or loop whose condition is not there at workgroup level is *masked*, and every `switch` is.
//! - So is a construct that lanes leave from within a masked one: they leave it one by one.
//! - A loop in which lanes return is masked, so that it ends when no lane is left.
//! - An argument or result in a register must be given values that are there at workgroup level.

use super::{Maker, WORKGROUP};
use crate::ir::{OpId, OpKind, RegionId, Terminator, Value};
use cranelift_entity::EntitySet;

/// What the plan has to heed.
#[derive(Default)]
pub(super) struct Known {
    /// Constructs that need masks.
    pub masked: EntitySet<OpId>,
    /// Arguments and results that must be in memory.
    pub in_memory: EntitySet<Value>,
    /// Something has been added.
    pub grew: bool,
}

impl Known {
    pub fn mask(&mut self, op: OpId) {
        self.grew |= self.masked.insert(op);
    }

    fn demote(&mut self, value: Value) {
        self.grew |= self.in_memory.insert(value);
    }
}

/// Where exits of a region lead.
pub(super) struct Exits {
    /// Out of a construct at workgroup level that is around.
    pub leaves: bool,
    /// Out of the function.
    pub returns: bool,
}

impl Maker<'_> {
    /// The exits of an operation's regions; `around`: constructs that it is in.
    pub(super) fn exits_of(&self, op: OpId, around: &[OpId]) -> Exits {
        let mut exits = Exits { leaves: false, returns: false };
        for region in self.func.regions_of(op) {
            self.exits_of_region(region, around, &mut exits);
        }
        exits
    }

    fn exits_of_region(&self, region: RegionId, around: &[OpId], exits: &mut Exits) {
        let data = &self.func.regions[region];
        for &op in &data.ops {
            for inner in self.func.regions_of(op) {
                self.exits_of_region(inner, around, exits);
            }
        }
        match &data.end {
            Terminator::Break(label, _) | Terminator::Continue(label, _) => exits.leaves |= around.contains(label),
            Terminator::Return(_) | Terminator::Kill => exits.returns = true,
            _ => {}
        }
    }

    /// Follows all exits at workgroup level. `frames`: the constructs around, outermost first.
    pub(super) fn settle(&mut self, region: RegionId, frames: &mut Vec<OpId>) {
        let func = self.func;
        if self.plan.pieces(region).is_none() {
            return;
        }
        let data = &func.regions[region];
        for &op in &data.ops {
            if !self.plan.constructs.contains(op) {
                continue;
            }
            frames.push(op);
            self.settle_entry(op);
            for inner in func.regions_of(op) {
                self.settle(inner, frames);
            }
            frames.pop();
        }
        let Some(&own) = frames.last() else { return };
        match &data.end {
            Terminator::Merge(values) => self.settle_values(values, &func.ops[own].results),
            Terminator::Condition { exit, .. } => self.settle_values(exit, &func.ops[own].results),
            Terminator::Break(label, values) => {
                self.settle_exit(Some(*label), frames);
                self.settle_values(values, &func.ops[*label].results);
            }
            Terminator::Continue(label, values) => {
                self.settle_exit(Some(*label), frames);
                self.settle_continue(*label, values);
            }
            Terminator::Fallthrough(values) => match &func.ops[own].kind {
                OpKind::Loop(l) if l.body == region => self.settle_continue(own, values),
                _ => {}
            },
            Terminator::Reenter(values) => self.settle_again(own, values),
            Terminator::ReenterIf { again, exit, .. } => {
                self.settle_again(own, again);
                self.settle_values(exit, &func.ops[own].results);
            }
            Terminator::Return(_) | Terminator::Kill => self.settle_exit(None, frames),
            Terminator::Unreachable => {}
        }
    }

    fn settle_entry(&mut self, op: OpId) {
        let func = self.func;
        if let OpKind::Loop(l) = &func.ops[op].kind {
            self.settle_values(&l.init, &func.regions[l.header].args);
        }
    }

    fn settle_again(&mut self, op: OpId, values: &[Value]) {
        if let OpKind::Loop(l) = &self.func.ops[op].kind {
            self.settle_values(values, &self.func.regions[l.header].args);
        }
    }

    fn settle_continue(&mut self, op: OpId, values: &[Value]) {
        if let OpKind::Loop(l) = &self.func.ops[op].kind {
            self.settle_values(values, &self.func.regions[l.cont].args);
        }
    }

    /// Lanes leave to the end, or the continue region, of `target` (`None`: out of the function).
    fn settle_exit(&mut self, target: Option<OpId>, frames: &[OpId]) {
        let first = target.and_then(|t| frames.iter().position(|&f| f == t)).map_or(0, |at| at + 1);
        let Some(split) = frames[first..].iter().rposition(|&f| self.known.masked.contains(f)) else { return };
        // Whoever is around the masked construct goes on with those that did not leave.
        match target {
            Some(target) => self.known.mask(target),
            None => {
                self.plan.may_return = true;
                for &frame in &frames[..first + split] {
                    self.settle_loop(frame);
                }
            }
        }
    }

    /// Lanes may leave for good within `op`: if it is a loop, it has to look whether any are left.
    pub(super) fn settle_loop(&mut self, op: OpId) {
        if matches!(self.func.ops[op].kind, OpKind::Loop(_)) {
            self.known.mask(op);
        }
    }

    /// What goes to an argument or result that is kept in a register must be there at workgroup level.
    fn settle_values(&mut self, from: &[Value], to: &[Value]) {
        for (&from, &to) in from.iter().zip(to) {
            let in_register = self.plan.defined_in[to] == WORKGROUP && !self.plan.in_memory(to);
            if in_register && !self.known_once(from) {
                self.known.demote(to);
            }
        }
    }
}
