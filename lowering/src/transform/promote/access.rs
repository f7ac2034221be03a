//! How variables are accessed, and into which parts they are split.
//!
//! In: a function. Out: a [`Plan`]: a tree of [`Node`]s for each variable, split where constant indices reach below a
//! struct, array or matrix. A leaf is a *value* (what the rewrite turns into SSA form) or stays in *memory*: because it is indexed
//! dynamically, its address is used otherwise than to load and store, an access is volatile, or it is too large.

use crate::ir::*;
use cranelift_entity::SecondaryMap;
use spirv::Op as S;

/// A larger composite is not split.
const MAX_PARTS: u32 = 64;
/// A part of more scalars than this stays in memory.
const MAX_SCALARS: usize = 256;
/// Most nodes of a variable, and of all variables of a function; a composite that would exceed it is not split.
const MAX_NODES: [usize; 2] = [512, 100_000];

pub(super) type NodeId = usize;
pub(super) type VarId = usize;

/// A variable, or a constituent of one.
pub(super) struct Node {
    pub ty: TypeId,
    pub root: usize,
    /// Number of indices that lead from the root to it.
    pub depth: usize,
    /// Empty unless the composite is split.
    pub parts: Vec<NodeId>,
    /// Must be in memory as a whole.
    memory: bool,
    pub state: NodeState,
}

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeState {
    /// Its parts are on their own.
    Split,
    /// A value.
    Value(VarId),
    /// In memory, as (a part of) that node.
    Memory(NodeId),
}

/// A variable.
pub(super) struct Root {
    pub node: NodeId,
    /// Address.
    pub pointer: Value,
    /// Where it comes from.
    pub origin: Origin,
    /// The region that declares it.
    pub region: RegionId,
    /// Number of nodes.
    nodes: usize,
    /// The address is used other than for loads, stores and access chains, or an access is volatile.
    escaped: bool,
    /// A store to a part.
    partial: bool,
    /// What whole stores store.
    stored: Stored,
    /// In memory, and never anything but this constant.
    pub table: Option<ConstId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A `Variable`.
    Op(OpId),
    /// A Private global.
    Global(GlobalId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Nothing,
    Constant(ConstId),
    Else,
}

/// What a pointer points to: a node, or something in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub node: NodeId,
    pub part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of the node.
    Whole,
    /// That component of a vector.
    Component(u32),
    /// A component of a vector, by a value.
    Dynamic(Value),
    /// Something below; the node is in memory.
    Deep,
}

/// What was found.
pub(super) struct Plan {
    pub nodes: Vec<Node>,
    pub roots: Vec<Root>,
    /// Type of each value variable.
    pub vars: Vec<TypeId>,
    /// Root of each value variable.
    pub var_roots: Vec<usize>,
    pub pointers: SecondaryMap<Value, Option<Target>>,
}

impl Plan {
    /// Calls `f` on the value variables in a node.
    pub fn for_each_var(&self, node: NodeId, f: &mut impl FnMut(VarId)) {
        match self.nodes[node].state {
            NodeState::Value(var) => f(var),
            NodeState::Memory(_) => {}
            NodeState::Split => self.nodes[node].parts.iter().for_each(|&part| self.for_each_var(part, f)),
        }
    }

    /// Looks at a function. `globals` are the Private globals that may be treated as variables of the function.
    pub fn new(module: &Module, function: &Function, globals: &[(Value, GlobalId)]) -> Plan {
        let plan = Plan {
            nodes: vec![],
            roots: vec![],
            vars: vec![],
            var_roots: vec![],
            pointers: SecondaryMap::with_capacity(function.values.len()),
        };
        let mut finder = Finder { module, function, plan };
        for &(pointer, global) in globals {
            finder.root(pointer, Origin::Global(global), function.body);
        }
        function.for_each_op(function.body, &mut |region, op| finder.op(region, op));
        for region in function.all_regions() {
            function.regions[region].end.for_each_use(|value| finder.escape(value));
        }
        finder.finish()
    }
}

struct Finder<'m> {
    module: &'m Module,
    function: &'m Function,
    plan: Plan,
}

impl Finder<'_> {
    fn root(&mut self, pointer: Value, origin: Origin, region: RegionId) {
        let Some((_, ty)) = self.module.types.pointee(self.function.values[pointer].ty) else { return };
        let root = self.plan.roots.len();
        let node = self.node(ty, root, 0);
        let (nodes, escaped, partial, stored, table) = (1, false, false, Stored::Nothing, None);
        self.plan.roots.push(Root { node, pointer, origin, region, nodes, escaped, partial, stored, table });
        self.plan.pointers[pointer] = Some(Target { node, part: Part::Whole });
    }

    fn node(&mut self, ty: TypeId, root: usize, depth: usize) -> NodeId {
        self.plan.nodes.push(Node { ty, root, depth, parts: vec![], memory: false, state: NodeState::Split });
        self.plan.nodes.len() - 1
    }

    fn root_of(&mut self, node: NodeId) -> &mut Root {
        let root = self.plan.nodes[node].root;
        &mut self.plan.roots[root]
    }

    fn op(&mut self, region: RegionId, id: OpId) {
        let op = &self.function.ops[id];
        match &op.kind {
            OpKind::Variable { init } => {
                if let &[pointer] = &op.results[..] {
                    self.root(pointer, Origin::Op(id), region);
                }
                init.iter().for_each(|&init| self.escape(init));
            }
            OpKind::Inst(inst) => self.inst(op, inst),
            kind => kind.for_each_use(|value| self.escape(value)),
        }
    }

    fn inst(&mut self, op: &Op, inst: &Inst) {
        let first = inst.operands.first().copied();
        let target = first.and_then(|value| self.plan.pointers[value]);
        let simple = inst.flags & VOLATILE == 0;
        match (inst.opcode, target) {
            (Opcode::Core(S::Load), Some(_)) if simple => {}
            (Opcode::Core(S::Store), Some(target)) if simple => {
                let Some(&value) = inst.operands.get(1) else { return };
                self.escape(value);
                self.stored(target, value);
            }
            (Opcode::Core(S::AccessChain | S::InBoundsAccessChain), Some(target)) => {
                let Some(&result) = op.results.first() else { return };
                let target = self.chain(target, &inst.operands[1..]);
                self.plan.pointers[result] = Some(target);
                inst.operands[1..].iter().for_each(|&index| self.escape(index));
            }
            _ => inst.operands.iter().for_each(|&value| self.escape(value)),
        }
    }

    fn stored(&mut self, target: Target, value: Value) {
        let constant = self.function.as_const(value);
        let root = self.root_of(target.node);
        if target.node != root.node || target.part != Part::Whole {
            root.partial = true;
            return;
        }
        root.stored = match (root.stored, constant) {
            (Stored::Nothing, Some(constant)) => Stored::Constant(constant),
            (Stored::Constant(before), Some(constant)) if before == constant => root.stored,
            _ => Stored::Else,
        };
    }

    /// A use that needs an address.
    fn escape(&mut self, value: Value) {
        if let Some(target) = self.plan.pointers[value] {
            self.plan.nodes[target.node].memory = true;
            self.root_of(target.node).escaped = true;
        }
    }

    fn chain(&mut self, base: Target, indices: &[Value]) -> Target {
        let mut node = base.node;
        if base.part != Part::Whole {
            if !indices.is_empty() {
                self.plan.nodes[node].memory = true;
                return Target { node, part: Part::Deep };
            }
            return base;
        }
        for (position, &index) in indices.iter().enumerate() {
            let constant = self.function.as_const(index).and_then(|id| self.module.scalar_bits(id));
            let constant = constant.and_then(|bits| u32::try_from(bits).ok());
            if let Type::Vector { count, .. } = self.module.types[self.plan.nodes[node].ty] {
                let part = match constant {
                    Some(component) if component < u32::from(count) => Part::Component(component),
                    None if self.function.as_const(index).is_none() => Part::Dynamic(index),
                    _ => Part::Deep,
                };
                if part == Part::Deep || position + 1 != indices.len() {
                    self.plan.nodes[node].memory = true;
                    return Target { node, part: Part::Deep };
                }
                return Target { node, part };
            }
            match constant.and_then(|index| self.part(node, index)) {
                Some(part) => node = part,
                None => {
                    self.plan.nodes[node].memory = true;
                    return Target { node, part: Part::Deep };
                }
            }
        }
        Target { node, part: Part::Whole }
    }

    /// The part `index` of a node, which is split now if it was not.
    fn part(&mut self, node: NodeId, index: u32) -> Option<NodeId> {
        let Node { ty, root, depth, .. } = self.plan.nodes[node];
        if self.plan.nodes[node].parts.is_empty() {
            let count = self.module.types.constituents(ty)?;
            let of_root = &mut self.plan.roots[root].nodes;
            let sizes = [*of_root, self.plan.nodes.len()].map(|nodes| nodes + count as usize);
            if count > MAX_PARTS || sizes.iter().zip(MAX_NODES).any(|(&size, most)| size > most) {
                return None;
            }
            *of_root = sizes[0];
            let types: Option<Vec<TypeId>> = (0..count).map(|i| self.module.types.constituent(ty, i)).collect();
            self.plan.nodes[node].parts = types?.into_iter().map(|ty| self.node(ty, root, depth + 1)).collect();
        }
        self.plan.nodes[node].parts.get(index as usize).copied()
    }

    fn finish(mut self) -> Plan {
        for root in 0..self.plan.roots.len() {
            let node = self.plan.roots[root].node;
            self.settle_sizes(node);
        }
        // A global is a value as a whole or not at all: what stays in memory keeps its storage class.
        for node in 0..self.plan.nodes.len() {
            let root = self.plan.nodes[node].root;
            if self.plan.nodes[node].memory && matches!(self.plan.roots[root].origin, Origin::Global(_)) {
                let whole = self.plan.roots[root].node;
                self.plan.nodes[whole].memory = true;
            }
        }
        for root in 0..self.plan.roots.len() {
            let node = self.plan.roots[root].node;
            self.settle(node, None);
            self.plan.roots[root].table = self.table(root);
        }
        self.plan
    }

    /// Leaves that have no value form, or one that is too large, are in memory.
    fn settle_sizes(&mut self, node: NodeId) {
        let ty = self.plan.nodes[node].ty;
        if self.plan.nodes[node].parts.is_empty() && self.module.types.leaves(ty, MAX_SCALARS).is_none() {
            self.plan.nodes[node].memory = true;
        }
        for part in self.plan.nodes[node].parts.clone() {
            self.settle_sizes(part);
        }
    }

    fn settle(&mut self, node: NodeId, memory: Option<NodeId>) {
        let memory = memory.or(self.plan.nodes[node].memory.then_some(node));
        let parts = self.plan.nodes[node].parts.clone();
        self.plan.nodes[node].state = match memory {
            Some(whole) => NodeState::Memory(whole),
            None if parts.is_empty() => {
                self.plan.vars.push(self.plan.nodes[node].ty);
                self.plan.var_roots.push(self.plan.nodes[node].root);
                NodeState::Value(self.plan.vars.len() - 1)
            }
            None => NodeState::Split,
        };
        for part in parts {
            self.settle(part, memory);
        }
    }

    fn table(&self, root: usize) -> Option<ConstId> {
        let root = &self.plan.roots[root];
        let Origin::Op(op) = root.origin else { return None };
        let OpKind::Variable { init } = self.function.ops[op].kind else { return None };
        let in_memory = matches!(self.plan.nodes[root.node].state, NodeState::Memory(_));
        if !in_memory || root.escaped || root.partial {
            return None;
        }
        let init = init.map(|value| self.function.as_const(value));
        match (init, root.stored) {
            (None, Stored::Constant(constant)) => Some(constant),
            (Some(Some(constant)), Stored::Nothing) => Some(constant),
            (Some(Some(init)), Stored::Constant(constant)) if init == constant => Some(constant),
            _ => None,
        }
    }
}
