//! Types of subgroup operations: a signature for each (SPIR-V specification, "Non-Uniform Instructions"; SPV_AMD_shader_ballot).

use super::{Class, Typed};
use crate::ir::{Scalar, Type, TypeId};
use spirv::{Op, SpvAmdShaderBallotOp as Amd};

/// An operand.
#[derive(Clone, Copy)]
enum Part {
    /// Of the result's type, a scalar or a vector of this kind.
    Value(Class),
    /// A scalar or a vector.
    Any,
    /// One boolean.
    Condition,
    /// One integer.
    Number,
    /// A set of lanes: four 32-bit integers.
    Set,
    /// Vector of so many constant integers.
    Pattern(u32),
    /// One 64-bit integer.
    Wide,
}

/// A result.
#[derive(Clone, Copy)]
enum Gives {
    Value,
    Condition,
    Number,
    Set,
}

/// What an instruction takes and gives. After the operands a cluster's size may follow.
pub(super) struct Signature {
    scope: bool,
    operands: &'static [Part],
    gives: Gives,
}

const fn scoped(operands: &'static [Part], gives: Gives) -> Signature {
    Signature { scope: true, operands, gives }
}

const fn bare(operands: &'static [Part], gives: Gives) -> Signature {
    Signature { scope: false, operands, gives }
}

const ANY: Part = Part::Value(Class::Any);

const CORE: &[(&[Op], Signature)] = &[
    (&[Op::GroupNonUniformElect], scoped(&[], Gives::Condition)),
    (&[Op::GroupNonUniformAll, Op::GroupNonUniformAny], scoped(&[Part::Condition], Gives::Condition)),
    (&[Op::GroupNonUniformAllEqual], scoped(&[Part::Any], Gives::Condition)),
    (&[Op::GroupNonUniformBallot], scoped(&[Part::Condition], Gives::Set)),
    (&[Op::GroupNonUniformInverseBallot], scoped(&[Part::Set], Gives::Condition)),
    (&[Op::GroupNonUniformBallotBitExtract], scoped(&[Part::Set, Part::Number], Gives::Condition)),
    (&[Op::GroupNonUniformBallotBitCount], scoped(&[Part::Set], Gives::Number)),
    (&[Op::GroupNonUniformBallotFindLSB, Op::GroupNonUniformBallotFindMSB], scoped(&[Part::Set], Gives::Number)),
    (&[Op::GroupNonUniformBroadcastFirst], scoped(&[ANY], Gives::Value)),
    (
        &[
            Op::GroupNonUniformBroadcast,
            Op::GroupNonUniformShuffle,
            Op::GroupNonUniformShuffleXor,
            Op::GroupNonUniformShuffleUp,
            Op::GroupNonUniformShuffleDown,
            Op::GroupNonUniformRotateKHR,
            Op::GroupNonUniformQuadBroadcast,
            Op::GroupNonUniformQuadSwap,
        ],
        scoped(&[ANY, Part::Number], Gives::Value),
    ),
    (
        &[
            Op::GroupNonUniformIAdd,
            Op::GroupNonUniformIMul,
            Op::GroupNonUniformSMin,
            Op::GroupNonUniformUMin,
            Op::GroupNonUniformSMax,
            Op::GroupNonUniformUMax,
            Op::GroupNonUniformBitwiseAnd,
            Op::GroupNonUniformBitwiseOr,
            Op::GroupNonUniformBitwiseXor,
            Op::GroupIAddNonUniformAMD,
            Op::GroupSMinNonUniformAMD,
            Op::GroupUMinNonUniformAMD,
            Op::GroupSMaxNonUniformAMD,
            Op::GroupUMaxNonUniformAMD,
        ],
        scoped(&[Part::Value(Class::Int)], Gives::Value),
    ),
    (
        &[
            Op::GroupNonUniformFAdd,
            Op::GroupNonUniformFMul,
            Op::GroupNonUniformFMin,
            Op::GroupNonUniformFMax,
            Op::GroupFAddNonUniformAMD,
            Op::GroupFMinNonUniformAMD,
            Op::GroupFMaxNonUniformAMD,
        ],
        scoped(&[Part::Value(Class::Float)], Gives::Value),
    ),
    (
        &[Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalXor],
        scoped(&[Part::Value(Class::Bool)], Gives::Value),
    ),
    (&[Op::GroupNonUniformQuadAllKHR, Op::GroupNonUniformQuadAnyKHR], bare(&[Part::Condition], Gives::Condition)),
    (&[Op::SubgroupAllKHR, Op::SubgroupAnyKHR, Op::SubgroupAllEqualKHR], bare(&[Part::Condition], Gives::Condition)),
    (&[Op::SubgroupBallotKHR], bare(&[Part::Condition], Gives::Set)),
    (&[Op::SubgroupFirstInvocationKHR], bare(&[ANY], Gives::Value)),
    (&[Op::SubgroupReadInvocationKHR], bare(&[ANY, Part::Number], Gives::Value)),
];

const AMD: &[(&[Amd], Signature)] = &[
    (&[Amd::SwizzleInvocationsAMD], bare(&[ANY, Part::Pattern(4)], Gives::Value)),
    (&[Amd::SwizzleInvocationsMaskedAMD], bare(&[ANY, Part::Pattern(3)], Gives::Value)),
    (&[Amd::WriteInvocationAMD], bare(&[ANY, ANY, Part::Number], Gives::Value)),
    (&[Amd::MbcntAMD], bare(&[Part::Wide], Gives::Number)),
];

/// The signature of an instruction of the core.
pub(super) fn core(op: Op) -> Option<&'static Signature> {
    CORE.iter().find(|(ops, _)| ops.contains(&op)).map(|row| &row.1)
}

/// The signature of an instruction of AMD's set.
pub(super) fn amd(op: Amd) -> Option<&'static Signature> {
    AMD.iter().find(|(ops, _)| ops.contains(&op)).map(|row| &row.1)
}

impl Signature {
    /// Does an instruction have it? `None` where an operand is no scalar or vector.
    pub(super) fn fits(&self, inst: &Typed<'_>) -> Option<bool> {
        let first = usize::from(self.scope);
        let scope = !self.scope || inst.constant(0).is_some();
        let end = first + self.operands.len();
        let cluster = match inst.operands.len().checked_sub(end)? {
            0 => true,
            1 => inst.constant(end).is_some(),
            _ => false,
        };
        let result = inst.result?;
        let mut fits = scope && cluster && self.gives.fits(inst, result)?;
        for (i, part) in (first..).zip(self.operands) {
            fits &= part.fits(inst, i, result)?;
        }
        Some(fits)
    }
}

impl Part {
    fn fits(self, inst: &Typed<'_>, index: usize, result: TypeId) -> Option<bool> {
        let (scalar, count) = inst.shape(index)?;
        Some(match self {
            Part::Value(class) => inst.ty(index) == Some(result) && class.holds(scalar),
            Part::Any => true,
            Part::Condition => (scalar, count) == (Scalar::Bool, 1),
            Part::Number => scalar.is_int() && count == 1,
            Part::Set => scalar.is_int() && scalar.bits() == 32 && count == 4,
            Part::Pattern(wanted) => {
                let constant = inst.operands.get(index).is_some_and(|&v| inst.function.as_const(v).is_some());
                constant && scalar.is_int() && count == wanted
            }
            Part::Wide => scalar.is_int() && scalar.bits() == 64 && count == 1,
        })
    }
}

impl Gives {
    fn fits(self, inst: &Typed<'_>, result: TypeId) -> Option<bool> {
        let (scalar, count) = inst.module.types.components(result)?;
        let word = scalar.is_int() && scalar.bits() == 32;
        Some(match self {
            Gives::Value => !matches!(inst.module.types[result], Type::Matrix { .. }),
            Gives::Condition => (scalar, count) == (Scalar::Bool, 1),
            Gives::Number => word && count == 1,
            Gives::Set => word && count == 4,
        })
    }
}
