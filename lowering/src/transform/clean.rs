//! Removes superfluous arguments and results of constructs, and operations without use.
//!
//! In: a verified function. Out: the same without
//! - region arguments and construct results that are always one and the same value which is visible where they are defined
//!   (`undef` counts as that value), or that nobody uses;
//! - operations that only give a result nobody uses, and selections and switches that hold nothing else.
//!
//! Loops stay, since they may not end. Time is linear in the size of the function, up to the shortening of chains.

use super::edges::{self, Own, Place, Target};
use super::effects::{is_pure, is_removable};
use super::subst::Subst;
use crate::error::Result;
use crate::ir::*;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap, entity_impl};

/// Runs the pass on all functions.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    funcs.into_iter().for_each(|func| function(module, func));
    Ok(())
}

/// Runs the pass on one function.
pub fn function(module: &mut Module, func: FuncId) {
    let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
    let mut function = std::mem::replace(&mut module.functions[func], empty);
    let mut joins = Joins::collect(module, &mut function);
    let subst = joins.replace(module, &mut function);
    let mut live = Live {
        module,
        function: &function,
        joins: &joins,
        subst,
        forced: EntitySet::with_capacity(function.ops.len()),
        values: EntitySet::with_capacity(function.values.len()),
        ops: EntitySet::with_capacity(function.ops.len()),
        todo: vec![],
        todo_ops: vec![],
    };
    live.mark();
    let Live { subst, values, ops, .. } = live;
    let mut sweep = Sweep { function: &mut function, subst, values, ops };
    let body = sweep.function.body;
    sweep.region(body, None);
    module.functions[func] = function;
}

/// A region argument or a result of a construct.
struct Join {
    value: Value,
    target: Target,
    incoming: Vec<Value>,
}

/// All joins of a function, with what it takes to judge visibility.
struct Joins {
    joins: Vec<Join>,
    /// Join that a value is.
    index: SecondaryMap<Value, PackedOption<JoinId>>,
    /// Textual range of a region; a header's covers its loop, whose other regions see into it.
    ranges: SecondaryMap<RegionId, (u32, u32)>,
    /// Region in which an operation stands.
    holders: SecondaryMap<OpId, PackedOption<RegionId>>,
    /// Loops whose header holds a `Continue` to them: what the header defines later is not visible after it.
    cut: EntitySet<OpId>,
    /// Values that are `undef`.
    undefs: EntitySet<Value>,
    /// Regions numbered so far.
    count: u32,
    /// Constructs whose headers are being walked.
    headers: Vec<OpId>,
}

/// Index of a join.
#[derive(Clone, Copy, PartialEq, Eq)]
struct JoinId(u32);
entity_impl!(JoinId, "join");

impl Joins {
    fn collect(module: &Module, function: &mut Function) -> Joins {
        let mut undefs = EntitySet::with_capacity(function.values.len());
        for (value, data) in function.values.iter() {
            if matches!(data.def, ValueDef::Const(id) if module.consts[id].data == ConstData::Undef) {
                undefs.insert(value);
            }
        }
        let mut joins = Joins {
            joins: vec![],
            index: SecondaryMap::with_capacity(function.values.len()),
            ranges: SecondaryMap::with_capacity(function.regions.len()),
            holders: SecondaryMap::with_capacity(function.ops.len()),
            cut: EntitySet::new(),
            undefs,
            count: 0,
            headers: vec![],
        };
        joins.region(function, function.body, None);
        joins
    }

    fn add(&mut self, function: &Function, target: Target) {
        for &value in target.values(function) {
            self.index[value] = Some(JoinId(self.joins.len() as u32)).into();
            self.joins.push(Join { value, target, incoming: vec![] });
        }
    }

    fn pass(&mut self, function: &Function, target: Target, values: &[Value]) {
        for (&to, &from) in target.values(function).iter().zip(values) {
            if let Some(join) = self.index[to].expand() {
                self.joins[join.index()].incoming.push(from);
            }
        }
    }

    fn region(&mut self, function: &mut Function, region: RegionId, own: Own) {
        let start = self.count;
        self.count += 1;
        let ops = std::mem::take(&mut function.regions[region].ops);
        for &op in &ops {
            self.holders[op] = Some(region).into();
            if function.ops[op].kind.is_construct() {
                self.construct(function, op);
            }
        }
        let mut end = std::mem::replace(&mut function.regions[region].end, Terminator::Unreachable);
        edges::for_each_exit(&mut end, own, |target, values| {
            self.pass(function, target, values);
            if matches!(target, Target::Continue(op) if self.headers.contains(&op)) {
                self.cut.insert(target.op());
            }
        });
        (function.regions[region].ops, function.regions[region].end) = (ops, end);
        self.ranges[region] = (start, self.count);
    }

    fn construct(&mut self, function: &mut Function, op: OpId) {
        self.add(function, Target::Results(op));
        let regions = edges::regions(function, op);
        for &(_, place) in &regions {
            match place {
                Place::Header => self.add(function, Target::Header(op)),
                Place::Continue => self.add(function, Target::Continue(op)),
                Place::Case(index) => self.add(function, Target::Case(op, index)),
                Place::Side | Place::Body => {}
            }
        }
        let mut kind = std::mem::replace(&mut function.ops[op].kind, OpKind::Variable { init: None });
        let mut entries = vec![];
        edges::for_each_entry(&mut kind, op, |target, values| entries.push((target, values.clone())));
        function.ops[op].kind = kind;
        for (target, values) in entries {
            self.pass(function, target, &values);
        }
        for &(region, place) in &regions {
            if place == Place::Header {
                self.headers.push(op);
            }
            self.region(function, region, Some((op, place)));
            if place == Place::Header {
                self.headers.pop();
            }
        }
        if let OpKind::Loop(l) = &function.ops[op].kind {
            self.ranges[l.header].1 = self.count;
        }
    }

    /// Finds joins that are one value.
    fn replace(&mut self, module: &mut Module, function: &mut Function) -> Subst {
        let mut subst = Subst::new();
        let mut users: Vec<Vec<u32>> = vec![vec![]; self.joins.len()];
        for (user, join) in self.joins.iter().enumerate() {
            for &value in &join.incoming {
                if let Some(used) = self.index[value].expand() {
                    users[used.index()].push(user as u32);
                }
            }
        }
        let mut todo: Vec<u32> = (0..self.joins.len() as u32).rev().collect();
        while let Some(at) = todo.pop() {
            let join = &self.joins[at as usize];
            if subst.get(join.value) != join.value {
                continue;
            }
            let Some(found) = self.single(function, join, &mut subst) else { continue };
            let by = match found {
                Some(value) => value,
                None => {
                    let ty = function.values[join.value].ty;
                    let undef = module.constant(ty, ConstData::Undef);
                    let undef = function.const_value(undef, ty);
                    self.undefs.insert(undef);
                    undef
                }
            };
            subst.set(self.joins[at as usize].value, by);
            let mut affected = std::mem::take(&mut users[at as usize]);
            todo.extend(&affected);
            if let Some(join) = self.index[by].expand() {
                let list = &mut users[join.index()];
                if list.len() < affected.len() {
                    std::mem::swap(list, &mut affected);
                }
                list.extend(affected);
            }
        }
        subst
    }

    /// The only value that a join can have: `Some(None)` where that is `undef`.
    fn single(&self, function: &Function, join: &Join, subst: &mut Subst) -> Option<Option<Value>> {
        let (mut found, mut undefined) = (None, false);
        for &value in &join.incoming {
            let value = subst.get(value);
            if value == join.value {
                continue;
            }
            if self.undefs.contains(value) {
                undefined = true;
            } else if found.is_none_or(|found| found == value) {
                found = Some(value);
            } else {
                return None;
            }
        }
        match found {
            Some(value) if !self.is_visible(function, value, join.target, undefined) => None,
            found => Some(found),
        }
    }

    /// Is `value`, which reaches the target, visible where the target is defined?
    fn is_visible(&self, function: &Function, value: Value, target: Target, undefined: bool) -> bool {
        let home = match function.values[value].def {
            ValueDef::Param(_) | ValueDef::Const(_) | ValueDef::Global(_) => return true,
            ValueDef::Result(op, _) => self.holders[op].expand(),
            ValueDef::Arg(region, _) => Some(region),
        };
        let at = match target {
            Target::Continue(_) => target.region(function),
            _ => self.holders[target.op()].expand(),
        };
        let (Some(home), Some(at)) = (home, at) else { return false };
        // Where all that reaches a continue region is one value, then no `Continue` in the header precedes it.
        let early = undefined
            && matches!(target, Target::Continue(op) if self.cut.contains(op))
            && matches!(function.values[value].def, ValueDef::Result(..))
            && matches!(&function.ops[target.op()].kind, OpKind::Loop(l) if l.header == home);
        let (start, end) = self.ranges[home];
        !early && (start..end).contains(&self.ranges[at].0)
    }
}

/// What is needed.
struct Live<'f> {
    module: &'f Module,
    function: &'f Function,
    joins: &'f Joins,
    subst: Subst,
    /// Operations that stay if what holds them stays: they have an effect, or leave more than themselves.
    forced: EntitySet<OpId>,
    values: EntitySet<Value>,
    ops: EntitySet<OpId>,
    todo: Vec<Value>,
    todo_ops: Vec<OpId>,
}

impl Live<'_> {
    fn mark(&mut self) {
        self.force(self.function.body, &mut vec![]);
        self.hold(self.function.body);
        loop {
            if let Some(value) = self.todo.pop() {
                self.value(value);
            } else if let Some(op) = self.todo_ops.pop() {
                self.op(op);
            } else {
                return;
            }
        }
    }

    /// Finds the operations that have to stay. Returns the number of the outermost construct, counted from the
    /// function's body, that an effect or an exit in the region keeps.
    fn force(&mut self, region: RegionId, outer: &mut Vec<OpId>) -> usize {
        let function = self.function;
        let mut reach = match &function.regions[region].end {
            Terminator::Break(op, _) | Terminator::Continue(op, _) => {
                outer.iter().rposition(|o| o == op).map_or(0, |index| index + 1)
            }
            Terminator::Return(_) | Terminator::Kill => 0,
            _ => usize::MAX,
        };
        for &op in &function.regions[region].ops {
            let kept = match &function.ops[op].kind {
                OpKind::Inst(inst) if is_removable(inst) => usize::MAX,
                OpKind::Call { callee, .. } if is_pure(self.module, *callee) => usize::MAX,
                OpKind::Variable { .. } => usize::MAX,
                OpKind::Inst(_) | OpKind::Call { .. } => 0,
                OpKind::Selection(_) | OpKind::Switch(_) | OpKind::Loop(_) => {
                    outer.push(op);
                    let inner = function.regions_of(op).into_iter().map(|r| self.force(r, outer)).min();
                    outer.pop();
                    let is_loop = matches!(function.ops[op].kind, OpKind::Loop(_));
                    if is_loop { 0 } else { inner.unwrap_or(usize::MAX) }
                }
            };
            if kept <= outer.len() {
                self.forced.insert(op);
            }
            reach = reach.min(kept);
        }
        reach
    }

    /// A region stays: so do the forced operations in it, and what decides how it ends.
    fn hold(&mut self, region: RegionId) {
        let region = &self.function.regions[region];
        self.todo_ops.extend(region.ops.iter().filter(|&&op| self.forced.contains(op)));
        match &region.end {
            Terminator::Condition { cond, .. } | Terminator::ReenterIf { cond, .. } => self.todo.push(*cond),
            Terminator::Return(Some(value)) => self.todo.push(*value),
            _ => {}
        }
    }

    fn value(&mut self, value: Value) {
        let value = self.subst.get(value);
        if !self.values.insert(value) {
            return;
        }
        if let ValueDef::Result(op, _) = self.function.values[value].def {
            self.todo_ops.push(op);
        }
        if let Some(join) = self.joins.index[value].expand() {
            self.todo.extend(&self.joins.joins[join.index()].incoming);
        }
    }

    fn op(&mut self, op: OpId) {
        if !self.ops.insert(op) {
            return;
        }
        match &self.function.ops[op].kind {
            // What a construct passes to its regions is needed when their arguments are.
            OpKind::Selection(s) => self.todo.push(s.cond),
            OpKind::Switch(s) => self.todo.push(s.selector),
            OpKind::Loop(_) => {}
            kind => kind.for_each_use(|value| self.todo.push(value)),
        }
        self.function.regions_of(op).into_iter().for_each(|region| self.hold(region));
    }
}

/// Takes the rest out.
struct Sweep<'f> {
    function: &'f mut Function,
    subst: Subst,
    values: EntitySet<Value>,
    ops: EntitySet<OpId>,
}

impl Sweep<'_> {
    fn region(&mut self, region: RegionId, own: Own) {
        let mut ops = std::mem::take(&mut self.function.regions[region].ops);
        ops.retain(|&op| self.ops.contains(op));
        for &op in &ops {
            self.op(op);
        }
        let mut end = std::mem::replace(&mut self.function.regions[region].end, Terminator::Unreachable);
        edges::for_each_exit(&mut end, own, |target, values| self.filter(target, values));
        end.for_each_operand(|v| *v = self.subst.get(*v));
        (self.function.regions[region].ops, self.function.regions[region].end) = (ops, end);
    }

    /// Keeps of the values passed those whose targets stay.
    fn filter(&self, target: Target, values: &mut Vec<Value>) {
        let mut targets = target.values(self.function).iter();
        values.retain(|_| targets.next().is_none_or(|&value| self.values.contains(value)));
    }

    fn op(&mut self, op: OpId) {
        let mut kind = std::mem::replace(&mut self.function.ops[op].kind, OpKind::Variable { init: None });
        kind.for_each_operand(|v| *v = self.subst.get(*v));
        if !kind.is_construct() {
            self.function.ops[op].kind = kind;
            return;
        }
        self.function.ops[op].kind = kind;
        for (region, place) in edges::regions(self.function, op) {
            self.region(region, Some((op, place)));
        }
        // Only now, when all that is passed has been filtered, may the arguments and results go.
        let mut kind = std::mem::replace(&mut self.function.ops[op].kind, OpKind::Variable { init: None });
        let mut entries = vec![];
        edges::for_each_entry(&mut kind, op, |target, values| entries.push((target, std::mem::take(values))));
        self.function.ops[op].kind = kind;
        for (target, values) in &mut entries {
            self.filter(*target, values);
        }
        let mut entries = entries.into_iter();
        edges::for_each_entry(&mut self.function.ops[op].kind, op, |_, values| {
            *values = entries.next().map(|(_, values)| values).unwrap_or_default();
        });
        for (region, _) in edges::regions(self.function, op) {
            let mut args = std::mem::take(&mut self.function.regions[region].args);
            args.retain(|&arg| self.values.contains(arg));
            for (index, &arg) in args.iter().enumerate() {
                self.function.values[arg].def = ValueDef::Arg(region, index as u32);
            }
            self.function.regions[region].args = args;
        }
        let mut results = std::mem::take(&mut self.function.ops[op].results);
        results.retain(|&mut result| self.values.contains(result));
        for (index, &result) in results.iter().enumerate() {
            self.function.values[result].def = ValueDef::Result(op, index as u32);
        }
        self.function.ops[op].results = results;
    }
}
