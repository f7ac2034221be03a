//! Uniformity: how each component of each value varies over the lanes of a subgroup, and which constructs lanes leave apart.
//!
//! In: a module, the entry point, W and C; for another function also the shapes of its parameters. Out: [`Uniformity`], a
//! side table.
//!
//! Rules (SPIR-V specification §2.11.2 "Uniformity" gives the vocabulary):
//! - an instruction is as uniform as its least uniform operand; sums, and products with constants, of affine integers are
//!   affine;
//! - the results of a construct are varying when its exits are taken by different lanes at different times;
//! - a load from memory that a shader may write is uniform over the subgroup at most;
//! - loop-carried values are uniform inside a loop even if lanes leave it one by one: those left run in step.
//!
//! The lowering relies on the table: it represents region arguments and results by it, so a component called uniform here
//! must come out as one scalar there.

use super::functions::Functions;
use super::shape::{Level, Shape};
use super::uniformity_rules as rules;
use crate::Result;
use crate::ir::{
    EntryPoint, FuncId, Function, GlobalId, Module, OpId, OpKind, RegionId, Terminator, Type, Value, ValueDef,
};
use crate::simt::value::Width;
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::SmallVec;
use std::rc::Rc;

/// Shapes of the leaves of a value.
pub type Shapes = SmallVec<[Shape; 4]>;

/// Most scalar leaves that one value may have.
pub const MAX_LEAVES: usize = 16384;

/// What a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A module-scope variable.
    Global(GlobalId),
    /// A Function-class variable, by the operation's result.
    Variable(Value),
}

/// Why a component is not more uniform than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// This operand is.
    Operand(Value),
    /// It is a built-in variable.
    BuiltIn(GlobalId),
    /// It is read from memory that the shader may write.
    Memory,
    /// It is an operation on the lanes of the subgroup.
    Subgroup,
    /// Lanes leave this construct apart.
    Divergence(OpId),
}

/// The result of the analysis.
#[derive(Clone, Debug, Default)]
pub struct Uniformity {
    shapes: SecondaryMap<Value, Option<Shapes>>,
    roots: SecondaryMap<Value, Option<Root>>,
    causes: SecondaryMap<Value, Option<Cause>>,
    divergent: EntitySet<OpId>,
    continue_apart: EntitySet<OpId>,
    leaks: EntitySet<OpId>,
    masked: EntitySet<OpId>,
    tables: EntitySet<Value>,
    functions: Rc<Functions>,
}

impl Uniformity {
    /// Runs the analysis on the entry point's function.
    ///
    /// # Errors
    /// `Unsupported`: a function calls itself.
    pub fn run(module: &Module, entry: &EntryPoint, width: Width) -> Result<Uniformity> {
        let functions = Rc::new(Functions::run(module)?);
        Ok(Uniformity::of_function(module, entry, entry.func, width, &[], &functions))
    }

    /// Runs the analysis on a function with parameters of these shapes (varying where there are none).
    pub fn of_function(
        module: &Module,
        entry: &EntryPoint,
        func: FuncId,
        width: Width,
        params: &[Shapes],
        functions: &Rc<Functions>,
    ) -> Uniformity {
        let func = &module.functions[func];
        let (tables, functions) = (super::tables::tables(func), functions.clone());
        let table = Uniformity { tables, functions, ..Uniformity::default() };
        let mut walk = Walk { module, func, entry, width, table, frames: vec![], changed: false };
        walk.leaf_values(params);
        loop {
            walk.changed = false;
            walk.region(func.body);
            if !walk.changed {
                return walk.table;
            }
        }
    }

    /// Facts about the module's functions.
    pub fn functions(&self) -> &Rc<Functions> {
        &self.functions
    }

    /// Shapes of the leaves of `value`; for a pointer, one shape: of its address. Empty for what is never computed.
    pub fn shapes(&self, value: Value) -> &[Shape] {
        self.shapes[value].as_deref().unwrap_or(&[])
    }

    /// Shapes of the leaves of the arguments of a call.
    pub fn arguments(&self, args: &[Value]) -> Vec<Shapes> {
        args.iter().map(|&arg| self.shapes(arg).into()).collect()
    }

    /// Are all leaves of `value` uniform?
    pub fn is_uniform(&self, value: Value) -> bool {
        self.shapes(value).iter().all(|s| s.is_uniform())
    }

    /// What `pointer` leads to.
    pub fn root(&self, pointer: Value) -> Option<Root> {
        self.roots[pointer]
    }

    /// Is this Function variable a table of constants, kept once and not once a lane?
    pub fn is_table(&self, variable: Value) -> bool {
        self.tables.contains(variable)
    }

    /// Why `value` is not more uniform.
    pub fn cause(&self, value: Value) -> Option<Cause> {
        self.causes[value]
    }

    /// Do lanes reach the merge point of this construct apart?
    pub fn divergent(&self, op: OpId) -> bool {
        self.divergent.contains(op)
    }

    /// Do lanes reach the continue region of this loop apart?
    pub fn continue_apart(&self, op: OpId) -> bool {
        self.continue_apart.contains(op)
    }

    /// Can lanes be missing after this operation that were there before?
    pub fn leaks(&self, op: OpId) -> bool {
        self.leaks.contains(op)
    }

    /// Does this loop run with a mask that shrinks, because lanes leave it one by one?
    pub fn masked(&self, op: OpId) -> bool {
        self.masked.contains(op)
    }
}

/// A construct that is being walked.
struct Frame {
    op: OpId,
    /// Its own branch sends lanes apart (or, for a loop, lanes leave it apart).
    splits: bool,
    /// A loop's body is being walked: lanes may be waiting for its continue region.
    in_body: bool,
    /// Uniformity of the conditions that decide how it is left.
    level: Level,
}

struct Walk<'m> {
    module: &'m Module,
    func: &'m Function,
    entry: &'m EntryPoint,
    width: Width,
    table: Uniformity,
    frames: Vec<Frame>,
    changed: bool,
}

impl Walk<'_> {
    /// Values that no operation defines: constants are constant, addresses of globals too.
    fn leaf_values(&mut self, params: &[Shapes]) {
        for (value, data) in self.func.values.iter() {
            match data.def {
                ValueDef::Const(_) => {
                    let n = self.leaf_count(value);
                    self.table.shapes[value] = Some(smallvec::smallvec![Shape::CONSTANT; n]);
                }
                ValueDef::Global(id) => {
                    self.table.shapes[value] = Some(smallvec::smallvec![Shape::CONSTANT]);
                    self.table.roots[value] = Some(Root::Global(id));
                }
                ValueDef::Param(index) => {
                    let n = self.leaf_count(value);
                    let shapes = params.get(index as usize).filter(|shapes| shapes.len() == n).cloned();
                    self.table.shapes[value] = Some(shapes.unwrap_or_else(|| smallvec::smallvec![Shape::Varying; n]));
                }
                ValueDef::Result(..) | ValueDef::Arg(..) => {}
            }
        }
    }

    fn leaf_count(&self, value: Value) -> usize {
        let ty = self.func.values[value].ty;
        match self.module.types[ty] {
            Type::Pointer { .. } => 1,
            _ => self.module.types.leaves(ty, MAX_LEAVES).map_or(0, |l| l.len()),
        }
    }

    /// Raises the shapes of `value` to include `new`.
    fn raise(&mut self, value: Value, new: &[Shape], cause: Option<Cause>) {
        let slot = &mut self.table.shapes[value];
        match slot {
            None => {
                *slot = Some(new.into());
                self.table.causes[value] = cause;
                self.changed = true;
            }
            Some(old) => {
                let mut raised = false;
                for (old, new) in old.iter_mut().zip(new) {
                    let joined = old.join(*new);
                    raised |= joined != *old;
                    *old = joined;
                }
                if raised {
                    self.table.causes[value] = cause.or(self.table.causes[value]);
                    self.changed = true;
                }
            }
        }
    }

    fn mark(&mut self, set: fn(&mut Uniformity) -> &mut EntitySet<OpId>, op: OpId) {
        if set(&mut self.table).insert(op) {
            self.changed = true;
        }
    }

    fn region(&mut self, region: RegionId) {
        let func = self.func;
        for &op in &func.regions[region].ops {
            self.op(op);
        }
        self.terminator(&func.regions[region].end);
    }

    fn op(&mut self, op: OpId) {
        let func = self.func;
        let data = &func.ops[op];
        match &data.kind {
            OpKind::Inst(inst) => {
                if let Some(&result) = data.results.first() {
                    let n = self.leaf_count(result);
                    let (shapes, cause) = {
                        let context = rules::Context {
                            module: self.module,
                            func: self.func,
                            entry: self.entry,
                            width: self.width,
                            table: &self.table,
                        };
                        rules::inst(&context, inst, result, n)
                    };
                    if let Some(&base) = inst.operands.first()
                        && self.is_pointer(result)
                    {
                        self.table.roots[result] = self.table.roots[base];
                    }
                    self.raise(result, &shapes, cause);
                }
            }
            OpKind::Variable { .. } => {
                if let Some(&result) = data.results.first() {
                    self.table.roots[result] = Some(Root::Variable(result));
                    self.raise(result, &[Shape::CONSTANT], None);
                }
            }
            OpKind::Call { callee, args } => {
                for &result in &data.results {
                    let n = self.leaf_count(result);
                    let shapes = self.call(*callee, args, n);
                    self.raise(result, &shapes, args.first().map(|&arg| Cause::Operand(arg)));
                }
            }
            OpKind::Selection(s) => {
                let shape = self.table.shapes(s.cond).first().copied().unwrap_or(Shape::Varying);
                self.construct(op, shape, &[s.then_region, s.else_region]);
            }
            OpKind::Switch(s) => {
                let shape = self.table.shapes(s.selector).first().copied().unwrap_or(Shape::Varying);
                let level = shape.level();
                for case in &s.cases {
                    let args = &func.regions[case.region].args;
                    self.pass(&case.init, args, level, (level.is_none()).then_some(op));
                }
                let regions: SmallVec<[RegionId; 4]> = s.cases.iter().map(|c| c.region).collect();
                self.construct(op, shape, &regions);
            }
            OpKind::Loop(l) => {
                self.pass(&l.init, &func.regions[l.header].args, Some(Level::Dispatch), None);
                let splits = self.table.masked.contains(op);
                let level = if splits { Level::Subgroup } else { Level::Dispatch };
                self.frames.push(Frame { op, splits, in_body: false, level });
                for region in [l.header, l.body, l.cont] {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.in_body = region == l.body;
                    }
                    self.region(region);
                }
                self.frames.pop();
            }
        }
    }

    /// Shapes of the `n` leaves of the result of a call, by those of its arguments.
    fn call(&self, callee: FuncId, args: &[Value], n: usize) -> Shapes {
        let functions = &self.table.functions;
        if functions.lane_wise(callee) {
            // Lanes with the same arguments have the same result.
            let shapes = args.iter().flat_map(|&arg| self.table.shapes(arg));
            let shape = shapes.fold(Shape::CONSTANT, |shape, arg| shape.meet_operation(*arg));
            return smallvec::smallvec![shape; n];
        }
        let shapes = functions.version(callee, self.table.arguments(args));
        let key = (callee, shapes);
        if let Some(known) = functions.summaries.borrow().get(&key) {
            return known.clone();
        }
        let table = Uniformity::of_function(self.module, self.entry, callee, self.width, &key.1, functions);
        let function = &self.module.functions[callee];
        let result = match function.regions[function.body].end {
            Terminator::Return(Some(value)) => table.shapes(value).into(),
            _ => smallvec::smallvec![Shape::Varying; n],
        };
        functions.summaries.borrow_mut().insert(key, Shapes::clone(&result));
        result
    }

    fn is_pointer(&self, value: Value) -> bool {
        matches!(self.module.types[self.func.values[value].ty], Type::Pointer { .. })
    }

    fn construct(&mut self, op: OpId, cond: Shape, regions: &[RegionId]) {
        let level = cond.level();
        self.frames.push(Frame {
            op,
            splits: level.is_none(),
            in_body: false,
            level: level.unwrap_or(Level::Subgroup),
        });
        for &region in regions {
            self.region(region);
        }
        self.frames.pop();
    }

    /// Values pass to region arguments or results. `apart`: by lanes that do not travel together.
    fn pass(&mut self, from: &[Value], to: &[Value], level: Option<Level>, apart: Option<OpId>) {
        for (&from, &to) in from.iter().zip(to) {
            let Some(shapes) = self.table.shapes[from].clone() else { continue };
            let n = shapes.len();
            match apart {
                Some(op) => self.raise(to, &vec![Shape::Varying; n], Some(Cause::Divergence(op))),
                None => {
                    let level = level.unwrap_or(Level::Subgroup).max(Level::Dispatch);
                    let shapes: Shapes = shapes.iter().map(|s| s.at_least(level)).collect();
                    self.raise(to, &shapes, Some(Cause::Operand(from)));
                }
            }
        }
    }

    /// An exit from here to the frame with index `target` (`None`: out of the function) leaves the frames within. Says
    /// whether the lanes that take it are fewer than those that entered the target frame's region, and the uniformity of
    /// the conditions on the way.
    fn leave(&mut self, target: Option<usize>, conditional: bool) -> (bool, Level) {
        let mut apart = conditional;
        let mut level = Level::Constant;
        let first = target.map_or(0, |t| t + 1);
        for index in (first..self.frames.len()).rev() {
            let op = self.frames[index].op;
            let is_loop = matches!(self.func.ops[op].kind, OpKind::Loop(_));
            apart |= self.lanes_wait(index);
            if apart && is_loop {
                self.mark(|t| &mut t.masked, op);
                self.frames[index].splits = true;
            }
            apart |= self.frames[index].splits;
            level = level.max(self.frames[index].level);
            if apart {
                self.mark(|t| &mut t.leaks, op);
            }
        }
        (apart, level)
    }

    /// May lanes be waiting within the frame, at the end of a selection or switch or for a loop's continue region? Those
    /// that leave the frame meanwhile are not all of its lanes.
    fn lanes_wait(&self, index: usize) -> bool {
        let frame = &self.frames[index];
        match self.func.ops[frame.op].kind {
            OpKind::Loop(_) => frame.in_body && self.table.continue_apart.contains(frame.op),
            _ => self.table.divergent.contains(frame.op),
        }
    }

    /// A merge, break or loop exit with `values` to the frame with index `target`.
    fn exit(&mut self, target: usize, values: &[Value], conditional: bool, cond_level: Level) {
        let (mut apart, level) = self.leave(Some(target), conditional);
        let op = self.frames[target].op;
        let is_loop = matches!(self.func.ops[op].kind, OpKind::Loop(_));
        if is_loop {
            apart |= self.lanes_wait(target);
            if apart {
                self.mark(|t| &mut t.masked, op);
                self.frames[target].splits = true;
            }
            self.frames[target].level = self.frames[target].level.max(level).max(cond_level);
        } else {
            apart |= self.frames[target].splits;
        }
        if apart {
            self.mark(|t| &mut t.divergent, op);
        }
        let divergent = self.table.divergent.contains(op);
        let level = level.max(cond_level).max(self.frames[target].level);
        let results = self.func.ops[op].results.clone();
        self.pass_exit(op, values, &results, level, divergent);
    }

    fn pass_exit(&mut self, op: OpId, values: &[Value], results: &[Value], level: Level, divergent: bool) {
        self.pass(values, results, Some(level), divergent.then_some(op));
    }

    fn level_of(&self, cond: Value) -> Option<Level> {
        self.table.shapes(cond).first().and_then(|s| s.level())
    }

    fn terminator(&mut self, end: &Terminator) {
        let Some(own) = self.frames.len().checked_sub(1) else {
            return;
        };
        let func = self.func;
        match end {
            Terminator::Merge(values) => self.exit(own, values, false, Level::Constant),
            Terminator::Break(label, values) => {
                if let Some(target) = self.frames.iter().rposition(|f| f.op == *label) {
                    self.exit(target, values, false, Level::Constant);
                }
            }
            Terminator::Condition { cond, exit } => {
                let level = self.level_of(*cond);
                self.exit(own, exit, level.is_none(), level.unwrap_or(Level::Subgroup));
            }
            Terminator::Reenter(values) => self.reenter(own, values, Level::Constant),
            Terminator::ReenterIf { cond, again, exit } => {
                let level = self.level_of(*cond);
                self.exit(own, exit, level.is_none(), level.unwrap_or(Level::Subgroup));
                self.reenter(own, again, level.unwrap_or(Level::Subgroup));
            }
            Terminator::Continue(label, values) => {
                if let Some(target) = self.frames.iter().rposition(|f| f.op == *label) {
                    let (apart, level) = self.leave(Some(target), false);
                    if apart {
                        self.mark(|t| &mut t.continue_apart, *label);
                    }
                    self.pass_to_continue(*label, values, level);
                }
            }
            Terminator::Fallthrough(values) => {
                let op = self.frames[own].op;
                match &func.ops[op].kind {
                    OpKind::Loop(_) if !values.is_empty() => self.pass_to_continue(op, values, Level::Constant),
                    OpKind::Switch(s) => {
                        let at = s.cases.iter().position(|c| std::ptr::eq(&func.regions[c.region].end, end));
                        if let Some(next) = at.and_then(|i| s.cases.get(i + 1)) {
                            let apart = self.frames[own].splits.then_some(op);
                            let level = self.frames[own].level;
                            self.pass(values, &func.regions[next.region].args, Some(level), apart);
                        }
                    }
                    _ => {}
                }
            }
            Terminator::Return(_) | Terminator::Kill => {
                self.leave(None, false);
            }
            Terminator::Unreachable => {}
        }
    }

    fn reenter(&mut self, own: usize, values: &[Value], level: Level) {
        let op = self.frames[own].op;
        if let OpKind::Loop(l) = &self.func.ops[op].kind {
            let level = level.max(self.frames[own].level);
            self.pass(values, &self.func.regions[l.header].args, Some(level), None);
        }
    }

    fn pass_to_continue(&mut self, op: OpId, values: &[Value], level: Level) {
        if let OpKind::Loop(l) = &self.func.ops[op].kind {
            let apart = self.table.continue_apart.contains(op).then_some(op);
            let args = self.func.regions[l.cont].args.clone();
            self.pass(values, &args, Some(level), apart);
        }
    }
}
