//! Values that share a place in memory, so that nothing is copied from one to the other.
//!
//! In: a plan with all that crosses. Out: for some values, another one whose place they have.
//!
//! - An argument of a continue region that is reached from the end of the body alone is the value that comes from there.
//! - An argument of a loop's header and the value that goes back to it, where that is made at the end of a segment of the
//!   body and nobody uses the argument in a later one.
//!
//! Masked constructs are left alone: their lanes bring values from several sides.

use super::{Maker, Piece, Segment};
use crate::ir::{Loop, OpId, OpKind, Terminator, Value};

impl Maker<'_> {
    /// Finds what may share places.
    pub(super) fn find_sharing(&mut self) {
        let func = self.func;
        let loops = func.ops.iter().filter_map(|(op, data)| match &data.kind {
            OpKind::Loop(l) if self.plan.constructs.contains(op) && !self.plan.masked(op) => Some((op, l)),
            _ => None,
        });
        let loops: Vec<(OpId, &Loop)> = loops.collect();
        for (op, l) in &loops {
            self.share_at_continue(*op, l);
        }
        // By now all are known that have the place of a header's argument.
        for (op, l) in loops {
            self.share_at_header(op, l);
        }
    }

    fn share_at_continue(&mut self, op: OpId, l: &Loop) {
        let func = self.func;
        if let Terminator::Fallthrough(values) = &func.regions[l.body].end
            && !self.continues_to(op)
        {
            for (&arg, &value) in func.regions[l.cont].args.iter().zip(values) {
                self.share(arg, value);
            }
        }
    }

    fn share_at_header(&mut self, op: OpId, l: &Loop) {
        let func = self.func;
        let Terminator::Reenter(values) = &func.regions[l.cont].end else { return };
        for (&arg, &value) in func.regions[l.header].args.iter().zip(values) {
            let source = self.plan.home(value);
            let once = values.iter().filter(|&&v| self.plan.home(v) == source).count() == 1;
            if let Some(made) = self.made_in(source, op, l)
                && once
                && self.is_done_with(arg, made)
            {
                self.share(source, arg);
            }
        }
    }

    /// The segment at the top of the body of a loop at whose end, or before, `source` is put into its place.
    fn made_in(&self, source: Value, op: OpId, l: &Loop) -> Option<Segment> {
        let runs = self.plan.pieces(l.body)?.iter().filter_map(|piece| match piece {
            Piece::Run { segment, .. } => Some(*segment),
            _ => None,
        });
        if self.func.regions[l.cont].args.contains(&source) {
            return { runs }.next_back().filter(|_| !self.continues_to(op));
        }
        let made = self.plan.defined_in[source];
        runs.into_iter().find(|&segment| segment == made)
    }

    /// Does any exit lead to the continue region of `op`, other than the end of the body?
    fn continues_to(&self, op: OpId) -> bool {
        let to = |end: &Terminator| matches!(end, Terminator::Continue(label, _) if *label == op);
        self.func.regions.values().any(|region| to(&region.end))
    }

    /// Is `arg` used in no segment after `made`?
    fn is_done_with(&self, arg: Value, made: Segment) -> bool {
        let home = self.plan.home(arg);
        let uses = |segment: Segment| self.plan.inputs(segment).loaded.iter().any(|&v| self.plan.home(v) == home);
        // Segments are numbered in the order of the code, but for those before constructs, which come last.
        (made + 1..self.plan.inputs.len() as Segment).all(|segment| !uses(segment))
    }

    /// `value` has the place of `with`.
    fn share(&mut self, value: Value, with: Value) {
        let home = self.plan.home(with);
        let alike = self.func.values[value].ty == self.func.values[home].ty
            && self.table.shapes(value).iter().map(|s| s.held()).eq(self.table.shapes(home).iter().map(|s| s.held()));
        let own = self.plan.home(value) == value && value != home;
        if alike && own && self.plan.in_memory(value) && self.plan.in_memory(home) {
            // Those that have the value's place move with it.
            for other in self.plan.shares.values_mut().filter(|other| **other == value) {
                *other = home;
            }
            self.plan.shares.insert(value, home);
        }
    }
}
