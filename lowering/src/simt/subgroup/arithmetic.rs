//! Reductions and scans (SPIR-V specification, "OpGroupNonUniformIAdd" and what follows, "Group Operation").
//!
//! In: a value a lane. Out: of a reduction one scalar, of others a value a lane. Lanes that are off hold the operation's
//! identity.
//!
//! A reduction joins the lower half of the lanes with the upper half until one is left: chunk with chunk, then within the
//! chunk. In clusters the same, within each. A scan goes by blocks of four lanes: in two steps within each block, and what
//! the blocks before have is added block by block. So the order in which floats are joined depends on the subgroup size
//! only: it is the same for chunks of one lane and of four, at every level of optimisation and on every target.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::value::{Chunks, Comp, Comps};
use super::Call;
use crate::Result;
use crate::ir::Scalar;
use cranelift_codegen::ir as clif;
use spirv::GroupOperation;

/// Lanes of a block of a scan.
const BLOCK: u32 = 4;

/// What an operation works on, and how it reads narrow integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// Integers, whatever their sign.
    Bits,
    Signed,
    Unsigned,
    Floats,
    Booleans,
}

/// What joined with a value gives the value.
#[derive(Clone, Copy)]
enum Identity {
    Zero,
    One,
    Ones,
    /// The largest and the least number that the type has.
    Most,
    Least,
    /// Zero; of sums that begin with nothing it is +0, otherwise -0, which leaves every number as it is.
    NoSum,
}

/// An operation that joins two values.
pub(super) struct Arithmetic {
    join: fn(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
    on: On,
    identity: Identity,
    /// Joining a value with itself gives the value.
    keeps: bool,
}

const fn row(
    join: fn(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
    on: On,
    identity: Identity,
    keeps: bool,
) -> Arithmetic {
    Arithmetic { join, on, identity, keeps }
}

pub(super) static IADD: Arithmetic = row(|l, a, b| l.iadd(a, b), On::Bits, Identity::Zero, false);
pub(super) static FADD: Arithmetic = row(|l, a, b| l.fadd(a, b), On::Floats, Identity::NoSum, false);
pub(super) static IMUL: Arithmetic = row(|l, a, b| l.imul(a, b), On::Bits, Identity::One, false);
pub(super) static FMUL: Arithmetic = row(|l, a, b| l.fmul(a, b), On::Floats, Identity::One, false);
pub(super) static SMIN: Arithmetic = row(|l, a, b| l.smin(a, b), On::Signed, Identity::Most, true);
pub(super) static UMIN: Arithmetic = row(|l, a, b| l.umin(a, b), On::Unsigned, Identity::Most, true);
pub(super) static FMIN: Arithmetic = row(|l, a, b| l.nmin(a, b), On::Floats, Identity::Most, true);
pub(super) static SMAX: Arithmetic = row(|l, a, b| l.smax(a, b), On::Signed, Identity::Least, true);
pub(super) static UMAX: Arithmetic = row(|l, a, b| l.umax(a, b), On::Unsigned, Identity::Least, true);
pub(super) static FMAX: Arithmetic = row(|l, a, b| l.nmax(a, b), On::Floats, Identity::Least, true);
pub(super) static AND: Arithmetic = row(|l, a, b| l.band(a, b), On::Bits, Identity::Ones, true);
pub(super) static OR: Arithmetic = row(|l, a, b| l.bor(a, b), On::Bits, Identity::Zero, true);
pub(super) static XOR: Arithmetic = row(|l, a, b| l.bxor(a, b), On::Bits, Identity::Zero, false);
pub(super) static LOGICAL_AND: Arithmetic = row(|l, a, b| l.bool_and(a, b), On::Booleans, Identity::Ones, true);
pub(super) static LOGICAL_OR: Arithmetic = row(|l, a, b| l.bool_or(a, b), On::Booleans, Identity::Zero, true);
pub(super) static LOGICAL_XOR: Arithmetic = row(|l, a, b| l.bool_ne(a, b), On::Booleans, Identity::Zero, false);

impl Arithmetic {
    fn is_for(&self, scalar: Scalar) -> bool {
        match self.on {
            On::Bits | On::Signed | On::Unsigned => scalar.is_int(),
            On::Floats => scalar.is_float(),
            On::Booleans => scalar == Scalar::Bool,
        }
    }

    /// The identity as a chunk of `scalar`. `first`: what a scan begins with.
    fn identity(&self, l: &mut Legal<'_>, scalar: Scalar, ty: clif::Type, first: bool) -> clif::Value {
        let width = scalar.bits();
        let ones = u64::MAX >> (64 - width.clamp(1, 64));
        let signed = self.on == On::Signed;
        if self.on == On::Floats {
            let number = match self.identity {
                Identity::NoSum => {
                    if first {
                        0.0
                    } else {
                        -0.0
                    }
                }
                Identity::Most => f64::INFINITY,
                Identity::Least => f64::NEG_INFINITY,
                Identity::One => 1.0,
                Identity::Zero | Identity::Ones => 0.0,
            };
            return l.float(ty, number);
        }
        let bits = match self.identity {
            Identity::Zero | Identity::NoSum => 0,
            Identity::One => 1,
            Identity::Ones if self.on == On::Booleans && !ty.is_vector() => 1,
            Identity::Ones => u64::MAX,
            Identity::Most if signed => ones >> 1,
            Identity::Most => ones,
            Identity::Least if signed => !(ones >> 1),
            Identity::Least => 0,
        };
        l.lane_bits(ty, bits)
    }
}

impl Emitter<'_> {
    /// A reduction or a scan of each component.
    pub(super) fn group_arithmetic(&mut self, arithmetic: &Arithmetic, call: &Call<'_>) -> Result<Comps> {
        let operands = self.operand_as_result(call, 0)?;
        if let Some((_, scalar)) = operands.iter().find(|(_, scalar)| !arithmetic.is_for(*scalar)) {
            return Err(self.misfit(call.inst, call.loc, format!("it is not for components like {scalar:?}")));
        }
        let operation = call.inst.literals.first().copied().and_then(GroupOperation::from_u32);
        let w = self.width.subgroup;
        let cluster = match operation {
            Some(GroupOperation::ClusteredReduce) => match self.known_operand(call, 1) {
                Some(size) if size.is_power_of_two() => Some(size.min(w)),
                _ => {
                    let what = "the size of its clusters is not a constant power of two";
                    return Err(self.misfit(call.inst, call.loc, what));
                }
            },
            Some(GroupOperation::Reduce) => Some(w),
            Some(GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan) => None,
            _ => return Err(self.unsupported(call.loc, call.inst.opcode, "this group operation is not done")),
        };
        let exclusive = operation == Some(GroupOperation::ExclusiveScan);
        let comps = operands.iter().map(|(comp, scalar)| match cluster {
            Some(size) if size == w => self.reduce_subgroup(arithmetic, comp, *scalar),
            Some(size) => {
                let chunks = self.contributions(arithmetic, comp, *scalar);
                let chunks = self.reduce_clusters(arithmetic, chunks, *scalar, size);
                Comp::Varying(self.as_held(arithmetic, chunks, *scalar))
            }
            None => {
                let chunks = self.contributions(arithmetic, comp, *scalar);
                let chunks = self.scan(arithmetic, chunks, *scalar, exclusive);
                Comp::Varying(self.as_held(arithmetic, chunks, *scalar))
            }
        });
        Ok(comps.collect())
    }

    /// The chunks as the operation reads them, with its identity where lanes are off.
    fn contributions(&mut self, arithmetic: &Arithmetic, comp: &Comp, scalar: Scalar) -> Chunks {
        let mut chunks = self.chunks(comp, scalar);
        let signed = match arithmetic.on {
            On::Signed => Some(true),
            On::Unsigned => Some(false),
            _ => None,
        };
        if let Some(signed) = signed {
            chunks = chunks.iter().map(|&v| self.legal.read_int(v, scalar, signed)).collect();
        }
        let ty = self.chunk_type(scalar);
        let identity = arithmetic.identity(&mut self.legal, scalar, ty, false);
        self.active_or(&chunks, scalar, identity)
    }

    /// Results as their type is held.
    fn as_held(&mut self, arithmetic: &Arithmetic, chunks: Chunks, scalar: Scalar) -> Chunks {
        match scalar {
            Scalar::Int { width: 8 | 16, .. } => chunks.iter().map(|&v| self.legal.wrap_int(v, scalar)).collect(),
            Scalar::Float(16) if !arithmetic.keeps => chunks.iter().map(|&v| self.legal.round_to_half(v)).collect(),
            _ => chunks,
        }
    }

    /// One value of all active lanes.
    fn reduce_subgroup(&mut self, arithmetic: &Arithmetic, comp: &Comp, scalar: Scalar) -> Comp {
        if let (Comp::Uniform(value), true) = (comp, arithmetic.keeps) {
            return Comp::Uniform(*value);
        }
        if let (Comp::Uniform(value), true) = (comp, std::ptr::eq(arithmetic, &IADD)) {
            let count = self.active_count();
            let count = match scalar.bits() {
                64 => self.legal.widen_ints(&[count], false)[0],
                _ => count,
            };
            let sum = self.legal.imul(*value, count);
            return Comp::Uniform(self.legal.wrap_int(sum, scalar));
        }
        let mut chunks = self.contributions(arithmetic, comp, scalar);
        while chunks.len() > 1 {
            let (low, high) = chunks.split_at(chunks.len() / 2);
            chunks = low.iter().zip(high).map(|(&a, &b)| (arithmetic.join)(&mut self.legal, a, b)).collect();
        }
        let mut value = chunks[0];
        let lanes = self.width.lanes(scalar);
        let mut step = lanes / 2;
        while step > 0 {
            let pattern: Vec<u8> = (0..lanes).map(|lane| ((lane + step) % lanes) as u8).collect();
            let upper = self.legal.shuffle_lanes(value, value, &pattern);
            value = (arithmetic.join)(&mut self.legal, value, upper);
            step /= 2;
        }
        let value = self.as_held(arithmetic, [value].into_iter().collect(), scalar)[0];
        Comp::Uniform(match scalar {
            Scalar::Bool => self.legal.mask_lane(value, 0),
            _ => self.legal.extract(value, 0),
        })
    }

    /// The value of all active lanes of each cluster of `size` lanes, fewer than all.
    pub(super) fn reduce_clusters(
        &mut self,
        arithmetic: &Arithmetic,
        mut chunks: Chunks,
        scalar: Scalar,
        size: u32,
    ) -> Chunks {
        let lanes = self.width.lanes(scalar);
        let mut step = size / 2;
        while step > 0 {
            if step >= lanes {
                let apart = (step / lanes) as usize;
                for low in (0..chunks.len()).filter(|k| k & apart == 0) {
                    let joined = (arithmetic.join)(&mut self.legal, chunks[low], chunks[low + apart]);
                    chunks[low] = joined;
                    chunks[low + apart] = joined;
                }
            } else {
                // Both lanes of a pair join the lower with the upper, so that they have the same bits.
                for chunk in &mut chunks {
                    let lower: Vec<u8> = (0..lanes).map(|lane| (lane & !step) as u8).collect();
                    let upper: Vec<u8> = (0..lanes).map(|lane| (lane | step) as u8).collect();
                    let lower = self.legal.shuffle_lanes(*chunk, *chunk, &lower);
                    let upper = self.legal.shuffle_lanes(*chunk, *chunk, &upper);
                    *chunk = (arithmetic.join)(&mut self.legal, lower, upper);
                }
            }
            step /= 2;
        }
        chunks
    }

    /// The value of all active lanes up to each, or before it.
    fn scan(&mut self, arithmetic: &Arithmetic, mut chunks: Chunks, scalar: Scalar, exclusive: bool) -> Chunks {
        let ty = self.chunk_type(scalar);
        if exclusive {
            let first = arithmetic.identity(&mut self.legal, scalar, ty, true);
            chunks = self.permute(&chunks, scalar, |lane| lane.checked_sub(1), first);
        }
        let identity = arithmetic.identity(&mut self.legal, scalar, ty, false);
        let w = self.width.subgroup;
        for step in [1, 2].into_iter().filter(|&step| step < w) {
            let before = |lane: u32| (lane % BLOCK >= step).then(|| lane - step);
            let earlier = self.permute(&chunks, scalar, before, identity);
            chunks = earlier.iter().zip(&chunks).map(|(&a, &b)| (arithmetic.join)(&mut self.legal, a, b)).collect();
        }
        let lanes = self.width.lanes(scalar);
        let each = (BLOCK / lanes) as usize;
        for first in (each..chunks.len()).step_by(each) {
            let before = chunks[first - 1];
            let last = vec![lanes as u8 - 1; lanes as usize];
            let carried = self.legal.shuffle_lanes(before, before, &last);
            for chunk in &mut chunks[first..first + each] {
                *chunk = (arithmetic.join)(&mut self.legal, carried, *chunk);
            }
        }
        chunks
    }
}
