//! Functions: values, operations, regions, terminators.
//!
//! Everything is in arenas of the function, so that analyses are side tables keyed by [`Value`], [`OpId`] or [`RegionId`].
//! An arena may hold entries that no region refers to any more; walks start at [`Function::body`].

use super::module::{ConstId, FuncId, GlobalId, Loc};
use super::opcode::{Opcode, Operands};
use super::types::TypeId;
use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;
use std::collections::HashMap;

/// A value of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "%");

/// An operation of a function. The label of a construct is the id of its operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(u32);
entity_impl!(OpId, "op");

/// A region of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(u32);
entity_impl!(RegionId, "region");

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ValueDef {
    /// Parameter of the function.
    Param(u32),
    /// Result `1` of an operation.
    Result(OpId, u32),
    /// Argument `1` of a region.
    Arg(RegionId, u32),
    /// A constant of the module.
    Const(ConstId),
    /// The address of a module-scope variable.
    Global(GlobalId),
}

/// Type and definition of a value.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: TypeId,
    /// Its definition.
    pub def: ValueDef,
}

/// A SPIR-V instruction without control flow of its own: one row of the op table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Which.
    pub opcode: Opcode,
    /// Id operands, in order, without result type and result. Scopes and semantics are ids here as they are in SPIR-V.
    pub operands: Operands,
    /// Literal operands, in order (indices of `CompositeExtract`, components of `VectorShuffle`, the member of
    /// `ArrayLength`, memory-access words of `Load` and `Store`).
    pub literals: SmallVec<[u32; 4]>,
    /// [`NO_CONTRACTION`](super::NO_CONTRACTION), [`VOLATILE`](super::VOLATILE).
    pub flags: u32,
}

/// `if`: the `then` region runs when the condition holds, else the `else` region. An empty region whose terminator is
/// `Merge` stands for a missing side. Results are given by `Merge` and by `Break` to this label.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// A boolean.
    pub cond: Value,
    /// Region without arguments.
    pub then_region: RegionId,
    /// Region without arguments.
    pub else_region: RegionId,
    /// `SelectionControl` bits (Flatten 1, DontFlatten 2).
    pub control: u32,
}

/// One case of a [`Switch`].
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Selector values, as bits; may be empty for the default.
    pub literals: Vec<u64>,
    /// Region; its arguments are what the preceding case's `Fallthrough` passes, and zero when it is entered by selection
    /// from `init`.
    pub region: RegionId,
    /// What the arguments are when the case is entered from the selector.
    pub init: Vec<Value>,
}

/// `switch`: runs the case that lists the selector's value, else the default; `Fallthrough` goes on in the next case.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// An integer.
    pub selector: Value,
    /// Cases in order.
    pub cases: Vec<Case>,
    /// Index in `cases` of the default.
    pub default: usize,
    /// `SelectionControl` bits.
    pub control: u32,
}

/// A loop. `header` has the loop-carried values as arguments (`init` on entry, then what `Reenter` passes) and ends in
/// `Condition` (true: `body`; false: leaves the loop with `exit`), in `Fallthrough` (goes on to `body`), or leaves. `body`
/// has no arguments; its `Fallthrough` and any `Continue` to the loop give the arguments of `cont`. `cont` ends in
/// `Reenter` or `ReenterIf`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Values of the header's arguments on entry.
    pub init: Vec<Value>,
    /// Header region.
    pub header: RegionId,
    /// Body region.
    pub body: RegionId,
    /// Continue region.
    pub cont: RegionId,
    /// `LoopControl` bits (Unroll 1, DontUnroll 2).
    pub control: u32,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// An instruction; no result or one.
    Inst(Inst),
    /// A Function-class variable; one result, its address. Without an initialiser its contents are undefined each time the
    /// operation is executed.
    Variable {
        /// Initialiser.
        init: Option<Value>,
    },
    /// `OpFunctionCall`; no result (void) or one.
    Call {
        /// Function called.
        callee: FuncId,
        /// Arguments.
        args: Vec<Value>,
    },
    /// An `if`.
    Selection(Selection),
    /// A `switch`.
    Switch(Switch),
    /// A loop.
    Loop(Loop),
}

/// An operation: what it does, its results and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// Results.
    pub results: SmallVec<[Value; 1]>,
    /// Where it comes from.
    pub loc: Loc,
}

/// How a region ends. "Own" construct: the one whose region it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// On to the next region of the own construct: loop header to body (no values), body to continue region, case to next
    /// case.
    Fallthrough(Vec<Value>),
    /// Ends a loop header: on to the body if `cond`, else out of the loop with results `exit`.
    Condition {
        /// A boolean.
        cond: Value,
        /// Results of the loop when it ends here.
        exit: Vec<Value>,
    },
    /// Out of the own construct with these results.
    Merge(Vec<Value>),
    /// Ends a continue region: back to the header with these arguments.
    Reenter(Vec<Value>),
    /// Ends a continue region: back to the header with `again` if `cond`, else out of the loop with results `exit`.
    ReenterIf {
        /// A boolean.
        cond: Value,
        /// Arguments of the header.
        again: Vec<Value>,
        /// Results of the loop.
        exit: Vec<Value>,
    },
    /// Out of the labelled enclosing construct with these results.
    Break(OpId, Vec<Value>),
    /// To the continue region of the labelled enclosing loop, with its arguments.
    Continue(OpId, Vec<Value>),
    /// Out of the function.
    Return(Option<Value>),
    /// `OpKill` and `OpTerminateInvocation`.
    Kill,
    /// `OpUnreachable`: never reached.
    Unreachable,
}

/// A sequence of operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Arguments.
    pub args: Vec<Value>,
    /// Operations.
    pub ops: Vec<OpId>,
    /// How it ends.
    pub end: Terminator,
    /// Where the terminator comes from.
    pub end_loc: Loc,
}

/// `FunctionControl`: inlined wherever it is called.
pub const INLINE: u32 = spirv::FunctionControl::INLINE.bits();
/// `FunctionControl`: never inlined.
pub const DONT_INLINE: u32 = spirv::FunctionControl::DONT_INLINE.bits();
/// `FunctionControl`: has no effect but its result; may read memory.
pub const PURE: u32 = spirv::FunctionControl::PURE.bits();
/// `FunctionControl`: the result depends on the arguments alone, and there is no other effect.
pub const CONST: u32 = spirv::FunctionControl::CONST.bits();

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// `OpName`, or empty.
    pub name: String,
    /// `FunctionControl` bits (Inline 1, DontInline 2, Pure 4, Const 8).
    pub control: u32,
    /// Parameters.
    pub params: Vec<Value>,
    /// Result type.
    pub result: TypeId,
    /// The outermost region.
    pub body: RegionId,
    /// Values.
    pub values: PrimaryMap<Value, ValueData>,
    /// Operations.
    pub ops: PrimaryMap<OpId, Op>,
    /// Regions.
    pub regions: PrimaryMap<RegionId, Region>,
    /// Where it comes from.
    pub loc: Loc,
    consts: HashMap<ConstId, Value>,
    globals: HashMap<GlobalId, Value>,
}

impl Function {
    /// A function with an empty body that ends in `Unreachable`.
    pub fn new(name: String, result: TypeId, control: u32, loc: Loc) -> Function {
        let mut regions = PrimaryMap::new();
        let body = regions.push(Region { args: vec![], ops: vec![], end: Terminator::Unreachable, end_loc: loc });
        Function {
            name,
            control,
            params: vec![],
            result,
            body,
            values: PrimaryMap::new(),
            ops: PrimaryMap::new(),
            regions,
            loc,
            consts: HashMap::new(),
            globals: HashMap::new(),
        }
    }

    /// A new parameter, after those there are.
    pub fn add_param(&mut self, ty: TypeId) -> Value {
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(self.params.len() as u32) });
        self.params.push(value);
        value
    }

    /// The value that stands for a constant.
    pub fn const_value(&mut self, id: ConstId, ty: TypeId) -> Value {
        *self.consts.entry(id).or_insert_with(|| self.values.push(ValueData { ty, def: ValueDef::Const(id) }))
    }

    /// The value that stands for the address of a global.
    pub fn global_value(&mut self, id: GlobalId, ty: TypeId) -> Value {
        *self.globals.entry(id).or_insert_with(|| self.values.push(ValueData { ty, def: ValueDef::Global(id) }))
    }

    /// A new region without arguments or operations.
    pub fn add_region(&mut self, loc: Loc) -> RegionId {
        self.regions.push(Region { args: vec![], ops: vec![], end: Terminator::Unreachable, end_loc: loc })
    }

    /// A new argument of a region.
    pub fn add_arg(&mut self, region: RegionId, ty: TypeId) -> Value {
        let index = self.regions[region].args.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Arg(region, index) });
        self.regions[region].args.push(value);
        value
    }

    /// A new operation that no region holds yet.
    pub fn add_op(&mut self, kind: OpKind, results: &[TypeId], loc: Loc) -> OpId {
        let op = self.ops.push(Op { kind, results: SmallVec::new(), loc });
        for &ty in results {
            self.add_result(op, ty);
        }
        op
    }

    /// A further result of an operation.
    pub fn add_result(&mut self, op: OpId, ty: TypeId) -> Value {
        let index = self.ops[op].results.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Result(op, index) });
        self.ops[op].results.push(value);
        value
    }

    /// Appends a new operation to a region.
    pub fn push_op(&mut self, region: RegionId, kind: OpKind, results: &[TypeId], loc: Loc) -> OpId {
        let op = self.add_op(kind, results, loc);
        self.regions[region].ops.push(op);
        op
    }

    /// The constant that a value stands for.
    pub fn as_const(&self, value: Value) -> Option<ConstId> {
        match self.values[value].def {
            ValueDef::Const(id) => Some(id),
            _ => None,
        }
    }

    /// Regions of an operation, in order of execution.
    pub fn regions_of(&self, op: OpId) -> SmallVec<[RegionId; 3]> {
        crate::work::add(1);
        match &self.ops[op].kind {
            OpKind::Selection(s) => SmallVec::from_slice(&[s.then_region, s.else_region]),
            OpKind::Switch(s) => s.cases.iter().map(|c| c.region).collect(),
            OpKind::Loop(l) => SmallVec::from_slice(&[l.header, l.body, l.cont]),
            OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. } => SmallVec::new(),
        }
    }
}

impl OpKind {
    /// Calls `f` on every value that the operation itself uses (not what its regions use).
    pub fn for_each_operand(&mut self, mut f: impl FnMut(&mut Value)) {
        crate::work::add(1);
        match self {
            OpKind::Inst(inst) => inst.operands.iter_mut().for_each(f),
            OpKind::Variable { init } => init.iter_mut().for_each(f),
            OpKind::Call { args, .. } => args.iter_mut().for_each(f),
            OpKind::Selection(s) => f(&mut s.cond),
            OpKind::Switch(s) => {
                f(&mut s.selector);
                s.cases.iter_mut().for_each(|c| c.init.iter_mut().for_each(&mut f));
            }
            OpKind::Loop(l) => l.init.iter_mut().for_each(f),
        }
    }
}

impl Terminator {
    /// Calls `f` on every value that the terminator uses.
    pub fn for_each_operand(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Terminator::Fallthrough(v)
            | Terminator::Merge(v)
            | Terminator::Reenter(v)
            | Terminator::Break(_, v)
            | Terminator::Continue(_, v) => v.iter_mut().for_each(f),
            Terminator::Condition { cond, exit } => {
                f(cond);
                exit.iter_mut().for_each(f);
            }
            Terminator::ReenterIf { cond, again, exit } => {
                f(cond);
                again.iter_mut().chain(exit).for_each(f);
            }
            Terminator::Return(v) => v.iter_mut().for_each(f),
            Terminator::Kill | Terminator::Unreachable => {}
        }
    }
}
