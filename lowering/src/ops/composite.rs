//! Composites (SPIR-V specification, "Composite Instructions"). A value is the list of its scalar leaves, so that
//! most of these only choose among them.

use super::row::{compose, simt, unsupported};
use super::{Done, Family, Flow, How, InstContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::legal::{Conversion, Legal};
use crate::simt::value::{Comp, Comps, Lanes};
use cranelift_codegen::ir::condcodes::IntCC;
use smallvec::smallvec;
use spirv::Op as Names;

const FAMILY: Family = Family::Composite;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[CHOICE, DYNAMIC, VENDOR];

const CHOICE: &[Row] = &[
    compose!(CompositeConstruct, "llvm.insertvalue, llvm.insertelement", construct, ALL)
        .fits()
        .note("the leaves in order"),
    simt!(CompositeExtract, "llvm.extractvalue, llvm.extractelement", "leaves")
        .of(Done::ALL)
        .flow(Flow::Operands)
        .speculatable(),
    simt!(CompositeInsert, "llvm.insertvalue, llvm.insertelement", "leaves")
        .of(Done::ALL)
        .flow(Flow::Operands)
        .speculatable(),
    compose!(VectorShuffle, "llvm.shufflevector", shuffle, ALL).fits().note("an undefined component is 0"),
    compose!(CopyObject, "–", copy, ALL).fits(),
    compose!(CopyLogical, "–", copy, ALL).fits().note("types differ in decorations only"),
    compose!(ExpectKHR, "llvm.intr.expect", copy, ALL).fits().note("the first operand; the hint is not read"),
    compose!(CompositeConstructReplicateEXT, "–", replicate, ALL).fits(),
];

const DYNAMIC: &[Row] = &[
    compose!(VectorExtractDynamic, "llvm.extractelement", extract_dynamic, ALL)
        .fits()
        .note("a selection per component; the last one for an index out of range"),
    compose!(VectorInsertDynamic, "llvm.insertelement", insert_dynamic, ALL)
        .fits()
        .note("a selection per component; nothing is replaced for an index out of range"),
];

const VENDOR: &[Row] = unsupported![
    "belongs to an OpenCL or vendor extension: build the composite from its constituents";
    CompositeConstructContinuedINTEL BitCastArrayQCOM CompositeConstructCoopMatQCOM CompositeExtractCoopMatQCOM
    ExtractSubArrayQCOM ConditionalCopyObjectINTEL
];

fn construct(_: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    args.iter().flatten().cloned().collect()
}

fn copy(_: &mut Lanes<'_, '_>, _: &InstContext<'_>, args: &[Comps]) -> Comps {
    args.first().cloned().unwrap_or_default()
}

fn replicate(_: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    args.iter().flatten().cycle().take(cx.result.len()).cloned().collect()
}

fn shuffle(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let all: Comps = args.iter().flatten().cloned().collect();
    let chosen = cx.literals.iter().zip(cx.result).map(|(&index, &scalar)| match all.get(index as usize) {
        Some(comp) => comp.clone(),
        // 0xFFFFFFFF: the component has no source.
        None => Comp::Uniform(l.legal.lane_bits(Legal::scalar_type(scalar), 0)),
    });
    chosen.collect()
}

/// `index == k`, in the representation of `index`.
fn is_index(l: &mut Lanes<'_, '_>, index: &Comp, k: usize) -> Comp {
    l.map([(index, Scalar::U32)], |l, [index]| {
        let k = l.int_like(index, k as i64);
        l.icmp(IntCC::Equal, index, k)
    })
}

/// The index as 32-bit lanes; one that does not fit is out of range either way.
fn index_of(l: &mut Lanes<'_, '_>, index: &Comp, scalar: Scalar) -> Comp {
    if scalar.bits() != 64 {
        return index.clone();
    }
    let limited = l.map([(index, scalar)], |l, [v]| {
        let most = l.int_like(v, i64::from(u32::MAX));
        l.umin(v, most)
    });
    l.convert(Conversion::Int { signed: false }, scalar, Scalar::U32, &limited)
}

/// The index, where it is a constant.
fn constant_index(l: &Lanes<'_, '_>, index: &Comp) -> Option<usize> {
    index.uniform().and_then(|v| l.legal.as_const(v)).and_then(|bits| usize::try_from(bits).ok())
}

fn extract_dynamic(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let [vector, index] = args else { return Comps::new() };
    let ([index, ..], Some((last, rest))) = (index.as_slice(), vector.split_last()) else { return Comps::new() };
    if let Some(k) = constant_index(l, index) {
        return smallvec![vector.get(k).unwrap_or(last).clone()];
    }
    let scalar = cx.operands[0];
    let index = &index_of(l, index, cx.operands[1]);
    let mut result = last.clone();
    for (k, comp) in rest.iter().enumerate() {
        let here = is_index(l, index, k);
        result = l.choose(&here, comp, &result, scalar);
    }
    smallvec![result]
}

fn insert_dynamic(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let [vector, component, index] = args else { return Comps::new() };
    let ([component, ..], [index, ..]) = (component.as_slice(), index.as_slice()) else { return Comps::new() };
    let mut result = vector.clone();
    if let Some(k) = constant_index(l, index) {
        if let Some(comp) = result.get_mut(k) {
            *comp = component.clone();
        }
        return result;
    }
    let index = &index_of(l, index, cx.operands[2]);
    for (k, comp) in result.iter_mut().enumerate() {
        let here = is_index(l, index, k);
        *comp = l.choose(&here, component, comp, cx.operands[0]);
    }
    result
}
