//! Loops: the header's test, the body, and the continue region that leads back.
//!
//! In a loop that lanes leave one by one ("masked"), those that left wait in the exit mask with the values that they took
//! along, and the loop ends when its mask is empty. `continue` collects lanes in front of the continue region in the same
//! way, where they do not all arrive together (SPIR-V specification, §3.52.17 "OpLoopMerge").

use super::control::{CompVars, Flow};
use super::emit::Emitter;
use super::mask::Saved;
use super::value::Comp;
use crate::ir::{Loop, OpId, Terminator, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder};

impl<'a> Emitter<'a> {
    /// A loop header's test: lanes for which it fails leave.
    pub(super) fn condition(&mut self, cond: Value, exit: &[Value]) -> Result<Flow> {
        let own = self.own()?;
        let cond = self.scalar(cond)?;
        match cond {
            Comp::Uniform(cond) => {
                let out = self.legal.builder.create_block();
                let stay = self.legal.builder.create_block();
                self.legal.ins().brif(cond, stay, &[], out, &[]);
                self.start(out);
                if self.exit(own, exit, None)? == Flow::Waiting {
                    let join = self.join();
                    self.legal.ins().jump(join, &[]);
                }
                self.start(stay);
                Ok(Flow::Open)
            }
            cond => {
                let cond = self.mask_of(&cond);
                let exec = self.exec_mask();
                let leaving = self.mask_and_not(&exec, &cond);
                self.exit(own, exit, Some(&leaving))?;
                let staying = self.mask_and(&exec, &cond);
                self.set_exec(&staying);
                self.skip_if_empty();
                Ok(Flow::Open)
            }
        }
    }

    /// A loop.
    pub fn loop_(&mut self, op: OpId, l: &'a Loop) -> Result<()> {
        let func = self.func;
        let masked = self.table.masked(op);
        let leaks = self.table.leaks(op);
        let saved = self.save_exec();
        let mut frame = self.frame(op)?;
        frame.cont_apart = self.table.continue_apart(op);
        frame.cont = self.declare_all(&func.regions[l.cont].args)?;
        if frame.cont_apart {
            frame.cont_mask = self.mask_vars();
        }
        if masked {
            // Lanes leave one by one: exits blend, and what left earlier must be kept.
            frame.exit_mask = self.mask_vars();
            frame.blends = true;
            let (mask, results) = (frame.exit_mask.clone(), frame.results.clone());
            self.clear(&results);
            self.clear_mask(&mask);
            self.set_exec_vars(&saved);
        }
        let args = self.declare_all(&func.regions[l.header].args)?;
        self.pass(&l.init, &args, None)?;
        self.frames.push(frame);
        if masked {
            self.joins.push(None);
        }
        let header = self.legal.builder.create_block();
        self.legal.ins().jump(header, &[]);
        self.legal.builder.switch_to_block(header);
        if masked {
            self.exec.full = false;
        }
        self.bind(&func.regions[l.header].args, &args);
        let at_header = self.save_exec();
        if self.polls(l) {
            self.poll_interrupt();
        }
        let mut flow = self.region(l.header)?;
        if flow == Flow::Open {
            flow = self.body(op, l)?;
            if flow != Flow::Closed {
                flow = self.cont(l, &args, &at_header, header)?;
            }
        }
        if flow == Flow::Waiting {
            let join = self.join();
            self.legal.ins().jump(join, &[]);
        }
        self.legal.builder.seal_block(header);
        self.end_loop(op, &saved, masked, leaks)
    }

    fn set_exec_vars(&mut self, saved: &Saved) {
        self.restore_exec(&saved.clone());
    }

    /// The body region, up to the start of the continue region. `Closed`: the continue region is never reached.
    fn body(&mut self, op: OpId, l: &'a Loop) -> Result<Flow> {
        let own = self.own()?;
        let apart = self.frames[own].cont_apart;
        if apart {
            let (mask, vars) = (self.frames[own].cont_mask.clone(), self.frames[own].cont.clone());
            self.clear_mask(&mask);
            self.clear(&vars);
            self.joins.push(None);
        }
        let at_start = self.save_exec();
        self.bodies.push(l);
        let flow = self.region(l.body);
        self.bodies.pop();
        let flow = flow?;
        if apart {
            self.close_join(flow);
            if self.table.masked(op) {
                let mask = self.frames[own].cont_mask.clone();
                let mask = self.read_mask(&mask);
                self.set_exec(&mask);
                self.skip_if_empty();
            } else {
                self.restore_exec(&at_start);
            }
            return Ok(Flow::Open);
        }
        if flow != Flow::Closed {
            let join = self.join();
            self.legal.ins().jump(join, &[]);
        }
        match self.frames[own].cont_block {
            Some(block) => {
                self.start(block);
                if !self.table.masked(op) {
                    self.restore_exec(&at_start);
                }
                Ok(Flow::Open)
            }
            None => Ok(Flow::Closed),
        }
    }

    /// The continue region and the edge back to the header.
    fn cont(&mut self, l: &Loop, args: &[Vec<CompVars>], at_header: &Saved, header: clif::Block) -> Result<Flow> {
        let own = self.own()?;
        let func = self.func;
        let vars = self.frames[own].cont.clone();
        self.bind(&func.regions[l.cont].args, &vars);
        let flow = self.region(l.cont)?;
        if flow != Flow::Open {
            return Ok(flow);
        }
        match &func.regions[l.cont].end {
            Terminator::Reenter(values) => self.pass(values, args, None)?,
            Terminator::ReenterIf { cond, again, exit } => {
                self.condition(*cond, exit)?;
                self.pass(again, args, None)?;
            }
            _ => return Err(Error::Internal("a continue region does not lead back to its header".into())),
        }
        if self.exec.full != at_header.chunks.is_none() {
            return Err(Error::Internal("a loop's mask differs between its header and its end".into()));
        }
        self.legal.ins().jump(header, &[]);
        Ok(Flow::Closed)
    }

    fn end_loop(&mut self, op: OpId, saved: &Saved, masked: bool, leaks: bool) -> Result<()> {
        let func = self.func;
        let end = self.frames.last().and_then(|f| f.end);
        if masked {
            let join = self.joins.last().copied().flatten();
            match (end, join) {
                (Some(end), Some(join)) => {
                    self.start(join);
                    self.legal.ins().jump(end, &[]);
                    self.joins.pop();
                    self.start(end);
                }
                (Some(end), None) => {
                    self.joins.pop();
                    self.start(end);
                }
                (None, _) => self.close_join(Flow::Closed),
            }
        } else {
            let own = self.own()?;
            let end = self.end_block(own);
            self.start(end);
        }
        let frame = self.frames.pop().ok_or_else(|| Error::Internal("constructs are not nested".into()))?;
        if masked {
            self.legal.stats.masked += 1;
        }
        if masked && leaks {
            let mask = self.read_mask(&frame.exit_mask);
            self.set_exec(&mask);
        } else {
            self.restore_exec(saved);
        }
        self.bind(&func.ops[op].results, &frame.results);
        Ok(())
    }
}
