//! Values of other lanes. What a lane that is off or none would give is 0.

use super::types::Ty;
use super::{Op, op};
use glslc2native_testsuite::rng::Rng;

/// The table, of operations that work at every subgroup size.
pub fn ops(ty: &'static Ty) -> Vec<Op> {
    let equal = move |same: bool| u64::from(same) * if ty.elem.is_float() { ty.elem.float_bits(1.0) } else { 1 };
    vec![
        op("subgroupBroadcast(v, 3u)", |s, _| s.get(Some(3))),
        op("subgroupBroadcast(v, 21u)", |s, _| s.get(Some(21))),
        op("subgroupBroadcast(u, 0u)", |s, _| if s.active[0] { s.uniform } else { 0 }),
        op("subgroupBroadcast(v, gl_SubgroupSize - 1u - gl_SubgroupID % 2u)", |s, _| {
            s.get((s.w - 1).checked_sub(s.id % 2))
        }),
        op("subgroupBroadcastFirst(v)", |s, _| s.get(s.lanes().next())),
        op("subgroupShuffle(v, lane * 3u + 1u)", |s, lane| s.get(Some(lane * 3 + 1))),
        op("subgroupShuffle(v, gl_SubgroupSize - 1u - lane)", |s, lane| s.get(Some(s.w - 1 - lane))),
        op("subgroupShuffle(v, lane & 5u)", |s, lane| s.get(Some(lane & 5))),
        op("subgroupShuffle(v, 2u)", |s, _| s.get(Some(2))),
        op("subgroupShuffle(u, lane)", |s, _| s.uniform),
        op("subgroupShuffleXor(v, 1u)", |s, lane| s.get(Some(lane ^ 1))),
        op("subgroupShuffleXor(v, 6u)", |s, lane| s.get(Some(lane ^ 6))),
        op("subgroupShuffleXor(v, gl_NumSubgroups & 7u)", |s, lane| s.get(Some(lane ^ s.count & 7))),
        op("subgroupShuffleUp(v, 1u)", |s, lane| s.get(lane.checked_sub(1))),
        op("subgroupShuffleUp(v, 5u)", |s, lane| s.get(lane.checked_sub(5))),
        op("subgroupShuffleUp(v, lane >> 1)", |s, lane| s.get(Some(lane - (lane >> 1)))),
        op("subgroupShuffleUp(v, ~0u - lane)", |s, _| s.get(None)),
        op("subgroupShuffleDown(v, 1u)", |s, lane| s.get(Some(lane + 1))),
        op("subgroupShuffleDown(v, 6u)", |s, lane| s.get(Some(lane + 6))),
        op("subgroupShuffleDown(v, gl_SubgroupID + 1u)", |s, lane| s.get(Some(lane + s.id + 1))),
        op("subgroupShuffleDown(v, ~0u)", |s, _| s.get(None)),
        op("subgroupRotate(v, 3u)", |s, lane| s.get(Some((lane + 3) % s.w))),
        op("subgroupRotate(v, gl_SubgroupID)", |s, lane| s.get(Some((lane + s.id) % s.w))),
        op("subgroupClusteredRotate(v, 1u, 2u)", |s, lane| {
            s.get(Some(if s.w == 1 { lane } else { lane & !1 | (lane + 1) & 1 }))
        }),
        op("subgroupClusteredRotate(v, gl_SubgroupID + 5u, 8u)", |s, lane| {
            let size = s.w.min(8);
            s.get(Some(lane / size * size + (lane + s.id + 5) % size))
        }),
        op(format!("{}(subgroupAllEqual(v))", ty.glsl), move |s, _| {
            let first = s.lanes().next();
            equal(s.lanes().all(|lane| s.get(Some(lane)) == s.get(first)))
        }),
        op(format!("{}(subgroupAllEqual(u))", ty.glsl), move |_, _| equal(true)),
    ]
}

/// The table, of quads.
pub fn quads() -> Vec<Op> {
    let mut ops: Vec<Op> = vec![
        op("subgroupQuadSwapHorizontal(v)", |s, lane| s.get(Some(lane ^ 1))),
        op("subgroupQuadSwapVertical(v)", |s, lane| s.get(Some(lane ^ 2))),
        op("subgroupQuadSwapDiagonal(v)", |s, lane| s.get(Some(lane ^ 3))),
        op("subgroupQuadBroadcast(v, gl_SubgroupID & 3u)", |s, lane| s.get(Some(lane & !3 | s.id & 3))),
    ];
    for i in 0..4 {
        ops.push(op(format!("subgroupQuadBroadcast(v, {i}u)"), move |s, lane| s.get(Some(lane & !3 | i))));
    }
    ops
}

/// Bits of any kind; floats that are numbers.
pub fn data(ty: &Ty, rng: &mut Rng) -> u64 {
    if ty.is_bool() {
        return u64::from(rng.below(2));
    }
    if ty.elem.is_float() {
        return ty.elem.float_bits((f64::from(rng.below(4000)) - 2000.0) / 8.0);
    }
    rng.bits() & ty.ones()
}
