//! Lanes of every type in memory: what is loaded and stored for a scalar, and for a chunk of consecutive ones.
//!
//! Integers of 8 and 16 bits have their own width in buffers and are extended when loaded; 16-bit floats are stored as 16
//! bits and held as 32-bit floats; a boolean is a word, in memory of the implementation's own only. A store writes exactly
//! the bytes of its type. Neighbours that make up a word, as in a vector of bytes, are loaded and stored as one.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::memory_flags::data_flags;
use super::super::value::{Chunks, Comp, Comps, Lanes};
use super::pointer::Leaf;
use crate::Arch;
use crate::Result;
use crate::ir::{Loc, Scalar};
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};

/// 16-bit floats as they are stored.
const HALF: Scalar = Scalar::Int { width: 16, signed: false };

/// Leaves as they lie in buffers.
pub(super) fn as_stored(leaves: &[Leaf]) -> Vec<Leaf> {
    let stored = |l: &Leaf| Leaf { scalar: if l.scalar == Scalar::Float(16) { HALF } else { l.scalar }, ..*l };
    leaves.iter().map(stored).collect()
}

/// Leaves as they lie in memory of the implementation's own: booleans and what is narrower than a word are words, as held.
pub(super) fn as_words(leaves: &[Leaf]) -> Vec<Leaf> {
    let word = |l: &Leaf| match l.scalar {
        Scalar::Bool => Leaf { scalar: Scalar::U32, ..*l },
        Scalar::Int { width: 8 | 16, .. } => Leaf { scalar: Scalar::U32, ..*l },
        Scalar::Float(16) => Leaf { scalar: Scalar::F32, ..*l },
        _ => *l,
    };
    leaves.iter().map(word).collect()
}

/// How many leaves from the first on make up one access: those of 8 and 16 bits that lie one after the other, up to a word.
fn joined(leaves: &[Leaf]) -> usize {
    let Some(first) = leaves.first().filter(|l| l.bytes() < 4) else { return 1 };
    let follows = |(k, leaf): (usize, &Leaf)| {
        leaf.scalar == first.scalar && leaf.offset == first.offset + k as u32 * first.bytes()
    };
    let n = leaves.iter().enumerate().take(4 / first.bytes() as usize).take_while(|&l| follows(l)).count();
    // Of three the first two.
    if n == 3 { 2 } else { n }
}

/// Leaves as they are accessed, each with how many it stands for.
pub(super) fn as_packed(leaves: &[Leaf]) -> Vec<(Leaf, usize)> {
    let mut out = vec![];
    let mut rest = leaves;
    while let Some(&first) = rest.first() {
        let n = joined(rest);
        let width = 8 * first.bytes() as u8 * n as u8;
        let scalar = if n == 1 { first.scalar } else { Scalar::Int { width, signed: false } };
        out.push((Leaf { scalar, ..first }, n));
        rest = &rest[n..];
    }
    out
}

impl Emitter<'_> {
    /// Bits below part `k` of `n` in what is accessed as one.
    fn shift_of(&self, k: usize, n: usize, bits: u32) -> u32 {
        let k = if self.legal.low_first() { k } else { n - 1 - k };
        k as u32 * bits
    }

    /// The components that were loaded as one.
    pub(super) fn unpacked(&mut self, comps: Comps, packed: &[(Leaf, usize)], leaves: &[Leaf]) -> Comps {
        let mut out = Comps::new();
        for (comp, &(leaf, n)) in comps.into_iter().zip(packed) {
            if n == 1 {
                out.push(comp);
                continue;
            }
            let scalar = leaves[out.len()].scalar;
            for k in 0..n {
                let shift = self.shift_of(k, n, scalar.bits());
                let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
                out.push(lanes.map([(&comp, leaf.scalar)], |l, [word]| l.part_of_word(word, shift, scalar)));
            }
        }
        out
    }

    /// Components to be stored as one.
    pub(super) fn packed(&mut self, comps: &Comps, packed: &[(Leaf, usize)], leaves: &[Leaf]) -> Comps {
        let mut out = Comps::new();
        let mut at = 0;
        for &(leaf, n) in packed {
            let scalar = leaves[at].scalar;
            let mut word = comps[at].clone();
            for k in 0..if n == 1 { 0 } else { n } {
                let shift = self.shift_of(k, n, scalar.bits());
                let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
                let part = lanes.map([(&comps[at + k], scalar)], |l, [v]| {
                    let part = l.read_int(v, scalar, false);
                    l.ishl_const(part, shift)
                });
                word = match k {
                    0 => part,
                    _ => lanes.map([(&word, leaf.scalar), (&part, leaf.scalar)], |l, [a, b]| l.bor(a, b)),
                };
            }
            out.push(word);
            at += n;
        }
        out
    }

    /// No booleans: they have no form in buffers.
    pub(super) fn check_stored(&self, leaves: &[Leaf], what: &str, loc: Loc) -> Result<()> {
        match leaves.iter().any(|l| l.scalar == Scalar::Bool) {
            true => Err(self.unsupported(loc, format!("{what} of a boolean"), "booleans have no form in buffers")),
            false => Ok(()),
        }
    }

    /// Components as held, of what buffers store.
    pub(super) fn held(&mut self, comps: Comps, leaves: &[Leaf]) -> Comps {
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        let one = |(comp, leaf): (Comp, &Leaf)| match leaf.scalar {
            Scalar::Float(16) => lanes.map([(&comp, HALF)], |l, [bits]| l.half_from_bits(bits)),
            _ => comp,
        };
        comps.into_iter().zip(leaves).map(one).collect()
    }

    /// Components as buffers store them, of what is held.
    pub(super) fn stored(&mut self, comps: &Comps, leaves: &[Leaf]) -> Comps {
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        let one = |(comp, leaf): (&Comp, &Leaf)| match leaf.scalar {
            Scalar::Float(16) => lanes.map([(comp, leaf.scalar)], |l, [v]| l.half_bits(v)),
            _ => comp.clone(),
        };
        comps.iter().zip(leaves).map(one).collect()
    }

    /// Loads one scalar.
    pub(super) fn load_scalar(
        &mut self,
        scalar: Scalar,
        flags: MemFlagsData,
        address: clif::Value,
        offset: i32,
    ) -> clif::Value {
        let ty = Legal::scalar_type(scalar);
        match (scalar.bits(), scalar.is_signed()) {
            (8, true) => self.legal.ins().sload8(ty, flags, address, offset),
            (8, false) => self.legal.ins().uload8(ty, flags, address, offset),
            (16, true) => self.legal.ins().sload16(ty, flags, address, offset),
            (16, false) => self.legal.ins().uload16(ty, flags, address, offset),
            _ => self.legal.ins().load(ty, flags, address, offset),
        }
    }

    /// Stores one scalar: exactly its bytes.
    pub(super) fn store_scalar(&mut self, scalar: Scalar, value: clif::Value, address: clif::Value, offset: i32) {
        match scalar.bits() {
            8 => self.legal.ins().istore8(data_flags(), value, address, offset),
            16 => self.legal.ins().istore16(data_flags(), value, address, offset),
            _ => self.legal.ins().store(data_flags(), value, address, offset),
        };
    }

    /// Loads the chunks of as many consecutive scalars as a chunk of 32-bit lanes has.
    pub(super) fn load_consecutive(&mut self, scalar: Scalar, address: clif::Value, offset: i32) -> Chunks {
        let chunk = self.width.chunk;
        let ty = Legal::chunk_type(scalar, self.width.lanes(scalar));
        match (scalar.bits(), chunk) {
            (8 | 16, 1) => smallvec::smallvec![self.load_scalar(scalar, data_flags(), address, offset)],
            (16, _) if scalar.is_signed() => {
                smallvec::smallvec![self.legal.ins().sload16x4(data_flags(), address, offset)]
            }
            (16, _) => smallvec::smallvec![self.legal.ins().uload16x4(data_flags(), address, offset)],
            (8, _) => {
                let four = self.legal.ins().load(types::I32, data_flags(), address, offset);
                smallvec::smallvec![self.legal.bytes_to_lanes(four, scalar.is_signed())]
            }
            (64, 4) => (0..2).map(|k| self.legal.ins().load(ty, data_flags(), address, offset + 16 * k)).collect(),
            _ => smallvec::smallvec![self.legal.ins().load(ty, data_flags(), address, offset)],
        }
    }

    /// Stores as many consecutive scalars as a chunk of 32-bit lanes has.
    pub(super) fn store_consecutive(
        &mut self,
        scalar: Scalar,
        chunks: &[clif::Value],
        address: clif::Value,
        offset: i32,
    ) {
        for (k, &chunk) in chunks.iter().enumerate() {
            match (scalar.bits(), self.width.chunk) {
                (8, 4) => {
                    let bytes = self.legal.lanes_to_bytes(chunk);
                    self.legal.ins().store(data_flags(), bytes, address, offset);
                }
                (16, 4) => {
                    let halves = self.legal.lanes_to_halves(chunk);
                    self.legal.ins().store(data_flags(), halves, address, offset);
                }
                _ => self.store_scalar(scalar, chunk, address, offset + 16 * k as i32),
            }
        }
    }

    /// Scalars, lane 0 first, as the chunks of a component.
    pub(super) fn gathered(&mut self, scalar: Scalar, lanes: &[clif::Value]) -> Chunks {
        match self.width.lanes(scalar) {
            1 => lanes.into(),
            2 => lanes
                .chunks_exact(2)
                .map(|pair| {
                    let ty = Legal::chunk_type(scalar, 2);
                    let low = self.legal.ins().scalar_to_vector(ty, pair[0]);
                    self.legal.ins().insertlane(low, pair[1], 1)
                })
                .collect(),
            _ => lanes.chunks_exact(4).map(|l| self.legal.vector(l)).collect(),
        }
    }
}

impl Legal<'_> {
    /// Does the lowest lane come first in a word that is stored?
    fn low_first(&self) -> bool {
        self.target.arch != Arch::S390x
    }

    /// An integer of 8 or 16 bits that lies that many bits up in a word, as held.
    fn part_of_word(&mut self, word: clif::Value, shift: u32, scalar: Scalar) -> clif::Value {
        let above = 32 - scalar.bits();
        if scalar.is_signed() && self.is_vector(word) {
            let up = self.ishl_const(word, above - shift);
            return self.sshr_const(up, above);
        }
        let low = self.ushr_const(word, shift);
        if shift == above && !scalar.is_signed() { low } else { self.wrap_int(low, scalar) }
    }

    fn shuffle_bytes(&mut self, a: clif::Value, bytes: [u8; 16]) -> clif::Value {
        let mask = self.builder.func.dfg.immediates.push(bytes.to_vec().into());
        let a = self.reinterpret(a, types::I8X16);
        self.ins().shuffle(a, a, mask)
    }

    /// Four bytes of a word that memory holds as 32-bit lanes.
    pub(super) fn bytes_to_lanes(&mut self, word: clif::Value, signed: bool) -> clif::Value {
        let vector = self.ins().scalar_to_vector(types::I32X4, word);
        // Each byte becomes the highest of its lane; the others are shifted out.
        let mut bytes = [0u8; 16];
        for lane in 0..4 {
            let from = if self.low_first() { lane } else { 3 - lane };
            bytes[4 * usize::from(lane)..][..4].fill(from);
        }
        let spread = self.shuffle_bytes(vector, bytes);
        let lanes = self.reinterpret(spread, types::I32X4);
        if signed { self.sshr_const(lanes, 24) } else { self.ushr_const(lanes, 24) }
    }

    /// The lowest bytes of four 32-bit lanes as a word that memory holds.
    pub(super) fn lanes_to_bytes(&mut self, chunk: clif::Value) -> clif::Value {
        let first = if self.low_first() { [0, 4, 8, 12] } else { [12, 8, 4, 0] };
        let bytes: [u8; 16] = std::array::from_fn(|i| first[i % 4]);
        let packed = self.shuffle_bytes(chunk, bytes);
        let words = self.reinterpret(packed, types::I32X4);
        self.extract(words, 0)
    }

    /// The lower halves of four 32-bit lanes as a word of 64 bits that memory holds.
    pub(super) fn lanes_to_halves(&mut self, chunk: clif::Value) -> clif::Value {
        let first = if self.low_first() { [0, 1, 4, 5, 8, 9, 12, 13] } else { [12, 13, 8, 9, 4, 5, 0, 1] };
        let bytes: [u8; 16] = std::array::from_fn(|i| first[i % 8]);
        let packed = self.shuffle_bytes(chunk, bytes);
        let words = self.reinterpret(packed, types::I64X2);
        self.extract(words, 0)
    }
}
