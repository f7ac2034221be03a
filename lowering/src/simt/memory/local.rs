//! Function and Private variables that stay in memory: arrays with an index known at run time only.
//!
//! A variable holds its components one after the other, each once a lane: component `i` of lane `l` is the 32-bit word
//! `i * W + l`. So an index that is uniform reaches W consecutive words, a vector access. Where any component has 64 bits,
//! each takes the room of W pairs of words, which one of 32 bits fills to the half. A table of constants holds each
//! component once. Components are as held: what is narrower than a word is one. Run-time indices are clamped to the last element (an index out of bounds is undefined behaviour in
//! SPIR-V; it must not reach other memory).
//!
//! Invariant: the memory is the subgroup's own, so a masked store may read, blend and write back.

use super::super::emit::Emitter;
use super::super::hoist::Hoist;
use super::super::legal::Legal;
use super::super::memory_flags::frame_flags;
use super::super::value::{Chunks, Comp, Comps, held_bits};
use super::pointer::{Leaf, Pointer};
use crate::analysis::constant_leaf_bits;
use crate::ir::{GlobalId, Loc, OpId, Scalar, StorageClass, Value, ValueDef};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder, StackSlot, StackSlotData, StackSlotKind, types};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Largest variable that is put on the stack, in bytes; larger ones go to scratch memory.
const MAX_ON_STACK: u32 = 4096;
/// Most bytes on the stack in all.
const MAX_FRAME: u32 = 65536;
/// Most bytes of scratch memory for one call.
pub(in crate::simt) const MAX_SCRATCH: usize = 64 << 20;

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
enum Home {
    Stack(StackSlot),
    Scratch(usize),
    /// In scratch, with a part for each subgroup (kernels with barriers).
    EachSubgroup {
        at: usize,
        bytes: u32,
    },
}

#[derive(Clone, Copy, Debug)]
struct Local {
    home: Home,
    /// Each component once, not once a lane.
    table: bool,
    /// Bytes of a component's room for a lane: 4 or 8.
    unit: u32,
}

/// Variables in memory.
#[derive(Default)]
pub(in crate::simt) struct Locals {
    locals: HashMap<Value, Local>,
    on_stack: u32,
    /// Offsets of Workgroup variables in scratch memory.
    pub shared: HashMap<GlobalId, usize>,
    /// Bytes of scratch memory used.
    pub scratch_size: usize,
}

impl Locals {
    /// For the module's next function: what is in scratch memory stays where it is, since a function may be called while
    /// another is not done.
    pub fn for_next(self) -> Locals {
        let Locals { shared, scratch_size, .. } = self;
        Locals { shared, scratch_size, ..Locals::default() }
    }

    /// Scratch memory of that many bytes; gives its offset.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        let at = self.scratch_size.next_multiple_of(16);
        self.scratch_size = at + bytes;
        at
    }
}

impl Emitter<'_> {
    /// `OpVariable` in a function.
    pub(in crate::simt) fn variable(&mut self, op: OpId, init: Option<Value>, loc: Loc) -> Result<()> {
        let func = self.func;
        let Some(&address) = func.ops[op].results.first() else { return Ok(()) };
        let pointer = self.pointer(address, loc)?;
        let leaves = self.leaves(&pointer, loc)?;
        let table = self.table.is_table(address);
        let unit = self.unit_of(self.type_of(address));
        self.place_local(address, leaves.len(), table, unit, loc)?;
        match init {
            Some(init) if table => self.fill_table(address, init, &leaves, loc),
            Some(init) => {
                let comps = self.comps(init)?;
                self.store_local(address, &pointer, &leaves, &comps, loc)
            }
            None => Ok(()),
        }
    }

    /// Does the function use Private variables?
    pub(in crate::simt) fn has_private(&self) -> bool {
        let private = |id: GlobalId| self.module.globals[id].class == StorageClass::Private;
        self.func.values.values().any(|data| matches!(data.def, ValueDef::Global(id) if private(id)))
    }

    /// Places the Private variables that the function uses, and sets them to their initialisers.
    pub(in crate::simt) fn private_variables(&mut self) -> Result<()> {
        let used: Vec<(Value, GlobalId)> = self
            .func
            .values
            .iter()
            .filter_map(|(value, data)| match data.def {
                ValueDef::Global(id) if self.module.globals[id].class == StorageClass::Private => Some((value, id)),
                _ => None,
            })
            .collect();
        for (value, id) in used {
            let global = &self.module.globals[id];
            let pointer = self.pointer(value, global.loc)?;
            let leaves = self.leaves(&pointer, global.loc)?;
            let unit = self.unit_of(global.ty);
            self.place_local(value, leaves.len(), false, unit, global.loc)?;
            if let Some(init) = global.init {
                let comps: Comps = leaves
                    .iter()
                    .enumerate()
                    .map(|(i, leaf)| {
                        let bits = constant_leaf_bits(self.module, init, i).unwrap_or(0);
                        Comp::Uniform(self.constant(leaf.scalar, bits))
                    })
                    .collect();
                self.store_local(value, &pointer, &leaves, &comps, global.loc)?;
            }
        }
        Ok(())
    }

    /// The function's value for a Private variable.
    pub(super) fn private_value(&self, id: GlobalId) -> Result<Value> {
        let found = self.func.values.iter().find(|(_, data)| data.def == ValueDef::Global(id));
        found.map(|(value, _)| value).ok_or_else(|| Error::Internal("a Private variable without a value".into()))
    }

    fn place_local(&mut self, variable: Value, components: usize, table: bool, unit: u32, loc: Loc) -> Result<()> {
        let each = u64::from(unit) * if table { 1 } else { u64::from(self.width.subgroup) };
        let bytes = components as u64 * each;
        let place = self.place(loc);
        let limit = |what: String| Error::Limit { place, what };
        let home = if self.workgroup.is_some() && !table {
            // It may be used on both sides of a barrier: each subgroup has its own.
            let each = bytes.next_multiple_of(16);
            let all = each * u64::from(self.subgroups());
            if self.locals.scratch_size as u64 + all > MAX_SCRATCH as u64 {
                return Err(limit(format!(
                    "variables need {all} bytes a workgroup, more than {MAX_SCRATCH}; use a buffer"
                )));
            }
            Home::EachSubgroup { at: self.locals.reserve(all as usize), bytes: each as u32 }
        } else if bytes <= u64::from(MAX_ON_STACK) && self.locals.on_stack + bytes as u32 <= MAX_FRAME {
            self.locals.on_stack += bytes as u32;
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
            Home::Stack(self.legal.builder.create_sized_stack_slot(data))
        } else {
            let at = self.locals.scratch_size.next_multiple_of(16);
            let end = at as u64 + bytes;
            if end > MAX_SCRATCH as u64 {
                return Err(limit(format!(
                    "variables need {end} bytes a subgroup, more than {MAX_SCRATCH}; use a buffer"
                )));
            }
            self.locals.scratch_size = end as usize;
            Home::Scratch(at)
        };
        self.locals.locals.insert(variable, Local { home, table, unit });
        Ok(())
    }

    /// Address of a variable's first component, and how its components lie.
    fn local_base(&mut self, variable: Value) -> Result<(clif::Value, Local)> {
        let local = self.locals.locals.get(&variable).copied();
        let local = local.ok_or_else(|| Error::Internal(format!("{variable:?} is not in memory")))?;
        let address = match local.home {
            Home::Stack(slot) => self.legal.ins().stack_addr(types::I64, slot, 0),
            Home::Scratch(at) => {
                let at = self.legal.ins().iconst(types::I64, at as i64);
                self.legal.ins().iadd(self.kernel.scratch, at)
            }
            Home::EachSubgroup { at, bytes } => {
                let base = self.hoist(Hoist::Scratch(at));
                self.advance(base, self.kernel.subgroup, bytes)
            }
        };
        Ok((address, local))
    }

    /// Tables are written once a kernel call.
    fn fill_table(&mut self, variable: Value, init: Value, leaves: &[Leaf], loc: Loc) -> Result<()> {
        let id = self.func.as_const(init);
        let id = id.ok_or_else(|| Error::Internal(format!("table without constants at line {}", loc.line)))?;
        let Some(Local { home, unit, .. }) = self.locals.locals.get(&variable).copied() else { return Ok(()) };
        let scratch = self.kernel.scratch;
        for (i, leaf) in leaves.iter().enumerate() {
            let bits = constant_leaf_bits(self.module, id, i).unwrap_or(0);
            let bits = held_bits(leaf.scalar, bits);
            let mut c = self.prologue();
            let ty = if leaf.scalar.bits() == 64 { types::I64 } else { types::I32 };
            let value = c.ins().iconst(ty, bits as i64);
            let own = unit as usize * i;
            match home {
                Home::Stack(slot) => {
                    let at = c.ins().stack_addr(types::I64, slot, 0);
                    c.ins().store(frame_flags(), value, at, own as i32);
                }
                Home::Scratch(at) | Home::EachSubgroup { at, .. } => {
                    c.ins().store(frame_flags(), value, scratch, (at + own) as i32);
                }
            }
        }
        Ok(())
    }

    /// The component that a pointer leads to, before its leaves: a constant, or a component index that is the same in
    /// all lanes, or one a lane. Indices are clamped.
    fn component_index(&mut self, pointer: &Pointer) -> Option<Comp> {
        let mut sum: Option<Comp> = None;
        for term in &pointer.terms {
            let last = term.count.unwrap_or(1).saturating_sub(1);
            let last = Comp::Uniform(self.legal.ins().iconst(types::I32, i64::from(last)));
            let stride = Comp::Uniform(self.legal.ins().iconst(types::I32, i64::from(term.stride)));
            let clamped = self.map2(&term.index, &last, Scalar::U32, |l, a, b| l.umin(a, b));
            let scaled = self.map2(&clamped, &stride, Scalar::U32, |l, a, b| l.imul(a, b));
            sum = Some(match sum {
                Some(sum) => self.map2(&sum, &scaled, Scalar::U32, |l, a, b| l.iadd(a, b)),
                None => scaled,
            });
        }
        sum
    }

    /// Loads components of a variable.
    pub(super) fn load_local(
        &mut self,
        variable: Value,
        pointer: &Pointer,
        leaves: &[Leaf],
        loc: Loc,
    ) -> Result<Comps> {
        let (base, Local { table, unit, .. }) = self.local_base(variable)?;
        let index = self.component_index(pointer);
        let lanes = if table { 1 } else { self.width.subgroup };
        let room = unit * lanes;
        let start = pointer.offset as u32;
        Ok(match index {
            None | Some(Comp::Uniform(_)) => {
                let at = match index {
                    Some(Comp::Uniform(index)) => self.advance(base, index, room),
                    _ => base,
                };
                leaves
                    .iter()
                    .map(|leaf| {
                        let offset = (room * (start + leaf.offset)) as i32;
                        if table {
                            self.load_word(at, offset, leaf.scalar)
                        } else {
                            self.load_words(at, offset, leaf.scalar)
                        }
                    })
                    .collect()
            }
            Some(index) => {
                self.legal.stats.gathered += 1;
                self.remark(loc, "gather: a local array with an index that differs from lane to lane");
                let chunks = self.chunks(&index, Scalar::U32);
                leaves
                    .iter()
                    .map(|leaf| self.gather_words(base, &chunks, start + leaf.offset, (lanes, unit), leaf.scalar))
                    .collect()
            }
        })
    }

    /// A word as a uniform component.
    fn load_word(&mut self, at: clif::Value, offset: i32, scalar: Scalar) -> Comp {
        if scalar == Scalar::Bool {
            let word = self.legal.ins().load(types::I32, frame_flags(), at, offset);
            return Comp::Uniform(self.legal.int_to_bool(word));
        }
        let ty = Legal::scalar_type(scalar);
        Comp::Uniform(self.legal.ins().load(ty, frame_flags(), at, offset))
    }

    /// W words as a component.
    fn load_words(&mut self, at: clif::Value, offset: i32, scalar: Scalar) -> Comp {
        let ty = self.word_type(scalar);
        let bytes = ty.bytes() as i32;
        let n = self.width.chunks(scalar) as i32;
        let chunks: Chunks = (0..n).map(|k| self.legal.ins().load(ty, frame_flags(), at, offset + k * bytes)).collect();
        self.lanes_of_words(chunks, scalar)
    }

    /// The type of a chunk in memory: booleans are words.
    fn word_type(&self, scalar: Scalar) -> clif::Type {
        let scalar = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        Legal::chunk_type(scalar, self.width.lanes(scalar))
    }

    fn lanes_of_words(&mut self, chunks: Chunks, scalar: Scalar) -> Comp {
        if scalar == Scalar::Bool && self.width.chunk == 1 {
            return Comp::Varying(chunks.iter().map(|&c| self.legal.int_to_bool(c)).collect());
        }
        Comp::Varying(chunks)
    }

    fn words_of(&mut self, comp: &Comp, scalar: Scalar) -> Chunks {
        let chunks = self.chunks(comp, scalar);
        if scalar == Scalar::Bool && self.width.chunk == 1 {
            return chunks.iter().map(|&c| self.legal.ins().uextend(types::I32, c)).collect();
        }
        chunks
    }

    fn gather_words(
        &mut self,
        base: clif::Value,
        index: &Chunks,
        component: u32,
        rooms: (u32, u32),
        scalar: Scalar,
    ) -> Comp {
        let w = self.width;
        let word = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        let ty = Legal::scalar_type(word);
        let mut words: SmallVec<[clif::Value; 8]> = SmallVec::new();
        for lane in 0..w.subgroup {
            let (address, offset) = self.word_address(base, index, component, lane, rooms, scalar);
            words.push(self.legal.ins().load(ty, frame_flags(), address, offset));
        }
        let chunks = self.gathered(word, &words);
        let chunks = if scalar == Scalar::Bool && w.chunk > 1 {
            // Tables hold 0 and 1, lanes masks.
            chunks.iter().map(|&c| self.lane_mask(c)).collect()
        } else {
            chunks
        };
        self.lanes_of_words(chunks, scalar)
    }

    /// Lanes that are not 0, as a mask.
    fn lane_mask(&mut self, chunk: clif::Value) -> clif::Value {
        let zero = self.zero(self.legal.ty(chunk));
        self.legal.ins().icmp(clif::condcodes::IntCC::NotEqual, chunk, zero)
    }

    fn word_address(
        &mut self,
        base: clif::Value,
        index: &Chunks,
        component: u32,
        lane: u32,
        (lanes, unit): (u32, u32),
        scalar: Scalar,
    ) -> (clif::Value, i32) {
        let index = self.lane(index, lane, self.width.chunk);
        let address = self.advance(base, index, unit * lanes);
        let own = if lanes == 1 { 0 } else { lane };
        (address, (unit * lanes * component + scalar.bits().max(32) / 8 * own) as i32)
    }

    /// Stores components of a variable, in the active lanes.
    pub(super) fn store_local(
        &mut self,
        variable: Value,
        pointer: &Pointer,
        leaves: &[Leaf],
        comps: &Comps,
        loc: Loc,
    ) -> Result<()> {
        let (base, Local { unit, .. }) = self.local_base(variable)?;
        let index = self.component_index(pointer);
        let room = unit * self.width.subgroup;
        let start = pointer.offset as u32;
        match index {
            None | Some(Comp::Uniform(_)) => {
                let at = match index {
                    Some(Comp::Uniform(index)) => self.advance(base, index, room),
                    _ => base,
                };
                for (leaf, comp) in leaves.iter().zip(comps) {
                    let words = self.words_of(comp, leaf.scalar);
                    self.store_words(at, (room * (start + leaf.offset)) as i32, &words, leaf.scalar);
                }
            }
            Some(index) => {
                self.legal.stats.scattered += 1;
                self.remark(loc, "scatter: a local array with an index that differs from lane to lane");
                let chunks = self.chunks(&index, Scalar::U32);
                for (leaf, comp) in leaves.iter().zip(comps) {
                    let words = self.words_of(comp, leaf.scalar);
                    self.scatter_words(base, &chunks, start + leaf.offset, unit, &words, leaf.scalar);
                }
            }
        }
        Ok(())
    }

    fn store_words(&mut self, at: clif::Value, offset: i32, words: &Chunks, scalar: Scalar) {
        let mut words = words.clone();
        let bytes = self.legal.ty(words[0]).bytes() as i32;
        if !self.exec.full {
            let ty = self.legal.ty(words[0]);
            let old: Chunks = (0..words.len() as i32)
                .map(|k| self.legal.ins().load(ty, frame_flags(), at, offset + k * bytes))
                .collect();
            let mask = self.exec_mask();
            let kind = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
            words = self.blend(&mask, &words, &old, kind);
        }
        for (k, &word) in words.iter().enumerate() {
            self.legal.ins().store(frame_flags(), word, at, offset + k as i32 * bytes);
        }
    }

    fn scatter_words(
        &mut self,
        base: clif::Value,
        index: &Chunks,
        component: u32,
        unit: u32,
        words: &Chunks,
        scalar: Scalar,
    ) {
        let w = self.width;
        let mask = if self.exec.full { None } else { Some(self.exec_mask()) };
        for lane in 0..w.subgroup {
            let (mut address, mut offset) = self.word_address(base, index, component, lane, (w.subgroup, unit), scalar);
            if let Some(mask) = &mask {
                let on = self.mask_lane(mask, lane);
                let at = self.legal.ins().iconst(types::I64, i64::from(offset));
                let whole = self.legal.ins().iadd(address, at);
                let sink = self.sink_address();
                (address, offset) = (self.legal.ins().select(on, whole, sink), 0);
            }
            let word = self.lane(words, lane, w.lanes(scalar));
            self.legal.ins().store(frame_flags(), word, address, offset);
        }
    }
}
