//! Facts about the functions of a module: in which order they call each other, and which are *lane-wise*.
//!
//! A lane-wise function is straight-line code that computes each lane of its result from the same lane of its arguments and
//! touches nothing else: no memory, no control flow, nothing that may trap. It can be called on one chunk of lanes at a time,
//! without a mask, whichever lanes are active. The standard library consists of such functions.
//!
//! In: a module. Out: a side table. Recursion is an error (SPIR-V specification, §2.16.1 "Universal Validation Rules": the
//! static call graph of a shader has no cycle).

use crate::error::{Error, Place, Result};
use crate::ir::*;
use crate::ops::{self, Flow, How};
use cranelift_entity::{EntitySet, SecondaryMap};
use spirv::Op as S;

/// The facts.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    lane_wise: EntitySet<FuncId>,
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
            if functions.is_straight(module, &module.functions[id]) {
                functions.lane_wise.insert(id);
            }
        }
        Ok(functions)
    }

    /// May the function be called on any chunk of lanes by itself?
    pub fn lane_wise(&self, id: FuncId) -> bool {
        self.lane_wise.contains(id)
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

/// Does the instruction compute each lane of its result from the same lane of its operands, and do nothing else?
fn is_lane_wise(opcode: Opcode) -> bool {
    if let Opcode::Core(S::CompositeExtract | S::CompositeInsert | S::CopyObject | S::CopyLogical) = opcode {
        return true;
    }
    ops::row(opcode).is_some_and(|row| {
        let emitted =
            matches!(row.how, How::Unary(_) | How::Binary(_) | How::Ternary(_) | How::PerLane(_) | How::Compose(_));
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
