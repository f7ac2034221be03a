//! Kernels with barriers whose subgroups run in pairs.
//!
//! In: a module, its entry point, W and what is known at that W. Out: twice W, where the shader cannot tell the difference
//! and it pays. A segment is a loop over subgroups; with two subgroups side by side it goes round half as often, and has
//! twice as many independent chunks in flight, which is what hides the latency of a sum that runs through an inner loop.
//!
//! The shader cannot tell where it has no subgroup operation and no built-in variable of subgroups. The size that it is
//! told, and that descriptions of the kernel give, stays W.

use super::value::Width;
use crate::analysis::builtin_shapes;
use crate::analysis::shape::Shape;
use crate::analysis::uniformity::Uniformity;
use crate::ir::{BuiltIn, EntryPoint, Function, Module, OpKind, ValueDef};
use crate::ops;

/// Most lanes side by side.
const MOST: u32 = 16;
/// Most values that differ from lane to lane: with more, registers run out and code grows for nothing.
const MOST_VARYING: usize = 32;

/// Twice `width`, where that is wanted.
pub(super) fn doubled(module: &Module, entry: &EntryPoint, width: Width, table: &Uniformity) -> Option<Width> {
    let double = Width { subgroup: width.subgroup * 2, ..width };
    let invocations: u32 = entry.local_size.iter().product();
    let fits = width.chunk > 1 && double.subgroup <= MOST;
    if !fits || !invocations.is_multiple_of(double.subgroup) || invocations <= double.subgroup {
        return None;
    }
    let ids = |width| builtin_shapes(BuiltIn::LocalInvocationId, entry.local_size, width);
    let func = &module.functions[entry.func];
    let alike = ids(width) == ids(double);
    let tells = module.functions.values().any(|func| tells_size(module, func));
    (alike && !tells && varying(func, table) <= MOST_VARYING).then_some(double)
}

/// Does the function ask for anything of subgroups?
pub(super) fn tells_size(module: &Module, func: &Function) -> bool {
    const OF_SUBGROUPS: &[BuiltIn] = &[
        BuiltIn::SubgroupId,
        BuiltIn::SubgroupSize,
        BuiltIn::NumSubgroups,
        BuiltIn::SubgroupLocalInvocationId,
        BuiltIn::SubgroupEqMask,
        BuiltIn::SubgroupGeMask,
        BuiltIn::SubgroupGtMask,
        BuiltIn::SubgroupLeMask,
        BuiltIn::SubgroupLtMask,
    ];
    let built_in = func.values.values().any(|v| match v.def {
        ValueDef::Global(id) => module.globals[id].builtin.is_some_and(|b| OF_SUBGROUPS.contains(&b)),
        _ => false,
    });
    built_in
        || func.ops.values().any(|op| match &op.kind {
            OpKind::Inst(inst) => ops::row(inst.opcode).is_none_or(|row| row.is_of_subgroup()),
            _ => false,
        })
}

fn varying(func: &Function, table: &Uniformity) -> usize {
    let apart = |shape: &Shape| matches!(shape.held(), Shape::Varying | Shape::ChunkAffine(_));
    let results = func.values.iter().filter(|(_, data)| matches!(data.def, ValueDef::Result(..) | ValueDef::Arg(..)));
    results.map(|(value, _)| table.shapes(value).iter().filter(|s| apart(s)).count()).sum()
}
