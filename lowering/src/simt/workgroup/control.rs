//! Control flow at workgroup level: regions, exits, and constructs that all of the workgroup takes together.
//!
//! Values go to arguments and results in memory in the segment before; those in registers are Cranelift variables.

use super::super::control::CompVars;
use super::super::emit::Emitter;
use super::segment::{End, Lanes};
use crate::analysis::barriers::Piece;
use crate::ir::{Loop, OpId, OpKind, RegionId, Selection, Terminator, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder};

/// A construct at workgroup level that is being emitted.
pub(super) struct WorkgroupFrame {
    pub op: OpId,
    end: clif::Block,
    results: Vec<Value>,
    result_vars: Vec<Vec<CompVars>>,
    /// Loops: the continue region's block, its arguments in registers.
    cont: Option<(clif::Block, Vec<Vec<CompVars>>)>,
    /// Switches: number of the case that follows the one being emitted.
    pub next_case: Option<usize>,
}

fn outside() -> Error {
    Error::Internal("a terminator outside of its construct".into())
}

impl<'a> Emitter<'a> {
    /// Emits a region at workgroup level, and its terminator. Says whether control goes on behind it.
    pub(super) fn workgroup_region(&mut self, region: RegionId) -> Result<bool> {
        let plan = self.state()?.plan;
        let pieces = plan.pieces(region).ok_or_else(|| Error::Internal("a region without a plan".into()))?;
        for (i, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Run { segment, ops, last } => {
                    let (once, rest): (Vec<OpId>, Vec<OpId>) = ops.iter().partition(|&&op| plan.once(op));
                    for op in once {
                        self.op(op)?;
                    }
                    let mut end = End::default();
                    if let Some(Piece::Construct(op)) = pieces.get(i + 1)
                        && plan.entry_segment(*op) == *segment
                    {
                        end = self.entry_of(*op)?;
                    }
                    if *last {
                        end = end.then(self.end_of(region)?);
                    }
                    self.segment(*segment, &rest, end)?;
                }
                Piece::Barrier(op) => self.barrier(*op),
                Piece::Construct(op) => {
                    let entry = plan.entry_segment(*op);
                    let before = i.checked_sub(1).map(|i| &pieces[i]);
                    if !matches!(before, Some(Piece::Run { segment, .. }) if *segment == entry) {
                        let end = self.entry_of(*op)?;
                        self.segment(entry, &[], end)?;
                    }
                    self.workgroup_construct(*op)?;
                }
            }
        }
        self.workgroup_terminator(region)
    }

    /// `OpControlBarrier`: all subgroups are through what was before. Memory of the workgroup needs nothing more, since one
    /// thread runs it; a wider scope does.
    fn barrier(&mut self, op: OpId) {
        let func = self.func;
        if let OpKind::Inst(inst) = &func.ops[op].kind {
            self.memory_barrier(inst.operands.get(1).copied());
        }
    }

    /// What the segment before a construct does for it.
    fn entry_of(&mut self, op: OpId) -> Result<End> {
        let func = self.func;
        let end = match &func.ops[op].kind {
            OpKind::Loop(l) => End::default().pass(&l.init, &func.regions[l.header].args, Lanes::All, false),
            _ => End::default(),
        };
        Ok(if self.is_masked(op)? { end.then(self.masked_entry(op)?) } else { end })
    }

    fn frame_at(&mut self, label: OpId) -> Result<usize> {
        self.state()?.frames.iter().rposition(|f| f.op == label).ok_or_else(outside)
    }

    fn own_frame(&mut self) -> Result<usize> {
        self.state()?.frames.len().checked_sub(1).ok_or_else(outside)
    }

    /// The loop that the frame at `at` is of.
    fn loop_at(&mut self, at: usize) -> Result<Option<&'a Loop>> {
        let (func, op) = (self.func, self.state()?.frames[at].op);
        Ok(match &func.ops[op].kind {
            OpKind::Loop(l) => Some(l),
            _ => None,
        })
    }

    /// What the last segment of a region does for its terminator.
    fn end_of(&mut self, region: RegionId) -> Result<End> {
        let func = self.func;
        match &func.regions[region].end {
            Terminator::Merge(values) => {
                let own = self.own_frame()?;
                self.leave(own, values, Lanes::All)
            }
            Terminator::Break(label, values) => {
                let at = self.frame_at(*label)?;
                self.leave(at, values, Lanes::All)
            }
            Terminator::Continue(label, values) => {
                let at = self.frame_at(*label)?;
                self.go_on(at, values)
            }
            Terminator::Fallthrough(values) => {
                let own = self.own_frame()?;
                match self.loop_at(own)? {
                    Some(l) if l.body == region => self.go_on(own, values),
                    // From a header control just goes on to the body.
                    Some(_) => Ok(End::default()),
                    None => self.fall(own, values),
                }
            }
            Terminator::Reenter(values) => {
                let own = self.own_frame()?;
                self.reenter(own, values, Lanes::All)
            }
            Terminator::Condition { cond, exit } => {
                let own = self.own_frame()?;
                match self.is_masked_at(own)? {
                    true => Ok(self.leave(own, exit, Lanes::Unless(*cond))?.then(self.stay(own, Lanes::If(*cond))?)),
                    // Values go on behind the test, in segments of their own.
                    false => Ok(End::default()),
                }
            }
            Terminator::ReenterIf { cond, again, exit } => {
                let own = self.own_frame()?;
                match self.is_masked_at(own)? {
                    true => {
                        let left = self.leave(own, exit, Lanes::Unless(*cond))?;
                        Ok(left.then(self.reenter(own, again, Lanes::If(*cond))?))
                    }
                    false => Ok(End::default()),
                }
            }
            Terminator::Return(_) | Terminator::Kill | Terminator::Unreachable => Ok(End::default()),
        }
    }

    /// Lanes leave to the end of the frame at `at`.
    fn leave(&mut self, at: usize, values: &[Value], lanes: Lanes) -> Result<End> {
        let frame = &self.state()?.frames[at];
        let (op, results) = (frame.op, frame.results.clone());
        let masked = self.is_masked(op)?;
        let end = End::default().pass(values, &results, lanes, masked);
        Ok(if masked { end.then(self.masked_leave(op, lanes)?) } else { end })
    }

    /// Lanes go to the continue region of the frame at `at`.
    fn go_on(&mut self, at: usize, values: &[Value]) -> Result<End> {
        let func = self.func;
        let l = self.loop_at(at)?.ok_or_else(outside)?;
        let op = self.state()?.frames[at].op;
        let masked = self.is_masked(op)?;
        let end = End::default().pass(values, &func.regions[l.cont].args, Lanes::All, masked);
        Ok(if masked { end.then(self.masked_continue(op)?) } else { end })
    }

    /// Lanes go back to the header.
    fn reenter(&mut self, at: usize, values: &[Value], lanes: Lanes) -> Result<End> {
        let func = self.func;
        let l = self.loop_at(at)?.ok_or_else(outside)?;
        let end = End::default().pass(values, &func.regions[l.header].args, Lanes::All, false);
        Ok(if self.is_masked_at(at)? { end.then(self.stay(at, lanes)?) } else { end })
    }

    fn stay(&mut self, at: usize, lanes: Lanes) -> Result<End> {
        let op = self.state()?.frames[at].op;
        self.masked_stay(op, lanes)
    }

    pub(super) fn is_masked(&mut self, op: OpId) -> Result<bool> {
        Ok(self.state()?.plan.masked(op))
    }

    fn is_masked_at(&mut self, at: usize) -> Result<bool> {
        let op = self.state()?.frames[at].op;
        self.is_masked(op)
    }

    /// The branch that ends a region. Says whether control goes on behind it.
    fn workgroup_terminator(&mut self, region: RegionId) -> Result<bool> {
        let func = self.func;
        match &func.regions[region].end {
            Terminator::Merge(values) => {
                let own = self.own_frame()?;
                self.jump_to_end(own, values)?;
                Ok(false)
            }
            Terminator::Break(label, values) => {
                let at = self.frame_at(*label)?;
                self.jump_to_end(at, values)?;
                Ok(false)
            }
            Terminator::Continue(label, values) => {
                let at = self.frame_at(*label)?;
                self.jump_to_continue(at, values)?;
                Ok(false)
            }
            Terminator::Fallthrough(values) => {
                let own = self.own_frame()?;
                match self.loop_at(own)? {
                    Some(l) if l.body == region => self.jump_to_continue(own, values)?,
                    Some(_) => return Ok(true),
                    None => self.jump_to_join()?,
                }
                Ok(false)
            }
            Terminator::Condition { cond, exit } | Terminator::ReenterIf { cond, exit, .. } => {
                let own = self.own_frame()?;
                match self.is_masked_at(own)? {
                    true => self.masked_test(own)?,
                    false => self.workgroup_test(region, *cond, exit)?,
                }
                Ok(true)
            }
            // The loop's own code goes on from here.
            Terminator::Reenter(_) => Ok(true),
            Terminator::Return(_) | Terminator::Kill | Terminator::Unreachable => {
                self.jump_to_join()?;
                Ok(false)
            }
        }
    }

    /// All lanes of the innermost masked region have left it.
    fn jump_to_join(&mut self) -> Result<()> {
        let join = self.state()?.joins.last().copied().ok_or_else(outside)?;
        self.legal.ins().jump(join, &[]);
        Ok(())
    }

    fn jump_to_end(&mut self, at: usize, values: &[Value]) -> Result<()> {
        if self.is_masked_at(at)? {
            return self.jump_to_join();
        }
        let frame = &self.state()?.frames[at];
        let (vars, block) = (frame.result_vars.clone(), frame.end);
        self.pass_registers(values, &vars)?;
        self.legal.ins().jump(block, &[]);
        Ok(())
    }

    fn jump_to_continue(&mut self, at: usize, values: &[Value]) -> Result<()> {
        if self.is_masked_at(at)? {
            return self.jump_to_join();
        }
        let (block, vars) = self.state()?.frames[at].cont.clone().ok_or_else(outside)?;
        self.pass_registers(values, &vars)?;
        self.legal.ins().jump(block, &[]);
        Ok(())
    }

    /// Passes values to arguments and results that are in registers; those in memory have been passed by a segment.
    fn pass_registers(&mut self, values: &[Value], vars: &[Vec<CompVars>]) -> Result<()> {
        let kept: Vec<(Value, Vec<CompVars>)> =
            values.iter().copied().zip(vars.iter().cloned()).filter(|(_, v)| !v.is_empty()).collect();
        let (values, vars): (Vec<Value>, Vec<Vec<CompVars>>) = kept.into_iter().unzip();
        self.pass(&values, &vars, None)
    }

    /// Variables for the values that are in registers; none for those in memory.
    fn register_vars(&mut self, values: &[Value]) -> Result<Vec<Vec<CompVars>>> {
        let plan = self.state()?.plan;
        values.iter().map(|&v| if plan.in_memory(v) { Ok(vec![]) } else { self.declare(v) }).collect()
    }

    fn bind_registers(&mut self, values: &[Value], vars: &[Vec<CompVars>]) {
        for (&value, vars) in values.iter().zip(vars) {
            if !vars.is_empty() {
                self.bind(&[value], std::slice::from_ref(vars));
            }
        }
    }

    /// A loop's test: leaves it when the condition fails.
    fn workgroup_test(&mut self, region: RegionId, cond: Value, exit: &[Value]) -> Result<()> {
        let cond = self.uniform_cond(cond)?;
        let [out, stay] = std::array::from_fn(|_| self.legal.builder.create_block());
        self.legal.ins().brif(cond, stay, &[], out, &[]);
        self.start(out);
        let own = self.own_frame()?;
        let state = self.state()?;
        let segment = state.plan.exit_segment(region);
        let frame = &state.frames[own];
        let (results, vars, end) = (frame.results.clone(), frame.result_vars.clone(), frame.end);
        self.segment(segment, &[], End::default().pass(exit, &results, Lanes::All, false))?;
        self.pass_registers(exit, &vars)?;
        self.legal.ins().jump(end, &[]);
        self.start(stay);
        self.workgroup_builtins();
        Ok(())
    }

    /// A masked loop's test: leaves it when no lane stays.
    fn masked_test(&mut self, own: usize) -> Result<()> {
        let op = self.state()?.frames[own].op;
        let stays = self.stays(op)?;
        self.leave_if_none(stays)
    }

    fn uniform_cond(&mut self, cond: Value) -> Result<clif::Value> {
        let cond = self.scalar(cond)?;
        cond.uniform().ok_or_else(|| Error::Internal("a workgroup-level condition is not uniform".into()))
    }

    /// A construct at workgroup level; the segment before it has been emitted.
    fn workgroup_construct(&mut self, op: OpId) -> Result<()> {
        let func = self.func;
        let results: Vec<Value> = func.ops[op].results.to_vec();
        let result_vars = self.register_vars(&results)?;
        let end = self.legal.builder.create_block();
        self.state()?.frames.push(WorkgroupFrame {
            op,
            end,
            results: results.clone(),
            result_vars: result_vars.clone(),
            cont: None,
            next_case: None,
        });
        let masked = self.is_masked(op)?;
        match &func.ops[op].kind {
            OpKind::Selection(s) if masked => self.masked_selection(op, s, end)?,
            OpKind::Loop(l) if masked => self.masked_loop(op, l, end)?,
            OpKind::Switch(s) => self.masked_switch(op, s, end)?,
            OpKind::Selection(s) => self.workgroup_selection(s)?,
            OpKind::Loop(l) => self.workgroup_loop(l)?,
            _ => return Err(Error::Internal("a construct that the barrier plan does not know".into())),
        }
        self.state()?.frames.pop();
        self.start(end);
        self.workgroup_builtins();
        if masked {
            self.after_masked(op)?;
        }
        self.bind_registers(&results, &result_vars);
        Ok(())
    }

    fn workgroup_selection(&mut self, s: &Selection) -> Result<()> {
        let cond = self.uniform_cond(s.cond)?;
        let [then_block, else_block] = std::array::from_fn(|_| self.legal.builder.create_block());
        self.legal.ins().brif(cond, then_block, &[], else_block, &[]);
        for (block, region) in [(then_block, s.then_region), (else_block, s.else_region)] {
            self.start(block);
            self.workgroup_builtins();
            self.workgroup_region(region)?;
        }
        Ok(())
    }

    fn workgroup_loop(&mut self, l: &'a Loop) -> Result<()> {
        let func = self.func;
        let header_args = &func.regions[l.header].args;
        let arg_vars = self.register_vars(header_args)?;
        self.pass_registers(&l.init, &arg_vars)?;
        let cont_args = func.regions[l.cont].args.clone();
        let cont_vars = self.register_vars(&cont_args)?;
        let [header, cont] = std::array::from_fn(|_| self.legal.builder.create_block());
        if let Some(frame) = self.state()?.frames.last_mut() {
            frame.cont = Some((cont, cont_vars.clone()));
        }
        self.legal.ins().jump(header, &[]);
        self.legal.builder.switch_to_block(header);
        self.workgroup_builtins();
        self.bind_registers(header_args, &arg_vars);
        if self.polls(l) {
            self.poll_interrupt();
        }
        if self.workgroup_region(l.header)? {
            self.bodies.push(l);
            let body = self.workgroup_region(l.body);
            self.bodies.pop();
            body?;
            self.start(cont);
            self.workgroup_builtins();
            self.bind_registers(&cont_args, &cont_vars);
            if self.workgroup_region(l.cont)? {
                self.back_to_header(l, &arg_vars)?;
                self.legal.ins().jump(header, &[]);
            }
        }
        self.legal.builder.seal_block(header);
        Ok(())
    }

    /// Values go to the header's arguments.
    fn back_to_header(&mut self, l: &Loop, arg_vars: &[Vec<CompVars>]) -> Result<()> {
        let func = self.func;
        if let Terminator::ReenterIf { again, .. } = &func.regions[l.cont].end {
            let segment = self.state()?.plan.again_segment(l.cont);
            let end = End::default().pass(again, &func.regions[l.header].args, Lanes::All, false);
            self.segment(segment, &[], end)?;
        }
        if let Terminator::Reenter(again) | Terminator::ReenterIf { again, .. } = &func.regions[l.cont].end {
            self.pass_registers(again, arg_vars)?;
        }
        Ok(())
    }
}
