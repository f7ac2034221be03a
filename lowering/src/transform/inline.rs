//! Inlining: every `OpFunctionCall` is replaced by the body of its callee.
//!
//! In: a verified module. Out: a module of the functions that nothing calls (the entry points' where there are any), without calls.
//!
//! A callee that returns only at the end of its body is spliced in. Any other becomes a selection on constant true whose
//! result is what it returns: `return` is a `break` out of it. Pointer parameters become the pointers passed, as
//! GLSL's `out` and `inout` parameters are pointers to Function variables (SPIR-V specification, §3.56.9 "Function
//! Instructions"). The callee's variables move to the start of the caller's body; one with an initialiser is stored to
//! where its operation stood, since a call in a loop initialises it each time.

use super::subst::Subst;
use crate::error::{Error, Place, Result};
use crate::ir::*;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use smallvec::smallvec;
use spirv::Op as S;
use std::collections::HashMap;

/// Most operations that a function may have after inlining.
pub const MAX_OPS: usize = 200_000;

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let roots = roots(module);
    let order = bottom_up(module, &roots)?;
    for func in order {
        if size_after(module, func)?.calls {
            inline_into(module, func)?;
        }
    }
    keep(module, &roots);
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

fn callees(function: &Function) -> Vec<(FuncId, Loc)> {
    let mut calls = Vec::new();
    function.for_each_op(function.body, &mut |_, op| {
        if let OpKind::Call { callee, .. } = function.ops[op].kind {
            calls.push((callee, function.ops[op].loc));
        }
    });
    calls
}

/// Functions that the roots reach, callees before callers.
fn bottom_up(module: &Module, roots: &[FuncId]) -> Result<Vec<FuncId>> {
    #[derive(Clone, Copy, Default, PartialEq)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state: SecondaryMap<FuncId, State> = SecondaryMap::new();
    let mut order = Vec::new();
    let mut stack: Vec<(FuncId, std::vec::IntoIter<(FuncId, Loc)>)> = Vec::new();
    for &root in roots {
        if state[root] == State::New {
            state[root] = State::Open;
            stack.push((root, callees(&module.functions[root]).into_iter()));
        }
        while let Some((func, rest)) = stack.last_mut() {
            match rest.next() {
                Some((callee, loc)) => match state[callee] {
                    State::New => {
                        state[callee] = State::Open;
                        stack.push((callee, callees(&module.functions[callee]).into_iter()));
                    }
                    State::Open => {
                        return Err(Error::Unsupported {
                            place: place(module, loc),
                            instruction: "OpFunctionCall".into(),
                            reason: format!(
                                "\"{}\" calls itself, directly or through others: shaders cannot recurse",
                                module.functions[callee].name
                            ),
                        });
                    }
                    State::Done => {}
                },
                None => {
                    state[*func] = State::Done;
                    order.push(*func);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn place(module: &Module, loc: Loc) -> Place {
    let file = if loc.line > 0 { module.files.get(loc.file as usize).cloned() } else { None };
    Place { loc, file }
}

struct Size {
    calls: bool,
}

/// Checks the size and nesting that a function has when its calls, whose callees hold none, are inlined.
fn size_after(module: &Module, func: FuncId) -> Result<Size> {
    let function = &module.functions[func];
    let mut extents: HashMap<FuncId, (usize, usize)> = HashMap::new();
    let mut calls = false;
    let (mut total, mut deepest) = (0usize, 0usize);
    let mut stack = vec![(function.body, 0usize)];
    while let Some((region, depth)) = stack.pop() {
        for &op in &function.regions[region].ops {
            total += 1;
            stack.extend(function.regions_of(op).into_iter().map(|r| (r, depth + 1)));
            deepest = deepest.max(depth + 1);
            if let OpKind::Call { callee, .. } = function.ops[op].kind {
                calls = true;
                let (ops, nesting) = *extents.entry(callee).or_insert_with(|| extent(&module.functions[callee]));
                total = total.saturating_add(ops);
                deepest = deepest.max(depth + 1 + nesting);
            }
        }
    }
    let too_large = |what: String| {
        Err(Error::Limit { place: place(module, function.loc), what: format!("function \"{}\" {what}", function.name) })
    };
    if calls && total > MAX_OPS {
        return too_large(format!(
            "has {total} operations with the functions it calls, and {MAX_OPS} are the most that are inlined; call less, or in a loop"
        ));
    }
    if calls && deepest > MAX_NESTING {
        return too_large(format!("nests constructs deeper than {MAX_NESTING} with the functions it calls"));
    }
    Ok(Size { calls })
}

/// Number of operations and depth of nesting of a function.
fn extent(function: &Function) -> (usize, usize) {
    let (mut total, mut deepest) = (0, 0);
    let mut stack = vec![(function.body, 0usize)];
    while let Some((region, depth)) = stack.pop() {
        deepest = deepest.max(depth);
        for &op in &function.regions[region].ops {
            total += 1;
            stack.extend(function.regions_of(op).into_iter().map(|r| (r, depth + 1)));
        }
    }
    (total, deepest)
}

fn inline_into(module: &mut Module, func: FuncId) -> Result<()> {
    let condition = {
        let ty = module.types.scalar(Scalar::Bool);
        (module.constant(ty, ConstData::Bits(1)), ty)
    };
    let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
    let caller = std::mem::replace(&mut module.functions[func], empty);
    let mut inliner = Inliner { module, caller, subst: Subst::new(), variables: vec![], condition };
    let body = inliner.caller.body;
    inliner.region(body);
    let Inliner { mut caller, variables, .. } = inliner;
    caller.regions[body].ops.splice(0..0, variables);
    module.functions[func] = caller;
    Ok(())
}

struct Inliner<'m> {
    module: &'m mut Module,
    caller: Function,
    subst: Subst,
    /// Variables of callees.
    variables: Vec<OpId>,
    /// Constant true and its type.
    condition: (ConstId, TypeId),
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
                OpKind::Call { callee, args } => {
                    let (callee, args) = (*callee, std::mem::take(args));
                    self.call(op, callee, &args, &mut kept);
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

    fn call(&mut self, call: OpId, callee: FuncId, args: &[Value], out: &mut Vec<OpId>) {
        let callee = &self.module.functions[callee];
        let mut copy = Copier {
            callee,
            caller: &mut self.caller,
            values: SecondaryMap::new(),
            labels: HashMap::new(),
            variables: &mut self.variables,
            returns_to: None,
        };
        for (&param, &arg) in callee.params.iter().zip(args) {
            copy.values[param] = Some(arg).into();
        }
        let result = copy.caller.ops[call].results.first().copied();
        let loc = copy.caller.ops[call].loc;
        if returns_at_end_only(callee) {
            copy.ops(callee.body, out);
            if let (Some(result), Terminator::Return(Some(value))) = (result, &callee.regions[callee.body].end) {
                let value = copy.value(*value);
                self.subst.set(result, value);
            }
            return;
        }
        let condition = copy.caller.const_value(self.condition.0, self.condition.1);
        let (then_region, else_region) = (copy.caller.add_region(loc), copy.caller.add_region(loc));
        let results: Vec<TypeId> = result.iter().map(|&v| copy.caller.values[v].ty).collect();
        let kind = OpKind::Selection(Selection { cond: condition, then_region, else_region, control: 0 });
        let wrapper = copy.caller.add_op(kind, &results, loc);
        copy.returns_to = Some(wrapper);
        copy.region(callee.body, then_region);
        // The wrapper's own region merges where the callee's body returns.
        let end = &mut self.caller.regions[then_region].end;
        if let Terminator::Break(op, values) = end
            && *op == wrapper
        {
            *end = Terminator::Merge(std::mem::take(values));
        }
        if let (Some(result), Some(&value)) = (result, self.caller.ops[wrapper].results.first()) {
            self.subst.set(result, value);
        }
        out.push(wrapper);
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

/// Copies a callee into a caller.
struct Copier<'a> {
    callee: &'a Function,
    caller: &'a mut Function,
    /// What values of the callee are in the caller.
    values: SecondaryMap<Value, cranelift_entity::packed_option::PackedOption<Value>>,
    labels: HashMap<OpId, OpId>,
    variables: &'a mut Vec<OpId>,
    /// The construct that a `return` leaves.
    returns_to: Option<OpId>,
}

impl Copier<'_> {
    fn value(&mut self, value: Value) -> Value {
        if let Some(value) = self.values[value].expand() {
            return value;
        }
        let data = self.callee.values[value];
        let copied = match data.def {
            ValueDef::Const(id) => self.caller.const_value(id, data.ty),
            ValueDef::Global(id) => self.caller.global_value(id, data.ty),
            // Not reached in a verified module: every other value is mapped where it is defined.
            _ => value,
        };
        self.values[value] = Some(copied).into();
        copied
    }

    fn region(&mut self, from: RegionId, to: RegionId) {
        let source = &self.callee.regions[from];
        for &arg in &source.args {
            let copied = self.caller.add_arg(to, self.callee.values[arg].ty);
            self.values[arg] = Some(copied).into();
        }
        let mut ops = Vec::with_capacity(source.ops.len());
        self.ops(from, &mut ops);
        let mut end = source.end.clone();
        end.for_each_operand(|v| *v = self.value(*v));
        match &mut end {
            Terminator::Break(op, _) | Terminator::Continue(op, _) => {
                *op = self.labels.get(op).copied().unwrap_or(*op);
            }
            _ => {}
        }
        if let (Terminator::Return(value), Some(wrapper)) = (&end, self.returns_to) {
            end = Terminator::Break(wrapper, value.iter().copied().collect());
        }
        let region = &mut self.caller.regions[to];
        (region.ops, region.end, region.end_loc) = (ops, end, source.end_loc);
    }

    fn ops(&mut self, from: RegionId, out: &mut Vec<OpId>) {
        for &op in &self.callee.regions[from].ops {
            self.op(op, out);
        }
    }

    fn op(&mut self, id: OpId, out: &mut Vec<OpId>) {
        let source = &self.callee.ops[id];
        let mut kind = source.kind.clone();
        kind.for_each_operand(|v| *v = self.value(*v));
        let mut store = None;
        if let OpKind::Variable { init } = &mut kind {
            store = init.take();
        }
        let inner = self.callee.regions_of(id);
        let copies: Vec<RegionId> = inner.iter().map(|_| self.caller.add_region(source.loc)).collect();
        set_regions(&mut kind, &copies);
        let is_variable = matches!(kind, OpKind::Variable { .. });
        let types: Vec<TypeId> = source.results.iter().map(|&v| self.callee.values[v].ty).collect();
        let copy = self.caller.add_op(kind, &types, source.loc);
        self.labels.insert(id, copy);
        for (&from, &to) in inner.iter().zip(&copies) {
            self.region(from, to);
        }
        for (&from, &to) in source.results.iter().zip(&self.caller.ops[copy].results) {
            self.values[from] = Some(to).into();
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
            out.push(self.caller.add_op(OpKind::Inst(store), &[], source.loc));
        }
    }
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

/// Drops all functions but the roots.
fn keep(module: &mut Module, roots: &[FuncId]) {
    let mut ids = HashMap::new();
    let mut kept = PrimaryMap::new();
    for (id, function) in std::mem::take(&mut module.functions) {
        if roots.contains(&id) {
            ids.insert(id, kept.push(function));
        }
    }
    module.functions = kept;
    for entry in &mut module.entries {
        entry.func = ids.get(&entry.func).copied().unwrap_or(entry.func);
    }
}
