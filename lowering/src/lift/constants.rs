//! Constants and specialisation (SPIR-V specification, §3.49.7 "Constant-Creation Instructions", §2.9 "Specialization").
//!
//! A constant is lifted when something first uses it, with specialisation constants replaced by the caller's values or
//! their defaults. Constituents must be declared before the constant, which rules cycles out.

use super::Lifter;
use super::fold;
use super::source::{Inst, grammar, split};
use crate::error::Result;
use crate::ir::{ConstData, ConstId, Scalar, SpecConstant, Type, TypeId};
use spirv::{Decoration, Op};

/// Is this an instruction that makes a constant (or `OpUndef`)?
pub(super) fn is_constant(op: Op) -> bool {
    op.is_constant() || op == Op::Undef
}

impl Lifter<'_> {
    /// The constant with this id, declared before `user`.
    pub(super) fn constant(&mut self, id: u32, user: &Inst) -> Result<ConstId> {
        if self.src.def(id).is_some_and(|i| i.loc.word >= user.loc.word) {
            let what = format!("{} uses the constant %{id} before its declaration", user.name());
            return Err(self.src.invalid(user.loc, what));
        }
        self.constant_anywhere(id, user)
    }

    /// The constant with this id, wherever it is declared.
    pub(super) fn constant_anywhere(&mut self, id: u32, user: &Inst) -> Result<ConstId> {
        if let Some(&found) = self.consts.get(&id) {
            return Ok(found);
        }
        let Some(&inst) = self.src.def(id) else {
            return Err(self.src.invalid(user.loc, format!("{} uses %{id}, which nothing defines", user.name())));
        };
        if !inst.op().is_some_and(is_constant) {
            let what = format!("{} uses %{id} as a constant, but {} defines it", user.name(), inst.name());
            return Err(self.src.invalid(user.loc, what));
        }
        self.nest(&inst)?;
        let ty = self.ty(inst.ty, &inst)?;
        let data = self.constant_data(&inst, ty)?;
        self.nesting -= 1;
        let made = self.module.constant(ty, data);
        self.consts.insert(id, made);
        Ok(made)
    }

    fn constant_data(&mut self, inst: &Inst, ty: TypeId) -> Result<ConstData> {
        let scalar = match self.module.types[ty] {
            Type::Scalar(s) => Some(s),
            _ => None,
        };
        match (inst.op(), scalar) {
            (Some(Op::ConstantTrue), Some(Scalar::Bool)) => Ok(ConstData::Bits(1)),
            (Some(Op::ConstantFalse), Some(Scalar::Bool)) => Ok(ConstData::Bits(0)),
            (Some(Op::Constant), Some(s @ (Scalar::Int { .. } | Scalar::Float(_)))) => {
                Ok(ConstData::Bits(self.literal(inst, s)?))
            }
            (Some(Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant), Some(s)) => {
                Ok(ConstData::Bits(self.spec_value(inst, s)?.1))
            }
            (Some(Op::ConstantNull), _) => Ok(ConstData::Null),
            (Some(Op::Undef), _) => Ok(ConstData::Undef),
            (Some(Op::ConstantComposite | Op::SpecConstantComposite), _) => self.composite(inst, ty),
            (Some(Op::SpecConstantOp), _) => self.spec_constant_op(inst, ty),
            (Some(Op::ConstantTrue | Op::ConstantFalse | Op::Constant), _) => {
                Err(self.src.invalid(inst.loc, format!("{} does not fit its type", inst.name())))
            }
            _ => Err(self.src.unsupported(inst.loc, inst.name(), "constants of this kind are not known here")),
        }
    }

    /// The literal of `OpConstant` or `OpSpecConstant`, as zero-extended bits.
    fn literal(&self, inst: &Inst, scalar: Scalar) -> Result<u64> {
        if scalar == Scalar::Bool {
            return Err(self.src.invalid(inst.loc, format!("{} does not fit its type", inst.name())));
        }
        literal_bits(self.src.operands(inst), scalar.bits())
            .ok_or_else(|| self.src.invalid(inst.loc, format!("{} has a literal of the wrong size", inst.name())))
    }

    /// Default and chosen value of a scalar specialisation constant.
    fn spec_value(&self, inst: &Inst, scalar: Scalar) -> Result<(u64, u64)> {
        let default = match (inst.op(), scalar) {
            (Some(Op::SpecConstantTrue), Scalar::Bool) => 1,
            (Some(Op::SpecConstantFalse), Scalar::Bool) => 0,
            (Some(Op::SpecConstant), _) => self.literal(inst, scalar)?,
            _ => return Err(self.src.invalid(inst.loc, format!("{} does not fit its type", inst.name()))),
        };
        let id = self.src.decoration(inst.id(), Decoration::SpecId);
        // The last value given for an id counts.
        let given = id.and_then(|id| self.options.spec.iter().rev().find(|(i, _)| *i == id));
        let value = match (given, scalar) {
            (None, _) => default,
            (Some(&(_, bits)), Scalar::Bool) => u64::from(bits != 0),
            (Some(&(_, bits)), _) => bits & fold::mask(scalar.bits()),
        };
        Ok((default, value))
    }

    /// Lists the specialisation constants of the module. Those of types that are not supported are left out.
    pub(super) fn list_spec_constants(&mut self) {
        const SCALARS: [Op; 3] = [Op::TypeBool, Op::TypeInt, Op::TypeFloat];
        let specs = [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant];
        for index in 0..self.src.insts.len() {
            let inst = self.src.insts[index];
            if inst.is(Op::Function) {
                break;
            }
            let Some(id) =
                self.src.decoration(inst.id(), Decoration::SpecId).filter(|_| specs.iter().any(|&op| inst.is(op)))
            else {
                continue;
            };
            if !self.src.def(inst.ty).and_then(|i| i.op()).is_some_and(|o| SCALARS.contains(&o)) {
                continue;
            }
            let nesting = self.nesting;
            let Ok(ty) = self.ty(inst.ty, &inst) else {
                self.nesting = nesting;
                continue;
            };
            let Type::Scalar(scalar) = self.module.types[ty] else { continue };
            if let Ok((default, value)) = self.spec_value(&inst, scalar) {
                let name = self.src.name(inst.id());
                self.module.spec_constants.push(SpecConstant { id, name, ty, default, value });
            }
        }
    }

    fn composite(&mut self, inst: &Inst, ty: TypeId) -> Result<ConstData> {
        let ids = self.src.operands(inst);
        let count = self.module.types.constituents(ty);
        if count != Some(ids.len() as u32) {
            let what =
                format!("{} has {} constituents and its type has {}", inst.name(), ids.len(), count.unwrap_or(0));
            return Err(self.src.invalid(inst.loc, what));
        }
        let mut parts = Vec::with_capacity(ids.len());
        for (index, &id) in ids.iter().enumerate() {
            let part = self.constant(id, inst)?;
            if Some(self.module.consts[part].ty) != self.module.types.constituent(ty, index as u32) {
                return Err(self
                    .src
                    .invalid(inst.loc, format!("constituent {index} of {} has the wrong type", inst.name())));
            }
            parts.push(part);
        }
        Ok(ConstData::Composite(parts))
    }

    fn spec_constant_op(&mut self, inst: &Inst, ty: TypeId) -> Result<ConstData> {
        let number = self.src.word(inst, 0)?;
        let known = u16::try_from(number).ok().and_then(|n| Some((Op::from_u32(number)?, grammar(n)?)));
        let Some((op, grammar)) = known else {
            return Err(self.src.unsupported(
                inst.loc,
                "OpSpecConstantOp",
                format!("opcode {number} is not known here"),
            ));
        };
        let operands = split(grammar, &self.src.operands(inst)[1..])
            .map_err(|what| self.src.invalid(inst.loc, format!("OpSpecConstantOp {op:?} {what}")))?;
        let mut args = Vec::with_capacity(operands.ids.len());
        for id in operands.ids {
            args.push(self.constant(id, inst)?);
        }
        match fold::fold(&mut self.module, op, ty, &args, &operands.literals) {
            Ok(data) => Ok(data),
            Err(fold::Fail::Invalid) => {
                Err(self.src.invalid(inst.loc, format!("OpSpecConstantOp {op:?} has operands of the wrong type")))
            }
            Err(fold::Fail::Unsupported) => {
                let reason = "this operation is not folded; specialise the shader before compiling it";
                Err(self.src.unsupported(inst.loc, format!("OpSpecConstantOp {op:?}"), reason))
            }
        }
    }

    /// The value of an integer constant, wherever it is declared: an operand of an execution mode.
    pub(super) fn constant_u32(&mut self, id: u32, user: &Inst) -> Result<u32> {
        let found = self.constant_anywhere(id, user)?;
        let bits = self.module.scalar_bits(found).and_then(|b| u32::try_from(b).ok());
        bits.ok_or_else(|| self.src.invalid(user.loc, format!("%{id} must be a 32-bit integer constant")))
    }
}

/// A literal of that many bits, zero-extended: narrow ones are sign-extended in the module.
pub(super) fn literal_bits(words: &[u32], bits: u32) -> Option<u64> {
    match (words, bits) {
        (&[low, high], 64) => Some(u64::from(low) | u64::from(high) << 32),
        (&[word], ..=32) => Some(u64::from(word) & fold::mask(bits)),
        _ => None,
    }
}
