//! Segments: the same code for one subgroup after the other, and what happens at its end.
//!
//! A segment starts with the subgroup's mask and the values that it needs of other segments. At its end values go to the
//! places of arguments and results, and lanes to the masks of the regions that come next. Subgroups without a lane are
//! skipped; in the masks that the segment sets they have none.

use super::super::cut::Count;
use super::super::emit::Emitter;
use super::super::value::{Chunks, Comps};
use super::places::Place;
use crate::analysis::barriers::{Segment, WORKGROUP};
use crate::analysis::shape::Shape;
use crate::ir::{OpId, OpKind, Scalar, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder};
use cranelift_frontend::Variable;
use smallvec::SmallVec;

/// Some of the lanes that reach the end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    All,
    None,
    /// Those for which a condition holds.
    If(Value),
    /// Those for which it does not.
    Unless(Value),
    /// Those that a `switch` sends to the case with this number.
    Case(OpId, usize),
}

/// Values that go to arguments and results in memory.
pub(super) struct Passes {
    pub from: Vec<Value>,
    pub to: Vec<Value>,
    pub lanes: Lanes,
    /// Other lanes have passed values there, which must stay.
    pub blend: bool,
}

/// Lanes that go to a mask.
#[derive(Clone)]
pub(super) struct Mark {
    pub place: Place,
    pub lanes: Lanes,
    /// They join those that are there; otherwise they are all.
    pub joins: bool,
    /// Collects whether any lane is there, of any subgroup.
    pub any: Option<Variable>,
}

/// What happens at the end of a segment.
#[derive(Default)]
pub(super) struct End {
    pub passes: Vec<Passes>,
    pub marks: Vec<Mark>,
}

impl End {
    pub fn then(mut self, other: End) -> End {
        self.passes.extend(other.passes);
        self.marks.extend(other.marks);
        self
    }

    pub fn pass(mut self, from: &[Value], to: &[Value], lanes: Lanes, blend: bool) -> End {
        self.passes.push(Passes { from: from.to_vec(), to: to.to_vec(), lanes, blend });
        self
    }

    /// The lanes of `place` become these.
    pub fn set(mut self, place: &Place, lanes: Lanes, any: Option<Variable>) -> End {
        self.marks.push(Mark { place: place.clone(), lanes, joins: false, any });
        self
    }

    /// The lanes of `place` become more by these.
    pub fn join(mut self, place: &Place, lanes: Lanes, any: Option<Variable>) -> End {
        self.marks.push(Mark { place: place.clone(), lanes, joins: true, any });
        self
    }
}

/// A value on its way to a place.
struct Passed {
    from: Value,
    place: Place,
    lanes: Lanes,
    blend: bool,
}

impl Emitter<'_> {
    /// A segment: `ops` for one subgroup after the other, then `end`.
    pub(super) fn segment(&mut self, segment: Segment, ops: &[OpId], end: End) -> Result<()> {
        let passes = self.passes_to_memory(&end)?;
        let mut marks = end.marks;
        let state = self.state()?;
        let (plan, exec) = (state.plan, state.exec.clone());
        // Lanes that return do not get to the end.
        let mut left = None;
        if let Some(exec) = &exec
            && ops.iter().any(|&op| plan.returns(op))
            && !marks.iter().any(|m| m.place.is(exec) && !m.joins)
        {
            let ty = self.mask_type();
            left = Some(self.legal.builder.declare_var(ty));
            marks.insert(0, Mark { place: exec.clone(), lanes: Lanes::All, joins: false, any: left });
        }
        if ops.is_empty() && passes.is_empty() && marks.is_empty() {
            return Ok(());
        }
        let cut = if passes.is_empty() && marks.is_empty() { self.cut(ops)? } else { None };
        let range = cut.unwrap_or(self.all_subgroups());
        if matches!((range.from, range.to), (Count::Known(from), Count::Known(to)) if from >= to) {
            return Ok(());
        }
        for mark in marks.iter().filter(|m| !m.joins) {
            self.clear_mask(mark.any.as_slice());
        }
        self.legal.stats.segments += 1;
        self.state()?.current = segment;
        let open = self.open_subgroups(range);
        // Lanes of the marks; set before anything can jump to the end.
        let lanes: Vec<SmallVec<[Variable; 2]>> = marks.iter().map(|_| self.mask_vars()).collect();
        for vars in &lanes {
            self.clear_mask(vars);
        }
        let first = self.first_invocation();
        match &exec {
            Some(exec) => {
                let mask = self.load_mask(exec);
                self.set_exec(&mask);
                self.skip_if_empty();
            }
            None => self.starting_mask(first),
        }
        self.builtins(first)?;
        self.segment_inputs(segment)?;
        for (i, &op) in ops.iter().enumerate() {
            self.op(op)?;
            self.keep_results(op)?;
            let ends = i + 1 == ops.len() && passes.is_empty();
            if self.table.leaks(op) && !ends {
                self.skip_if_empty();
            }
        }
        let mut held = vec![];
        for passed in &passes {
            held.push(self.passed(passed)?);
        }
        for (passed, held) in passes.iter().zip(held) {
            self.store_place(&passed.place, &held);
        }
        for (mark, vars) in marks.iter().zip(&lanes) {
            let mask = self.lanes_of(mark.lanes)?;
            self.add_to_mask(vars, &mask, false);
        }
        self.legal.ins().jump(open.end, &[]);
        self.start(open.end);
        for (mark, vars) in marks.iter().zip(&lanes) {
            let mask = self.read_mask(vars);
            self.mark(mark, &mask);
        }
        self.finish_subgroups(open);
        self.state()?.current = WORKGROUP;
        self.workgroup_builtins();
        left.map_or(Ok(()), |any| self.leave_if_none(any))
    }

    /// The passes to what is in memory.
    fn passes_to_memory(&mut self, end: &End) -> Result<Vec<Passed>> {
        let state = self.state()?;
        let mut out = vec![];
        for p in &end.passes {
            for (&from, &to) in p.from.iter().zip(&p.to) {
                let there = state.plan.in_memory(from) && state.plan.home(from) == state.plan.home(to);
                if let Some(place) = state.places.get(&to).filter(|_| state.plan.in_memory(to) && !there) {
                    out.push(Passed { from, place: place.clone(), lanes: p.lanes, blend: p.blend });
                }
            }
        }
        Ok(out)
    }

    /// The lanes of the execution mask that are meant.
    fn lanes_of(&mut self, lanes: Lanes) -> Result<Chunks> {
        let within = |e: &mut Self, mask: Chunks| {
            if e.exec.full {
                return mask;
            }
            let exec = e.exec_mask();
            e.mask_and(&exec, &mask)
        };
        Ok(match lanes {
            Lanes::All => self.exec_mask(),
            Lanes::None => self.mask_all(false),
            Lanes::If(cond) => {
                let cond = self.scalar(cond)?;
                let mask = self.mask_of(&cond);
                within(self, mask)
            }
            Lanes::Unless(cond) => {
                let cond = self.scalar(cond)?;
                let mask = self.mask_of(&cond);
                let mask = self.mask_not(&mask);
                within(self, mask)
            }
            Lanes::Case(op, number) => {
                let mask = self.case_lanes(op, number)?;
                within(self, mask)
            }
        })
    }

    /// The lanes whose selector is of a case.
    fn case_lanes(&mut self, op: OpId, number: usize) -> Result<Chunks> {
        let func = self.func;
        let OpKind::Switch(switch) = &func.ops[op].kind else {
            return Err(Error::Internal("a case of what is no switch".into()));
        };
        let scalar = self.scalars(self.type_of(switch.selector))?.first().copied().unwrap_or(Scalar::U32);
        let selector = self.scalar(switch.selector)?;
        let selector = self.chunks(&selector, scalar);
        // The default case takes what no other does.
        let is_default = number == switch.default;
        let cases = switch.cases.iter().enumerate().filter(|&(i, _)| (i == number) != is_default);
        let literals: Vec<u64> = cases.flat_map(|(_, case)| case.literals.iter().copied()).collect();
        let mask = self.lanes_that_are(&literals, &selector, scalar);
        Ok(if is_default { self.mask_not(&mask) } else { mask })
    }

    /// What a value is to be at its place.
    fn passed(&mut self, passed: &Passed) -> Result<Vec<(clif::Value, i32)>> {
        let comps: Comps = self.comps(passed.from)?;
        if !passed.blend {
            return self.held_at(&passed.place, &comps);
        }
        let mask = self.lanes_of(passed.lanes)?;
        let old = self.load_place(&passed.place);
        let parts = passed.place.parts.clone();
        let mut any = None;
        let mut out = vec![];
        for ((new, old), (shape, scalar, at)) in comps.iter().zip(&old).zip(parts) {
            let new = self.in_shape(shape, scalar, new)?;
            let old = self.in_shape(shape, scalar, old)?;
            let chunks = if shape == Shape::Varying {
                self.blend(&mask, &new, &old, scalar)
            } else if passed.lanes == Lanes::All {
                new
            } else {
                // All lanes of a subgroup take the same way.
                let any = match any {
                    Some(any) => any,
                    None => *any.insert(self.mask_any(&mask)),
                };
                new.iter().zip(&old).map(|(&new, &old)| self.legal.ins().select(any, new, old)).collect()
            };
            for (k, chunk) in chunks.into_iter().enumerate() {
                out.push((chunk, (at + k * self.legal.ty(chunk).bytes() as usize) as i32));
            }
        }
        Ok(out)
    }

    /// Puts the lanes of one subgroup into a mask.
    pub(super) fn mark(&mut self, mark: &Mark, lanes: &Chunks) {
        let mut all = lanes.clone();
        if mark.joins {
            let old = self.load_mask(&mark.place);
            all = self.mask_or(&old, lanes);
        }
        self.store_mask(&mark.place, &all);
        if let Some(any) = mark.any {
            let mut joined = self.legal.builder.use_var(any);
            for &chunk in lanes {
                joined = self.legal.ins().bor(joined, chunk);
            }
            self.legal.builder.def_var(any, joined);
        }
    }

    /// Values of other segments that this one uses.
    fn segment_inputs(&mut self, segment: Segment) -> Result<()> {
        let state = self.state()?;
        let inputs = state.plan.inputs(segment).clone();
        let mut loaded = vec![];
        for &value in &inputs.loaded {
            let place = self.state()?.places.get(&value).cloned();
            loaded.push((value, place.ok_or_else(|| Error::Internal(format!("{value:?} has no place")))?));
        }
        for (value, place) in loaded {
            let comps = self.load_place(&place);
            self.values[value] = Some(comps);
            self.note_emitted(value);
        }
        for op in inputs.again {
            self.op(op)?;
        }
        Ok(())
    }

    /// Results that other segments use go to their places.
    fn keep_results(&mut self, op: OpId) -> Result<()> {
        let func = self.func;
        for &result in &func.ops[op].results {
            let state = self.state()?;
            let Some(place) = state.places.get(&result).cloned() else { continue };
            let comps = self.comps(result)?;
            let held = self.held_at(&place, &comps)?;
            self.store_place(&place, &held);
        }
        Ok(())
    }
}
