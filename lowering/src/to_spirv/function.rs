//! Functions: parameters, variables, instructions without control flow (SPIR-V specification, §2.4, §3.49).
//!
//! Variables stand at the start of the first block, as SPIR-V asks. One that the IR declares elsewhere, and initialises, is
//! stored to there, each time again.

use super::regions::{Escape, Frame};
use super::types::literal;
use super::{Section, Writer};
use crate::error::{Error, Result};
use crate::ir::{
    FuncId, Function, Inst, Loc, NO_CONTRACTION, Op as IrOp, OpKind, Opcode, StorageClass, Type, TypeId, VOLATILE,
    Value, ValueDef,
};
use crate::lift::grammar;
use rspirv::grammar::{OperandKind, OperandQuantifier};
use spirv::{Decoration, MemoryAccess, Op};
use std::collections::{HashMap, HashSet};

/// State of writing a function.
pub(super) struct FunctionWriter<'w, 'm> {
    pub w: &'w mut Writer<'m>,
    pub f: &'m Function,
    pub ids: HashMap<Value, u32>,
    /// Variables, which go to the start of the first block.
    pub vars: Section,
    pub code: Section,
    /// Label of the block being written, `None` behind a terminator: nothing gets there.
    pub block: Option<u32>,
    /// What `OpLine` said last in this block: file and line.
    line: (u32, u32),
    /// Merge instruction of a loop whose header block is being written: merge block, continue target, control.
    pub loop_merge: Option<[u32; 3]>,
    /// Enclosing constructs, outermost first.
    pub frames: Vec<Frame>,
    /// Exits that go by way of a variable, and that variable.
    pub escapes: Vec<Escape>,
    pub escape_var: Option<u32>,
    /// Pointers to memory that is volatile by decoration.
    volatile: HashSet<Value>,
}

impl Writer<'_> {
    /// Appends a function.
    pub(super) fn function(&mut self, id: FuncId) -> Result<()> {
        let module = self.module;
        let f = &module.functions[id];
        let own = self.functions.get(&id).copied().unwrap_or_default();
        self.name(own, &f.name);
        let result = self.ty(f.result, f.loc)?;
        let mut signature = vec![result];
        for &param in &f.params {
            signature.push(self.ty(f.values[param].ty, f.loc)?);
        }
        let ty = self.function_type(signature.clone());
        let mut head = Section::default();
        head.push(Op::Function, &[result, own, f.control, ty]);
        let mut writer = FunctionWriter {
            f,
            ids: HashMap::new(),
            vars: Section::default(),
            code: Section::default(),
            block: None,
            line: (0, 0),
            loop_merge: None,
            frames: vec![],
            escapes: vec![],
            escape_var: None,
            volatile: HashSet::new(),
            w: self,
        };
        for (&param, &ty) in f.params.iter().zip(&signature[1..]) {
            let id = writer.w.id();
            writer.ids.insert(param, id);
            head.push(Op::FunctionParameter, &[ty, id]);
        }
        let entry = writer.w.id();
        head.push(Op::Label, &[entry]);
        writer.block = Some(entry);
        writer.region(f.body)?;
        let (vars, code) = (writer.vars, writer.code);
        for section in [head, vars, code] {
            self.code.0.extend_from_slice(&section.0);
        }
        self.code.push(Op::FunctionEnd, &[]);
        Ok(())
    }
}

impl FunctionWriter<'_, '_> {
    /// The id of a value.
    pub fn value(&mut self, value: Value) -> Result<u32> {
        if let Some(&id) = self.ids.get(&value) {
            return Ok(id);
        }
        match self.f.values[value].def {
            ValueDef::Const(id) => self.w.constant(id),
            ValueDef::Global(id) => self.w.global(id),
            def => Err(Error::Internal(format!("{value:?}, {def:?}, is used before it is defined"))),
        }
    }

    /// The ids of values.
    pub fn values(&mut self, values: &[Value]) -> Result<Vec<u32>> {
        values.iter().map(|&v| self.value(v)).collect()
    }

    /// Type of a value.
    pub fn type_of(&self, value: Value) -> TypeId {
        self.f.values[value].ty
    }

    /// A new id for a value.
    pub fn define(&mut self, value: Value) -> u32 {
        let id = self.w.id();
        self.ids.insert(value, id);
        id
    }

    /// Starts a block.
    pub fn open(&mut self, label: u32) {
        self.code.push(Op::Label, &[label]);
        self.block = Some(label);
        self.line = (0, 0);
    }

    /// Says the line of what comes next, where it changes.
    pub fn at(&mut self, loc: Loc) {
        let line = if loc.line == 0 { (0, 0) } else { (loc.file, loc.line) };
        if line == self.line {
            return;
        }
        self.line = line;
        if line.1 == 0 {
            self.code.push(Op::NoLine, &[]);
            return;
        }
        let file = self.w.file(line.0);
        self.code.push(Op::Line, &[file, line.1, 0]);
    }

    /// A new Function variable that holds values of a type.
    pub fn new_variable(&mut self, ty: TypeId, init: Option<u32>) -> Result<u32> {
        let ty = self.w.ty(ty, self.f.loc)?;
        self.variable_of(ty, init)
    }

    /// The same, by the id of the type.
    pub fn variable_of(&mut self, ty: u32, init: Option<u32>) -> Result<u32> {
        let pointer = self.w.function_pointer(ty)?;
        let id = self.w.id();
        self.vars.push(Op::Variable, &[&[pointer, id, StorageClass::Function as u32], init.as_slice()].concat());
        Ok(id)
    }

    /// An operation without regions.
    pub fn plain(&mut self, op: &IrOp, at_start: bool) -> Result<()> {
        match &op.kind {
            OpKind::Inst(inst) => {
                self.at(op.loc);
                self.inst(inst, op.results.first().copied(), op.loc)
            }
            OpKind::Variable { init } => {
                let Some(&result) = op.results.first() else { return Ok(()) };
                let ty = self.w.ty(self.type_of(result), op.loc)?;
                let init = match init {
                    Some(init) => Some(self.value(*init)?),
                    None => None,
                };
                let id = self.define(result);
                let words = [ty, id, StorageClass::Function as u32];
                match init {
                    Some(init) if !at_start => {
                        self.vars.push(Op::Variable, &words);
                        self.code.push(Op::Store, &[id, init]);
                    }
                    _ => self.vars.push(Op::Variable, &[&words[..], init.as_slice()].concat()),
                }
                Ok(())
            }
            OpKind::Call { callee, args } => {
                self.at(op.loc);
                let module = self.w.module;
                let result = self.w.ty(module.functions[*callee].result, op.loc)?;
                let args = self.values(args)?;
                let id = match op.results.first() {
                    Some(&value) => self.define(value),
                    None => self.w.id(),
                };
                let callee = self.w.functions.get(callee).copied().unwrap_or_default();
                self.code.push(Op::FunctionCall, &[&[result, id, callee], &args[..]].concat());
                Ok(())
            }
            _ => Err(Error::Internal("a construct is written as an instruction".into())),
        }
    }

    fn inst(&mut self, inst: &Inst, result: Option<Value>, loc: Loc) -> Result<()> {
        let mut literals = inst.literals.to_vec();
        self.note_volatile(inst, result, &mut literals);
        let ids = self.values(&inst.operands)?;
        let mut words = vec![];
        if let Some(result) = result {
            words.push(self.w.ty(self.type_of(result), loc)?);
            words.push(self.define(result));
            if inst.flags & NO_CONTRACTION != 0 {
                self.w.decorate(words[1], Decoration::NoContraction, &[]);
            }
        }
        let op = match inst.opcode {
            Opcode::Core(op) => {
                words.extend(self.join(op, &ids, &literals, loc)?);
                op
            }
            Opcode::Glsl(op) => {
                words.extend([self.w.glsl_set(), op as u32]);
                words.extend(ids);
                Op::ExtInst
            }
        };
        self.w.check_length(&words)?;
        self.code.push(op, &words);
        Ok(())
    }

    /// Puts ids and literals in the order that the grammar of an instruction has: the inverse of what lift does.
    fn join(&self, op: Op, ids: &[u32], literals: &[u32], loc: Loc) -> Result<Vec<u32>> {
        let Some(grammar) = grammar(op as u16) else {
            return self.w.unsupported(loc, format!("Op{op:?}"), "its grammar is not known");
        };
        let mut ids = ids.iter().copied();
        let mut literals = literals.iter().copied();
        let mut words = vec![];
        let logical =
            grammar.operands.iter().filter(|o| !matches!(o.kind, OperandKind::IdResult | OperandKind::IdResultType));
        for operand in logical {
            while operand_words(operand.kind, &mut ids, &mut literals, &mut words) {
                if operand.quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
        match (ids.next(), literals.next()) {
            (None, None) => Ok(words),
            _ => Err(Error::Internal(format!("Op{op:?} has operands that its grammar does not"))),
        }
    }

    /// Notes pointers to what is volatile by decoration; other volatile accesses say so themselves.
    fn note_volatile(&mut self, inst: &Inst, result: Option<Value>, literals: &mut Vec<u32>) {
        let Some(&pointer) = inst.operands.first() else { return };
        let decorated = self.volatile.contains(&pointer)
            || matches!(self.f.values[pointer].def, ValueDef::Global(id) if self.w.module.globals[id].access.volatile);
        match inst.opcode {
            Opcode::Core(Op::AccessChain) if decorated || self.through_volatile(inst) => {
                self.volatile.extend(result);
            }
            Opcode::Core(Op::Load | Op::Store) if inst.flags & VOLATILE != 0 && !decorated => {
                match literals.first_mut() {
                    Some(mask) => *mask |= MemoryAccess::VOLATILE.bits(),
                    None => literals.push(MemoryAccess::VOLATILE.bits()),
                }
            }
            _ => {}
        }
    }

    /// Does an access chain go through a volatile member?
    fn through_volatile(&self, inst: &Inst) -> bool {
        let types = &self.w.module.types;
        let Some((_, mut ty)) = inst.operands.first().and_then(|&base| types.pointee(self.type_of(base))) else {
            return false;
        };
        for &index in &inst.operands[1..] {
            let index = self.f.as_const(index).and_then(|c| self.w.module.scalar_bits(c)).unwrap_or(0) as u32;
            if let Type::Struct(id) = types[ty]
                && types.structs[id].members.get(index as usize).is_some_and(|m| m.access.volatile)
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

    /// A switch's literals as the module has them.
    pub fn selector_literal(&self, selector: Value, bits: u64) -> Vec<u32> {
        match self.w.module.types[self.type_of(selector)] {
            Type::Scalar(scalar) => literal(scalar, bits),
            _ => vec![bits as u32],
        }
    }
}

/// Appends one operand; false when there is none left.
fn operand_words(
    kind: OperandKind,
    ids: &mut impl Iterator<Item = u32>,
    literals: &mut impl Iterator<Item = u32>,
    words: &mut Vec<u32>,
) -> bool {
    let before = words.len();
    match kind {
        OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => words.extend(ids.next()),
        OperandKind::PairIdRefIdRef => words.extend(ids.take(2)),
        OperandKind::PairIdRefLiteralInteger => {
            if let (Some(id), Some(literal)) = (ids.next(), literals.next()) {
                words.extend([id, literal]);
            }
        }
        OperandKind::PairLiteralIntegerIdRef => {
            if let (Some(literal), Some(id)) = (literals.next(), ids.next()) {
                words.extend([literal, id]);
            }
        }
        OperandKind::MemoryAccess => {
            if let Some(mask) = literals.next() {
                words.push(mask);
                if mask & MemoryAccess::ALIGNED.bits() != 0 {
                    words.extend(literals.next());
                }
                words.extend(ids.take((mask & crate::lift::MEMORY_ACCESS_IDS.bits()).count_ones() as usize));
            }
        }
        OperandKind::ImageOperands => {
            if let Some(mask) = literals.next() {
                words.push(mask);
                words.extend(ids);
            }
        }
        OperandKind::LiteralString | OperandKind::LiteralContextDependentNumber => words.extend(literals),
        _ => words.extend(literals.next()),
    }
    words.len() > before
}

impl Writer<'_> {
    /// The type of pointers to Function variables of a type, by the id of that type.
    fn function_pointer(&mut self, pointee: u32) -> Result<u32> {
        let class = StorageClass::Function;
        // The module may have the very type; a second one would not be the same.
        let found = self.types.iter().find(|(_, id)| **id == pointee).map(|(ty, _)| *ty);
        if let Some(ty) = found.and_then(|ty| self.module.types.find(&Type::Pointer { class, pointee: ty })) {
            return self.ty(ty, Loc::default());
        }
        if let Some(&found) = self.own_pointers.get(&pointee) {
            return Ok(found);
        }
        let own = self.id();
        self.declarations.push(Op::TypePointer, &[own, class as u32, pointee]);
        self.own_pointers.insert(pointee, own);
        Ok(own)
    }
}
