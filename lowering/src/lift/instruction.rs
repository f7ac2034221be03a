//! Instructions without control flow of their own.
//!
//! Most become an [`ir::Inst`] as they are, with ids and literals told apart by the grammar. What only names, places or
//! copies vanishes; debug information in non-semantic sets is dropped.

use super::check;
use super::entry::may_fuse;
use super::function::FunctionLifter;
use super::source::{Inst, Split, grammar};
use crate::error::Result;
use crate::ir::{
    self, CustomName, NO_CONTRACTION, OpKind, Opcode, Operands, RegionId, StorageClass, Type, TypeId, VOLATILE, Value,
};
use smallvec::SmallVec;
use spirv::{Decoration, MemoryAccess, Op};

impl FunctionLifter<'_, '_> {
    /// Appends what an instruction of a block becomes.
    pub fn instruction(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        crate::work::add(1);
        match inst.op() {
            // Constants stand where they are used, and a promise is not relied on.
            Some(Op::Nop | Op::Undef | Op::AssumeTrueKHR) => Ok(()),
            Some(Op::CopyObject) => self.copy(inst, region),
            Some(Op::Variable) => self.local(inst, region),
            Some(Op::FunctionCall) => self.call(inst, region),
            Some(Op::ExtInst) => self.extended(inst, region),
            Some(op) if op.is_type() || op.is_constant() => {
                Err(self.lifter.src.invalid(inst.loc, format!("{} stands in a function", inst.name())))
            }
            _ => self.plain(inst, region),
        }
    }

    fn copy(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let from = self.lifter.src.word(inst, 0)?;
        let value = self.value(from, region, inst)?;
        let ty = self.lifter.ty(inst.ty, inst)?;
        if self.type_of(value) != ty {
            return Err(self.lifter.src.invalid(inst.loc, "OpCopyObject has another type than its operand"));
        }
        // `value` refused ids that are not defined yet, this one among them: aliases have no cycle.
        self.aliases.insert(inst.id(), from);
        Ok(())
    }

    fn local(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let ty = self.lifter.ty(inst.ty, inst)?;
        let pointee = match *self.ty(ty) {
            Type::Pointer { class: StorageClass::Function, pointee } => pointee,
            _ => return Err(src.invalid(inst.loc, "a variable in a function must have storage class Function")),
        };
        if src.word(inst, 0)? != StorageClass::Function as u32 {
            return Err(src.invalid(inst.loc, "the storage class of OpVariable is not that of its type"));
        }
        let init = match src.operands(inst).get(1) {
            None => None,
            Some(&id) => {
                let init = self.value(id, region, inst)?;
                if self.type_of(init) != pointee || self.f.as_const(init).is_none() {
                    return Err(src.invalid(inst.loc, "the initialiser must be a constant of the variable's type"));
                }
                Some(init)
            }
        };
        let op = self.f.add_op(OpKind::Variable { init }, &[ty], inst.loc);
        self.prologue.push(op);
        let value = self.f.ops[op].results[0];
        let body = self.f.body;
        self.define(inst.id(), value, body);
        if src.is_ordered(inst.id()) {
            self.volatile.insert(inst.id());
        }
        Ok(())
    }

    fn call(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let words = src.operands(inst);
        let Some((callee, ids)) = words.split_first() else {
            return Err(src.invalid(inst.loc, "OpFunctionCall has too few operands"));
        };
        let Some(&callee) = self.lifter.funcs.get(callee) else {
            return Err(src.invalid(inst.loc, format!("OpFunctionCall calls %{callee}, which is not a function")));
        };
        let args = ids.iter().map(|&id| self.value(id, region, inst)).collect::<Result<Vec<_>>>()?;
        let result = self.lifter.ty(inst.ty, inst)?;
        let function = &self.lifter.module.functions[callee];
        let params: Vec<TypeId> = function.params.iter().map(|&p| function.values[p].ty).collect();
        let given: Vec<TypeId> = args.iter().map(|&a| self.type_of(a)).collect();
        if params != given || function.result != result {
            let what = "OpFunctionCall does not fit the parameters and the result of the function";
            return Err(src.invalid(inst.loc, what));
        }
        let void = *self.ty(result) == Type::Void;
        let results: &[TypeId] = if void { &[] } else { &[result] };
        let op = self.f.push_op(region, OpKind::Call { callee, args }, results, inst.loc);
        if let Some(&value) = self.f.ops[op].results.first() {
            self.define(inst.id(), value, region);
        }
        Ok(())
    }

    fn extended(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let (set, number) = (src.word(inst, 0)?, src.word(inst, 1)?);
        let Some(set) = src.sets.get(&set) else {
            return Err(src.invalid(inst.loc, format!("OpExtInst uses %{set}, which is no extended instruction set")));
        };
        let name = CustomName::Set(set.name.clone(), number);
        if let Some(custom) = src.custom(&name) {
            return self.custom(custom, inst, &src.operands(inst)[2..], region);
        }
        match set.known.map(|known| (known.instruction)(number)) {
            Some(Some(Opcode::Printf(_))) => self.print(inst, region),
            Some(Some(opcode)) => {
                let split = Split { ids: src.operands(inst)[2..].to_vec(), literals: vec![] };
                self.push(opcode, inst, &split, region)
            }
            _ if set.is_non_semantic() => Ok(()),
            Some(None) => Err(src.invalid(inst.loc, format!("{} has no instruction {number}", set.name))),
            None => Err(self.unknown(&name, inst)),
        }
    }

    fn plain(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let name = CustomName::Core(inst.opcode);
        if let Some(custom) = self.lifter.src.custom(&name) {
            return self.custom(custom, inst, self.lifter.src.operands(inst), region);
        }
        if grammar(inst.opcode).is_none() {
            return Err(self.unknown(&name, inst));
        }
        let split = self.lifter.src.split(inst)?;
        match inst.op() {
            Some(Op::InBoundsAccessChain) => self.push(Opcode::Core(Op::AccessChain), inst, &split, region),
            Some(op) => self.push(Opcode::Core(op), inst, &split, region),
            None => Err(self.unknown(&name, inst)),
        }
    }

    /// Appends an instruction whose operands are split.
    pub fn push(&mut self, opcode: Opcode, inst: &Inst, split: &Split, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let mut operands = Operands::new();
        for &id in &split.ids {
            let value = self.value(id, region, inst)?;
            operands.push(value);
        }
        let result = if inst.ty == 0 { None } else { Some(self.lifter.ty(inst.ty, inst)?) };
        if result.is_some_and(|ty| *self.ty(ty) == Type::Void) {
            return Err(src.invalid(inst.loc, format!("the result of {opcode} is void")));
        }
        let pointer = |ty: TypeId| matches!(self.ty(ty), Type::Pointer { .. });
        let casts = opcode == Opcode::Core(Op::Bitcast);
        if casts && (result.is_some_and(pointer) || operands.iter().any(|&value| pointer(self.type_of(value)))) {
            let reason = "pointers have no number here that they could be cast to or from; use indices";
            return Err(src.unsupported(inst.loc, "OpBitcast", reason));
        }
        let (module, function) = (&self.lifter.module, &self.f);
        let typed = check::Typed { module, function, result, operands: &operands, literals: &split.literals };
        if !check::fits(opcode, &typed) {
            let what = format!("the types of the operands and the result of {opcode} do not fit together");
            return Err(src.invalid(inst.loc, what));
        }
        let flags = self.flags(opcode, inst, split, &operands);
        let results: &[TypeId] = result.as_slice();
        let literals = SmallVec::from_slice(&split.literals);
        let op =
            self.f.push_op(region, OpKind::Inst(ir::Inst { opcode, operands, literals, flags }), results, inst.loc);
        if let Some(&value) = self.f.ops[op].results.first() {
            self.define(inst.id(), value, region);
        }
        Ok(())
    }

    /// Flags of an instruction; notes pointers to volatile members.
    fn flags(&mut self, opcode: Opcode, inst: &Inst, split: &Split, operands: &[Value]) -> u32 {
        let mut flags = 0;
        if inst.id() != 0 && self.is_unfused(inst) {
            flags |= NO_CONTRACTION;
        }
        let on_volatile = split.ids.first().is_some_and(|id| self.volatile.contains(id));
        match opcode {
            Opcode::Core(Op::AccessChain) => {
                let passes_on = on_volatile || self.volatile_member(operands);
                self.volatile.extend(passes_on.then_some(inst.id()));
            }
            Opcode::Core(Op::Load | Op::Store) => {
                let access = split.literals.first().copied().unwrap_or(0);
                let ordered =
                    MemoryAccess::VOLATILE | MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
                if on_volatile || access & ordered.bits() != 0 {
                    flags |= VOLATILE;
                }
            }
            // A length does not change.
            Opcode::Core(Op::ArrayLength) => {}
            _ if on_volatile => flags |= VOLATILE,
            _ => {}
        }
        flags
    }

    /// Must the result of an instruction be computed as it stands, without being fused with another operation?
    fn is_unfused(&self, inst: &Inst) -> bool {
        let src = self.lifter.src;
        if src.decoration(inst.id(), Decoration::NoContraction).is_some() {
            return true;
        }
        // A mask of its own goes before the entry point's.
        if let Some(mask) = src.decoration(inst.id(), Decoration::FPFastMathMode) {
            return !may_fuse(mask);
        }
        let Some(&ty) = self.lifter.types.get(&inst.ty).filter(|_| !self.lifter.unfused.is_empty()) else {
            return false;
        };
        let component = self.lifter.module.types.components(ty).map(|(scalar, _)| scalar);
        component.is_some_and(|s| s.is_float() && self.lifter.unfused.contains(&s.bits()))
    }

    /// Does an access chain with these operands go through a volatile or coherent member?
    fn volatile_member(&self, operands: &[Value]) -> bool {
        let types = &self.lifter.module.types;
        let Some((_, mut ty)) = operands.first().and_then(|&base| types.pointee(self.type_of(base))) else {
            return false;
        };
        for &index in &operands[1..] {
            let constant = self.f.as_const(index).and_then(|c| self.lifter.module.scalar_bits(c));
            let index = constant.unwrap_or(0) as u32;
            if let Type::Struct(id) = types[ty]
                && types.structs[id].members.get(index as usize).is_some_and(|m| m.access.is_ordered())
            {
                return true;
            }
            match types.constituent(ty, index) {
                Some(next) => ty = next,
                None => return false,
            }
        }
        false
    }
}
