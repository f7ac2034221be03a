//! Control flow: regions, exits and selections (loops are next door), under branches where lanes travel together and under masks where they do not.
//!
//! What lanes do is known from the uniformity table:
//! - a construct whose exits are taken by all lanes together is branches and blocks;
//! - a construct that lanes leave apart ("divergent") collects them: each exit blends its values into the results, adds
//!   its lanes to the exit mask, and those lanes wait until the construct's end;
//! - a *masked region* is one in which lanes may be missing that come back at its end. When all lanes are gone, control
//!   jumps to the region's *join*. Regions are left early in this way wherever lanes were lost, so a loop never runs on
//!   with an empty mask.
//!
//! Results, region arguments and masks are Cranelift variables, so that they flow through all of these edges by themselves.
//!
//! Model: the mask handling of ispc and of "Whole-Function Vectorization" (Karrenberg and Hack), on regions.

use super::emit::Emitter;
use super::mask::Saved;
use super::value::{Chunks, Comp, Comps};
use crate::analysis::shape::Shape;
use crate::ir::{Loc, OpId, OpKind, RegionId, Scalar, Selection, Terminator, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder};
use cranelift_frontend::Variable;
use smallvec::SmallVec;

/// One component of a region argument or result, in the shape that the table gives it.
#[derive(Clone)]
pub(super) struct CompVars {
    shape: Shape,
    scalar: Scalar,
    vars: SmallVec<[Variable; 2]>,
}

/// A construct that is being emitted.
pub(super) struct Frame {
    pub(super) op: OpId,
    /// Where lanes go that leave together; made when needed.
    pub(super) end: Option<clif::Block>,
    pub(super) results: Vec<Vec<CompVars>>,
    pub(super) divergent: bool,
    /// Lanes that have left, where the construct is divergent or leaks.
    pub(super) exit_mask: SmallVec<[Variable; 2]>,
    /// Exits may already have been taken when another is reached at run time or was emitted before.
    pub(super) blends: bool,
    /// Loops: the arguments of the continue region, and who waits for it.
    pub(super) cont: Vec<Vec<CompVars>>,
    pub(super) cont_mask: SmallVec<[Variable; 2]>,
    pub(super) cont_apart: bool,
    pub(super) cont_block: Option<clif::Block>,
    pub(super) cont_blends: bool,
    /// Switches: the case that follows the one being emitted.
    pub(super) next_case: Option<NextCase>,
}

/// Where a case of a switch falls through to.
#[derive(Clone)]
pub(super) struct NextCase {
    pub args: Vec<Vec<CompVars>>,
    /// Its block, where lanes travel together; else lanes wait in the mask.
    pub block: Option<clif::Block>,
    pub mask: SmallVec<[Variable; 2]>,
}

/// Where control is after a region's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// In an open block: lanes that merged or fell through go on here.
    Open,
    /// In an open block, but the region's lanes have all left for elsewhere.
    Waiting,
    /// The block is closed by a jump.
    Closed,
}

impl<'a> Emitter<'a> {
    /// Declares variables for each leaf of `value`.
    pub(super) fn declare(&mut self, value: Value) -> Result<Vec<CompVars>> {
        let scalars = self.scalars(self.type_of(value))?;
        let shapes: SmallVec<[Shape; 4]> = self.table.shapes(value).into();
        Ok(scalars
            .iter()
            .enumerate()
            .map(|(i, &scalar)| {
                let shape = shapes.get(i).copied().unwrap_or(Shape::Varying).held();
                let (ty, n) = self.held_as(shape, scalar);
                let vars = (0..n).map(|_| self.legal.builder.declare_var(ty)).collect();
                CompVars { shape, scalar, vars }
            })
            .collect())
    }

    pub(super) fn declare_all(&mut self, values: &[Value]) -> Result<Vec<Vec<CompVars>>> {
        values.iter().map(|&v| self.declare(v)).collect()
    }

    pub(super) fn mask_vars(&mut self) -> SmallVec<[Variable; 2]> {
        let ty = self.mask_type();
        (0..self.mask_chunks()).map(|_| self.legal.builder.declare_var(ty)).collect()
    }

    /// The CLIF values that hold `comp` in the shape of `vars`.
    fn shaped(&mut self, vars: &CompVars, comp: &Comp) -> Result<Chunks> {
        self.in_shape(vars.shape, vars.scalar, comp)
    }

    /// The CLIF values that hold `comp` in a shape.
    pub(super) fn in_shape(&mut self, shape: Shape, scalar: Scalar, comp: &Comp) -> Result<Chunks> {
        match (shape.held(), comp) {
            (Shape::Uniform(_), Comp::Uniform(v)) => Ok(smallvec::smallvec![*v]),
            (Shape::Affine(s), Comp::Affine { base, stride }) if s == *stride => Ok(smallvec::smallvec![*base]),
            (Shape::ChunkAffine(s), Comp::ChunkAffine { stride, .. } | Comp::Affine { stride, .. }) if s == *stride => {
                Ok((0..self.width.chunks(scalar)).map(|k| self.chunk_base(comp, k)).collect())
            }
            (Shape::Varying, _) => Ok(self.chunks(comp, scalar)),
            (shape, _) => Err(Error::Internal(format!("a component that was found {shape} is not"))),
        }
    }

    fn define(&mut self, vars: &CompVars, chunks: &Chunks) {
        for (&var, &value) in vars.vars.iter().zip(chunks) {
            self.legal.builder.def_var(var, value);
        }
    }

    fn read(&mut self, vars: &CompVars) -> Comp {
        let chunks: Chunks = vars.vars.iter().map(|&v| self.legal.builder.use_var(v)).collect();
        match vars.shape {
            Shape::Uniform(_) => Comp::Uniform(chunks[0]),
            Shape::Affine(stride) => Comp::Affine { base: chunks[0], stride },
            Shape::ChunkAffine(stride) => Comp::ChunkAffine { bases: chunks, stride },
            Shape::Varying | Shape::Nearly(_) => Comp::Varying(chunks),
        }
    }

    /// Binds values to what their variables hold here.
    pub(super) fn bind(&mut self, values: &[Value], vars: &[Vec<CompVars>]) {
        for (&value, vars) in values.iter().zip(vars) {
            let comps: Comps = vars.iter().map(|v| self.read(v)).collect();
            self.values[value] = Some(comps);
            self.note_emitted(value);
        }
    }

    /// Passes `values` into variables. `mask`: blend the lanes of the mask over what is there. All are computed before any
    /// is set, since values may be arguments that are being set (parallel copy).
    pub(super) fn pass(&mut self, values: &[Value], to: &[Vec<CompVars>], mask: Option<&Chunks>) -> Result<()> {
        let mut new = vec![];
        for (&value, vars) in values.iter().zip(to) {
            let comps = self.comps(value)?;
            for (comp, vars) in comps.iter().zip(vars) {
                let mut chunks = self.shaped(vars, comp)?;
                if let (Shape::Varying, Some(mask)) = (vars.shape, mask) {
                    let old: Chunks = vars.vars.iter().map(|&v| self.legal.builder.use_var(v)).collect();
                    chunks = self.blend(mask, &chunks, &old, vars.scalar);
                }
                new.push((vars.clone(), chunks));
            }
        }
        for (vars, chunks) in new {
            self.define(&vars, &chunks);
        }
        Ok(())
    }

    /// Sets variables to zero, so that no value of an earlier iteration of anything is carried along.
    pub(super) fn clear(&mut self, vars: &[Vec<CompVars>]) {
        for vars in vars.iter().flatten() {
            for &var in &vars.vars {
                let ty = match vars.shape {
                    Shape::Varying => super::legal::Legal::chunk_type(vars.scalar, self.width.lanes(vars.scalar)),
                    _ => super::legal::Legal::scalar_type(vars.scalar),
                };
                let zero = self.zero(ty);
                self.legal.builder.def_var(var, zero);
            }
        }
    }

    /// Zero of a CLIF type.
    pub fn zero(&mut self, ty: clif::Type) -> clif::Value {
        if ty.is_vector() {
            let lane = self.zero(ty.lane_type());
            return self.legal.ins().splat(ty, lane);
        }
        if ty == clif::types::F32 {
            self.legal.ins().f32const(0.0)
        } else if ty == clif::types::F64 {
            self.legal.ins().f64const(0.0)
        } else {
            self.legal.ins().iconst(ty, 0)
        }
    }

    pub(super) fn clear_mask(&mut self, vars: &[Variable]) {
        let zero = self.mask_const(false);
        for &var in vars {
            self.legal.builder.def_var(var, zero);
        }
    }

    pub(super) fn add_to_mask(&mut self, vars: &[Variable], mask: &Chunks, blends: bool) {
        for (k, &var) in vars.iter().enumerate() {
            let mut chunk = mask[k];
            if blends {
                let old = self.legal.builder.use_var(var);
                chunk = self.legal.ins().bor(old, chunk);
            }
            self.legal.builder.def_var(var, chunk);
        }
    }

    pub(super) fn read_mask(&mut self, vars: &[Variable]) -> Chunks {
        vars.iter().map(|&v| self.legal.builder.use_var(v)).collect()
    }

    pub(super) fn frame(&mut self, op: OpId) -> Result<Frame> {
        let func = self.func;
        let results = self.declare_all(&func.ops[op].results)?;
        Ok(Frame {
            op,
            end: None,
            results,
            divergent: self.table.divergent(op),
            exit_mask: SmallVec::new(),
            blends: false,
            cont: vec![],
            cont_mask: SmallVec::new(),
            cont_apart: false,
            cont_block: None,
            cont_blends: false,
            next_case: None,
        })
    }

    /// The block where lanes of the innermost masked region wait.
    pub(super) fn join(&mut self) -> clif::Block {
        let block = self.joins.last().copied().flatten();
        block.unwrap_or_else(|| {
            let block = self.legal.builder.create_block();
            if let Some(last) = self.joins.last_mut() {
                *last = Some(block);
            }
            block
        })
    }

    /// Closes a masked region: goes on in its join, if anyone jumped there or control is still here.
    pub(super) fn close_join(&mut self, flow: Flow) {
        if let Some(block) = self.joins.pop().flatten() {
            if flow != Flow::Closed {
                self.legal.ins().jump(block, &[]);
            }
            self.start(block);
        } else if flow == Flow::Closed {
            // Nobody comes here: what follows is dead code.
            let block = self.legal.builder.create_block();
            self.start(block);
        }
    }

    /// Goes on in a block that no more edges will lead to.
    pub fn start(&mut self, block: clif::Block) {
        self.legal.builder.switch_to_block(block);
        self.legal.builder.seal_block(block);
    }

    /// Emits a region's operations and its terminator.
    pub fn region(&mut self, region: RegionId) -> Result<Flow> {
        let func = self.func;
        let data = &func.regions[region];
        for (i, &op) in data.ops.iter().enumerate() {
            self.op(op)?;
            if self.table.leaks(op) && self.worth_skipping(&data.ops[i + 1..], &data.end) {
                self.skip_if_empty();
            }
        }
        self.terminator(&data.end, data.end_loc)
    }

    /// Is what follows in a region after lanes were lost worth a test and a jump? Loops and memory must not run with an
    /// empty mask; a short run of arithmetic may.
    fn worth_skipping(&self, ops: &[OpId], end: &Terminator) -> bool {
        const CHEAP: usize = 8;
        let stays = matches!(end, Terminator::Merge(_) | Terminator::Fallthrough(_) | Terminator::Return(_));
        let in_loop = self.frames.iter().any(|f| self.table.masked(f.op));
        in_loop || !stays || ops.len() > CHEAP || ops.iter().any(|&op| self.is_heavy(op))
    }

    /// May not run with an empty mask, or is costly enough to be skipped.
    fn is_heavy(&self, op: OpId) -> bool {
        use crate::ir::Opcode;
        use spirv::Op;
        match &self.func.ops[op].kind {
            OpKind::Inst(inst) => match inst.opcode {
                Opcode::Core(Op::Load | Op::Store | Op::CopyMemory) => true,
                opcode => crate::ops::row(opcode).is_none_or(|row| !row.speculatable),
            },
            OpKind::Variable { .. } => false,
            _ => true,
        }
    }

    pub(super) fn skip_if_empty(&mut self) {
        if self.exec.full {
            return;
        }
        let mask = self.exec_mask();
        let any = self.mask_any(&mask);
        let next = self.legal.builder.create_block();
        let join = self.join();
        self.legal.ins().brif(any, next, &[], join, &[]);
        self.start(next);
    }

    /// Lanes of the execution mask, or of `mask`, leave to the end of the frame at `target` with `values`.
    pub(super) fn exit(&mut self, target: usize, values: &[Value], mask: Option<&Chunks>) -> Result<Flow> {
        let results = self.frames[target].results.clone();
        if !self.frames[target].divergent {
            self.pass(values, &results, None)?;
            if !self.frames[target].exit_mask.is_empty() {
                let lanes = self.exec_mask();
                let vars = self.frames[target].exit_mask.clone();
                self.add_to_mask(&vars, &lanes, self.frames[target].blends);
            }
            let end = self.end_block(target);
            self.legal.ins().jump(end, &[]);
            return Ok(Flow::Closed);
        }
        let lanes = match mask {
            Some(mask) => mask.clone(),
            None => self.exec_mask(),
        };
        // From within a loop, lanes may have left by this very exit before.
        let blends = self.frames[target].blends || self.loop_within(target);
        self.pass(values, &results, blends.then_some(&lanes))?;
        let vars = self.frames[target].exit_mask.clone();
        self.add_to_mask(&vars, &lanes, blends);
        self.frames[target].blends = true;
        Ok(Flow::Waiting)
    }

    /// Is there a loop between the frame at `target` and here?
    fn loop_within(&self, target: usize) -> bool {
        self.frames[target + 1..].iter().any(|f| matches!(self.func.ops[f.op].kind, OpKind::Loop(_)))
    }

    pub(super) fn end_block(&mut self, target: usize) -> clif::Block {
        if let Some(block) = self.frames[target].end {
            return block;
        }
        let block = self.legal.builder.create_block();
        self.frames[target].end = Some(block);
        block
    }

    fn target(&self, label: OpId) -> Result<usize> {
        let found = self.frames.iter().rposition(|f| f.op == label);
        found.ok_or_else(|| Error::Internal(format!("{label:?} is not around its exit")))
    }

    pub(super) fn own(&self) -> Result<usize> {
        self.frames.len().checked_sub(1).ok_or_else(|| Error::Internal("a terminator outside of its construct".into()))
    }

    fn terminator(&mut self, end: &Terminator, loc: Loc) -> Result<Flow> {
        match end {
            Terminator::Merge(values) => {
                let own = self.own()?;
                match self.exit(own, values, None)? {
                    Flow::Waiting => Ok(Flow::Open),
                    flow => Ok(flow),
                }
            }
            Terminator::Break(label, values) => {
                let target = self.target(*label)?;
                self.exit(target, values, None)
            }
            Terminator::Continue(label, values) => {
                let target = self.target(*label)?;
                self.pass_to_continue(target, values)
            }
            Terminator::Fallthrough(values) => {
                let own = self.own()?;
                match &self.func.ops[self.frames[own].op].kind {
                    OpKind::Loop(_) if self.in_body(end) => self.pass_to_continue(own, values),
                    OpKind::Switch(_) => self.fall_to_next_case(own, values),
                    _ => Ok(Flow::Open),
                }
            }
            Terminator::Condition { cond, exit } => self.condition(*cond, exit),
            Terminator::Reenter(_) | Terminator::ReenterIf { .. } => Ok(Flow::Open),
            Terminator::Return(_) | Terminator::Kill => {
                // The function's own join is the end of the subgroup; lanes that return apart just stay away.
                if self.frames.iter().any(|f| self.table.leaks(f.op)) { Ok(Flow::Waiting) } else { self.jump_out() }
            }
            Terminator::Unreachable => {
                let _ = loc;
                Ok(Flow::Waiting)
            }
        }
    }

    /// All lanes are done with the function.
    fn jump_out(&mut self) -> Result<Flow> {
        let end = self.kernel.subgroup_end;
        self.legal.ins().jump(end, &[]);
        Ok(Flow::Closed)
    }

    /// Is this the terminator of the body of the innermost loop (and not of its header)?
    fn in_body(&self, end: &Terminator) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        match &self.func.ops[frame.op].kind {
            OpKind::Loop(l) => std::ptr::eq(&self.func.regions[l.body].end, end),
            _ => false,
        }
    }

    fn pass_to_continue(&mut self, target: usize, values: &[Value]) -> Result<Flow> {
        let cont = self.frames[target].cont.clone();
        if self.frames[target].cont_apart {
            let lanes = self.exec_mask();
            let blends = self.frames[target].cont_blends || self.loop_within(target);
            self.pass(values, &cont, blends.then_some(&lanes))?;
            let vars = self.frames[target].cont_mask.clone();
            self.add_to_mask(&vars, &lanes, blends);
            self.frames[target].cont_blends = true;
            return Ok(Flow::Waiting);
        }
        self.pass(values, &cont, None)?;
        let block = self.cont_block(target);
        self.legal.ins().jump(block, &[]);
        Ok(Flow::Closed)
    }

    fn cont_block(&mut self, target: usize) -> clif::Block {
        if let Some(block) = self.frames[target].cont_block {
            return block;
        }
        let block = self.legal.builder.create_block();
        self.frames[target].cont_block = Some(block);
        block
    }

    /// An `if`.
    pub fn selection(&mut self, op: OpId, selection: &Selection) -> Result<()> {
        let cond = self.scalar(selection.cond)?;
        let saved = self.begin_construct(op)?;
        match cond {
            Comp::Uniform(cond) => self.uniform_selection(selection, cond, &saved)?,
            cond => self.split_selection(selection, &cond)?,
        }
        self.end_construct(op, &saved)
    }

    /// Before the code of a selection or switch. Gives the mask to go on with at its regions' starts.
    pub(super) fn begin_construct(&mut self, op: OpId) -> Result<Saved> {
        let saved = self.save_exec();
        let mut frame = self.frame(op)?;
        if frame.divergent {
            frame.exit_mask = self.mask_vars();
            let (mask, results) = (frame.exit_mask.clone(), frame.results.clone());
            self.clear(&results);
            self.clear_mask(&mask);
        } else if self.table.leaks(op) && self.exec.full {
            // Regions that lose no lanes must agree with those that do.
            self.set_exec_full();
        }
        self.frames.push(frame);
        Ok(saved)
    }

    /// After the code of a selection or switch: its end block, the mask, the results.
    pub(super) fn end_construct(&mut self, op: OpId, saved: &Saved) -> Result<()> {
        let leaks = self.table.leaks(op);
        let frame = self.frames.pop().ok_or_else(|| Error::Internal("constructs are not nested".into()))?;
        let func = self.func;
        if frame.divergent {
            self.legal.stats.masked += 1;
            if leaks {
                let mask = self.read_mask(&frame.exit_mask);
                self.set_exec(&mask);
            } else {
                self.restore_exec(saved);
            }
        } else if leaks {
            self.exec.full = false;
        } else {
            self.restore_exec(saved);
        }
        self.bind(&func.ops[op].results, &frame.results);
        Ok(())
    }

    fn uniform_selection(&mut self, selection: &Selection, cond: clif::Value, saved: &Saved) -> Result<()> {
        let own = self.own()?;
        let divergent = self.frames[own].divergent;
        let known = self.func.as_const(selection.cond).and_then(|c| self.module.scalar_bits(c));
        if divergent {
            self.joins.push(None);
        }
        let mut flow = Flow::Closed;
        if let Some(known) = known {
            let taken = if known & 1 == 1 { selection.then_region } else { selection.else_region };
            flow = self.region(taken)?;
        } else {
            let then_block = self.legal.builder.create_block();
            let else_block = self.legal.builder.create_block();
            self.legal.ins().brif(cond, then_block, &[], else_block, &[]);
            for (block, region) in [(then_block, selection.then_region), (else_block, selection.else_region)] {
                self.start(block);
                self.restore_exec(saved);
                let side = self.region(region)?;
                if divergent {
                    let join = self.join();
                    if side != Flow::Closed {
                        self.legal.ins().jump(join, &[]);
                    }
                } else if side == Flow::Waiting {
                    let join = self.join();
                    self.legal.ins().jump(join, &[]);
                }
            }
        }
        if divergent {
            self.close_join(flow);
            return Ok(());
        }
        if flow == Flow::Waiting {
            let join = self.join();
            self.legal.ins().jump(join, &[]);
        }
        let end = self.end_block(own);
        self.start(end);
        Ok(())
    }

    fn split_selection(&mut self, selection: &Selection, cond: &Comp) -> Result<()> {
        let cond = self.mask_of(cond);
        let (then_mask, else_mask) = if self.exec.full {
            (cond.clone(), self.mask_not(&cond))
        } else {
            let exec = self.exec_mask();
            (self.mask_and(&exec, &cond), self.mask_and_not(&exec, &cond))
        };
        self.side(selection.then_region, &then_mask)?;
        self.side(selection.else_region, &else_mask)?;
        let own = self.own()?;
        if !self.frames[own].divergent {
            // Neither side merges: nobody goes on behind the selection.
            let none = self.mask_all(false);
            self.set_exec(&none);
        }
        Ok(())
    }

    /// A region under a mask.
    pub(super) fn side(&mut self, region: RegionId, mask: &Chunks) -> Result<()> {
        let data = &self.func.regions[region];
        // A side that may not run with an empty mask, or is worth skipping, is jumped over.
        let skip = data.ops.len() > 6 || data.ops.iter().any(|&op| self.is_heavy(op));
        self.joins.push(None);
        if skip {
            let any = self.mask_any(mask);
            let block = self.legal.builder.create_block();
            let join = self.join();
            self.legal.ins().brif(any, block, &[], join, &[]);
            self.start(block);
        }
        self.set_exec(mask);
        let flow = self.region(region)?;
        self.close_join(flow);
        Ok(())
    }
}
