//! Parts of composites that are known, and composites that are known as a whole.

use super::Simplifier;
use crate::ir::*;
use smallvec::SmallVec;
use spirv::Op as S;

/// How far back a part is looked for.
const MAX_STEPS: usize = 64;
/// The component of a shuffle that has no source.
const NO_SOURCE: u32 = u32::MAX;

type Path = SmallVec<[u32; 4]>;

impl Simplifier<'_> {
    /// `CompositeExtract`: what the part is; or shortens the way to it.
    pub(super) fn extract(&mut self, id: OpId, inst: &Inst) -> Option<Value> {
        let start = *inst.operands.first()?;
        let (mut value, mut path) = (start, inst.literals.clone());
        for _ in 0..MAX_STEPS {
            if path.is_empty() {
                break;
            }
            match self.step(value, &mut path) {
                Some(next) => value = next,
                None => break,
            }
        }
        if path.is_empty() {
            return Some(value);
        }
        if value != start {
            let operands = SmallVec::from_slice(&[value]);
            self.function.ops[id].kind = OpKind::Inst(Inst { operands, literals: path, ..inst.clone() });
        }
        None
    }

    /// The value in which `path` leads on from `value`; `path` becomes the path there.
    fn step(&mut self, value: Value, path: &mut Path) -> Option<Value> {
        let data = self.function.values[value];
        let index = *path.first()?;
        let op = match data.def {
            ValueDef::Const(id) => {
                let part = self.part_of_constant(id, index)?;
                path.remove(0);
                return Some(part);
            }
            ValueDef::Result(op, _) => op,
            _ => return None,
        };
        let OpKind::Inst(inst) = &self.function.ops[op].kind else { return None };
        let Opcode::Core(opcode) = inst.opcode else { return None };
        match opcode {
            S::CompositeConstruct if matches!(self.module.types[data.ty], Type::Vector { .. }) => {
                let mut at = 0;
                for &part in &inst.operands {
                    let (_, count) = self.module.types.components(self.function.values[part].ty)?;
                    if index < at + count {
                        if count == 1 {
                            path.remove(0);
                        } else {
                            path[0] = index - at;
                        }
                        return Some(part);
                    }
                    at += count;
                }
                None
            }
            S::CompositeConstruct => {
                let part = *inst.operands.get(index as usize)?;
                path.remove(0);
                Some(part)
            }
            S::CompositeInsert => {
                let (&part, &whole) = (inst.operands.first()?, inst.operands.get(1)?);
                if path.starts_with(&inst.literals) {
                    path.drain(..inst.literals.len());
                    return Some(part);
                }
                // An insertion below what is wanted changes it.
                if inst.literals.starts_with(path) { None } else { Some(whole) }
            }
            S::VectorShuffle => {
                let (&first, &second) = (inst.operands.first()?, inst.operands.get(1)?);
                let source = *inst.literals.get(index as usize).filter(|&&source| source != NO_SOURCE)?;
                let (_, count) = self.module.types.components(self.function.values[first].ty)?;
                path[0] = if source < count { source } else { source - count };
                Some(if source < count { first } else { second })
            }
            S::CompositeExtract => {
                let whole = *inst.operands.first()?;
                path.insert_from_slice(0, &inst.literals);
                Some(whole)
            }
            _ => None,
        }
    }

    fn part_of_constant(&mut self, id: ConstId, index: u32) -> Option<Value> {
        let constant = &self.module.consts[id];
        let part = match &constant.data {
            ConstData::Composite(parts) => *parts.get(index as usize)?,
            ConstData::Null => {
                let ty = self.module.types.constituent(constant.ty, index)?;
                self.module.constant(ty, ConstData::Null)
            }
            ConstData::Undef => {
                let ty = self.module.types.constituent(constant.ty, index)?;
                self.module.constant(ty, ConstData::Undef)
            }
            ConstData::Bits(_) => return None,
        };
        Some(self.function.const_value(part, self.module.consts[part].ty))
    }

    /// `CompositeConstruct` of constants, or of all the components of a vector in order.
    pub(super) fn construct_composite(&mut self, inst: &Inst, ty: TypeId) -> Option<Value> {
        let count = self.module.types.constituents(ty)?;
        if inst.operands.len() as u32 != count {
            return None;
        }
        let constants: Option<Vec<ConstId>> = inst.operands.iter().map(|&v| self.function.as_const(v)).collect();
        if let Some(parts) = constants {
            let undefined = parts.iter().all(|&part| self.module.consts[part].data == ConstData::Undef);
            let data = if undefined { ConstData::Undef } else { ConstData::Composite(parts) };
            return Some(self.constant(ty, data));
        }
        let mut whole = None;
        for (index, &part) in inst.operands.iter().enumerate() {
            let ValueDef::Result(op, _) = self.function.values[part].def else { return None };
            let OpKind::Inst(extract) = &self.function.ops[op].kind else { return None };
            let in_order =
                extract.opcode == Opcode::Core(S::CompositeExtract) && extract.literals[..] == [index as u32];
            let &[source] = &extract.operands[..] else { return None };
            if !in_order || whole.is_some_and(|whole| whole != source) || self.function.values[source].ty != ty {
                return None;
            }
            whole = Some(source);
        }
        whole
    }

    /// `VectorShuffle` that takes all of one vector in order, or constants.
    pub(super) fn shuffle(&mut self, inst: &Inst, ty: TypeId) -> Option<Value> {
        let &[first, second] = &inst.operands[..] else { return None };
        let (_, count) = self.module.types.components(self.function.values[first].ty)?;
        for (whole, start) in [(first, 0), (second, count)] {
            let in_order = inst.literals.iter().zip(start..).all(|(&source, index)| source == index);
            if in_order && self.function.values[whole].ty == ty {
                return Some(whole);
            }
        }
        let (Some(first), Some(second)) = (self.function.as_const(first), self.function.as_const(second)) else {
            return None;
        };
        let mut parts = vec![];
        for &source in &inst.literals {
            let (from, index) = if source < count { (first, source) } else { (second, source.checked_sub(count)?) };
            let part = self.part_of_constant(from, index)?;
            parts.push(self.function.as_const(part)?);
        }
        Some(self.constant(ty, ConstData::Composite(parts)))
    }

    /// `VectorExtractDynamic` and `VectorInsertDynamic` at a constant index become `CompositeExtract` and
    /// `CompositeInsert`. True if the instruction was changed.
    pub(super) fn fix_index(&mut self, id: OpId, inst: &Inst) -> bool {
        let (Some(&vector), Some(&index)) = (inst.operands.first(), inst.operands.last()) else { return false };
        let Some((_, count)) = self.module.types.components(self.function.values[vector].ty) else { return false };
        let Some(index) = self.bits(index).filter(|&index| index < u64::from(count)) else { return false };
        let (opcode, operands) = match inst.operands[..] {
            [vector, _] => (S::CompositeExtract, SmallVec::from_slice(&[vector])),
            [vector, part, _] => (S::CompositeInsert, SmallVec::from_slice(&[part, vector])),
            _ => return false,
        };
        let literals = SmallVec::from_slice(&[index as u32]);
        let fixed = Inst { opcode: Opcode::Core(opcode), operands, literals, flags: inst.flags };
        self.function.ops[id].kind = OpKind::Inst(fixed);
        true
    }
}
