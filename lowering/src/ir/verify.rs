//! The verifier: what every [`Module`] between two passes must satisfy.
//!
//! In: a module. Out: nothing, or an [`Error::InvalidIr`] that names the function, the operation or region, and the rule.
//!
//! **Arenas.** Every region that is reached from [`Function::body`] is reached once, every operation stands in one region
//! once, and constructs nest at most [`MAX_VERIFIED_NESTING`] deep. Results, arguments and parameters are defined where their
//! [`ValueDef`] says. Entries of arenas that are not reached are not looked at.
//!
//! **Visibility.** A value is used in the region that defines it, after its definition, or in a region nested in a later
//! operation of that region. The body of a loop also sees what its header region defines at its own level; so does the
//! continue region, except what the header defines after an operation that holds a `Continue` to this loop. A construct's
//! results are not visible within it. Constants and addresses of globals are visible everywhere.
//!
//! **Terminators.** The body of a function ends in `Return`, `Kill` or `Unreachable`. A region of a selection ends in
//! `Merge`; a case also in `Fallthrough`, unless it is the last; a loop's header in `Condition`, `Fallthrough` without
//! values, or `Merge`; its body in `Fallthrough` or `Merge`; its continue region in `Reenter`, `ReenterIf` or
//! `Unreachable`. All but the continue region may instead leave: by `Break` to an enclosing construct, `Continue` to an
//! enclosing loop whose continue region does not hold the terminator, `Return`, `Kill`, `Unreachable`.
//!
//! **Types.** Values passed agree with the results or arguments they become in number and type; so do the values of
//! `init`, of `Call`s and of `Return`. Conditions are booleans, selectors integers. `Load`, `Store`, `Variable` and constant
//! access paths fit the pointee. Other operands are left to the op table.
//!
//! **Module.** A constant's constituents precede it and have the types that its type asks for; its bits fit; globals
//! have pointer types of their class; entry points name functions and globals that exist.

use super::*;
use crate::error::{Error, Result};
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::HashSet;

/// Checks the invariants of the [module documentation](self).
pub fn verify(module: &Module) -> Result<()> {
    check_consts(module)?;
    for (id, global) in module.globals.iter() {
        let at = || format!("global {id:?} \"{}\"", global.name);
        let Some((class, pointee)) = pointee(module, global.ty) else {
            return fail(0, format!("{} has a type that is no pointer", at()));
        };
        if class != global.class {
            return fail(0, format!("{} is {:?} but its type points to {class:?}", at(), global.class));
        }
        if let Some(init) = global.init
            && module.consts.get(init).is_none_or(|c| c.ty != pointee)
        {
            return fail(0, format!("{} has an initialiser of another type", at()));
        }
    }
    for entry in &module.entries {
        if module.functions.get(entry.func).is_none() {
            return fail(0, format!("entry point \"{}\" names no function", entry.name));
        }
        if entry.interface.iter().any(|&g| module.globals.get(g).is_none()) {
            return fail(0, format!("entry point \"{}\" lists a global that is not there", entry.name));
        }
    }
    for function in module.functions.values() {
        verify_function(module, function)?;
    }
    Ok(())
}

/// Checks one function of `module` (which may have been taken out of it).
pub fn verify_function(module: &Module, function: &Function) -> Result<()> {
    let mut verifier = Verifier {
        module,
        function,
        visible: EntitySet::with_capacity(function.values.len()),
        trail: Vec::new(),
        ops: EntitySet::with_capacity(function.ops.len()),
        regions: EntitySet::with_capacity(function.regions.len()),
        frames: Vec::new(),
        loops: SecondaryMap::new(),
    };
    for (index, &param) in function.params.iter().enumerate() {
        verifier.define(param, ValueDef::Param(index as u32), function.loc)?;
    }
    verifier.region(function.body, Place::Body)
}

fn fail<T>(line: u32, what: String) -> Result<T> {
    Err(Error::InvalidIr { line, what })
}

fn pointee(module: &Module, ty: TypeId) -> Option<(StorageClass, TypeId)> {
    module.types.pointee(ty)
}

fn check_consts(module: &Module) -> Result<()> {
    for (id, constant) in module.consts.iter() {
        let wrong = |what: &str| fail(0, format!("constant {id:?}: {what}"));
        match &constant.data {
            ConstData::Bits(bits) => match module.types[constant.ty] {
                Type::Scalar(Scalar::Bool) if *bits > 1 => return wrong("a boolean is 0 or 1"),
                Type::Scalar(s) if s.bits() < 64 && bits >> s.bits() != 0 => return wrong("bits exceed the type"),
                Type::Scalar(_) => {}
                _ => return wrong("bits need a scalar type"),
            },
            ConstData::Composite(parts) => {
                if module.types.constituents(constant.ty) != Some(parts.len() as u32) {
                    return wrong("the type asks for another number of constituents");
                }
                for (index, &part) in parts.iter().enumerate() {
                    if part >= id {
                        return wrong("a constituent does not precede it");
                    }
                    if module.types.constituent(constant.ty, index as u32) != Some(module.consts[part].ty) {
                        return wrong("a constituent has the wrong type");
                    }
                }
            }
            ConstData::Null | ConstData::Undef => {}
        }
    }
    Ok(())
}

/// Which region of its construct a region is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Selection,
    Case { next: Option<RegionId> },
    Header,
    LoopBody { cont: RegionId },
    Cont { header: RegionId },
}

/// A construct that is being walked.
struct Frame {
    op: OpId,
    place: Place,
    /// Length of the trail when the operation of this region that is being walked began.
    op_start: usize,
}

/// What is known of a loop.
#[derive(Clone, Copy, Default)]
struct LoopState {
    /// How much of the trail the continue region sees, where a `Continue` in the header cuts it short.
    cut: Option<usize>,
}

struct Verifier<'m> {
    module: &'m Module,
    function: &'m Function,
    visible: EntitySet<Value>,
    /// Visible values in order of definition; leaving a region pops what it defined.
    trail: Vec<Value>,
    ops: EntitySet<OpId>,
    regions: EntitySet<RegionId>,
    frames: Vec<Frame>,
    loops: SecondaryMap<OpId, LoopState>,
}

impl Verifier<'_> {
    fn fail<T>(&self, loc: Loc, what: impl std::fmt::Display) -> Result<T> {
        fail(loc.line, format!("function \"{}\": {what}", self.function.name))
    }

    fn define(&mut self, value: Value, def: ValueDef, loc: Loc) -> Result<()> {
        let Some(data) = self.function.values.get(value) else {
            return self.fail(loc, format_args!("{value:?} is no value of the function"));
        };
        if data.def != def {
            return self.fail(loc, format_args!("{value:?} is defined as {:?} but stands as {def:?}", data.def));
        }
        self.visible.insert(value);
        self.trail.push(value);
        Ok(())
    }

    fn pop_to(&mut self, length: usize) {
        for value in self.trail.drain(length..) {
            self.visible.remove(value);
        }
    }

    fn ty(&self, value: Value) -> TypeId {
        self.function.values[value].ty
    }

    fn used(&self, value: Value, loc: Loc) -> Result<()> {
        let Some(data) = self.function.values.get(value) else {
            return self.fail(loc, format_args!("{value:?} is no value of the function"));
        };
        match data.def {
            ValueDef::Const(id) if self.module.consts.get(id).is_some_and(|c| c.ty == data.ty) => Ok(()),
            ValueDef::Global(id) if self.module.globals.get(id).is_some_and(|g| g.ty == data.ty) => Ok(()),
            ValueDef::Const(_) | ValueDef::Global(_) => {
                self.fail(loc, format_args!("{value:?} stands for a constant or global that is not there"))
            }
            _ if self.visible.contains(value) => Ok(()),
            def => self.fail(loc, format_args!("{value:?} ({def:?}) is used where it is not visible")),
        }
    }

    /// `values` become `targets`.
    fn passed(&self, values: &[Value], targets: &[Value], loc: Loc, what: &str) -> Result<()> {
        if values.len() != targets.len() {
            let (given, wanted) = (values.len(), targets.len());
            return self.fail(loc, format_args!("{what} passes {given} values where {wanted} are expected"));
        }
        for (&value, &target) in values.iter().zip(targets) {
            if self.ty(value) != self.ty(target) {
                let (given, wanted) = (self.type_name(self.ty(value)), self.type_name(self.ty(target)));
                return self.fail(loc, format_args!("{what} passes {given} where {wanted} is expected"));
            }
        }
        Ok(())
    }

    fn type_name(&self, ty: TypeId) -> String {
        print::type_text(self.module, ty)
    }

    fn boolean(&self, value: Value, loc: Loc) -> Result<()> {
        match self.module.types[self.ty(value)] {
            Type::Scalar(Scalar::Bool) => Ok(()),
            _ => self.fail(loc, format_args!("the condition is no boolean but {}", self.type_name(self.ty(value)))),
        }
    }

    /// Walks a region; what it defines stays visible (the caller pops it).
    fn region(&mut self, id: RegionId, place: Place) -> Result<()> {
        let Some(region) = self.function.regions.get(id) else {
            return self.fail(self.function.loc, format_args!("{id:?} is no region of the function"));
        };
        if !self.regions.insert(id) {
            return self.fail(region.end_loc, format_args!("{id:?} is reached twice"));
        }
        let may_have_args = matches!(place, Place::Header | Place::Cont { .. } | Place::Case { .. });
        if !region.args.is_empty() && !may_have_args {
            return self.fail(region.end_loc, format_args!("{id:?} cannot have arguments"));
        }
        for (index, &arg) in region.args.iter().enumerate() {
            self.define(arg, ValueDef::Arg(id, index as u32), region.end_loc)?;
        }
        for &op in &region.ops {
            self.op(op)?;
        }
        self.terminator(&region.end, region.end_loc, place)
    }

    fn op(&mut self, id: OpId) -> Result<()> {
        let function = self.function;
        let Some(op) = function.ops.get(id) else {
            return self.fail(function.loc, format_args!("{id:?} is no operation of the function"));
        };
        if !self.ops.insert(id) {
            return self.fail(op.loc, format_args!("{id:?} stands twice"));
        }
        let mut result = Ok(());
        op.kind.for_each_use(|value| {
            if result.is_ok() {
                result = self.used(value, op.loc);
            }
        });
        result?;
        match &op.kind {
            OpKind::Inst(inst) => self.inst(op, inst)?,
            OpKind::Variable { init } => self.variable(op, *init)?,
            OpKind::Call { callee, args } => self.call(op, *callee, args)?,
            OpKind::Selection(_) | OpKind::Switch(_) | OpKind::Loop(_) => self.construct(id, op)?,
        }
        for (index, &value) in op.results.iter().enumerate() {
            self.define(value, ValueDef::Result(id, index as u32), op.loc)?;
        }
        Ok(())
    }

    fn construct(&mut self, id: OpId, op: &Op) -> Result<()> {
        if self.frames.len() >= MAX_VERIFIED_NESTING {
            return self.fail(op.loc, format_args!("constructs nest deeper than {MAX_VERIFIED_NESTING}"));
        }
        // Types of the results are compared by those who pass them, before they are defined.
        if let Some(value) = op.results.iter().find(|&&v| self.function.values.get(v).is_none()) {
            return self.fail(op.loc, format_args!("{value:?} is no value of the function"));
        }
        let start = self.trail.len();
        let op_start = start;
        if let Some(frame) = self.frames.last_mut() {
            frame.op_start = start;
        }
        match &op.kind {
            OpKind::Selection(s) => {
                self.boolean(s.cond, op.loc)?;
                for region in [s.then_region, s.else_region] {
                    self.frames.push(Frame { op: id, place: Place::Selection, op_start });
                    self.region(region, Place::Selection)?;
                    self.frames.pop();
                    self.pop_to(start);
                }
            }
            OpKind::Switch(s) => self.switch(id, op, s)?,
            OpKind::Loop(l) => {
                self.init(&l.init, l.header, op.loc)?;
                let (header, cont) = (l.header, l.cont);
                let places =
                    [(l.header, Place::Header), (l.body, Place::LoopBody { cont }), (l.cont, Place::Cont { header })];
                let mut seen = start;
                for (region, place) in places {
                    self.frames.push(Frame { op: id, place, op_start });
                    self.region(region, place)?;
                    self.frames.pop();
                    if place == Place::Header {
                        seen = self.trail.len();
                    }
                    self.pop_to(seen);
                    if matches!(place, Place::LoopBody { .. })
                        && let Some(cut) = self.loops[id].cut
                    {
                        self.pop_to(cut);
                        seen = cut;
                    }
                }
                self.pop_to(start);
            }
            OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. } => {}
        }
        Ok(())
    }

    fn switch(&mut self, id: OpId, op: &Op, switch: &Switch) -> Result<()> {
        let start = self.trail.len();
        match self.module.types[self.ty(switch.selector)] {
            Type::Scalar(Scalar::Int { .. }) => {}
            _ => return self.fail(op.loc, "the selector of a switch is no integer"),
        }
        if switch.default >= switch.cases.len() {
            return self.fail(op.loc, "a switch without its default");
        }
        let mut seen = HashSet::new();
        for (index, case) in switch.cases.iter().enumerate() {
            if let Some(literal) = case.literals.iter().find(|&&l| !seen.insert(l)) {
                return self.fail(op.loc, format_args!("the switch has two cases for {literal:#x}"));
            }
            self.init(&case.init, case.region, op.loc)?;
            let place = Place::Case { next: switch.cases.get(index + 1).map(|c| c.region) };
            self.frames.push(Frame { op: id, place, op_start: start });
            self.region(case.region, place)?;
            self.frames.pop();
            self.pop_to(start);
        }
        Ok(())
    }

    /// Values passed to a region from before its construct.
    fn init(&self, init: &[Value], region: RegionId, loc: Loc) -> Result<()> {
        let Some(region) = self.function.regions.get(region) else {
            return self.fail(loc, format_args!("{region:?} is no region of the function"));
        };
        if let Some(arg) = region.args.iter().find(|&&v| self.function.values.get(v).is_none()) {
            return self.fail(loc, format_args!("{arg:?} is no value of the function"));
        }
        self.passed(init, &region.args, loc, "the entry of a region")
    }

    fn args_of(&self, region: RegionId) -> &[Value] {
        self.function.regions.get(region).map_or(&[], |r| &r.args)
    }

    fn terminator(&mut self, end: &Terminator, loc: Loc, place: Place) -> Result<()> {
        let mut result = Ok(());
        end.for_each_use(|value| {
            if result.is_ok() {
                result = self.used(value, loc);
            }
        });
        result?;
        let own = self.frames.last().map(|frame| frame.op);
        let results = own.map_or(&[][..], |op| &self.function.ops[op].results);
        match (end, place) {
            (Terminator::Fallthrough(v), Place::Case { next: Some(next) }) => {
                self.passed(v, self.args_of(next), loc, "fallthrough")
            }
            (Terminator::Fallthrough(v), Place::Header) => self.passed(v, &[], loc, "fallthrough"),
            (Terminator::Fallthrough(v), Place::LoopBody { cont }) => {
                self.passed(v, self.args_of(cont), loc, "fallthrough")
            }
            (Terminator::Condition { cond, exit }, Place::Header) => {
                self.boolean(*cond, loc)?;
                self.passed(exit, results, loc, "condition")
            }
            (Terminator::Reenter(v), Place::Cont { header }) => self.passed(v, self.args_of(header), loc, "reenter"),
            (Terminator::ReenterIf { cond, again, exit }, Place::Cont { header }) => {
                self.boolean(*cond, loc)?;
                self.passed(again, self.args_of(header), loc, "reenter_if")?;
                self.passed(exit, results, loc, "reenter_if")
            }
            (Terminator::Unreachable, _) => Ok(()),
            (_, Place::Cont { .. }) => {
                self.fail(loc, "a continue region must end in reenter, reenter_if or unreachable")
            }
            (Terminator::Merge(v), place) if place != Place::Body => self.passed(v, results, loc, "merge"),
            (Terminator::Break(op, v), _) => self.leave(*op, v, loc, false),
            (Terminator::Continue(op, v), _) => self.leave(*op, v, loc, true),
            (Terminator::Return(v), _) => self.returned(*v, loc),
            (Terminator::Kill, _) => Ok(()),
            _ => self.fail(loc, format_args!("{} cannot end this region", name_of(end))),
        }
    }

    fn leave(&mut self, target: OpId, values: &[Value], loc: Loc, continues: bool) -> Result<()> {
        let what = if continues { "continue" } else { "break" };
        let Some(depth) = self.frames.iter().rposition(|frame| frame.op == target) else {
            return self.fail(loc, format_args!("{what} to {target:?}, which does not enclose it"));
        };
        let direct = depth + 1 == self.frames.len();
        let Frame { place, op_start, .. } = self.frames[depth];
        let cut = if direct { self.trail.len() } else { op_start };
        let op = &self.function.ops[target];
        if !continues {
            return self.passed(values, &op.results, loc, what);
        }
        match (&op.kind, place) {
            (OpKind::Loop(_), Place::Cont { .. }) => self.fail(loc, "continue within the continue region of its loop"),
            (OpKind::Loop(l), _) => {
                if place == Place::Header && self.loops[target].cut.is_none() {
                    self.loops[target].cut = Some(cut);
                }
                self.passed(values, self.args_of(l.cont), loc, what)
            }
            _ => self.fail(loc, "continue to a construct that is no loop"),
        }
    }

    fn returned(&self, value: Option<Value>, loc: Loc) -> Result<()> {
        let void = self.module.types[self.function.result] == Type::Void;
        match value {
            None if void => Ok(()),
            Some(value) if !void && self.ty(value) == self.function.result => Ok(()),
            _ => self.fail(loc, format_args!("return does not give {}", self.type_name(self.function.result))),
        }
    }

    fn variable(&self, op: &Op, init: Option<Value>) -> Result<()> {
        let &[result] = &op.results[..] else { return self.fail(op.loc, "a variable has one result") };
        let Some((StorageClass::Function, pointee)) =
            self.function.values.get(result).and_then(|v| pointee(self.module, v.ty))
        else {
            return self.fail(op.loc, "a variable's result is a pointer to the Function class");
        };
        match init {
            Some(init) if self.ty(init) != pointee => self.fail(op.loc, "an initialiser of another type"),
            _ => Ok(()),
        }
    }

    fn call(&self, op: &Op, callee: FuncId, args: &[Value]) -> Result<()> {
        let Some(callee) = self.module.functions.get(callee) else {
            return self.fail(op.loc, "a call of a function that is not there");
        };
        let types_match = args.len() == callee.params.len()
            && args.iter().zip(&callee.params).all(|(&arg, &param)| self.ty(arg) == callee.values[param].ty);
        if !types_match {
            return self.fail(op.loc, format_args!("a call of \"{}\" with other arguments than it takes", callee.name));
        }
        let void = self.module.types[callee.result] == Type::Void;
        match &op.results[..] {
            [] if void => Ok(()),
            &[result] if !void && self.function.values.get(result).is_some_and(|v| v.ty == callee.result) => Ok(()),
            _ => self.fail(op.loc, format_args!("a call of \"{}\" with another result than it gives", callee.name)),
        }
    }

    /// Checks of single instructions: those on which transforms rely.
    fn inst(&self, op: &Op, inst: &Inst) -> Result<()> {
        use spirv::Op as S;
        if op.results.len() > 1 {
            return self.fail(op.loc, format_args!("{} has more than one result", inst.opcode));
        }
        let opcode = match inst.opcode {
            Opcode::Core(opcode) => opcode,
            Opcode::Custom if !self.custom_fits(op, inst) => {
                return self.fail(op.loc, format_args!("Custom does not fit the declaration of its instruction"));
            }
            Opcode::Printf(_) if !self.print_fits(op, inst) => {
                return self.fail(op.loc, format_args!("the arguments do not fit the declaration of the print"));
            }
            _ => return Ok(()),
        };
        let result = op.results.first().and_then(|&v| self.function.values.get(v)).map(|v| v.ty);
        let operand = |index: usize| inst.operands.get(index).map(|&v| self.ty(v));
        let target = |index: usize| operand(index).and_then(|ty| pointee(self.module, ty)).map(|(_, ty)| ty);
        let fits = match opcode {
            S::Load => result.is_some() && target(0) == result,
            S::Store => result.is_none() && target(0).is_some() && target(0) == operand(1),
            S::AccessChain | S::InBoundsAccessChain => self.chain_fits(inst, target(0), result),
            S::CompositeExtract => result.is_some() && self.path(operand(0), &inst.literals) == result,
            S::CompositeInsert => {
                result.is_some()
                    && operand(1) == result
                    && self.path(operand(1), &inst.literals).is_some_and(|ty| operand(0) == Some(ty))
            }
            _ => true,
        };
        if fits { Ok(()) } else { self.fail(op.loc, format_args!("the types of {opcode:?} do not fit together")) }
    }

    /// Are these values of those types?
    fn are_of(&self, values: &[Value], types: impl IntoIterator<Item = CustomType>) -> bool {
        let given = values.iter().map(|&v| CustomType::of(&self.module.types, self.ty(v)));
        given.eq(types.into_iter().map(Some))
    }

    fn custom_fits(&self, op: &Op, inst: &Inst) -> bool {
        let Some((&index, literals)) = inst.literals.split_first() else { return false };
        let Some(custom) = self.module.custom.get(index as usize) else { return false };
        let values = custom.params.iter().filter_map(|param| match param {
            CustomParam::Value(ty) => Some(*ty),
            CustomParam::Literal => None,
        });
        let count = custom.params.iter().filter(|param| **param == CustomParam::Literal).count();
        let result = op.results.first().map(|&v| self.ty(v));
        self.are_of(&inst.operands, values) && literals.len() == count && custom.gives(&self.module.types, result)
    }

    fn print_fits(&self, op: &Op, inst: &Inst) -> bool {
        let print = inst.literals.first().and_then(|&index| self.module.prints.get(index as usize));
        let id = CustomType { scalar: Scalar::U32, count: 3 };
        let types = |print: &Print| [id].into_iter().chain(print.args.iter().copied()).collect::<Vec<_>>();
        op.results.is_empty() && print.is_some_and(|print| self.are_of(&inst.operands, types(print)))
    }

    fn path(&self, from: Option<TypeId>, path: &[u32]) -> Option<TypeId> {
        path.iter().try_fold(from?, |ty, &index| self.module.types.constituent(ty, index))
    }

    fn chain_fits(&self, inst: &Inst, pointee: Option<TypeId>, result: Option<TypeId>) -> bool {
        let Some(mut ty) = pointee else { return false };
        for &index in inst.operands.iter().skip(1) {
            let constant = self.function.as_const(index).and_then(|id| self.module.scalar_bits(id));
            let step = match (&self.module.types[ty], constant) {
                (Type::Struct(_), Some(index)) => self.module.types.constituent(ty, index as u32),
                (Type::Struct(_), None) => None,
                // An index out of bounds is valid here: what it gives is the lowering's business.
                _ => self.module.types.constituent(ty, 0),
            };
            let Some(step) = step else { return false };
            ty = step;
        }
        result.and_then(|ty| self::pointee(self.module, ty)).is_some_and(|(_, target)| target == ty)
    }
}

fn name_of(end: &Terminator) -> &'static str {
    match end {
        Terminator::Fallthrough(_) => "fallthrough",
        Terminator::Condition { .. } => "condition",
        Terminator::Merge(_) => "merge",
        Terminator::Reenter(_) => "reenter",
        Terminator::ReenterIf { .. } => "reenter_if",
        Terminator::Break(..) => "break",
        Terminator::Continue(..) => "continue",
        Terminator::Return(_) => "return",
        Terminator::Kill => "kill",
        Terminator::Unreachable => "unreachable",
    }
}
