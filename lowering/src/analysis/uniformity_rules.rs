//! The transfer functions of the uniformity analysis: shapes of an instruction's result from those of its operands.
//!
//! In: an instruction and the table so far. Out: a shape for each leaf of the result, and why it is not more uniform.

use super::shape::{Level, Shape};
use super::uniformity::{Cause, MAX_LEAVES, Root, Shapes, Uniformity};
use crate::ir::{
    BuiltIn, ConstData, ConstId, EntryPoint, Function, GlobalId, Inst, Module, Opcode, StorageClass, Type, Value,
};
use crate::ops;
use crate::simt::value::Width;
use smallvec::smallvec;
use spirv::{GlslStd450Op as G, Op};

/// What the rules may look at.
pub(super) struct Context<'c> {
    pub module: &'c Module,
    pub func: &'c Function,
    pub entry: &'c EntryPoint,
    pub width: Width,
    pub table: &'c Uniformity,
}

/// Shapes of the `n` leaves of the result of `inst`.
pub(super) fn inst(cx: &Context<'_>, inst: &Inst, result: Value, n: usize) -> (Shapes, Option<Cause>) {
    let shapes = match inst.opcode {
        Opcode::Core(Op::IAdd) => zip(cx, inst, n, |a, b, _| a.add(b, 1)),
        Opcode::Core(Op::ISub) => zip(cx, inst, n, |a, b, _| a.add(b, -1)),
        Opcode::Core(Op::IMul) => zip(cx, inst, n, |a, b, constants| match constants {
            (Some(c), _) => b.scale(c),
            (_, Some(c)) => a.scale(c),
            _ => a.meet_operation(b),
        }),
        Opcode::Core(Op::ShiftLeftLogical) => zip(cx, inst, n, |a, b, constants| match constants.1 {
            Some(c) => a.scale(1i32.wrapping_shl(c as u32)),
            None => a.meet_operation(b),
        }),
        Opcode::Core(Op::Select) => select(cx, inst, n),
        Opcode::Glsl(G::SMin | G::SMax | G::UMin | G::UMax | G::SClamp | G::UClamp) => {
            (0..n).map(|i| picked(cx, &inst.operands, i)).collect()
        }
        Opcode::Core(Op::SNegate) => operand(cx, inst, 0).iter().map(|s| s.scale(-1)).collect(),
        Opcode::Core(Op::Bitcast) => {
            let ints = integers_of_32_bits(cx, inst.operands[0]) && integers_of_32_bits(cx, result);
            if ints { operand(cx, inst, 0).into() } else { all(cx, inst, n) }
        }
        Opcode::Core(Op::CompositeConstruct) => {
            inst.operands.iter().flat_map(|&v| cx.table.shapes(v).iter().copied()).collect()
        }
        Opcode::Core(Op::CopyObject | Op::CopyLogical) => operand(cx, inst, 0).into(),
        Opcode::Core(Op::CompositeExtract) => {
            match leaf_range(cx.module, type_of(cx, inst.operands[0]), &inst.literals) {
                Some((start, len)) => operand(cx, inst, 0).iter().skip(start).take(len).copied().collect(),
                None => smallvec![Shape::Varying; n],
            }
        }
        Opcode::Core(Op::CompositeInsert) => {
            let mut out: Shapes = operand(cx, inst, 1).into();
            if let Some((start, _)) = leaf_range(cx.module, type_of(cx, inst.operands[1]), &inst.literals) {
                for (slot, new) in out.iter_mut().skip(start).zip(operand(cx, inst, 0)) {
                    *slot = *new;
                }
            }
            out
        }
        Opcode::Core(Op::VectorShuffle) => {
            let both: Shapes = operand(cx, inst, 0).iter().chain(operand(cx, inst, 1)).copied().collect();
            inst.literals.iter().map(|&l| both.get(l as usize).copied().unwrap_or(Shape::CONSTANT)).collect()
        }
        Opcode::Core(Op::AccessChain | Op::InBoundsAccessChain) => return (access_chain(cx, inst), None),
        Opcode::Core(Op::Load) => return load(cx, inst, n),
        Opcode::Core(Op::ArrayLength) => smallvec![Shape::Uniform(Level::Dispatch)],
        opcode => {
            let row = ops::row(opcode);
            let shapes = match row.map(|row| (row.how, row.flow)) {
                Some((how, ops::Flow::Operands)) if how.is_lane_wise() => component_wise(cx, inst, n),
                Some((_, ops::Flow::Operands)) => all(cx, inst, n),
                Some((_, ops::Flow::Subgroup)) => smallvec![Shape::Uniform(Level::Subgroup); n],
                Some((_, ops::Flow::Group)) => group_operation(cx, inst, n),
                _ => smallvec![Shape::Varying; n],
            };
            match row {
                Some(row) if row.is_of_subgroup() => {
                    // Computed by each subgroup, even where it is the same in all.
                    let shapes = shapes.iter().map(|s| s.at_least(Level::Subgroup)).collect();
                    let cause = if row.flow == ops::Flow::Operands { blame(cx, inst) } else { Some(Cause::Subgroup) };
                    return (shapes, cause);
                }
                _ => shapes,
            }
        }
    };
    let cause = blame(cx, inst);
    (shapes, cause)
}

/// The operand that is least uniform.
fn blame(cx: &Context<'_>, inst: &Inst) -> Option<Cause> {
    let rank = |v: &&Value| {
        let worst = |s: &Shape| match s {
            Shape::Uniform(level) => *level as u8,
            Shape::Affine(_) => 4,
            Shape::ChunkAffine(_) => 5,
            Shape::Nearly(_) => 6,
            Shape::Varying => 7,
        };
        cx.table.shapes(**v).iter().map(worst).max().unwrap_or(0)
    };
    inst.operands.iter().max_by_key(rank).map(|&v| Cause::Operand(v))
}

fn type_of(cx: &Context<'_>, value: Value) -> crate::ir::TypeId {
    cx.func.values[value].ty
}

fn operand<'c>(cx: &Context<'c>, inst: &Inst, index: usize) -> &'c [Shape] {
    inst.operands.get(index).map_or(&[], |&v| cx.table.shapes(v))
}

fn integers_of_32_bits(cx: &Context<'_>, value: Value) -> bool {
    match cx.module.types.components(type_of(cx, value)) {
        Some((scalar, _)) => scalar.is_int() && scalar.bits() == 32,
        None => false,
    }
}

/// Two operands component by component, with the 32-bit constants that they may be.
fn zip(
    cx: &Context<'_>,
    inst: &Inst,
    n: usize,
    f: impl Fn(Shape, Shape, (Option<i32>, Option<i32>)) -> Shape,
) -> Shapes {
    let (a, b) = (operand(cx, inst, 0), operand(cx, inst, 1));
    // Only 32-bit integers have an affine form.
    let affine = integers_of_32_bits(cx, inst.operands[0]);
    (0..n)
        .map(|i| match (a.get(i), b.get(i)) {
            (Some(&a), Some(&b)) if affine => {
                let constant = |operand: usize| constant_leaf(cx, inst.operands[operand], i);
                f(a, b, (constant(0), constant(1)))
            }
            (Some(a), Some(b)) => a.meet_operation(*b),
            // An operand that has not been computed yet: as uniform as can be.
            _ => Shape::CONSTANT,
        })
        .collect()
}

/// Component `i` of the result as component `i` of all operands; scalars beside vectors are repeated.
fn component_wise(cx: &Context<'_>, inst: &Inst, n: usize) -> Shapes {
    (0..n)
        .map(|i| {
            inst.operands.iter().fold(Shape::CONSTANT, |shape, &v| {
                let shapes = cx.table.shapes(v);
                let own = if shapes.len() == 1 { shapes.first() } else { shapes.get(i) };
                own.map_or(shape, |s| shape.meet_operation(*s))
            })
        })
        .collect()
}

/// Component `i` of a value that is, lane by lane, one of the operands' components.
fn picked(cx: &Context<'_>, operands: &[Value], i: usize) -> Shape {
    let mut shapes = operands.iter().filter_map(|&v| cx.table.shapes(v).get(i).copied());
    let first = shapes.next().unwrap_or(Shape::CONSTANT);
    shapes.fold(first, Shape::either)
}

/// `OpSelect`: one of two, by a condition that may differ from lane to lane itself.
fn select(cx: &Context<'_>, inst: &Inst, n: usize) -> Shapes {
    let cond = operand(cx, inst, 0);
    (0..n)
        .map(|i| {
            let cond = cond.get(if cond.len() == 1 { 0 } else { i }).copied().unwrap_or(Shape::CONSTANT);
            let picked = picked(cx, &inst.operands[1..], i);
            match (cond, picked) {
                (Shape::Uniform(level), picked) => picked.at_least(level),
                (_, Shape::Nearly(stride)) => Shape::Nearly(stride),
                _ => Shape::Varying,
            }
        })
        .collect()
}

/// Every component of the result as all components of all operands.
fn all(cx: &Context<'_>, inst: &Inst, n: usize) -> Shapes {
    let shape = inst
        .operands
        .iter()
        .flat_map(|&v| cx.table.shapes(v))
        .fold(Shape::CONSTANT, |shape, s| shape.meet_operation(*s));
    smallvec![shape; n]
}

/// A reduction is the same in all active lanes; of bits that are counted, where these are. Scans and clusters differ.
fn group_operation(cx: &Context<'_>, inst: &Inst, n: usize) -> Shapes {
    if inst.literals.first() != Some(&(spirv::GroupOperation::Reduce as u32)) {
        return smallvec![Shape::Varying; n];
    }
    match inst.opcode {
        Opcode::Core(Op::GroupNonUniformBallotBitCount) => all(cx, inst, n),
        _ => smallvec![Shape::Uniform(Level::Subgroup); n],
    }
}

/// The address is as uniform as the indices.
fn access_chain(cx: &Context<'_>, inst: &Inst) -> Shapes {
    smallvec![all(cx, inst, 1)[0]]
}

fn load(cx: &Context<'_>, inst: &Inst, n: usize) -> (Shapes, Option<Cause>) {
    let pointer = inst.operands[0];
    let address = cx.table.shapes(pointer).first().copied().unwrap_or(Shape::CONSTANT);
    let global = match cx.table.root(pointer) {
        Some(Root::Global(id)) => id,
        // Variables that stay in memory hold one value a lane, but for tables of constants.
        Some(Root::Variable(variable)) if cx.table.is_table(variable) => {
            return (smallvec![address.meet_operation(Shape::CONSTANT); n], Some(Cause::Operand(pointer)));
        }
        _ => return (smallvec![Shape::Varying; n], Some(Cause::Memory)),
    };
    match cx.module.globals[global].class {
        StorageClass::Input => (builtin(cx, global, pointer, n), Some(Cause::BuiltIn(global))),
        StorageClass::Uniform | StorageClass::PushConstant if !is_buffer_block(cx.module, global) => match address {
            Shape::Uniform(level) => {
                (smallvec![Shape::Uniform(level.max(Level::Dispatch)); n], Some(Cause::Operand(pointer)))
            }
            _ => (smallvec![Shape::Varying; n], Some(Cause::Operand(pointer))),
        },
        StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::Workgroup => match address {
            Shape::Uniform(_) => (smallvec![Shape::Uniform(Level::Subgroup); n], Some(Cause::Memory)),
            _ => (smallvec![Shape::Varying; n], Some(Cause::Operand(pointer))),
        },
        _ => (smallvec![Shape::Varying; n], Some(Cause::Memory)),
    }
}

fn is_buffer_block(module: &Module, global: GlobalId) -> bool {
    let mut ty = module.types.pointee(module.globals[global].ty).map(|(_, pointee)| pointee);
    while let Some(Type::Array { element, .. } | Type::RuntimeArray { element, .. }) = ty.map(|t| &module.types[t]) {
        ty = Some(*element);
    }
    matches!(ty.map(|t| &module.types[t]), Some(Type::Struct(id)) if module.types.structs[*id].buffer_block)
}

/// Shapes of a load of a built-in variable: all of it, or the component that a constant index names.
fn builtin(cx: &Context<'_>, global: GlobalId, pointer: Value, n: usize) -> Shapes {
    let Some(builtin) = cx.module.globals[global].builtin else {
        return smallvec![Shape::Varying; n];
    };
    let whole = builtin_shapes(builtin, cx.entry.local_size, cx.width);
    match component(cx.module, cx.func, pointer) {
        Some(None) => (0..n).map(|i| whole.get(i).copied().unwrap_or(Shape::Varying)).collect(),
        Some(Some(index)) => smallvec![whole.get(index as usize).copied().unwrap_or(Shape::Varying); n],
        // Chosen at run time: as uniform as the choice and all components.
        None => {
            let choice = cx.table.shapes(pointer).first().copied().unwrap_or(Shape::CONSTANT);
            smallvec![whole.iter().fold(choice.meet_operation(Shape::CONSTANT), |a, b| a.meet_operation(*b)); n]
        }
    }
}

/// Which component of a global a pointer names: `Some(None)` the whole, `None` one chosen at run time.
pub(crate) fn component(module: &Module, func: &Function, pointer: Value) -> Option<Option<u32>> {
    match func.values[pointer].def {
        crate::ir::ValueDef::Global(_) => Some(None),
        crate::ir::ValueDef::Result(op, _) => match &func.ops[op].kind {
            crate::ir::OpKind::Inst(inst) if inst.operands.len() == 2 => {
                func.as_const(inst.operands[1]).and_then(|c| module.scalar_bits(c)).map(|bits| Some(bits as u32))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Shapes of the components of a compute built-in (Vulkan specification, "Built-In Variables").
pub(crate) fn builtin_shapes(builtin: BuiltIn, size: [u32; 3], width: Width) -> Shapes {
    if width.groups > 1
        && let Some(shapes) = packed_shapes(builtin, size, width)
    {
        return shapes;
    }
    const CONSTANT: Shape = Shape::CONSTANT;
    let workgroup = Shape::Uniform(Level::Workgroup);
    match builtin {
        BuiltIn::LocalInvocationId => local_id_shapes(size, width),
        BuiltIn::GlobalInvocationId => {
            local_id_shapes(size, width).into_iter().map(|s| s.at_least(Level::Workgroup)).collect()
        }
        BuiltIn::LocalInvocationIndex | BuiltIn::SubgroupLocalInvocationId => {
            smallvec![if width.subgroup == 1 { Shape::Uniform(Level::Subgroup) } else { Shape::Affine(1) }]
        }
        BuiltIn::WorkgroupId => smallvec![workgroup; 3],
        BuiltIn::NumWorkgroups => smallvec![Shape::Uniform(Level::Dispatch); 3],
        BuiltIn::WorkgroupSize => smallvec![CONSTANT; 3],
        BuiltIn::SubgroupId => smallvec![Shape::Uniform(Level::Subgroup)],
        BuiltIn::SubgroupSize | BuiltIn::NumSubgroups => smallvec![CONSTANT],
        BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => {
            let high = if width.subgroup > 32 { Shape::Varying } else { CONSTANT };
            smallvec![Shape::Varying, high, CONSTANT, CONSTANT]
        }
        _ => smallvec![],
    }
}

/// The same where lane `l` is invocation `l % P` of workgroup `l / P` of several, for the built-ins that this changes.
fn packed_shapes(builtin: BuiltIn, size: [u32; 3], width: Width) -> Option<Shapes> {
    let invocations: u32 = size.iter().product();
    let chunks = width.chunk > 1 && invocations.is_multiple_of(width.chunk);
    let workgroup = Shape::Uniform(Level::Workgroup);
    let group = match invocations {
        1 => Shape::Affine(1),
        _ if chunks => Shape::ChunkAffine(0),
        _ => Shape::Varying,
    };
    let mut below = 1u64;
    // With a subgroup that no dimension fills: what is left is what chunks have in common.
    let mut dimension = |n: u32| {
        let shape = local_dimension(n, below, false, u64::MAX, if chunks { width.chunk } else { 1 });
        below *= u64::from(n);
        shape
    };
    let local: Shapes = size.iter().map(|&n| dimension(n)).collect();
    Some(match builtin {
        BuiltIn::WorkgroupId => smallvec![group, workgroup, workgroup],
        BuiltIn::LocalInvocationIndex => smallvec![match invocations {
            1 => Shape::CONSTANT,
            _ if chunks => Shape::ChunkAffine(1),
            _ => Shape::Varying,
        }],
        BuiltIn::LocalInvocationId => local,
        BuiltIn::GlobalInvocationId => {
            // A row of workgroups that are rows themselves is one row of invocations.
            let x =
                if invocations == size[0] { Shape::Affine(1) } else { group.scale(size[0] as i32).add(local[0], 1) };
            smallvec![x, local[1].at_least(Level::Workgroup), local[2].at_least(Level::Workgroup)]
        }
        _ => return None,
    })
}

/// Invocations are numbered x first, then y, then z; lane `l` of subgroup `s` is invocation `s * W + l`.
fn local_id_shapes(size: [u32; 3], width: Width) -> Shapes {
    let w = u64::from(width.subgroup);
    let mut inner = 1u64;
    size.iter()
        .enumerate()
        .map(|(dim, &n)| {
            let below = inner;
            inner *= u64::from(n);
            let last = size[dim + 1..].iter().all(|&s| s == 1);
            local_dimension(n, below, last, w, width.chunk)
        })
        .collect()
}

/// One dimension of the local id: `n` long, `below` invocations in the dimensions under it.
fn local_dimension(n: u32, below: u64, last: bool, w: u64, chunk: u32) -> Shape {
    let chunk = u64::from(chunk);
    let subgroup = Shape::Uniform(Level::Subgroup);
    if n == 1 {
        Shape::CONSTANT
    } else if below.is_multiple_of(w) || w == 1 {
        subgroup
    } else if below == 1 && (u64::from(n).is_multiple_of(w) || last) {
        Shape::Affine(1)
    } else if chunk > 1 && below.is_multiple_of(chunk) {
        Shape::ChunkAffine(0)
    } else if chunk > 1 && below == 1 && u64::from(n).is_multiple_of(chunk) {
        Shape::ChunkAffine(1)
    } else {
        Shape::Varying
    }
}

/// Leaf `i` of `value` where that is a constant, as 32 bits.
pub(crate) fn constant_leaf(cx: &Context<'_>, value: Value, i: usize) -> Option<i32> {
    let id = cx.func.as_const(value)?;
    constant_leaf_bits(cx.module, id, i).map(|bits| bits as i32)
}

/// Leaf `i` of a constant, as bits.
pub(crate) fn constant_leaf_bits(module: &Module, id: ConstId, i: usize) -> Option<u64> {
    let constant = &module.consts[id];
    match &constant.data {
        ConstData::Bits(bits) => (i == 0).then_some(*bits),
        ConstData::Null | ConstData::Undef => Some(0),
        ConstData::Composite(parts) => {
            let mut i = i;
            for &part in parts {
                let n = module.types.leaves(module.consts[part].ty, MAX_LEAVES)?.len();
                if i < n {
                    return constant_leaf_bits(module, part, i);
                }
                i -= n;
            }
            None
        }
    }
}

/// First leaf and number of leaves of the constituent of `ty` that `path` names.
pub(crate) fn leaf_range(module: &Module, ty: crate::ir::TypeId, path: &[u32]) -> Option<(usize, usize)> {
    let types = &module.types;
    let (mut ty, mut start) = (ty, 0);
    for &index in path {
        if let Type::Vector { count, .. } = types[ty] {
            // A component's type needs no id of its own.
            return (index < u32::from(count)).then_some((start + index as usize, 1));
        }
        let skipped = match types[ty] {
            Type::Matrix { column, .. } => types.leaves(column, MAX_LEAVES)?.len() * index as usize,
            Type::Array { element, .. } => types.leaves(element, MAX_LEAVES)?.len().checked_mul(index as usize)?,
            Type::Struct(id) => types.structs[id]
                .members
                .iter()
                .take(index as usize)
                .map(|m| types.leaves(m.ty, MAX_LEAVES).map(|l| l.len()))
                .sum::<Option<usize>>()?,
            _ => return None,
        };
        start += skipped;
        ty = types.constituent(ty, index)?;
    }
    Some((start, types.leaves(ty, MAX_LEAVES)?.len()))
}
