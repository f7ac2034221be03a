//! The standard library: instructions whose row of the op table is `How::Stdlib` become calls of functions written in GLSL.
//!
//! In: a verified module. Out: the same with those instructions replaced by calls, component by component for functions on
//! components, and with the functions that are called, which [`inline`](super::inline) then puts in place. All that comes
//! from the library carries [`NO_CONTRACTION`], so that its error bounds hold whatever is fused, and no place: what is
//! inlined gets the line of the call.
//!
//! Instructions on 16-bit floats use the functions on 32 bits, and round the results.
//!
//! The functions are `lowering/stdlib/*.glsl`, compiled to SPIR-V beforehand and lifted when first used ([`library`]).
//! Semantics: "SPIR-V Extended Instructions for GLSL"; precision: Vulkan specification, "Precision and Operation of SPIR-V
//! Instructions".

mod library;
#[cfg(test)]
mod tests;

use crate::analysis::uniformity::MAX_LEAVES;
use crate::error::{Error, Place, Result};
use crate::ir::*;
use crate::ops::{How, Misfit, row};
use smallvec::smallvec;
use spirv::{GlslStd450Op as G, Op as S};
use std::collections::HashMap;

pub use library::{FUNCTIONS, LibraryFunction, library_bytes};

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    let mut imported = HashMap::new();
    for func in funcs {
        if !uses_library(&module.functions[func]) {
            continue;
        }
        let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
        let function = std::mem::replace(&mut module.functions[func], empty);
        let mut rewriter = Rewriter { module, function, imported: &mut imported, out: vec![], loc: Loc::default() };
        let result = rewriter.regions();
        let function = rewriter.function;
        module.functions[func] = function;
        result?;
    }
    Ok(())
}

/// The library function's name by an instruction's row.
fn library_name(inst: &Inst) -> Option<&'static str> {
    match row(inst.opcode)?.how {
        How::Stdlib(name) => Some(name),
        _ => None,
    }
}

fn uses_library(function: &Function) -> bool {
    let mut found = false;
    function.for_each_op(function.body, &mut |_, op| {
        if let OpKind::Inst(inst) = &function.ops[op].kind
            && matches!(inst.opcode, Opcode::Glsl(_) | Opcode::OpenCl(_) | Opcode::Core(S::QuantizeToF16))
        {
            found |= library_name(inst).is_some();
        }
    });
    found
}

struct Rewriter<'m> {
    module: &'m mut Module,
    function: Function,
    /// Library functions that the module has by now, with 32-bit floats and with 64-bit ones.
    imported: &'m mut HashMap<(&'static str, bool), FuncId>,
    /// Operations of the current region so far.
    out: Vec<OpId>,
    /// Where the current instruction comes from.
    loc: Loc,
}

impl Rewriter<'_> {
    fn regions(&mut self) -> Result<()> {
        for region in self.function.all_regions() {
            let ops = std::mem::take(&mut self.function.regions[region].ops);
            self.out = Vec::with_capacity(ops.len());
            for op in ops {
                let name = match &self.function.ops[op].kind {
                    OpKind::Inst(inst) => library_name(inst),
                    _ => None,
                };
                match name {
                    Some(name) => self.replace(op, name)?,
                    None => self.out.push(op),
                }
            }
            self.function.regions[region].ops = std::mem::take(&mut self.out);
        }
        Ok(())
    }

    /// Puts calls in place of an instruction.
    fn replace(&mut self, op: OpId, name: &'static str) -> Result<()> {
        let Op { kind, results, loc } = self.function.ops[op].clone();
        let (OpKind::Inst(inst), &[result]) = (kind, &results[..]) else {
            return Err(self.invalid(op, "it has no result".into()));
        };
        self.loc = loc;
        let ty = self.function.values[result].ty;
        self.check(op, &inst, ty)?;
        match inst.opcode {
            Opcode::Glsl(G::Modf | G::Frexp) => self.with_pointer(op, &inst, name, ty),
            _ => {
                let leaves = self.call_by_leaves(op, &inst.operands, &inst, name, ty)?;
                self.define(op, ty, &leaves)
            }
        }
    }

    /// Has the instruction operands and a result for which its row is done?
    fn check(&self, op: OpId, inst: &Inst, ty: TypeId) -> Result<()> {
        let Some(row) = row(inst.opcode) else { return Ok(()) };
        let value = |ty: TypeId| self.module.types.pointee(ty).map_or(ty, |(_, pointee)| pointee);
        let types = inst.operands.iter().map(|&v| value(self.function.values[v].ty));
        let given: Vec<Vec<Scalar>> = types.map(|ty| self.scalars(op, ty)).collect::<Result<_>>()?;
        row.check(&given, &self.scalars(op, ty)?).map_err(|misfit| match misfit {
            Misfit::Invalid(what) => self.invalid(op, what),
            Misfit::Unsupported(reason) => {
                Error::Unsupported { place: self.place(op), instruction: inst.opcode.to_string(), reason }
            }
        })
    }

    /// The forms that store their second result through a pointer.
    fn with_pointer(&mut self, op: OpId, inst: &Inst, name: &'static str, ty: TypeId) -> Result<()> {
        let &[x, pointer] = &inst.operands[..] else {
            return Err(self.invalid(op, "it needs two operands".into()));
        };
        let Some((_, pointee)) = self.module.types.pointee(self.function.values[pointer].ty) else {
            return Err(self.invalid(op, "the second operand must be a pointer".into()));
        };
        let second = self.scalars(op, pointee)?;
        let first = self.scalars(op, ty)?;
        let wanted: Vec<Scalar> = first.iter().chain(&second).copied().collect();
        let leaves = self.leaves_of(op, &[x], inst, name, &wanted)?;
        let mut rest = leaves[first.len()..].iter().copied();
        let whole = self.build(op, pointee, &mut rest)?;
        let store = Inst {
            opcode: Opcode::Core(S::Store),
            operands: smallvec![pointer, whole],
            literals: smallvec![],
            flags: 0,
        };
        let store = self.function.add_op(OpKind::Inst(store), &[], self.loc);
        self.out.push(store);
        self.define(op, ty, &leaves[..first.len()])
    }

    fn call_by_leaves(
        &mut self,
        op: OpId,
        operands: &[Value],
        inst: &Inst,
        name: &'static str,
        ty: TypeId,
    ) -> Result<Vec<Value>> {
        let wanted = self.scalars(op, ty)?;
        self.leaves_of(op, operands, inst, name, &wanted)
    }

    /// Leaves of the result, whose scalars are `wanted`.
    fn leaves_of(
        &mut self,
        op: OpId,
        operands: &[Value],
        inst: &Inst,
        name: &'static str,
        wanted: &[Scalar],
    ) -> Result<Vec<Value>> {
        let types: Vec<TypeId> = operands.iter().map(|&v| self.function.values[v].ty).collect();
        let given: Vec<Vec<Scalar>> = types.iter().map(|&ty| self.scalars(op, ty)).collect::<Result<_>>()?;
        let library = match inst.opcode {
            Opcode::Glsl(G::Determinant | G::MatrixInverse) => {
                let columns = types.first().and_then(|&ty| self.module.types.constituents(ty)).unwrap_or(0);
                library::find(&format!("{name}{columns}"))
            }
            _ if given.first().is_some_and(|first| first.contains(&Scalar::Float(64))) => {
                library::find_wide(name).or_else(|| library::find(name))
            }
            _ => library::find(name),
        };
        let library = library.ok_or_else(|| self.invalid(op, "its operand has a wrong type".into()))?;
        // What only adds, multiplies and divides does so with 64 bits too.
        let wide = !library.lanes && given.iter().flatten().any(|&s| s == Scalar::Float(64));
        // How many times it is called: once for each component, or once on all leaves.
        let parts = library.params.len();
        let calls = if library.lanes { given.first().map_or(0, Vec::len) } else { 1 };
        let flat: Vec<Scalar> = given.iter().flatten().copied().collect();
        let fits = flat.len() == parts * calls && wanted.len() == library.results.len() * calls;
        let kinds = |have: &[Scalar], want: &[Scalar]| {
            let serves = |w, s| serves(w, s) || wide && (w, s) == (Scalar::F32, Scalar::Float(64));
            have.iter().enumerate().all(|(i, &s)| want.get(i / calls.max(1)).is_some_and(|&w| serves(w, s)))
        };
        if !fits || !kinds(&flat, library.params) || !kinds(wanted, library.results) {
            return Err(self.invalid(op, "the types of its operands and its result do not fit together".into()));
        }
        let callee = self.import(library, wide)?;
        let mut values = Vec::with_capacity(flat.len());
        for (&operand, &ty) in operands.iter().zip(&types) {
            self.split(operand, ty, &mut vec![], &mut values);
        }
        let mut leaves = vec![Vec::with_capacity(calls); library.results.len()];
        for call in 0..calls {
            let args: Vec<Value> = (0..parts).map(|part| values[part * calls + call]).collect();
            self.call(callee, args, &mut leaves);
        }
        Ok(leaves.concat())
    }

    /// One call; appends each result to its list.
    fn call(&mut self, callee: FuncId, args: Vec<Value>, leaves: &mut [Vec<Value>]) {
        // The library's types may differ from the module's in signedness.
        let params = self.module.functions[callee].params.clone();
        let params: Vec<TypeId> = params.iter().map(|&v| self.module.functions[callee].values[v].ty).collect();
        let args = args.into_iter().zip(params).map(|(arg, ty)| self.cast(arg, ty)).collect();
        let ty = self.module.functions[callee].result;
        let call = self.function.add_op(OpKind::Call { callee, args }, &[ty], self.loc);
        self.out.push(call);
        let result = self.function.ops[call].results[0];
        match leaves {
            [only] => only.push(result),
            many => {
                for (i, list) in many.iter_mut().enumerate() {
                    let part = self.module.types.constituent(ty, i as u32).unwrap_or(ty);
                    list.push(self.emit(S::CompositeExtract, &[result], &[i as u32], part));
                }
            }
        }
    }

    /// The same bits as another type of the same width; the value of a 16-bit float as one of 32 bits and back, and that of an
    /// exponent as an integer of another width, as near as it has.
    fn cast(&mut self, value: Value, ty: TypeId) -> Value {
        let scalar = |ty| self.module.types.components(ty).map(|(scalar, _)| scalar);
        let own = self.function.values[value].ty;
        match (scalar(own), scalar(ty)) {
            _ if own == ty => value,
            (Some(from @ Scalar::Int { width, signed }), Some(Scalar::Int { width: to, .. })) if width != to => {
                let limited = if width == 64 { self.limited(value, own, from) } else { value };
                self.emit(if signed { S::SConvert } else { S::UConvert }, &[limited], &[], ty)
            }
            (Some(Scalar::Float(from)), Some(Scalar::Float(to))) if from != to => {
                self.emit(S::FConvert, &[value], &[], ty)
            }
            _ => self.emit(S::Bitcast, &[value], &[], ty),
        }
    }

    /// A 64-bit integer within what 32 bits hold.
    fn limited(&mut self, value: Value, ty: TypeId, scalar: Scalar) -> Value {
        let [low, high] = [i64::from(i32::MIN), i64::from(i32::MAX)].map(|limit| {
            let id = self.module.constant(ty, ConstData::Bits(limit as u64));
            self.function.const_value(id, ty)
        });
        let (opcode, operands) = match scalar.is_signed() {
            true => (G::SClamp, smallvec![value, low, high]),
            false => (G::UMin, smallvec![value, high]),
        };
        let inst = Inst { opcode: Opcode::Glsl(opcode), operands, literals: smallvec![], flags: 0 };
        let op = self.function.add_op(OpKind::Inst(inst), &[ty], self.loc);
        self.out.push(op);
        self.function.ops[op].results[0]
    }

    /// The leaves of a value in order.
    fn split(&mut self, value: Value, ty: TypeId, path: &mut Vec<u32>, out: &mut Vec<Value>) {
        let whole = self.function.values[value].ty;
        match self.module.types[ty].clone() {
            Type::Vector { component, count } => {
                let ty = self.module.types.scalar(component);
                for i in 0..u32::from(count) {
                    path.push(i);
                    let leaf = self.emit(S::CompositeExtract, &[value], path, ty);
                    out.push(leaf);
                    path.pop();
                }
            }
            Type::Matrix { column, columns } => {
                for i in 0..u32::from(columns) {
                    path.push(i);
                    self.split(value, column, path, out);
                    path.pop();
                }
            }
            _ if ty == whole => out.push(value),
            // No instruction of the set takes anything else.
            _ => {}
        }
    }

    /// A value of that type from its leaves.
    fn build(&mut self, op: OpId, ty: TypeId, leaves: &mut dyn Iterator<Item = Value>) -> Result<Value> {
        if let Some(count) = self.module.types.constituents(ty) {
            let parts = (0..count).map(|i| {
                let part = match self.module.types[ty] {
                    Type::Vector { component, .. } => Some(self.module.types.scalar(component)),
                    _ => self.module.types.constituent(ty, i),
                };
                let part = part.ok_or_else(|| self.invalid(op, "its result has a wrong type".into()))?;
                self.build(op, part, leaves)
            });
            let parts = parts.collect::<Result<Vec<Value>>>()?;
            return Ok(self.emit(S::CompositeConstruct, &parts, &[], ty));
        }
        let leaf = leaves.next().ok_or_else(|| self.invalid(op, "its result has a wrong type".into()))?;
        Ok(self.cast(leaf, ty))
    }

    /// Makes `op`, which keeps its result, put the result together from leaves.
    fn define(&mut self, op: OpId, ty: TypeId, leaves: &[Value]) -> Result<()> {
        let value = self.build(op, ty, &mut leaves.iter().copied())?;
        let ValueDef::Result(maker, 0) = self.function.values[value].def else {
            return Err(self.invalid(op, "its result has a wrong type".into()));
        };
        if self.out.last() == Some(&maker) {
            // What makes the value was appended last: it moves to `op`.
            self.function.ops[op].kind = self.function.ops[maker].kind.clone();
            self.out.pop();
        } else {
            // A leaf as it is, with others behind it.
            let operands = smallvec::smallvec![value];
            let copy = Inst { opcode: Opcode::Core(S::CopyObject), operands, literals: Default::default(), flags: 0 };
            self.function.ops[op].kind = OpKind::Inst(copy);
        }
        self.out.push(op);
        Ok(())
    }

    fn emit(&mut self, opcode: S, operands: &[Value], literals: &[u32], ty: TypeId) -> Value {
        let (operands, literals) = (operands.into(), literals.into());
        let inst = Inst { opcode: Opcode::Core(opcode), operands, literals, flags: 0 };
        let op = self.function.add_op(OpKind::Inst(inst), &[ty], self.loc);
        self.out.push(op);
        self.function.ops[op].results[0]
    }

    /// The module's copy of a library function.
    fn import(&mut self, library: &'static LibraryFunction, wide: bool) -> Result<FuncId> {
        if let Some(&func) = self.imported.get(&(library.name, wide)) {
            return Ok(func);
        }
        let func = library::import(library, wide, self.module)?;
        self.imported.insert((library.name, wide), func);
        Ok(func)
    }

    fn scalars(&self, op: OpId, ty: TypeId) -> Result<Vec<Scalar>> {
        let leaves = self.module.types.leaves(ty, MAX_LEAVES);
        leaves.ok_or_else(|| self.invalid(op, "an operand or the result has a type without components".into()))
    }

    fn place(&self, op: OpId) -> Place {
        let loc = self.function.ops[op].loc;
        Place { loc, file: self.module.files.get(loc.file as usize).filter(|_| loc.line > 0).cloned() }
    }

    fn invalid(&self, op: OpId, what: String) -> Error {
        let name = match &self.function.ops[op].kind {
            OpKind::Inst(inst) => inst.opcode.to_string(),
            _ => "an instruction".into(),
        };
        Error::InvalidSpirv { place: self.place(op), what: format!("{name}: {what}") }
    }
}

/// Does a library's component serve for one of the module's: is it of the same kind and width, a 32-bit float for one of 16
/// bits, or an integer?
fn serves(library: Scalar, own: Scalar) -> bool {
    let alike = library.is_int() == own.is_int() && library.is_float() == own.is_float();
    let widths = library.bits() == own.bits() || library.is_int() || (library, own) == (Scalar::F32, Scalar::Float(16));
    alike && widths
}
