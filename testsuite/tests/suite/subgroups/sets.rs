//! Elections, votes, ballots, sets of lanes, built-in variables. `c` holds in lanes whose fivefold number lacks bit 3.

use super::types::Ty;
use super::{Op, Subgroup, op};
use glslc2native_testsuite::rng::Rng;

/// A condition's lanes.
fn holds(lane: usize) -> bool {
    (lane * 5) & 8 == 0
}

fn ballot(s: &Subgroup, holds: impl Fn(usize) -> bool) -> u64 {
    s.lanes().filter(|&lane| holds(lane)).map(|lane| 1 << lane).sum()
}

/// The bits of the set `(v, ~v)` that the subgroup has lanes for.
fn own_set(s: &Subgroup, lane: usize) -> u64 {
    let v = s.values[lane] as u32;
    (u64::from(!v) << 32 | u64::from(v)) & everyone(s)
}

fn everyone(s: &Subgroup) -> u64 {
    u64::MAX >> (64 - s.w)
}

fn before(lane: usize) -> u64 {
    (1 << lane) - 1
}

/// A word of a set of lanes.
fn word(set: u64, index: u32) -> u64 {
    set >> (32 * index) & 0xFFFF_FFFF
}

const NONE: u64 = 0xFFFF_FFFF;

/// The table.
pub fn ops() -> Vec<Op> {
    let first = |s: &Subgroup, lane: usize| u64::from(s.lanes().next() == Some(lane));
    let mut ops = vec![
        op("subgroupElect()", first),
        op("subgroupAll(c)", |s, _| u64::from(s.lanes().all(holds))),
        op("subgroupAny(c)", |s, _| u64::from(s.lanes().any(holds))),
        op("subgroupAllEqual(c)", |s, _| u64::from(s.lanes().all(holds) || !s.lanes().any(holds))),
        op("subgroupAll(u != v)", |s, _| u64::from(s.lanes().all(|lane| s.values[lane] != s.uniform))),
        op("subgroupAny(u == 7u)", |s, _| u64::from(s.uniform == 7)),
        op("subgroupBallot(c).x", |s, _| word(ballot(s, holds), 0)),
        op("subgroupBallot(c).y", |s, _| word(ballot(s, holds), 1)),
        op("subgroupBallot(c).w", |_, _| 0),
        op("subgroupBallot(true).x", |s, _| word(ballot(s, |_| true), 0)),
        op("subgroupInverseBallot(uvec4(v, ~v, 0u, 0u))", |s, lane| own_set(s, lane) >> lane & 1),
        op("subgroupInverseBallot(uvec4(u, u, 9u, 9u))", |s, lane| s.uniform >> (lane % 32) & 1),
        op("subgroupBallotBitExtract(uvec4(v, ~v, 0u, 0u), lane ^ (gl_SubgroupSize - 1u))", |s, lane| {
            own_set(s, lane) >> (lane ^ (s.w - 1)) & 1
        }),
        op("subgroupBallotBitExtract(uvec4(u, ~u, 0u, 0u), gl_SubgroupID & 40u)", |s, _| {
            let set = (u64::from(!(s.uniform as u32)) << 32 | s.uniform) & everyone(s);
            set.checked_shr((s.id & 40) as u32).unwrap_or(0) & 1
        }),
        op("subgroupBallotBitCount(subgroupBallot(c))", |s, _| ballot(s, holds).count_ones().into()),
        op("subgroupBallotBitCount(uvec4(v, ~v, 5u, 6u))", |s, lane| own_set(s, lane).count_ones().into()),
        op("subgroupBallotInclusiveBitCount(subgroupBallot(c))", |s, lane| {
            (ballot(s, holds) & (before(lane) | 1 << lane)).count_ones().into()
        }),
        op("subgroupBallotExclusiveBitCount(subgroupBallot(c))", |s, lane| {
            (ballot(s, holds) & before(lane)).count_ones().into()
        }),
        op("subgroupBallotExclusiveBitCount(uvec4(v, ~v, 5u, 6u))", |s, lane| {
            (own_set(s, lane) & before(lane)).count_ones().into()
        }),
        op("gl_SubgroupSize", |s, _| s.w as u64),
        op("gl_SubgroupID", |s, _| s.id as u64),
        op("gl_NumSubgroups", |s, _| s.count as u64),
        op("gl_SubgroupInvocationID", |_, lane| lane as u64),
    ];
    let lowest = |set: u64| if set == 0 { NONE } else { set.trailing_zeros().into() };
    let highest = |set: u64| if set == 0 { NONE } else { u64::from(63 - set.leading_zeros()) };
    ops.push(op("subgroupBallotFindLSB(subgroupBallot(c))", move |s, _| lowest(ballot(s, holds))));
    ops.push(op("subgroupBallotFindMSB(subgroupBallot(c))", move |s, _| highest(ballot(s, holds))));
    ops.push(op("subgroupBallotFindLSB(uvec4(v, ~v, 1u, 1u))", move |s, lane| lowest(own_set(s, lane))));
    ops.push(op("subgroupBallotFindMSB(uvec4(v, ~v, 1u, 1u))", move |s, lane| highest(own_set(s, lane))));
    type Set = fn(&Subgroup, usize) -> u64;
    let sets: [(&str, Set); 5] = [
        ("Eq", |_, lane| 1 << lane),
        ("Ge", |s, lane| everyone(s) & !before(lane)),
        ("Gt", |s, lane| everyone(s) & !before(lane) & !(1 << lane)),
        ("Le", |_, lane| before(lane) | 1 << lane),
        ("Lt", |_, lane| before(lane)),
    ];
    for (name, set) in sets {
        ops.push(op(format!("gl_Subgroup{name}Mask.x"), move |s, lane| word(set(s, lane), 0)));
        ops.push(op(format!("gl_Subgroup{name}Mask.y + gl_Subgroup{name}Mask.z"), move |s, lane| {
            word(set(s, lane), 1)
        }));
    }
    for op in &mut ops {
        op.expr = format!("uint({})", op.expr);
    }
    ops
}

/// Bits, some of them few.
pub fn data(_: &Ty, rng: &mut Rng) -> u64 {
    let bits = rng.u32();
    u64::from(if rng.below(3) == 0 { bits & 0x8000_0100 } else { bits })
}
