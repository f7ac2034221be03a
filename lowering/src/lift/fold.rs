//! Folding of `OpSpecConstantOp` (SPIR-V specification, §3.49.7): integers of any width, booleans and 32-bit floats,
//! component by component, and the composite instructions.
//!
//! Where SPIR-V leaves a value undefined it is the one that generated code gives too: x/0 = x, x%0 = 0, MIN/-1 = MIN,
//! MIN%-1 = 0, shift amounts modulo the width.

use crate::ir::{ConstData, ConstId, Module, Scalar, Type, TypeId};
use spirv::Op;

/// Why an operation was not folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fail {
    /// Operands of the wrong number or type.
    Invalid,
    /// Not an operation that is folded.
    Unsupported,
}

/// The low `bits` bits set.
pub(super) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Sign-extends the low `bits` bits.
fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

fn f32_of(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// How one component of a result follows from components of the operands. `w` is the width of the first operand.
#[derive(Clone, Copy)]
enum Rule {
    /// Integers (and booleans as integers of one bit).
    Int1(fn(u64, u32) -> u64),
    Int2(fn(u64, u64, u32) -> u64),
    Float1(fn(f32) -> f32),
    Float2(fn(f32, f32) -> f32),
    FloatTest(fn(f32, f32) -> bool),
    Select,
    /// Conversions, by signedness of the source.
    Convert(bool),
}

fn sdiv(a: u64, b: u64, w: u32) -> u64 {
    if signed(b, w) == 0 { a } else { signed(a, w).wrapping_div(signed(b, w)) as u64 }
}

fn srem(a: u64, b: u64, w: u32) -> u64 {
    if signed(b, w) == 0 { 0 } else { signed(a, w).wrapping_rem(signed(b, w)) as u64 }
}

fn smod(a: u64, b: u64, w: u32) -> u64 {
    let rem = srem(a, b, w) as i64;
    // The remainder takes the sign of the divisor.
    if rem != 0 && (rem < 0) != (signed(b, w) < 0) { rem.wrapping_add(signed(b, w)) as u64 } else { rem as u64 }
}

fn shift(b: u64, w: u32) -> u32 {
    (b % u64::from(w)) as u32
}

/// The nearest 16-bit float, ties to even; what is below the normal ones becomes zero, as in generated code.
fn quantize(value: f32) -> f32 {
    // Of 32 bits: 65536, 2^-14, and the least that is rounded up to 2^-14.
    const TOO_LARGE: u32 = 0x4780_0000;
    const SMALLEST: u32 = 0x3880_0000;
    const ROUNDED_UP: u32 = 0x387f_e000;
    let (sign, magnitude) = (value.to_bits() & 0x8000_0000, value.to_bits() & 0x7fff_ffff);
    if value.is_nan() {
        return value;
    }
    let rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) & !0x1fff;
    let bits = match rounded {
        TOO_LARGE.. => f32::INFINITY.to_bits(),
        SMALLEST.. => rounded,
        _ if magnitude >= ROUNDED_UP => SMALLEST,
        _ => 0,
    };
    f32::from_bits(sign | bits)
}

const RULES: &[(Op, Rule)] = &[
    (Op::SNegate, Rule::Int1(|a, _| a.wrapping_neg())),
    (Op::Not, Rule::Int1(|a, _| !a)),
    (Op::LogicalNot, Rule::Int1(|a, _| a ^ 1)),
    (Op::IAdd, Rule::Int2(|a, b, _| a.wrapping_add(b))),
    (Op::ISub, Rule::Int2(|a, b, _| a.wrapping_sub(b))),
    (Op::IMul, Rule::Int2(|a, b, _| a.wrapping_mul(b))),
    (Op::UDiv, Rule::Int2(|a, b, _| a.checked_div(b).unwrap_or(a))),
    (Op::UMod, Rule::Int2(|a, b, _| a.checked_rem(b).unwrap_or(0))),
    (Op::SDiv, Rule::Int2(sdiv)),
    (Op::SRem, Rule::Int2(srem)),
    (Op::SMod, Rule::Int2(smod)),
    (Op::ShiftLeftLogical, Rule::Int2(|a, b, w| a << shift(b, w))),
    (Op::ShiftRightLogical, Rule::Int2(|a, b, w| a >> shift(b, w))),
    (Op::ShiftRightArithmetic, Rule::Int2(|a, b, w| (signed(a, w) >> shift(b, w)) as u64)),
    (Op::BitwiseAnd, Rule::Int2(|a, b, _| a & b)),
    (Op::BitwiseOr, Rule::Int2(|a, b, _| a | b)),
    (Op::BitwiseXor, Rule::Int2(|a, b, _| a ^ b)),
    (Op::LogicalAnd, Rule::Int2(|a, b, _| a & b)),
    (Op::LogicalOr, Rule::Int2(|a, b, _| a | b)),
    (Op::LogicalEqual, Rule::Int2(|a, b, _| u64::from(a == b))),
    (Op::LogicalNotEqual, Rule::Int2(|a, b, _| u64::from(a != b))),
    (Op::IEqual, Rule::Int2(|a, b, _| u64::from(a == b))),
    (Op::INotEqual, Rule::Int2(|a, b, _| u64::from(a != b))),
    (Op::ULessThan, Rule::Int2(|a, b, _| u64::from(a < b))),
    (Op::ULessThanEqual, Rule::Int2(|a, b, _| u64::from(a <= b))),
    (Op::UGreaterThan, Rule::Int2(|a, b, _| u64::from(a > b))),
    (Op::UGreaterThanEqual, Rule::Int2(|a, b, _| u64::from(a >= b))),
    (Op::SLessThan, Rule::Int2(|a, b, w| u64::from(signed(a, w) < signed(b, w)))),
    (Op::SLessThanEqual, Rule::Int2(|a, b, w| u64::from(signed(a, w) <= signed(b, w)))),
    (Op::SGreaterThan, Rule::Int2(|a, b, w| u64::from(signed(a, w) > signed(b, w)))),
    (Op::SGreaterThanEqual, Rule::Int2(|a, b, w| u64::from(signed(a, w) >= signed(b, w)))),
    (Op::Select, Rule::Select),
    (Op::UConvert, Rule::Convert(false)),
    (Op::SConvert, Rule::Convert(true)),
    (Op::FNegate, Rule::Float1(|a| -a)),
    (Op::QuantizeToF16, Rule::Float1(quantize)),
    (Op::FAdd, Rule::Float2(|a, b| a + b)),
    (Op::FSub, Rule::Float2(|a, b| a - b)),
    (Op::FMul, Rule::Float2(|a, b| a * b)),
    (Op::FDiv, Rule::Float2(|a, b| a / b)),
    (Op::FOrdEqual, Rule::FloatTest(|a, b| a == b)),
    (Op::FUnordNotEqual, Rule::FloatTest(|a, b| a != b)),
    (Op::FOrdLessThan, Rule::FloatTest(|a, b| a < b)),
    (Op::FOrdLessThanEqual, Rule::FloatTest(|a, b| a <= b)),
    (Op::FOrdGreaterThan, Rule::FloatTest(|a, b| a > b)),
    (Op::FOrdGreaterThanEqual, Rule::FloatTest(|a, b| a >= b)),
];

/// The value of an operation on constants.
pub(super) fn fold(
    module: &mut Module,
    op: Op,
    ty: TypeId,
    args: &[ConstId],
    literals: &[u32],
) -> Result<ConstData, Fail> {
    let data = match op {
        Op::CompositeExtract => {
            let from = *args.first().ok_or(Fail::Invalid)?;
            let found = extract(module, from, literals)?;
            return if module.consts[found].ty == ty {
                Ok(module.consts[found].data.clone())
            } else {
                Err(Fail::Invalid)
            };
        }
        Op::CompositeInsert => {
            let [object, into] = *args else { return Err(Fail::Invalid) };
            let made = insert(module, into, object, literals)?;
            return if module.consts[made].ty == ty {
                Ok(module.consts[made].data.clone())
            } else {
                Err(Fail::Invalid)
            };
        }
        Op::VectorShuffle => shuffle(module, args, literals)?,
        _ => {
            let rule = RULES.iter().find(|(o, _)| *o == op).map(|(_, r)| *r).ok_or(Fail::Unsupported)?;
            component_wise(module, rule, ty, args)?
        }
    };
    vector(module, ty, &data)
}

/// A constant of a scalar or vector type from its components.
fn vector(module: &mut Module, ty: TypeId, bits: &[u64]) -> Result<ConstData, Fail> {
    let (scalar, count) = module.types.components(ty).ok_or(Fail::Invalid)?;
    if bits.len() != count as usize {
        return Err(Fail::Invalid);
    }
    let width = if scalar == Scalar::Bool { 1 } else { scalar.bits() };
    if let ([value], Type::Scalar(_)) = (bits, &module.types[ty]) {
        return Ok(ConstData::Bits(value & mask(width)));
    }
    let component = module.types.scalar(scalar);
    let parts = bits.iter().map(|b| module.constant(component, ConstData::Bits(b & mask(width)))).collect();
    Ok(ConstData::Composite(parts))
}

/// Component type and components of a scalar or vector.
fn components(module: &Module, id: ConstId) -> Result<(Scalar, Vec<u64>), Fail> {
    let (scalar, count) = module.types.components(module.consts[id].ty).ok_or(Fail::Invalid)?;
    let bits = match &module.consts[id].data {
        ConstData::Bits(b) => vec![*b],
        ConstData::Null | ConstData::Undef => vec![0; count as usize],
        ConstData::Composite(parts) => {
            parts.iter().map(|&p| module.scalar_bits(p).ok_or(Fail::Invalid)).collect::<Result<_, _>>()?
        }
    };
    Ok((scalar, bits))
}

fn component_wise(module: &Module, rule: Rule, ty: TypeId, args: &[ConstId]) -> Result<Vec<u64>, Fail> {
    let operands = args.iter().map(|&a| components(module, a)).collect::<Result<Vec<_>, _>>()?;
    let (_, count) = module.types.components(ty).ok_or(Fail::Invalid)?;
    let Some((scalar, _)) = operands.first() else { return Err(Fail::Invalid) };
    let (scalar, count) = (*scalar, count as usize);
    let is_float = |s: &Scalar| *s == Scalar::Float(32);
    let is_int = |s: &Scalar| !s.is_float();
    let wanted: (usize, &dyn Fn(&Scalar) -> bool) = match rule {
        Rule::Int1(_) | Rule::Convert(_) => (1, &is_int),
        Rule::Int2(_) => (2, &is_int),
        Rule::Float1(_) => (1, &is_float),
        Rule::Float2(_) | Rule::FloatTest(_) => (2, &is_float),
        Rule::Select => (3, &|_| true),
    };
    if operands.len() != wanted.0 {
        return Err(Fail::Invalid);
    }
    if !operands.iter().all(|(s, _)| wanted.1(s)) {
        let float = operands.iter().all(|(s, _)| s.is_float());
        return Err(if float { Fail::Unsupported } else { Fail::Invalid });
    }
    // The condition of Select may be one boolean for all components.
    let scalar_cond = matches!(rule, Rule::Select) && operands[0].1.len() == 1;
    let fits = |i: usize, n: usize| n == count || (scalar_cond && i == 0);
    if !operands.iter().enumerate().all(|(i, (_, c))| fits(i, c.len())) {
        return Err(Fail::Invalid);
    }
    let w = if scalar == Scalar::Bool { 1 } else { scalar.bits() };
    let at = |i: usize, c: usize| operands[i].1[if operands[i].1.len() == 1 { 0 } else { c }];
    Ok((0..count)
        .map(|c| match rule {
            Rule::Int1(f) => f(at(0, c), w),
            Rule::Int2(f) => f(at(0, c), at(1, c), w),
            Rule::Float1(f) => u64::from(f(f32_of(at(0, c))).to_bits()),
            Rule::Float2(f) => u64::from(f(f32_of(at(0, c)), f32_of(at(1, c))).to_bits()),
            Rule::FloatTest(f) => u64::from(f(f32_of(at(0, c)), f32_of(at(1, c)))),
            Rule::Select => at(if at(0, c) != 0 { 1 } else { 2 }, c),
            Rule::Convert(true) => signed(at(0, c), w) as u64,
            Rule::Convert(false) => at(0, c),
        })
        .collect())
}

fn extract(module: &mut Module, from: ConstId, path: &[u32]) -> Result<ConstId, Fail> {
    let mut at = from;
    for &index in path {
        let ty = module.types.constituent(module.consts[at].ty, index).ok_or(Fail::Invalid)?;
        at = match &module.consts[at].data {
            ConstData::Composite(parts) => *parts.get(index as usize).ok_or(Fail::Invalid)?,
            ConstData::Null => module.constant(ty, ConstData::Null),
            ConstData::Undef => module.constant(ty, ConstData::Undef),
            ConstData::Bits(_) => return Err(Fail::Invalid),
        };
    }
    Ok(at)
}

/// The most constituents that are written out to change one of them.
const MAX_PARTS: u32 = 1 << 16;

fn insert(module: &mut Module, into: ConstId, object: ConstId, path: &[u32]) -> Result<ConstId, Fail> {
    // Down the path, then back up with the changed constituent.
    let mut chain = vec![into];
    for &index in path {
        let next = extract(module, *chain.last().ok_or(Fail::Invalid)?, &[index])?;
        chain.push(next);
    }
    let replaced = chain.pop().ok_or(Fail::Invalid)?;
    if module.consts[replaced].ty != module.consts[object].ty {
        return Err(Fail::Invalid);
    }
    let mut made = object;
    for (outer, &index) in chain.into_iter().zip(path).rev() {
        let ty = module.consts[outer].ty;
        let count = module.types.constituents(ty).ok_or(Fail::Invalid)?;
        if count > MAX_PARTS {
            return Err(Fail::Unsupported);
        }
        let mut parts = (0..count).map(|i| extract(module, outer, &[i])).collect::<Result<Vec<_>, _>>()?;
        *parts.get_mut(index as usize).ok_or(Fail::Invalid)? = made;
        made = module.constant(ty, ConstData::Composite(parts));
    }
    Ok(made)
}

fn shuffle(module: &Module, args: &[ConstId], literals: &[u32]) -> Result<Vec<u64>, Fail> {
    let [a, b] = *args else { return Err(Fail::Invalid) };
    let (scalar, mut all) = components(module, a)?;
    let (other, more) = components(module, b)?;
    if scalar != other {
        return Err(Fail::Invalid);
    }
    all.extend(more);
    let pick = |&l: &u32| if l == u32::MAX { Some(0) } else { all.get(l as usize).copied() };
    literals.iter().map(|l| pick(l).ok_or(Fail::Invalid)).collect()
}
