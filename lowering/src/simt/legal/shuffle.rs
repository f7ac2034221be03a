//! Lanes: extraction and insertion, shuffles and transposes of 32-bit lanes.
//!
//! Casts to bytes are little-endian on every target.

use super::Legal;
use crate::Arch;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

impl Legal<'_> {
    /// Lane `lane`; a scalar as it is.
    pub fn extract(&mut self, a: clif::Value, lane: u32) -> clif::Value {
        if self.is_vector(a) { self.ins().extractlane(a, lane as u8) } else { a }
    }

    /// `a` with lane `lane` replaced; a scalar is replaced whole.
    pub fn insert(&mut self, a: clif::Value, value: clif::Value, lane: u32) -> clif::Value {
        if self.is_vector(a) { self.ins().insertlane(a, value, lane as u8) } else { value }
    }

    /// A vector of these scalars: four of 32 bits, or two of 64.
    pub fn vector(&mut self, lanes: &[clif::Value]) -> clif::Value {
        let ty = self.ty(lanes[0]).by(lanes.len() as u32).unwrap_or(types::INVALID);
        let first = self.ins().scalar_to_vector(ty, lanes[0]);
        (1..lanes.len()).fold(first, |vector, lane| self.ins().insertlane(vector, lanes[lane], lane as u8))
    }

    /// Two 32-bit words as one of 64 bits that memory holds, to one whose lower half is the first; and back.
    pub fn words_in_order(&mut self, pair: clif::Value) -> clif::Value {
        if self.target.arch == Arch::S390x {
            let half = self.ins().iconst(types::I32, 32);
            return self.ins().rotl(pair, half);
        }
        pair
    }

    /// Four 32-bit lanes chosen from eight: 0 to 3 are those of `a`, 4 to 7 those of `b`.
    pub fn shuffle32(&mut self, a: clif::Value, b: clif::Value, lanes: [u8; 4]) -> clif::Value {
        self.shuffle_lanes(a, b, &lanes)
    }

    /// As many lanes as `a` has, chosen from those of `a` and then those of `b`; of scalars one of the two.
    pub fn shuffle_lanes(&mut self, a: clif::Value, b: clif::Value, lanes: &[u8]) -> clif::Value {
        let ty = self.ty(a);
        if !ty.is_vector() {
            return if lanes.first() == Some(&1) { b } else { a };
        }
        let width = ty.lane_type().bytes() as u8;
        let bytes: Vec<u8> = lanes.iter().flat_map(|&lane| (0..width).map(move |byte| lane * width + byte)).collect();
        let mask = self.builder.func.dfg.immediates.push(bytes.into());
        let a = self.reinterpret(a, types::I8X16);
        let b = self.reinterpret(b, types::I8X16);
        let result = self.ins().shuffle(a, b, mask);
        self.reinterpret(result, ty)
    }

    /// The bytes of `a` with the numbers `from`, both 16 bytes; 0 for numbers from 16 on.
    pub fn pick_bytes(&mut self, a: clif::Value, from: clif::Value) -> clif::Value {
        self.ins().swizzle(a, from)
    }

    /// Rows to columns of a 4×4 matrix: lane `i` of result `j` is lane `j` of operand `i`.
    pub fn transpose4(&mut self, rows: [clif::Value; 4]) -> [clif::Value; 4] {
        let [a, b, c, d] = rows;
        let ab_low = self.shuffle32(a, b, [0, 4, 1, 5]);
        let ab_high = self.shuffle32(a, b, [2, 6, 3, 7]);
        let cd_low = self.shuffle32(c, d, [0, 4, 1, 5]);
        let cd_high = self.shuffle32(c, d, [2, 6, 3, 7]);
        [
            self.shuffle32(ab_low, cd_low, [0, 1, 4, 5]),
            self.shuffle32(ab_low, cd_low, [2, 3, 6, 7]),
            self.shuffle32(ab_high, cd_high, [0, 1, 4, 5]),
            self.shuffle32(ab_high, cd_high, [2, 3, 6, 7]),
        ]
    }

    /// `x0 y0 x1 y1`, `x2 y2 x3 y3` to the four `x` and the four `y`.
    pub fn deinterleave2(&mut self, [a, b]: [clif::Value; 2]) -> [clif::Value; 2] {
        [self.shuffle32(a, b, [0, 2, 4, 6]), self.shuffle32(a, b, [1, 3, 5, 7])]
    }

    /// The inverse of [`deinterleave2`](Self::deinterleave2).
    pub fn interleave2(&mut self, [x, y]: [clif::Value; 2]) -> [clif::Value; 2] {
        [self.shuffle32(x, y, [0, 4, 1, 5]), self.shuffle32(x, y, [2, 6, 3, 7])]
    }

    /// `x0 y0 z0 x1`, `y1 z1 x2 y2`, `z2 x3 y3 z3` to the four `x`, `y` and `z`.
    pub fn deinterleave3(&mut self, [a, b, c]: [clif::Value; 3]) -> [clif::Value; 3] {
        let x23 = self.shuffle32(b, c, [2, 2, 5, 5]);
        let y01 = self.shuffle32(a, b, [1, 1, 4, 4]);
        let y23 = self.shuffle32(b, c, [3, 3, 6, 6]);
        let z01 = self.shuffle32(a, b, [2, 2, 5, 5]);
        [
            self.shuffle32(a, x23, [0, 3, 4, 6]),
            self.shuffle32(y01, y23, [0, 2, 4, 6]),
            self.shuffle32(z01, c, [0, 2, 4, 7]),
        ]
    }

    /// The inverse of [`deinterleave3`](Self::deinterleave3).
    pub fn interleave3(&mut self, [x, y, z]: [clif::Value; 3]) -> [clif::Value; 3] {
        let xy0 = self.shuffle32(x, y, [0, 0, 4, 4]);
        let zx = self.shuffle32(z, x, [0, 0, 5, 5]);
        let yz1 = self.shuffle32(y, z, [1, 1, 5, 5]);
        let xy2 = self.shuffle32(x, y, [2, 2, 6, 6]);
        let zx3 = self.shuffle32(z, x, [2, 2, 7, 7]);
        let yz3 = self.shuffle32(y, z, [3, 3, 7, 7]);
        [
            self.shuffle32(xy0, zx, [0, 2, 4, 6]),
            self.shuffle32(yz1, xy2, [0, 2, 4, 6]),
            self.shuffle32(zx3, yz3, [0, 2, 4, 6]),
        ]
    }
}
