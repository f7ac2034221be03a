//! Calls out of the kernel: prints, and instructions that functions of the embedder compute.
//!
//! In: the operation and its components. Out: an indirect call through the context
//! ([`PrintSink`](crate::abi::PrintSink), [`HostFunction`](crate::abi::HostFunction)), once for the subgroup, with a bit for
//! each active lane; none where no lane is active, or nobody listens. What goes out and comes back lies in a stack slot: one
//! word for each lane of each component (see [`ir::CustomInstruction`](crate::ir::CustomInstruction)).
//!
//! The kernel has looked before its first workgroup whether the context has all functions that it calls.

use super::emit::Emitter;
use super::kernel::context_flags;
use super::legal::Legal;
use super::memory_flags::frame_flags;
use super::value::{Comp, Comps};
use crate::abi::{Context, HostFunction, PrintSink};
use crate::ir::{Inst, Loc, Module, OpKind, Opcode, Scalar, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, Signature, condcodes::IntCC, types};
use std::mem::offset_of;

impl Emitter<'_> {
    /// An instruction that a function of the embedder's computes.
    pub fn custom(&mut self, inst: &Inst, result: Option<Value>, loc: Loc) -> Result<Option<Comps>> {
        let Some((&index, literals)) = inst.literals.split_first() else { return Err(self.without_declaration(loc)) };
        let Some(custom) = self.module.custom.get(index as usize) else { return Err(self.without_declaration(loc)) };
        // Values and literals in the order of the operands.
        let (mut values, mut words) = (inst.operands.iter(), literals.iter());
        let mut args = vec![];
        for param in &custom.params {
            match param {
                crate::ir::CustomParam::Literal => {
                    let word = words.next().copied().unwrap_or(0);
                    args.push((Comp::Uniform(self.constant(Scalar::U32, word.into())), Scalar::U32));
                }
                crate::ir::CustomParam::Value(ty) => {
                    let Some(&value) = values.next() else { return Err(self.without_declaration(loc)) };
                    args.extend(self.comps(value)?.into_iter().map(|comp| (comp, ty.scalar)));
                }
            }
        }
        let outputs = custom.outputs();
        let row = self.width.subgroup as usize * 4;
        let slot = self.outside_slot(args.len() + outputs);
        let results = self.legal.ins().iadd_imm_u(slot, (args.len() * row) as i64);
        let after = self.unless_empty(None);
        self.store_args(slot, &args);
        let active = self.active_lanes();
        let functions = self.context_field(types::I64, offset_of!(Context, host_functions));
        let at = index as usize * size_of::<HostFunction>();
        let field = |e: &mut Self, offset: usize| {
            e.legal.ins().load(types::I64, context_flags(), functions, (at + offset) as i32)
        };
        let call = field(self, offset_of!(HostFunction, call));
        let data = field(self, offset_of!(HostFunction, data));
        self.call_outside(call, [data, active, slot, results]);
        self.rejoin(after);
        let Some(result) = result else { return Ok(None) };
        // Where the call was left out, whatever is there belongs to lanes that are off.
        let scalars = self.scalars(self.type_of(result))?;
        if scalars.len() != outputs {
            return Err(self.without_declaration(loc));
        }
        let comps = scalars.iter().enumerate().map(|(i, &scalar)| self.load_result(results, i, scalar)).collect();
        Ok(Some(comps))
    }

    /// A `DebugPrintf`.
    pub fn print(&mut self, inst: &Inst, loc: Loc) -> Result<()> {
        let index = inst.literals.first().copied().unwrap_or(u32::MAX);
        if index as usize >= self.module.prints.len() {
            return Err(self.without_declaration(loc));
        }
        let mut args = vec![];
        for &value in &inst.operands {
            let scalars = self.scalars(self.type_of(value))?;
            args.extend(self.comps(value)?.into_iter().zip(scalars.iter().copied()));
        }
        let sink = offset_of!(Context, print);
        let call = self.context_field(types::I64, sink + offset_of!(PrintSink, call));
        let slot = self.outside_slot(args.len());
        let after = self.unless_empty(Some(call));
        self.store_args(slot, &args);
        let active = self.active_lanes();
        let data = self.context_field(types::I64, sink + offset_of!(PrintSink, data));
        let format = self.legal.ins().iconst(types::I64, i64::from(index));
        self.call_outside(call, [data, format, active, slot]);
        self.rejoin(after);
        Ok(())
    }

    fn without_declaration(&self, loc: Loc) -> Error {
        let what = "an instruction of the embedder's or a print without its declaration".into();
        Error::InvalidSpirv { place: self.place(loc), what }
    }

    fn context_field(&mut self, ty: clif::Type, offset: usize) -> clif::Value {
        self.legal.ins().load(ty, context_flags(), self.kernel.context, offset as i32)
    }

    /// Address of memory for so many components.
    fn outside_slot(&mut self, components: usize) -> clif::Value {
        let bytes = components as u32 * self.width.subgroup * 4;
        let slot = self.helpers.outside(&mut self.legal.builder, bytes);
        self.legal.ins().stack_addr(types::I64, slot, 0)
    }

    /// Goes on only with an active lane, and with `wanted` where that is given and not 0. Gives the block for all else.
    fn unless_empty(&mut self, wanted: Option<clif::Value>) -> Option<clif::Block> {
        let mut cond = wanted;
        if !self.exec.full {
            let mask = self.exec_mask();
            let any = self.mask_any(&mask);
            cond = Some(match wanted {
                None => any,
                Some(wanted) => {
                    let none = self.legal.ins().iconst(types::I64, 0);
                    self.legal.ins().select(any, wanted, none)
                }
            });
        }
        let cond = cond?;
        let [call, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        self.legal.ins().brif(cond, call, &[], after, &[]);
        self.start(call);
        Some(after)
    }

    fn rejoin(&mut self, after: Option<clif::Block>) {
        if let Some(after) = after {
            self.legal.ins().jump(after, &[]);
            self.start(after);
        }
    }

    /// A bit for each active lane, 64 bits.
    fn active_lanes(&mut self) -> clif::Value {
        let lanes = self.width.subgroup;
        if self.exec.full {
            let all = u64::MAX >> (64 - lanes);
            return self.legal.ins().iconst(types::I64, all as i64);
        }
        let mask = self.exec_mask();
        let mut bits = None;
        for (chunk, &lanes) in mask.iter().enumerate() {
            let own = self.legal.mask_bits(lanes);
            let own = self.legal.ins().uextend(types::I64, own);
            let own = self.legal.ishl_const(own, chunk as u32 * self.width.chunk);
            bits = Some(match bits {
                None => own,
                Some(bits) => self.legal.bor(bits, own),
            });
        }
        bits.unwrap_or_else(|| self.legal.ins().iconst(types::I64, 0))
    }

    fn store_args(&mut self, slot: clif::Value, args: &[(Comp, Scalar)]) {
        let row = self.width.subgroup * 4;
        for (at, (comp, scalar)) in args.iter().enumerate() {
            let chunks = self.chunks(comp, *scalar);
            for (k, &chunk) in chunks.iter().enumerate() {
                let value = match scalar {
                    Scalar::Bool => {
                        let ty = Legal::chunk_type(Scalar::U32, self.width.chunk);
                        self.legal.bool_to_int(chunk, ty)
                    }
                    _ => chunk,
                };
                let offset = at as u32 * row + k as u32 * self.width.chunk * 4;
                self.legal.ins().store(frame_flags(), value, slot, offset as i32);
            }
        }
    }

    /// Component `i` of what came back.
    fn load_result(&mut self, results: clif::Value, i: usize, scalar: Scalar) -> Comp {
        let stored = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        let ty = Legal::chunk_type(stored, self.width.chunk);
        let row = i as u32 * self.width.subgroup * 4;
        let chunks = (0..self.width.chunks(scalar) as u32).map(|k| {
            let offset = row + k * self.width.chunk * 4;
            let word = self.legal.ins().load(ty, frame_flags(), results, offset as i32);
            if scalar == Scalar::Bool { self.legal.int_to_bool(word) } else { word }
        });
        Comp::Varying(chunks.collect())
    }

    fn call_outside(&mut self, callee: clif::Value, args: [clif::Value; 4]) {
        let mut signature = Signature::new(self.legal.target.call_conv);
        signature.params.extend([types::I64; 4].map(AbiParam::new));
        let signature = self.legal.builder.import_signature(signature);
        self.legal.ins().call_indirect(signature, callee, &args);
    }
}

/// How many functions of the embedder's the module calls: those from 0 to the highest index.
pub(super) fn functions_called(module: &Module) -> u32 {
    let mut count = 0;
    for func in module.functions.values() {
        func.for_each_op(func.body, &mut |_, op| {
            if let OpKind::Inst(inst) = &func.ops[op].kind
                && inst.opcode == Opcode::Custom
            {
                count = count.max(inst.literals.first().map_or(0, |index| index.saturating_add(1)));
            }
        });
    }
    count
}

/// Emits a test whether the context has the functions `0..count`: an `i8`.
pub(super) fn has_functions(legal: &mut Legal<'_>, context: clif::Value, count: u32) -> clif::Value {
    let field = |l: &mut Legal<'_>, from, offset: usize| l.ins().load(types::I64, context_flags(), from, offset as i32);
    // Too short a table is not looked into: a block of zeros stands for it, in which no function is.
    let zeros = field(legal, context, offset_of!(Context, zero_block));
    let there = field(legal, context, offset_of!(Context, host_function_count));
    let table = field(legal, context, offset_of!(Context, host_functions));
    let needed = legal.ins().iconst(types::I64, i64::from(count));
    let enough = legal.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, there, needed);
    let mut all = enough;
    for index in 0..count {
        let offset = index as usize * size_of::<HostFunction>() + offset_of!(HostFunction, call);
        // The zeros are fewer than a long table has bytes, so all look at their start.
        let entry = legal.ins().iadd_imm_u(table, offset as i64);
        let entry = legal.ins().select(enough, entry, zeros);
        let call = field(legal, entry, 0);
        let there = legal.int_to_bool(call);
        all = legal.ins().band(all, there);
    }
    all
}
