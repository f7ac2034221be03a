//! `OpSwitch` → cases (SPIR-V specification, §2.11.1 "Rules for Structured Control-flow Declarations").
//!
//! A case construct may branch to one other, which then is the next case here. Literals with one target share a case.
//! What goes to the merge block without more is one case without operations.

use super::constants::literal_bits;
use super::function::FunctionLifter;
use super::source::Inst;
use super::structure::{Kind, Target};
use crate::error::Result;
use crate::ir::{Case, ConstData, OpKind, RegionId, Scalar, Selection, Switch, Terminator, Type};
use crate::work;
use std::collections::{HashMap, HashSet};

impl FunctionLifter<'_, '_> {
    /// Literals and labels of an `OpSwitch`, without its default.
    pub fn switch_targets(&mut self, end: &Inst) -> Result<Vec<(u64, u32)>> {
        let src = self.lifter.src;
        let selector = src.word(end, 0)?;
        let ty = src.def(selector).map_or(0, |i| i.ty);
        let ty = if ty == 0 { None } else { Some(self.lifter.ty(ty, end)?) };
        let Some(&Type::Scalar(Scalar::Int { width, .. })) = ty.map(|ty| self.ty(ty)) else {
            return Err(src.invalid(end.loc, "the selector of OpSwitch must be an integer"));
        };
        let words = src.operands(end).get(2..).unwrap_or_default();
        let literal = if width == 64 { 2 } else { 1 };
        if !words.len().is_multiple_of(literal + 1) {
            return Err(src.invalid(end.loc, "OpSwitch has a literal or a label too few"));
        }
        let cases = words.chunks_exact(literal + 1);
        Ok(cases.filter_map(|c| Some((literal_bits(&c[..literal], u32::from(width))?, c[literal]))).collect())
    }

    /// A switch: the block to go on with in the same region, or `None` when the region has ended.
    pub fn switch(&mut self, region: RegionId, merge: Option<Inst>, end: &Inst) -> Result<Option<u32>> {
        let src = self.lifter.src;
        let Some(merge) = merge else {
            let what = "control flow is not structured: OpSwitch needs an OpSelectionMerge before it";
            return Err(src.invalid(end.loc, what));
        };
        let (leaves, control) = (src.word(&merge, 0)?, src.word(&merge, 1)?);
        let selector = self.value(src.word(end, 0)?, region, end)?;
        let default = src.word(end, 1)?;
        let mut literals: HashMap<u32, Vec<u64>> = HashMap::new();
        let mut listed = vec![];
        let mut seen = HashSet::new();
        for (literal, label) in self.switch_targets(end)? {
            if !seen.insert(literal) {
                return Err(src.invalid(end.loc, format!("OpSwitch lists {literal} twice")));
            }
            literals.entry(label).or_insert_with(|| {
                listed.push(label);
                vec![]
            });
            literals.entry(label).and_modify(|l| l.push(literal));
        }
        if !literals.contains_key(&default) {
            listed.push(default);
        }
        let order = self.case_order(&listed, leaves, end)?;
        let cases = order.iter().map(|label| Case {
            literals: literals.remove(label).unwrap_or_default(),
            region: self.f.add_region(end.loc),
            init: vec![],
        });
        let cases: Vec<Case> = cases.collect();
        let regions: Vec<RegionId> = cases.iter().map(|c| c.region).collect();
        let default = order.iter().position(|&label| label == default).unwrap_or(0);
        let op = self.f.push_op(region, OpKind::Switch(Switch { selector, cases, default, control }), &[], end.loc);
        self.enter(op, Kind::Switch { next: None }, leaves, &merge)?;
        for (index, (&label, region)) in order.iter().zip(regions).enumerate() {
            let next = order.get(index + 1).copied().filter(|&next| next != leaves);
            if let Some(own) = self.stack.last_mut() {
                own.kind = Kind::Switch { next };
            }
            match next {
                Some(next) if self.falls_from_within(label, next) => {
                    self.enclosed_case(region, label, next, &merge, end)?
                }
                _ => self.arm(region, label, end)?,
            }
        }
        self.leave(region, end)
    }

    /// A case that falls through from within a construct of its own: its blocks go into a selection that is always taken and
    /// merges where the next case starts. To leave that is to fall through, from wherever.
    fn enclosed_case(&mut self, region: RegionId, label: u32, next: u32, merge: &Inst, end: &Inst) -> Result<()> {
        self.set_open(region, true);
        let boolean = self.lifter.module.types.scalar(Scalar::Bool);
        let always = self.lifter.module.constant(boolean, ConstData::Bits(1));
        let cond = self.f.const_value(always, boolean);
        let (then_region, else_region) = (self.f.add_region(end.loc), self.f.add_region(end.loc));
        self.end(else_region, Terminator::Merge(vec![]), end.loc);
        let selection = Selection { cond, then_region, else_region, control: 0 };
        let op = self.f.push_op(region, OpKind::Selection(selection), &[], end.loc);
        self.enter(op, Kind::Selection, next, merge)?;
        self.arm(then_region, label, end)?;
        // The next case is no block of this region: the branch there ends it.
        self.leave(region, end)?;
        self.set_open(region, false);
        Ok(())
    }

    /// Does the case at `label` branch to `next` other than at the end of its own blocks?
    fn falls_from_within(&self, label: u32, next: u32) -> bool {
        let mut at = label;
        let mut seen = HashSet::new();
        while let Some(block) = self.blocks.get(&at).filter(|_| seen.insert(at)) {
            at = match (block.merge.and_then(|merge| self.lifter.src.word(&merge, 0).ok()), &block.successors[..]) {
                (Some(merge), _) if !self.avoids(at, merge, next) => return true,
                (Some(merge), _) => merge,
                (None, &[only]) => only,
                (None, targets) if targets.contains(&next) => {
                    // The end of the case, where the other target leaves it too.
                    return targets.iter().any(|&target| self.resolve(target) == Target::Block(target));
                }
                (None, targets) => match targets.iter().find(|&&t| self.resolve(t) == Target::Block(t)) {
                    Some(&on) => on,
                    None => return false,
                },
            };
            if self.resolve(at) != Target::Block(at) {
                return false;
            }
        }
        false
    }

    /// Labels in an order in which each case that falls through stands before the case it falls into. What has no such
    /// reason to move stays where it was listed; the merge block comes last.
    fn case_order(&self, listed: &[u32], merge: u32, end: &Inst) -> Result<Vec<u32>> {
        let labels: HashSet<u32> = listed.iter().copied().filter(|&l| l != merge).collect();
        let mut falls: HashMap<u32, u32> = HashMap::new();
        let mut entered: HashSet<u32> = HashSet::new();
        let wrong = |what| Err(self.lifter.src.invalid(end.loc, format!("control flow is not structured: {what}")));
        for &label in listed.iter().filter(|l| labels.contains(l)) {
            match self.falls_into(label, merge, &labels)[..] {
                [] => {}
                [next] => {
                    if !entered.insert(next) {
                        return wrong("two cases fall through to one");
                    }
                    falls.insert(label, next);
                }
                _ => return wrong("a case falls through to two others"),
            }
        }
        let mut order = Vec::with_capacity(listed.len());
        for &start in listed.iter().filter(|l| labels.contains(l) && !entered.contains(l)) {
            let mut at = Some(start);
            while let Some(label) = at {
                order.push(label);
                at = falls.get(&label).copied();
            }
        }
        if order.len() != labels.len() {
            return wrong("cases fall through in a circle");
        }
        order.extend(listed.contains(&merge).then_some(merge));
        Ok(order)
    }

    /// The other cases that the case at `label` branches to.
    fn falls_into(&self, label: u32, merge: u32, labels: &HashSet<u32>) -> Vec<u32> {
        let mut found = vec![];
        if self.resolve(label) != Target::Block(label) {
            return found;
        }
        let mut seen = HashSet::from([label, merge]);
        let mut work = vec![label];
        while let Some(block) = work.pop().and_then(|at| self.blocks.get(&at)) {
            work::add(1);
            for &next in &block.successors {
                if !seen.insert(next) || self.resolve(next) != Target::Block(next) {
                    continue;
                }
                if labels.contains(&next) { found.push(next) } else { work.push(next) }
            }
        }
        found
    }
}
