//! The barrier plan: what runs once a workgroup, and what runs subgroup by subgroup between barriers.
//!
//! In: the entry point's function and its uniformity. Out: [`BarrierPlan`], a side table, or nothing where there is no
//! barrier. A region that holds a barrier, or a jump out of one, is at *workgroup level*. What lies between barriers there
//! is cut into *segments*: parallel regions that are run for one subgroup of the workgroup after the other (pocl's
//! "work-item loops", over subgroups). Pure operations whose values are the same in the whole workgroup are computed *once*,
//! at workgroup level; branches at workgroup level are decided by them.
//!
//! A value that a segment defines and another one uses *crosses*: it has a place in memory for each subgroup, unless it is
//! cheap to compute again (addresses, built-ins, an addition of these).
//!
//! Errors: a barrier in control flow that is not uniform over the workgroup, or in a `switch`.

use super::shape::{Level, Shape};
use super::uniformity::{Root, Uniformity};
use crate::ir::{
    BuiltIn, Function, Inst, Loc, Module, OpId, OpKind, Opcode, RegionId, StorageClass, Terminator, Value, ValueDef,
};
use crate::ops::{self, How};
use crate::{Error, Place, Result};
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::SmallVec;
use spirv::Op;
use std::collections::HashMap;

/// A segment's number; 0 is the workgroup level itself.
pub type Segment = u32;
/// The workgroup level.
pub const WORKGROUP: Segment = 0;

/// A piece of a region at workgroup level.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Operations up to a barrier, a construct at workgroup level, or the end of the region.
    Run {
        /// The segment of those that are not computed once.
        segment: Segment,
        /// Operations.
        ops: Vec<OpId>,
        /// The region's terminator comes next.
        last: bool,
    },
    /// `OpControlBarrier` of the workgroup.
    Barrier(OpId),
    /// A selection or loop at workgroup level.
    Construct(OpId),
}

/// What a segment needs of others.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Values to load from their places.
    pub loaded: Vec<Value>,
    /// Operations to compute again, in order.
    pub again: Vec<OpId>,
}

/// The plan.
#[derive(Clone, Debug, Default)]
pub struct BarrierPlan {
    pieces: HashMap<RegionId, Vec<Piece>>,
    once: EntitySet<OpId>,
    defined_in: SecondaryMap<Value, Segment>,
    inputs: Vec<Inputs>,
    in_memory: EntitySet<Value>,
    /// Values in memory, in a fixed order.
    pub crossing: Vec<Value>,
    /// Segments of the values that leave a loop by its test, by the terminator's region.
    exits: HashMap<RegionId, Segment>,
    /// Segments in which values go back to a loop's header behind its test, by the continue region.
    agains: HashMap<RegionId, Segment>,
    /// Segments in which values go to a loop's arguments, by the loop.
    entries: HashMap<OpId, Segment>,
    /// Invocations may return before the last segment.
    pub may_return: bool,
}

impl BarrierPlan {
    /// Makes the plan for the function of an entry point; `None` where it has no barrier.
    /// `always`: make one all the same.
    pub fn run(module: &Module, func: &Function, table: &Uniformity, always: bool) -> Result<Option<BarrierPlan>> {
        let mut maker = Maker { module, func, table, holds: EntitySet::new(), plan: BarrierPlan::default() };
        if !maker.find_barriers(func.body) && !always {
            return Ok(None);
        }
        maker.plan.inputs.push(Inputs::default());
        maker.region(func.body, &mut vec![])?;
        maker.find_crossing(func.body);
        Ok(Some(maker.plan))
    }

    /// The pieces of a region at workgroup level; `None` for a region within a segment.
    pub fn pieces(&self, region: RegionId) -> Option<&[Piece]> {
        self.pieces.get(&region).map(Vec::as_slice)
    }

    /// Is this operation computed once a workgroup?
    pub fn once(&self, op: OpId) -> bool {
        self.once.contains(op)
    }

    /// Does `value` have a place in memory for each subgroup?
    pub fn in_memory(&self, value: Value) -> bool {
        self.in_memory.contains(value)
    }

    /// What a segment needs.
    pub fn inputs(&self, segment: Segment) -> &Inputs {
        &self.inputs[segment as usize]
    }

    /// The segment in which values go back to the header behind the test that ends a continue region.
    pub fn again_segment(&self, region: RegionId) -> Segment {
        self.agains.get(&region).copied().unwrap_or(WORKGROUP)
    }

    /// The segment in which values go to a loop's arguments: its own, or the run's before the loop.
    pub fn entry_segment(&self, op: OpId) -> Segment {
        self.entries.get(&op).copied().unwrap_or(WORKGROUP)
    }

    /// The segment in which values leave a loop by the test that ends `region`.
    pub fn exit_segment(&self, region: RegionId) -> Segment {
        self.exits.get(&region).copied().unwrap_or(WORKGROUP)
    }
}

struct Maker<'m> {
    module: &'m Module,
    func: &'m Function,
    table: &'m Uniformity,
    /// Operations that hold a barrier.
    holds: EntitySet<OpId>,
    plan: BarrierPlan,
}

impl Maker<'_> {
    /// Notes the operations of `region` that hold a barrier of the workgroup.
    fn find_barriers(&mut self, region: RegionId) -> bool {
        let mut any = false;
        for &op in &self.func.regions[region].ops {
            let found = match &self.func.ops[op].kind {
                OpKind::Inst(inst) => is_workgroup_barrier(self.module, self.func, inst),
                _ => {
                    let mut found = false;
                    for region in self.func.regions_of(op) {
                        found |= self.find_barriers(region);
                    }
                    found
                }
            };
            if found {
                self.holds.insert(op);
            }
            any |= found;
        }
        any
    }

    fn new_segment(&mut self) -> Segment {
        self.plan.inputs.push(Inputs::default());
        self.plan.inputs.len() as Segment - 1
    }

    /// Cuts a region at workgroup level. `around`: the constructs at workgroup level that it is in.
    fn region(&mut self, region: RegionId, around: &mut Vec<OpId>) -> Result<()> {
        let func = self.func;
        let mut pieces = vec![];
        let mut run: Vec<OpId> = vec![];
        let mut segment = self.new_segment();
        for &op in &func.regions[region].ops {
            let barrier = matches!(func.ops[op].kind, OpKind::Inst(_)) && self.holds.contains(op);
            if !barrier && !self.is_workgroup_construct(op, around) {
                self.assign(op, segment);
                run.push(op);
                continue;
            }
            if !run.is_empty() {
                pieces.push(Piece::Run { segment, ops: std::mem::take(&mut run), last: false });
            }
            if barrier {
                pieces.push(Piece::Barrier(op));
            } else {
                self.construct(op, around)?;
                pieces.push(Piece::Construct(op));
            }
            segment = self.new_segment();
        }
        pieces.push(Piece::Run { segment, ops: run, last: true });
        if matches!(func.regions[region].end, Terminator::Condition { .. } | Terminator::ReenterIf { .. }) {
            let exit = self.new_segment();
            self.plan.exits.insert(region, exit);
        }
        if matches!(func.regions[region].end, Terminator::ReenterIf { .. }) {
            let again = self.new_segment();
            self.plan.agains.insert(region, again);
        }
        self.plan.pieces.insert(region, pieces);
        Ok(())
    }

    /// Holds a barrier, leaves a construct that does, or returns from all of the workgroup.
    fn is_workgroup_construct(&mut self, op: OpId, around: &[OpId]) -> bool {
        let func = self.func;
        if matches!(func.ops[op].kind, OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. }) {
            return false;
        }
        if self.holds.contains(op) {
            return true;
        }
        let (mut leaves, mut returns) = (false, false);
        for region in func.regions_of(op) {
            self.exits_of(region, around, &mut leaves, &mut returns);
        }
        let uniform = match &func.ops[op].kind {
            OpKind::Selection(s) => self.is_workgroup_uniform(s.cond),
            _ => false,
        };
        if returns && !(leaves || uniform) {
            self.plan.may_return = true;
        }
        leaves || (returns && uniform)
    }

    fn exits_of(&self, region: RegionId, around: &[OpId], leaves: &mut bool, returns: &mut bool) {
        let data = &self.func.regions[region];
        for &op in &data.ops {
            for inner in self.func.regions_of(op) {
                self.exits_of(inner, around, leaves, returns);
            }
        }
        match &data.end {
            Terminator::Break(label, _) | Terminator::Continue(label, _) => *leaves |= around.contains(label),
            Terminator::Return(_) | Terminator::Kill => *returns = true,
            _ => {}
        }
    }

    fn is_workgroup_uniform(&self, value: Value) -> bool {
        self.table.shapes(value).iter().all(|s| matches!(s, Shape::Uniform(level) if *level <= Level::Workgroup))
    }

    fn construct(&mut self, op: OpId, around: &mut Vec<OpId>) -> Result<()> {
        let func = self.func;
        let data = &func.ops[op];
        around.push(op);
        match &data.kind {
            OpKind::Selection(s) => {
                self.require_uniform(s.cond, data.loc)?;
                self.region(s.then_region, around)?;
                self.region(s.else_region, around)?;
            }
            OpKind::Loop(l) => {
                self.place(&func.regions[l.header].args);
                self.place(&func.regions[l.cont].args);
                for region in [l.header, l.body, l.cont] {
                    self.region(region, around)?;
                    if let Terminator::Condition { cond, .. } | Terminator::ReenterIf { cond, .. } =
                        &func.regions[region].end
                    {
                        self.require_uniform(*cond, func.regions[region].end_loc)?;
                    }
                }
            }
            _ => return Err(self.refuse(data.loc, "barrier in a switch", "write the switch with if and else")),
        }
        self.place(&data.results);
        around.pop();
        self.check_registers(op)
    }

    /// What goes to an argument or result that is kept in a register must be there at workgroup level.
    fn check_registers(&self, op: OpId) -> Result<()> {
        let func = self.func;
        let mut passed: Vec<(Value, Value)> = vec![];
        let results = &func.ops[op].results;
        let mut pass = |from: &[Value], to: &[Value]| passed.extend(from.iter().copied().zip(to.iter().copied()));
        if let OpKind::Loop(l) = &func.ops[op].kind {
            let (header, cont) = (&func.regions[l.header].args, &func.regions[l.cont].args);
            pass(&l.init, header);
            match &func.regions[l.cont].end {
                Terminator::Reenter(values) => pass(values, header),
                Terminator::ReenterIf { again, exit, .. } => {
                    pass(again, header);
                    pass(exit, results);
                }
                _ => {}
            }
            if let Terminator::Condition { exit, .. } = &func.regions[l.header].end {
                pass(exit, results);
            }
            if let Terminator::Fallthrough(values) = &func.regions[l.body].end {
                pass(values, cont);
            }
        } else {
            for region in func.regions_of(op) {
                if let Terminator::Merge(values) = &func.regions[region].end {
                    pass(values, results);
                }
            }
        }
        for (from, to) in passed {
            if !self.plan.in_memory.contains(to) && !self.known_once(from) {
                let why = "a value that steers it is computed in a way that this version cannot follow over barriers";
                return Err(self.refuse(func.ops[op].loc, "barrier() in this loop or condition", why));
            }
        }
        Ok(())
    }

    /// Arguments and results at workgroup level: in registers where they are uniform, else in memory.
    fn place(&mut self, values: &[Value]) {
        for &value in values {
            self.plan.defined_in[value] = WORKGROUP;
            if !self.is_workgroup_uniform(value) {
                self.cross(value);
            }
        }
    }

    fn cross(&mut self, value: Value) {
        if self.plan.in_memory.insert(value) {
            self.plan.crossing.push(value);
        }
    }

    fn refuse(&self, loc: Loc, what: &str, why: &str) -> Error {
        let file = self.module.files.get(loc.file as usize).filter(|_| loc.line > 0).cloned();
        Error::Unsupported { place: Place { loc, file }, instruction: what.into(), reason: why.into() }
    }

    fn require_uniform(&self, cond: Value, loc: Loc) -> Result<()> {
        if self.is_workgroup_uniform(cond) && self.known_once(cond) {
            return Ok(());
        }
        let why = if self.is_workgroup_uniform(cond) {
            "the condition comes out of a loop or condition that also computes what differs between invocations; compute \
             it in one of its own"
        } else {
            "the condition is not known to be the same in the whole workgroup; compute it from constants, push constants, \
             uniform buffers and gl_WorkGroupID"
        };
        Err(self.refuse(loc, "barrier() in control flow that invocations of a workgroup may take apart", why))
    }

    /// Is the value there at workgroup level?
    fn known_once(&self, value: Value) -> bool {
        match self.func.values[value].def {
            ValueDef::Const(_) | ValueDef::Global(_) => true,
            ValueDef::Param(_) => false,
            _ if self.plan.in_memory.contains(value) => false,
            ValueDef::Arg(..) => self.plan.defined_in[value] == WORKGROUP,
            ValueDef::Result(op, _) => self.plan.once.contains(op) || self.is_placed(value),
        }
    }

    /// A result of a construct at workgroup level.
    fn is_placed(&self, value: Value) -> bool {
        match self.func.values[value].def {
            ValueDef::Result(op, _) => {
                !matches!(self.func.ops[op].kind, OpKind::Inst(_)) && self.plan.defined_in[value] == WORKGROUP
            }
            _ => false,
        }
    }

    /// Puts an operation of a run into the segment, or computes it once.
    fn assign(&mut self, op: OpId, segment: Segment) {
        if self.can_be_once(op) {
            self.mark_once(op);
            return;
        }
        self.mark(op, segment);
    }

    fn mark(&mut self, op: OpId, segment: Segment) {
        let func = self.func;
        for &result in &func.ops[op].results {
            self.plan.defined_in[result] = segment;
        }
        for region in func.regions_of(op) {
            for &arg in &func.regions[region].args {
                self.plan.defined_in[arg] = segment;
            }
            for &inner in &func.regions[region].ops {
                self.mark(inner, segment);
            }
        }
    }

    fn mark_once(&mut self, op: OpId) {
        self.plan.once.insert(op);
        self.mark(op, WORKGROUP);
    }

    /// Pure, the same in the whole workgroup, and made of what is there at workgroup level.
    fn can_be_once(&self, op: OpId) -> bool {
        let variable = matches!(self.func.ops[op].kind, OpKind::Variable { .. });
        !variable && self.all_once(op, &mut EntitySet::new())
    }

    /// The same for an operation with all that is nested in it. `inside`: what it defines itself.
    fn all_once(&self, op: OpId, inside: &mut EntitySet<Value>) -> bool {
        let func = self.func;
        let data = &func.ops[op];
        if let OpKind::Inst(inst) = &data.kind
            && (data.results.is_empty() || !self.is_pure(inst))
        {
            return false;
        }
        match data.kind {
            OpKind::Variable { .. } => return false,
            OpKind::Call { callee, .. } if !self.table.functions().same_for_all(callee) => return false,
            _ => {}
        }
        let mut known = true;
        data.kind.clone().for_each_operand(|v| known &= inside.contains(*v) || self.known_once(*v));
        for region in func.regions_of(op) {
            let region = &func.regions[region];
            for &arg in &region.args {
                known &= self.is_workgroup_uniform(arg);
                inside.insert(arg);
            }
            known = known && region.ops.iter().all(|&inner| self.all_once(inner, inside));
            region.end.clone().for_each_operand(|v| known &= inside.contains(*v) || self.known_once(*v));
            known &= !matches!(region.end, Terminator::Return(_) | Terminator::Kill);
        }
        for &result in &data.results {
            known &= self.is_workgroup_uniform(result);
            inside.insert(result);
        }
        known
    }

    fn is_pure(&self, inst: &Inst) -> bool {
        match inst.opcode {
            Opcode::Core(Op::AccessChain | Op::InBoundsAccessChain | Op::ArrayLength) => true,
            Opcode::Core(Op::CompositeExtract | Op::CompositeInsert | Op::CopyObject | Op::CopyLogical) => true,
            Opcode::Core(Op::Load) => match self.table.root(inst.operands[0]) {
                Some(Root::Global(id)) => {
                    let class = self.module.globals[id].class;
                    // The uniformity says which of these nobody writes; of the built-ins, these are known to the workgroup.
                    match self.module.globals[id].builtin {
                        Some(builtin) => matches!(
                            builtin,
                            BuiltIn::WorkgroupId
                                | BuiltIn::NumWorkgroups
                                | BuiltIn::WorkgroupSize
                                | BuiltIn::SubgroupSize
                                | BuiltIn::NumSubgroups
                        ),
                        None => matches!(class, StorageClass::Uniform | StorageClass::PushConstant),
                    }
                }
                _ => false,
            },
            opcode => ops::row(opcode).is_some_and(|row| {
                let computed = !matches!(row.how, How::Simt(_) | How::Lift(_) | How::Unsupported(_));
                row.speculatable && computed
            }),
        }
    }

    /// Finds, in order, what each segment uses of others.
    fn find_crossing(&mut self, region: RegionId) {
        let Some(pieces) = self.plan.pieces.get(&region).cloned() else { return };
        let func = self.func;
        let mut at_end = WORKGROUP;
        for piece in &pieces {
            match piece {
                Piece::Run { segment, ops, last } => {
                    for &op in ops {
                        if !self.plan.once.contains(op) {
                            self.uses(op, *segment);
                        }
                    }
                    if *last {
                        at_end = *segment;
                    }
                }
                Piece::Barrier(_) => {}
                Piece::Construct(op) => {
                    let at_start = self.segment_before(&pieces, *op);
                    if let OpKind::Loop(l) = &func.ops[*op].kind {
                        for &value in &l.init {
                            self.need(value, at_start);
                        }
                    }
                    for region in func.regions_of(*op) {
                        self.find_crossing(region);
                    }
                }
            }
        }
        let exit = self.plan.exit_segment(region);
        match &func.regions[region].end {
            Terminator::Condition { exit: values, .. } => self.need_all(values, exit),
            Terminator::ReenterIf { again, exit: values, .. } => {
                self.need_all(values, exit);
                let behind = self.plan.again_segment(region);
                self.need_all(again, behind);
            }
            end => {
                let mut end = end.clone();
                let mut values = vec![];
                end.for_each_operand(|v| values.push(*v));
                self.need_all(&values, at_end);
            }
        }
    }

    /// The segment that ends where a construct begins: values go to a loop's arguments there.
    fn segment_before(&mut self, pieces: &[Piece], op: OpId) -> Segment {
        let mut before = None;
        for piece in pieces {
            match piece {
                Piece::Run { segment, .. } => before = Some(*segment),
                Piece::Barrier(_) => before = None,
                Piece::Construct(c) if *c == op => break,
                Piece::Construct(_) => before = None,
            }
        }
        let segment = before.unwrap_or_else(|| self.new_segment());
        self.plan.entries.insert(op, segment);
        segment
    }

    fn need_all(&mut self, values: &[Value], segment: Segment) {
        for &value in values {
            self.need(value, segment);
        }
    }

    /// Uses of an operation and of all that is nested in it.
    fn uses(&mut self, op: OpId, segment: Segment) {
        let func = self.func;
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        func.ops[op].kind.clone().for_each_operand(|v| values.push(*v));
        for region in func.regions_of(op) {
            for &inner in &func.regions[region].ops {
                self.uses(inner, segment);
            }
            func.regions[region].end.clone().for_each_operand(|v| values.push(*v));
        }
        self.need_all(&values, segment);
    }

    /// `segment` uses `value`: it is there, is computed again, or comes from memory.
    fn need(&mut self, value: Value, segment: Segment) {
        let func = self.func;
        if matches!(func.values[value].def, ValueDef::Const(_) | ValueDef::Global(_)) {
            return;
        }
        if self.plan.in_memory.contains(value) && self.plan.defined_in[value] == WORKGROUP {
            return self.load(value, segment);
        }
        let defined = self.plan.defined_in[value];
        if defined == WORKGROUP || defined == segment {
            return;
        }
        if let ValueDef::Result(op, _) = func.values[value].def {
            // The address of a variable is a symbol.
            if matches!(func.ops[op].kind, OpKind::Variable { .. }) {
                return;
            }
            if self.is_cheap(op, 2) {
                return self.compute_again(op, segment);
            }
        }
        self.cross(value);
        self.load(value, segment);
    }

    fn load(&mut self, value: Value, segment: Segment) {
        let loaded = &mut self.plan.inputs[segment as usize].loaded;
        if !loaded.contains(&value) {
            loaded.push(value);
        }
    }

    fn compute_again(&mut self, op: OpId, segment: Segment) {
        if self.plan.inputs[segment as usize].again.contains(&op) {
            return;
        }
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        self.func.ops[op].kind.clone().for_each_operand(|v| values.push(*v));
        self.need_all(&values, segment);
        self.plan.inputs[segment as usize].again.push(op);
    }

    /// Is an operation computed again rather than kept? Addresses always; otherwise a few instructions on built-ins and
    /// what is there at workgroup level.
    fn is_cheap(&self, op: OpId, depth: u32) -> bool {
        let func = self.func;
        let OpKind::Inst(inst) = &func.ops[op].kind else { return false };
        if matches!(inst.opcode, Opcode::Core(Op::AccessChain | Op::InBoundsAccessChain)) || is_builtin_load(self, inst)
        {
            return true;
        }
        let lane_wise = ops::row(inst.opcode).is_some_and(|row| {
            let simple = matches!(row.how, How::Unary(_) | How::Binary(_));
            simple && row.speculatable
        });
        let extracts = matches!(inst.opcode, Opcode::Core(Op::CompositeExtract));
        let simple = (lane_wise || extracts) && depth > 0 && self.is_pure(inst);
        simple
            && inst.operands.iter().all(|&v| match func.values[v].def {
                ValueDef::Const(_) | ValueDef::Global(_) => true,
                ValueDef::Result(op, _) => self.plan.once.contains(op) || self.is_cheap(op, depth - 1),
                _ => self.plan.defined_in[v] == WORKGROUP && !self.plan.in_memory.contains(v),
            })
    }
}

fn is_builtin_load(maker: &Maker<'_>, inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Core(Op::Load))
        && matches!(maker.table.root(inst.operands[0]), Some(Root::Global(id))
            if maker.module.globals[id].class == StorageClass::Input)
}

/// Is this an `OpControlBarrier` over the workgroup? (Over the subgroup there is nothing to wait for.)
pub fn is_workgroup_barrier(module: &Module, func: &Function, inst: &Inst) -> bool {
    const SUBGROUP: u64 = spirv::Scope::Subgroup as u64;
    if inst.opcode != Opcode::Core(Op::ControlBarrier) {
        return false;
    }
    let scope = inst.operands.first().and_then(|&v| func.as_const(v)).and_then(|c| module.scalar_bits(c));
    !matches!(scope, Some(SUBGROUP..))
}
