//! Loads. See the table in the parent module.
//!
//! A versioned load tests once whether the whole access is in bounds; the fast path is vector loads, the slow path calls a
//! shared helper that goes lane by lane. A gather has no branch: offsets of lanes that are out of bounds are masked to 0,
//! all lanes load from the base, and the result is masked.

use super::super::emit::Emitter;
use super::super::helpers::Helper;
use super::super::hoist::Hoist;
use super::super::legal::Legal;
use super::super::memory_flags::{data_flags, frame_flags};
use super::super::value::{Chunks, Comp, Comps};
use super::access::{Access, Bound, Check, runs};
use super::pointer::{Leaf, Pointer, Root};
use super::typed::{as_packed, as_stored, as_words};
use crate::abi::ZERO_BLOCK_SIZE;
use crate::ir::{Inst, Loc, Scalar, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use smallvec::smallvec;

/// What the slow paths of one versioned load share.
struct SlowLoad {
    address: clif::Value,
    index: clif::Value,
    step: u32,
    count: clif::Value,
    stride: u32,
    lanes: u32,
}

impl Emitter<'_> {
    /// `OpLoad`.
    pub(in crate::simt) fn load(&mut self, pointer: Value, loc: Loc) -> Result<Comps> {
        let pointer = self.pointer(pointer, loc)?;
        let leaves = self.leaves(&pointer, loc)?;
        match pointer.root {
            Root::BuiltIn(builtin) => self.load_builtin(builtin, &pointer, leaves.len(), loc),
            Root::Local(variable) => self.load_local(variable, &pointer, &leaves, loc),
            Root::Shared(id) if !self.is_shared_block(id) => {
                let access = self.classify(&pointer);
                let words = as_words(&leaves);
                let comps = self.load_buffer(&pointer, &words, access, loc)?;
                Ok(self.comps_of_words(comps, &leaves))
            }
            Root::Buffer { .. } | Root::Shared(_) | Root::Push => {
                self.check_stored(&leaves, "load", loc)?;
                let access = self.classify(&pointer);
                let stored = as_stored(&leaves);
                let packed = as_packed(&stored);
                let accessed: Vec<Leaf> = packed.iter().map(|(leaf, _)| *leaf).collect();
                let comps = self.load_buffer(&pointer, &accessed, access, loc)?;
                let comps = self.unpacked(comps, &packed, &stored);
                Ok(self.held(comps, &leaves))
            }
        }
    }

    /// Components of booleans from words that are 0 or not.
    fn comps_of_words(&mut self, comps: Comps, leaves: &[Leaf]) -> Comps {
        comps
            .into_iter()
            .zip(leaves)
            .map(|(comp, leaf)| match leaf.scalar {
                Scalar::Bool => {
                    let mut lanes = super::super::value::Lanes { legal: &mut self.legal, width: self.width };
                    lanes.map([(&comp, Scalar::U32)], |legal, [word]| legal.int_to_bool(word))
                }
                _ => comp,
            })
            .collect()
    }

    fn load_builtin(&mut self, builtin: crate::ir::BuiltIn, pointer: &Pointer, n: usize, loc: Loc) -> Result<Comps> {
        let whole = self.kernel.builtins.get(&builtin).cloned();
        let whole = whole.ok_or_else(|| {
            self.unsupported(loc, format!("BuiltIn {builtin:?}"), "it has no value in a compute shader here")
        })?;
        match pointer.terms.first() {
            None => {
                let start = pointer.offset as usize;
                let part = whole.get(start..start + n);
                part.map(Comps::from).ok_or_else(|| Error::InvalidSpirv {
                    place: self.place(loc),
                    what: format!("BuiltIn {builtin:?} decorates a variable with too many components"),
                })
            }
            Some(term) => {
                let index = term.index.clone();
                Ok(smallvec![self.select_component(&whole, &index, Scalar::U32)])
            }
        }
    }

    /// The component of a vector that an index chooses at run time; the last where the index is too large.
    pub(super) fn select_component(&mut self, comps: &[Comp], index: &Comp, scalar: Scalar) -> Comp {
        let mut chosen = comps.last().cloned().unwrap_or_else(|| index.clone());
        for (i, comp) in comps.iter().enumerate().rev().skip(1) {
            let i = self.legal.ins().iconst(types::I32, i as i64);
            let is = self.map2(index, &Comp::Uniform(i), Scalar::U32, |l, a, b| {
                l.ins().icmp(clif::condcodes::IntCC::Equal, a, b)
            });
            chosen = self.choose(&is, comp, &chosen, scalar);
        }
        chosen
    }

    /// A binary operation on two components.
    pub(in crate::simt) fn map2(
        &mut self,
        a: &Comp,
        b: &Comp,
        scalar: Scalar,
        f: impl FnMut(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
    ) -> Comp {
        let mut f = f;
        let mut lanes = super::super::value::Lanes { legal: &mut self.legal, width: self.width };
        lanes.map([(a, scalar), (b, scalar)], |legal, [a, b]| f(legal, a, b))
    }

    /// `cond ? a : b` by component.
    pub(super) fn choose(&mut self, cond: &Comp, a: &Comp, b: &Comp, scalar: Scalar) -> Comp {
        match (cond, a, b) {
            (Comp::Uniform(cond), Comp::Uniform(a), Comp::Uniform(b)) => {
                Comp::Uniform(self.legal.ins().select(*cond, *a, *b))
            }
            _ => {
                let mask = self.mask_of(cond);
                let (a, b) = (self.chunks(a, scalar), self.chunks(b, scalar));
                Comp::Varying(self.blend(&mask, &a, &b, scalar))
            }
        }
    }

    fn load_buffer(&mut self, pointer: &Pointer, leaves: &[Leaf], access: Access, loc: Loc) -> Result<Comps> {
        if let Access::Uniform = access {
            self.legal.stats.uniform += 1;
            return Ok(self.load_uniform(pointer, leaves));
        }
        let mut out = Comps::new();
        for (first, n) in runs(leaves) {
            let run = &leaves[first..first + n];
            let plain = run[0].bytes() == 4;
            // The slow path of the other types knows indices at a known distance only.
            let listed = self.options.unchecked && !self.exec.full;
            let comps = match &access {
                Access::Linear { guessed, .. } if !plain && (*guessed || listed) => {
                    self.legal.stats.gathered += 1;
                    self.gather(pointer, run)
                }
                Access::Linear { distance, .. } if n == 1 && *distance == run[0].bytes() => {
                    self.legal.stats.contiguous += 1;
                    self.versioned(pointer, run, &access, loc)
                }
                Access::Linear { .. } if n > 1 && self.width.chunk > 1 => {
                    self.legal.stats.transposed += 1;
                    self.versioned(pointer, run, &access, loc)
                }
                Access::Linear { .. } => {
                    self.legal.stats.gathered += 1;
                    self.remark(loc, "gather: the lanes' addresses are a fixed distance apart, but not consecutive");
                    self.versioned(pointer, run, &access, loc)
                }
                _ => {
                    self.legal.stats.gathered += 1;
                    self.remark_scattered(pointer, "gather", loc);
                    self.gather(pointer, run)
                }
            };
            out.extend(comps);
        }
        Ok(out)
    }

    /// Says which index makes lanes go apart.
    pub(super) fn remark_scattered(&mut self, pointer: &Pointer, what: &str, loc: Loc) {
        let apart = pointer.terms.iter().filter(|t| t.index.uniform().is_none()).count();
        let why = if apart > 1 {
            "several indices differ from lane to lane"
        } else {
            "the index differs from lane to lane by no known distance"
        };
        self.remark(loc, format!("{what}: {why}"));
    }

    /// One address for the subgroup.
    fn load_uniform(&mut self, pointer: &Pointer, leaves: &[Leaf]) -> Comps {
        let end = leaves.iter().map(Leaf::end).max().unwrap_or(4);
        let check = if self.options.unchecked && !self.exec.full {
            // Only what an active lane asks for is known to be in bounds.
            let mask = self.exec_mask();
            Check::If(self.mask_any(&mask))
        } else {
            self.uniform_check(pointer, end, None)
        };
        let (address, offset) = self.uniform_address(pointer, None);
        let flags = self.load_flags(pointer);
        let zero = if check == Check::Always { address } else { self.hoist(Hoist::ZeroBlock) };
        if (end as usize) <= ZERO_BLOCK_SIZE {
            let (address, offset) = self.checked_address(check, address, offset, zero);
            return leaves
                .iter()
                .map(|leaf| Comp::Uniform(self.load_scalar(leaf.scalar, flags, address, offset + leaf.offset as i32)))
                .collect();
        }
        // Larger than the zero block: each leaf by itself.
        leaves
            .iter()
            .map(|leaf| {
                let (address, offset) = self.checked_address(check, address, offset + leaf.offset as i32, zero);
                Comp::Uniform(self.load_scalar(leaf.scalar, flags, address, offset))
            })
            .collect()
    }

    /// A run of leaves at a known distance from lane to lane, in a fast and a slow version.
    fn versioned(&mut self, pointer: &Pointer, run: &[Leaf], access: &Access, _loc: Loc) -> Comps {
        let Access::Linear { by_chunk, .. } = *access else { return Comps::new() };
        let lanes = if by_chunk { self.width.chunk } else { self.width.subgroup };
        let parts = self.width.subgroup / lanes;
        let mut comps: Vec<Chunks> = vec![Chunks::new(); run.len()];
        for part in 0..parts {
            for (comp, chunks) in comps.iter_mut().zip(self.versioned_part(pointer, run, access, part, lanes)) {
                comp.extend(chunks);
            }
        }
        comps.into_iter().map(Comp::Varying).collect()
    }

    /// Lanes `part * lanes ..` of a versioned load.
    fn versioned_part(
        &mut self,
        pointer: &Pointer,
        run: &[Leaf],
        access: &Access,
        part: u32,
        lanes: u32,
    ) -> Vec<Chunks> {
        let Access::Linear { term, step, distance, guessed, .. } = *access else { return vec![] };
        let (start, n) = (run[0].offset, run.len() as u32);
        // Three components are loaded as four, unless rows lie one after the other.
        let wide = if n == 3 && self.width.chunk > 1 && distance != 12 { 4 } else { n };
        let bytes = run[0].bytes();
        let end = start + bytes * wide;
        let own = &pointer.terms[term].index;
        let (index, guess) = if guessed {
            let (first, as_guessed) = self.test_guess(own, step);
            (first, Check::If(as_guessed))
        } else {
            (self.chunk_base(own, (part * lanes / self.width.chunk) as usize), Check::Always)
        };
        let uniform = self.uniform_check(pointer, end, Some(term));
        let room = if wide == n { Check::Always } else { self.room(pointer, end) };
        let guess = self.both(guess, room);
        let first = (part * lanes / self.width.chunk) as usize;
        let chunks = (lanes / self.width.chunk) as usize;
        // Where nothing is checked, inactive lanes must not be loaded.
        let active: Option<Chunks> = (self.options.unchecked && !self.exec.full)
            .then(|| self.exec_mask()[first..first + chunks].iter().copied().collect());
        let check = if let Some(mask) = &active {
            let all = self.mask_full(mask);
            self.both(guess, Check::If(all))
        } else if self.options.unchecked {
            guess
        } else {
            let bound = self.limit(pointer, &pointer.terms[term], end, (lanes - 1) * step);
            let own = self.within(index, bound);
            let own = self.both(own, guess);
            self.both(uniform, own)
        };
        let (address, offset) = self.uniform_address(pointer, Some(term));
        let stride = pointer.terms[term].stride;
        let scalars: Vec<Scalar> = run.iter().map(|l| l.scalar).collect();
        let fast = |e: &mut Self| {
            let at = e.advance(address, index, stride);
            e.load_lanes(at, offset + start as i32, distance, lanes, &scalars)
        };
        if check == Check::Always {
            return fast(self);
        }
        let slow_end = start + bytes * n;
        let [fast_block, slow_block, merge] = std::array::from_fn(|_| self.legal.builder.create_block());
        let out: Vec<Chunks> = scalars
            .iter()
            .map(|&s| {
                let own = self.width.lanes(s);
                let ty = Legal::chunk_type(s, own);
                (0..lanes / own).map(|_| self.legal.builder.append_block_param(merge, ty)).collect()
            })
            .collect();
        match check {
            Check::If(ok) => {
                self.legal.ins().brif(ok, fast_block, &[], slow_block, &[]);
                self.start(fast_block);
                let loaded = fast(self);
                let args: Vec<clif::BlockArg> = loaded.iter().flatten().map(|&v| v.into()).collect();
                self.legal.ins().jump(merge, &args);
            }
            _ => {
                self.legal.ins().jump(slow_block, &[]);
            }
        }
        self.start(slow_block);
        self.legal.builder.set_cold_block(slow_block);
        let uniform = self.uniform_check(pointer, slow_end, Some(term));
        let bound = self.limit(pointer, &pointer.terms[term], slow_end, 0);
        let count = self.effective_count(uniform, bound);
        let slow = SlowLoad { address, index, step, count, stride, lanes };
        let loaded: Vec<Chunks> = run
            .iter()
            .map(|leaf| {
                let listed = (guessed || active.is_some()).then(|| {
                    let all = self.chunks(&pointer.terms[term].index, Scalar::U32);
                    let indices: Chunks = all[first..first + chunks].iter().copied().collect();
                    match &active {
                        Some(mask) => self.silenced(&indices, mask),
                        None => indices,
                    }
                });
                self.load_slowly(&slow, offset + leaf.offset as i32, leaf.scalar, listed)
            })
            .collect();
        let args: Vec<clif::BlockArg> = loaded.iter().flatten().map(|&v| v.into()).collect();
        self.legal.ins().jump(merge, &args);
        self.start(merge);
        out
    }

    /// The count that a helper compares with: 0 where another index of the address is out of bounds.
    pub(super) fn effective_count(&mut self, check: Check, bound: Bound) -> clif::Value {
        let bound = if self.options.unchecked { Bound::Always } else { bound };
        let count = match bound {
            Bound::Always => self.legal.ins().iconst(types::I32, 0xffff_ffff),
            Bound::Never => self.legal.ins().iconst(types::I32, 0),
            Bound::Below(count) => count,
        };
        let zero = self.legal.ins().iconst(types::I32, 0);
        match check {
            Check::Never => zero,
            Check::Always => count,
            Check::If(ok) => self.legal.ins().select(ok, count, zero),
        }
    }

    /// A shared helper loads one component lane by lane. `listed`: the indices themselves, where they are not `step` apart.
    fn load_slowly(&mut self, slow: &SlowLoad, offset: i32, scalar: Scalar, listed: Option<Chunks>) -> Chunks {
        let own = self.width.lanes(scalar);
        let bytes = (scalar.bits().max(32) / 8 * own) as i32;
        let offset = self.legal.ins().iconst(types::I64, i64::from(offset));
        let base = self.legal.ins().iadd(slow.address, offset);
        let step = self.legal.ins().iconst(types::I32, i64::from(slow.step));
        let stride = self.legal.ins().iconst(types::I64, i64::from(slow.stride));
        let buffer = self.exchange(scalar.bits() / 8);
        let lane_count = self.legal.ins().iconst(types::I32, i64::from(slow.lanes));
        let mut helper = Helper::Load(scalar.bits());
        if let Some(indices) = listed {
            for (k, &index) in indices.iter().enumerate() {
                self.legal.ins().store(frame_flags(), index, buffer, k as i32 * bytes);
            }
            helper = Helper::Gather32;
        }
        self.call_helper(helper, &[base, slow.index, step, slow.count, stride, buffer, lane_count]);
        let ty = Legal::chunk_type(scalar, own);
        (0..(slow.lanes / own) as i32)
            .map(|k| {
                let chunk = self.legal.ins().load(ty, frame_flags(), buffer, k * bytes);
                // Helpers extend with zeros.
                self.legal.read_int(
                    chunk,
                    Scalar::Int { width: scalar.bits() as u8, signed: false },
                    scalar.is_signed(),
                )
            })
            .collect()
    }

    /// Indices that no count is above for the lanes that are off.
    fn silenced(&mut self, indices: &Chunks, mask: &Chunks) -> Chunks {
        let pairs = indices.iter().zip(mask);
        pairs
            .map(|(&index, &on)| {
                if self.width.chunk == 1 {
                    let none = self.legal.ins().iconst(types::I32, 0xffff_ffff);
                    self.legal.ins().select(on, index, none)
                } else {
                    let off = self.legal.ins().bnot(on);
                    self.legal.ins().bor(index, off)
                }
            })
            .collect()
    }

    /// In-bounds lanes at `address + offset + lane * distance`: one chunk list a component.
    fn load_lanes(
        &mut self,
        address: clif::Value,
        offset: i32,
        distance: u32,
        lanes: u32,
        scalars: &[Scalar],
    ) -> Vec<Chunks> {
        let chunk = self.width.chunk;
        let mut out: Vec<Chunks> = vec![Chunks::new(); scalars.len()];
        for first in (0..lanes).step_by(chunk as usize) {
            let at = |lane: u32| offset + ((first + lane) * distance) as i32;
            if scalars.len() == 1 && distance == scalars[0].bits() / 8 {
                out[0].extend(self.load_consecutive(scalars[0], address, at(0)));
            } else if scalars.len() == 1 {
                let scalar = scalars[0];
                let lanes: Vec<clif::Value> =
                    (0..chunk).map(|lane| self.load_scalar(scalar, data_flags(), address, at(lane))).collect();
                out[0].extend(self.gathered(scalar, &lanes));
            } else if chunk == 1 {
                for (i, &scalar) in scalars.iter().enumerate() {
                    let ty = Legal::scalar_type(scalar);
                    out[i].push(self.legal.ins().load(ty, data_flags(), address, at(0) + 4 * i as i32));
                }
            } else if distance == 4 * scalars.len() as u32 && (2..=3).contains(&scalars.len()) {
                for (i, chunk) in self.load_tight(address, at(0), scalars).into_iter().enumerate() {
                    out[i].push(chunk);
                }
            } else {
                let addresses: [(clif::Value, i32); 4] = std::array::from_fn(|l| (address, at(l as u32)));
                for (i, chunk) in self.load_rows(&addresses, scalars).into_iter().enumerate() {
                    out[i].push(chunk);
                }
            }
        }
        out
    }

    /// A chunk of four lanes whose rows of two or three components lie one after the other.
    fn load_tight(&mut self, address: clif::Value, offset: i32, scalars: &[Scalar]) -> Vec<clif::Value> {
        let vector = Legal::chunk_type(scalars[0], 4);
        let mut part = |k: i32| self.legal.ins().load(vector, data_flags(), address, offset + 16 * k);
        let columns = if scalars.len() == 2 {
            let parts = [part(0), part(1)];
            self.legal.deinterleave2(parts).to_vec()
        } else {
            let parts = [part(0), part(1), part(2)];
            self.legal.deinterleave3(parts).to_vec()
        };
        columns.into_iter().zip(scalars).map(|(v, &s)| self.legal.reinterpret(v, Legal::chunk_type(s, 4))).collect()
    }

    /// A chunk of four lanes, each with a row of components of its own: loads rows and transposes them to components.
    fn load_rows(&mut self, at: &[(clif::Value, i32); 4], scalars: &[Scalar]) -> Vec<clif::Value> {
        let n = scalars.len();
        let vector = Legal::chunk_type(scalars[0], 4);
        let flags = data_flags();
        match n {
            2 => {
                let pairs: Vec<clif::Value> =
                    at.iter().map(|&(base, offset)| self.legal.ins().load(types::I64, flags, base, offset)).collect();
                let pairs: Vec<clif::Value> = pairs.into_iter().map(|pair| self.legal.words_in_order(pair)).collect();
                let halves = [0, 2].map(|first| {
                    let low = self.legal.ins().scalar_to_vector(types::I64X2, pairs[first]);
                    let both = self.legal.ins().insertlane(low, pairs[first + 1], 1);
                    self.legal.reinterpret(both, vector)
                });
                self.legal.deinterleave2(halves).to_vec()
            }
            _ => {
                let rows: [clif::Value; 4] =
                    std::array::from_fn(|l| self.legal.ins().load(vector, flags, at[l].0, at[l].1));
                let mut columns = self.legal.transpose4(rows).to_vec();
                columns.truncate(n);
                columns
            }
        }
        .into_iter()
        .zip(scalars)
        .map(|(v, &scalar)| self.legal.reinterpret(v, Legal::chunk_type(scalar, 4)))
        .collect()
    }

    /// Any addresses, without branches.
    fn gather(&mut self, pointer: &Pointer, run: &[Leaf]) -> Comps {
        let chunk = self.width.chunk;
        let n = run.len() as u32;
        // Rows of two and four are loaded whole; others leaf by leaf, so that nothing past the end is read.
        if chunk > 1 && (n == 2 || n == 4) {
            return self.gather_rows(pointer, run);
        }
        run.iter().map(|leaf| self.gather_leaf(pointer, leaf)).collect()
    }

    fn gather_prepare(&mut self, pointer: &Pointer, start: u32, bytes: u32) -> (clif::Value, Chunks, Option<Chunks>) {
        let moved = Pointer { offset: pointer.offset + u64::from(start), ..pointer.clone() };
        let active = if self.options.unchecked && !self.exec.full { Some(self.exec_mask()) } else { None };
        let (offsets, ok) = self.lane_offsets(&moved, bytes, active.as_ref());
        let offsets = match &ok {
            Some(ok) => self.masked_offsets(&offsets, ok),
            None => offsets,
        };
        let base = self.gather_base(pointer, bytes);
        (base, offsets, ok)
    }

    fn gather_rows(&mut self, pointer: &Pointer, run: &[Leaf]) -> Comps {
        let n = run.len() as u32;
        let (base, offsets, ok) = self.gather_prepare(pointer, run[0].offset, 4 * n);
        let scalars: Vec<Scalar> = run.iter().map(|l| l.scalar).collect();
        let mut out: Vec<Chunks> = vec![Chunks::new(); run.len()];
        for first in (0..self.width.subgroup).step_by(4) {
            let at: [(clif::Value, i32); 4] =
                std::array::from_fn(|l| (self.lane_address(base, &offsets, first + l as u32), 0));
            for (i, column) in self.load_rows(&at, &scalars).into_iter().enumerate() {
                out[i].push(column);
            }
        }
        out.into_iter().zip(&scalars).map(|(chunks, &scalar)| self.only(chunks, ok.as_ref(), scalar)).collect()
    }

    fn gather_leaf(&mut self, pointer: &Pointer, leaf: &Leaf) -> Comp {
        let (base, offsets, ok) = self.gather_prepare(pointer, leaf.offset, leaf.bytes());
        let chunk = self.width.chunk;
        let chunks: Chunks = (0..self.width.subgroup)
            .step_by(chunk as usize)
            .flat_map(|first| {
                let lanes: Vec<clif::Value> = (first..first + chunk)
                    .map(|lane| {
                        let address = self.lane_address(base, &offsets, lane);
                        self.load_scalar(leaf.scalar, data_flags(), address, 0)
                    })
                    .collect();
                self.gathered(leaf.scalar, &lanes)
            })
            .collect();
        self.only(chunks, ok.as_ref(), leaf.scalar)
    }

    /// Lanes that are not `ok` become 0.
    fn only(&mut self, chunks: Chunks, ok: Option<&Chunks>, scalar: Scalar) -> Comp {
        let Some(ok) = ok else { return Comp::Varying(chunks) };
        let zero = self.zero(Legal::chunk_type(scalar, self.width.lanes(scalar)));
        let zeros: Chunks = chunks.iter().map(|_| zero).collect();
        Comp::Varying(self.blend(ok, &chunks, &zeros, scalar))
    }

    /// `OpArrayLength`: whole elements that fit behind the member's offset.
    pub(in crate::simt) fn array_length(&mut self, inst: &Inst, loc: Loc) -> Result<Comps> {
        let mut pointer = self.pointer(inst.operands[0], loc)?;
        let member = inst.literals.first().copied();
        self.member_of(&mut pointer, member, loc)?;
        let (Root::Buffer { slot, .. }, crate::ir::Type::RuntimeArray { stride, .. }) =
            (pointer.root, &self.module.types[pointer.ty])
        else {
            return Err(self.unsupported(loc, "OpArrayLength", "it names no runtime array of a buffer"));
        };
        // Elements whose first `stride` bytes fit: (size - offset) / stride, rounded down.
        let end = u32::try_from(pointer.offset).ok().and_then(|o| o.checked_add(*stride));
        Ok(smallvec![Comp::Uniform(match end {
            Some(end) => self.hoist(Hoist::Count { slot, end, stride: *stride }),
            None => self.legal.ins().iconst(types::I32, 0),
        })])
    }
}
