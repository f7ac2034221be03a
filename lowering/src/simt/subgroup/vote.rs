//! Votes: one lane elected, conditions of all lanes (SPIR-V specification, "OpGroupNonUniformElect" to
//! "OpGroupNonUniformAllEqual", "OpGroupNonUniformQuadAllKHR").

use super::super::emit::Emitter;
use super::super::value::{Chunks, Comp, Comps};
use super::{Call, arithmetic};
use crate::Result;
use crate::ir::Scalar;
use cranelift_codegen::ir::{self as clif, condcodes::FloatCC, condcodes::IntCC};
use smallvec::smallvec;

/// What is asked of conditions.
#[derive(Clone, Copy)]
pub(super) enum Vote {
    /// Does it hold in all active lanes?
    All,
    /// In any?
    Any,
    /// In all or in none?
    Equal,
}

impl Emitter<'_> {
    /// Is this the first active lane?
    pub(super) fn elect(&mut self, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        let first = self.first_active();
        let lanes = self.width.chunk;
        let first = self.legal.broadcast(first, Scalar::U32, lanes);
        let chunks = (0..self.mask_chunks()).map(|k| {
            let number = self.by_lane(k, |lane| lane);
            self.legal.icmp(IntCC::Equal, number, first)
        });
        Ok(smallvec![Comp::Varying(chunks.collect())])
    }

    /// A vote on conditions.
    pub(super) fn vote(&mut self, vote: Vote, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        let cond = self.condition_operand(call, 0)?;
        if let Comp::Uniform(cond) = cond {
            let equal = matches!(vote, Vote::Equal);
            return Ok(smallvec![Comp::Uniform(if equal { self.legal.bool_like(cond, true) } else { cond })]);
        }
        let mask = self.mask_of(&cond);
        let result = match vote {
            Vote::All => self.holds_in_all(&mask),
            Vote::Any => self.holds_in_any(&mask),
            Vote::Equal => {
                let all = self.holds_in_all(&mask);
                let any = self.holds_in_any(&mask);
                let none = self.legal.bool_not(any);
                self.legal.bool_or(all, none)
            }
        };
        Ok(smallvec![Comp::Uniform(result)])
    }

    /// Is the mask on in all active lanes?
    fn holds_in_all(&mut self, mask: &Chunks) -> clif::Value {
        if self.exec.full {
            return self.mask_full(mask);
        }
        let exec = self.exec_mask();
        let others = self.mask_not(&exec);
        let mask = self.mask_or(mask, &others);
        self.mask_full(&mask)
    }

    /// Is the mask on in an active lane?
    fn holds_in_any(&mut self, mask: &Chunks) -> clif::Value {
        if self.exec.full {
            return self.mask_any(mask);
        }
        let exec = self.exec_mask();
        let mask = self.mask_and(mask, &exec);
        self.mask_any(&mask)
    }

    /// Do all active lanes have the same value? Floats are compared as numbers.
    pub(super) fn all_equal(&mut self, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        let (comps, scalars) = self.operand(call, 0)?;
        let mut result: Option<clif::Value> = None;
        for (comp, &scalar) in comps.iter().zip(&scalars) {
            let equal = self.is_equal_in_all(comp, scalar);
            result = Some(match result {
                None => equal,
                Some(others) => self.legal.bool_and(others, equal),
            });
        }
        let result = result.ok_or_else(|| self.misfit(call.inst, call.loc, "its operand has no component"))?;
        Ok(smallvec![Comp::Uniform(result)])
    }

    fn is_equal_in_all(&mut self, comp: &Comp, scalar: Scalar) -> clif::Value {
        if let Comp::Uniform(value) = comp {
            return match scalar.is_float() {
                true => self.legal.fcmp(FloatCC::Equal, *value, *value),
                false => self.legal.int(clif::types::I8, 1),
            };
        }
        let chunks = self.chunks(comp, scalar);
        let first = self.first_active();
        let first = self.at_number(&chunks, scalar, first);
        let first = self.legal.broadcast(first, scalar, self.width.lanes(scalar));
        let equal = chunks.iter().map(|&chunk| match scalar.is_float() {
            true => self.legal.fcmp(FloatCC::Equal, chunk, first),
            false => self.legal.icmp(IntCC::Equal, chunk, first),
        });
        let equal: Chunks = equal.collect();
        let equal = if scalar.bits() == 64 { self.legal.narrow_masks(&equal) } else { equal };
        self.holds_in_all(&equal)
    }

    /// A vote of each quad.
    pub(super) fn quad_vote(&mut self, vote: Vote, call: &Call<'_>) -> Result<Comps> {
        self.check_boolean(call)?;
        self.check_quads(call)?;
        let cond = self.condition_operand(call, 0)?;
        let mask = self.mask_of(&cond);
        let (arithmetic, off) = match vote {
            Vote::Any => (&arithmetic::LOGICAL_OR, false),
            Vote::All | Vote::Equal => (&arithmetic::LOGICAL_AND, true),
        };
        let off = self.mask_const(off);
        let mask = self.active_or(&mask, Scalar::Bool, off);
        Ok(smallvec![Comp::Varying(self.reduce_clusters(arithmetic, mask, Scalar::Bool, 4))])
    }
}
