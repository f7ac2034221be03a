//! Blocks and merge instructions → regions (SPIR-V specification, §2.11 "Structured Control Flow").
//!
//! The walk starts at the entry block and follows branches, with a stack of the constructs that it is in. A branch target
//! is one of: an exit of the innermost construct, an exit of one further out, or the next block of the same region. After a
//! construct the walk goes on at its merge block, in the region that holds the construct, if anything reaches that block.
//! So each block that can be reached is placed once; a second arrival means that the control flow is not structured.
//!
//! A conditional branch without a merge instruction becomes a selection of which one side is an exit; the other side goes
//! on in the same region.

use super::function::{Block, FunctionLifter};
use super::source::Inst;
use crate::error::Result;
use crate::ir::{self, Loop, MAX_NESTING, OpId, OpKind, Opcode, RegionId, Scalar, Selection, Terminator, Type, Value};
use crate::work;
use smallvec::{SmallVec, smallvec};
use spirv::Op;
use std::collections::HashSet;

/// Which region of a loop is being filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Header,
    Body,
    Continue,
}

/// What a construct is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Selection,
    /// With the label of the case after the one being filled.
    Switch {
        next: Option<u32>,
    },
    Loop {
        header: u32,
        cont: u32,
        part: Part,
    },
}

/// A construct that is being filled.
#[derive(Clone, Debug)]
pub(super) struct Construct {
    pub op: OpId,
    pub kind: Kind,
    pub merge: u32,
    /// Something leaves to the merge block.
    pub merged: bool,
    /// Something goes to the continue target.
    pub continued: bool,
    /// The block whose conditional branch ends the header region of a loop, and where it goes on.
    pub test: Option<u32>,
    pub body: Option<u32>,
}

/// How a branch leaves its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// On to the next region of the own construct.
    Fallthrough,
    /// Out of the own construct.
    Merge,
    /// Back to the header of the own loop.
    Reenter,
    Break(OpId),
    Continue(OpId),
    /// A branch that regions cannot express: the message says why.
    Wrong(&'static str),
}

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Exit(Exit),
    Block(u32),
}

impl FunctionLifter<'_, '_> {
    /// Fills a region, from a block on.
    pub fn blocks(&mut self, region: RegionId, first: u32) -> Result<()> {
        let mut next = Some(first);
        while let Some(label) = next {
            let block = self.place(label)?;
            next = match block.merge {
                Some(merge) if merge.is(Op::LoopMerge) => self.loop_construct(region, label, &block, &merge)?,
                _ => {
                    self.contents(&block, region)?;
                    self.terminator(region, label, &block)?
                }
            };
        }
        Ok(())
    }

    /// Fills a region that a branch enters: from a block on, or with an exit only.
    pub fn arm(&mut self, region: RegionId, target: u32, end: &Inst) -> Result<()> {
        self.set_open(region, true);
        if let Some(block) = self.go(region, target, end)? {
            self.blocks(region, block)?;
        }
        self.set_open(region, false);
        Ok(())
    }

    /// Takes a block that no region has yet.
    fn place(&mut self, label: u32) -> Result<Block> {
        let src = self.lifter.src;
        let loc = src.def(label).map(|i| i.loc).unwrap_or_default();
        let Some(block) = self.blocks.get(&label) else {
            return Err(src.invalid(loc, format!("%{label} is no block of this function")));
        };
        if !self.placed.insert(label) {
            let what = "control flow is not structured: this block is entered by branches that no construct joins";
            return Err(src.invalid(loc, what));
        }
        Ok(block.clone())
    }

    fn contents(&mut self, block: &Block, region: RegionId) -> Result<()> {
        self.load_phis(block.phis.clone(), region)?;
        for index in block.body.clone() {
            let inst = self.lifter.src.insts[index];
            self.instruction(&inst, region)?;
        }
        Ok(())
    }

    /// Where a branch from the region being filled goes.
    pub fn resolve(&self, target: u32) -> Target {
        work::add(1);
        for (depth, construct) in self.stack.iter().rev().enumerate() {
            let own = depth == 0;
            if target == construct.merge {
                return Target::Exit(if own { Exit::Merge } else { Exit::Break(construct.op) });
            }
            let exit = match construct.kind {
                Kind::Switch { next } if next == Some(target) && own => Exit::Fallthrough,
                Kind::Switch { next } if next == Some(target) => {
                    Exit::Wrong("a case falls through from within a nested construct")
                }
                Kind::Loop { header, part: Part::Continue, .. } if target == header && own => Exit::Reenter,
                Kind::Loop { header, part: Part::Continue, .. } if target == header => {
                    Exit::Wrong("a loop is entered again from within a nested construct")
                }
                Kind::Loop { cont, part: Part::Body, .. } if target == cont && own => Exit::Fallthrough,
                Kind::Loop { cont, part: Part::Body | Part::Header, .. } if target == cont => {
                    Exit::Continue(construct.op)
                }
                Kind::Loop { header, .. } if target == header => {
                    Exit::Wrong("a branch to the header of a loop from outside its continue construct")
                }
                Kind::Loop { cont, .. } if target == cont => {
                    Exit::Wrong("a branch to the continue target of a loop from its continue construct")
                }
                _ => continue,
            };
            return Target::Exit(exit);
        }
        Target::Block(target)
    }

    /// The terminator for an exit; its construct learns of it.
    fn exit(&mut self, exit: Exit, end: &Inst) -> Result<Terminator> {
        let own = self.stack.last_mut();
        Ok(match (exit, own) {
            (Exit::Wrong(what), _) => {
                let what = format!("control flow is not structured: {what}");
                return Err(self.lifter.src.invalid(end.loc, what));
            }
            (Exit::Fallthrough, own) => {
                own.into_iter().for_each(|c| c.continued = true);
                Terminator::Fallthrough(vec![])
            }
            (Exit::Merge, own) => {
                own.into_iter().for_each(|c| c.merged = true);
                Terminator::Merge(vec![])
            }
            (Exit::Reenter, _) => Terminator::Reenter(vec![]),
            (Exit::Break(op), _) => {
                self.stack.iter_mut().filter(|c| c.op == op).for_each(|c| c.merged = true);
                Terminator::Break(op, vec![])
            }
            (Exit::Continue(op), _) => {
                self.stack.iter_mut().filter(|c| c.op == op).for_each(|c| c.continued = true);
                Terminator::Continue(op, vec![])
            }
        })
    }

    /// A branch at the end of a region: the block to go on with, or `None` when the region has ended.
    fn go(&mut self, region: RegionId, target: u32, end: &Inst) -> Result<Option<u32>> {
        match self.resolve(target) {
            Target::Block(block) => Ok(Some(block)),
            Target::Exit(exit) => {
                let terminator = self.exit(exit, end)?;
                self.end(region, terminator, end.loc);
                Ok(None)
            }
        }
    }

    /// The end of a block: the block to go on with in the same region, or `None` when the region has ended.
    fn terminator(&mut self, region: RegionId, label: u32, block: &Block) -> Result<Option<u32>> {
        let end = block.end;
        self.store_phis(label, block, region)?;
        let merge = match block.merge {
            Some(merge) if merge.is(Op::SelectionMerge) => Some(merge),
            _ => None,
        };
        let terminator = match end.op() {
            Some(Op::Branch) if merge.is_none() => return self.go(region, self.lifter.src.word(&end, 0)?, &end),
            Some(Op::BranchConditional) => return self.conditional(region, label, merge, &end),
            Some(Op::Switch) => return self.switch(region, merge, &end),
            Some(Op::Return) => Terminator::Return(None),
            Some(Op::ReturnValue) => {
                let id = self.lifter.src.word(&end, 0)?;
                Terminator::Return(Some(self.value(id, region, &end)?))
            }
            Some(Op::Kill | Op::TerminateInvocation) => Terminator::Kill,
            Some(Op::Unreachable) => Terminator::Unreachable,
            Some(Op::Branch) => {
                return Err(self.lifter.src.invalid(end.loc, "OpSelectionMerge before an OpBranch"));
            }
            _ => {
                let reason = "this terminator has no meaning for the shaders that are compiled here";
                return Err(self.lifter.src.unsupported(end.loc, end.name(), reason));
            }
        };
        self.check_return(&terminator, &end)?;
        self.end(region, terminator, end.loc);
        Ok(None)
    }

    fn check_return(&self, terminator: &Terminator, end: &Inst) -> Result<()> {
        let given = match terminator {
            Terminator::Return(Some(value)) => Some(self.type_of(*value)),
            Terminator::Return(None) => None,
            _ => return Ok(()),
        };
        let wanted = Some(self.f.result).filter(|&ty| *self.ty(ty) != Type::Void);
        if given == wanted {
            return Ok(());
        }
        Err(self.lifter.src.invalid(end.loc, format!("{} does not fit the function's result type", end.name())))
    }

    fn conditional(&mut self, region: RegionId, label: u32, merge: Option<Inst>, end: &Inst) -> Result<Option<u32>> {
        let src = self.lifter.src;
        let (yes, no) = (src.word(end, 1)?, src.word(end, 2)?);
        let cond = self.value(src.word(end, 0)?, region, end)?;
        if *self.ty(self.type_of(cond)) != Type::Scalar(Scalar::Bool) {
            return Err(src.invalid(end.loc, "the condition of OpBranchConditional must be a boolean"));
        }
        if let Some(merge) = merge {
            return self.selection(region, cond, (yes, no), &merge, end);
        }
        if yes == no {
            return self.go(region, yes, end);
        }
        if let Some(own) = self.stack.last()
            && own.test == Some(label)
        {
            let leaves = own.merge;
            let cond = if no == leaves { cond } else { self.negate(region, cond, end) };
            if let Some(own) = self.stack.last_mut() {
                own.body = Some(if no == leaves { yes } else { no });
                own.merged = true;
            }
            self.end(region, Terminator::Condition { cond, exit: vec![] }, end.loc);
            return Ok(None);
        }
        self.split(region, cond, (yes, no), end)
    }

    /// A conditional branch without a merge instruction: one side at least is an exit.
    fn split(&mut self, region: RegionId, cond: Value, (yes, no): (u32, u32), end: &Inst) -> Result<Option<u32>> {
        let targets = (self.resolve(yes), self.resolve(no));
        let in_continue =
            matches!(self.stack.last(), Some(c) if matches!(c.kind, Kind::Loop { part: Part::Continue, .. }));
        // Exits of the region itself, which a nested region cannot express or expresses less simply.
        let local = |exit: Exit| matches!(exit, Exit::Reenter | Exit::Fallthrough | Exit::Wrong(_));
        let (leaves_if, leave, stay) = match targets {
            (Target::Exit(Exit::Reenter), Target::Exit(Exit::Merge))
            | (Target::Exit(Exit::Merge), Target::Exit(Exit::Reenter))
                if in_continue =>
            {
                let again = targets.0 == Target::Exit(Exit::Reenter);
                let cond = if again { cond } else { self.negate(region, cond, end) };
                self.exit(Exit::Merge, end)?;
                self.end(region, Terminator::ReenterIf { cond, again: vec![], exit: vec![] }, end.loc);
                return Ok(None);
            }
            (Target::Block(_), Target::Block(_)) => {
                let what = "control flow is not structured: a conditional branch without a merge instruction must have one \
                            target that leaves a construct";
                return Err(self.lifter.src.invalid(end.loc, what));
            }
            (Target::Exit(exit), Target::Block(_)) => (true, exit, no),
            (Target::Block(_), Target::Exit(exit)) => (false, exit, yes),
            (Target::Exit(a), Target::Exit(b)) if local(a) => (false, b, yes),
            (Target::Exit(a), Target::Exit(_)) => (true, a, no),
        };
        let leave = match (leave, self.stack.last().map(|c| c.op)) {
            (Exit::Merge, Some(op)) => Exit::Break(op),
            (Exit::Fallthrough, Some(op)) if self.loop_body() == Some(op) => Exit::Continue(op),
            (exit @ (Exit::Break(_) | Exit::Continue(_) | Exit::Wrong(_)), _) => exit,
            _ => Exit::Wrong("this branch leaves a region under a condition"),
        };
        let leave = self.exit(leave, end)?;
        let (then_region, else_region) = (self.f.add_region(end.loc), self.f.add_region(end.loc));
        let (leaving, staying) = if leaves_if { (then_region, else_region) } else { (else_region, then_region) };
        self.end(leaving, leave, end.loc);
        self.end(staying, Terminator::Merge(vec![]), end.loc);
        let selection = Selection { cond, then_region, else_region, control: 0 };
        self.f.push_op(region, OpKind::Selection(selection), &[], end.loc);
        self.go(region, stay, end)
    }

    /// The innermost construct, when its body as a loop is being filled.
    fn loop_body(&self) -> Option<OpId> {
        let own = self.stack.last()?;
        matches!(own.kind, Kind::Loop { part: Part::Body, .. }).then_some(own.op)
    }

    fn negate(&mut self, region: RegionId, cond: Value, end: &Inst) -> Value {
        let inst = ir::Inst {
            opcode: Opcode::Core(Op::LogicalNot),
            operands: smallvec![cond],
            literals: SmallVec::new(),
            flags: 0,
        };
        let ty = self.type_of(cond);
        let op = self.f.push_op(region, OpKind::Inst(inst), &[ty], ir::Loc { id: 0, ..end.loc });
        self.f.ops[op].results[0]
    }

    /// Enters a construct.
    pub fn enter(&mut self, op: OpId, kind: Kind, merge: u32, at: &Inst) -> Result<()> {
        // One level is left for a conditional branch without a merge instruction, which enters nothing.
        if self.stack.len() + 1 >= MAX_NESTING {
            let what = format!("constructs are nested more than {MAX_NESTING} deep; split the function");
            return Err(self.lifter.src.limit(at.loc, what));
        }
        self.stack.push(Construct { op, kind, merge, merged: false, continued: false, test: None, body: None });
        Ok(())
    }

    /// Leaves the innermost construct: the block to go on with in the region that holds it, or `None` when the region has
    /// ended.
    pub fn leave(&mut self, region: RegionId, end: &Inst) -> Result<Option<u32>> {
        match self.stack.pop() {
            Some(construct) if construct.merged => self.go(region, construct.merge, end),
            _ => {
                self.end(region, Terminator::Unreachable, end.loc);
                Ok(None)
            }
        }
    }

    fn selection(
        &mut self,
        region: RegionId,
        cond: Value,
        (yes, no): (u32, u32),
        merge: &Inst,
        end: &Inst,
    ) -> Result<Option<u32>> {
        let (label, control) = (self.lifter.src.word(merge, 0)?, self.lifter.src.word(merge, 1)?);
        let (then_region, else_region) = (self.f.add_region(end.loc), self.f.add_region(end.loc));
        let selection = Selection { cond, then_region, else_region, control };
        let op = self.f.push_op(region, OpKind::Selection(selection), &[], end.loc);
        self.enter(op, Kind::Selection, label, merge)?;
        self.arm(then_region, yes, end)?;
        self.arm(else_region, no, end)?;
        self.leave(region, end)
    }

    fn loop_construct(&mut self, region: RegionId, label: u32, block: &Block, merge: &Inst) -> Result<Option<u32>> {
        let src = self.lifter.src;
        let (leaves, cont, control) = (src.word(merge, 0)?, src.word(merge, 1)?, src.word(merge, 2)?);
        let end = block.end;
        let [header, body, again] = [0; 3].map(|_| self.f.add_region(merge.loc));
        let data = Loop { init: vec![], header, body, cont: again, control };
        let op = self.f.push_op(region, OpKind::Loop(data), &[], merge.loc);
        self.enter(op, Kind::Loop { header: label, cont, part: Part::Header }, leaves, merge)?;
        self.set_open(header, true);
        self.contents(block, header)?;
        let test = self.exit_test(label, leaves, cont);
        if let Some(own) = self.stack.last_mut() {
            own.test = test;
        }
        if test.is_some() {
            if let Some(next) = self.terminator(header, label, block)? {
                self.blocks(header, next)?;
            }
            self.part(Part::Body);
            // Without a start the header region ended before its test: nothing gets to the body.
            if let Some(start) = self.stack.last().and_then(|own| own.body) {
                self.arm(body, start, &end)?;
            }
        } else {
            self.part(Part::Body);
            self.end(header, Terminator::Fallthrough(vec![]), end.loc);
            self.set_open(body, true);
            if let Some(next) = self.terminator(body, label, block)? {
                self.blocks(body, next)?;
            }
            self.set_open(body, false);
        }
        self.continue_region(again, label, cont, merge)?;
        self.set_open(header, false);
        self.leave(region, &end)
    }

    fn part(&mut self, new: Part) {
        if let Some(Construct { kind: Kind::Loop { part, .. }, test, .. }) = self.stack.last_mut() {
            *part = new;
            *test = None;
        }
    }

    fn continue_region(&mut self, region: RegionId, label: u32, cont: u32, merge: &Inst) -> Result<()> {
        self.part(Part::Continue);
        let reached = self.stack.last().is_some_and(|own| own.continued);
        if cont == label || !reached {
            self.end(region, Terminator::Reenter(vec![]), merge.loc);
            return Ok(());
        }
        self.set_open(region, true);
        self.blocks(region, cont)?;
        self.set_open(region, false);
        match self.f.regions[region].end {
            Terminator::Reenter(_) | Terminator::ReenterIf { .. } | Terminator::Unreachable => Ok(()),
            _ => {
                let what = "control flow is not structured: the continue construct of this loop must end in a branch to its \
                            header";
                Err(self.lifter.src.invalid(merge.loc, what))
            }
        }
    }

    /// The block whose conditional branch ends the header region: the first exit test on the way from the header, if
    /// nothing before it goes to the continue target (which sees all values of the header region).
    fn exit_test(&self, header: u32, merge: u32, cont: u32) -> Option<u32> {
        let mut at = header;
        let mut seen = HashSet::new();
        loop {
            if !seen.insert(at) {
                return None;
            }
            let block = self.blocks.get(&at)?;
            let own = at == header;
            at = match (block.merge, block.end.op()?) {
                (Some(inner), _) if !own || inner.is(Op::SelectionMerge) => {
                    let inner = self.lifter.src.word(&inner, 0).ok()?;
                    self.avoids(at, inner, cont).then_some(inner)?
                }
                (_, Op::BranchConditional) => {
                    let tests = block.successors.len() == 2 && block.successors.contains(&merge);
                    return tests.then_some(at);
                }
                (_, Op::Branch) => *block.successors.first()?,
                _ => return None,
            };
            if at == header || at == cont || self.resolve(at) != Target::Block(at) {
                return None;
            }
        }
    }

    /// Does the construct that starts at `from` and merges at `merge` keep away from `cont`?
    pub fn avoids(&self, from: u32, merge: u32, cont: u32) -> bool {
        let mut seen = HashSet::from([from, merge]);
        let mut work = vec![from];
        while let Some(block) = work.pop().and_then(|label| self.blocks.get(&label)) {
            work::add(1);
            for &next in &block.successors {
                if next == cont {
                    return false;
                }
                let stays = !matches!(self.resolve(next), Target::Exit(_));
                if stays && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        true
    }
}
