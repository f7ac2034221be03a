//! Which instructions may go when nobody uses their result.

use crate::ir::{Inst, Opcode, VOLATILE};
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
