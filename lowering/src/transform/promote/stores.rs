//! Which constructs change which value variables.
//!
//! In: a function and its [`Plan`]. Out: for each construct the value variables that may have another value after it, or at the
//! start of another of its regions, than before it; in order.
//!
//! A variable whose first access stores all of it, directly in a region that holds all other accesses, is local to that
//! region: no construct around it has to carry it.

use super::access::{Part, Plan, VarId};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use spirv::Op as S;

/// Computes the table.
pub(super) fn changed(function: &Function, plan: &Plan) -> SecondaryMap<OpId, Vec<VarId>> {
    let mut walk = Walk {
        function,
        plan,
        outer: SecondaryMap::new(),
        open: SecondaryMap::new(),
        homes: vec![Home::Unseen; plan.vars.len()],
        stores: vec![],
    };
    walk.region(function.body);
    let Walk { outer, homes, mut stores, .. } = walk;
    stores.sort_by_key(|&(var, _)| var);
    let mut changed: SecondaryMap<OpId, Vec<VarId>> = SecondaryMap::new();
    for (var, region) in stores {
        let stop = match homes[var] {
            Home::Local(region) => region,
            Home::Unseen | Home::Declared => plan.roots[plan.var_roots[var]].region,
        };
        let mut at = region;
        while at != stop {
            let Some((op, parent)) = outer[at] else { break };
            let list = &mut changed[op];
            if list.last() == Some(&var) {
                break;
            }
            list.push(var);
            // What a header declares is seen by the other regions of the loop.
            if matches!(&function.ops[op].kind, OpKind::Loop(l) if l.header == stop) {
                break;
            }
            at = parent;
        }
    }
    changed
}

/// The region to which a variable belongs.
#[derive(Clone, Copy, Debug)]
enum Home {
    Unseen,
    /// Where its first access stores it.
    Local(RegionId),
    /// Where it is declared.
    Declared,
}

struct Walk<'m> {
    function: &'m Function,
    plan: &'m Plan,
    /// The construct that a region belongs to, and the region that holds the construct.
    outer: SecondaryMap<RegionId, Option<(OpId, RegionId)>>,
    /// Is the region being walked?
    open: SecondaryMap<RegionId, bool>,
    homes: Vec<Home>,
    stores: Vec<(VarId, RegionId)>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) {
        self.open[region] = true;
        for &op in &self.function.regions[region].ops {
            if let OpKind::Inst(inst) = &self.function.ops[op].kind {
                self.inst(region, inst);
            }
            for inner in self.function.regions_of(op) {
                self.outer[inner] = Some((op, region));
                self.region(inner);
            }
        }
        self.open[region] = false;
    }

    fn inst(&mut self, region: RegionId, inst: &Inst) {
        let store = match inst.opcode {
            Opcode::Core(S::Load) => false,
            Opcode::Core(S::Store) => true,
            _ => return,
        };
        let Some(target) = inst.operands.first().and_then(|&pointer| self.plan.pointers[pointer]) else { return };
        let whole = store && target.part == Part::Whole;
        let (homes, open, stores) = (&mut self.homes, &self.open, &mut self.stores);
        self.plan.for_each_var(target.node, &mut |var| {
            homes[var] = match homes[var] {
                Home::Unseen if whole => Home::Local(region),
                Home::Local(home) if open[home] => Home::Local(home),
                _ => Home::Declared,
            };
            if store {
                stores.push((var, region));
            }
        });
    }
}
