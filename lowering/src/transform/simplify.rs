//! Simplification: constants are folded, parts of composites found, constructs with known conditions spliced in.
//!
//! In: a verified module. Out: one that computes the same bits ([`fold`] says which where SPIR-V leaves them undefined) with
//! fewer operations:
//! - instructions on constants, identities that are exact for floats too, divisions by powers of two;
//! - extractions from constructions, insertions and shuffles; access chains of access chains;
//! - selections and switches on constants, whose region takes their place unless something in it breaks out of them;
//! - selections whose sides are short and have no effect, which become `Select`s;
//! - what follows a construct that nothing comes out of;
//! - early returns of inlined functions and early `continue`s become the sides of selections ([`nest`]).
//!
//! One walk in textual order, operands first; then [`clean`](super::clean) takes out what has no use any more.

mod composite;
mod fold;
mod identities;
mod nest;

use super::clean;
use super::edges::{Own, Place};
use super::effects;
use super::subst::Subst;
use crate::error::Result;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;
use spirv::Op as S;

/// Most operations on components that are executed for lanes that do not need them, to be rid of a selection.
const MAX_AHEAD: u32 = 8;
/// `SelectionControl`: the author asks for a branch.
const DONT_FLATTEN: u32 = 2;

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    for func in funcs {
        let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
        let function = std::mem::replace(&mut module.functions[func], empty);
        let mut exits: SecondaryMap<OpId, Exits> = SecondaryMap::with_capacity(function.ops.len());
        for region in function.all_regions() {
            match function.regions[region].end {
                Terminator::Break(op, _) => exits[op].breaks += 1,
                Terminator::Continue(op, _) => exits[op].continues += 1,
                _ => {}
            }
        }
        let mut simplifier = Simplifier { module, function, subst: Subst::new(), exits, nested: SecondaryMap::new() };
        let body = simplifier.function.body;
        simplifier.region(body, None);
        module.functions[func] = simplifier.function;
        clean::function(module, func);
    }
    Ok(())
}

struct Simplifier<'m> {
    module: &'m mut Module,
    function: Function,
    subst: Subst,
    exits: SecondaryMap<OpId, Exits>,
    nested: SecondaryMap<OpId, nest::Nested>,
}

/// How many regions end in a `Break` out of a construct, or a `Continue` to it.
#[derive(Clone, Copy, Default)]
struct Exits {
    breaks: u32,
    continues: u32,
}

impl Simplifier<'_> {
    fn region(&mut self, region: RegionId, own: Own) {
        let mut ops = std::mem::take(&mut self.function.regions[region].ops);
        let mut out = Vec::with_capacity(ops.len());
        let (mut at, mut early) = (0, None);
        while let (None, Some(&op)) = (&early, ops.get(at)) {
            at += 1;
            self.nest(op, region, own, &mut ops, at);
            early = self.op(op, &mut out);
        }
        match early {
            None => {
                let subst = &mut self.subst;
                self.function.regions[region].end.for_each_operand(|v| *v = subst.get(*v));
            }
            Some((mut end, loc)) => {
                if matches!(own, Some((_, Place::Continue))) && end != Terminator::Unreachable {
                    // A continue region itself does not leave its loop, but what it holds may.
                    out.push(self.leaving(std::mem::replace(&mut end, Terminator::Unreachable), loc));
                }
                let data = &mut self.function.regions[region];
                let old = std::mem::replace(&mut data.end, end);
                data.end_loc = loc;
                self.forget_end(&old);
                ops[at..].iter().for_each(|&op| self.forget(op));
            }
        }
        // A break out of the own construct is how its regions end anyway.
        if let (&mut Terminator::Break(op, ref mut values), Some((own, place))) =
            (&mut self.function.regions[region].end, own)
            && (op == own || self.nested[own].breaks == Some(op).into())
            && place != Place::Continue
        {
            let values = std::mem::take(values);
            self.exits[op].breaks -= 1;
            self.function.regions[region].end = Terminator::Merge(values);
        }
        self.function.regions[region].ops = out;
    }

    /// An operation goes, with what it holds.
    fn forget(&mut self, op: OpId) {
        for region in self.function.regions_of(op) {
            self.forget_region(region);
        }
    }

    fn forget_region(&mut self, region: RegionId) {
        let data = &mut self.function.regions[region];
        let (ops, end) = (std::mem::take(&mut data.ops), std::mem::replace(&mut data.end, Terminator::Unreachable));
        self.forget_end(&end);
        ops.into_iter().for_each(|op| self.forget(op));
    }

    fn forget_end(&mut self, end: &Terminator) {
        match end {
            Terminator::Break(op, _) => self.exits[*op].breaks -= 1,
            Terminator::Continue(op, _) => self.exits[*op].continues -= 1,
            _ => {}
        }
    }

    /// Simplifies an operation and appends what is left of it; returns how the region ends if nothing follows.
    fn op(&mut self, id: OpId, out: &mut Vec<OpId>) -> Option<(Terminator, Loc)> {
        let subst = &mut self.subst;
        self.function.ops[id].kind.for_each_operand(|v| *v = subst.get(*v));
        match &self.function.ops[id].kind {
            OpKind::Inst(_) => {
                self.instruction(id, out);
                None
            }
            OpKind::Selection(s) => {
                let s = s.clone();
                self.selection(id, &s, out)
            }
            OpKind::Switch(s) => {
                let s = s.clone();
                self.switch(id, &s, out)
            }
            OpKind::Loop(l) => {
                let l = l.clone();
                self.loop_(id, &l, out)
            }
            OpKind::Variable { .. } | OpKind::Call { .. } => {
                out.push(id);
                None
            }
        }
    }

    fn instruction(&mut self, id: OpId, out: &mut Vec<OpId>) {
        let (OpKind::Inst(inst), &[result]) = (&self.function.ops[id].kind, &self.function.ops[id].results[..]) else {
            return out.push(id);
        };
        let (mut inst, ty) = (inst.clone(), self.function.values[result].ty);
        if matches!(inst.opcode, Opcode::Core(S::VectorExtractDynamic | S::VectorInsertDynamic))
            && self.fix_index(id, &inst)
            && let OpKind::Inst(fixed) = &self.function.ops[id].kind
        {
            inst = fixed.clone();
        }
        match self.value_of(id, &inst, ty, out) {
            Some(value) => self.subst.set(result, value),
            None => out.push(id),
        }
    }

    /// What an instruction's result is.
    fn value_of(&mut self, id: OpId, inst: &Inst, ty: TypeId, out: &mut Vec<OpId>) -> Option<Value> {
        match inst.opcode {
            Opcode::Core(S::CompositeExtract) => return self.extract(id, inst),
            Opcode::Core(S::CompositeConstruct) => return self.construct_composite(inst, ty),
            Opcode::Core(S::VectorShuffle) => return self.shuffle(inst, ty),
            Opcode::Core(S::AccessChain | S::InBoundsAccessChain) => return self.chain(id, inst),
            _ => {}
        }
        if let Some(value) = self.folded(inst, ty) {
            return Some(value);
        }
        let Opcode::Core(op) = inst.opcode else { return None };
        let (scalar, _) = self.module.types.components(ty)?;
        if !fold::is_known(scalar) {
            return None;
        }
        self.identity(op, inst, ty).or_else(|| self.strength(id, op, inst, ty, out))
    }

    /// An instruction on constants.
    fn folded(&mut self, inst: &Inst, ty: TypeId) -> Option<Value> {
        if inst.operands.is_empty() || inst.operands.iter().any(|&v| self.function.as_const(v).is_none()) {
            return None;
        }
        let (scalar, count) = self.module.types.components(ty)?;
        if !fold::is_known(scalar) {
            return None;
        }
        let mut operands: SmallVec<[SmallVec<[u64; 4]>; 3]> = SmallVec::new();
        for &value in &inst.operands {
            let (scalar, operand_count) = self.module.types.components(self.function.values[value].ty)?;
            if !fold::is_known(scalar) || (operand_count != count && operand_count != 1) {
                return None;
            }
            operands.push((0..operand_count).map(|index| self.component(value, index)).collect::<Option<_>>()?);
        }
        let mut parts = SmallVec::<[u64; 4]>::new();
        for index in 0..count as usize {
            let of = |all: &SmallVec<[u64; 4]>| all.get(index).or(all.first()).copied();
            let bits: SmallVec<[u64; 3]> = operands.iter().filter_map(of).collect();
            parts.push(fold::component(inst.opcode, &bits)?);
        }
        self.composed(ty, &parts)
    }

    /// A scalar or vector constant by its components.
    fn composed(&mut self, ty: TypeId, parts: &[u64]) -> Option<Value> {
        match self.module.types[ty] {
            Type::Scalar(_) => Some(self.constant(ty, ConstData::Bits(*parts.first()?))),
            Type::Vector { component, .. } => {
                let scalar = self.module.types.scalar(component);
                let parts = parts.iter().map(|&bits| self.module.constant(scalar, ConstData::Bits(bits))).collect();
                Some(self.constant(ty, ConstData::Composite(parts)))
            }
            _ => None,
        }
    }

    /// A constant all of whose components are these bits.
    fn repeated(&mut self, ty: TypeId, bits: u64) -> Option<Value> {
        let (_, count) = self.module.types.components(ty)?;
        let parts: SmallVec<[u64; 4]> = SmallVec::from_elem(bits, count as usize);
        self.composed(ty, &parts)
    }

    fn constant(&mut self, ty: TypeId, data: ConstData) -> Value {
        let id = self.module.constant(ty, data);
        self.function.const_value(id, ty)
    }

    /// Bits of a scalar constant; `undef` is 0.
    fn bits(&self, value: Value) -> Option<u64> {
        self.module.scalar_bits(self.function.as_const(value)?)
    }

    /// Bits of a component of a scalar or vector constant.
    fn component(&self, value: Value, index: u32) -> Option<u64> {
        let id = self.function.as_const(value)?;
        match &self.module.consts[id].data {
            ConstData::Bits(bits) => Some(*bits),
            ConstData::Null | ConstData::Undef => Some(0),
            ConstData::Composite(parts) => self.module.scalar_bits(*parts.get(index as usize)?),
        }
    }

    /// Bits of a constant that has the same in all its components, of a type that folding knows.
    fn uniform_bits(&self, value: Value) -> Option<u64> {
        let (scalar, count) = self.module.types.components(self.function.values[value].ty)?;
        let first = self.component(value, 0)?;
        let same = fold::is_known(scalar) && (1..count).all(|index| self.component(value, index) == Some(first));
        same.then_some(first)
    }

    /// The instruction that gives a value.
    fn inst(&self, value: Value) -> Option<&Inst> {
        match self.function.values[value].def {
            ValueDef::Result(op, _) => match &self.function.ops[op].kind {
                OpKind::Inst(inst) => Some(inst),
                _ => None,
            },
            _ => None,
        }
    }

    /// An access chain of an access chain is one; of no indices, its base.
    fn chain(&mut self, id: OpId, inst: &Inst) -> Option<Value> {
        let &base = inst.operands.first()?;
        if inst.operands.len() == 1 {
            return Some(base);
        }
        let inner = self.inst(base)?;
        if !matches!(inner.opcode, Opcode::Core(S::AccessChain | S::InBoundsAccessChain)) {
            return None;
        }
        let operands = inner.operands.iter().chain(&inst.operands[1..]).copied().collect();
        // In bounds only if both are.
        let opcode = if inner.opcode == inst.opcode { inst.opcode } else { Opcode::Core(S::AccessChain) };
        self.function.ops[id].kind = OpKind::Inst(Inst { opcode, operands, ..inst.clone() });
        None
    }

    fn selection(&mut self, id: OpId, s: &Selection, out: &mut Vec<OpId>) -> Option<(Terminator, Loc)> {
        if let Some(bits) = self.bits(s.cond) {
            let (taken, other) =
                if bits == 1 { (s.then_region, s.else_region) } else { (s.else_region, s.then_region) };
            self.forget_region(other);
            self.region(taken, Some((id, Place::Side)));
            return self.splice(id, taken, out);
        }
        // The other way round, the negation may become superfluous.
        if let Some(inner) = self.inst(s.cond)
            && inner.opcode == Opcode::Core(S::LogicalNot)
            && let &[cond] = &inner.operands[..]
        {
            let (then_region, else_region) = (s.else_region, s.then_region);
            let turned = Selection { cond, then_region, else_region, control: s.control };
            self.function.ops[id].kind = OpKind::Selection(turned.clone());
            return self.selection(id, &turned, out);
        }
        for region in [s.then_region, s.else_region] {
            self.region(region, Some((id, Place::Side)));
        }
        if self.exits[id].breaks == 0 && s.control & DONT_FLATTEN == 0 && self.flatten(id, s, out) {
            return None;
        }
        out.push(id);
        self.unless_merged(id, &[s.then_region, s.else_region])
    }

    /// Executes both sides of a selection if they are so short that it costs less than to choose, and replaces the results
    /// by `Select`s.
    fn flatten(&mut self, id: OpId, s: &Selection, out: &mut Vec<OpId>) -> bool {
        let [then, other] = [s.then_region, s.else_region].map(|r| &self.function.regions[r]);
        let (Terminator::Merge(x), Terminator::Merge(y)) = (&then.end, &other.end) else { return false };
        let (x, y) = (x.clone(), y.clone());
        let results = self.function.ops[id].results.clone();
        let simple = |&value: &Value| self.module.types.components(self.function.values[value].ty).is_some();
        let ops: Vec<OpId> = then.ops.iter().chain(&other.ops).copied().collect();
        let mut cost = 0;
        for &op in &ops {
            match effects::cost_ahead(self.module, &self.function, &self.function.ops[op]) {
                Some(more) if cost + more <= MAX_AHEAD => cost += more,
                _ => return false,
            }
        }
        if !results.iter().all(simple) {
            return false;
        }
        out.extend(ops);
        let cond = s.cond;
        for ((&result, x), y) in results.iter().zip(x).zip(y) {
            let (ty, loc) = (self.function.values[result].ty, self.function.ops[id].loc);
            let operands = SmallVec::from_slice(&[cond, x, y]);
            let inst = Inst { opcode: Opcode::Core(S::Select), operands, literals: SmallVec::new(), flags: 0 };
            let op = self.function.add_op(OpKind::Inst(inst), &[ty], loc);
            let selected = self.function.ops[op].results[0];
            self.subst.set(result, selected);
            self.instruction(op, out);
        }
        true
    }

    /// A selection that always leaves by `end`.
    fn leaving(&mut self, end: Terminator, loc: Loc) -> OpId {
        let [then_region, else_region] = [self.function.add_region(loc), self.function.add_region(loc)];
        self.function.regions[then_region].end = end;
        let kind = self.always(then_region, else_region);
        self.function.add_op(kind, &[], loc)
    }

    /// A selection on true.
    fn always(&mut self, then_region: RegionId, else_region: RegionId) -> OpKind {
        let ty = self.module.types.scalar(Scalar::Bool);
        let cond = self.constant(ty, ConstData::Bits(1));
        OpKind::Selection(Selection { cond, then_region, else_region, control: 0 })
    }

    /// Puts a region in the place of its construct, which nothing else of the construct is left of.
    fn splice(&mut self, id: OpId, region: RegionId, out: &mut Vec<OpId>) -> Option<(Terminator, Loc)> {
        if self.exits[id].breaks > 0 {
            let never = self.function.add_region(self.function.ops[id].loc);
            self.function.ops[id].kind = self.always(region, never);
            out.push(id);
            return None;
        }
        let data = &mut self.function.regions[region];
        let (ops, loc) = (std::mem::take(&mut data.ops), data.end_loc);
        let end = std::mem::replace(&mut data.end, Terminator::Unreachable);
        out.extend(ops);
        match end {
            Terminator::Merge(values) => {
                let results = self.function.ops[id].results.clone();
                results.iter().zip(values).for_each(|(&result, value)| self.subst.set(result, value));
                None
            }
            end => Some((end, loc)),
        }
    }

    /// What follows a construct is never reached if its regions leave by other ways than merging.
    fn unless_merged(&self, id: OpId, regions: &[RegionId]) -> Option<(Terminator, Loc)> {
        let merges = |&region: &RegionId| match &self.function.regions[region].end {
            Terminator::Merge(_) | Terminator::Condition { .. } | Terminator::ReenterIf { .. } => true,
            Terminator::Break(op, _) => *op == id,
            _ => false,
        };
        let reached = self.exits[id].breaks > 0 || regions.iter().any(merges);
        (!reached).then_some((Terminator::Unreachable, self.function.ops[id].loc))
    }

    fn switch(&mut self, id: OpId, s: &Switch, out: &mut Vec<OpId>) -> Option<(Terminator, Loc)> {
        if let Some(bits) = self.bits(s.selector)
            && let taken = s.cases.iter().position(|c| c.literals.contains(&bits)).unwrap_or(s.default)
            && let Some(case) = s.cases.get(taken)
            && !matches!(self.function.regions[case.region].end, Terminator::Fallthrough(_))
        {
            let args = std::mem::take(&mut self.function.regions[case.region].args);
            args.iter().zip(&case.init).for_each(|(&arg, &value)| self.subst.set(arg, value));
            let others = s.cases.iter().enumerate().filter(|&(index, _)| index != taken);
            others.for_each(|(_, other)| self.forget_region(other.region));
            // From here on it is a selection on true, with that region.
            self.region(case.region, Some((id, Place::Side)));
            return self.splice(id, case.region, out);
        }
        for (index, case) in s.cases.iter().enumerate() {
            self.region(case.region, Some((id, Place::Case(index))));
        }
        out.push(id);
        let regions: Vec<RegionId> = s.cases.iter().map(|c| c.region).collect();
        self.unless_merged(id, &regions)
    }

    fn loop_(&mut self, id: OpId, l: &Loop, out: &mut Vec<OpId>) -> Option<(Terminator, Loc)> {
        self.region(l.header, Some((id, Place::Header)));
        // What is not reached goes: it may use what is no longer computed.
        match self.function.regions[l.header].end {
            Terminator::Condition { .. } | Terminator::Fallthrough(_) => self.region(l.body, Some((id, Place::Body))),
            _ => self.forget_region(l.body),
        }
        let falls = matches!(self.function.regions[l.body].end, Terminator::Fallthrough(_));
        if falls || self.exits[id].continues > 0 {
            self.region(l.cont, Some((id, Place::Continue)));
        } else {
            self.forget_region(l.cont);
        }
        if let Terminator::Condition { cond, .. } = self.function.regions[l.header].end
            && self.bits(cond) == Some(1)
        {
            self.function.regions[l.header].end = Terminator::Fallthrough(vec![]);
        }
        let end = &self.function.regions[l.cont].end;
        if matches!(end, Terminator::ReenterIf { cond, .. } if self.bits(*cond) == Some(1))
            && let Terminator::ReenterIf { again, .. } = &mut self.function.regions[l.cont].end
        {
            let again = std::mem::take(again);
            self.function.regions[l.cont].end = Terminator::Reenter(again);
        }
        out.push(id);
        self.unless_merged(id, &[l.header, l.body, l.cont])
    }
}
