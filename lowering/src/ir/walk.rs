//! Reading walks over operations and regions, and the limits that keep recursive ones safe.

use crate::work;

use super::function::{Function, OpId, OpKind, RegionId, Terminator, Value};

/// Deepest nesting of constructs that comes out of lifting and inlining.
pub const MAX_NESTING: usize = 1000;
/// Deepest nesting of constructs that the verifier accepts, since transforms nest a little more; recursive walks over regions
/// may rely on it.
pub const MAX_VERIFIED_NESTING: usize = MAX_NESTING + 100;

impl OpKind {
    /// Calls `f` on every value that the operation itself uses (not what its regions use).
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        work::add(1);
        match self {
            OpKind::Inst(inst) => inst.operands.iter().copied().for_each(f),
            OpKind::Variable { init } => init.iter().copied().for_each(f),
            OpKind::Call { args, .. } => args.iter().copied().for_each(f),
            OpKind::Selection(s) => f(s.cond),
            OpKind::Switch(s) => {
                f(s.selector);
                s.cases.iter().flat_map(|c| &c.init).copied().for_each(f);
            }
            OpKind::Loop(l) => l.init.iter().copied().for_each(f),
        }
    }

    /// Is this a selection, switch or loop?
    pub fn is_construct(&self) -> bool {
        matches!(self, OpKind::Selection(_) | OpKind::Switch(_) | OpKind::Loop(_))
    }
}

impl Terminator {
    /// Calls `f` on every value that the terminator uses.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::Fallthrough(v)
            | Terminator::Merge(v)
            | Terminator::Reenter(v)
            | Terminator::Break(_, v)
            | Terminator::Continue(_, v) => v.iter().copied().for_each(f),
            Terminator::Condition { cond, exit } => {
                f(*cond);
                exit.iter().copied().for_each(f);
            }
            Terminator::ReenterIf { cond, again, exit } => {
                f(*cond);
                again.iter().chain(exit).copied().for_each(f);
            }
            Terminator::Return(v) => v.iter().copied().for_each(f),
            Terminator::Kill | Terminator::Unreachable => {}
        }
    }
}

impl Function {
    /// Calls `f` on every operation of a region and of the regions nested in it, in textual order, with the region that
    /// holds the operation.
    pub fn for_each_op(&self, region: RegionId, f: &mut impl FnMut(RegionId, OpId)) {
        work::add(self.regions[region].ops.len() as u64);
        for &op in &self.regions[region].ops {
            f(region, op);
            for inner in self.regions_of(op) {
                self.for_each_op(inner, f);
            }
        }
    }

    /// All regions of the function, outer before inner, in textual order.
    pub fn all_regions(&self) -> Vec<RegionId> {
        let mut regions = vec![self.body];
        self.for_each_op(self.body, &mut |_, op| regions.extend(self.regions_of(op)));
        regions
    }
}
