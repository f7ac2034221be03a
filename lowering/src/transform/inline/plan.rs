//! Which functions stay functions: inlining everything makes the fastest code, until there is too much of it.
//!
//! In: a module's functions, callers before callees, and a [`Budget`]. Out: the set of functions that are called and not
//! inlined.
//!
//! How often a function's body would be copied is known when all its callers have been decided on: a caller that is inlined
//! `n` times brings `n` times its calls, one that stays a function brings them once. So the operations of the result are the
//! sum over all functions of copies times own operations, and each decision adds what it costs to that sum. It is linear in
//! the size of the source, however deep calls nest and however many there are.

use crate::analysis::functions::{Functions, callees, root};
use crate::analysis::uniformity::MAX_LEAVES;
use crate::ir::*;
use crate::ops::{Family, row};
use crate::options::{OptLevel, Options};
use cranelift_entity::{EntitySet, SecondaryMap};
use spirv::Op as S;
use std::collections::BTreeSet;

/// How much code inlining may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Chunks of lanes for which code on a varying value is emitted.
    pub chunks: usize,
    /// Functions of at most this many operations are inlined where that is affordable at all: a call costs as much.
    pub tiny: usize,
    /// Instructions for all copies of functions of the library that are not tiny; if they need more, none is inlined. Calls keep
    /// a processor busy nearly as well, since it goes ahead into the next chunk's while one is not done, and only a
    /// kernel with a call or two gains by inlining.
    pub lane_wise: usize,
    /// Operations that copies of functions may add to those of the source.
    pub growth: usize,
}

impl Budget {
    /// Everything is inlined that can be.
    pub const UNLIMITED: Budget = Budget { chunks: 1, tiny: usize::MAX, lane_wise: usize::MAX, growth: usize::MAX };

    /// What the options ask for.
    pub fn new(options: &Options) -> Budget {
        let width = options.subgroup_size as usize;
        let chunks = if options.scalar || width < 4 { width } else { width / 4 };
        match options.opt {
            OptLevel::None => Budget { chunks, tiny: 8, lane_wise: 0, growth: 200 },
            OptLevel::Speed => Budget { chunks, tiny: 12, lane_wise: 300, growth: 1000 },
        }
    }
}

/// Most scalar leaves of one thing that is passed to a function or comes from it.
const MAX_PASSED: usize = 64;

/// Own operations of a function, those in constructs too.
fn size(function: &Function) -> usize {
    let mut ops = 0;
    function.for_each_op(function.body, &mut |_, _| ops += 1);
    ops
}

/// The functions that are called and not inlined. `order`: what the roots reach, callees before callers.
pub(super) fn kept(module: &Module, functions: &Functions, order: &[FuncId], budget: Budget) -> EntitySet<FuncId> {
    let bound = bound(module, order);
    let mut kept = EntitySet::new();
    // Where a function would be copied to; a root is there once by itself.
    let mut sites: SecondaryMap<FuncId, usize> = SecondaryMap::new();
    let mut lane_wise: Vec<(usize, FuncId)> = vec![];
    let source = order.iter().fold(0usize, |sum, &id| sum + size(&module.functions[id]));
    let mut rest = budget.growth.saturating_add(source);
    for &id in order.iter().rev() {
        let function = &module.functions[id];
        let called = sites[id] > 0;
        if called && functions.lane_wise(id) && is_never_contracted(function) {
            let copies = sites[id].saturating_mul(budget.chunks);
            lane_wise.push((copies.saturating_mul(size(function)), id));
        } else if called && !bound.contains(id) && !is_inlined(function, sites[id], &mut rest, budget) {
            kept.insert(id);
        }
        let copies = if kept.contains(id) { 1 } else { sites[id].max(1) };
        for (callee, _) in callees(function) {
            sites[callee] = sites[callee].saturating_add(copies);
        }
    }
    lane_wise.retain(|&(_, id)| size(&module.functions[id]) > budget.tiny);
    let cost = lane_wise.iter().fold(0usize, |sum, &(cost, _)| sum.saturating_add(cost));
    if cost > budget.lane_wise {
        kept.extend(lane_wise.iter().map(|&(_, id)| id));
    }
    kept
}

/// Is nothing in the function fused with anything, wherever it is put? So it is with the standard library: its results have
/// the same bits inlined or not, and the choice may depend on the subgroup size.
fn is_never_contracted(function: &Function) -> bool {
    let mut fixed = true;
    function.for_each_op(function.body, &mut |_, op| {
        if let OpKind::Inst(inst) = &function.ops[op].kind {
            let composite = row(inst.opcode).is_some_and(|row| row.family == Family::Composite);
            fixed &= composite || inst.flags & NO_CONTRACTION != 0;
        }
    });
    fixed
}

/// Is a function that may stay one inlined at its `sites`? What that costs is taken off the `rest`.
fn is_inlined(function: &Function, sites: usize, rest: &mut usize, budget: Budget) -> bool {
    if function.control & DONT_INLINE != 0 {
        return false;
    }
    let size = size(function);
    let growth = size.saturating_mul(sites - 1);
    let wanted = function.control & INLINE != 0 || size <= budget.tiny;
    // One function does not take what all need.
    let share = if wanted { *rest } else { *rest / 4 };
    if growth > share {
        // Whoever asks for it gets it, up to the limits of a function.
        return function.control & INLINE != 0;
    }
    *rest -= growth;
    true
}

/// What is known of a function with all that it calls.
#[derive(Clone, Default)]
struct Reach {
    bound: bool,
    private: BTreeSet<GlobalId>,
}

/// Functions that have to be inlined: they wait for other invocations, exchange values with them, end them, or share with
/// their callers what cannot be passed by value ([`parameters`](crate::transform::parameters)).
pub(in crate::transform) fn bound(module: &Module, order: &[FuncId]) -> EntitySet<FuncId> {
    let mut reach: SecondaryMap<FuncId, Reach> = SecondaryMap::new();
    for &id in order {
        let function = &module.functions[id];
        let mut found = Reach { bound: !passes_values(module, function), private: BTreeSet::new() };
        function.for_each_op(function.body, &mut |_, op| {
            match &function.ops[op].kind {
                OpKind::Inst(inst) => found.bound |= needs_others(inst.opcode),
                OpKind::Call { callee, .. } => {
                    let inner: &Reach = &reach[*callee];
                    found.bound |= inner.bound;
                    found.private.extend(&inner.private);
                }
                _ => {}
            }
            function.ops[op].kind.for_each_use(|value| {
                if let ValueDef::Global(global) = function.values[value].def
                    && module.globals[global].class == StorageClass::Private
                {
                    found.private.insert(global);
                }
            });
        });
        let kills = |&region: &RegionId| matches!(function.regions[region].end, Terminator::Kill);
        found.bound |= function.all_regions().iter().any(kills);
        let passed = |global: &GlobalId| leaves_at(module, module.globals[*global].ty);
        let private = found.private.iter().map(passed).try_fold(0usize, |sum, n| Some(sum + n?));
        found.bound |= private.is_none_or(|sum| sum > MAX_PASSED);
        reach[id] = found;
    }
    let mut bound: EntitySet<FuncId> = EntitySet::new();
    bound.extend(order.iter().copied().filter(|&id| reach[id].bound));
    aliased(module, order, &mut bound);
    bound
}

/// Scalar leaves of what a pointer leads to, where they can be passed.
fn leaves_at(module: &Module, pointer: TypeId) -> Option<usize> {
    let (_, pointee) = module.types.pointee(pointer)?;
    module.types.leaves(pointee, MAX_LEAVES).map(|leaves| leaves.len())
}

/// Are all parameters and the result values, or pointers to Function variables, and none too large?
fn passes_values(module: &Module, function: &Function) -> bool {
    let count = |ty: TypeId| match module.types[ty] {
        Type::Void => Some(0),
        Type::Pointer { class: StorageClass::Function, .. } => leaves_at(module, ty),
        Type::Pointer { .. } => None,
        _ => module.types.leaves(ty, MAX_LEAVES).map(|leaves| leaves.len()),
    };
    let types = function.params.iter().map(|&param| function.values[param].ty);
    let returned = !matches!(module.types[function.result], Type::Pointer { .. });
    returned && types.chain([function.result]).all(|ty| count(ty).is_some_and(|n| n <= MAX_PASSED))
}

/// Does the instruction need other invocations, or the place where it stands?
fn needs_others(opcode: Opcode) -> bool {
    if opcode == Opcode::Core(S::ControlBarrier) {
        return true;
    }
    row(opcode).is_none_or(|row| row.is_of_subgroup() || row.family == Family::Image)
}

/// Adds functions that are called, or may be by way of their callers, with two pointers to one variable.
fn aliased(module: &Module, order: &[FuncId], bound: &mut EntitySet<FuncId>) {
    let mut shared: EntitySet<FuncId> = EntitySet::new();
    for &id in order.iter().rev() {
        let function = &module.functions[id];
        let pointers = |value: Value| matches!(module.types[function.values[value].ty], Type::Pointer { .. });
        function.for_each_op(function.body, &mut |_, op| {
            let OpKind::Call { callee, args } = &function.ops[op].kind else { return };
            let mut roots: Vec<Value> =
                args.iter().filter(|&&arg| pointers(arg)).map(|&arg| root(function, arg)).collect();
            let params = roots.iter().filter(|&&v| matches!(function.values[v].def, ValueDef::Param(_))).count();
            let count = roots.len();
            roots.sort_unstable();
            roots.dedup();
            if roots.len() < count || (params > 1 && shared.contains(id)) {
                shared.insert(*callee);
                bound.insert(*callee);
            }
        });
    }
}
