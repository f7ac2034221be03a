//! Lanes moved: by patterns that are known, by numbers that are not, and one lane to all.
//!
//! In and out: the chunks of a component, whatever its type. Nothing here looks at the execution mask but what says so.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::memory_flags::frame_flags;
use super::super::value::Chunks;
use crate::ir::Scalar;
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};

/// Most chunks that lanes are picked from by permutations of bytes: more are stored and loaded.
const MOST_CHUNKS: usize = 4;

impl Emitter<'_> {
    /// The type of a chunk of `scalar`.
    pub(super) fn chunk_type(&self, scalar: Scalar) -> clif::Type {
        Legal::chunk_type(scalar, self.width.lanes(scalar))
    }

    /// `chunks` with `fill`, a chunk, in the lanes that are off.
    pub(super) fn active_or(&mut self, chunks: &Chunks, scalar: Scalar, fill: clif::Value) -> Chunks {
        if self.exec.full {
            return chunks.clone();
        }
        let mask = self.exec_mask();
        let fill = std::iter::repeat_n(fill, chunks.len()).collect();
        self.blend(&mask, chunks, &fill, scalar)
    }

    /// `chunks` with 0 in the lanes that are off.
    pub(super) fn active_or_zero(&mut self, chunks: &Chunks, scalar: Scalar) -> Chunks {
        if self.exec.full {
            return chunks.clone();
        }
        let mask = self.exec_mask();
        let mask = if scalar.bits() == 64 { self.legal.widen_masks(&mask) } else { mask };
        chunks.iter().zip(mask).map(|(&chunk, mask)| self.legal.mask_value(mask, chunk)).collect()
    }

    /// A chunk of 32-bit numbers `f(lane)`, the `k`-th of the subgroup.
    pub(super) fn by_lane(&mut self, k: usize, f: impl Fn(u32) -> u32) -> clif::Value {
        let lanes = self.width.chunk;
        let first = k as u32 * lanes;
        if lanes == 1 {
            return self.legal.int(types::I32, i64::from(f(first)));
        }
        let values: Vec<u32> = (first..first + lanes).map(f).collect();
        self.legal.lanes_u32(&values)
    }

    /// Lane `l` gets what lane `from(l)` has, or what all lanes of the chunk `fill` have where there is none.
    pub(super) fn permute(
        &mut self,
        chunks: &Chunks,
        scalar: Scalar,
        from: impl Fn(u32) -> Option<u32>,
        fill: clif::Value,
    ) -> Chunks {
        let per = self.width.lanes(scalar);
        let from = |lane: u32| from(lane).filter(|&lane| lane < self.width.subgroup);
        let wanted = (0..chunks.len() as u32).map(|k| {
            // Which lane of the filling is free: such that lanes follow each other, as shifts of whole vectors have them.
            let distance = (0..per).find_map(|l| from(k * per + l).map(|source| source + per - l)).unwrap_or(0);
            let source = |l: u32| match from(k * per + l) {
                Some(lane) => (chunks[(lane / per) as usize], lane % per),
                None => (fill, (l + distance) % per),
            };
            (0..per).map(source).collect()
        });
        let wanted: Vec<Vec<(clif::Value, u32)>> = wanted.collect();
        wanted.iter().map(|lanes| self.collect(lanes)).collect()
    }

    /// A chunk of these lanes of these chunks.
    fn collect(&mut self, lanes: &[(clif::Value, u32)]) -> clif::Value {
        let count = lanes.len() as u8;
        let mut sources: Vec<clif::Value> = vec![];
        for &(chunk, _) in lanes {
            if !sources.contains(&chunk) {
                sources.push(chunk);
            }
        }
        let first = sources[0];
        if sources.len() == 1 && lanes.iter().enumerate().all(|(l, &(_, lane))| lane as usize == l) {
            return first;
        }
        let second = sources.get(1).copied().unwrap_or(first);
        let pattern: Vec<u8> = lanes
            .iter()
            .map(|&(chunk, lane)| match chunk {
                chunk if chunk == first => lane as u8,
                chunk if chunk == second => count + lane as u8,
                _ => 0,
            })
            .collect();
        let mut result = self.legal.shuffle_lanes(first, second, &pattern);
        for &source in sources.iter().skip(2) {
            let lane = |(l, &(chunk, lane)): (usize, &(clif::Value, u32))| {
                if chunk == source { count + lane as u8 } else { l as u8 }
            };
            let pattern: Vec<u8> = lanes.iter().enumerate().map(lane).collect();
            result = self.legal.shuffle_lanes(result, source, &pattern);
        }
        result
    }

    /// Lane `l` gets what lane `from[l]` has, 32-bit unsigned numbers; 0 where that is no lane.
    pub(super) fn pick(&mut self, chunks: &Chunks, scalar: Scalar, from: &Chunks) -> Chunks {
        let vector = self.width.chunk > 1;
        if vector && scalar.bits() == 64 && from.len() <= MOST_CHUNKS {
            let ints: Chunks = chunks.iter().map(|&v| self.legal.float_bits(v)).collect();
            let [low, high] = self.legal.words_of_wide(&ints);
            let [low, high] = [low, high].map(|words| self.pick_by_bytes(&words, from));
            let ty = self.chunk_type(scalar);
            let wide = self.legal.wide_of_words(&low, &high);
            return wide.iter().map(|&v| self.legal.reinterpret(v, ty)).collect();
        }
        match vector && from.len() <= MOST_CHUNKS {
            true => self.pick_by_bytes(chunks, from),
            false => self.pick_through_memory(chunks, scalar, from),
        }
    }

    fn pick_by_bytes(&mut self, chunks: &Chunks, from: &Chunks) -> Chunks {
        let sources: Chunks = chunks.iter().map(|&v| self.legal.reinterpret(v, types::I8X16)).collect();
        let picked = from.iter().map(|&from| {
            // The bytes of lane n are 4n to 4n + 3; those of no lane are beyond all chunks.
            let limit = self.legal.int_like(from, i64::from(self.width.subgroup));
            let from = self.legal.umin(from, limit);
            let fours = self.legal.int_like(from, 0x0404_0404);
            let bytes = self.legal.int_like(from, 0x0302_0100);
            let scaled = self.legal.imul(from, fours);
            let bytes = self.legal.iadd(scaled, bytes);
            let bytes = self.legal.reinterpret(bytes, types::I8X16);
            let mut result = None;
            for (k, &source) in sources.iter().enumerate() {
                let own = match k {
                    0 => bytes,
                    _ => {
                        let first = self.legal.int(types::I8X16, 16 * k as i64);
                        self.legal.isub(bytes, first)
                    }
                };
                let lanes = self.legal.pick_bytes(source, own);
                result = Some(match result {
                    None => lanes,
                    Some(others) => self.legal.bor(others, lanes),
                });
            }
            result.unwrap_or(bytes)
        });
        let picked: Vec<clif::Value> = picked.collect();
        picked.into_iter().zip(chunks).map(|(v, &like)| self.legal.reinterpret(v, self.legal.ty(like))).collect()
    }

    fn pick_through_memory(&mut self, chunks: &Chunks, scalar: Scalar, from: &Chunks) -> Chunks {
        let (per, ty) = (self.width.lanes(scalar), self.chunk_type(scalar));
        let lane_type = ty.lane_type();
        let address = self.spill(chunks);
        let mut results = Chunks::new();
        let each = chunks.len() / from.len().max(1);
        for &from in from {
            let last = self.legal.int_like(from, i64::from(self.width.subgroup) - 1);
            let inside = self.legal.icmp(IntCC::UnsignedLessThanOrEqual, from, last);
            let inside =
                if scalar.bits() == 64 { self.legal.widen_masks(&[inside]) } else { [inside].into_iter().collect() };
            let lane = self.legal.band(from, last);
            let offset = self.legal.ishl_const(lane, lane_type.bytes().trailing_zeros());
            for half in 0..each {
                let mut chunk = None;
                for l in 0..per {
                    let offset = self.legal.extract(offset, half as u32 * per + l);
                    let offset = self.legal.ins().uextend(types::I64, offset);
                    let at = self.legal.ins().iadd(address, offset);
                    let value = self.legal.ins().load(lane_type, frame_flags(), at, 0);
                    chunk = Some(match chunk {
                        None if per == 1 => value,
                        None => self.legal.ins().scalar_to_vector(ty, value),
                        Some(so_far) => self.legal.insert(so_far, value, l),
                    });
                }
                if let Some(chunk) = chunk {
                    results.push(self.legal.mask_value(inside[half.min(inside.len() - 1)], chunk));
                }
            }
        }
        results
    }

    /// Puts chunks side by side into memory; its address.
    fn spill(&mut self, chunks: &Chunks) -> clif::Value {
        let bytes = chunks.first().map_or(0, |&chunk| self.legal.ty(chunk).bytes());
        let slot = self.helpers.results(&mut self.legal.builder, bytes * chunks.len() as u32);
        let address = self.legal.ins().stack_addr(types::I64, slot, 0);
        for (k, &chunk) in chunks.iter().enumerate() {
            self.legal.ins().store(frame_flags(), chunk, address, k as i32 * bytes as i32);
        }
        address
    }

    /// What lane `lane` has, as a scalar; `lane` is one.
    pub(super) fn at_lane(&mut self, chunks: &Chunks, scalar: Scalar, lane: u32) -> clif::Value {
        let per = self.width.lanes(scalar);
        let chunk = chunks[(lane / per) as usize];
        match scalar {
            Scalar::Bool => self.legal.mask_lane(chunk, lane % per),
            _ => self.legal.extract(chunk, lane % per),
        }
    }

    /// The same for a lane that is known when the code runs, 32 bits.
    pub(super) fn at_number(&mut self, chunks: &Chunks, scalar: Scalar, lane: clif::Value) -> clif::Value {
        let known = self.legal.as_const(lane).map(|lane| lane as u32).filter(|&lane| lane < self.width.subgroup);
        if let Some(lane) = known {
            return self.at_lane(chunks, scalar, lane);
        }
        if self.width.subgroup == 1 {
            return self.at_lane(chunks, scalar, 0);
        }
        let lane_type = self.chunk_type(scalar).lane_type();
        let address = self.spill(chunks);
        let offset = self.legal.ishl_const(lane, lane_type.bytes().trailing_zeros());
        let offset = self.legal.ins().uextend(types::I64, offset);
        let at = self.legal.ins().iadd(address, offset);
        let value = self.legal.ins().load(lane_type, frame_flags(), at, 0);
        match scalar == Scalar::Bool && lane_type != types::I8 {
            true => self.legal.int_to_bool(value),
            false => value,
        }
    }

    /// A bit for each lane of a mask: words of 32 bits, one or two.
    pub(super) fn mask_words(&mut self, mask: &Chunks) -> Vec<clif::Value> {
        let lanes = self.width.chunk;
        let each = (32 / lanes) as usize;
        let words = mask.chunks(each).map(|part| {
            let mut word = None;
            for (k, &chunk) in part.iter().enumerate() {
                let bits = self.legal.mask_bits(chunk);
                let bits = self.legal.ishl_const(bits, k as u32 * lanes);
                word = Some(match word {
                    None => bits,
                    Some(word) => self.legal.bor(word, bits),
                });
            }
            word.unwrap_or_else(|| self.legal.int(types::I32, 0))
        });
        words.collect()
    }

    /// The words of the execution mask.
    pub(super) fn exec_words(&mut self) -> Vec<clif::Value> {
        if self.exec.full {
            let words = self.width.subgroup.div_ceil(32);
            let bits = u32::MAX >> (32 - self.width.subgroup.min(32));
            return (0..words).map(|_| self.legal.int(types::I32, i64::from(bits))).collect();
        }
        let mask = self.exec_mask();
        self.mask_words(&mask)
    }

    /// The number of the first active lane, 32 bits; of some lane where none is active.
    pub(super) fn first_active(&mut self) -> clif::Value {
        if self.exec.full {
            return self.legal.int(types::I32, 0);
        }
        let words = self.exec_words();
        let first = match words[..] {
            [low, high] => {
                let low = self.legal.ins().uextend(types::I64, low);
                let high = self.legal.ins().uextend(types::I64, high);
                let high = self.legal.ishl_const(high, 32);
                let both = self.legal.bor(low, high);
                let first = self.legal.ins().ctz(both);
                self.legal.ins().ireduce(types::I32, first)
            }
            _ => self.legal.ins().ctz(words[0]),
        };
        // Of no bits it is the width.
        let last = self.legal.int(types::I32, i64::from(self.width.subgroup) - 1);
        self.legal.band(first, last)
    }

    /// The number of active lanes, 32 bits.
    pub(super) fn active_count(&mut self) -> clif::Value {
        if self.exec.full {
            return self.legal.int(types::I32, i64::from(self.width.subgroup));
        }
        let words = self.exec_words();
        self.count_bits(&words)
    }

    /// The number of bits in words.
    pub(super) fn count_bits(&mut self, words: &[clif::Value]) -> clif::Value {
        let counts: Vec<clif::Value> = words.iter().map(|&word| self.legal.popcount(word)).collect();
        counts.into_iter().reduce(|a, b| self.legal.iadd(a, b)).unwrap_or_else(|| self.legal.int(types::I32, 0))
    }
}
