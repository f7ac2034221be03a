//! `switch`: a branch table where the selector is uniform, one masked region a case where it is not.
//!
//! Lanes that fall through join the next case with the arguments that they bring (SPIR-V specification, §3.52.17
//! "OpSwitch").

use super::control::{CompVars, Flow, NextCase};
use super::emit::Emitter;
use super::mask::Saved;
use super::value::{Chunks, Comp, held_bits};
use crate::Result;
use crate::ir::{OpId, Scalar, Switch};
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC};

impl Emitter<'_> {
    /// A `switch`.
    pub fn switch(&mut self, op: OpId, switch: &Switch) -> Result<()> {
        let selector = self.scalar(switch.selector)?;
        let scalar = self.scalars(self.type_of(switch.selector))?[0];
        let saved = self.begin_construct(op)?;
        let mut args = vec![];
        for case in &switch.cases {
            let vars = self.declare_all(&self.func.regions[case.region].args)?;
            self.pass(&case.init, &vars, None)?;
            args.push(vars);
        }
        match selector {
            Comp::Uniform(selector) => self.uniform_switch(op, switch, (selector, scalar), &args, &saved)?,
            selector => self.split_switch(switch, &selector, scalar, &args)?,
        }
        self.end_construct(op, &saved)
    }

    /// The case being emitted falls through.
    pub(super) fn fall_to_next_case(&mut self, own: usize, values: &[crate::ir::Value]) -> Result<Flow> {
        let next = self.frames[own].next_case.clone();
        let next = next.ok_or_else(|| crate::Error::Internal("the last case falls through".into()))?;
        match next.block {
            Some(block) => {
                self.pass(values, &next.args, None)?;
                self.legal.ins().jump(block, &[]);
                Ok(Flow::Closed)
            }
            None => {
                let lanes = self.exec_mask();
                self.pass(values, &next.args, Some(&lanes))?;
                self.add_to_mask(&next.mask, &lanes, true);
                Ok(Flow::Waiting)
            }
        }
    }

    fn uniform_switch(
        &mut self,
        op: OpId,
        switch: &Switch,
        (selector, scalar): (clif::Value, Scalar),
        args: &[Vec<Vec<CompVars>>],
        saved: &Saved,
    ) -> Result<()> {
        let own = self.own()?;
        let divergent = self.frames[own].divergent;
        if divergent {
            self.joins.push(None);
        }
        // Lanes may be missing in a case that another falls into: the mask flows along.
        let loses = divergent || self.table.leaks(op);
        if loses {
            self.restore_exec(saved);
        }
        let blocks: Vec<clif::Block> = switch.cases.iter().map(|_| self.legal.builder.create_block()).collect();
        let mut table = cranelift_frontend::Switch::new();
        for (case, &block) in switch.cases.iter().zip(&blocks) {
            for &literal in &case.literals {
                table.set_entry(u128::from(held_bits(scalar, literal)), block);
            }
        }
        table.emit(&mut self.legal.builder, selector, blocks[switch.default]);
        for (i, case) in switch.cases.iter().enumerate() {
            self.start(blocks[i]);
            if loses {
                self.exec.full = false;
            } else {
                self.restore_exec(saved);
            }
            self.bind(&self.func.regions[case.region].args, &args[i]);
            self.frames[own].next_case = blocks.get(i + 1).map(|&block| NextCase {
                args: args[i + 1].clone(),
                block: Some(block),
                mask: Default::default(),
            });
            match (self.region(case.region)?, divergent) {
                (Flow::Closed, _) => {}
                (Flow::Open | Flow::Waiting, true) | (Flow::Waiting, false) => {
                    let join = self.join();
                    self.legal.ins().jump(join, &[]);
                }
                (Flow::Open, false) => {
                    let end = self.end_block(own);
                    self.legal.ins().jump(end, &[]);
                }
            }
        }
        if divergent {
            self.close_join(Flow::Closed);
        } else {
            let end = self.end_block(own);
            self.start(end);
        }
        Ok(())
    }

    /// The lanes whose selector is one of the literals.
    pub(super) fn lanes_that_are(&mut self, literals: &[u64], selector: &Chunks, scalar: Scalar) -> Chunks {
        let mut mask = self.mask_all(false);
        for &literal in literals {
            let literal = self.constant(scalar, literal);
            let literal = self.legal.broadcast(literal, scalar, self.width.lanes(scalar));
            let mut is: Chunks = selector.iter().map(|&s| self.legal.icmp(IntCC::Equal, s, literal)).collect();
            if scalar.bits() == 64 {
                is = self.legal.narrow_masks(&is);
            }
            mask = self.mask_or(&mask, &is);
        }
        mask
    }

    fn split_switch(
        &mut self,
        switch: &Switch,
        selector: &Comp,
        scalar: Scalar,
        args: &[Vec<Vec<CompVars>>],
    ) -> Result<()> {
        let own = self.own()?;
        let exec = self.exec_mask();
        let selector = self.chunks(selector, scalar);
        let mut others = exec.clone();
        let mut masks: Vec<Chunks> = vec![];
        for case in &switch.cases {
            let mask = self.lanes_that_are(&case.literals, &selector, scalar);
            let mask = self.mask_and(&exec, &mask);
            others = self.mask_and_not(&others, &mask);
            masks.push(mask);
        }
        masks[switch.default] = self.mask_or(&masks[switch.default].clone(), &others);
        let mut falling = self.mask_vars();
        self.clear_mask(&falling);
        for (i, case) in switch.cases.iter().enumerate() {
            let fallen = self.read_mask(&falling);
            let mask = self.mask_or(&masks[i], &fallen);
            falling = self.mask_vars();
            self.clear_mask(&falling);
            self.frames[own].next_case =
                args.get(i + 1).map(|args| NextCase { args: args.clone(), block: None, mask: falling.clone() });
            self.bind(&self.func.regions[case.region].args, &args[i]);
            self.side(case.region, &mask)?;
        }
        Ok(())
    }
}
