//! Ballots: sets of lanes as bits of four words (SPIR-V specification, "OpGroupNonUniformBallot" to
//! "OpGroupNonUniformBallotFindMSB"), and the built-in variables that hold such sets.
//!
//! Bits from the subgroup size on are not looked at, and 0 in what is made here.

use super::super::emit::Emitter;
use super::super::value::{Chunks, Comp, Comps, Lanes};
use super::Call;
use crate::Result;
use crate::ir::{BuiltIn, Scalar};
use cranelift_codegen::ir::{self as clif, condcodes::IntCC, types};
use smallvec::smallvec;
use spirv::GroupOperation;

/// What is done with a set.
#[derive(Clone, Copy)]
pub(super) enum Ballots {
    /// The set of active lanes in which a condition holds.
    Take,
    /// Is this lane in it?
    Inverse,
    /// Is the lane with a number in it?
    Extract,
    /// How many lanes are, of all, up to this one, or before it?
    Count,
    /// The lowest lane in it.
    Lowest,
    /// The highest lane in it.
    Highest,
}

/// The set of all lanes of a subgroup.
fn everyone(w: u32) -> u64 {
    u64::MAX >> (64 - w)
}

/// The lanes before this one.
fn before(lane: u32) -> u64 {
    (1 << lane) - 1
}

/// A set that is a built-in variable.
fn built_in(builtin: BuiltIn, lane: u32, w: u32) -> Option<u64> {
    let own = 1u64 << lane;
    Some(match builtin {
        BuiltIn::SubgroupEqMask => own,
        BuiltIn::SubgroupGeMask => everyone(w) & !before(lane),
        BuiltIn::SubgroupGtMask => everyone(w) & !before(lane) & !own,
        BuiltIn::SubgroupLeMask => before(lane) | own,
        BuiltIn::SubgroupLtMask => before(lane),
        _ => return None,
    })
}

impl Emitter<'_> {
    /// The value of `gl_SubgroupEqMask` and its like; `None` for other variables.
    pub(in crate::simt) fn subgroup_mask(&mut self, builtin: BuiltIn) -> Option<Comps> {
        let w = self.width.subgroup;
        built_in(builtin, 0, w)?;
        let word = |e: &mut Self, word: u32| {
            let bits = |lane| (built_in(builtin, lane, w).unwrap_or(0) >> (32 * word)) as u32;
            Comp::Varying((0..e.mask_chunks()).map(|k| e.by_lane(k, bits)).collect())
        };
        let low = word(self, 0);
        let high = if w > 32 { word(self, 1) } else { self.no_lanes() };
        Some(smallvec![low, high, self.no_lanes(), self.no_lanes()])
    }

    fn no_lanes(&mut self) -> Comp {
        Comp::Uniform(self.legal.int(types::I32, 0))
    }

    /// An instruction on a set of lanes.
    pub(super) fn ballot(&mut self, ballot: Ballots, call: &Call<'_>) -> Result<Comps> {
        match ballot {
            Ballots::Take => self.take_ballot(call),
            Ballots::Inverse => self.is_in_set(call),
            Ballots::Extract => self.bit_of_set(call),
            Ballots::Count => self.count_set(call),
            Ballots::Lowest | Ballots::Highest => self.find_in_set(ballot, call),
        }
    }

    fn take_ballot(&mut self, call: &Call<'_>) -> Result<Comps> {
        let fits = call.results.len() == 4 && call.results.iter().all(|s| s.is_int() && s.bits() == 32);
        if !fits {
            return Err(self.misfit(call.inst, call.loc, "the result is not a vector of four 32-bit integers"));
        }
        let cond = self.condition_operand(call, 0)?;
        let mut mask = self.mask_of(&cond);
        if !self.exec.full {
            let exec = self.exec_mask();
            mask = self.mask_and(&mask, &exec);
        }
        let words = self.mask_words(&mask);
        let mut comps: Comps = words.into_iter().map(Comp::Uniform).collect();
        while comps.len() < 4 {
            let none = self.no_lanes();
            comps.push(none);
        }
        Ok(comps)
    }

    /// The words of the set that operand 0 is, as many as there are lanes for.
    fn set(&mut self, call: &Call<'_>) -> Result<Vec<Comp>> {
        let (comps, scalars) = self.operand(call, 0)?;
        if comps.len() != 4 || scalars.iter().any(|s| !s.is_int() || s.bits() != 32) {
            return Err(self.misfit(call.inst, call.loc, "its operand is not a vector of four 32-bit integers"));
        }
        Ok(comps.into_iter().take(self.width.subgroup.div_ceil(32) as usize).collect())
    }

    /// The word of the set that holds the lanes of chunk `k`.
    fn word_of_chunk(&mut self, set: &[Chunks], k: usize) -> clif::Value {
        set[k * self.width.chunk as usize / 32][k]
    }

    fn is_in_set(&mut self, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        let set = self.set(call)?;
        let set: Vec<Chunks> = set.iter().map(|word| self.chunks(word, Scalar::U32)).collect();
        let chunks = (0..self.mask_chunks()).map(|k| {
            let word = self.word_of_chunk(&set, k);
            let own = self.by_lane(k, |lane| 1 << (lane % 32));
            let bit = self.legal.band(word, own);
            self.legal.int_to_bool(bit)
        });
        Ok(smallvec![Comp::Varying(chunks.collect())])
    }

    fn bit_of_set(&mut self, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        let set = self.set(call)?;
        let index = self.number_operand(call, 1)?;
        let high = set.get(1).unwrap_or(&set[0]).clone();
        let two = set.len() == 2;
        let w = self.width.subgroup;
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        let args = [(&set[0], Scalar::U32), (&high, Scalar::U32), (&index, Scalar::U32)];
        let result = lanes.map(args, |l, [low, high, index]| {
            let all = l.int_like(index, i64::from(w));
            let inside = l.icmp(IntCC::UnsignedLessThan, index, all);
            let mut word = low;
            if two {
                let half = l.int_like(index, 32);
                let below = l.icmp(IntCC::UnsignedLessThan, index, half);
                word = l.select(below, low, high);
            }
            let bit = l.ushr(word, index);
            let one = l.int_like(bit, 1);
            let bit = l.band(bit, one);
            let bit = l.int_to_bool(bit);
            l.bool_and(inside, bit)
        });
        Ok(smallvec![result])
    }

    fn check_number(&self, call: &Call<'_>) -> Result<()> {
        match call.results {
            [Scalar::Int { width: 32, .. }] => Ok(()),
            _ => Err(self.misfit(call.inst, call.loc, "the result is not a 32-bit integer")),
        }
    }

    fn count_set(&mut self, call: &Call<'_>) -> Result<Comps> {
        self.check_number(call)?;
        let set = self.set(call)?;
        let w = self.width.subgroup;
        let counted: fn(u32) -> u64 = match call.inst.literals.first().copied().and_then(GroupOperation::from_u32) {
            Some(GroupOperation::Reduce) => return Ok(smallvec![self.count_words(&set, w)]),
            Some(GroupOperation::InclusiveScan) => |lane| before(lane) | 1 << lane,
            Some(GroupOperation::ExclusiveScan) => before,
            _ => return Err(self.misfit(call.inst, call.loc, "its group operation is none that counts")),
        };
        let set: Vec<Chunks> = set.iter().map(|word| self.chunks(word, Scalar::U32)).collect();
        let chunks = (0..self.mask_chunks()).map(|k| {
            let mut sum = None;
            for (n, word) in set.iter().enumerate() {
                // A word of lanes behind all of these.
                if 32 * n >= (k + 1) * self.width.chunk as usize {
                    continue;
                }
                let own = self.by_lane(k, |lane| (counted(lane) >> (32 * n)) as u32);
                let bits = self.legal.band(word[k], own);
                let count = self.legal.popcount(bits);
                sum = Some(match sum {
                    None => count,
                    Some(sum) => self.legal.iadd(sum, count),
                });
            }
            sum.unwrap_or_else(|| self.by_lane(k, |_| 0))
        });
        Ok(smallvec![Comp::Varying(chunks.collect())])
    }

    /// How many of the subgroup's lanes are in a set.
    fn count_words(&mut self, set: &[Comp], w: u32) -> Comp {
        let high = set.get(1).unwrap_or(&set[0]).clone();
        let two = set.len() == 2;
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        lanes.map([(&set[0], Scalar::U32), (&high, Scalar::U32)], |l, [low, high]| {
            if two {
                let (low, high) = (l.popcount(low), l.popcount(high));
                return l.iadd(low, high);
            }
            let bits = l.int_like(low, i64::from(everyone(w) as u32));
            let bits = l.band(low, bits);
            l.popcount(bits)
        })
    }

    fn find_in_set(&mut self, ballot: Ballots, call: &Call<'_>) -> Result<Comps> {
        self.check_number(call)?;
        let set = self.set(call)?;
        let lowest = matches!(ballot, Ballots::Lowest);
        let high = set.get(1).unwrap_or(&set[0]).clone();
        let two = set.len() == 2;
        let w = self.width.subgroup;
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        let args = [(&set[0], Scalar::U32), (&high, Scalar::U32)];
        let found = lanes.map(args, |l, [low, high]| {
            if !two {
                let bits = l.int_like(low, i64::from(everyone(w) as u32));
                let bits = l.band(low, bits);
                return if lowest { l.find_lsb(bits) } else { l.find_umsb(bits) };
            }
            let (near, far) = if lowest { (low, high) } else { (high, low) };
            let [near_at, far_at] = [near, far].map(|word| if lowest { l.find_lsb(word) } else { l.find_umsb(word) });
            let some = l.int_to_bool(near);
            if lowest {
                let up = l.add_const(far_at, 32);
                let far_some = l.int_to_bool(far);
                let up = l.select(far_some, up, far_at);
                l.select(some, near_at, up)
            } else {
                let up = l.add_const(near_at, 32);
                l.select(some, up, far_at)
            }
        });
        Ok(smallvec![found])
    }
}
