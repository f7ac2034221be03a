//! Where values go when a region ends: the one place that knows which terminator feeds which arguments or results.

use crate::ir::*;
use smallvec::SmallVec;

/// Which region of its construct a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A side of a selection.
    Side,
    /// Case of that index.
    Case(usize),
    /// Header of a loop.
    Header,
    /// Body of a loop.
    Body,
    /// Continue region of a loop.
    Continue,
}

/// What a list of passed values becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// Results of a construct.
    Results(OpId),
    /// Arguments of the header of a loop.
    Header(OpId),
    /// Arguments of the continue region of a loop.
    Continue(OpId),
    /// Arguments of a case of a switch.
    Case(OpId, usize),
}

impl Target {
    /// The construct.
    pub fn op(self) -> OpId {
        match self {
            Target::Results(op) | Target::Header(op) | Target::Continue(op) | Target::Case(op, _) => op,
        }
    }

    /// The region whose arguments they become; `None` for results.
    pub fn region(self, function: &Function) -> Option<RegionId> {
        match (self, &function.ops[self.op()].kind) {
            (Target::Header(_), OpKind::Loop(l)) => Some(l.header),
            (Target::Continue(_), OpKind::Loop(l)) => Some(l.cont),
            (Target::Case(_, index), OpKind::Switch(s)) => s.cases.get(index).map(|c| c.region),
            _ => None,
        }
    }

    /// The arguments or results.
    pub fn values(self, function: &Function) -> &[Value] {
        match self.region(function) {
            Some(region) => &function.regions[region].args,
            None => &function.ops[self.op()].results,
        }
    }
}

/// The construct that a region belongs to, and as what.
pub(crate) type Own = Option<(OpId, Place)>;

/// Regions of a construct, in order of execution.
pub(crate) fn regions(function: &Function, op: OpId) -> SmallVec<[(RegionId, Place); 3]> {
    match &function.ops[op].kind {
        OpKind::Selection(s) => SmallVec::from_slice(&[(s.then_region, Place::Side), (s.else_region, Place::Side)]),
        OpKind::Switch(s) => s.cases.iter().enumerate().map(|(i, c)| (c.region, Place::Case(i))).collect(),
        OpKind::Loop(l) => {
            SmallVec::from_iter([(l.header, Place::Header), (l.body, Place::Body), (l.cont, Place::Continue)])
        }
        OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. } => SmallVec::new(),
    }
}

/// Calls `f` on every list of values that a construct passes to its regions on entry.
pub(crate) fn for_each_entry(kind: &mut OpKind, op: OpId, mut f: impl FnMut(Target, &mut Vec<Value>)) {
    match kind {
        OpKind::Loop(l) => f(Target::Header(op), &mut l.init),
        OpKind::Switch(s) => {
            s.cases.iter_mut().enumerate().for_each(|(index, case)| f(Target::Case(op, index), &mut case.init));
        }
        _ => {}
    }
}

/// Calls `f` on every list of values that the terminator of a region passes on. (A header passes nothing to its body.)
pub(crate) fn for_each_exit(end: &mut Terminator, own: Own, mut f: impl FnMut(Target, &mut Vec<Value>)) {
    match (end, own) {
        (Terminator::Break(op, values), _) => f(Target::Results(*op), values),
        (Terminator::Continue(op, values), _) => f(Target::Continue(*op), values),
        (Terminator::Merge(values), Some((op, _))) => f(Target::Results(op), values),
        (Terminator::Fallthrough(values), Some((op, Place::Body))) => f(Target::Continue(op), values),
        (Terminator::Fallthrough(values), Some((op, Place::Case(index)))) => f(Target::Case(op, index + 1), values),
        (Terminator::Condition { exit, .. }, Some((op, _))) => f(Target::Results(op), exit),
        (Terminator::Reenter(values), Some((op, _))) => f(Target::Header(op), values),
        (Terminator::ReenterIf { again, exit, .. }, Some((op, _))) => {
            f(Target::Header(op), again);
            f(Target::Results(op), exit);
        }
        _ => {}
    }
}
