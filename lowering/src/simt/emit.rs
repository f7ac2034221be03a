//! The emitter: state while one kernel's code is appended, and the dispatch of instructions through the op table.
//!
//! In: IR operations and the uniformity table. Out: CLIF, and for each IR value its components ([`Comps`]) or, for a
//! pointer, its symbolic address ([`Pointer`](super::memory::Pointer)).
//!
//! Invariant: a component that the table calls uniform or affine is held as such; the table is authoritative at region
//! boundaries, where components are converted to what it says.

use super::control::Frame;
use super::helpers::Helpers;
use super::hoist::Hoist;
use super::kernel::{Input, Kernel};
use super::legal::Legal;
use super::mask::Exec;
use super::memory::{Locals, Pointer, is_atomic};
use super::value::{Chunks, Comp, Comps, Lanes, Width, held_bits};
use super::workgroup::Workgroup;
use crate::analysis::barriers::Segment;
use crate::analysis::interface::Interface;
use crate::analysis::shape::Shape;
use crate::analysis::uniformity::{MAX_LEAVES, Uniformity};
use crate::analysis::{constant_leaf_bits, leaf_range};
use crate::ir::{
    EntryPoint, FuncId, Function, Inst, Loc, Module, OpId, OpKind, Opcode, Scalar, Type, TypeId, Value, ValueDef,
};
use crate::ops::{self, How, InstContext, LaneContext, Misfit};
use crate::{Error, Options, Place, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder, SourceLoc, types};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;
use spirv::Op;
use std::collections::HashMap;
use std::rc::Rc;

/// State of one kernel's emission.
pub(super) struct Emitter<'a> {
    pub legal: Legal<'a>,
    pub width: Width,
    pub module: &'a Module,
    /// The function and its number.
    pub func: &'a Function,
    pub id: FuncId,
    pub entry: &'a EntryPoint,
    pub options: &'a Options,
    pub table: &'a Uniformity,
    pub interface: &'a Interface,
    /// Components of values defined so far.
    pub values: SecondaryMap<Value, Option<Comps>>,
    /// Addresses of pointers defined so far.
    pub pointers: SecondaryMap<Value, Option<Pointer>>,
    /// The execution mask.
    pub exec: Exec,
    /// Constructs around the current point, outermost first.
    pub frames: Vec<Frame>,
    /// Where lanes wait that have left the current masked region: one entry a masked region, its block made when needed.
    pub joins: Vec<Option<clif::Block>>,
    /// The kernel around the subgroup's code.
    pub kernel: Kernel,
    /// Values computed once a kernel call.
    pub hoisted: HashMap<Hoist, clif::Value>,
    /// Out-of-line helpers used.
    pub helpers: Helpers,
    /// Variables in memory.
    pub locals: Locals,
    /// Why lines gather, mask, or go lane by lane.
    pub remarks: Vec<String>,
    /// Loops whose bodies are being emitted.
    pub bodies: Vec<&'a crate::ir::Loop>,
    /// Values that something uses, once asked for.
    pub used: Option<cranelift_entity::EntitySet<Value>>,
    /// Kernels with barriers.
    pub workgroup: Option<Workgroup<'a>>,
    /// In which segment each value was emitted last.
    pub emitted_in: SecondaryMap<Value, Segment>,
    /// Scalars of types' leaves.
    pub scalars: HashMap<TypeId, Rc<[Scalar]>>,
}

/// Where in the source of a module something is.
pub(super) fn place_in(module: &Module, loc: Loc) -> Place {
    Place { loc, file: module.files.get(loc.file as usize).filter(|_| loc.line > 0).cloned() }
}

impl<'a> Emitter<'a> {
    /// Where in the source something is.
    pub fn place(&self, loc: Loc) -> Place {
        place_in(self.module, loc)
    }

    /// An error about something that is not done.
    pub fn unsupported(&self, loc: Loc, instruction: impl ToString, reason: impl ToString) -> Error {
        Error::Unsupported { place: self.place(loc), instruction: instruction.to_string(), reason: reason.to_string() }
    }

    /// Adds a remark about a line.
    pub fn remark(&mut self, loc: Loc, text: impl std::fmt::Display) {
        let remark = format!("{}{text}", self.place(Loc { word: 0, id: 0, ..loc }));
        if self.remarks.last() != Some(&remark) {
            self.remarks.push(remark);
        }
    }

    /// What the function is made of.
    pub fn input(&self) -> Input<'a> {
        Input {
            module: self.module,
            entry: self.entry,
            func: self.id,
            options: self.options,
            table: self.table,
            interface: self.interface,
        }
    }

    /// The type and number of CLIF values that hold a component of a shape.
    pub fn held_as(&self, shape: Shape, scalar: Scalar) -> (clif::Type, usize) {
        self.width.held_as(shape, scalar)
    }

    /// Type of a value.
    pub fn type_of(&self, value: Value) -> TypeId {
        self.func.values[value].ty
    }

    /// Scalars of the leaves of a type.
    pub fn scalars(&mut self, ty: TypeId) -> Result<Rc<[Scalar]>> {
        if let Some(known) = self.scalars.get(&ty) {
            return Ok(known.clone());
        }
        let place = Place::default();
        let leaves = self.module.types.leaves(ty, MAX_LEAVES).ok_or_else(|| match self.module.types[ty] {
            Type::Opaque(name) => {
                let reason = "this version has no values of this type".into();
                Error::Unsupported { place, instruction: name.into(), reason }
            }
            Type::Pointer { .. } => {
                let reason = "variable pointers are not done in this version: choose an index instead".into();
                Error::Unsupported { place, instruction: "a pointer that depends on values".into(), reason }
            }
            _ => {
                let what =
                    format!("a value of more than {MAX_LEAVES} components; keep it in memory and access its parts");
                Error::Limit { place, what }
            }
        })?;
        let leaves: Rc<[Scalar]> = leaves.into();
        self.scalars.insert(ty, leaves.clone());
        Ok(leaves)
    }

    /// A component as chunks.
    pub fn chunks(&mut self, comp: &Comp, scalar: Scalar) -> Chunks {
        Lanes { legal: &mut self.legal, width: self.width }.chunks(comp, scalar)
    }

    /// A CLIF scalar constant.
    pub fn constant(&mut self, scalar: Scalar, bits: u64) -> clif::Value {
        let ty = Legal::scalar_type(scalar);
        let bits = held_bits(scalar, bits);
        match ty {
            types::F32 => self.legal.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.legal.ins().f64const(f64::from_bits(bits)),
            _ => self.legal.ins().iconst(ty, bits as i64),
        }
    }

    /// The components of a value.
    pub fn comps(&mut self, value: Value) -> Result<Comps> {
        if let Some(comps) = &self.values[value]
            && self.is_current(value)
        {
            return Ok(comps.clone());
        }
        if let ValueDef::Const(id) = self.func.values[value].def {
            let scalars = self.scalars(self.type_of(value))?;
            return Ok(scalars
                .iter()
                .enumerate()
                .map(|(i, &scalar)| {
                    let bits = constant_leaf_bits(self.module, id, i).unwrap_or(0);
                    Comp::Uniform(self.constant(scalar, bits))
                })
                .collect());
        }
        Err(Error::Internal(format!("{value:?} is used before it is defined")))
    }

    /// The only component of a scalar.
    pub fn scalar(&mut self, value: Value) -> Result<Comp> {
        let mut comps = self.comps(value)?;
        comps.pop().ok_or_else(|| Error::Internal(format!("{value:?} has no component")))
    }

    /// Emits one operation. What fails in it without a place of its own has that of the operation.
    pub fn op(&mut self, op: OpId) -> Result<()> {
        self.op_anywhere(op).map_err(|error| error.or_at(|| self.place(self.func.ops[op].loc)))
    }

    fn op_anywhere(&mut self, op: OpId) -> Result<()> {
        let func = self.func;
        let data = &func.ops[op];
        self.legal.builder.set_srcloc(SourceLoc::new(data.loc.line));
        match &data.kind {
            OpKind::Inst(inst) => {
                let result = data.results.first().copied();
                if let Some(comps) = self.inst(inst, result, data.loc)?
                    && let Some(result) = result
                {
                    self.values[result] = Some(comps);
                    self.note_emitted(result);
                }
                Ok(())
            }
            OpKind::Variable { init } => self.variable(op, *init, data.loc),
            OpKind::Call { callee, args } => self.call(*callee, args, data.results.first().copied(), data.loc),
            OpKind::Selection(selection) => self.selection(op, selection),
            OpKind::Switch(switch) => self.switch(op, switch),
            OpKind::Loop(l) => self.loop_(op, l),
        }
    }

    fn inst(&mut self, inst: &Inst, result: Option<Value>, loc: Loc) -> Result<Option<Comps>> {
        match (inst.opcode, result) {
            (Opcode::Core(Op::AccessChain | Op::InBoundsAccessChain), Some(result)) => {
                self.access_chain(inst, result, loc)?;
                Ok(None)
            }
            (Opcode::Core(Op::Load), Some(_)) => self.ordered(inst, |e| e.load(inst.operands[0], loc)).map(Some),
            (Opcode::Core(Op::Store), _) => {
                self.ordered(inst, |e| e.store(inst.operands[0], inst.operands[1], loc))?;
                Ok(None)
            }
            (Opcode::Core(Op::CopyMemory), _) => {
                self.ordered(inst, |e| {
                    let comps = e.load(inst.operands[1], loc)?;
                    e.store_comps(inst.operands[0], &comps, loc)
                })?;
                Ok(None)
            }
            (Opcode::Core(Op::ControlBarrier), _) => {
                self.memory_barrier(inst.operands.get(1).copied());
                Ok(None)
            }
            (Opcode::Core(Op::MemoryBarrier), _) => {
                self.memory_barrier(inst.operands.first().copied());
                Ok(None)
            }
            (Opcode::Custom, _) => self.custom(inst, result, loc),
            (Opcode::Printf(_), _) => {
                self.print(inst, loc)?;
                Ok(None)
            }
            (Opcode::Core(op), _) if is_atomic(op) => self.atomic(op, inst, result, loc),
            (Opcode::Core(Op::ArrayLength), Some(_)) => self.array_length(inst, loc).map(Some),
            (Opcode::Core(Op::CompositeExtract), Some(_)) => {
                let comps = self.comps(inst.operands[0])?;
                let (start, len) = self.leaf_range(inst.operands[0], &inst.literals, loc)?;
                Ok(Some(comps[start..start + len].into()))
            }
            (Opcode::Core(Op::CompositeInsert), Some(_)) => {
                let part = self.comps(inst.operands[0])?;
                let mut comps = self.comps(inst.operands[1])?;
                let (start, len) = self.leaf_range(inst.operands[1], &inst.literals, loc)?;
                comps[start..start + len].clone_from_slice(&part);
                Ok(Some(comps))
            }
            (Opcode::Core(Op::CopyObject | Op::CopyLogical), Some(_)) => self.comps(inst.operands[0]).map(Some),
            _ => self.table_inst(inst, result, loc),
        }
    }

    fn leaf_range(&mut self, composite: Value, path: &[u32], loc: Loc) -> Result<(usize, usize)> {
        leaf_range(self.module, self.type_of(composite), path).ok_or_else(|| Error::InvalidSpirv {
            place: self.place(loc),
            what: "index outside of the composite".into(),
        })
    }

    /// An instruction by its row of the op table.
    fn table_inst(&mut self, inst: &Inst, result: Option<Value>, loc: Loc) -> Result<Option<Comps>> {
        let row = ops::row(inst.opcode)
            .ok_or_else(|| self.unsupported(loc, inst.opcode, "the instruction is not known to this version"))?;
        if let How::Unsupported(reason) = row.how {
            return Err(self.unsupported(loc, inst.opcode, reason));
        }
        let Some(result) = result else {
            return Err(self.unsupported(loc, inst.opcode, "it has no meaning in a compute shader here"));
        };
        if row.is_of_subgroup() {
            return self.subgroup(inst, result, loc).map(Some);
        }
        let result_scalars = self.scalars(self.type_of(result))?;
        let leaves: SmallVec<[Rc<[Scalar]>; 4]> =
            inst.operands.iter().map(|&v| self.operand_scalars(v, inst.opcode, loc)).collect::<Result<_>>()?;
        row.check(&leaves, &result_scalars).map_err(|misfit| match misfit {
            Misfit::Invalid(what) => {
                Error::InvalidSpirv { place: self.place(loc), what: format!("{}: {what}", inst.opcode) }
            }
            Misfit::Unsupported(why) => self.unsupported(loc, inst.opcode, why),
        })?;
        let Some(&first_result) = result_scalars.first() else { return Ok(Some(Comps::new())) };
        let operand_scalars: SmallVec<[Scalar; 4]> =
            leaves.iter().map(|l| l.first().copied().unwrap_or(first_result)).collect();
        let keyed = operand_scalars.first().copied().unwrap_or(first_result);
        let operands: SmallVec<[Comps; 4]> = inst.operands.iter().map(|&v| self.comps(v)).collect::<Result<_>>()?;
        if !row.how.is_lane_wise() {
            let How::Compose(compose) = row.how else {
                return Err(self.unsupported(loc, inst.opcode, "it is not lowered by this version"));
            };
            let parts = |ty| self.module.types.constituents(ty).unwrap_or(1);
            let counts: SmallVec<[u32; 4]> = inst.operands.iter().map(|&v| parts(self.type_of(v))).collect();
            let context = InstContext {
                operands: &operand_scalars,
                result: &result_scalars,
                counts: &counts,
                result_count: parts(self.type_of(result)),
                literals: &inst.literals,
                flags: inst.flags,
            };
            let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
            let comps = compose(&mut lanes, &context, &operands);
            let comps = lanes.rounded(row, comps, &result_scalars);
            if comps.len() != result_scalars.len() {
                let what = format!("{}: operands and result have different sizes", inst.opcode);
                return Err(Error::InvalidSpirv { place: self.place(loc), what });
            }
            return Ok(Some(comps));
        }
        let context = LaneContext { operand: keyed, result: first_result, flags: inst.flags };
        let shapes: SmallVec<[Shape; 4]> = self.table.shapes(result).into();
        let mut out = Comps::new();
        for i in 0..result_scalars.len() {
            let args: SmallVec<[&Comp; 4]> =
                operands.iter().map(|c| if c.len() == 1 { &c[0] } else { &c[i.min(c.len() - 1)] }).collect();
            let shape = shapes.get(i).copied().unwrap_or(Shape::Varying).held();
            let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
            out.push(lanes.component(row, &context, &args, &operand_scalars, shape));
        }
        Ok(Some(out))
    }

    /// The scalar leaves of an operand, which must be a value.
    fn operand_scalars(&mut self, value: Value, opcode: Opcode, loc: Loc) -> Result<Rc<[Scalar]>> {
        let ty = self.type_of(value);
        if matches!(self.module.types[ty], Type::Pointer { .. }) {
            return Err(self.unsupported(loc, opcode, "an operand is a pointer; use indices instead"));
        }
        self.scalars(ty)
    }

    /// Lane 0 of chunk `k` of a component that is not merely varying.
    pub fn chunk_base(&mut self, comp: &Comp, k: usize) -> clif::Value {
        Lanes { legal: &mut self.legal, width: self.width }.chunk_base(comp, k)
    }
}
