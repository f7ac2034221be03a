//! Kernels with barriers: workgroup-level control flow around loops over the workgroup's subgroups.
//!
//! In: the barrier plan. Out: CLIF. At workgroup level control flow is branches and what is uniform is in registers; each
//! segment is a loop over subgroups that starts with the subgroup's mask and the values that it needs of other segments.
//! No fibers and no coroutines: the machine stack never holds a suspended invocation.
//!
//! Memory that crosses barriers is in scratch: for each crossing value a place of `size` bytes a subgroup, at
//! `offset + subgroup * size`.
//!
//! Model: the parallel regions of pocl, over subgroups instead of work-items.

use super::control::CompVars;
use super::cut::{Count, Subgroups};
use super::emit::Emitter;
use super::legal::Legal;
use super::memory::MAX_SCRATCH;
use super::memory_flags::frame_flags;
use super::value::{Chunks, Comp, Comps};
use crate::analysis::barriers::{BarrierPlan, Piece, Segment, WORKGROUP};
use crate::analysis::shape::Shape;
use crate::ir::{Loop, OpId, OpKind, RegionId, Scalar, Selection, Terminator, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Where a crossing value is kept: components in order, for each subgroup.
#[derive(Clone)]
struct Place {
    /// Of subgroup 0, in scratch memory.
    offset: usize,
    /// Bytes a subgroup.
    size: usize,
    /// Shape, scalar and first byte of each component.
    parts: Vec<(Shape, Scalar, usize)>,
}

/// A construct at workgroup level that is being emitted.
struct WorkgroupFrame {
    op: OpId,
    end: clif::Block,
    results: Vec<Value>,
    result_vars: Vec<Vec<CompVars>>,
    /// Loops: the continue region's block, its arguments.
    cont: Option<(clif::Block, Vec<Value>, Vec<Vec<CompVars>>)>,
}

/// State of a kernel with barriers.
pub(super) struct Workgroup<'a> {
    pub plan: &'a BarrierPlan,
    /// The segment being emitted, or [`WORKGROUP`].
    current: Segment,
    places: HashMap<Value, Place>,
    frames: Vec<WorkgroupFrame>,
    /// Masks of the invocations that have not returned.
    alive: Option<Place>,
}

/// Where values go at the end of a segment.
struct Passes<'v> {
    from: &'v [Value],
    to: &'v [Value],
}

impl<'a> Emitter<'a> {
    /// The code of a workgroup, for kernels with barriers.
    pub fn workgroup_code(&mut self, plan: &'a BarrierPlan) -> Result<()> {
        let mut state = Workgroup { plan, current: WORKGROUP, places: HashMap::new(), frames: vec![], alive: None };
        for &value in &plan.crossing {
            let place = self.make_place(value)?;
            state.places.insert(value, place);
        }
        if plan.may_return {
            let chunks = self.mask_chunks() * self.mask_type().bytes() as usize;
            state.alive = Some(self.reserve(chunks, vec![]));
        }
        self.workgroup = Some(state);
        self.place_shared()?;
        self.set_exec_full();
        self.workgroup_builtins();
        self.start_segments()?;
        self.workgroup_region(self.func.body)?;
        if self.locals.scratch_size > MAX_SCRATCH {
            let what = format!(
                "what crosses barriers needs {} bytes a workgroup, more than {MAX_SCRATCH}; keep less of it, or use a buffer",
                self.locals.scratch_size
            );
            return Err(Error::Limit { place: Default::default(), what });
        }
        Ok(())
    }

    fn state(&mut self) -> Result<&mut Workgroup<'a>> {
        self.workgroup.as_mut().ok_or_else(|| Error::Internal("no barrier plan".into()))
    }

    /// Subgroups of a workgroup.
    pub fn subgroups(&self) -> u32 {
        self.entry.local_size.iter().product::<u32>().div_ceil(self.width.subgroup)
    }

    fn reserve(&mut self, size: usize, parts: Vec<(Shape, Scalar, usize)>) -> Place {
        let size = size.next_multiple_of(16);
        let offset = self.locals.reserve(size * self.subgroups() as usize);
        Place { offset, size, parts }
    }

    fn make_place(&mut self, value: Value) -> Result<Place> {
        let scalars = self.scalars(self.type_of(value))?;
        let shapes: SmallVec<[Shape; 4]> = self.table.shapes(value).into();
        let mut parts = vec![];
        let mut at = 0usize;
        for (i, &scalar) in scalars.iter().enumerate() {
            let shape = shapes.get(i).copied().unwrap_or(Shape::Varying).held();
            let (ty, n) = self.held_as(shape, scalar);
            at = at.next_multiple_of(ty.bytes() as usize);
            parts.push((shape, scalar, at));
            at += ty.bytes() as usize * n;
        }
        Ok(self.reserve(at, parts))
    }

    /// Address of a place of the current subgroup.
    fn place_address(&mut self, place: &Place) -> clif::Value {
        let size = self.legal.ins().iconst(types::I32, place.size as i64);
        let bytes = self.legal.ins().imul(self.kernel.subgroup, size);
        let bytes = self.legal.ins().uextend(types::I64, bytes);
        let base = self.hoist(super::hoist::Hoist::Scratch(place.offset));
        self.legal.ins().iadd(base, bytes)
    }

    fn load_place(&mut self, place: &Place) -> Comps {
        let address = self.place_address(place);
        place
            .parts
            .iter()
            .map(|&(shape, scalar, at)| {
                let (ty, n) = self.held_as(shape, scalar);
                let chunks: Chunks = (0..n)
                    .map(|k| {
                        let at = (at + k * ty.bytes() as usize) as i32;
                        self.legal.ins().load(ty, frame_flags(), address, at)
                    })
                    .collect();
                match shape {
                    Shape::Uniform(_) => Comp::Uniform(chunks[0]),
                    Shape::Affine(stride) => Comp::Affine { base: chunks[0], stride },
                    Shape::ChunkAffine(stride) => Comp::ChunkAffine { bases: chunks, stride },
                    Shape::Varying | Shape::Nearly(_) => Comp::Varying(chunks),
                }
            })
            .collect()
    }

    /// The components of `value` as they are kept at `place`.
    fn held_at(&mut self, place: &Place, comps: &Comps) -> Result<Vec<(clif::Value, i32)>> {
        let mut out = vec![];
        for (comp, &(shape, scalar, at)) in comps.iter().zip(&place.parts) {
            let chunks = self.in_shape(shape, scalar, comp)?;
            for (k, chunk) in chunks.into_iter().enumerate() {
                out.push((chunk, (at + k * self.legal.ty(chunk).bytes() as usize) as i32));
            }
        }
        Ok(out)
    }

    fn store_place(&mut self, place: &Place, held: &[(clif::Value, i32)]) {
        let address = self.place_address(place);
        for &(value, at) in held {
            self.legal.ins().store(frame_flags(), value, address, at);
        }
    }

    /// Is a value there in the code being emitted? Guards against a plan with a hole.
    pub fn is_current(&self, value: Value) -> bool {
        match &self.workgroup {
            None => true,
            Some(state) => {
                let at = self.emitted_in[value];
                at == WORKGROUP || at == state.current
            }
        }
    }

    /// Has a value been emitted at workgroup level?
    pub fn is_at_workgroup_level(&self, value: Value) -> bool {
        self.emitted_in[value] == WORKGROUP
    }

    /// Has a value a place in memory, since other segments use it?
    pub fn is_kept(&self, value: Value) -> bool {
        self.workgroup.as_ref().is_some_and(|state| state.places.contains_key(&value))
    }

    /// Notes where a value has been emitted.
    pub fn note_emitted(&mut self, value: Value) {
        if let Some(state) = &self.workgroup {
            self.emitted_in[value] = state.current;
        }
    }

    /// Initial masks and Private variables.
    fn start_segments(&mut self) -> Result<()> {
        let alive = self.state()?.alive.clone();
        if alive.is_none() && !self.has_private() {
            return Ok(());
        }
        let after = self.open_subgroups(self.all_subgroups());
        let first = self.first_invocation();
        self.starting_mask(first);
        if let Some(alive) = alive {
            let mask = self.exec_mask();
            self.store_mask(&alive, &mask);
        }
        self.private_variables()?;
        self.close_subgroups(after);
        Ok(())
    }

    fn store_mask(&mut self, place: &Place, mask: &Chunks) {
        let address = self.place_address(place);
        for (k, &chunk) in mask.iter().enumerate() {
            let at = k as i32 * self.legal.ty(chunk).bytes() as i32;
            self.legal.ins().store(frame_flags(), chunk, address, at);
        }
    }

    fn all_subgroups(&self) -> Subgroups {
        Subgroups { from: Count::Known(0), to: Count::Known(self.subgroups()) }
    }

    /// Starts a loop over subgroups: the code of one follows.
    fn open_subgroups(&mut self, range: Subgroups) -> OpenLoop {
        let [end, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        let (from, to) = (self.count(range.from), self.count(range.to));
        let (number, head) = match (range.from, range.to) {
            // A single one is no loop.
            (Count::Known(from_known), Count::Known(to_known)) if from_known + 1 == to_known => (from, None),
            (from_known, to_known) => {
                let head = self.legal.builder.create_block();
                let number = self.legal.builder.append_block_param(head, types::I32);
                if matches!((from_known, to_known), (Count::Known(a), Count::Known(b)) if a < b) {
                    self.legal.ins().jump(head, &[from.into()]);
                } else {
                    let any = self.legal.ins().icmp(IntCC::UnsignedLessThan, from, to);
                    self.legal.ins().brif(any, head, &[from.into()], after, &[]);
                }
                self.legal.builder.switch_to_block(head);
                (number, Some(head))
            }
        };
        OpenLoop {
            head,
            to,
            end,
            after,
            outer: std::mem::replace(&mut self.kernel.subgroup, number),
            outer_end: std::mem::replace(&mut self.kernel.subgroup_end, end),
            joins: std::mem::replace(&mut self.joins, vec![Some(end)]),
        }
    }

    /// Ends the loop: control is at the end of one subgroup's code.
    fn close_subgroups(&mut self, open: OpenLoop) {
        self.legal.ins().jump(open.end, &[]);
        self.close_subgroups_at_end(open);
    }

    fn close_subgroups_at_end(&mut self, open: OpenLoop) {
        self.start(open.end);
        self.finish_subgroups(open);
    }

    /// In the end block: on to the next subgroup, or out.
    fn finish_subgroups(&mut self, open: OpenLoop) {
        match open.head {
            Some(head) => {
                let up = self.legal.add_const(self.kernel.subgroup, 1);
                let more = self.legal.ins().icmp(IntCC::UnsignedLessThan, up, open.to);
                self.legal.ins().brif(more, head, &[up.into()], open.after, &[]);
                self.legal.builder.seal_block(head);
            }
            None => {
                self.legal.ins().jump(open.after, &[]);
            }
        }
        self.start(open.after);
        self.kernel.subgroup = open.outer;
        self.kernel.subgroup_end = open.outer_end;
        self.joins = open.joins;
        self.set_exec_full();
    }

    /// A segment: `ops` for one subgroup after the other, then `passes`.
    fn segment(&mut self, segment: Segment, ops: &[OpId], passes: &[Passes<'_>]) -> Result<()> {
        let state = self.state()?;
        let plan = state.plan;
        let alive = state.alive.clone();
        let passes: Vec<(Value, Place)> = passes
            .iter()
            .flat_map(|p| p.from.iter().copied().zip(p.to.iter().copied()))
            .filter_map(|(from, to)| state.places.get(&to).filter(|_| plan.in_memory(to)).map(|p| (from, p.clone())))
            .collect();
        if ops.is_empty() && passes.is_empty() {
            return Ok(());
        }
        let cut = if passes.is_empty() { self.cut(ops)? } else { None };
        let range = cut.unwrap_or(self.all_subgroups());
        if matches!((range.from, range.to), (Count::Known(from), Count::Known(to)) if from >= to) {
            return Ok(());
        }
        self.state()?.current = segment;
        let open = self.open_subgroups(range);
        // Lanes that get to the end; those that return do not. Set before anything can jump to the end.
        let left = alive.as_ref().map(|_| self.mask_vars());
        if let Some(left) = &left {
            self.clear_mask(left);
        }
        let first = self.first_invocation();
        match &alive {
            Some(alive) => {
                let mask = self.load_mask(alive);
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
        for (from, place) in &passes {
            let comps = self.comps(*from)?;
            held.push((place.clone(), self.held_at(place, &comps)?));
        }
        for (place, held) in held {
            self.store_place(&place, &held);
        }
        if let Some(left) = &left {
            let mask = self.exec_mask();
            self.add_to_mask(left, &mask, false);
        }
        self.legal.ins().jump(open.end, &[]);
        self.start(open.end);
        if let (Some(alive), Some(left)) = (&alive, &left) {
            let mask = self.read_mask(left);
            self.store_mask(alive, &mask);
        }
        self.finish_subgroups(open);
        self.state()?.current = WORKGROUP;
        self.workgroup_builtins();
        Ok(())
    }

    fn load_mask(&mut self, place: &Place) -> Chunks {
        let address = self.place_address(place);
        let ty = self.mask_type();
        (0..self.mask_chunks() as i32)
            .map(|k| self.legal.ins().load(ty, frame_flags(), address, k * ty.bytes() as i32))
            .collect()
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

    /// Emits a region at workgroup level, and its terminator.
    fn workgroup_region(&mut self, region: RegionId) -> Result<()> {
        let func = self.func;
        let plan = self.state()?.plan;
        let pieces = plan.pieces(region).ok_or_else(|| Error::Internal("a region without a plan".into()))?;
        for (i, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Run { segment, ops, last } => {
                    let (once, rest): (Vec<OpId>, Vec<OpId>) = ops.iter().partition(|&&op| plan.once(op));
                    for op in once {
                        self.op(op)?;
                    }
                    let mut passes = vec![];
                    if let Some(Piece::Construct(op)) = pieces.get(i + 1)
                        && let OpKind::Loop(l) = &func.ops[*op].kind
                        && plan.entry_segment(*op) == *segment
                    {
                        passes.push(Passes { from: &l.init, to: &func.regions[l.header].args });
                    }
                    let ends = if *last { self.passes_at_end(&func.regions[region].end)? } else { None };
                    if let Some((from, to)) = &ends {
                        passes.push(Passes { from, to });
                    }
                    self.segment(*segment, &rest, &passes)?;
                }
                Piece::Barrier(op) => self.barrier(*op),
                Piece::Construct(op) => {
                    let before = i.checked_sub(1).map(|i| &pieces[i]);
                    let passed =
                        matches!(before, Some(Piece::Run { segment, .. }) if *segment == plan.entry_segment(*op));
                    self.workgroup_construct(*op, passed)?;
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

    /// The values that a terminator passes, and where to.
    fn passes_at_end(&mut self, end: &Terminator) -> Result<Option<(Vec<Value>, Vec<Value>)>> {
        let func = self.func;
        let state = self.state()?;
        let frame_of = |label: Option<OpId>| match label {
            Some(label) => state.frames.iter().rev().find(|f| f.op == label),
            None => state.frames.last(),
        };
        Ok(match end {
            Terminator::Merge(values) => frame_of(None).map(|f| (values.clone(), f.results.clone())),
            Terminator::Break(label, values) => frame_of(Some(*label)).map(|f| (values.clone(), f.results.clone())),
            Terminator::Continue(label, values) => {
                frame_of(Some(*label)).and_then(|f| f.cont.as_ref()).map(|(_, args, _)| (values.clone(), args.clone()))
            }
            Terminator::Fallthrough(values) => {
                frame_of(None).and_then(|f| f.cont.as_ref()).map(|(_, args, _)| (values.clone(), args.clone()))
            }
            Terminator::Reenter(values) => frame_of(None).and_then(|f| match &func.ops[f.op].kind {
                OpKind::Loop(l) => Some((values.clone(), func.regions[l.header].args.clone())),
                _ => None,
            }),
            // Values of a test at the end go on behind it, in segments of their own.
            Terminator::Condition { .. } | Terminator::ReenterIf { .. } => None,
            Terminator::Return(_) | Terminator::Kill | Terminator::Unreachable => None,
        })
    }

    fn workgroup_terminator(&mut self, region: RegionId) -> Result<()> {
        let func = self.func;
        let end = &func.regions[region].end;
        let no_frame = || Error::Internal("a terminator outside of its construct".into());
        match end {
            Terminator::Merge(values) => {
                let frame = self.state()?.frames.last().ok_or_else(no_frame)?;
                let (vars, block) = (frame.result_vars.clone(), frame.end);
                self.pass_registers(values, &vars)?;
                self.legal.ins().jump(block, &[]);
            }
            Terminator::Break(label, values) => {
                let frame = self.state()?.frames.iter().rev().find(|f| f.op == *label).ok_or_else(no_frame)?;
                let (vars, block) = (frame.result_vars.clone(), frame.end);
                self.pass_registers(values, &vars)?;
                self.legal.ins().jump(block, &[]);
            }
            Terminator::Continue(label, values) => {
                let frame = self.state()?.frames.iter().rev().find(|f| f.op == *label);
                let (block, _, vars) = frame.and_then(|f| f.cont.clone()).ok_or_else(no_frame)?;
                self.pass_registers(values, &vars)?;
                self.legal.ins().jump(block, &[]);
            }
            Terminator::Fallthrough(values) => {
                let frame = self.state()?.frames.last().ok_or_else(no_frame)?;
                // From a header control just goes on to the body.
                let in_body = matches!(&func.ops[frame.op].kind, OpKind::Loop(l) if l.body == region);
                if in_body {
                    let (block, _, vars) = frame.cont.clone().ok_or_else(no_frame)?;
                    self.pass_registers(values, &vars)?;
                    self.legal.ins().jump(block, &[]);
                }
            }
            Terminator::Condition { cond, exit } => self.workgroup_test(region, *cond, exit)?,
            // The loop's own code goes on from here.
            Terminator::Reenter(_) => {}
            Terminator::ReenterIf { cond, exit, .. } => self.workgroup_test(region, *cond, exit)?,
            Terminator::Return(_) | Terminator::Kill | Terminator::Unreachable => {
                let end = self.kernel.subgroup_end;
                self.legal.ins().jump(end, &[]);
            }
        }
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
        let state = self.state()?;
        let segment = state.plan.exit_segment(region);
        let frame = state.frames.last().ok_or_else(|| Error::Internal("a loop's test outside of it".into()))?;
        let (results, vars, end) = (frame.results.clone(), frame.result_vars.clone(), frame.end);
        self.segment(segment, &[], &[Passes { from: exit, to: &results }])?;
        self.pass_registers(exit, &vars)?;
        self.legal.ins().jump(end, &[]);
        self.start(stay);
        self.workgroup_builtins();
        Ok(())
    }

    fn uniform_cond(&mut self, cond: Value) -> Result<clif::Value> {
        let cond = self.scalar(cond)?;
        cond.uniform().ok_or_else(|| Error::Internal("a workgroup-level condition is not uniform".into()))
    }

    /// A selection or loop at workgroup level. `passed`: a loop's first arguments in memory have been passed.
    fn workgroup_construct(&mut self, op: OpId, passed: bool) -> Result<()> {
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
        });
        match &func.ops[op].kind {
            OpKind::Selection(s) => self.workgroup_selection(s)?,
            OpKind::Loop(l) => self.workgroup_loop(op, l, passed)?,
            _ => return Err(Error::Internal("a construct that the barrier plan does not know".into())),
        }
        self.state()?.frames.pop();
        self.start(end);
        self.workgroup_builtins();
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

    fn workgroup_loop(&mut self, op: OpId, l: &'a Loop, passed: bool) -> Result<()> {
        let func = self.func;
        let header_args = &func.regions[l.header].args;
        if !passed {
            let segment = self.state()?.plan.entry_segment(op);
            self.segment(segment, &[], &[Passes { from: &l.init, to: header_args }])?;
        }
        let arg_vars = self.register_vars(header_args)?;
        self.pass_registers(&l.init, &arg_vars)?;
        let cont_args = func.regions[l.cont].args.clone();
        let cont_vars = self.register_vars(&cont_args)?;
        let [header, cont] = std::array::from_fn(|_| self.legal.builder.create_block());
        if let Some(frame) = self.state()?.frames.last_mut() {
            frame.cont = Some((cont, cont_args.clone(), cont_vars.clone()));
        }
        self.legal.ins().jump(header, &[]);
        self.legal.builder.switch_to_block(header);
        self.workgroup_builtins();
        self.bind_registers(header_args, &arg_vars);
        if self.polls(l) {
            self.poll_interrupt();
        }
        self.workgroup_region(l.header)?;
        self.bodies.push(l);
        let body = self.workgroup_region(l.body);
        self.bodies.pop();
        body?;
        self.start(cont);
        self.workgroup_builtins();
        self.bind_registers(&cont_args, &cont_vars);
        self.workgroup_region(l.cont)?;
        if let Terminator::ReenterIf { again, .. } = &func.regions[l.cont].end {
            let segment = self.state()?.plan.again_segment(l.cont);
            self.segment(segment, &[], &[Passes { from: again, to: header_args }])?;
        }
        if let Terminator::Reenter(again) | Terminator::ReenterIf { again, .. } = &func.regions[l.cont].end {
            self.pass_registers(again, &arg_vars)?;
            self.legal.ins().jump(header, &[]);
        }
        self.legal.builder.seal_block(header);
        Ok(())
    }
}

/// A loop over subgroups that is open.
struct OpenLoop {
    /// Where it goes on with the next; `None`: there is but one.
    head: Option<clif::Block>,
    /// The number after the last.
    to: clif::Value,
    /// End of one subgroup's code.
    end: clif::Block,
    /// Behind the loop.
    after: clif::Block,
    outer: clif::Value,
    outer_end: clif::Block,
    joins: Vec<Option<clif::Block>>,
}

/// The type and number of CLIF values that hold a component of a shape.
impl Emitter<'_> {
    pub(super) fn held_as(&self, shape: Shape, scalar: Scalar) -> (clif::Type, usize) {
        match shape.held() {
            Shape::Uniform(_) | Shape::Affine(_) => (Legal::scalar_type(scalar), 1),
            Shape::ChunkAffine(_) => (Legal::scalar_type(scalar), self.width.chunks(scalar)),
            Shape::Varying | Shape::Nearly(_) => {
                (Legal::chunk_type(scalar, self.width.lanes(scalar)), self.width.chunks(scalar))
            }
        }
    }
}
