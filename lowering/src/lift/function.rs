//! A function: its blocks, its values and where they are visible.
//!
//! SSA ids of SPIR-V are visible by dominance, values of the IR by nesting of regions. Every region that is being filled,
//! or holds one that is, is *open*; a value is visible while the region that defines it is open. An id that is used where
//! none of its values is visible is *demoted*: stored to a Function variable after its definition and loaded before the
//! use. A phi is demoted always: each predecessor stores at its end, and the phi's block loads all of its phis before
//! anything else, so that phis that swap do swap. Pointers, which no variable can hold, are computed again instead.

use super::Lifter;
use super::constants::is_constant;
use super::source::{Inst, ends_block};
use super::structure::Construct;
use crate::error::Result;
use crate::ir::{
    self, FuncId, Loc, OpId, OpKind, Opcode, RegionId, StorageClass, Terminator, Type, TypeId, Value, ValueDef,
};
use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};
use spirv::Op;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A basic block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Phis, in [`Source::insts`](super::source::Source::insts).
    pub phis: Range<usize>,
    /// Instructions without control flow.
    pub body: Range<usize>,
    /// Merge instruction.
    pub merge: Option<Inst>,
    /// Terminator.
    pub end: Inst,
    /// Labels that it may branch to, without duplicates.
    pub successors: SmallVec<[u32; 2]>,
}

/// State of lifting a function.
pub(super) struct FunctionLifter<'l, 'a> {
    pub lifter: &'l mut Lifter<'a>,
    pub f: ir::Function,
    pub blocks: HashMap<u32, Block>,
    /// Values of each id, with the region of each.
    env: HashMap<u32, SmallVec<[(Value, RegionId); 1]>>,
    /// Ids that stand for another (`OpCopyObject`).
    pub aliases: HashMap<u32, u32>,
    /// Pointers to memory that is volatile or coherent by decoration.
    pub volatile: HashSet<u32>,
    /// Variables of phis and of demoted ids.
    phi_vars: HashMap<u32, Value>,
    demoted: HashMap<u32, Value>,
    /// What flows into phis, by predecessor and successor: phi and value.
    edges: HashMap<(u32, u32), Vec<(u32, u32)>>,
    /// Variables: they go to the start of the body.
    pub prologue: Vec<OpId>,
    /// Stores to put after an operation.
    after: HashMap<OpId, Vec<OpId>>,
    open: SecondaryMap<RegionId, bool>,
    /// Blocks that have been placed in a region.
    pub placed: HashSet<u32>,
    /// Enclosing constructs, outermost first.
    pub stack: Vec<Construct>,
}

impl Lifter<'_> {
    /// Lifts the function with this id; its callees have been lifted.
    pub(super) fn function(&mut self, id: u32) -> Result<FuncId> {
        let src = self.src;
        let range = src.functions.get(&id).map_or(0..0, |d| d.insts.clone());
        let Some(&head) = src.insts.get(range.start) else {
            return Err(src.invalid(Loc::default(), format!("%{id} is not a function")));
        };
        let result = self.ty(head.ty, &head)?;
        let f = ir::Function::new(src.name(id), result, src.word(&head, 0)?, head.loc);
        let mut lifter = FunctionLifter {
            lifter: self,
            f,
            blocks: HashMap::new(),
            env: HashMap::new(),
            aliases: HashMap::new(),
            volatile: HashSet::new(),
            phi_vars: HashMap::new(),
            demoted: HashMap::new(),
            edges: HashMap::new(),
            prologue: vec![],
            after: HashMap::new(),
            open: SecondaryMap::new(),
            placed: HashSet::new(),
            stack: vec![],
        };
        let first = lifter.params(&head, range.start + 1..range.end.saturating_sub(1))?;
        let entry = lifter.split_blocks(&head, first)?;
        let body = lifter.f.body;
        lifter.open[body] = true;
        lifter.blocks(body, entry)?;
        let f = lifter.finish();
        Ok(self.module.functions.push(f))
    }
}

impl FunctionLifter<'_, '_> {
    /// Reads the parameters and returns what is left of the instructions.
    fn params(&mut self, head: &Inst, mut range: Range<usize>) -> Result<Range<usize>> {
        let src = self.lifter.src;
        let body = self.f.body;
        while let Some(inst) = src.insts[range.clone()].first().filter(|i| i.is(Op::FunctionParameter)) {
            let ty = self.lifter.ty(inst.ty, inst)?;
            if self.lifter.module.types[ty] == Type::Void {
                return Err(src.invalid(inst.loc, "a parameter of type void"));
            }
            let value = self.f.add_param(ty);
            self.define(inst.id(), value, body);
            if src.is_ordered(inst.id()) {
                self.volatile.insert(inst.id());
            }
            range.start += 1;
        }
        let signature = src.def(src.word(head, 1)?).filter(|i| i.is(Op::TypeFunction));
        let count = signature.map(|i| src.operands(i).len());
        if count != Some(self.f.params.len() + 1) {
            return Err(src.invalid(head.loc, "the function has another number of parameters than its type"));
        }
        Ok(range)
    }

    /// Finds the blocks and returns the label of the first.
    fn split_blocks(&mut self, head: &Inst, range: Range<usize>) -> Result<u32> {
        let src = self.lifter.src;
        let mut entry = None;
        let mut at = range.start;
        while at < range.end {
            let label = src.insts[at];
            if !label.is(Op::Label) {
                return Err(src.invalid(label.loc, format!("{} stands outside a block", label.name())));
            }
            let len = src.insts[at + 1..range.end].iter().position(|i| i.op().is_some_and(ends_block));
            let Some(end) = len.map(|n| at + 1 + n) else {
                return Err(src.invalid(label.loc, "this block has no terminator"));
            };
            let block = self.block(&label, at + 1..end)?;
            self.blocks.insert(label.id(), block);
            entry = entry.or(Some(label.id()));
            at = end + 1;
        }
        entry.ok_or_else(|| src.unsupported(head.loc, "OpFunction", "this function has no body and there is no linker"))
    }

    /// The block of `label` with these instructions, and what flows into its phis.
    fn block(&mut self, label: &Inst, range: Range<usize>) -> Result<Block> {
        let src = self.lifter.src;
        let insts = &src.insts[range.clone()];
        let end = src.insts[range.end];
        // Lines and no-ops may stand between phis; lines are gone already.
        let phis = insts.iter().position(|i| !i.is(Op::Phi)).unwrap_or(insts.len());
        for phi in &insts[..phis] {
            let pairs = src.operands(phi);
            if !pairs.len().is_multiple_of(2) {
                return Err(src.invalid(phi.loc, "OpPhi has an odd number of operands"));
            }
            for pair in pairs.chunks_exact(2) {
                self.edges.entry((pair[1], label.id())).or_default().push((phi.id(), pair[0]));
            }
        }
        let merge = insts.last().filter(|i| i.is(Op::SelectionMerge) || i.is(Op::LoopMerge)).copied();
        let body = range.start + phis..range.end - usize::from(merge.is_some() && insts.len() > phis);
        for inst in &src.insts[body.clone()] {
            let misplaced = [Op::Phi, Op::Label, Op::SelectionMerge, Op::LoopMerge, Op::FunctionParameter];
            if misplaced.iter().any(|&op| inst.is(op)) {
                return Err(src.invalid(inst.loc, format!("{} stands in the wrong place of a block", inst.name())));
            }
        }
        let mut successors: SmallVec<[u32; 2]> = SmallVec::new();
        let targets = self.targets(&end)?;
        // A switch may have very many targets.
        let mut seen = HashSet::new();
        successors.extend(targets.into_iter().filter(|t| seen.insert(*t)));
        Ok(Block { phis: range.start..range.start + phis, body, merge, end, successors })
    }

    /// The labels that a terminator names.
    fn targets(&mut self, end: &Inst) -> Result<SmallVec<[u32; 2]>> {
        let src = self.lifter.src;
        Ok(match end.op() {
            Some(Op::Branch) => smallvec![src.word(end, 0)?],
            Some(Op::BranchConditional) => smallvec![src.word(end, 1)?, src.word(end, 2)?],
            Some(Op::Switch) => {
                let cases = self.switch_targets(end)?;
                std::iter::once(src.word(end, 1)?).chain(cases.into_iter().map(|c| c.1)).collect()
            }
            _ => smallvec![],
        })
    }

    /// Marks a region as one that is being filled, or no more.
    pub fn set_open(&mut self, region: RegionId, open: bool) {
        self.open[region] = open;
    }

    /// Gives an id a value, which `region` defines.
    pub fn define(&mut self, id: u32, value: Value, region: RegionId) {
        self.env.entry(id).or_default().push((value, region));
    }

    /// The id that an id stands for.
    fn root(&self, mut id: u32) -> u32 {
        // An alias is made of what is defined already, so chains end.
        while let Some(&to) = self.aliases.get(&id) {
            id = to;
        }
        id
    }

    /// The value of an id, for a use at the end of `region` as it is now.
    pub fn value(&mut self, id: u32, region: RegionId, user: &Inst) -> Result<Value> {
        let id = self.root(id);
        if let Some(values) = self.env.get(&id) {
            return match values.iter().rev().find(|(_, r)| self.open[*r]) {
                Some(&(value, _)) => Ok(value),
                None => self.bring(id, region, user),
            };
        }
        let src = self.lifter.src;
        match src.def(id).copied() {
            Some(inst) if inst.op().is_some_and(is_constant) => {
                let id = self.lifter.constant(id, user)?;
                let ty = self.lifter.module.consts[id].ty;
                Ok(self.f.const_value(id, ty))
            }
            Some(inst) if inst.is(Op::Variable) && src.word(&inst, 0)? != StorageClass::Function as u32 => {
                let global = self.lifter.global(&inst, user)?;
                let data = &self.lifter.module.globals[global];
                if data.access.is_ordered() {
                    self.volatile.insert(id);
                }
                Ok(self.f.global_value(global, data.ty))
            }
            Some(inst) if inst.ty != 0 => {
                let what = format!("{} uses %{id}, whose definition does not dominate the use", user.name());
                Err(src.invalid(user.loc, what))
            }
            Some(inst) => {
                let what = format!("{} uses %{id} as a value, but {} defines it", user.name(), inst.name());
                Err(src.invalid(user.loc, what))
            }
            None => Err(src.invalid(user.loc, format!("{} uses %{id}, which nothing defines", user.name()))),
        }
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> TypeId {
        self.f.values[value].ty
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.lifter.module.types[id]
    }

    /// Makes an id that is defined, but not visible, visible at the end of `region`.
    fn bring(&mut self, id: u32, region: RegionId, user: &Inst) -> Result<Value> {
        let src = self.lifter.src;
        let Some(&(value, _)) = self.env.get(&id).and_then(|v| v.first()) else {
            return Err(src.invalid(user.loc, format!("%{id} has no value")));
        };
        let ty = self.type_of(value);
        match *self.ty(ty) {
            Type::Pointer { class, .. } if class != StorageClass::PhysicalStorageBuffer => {
                return self.again(id, region, user);
            }
            Type::Opaque(_) => return self.again(id, region, user),
            _ => {}
        }
        let variable = match self.demoted.get(&id) {
            Some(&variable) => variable,
            None => {
                let ValueDef::Result(op, _) = self.f.values[value].def else {
                    return Err(src.invalid(user.loc, format!("%{id} is not the result of an instruction")));
                };
                let loc = self.f.ops[op].loc;
                let variable = self.variable(ty, loc);
                let store = self.f.add_op(access(Op::Store, &[variable, value]), &[], Loc { id: 0, ..loc });
                self.after.entry(op).or_default().push(store);
                self.demoted.insert(id, variable);
                variable
            }
        };
        let load = self.f.push_op(region, access(Op::Load, &[variable]), &[ty], Loc { id, ..user.loc });
        let value = self.f.ops[load].results[0];
        self.define(id, value, region);
        Ok(value)
    }

    /// Computes a pointer or an opaque value again.
    fn again(&mut self, id: u32, region: RegionId, user: &Inst) -> Result<Value> {
        let src = self.lifter.src;
        let again = [Op::AccessChain, Op::InBoundsAccessChain, Op::Load, Op::SampledImage, Op::Image];
        match src.def(id).copied() {
            Some(inst) if again.iter().any(|&op| inst.is(op)) => {
                self.lifter.nest(&inst)?;
                self.instruction(&inst, region)?;
                self.lifter.nesting -= 1;
                match self.env.get(&id).and_then(|v| v.last()) {
                    Some(&(value, _)) => Ok(value),
                    None => Err(src.invalid(user.loc, format!("%{id} has no value"))),
                }
            }
            Some(inst) => {
                let reason = "its result is a pointer that is used across constructs (variable pointers)";
                Err(src.unsupported(inst.loc, inst.name(), reason))
            }
            None => Err(src.invalid(user.loc, format!("%{id} has no value"))),
        }
    }

    /// A new Function variable at the start of the body.
    fn variable(&mut self, ty: TypeId, loc: Loc) -> Value {
        let pointer = self.lifter.module.types.pointer(StorageClass::Function, ty);
        let op = self.f.add_op(OpKind::Variable { init: None }, &[pointer], loc);
        self.prologue.push(op);
        self.f.ops[op].results[0]
    }

    /// The variable that carries a phi.
    fn phi_variable(&mut self, id: u32, user: &Inst) -> Result<Value> {
        if let Some(&variable) = self.phi_vars.get(&id) {
            return Ok(variable);
        }
        let src = self.lifter.src;
        let Some(&phi) = src.def(id) else { return Err(src.invalid(user.loc, format!("%{id} is not a phi"))) };
        let ty = self.lifter.ty(phi.ty, &phi)?;
        match *self.ty(ty) {
            Type::Pointer { class, .. } if class != StorageClass::PhysicalStorageBuffer => {
                return Err(src.unsupported(phi.loc, "OpPhi", "it joins pointers (variable pointers)"));
            }
            Type::Opaque(name) => {
                return Err(src.unsupported(phi.loc, "OpPhi", format!("it joins values of type Op{name}")));
            }
            Type::Void => return Err(src.invalid(phi.loc, "a phi of type void")),
            _ => {}
        }
        let variable = self.variable(ty, phi.loc);
        self.phi_vars.insert(id, variable);
        Ok(variable)
    }

    /// Loads the phis of a block.
    pub fn load_phis(&mut self, phis: Range<usize>, region: RegionId) -> Result<()> {
        for index in phis {
            let phi = self.lifter.src.insts[index];
            let variable = self.phi_variable(phi.id(), &phi)?;
            let ty = self.lifter.ty(phi.ty, &phi)?;
            let load = self.f.push_op(region, access(Op::Load, &[variable]), &[ty], phi.loc);
            let value = self.f.ops[load].results[0];
            self.define(phi.id(), value, region);
        }
        Ok(())
    }

    /// Stores what a block hands to the phis of its successors.
    pub fn store_phis(&mut self, label: u32, block: &Block, region: RegionId) -> Result<()> {
        let src = self.lifter.src;
        for &successor in &block.successors {
            let Some(phis) = self.blocks.get(&successor).map(|b| b.phis.clone()) else {
                let what = format!("{} branches to %{successor}, which is no block of this function", block.end.name());
                return Err(src.invalid(block.end.loc, what));
            };
            let edges = self.edges.get(&(label, successor)).cloned().unwrap_or_default();
            if edges.len() != phis.len() {
                let what = format!("the phis of %{successor} need one value each for its predecessor %{label}");
                return Err(src.invalid(src.insts[phis.start].loc, what));
            }
            for (phi, value) in edges {
                let variable = self.phi_variable(phi, &block.end)?;
                let value = self.value(value, region, &block.end)?;
                let pointee = self.lifter.module.types.pointee(self.type_of(variable));
                if pointee.map(|p| p.1) != Some(self.type_of(value)) {
                    let what = format!("the value for predecessor %{label} has another type than the phi %{phi}");
                    return Err(src.invalid(block.end.loc, what));
                }
                self.f.push_op(region, access(Op::Store, &[variable, value]), &[], Loc { id: 0, ..block.end.loc });
            }
        }
        Ok(())
    }

    /// Ends a region.
    pub fn end(&mut self, region: RegionId, end: Terminator, loc: Loc) {
        self.f.regions[region].end = end;
        self.f.regions[region].end_loc = loc;
    }

    /// Puts the variables and the stores of demoted ids in their places.
    fn finish(mut self) -> ir::Function {
        for region in self.f.regions.keys().collect::<Vec<_>>() {
            if !self.f.regions[region].ops.iter().any(|op| self.after.contains_key(op)) {
                continue;
            }
            let ops = std::mem::take(&mut self.f.regions[region].ops);
            let with =
                ops.into_iter().flat_map(|op| std::iter::once(op).chain(self.after.remove(&op).unwrap_or_default()));
            self.f.regions[region].ops = with.collect();
        }
        let body = self.f.body;
        self.f.regions[body].ops.splice(0..0, self.prologue);
        self.f
    }
}

/// A load or store without memory operands.
fn access(op: Op, operands: &[Value]) -> OpKind {
    OpKind::Inst(ir::Inst {
        opcode: Opcode::Core(op),
        operands: SmallVec::from_slice(operands),
        literals: SmallVec::new(),
        flags: 0,
    })
}
