//! Regions → blocks (SPIR-V specification, §2.11 "Structured Control Flow").
//!
//! A region becomes the blocks from the one that is open; a construct ends its block with a merge instruction and a branch,
//! and its results are phis of its merge block. What is never reached is not written, but for the blocks that merge
//! instructions name.
//!
//! SPIR-V has fewer exits than the IR: out of the innermost construct, out of the innermost switch through selections, and
//! to the merge block or the continue target of the innermost loop through selections and switches. Any other exit (out of
//! two loops, out of an outer selection) is an *escape*: it stores its number in a variable and what it passes in others,
//! leaves the innermost construct, and the merge block there tests the variable and goes on. Out of a continue construct
//! there is no way at all but its last branch; such an exit is an error.

use super::function::FunctionWriter;
use crate::error::{Error, Result};
use crate::ir::{Loc, Loop, OpId, OpKind, RegionId, Selection, Switch, Terminator, Type, Value};
use spirv::Op;

/// A block that several others branch to, and what each passes.
#[derive(Default)]
pub(super) struct Join {
    label: u32,
    /// Predecessors with the values of the phis.
    edges: Vec<(u32, Vec<u32>)>,
}

/// Which part of its construct is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Of a selection or switch, or the header or body of a loop.
    Inner,
    Header,
    Continue,
}

/// A construct that is being written.
pub(super) struct Frame {
    op: OpId,
    part: Part,
    merge: Join,
    /// Loops: the continue target.
    cont: Join,
    /// Loops: label of the body, and whether the header gets there.
    body: (u32, bool),
    /// Loops: the header, and what the edge back to it passes.
    header: u32,
    back: Option<(u32, Vec<u32>)>,
    /// Switches: the case that comes next.
    next: Option<Join>,
    /// Escapes that leave by way of the merge block.
    pending: Vec<usize>,
}

/// An exit by way of a variable.
pub(super) struct Escape {
    target: OpId,
    continues: bool,
    /// Variables of what it passes, with their types.
    carriers: Vec<(u32, u32)>,
}

/// What a construct is, as far as exits care.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Selection,
    Switch,
    Loop,
}

impl FunctionWriter<'_, '_> {
    /// Writes a region from the open block on.
    pub fn region(&mut self, region: RegionId) -> Result<()> {
        let f = self.f;
        let data = &f.regions[region];
        let at_start = region == f.body;
        for &id in &data.ops {
            if self.block.is_none() {
                // What comes here is never reached.
                return Ok(());
            }
            let op = &f.ops[id];
            match &op.kind {
                OpKind::Selection(s) => self.selection(id, s, op.loc)?,
                OpKind::Switch(s) => self.switch(id, s, op.loc)?,
                OpKind::Loop(l) => self.loop_(id, l, op.loc)?,
                _ => self.plain(op, at_start)?,
            }
        }
        if self.block.is_some() { self.terminator(&data.end, data.end_loc) } else { Ok(()) }
    }

    fn shape(&self, op: OpId) -> Shape {
        match self.f.ops[op].kind {
            OpKind::Loop(_) => Shape::Loop,
            OpKind::Switch(_) => Shape::Switch,
            _ => Shape::Selection,
        }
    }

    /// Ends the header block of a loop where something other than a branch comes next.
    fn settle(&mut self) {
        if self.loop_merge.is_some() {
            let next = self.w.id();
            self.branch(next);
            self.open(next);
        }
    }

    fn loop_merge_first(&mut self) {
        if let Some(words) = self.loop_merge.take() {
            self.code.push(Op::LoopMerge, &words);
        }
    }

    /// Ends the open block with a branch.
    fn branch(&mut self, label: u32) {
        self.loop_merge_first();
        self.code.push(Op::Branch, &[label]);
        self.block = None;
    }

    /// Ends the open block with a conditional branch, without a merge instruction of its own.
    fn branch_if(&mut self, cond: u32, yes: u32, no: u32) {
        self.loop_merge_first();
        self.code.push(Op::BranchConditional, &[cond, yes, no]);
        self.block = None;
    }

    fn here(&self) -> Result<u32> {
        self.block.ok_or_else(|| Error::Internal("code behind a terminator".into()))
    }

    fn own(&mut self) -> Result<&mut Frame> {
        self.frames.last_mut().ok_or_else(|| Error::Internal("a terminator outside of its construct".into()))
    }

    /// Index of the innermost construct.
    fn last(&self) -> Result<usize> {
        let last = self.frames.len().checked_sub(1);
        last.ok_or_else(|| Error::Internal("a terminator outside of its construct".into()))
    }

    /// The join that an exit of the construct at `target` leads to.
    fn join_at(&mut self, target: usize, continues: bool) -> &mut Join {
        let frame = &mut self.frames[target];
        if continues { &mut frame.cont } else { &mut frame.merge }
    }

    /// Notes an edge from the open block with what it passes, and gives its label.
    fn edge(&mut self, target: usize, continues: bool, values: Vec<u32>) -> Result<u32> {
        let here = self.here()?;
        let join = self.join_at(target, continues);
        join.edges.push((here, values));
        Ok(join.label)
    }

    /// Does SPIR-V have a branch from here to the end, or the continue target, of the construct at `target`?
    fn is_direct(&self, target: usize) -> bool {
        let last = self.frames.len() - 1;
        let mut between = self.frames[target + 1..].iter().map(|frame| self.shape(frame.op));
        match self.shape(self.frames[target].op) {
            Shape::Selection => target == last,
            Shape::Switch => between.all(|shape| shape == Shape::Selection),
            // Out of a continue construct there is only its last branch, which is written elsewhere.
            Shape::Loop => between.all(|shape| shape != Shape::Loop) && self.frames[target].part != Part::Continue,
        }
    }

    fn terminator(&mut self, end: &Terminator, loc: Loc) -> Result<()> {
        match end {
            Terminator::Merge(values) => {
                let own = self.last()?;
                self.jump(own, false, values)
            }
            Terminator::Break(op, values) => self.leave(*op, false, values, loc),
            Terminator::Continue(op, values) => self.leave(*op, true, values, loc),
            Terminator::Fallthrough(values) => self.fallthrough(values),
            Terminator::Condition { cond, exit } => {
                let (cond, exit) = (self.value(*cond)?, self.values(exit)?);
                let own = self.last()?;
                self.own()?.body.1 = true;
                let body = self.own()?.body.0;
                let merge = self.edge(own, false, exit)?;
                self.branch_if(cond, body, merge);
                Ok(())
            }
            Terminator::Reenter(values) => {
                let (here, values) = (self.here()?, self.values(values)?);
                let own = self.own()?;
                own.back = Some((here, values));
                let header = own.header;
                self.branch(header);
                Ok(())
            }
            Terminator::ReenterIf { cond, again, exit } => {
                let (here, cond) = (self.here()?, self.value(*cond)?);
                let (again, exit) = (self.values(again)?, self.values(exit)?);
                let own = self.own()?;
                own.back = Some((here, again));
                let header = own.header;
                let index = self.last()?;
                let merge = self.edge(index, false, exit)?;
                self.branch_if(cond, header, merge);
                Ok(())
            }
            Terminator::Return(_) | Terminator::Kill => {
                if self.frames.iter().any(|frame| frame.part == Part::Continue) {
                    return self.no_way_out(loc);
                }
                self.settle();
                self.at(loc);
                match end {
                    Terminator::Return(Some(value)) => {
                        let value = self.value(*value)?;
                        self.code.push(Op::ReturnValue, &[value]);
                    }
                    Terminator::Return(None) => self.code.push(Op::Return, &[]),
                    _ => self.code.push(Op::Kill, &[]),
                }
                self.block = None;
                Ok(())
            }
            Terminator::Unreachable => self.unreachable(),
        }
    }

    fn unreachable(&mut self) -> Result<()> {
        // A continue construct has to lead back to its header from everywhere, though nobody comes there.
        if self.frames.iter().any(|frame| frame.part == Part::Continue) {
            let frame = self.own()?;
            let (part, header, op) = (frame.part, frame.header, frame.op);
            let label = if part == Part::Continue {
                let back = (self.here()?, self.undefined_arguments(op)?);
                self.own()?.back = Some(back);
                header
            } else {
                let (last, nothing) = (self.last()?, self.undefined(op)?);
                self.edge(last, false, nothing)?
            };
            self.branch(label);
            return Ok(());
        }
        self.settle();
        self.code.push(Op::Unreachable, &[]);
        self.block = None;
        Ok(())
    }

    /// Undefined values for the header of a loop.
    fn undefined_arguments(&mut self, op: OpId) -> Result<Vec<u32>> {
        let OpKind::Loop(l) = &self.f.ops[op].kind else { return Ok(vec![]) };
        let args = &self.f.regions[l.header].args;
        args.iter().map(|&arg| self.w.undef(self.f.values[arg].ty)).collect()
    }

    fn no_way_out<T>(&self, loc: Loc) -> Result<T> {
        let reason = "control flow leaves the continue construct of a loop other than by its last branch, for which SPIR-V \
                      has no form";
        self.w.unsupported(loc, "OpLoopMerge", reason)
    }

    /// On to the next region of the own construct.
    fn fallthrough(&mut self, values: &[Value]) -> Result<()> {
        let (here, values) = (self.here()?, self.values(values)?);
        let is_loop = self.frames.last().is_some_and(|frame| self.shape(frame.op) == Shape::Loop);
        let own = self.own()?;
        let label = if is_loop && own.part == Part::Header {
            own.body.1 = true;
            own.body.0
        } else if is_loop {
            own.cont.edges.push((here, values));
            own.cont.label
        } else {
            let Some(next) = &mut own.next else {
                return Err(Error::Internal("the last case falls through".into()));
            };
            next.edges.push((here, values));
            next.label
        };
        self.branch(label);
        Ok(())
    }

    /// A branch to the end or the continue target of the construct at `target`, which SPIR-V has.
    fn jump(&mut self, target: usize, continues: bool, values: &[Value]) -> Result<()> {
        let values = self.values(values)?;
        let label = self.edge(target, continues, values)?;
        self.branch(label);
        Ok(())
    }

    fn target(&self, op: OpId) -> Result<usize> {
        let found = self.frames.iter().rposition(|frame| frame.op == op);
        found.ok_or_else(|| Error::Internal(format!("{op:?} is not around its exit")))
    }

    /// An exit to a labelled construct.
    fn leave(&mut self, op: OpId, continues: bool, values: &[Value], loc: Loc) -> Result<()> {
        let target = self.target(op)?;
        if self.is_direct(target) {
            return self.jump(target, continues, values);
        }
        let escape = self.escape(op, continues, values, loc)?;
        let values = self.values(values)?;
        for (index, value) in values.into_iter().enumerate() {
            let variable = self.escapes[escape].carriers[index].0;
            self.code.push(Op::Store, &[variable, value]);
        }
        let (variable, number) = (self.escape_variable()?, self.w.number(escape as u32 + 1)?);
        self.code.push(Op::Store, &[variable, number]);
        let label = self.hop(escape, loc)?;
        self.branch(label);
        Ok(())
    }

    /// The escape to a construct; made when first needed.
    fn escape(&mut self, op: OpId, continues: bool, values: &[Value], loc: Loc) -> Result<usize> {
        if let Some(found) = self.escapes.iter().position(|e| e.target == op && e.continues == continues) {
            return Ok(found);
        }
        let mut carriers = vec![];
        for &value in values {
            let ty = self.type_of(value);
            if matches!(self.w.module.types[ty], Type::Pointer { .. }) {
                return self.w.unsupported(loc, "OpPhi", "a pointer is passed out of several constructs");
            }
            carriers.push((self.new_variable(ty, None)?, self.w.ty(ty, loc)?));
        }
        self.escapes.push(Escape { target: op, continues, carriers });
        Ok(self.escapes.len() - 1)
    }

    /// The variable that holds the number of the escape that is under way, or 0.
    fn escape_variable(&mut self) -> Result<u32> {
        if let Some(variable) = self.escape_var {
            return Ok(variable);
        }
        let (ty, zero) = (self.w.word_type()?, self.w.number(0)?);
        let variable = self.variable_of(ty, Some(zero))?;
        self.escape_var = Some(variable);
        Ok(variable)
    }

    /// The label by which an escape leaves the innermost construct.
    fn hop(&mut self, escape: usize, loc: Loc) -> Result<u32> {
        let last = self.last()?;
        let own = self.own()?;
        if own.part == Part::Continue {
            return self.no_way_out(loc);
        }
        if !own.pending.contains(&escape) {
            own.pending.push(escape);
        }
        let op = own.op;
        let nothing = self.undefined(op)?;
        self.edge(last, false, nothing)
    }

    /// Undefined results of a construct.
    fn undefined(&mut self, op: OpId) -> Result<Vec<u32>> {
        self.f.ops[op].results.iter().map(|&result| self.w.undef(self.f.values[result].ty)).collect()
    }

    /// Enters a construct.
    fn enter(&mut self, op: OpId) -> u32 {
        let label = self.w.id();
        self.frames.push(Frame {
            op,
            part: Part::Inner,
            merge: Join { label, edges: vec![] },
            cont: Join::default(),
            body: (0, false),
            header: 0,
            back: None,
            next: None,
            pending: vec![],
        });
        label
    }

    /// Leaves the innermost construct and goes on in its merge block.
    fn merge(&mut self, loc: Loc) -> Result<()> {
        let Some(frame) = self.frames.pop() else { return Err(Error::Internal("constructs are not nested".into())) };
        self.open(frame.merge.label);
        if frame.merge.edges.is_empty() {
            return self.unreachable();
        }
        self.phis(&self.f.ops[frame.op].results, &frame.merge.edges, loc)?;
        frame.pending.into_iter().try_for_each(|escape| self.go_on(escape, loc))
    }

    /// Phis for values that several edges bring.
    fn phis(&mut self, values: &[Value], edges: &[(u32, Vec<u32>)], loc: Loc) -> Result<()> {
        for (index, &value) in values.iter().enumerate() {
            let mut words = vec![self.w.ty(self.type_of(value), loc)?, self.define(value)];
            words.extend(edges.iter().flat_map(|(from, passed)| [passed[index], *from]));
            self.w.check_length(&words)?;
            self.code.push(Op::Phi, &words);
        }
        Ok(())
    }

    /// Behind a construct that an escape may have left: if it has, on to its target.
    fn go_on(&mut self, escape: usize, loc: Loc) -> Result<()> {
        let (word, boolean) = (self.w.word_type()?, self.w.bool_type()?);
        let (zero, number) = (self.w.number(0)?, self.w.number(escape as u32 + 1)?);
        let variable = self.escape_variable()?;
        let [under_way, is_this] = [0; 2].map(|_| self.w.id());
        self.code.push(Op::Load, &[word, under_way, variable]);
        self.code.push(Op::IEqual, &[boolean, is_this, under_way, number]);
        let (op, continues) = (self.escapes[escape].target, self.escapes[escape].continues);
        let target = self.target(op)?;
        let label = if self.is_direct(target) {
            let left = self.w.id();
            self.code.push(Op::Select, &[word, left, is_this, zero, under_way]);
            self.code.push(Op::Store, &[variable, left]);
            let mut values = vec![];
            for index in 0..self.escapes[escape].carriers.len() {
                let (carrier, ty) = self.escapes[escape].carriers[index];
                let id = self.w.id();
                self.code.push(Op::Load, &[ty, id, carrier]);
                values.push(id);
            }
            self.edge(target, continues, values)?
        } else {
            self.hop(escape, loc)?
        };
        let rest = self.w.id();
        self.branch_if(is_this, label, rest);
        self.open(rest);
        Ok(())
    }

    fn is_empty(&self, region: RegionId) -> bool {
        let region = &self.f.regions[region];
        region.ops.is_empty() && matches!(region.end, Terminator::Merge(_))
    }

    /// A selection of which one side only leaves a construct, in a way that is direct where no selection is between, and
    /// the other does nothing: a conditional branch without a merge instruction.
    fn leaving(&mut self, s: &Selection) -> Result<bool> {
        let f = self.f;
        let exit = |region: RegionId| match (&f.regions[region].end, f.regions[region].ops.is_empty()) {
            (Terminator::Break(op, values), true) => Some((*op, false, values)),
            (Terminator::Continue(op, values), true) => Some((*op, true, values)),
            _ => None,
        };
        let ((op, continues, values), leaves_if) = match (exit(s.then_region), exit(s.else_region)) {
            (Some(exit), None) if self.is_empty(s.else_region) => (exit, true),
            (None, Some(exit)) if self.is_empty(s.then_region) => (exit, false),
            _ => return Ok(false),
        };
        let Some(target) = self.frames.iter().rposition(|frame| frame.op == op) else { return Ok(false) };
        // With the selection in between, only selections cease to be direct; a loop's own test would look like this.
        if self.shape(op) != Shape::Selection || !self.is_direct(target) || s.control != 0 {
            return Ok(false);
        }
        let (cond, values) = (self.value(s.cond)?, self.values(values)?);
        self.settle();
        let label = self.edge(target, continues, values)?;
        let rest = self.w.id();
        if leaves_if {
            self.branch_if(cond, label, rest);
        } else {
            self.branch_if(cond, rest, label);
        }
        self.open(rest);
        Ok(true)
    }

    fn selection(&mut self, id: OpId, s: &Selection, loc: Loc) -> Result<()> {
        self.settle();
        self.at(loc);
        if self.f.ops[id].results.is_empty() && self.leaving(s)? {
            return Ok(());
        }
        let cond = self.value(s.cond)?;
        let merge = self.enter(id);
        let then_label = self.w.id();
        // A missing side is the merge block itself.
        let missing = self.is_empty(s.else_region);
        let else_label = if missing { merge } else { self.w.id() };
        if let (true, Terminator::Merge(values)) = (missing, &self.f.regions[s.else_region].end) {
            let values = self.values(values)?;
            self.edge(self.last()?, false, values)?;
        }
        self.code.push(Op::SelectionMerge, &[merge, s.control]);
        self.branch_if(cond, then_label, else_label);
        self.open(then_label);
        self.region(s.then_region)?;
        if !missing {
            self.open(else_label);
            self.region(s.else_region)?;
        }
        self.merge(loc)
    }

    fn switch(&mut self, id: OpId, s: &Switch, loc: Loc) -> Result<()> {
        self.settle();
        self.at(loc);
        let selector = self.value(s.selector)?;
        let from = self.here()?;
        let merge = self.enter(id);
        let f = self.f;
        let falls = |index: usize| {
            let before = index.checked_sub(1).and_then(|i| s.cases.get(i));
            before.is_some_and(|case| matches!(f.regions[case.region].end, Terminator::Fallthrough(_)))
        };
        let mut joins = vec![];
        for (index, case) in s.cases.iter().enumerate() {
            let last = index + 1 == s.cases.len();
            // A last case that does nothing is the merge block itself.
            let nothing = last && self.is_empty(case.region) && f.ops[id].results.is_empty() && !falls(index);
            let label = if nothing && case.init.is_empty() { merge } else { self.w.id() };
            joins.push(Join { label, edges: vec![(from, self.values(&case.init)?)] });
        }
        let default = joins.get(s.default).map_or(merge, |join| join.label);
        let mut words = vec![selector, default];
        for (case, join) in s.cases.iter().zip(&joins) {
            for &literal in &case.literals {
                words.extend(self.selector_literal(s.selector, literal));
                words.push(join.label);
            }
        }
        self.w.check_length(&words)?;
        self.code.push(Op::SelectionMerge, &[merge, s.control]);
        self.code.push(Op::Switch, &words);
        self.block = None;
        let mut joins = joins.into_iter();
        let mut own = joins.next();
        for case in &s.cases {
            let Some(join) = own.take() else { break };
            self.own()?.next = joins.next();
            if join.label == merge {
                self.own()?.merge.edges.push((from, vec![]));
                break;
            }
            self.open(join.label);
            // Edges of earlier cases have been added by now.
            self.phis(&f.regions[case.region].args, &join.edges, loc)?;
            self.region(case.region)?;
            own = self.own()?.next.take();
        }
        self.merge(loc)
    }

    fn loop_(&mut self, id: OpId, l: &Loop, loc: Loc) -> Result<()> {
        self.at(loc);
        let f = self.f;
        let init = self.values(&l.init)?;
        let [header, body, cont] = [0; 3].map(|_| self.w.id());
        // A loop in the header block of another starts behind its merge instruction.
        let before = self.here()?;
        self.branch(header);
        self.open(header);
        let merge = self.enter(id);
        let own = self.own()?;
        own.header = header;
        own.body = (body, false);
        own.cont.label = cont;
        own.part = Part::Header;
        // The values of the edge back are not known yet: their places are.
        let mut places = vec![];
        for (&arg, init) in f.regions[l.header].args.iter().zip(init) {
            let words = [self.w.ty(self.type_of(arg), loc)?, self.define(arg), init, before, 0, 0];
            self.code.push(Op::Phi, &words);
            places.push(self.code.0.len() - 2);
        }
        self.loop_merge = Some([merge, cont, l.control]);
        self.at(loc);
        self.region(l.header)?;
        self.own()?.part = Part::Inner;
        if self.own()?.body.1 {
            self.open(body);
            self.region(l.body)?;
        }
        let own = self.own()?;
        own.part = Part::Continue;
        let edges = std::mem::take(&mut own.cont.edges);
        self.open(cont);
        if edges.is_empty() {
            self.branch(header);
        } else {
            self.phis(&f.regions[l.cont].args, &edges, loc)?;
            self.region(l.cont)?;
        }
        let back = match self.own()?.back.take() {
            Some(back) => back,
            None => (cont, self.undefined_arguments(id)?),
        };
        for (place, value) in places.into_iter().zip(back.1) {
            self.code.0[place] = value;
            self.code.0[place + 1] = back.0;
        }
        self.merge(loc)
    }
}
