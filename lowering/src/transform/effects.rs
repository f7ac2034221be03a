//! What instructions do besides giving a result: which may go when nobody uses it, which give the same wherever they stand,
//! and which may be executed although the program would not. All of it follows from the op table.

use crate::ir::*;
use crate::ops::{self, Family, Flow, Row};
use spirv::{GlslStd450Op as G, Op as S};
use std::sync::OnceLock;

/// Nothing but a result.
const REMOVABLE: u8 = 1;
/// The same result wherever it stands, whichever lanes are active.
const REPEATABLE: u8 = 2;
/// Done in an instruction or two for each component.
const SHORT: u8 = 4;
/// Done by naming values.
const FREE: u8 = 8;

fn traits_of(row: &Row) -> u8 {
    // These store their second result.
    if matches!(row.opcode, Opcode::Glsl(G::Modf | G::Frexp)) {
        return 0;
    }
    let removable = row.speculatable || row.is_of_subgroup() || row.opcode == Opcode::Core(S::Load);
    let address = matches!(row.opcode, Opcode::Core(S::AccessChain | S::InBoundsAccessChain | S::ArrayLength));
    let repeatable = row.speculatable && (row.flow == Flow::Operands || address);
    let short = match row.family {
        Family::Arithmetic => !is_division(row.opcode),
        Family::Bitwise | Family::Comparison | Family::Logical | Family::Shift | Family::Cast => true,
        Family::Miscellaneous => true,
        Family::Glsl => is_short(row.opcode),
        _ => false,
    };
    let free = row.family == Family::Composite;
    [(removable, REMOVABLE), (repeatable, REPEATABLE), (repeatable && short, SHORT), (repeatable && free, FREE)]
        .iter()
        .filter(|(holds, _)| *holds)
        .fold(0, |bits, (_, bit)| bits | bit)
}

/// Traits by number: looked up for every instruction in every pass, so by an index and not by a hash.
fn traits(opcode: Opcode) -> u8 {
    static TRAITS: OnceLock<[Vec<u8>; Opcode::SETS]> = OnceLock::new();
    let place = |opcode: Opcode| {
        let (set, number) = opcode.number();
        (set, number as usize)
    };
    let tables = TRAITS.get_or_init(|| {
        let mut tables = [const { vec![] }; Opcode::SETS];
        for row in ops::rows() {
            let (table, number) = place(row.opcode);
            let table: &mut Vec<u8> = &mut tables[table];
            table.resize(table.len().max(number + 1), 0);
            table[number] = traits_of(row);
        }
        tables
    });
    let (table, number) = place(opcode);
    tables[table].get(number).copied().unwrap_or(0)
}

/// Does the instruction do nothing but give its result? True for loads, which may be dropped, though not moved.
pub(crate) fn is_removable(inst: &Inst) -> bool {
    inst.flags & VOLATILE == 0 && traits(inst.opcode) & REMOVABLE != 0
}

/// Does a function do nothing but give its result?
pub(crate) fn is_pure(module: &Module, function: FuncId) -> bool {
    module.functions.get(function).is_some_and(|f| f.control & (PURE | CONST) != 0)
}

/// Does a function give the same result for the same arguments, and do nothing else?
pub(crate) fn is_const(module: &Module, function: FuncId) -> bool {
    module.functions.get(function).is_some_and(|f| f.control & CONST != 0)
}

/// Does the instruction give the same result wherever it stands and whichever lanes are active? Loads do where nothing can
/// write what they read.
pub(crate) fn is_repeatable(module: &Module, function: &Function, inst: &Inst) -> bool {
    if inst.flags & VOLATILE != 0 {
        return false;
    }
    match inst.opcode {
        Opcode::Core(S::Load) => inst.operands.first().is_some_and(|&p| is_read_only(module, function, p).is_some()),
        opcode => traits(opcode) & REPEATABLE != 0,
    }
}

/// Where a pointer into memory that does not change while the shader runs leads.
struct ReadOnly {
    /// All indices are constant, so that the place is within what every binding must have.
    fixed: bool,
}

fn is_read_only(module: &Module, function: &Function, pointer: Value) -> Option<ReadOnly> {
    let mut fixed = true;
    let mut at = pointer;
    // Chains of chains are rare; what is deeper is taken to be writable.
    for _ in 0..4 {
        match function.values[at].def {
            ValueDef::Global(id) => {
                let global = &module.globals[id];
                let is_volatile = global.access.volatile || global.builtin == Some(BuiltIn::HelperInvocation);
                return (!is_volatile && is_constant_class(module, global)).then_some(ReadOnly { fixed });
            }
            ValueDef::Result(op, _) => {
                let OpKind::Inst(inst) = &function.ops[op].kind else { return None };
                if !matches!(inst.opcode, Opcode::Core(S::AccessChain | S::InBoundsAccessChain)) {
                    return None;
                }
                fixed &= inst.operands.iter().skip(1).all(|&index| function.as_const(index).is_some());
                at = *inst.operands.first()?;
            }
            _ => return None,
        }
    }
    None
}

/// Is what a pointer leads to the same while the shader runs, and at the same place for all?
pub(crate) fn is_fixed_place(module: &Module, function: &Function, pointer: Value) -> bool {
    is_read_only(module, function, pointer).is_some_and(|place| place.fixed)
}

/// Does nothing change what the global holds while the shader runs?
pub(crate) fn is_constant_class(module: &Module, global: &Global) -> bool {
    match global.class {
        StorageClass::PushConstant | StorageClass::Input => true,
        // A storage buffer as before SPIR-V 1.3 is of this class too.
        StorageClass::Uniform => match module.types.pointee(global.ty).map(|(_, ty)| &module.types[ty]) {
            Some(Type::Struct(id)) => !module.types.structs[*id].buffer_block,
            _ => false,
        },
        _ => false,
    }
}

/// What it costs to execute an instruction where the program would not, in operations on a component: `None` where that
/// must not be, or is never worth while.
pub(crate) fn cost_ahead(module: &Module, function: &Function, op: &Op) -> Option<u32> {
    let (OpKind::Inst(inst), &[result]) = (&op.kind, &op.results[..]) else { return None };
    if !is_repeatable(module, function, inst) {
        return None;
    }
    match inst.opcode {
        Opcode::Core(S::AccessChain | S::InBoundsAccessChain) => {
            return inst.operands[1..].iter().all(|&index| function.as_const(index).is_some()).then_some(0);
        }
        Opcode::Core(S::Load) => {
            let place = is_read_only(module, function, *inst.operands.first()?)?;
            return place.fixed.then_some(1);
        }
        _ => {}
    }
    let (_, count) = module.types.components(function.values[result].ty)?;
    match traits(inst.opcode) {
        traits if traits & FREE != 0 => Some(0),
        traits if traits & SHORT != 0 => Some(count),
        _ => None,
    }
}

fn is_division(opcode: Opcode) -> bool {
    use S::{FDiv, FMod, FRem, SDiv, SMod, SRem, UDiv, UMod};
    let Opcode::Core(op) = opcode else { return false };
    matches!(op, FDiv | FMod | FRem | SDiv | SMod | SRem | UDiv | UMod)
}

/// Instructions of the extended set that are an instruction or two of a processor.
fn is_short(opcode: Opcode) -> bool {
    use G::{FAbs, FClamp, FMax, FMin, Fma, SAbs, SClamp, SMax, SMin, UClamp, UMax, UMin};
    let Opcode::Glsl(op) = opcode else { return false };
    matches!(op, FAbs | FClamp | FMax | FMin | Fma | SAbs | SClamp | SMax | SMin | UClamp | UMax | UMin)
}
