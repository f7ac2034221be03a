//! Promotion: Function variables, and Private globals that one function alone uses, become values.
//!
//! In: a verified module. Out: the same with every variable in SSA form whose uses are loads and stores of it or of parts at
//! constant indices. Structs, arrays and matrices are split where they are accessed by parts ([`access`]); a
//! vector stays whole, and its components are inserted and extracted, also at dynamic indices. What is indexed dynamically
//! otherwise stays in memory, by itself.
//!
//! Regions have no phis to place: each construct that changes a variable ([`stores`]) gets a result for it, a loop also
//! arguments of its header and continue region, a case that is fallen into an argument; every terminator passes the current
//! values. [`clean`](super::clean) then removes what turns out to be superfluous. Contents of a variable that was not
//! stored to are `undef` (SPIR-V specification, §3.56.8 "OpVariable").
//!
//! A variable in memory whose only stores are whole stores of one constant (glslang's `indexable` copies of constant
//! arrays) becomes a variable with that initialiser at the start of the function, shared by all of that constant.

mod access;
mod stores;

use super::clean;
use super::edges::{self, Own, Target as Edge};
use super::subst::Subst;
use crate::error::Result;
use crate::ir::*;
use access::{NodeId, NodeState, Origin, Part, Plan, Target, VarId};
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::{SmallVec, smallvec};
use spirv::Op as S;
use std::collections::HashMap;

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    let private = private_globals(module);
    for func in funcs {
        let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
        let function = std::mem::replace(&mut module.functions[func], empty);
        module.functions[func] = promote(module, function, &private[func]);
        clean::function(module, func);
    }
    Ok(())
}

/// The Private globals that become values in each function: those that no other function uses, if nothing calls it. (Each is
/// then a variable of whichever function runs; a function that is called finds what its last call left.)
fn private_globals(module: &Module) -> SecondaryMap<FuncId, Vec<GlobalId>> {
    let mut users: SecondaryMap<GlobalId, Vec<FuncId>> = SecondaryMap::new();
    let mut called = EntitySet::new();
    for (id, function) in module.functions.iter() {
        let mut note = |value: Value| {
            if let ValueDef::Global(global) = function.values[value].def
                && module.globals[global].class == StorageClass::Private
                && users[global].last() != Some(&id)
            {
                users[global].push(id);
            }
        };
        function.for_each_op(function.body, &mut |_, op| {
            function.ops[op].kind.for_each_use(&mut note);
            if let OpKind::Call { callee, .. } = function.ops[op].kind {
                called.insert(callee);
            }
        });
        function.all_regions().iter().for_each(|&region| function.regions[region].end.for_each_use(&mut note));
    }
    let mut own: SecondaryMap<FuncId, Vec<GlobalId>> = SecondaryMap::new();
    for (global, users) in users.iter() {
        let alone = called.is_empty() || users.len() == 1;
        users.iter().filter(|&&user| alone && !called.contains(user)).for_each(|&user| own[user].push(global));
    }
    own
}

fn promote(module: &mut Module, mut function: Function, private: &[GlobalId]) -> Function {
    let globals: Vec<(Value, GlobalId)> =
        private.iter().map(|&id| (function.global_value(id, module.globals[id].ty), id)).collect();
    let plan = Plan::new(module, &function, &globals);
    let changed = stores::changed(&function, &plan);
    let mut undefs: HashMap<TypeId, Value> = HashMap::new();
    let mut current = Vec::with_capacity(plan.vars.len());
    for &ty in &plan.vars {
        let undef = *undefs.entry(ty).or_insert_with(|| {
            let id = module.constant(ty, ConstData::Undef);
            function.const_value(id, ty)
        });
        current.push(undef);
    }
    let undefined = current.clone();
    let (subst, memory, hoisted) = (Subst::new(), HashMap::new(), vec![]);
    let mut rewriter = Rewriter { module, function, plan, changed, current, undefined, subst, memory, hoisted };
    rewriter.tables();
    let mut start = vec![];
    rewriter.globals(&mut start);
    let body = rewriter.function.body;
    rewriter.region(body, None);
    let Rewriter { mut function, hoisted, .. } = rewriter;
    function.regions[body].ops.splice(0..0, hoisted.into_iter().chain(start));
    function
}

struct Rewriter<'m> {
    module: &'m mut Module,
    function: Function,
    plan: Plan,
    /// Variables that a construct changes.
    changed: SecondaryMap<OpId, Vec<VarId>>,
    /// Value of each variable at the point of the walk.
    current: Vec<Value>,
    /// `undef` for each variable.
    undefined: Vec<Value>,
    subst: Subst,
    /// Addresses of nodes that have become variables of their own.
    memory: HashMap<NodeId, Value>,
    /// Variables to put at the start of the function.
    hoisted: Vec<OpId>,
}

impl Rewriter<'_> {
    /// Gives constant tables their initialiser, one variable for each constant.
    fn tables(&mut self) {
        let mut shared: HashMap<ConstId, Value> = HashMap::new();
        for root in &self.plan.roots {
            let (Some(constant), Origin::Op(op)) = (root.table, root.origin) else { continue };
            if let Some(&first) = shared.get(&constant) {
                self.subst.set(root.pointer, first);
                continue;
            }
            shared.insert(constant, root.pointer);
            let ty = self.module.consts[constant].ty;
            let init = Some(self.function.const_value(constant, ty));
            self.function.ops[op].kind = OpKind::Variable { init };
            self.hoisted.push(op);
        }
    }

    fn globals(&mut self, out: &mut Vec<OpId>) {
        for root in 0..self.plan.roots.len() {
            let node = self.plan.roots[root].node;
            let Origin::Global(global) = self.plan.roots[root].origin else { continue };
            if matches!(self.plan.nodes[node].state, NodeState::Memory(_)) {
                continue;
            }
            let init = self.module.globals[global].init;
            let init = init.map(|id| self.function.const_value(id, self.module.consts[id].ty));
            self.declare(node, init, Loc::default(), out);
        }
    }

    fn region(&mut self, region: RegionId, own: Own) {
        let ops = std::mem::take(&mut self.function.regions[region].ops);
        let mut out = Vec::with_capacity(ops.len());
        for op in ops {
            self.op(op, &mut out);
        }
        let (changed, current, subst) = (&self.changed, &self.current, &mut self.subst);
        let data = &mut self.function.regions[region];
        data.ops = out;
        data.end.for_each_operand(|v| *v = subst.get(*v));
        edges::for_each_exit(&mut data.end, own, |target, values| {
            values.extend(changed[target.op()].iter().map(|&var| current[var]));
        });
    }

    fn op(&mut self, id: OpId, out: &mut Vec<OpId>) {
        // Pointers are looked up as they were when the function was looked at.
        let target = match &self.function.ops[id].kind {
            OpKind::Inst(inst) => inst.operands.first().and_then(|&pointer| self.plan.pointers[pointer]),
            OpKind::Variable { .. } => {
                self.function.ops[id].results.first().and_then(|&pointer| self.plan.pointers[pointer])
            }
            _ => None,
        };
        let subst = &mut self.subst;
        self.function.ops[id].kind.for_each_operand(|v| *v = subst.get(*v));
        match (&self.function.ops[id].kind, target) {
            (OpKind::Variable { init }, Some(target)) => {
                let init = *init;
                self.variable(id, target, init, out);
            }
            (OpKind::Inst(inst), Some(target)) => match inst.opcode {
                Opcode::Core(S::Load) => self.load(id, target, out),
                Opcode::Core(S::Store) => self.store(id, target, out),
                Opcode::Core(S::AccessChain | S::InBoundsAccessChain) => self.chain(id, target.node, out),
                _ => out.push(id),
            },
            (kind, _) if kind.is_construct() => {
                out.push(id);
                self.construct(id);
            }
            _ => out.push(id),
        }
    }

    fn variable(&mut self, id: OpId, target: Target, init: Option<Value>, out: &mut Vec<OpId>) {
        if self.table(target).is_some() {
            return;
        }
        match self.plan.nodes[target.node].state {
            NodeState::Memory(_) => out.push(id),
            NodeState::Value(_) | NodeState::Split => {
                let loc = self.function.ops[id].loc;
                self.declare(target.node, init, loc, out);
            }
        }
    }

    fn table(&self, target: Target) -> Option<ConstId> {
        self.plan.roots[self.plan.nodes[target.node].root].table
    }

    /// The variables of a node come into being.
    fn declare(&mut self, node: NodeId, init: Option<Value>, loc: Loc, out: &mut Vec<OpId>) {
        match self.plan.nodes[node].state {
            NodeState::Value(var) => self.current[var] = init.unwrap_or(self.undefined[var]),
            NodeState::Memory(_) => {
                let ty = self.module.types.pointer(StorageClass::Function, self.plan.nodes[node].ty);
                let op = self.function.add_op(OpKind::Variable { init }, &[ty], loc);
                out.push(op);
                self.memory.insert(node, self.function.ops[op].results[0]);
            }
            NodeState::Split => {
                for (index, part) in self.plan.nodes[node].parts.clone().into_iter().enumerate() {
                    let init = init.map(|value| self.extract(value, index as u32, loc, out));
                    self.declare(part, init, loc, out);
                }
            }
        }
    }

    /// The address of a node that is in memory as a whole.
    fn address(&self, node: NodeId) -> Value {
        self.memory.get(&node).copied().unwrap_or(self.plan.roots[self.plan.nodes[node].root].pointer)
    }

    fn load(&mut self, id: OpId, target: Target, out: &mut Vec<OpId>) {
        let Some(&result) = self.function.ops[id].results.first() else { return };
        let (loc, ty) = (self.function.ops[id].loc, self.function.values[result].ty);
        let value = match (self.plan.nodes[target.node].state, target.part) {
            (NodeState::Value(var), Part::Component(index)) => {
                let vector = self.current[var];
                self.extract(vector, index, loc, out)
            }
            (NodeState::Value(var), Part::Dynamic(index)) => {
                let operands = smallvec![self.current[var], self.subst.get(index)];
                self.emit(S::VectorExtractDynamic, operands, &[], ty, loc, out)
            }
            (NodeState::Value(var), _) => self.current[var],
            (NodeState::Split, _) => self.assemble(target.node, loc, out),
            (NodeState::Memory(_), _) => return out.push(id),
        };
        self.subst.set(result, value);
    }

    fn store(&mut self, id: OpId, target: Target, out: &mut Vec<OpId>) {
        if self.table(target).is_some() {
            return;
        }
        let OpKind::Inst(inst) = &self.function.ops[id].kind else { return };
        let Some(&value) = inst.operands.get(1) else { return };
        let (loc, ty) = (self.function.ops[id].loc, self.plan.nodes[target.node].ty);
        match (self.plan.nodes[target.node].state, target.part) {
            (NodeState::Value(var), Part::Component(index)) => {
                let operands = smallvec![value, self.current[var]];
                self.current[var] = self.emit(S::CompositeInsert, operands, &[index], ty, loc, out);
            }
            (NodeState::Value(var), Part::Dynamic(index)) => {
                let operands = smallvec![self.current[var], value, self.subst.get(index)];
                self.current[var] = self.emit(S::VectorInsertDynamic, operands, &[], ty, loc, out);
            }
            (NodeState::Value(var), _) => self.current[var] = value,
            (NodeState::Split, _) => self.scatter(target.node, value, loc, out),
            (NodeState::Memory(_), _) => out.push(id),
        }
    }

    fn chain(&mut self, id: OpId, base: NodeId, out: &mut Vec<OpId>) {
        let OpKind::Inst(inst) = &self.function.ops[id].kind else { return };
        let Some(&result) = self.function.ops[id].results.first() else { return };
        let Some(target) = self.plan.pointers[result] else { return };
        let NodeState::Memory(whole) = self.plan.nodes[target.node].state else { return };
        let base = &self.plan.nodes[base];
        if matches!(base.state, NodeState::Memory(_)) {
            return out.push(id);
        }
        let consumed = self.plan.nodes[whole].depth - base.depth;
        let address = self.address(whole);
        let rest: SmallVec<[Value; 4]> =
            std::iter::once(address).chain(inst.operands[1..].iter().copied().skip(consumed)).collect();
        if rest.len() == 1 {
            self.subst.set(result, address);
            return;
        }
        if let OpKind::Inst(inst) = &mut self.function.ops[id].kind {
            inst.operands = rest;
        }
        out.push(id);
    }

    /// All of a node as one value.
    fn assemble(&mut self, node: NodeId, loc: Loc, out: &mut Vec<OpId>) -> Value {
        let ty = self.plan.nodes[node].ty;
        match self.plan.nodes[node].state {
            NodeState::Value(var) => self.current[var],
            NodeState::Memory(_) => {
                let address = self.address(node);
                self.emit(S::Load, smallvec![address], &[], ty, loc, out)
            }
            NodeState::Split => {
                let parts = self.plan.nodes[node].parts.clone();
                let parts = parts.into_iter().map(|part| self.assemble(part, loc, out)).collect();
                self.emit(S::CompositeConstruct, parts, &[], ty, loc, out)
            }
        }
    }

    /// Stores all of a node.
    fn scatter(&mut self, node: NodeId, value: Value, loc: Loc, out: &mut Vec<OpId>) {
        match self.plan.nodes[node].state {
            NodeState::Value(var) => self.current[var] = value,
            NodeState::Memory(_) => {
                let operands = smallvec![self.address(node), value];
                let store = Inst { opcode: Opcode::Core(S::Store), operands, literals: smallvec![], flags: 0 };
                out.push(self.function.add_op(OpKind::Inst(store), &[], loc));
            }
            NodeState::Split => {
                for (index, part) in self.plan.nodes[node].parts.clone().into_iter().enumerate() {
                    let value = self.extract(value, index as u32, loc, out);
                    self.scatter(part, value, loc, out);
                }
            }
        }
    }

    fn emit(
        &mut self,
        opcode: S,
        operands: Operands,
        literals: &[u32],
        ty: TypeId,
        loc: Loc,
        out: &mut Vec<OpId>,
    ) -> Value {
        let (opcode, literals) = (Opcode::Core(opcode), SmallVec::from_slice(literals));
        let op = self.function.add_op(OpKind::Inst(Inst { opcode, operands, literals, flags: 0 }), &[ty], loc);
        out.push(op);
        self.function.ops[op].results[0]
    }

    /// A constituent of a value: of a constant or a construction at once, else by an instruction.
    fn extract(&mut self, value: Value, index: u32, loc: Loc, out: &mut Vec<OpId>) -> Value {
        let ty = self.function.values[value].ty;
        let part_type = match self.module.types[ty] {
            Type::Vector { component, .. } => self.module.types.scalar(component),
            _ => self.module.types.constituent(ty, index).unwrap_or(ty),
        };
        match self.function.values[value].def {
            ValueDef::Const(id) => {
                let part = match &self.module.consts[id].data {
                    ConstData::Composite(parts) => parts.get(index as usize).copied(),
                    ConstData::Null => Some(self.module.constant(part_type, ConstData::Null)),
                    ConstData::Undef | ConstData::Bits(_) => Some(self.module.constant(part_type, ConstData::Undef)),
                };
                if let Some(part) = part {
                    return self.function.const_value(part, part_type);
                }
            }
            ValueDef::Result(op, 0) if !matches!(self.module.types[ty], Type::Vector { .. }) => {
                if let OpKind::Inst(inst) = &self.function.ops[op].kind
                    && inst.opcode == Opcode::Core(S::CompositeConstruct)
                    && let Some(&part) = inst.operands.get(index as usize)
                {
                    return self.subst.get(part);
                }
            }
            _ => {}
        }
        self.emit(S::CompositeExtract, smallvec![value], &[index], part_type, loc, out)
    }

    fn construct(&mut self, id: OpId) {
        let vars = self.changed[id].clone();
        let before: Vec<Value> = vars.iter().map(|&var| self.current[var]).collect();
        let mut falls = false;
        for (region, place) in edges::regions(&self.function, id) {
            let entry = match place {
                edges::Place::Header => Some(Edge::Header(id)),
                edges::Place::Continue => Some(Edge::Continue(id)),
                edges::Place::Case(index) if falls => Some(Edge::Case(id, index)),
                edges::Place::Case(_) | edges::Place::Side | edges::Place::Body => None,
            };
            match entry {
                Some(entry) => {
                    for &var in &vars {
                        self.current[var] = self.function.add_arg(region, self.plan.vars[var]);
                    }
                    edges::for_each_entry(&mut self.function.ops[id].kind, id, |edge, values| {
                        if edge == entry {
                            values.extend(&before);
                        }
                    });
                }
                // The body of a loop goes on from its header.
                None if place == edges::Place::Body => {}
                None => vars.iter().zip(&before).for_each(|(&var, &value)| self.current[var] = value),
            }
            self.region(region, Some((id, place)));
            falls = matches!(self.function.regions[region].end, Terminator::Fallthrough(_));
        }
        for &var in &vars {
            self.current[var] = self.function.add_result(id, self.plan.vars[var]);
        }
    }
}
