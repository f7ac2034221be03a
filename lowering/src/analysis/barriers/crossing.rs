//! What each segment needs of others: values from their places, and operations to compute again.
//!
//! In: a function cut into pieces. Out: [`Inputs`](super::Inputs) for each segment, and the values that have places.

use super::{Maker, Piece, Segment, WORKGROUP};
use crate::analysis::uniformity::Root;
use crate::ir::{Inst, OpId, OpKind, Opcode, RegionId, StorageClass, Terminator, Value, ValueDef};
use crate::ops::{self, How};
use smallvec::SmallVec;
use spirv::Op;

impl Maker<'_> {
    /// Finds, in order, what each segment uses of others.
    /// `owner`: the construct that the region is of.
    pub(super) fn find_crossing(&mut self, region: RegionId, owner: Option<OpId>) {
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
                    let masked = self.plan.masked(*op);
                    match &func.ops[*op].kind {
                        OpKind::Loop(l) => self.need_all(&l.init, at_start),
                        kind if masked => kind.for_each_use(|value| self.need(value, at_start)),
                        _ => {}
                    }
                    for region in func.regions_of(*op) {
                        self.find_crossing(region, Some(*op));
                    }
                }
            }
        }
        let exit = self.plan.exit_segment(region);
        let masked = owner.is_some_and(|op| self.plan.masked(op));
        match &func.regions[region].end {
            end if masked => end.for_each_use(|value| self.need(value, at_end)),
            Terminator::Condition { exit: values, .. } => self.need_all(values, exit),
            Terminator::ReenterIf { again, exit: values, .. } => {
                self.need_all(values, exit);
                let behind = self.plan.again_segment(region);
                self.need_all(again, behind);
            }
            end => {
                end.for_each_use(|value| self.need(value, at_end));
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
        func.ops[op].kind.for_each_use(|v| values.push(v));
        for region in func.regions_of(op) {
            for &inner in &func.regions[region].ops {
                self.uses(inner, segment);
            }
            func.regions[region].end.for_each_use(|v| values.push(v));
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
        self.func.ops[op].kind.for_each_use(|v| values.push(v));
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
