//! Reuse: an instruction that has been executed before with the same operands is not executed again.
//!
//! In: a verified module. Out: the same without instructions whose result is visible already. Calls of `Const` functions
//! count, and loads where nothing can write
//! what they read (push constants, inputs, uniform buffers); those in loops, at constant places, are put before the
//! outermost loop first. One walk with a table whose entries are taken out again at the end of the region that made them:
//! what a region of a construct computes is not visible after it.

use super::effects::{is_const, is_fixed_place, is_repeatable};
use super::subst::Subst;
use crate::error::Result;
use crate::ir::*;
use spirv::Op as S;

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    for func in funcs {
        let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
        let mut function = std::mem::replace(&mut module.functions[func], empty);
        let body = function.body;
        hoist(module, &mut function, body, None);
        let slots = (2 * function.ops.len()).next_power_of_two();
        let (subst, table, headers) = (Subst::new(), Table { heads: vec![NONE; slots], entries: vec![] }, vec![]);
        let mut walk = Walk { module, function, subst, table, headers };
        walk.region(walk.function.body);
        module.functions[func] = walk.function;
    }
    Ok(())
}

/// Puts loads at fixed places out of loops: `before` takes them if the region is in a loop.
fn hoist(module: &Module, function: &mut Function, region: RegionId, mut before: Option<&mut Vec<OpId>>) {
    let ops = std::mem::take(&mut function.regions[region].ops);
    let mut out = Vec::with_capacity(ops.len());
    for op in ops {
        if let Some(before) = &mut before
            && is_fixed(module, function, op)
        {
            before.push(op);
            continue;
        }
        let mut outside = vec![];
        let is_loop = matches!(function.ops[op].kind, OpKind::Loop(_));
        for inner in function.regions_of(op) {
            match &mut before {
                Some(before) => hoist(module, function, inner, Some(before)),
                None => hoist(module, function, inner, is_loop.then_some(&mut outside)),
            }
        }
        out.append(&mut outside);
        out.push(op);
    }
    function.regions[region].ops = out;
}

/// A load at a fixed place, or the access chain that leads there.
fn is_fixed(module: &Module, function: &Function, op: OpId) -> bool {
    let op = &function.ops[op];
    let OpKind::Inst(inst) = &op.kind else { return false };
    let pointer = match inst.opcode {
        Opcode::Core(S::Load) if inst.flags & VOLATILE == 0 => inst.operands.first(),
        Opcode::Core(S::AccessChain | S::InBoundsAccessChain) => op.results.first(),
        _ => None,
    };
    pointer.is_some_and(|&pointer| is_fixed_place(module, function, pointer))
}

/// Instructions that are visible, by their hash: chains of entries that go out in the opposite order in which they came in.
struct Table {
    heads: Vec<u32>,
    entries: Vec<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    op: OpId,
    slot: u32,
    /// Entry before it in the slot, or [`NONE`].
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Table {
    fn slot(&self, kind: &OpKind, ty: TypeId) -> u32 {
        let mut hash = match kind {
            OpKind::Inst(Inst { opcode: Opcode::Core(op), .. }) => u64::from(*op as u32),
            OpKind::Inst(Inst { opcode: Opcode::Glsl(op), .. }) => 1 << 32 | u64::from(*op as u32),
            OpKind::Call { callee, .. } => 2 << 32 | u64::from(callee.as_u32()),
            _ => 3 << 32,
        };
        let mut add = |word: u32| hash = (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
        add(ty.as_u32());
        kind.for_each_use(|value| add(value.as_u32()));
        if let OpKind::Inst(inst) = kind {
            inst.literals.iter().for_each(|&word| add(word));
        }
        (hash >> 32) as u32 & (self.heads.len() as u32 - 1)
    }

    /// The result of an equal operation; where there is none, `op` is known from now on.
    fn find_or_add(&mut self, function: &Function, op: OpId, ty: TypeId) -> Option<Value> {
        let kind = &function.ops[op].kind;
        let slot = self.slot(kind, ty);
        let head = &mut self.heads[slot as usize];
        let mut at = *head;
        while let Some(known) = self.entries.get(at as usize) {
            if function.ops[known.op].kind == *kind
                && let Some(&value) = function.ops[known.op].results.first().filter(|&&v| function.values[v].ty == ty)
            {
                return Some(value);
            }
            at = known.next;
        }
        self.entries.push(Known { op, slot, next: *head });
        *head = self.entries.len() as u32 - 1;
        None
    }

    /// Takes out the entries that came in since there were `count`.
    fn truncate(&mut self, count: usize) {
        for known in self.entries.drain(count..).rev() {
            self.heads[known.slot as usize] = known.next;
        }
    }
}

struct Walk<'m> {
    module: &'m Module,
    function: Function,
    subst: Subst,
    table: Table,
    /// Loops whose header is being walked, and whether it holds a `Continue` to them.
    headers: Vec<(OpId, bool)>,
}

impl Walk<'_> {
    /// Walks a region; what it makes stays in the table.
    fn region(&mut self, region: RegionId) {
        let mut ops = std::mem::take(&mut self.function.regions[region].ops);
        ops.retain(|&op| self.op(op));
        let (data, subst) = (&mut self.function.regions[region], &mut self.subst);
        data.ops = ops;
        data.end.for_each_operand(|v| *v = subst.get(*v));
        if let Terminator::Continue(target, _) = data.end {
            self.headers.iter_mut().filter(|(op, _)| *op == target).for_each(|(_, continues)| *continues = true);
        }
    }

    /// Walks a region and takes out of the table what it made.
    fn closed(&mut self, region: RegionId) {
        let start = self.table.entries.len();
        self.region(region);
        self.table.truncate(start);
    }

    /// Is there no equal operation yet? What there is takes the place of the result.
    fn is_new(&mut self, id: OpId, result: Value) -> bool {
        let ty = self.function.values[result].ty;
        let known = self.table.find_or_add(&self.function, id, ty);
        if let Some(value) = known {
            self.subst.set(result, value);
        }
        known.is_none()
    }

    /// Does the operation stay?
    fn op(&mut self, id: OpId) -> bool {
        let subst = &mut self.subst;
        self.function.ops[id].kind.for_each_operand(|v| *v = subst.get(*v));
        match &self.function.ops[id].kind {
            OpKind::Inst(inst) => {
                let &[result] = &self.function.ops[id].results[..] else { return true };
                if !is_repeatable(self.module, &self.function, inst) {
                    return true;
                }
                if is_commutative(inst.opcode) {
                    // Constants last, as people write them.
                    let mut operands = inst.operands.clone();
                    operands.sort_unstable_by_key(|&value| (self.function.as_const(value).is_some(), value));
                    if let OpKind::Inst(inst) = &mut self.function.ops[id].kind {
                        inst.operands = operands;
                    }
                }
                self.is_new(id, result)
            }
            OpKind::Call { callee, .. } if is_const(self.module, *callee) => match self.function.ops[id].results[..] {
                [result] => self.is_new(id, result),
                _ => true,
            },
            OpKind::Loop(l) => {
                let (start, l) = (self.table.entries.len(), l.clone());
                self.headers.push((id, false));
                self.region(l.header);
                let continues = self.headers.pop().is_some_and(|(_, continues)| continues);
                self.closed(l.body);
                // The continue region does not see what the header computes after a `Continue`.
                if continues {
                    self.table.truncate(start);
                }
                self.closed(l.cont);
                self.table.truncate(start);
                true
            }
            OpKind::Selection(_) | OpKind::Switch(_) => {
                self.function.regions_of(id).into_iter().for_each(|region| self.closed(region));
                true
            }
            OpKind::Variable { .. } | OpKind::Call { .. } => true,
        }
    }
}

/// May operands change places? Not those of float instructions: which of two NaNs comes out depends on the order.
fn is_commutative(opcode: Opcode) -> bool {
    use S::{BitwiseAnd, BitwiseOr, BitwiseXor, IAdd, IEqual, IMul, INotEqual, LogicalAnd, LogicalOr};
    let Opcode::Core(op) = opcode else { return false };
    matches!(op, IAdd | IMul | BitwiseAnd | BitwiseOr | BitwiseXor | IEqual | INotEqual | LogicalAnd | LogicalOr)
}
