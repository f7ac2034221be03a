//! How the lanes of a subgroup reach an address: classification, bounds, machine addresses.
//!
//! In: a [`Pointer`] and the leaves accessed. Out: an [`Access`] with its bounds checks as CLIF values.

use super::super::emit::Emitter;
use super::super::hoist::Hoist;
use super::super::memory_flags::data_flags;
use super::super::value::{Chunks, Comp};
use super::pointer::{Leaf, Pointer, Root, Term};
use crate::ir::Scalar;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use smallvec::SmallVec;

/// How addresses differ from lane to lane.
#[derive(Clone, Debug)]
pub(super) enum Access {
    /// One address for all lanes.
    Uniform,
    /// Term `term` alone differs: by `step` indices from lane to lane, over the whole subgroup or within each chunk.
    Linear {
        /// Which term.
        term: usize,
        /// Indices from lane to lane, positive.
        step: u32,
        /// Bytes from lane to lane.
        distance: u32,
        /// Each chunk has a first index of its own.
        by_chunk: bool,
        /// It is so in most subgroups only: the access tests it.
        guessed: bool,
    },
    /// Anything.
    Scattered,
}

impl Emitter<'_> {
    /// How lanes reach `pointer`.
    pub(super) fn classify(&self, pointer: &Pointer) -> Access {
        let mut varying = pointer.terms.iter().enumerate().filter(|(_, t)| t.index.uniform().is_none());
        let Some((term, t)) = varying.next() else { return Access::Uniform };
        if varying.next().is_some() {
            return Access::Scattered;
        }
        let (step, by_chunk, guessed) = match (&t.index, t.nearly) {
            (Comp::Affine { stride, .. }, _) => (u32::try_from(*stride).unwrap_or(0), false, false),
            (Comp::ChunkAffine { stride, .. }, _) => (u32::try_from(*stride).unwrap_or(0), true, false),
            (_, Some(step)) if self.width.chunk > 1 => (step, false, true),
            _ => return Access::Scattered,
        };
        match step.checked_mul(t.stride) {
            Some(distance) if step > 0 && distance < 1 << 20 => {
                Access::Linear { term, step, distance, by_chunk, guessed }
            }
            _ => Access::Scattered,
        }
    }

    /// Are the lanes of an index `step` apart, as guessed? Gives lane 0 and the test, an `i8`.
    pub(super) fn test_guess(&mut self, index: &Comp, step: u32) -> (clif::Value, clif::Value) {
        let chunks = self.chunks(index, Scalar::U32);
        let first = self.lane(&chunks, 0, self.width.chunk);
        let expected = self.chunks(&Comp::Affine { base: first, stride: step as i32 }, Scalar::U32);
        let same: Chunks =
            chunks.iter().zip(&expected).map(|(&a, &b)| self.legal.ins().icmp(IntCC::Equal, a, b)).collect();
        let all = self.mask_full(&same);
        (first, all)
    }

    /// Flags of a load through `pointer`.
    pub(super) fn load_flags(&self, pointer: &Pointer) -> MemFlagsData {
        if !self.read_only(pointer) {
            return data_flags();
        }
        // Without checks an address is only good where the shader says so: it must not move before its guard.
        let anywhere = !self.options.unchecked || pointer.terms.is_empty();
        let flags = data_flags().with_readonly();
        if anywhere { flags.with_can_move() } else { flags }
    }

    /// Nobody writes this memory while the kernel runs.
    fn read_only(&self, pointer: &Pointer) -> bool {
        use crate::analysis::interface::ResourceKind;
        match pointer.root {
            Root::Push => true,
            Root::Buffer { resource, .. } => self.interface.resources[resource].kind == ResourceKind::UniformBuffer,
            Root::Shared(_) | Root::Local(_) | Root::BuiltIn(_) => false,
        }
    }

    /// Bytes up to the end of the farthest access that the constant part and the fixed-size terms can make, for an index
    /// 0 into the runtime array. `None`: beyond any buffer.
    fn reach(pointer: &Pointer, end: u32) -> Option<u32> {
        let fixed = pointer.terms.iter().filter_map(|t| t.count.map(|n| u64::from(n.max(1) - 1) * u64::from(t.stride)));
        let reach = pointer.offset.checked_add(u64::from(end))?.checked_add(fixed.sum())?;
        u32::try_from(reach).ok()
    }

    /// The address of `pointer` without its terms, as base and constant offset.
    pub(super) fn root_base(&mut self, pointer: &Pointer) -> clif::Value {
        match pointer.root {
            Root::Buffer { slot, .. } => self.hoist(Hoist::Base(slot)),
            Root::Shared(id) => {
                let at = self.locals.shared.get(&id).copied().unwrap_or(0);
                self.hoist(Hoist::Scratch(at))
            }
            _ => self.hoist(Hoist::Push),
        }
    }

    /// What a term's index must stay below; `over`: so must the `over` indices after it.
    pub(super) fn limit(&mut self, pointer: &Pointer, term: &Term, end: u32, over: u32) -> Bound {
        match (term.count, pointer.root) {
            // The largest index is of any lane, so of the last of those after it too.
            (Some(count), _) if term.max.is_some_and(|max| max < count) => Bound::Always,
            (Some(count), _) => match count.saturating_sub(over) {
                0 => Bound::Never,
                limit => Bound::Below(self.legal.ins().iconst(types::I32, i64::from(limit))),
            },
            (None, Root::Buffer { slot, .. }) => match (Self::reach(pointer, end), over) {
                (None, _) => Bound::Never,
                (Some(end), 0) => Bound::Below(self.hoist(Hoist::Count { slot, end, stride: term.stride })),
                (Some(end), _) => Bound::Below(self.hoist(Hoist::CountLess { slot, end, stride: term.stride, over })),
            },
            (None, _) => Bound::Never,
        }
    }

    /// Is an index, a scalar, within its bound?
    pub(super) fn within(&mut self, index: clif::Value, bound: Bound) -> Check {
        match bound {
            Bound::Always => Check::Always,
            Bound::Never => Check::Never,
            Bound::Below(limit) => Check::If(self.legal.ins().icmp(IntCC::UnsignedLessThan, index, limit)),
        }
    }

    /// Conditions for the uniform part of an address to be in bounds, joined; `None` when there is nothing to check.
    /// `end`: bytes from the address to the end of the access. `skip`: the term that is checked elsewhere.
    pub(super) fn uniform_check(&mut self, pointer: &Pointer, end: u32, skip: Option<usize>) -> Check {
        if self.options.unchecked {
            return Check::Always;
        }
        let mut check = Check::Always;
        let runtime_term = pointer.terms.iter().any(|t| t.count.is_none());
        // A constant index into a runtime array has no term: the size alone decides.
        if pointer.runtime && !runtime_term {
            check = match (Self::reach(pointer, end), pointer.root) {
                (Some(bytes), Root::Buffer { slot, .. }) => Check::If(self.hoist(Hoist::Holds { slot, bytes })),
                _ => Check::Never,
            };
        }
        for (i, term) in pointer.terms.iter().enumerate() {
            let (Some(index), true) = (term.index.uniform(), skip != Some(i)) else { continue };
            let bound = self.limit(pointer, term, end, 0);
            let ok = self.within(index, bound);
            check = self.both(check, ok);
        }
        check
    }

    /// Is there memory up to the end of the farthest access, which may be larger than what the block declares? Indices into a
    /// runtime array are compared with the buffer's size anyway.
    pub(super) fn room(&mut self, pointer: &Pointer, end: u32) -> Check {
        let declared = match pointer.root {
            _ if pointer.runtime => return Check::Always,
            Root::Buffer { resource, .. } => self.interface.resources[resource].fixed_size,
            Root::Push => u64::from(self.interface.push_size),
            _ => return Check::Always,
        };
        match (Self::reach(pointer, end), pointer.root) {
            (Some(bytes), _) if u64::from(bytes) <= declared => Check::Always,
            (Some(bytes), Root::Buffer { slot, .. }) => Check::If(self.hoist(Hoist::Holds { slot, bytes })),
            _ => Check::Never,
        }
    }

    /// Both conditions.
    pub(super) fn both(&mut self, a: Check, b: Check) -> Check {
        match (a, b) {
            (Check::Never, _) | (_, Check::Never) => Check::Never,
            (Check::Always, other) | (other, Check::Always) => other,
            (Check::If(a), Check::If(b)) => Check::If(self.legal.ins().band(a, b)),
        }
    }

    /// Machine address of the part of `pointer` that is the same in all lanes (terms but `skip`), without the constant
    /// offset, which goes into the instruction where it fits.
    pub(super) fn uniform_address(&mut self, pointer: &Pointer, skip: Option<usize>) -> (clif::Value, i32) {
        let mut address = self.root_base(pointer);
        for (i, term) in pointer.terms.iter().enumerate() {
            let (Some(index), true) = (term.index.uniform(), skip != Some(i)) else { continue };
            address = self.advance(address, index, term.stride);
        }
        self.split_offset(address, pointer.offset)
    }

    /// `address + index * stride`, the index unsigned.
    pub(super) fn advance(&mut self, address: clif::Value, index: clif::Value, stride: u32) -> clif::Value {
        let wide = self.legal.ins().uextend(types::I64, index);
        let bytes = if stride == 1 {
            wide
        } else if stride.is_power_of_two() {
            let amount = self.legal.ins().iconst(types::I32, i64::from(stride.trailing_zeros()));
            self.legal.ins().ishl(wide, amount)
        } else {
            let stride = self.legal.ins().iconst(types::I64, i64::from(stride));
            self.legal.ins().imul(wide, stride)
        };
        self.legal.ins().iadd(address, bytes)
    }

    /// An offset that fits an instruction's immediate stays apart; a larger one is added. Offsets that wrap belong to
    /// accesses whose check fails.
    fn split_offset(&mut self, address: clif::Value, offset: u64) -> (clif::Value, i32) {
        match i32::try_from(offset) {
            Ok(small) if small < i32::MAX / 2 => (address, small),
            _ => {
                let offset = self.legal.ins().iconst(types::I64, offset as i64);
                (self.legal.ins().iadd(address, offset), 0)
            }
        }
    }

    /// `check ? address : instead`.
    pub(super) fn checked_address(
        &mut self,
        check: Check,
        address: clif::Value,
        offset: i32,
        instead: clif::Value,
    ) -> (clif::Value, i32) {
        match check {
            Check::Always => (address, offset),
            Check::Never => (instead, 0),
            Check::If(ok) => {
                let whole = if offset == 0 {
                    address
                } else {
                    let offset = self.legal.ins().iconst(types::I64, i64::from(offset));
                    self.legal.ins().iadd(address, offset)
                };
                (self.legal.ins().select(ok, whole, instead), 0)
            }
        }
    }

    /// Offsets of each lane from the root's base and which lanes are in bounds, for accesses that end `end` bytes after
    /// their address. With `active`, lanes that are off are not in bounds either.
    pub(super) fn lane_offsets(
        &mut self,
        pointer: &Pointer,
        end: u32,
        active: Option<&Chunks>,
    ) -> (Chunks, Option<Chunks>) {
        let lanes = self.width.chunk;
        let mut ok: Option<Chunks> = active.cloned();
        let check = self.uniform_check(pointer, end, None);
        match check {
            Check::Always => {}
            Check::Never => ok = Some(self.mask_all(false)),
            Check::If(cond) => {
                let chunk = self.legal.broadcast(cond, Scalar::Bool, lanes);
                let all: Chunks = std::iter::repeat_n(chunk, self.mask_chunks()).collect();
                ok = Some(match ok {
                    Some(ok) => self.mask_and(&ok, &all),
                    None => all,
                });
            }
        }
        let start = self.legal.ins().iconst(types::I32, pointer.offset as u32 as i64);
        let mut offsets = self.chunks(&Comp::Uniform(start), Scalar::U32);
        for term in &pointer.terms {
            let index = self.chunks(&term.index, Scalar::U32);
            if term.index.uniform().is_none() && !self.options.unchecked {
                match self.limit(pointer, term, end, 0) {
                    Bound::Always => {}
                    Bound::Below(limit) => {
                        let limit = self.legal.broadcast(limit, Scalar::U32, lanes);
                        let inside: Chunks =
                            index.iter().map(|&i| self.legal.ins().icmp(IntCC::UnsignedLessThan, i, limit)).collect();
                        ok = Some(match ok {
                            Some(ok) => self.mask_and(&ok, &inside),
                            None => inside,
                        });
                    }
                    Bound::Never => ok = Some(self.mask_all(false)),
                }
            }
            let scaled = self.scaled(&index, term.stride);
            offsets = offsets.iter().zip(&scaled).map(|(&a, &b)| self.legal.ins().iadd(a, b)).collect();
        }
        (offsets, ok)
    }

    /// Chunks of 32-bit integers times a constant.
    pub(super) fn scaled(&mut self, chunks: &Chunks, factor: u32) -> Chunks {
        if factor == 1 {
            return chunks.clone();
        }
        if factor.is_power_of_two() {
            let amount = self.legal.ins().iconst(types::I32, i64::from(factor.trailing_zeros()));
            return chunks.iter().map(|&c| self.legal.ins().ishl(c, amount)).collect();
        }
        let factor = self.legal.ins().iconst(types::I32, i64::from(factor));
        let factor = self.legal.broadcast(factor, Scalar::U32, self.width.chunk);
        chunks.iter().map(|&c| self.legal.ins().imul(c, factor)).collect()
    }

    /// Lane offsets with the lanes that are not `ok` at 0: `offset & ok`, or a select for single lanes.
    pub(super) fn masked_offsets(&mut self, offsets: &Chunks, ok: &Chunks) -> Chunks {
        offsets
            .iter()
            .zip(ok)
            .map(|(&offset, &ok)| {
                if self.width.chunk == 1 {
                    let zero = self.legal.ins().iconst(types::I32, 0);
                    self.legal.ins().select(ok, offset, zero)
                } else {
                    self.legal.ins().band(offset, ok)
                }
            })
            .collect()
    }

    /// Machine address of one lane.
    pub(super) fn lane_address(&mut self, base: clif::Value, offsets: &Chunks, lane: u32) -> clif::Value {
        let offset = self.lane(offsets, lane, self.width.chunk);
        let wide = self.legal.ins().uextend(types::I64, offset);
        self.legal.ins().iadd(base, wide)
    }

    /// The base that lanes are gathered from with their masked offsets: `bytes` can be read there.
    pub(super) fn gather_base(&mut self, pointer: &Pointer, bytes: u32) -> clif::Value {
        match pointer.root {
            Root::Buffer { slot, resource } if self.interface.resources[resource].fixed_size < u64::from(bytes) => {
                self.hoist(Hoist::BaseFor { slot, bytes })
            }
            Root::Push if self.interface.push_size < bytes => self.hoist(Hoist::ZeroBlock),
            _ => self.root_base(pointer),
        }
    }
}

/// What an index must stay below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It does, known.
    Always,
    /// It does not.
    Never,
    /// A count, 32 bits.
    Below(clif::Value),
}

/// A bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// In bounds, known.
    Always,
    /// Out of bounds, known.
    Never,
    /// In bounds when this `i8` is not 0.
    If(clif::Value),
}

/// Leaves of 32 bits that lie one after the other, at most four: one vector access. First leaf and number.
pub(super) fn runs(leaves: &[Leaf]) -> SmallVec<[(usize, usize); 4]> {
    let mut out: SmallVec<[(usize, usize); 4]> = SmallVec::new();
    for (i, leaf) in leaves.iter().enumerate() {
        let joins = out.last().is_some_and(|&(first, n)| {
            let start: &Leaf = &leaves[first];
            n < 4
                && leaf.scalar.bits() == 32
                && start.scalar.bits() == 32
                && leaf.scalar.is_float() == start.scalar.is_float()
                && leaf.offset == start.offset + 4 * n as u32
        });
        match out.last_mut() {
            Some((_, n)) if joins => *n += 1,
            _ => out.push((i, 1)),
        }
    }
    out
}
