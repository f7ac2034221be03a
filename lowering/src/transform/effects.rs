//! What instructions do besides giving a result: which may go when nobody uses it, which give the same wherever they stand,
//! and which may be executed although the program would not.

use crate::ir::*;
use crate::ops::{self, Family};
use spirv::{GlslStd450Op as G, Op as S};

/// Does the instruction do nothing but give its result? True for loads, which may be dropped, though not moved.
pub(crate) fn is_removable(inst: &Inst) -> bool {
    if inst.flags & VOLATILE != 0 {
        return false;
    }
    match inst.opcode {
        // These write through a pointer.
        Opcode::Glsl(op) => !matches!(op, G::Modf | G::Frexp),
        Opcode::Core(op) => is_removable_core(op),
    }
}

/// By the sections of the SPIR-V specification; whatever is not listed has an effect.
fn is_removable_core(op: S) -> bool {
    let number = op as u32;
    let within = |first: S, last: S| (first as u32..=last as u32).contains(&number);
    let memory = matches!(op, S::Undef | S::Load | S::AccessChain | S::InBoundsAccessChain | S::ArrayLength)
        || matches!(op, S::PtrAccessChain | S::InBoundsPtrAccessChain | S::CopyLogical | S::CopyObject);
    let image = within(S::SampledImage, S::ImageRead) || within(S::Image, S::ImageQuerySamples);
    memory
        || image
        || within(S::VectorExtractDynamic, S::Transpose)
        || within(S::ConvertFToU, S::Bitcast)
        || within(S::SNegate, S::SMulExtended)
        || within(S::Any, S::FUnordGreaterThanEqual)
        || within(S::ShiftRightLogical, S::BitCount)
        || within(S::DPdx, S::FwidthCoarse)
        || within(S::GroupNonUniformElect, S::GroupNonUniformQuadSwap)
        || within(S::SDot, S::SUDotAccSat)
}

/// Does the instruction give the same result wherever it stands and whichever lanes are active? Loads do where nothing can
/// write what they read.
pub(crate) fn is_repeatable(module: &Module, function: &Function, inst: &Inst) -> bool {
    if !is_removable(inst) {
        return false;
    }
    match inst.opcode {
        Opcode::Glsl(op) => !matches!(op, G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset),
        Opcode::Core(S::Load) => inst.operands.first().is_some_and(|&p| is_read_only(module, function, p).is_some()),
        Opcode::Core(S::Undef) => false,
        Opcode::Core(op) => {
            let number = op as u32;
            let lanes = (S::DPdx as u32..=S::FwidthCoarse as u32).contains(&number)
                || (S::GroupNonUniformElect as u32..=S::GroupNonUniformQuadSwap as u32).contains(&number);
            let image = (S::SampledImage as u32..=S::ImageQuerySamples as u32).contains(&number);
            !lanes && !image
        }
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

fn is_constant_class(module: &Module, global: &Global) -> bool {
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
        Opcode::Core(
            S::UDiv | S::SDiv | S::UMod | S::SRem | S::SMod | S::FRem | S::FMod | S::FDiv | S::UMulExtended,
        ) => return None,
        _ => {}
    }
    let row = ops::row(inst.opcode).filter(|row| row.speculatable)?;
    let (_, count) = module.types.components(function.values[result].ty)?;
    match row.family {
        Family::Composite => Some(0),
        Family::Arithmetic | Family::Bitwise | Family::Comparison | Family::Logical | Family::Shift => Some(count),
        Family::Cast | Family::Miscellaneous => Some(count),
        Family::Glsl if is_short(inst.opcode) => Some(count),
        _ => None,
    }
}

/// Instructions of the extended set that are an instruction or two of a processor.
fn is_short(opcode: Opcode) -> bool {
    use G::{FAbs, FClamp, FMax, FMin, Fma, SAbs, SClamp, SMax, SMin, UClamp, UMax, UMin};
    let Opcode::Glsl(op) = opcode else { return false };
    matches!(op, FAbs | FClamp | FMax | FMin | Fma | SAbs | SClamp | SMax | SMin | UClamp | UMax | UMin)
}
