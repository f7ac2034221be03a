//! Stores: exactly the bytes of active lanes that are in bounds, nothing else (another thread may own the neighbours).
//!
//! See the table in the parent module. Where several lanes store to one address, the last active lane wins.

use super::super::emit::Emitter;
use super::super::helpers::Helper;
use super::super::legal::Legal;
use super::super::memory_flags::data_flags;
use super::super::value::{Chunks, Comp, Comps};
use super::access::{Access, Check, runs};
use super::pointer::{Leaf, Pointer, Root};
use super::typed::{as_packed, as_stored, as_words};
use crate::Result;
use crate::ir::{Loc, Scalar, Value};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

impl Emitter<'_> {
    /// `OpStore`.
    pub(in crate::simt) fn store(&mut self, pointer: Value, value: Value, loc: Loc) -> Result<()> {
        let comps = self.comps(value)?;
        self.store_comps(pointer, &comps, loc)
    }

    /// Stores components through a pointer.
    pub(in crate::simt) fn store_comps(&mut self, pointer: Value, comps: &Comps, loc: Loc) -> Result<()> {
        let pointer = self.pointer(pointer, loc)?;
        let leaves = self.leaves(&pointer, loc)?;
        match pointer.root {
            Root::BuiltIn(_) | Root::Push => Err(self.unsupported(loc, "OpStore", "this variable cannot be written")),
            Root::Local(variable) => self.store_local(variable, &pointer, &leaves, comps, loc),
            Root::Shared(id) if !self.is_shared_block(id) => {
                let words: Comps = comps.iter().zip(&leaves).map(|(c, l)| self.word_comp(c, l.scalar)).collect();
                self.store_buffer(&pointer, &as_words(&leaves), &words, loc);
                Ok(())
            }
            Root::Buffer { .. } | Root::Shared(_) => {
                self.check_stored(&leaves, "store", loc)?;
                let comps = self.stored(comps, &leaves);
                let stored = as_stored(&leaves);
                let packed = as_packed(&stored);
                let accessed: Vec<Leaf> = packed.iter().map(|(leaf, _)| *leaf).collect();
                let comps = self.packed(&comps, &packed, &stored);
                self.store_buffer(&pointer, &accessed, &comps, loc);
                Ok(())
            }
        }
    }

    /// A boolean as a word.
    fn word_comp(&mut self, comp: &Comp, scalar: Scalar) -> Comp {
        if scalar != Scalar::Bool {
            return comp.clone();
        }
        let chunk = self.chunk_of(Scalar::U32);
        let mut lanes = super::super::value::Lanes { legal: &mut self.legal, width: self.width };
        lanes.map([(comp, Scalar::Bool)], |legal, [b]| {
            let ty = if legal.is_vector(b) { chunk } else { types::I32 };
            legal.bool_to_int(b, ty)
        })
    }

    fn store_buffer(&mut self, pointer: &Pointer, leaves: &[Leaf], comps: &Comps, loc: Loc) {
        let access = self.classify(pointer);
        if let Access::Uniform = access {
            self.legal.stats.uniform += 1;
            return self.store_uniform(pointer, leaves, comps);
        }
        for (first, n) in runs(leaves) {
            let (run, values) = (&leaves[first..first + n], &comps[first..first + n]);
            match access {
                // A row is written whole only where no padding is covered: two or four components.
                Access::Linear { distance, guessed: false, .. }
                    if (n == 1 && distance == run[0].bytes()) || (self.width.chunk > 1 && (n == 2 || n == 4)) =>
                {
                    if n == 1 {
                        self.legal.stats.contiguous += 1;
                    } else {
                        self.legal.stats.transposed += 1;
                    }
                    self.store_versioned(pointer, run, values, &access);
                }
                _ => {
                    self.legal.stats.scattered += 1;
                    self.remark_scattered(pointer, "scatter", loc);
                    self.scatter(pointer, run, values);
                }
            }
        }
    }

    /// All lanes store to one address: the last active lane's value stays.
    fn store_uniform(&mut self, pointer: &Pointer, leaves: &[Leaf], comps: &Comps) {
        let end = leaves.iter().map(Leaf::end).max().unwrap_or(4);
        let check = self.uniform_check(pointer, end, None);
        let (address, offset) = self.uniform_address(pointer, None);
        let mask = if self.exec.full { None } else { Some(self.exec_mask()) };
        let check = match &mask {
            None => check,
            Some(mask) => {
                let any = self.mask_any(mask);
                self.both(check, Check::If(any))
            }
        };
        if check == Check::Never {
            return;
        }
        let values: Vec<clif::Value> = leaves
            .iter()
            .zip(comps)
            .map(|(leaf, comp)| match comp {
                Comp::Uniform(v) => *v,
                _ => self.last_active(comp, leaf.scalar, mask.as_ref()),
            })
            .collect();
        // Several leaves need as many bytes of sink as they cover; one test of the address serves all.
        for (leaf, value) in leaves.iter().zip(values) {
            let sink = self.sink(check);
            let (address, offset) = self.checked_address(check, address, offset + leaf.offset as i32, sink);
            self.store_scalar(leaf.scalar, value, address, offset);
        }
    }

    fn sink(&mut self, check: Check) -> clif::Value {
        match check {
            Check::If(_) => self.sink_address(),
            // Not used.
            _ => self.kernel.context,
        }
    }

    /// The component of the last active lane.
    fn last_active(&mut self, comp: &Comp, scalar: Scalar, mask: Option<&Chunks>) -> clif::Value {
        let chunks = self.chunks(comp, scalar);
        let lanes = self.width.lanes(scalar);
        let Some(mask) = mask else {
            return self.lane(&chunks, self.width.subgroup - 1, lanes);
        };
        let mut last = self.lane(&chunks, 0, lanes);
        for lane in 1..self.width.subgroup {
            let on = self.mask_lane(mask, lane);
            let value = self.lane(&chunks, lane, lanes);
            last = self.legal.ins().select(on, value, last);
        }
        last
    }

    /// A run of components at a known distance from lane to lane: whole vectors when all lanes are active and in bounds,
    /// else a shared helper that goes lane by lane.
    fn store_versioned(&mut self, pointer: &Pointer, run: &[Leaf], values: &[Comp], access: &Access) {
        let Access::Linear { by_chunk, .. } = *access else { return };
        let lanes = if by_chunk { self.width.chunk } else { self.width.subgroup };
        let values: Vec<Chunks> = values.iter().zip(run).map(|(c, leaf)| self.chunks(c, leaf.scalar)).collect();
        let mask = self.exec_mask();
        let per_part = (lanes / self.width.chunk) as usize;
        for part in 0..(self.width.subgroup / lanes) as usize {
            let range = part * per_part..(part + 1) * per_part;
            let each = values[0].len() / mask.len();
            let own = range.start * each..range.end * each;
            let values: Vec<Chunks> = values.iter().map(|v| v[own.clone()].into()).collect();
            let mask: Chunks = mask[range].into();
            self.store_part(pointer, run, &values, &mask, access, part, lanes);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn store_part(
        &mut self,
        pointer: &Pointer,
        run: &[Leaf],
        values: &[Chunks],
        mask: &Chunks,
        access: &Access,
        part: usize,
        lanes: u32,
    ) {
        let Access::Linear { term, step, distance, .. } = *access else { return };
        let (start, n) = (run[0].offset, run.len() as u32);
        let scalar = run[0].scalar;
        let end = start + run[0].bytes() * n;
        let index = self.chunk_base(&pointer.terms[term].index, part * (lanes / self.width.chunk) as usize);
        let uniform = self.uniform_check(pointer, end, Some(term));
        let mut check = uniform;
        if !self.options.unchecked {
            let bound = self.limit(pointer, &pointer.terms[term], end, (lanes - 1) * step);
            let own = self.within(index, bound);
            check = self.both(check, own);
        }
        let in_bounds = check;
        if !self.exec.full {
            let all = self.mask_full(mask);
            check = self.both(check, Check::If(all));
        }
        let (address, offset) = self.uniform_address(pointer, Some(term));
        let stride = pointer.terms[term].stride;
        if check == Check::Always {
            let at = self.advance(address, index, stride);
            return self.store_lanes(at, offset + start as i32, distance, lanes, values, scalar);
        }
        let [fast, slow, merge] = std::array::from_fn(|_| self.legal.builder.create_block());
        if let Check::If(ok) = check {
            self.legal.ins().brif(ok, fast, &[], slow, &[]);
            self.start(fast);
            let at = self.advance(address, index, stride);
            self.store_lanes(at, offset + start as i32, distance, lanes, values, scalar);
            self.legal.ins().jump(merge, &[]);
        } else {
            self.legal.ins().jump(slow, &[]);
        }
        self.start(slow);
        self.legal.builder.set_cold_block(slow);
        // One thread has a workgroup's memory to itself: what is there may be written back.
        if let ([one], true) = (values, matches!(pointer.root, Root::Shared(_)) && distance == 4 && !self.exec.full) {
            let rest = self.legal.builder.create_block();
            self.legal.builder.set_cold_block(rest);
            if let Check::If(ok) = in_bounds {
                let blend = self.legal.builder.create_block();
                self.legal.ins().brif(ok, blend, &[], rest, &[]);
                self.start(blend);
            }
            if in_bounds != Check::Never {
                let at = self.advance(address, index, stride);
                let blended = self.blended_there(at, offset + start as i32, one, mask, run[0].scalar);
                self.store_lanes(at, offset + start as i32, distance, lanes, &[blended], scalar);
                self.legal.ins().jump(merge, &[]);
                if in_bounds == Check::Always {
                    return self.start(merge);
                }
                self.start(rest);
            }
        }
        let bound = self.limit(pointer, &pointer.terms[term], end, 0);
        let count = self.effective_count(uniform, bound);
        let buffer = self.exchange(run[0].bytes());
        let word = run[0].bytes().max(4);
        let mask_at = (word * lanes) as i32;
        let chunk_bytes = (word * self.width.lanes(scalar)) as usize;
        for (k, &chunk) in mask.iter().enumerate() {
            let chunk = if self.width.chunk == 1 { self.legal.ins().sextend(types::I32, chunk) } else { chunk };
            self.legal.ins().store(data_flags(), chunk, buffer, mask_at + (4 * self.width.chunk as usize * k) as i32);
        }
        for (leaf, chunks) in run.iter().zip(values) {
            for (k, &chunk) in chunks.iter().enumerate() {
                self.legal.ins().store(data_flags(), chunk, buffer, (chunk_bytes * k) as i32);
            }
            let at = self.legal.ins().iconst(types::I64, i64::from(offset + leaf.offset as i32));
            let base = self.legal.ins().iadd(address, at);
            let step = self.legal.ins().iconst(types::I32, i64::from(step));
            let stride = self.legal.ins().iconst(types::I64, i64::from(stride));
            let lane_count = self.legal.ins().iconst(types::I32, i64::from(lanes));
            self.call_helper(Helper::Store(scalar.bits()), &[base, index, step, count, stride, buffer, lane_count]);
        }
        self.legal.ins().jump(merge, &[]);
        self.start(merge);
    }

    /// Consecutive lanes as they are in memory, with those of the mask replaced.
    fn blended_there(
        &mut self,
        address: clif::Value,
        offset: i32,
        new: &Chunks,
        mask: &Chunks,
        scalar: Scalar,
    ) -> Chunks {
        let old: Chunks = new
            .iter()
            .enumerate()
            .map(|(k, &chunk)| {
                let ty = self.legal.ty(chunk);
                self.legal.ins().load(ty, data_flags(), address, offset + (4 * self.width.chunk as usize * k) as i32)
            })
            .collect();
        self.blend(mask, new, &old, scalar)
    }

    /// All lanes, in bounds: rows of one, two or four components at `address + offset + lane * distance`.
    fn store_lanes(
        &mut self,
        address: clif::Value,
        offset: i32,
        distance: u32,
        lanes: u32,
        values: &[Chunks],
        scalar: Scalar,
    ) {
        let chunk = self.width.chunk;
        for (k, first) in (0..lanes).step_by(chunk as usize).enumerate() {
            let at = |lane: u32| offset + ((first + lane) * distance) as i32;
            match values {
                [one] => {
                    let each = (chunk / self.width.lanes(scalar)) as usize;
                    self.store_consecutive(scalar, &one[k * each..(k + 1) * each], address, at(0));
                }
                [x, y] => {
                    let (x, y) = (self.same_type(x[k], x[k]), self.same_type(y[k], x[k]));
                    let halves = self.legal.interleave2([x, y]);
                    for (h, half) in halves.into_iter().enumerate() {
                        if distance == 8 {
                            self.legal.ins().store(data_flags(), half, address, at(2 * h as u32));
                            continue;
                        }
                        let pairs = self.legal.reinterpret(half, types::I64X2);
                        for lane in 0..2 {
                            let pair = self.legal.ins().extractlane(pairs, lane);
                            let pair = self.legal.words_in_order(pair);
                            self.legal.ins().store(data_flags(), pair, address, at(2 * h as u32 + u32::from(lane)));
                        }
                    }
                }
                [x, y, z, w] => {
                    let columns =
                        [x[k], self.same_type(y[k], x[k]), self.same_type(z[k], x[k]), self.same_type(w[k], x[k])];
                    for (lane, row) in self.legal.transpose4(columns).into_iter().enumerate() {
                        self.legal.ins().store(data_flags(), row, address, at(lane as u32));
                    }
                }
                // The caller sends no other runs here.
                _ => {}
            }
        }
    }

    fn same_type(&mut self, value: clif::Value, like: clif::Value) -> clif::Value {
        let ty = self.legal.ty(like);
        self.legal.reinterpret(value, ty)
    }

    /// Any addresses: lane by lane, inactive and out-of-bounds lanes into a sink.
    fn scatter(&mut self, pointer: &Pointer, run: &[Leaf], values: &[Comp]) {
        let active = if self.exec.full { None } else { Some(self.exec_mask()) };
        for (leaf, comp) in run.iter().zip(values) {
            let moved = Pointer { offset: pointer.offset + u64::from(leaf.offset), ..pointer.clone() };
            let (offsets, ok) = self.lane_offsets(&moved, leaf.bytes(), active.as_ref());
            let (base, _) =
                self.uniform_address(&Pointer { terms: Default::default(), offset: 0, ..pointer.clone() }, None);
            let chunks = self.chunks(comp, leaf.scalar);
            let sink = ok.as_ref().map(|_| self.sink_address());
            for lane in 0..self.width.subgroup {
                let mut address = self.lane_address(base, &offsets, lane);
                if let (Some(ok), Some(sink)) = (&ok, sink) {
                    let on = self.mask_lane(ok, lane);
                    address = self.legal.ins().select(on, address, sink);
                }
                let value = self.lane(&chunks, lane, self.width.lanes(leaf.scalar));
                self.store_scalar(leaf.scalar, value, address, 0);
            }
        }
    }

    /// Memory of the kernel's own where stores go that must not happen.
    pub(super) fn sink_address(&mut self) -> clif::Value {
        let slot = self.helpers.sink(&mut self.legal.builder);
        self.legal.ins().stack_addr(types::I64, slot, 0)
    }

    /// Memory of the kernel's own through which lanes of that many bytes go to and from helpers.
    pub(super) fn exchange(&mut self, bytes: u32) -> clif::Value {
        let slot = self.helpers.exchange(&mut self.legal.builder, self.width.subgroup, bytes);
        self.legal.ins().stack_addr(types::I64, slot, 0)
    }

    /// A chunk type of 32-bit lanes.
    pub(super) fn chunk_of(&self, scalar: Scalar) -> clif::Type {
        Legal::chunk_type(scalar, self.width.chunk)
    }
}
