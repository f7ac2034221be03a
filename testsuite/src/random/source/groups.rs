//! Operations on subgroups in random programs: how they are written, and what they give.

use super::syntax::Expr;

/// An operation on the invocations of a subgroup that execute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The sum.
    Sum,
    /// The sum up to each.
    SumTo,
    /// What those before it have, by `^`.
    Before,
    /// The least.
    Least,
    /// How many odd numbers there are.
    Odd,
    /// The first one's.
    First,
    /// The neighbour's, 0 where it is not there.
    Neighbour,
    /// One at a distance that differs, 0 where it is not there.
    Far,
    /// A number that is odd in one of them.
    Elected,
    /// Is there a multiple of four?
    Any,
}

/// All of them.
pub const GROUPS: [Group; 10] = [
    Group::Sum,
    Group::SumTo,
    Group::Before,
    Group::Least,
    Group::Odd,
    Group::First,
    Group::Neighbour,
    Group::Far,
    Group::Elected,
    Group::Any,
];

/// What shaders need for them.
pub const EXTENSIONS: &str = "#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require";

impl Group {
    /// The expression in GLSL.
    pub fn glsl(self, value: &Expr) -> String {
        match self {
            Group::Sum => format!("subgroupAdd({value})"),
            Group::SumTo => format!("subgroupInclusiveAdd({value})"),
            Group::Before => format!("subgroupExclusiveXor({value})"),
            Group::Least => format!("subgroupMin({value})"),
            Group::Odd => format!("subgroupBallotBitCount(subgroupBallot(({value} & 1u) != 0u))"),
            Group::First => format!("subgroupBroadcastFirst({value})"),
            Group::Neighbour => format!("subgroupShuffleXor({value}, 1u)"),
            Group::Far => {
                format!("subgroupShuffle({value}, gl_SubgroupInvocationID * 3u & (gl_SubgroupSize - 1u))")
            }
            Group::Elected => format!("(({value} & ~1u) | uint(subgroupElect()))"),
            Group::Any => format!("uint(subgroupAny(({value} & 3u) == 0u))"),
        }
    }

    /// What each lane gets of the values in the lanes that are there.
    pub fn results(self, lanes: &[Option<u32>]) -> Vec<u32> {
        let there = || lanes.iter().flatten().copied();
        let up_to = |end: usize| lanes[..end].iter().flatten().copied();
        let first = lanes.iter().position(Option::is_some);
        let result = |lane: usize| match self {
            Group::Sum => there().fold(0, u32::wrapping_add),
            Group::SumTo => up_to(lane + 1).fold(0, u32::wrapping_add),
            Group::Before => up_to(lane).fold(0, |a, b| a ^ b),
            Group::Least => there().min().unwrap_or(0),
            Group::Odd => there().filter(|value| value & 1 != 0).count() as u32,
            Group::First => there().next().unwrap_or(0),
            Group::Neighbour => lanes.get(lane ^ 1).copied().flatten().unwrap_or(0),
            Group::Far => lanes[lane * 3 % lanes.len()].unwrap_or(0),
            Group::Elected => lanes[lane].unwrap_or(0) & !1 | u32::from(first == Some(lane)),
            Group::Any => u32::from(there().any(|value| value & 3 == 0)),
        };
        (0..lanes.len()).map(result).collect()
    }
}
