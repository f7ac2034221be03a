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
        let empty = Function::new(String::new(), module.functions[func].result, 0, Loc::default());
        let mut function = std::mem::replace(&mut module.functions[func], empty);
        contract(module, &mut function);
        module.functions[func] = function;
    }
    Ok(())
}

fn contract(module: &mut Module, function: &mut Function) {
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
            fuse(module, function, &uses, op, &mut fused, &mut out);
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
    module: &mut Module,
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
    let float = matches!(module.types.components(ty), Some((Scalar::F32, _)));
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
    if subtracts {
        // a*b - c = a*b + -c; c - a*b = -a*b + c, with the sign on a constant where there is one.
        let negated = match (first, function.as_const(y)) {
            (true, _) => &mut rest,
            (false, Some(_)) => &mut y,
            (false, None) => &mut x,
        };
        *negated = match negate(module, function, *negated) {
            Some(constant) => constant,
            None => emit(function, S::FNegate, smallvec![*negated], loc, out),
        };
    }
    if scales {
        let count = module.types.components(ty).map_or(1, |(_, count)| count);
        let op = Inst {
            opcode: Opcode::Core(S::CompositeConstruct),
            operands: SmallVec::from_elem(y, count as usize),
            literals: smallvec![],
            flags: 0,
        };
        let op = function.add_op(OpKind::Inst(op), &[ty], loc);
        out.push(op);
        y = function.ops[op].results[0];
    }
    let opcode = Opcode::Glsl(G::Fma);
    function.ops[op].kind =
        OpKind::Inst(Inst { opcode, operands: smallvec![x, y, rest], literals: smallvec![], flags: 0 });
    fused.insert(multiplication);
}

/// An instruction whose result has the type of its first operand.
fn emit(function: &mut Function, opcode: S, operands: Operands, loc: Loc, out: &mut Vec<OpId>) -> Value {
    let ty = function.values[operands[0]].ty;
    let inst = Inst { opcode: Opcode::Core(opcode), operands, literals: smallvec![], flags: 0 };
    let op = function.add_op(OpKind::Inst(inst), &[ty], loc);
    out.push(op);
    function.ops[op].results[0]
}

/// A constant scalar or vector with the other sign.
fn negate(module: &mut Module, function: &mut Function, value: Value) -> Option<Value> {
    let id = negate_const(module, function.as_const(value)?)?;
    Some(function.const_value(id, module.consts[id].ty))
}

fn negate_const(module: &mut Module, id: ConstId) -> Option<ConstId> {
    let Constant { ty, data } = module.consts[id].clone();
    let data = match data {
        ConstData::Bits(bits) => ConstData::Bits(bits ^ 0x8000_0000),
        ConstData::Composite(parts) => {
            ConstData::Composite(parts.into_iter().map(|part| negate_const(module, part)).collect::<Option<_>>()?)
        }
        ConstData::Null | ConstData::Undef => return None,
    };
    Some(module.constant(ty, data))
}
