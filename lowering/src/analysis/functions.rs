//! Facts about the functions of a module: what they do and need besides computing a result, and which are *lane-wise*.
//!
//! A lane-wise function is straight-line code that computes each lane of its result from the same lane of its arguments and
//! touches nothing else: no memory, no control flow, nothing that may trap. It can be called on one chunk of lanes at a time,
//! without a mask, whichever lanes are active. The standard library consists of such functions.
//!
//! In: a module. Out: a side table. Recursion is an error (SPIR-V specification, §2.16.1 "Universal Validation Rules": the
//! static call graph of a shader has no cycle).

use super::shape::{Level, Shape};
use super::uniformity::Shapes;
use crate::error::{Error, Place, Result};
use crate::ir::*;
use crate::ops::{self, Flow, How};
use crate::transform::effects::is_constant_class;
use cranelift_entity::SecondaryMap;
use spirv::Op as S;
use std::cell::RefCell;
use std::collections::HashMap;

/// A function whose calls stand in more places than these is not specialised on each argument alone.
const MAX_SITES: usize = 8;

/// What a function does, with all that it calls.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    lane_wise: bool,
    /// Writes memory, or does anything else that may not be left out.
    writes: bool,
    /// Reads memory that may change.
    reads: bool,
    /// Has loops.
    loops: bool,
    /// Uses built-in variables.
    inputs: bool,
    /// Calls of it.
    sites: usize,
}

/// Shapes of a function's results by those of its parameters.
type Summaries = HashMap<(FuncId, Vec<Shapes>), Shapes>;

/// The facts.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    facts: SecondaryMap<FuncId, Facts>,
    /// Filled by the uniformity analysis as it asks.
    pub(super) summaries: RefCell<Summaries>,
}

impl Functions {
    /// Looks at all functions of a module.
    ///
    /// # Errors
    /// `Unsupported`: a function calls itself.
    pub fn run(module: &Module) -> Result<Functions> {
        let mut functions = Functions::default();
        let all: Vec<FuncId> = module.functions.keys().collect();
        for id in bottom_up(module, &all)? {
            let sites = functions.facts[id].sites;
            functions.facts[id] = Facts { sites, ..functions.facts_of(module, &module.functions[id]) };
            for (callee, _) in callees(&module.functions[id]) {
                functions.facts[callee].sites += 1;
            }
        }
        Ok(functions)
    }

    /// May the function be called on any chunk of lanes by itself?
    pub fn lane_wise(&self, id: FuncId) -> bool {
        self.facts[id].lane_wise
    }

    /// `FunctionControl` bits [`PURE`] and [`CONST`], as far as they are plain to see.
    pub fn effects(&self, id: FuncId) -> u32 {
        match self.facts[id] {
            Facts { writes: true, .. } => 0,
            Facts { reads: true, .. } => PURE,
            _ => CONST,
        }
    }

    /// Is the result the same whoever calls the function with the same arguments, and is there no other effect?
    pub fn same_for_all(&self, id: FuncId) -> bool {
        self.facts[id].lane_wise || (self.effects(id) == CONST && !self.inputs(id))
    }

    /// Can a call take so long that it has to look at the interrupt flag?
    pub fn loops(&self, id: FuncId) -> bool {
        self.facts[id].loops
    }

    /// Does the function use built-in variables?
    pub fn inputs(&self, id: FuncId) -> bool {
        self.facts[id].inputs
    }

    /// The shapes of parameters for which a version of the function is made, for arguments of these shapes: each for itself,
    /// or where there are many calls all uniform or all varying, so that there are not many versions.
    pub fn version(&self, id: FuncId, args: Vec<Shapes>) -> Vec<Shapes> {
        if self.facts[id].sites <= MAX_SITES || args.iter().flatten().all(|shape| shape.is_uniform()) {
            return args;
        }
        args.into_iter().map(|shapes| shapes.iter().map(|_| Shape::Varying).collect()).collect()
    }

    fn facts_of(&self, module: &Module, function: &Function) -> Facts {
        let mut facts = Facts { lane_wise: self.is_straight(module, function), ..Facts::default() };
        let mut note = |value: Value, reads_only: bool| {
            let Some((class, _)) = module.types.pointee(function.values[value].ty) else { return };
            facts.inputs |= class == StorageClass::Input;
            // A variable of the function's own is nobody else's business; a parameter is one of the caller's.
            let at = function.values[root(function, value)].def;
            let own = class == StorageClass::Function && !matches!(at, ValueDef::Param(_));
            let constant = matches!(at, ValueDef::Global(id) if is_constant_class(module, &module.globals[id]));
            facts.reads |= !own && !constant;
            facts.writes |= !own && !reads_only;
        };
        let mut inner = Facts::default();
        function.for_each_op(function.body, &mut |_, op| match &function.ops[op].kind {
            OpKind::Inst(inst) => {
                let address = matches!(inst.opcode, Opcode::Core(S::AccessChain | S::InBoundsAccessChain));
                let load = matches!(inst.opcode, Opcode::Core(S::Load | S::ArrayLength));
                inst.operands.iter().for_each(|&value| note(value, address || load));
                let memory = matches!(inst.opcode, Opcode::Core(S::Load | S::Store | S::CopyMemory));
                let harmless = memory || ops::row(inst.opcode).is_some_and(|row| row.speculatable);
                inner.writes |= !harmless || inst.flags & VOLATILE != 0;
            }
            OpKind::Call { callee, args } => {
                args.iter().for_each(|&value| note(value, false));
                let callee = self.facts[*callee];
                inner.writes |= callee.writes;
                inner.reads |= callee.reads;
                inner.loops |= callee.loops;
                inner.inputs |= callee.inputs;
            }
            OpKind::Loop(_) => inner.loops = true,
            _ => {}
        });
        let kills = |&region: &RegionId| matches!(function.regions[region].end, Terminator::Kill);
        facts.writes |= inner.writes || function.all_regions().iter().any(kills);
        facts.reads |= inner.reads;
        facts.loops = inner.loops;
        facts.inputs |= inner.inputs;
        facts
    }

    fn is_straight(&self, module: &Module, function: &Function) -> bool {
        let body = &function.regions[function.body];
        let is_value = |value: Value| {
            let pointer = matches!(module.types[function.values[value].ty], Type::Pointer { .. });
            !pointer && !matches!(function.values[value].def, ValueDef::Global(_))
        };
        matches!(body.end, Terminator::Return(Some(_)))
            && function.params.iter().all(|&param| is_value(param))
            && body.ops.iter().all(|&op| {
                let mut values = true;
                function.ops[op].kind.for_each_use(|value| values &= is_value(value));
                values
                    && match &function.ops[op].kind {
                        OpKind::Inst(inst) => inst.flags & VOLATILE == 0 && is_lane_wise(inst.opcode),
                        OpKind::Call { callee, .. } => self.lane_wise(*callee),
                        _ => false,
                    }
            })
    }
}

/// Shapes without how far what is uniform is so: code is the same for all levels.
pub(crate) fn without_levels(shapes: &[Shapes]) -> Vec<Shapes> {
    let plain = |&shape: &Shape| if shape.is_uniform() { Shape::Uniform(Level::Subgroup) } else { shape };
    shapes.iter().map(|shapes| shapes.iter().map(plain).collect()).collect()
}

/// The variable, parameter or global that an address is within.
pub(crate) fn root(function: &Function, mut address: Value) -> Value {
    while let ValueDef::Result(op, _) = function.values[address].def {
        match &function.ops[op].kind {
            OpKind::Inst(inst) if !inst.operands.is_empty() => address = inst.operands[0],
            _ => break,
        }
    }
    address
}

/// Does the instruction compute each lane of its result from the same lane of its operands, and do nothing else?
fn is_lane_wise(opcode: Opcode) -> bool {
    if let Opcode::Core(S::CompositeExtract | S::CompositeInsert | S::CopyObject | S::CopyLogical) = opcode {
        return true;
    }
    ops::row(opcode).is_some_and(|row| {
        let emitted = row.how.is_lane_wise() || matches!(row.how, How::Compose(_));
        emitted && row.speculatable && row.flow == Flow::Operands
    })
}

/// Functions that a function calls, each as often as it does, with the places of the calls.
pub fn callees(function: &Function) -> Vec<(FuncId, Loc)> {
    let mut calls = Vec::new();
    function.for_each_op(function.body, &mut |_, op| {
        if let OpKind::Call { callee, .. } = function.ops[op].kind {
            calls.push((callee, function.ops[op].loc));
        }
    });
    calls
}

/// Functions that the roots reach, callees before callers.
///
/// # Errors
/// `Unsupported`: a function calls itself.
pub fn bottom_up(module: &Module, roots: &[FuncId]) -> Result<Vec<FuncId>> {
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

/// The place in the source that `loc` names.
pub(crate) fn place(module: &Module, loc: Loc) -> Place {
    let file = if loc.line > 0 { module.files.get(loc.file as usize).cloned() } else { None };
    Place { loc, file }
}
