//! SPV_AMD_shader_ballot's extended set: lanes swizzled within quads and groups of 32, one lane written, bits counted.

use super::super::emit::Emitter;
use super::super::value::{Chunks, Comp, Comps};
use super::Call;
use crate::Result;
use crate::analysis::constant_leaf_bits;
use crate::ir::Scalar;
use cranelift_codegen::ir::condcodes::IntCC;
use smallvec::smallvec;
use spirv::SpvAmdShaderBallotOp as Amd;

impl Emitter<'_> {
    /// An instruction of the set.
    pub(super) fn amd_ballot(&mut self, op: Amd, call: &Call<'_>) -> Result<Comps> {
        match op {
            Amd::SwizzleInvocationsAMD => {
                self.check_quads(call)?;
                let [a, b, c, d] = self.constants(call)?;
                let to = [a, b, c, d];
                self.swizzle(call, |lane| Some(lane & !3 | to[lane as usize & 3] & 3))
            }
            Amd::SwizzleInvocationsMaskedAMD => {
                let [and, or, xor] = self.constants(call)?;
                self.swizzle(call, |lane| Some(lane & !31 | ((lane & and | or) ^ xor) & 31))
            }
            Amd::WriteInvocationAMD => self.write_lane(call),
            Amd::MbcntAMD => self.count_below(call),
        }
    }

    /// The components of operand 1, which is constant.
    fn constants<const N: usize>(&self, call: &Call<'_>) -> Result<[u32; N]> {
        let id = call.args.get(1).and_then(|&v| self.func.as_const(v));
        let leaf = |i| id.and_then(|id| constant_leaf_bits(self.module, id, i)).map(|bits| bits as u32);
        let mut all = [0; N];
        for (i, part) in all.iter_mut().enumerate() {
            *part = leaf(i).ok_or_else(|| self.misfit(call.inst, call.loc, "its pattern is not constant"))?;
        }
        Ok(all)
    }

    fn swizzle(&mut self, call: &Call<'_>, source: impl Fn(u32) -> Option<u32>) -> Result<Comps> {
        let operands = self.operand_as_result(call, 0)?;
        let mut results = Comps::new();
        for (comp, scalar) in operands {
            let chunks = self.chunks(&comp, scalar);
            let chunks = self.active_or_zero(&chunks, scalar);
            results.push(Comp::Varying(self.move_by(&chunks, scalar, &source)));
        }
        Ok(results)
    }

    /// Operand 0, but operand 1 in the lane with the number of operand 2.
    fn write_lane(&mut self, call: &Call<'_>) -> Result<Comps> {
        let values = self.operand_as_result(call, 0)?;
        let written = self.operand_as_result(call, 1)?;
        let number = self.number_operand(call, 2)?;
        let number = self.chunks(&number, Scalar::U32);
        let own = number.iter().enumerate().map(|(k, &number)| {
            let lane = self.by_lane(k, |lane| lane);
            self.legal.icmp(IntCC::Equal, lane, number)
        });
        let own: Chunks = own.collect();
        let mut results = Comps::new();
        for ((value, scalar), (new, _)) in values.into_iter().zip(written) {
            let (old, new) = (self.chunks(&value, scalar), self.chunks(&new, scalar));
            results.push(Comp::Varying(self.blend(&own, &new, &old, scalar)));
        }
        Ok(results)
    }

    /// How many bits of operand 0, 64 bits, belong to lanes before this one.
    fn count_below(&mut self, call: &Call<'_>) -> Result<Comps> {
        let (comps, scalars) = self.operand(call, 0)?;
        let [Scalar::Int { width: 64, .. }] = scalars[..] else {
            return Err(self.misfit(call.inst, call.loc, "its operand is not a 64-bit integer"));
        };
        if !matches!(call.results, [Scalar::Int { width: 32, .. }]) {
            return Err(self.misfit(call.inst, call.loc, "the result is not a 32-bit integer"));
        }
        let wide = self.chunks(&comps[0], scalars[0]);
        let [low, high] = self.legal.words_of_wide(&wide);
        let two = self.width.subgroup > 32;
        let counts = (0..self.mask_chunks()).map(|k| {
            let own = self.by_lane(k, |lane| ((1u64 << lane) - 1) as u32);
            let bits = self.legal.band(low[k], own);
            let count = self.legal.popcount(bits);
            if !two {
                return count;
            }
            let own = self.by_lane(k, |lane| (((1u64 << lane) - 1) >> 32) as u32);
            let bits = self.legal.band(high[k], own);
            let more = self.legal.popcount(bits);
            self.legal.iadd(count, more)
        });
        Ok(smallvec![Comp::Varying(counts.collect())])
    }
}
