//! Inlining: calls are replaced by the bodies of their callees, but for those that [`plan`] keeps.
//!
//! In: a verified module. Out: a module of the functions that nothing calls (the entry points' where there are any), and of
//! those that they still call.
//!
//! A callee that returns only at the end of its body is spliced in. Any other becomes a selection on constant true whose
//! result is what it returns: `return` is a `break` out of it. Pointer parameters become the pointers passed, as
//! GLSL's `out` and `inout` parameters are pointers to Function variables (SPIR-V specification, §3.56.9 "Function
//! Instructions"). The callee's variables move to the start of the caller's body; one with an initialiser is stored to
//! where its operation stood, since a call in a loop initialises it each time.

mod plan;

use super::subst::Subst;
use crate::analysis::functions::{Functions, bottom_up, callees, place};
use crate::error::{Error, Result};
use crate::ir::*;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use smallvec::{SmallVec, smallvec};
use spirv::Op as S;
use std::collections::HashMap;

/// Most operations that a function may have with those that it calls.
pub const MAX_OPS: usize = 200_000;

pub use plan::Budget;

/// Runs the pass, without a limit to what it copies other than [`MAX_OPS`].
pub fn run(module: &mut Module) -> Result<()> {
    within(module, Budget::UNLIMITED)
}

/// Inlines what has to be, and what is worth it.
pub fn within(module: &mut Module, budget: Budget) -> Result<()> {
    let roots = roots(module);
    let order = bottom_up(module, &roots)?;
    let kept = plan::kept(module, &Functions::run(module)?, &order, budget);
    let extents = extents(module, &order, &kept)?;
    let ty = module.types.scalar(Scalar::Bool);
    let condition = (module.constant(ty, ConstData::Bits(1)), ty);
    let remaining: Vec<FuncId> =
        module.functions.keys().filter(|&id| roots.contains(&id) || kept.contains(id)).collect();
    for &id in &remaining {
        if kept.contains(id) && !returns_at_end_only(&module.functions[id]) {
            inline_into_shell(module, id, condition, &kept);
        } else if extents[id].calls {
            inline_into(module, id, condition, &kept);
        }
    }
    keep(module, &remaining);
    Ok(())
}

/// The functions to keep: those of entry points, or where there are none, those that nothing calls.
fn roots(module: &Module) -> Vec<FuncId> {
    let mut roots: Vec<FuncId> = module.entries.iter().map(|e| e.func).collect();
    if roots.is_empty() {
        let called: std::collections::HashSet<FuncId> =
            module.functions.values().flat_map(|f| callees(f).into_iter().map(|(callee, _)| callee)).collect();
        roots = module.functions.keys().filter(|f| !called.contains(f)).collect();
    }
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// Size of a function with all that it calls.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// There is a call to be inlined, in the function itself.
    calls: bool,
    ops: usize,
    /// Depth of constructs, each call counted as one.
    depth: usize,
}

/// Sizes of all functions in `order`, callees before callers; an error if one is too large.
fn extents(module: &Module, order: &[FuncId], kept: &EntitySet<FuncId>) -> Result<SecondaryMap<FuncId, Extent>> {
    let mut extents: SecondaryMap<FuncId, Extent> = SecondaryMap::new();
    for &func in order {
        let function = &module.functions[func];
        let mut extent = Extent::default();
        let mut stack = vec![(function.body, 0usize)];
        while let Some((region, depth)) = stack.pop() {
            extent.depth = extent.depth.max(depth);
            for &op in &function.regions[region].ops {
                extent.ops += 1;
                stack.extend(function.regions_of(op).into_iter().map(|r| (r, depth + 1)));
                if let OpKind::Call { callee, .. } = function.ops[op].kind {
                    let inner = extents[callee];
                    if !kept.contains(callee) {
                        extent.calls = true;
                        extent.ops = extent.ops.saturating_add(inner.ops);
                    }
                    extent.depth = extent.depth.max(depth + 1 + inner.depth);
                }
            }
        }
        let too_large = |what: String| {
            let what = format!("function \"{}\" {what} with the functions it calls", function.name);
            Err(Error::Limit { place: place(module, function.loc), what })
        };
        if extent.ops > MAX_OPS {
            let ops = extent.ops;
            return too_large(format!("has {ops} operations, and at most {MAX_OPS} are compiled,"));
        }
        if extent.depth > MAX_NESTING {
            return too_large(format!("nests constructs and calls deeper than {MAX_NESTING}"));
        }
        extents[func] = extent;
    }
    Ok(extents)
}

/// Makes a function that returns early into one that returns at its end: as if a caller with the same parameters had
/// nothing else to do than to call it.
fn inline_into_shell(module: &mut Module, id: FuncId, condition: (ConstId, TypeId), kept: &EntitySet<FuncId>) {
    let function = &module.functions[id];
    let mut shell = Function::new(function.name.clone(), function.result, function.control, function.loc);
    let args: Vec<Value> = function.params.iter().map(|&param| shell.add_param(function.values[param].ty)).collect();
    let void = module.types[function.result] == Type::Void;
    let loc = function.loc;
    let mut inliner = Inliner { module, kept, caller: shell, subst: Subst::new(), variables: vec![], condition };
    let mut ops = vec![];
    let result = inliner.call(id, &args, loc, &mut ops);
    let Inliner { mut caller, variables, .. } = inliner;
    let body = &mut caller.regions[caller.body];
    body.ops = variables.into_iter().chain(ops).collect();
    // A function with a result that never returns has no value to return.
    body.end = match (void, result) {
        (true, _) => Terminator::Return(None),
        (false, Some(value)) => Terminator::Return(Some(value)),
        (false, None) => Terminator::Unreachable,
    };
    module.functions[id] = caller;
}

fn inline_into(module: &mut Module, root: FuncId, condition: (ConstId, TypeId), kept: &EntitySet<FuncId>) {
    let empty = Function::new(String::new(), module.functions[root].result, 0, Loc::default());
    let caller = std::mem::replace(&mut module.functions[root], empty);
    let mut inliner = Inliner { module, kept, caller, subst: Subst::new(), variables: vec![], condition };
    let body = inliner.caller.body;
    inliner.region(body);
    let Inliner { mut caller, variables, .. } = inliner;
    caller.regions[body].ops.splice(0..0, variables);
    module.functions[root] = caller;
}

struct Inliner<'m> {
    module: &'m Module,
    /// Functions that stay.
    kept: &'m EntitySet<FuncId>,
    caller: Function,
    subst: Subst,
    /// Variables of callees.
    variables: Vec<OpId>,
    /// Constant true and its type.
    condition: (ConstId, TypeId),
}

/// One call: a callee on its way into the caller.
struct Call<'m> {
    callee: &'m Function,
    /// What values of the callee are in the caller.
    values: SecondaryMap<Value, PackedOption<Value>>,
    /// What constructs of the callee are in the caller.
    labels: HashMap<OpId, OpId>,
    /// The construct that a `return` leaves.
    returns_to: Option<OpId>,
    /// Where the call is.
    loc: Loc,
}

impl Call<'_> {
    /// Where something of the callee comes from: what has no place, as in the standard library, from the call.
    fn place(&self, loc: Loc) -> Loc {
        if loc == Loc::default() { self.loc } else { loc }
    }
}

impl Inliner<'_> {
    /// Replaces the calls of a region of the caller.
    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.caller.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            let subst = &mut self.subst;
            self.caller.ops[op].kind.for_each_operand(|v| *v = subst.get(*v));
            match &mut self.caller.ops[op].kind {
                OpKind::Call { callee, args } if !self.kept.contains(*callee) => {
                    let (callee, args) = (*callee, std::mem::take(args));
                    let (loc, result) = (self.caller.ops[op].loc, self.caller.ops[op].results.first().copied());
                    if let (Some(result), Some(value)) = (result, self.call(callee, &args, loc, &mut kept)) {
                        self.subst.set(result, value);
                    }
                }
                _ => {
                    kept.push(op);
                    for inner in self.caller.regions_of(op) {
                        self.region(inner);
                    }
                }
            }
        }
        let (data, subst) = (&mut self.caller.regions[region], &mut self.subst);
        data.ops = kept;
        data.end.for_each_operand(|v| *v = subst.get(*v));
    }

    /// Puts the body of a callee in place of a call; returns the result.
    fn call(&mut self, callee: FuncId, args: &[Value], loc: Loc, out: &mut Vec<OpId>) -> Option<Value> {
        let module = self.module;
        let callee = &module.functions[callee];
        let values = SecondaryMap::with_capacity(callee.values.len());
        let mut call = Call { callee, values, labels: HashMap::new(), returns_to: None, loc };
        for (&param, &arg) in callee.params.iter().zip(args) {
            call.values[param] = Some(arg).into();
        }
        if returns_at_end_only(callee) {
            self.copy_ops(&mut call, callee.body, out);
            return match callee.regions[callee.body].end {
                Terminator::Return(Some(value)) => Some(self.value(&mut call, value)),
                _ => None,
            };
        }
        let cond = self.caller.const_value(self.condition.0, self.condition.1);
        let (then_region, else_region) = (self.caller.add_region(loc), self.caller.add_region(loc));
        let void = module.types[callee.result] == Type::Void;
        let results = if void { &[][..] } else { &[callee.result] };
        let kind = OpKind::Selection(Selection { cond, then_region, else_region, control: 0 });
        let wrapper = self.caller.add_op(kind, results, loc);
        call.returns_to = Some(wrapper);
        self.copy_region(&mut call, callee.body, then_region);
        // The wrapper's own region merges where the callee's body returns.
        let end = &mut self.caller.regions[then_region].end;
        if let Terminator::Break(op, values) = end
            && *op == wrapper
        {
            *end = Terminator::Merge(std::mem::take(values));
        }
        out.push(wrapper);
        self.caller.ops[wrapper].results.first().copied()
    }

    fn value(&mut self, call: &mut Call<'_>, value: Value) -> Value {
        if let Some(value) = call.values[value].expand() {
            return value;
        }
        let data = call.callee.values[value];
        let copied = match data.def {
            ValueDef::Const(id) => self.caller.const_value(id, data.ty),
            ValueDef::Global(id) => self.caller.global_value(id, data.ty),
            // Not reached in a verified module: every other value is mapped where it is defined.
            _ => value,
        };
        call.values[value] = Some(copied).into();
        copied
    }

    fn copy_region(&mut self, call: &mut Call<'_>, from: RegionId, to: RegionId) {
        let source = &call.callee.regions[from];
        for &arg in &source.args {
            let copied = self.caller.add_arg(to, call.callee.values[arg].ty);
            call.values[arg] = Some(copied).into();
        }
        let mut ops = Vec::with_capacity(source.ops.len());
        self.copy_ops(call, from, &mut ops);
        let mut end = source.end.clone();
        end.for_each_operand(|v| *v = self.value(call, *v));
        match &mut end {
            Terminator::Break(op, _) | Terminator::Continue(op, _) => {
                *op = call.labels.get(op).copied().unwrap_or(*op);
            }
            _ => {}
        }
        if let (Terminator::Return(value), Some(wrapper)) = (&end, call.returns_to) {
            end = Terminator::Break(wrapper, value.iter().copied().collect());
        }
        let region = &mut self.caller.regions[to];
        (region.ops, region.end, region.end_loc) = (ops, end, source.end_loc);
    }

    fn copy_ops(&mut self, call: &mut Call<'_>, from: RegionId, out: &mut Vec<OpId>) {
        for &op in &call.callee.regions[from].ops {
            self.copy_op(call, op, out);
        }
    }

    fn copy_op(&mut self, call: &mut Call<'_>, id: OpId, out: &mut Vec<OpId>) {
        let source = &call.callee.ops[id];
        let loc = call.place(source.loc);
        let mut kind = source.kind.clone();
        kind.for_each_operand(|v| *v = self.value(call, *v));
        let mut store = None;
        match &mut kind {
            OpKind::Call { callee, args } if !self.kept.contains(*callee) => {
                let value = self.call(*callee, args, loc, out);
                if let (Some(&result), Some(_)) = (source.results.first(), value) {
                    call.values[result] = value.into();
                }
                return;
            }
            OpKind::Variable { init } => store = init.take(),
            _ => {}
        }
        let inner = call.callee.regions_of(id);
        let copies: Vec<RegionId> = inner.iter().map(|_| self.caller.add_region(loc)).collect();
        set_regions(&mut kind, &copies);
        let is_variable = matches!(kind, OpKind::Variable { .. });
        let types: SmallVec<[TypeId; 1]> = source.results.iter().map(|&v| call.callee.values[v].ty).collect();
        let copy = self.caller.add_op(kind, &types, loc);
        if !inner.is_empty() {
            call.labels.insert(id, copy);
        }
        for (&from, &to) in inner.iter().zip(&copies) {
            self.copy_region(call, from, to);
        }
        for (&from, &to) in source.results.iter().zip(&self.caller.ops[copy].results) {
            call.values[from] = Some(to).into();
        }
        if !is_variable {
            out.push(copy);
            return;
        }
        self.variables.push(copy);
        if let (Some(init), Some(&pointer)) = (store, self.caller.ops[copy].results.first()) {
            let store = Inst {
                opcode: Opcode::Core(S::Store),
                operands: smallvec![pointer, init],
                literals: smallvec![],
                flags: 0,
            };
            out.push(self.caller.add_op(OpKind::Inst(store), &[], loc));
        }
    }
}

fn returns_at_end_only(function: &Function) -> bool {
    let body = &function.regions[function.body];
    if !matches!(body.end, Terminator::Return(_)) {
        return false;
    }
    let mut nested = false;
    function.for_each_op(function.body, &mut |_, op| {
        nested |= function.regions_of(op).iter().any(|&r| matches!(function.regions[r].end, Terminator::Return(_)));
    });
    !nested
}

/// Puts other regions in place of those of a construct, in order of [`Function::regions_of`].
fn set_regions(kind: &mut OpKind, regions: &[RegionId]) {
    match (kind, regions) {
        (OpKind::Selection(s), &[then_region, else_region]) => {
            (s.then_region, s.else_region) = (then_region, else_region);
        }
        (OpKind::Switch(s), regions) => s.cases.iter_mut().zip(regions).for_each(|(c, &r)| c.region = r),
        (OpKind::Loop(l), &[header, body, cont]) => (l.header, l.body, l.cont) = (header, body, cont),
        _ => {}
    }
}

/// Drops all functions but these.
fn keep(module: &mut Module, remaining: &[FuncId]) {
    let mut ids = HashMap::new();
    let mut kept = PrimaryMap::new();
    for (id, function) in std::mem::take(&mut module.functions) {
        if remaining.contains(&id) {
            ids.insert(id, kept.push(function));
        }
    }
    for function in kept.values_mut() {
        for op in function.ops.values_mut() {
            if let OpKind::Call { callee, .. } = &mut op.kind {
                *callee = ids.get(callee).copied().unwrap_or(*callee);
            }
        }
    }
    module.functions = kept;
    for entry in &mut module.entries {
        entry.func = ids.get(&entry.func).copied().unwrap_or(entry.func);
    }
}
