//! Constructs at workgroup level that lanes take apart: masks in memory, one for each region that lanes can go to.
//!
//! A segment sets the masks of the regions that follow it, and the workgroup goes into a region where any lane does. Lanes
//! that leave a construct for good are not in its exit mask, which becomes the mask of what is behind it; where it is empty,
//! the workgroup goes on where others wait. So no lane waits for another one, nothing runs for nobody, and control flow that
//! differs between invocations cannot hang.
//!
//! | construct | masks |
//! |---|---|
//! | selection | of either side |
//! | switch | of each case; a case that falls through adds its lanes to the next |
//! | loop | of those that stay, and of those in front of the continue region |

use super::super::emit::Emitter;
use super::places::Place;
use super::segment::{End, Lanes, Mark};
use crate::ir::{Loop, OpId, OpKind, RegionId, Selection, Switch, Terminator, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, InstBuilder};
use cranelift_frontend::Variable;

/// The masks of a construct.
#[derive(Clone)]
pub(super) struct Masks {
    /// Of its regions, each with a variable that says whether any lane is there.
    regions: Vec<(Place, Variable)>,
    /// Of those that go on behind it, where that may be fewer than came.
    exit: Option<Place>,
}

/// A loop's masks by number.
const STAYS: usize = 0;
const CONTINUES: usize = 1;

impl<'a> Emitter<'a> {
    /// The masks of a construct, made when first asked for.
    fn masks(&mut self, op: OpId) -> Result<Masks> {
        if let Some(masks) = self.state()?.masks.get(&op) {
            return Ok(masks.clone());
        }
        let count = match &self.func.ops[op].kind {
            OpKind::Switch(s) => s.cases.len(),
            _ => 2,
        };
        let ty = self.mask_type();
        let regions = (0..count).map(|_| (self.mask_place(), self.legal.builder.declare_var(ty))).collect();
        let leaks = self.state()?.plan.leaks(op);
        let exit = leaks.then(|| self.mask_place());
        let masks = Masks { regions, exit };
        self.state()?.masks.insert(op, masks.clone());
        Ok(masks)
    }

    fn region_mask(&mut self, op: OpId, number: usize) -> Result<(Place, Variable)> {
        let masks = self.masks(op)?;
        masks.regions.get(number).cloned().ok_or_else(|| Error::Internal("a region without a mask".into()))
    }

    /// What the segment before a masked construct does: lanes go to its regions.
    pub(super) fn masked_entry(&mut self, op: OpId) -> Result<End> {
        let func = self.func;
        let masks = self.masks(op)?;
        let set = |end: End, number: usize, lanes: Lanes| match masks.regions.get(number) {
            Some((place, any)) => end.set(place, lanes, Some(*any)),
            None => end,
        };
        let mut end = End::default();
        match &func.ops[op].kind {
            OpKind::Selection(s) => {
                for (number, region, lanes) in
                    [(0, s.then_region, Lanes::If(s.cond)), (1, s.else_region, Lanes::Unless(s.cond))]
                {
                    if !self.is_idle(op, region)? {
                        end = set(end, number, lanes);
                    }
                }
            }
            OpKind::Switch(s) => {
                for (number, case) in s.cases.iter().enumerate() {
                    end = end.pass(&case.init, &func.regions[case.region].args, Lanes::All, false);
                    end = set(end, number, Lanes::Case(op, number));
                }
            }
            _ => {
                end = set(end, STAYS, Lanes::All);
                end = set(end, CONTINUES, Lanes::None);
            }
        }
        Ok(match &masks.exit {
            Some(exit) => end.set(exit, Lanes::None, None),
            None => end,
        })
    }

    /// Does a side of a selection nothing, not even say who went there?
    fn is_idle(&mut self, op: OpId, region: RegionId) -> Result<bool> {
        let data = &self.func.regions[region];
        let empty = data.ops.is_empty() && matches!(&data.end, Terminator::Merge(values) if values.is_empty());
        Ok(empty && self.masks(op)?.exit.is_none())
    }

    /// Lanes leave to the end of a masked construct.
    pub(super) fn masked_leave(&mut self, op: OpId, lanes: Lanes) -> Result<End> {
        Ok(match self.masks(op)?.exit {
            Some(exit) => End::default().join(&exit, lanes, None),
            None => End::default(),
        })
    }

    /// Lanes wait for the continue region of a masked loop.
    pub(super) fn masked_continue(&mut self, op: OpId) -> Result<End> {
        let (place, any) = self.region_mask(op, CONTINUES)?;
        Ok(End::default().join(&place, Lanes::All, Some(any)))
    }

    /// Lanes stay in a masked loop, or go back to its header.
    pub(super) fn masked_stay(&mut self, op: OpId, lanes: Lanes) -> Result<End> {
        let (stays, any) = self.region_mask(op, STAYS)?;
        let (continues, _) = self.region_mask(op, CONTINUES)?;
        Ok(End::default().set(&stays, lanes, Some(any)).set(&continues, Lanes::None, None))
    }

    /// A case falls through to the next one.
    pub(super) fn fall(&mut self, at: usize, values: &[Value]) -> Result<End> {
        let func = self.func;
        let last = || Error::Internal("the last case falls through".into());
        let frame = &self.state()?.frames[at];
        let (op, next) = (frame.op, frame.next_case.ok_or_else(last)?);
        let OpKind::Switch(switch) = &func.ops[op].kind else { return Err(last()) };
        let region = switch.cases.get(next).ok_or_else(last)?.region;
        let (place, any) = self.region_mask(op, next)?;
        let end = End::default().pass(values, &func.regions[region].args, Lanes::All, true);
        Ok(end.join(&place, Lanes::All, Some(any)))
    }

    /// The variable that says whether any lane stays in a masked loop.
    pub(super) fn stays(&mut self, op: OpId) -> Result<Variable> {
        Ok(self.region_mask(op, STAYS)?.1)
    }

    fn any_lane(&mut self, any: Variable) -> clif::Value {
        let mask = self.read_mask(&[any]);
        self.mask_any(&mask)
    }

    /// Code for the lanes of a mask: goes on in `join` when they are through, or if there are none.
    fn masked_region(&mut self, region: RegionId, mask: (Place, Variable)) -> Result<()> {
        let (place, any) = mask;
        let any = self.any_lane(any);
        let [block, join] = std::array::from_fn(|_| self.legal.builder.create_block());
        self.legal.ins().brif(any, block, &[], join, &[]);
        self.start(block);
        self.workgroup_builtins();
        let outer = self.state()?.exec.replace(place);
        self.state()?.joins.push(join);
        let result = self.workgroup_region(region);
        self.state()?.joins.pop();
        self.state()?.exec = outer;
        if result? {
            self.legal.ins().jump(join, &[]);
        }
        self.start(join);
        self.workgroup_builtins();
        Ok(())
    }

    pub(super) fn masked_selection(&mut self, op: OpId, s: &Selection, end: clif::Block) -> Result<()> {
        self.legal.stats.masked += 1;
        for (number, region) in [s.then_region, s.else_region].into_iter().enumerate() {
            if !self.is_idle(op, region)? {
                let mask = self.region_mask(op, number)?;
                self.masked_region(region, mask)?;
            }
        }
        self.legal.ins().jump(end, &[]);
        Ok(())
    }

    pub(super) fn masked_switch(&mut self, op: OpId, s: &Switch, end: clif::Block) -> Result<()> {
        self.legal.stats.masked += 1;
        for (number, case) in s.cases.iter().enumerate() {
            if let Some(frame) = self.state()?.frames.last_mut() {
                frame.next_case = Some(number + 1);
            }
            let mask = self.region_mask(op, number)?;
            self.masked_region(case.region, mask)?;
        }
        self.legal.ins().jump(end, &[]);
        Ok(())
    }

    pub(super) fn masked_loop(&mut self, op: OpId, l: &'a Loop, end: clif::Block) -> Result<()> {
        self.legal.stats.masked += 1;
        let func = self.func;
        let (stays, _) = self.region_mask(op, STAYS)?;
        let (continues, any_continues) = self.region_mask(op, CONTINUES)?;
        let [header, behind_body, cont] = std::array::from_fn(|_| self.legal.builder.create_block());
        self.legal.ins().jump(header, &[]);
        self.legal.builder.switch_to_block(header);
        self.workgroup_builtins();
        self.poll_interrupt();
        self.clear_mask(&[any_continues]);
        let outer = self.state()?.exec.replace(stays);
        self.state()?.joins.push(behind_body);
        if self.workgroup_region(l.header)? {
            self.bodies.push(l);
            let body = self.workgroup_region(l.body);
            self.bodies.pop();
            body?;
        }
        self.state()?.joins.pop();
        self.start(behind_body);
        self.workgroup_builtins();
        let any = self.any_lane(any_continues);
        self.legal.ins().brif(any, cont, &[], end, &[]);
        self.start(cont);
        self.workgroup_builtins();
        self.state()?.exec = Some(continues);
        self.state()?.joins.push(end);
        let again = self.workgroup_region(l.cont)?;
        self.state()?.joins.pop();
        self.state()?.exec = outer;
        if again {
            self.legal.ins().jump(header, &[]);
        } else if !matches!(func.regions[l.cont].end, Terminator::Unreachable) {
            return Err(Error::Internal("a continue region does not lead back to its header".into()));
        }
        self.legal.builder.seal_block(header);
        Ok(())
    }

    /// Behind a masked construct: goes on with the lanes that have come to its end.
    pub(super) fn after_masked(&mut self, op: OpId) -> Result<()> {
        let exit = self.masks(op)?.exit;
        let (Some(exit), Some(exec)) = (exit, self.state()?.exec.clone()) else { return Ok(()) };
        let ty = self.mask_type();
        let any = self.legal.builder.declare_var(ty);
        self.clear_mask(&[any]);
        let open = self.open_subgroups(self.all_subgroups());
        let mask = self.load_mask(&exit);
        self.mark(&Mark { place: exec, lanes: Lanes::All, joins: false, any: Some(any) }, &mask);
        self.close_subgroups(open);
        self.leave_if_none(any)
    }

    /// Goes on with the lanes that `any` collects. Where there are none, nothing is executed up to where others wait: a loop
    /// that comes next might not end for nobody.
    pub(super) fn leave_if_none(&mut self, any: Variable) -> Result<()> {
        let any = self.any_lane(any);
        let join = self.state()?.joins.last().copied();
        let join = join.ok_or_else(|| Error::Internal("no end of the workgroup".into()))?;
        let next = self.legal.builder.create_block();
        self.legal.ins().brif(any, next, &[], join, &[]);
        self.start(next);
        self.workgroup_builtins();
        Ok(())
    }
}
