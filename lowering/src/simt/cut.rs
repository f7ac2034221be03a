//! Which subgroups a segment has to run for: `if (gl_LocalInvocationIndex < s) …` between two barriers.
//!
//! In: a segment that does nothing but one conditional, whose condition compares an invocation's number with a value of
//! the workgroup. Out: the range of subgroups in which some lane may pass the comparison, computed at workgroup level; all
//! others are not looked at. The segment's code still evaluates the condition: the range is a necessary condition only.
//!
//! A tree reduction of 256 invocations has 8 steps, and runs 34 subgroups of 8 in them in place of 256.

use super::emit::Emitter;
use crate::Result;
use crate::analysis::component;
use crate::ir::{BuiltIn, Inst, OpId, OpKind, Opcode, RegionId, Terminator, Value, ValueDef};
use crate::transform::effects::is_removable;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use spirv::Op;

/// How many operations of a condition are looked through.
const DEPTH: u32 = 6;

/// A number that is known now, or when the kernel runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Known(u32),
    Run(clif::Value),
}

/// Subgroups `from ..` and before `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subgroups {
    pub from: Count,
    pub to: Count,
}

/// A built-in number of an invocation: `min(index / below, …) < size`, where `index` is its index in the workgroup.
#[derive(Clone, Copy)]
struct Number {
    below: u32,
    size: u32,
}

/// How a number is compared with a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compare {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

impl Compare {
    /// The comparison of an instruction, and whether it is of signed integers.
    fn of(op: Op) -> Option<(Compare, bool)> {
        Some(match op {
            Op::ULessThan => (Compare::Less, false),
            Op::ULessThanEqual => (Compare::LessOrEqual, false),
            Op::UGreaterThan => (Compare::Greater, false),
            Op::UGreaterThanEqual => (Compare::GreaterOrEqual, false),
            Op::SLessThan => (Compare::Less, true),
            Op::SLessThanEqual => (Compare::LessOrEqual, true),
            Op::SGreaterThan => (Compare::Greater, true),
            Op::SGreaterThanEqual => (Compare::GreaterOrEqual, true),
            Op::IEqual => (Compare::Equal, false),
            _ => return None,
        })
    }

    fn swapped(self) -> Compare {
        match self {
            Compare::Less => Compare::Greater,
            Compare::LessOrEqual => Compare::GreaterOrEqual,
            Compare::Greater => Compare::Less,
            Compare::GreaterOrEqual => Compare::LessOrEqual,
            Compare::Equal => Compare::Equal,
        }
    }
}

impl Emitter<'_> {
    /// The subgroups for which `ops` do anything; `None`: all. Emits what that needs, at workgroup level.
    pub(super) fn cut(&mut self, ops: &[OpId]) -> Result<Option<Subgroups>> {
        let Some(cond) = self.only_condition(ops) else { return Ok(None) };
        self.range_of(cond, DEPTH)
    }

    /// The condition of the only operation of `ops` that does anything.
    fn only_condition(&self, ops: &[OpId]) -> Option<Value> {
        let mut only = None;
        for &op in ops {
            let data = &self.func.ops[op];
            match &data.kind {
                OpKind::Inst(inst) if is_removable(inst) && !data.results.iter().any(|&r| self.is_kept(r)) => {}
                OpKind::Selection(s) if only.is_none() && data.results.is_empty() && self.is_empty(s.else_region) => {
                    only = Some(s.cond);
                }
                _ => return None,
            }
        }
        only
    }

    fn is_empty(&self, region: RegionId) -> bool {
        let data = &self.func.regions[region];
        data.ops.is_empty() && matches!(&data.end, Terminator::Merge(_))
    }

    fn inst_of(&self, value: Value) -> Option<&Inst> {
        let ValueDef::Result(op, _) = self.func.values[value].def else { return None };
        match &self.func.ops[op].kind {
            OpKind::Inst(inst) => Some(inst),
            _ => None,
        }
    }

    /// The subgroups in which `cond` may hold for some lane.
    fn range_of(&mut self, cond: Value, depth: u32) -> Result<Option<Subgroups>> {
        let (Some(depth), Some(inst)) = (depth.checked_sub(1), self.inst_of(cond)) else { return Ok(None) };
        let (Opcode::Core(op), &[a, b]) = (inst.opcode, &inst.operands[..]) else { return Ok(None) };
        if op == Op::LogicalAnd {
            return Ok(match (self.range_of(a, depth)?, self.range_of(b, depth)?) {
                (Some(a), Some(b)) => {
                    let from = self.extreme(a.from, b.from, true);
                    Some(Subgroups { from, to: self.extreme(a.to, b.to, false) })
                }
                (a, b) => a.or(b),
            });
        }
        let Some((compare, signed)) = Compare::of(op) else { return Ok(None) };
        let (number, compare, bound) = match (self.number_of(a, DEPTH), self.number_of(b, DEPTH)) {
            (Some(number), None) => (number, compare, b),
            (None, Some(number)) => (number, compare.swapped(), a),
            _ => return Ok(None),
        };
        let Some(bound) = self.workgroup_number(bound)? else { return Ok(None) };
        Ok(Some(self.admitted(number, compare, bound, signed)))
    }

    /// The larger or the smaller of two.
    fn extreme(&mut self, a: Count, b: Count, larger: bool) -> Count {
        match (a, b) {
            (Count::Known(a), Count::Known(b)) => Count::Known(if larger { a.max(b) } else { a.min(b) }),
            _ => {
                let (a, b) = (self.count(a), self.count(b));
                Count::Run(if larger { self.legal.umax(a, b) } else { self.legal.umin(a, b) })
            }
        }
    }

    /// A count as a CLIF value.
    pub(super) fn count(&mut self, count: Count) -> clif::Value {
        match count {
            Count::Known(n) => self.legal.ins().iconst(types::I32, i64::from(n)),
            Count::Run(value) => value,
        }
    }

    /// A value that is the same in the workgroup and there at workgroup level.
    fn workgroup_number(&mut self, value: Value) -> Result<Option<Count>> {
        if let Some(bits) = self.func.as_const(value).and_then(|c| self.module.scalar_bits(c)) {
            return Ok(Some(Count::Known(bits as u32)));
        }
        if self.values[value].is_none() || !self.is_at_workgroup_level(value) {
            return Ok(None);
        }
        Ok(self.scalar(value)?.uniform().map(Count::Run))
    }

    /// Is this value a number of the invocation that grows from subgroup to subgroup?
    fn number_of(&self, value: Value, depth: u32) -> Option<Number> {
        let depth = depth.checked_sub(1)?;
        let inst = self.inst_of(value)?;
        match inst.opcode {
            Opcode::Core(Op::CopyObject | Op::Bitcast) => self.number_of(*inst.operands.first()?, depth),
            Opcode::Core(Op::Load) => {
                let pointer = *inst.operands.first()?;
                let part = component(self.module, self.func, pointer)?;
                self.builtin_number(pointer, part)
            }
            Opcode::Core(Op::CompositeExtract) => {
                let load = self.inst_of(*inst.operands.first()?)?;
                let whole = load.opcode == Opcode::Core(Op::Load) && inst.literals.len() == 1;
                whole.then(|| self.builtin_number(*load.operands.first()?, inst.literals.first().copied()))?
            }
            _ => None,
        }
    }

    fn builtin_number(&self, pointer: Value, part: Option<u32>) -> Option<Number> {
        use crate::analysis::uniformity::Root;
        let Some(Root::Global(id)) = self.table.root(pointer) else { return None };
        let size = self.entry.local_size;
        match (self.module.globals[id].builtin?, part) {
            (BuiltIn::LocalInvocationIndex, None) => Some(Number { below: 1, size: size.iter().product() }),
            (BuiltIn::SubgroupId, None) => Some(Number { below: self.width.subgroup, size: self.subgroups() }),
            // The last dimension that is not 1 grows through the whole workgroup.
            (BuiltIn::LocalInvocationId, Some(part)) => {
                let part = part as usize;
                let last = size.get(part + 1..)?.iter().all(|&n| n == 1);
                last.then(|| Number { below: size[..part].iter().product(), size: size[part] })
            }
            _ => None,
        }
    }

    /// The subgroups that have an invocation with `number compare bound`.
    fn admitted(&mut self, number: Number, compare: Compare, bound: Count, signed: bool) -> Subgroups {
        let Number { below, size } = number;
        // The first number, and the one behind the last, that pass.
        let (mut from, mut to) = (Count::Known(0), Count::Known(size));
        if matches!(compare, Compare::Less) {
            to = self.clamped(bound, size, false, signed);
        }
        if matches!(compare, Compare::LessOrEqual | Compare::Equal) {
            to = self.clamped(bound, size - 1, true, signed);
        }
        if matches!(compare, Compare::GreaterOrEqual | Compare::Equal) {
            from = self.clamped(bound, size, false, signed);
        }
        if matches!(compare, Compare::Greater) {
            from = self.clamped(bound, size - 1, true, signed);
        }
        let w = self.width.subgroup;
        Subgroups { from: self.subgroup_of(from, below, 0), to: self.subgroup_of(to, below, w - 1) }
    }

    /// `bound`, or the number after it, but not above `highest` (before one is added) and not below 0 (after).
    fn clamped(&mut self, bound: Count, highest: u32, next: bool, signed: bool) -> Count {
        let one = u32::from(next);
        match bound {
            Count::Known(n) if signed => {
                let n = i64::from(n as i32).clamp(-i64::from(one), i64::from(highest));
                Count::Known((n + i64::from(one)) as u32)
            }
            Count::Known(n) => Count::Known(n.min(highest) + one),
            Count::Run(value) => {
                let highest = self.legal.ins().iconst(types::I32, i64::from(highest));
                let mut value = if signed {
                    let lowest = self.legal.ins().iconst(types::I32, i64::from((-(one as i32)) as u32));
                    let value = self.legal.smin(value, highest);
                    self.legal.smax(value, lowest)
                } else {
                    self.legal.umin(value, highest)
                };
                if next {
                    value = self.legal.add_const(value, 1);
                }
                Count::Run(value)
            }
        }
    }

    /// The subgroup of the invocation `number * below + more`.
    fn subgroup_of(&mut self, number: Count, below: u32, more: u32) -> Count {
        let w = self.width.subgroup;
        match number {
            Count::Known(n) => Count::Known((n * below + more) / w),
            Count::Run(value) => {
                let below = self.legal.ins().iconst(types::I32, i64::from(below));
                let index = self.legal.ins().imul(value, below);
                let index = self.legal.add_const(index, more as i32);
                Count::Run(self.legal.ins().ushr_imm_u(index, i64::from(w.trailing_zeros())))
            }
        }
    }
}
