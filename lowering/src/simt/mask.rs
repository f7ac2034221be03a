//! Masks: which lanes of the subgroup are active.
//!
//! A mask is one boolean chunk per C lanes (see [`value`](super::value) for the representation). The execution mask lives
//! in Cranelift variables, so that it flows through branches by itself, beside a flag that says it is known to be full.
//!
//! Invariant: wherever `full` is set, the variables, if they are read after all, hold all-ones.

use super::emit::Emitter;
use super::value::{Chunks, Comp};
use crate::ir::Scalar;
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};
use cranelift_frontend::Variable;
use smallvec::SmallVec;

/// The execution mask.
pub(super) struct Exec {
    /// One variable a chunk.
    pub vars: SmallVec<[Variable; 2]>,
    /// All lanes are known to be active.
    pub full: bool,
}

/// A mask as it was: to be put back after a construct.
#[derive(Clone)]
pub(super) struct Saved {
    pub chunks: Option<Chunks>,
}

impl Emitter<'_> {
    /// Type of a chunk of a mask.
    pub fn mask_type(&self) -> clif::Type {
        super::legal::Legal::chunk_type(Scalar::Bool, self.width.chunk)
    }

    /// Number of chunks of a mask.
    pub fn mask_chunks(&self) -> usize {
        self.width.chunks(Scalar::Bool)
    }

    /// A chunk with all lanes on, or off.
    pub fn mask_const(&mut self, on: bool) -> clif::Value {
        if self.width.chunk == 1 {
            return self.legal.ins().iconst(types::I8, i64::from(on));
        }
        let lane = self.legal.ins().iconst(types::I32, if on { 0xffff_ffff } else { 0 });
        let ty = self.mask_type();
        self.legal.ins().splat(ty, lane)
    }

    /// A whole mask, all on or all off.
    pub fn mask_all(&mut self, on: bool) -> Chunks {
        let chunk = self.mask_const(on);
        std::iter::repeat_n(chunk, self.mask_chunks()).collect()
    }

    /// The execution mask.
    pub fn exec_mask(&mut self) -> Chunks {
        if self.exec.full {
            return self.mask_all(true);
        }
        let vars = self.exec.vars.clone();
        vars.iter().map(|&v| self.legal.builder.use_var(v)).collect()
    }

    /// Sets the execution mask.
    pub fn set_exec(&mut self, mask: &Chunks) {
        for (i, &chunk) in mask.iter().enumerate() {
            let var = self.exec.vars[i];
            self.legal.builder.def_var(var, chunk);
        }
        self.exec.full = false;
    }

    /// All lanes active, known.
    pub fn set_exec_full(&mut self) {
        let all = self.mask_all(true);
        self.set_exec(&all);
        self.exec.full = true;
    }

    /// Remembers the execution mask.
    pub fn save_exec(&mut self) -> Saved {
        Saved { chunks: if self.exec.full { None } else { Some(self.exec_mask()) } }
    }

    /// Puts a remembered execution mask back.
    pub fn restore_exec(&mut self, saved: &Saved) {
        match &saved.chunks {
            Some(chunks) => self.set_exec(chunks),
            None => self.set_exec_full(),
        }
    }

    /// `a & b`.
    pub fn mask_and(&mut self, a: &Chunks, b: &Chunks) -> Chunks {
        a.iter().zip(b).map(|(&a, &b)| self.legal.ins().band(a, b)).collect()
    }

    /// `a | b`.
    pub fn mask_or(&mut self, a: &Chunks, b: &Chunks) -> Chunks {
        a.iter().zip(b).map(|(&a, &b)| self.legal.ins().bor(a, b)).collect()
    }

    /// `!a`.
    pub fn mask_not(&mut self, a: &Chunks) -> Chunks {
        let ones = self.mask_const(true);
        a.iter().map(|&a| self.legal.ins().bxor(a, ones)).collect()
    }

    /// `a & !b`, written so that it becomes one instruction.
    pub fn mask_and_not(&mut self, a: &Chunks, b: &Chunks) -> Chunks {
        let not = self.mask_not(b);
        self.mask_and(a, &not)
    }

    /// Is any lane on? An `i8`.
    pub fn mask_any(&mut self, mask: &Chunks) -> clif::Value {
        let joined = self.reduce(mask, |e, a, b| e.legal.ins().bor(a, b));
        if self.width.chunk == 1 { joined } else { self.legal.ins().vany_true(joined) }
    }

    /// Are all lanes on? An `i8`.
    pub fn mask_full(&mut self, mask: &Chunks) -> clif::Value {
        let joined = self.reduce(mask, |e, a, b| e.legal.ins().band(a, b));
        if self.width.chunk == 1 { joined } else { self.legal.ins().vall_true(joined) }
    }

    fn reduce(
        &mut self,
        mask: &Chunks,
        mut f: impl FnMut(&mut Self, clif::Value, clif::Value) -> clif::Value,
    ) -> clif::Value {
        let mut joined = mask[0];
        for &chunk in &mask[1..] {
            joined = f(self, joined, chunk);
        }
        joined
    }

    /// Lane `lane` of the subgroup of a mask: a value that is not 0 when it is on, for `select` and `brif`.
    pub fn mask_lane(&mut self, mask: &Chunks, lane: u32) -> clif::Value {
        self.lane(mask, lane, self.width.chunk)
    }

    /// Lane `lane` of the subgroup of chunks with `lanes` lanes each.
    pub fn lane(&mut self, chunks: &Chunks, lane: u32, lanes: u32) -> clif::Value {
        let chunk = chunks[(lane / lanes) as usize];
        if lanes == 1 { chunk } else { self.legal.ins().extractlane(chunk, (lane % lanes) as u8) }
    }

    /// `mask ? new : old` in each lane, chunks of `scalar`.
    pub fn blend(&mut self, mask: &Chunks, new: &Chunks, old: &Chunks, scalar: Scalar) -> Chunks {
        let mask = self.mask_for(mask, scalar);
        (0..new.len())
            .map(|k| {
                if new[k] == old[k] {
                    return new[k];
                }
                let ty = self.legal.ty(new[k]);
                if !ty.is_vector() {
                    return self.legal.ins().select(mask[k], new[k], old[k]);
                }
                let flags = clif::MemFlagsData::new().with_endianness(clif::Endianness::Little);
                let mask =
                    if self.legal.ty(mask[k]) == ty { mask[k] } else { self.legal.ins().bitcast(ty, flags, mask[k]) };
                self.legal.ins().bitselect(mask, new[k], old[k])
            })
            .collect()
    }

    /// A mask with as many chunks as a component of `scalar` has: 64-bit components have two for each of the mask's.
    fn mask_for(&mut self, mask: &Chunks, scalar: Scalar) -> Chunks {
        if scalar.bits() != 64 || self.width.chunk == 1 {
            return mask.clone();
        }
        mask.iter().flat_map(|&m| [self.legal.ins().swiden_low(m), self.legal.ins().swiden_high(m)]).collect()
    }

    /// A boolean component as a mask.
    pub fn mask_of(&mut self, comp: &Comp) -> Chunks {
        self.chunks(comp, Scalar::Bool)
    }

    /// The lanes whose number, from `base` on, is below `limit`; both 32 bits.
    pub fn mask_below(&mut self, base: clif::Value, limit: clif::Value) -> Chunks {
        let index = self.chunks(&Comp::Affine { base, stride: 1 }, Scalar::U32);
        let limit = self.legal.broadcast(limit, Scalar::U32, self.width.chunk);
        index.iter().map(|&i| self.legal.ins().icmp(IntCC::UnsignedLessThan, i, limit)).collect()
    }
}
