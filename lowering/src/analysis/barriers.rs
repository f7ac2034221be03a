//! The barrier plan: what runs once a workgroup, and what runs subgroup by subgroup between barriers.
//!
//! In: the entry point's function and its uniformity. Out: [`BarrierPlan`], a side table, or nothing where there is no
//! barrier. A region that holds a barrier, or a jump out of one, is at *workgroup level*. What lies between barriers there
//! is cut into *segments*: parallel regions that are run for one subgroup of the workgroup after the other (pocl's
//! "work-item loops", over subgroups). Pure operations whose values are the same in the whole workgroup are computed *once*,
//! at workgroup level; branches at workgroup level are decided by them.
//!
//! Where a condition at workgroup level is not known so, its construct is *masked* ([`masks`]): each subgroup says in the
//! segment before which of its lanes go where, and the workgroup goes wherever any lane goes.
//!
//! A value that a segment defines and another one uses *crosses*: it has a place in memory for each subgroup, unless it is
//! cheap to compute again (addresses, built-ins, an addition of these).

mod crossing;
mod masks;
mod sharing;

use self::masks::Known;
use super::shape::{Level, Shape};
use super::uniformity::{Root, Uniformity};
use crate::ir::{
    BuiltIn, Function, Inst, Module, OpId, OpKind, Opcode, RegionId, StorageClass, Terminator, Value, ValueDef,
};
use crate::ops::{self, How};
use cranelift_entity::{EntitySet, SecondaryMap};
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
    /// Segments that end where a construct begins: values go to its arguments, and lanes to its regions.
    entries: HashMap<OpId, Segment>,
    /// Constructs at workgroup level.
    constructs: EntitySet<OpId>,
    masked: EntitySet<OpId>,
    leaks: EntitySet<OpId>,
    returns: EntitySet<OpId>,
    shares: HashMap<Value, Value>,
    /// Invocations may return before the last segment.
    pub may_return: bool,
}

impl BarrierPlan {
    /// Makes the plan for the function of an entry point; `None` where it has no barrier.
    /// `always`: make one all the same.
    pub fn run(module: &Module, func: &Function, table: &Uniformity, always: bool) -> Option<BarrierPlan> {
        let mut known = Known::default();
        loop {
            known.grew = false;
            let plan = BarrierPlan::default();
            let mut maker = Maker { module, func, table, holds: EntitySet::new(), plan, known };
            if !maker.find_barriers(func.body) && !always {
                return None;
            }
            maker.plan.inputs.push(Inputs::default());
            maker.region(func.body, &mut vec![]);
            maker.settle(func.body, &mut vec![]);
            if !maker.known.grew {
                maker.find_crossing(func.body, None);
                maker.find_sharing();
                return Some(maker.plan);
            }
            known = maker.known;
        }
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

    /// The value whose place a value in memory has: mostly its own.
    pub fn home(&self, value: Value) -> Value {
        self.shares.get(&value).copied().unwrap_or(value)
    }

    /// What a segment needs.
    pub fn inputs(&self, segment: Segment) -> &Inputs {
        &self.inputs[segment as usize]
    }

    /// The segment in which values go back to the header behind the test that ends a continue region.
    pub fn again_segment(&self, region: RegionId) -> Segment {
        self.agains.get(&region).copied().unwrap_or(WORKGROUP)
    }

    /// Do lanes take this construct at workgroup level apart, so that it needs masks?
    pub fn masked(&self, op: OpId) -> bool {
        self.masked.contains(op)
    }

    /// Can lanes be missing behind this masked construct that were there before?
    pub fn leaks(&self, op: OpId) -> bool {
        self.leaks.contains(op)
    }

    /// Can invocations return within this operation of a segment?
    pub fn returns(&self, op: OpId) -> bool {
        self.returns.contains(op)
    }

    /// The segment that ends where a construct begins: its own, or the run's before it.
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
    known: Known,
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
    fn region(&mut self, region: RegionId, around: &mut Vec<OpId>) {
        let func = self.func;
        let mut pieces = vec![];
        let mut run: Vec<OpId> = vec![];
        let mut segment = self.new_segment();
        for &op in &func.regions[region].ops {
            let barrier = matches!(func.ops[op].kind, OpKind::Inst(_)) && self.holds.contains(op);
            if !barrier && !self.is_workgroup_construct(op, around) {
                self.assign(op, segment, &run);
                run.push(op);
                continue;
            }
            if !run.is_empty() {
                pieces.push(Piece::Run { segment, ops: std::mem::take(&mut run), last: false });
            }
            if barrier {
                pieces.push(Piece::Barrier(op));
            } else {
                self.construct(op, around);
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
        let exits = self.exits_of(op, around);
        let uniform = match &func.ops[op].kind {
            OpKind::Selection(s) => self.is_known(s.cond),
            _ => false,
        };
        if exits.returns && !(exits.leaves || uniform) {
            self.plan.may_return = true;
            self.plan.returns.insert(op);
            for &construct in around {
                self.settle_loop(construct);
            }
        }
        exits.leaves || (exits.returns && uniform)
    }

    /// Is the value the same in the workgroup, and there at workgroup level?
    fn is_known(&self, cond: Value) -> bool {
        self.is_workgroup_uniform(cond) && self.known_once(cond)
    }

    fn is_workgroup_uniform(&self, value: Value) -> bool {
        self.table.shapes(value).iter().all(|s| matches!(s, Shape::Uniform(level) if *level <= Level::Workgroup))
    }

    fn construct(&mut self, op: OpId, around: &mut Vec<OpId>) {
        let func = self.func;
        let data = &func.ops[op];
        self.plan.constructs.insert(op);
        match &data.kind {
            OpKind::Selection(s) if self.is_known(s.cond) => {}
            OpKind::Loop(_) => {}
            _ => self.known.mask(op),
        }
        let masked = self.known.masked.contains(op);
        if masked {
            self.plan.masked.insert(op);
            let exits = self.exits_of(op, around);
            if exits.leaves || exits.returns {
                self.plan.leaks.insert(op);
            }
        }
        around.push(op);
        match &data.kind {
            OpKind::Selection(s) => {
                self.region(s.then_region, around);
                self.region(s.else_region, around);
            }
            OpKind::Loop(l) => {
                self.place(&func.regions[l.header].args, masked);
                self.place(&func.regions[l.cont].args, masked);
                for region in [l.header, l.body, l.cont] {
                    self.region(region, around);
                    if let Terminator::Condition { cond, .. } | Terminator::ReenterIf { cond, .. } =
                        &func.regions[region].end
                        && !self.is_known(*cond)
                    {
                        self.known.mask(op);
                    }
                }
            }
            OpKind::Switch(s) => {
                for case in &s.cases {
                    self.place(&func.regions[case.region].args, masked);
                    self.region(case.region, around);
                }
            }
            OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. } => {}
        }
        self.place(&data.results, masked);
        around.pop();
    }

    /// Arguments and results at workgroup level: in registers where they are uniform, else in memory.
    fn place(&mut self, values: &[Value], masked: bool) {
        for &value in values {
            self.plan.defined_in[value] = WORKGROUP;
            if masked || self.known.in_memory.contains(value) || !self.is_workgroup_uniform(value) {
                self.cross(value);
            }
        }
    }

    fn cross(&mut self, value: Value) {
        if self.plan.in_memory.insert(value) {
            self.plan.crossing.push(value);
        }
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

    /// Puts an operation of a run into the segment, or computes it once. What is computed once comes before the segment, and
    /// so before what is earlier in the `run`: a loop must not, where all invocations may have returned, since it need not
    /// end for nobody.
    fn assign(&mut self, op: OpId, segment: Segment, run: &[OpId]) {
        let lost = run.iter().any(|op| self.plan.returns.contains(*op));
        if self.can_be_once(op) && !(lost && self.holds_loop(op)) {
            self.mark_once(op);
            return;
        }
        self.mark(op, segment);
    }

    fn holds_loop(&self, op: OpId) -> bool {
        let func = self.func;
        match &func.ops[op].kind {
            OpKind::Loop(_) => true,
            OpKind::Call { callee, .. } => self.table.functions().loops(*callee),
            _ => func.regions_of(op).iter().any(|&r| func.regions[r].ops.iter().any(|&inner| self.holds_loop(inner))),
        }
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
