//! Subgroup operations: what an invocation computes with the values of others (SPIR-V specification, "Non-Uniform
//! Instructions", and the extensions KHR_shader_ballot, KHR_subgroup_vote, KHR_subgroup_rotate, KHR_quad_control).
//!
//! In: an instruction of the family, under the execution mask. Out: the components of its result. Only lanes of the mask
//! take part; a value that would come from a lane that is off, or from none, is 0.
//!
//! All of it is code on chunks: lanes move by shuffles with constant patterns where the distance is a constant, by
//! permutations of bytes where it is not, and through memory only where that is shorter. Lanes that are off count as the
//! identity of a reduction, so that nothing branches. What is the same in all lanes by its meaning (votes, ballots,
//! reductions, broadcasts) is one scalar, as the analysis says, and branches on it are branches.
//!
//! One file a family: [`vote`], [`ballot`], [`arithmetic`] (reductions and scans), [`shuffle`] (with quads and rotations),
//! [`amd`]; [`lanes`] moves lanes for all of them.

mod amd;
mod arithmetic;
mod ballot;
mod lanes;
mod shuffle;
mod vote;

use super::emit::Emitter;
use super::legal::Conversion;
use super::value::{Comp, Comps, Lanes};
use crate::analysis::shape::Shape;
use crate::ir::{Inst, Loc, Opcode, Scalar, Value};
use crate::ops::required_operands;
use crate::{Error, Result};
use spirv::{Op, Scope};

use arithmetic::Arithmetic;
use ballot::Ballots;
use shuffle::Moves;
use vote::Vote;

/// What an instruction does.
#[derive(Clone, Copy)]
enum Kind {
    Elect,
    Vote(Vote),
    AllEqual,
    Broadcast,
    First,
    Ballot(Ballots),
    Arithmetic(&'static Arithmetic),
    Move(Moves),
    QuadVote(Vote),
}

/// An instruction of the family that is done.
struct Known {
    op: Op,
    kind: Kind,
    /// The first operand is the scope.
    scope: bool,
}

const fn scoped(op: Op, kind: Kind) -> Known {
    Known { op, kind, scope: true }
}

const fn bare(op: Op, kind: Kind) -> Known {
    Known { op, kind, scope: false }
}

const KNOWN: &[Known] = &[
    scoped(Op::GroupNonUniformElect, Kind::Elect),
    scoped(Op::GroupNonUniformAll, Kind::Vote(Vote::All)),
    scoped(Op::GroupNonUniformAny, Kind::Vote(Vote::Any)),
    scoped(Op::GroupNonUniformAllEqual, Kind::AllEqual),
    scoped(Op::GroupNonUniformBroadcast, Kind::Broadcast),
    scoped(Op::GroupNonUniformBroadcastFirst, Kind::First),
    scoped(Op::GroupNonUniformBallot, Kind::Ballot(Ballots::Take)),
    scoped(Op::GroupNonUniformInverseBallot, Kind::Ballot(Ballots::Inverse)),
    scoped(Op::GroupNonUniformBallotBitExtract, Kind::Ballot(Ballots::Extract)),
    scoped(Op::GroupNonUniformBallotBitCount, Kind::Ballot(Ballots::Count)),
    scoped(Op::GroupNonUniformBallotFindLSB, Kind::Ballot(Ballots::Lowest)),
    scoped(Op::GroupNonUniformBallotFindMSB, Kind::Ballot(Ballots::Highest)),
    scoped(Op::GroupNonUniformShuffle, Kind::Move(Moves::Shuffle)),
    scoped(Op::GroupNonUniformShuffleXor, Kind::Move(Moves::Xor)),
    scoped(Op::GroupNonUniformShuffleUp, Kind::Move(Moves::Up)),
    scoped(Op::GroupNonUniformShuffleDown, Kind::Move(Moves::Down)),
    scoped(Op::GroupNonUniformRotateKHR, Kind::Move(Moves::Rotate)),
    scoped(Op::GroupNonUniformQuadBroadcast, Kind::Move(Moves::QuadBroadcast)),
    scoped(Op::GroupNonUniformQuadSwap, Kind::Move(Moves::QuadSwap)),
    scoped(Op::GroupNonUniformIAdd, Kind::Arithmetic(&arithmetic::IADD)),
    scoped(Op::GroupNonUniformFAdd, Kind::Arithmetic(&arithmetic::FADD)),
    scoped(Op::GroupNonUniformIMul, Kind::Arithmetic(&arithmetic::IMUL)),
    scoped(Op::GroupNonUniformFMul, Kind::Arithmetic(&arithmetic::FMUL)),
    scoped(Op::GroupNonUniformSMin, Kind::Arithmetic(&arithmetic::SMIN)),
    scoped(Op::GroupNonUniformUMin, Kind::Arithmetic(&arithmetic::UMIN)),
    scoped(Op::GroupNonUniformFMin, Kind::Arithmetic(&arithmetic::FMIN)),
    scoped(Op::GroupNonUniformSMax, Kind::Arithmetic(&arithmetic::SMAX)),
    scoped(Op::GroupNonUniformUMax, Kind::Arithmetic(&arithmetic::UMAX)),
    scoped(Op::GroupNonUniformFMax, Kind::Arithmetic(&arithmetic::FMAX)),
    scoped(Op::GroupNonUniformBitwiseAnd, Kind::Arithmetic(&arithmetic::AND)),
    scoped(Op::GroupNonUniformBitwiseOr, Kind::Arithmetic(&arithmetic::OR)),
    scoped(Op::GroupNonUniformBitwiseXor, Kind::Arithmetic(&arithmetic::XOR)),
    scoped(Op::GroupNonUniformLogicalAnd, Kind::Arithmetic(&arithmetic::LOGICAL_AND)),
    scoped(Op::GroupNonUniformLogicalOr, Kind::Arithmetic(&arithmetic::LOGICAL_OR)),
    scoped(Op::GroupNonUniformLogicalXor, Kind::Arithmetic(&arithmetic::LOGICAL_XOR)),
    scoped(Op::GroupIAddNonUniformAMD, Kind::Arithmetic(&arithmetic::IADD)),
    scoped(Op::GroupFAddNonUniformAMD, Kind::Arithmetic(&arithmetic::FADD)),
    scoped(Op::GroupSMinNonUniformAMD, Kind::Arithmetic(&arithmetic::SMIN)),
    scoped(Op::GroupUMinNonUniformAMD, Kind::Arithmetic(&arithmetic::UMIN)),
    scoped(Op::GroupFMinNonUniformAMD, Kind::Arithmetic(&arithmetic::FMIN)),
    scoped(Op::GroupSMaxNonUniformAMD, Kind::Arithmetic(&arithmetic::SMAX)),
    scoped(Op::GroupUMaxNonUniformAMD, Kind::Arithmetic(&arithmetic::UMAX)),
    scoped(Op::GroupFMaxNonUniformAMD, Kind::Arithmetic(&arithmetic::FMAX)),
    bare(Op::SubgroupBallotKHR, Kind::Ballot(Ballots::Take)),
    bare(Op::SubgroupFirstInvocationKHR, Kind::First),
    bare(Op::SubgroupReadInvocationKHR, Kind::Broadcast),
    bare(Op::SubgroupAllKHR, Kind::Vote(Vote::All)),
    bare(Op::SubgroupAnyKHR, Kind::Vote(Vote::Any)),
    bare(Op::SubgroupAllEqualKHR, Kind::Vote(Vote::Equal)),
    bare(Op::GroupNonUniformQuadAllKHR, Kind::QuadVote(Vote::All)),
    bare(Op::GroupNonUniformQuadAnyKHR, Kind::QuadVote(Vote::Any)),
];

/// An instruction while it is emitted: its operands without the scope, and where errors are.
struct Call<'i> {
    inst: &'i Inst,
    args: &'i [Value],
    /// Scalars of the result's leaves.
    results: &'i [Scalar],
    loc: Loc,
}

impl Emitter<'_> {
    /// A subgroup operation.
    pub(super) fn subgroup(&mut self, inst: &Inst, result: Value, loc: Loc) -> Result<Comps> {
        let results = self.scalars(self.type_of(result))?;
        let needed = required_operands(inst.opcode);
        if inst.operands.len() < needed {
            let what = format!("needs {needed} operands and has {}", inst.operands.len());
            return Err(self.misfit(inst, loc, what));
        }
        let mut call = Call { inst, args: &inst.operands, results: &results, loc };
        let comps = match inst.opcode {
            Opcode::ShaderBallot(op) => self.amd_ballot(op, &call)?,
            Opcode::Core(op) => {
                let known = KNOWN.iter().find(|known| known.op == op);
                let known = known.ok_or_else(|| self.unsupported(loc, inst.opcode, "it is not lowered here"))?;
                if known.scope {
                    self.check_scope(inst, loc)?;
                    call.args = &inst.operands[1..];
                }
                self.subgroup_kind(known.kind, &call)?
            }
            _ => return Err(self.unsupported(loc, inst.opcode, "it is not lowered here")),
        };
        // What the analysis calls varying is held so.
        let shapes = self.table.shapes(result);
        let uniform: Vec<bool> = shapes.iter().map(|s| matches!(s, Shape::Uniform(_))).collect();
        let held = comps.into_iter().enumerate().map(|(i, comp)| match (uniform.get(i), results.get(i)) {
            (Some(false), Some(&scalar)) => Comp::Varying(self.chunks(&comp, scalar)),
            _ => comp,
        });
        Ok(held.collect())
    }

    fn subgroup_kind(&mut self, kind: Kind, call: &Call<'_>) -> Result<Comps> {
        match kind {
            Kind::Elect => self.elect(call),
            Kind::Vote(vote) => self.vote(vote, call),
            Kind::AllEqual => self.all_equal(call),
            Kind::Broadcast => self.broadcast_lane(call),
            Kind::First => self.broadcast_first(call),
            Kind::Ballot(ballot) => self.ballot(ballot, call),
            Kind::Arithmetic(arithmetic) => self.group_arithmetic(arithmetic, call),
            Kind::Move(moves) => self.move_lanes(moves, call),
            Kind::QuadVote(vote) => self.quad_vote(vote, call),
        }
    }

    fn misfit(&self, inst: &Inst, loc: Loc, what: impl std::fmt::Display) -> Error {
        Error::InvalidSpirv { place: self.place(loc), what: format!("{}: {what}", inst.opcode) }
    }

    /// The scope must be the subgroup.
    fn check_scope(&self, inst: &Inst, loc: Loc) -> Result<()> {
        let scope = inst.operands.first().and_then(|&v| self.func.as_const(v)).and_then(|c| self.module.scalar_bits(c));
        if scope == Some(Scope::Subgroup as u64) {
            return Ok(());
        }
        Err(self.unsupported(loc, inst.opcode, "its scope must be the constant Subgroup"))
    }

    /// Operand `i`, with the scalars of its leaves.
    fn operand(&mut self, call: &Call<'_>, i: usize) -> Result<(Comps, Vec<Scalar>)> {
        let value = *call.args.get(i).ok_or_else(|| self.misfit(call.inst, call.loc, "an operand is missing"))?;
        if self.module.types.pointee(self.type_of(value)).is_some() {
            return Err(self.misfit(call.inst, call.loc, "an operand is a pointer"));
        }
        let scalars = self.scalars(self.type_of(value))?;
        Ok((self.comps(value)?, scalars.to_vec()))
    }

    /// Operand `i`, which has the result's type.
    fn operand_as_result(&mut self, call: &Call<'_>, i: usize) -> Result<Vec<(Comp, Scalar)>> {
        let (comps, scalars) = self.operand(call, i)?;
        let bits = |s: &Scalar| (s.bits(), s.is_float(), *s == Scalar::Bool);
        let alike = scalars.iter().map(bits).eq(call.results.iter().map(bits));
        if !alike || comps.len() != scalars.len() {
            return Err(self.misfit(call.inst, call.loc, "an operand has not the type of the result"));
        }
        Ok(comps.into_iter().zip(scalars).collect())
    }

    /// Operand `i`, which is one boolean.
    fn condition_operand(&mut self, call: &Call<'_>, i: usize) -> Result<Comp> {
        let (mut comps, scalars) = self.operand(call, i)?;
        match (&scalars[..], comps.pop()) {
            (&[Scalar::Bool], Some(comp)) => Ok(comp),
            _ => Err(self.misfit(call.inst, call.loc, "an operand is not a boolean")),
        }
    }

    /// Operand `i`, which is one integer, as an unsigned one of 32 bits.
    fn number_operand(&mut self, call: &Call<'_>, i: usize) -> Result<Comp> {
        let (mut comps, scalars) = self.operand(call, i)?;
        let (&[scalar @ Scalar::Int { .. }], Some(comp)) = (&scalars[..], comps.pop()) else {
            return Err(self.misfit(call.inst, call.loc, "an operand is not an integer"));
        };
        if scalar.bits() == 32 {
            return Ok(comp);
        }
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        Ok(lanes.convert(Conversion::Int { signed: false }, scalar, Scalar::U32, &comp))
    }

    /// The number that operand `i` is, where that is known.
    fn known_operand(&self, call: &Call<'_>, i: usize) -> Option<u32> {
        let id = self.func.as_const(*call.args.get(i)?)?;
        self.module.scalar_bits(id).map(|bits| u32::try_from(bits).unwrap_or(u32::MAX))
    }

    /// The result must be one boolean.
    fn check_boolean(&self, call: &Call<'_>) -> Result<()> {
        match call.results {
            [Scalar::Bool] => Ok(()),
            _ => Err(self.misfit(call.inst, call.loc, "the result is not a boolean")),
        }
    }
}
