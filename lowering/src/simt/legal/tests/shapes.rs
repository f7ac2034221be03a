//! Primitives that move lanes or leave the chunk's shape: checked for their values and on every target.

use super::{build_with, little};
use crate::ir::Scalar;
use crate::options::Target;
use crate::simt::legal::Legal;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// Chunks of four 32-bit lanes in and out.
pub type Shape = fn(&mut Legal<'_>, &[clif::Value; 4]) -> Vec<clif::Value>;

/// All of them.
pub const SHAPES: &[(&str, Shape)] = &[
    ("transpose4", |l, v| l.transpose4(*v).to_vec()),
    ("deinterleave2", |l, v| l.deinterleave2([v[0], v[1]]).to_vec()),
    ("interleave2", |l, v| l.interleave2([v[0], v[1]]).to_vec()),
    ("deinterleave3", |l, v| l.deinterleave3([v[0], v[1], v[2]]).to_vec()),
    ("interleave3", |l, v| l.interleave3([v[0], v[1], v[2]]).to_vec()),
    ("extract and insert", |l, v| {
        let lane = l.extract(v[0], 3);
        vec![l.insert(v[1], lane, 1)]
    }),
    ("vector", |l, v| {
        let lanes: [_; 4] = std::array::from_fn(|i| l.extract(v[i], i as u32));
        vec![l.vector(&lanes)]
    }),
    ("iota", |l, v| {
        let base = l.extract(v[0], 2);
        vec![l.iota(base, -3, 4), l.iota(base, 0, 4)]
    }),
    ("broadcast", |l, v| {
        let lane = l.extract(v[0], 1);
        let on = l.int(types::I8, 1);
        vec![l.broadcast(lane, Scalar::I32, 4), l.broadcast(on, Scalar::Bool, 4)]
    }),
    ("mask", |l, v| {
        let bit = l.extract(v[0], 1);
        let bit = l.int_to_bool(bit);
        vec![l.mask(bit, types::I32X4)]
    }),
    ("any, all and lanes", |l, v| {
        let masks = v.map(|v| l.int_to_bool(v));
        let bits = [
            l.any(&masks.iter().copied().collect()),
            l.all(&masks.iter().copied().collect()),
            l.all(&masks[1..].iter().copied().collect()),
            l.mask_lane(masks[0], 0),
        ];
        let lanes = bits.map(|bit| l.bool_to_int(bit, types::I32));
        vec![l.vector(&lanes)]
    }),
    ("floats", |l, v| {
        let floats = v.map(|v| l.float_from_bits(v));
        let columns = l.transpose4(floats);
        columns.into_iter().map(|v| l.float_bits(v)).collect()
    }),
];

/// Builds `f(four chunks, results)`.
pub fn build(shape: Shape, target: &Target) -> clif::Function {
    build_with(target, types::I64, |l, inputs, output| {
        let chunks = std::array::from_fn(|i| l.ins().load(types::I32X4, little(), inputs, i as i32 * 16));
        for (i, value) in shape(l, &chunks).into_iter().enumerate() {
            l.ins().store(little(), value, output, i as i32 * 16);
        }
    })
}

/// What each gives for lanes 0, 1, 2 … 15, in order of [`SHAPES`].
pub const EXPECTED: &[&[i32]] = &[
    &[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    &[0, 2, 4, 6, 1, 3, 5, 7],
    &[0, 4, 1, 5, 2, 6, 3, 7],
    &[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11],
    &[0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11],
    &[4, 3, 6, 7],
    &[0, 5, 10, 15],
    &[2, -1, -4, -7, 2, 2, 2, 2],
    &[1, 1, 1, 1, -1, -1, -1, -1],
    &[-1, -1, -1, -1],
    &[1, 0, 1, 0],
    &[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
];
