//! Contraction: additions of products become fused multiply-adds.
//!
//! In: a verified module. Out: the same with `FAdd` and `FSub` of an `FMul` or `VectorTimesScalar` that has no other use
//! replaced by GLSL.std.450 `Fma`, where neither is decorated `NoContraction`, for 32-bit floats. What is fused depends on the
//! module alone, so that results are the same at every subgroup size.

use crate::error::Result;
use crate::ir::*;
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::{SmallVec, smallvec};
use spirv::{GlslStd450Op as G, Op as S};

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let funcs: Vec<FuncId> = module.functions.keys().collect();
    for func in funcs {
        contract(&module.types, &mut module.functions[func]);
    }
    Ok(())
}

fn contract(types: &Types, function: &mut Function) {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::with_capacity(function.values.len());
    let regions = function.all_regions();
    for &region in &regions {
        for &op in &function.regions[region].ops {
            function.ops[op].kind.for_each_use(|v| uses[v] += 1);
        }
        function.regions[region].end.for_each_use(|v| uses[v] += 1);
    }
    let mut fused = EntitySet::with_capacity(function.ops.len());
    for &region in &regions {
        let ops = std::mem::take(&mut function.regions[region].ops);
        let mut out = Vec::with_capacity(ops.len());
        for op in ops {
            fuse(types, function, &uses, op, &mut fused, &mut out);
            out.push(op);
        }
        function.regions[region].ops = out;
    }
    for region in regions {
        function.regions[region].ops.retain(|&op| !fused.contains(op));
    }
}

/// A product: its factors, and whether the second is a scalar beside a vector.
struct Product {
    op: OpId,
    factors: [Value; 2],
    scales: bool,
}

fn product(function: &Function, uses: &SecondaryMap<Value, u32>, value: Value) -> Option<Product> {
    let ValueDef::Result(op, 0) = function.values[value].def else { return None };
    let OpKind::Inst(inst) = &function.ops[op].kind else { return None };
    let scales = match inst.opcode {
        Opcode::Core(S::FMul) => false,
        Opcode::Core(S::VectorTimesScalar) => true,
        _ => return None,
    };
    match inst.operands[..] {
        [x, y] if uses[value] == 1 && inst.flags & NO_CONTRACTION == 0 => Some(Product { op, factors: [x, y], scales }),
        _ => None,
    }
}

/// Turns `op` into an `Fma` if it adds a product to something; appends what that needs before it.
fn fuse(
    types: &Types,
    function: &mut Function,
    uses: &SecondaryMap<Value, u32>,
    op: OpId,
    fused: &mut EntitySet<OpId>,
    out: &mut Vec<OpId>,
) {
    let (OpKind::Inst(inst), &[result]) = (&function.ops[op].kind, &function.ops[op].results[..]) else { return };
    let subtracts = match inst.opcode {
        Opcode::Core(S::FAdd) => false,
        Opcode::Core(S::FSub) => true,
        _ => return,
    };
    let (&[left, right], ty) = (&inst.operands[..], function.values[result].ty) else { return };
    let float = matches!(types.components(ty), Some((Scalar::F32, _)));
    if !float || inst.flags & NO_CONTRACTION != 0 {
        return;
    }
    let (Product { op: multiplication, factors: [mut x, mut y], scales }, mut rest, first) =
        match (product(function, uses, left), product(function, uses, right)) {
            (Some(found), _) => (found, right, true),
            (None, Some(found)) => (found, left, false),
            (None, None) => return,
        };
    let loc = function.ops[op].loc;
    let mut emit = |opcode: S, operands: Operands, ty: TypeId| {
        let inst = Inst { opcode: Opcode::Core(opcode), operands, literals: smallvec![], flags: 0 };
        let op = function.add_op(OpKind::Inst(inst), &[ty], loc);
        out.push(op);
        function.ops[op].results[0]
    };
    if scales {
        let count = types.components(ty).map_or(1, |(_, count)| count);
        y = emit(S::CompositeConstruct, SmallVec::from_elem(y, count as usize), ty);
    }
    match (subtracts, first) {
        (true, true) => rest = emit(S::FNegate, smallvec![rest], ty),
        (true, false) => x = emit(S::FNegate, smallvec![x], ty),
        (false, _) => {}
    }
    let opcode = Opcode::Glsl(G::Fma);
    function.ops[op].kind =
        OpKind::Inst(Inst { opcode, operands: smallvec![x, y, rest], literals: smallvec![], flags: 0 });
    fused.insert(multiplication);
}
