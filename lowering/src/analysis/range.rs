//! Upper bounds of unsigned integers, as far as they are plain to see: local ids, constants, masks, remainders, counters.
//!
//! In: a scalar 32-bit integer value. Out: the largest value that any lane can hold, read as unsigned, or nothing. An index
//! into an array that is known to stay inside needs no check.
//!
//! Invariant: the bound holds for every lane of the subgroup, also for those that are off: so built-ins count only where
//! each lane is an invocation of the workgroup.

use super::constant_leaf_bits;
use super::uniformity::Uniformity;
use crate::ir::{
    BuiltIn, EntryPoint, Function, Inst, Loop, Module, OpKind, Opcode, RegionId, Terminator, Value, ValueDef,
};
use spirv::{GlslStd450Op as G, Op};

/// How far definitions are followed.
const DEPTH: u32 = 6;

/// What bounds are derived from.
pub struct Ranges<'r> {
    /// The module.
    pub module: &'r Module,
    /// The entry point's function.
    pub func: &'r Function,
    /// The entry point.
    pub entry: &'r EntryPoint,
    /// Uniformity.
    pub table: &'r Uniformity,
    /// W.
    pub subgroup: u32,
    /// Loops in whose bodies the value is used: their counters have passed the test.
    pub bodies: &'r [&'r Loop],
}

impl Ranges<'_> {
    /// The largest value of `value`, a scalar.
    pub fn max_of(&self, value: Value) -> Option<u32> {
        self.max(value, 0, DEPTH)
    }

    /// The largest value of component `part` of `value`.
    fn max(&self, value: Value, part: u32, depth: u32) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        match self.func.values[value].def {
            ValueDef::Const(id) => constant_leaf_bits(self.module, id, part as usize).map(|bits| bits as u32),
            ValueDef::Arg(region, index) => self.counter(region, index, value),
            ValueDef::Result(op, _) => match &self.func.ops[op].kind {
                OpKind::Inst(inst) => self.inst(inst, part, depth),
                _ => None,
            },
            ValueDef::Param(_) | ValueDef::Global(_) => None,
        }
    }

    fn inst(&self, inst: &Inst, part: u32, depth: u32) -> Option<u32> {
        let of = |i: usize| inst.operands.get(i).and_then(|&v| self.max(v, part, depth));
        match inst.opcode {
            Opcode::Core(Op::Load) => self.builtin(inst.operands[0], part),
            Opcode::Core(Op::CompositeExtract) => match inst.literals[..] {
                [index] if part == 0 => self.max(inst.operands[0], index, depth),
                _ => None,
            },
            Opcode::Core(Op::Bitcast | Op::CopyObject) => of(0),
            Opcode::Core(Op::IAdd) => of(0)?.checked_add(of(1)?),
            Opcode::Core(Op::IMul) => of(0)?.checked_mul(of(1)?),
            Opcode::Core(Op::UDiv) => of(0).map(|a| a / self.constant(inst, 1, part).unwrap_or(1).max(1)),
            Opcode::Core(Op::UMod) => self.constant(inst, 1, part).and_then(|c| c.checked_sub(1)),
            Opcode::Core(Op::BitwiseAnd) => match (of(0), of(1)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            Opcode::Core(Op::ShiftRightLogical) => {
                let amount = self.constant(inst, 1, part)?;
                Some(of(0).unwrap_or(u32::MAX) >> (amount & 31))
            }
            Opcode::Core(Op::ShiftLeftLogical) => {
                let amount = self.constant(inst, 1, part)? & 31;
                of(0)?.checked_mul(1 << amount)
            }
            Opcode::Glsl(G::UMin) => match (of(0), of(1)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            Opcode::Glsl(G::UMax) => Some(of(0)?.max(of(1)?)),
            Opcode::Core(Op::Select) => Some(of(1)?.max(of(2)?)),
            _ => None,
        }
    }

    fn constant(&self, inst: &Inst, operand: usize, part: u32) -> Option<u32> {
        let id = self.func.as_const(*inst.operands.get(operand)?)?;
        constant_leaf_bits(self.module, id, part as usize).map(|bits| bits as u32)
    }

    fn builtin(&self, pointer: Value, part: u32) -> Option<u32> {
        let size = self.entry.local_size;
        let invocations: u32 = size.iter().product();
        if !invocations.is_multiple_of(self.subgroup) {
            return None;
        }
        let (global, part) = match self.func.values[pointer].def {
            ValueDef::Global(id) => (id, part),
            ValueDef::Result(op, _) => {
                let OpKind::Inst(inst) = &self.func.ops[op].kind else { return None };
                let ValueDef::Global(id) = self.func.values[*inst.operands.first()?].def else { return None };
                if inst.operands.len() != 2 {
                    return None;
                }
                (id, self.constant(inst, 1, 0)?)
            }
            _ => return None,
        };
        match self.module.globals[global].builtin? {
            BuiltIn::LocalInvocationId => size.get(part as usize).map(|n| n - 1),
            BuiltIn::LocalInvocationIndex => Some(invocations - 1),
            BuiltIn::SubgroupLocalInvocationId => Some(self.subgroup - 1),
            BuiltIn::SubgroupId => Some(invocations / self.subgroup - 1),
            _ => None,
        }
    }

    /// The counter of a loop within its body, where the header's test is `counter < constant`.
    fn counter(&self, region: RegionId, index: u32, value: Value) -> Option<u32> {
        let l = self.bodies.iter().find(|l| l.header == region)?;
        // Lanes that have left a loop keep counting beyond the bound; a uniform counter is that of a lane that has not.
        if !self.table.is_uniform(value) {
            return None;
        }
        let Terminator::Condition { cond, .. } = &self.func.regions[region].end else { return None };
        let test = self.inst_of(*cond)?;
        if *test.operands.first()? != value {
            return None;
        }
        let bound = self.constant(test, 1, 0)?;
        match test.opcode {
            Opcode::Core(Op::ULessThan) => bound.checked_sub(1),
            // Signed: it must count up from 0 or more, and not far enough to wrap.
            Opcode::Core(Op::SLessThan) => {
                let init = self.func.as_const(*l.init.get(index as usize)?)?;
                let init = constant_leaf_bits(self.module, init, 0)? as u32 as i32;
                let Terminator::Reenter(again) = &self.func.regions[l.cont].end else { return None };
                let step = self.inst_of(*again.get(index as usize)?)?;
                let by = (step.opcode == Opcode::Core(Op::IAdd) && step.operands.first() == Some(&value))
                    .then(|| self.constant(step, 1, 0))??;
                let counts_up = init >= 0 && (1..1 << 16).contains(&by) && (1..1 << 30).contains(&(bound as i32));
                if counts_up { Some(bound - 1) } else { None }
            }
            _ => None,
        }
    }

    fn inst_of(&self, value: Value) -> Option<&Inst> {
        let ValueDef::Result(op, _) = self.func.values[value].def else { return None };
        match &self.func.ops[op].kind {
            OpKind::Inst(inst) => Some(inst),
            _ => None,
        }
    }
}
