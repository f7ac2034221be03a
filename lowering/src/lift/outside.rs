//! What is called outside of the shader: prints (NonSemantic.DebugPrintf) and instructions that the embedder has
//! registered, which may be of opcodes and sets that nobody else knows.
//!
//! In: the instruction, and for a custom one its declaration. Out: an operation whose operands and results have exactly the
//! declared types; a print has `gl_GlobalInvocationID` for its first operand.

use super::function::FunctionLifter;
use super::source::Inst;
use crate::error::{Error, Result};
use crate::ir::{
    self, Access, BuiltIn, CustomInstruction, CustomName, CustomParam, CustomType, EXTENDED_SETS, Global, Loc, OpKind,
    Opcode, Operands, Print, RegionId, Scalar, StorageClass, Type, TypeId, Value,
};
use crate::ops;
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// Refuses declarations of instructions that are compiled anyway, and two of one instruction.
pub(super) fn check(custom: &[CustomInstruction]) -> Result<()> {
    for (index, instruction) in custom.iter().enumerate() {
        let name = &instruction.name;
        let opcode = match name {
            CustomName::Core(number) => Op::from_u32(u32::from(*number)).map(Opcode::Core),
            CustomName::Set(set, number) => {
                let known = EXTENDED_SETS.iter().find(|known| known.name == *set);
                known.and_then(|known| (known.instruction)(*number))
            }
        };
        if let Some(opcode) = opcode.filter(|&opcode| ops::row(opcode).is_some_and(ops::Row::supported)) {
            return Err(Error::Options(format!("{name} is {opcode}, which is compiled: it cannot be registered")));
        }
        if custom[..index].iter().any(|other| other.name == *name) {
            return Err(Error::Options(format!("{name} is registered twice")));
        }
    }
    Ok(())
}

impl FunctionLifter<'_, '_> {
    /// An instruction that a function of the embedder's computes. `words` are its operands.
    pub fn custom(&mut self, custom: &CustomInstruction, inst: &Inst, words: &[u32], region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let misfit = |given: String| {
            let reason = format!("it is registered as {}, and used {given}", custom.signature());
            src.unsupported(inst.loc, custom.name.to_string(), reason)
        };
        if words.len() != custom.params.len() {
            return Err(misfit(format!("with {} operands", words.len())));
        }
        let index = match self.lifter.module.custom.iter().position(|known| known.name == custom.name) {
            Some(index) => index,
            None => {
                self.lifter.module.custom.push(custom.clone());
                self.lifter.module.custom.len() - 1
            }
        };
        let mut operands = Operands::new();
        let mut literals: SmallVec<[u32; 4]> = smallvec![index as u32];
        for (at, (&word, param)) in words.iter().zip(&custom.params).enumerate() {
            match param {
                CustomParam::Literal => literals.push(word),
                CustomParam::Value(ty) => {
                    let value = self.value(word, region, inst)?;
                    let given = self.type_of(value);
                    if CustomType::of(&self.lifter.module.types, given) != Some(*ty) {
                        return Err(misfit(format!("with operand {} of type {}", at + 1, self.type_name(given))));
                    }
                    operands.push(value);
                }
            }
        }
        let result = if inst.ty == 0 { None } else { Some(self.lifter.ty(inst.ty, inst)?) };
        if !custom.gives(&self.lifter.module.types, result) {
            let given =
                result.map_or_else(|| "no result".into(), |ty| format!("a result of type {}", self.type_name(ty)));
            return Err(misfit(format!("with {given}")));
        }
        let result = result.filter(|&ty| *self.ty(ty) != Type::Void);
        let kind = OpKind::Inst(ir::Inst { opcode: Opcode::Custom, operands, literals, flags: 0 });
        let op = self.f.push_op(region, kind, result.as_slice(), inst.loc);
        if let Some(&value) = self.f.ops[op].results.first() {
            self.define(inst.id(), value, region);
        }
        Ok(())
    }

    /// A type for messages: as GLSL has it where that is short.
    fn type_name(&self, ty: TypeId) -> String {
        let types = &self.lifter.module.types;
        match CustomType::of(types, ty) {
            Some(ty) => ty.to_string(),
            None => ir::print::type_text(&self.lifter.module, ty),
        }
    }

    /// The error for an instruction of which nothing is known.
    pub fn unknown(&self, name: &CustomName, inst: &Inst) -> Error {
        let function = self.f.name.split('(').next().unwrap_or_default();
        let place = if function.is_empty() { String::new() } else { format!(" in the function `{function}`") };
        let what = match name {
            CustomName::Core(_) => "this opcode is not in the SPIR-V headers known here",
            CustomName::Set(..) => "this set is not known here",
        };
        let reason = format!("{what}; an embedder may register the instruction and compute it");
        self.lifter.src.unsupported(inst.loc, format!("{name}{place}"), reason)
    }

    /// A `DebugPrintf`.
    pub fn print(&mut self, inst: &Inst, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        let format = src.word(inst, 2)?;
        let Some(string) = src.def(format).filter(|string| string.is(Op::String)) else {
            return Err(src.invalid(inst.loc, format!("the format of DebugPrintf, %{format}, is no OpString")));
        };
        let text = src.string(string, 0)?.0;
        let mut operands: Operands = smallvec![self.invocation(region, inst.loc)];
        let mut args = vec![];
        for &id in src.operands(inst).get(3..).unwrap_or_default() {
            let value = self.value(id, region, inst)?;
            let given = self.type_of(value);
            let Some(ty) = CustomType::of(&self.lifter.module.types, given) else {
                let reason =
                    format!("values of type {} are not printed: print numbers or vectors", self.type_name(given));
                return Err(src.unsupported(inst.loc, "DebugPrintf", reason));
            };
            operands.push(value);
            args.push(ty);
        }
        let index = self.lifter.module.prints.len() as u32;
        self.lifter.module.prints.push(Print { text, args, loc: inst.loc });
        let opcode = Opcode::Printf(spirv::NonsemanticDebugprintfOp::DebugPrintf);
        let kind = OpKind::Inst(ir::Inst { opcode, operands, literals: smallvec![index], flags: 0 });
        self.f.push_op(region, kind, &[], inst.loc);
        Ok(())
    }

    /// `gl_GlobalInvocationID`, whether or not the module declares it.
    fn invocation(&mut self, region: RegionId, loc: Loc) -> Value {
        let module = &mut self.lifter.module;
        let vector = module.types.intern(Type::Vector { component: Scalar::U32, count: 3 });
        let ty = module.types.pointer(StorageClass::Input, vector);
        let builtin = Some(BuiltIn::GlobalInvocationId);
        let known = module.globals.iter().find(|(_, global)| global.builtin == builtin && global.ty == ty);
        let global = match known.map(|(id, _)| id) {
            Some(id) => id,
            None => module.globals.push(Global {
                name: String::new(),
                ty,
                class: StorageClass::Input,
                set: None,
                binding: None,
                location: None,
                builtin,
                access: Access::default(),
                init: None,
                loc,
            }),
        };
        let pointer = self.f.global_value(global, ty);
        let load =
            ir::Inst { opcode: Opcode::Core(Op::Load), operands: smallvec![pointer], literals: smallvec![], flags: 0 };
        let op = self.f.push_op(region, OpKind::Inst(load), &[vector], loc);
        self.f.ops[op].results[0]
    }
}
