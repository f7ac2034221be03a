//! Tables of constants: Function variables with a constant initialiser that nothing stores to.
//!
//! The promotion of variables leaves `const float K[5]` with a dynamic index in this form. They are kept once, as scalars,
//! not once a lane. In: a function. Out: the set of its tables, by the variables' addresses.

use crate::ir::{Function, OpKind, Opcode, Value, ValueDef};
use cranelift_entity::EntitySet;
use spirv::Op;

/// The tables of `func`.
pub fn tables(func: &Function) -> EntitySet<Value> {
    let mut tables = EntitySet::new();
    for op in func.ops.values() {
        if let (OpKind::Variable { init: Some(init) }, Some(&address)) = (&op.kind, op.results.first())
            && func.as_const(*init).is_some()
        {
            tables.insert(address);
        }
    }
    for op in func.ops.values() {
        let OpKind::Inst(inst) = &op.kind else { continue };
        // Whatever is neither a load nor a step to a part may write.
        let reads = matches!(inst.opcode, Opcode::Core(Op::Load | Op::AccessChain | Op::InBoundsAccessChain));
        if !reads {
            for &operand in &inst.operands {
                if let Some(root) = root(func, operand) {
                    tables.remove(root);
                }
            }
        }
    }
    tables
}

/// The variable that an address is a part of.
fn root(func: &Function, mut address: Value) -> Option<Value> {
    loop {
        let ValueDef::Result(op, _) = func.values[address].def else { return None };
        match &func.ops[op].kind {
            OpKind::Variable { .. } => return Some(address),
            OpKind::Inst(inst) if matches!(inst.opcode, Opcode::Core(Op::AccessChain | Op::InBoundsAccessChain)) => {
                address = *inst.operands.first()?;
            }
            _ => return None,
        }
    }
}
