//! Values of other lanes: broadcasts, shuffles, rotations, quads (SPIR-V specification, "OpGroupNonUniformBroadcast",
//! "OpGroupNonUniformShuffle" and what follows, "OpGroupNonUniformQuadBroadcast", "OpGroupNonUniformRotateKHR").
//!
//! What a lane that is off, or that is none, would give is 0.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::value::{Chunks, Comp, Comps};
use super::Call;
use crate::Result;
use crate::ir::Scalar;
use cranelift_codegen::ir::{self as clif, condcodes::IntCC};

/// From which lane a lane has its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    /// The one with that number.
    Shuffle,
    /// The one whose number differs in these bits.
    Xor,
    /// That many before it.
    Up,
    /// That many behind it.
    Down,
    /// That many behind it, around the end of the subgroup or of a cluster.
    Rotate,
    /// The one with that number in its quad.
    QuadBroadcast,
    /// The neighbour in its quad: 0 horizontal, 1 vertical, 2 diagonal.
    QuadSwap,
}

/// Invocations of a quad.
const QUAD: u32 = 4;

impl Moves {
    fn in_quads(self) -> bool {
        matches!(self, Moves::QuadBroadcast | Moves::QuadSwap)
    }

    /// The lane by which `lane` is served, for a known operand.
    fn source(self, lane: u32, by: u32, cluster: u32) -> Option<u32> {
        match self {
            Moves::Shuffle => Some(by),
            Moves::Xor => Some(lane ^ by),
            Moves::Up => lane.checked_sub(by),
            Moves::Down => lane.checked_add(by),
            Moves::Rotate => Some(lane & !(cluster - 1) | lane.wrapping_add(by) & (cluster - 1)),
            Moves::QuadBroadcast => (by < QUAD).then_some(lane & !(QUAD - 1) | by),
            Moves::QuadSwap => (by < QUAD - 1).then_some(lane ^ (by + 1)),
        }
    }

    /// The same in code, for lane numbers and operands of a chunk.
    fn source_of(self, l: &mut Legal<'_>, lane: clif::Value, by: clif::Value, cluster: u32) -> clif::Value {
        match self {
            Moves::Shuffle => by,
            Moves::Xor => l.bxor(lane, by),
            // Below 0 it is a large number.
            Moves::Up => {
                let source = l.isub(lane, by);
                let none = l.int_like(by, -1);
                let inside = l.icmp(IntCC::UnsignedLessThanOrEqual, by, lane);
                l.select(inside, source, none)
            }
            Moves::Down => {
                let source = l.iadd(lane, by);
                let none = l.int_like(by, -1);
                let wraps = l.icmp(IntCC::UnsignedLessThan, source, lane);
                l.select(wraps, none, source)
            }
            Moves::Rotate => {
                let sum = l.iadd(lane, by);
                let within = l.int_like(lane, i64::from(cluster - 1));
                let around = l.int_like(lane, i64::from(!(cluster - 1)));
                let (low, high) = (l.band(sum, within), l.band(lane, around));
                l.bor(high, low)
            }
            Moves::QuadBroadcast => {
                let quad = l.int_like(lane, i64::from(!(QUAD - 1)));
                let quad = l.band(lane, quad);
                let sum = l.bor(quad, by);
                let limit = l.int_like(by, i64::from(QUAD));
                let inside = l.icmp(IntCC::UnsignedLessThan, by, limit);
                let none = l.int_like(by, -1);
                l.select(inside, sum, none)
            }
            Moves::QuadSwap => {
                let bits = l.add_const(by, 1);
                let source = l.bxor(lane, bits);
                let limit = l.int_like(by, i64::from(QUAD - 1));
                let inside = l.icmp(IntCC::UnsignedLessThan, by, limit);
                let none = l.int_like(by, -1);
                l.select(inside, source, none)
            }
        }
    }
}

impl Emitter<'_> {
    /// Quads need as many lanes.
    pub(super) fn check_quads(&self, call: &Call<'_>) -> Result<()> {
        if self.width.subgroup >= QUAD {
            return Ok(());
        }
        Err(self.unsupported(call.loc, call.inst.opcode, "quads need a subgroup size of at least 4: ask for one"))
    }

    /// A value a lane from other lanes.
    pub(super) fn move_lanes(&mut self, moves: Moves, call: &Call<'_>) -> Result<Comps> {
        let operands = self.operand_as_result(call, 0)?;
        let w = self.width.subgroup;
        if moves.in_quads() {
            self.check_quads(call)?;
        }
        let cluster = match (moves, call.args.len()) {
            (Moves::Rotate, 3..) => match self.known_operand(call, 2) {
                Some(size) if size.is_power_of_two() => size.min(w),
                _ => {
                    let what = "the size of its clusters is not a constant power of two";
                    return Err(self.misfit(call.inst, call.loc, what));
                }
            },
            _ => w,
        };
        let by = self.number_operand(call, 1)?;
        if let (Moves::Shuffle, Comp::Uniform(number)) = (moves, &by) {
            // All lanes get the same.
            return Ok(operands.iter().map(|(comp, s)| Comp::Uniform(self.value_of(comp, *s, *number))).collect());
        }
        let known = self.known_operand(call, 1);
        let from: Option<Chunks> = match known {
            Some(_) => None,
            None => {
                let by = self.chunks(&by, Scalar::U32);
                let source = |e: &mut Self, (k, &by): (usize, &clif::Value)| {
                    let lane = e.by_lane(k, |lane| lane);
                    moves.source_of(&mut e.legal, lane, by, cluster)
                };
                Some(by.iter().enumerate().map(|by| source(self, by)).collect())
            }
        };
        let mut results = Comps::new();
        for (comp, scalar) in operands {
            let chunks = self.chunks(&comp, scalar);
            let chunks = self.active_or_zero(&chunks, scalar);
            results.push(Comp::Varying(match (&from, known) {
                (Some(from), _) => self.pick(&chunks, scalar, from),
                (None, by) => self.move_by(&chunks, scalar, |lane| moves.source(lane, by.unwrap_or(0), cluster)),
            }));
        }
        Ok(results)
    }

    /// Lanes moved by a pattern, 0 where it has no source.
    pub(super) fn move_by(&mut self, chunks: &Chunks, scalar: Scalar, source: impl Fn(u32) -> Option<u32>) -> Chunks {
        let ty = self.chunk_type(scalar);
        let zero = self.legal.lane_bits(ty, 0);
        self.permute(chunks, scalar, source, zero)
    }

    /// The value of the first active lane.
    pub(super) fn broadcast_first(&mut self, call: &Call<'_>) -> Result<Comps> {
        let operands = self.operand_as_result(call, 0)?;
        let mut first = None;
        let comps = operands.iter().map(|(comp, scalar)| match comp {
            Comp::Uniform(value) => Comp::Uniform(*value),
            comp => {
                let first = *first.get_or_insert_with(|| self.first_active());
                let chunks = self.chunks(comp, *scalar);
                Comp::Uniform(self.at_number(&chunks, *scalar, first))
            }
        });
        Ok(comps.collect())
    }

    /// The value of the lane with a number, which is the same in all active lanes: the first one's counts.
    pub(super) fn broadcast_lane(&mut self, call: &Call<'_>) -> Result<Comps> {
        let operands = self.operand_as_result(call, 0)?;
        let number = match self.number_operand(call, 1)? {
            Comp::Uniform(number) => number,
            varying => {
                let first = self.first_active();
                let chunks = self.chunks(&varying, Scalar::U32);
                self.at_number(&chunks, Scalar::U32, first)
            }
        };
        Ok(operands.iter().map(|(comp, scalar)| Comp::Uniform(self.value_of(comp, *scalar, number))).collect())
    }

    /// What the lane with a number has; 0 where it is off or none.
    fn value_of(&mut self, comp: &Comp, scalar: Scalar, number: clif::Value) -> clif::Value {
        let w = self.width.subgroup;
        let known = self.legal.as_const(number).map(|n| n as u32);
        if let (Comp::Uniform(value), Some(lane), true) = (comp, known, self.exec.full)
            && lane < w
        {
            return *value;
        }
        let zero = self.legal.lane_bits(Legal::scalar_type(scalar), 0);
        if known.is_some_and(|lane| lane >= w) {
            return zero;
        }
        let chunks = self.chunks(comp, scalar);
        let chunks = self.active_or_zero(&chunks, scalar);
        if let Some(lane) = known {
            return self.at_lane(&chunks, scalar, lane);
        }
        let last = self.legal.int_like(number, i64::from(w) - 1);
        let lane = self.legal.band(number, last);
        let value = self.at_number(&chunks, scalar, lane);
        let inside = self.legal.icmp(IntCC::UnsignedLessThanOrEqual, number, last);
        self.legal.select(inside, value, zero)
    }
}
