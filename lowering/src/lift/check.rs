//! Types of operands and results (SPIR-V specification, §3.49; "SPIR-V Extended Instructions for GLSL").
//!
//! Later stages rely on what is checked here: that shapes, widths and kinds of operands and results agree, that composite
//! paths exist, and that pointers point to what is loaded and stored. One rule serves many instructions; an instruction
//! without a rule is not checked, and a stage that handles it has to look itself.

mod groups;

use crate::ir::{Function, Module, Opcode, Scalar, StorageClass, Type, TypeId, Value};
use spirv::{GlslStd450Op as G, Op, OpenclStd100Op as C};
use spirv::{SpvAmdGcnShaderOp as A, SpvAmdShaderTrinaryMinmaxOp as T};

/// Kinds of scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    Float,
    Bool,
    /// Integer or float.
    Number,
    Any,
}

/// How the types of an instruction hang together.
#[derive(Clone, Copy)]
enum Rule {
    /// So many operands, all of the result's shape, kind and width.
    Map(usize, Class),
    /// So many operands of one shape; the result is a boolean for each component.
    Test(usize, Class),
    /// One operand of the first kind becomes a result of the second, of any width.
    Convert(Class, Class),
    /// An operand with as many bits as the result.
    Bitcast,
    /// Integers, the amount of any width.
    Shift,
    Select,
    /// So many float operands of one shape, the result one of their components.
    Fold(usize),
    /// Two vectors of integers, or two words with a packed format; so many integers of the result's type follow.
    IntegerDot(usize),
    /// So many booleans, the result is one.
    Any,
    /// Base (and insert, when there are so many of the first) of the result's type, then two integers.
    BitField(usize),
    /// Integers of any width, component by component.
    BitCount,
    /// Two integers; the result is a struct of two such.
    Pair,
    Construct,
    /// One constituent for all places.
    Replicate,
    /// Types that differ in decorations only.
    CopyLogical,
    Extract,
    Insert,
    Shuffle,
    ExtractDynamic,
    InsertDynamic,
    VectorTimesScalar,
    Matrix(MatrixRule),
    Chain,
    Load,
    Store,
    CopyMemory,
    ArrayLength,
    /// An atomic with so many operands in all, of which the last so many are values.
    Atomic(usize, usize),
    /// Vectors of three floats.
    Cross,
    /// Two floats of the result's shape and a scalar one.
    Refract,
    /// A vector of three floats; the result has so many.
    CubeFace(u32),
    /// A float and an integer of the same shape.
    Ldexp,
    /// So many 32-bit floats become the bits of one 32-bit integer.
    Pack(u32),
    /// The bits of one 32-bit integer become so many 32-bit floats.
    Unpack(u32),
    /// A float is split in two: the result has both parts, the second of this kind.
    Split(Class),
    /// A float is split in two: the second part, of this kind, goes to memory.
    SplitTo(Class),
    /// So many integers of 32 bits, all constant.
    Constants(usize),
    /// An operation on the lanes of a subgroup.
    Group(&'static groups::Signature),
}

#[derive(Clone, Copy)]
enum MatrixRule {
    TimesScalar,
    TimesVector,
    VectorTimes,
    TimesMatrix,
    Transpose,
    Outer,
    /// The result is a component.
    Determinant,
    Inverse,
}

use Class::{Bool, Float, Int, Number};

/// Rules of core instructions.
const CORE: &[(&[Op], Rule)] = &[
    (&[Op::SNegate, Op::Not, Op::BitReverse], Rule::Map(1, Int)),
    (&[Op::FNegate, Op::DPdx, Op::DPdy, Op::Fwidth, Op::QuantizeToF16], Rule::Map(1, Float)),
    (&[Op::LogicalNot], Rule::Map(1, Bool)),
    (&[Op::IAdd, Op::ISub, Op::IMul, Op::UDiv, Op::SDiv, Op::UMod, Op::SRem, Op::SMod], Rule::Map(2, Int)),
    (&[Op::BitwiseOr, Op::BitwiseXor, Op::BitwiseAnd], Rule::Map(2, Int)),
    (&[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FMod], Rule::Map(2, Float)),
    (&[Op::LogicalEqual, Op::LogicalNotEqual, Op::LogicalOr, Op::LogicalAnd], Rule::Map(2, Bool)),
    (&[Op::IEqual, Op::INotEqual, Op::UGreaterThan, Op::SGreaterThan, Op::UGreaterThanEqual], Rule::Test(2, Int)),
    (
        &[Op::SGreaterThanEqual, Op::ULessThan, Op::SLessThan, Op::ULessThanEqual, Op::SLessThanEqual],
        Rule::Test(2, Int),
    ),
    (&[Op::FOrdEqual, Op::FUnordEqual, Op::FOrdNotEqual, Op::FUnordNotEqual, Op::FOrdLessThan], Rule::Test(2, Float)),
    (&[Op::FUnordLessThan, Op::FOrdGreaterThan, Op::FUnordGreaterThan, Op::FOrdLessThanEqual], Rule::Test(2, Float)),
    (&[Op::FUnordLessThanEqual, Op::FOrdGreaterThanEqual, Op::FUnordGreaterThanEqual], Rule::Test(2, Float)),
    (&[Op::Ordered, Op::Unordered, Op::LessOrGreater], Rule::Test(2, Float)),
    (&[Op::IsNan, Op::IsInf, Op::IsFinite, Op::IsNormal, Op::SignBitSet], Rule::Test(1, Float)),
    (&[Op::ConvertFToU, Op::ConvertFToS], Rule::Convert(Float, Int)),
    (&[Op::ConvertSToF, Op::ConvertUToF], Rule::Convert(Int, Float)),
    (&[Op::UConvert, Op::SConvert], Rule::Convert(Int, Int)),
    (&[Op::FConvert], Rule::Convert(Float, Float)),
    (&[Op::Bitcast], Rule::Bitcast),
    (&[Op::ShiftLeftLogical, Op::ShiftRightLogical, Op::ShiftRightArithmetic], Rule::Shift),
    (&[Op::Select], Rule::Select),
    (&[Op::Dot], Rule::Fold(2)),
    (&[Op::SDot, Op::UDot, Op::SUDot], Rule::IntegerDot(0)),
    (&[Op::SDotAccSat, Op::UDotAccSat, Op::SUDotAccSat], Rule::IntegerDot(1)),
    (&[Op::Any, Op::All], Rule::Any),
    (&[Op::BitFieldInsert], Rule::BitField(2)),
    (&[Op::BitFieldSExtract, Op::BitFieldUExtract], Rule::BitField(1)),
    (&[Op::BitCount], Rule::BitCount),
    (&[Op::IAddCarry, Op::ISubBorrow, Op::UMulExtended, Op::SMulExtended], Rule::Pair),
    (&[Op::CompositeConstruct], Rule::Construct),
    (&[Op::CompositeConstructReplicateEXT], Rule::Replicate),
    (&[Op::CopyLogical], Rule::CopyLogical),
    (&[Op::ExpectKHR], Rule::Map(2, Class::Any)),
    (&[Op::FmaKHR], Rule::Map(3, Float)),
    (&[Op::CompositeExtract], Rule::Extract),
    (&[Op::CompositeInsert], Rule::Insert),
    (&[Op::VectorShuffle], Rule::Shuffle),
    (&[Op::VectorExtractDynamic], Rule::ExtractDynamic),
    (&[Op::VectorInsertDynamic], Rule::InsertDynamic),
    (&[Op::VectorTimesScalar], Rule::VectorTimesScalar),
    (&[Op::MatrixTimesScalar], Rule::Matrix(MatrixRule::TimesScalar)),
    (&[Op::MatrixTimesVector], Rule::Matrix(MatrixRule::TimesVector)),
    (&[Op::VectorTimesMatrix], Rule::Matrix(MatrixRule::VectorTimes)),
    (&[Op::MatrixTimesMatrix], Rule::Matrix(MatrixRule::TimesMatrix)),
    (&[Op::Transpose], Rule::Matrix(MatrixRule::Transpose)),
    (&[Op::OuterProduct], Rule::Matrix(MatrixRule::Outer)),
    (&[Op::AccessChain], Rule::Chain),
    (&[Op::Load], Rule::Load),
    (&[Op::Store], Rule::Store),
    (&[Op::CopyMemory], Rule::CopyMemory),
    (&[Op::ArrayLength], Rule::ArrayLength),
    (&[Op::AtomicLoad, Op::AtomicIIncrement, Op::AtomicIDecrement], Rule::Atomic(3, 0)),
    (&[Op::AtomicStore, Op::AtomicExchange, Op::AtomicIAdd, Op::AtomicISub, Op::AtomicSMin], Rule::Atomic(4, 1)),
    (&[Op::AtomicUMin, Op::AtomicSMax, Op::AtomicUMax, Op::AtomicAnd, Op::AtomicOr, Op::AtomicXor], Rule::Atomic(4, 1)),
    (&[Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT], Rule::Atomic(4, 1)),
    (&[Op::AtomicCompareExchange], Rule::Atomic(6, 2)),
    (&[Op::ControlBarrier], Rule::Constants(3)),
    (&[Op::MemoryBarrier], Rule::Constants(2)),
];

/// Rules of GLSL.std.450.
const GLSL: &[(&[G], Rule)] = &[
    (&[G::Round, G::RoundEven, G::Trunc, G::FAbs, G::FSign, G::Floor, G::Ceil, G::Fract], Rule::Map(1, Float)),
    (&[G::Radians, G::Degrees, G::Sin, G::Cos, G::Tan, G::Asin, G::Acos, G::Atan], Rule::Map(1, Float)),
    (&[G::Sinh, G::Cosh, G::Tanh, G::Asinh, G::Acosh, G::Atanh, G::Exp, G::Log], Rule::Map(1, Float)),
    (&[G::Exp2, G::Log2, G::Sqrt, G::InverseSqrt, G::Normalize], Rule::Map(1, Float)),
    (&[G::Atan2, G::Pow, G::FMin, G::FMax, G::NMin, G::NMax, G::Step, G::Reflect], Rule::Map(2, Float)),
    (&[G::FClamp, G::NClamp, G::FMix, G::SmoothStep, G::Fma, G::FaceForward], Rule::Map(3, Float)),
    (&[G::SAbs, G::SSign, G::FindILsb, G::FindSMsb, G::FindUMsb], Rule::Map(1, Int)),
    (&[G::UMin, G::SMin, G::UMax, G::SMax], Rule::Map(2, Int)),
    (&[G::UClamp, G::SClamp], Rule::Map(3, Int)),
    (&[G::Length], Rule::Fold(1)),
    (&[G::Distance], Rule::Fold(2)),
    (&[G::Cross], Rule::Cross),
    (&[G::Refract], Rule::Refract),
    (&[G::Ldexp], Rule::Ldexp),
    (&[G::PackSnorm4x8, G::PackUnorm4x8], Rule::Pack(4)),
    (&[G::PackSnorm2x16, G::PackUnorm2x16, G::PackHalf2x16], Rule::Pack(2)),
    (&[G::UnpackSnorm4x8, G::UnpackUnorm4x8], Rule::Unpack(4)),
    (&[G::UnpackSnorm2x16, G::UnpackUnorm2x16, G::UnpackHalf2x16], Rule::Unpack(2)),
    (&[G::ModfStruct], Rule::Split(Float)),
    (&[G::FrexpStruct], Rule::Split(Int)),
    (&[G::Modf], Rule::SplitTo(Float)),
    (&[G::Frexp], Rule::SplitTo(Int)),
    (&[G::Determinant], Rule::Matrix(MatrixRule::Determinant)),
    (&[G::MatrixInverse], Rule::Matrix(MatrixRule::Inverse)),
    (&[G::PackDouble2x32, G::UnpackDouble2x32], Rule::Bitcast),
];

/// Rules of OpenCL.std.
const OPEN_CL: &[(&[C], Rule)] = &[
    (&[C::ceil, C::floor, C::rint, C::trunc, C::round, C::fabs, C::sign, C::sqrt, C::half_sqrt], Rule::Map(1, Float)),
    (&[C::native_sqrt, C::rsqrt, C::half_rsqrt, C::native_rsqrt, C::half_recip, C::native_recip], Rule::Map(1, Float)),
    (
        &[C::degrees, C::radians, C::normalize, C::fast_normalize, C::sin, C::half_sin, C::native_sin],
        Rule::Map(1, Float),
    ),
    (&[C::cos, C::half_cos, C::native_cos, C::tan, C::half_tan, C::native_tan, C::asin, C::acos], Rule::Map(1, Float)),
    (&[C::atan, C::sinh, C::cosh, C::tanh, C::asinh, C::acosh, C::atanh, C::exp, C::half_exp], Rule::Map(1, Float)),
    (&[C::native_exp, C::exp2, C::half_exp2, C::native_exp2, C::log, C::half_log, C::native_log], Rule::Map(1, Float)),
    (&[C::log2, C::half_log2, C::native_log2], Rule::Map(1, Float)),
    (&[C::copysign, C::half_divide, C::native_divide, C::fdim, C::fmax, C::fmin, C::fmax_common], Rule::Map(2, Float)),
    (&[C::fmin_common, C::maxmag, C::minmag, C::step, C::atan2, C::powr, C::half_powr], Rule::Map(2, Float)),
    (&[C::native_powr], Rule::Map(2, Float)),
    (&[C::fma, C::mad, C::fclamp, C::mix, C::smoothstep], Rule::Map(3, Float)),
    (&[C::length, C::fast_length], Rule::Fold(1)),
    (&[C::distance, C::fast_distance], Rule::Fold(2)),
    (&[C::cross], Rule::Cross),
    (&[C::ldexp], Rule::Ldexp),
    (&[C::s_abs, C::u_abs, C::clz, C::ctz, C::popcount], Rule::Map(1, Int)),
    (&[C::s_abs_diff, C::u_abs_diff, C::s_add_sat, C::u_add_sat, C::s_sub_sat, C::u_sub_sat], Rule::Map(2, Int)),
    (&[C::s_hadd, C::u_hadd, C::s_rhadd, C::u_rhadd, C::s_max, C::u_max, C::s_min, C::u_min], Rule::Map(2, Int)),
    (&[C::s_mul_hi, C::u_mul_hi, C::s_mul24, C::u_mul24, C::rotate], Rule::Map(2, Int)),
    (&[C::s_clamp, C::u_clamp, C::s_mad_hi, C::u_mad_hi, C::s_mad24, C::u_mad24], Rule::Map(3, Int)),
    (&[C::bitselect], Rule::Map(3, Class::Number)),
];

/// Rules of SPV_AMD_shader_trinary_minmax.
const TRINARY: &[(&[T], Rule)] = &[
    (&[T::FMin3AMD, T::FMax3AMD, T::FMid3AMD], Rule::Map(3, Float)),
    (&[T::UMin3AMD, T::SMin3AMD, T::UMax3AMD, T::SMax3AMD, T::UMid3AMD, T::SMid3AMD], Rule::Map(3, Int)),
];

/// Rules of SPV_AMD_gcn_shader.
const GCN: &[(&[A], Rule)] =
    &[(&[A::CubeFaceIndexAMD], Rule::CubeFace(1)), (&[A::CubeFaceCoordAMD], Rule::CubeFace(2))];

/// The rule of an instruction in a table of its set.
fn find<N: PartialEq>(table: &[(&[N], Rule)], op: N) -> Option<Rule> {
    table.iter().find(|(ops, _)| ops.contains(&op)).map(|r| r.1)
}

/// An instruction to check.
pub(super) struct Typed<'c> {
    pub module: &'c Module,
    pub function: &'c Function,
    pub result: Option<TypeId>,
    pub operands: &'c [Value],
    pub literals: &'c [u32],
}

/// Scalar type and number of components.
type Shape = (Scalar, u32);

/// The rule of an instruction.
fn rule(opcode: Opcode) -> Option<Rule> {
    match opcode {
        Opcode::Core(op) => find(CORE, op).or_else(|| groups::core(op).map(Rule::Group)),
        Opcode::Glsl(op) => find(GLSL, op),
        Opcode::OpenCl(op) => find(OPEN_CL, op),
        Opcode::TrinaryMinMax(op) => find(TRINARY, op),
        Opcode::GcnShader(op) => find(GCN, op),
        Opcode::ShaderBallot(op) => groups::amd(op).map(Rule::Group),
        // The one is not compiled; the others are checked where they are made.
        Opcode::ExplicitVertex(_) | Opcode::Printf(_) | Opcode::Custom => None,
    }
}

/// Are the types of this instruction right?
pub(super) fn fits(opcode: Opcode, inst: &Typed<'_>) -> bool {
    rule(opcode).is_none_or(|rule| inst.obeys(rule).unwrap_or(false))
}

impl Class {
    fn holds(self, scalar: Scalar) -> bool {
        match self {
            Class::Int => scalar.is_int(),
            Class::Float => scalar.is_float(),
            Class::Bool => scalar == Scalar::Bool,
            Class::Number => scalar != Scalar::Bool,
            Class::Any => true,
        }
    }
}

/// The same kind and width, whatever the sign.
fn alike(a: Shape, b: Shape) -> bool {
    a.1 == b.1 && a.0.bits() == b.0.bits() && a.0.is_int() == b.0.is_int() && a.0.is_float() == b.0.is_float()
}

/// One 32-bit integer.
fn is_word(shape: Shape) -> bool {
    matches!(shape, (Scalar::Int { width: 32, .. }, 1))
}

impl Typed<'_> {
    fn ty(&self, index: usize) -> Option<TypeId> {
        self.operands.get(index).map(|&v| self.function.values[v].ty)
    }

    fn shape(&self, index: usize) -> Option<Shape> {
        self.module.types.components(self.ty(index)?)
    }

    fn shapes(&self) -> Option<Vec<Shape>> {
        (0..self.operands.len()).map(|i| self.shape(i)).collect()
    }

    fn constant(&self, index: usize) -> Option<u64> {
        self.module.scalar_bits(self.function.as_const(*self.operands.get(index)?)?)
    }

    fn pointee(&self, index: usize) -> Option<(StorageClass, TypeId)> {
        self.module.types.pointee(self.ty(index)?)
    }

    /// `None` stands for "no", where something that the rule needs is missing.
    fn obeys(&self, rule: Rule) -> Option<bool> {
        match rule {
            Rule::Map(..) | Rule::Test(..) | Rule::Convert(..) | Rule::Shift | Rule::Fold(_) | Rule::Any => {
                self.plain(rule)
            }
            Rule::BitField(_) | Rule::BitCount | Rule::Cross | Rule::CubeFace(_) | Rule::Refract | Rule::Ldexp => {
                self.plain(rule)
            }
            Rule::Pack(_) | Rule::Unpack(_) | Rule::IntegerDot(_) => self.plain(rule),
            Rule::Matrix(rule) => self.matrix(rule),
            Rule::Group(signature) => signature.fits(self),
            Rule::Load | Rule::Store | Rule::CopyMemory | Rule::Chain | Rule::ArrayLength | Rule::Atomic(..) => {
                self.memory(rule)
            }
            _ => self.composite(rule),
        }
    }

    /// Rules over scalars and vectors.
    fn plain(&self, rule: Rule) -> Option<bool> {
        let result = self.module.types.components(self.result?)?;
        let args = self.shapes()?;
        let first = *args.first()?;
        let all =
            |n: usize, class: Class| args.len() == n && class.holds(first.0) && args.iter().all(|&a| alike(a, first));
        Some(match rule {
            Rule::Map(n, class) => all(n, class) && alike(result, first),
            Rule::Test(n, class) => all(n, class) && result == (Scalar::Bool, first.1),
            Rule::Convert(from, to) => all(1, from) && to.holds(result.0) && result.1 == first.1,
            Rule::Shift => {
                let amount = args.get(1)?;
                alike(first, result)
                    && Int.holds(first.0)
                    && Int.holds(amount.0)
                    && amount.1 == first.1
                    && args.len() == 2
            }
            Rule::Fold(n) => all(n, Float) && alike(result, (first.0, 1)),
            Rule::IntegerDot(more) => {
                let (b, accumulators) = (*args.get(1)?, args.get(2..)?);
                // The only packed format is that of four 8-bit components.
                let packed = is_word(first) && self.literals == [0];
                let fits = packed || (first.1 > 1 && self.literals.is_empty());
                let wide = Int.holds(result.0) && result.1 == 1 && (packed || result.0.bits() >= first.0.bits());
                let same = accumulators.len() == more && accumulators.iter().all(|&a| alike(a, result));
                Int.holds(first.0) && alike(first, b) && fits && wide && same
            }
            Rule::Any => all(1, Bool) && result == (Scalar::Bool, 1),
            Rule::BitField(n) => {
                let numbers = args.get(n..)?;
                let scalars = numbers.len() == 2 && numbers.iter().all(|a| Int.holds(a.0) && a.1 == 1);
                scalars && Int.holds(first.0) && args[..n].iter().all(|&a| alike(a, result))
            }
            Rule::BitCount => all(1, Int) && Int.holds(result.0) && result.1 == first.1,
            Rule::Pack(n) => args.len() == 1 && first == (Scalar::F32, n) && is_word(result),
            Rule::Unpack(n) => args.len() == 1 && is_word(first) && result == (Scalar::F32, n),
            Rule::Cross => all(2, Float) && first.1 == 3 && alike(result, first),
            Rule::CubeFace(n) => all(1, Float) && first.1 == 3 && alike(result, (first.0, n)),
            Rule::Refract => {
                let floats = args.len() == 3 && Float.holds(first.0) && alike(*args.get(1)?, first);
                floats && alike(result, first) && args[2].1 == 1 && Float.holds(args[2].0)
            }
            Rule::Ldexp => {
                let exponent = *args.get(1)?;
                let integers = args.len() == 2 && Int.holds(exponent.0) && exponent.1 == first.1;
                integers && Float.holds(first.0) && alike(result, first)
            }
            _ => false,
        })
    }

    fn composite(&self, rule: Rule) -> Option<bool> {
        let types = &self.module.types;
        if let Rule::Constants(n) = rule {
            let constant =
                |i| matches!(self.shape(i), Some((Scalar::Int { width: 32, .. }, 1))) && self.constant(i).is_some();
            return Some(self.operands.len() == n && (0..n).all(constant));
        }
        let result = self.result?;
        let path = |from: TypeId| self.literals.iter().try_fold(from, |ty, &i| types.constituent(ty, i));
        let vector = |ty: TypeId| matches!(types[ty], Type::Vector { .. });
        Some(match rule {
            Rule::Bitcast => {
                let bits = |ty: TypeId| match types[ty] {
                    Type::Pointer { .. } => Some(64),
                    _ => types.components(ty).filter(|s| s.0 != Scalar::Bool).map(|(s, n)| s.bits() * n),
                };
                self.operands.len() == 1 && bits(self.ty(0)?)? == bits(result)?
            }
            Rule::Select => {
                let (cond, n) = self.shape(0)?;
                let sides = self.operands.len() == 3 && self.ty(1)? == result && self.ty(2)? == result;
                sides && cond == Scalar::Bool && (n == 1 || types.components(result)?.1 == n)
            }
            Rule::Pair => {
                let same = self.operands.len() == 2 && self.ty(0)? == self.ty(1)? && Int.holds(self.shape(0)?.0);
                let parts = [types.constituent(result, 0)?, types.constituent(result, 1)?];
                same && types.constituents(result) == Some(2) && parts == [self.ty(0)?; 2]
            }
            Rule::Split(class) => {
                let first = self.shape(0)?;
                let whole = types.components(types.constituent(result, 0)?)?;
                let part = types.components(types.constituent(result, 1)?)?;
                let parts = types.constituents(result) == Some(2) && alike(whole, first);
                let second = class.holds(part.0) && (class == Int || part.0 == first.0) && part.1 == first.1;
                self.operands.len() == 1 && Float.holds(first.0) && parts && second
            }
            Rule::SplitTo(class) => {
                let (first, whole) = (self.shape(0)?, types.components(result)?);
                let part = types.components(self.pointee(1)?.1)?;
                let second = class.holds(part.0) && (class == Int || part.0 == first.0) && part.1 == first.1;
                self.operands.len() == 2 && Float.holds(first.0) && alike(whole, first) && second
            }
            Rule::Construct => match types[result] {
                Type::Vector { component, count } => {
                    let shapes = self.shapes()?;
                    let sum = shapes.iter().try_fold(0u32, |n, s| n.checked_add(s.1))?;
                    sum == u32::from(count) && shapes.iter().all(|s| s.0 == component)
                }
                _ => {
                    let count = self.operands.len() as u32;
                    let part = |i: u32| self.ty(i as usize) == types.constituent(result, i);
                    types.constituents(result) == Some(count) && (0..count).all(part)
                }
            },
            Rule::Replicate => {
                // Elements of an array are alike, and may be very many.
                let count = if let Type::Struct(_) = types[result] { types.constituents(result)? } else { 1 };
                self.operands.len() == 1 && (0..count).all(|i| types.constituent(result, i) == self.ty(0))
            }
            Rule::CopyLogical => self.operands.len() == 1 && self.same_logic(self.ty(0)?, result),
            Rule::Extract => path(self.ty(0)?)? == result,
            Rule::Insert => self.ty(1)? == result && path(result)? == self.ty(0)?,
            Rule::Shuffle => {
                let ((a, n), (b, m)) = (self.shape(0)?, self.shape(1)?);
                let (component, count) = types.components(result)?;
                let picks = self.literals.iter().all(|&l| l == u32::MAX || l < n + m);
                let vectors = vector(self.ty(0)?) && vector(self.ty(1)?) && vector(result);
                vectors && a == b && a == component && picks && count as usize == self.literals.len()
            }
            Rule::ExtractDynamic => {
                let (component, index) = (self.shape(0)?.0, self.shape(1)?);
                vector(self.ty(0)?) && types.components(result)? == (component, 1) && Int.holds(index.0) && index.1 == 1
            }
            Rule::InsertDynamic => {
                let (component, index) = (self.shape(0)?.0, self.shape(2)?);
                let same = vector(result) && self.ty(0)? == result && self.shape(1)? == (component, 1);
                same && Int.holds(index.0) && index.1 == 1
            }
            Rule::VectorTimesScalar => {
                let (component, _) = types.components(result)?;
                let same = vector(result) && self.ty(0)? == result && self.shape(1)? == (component, 1);
                same && Float.holds(component)
            }
            _ => false,
        })
    }

    /// Do two types differ in decorations only?
    fn same_logic(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.module.types;
        match (&types[a], &types[b]) {
            _ if a == b => true,
            (Type::Array { element: a, count: n, .. }, Type::Array { element: b, count: m, .. }) => {
                n == m && self.same_logic(*a, *b)
            }
            (Type::Struct(a), Type::Struct(b)) => {
                let (a, b) = (&types.structs[*a].members, &types.structs[*b].members);
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_logic(a.ty, b.ty))
            }
            _ => false,
        }
    }

    fn matrix(&self, rule: MatrixRule) -> Option<bool> {
        let types = &self.module.types;
        // Component, columns and rows of a matrix; a vector is a column.
        let dims = |ty: TypeId| match types[ty] {
            Type::Matrix { column, columns } => {
                types.components(column).map(|(s, rows)| (s, u32::from(columns), rows, true))
            }
            _ => types.components(ty).filter(|(s, _)| s.is_float()).map(|(s, rows)| (s, 1, rows, false)),
        };
        let (s, columns, rows, is_matrix) = dims(self.result?)?;
        let a = dims(self.ty(0)?)?;
        let b = self.ty(1).and_then(dims);
        let count =
            if matches!(rule, MatrixRule::Transpose | MatrixRule::Determinant | MatrixRule::Inverse) { 1 } else { 2 };
        if self.operands.len() != count || a.0 != s || b.is_some_and(|b| b.0 != s) {
            return Some(false);
        }
        Some(match rule {
            MatrixRule::TimesScalar => is_matrix && a == (s, columns, rows, true) && b? == (s, 1, 1, false),
            MatrixRule::TimesVector => !is_matrix && a.3 && a.2 == rows && b? == (s, 1, a.1, false),
            MatrixRule::VectorTimes => !is_matrix && !a.3 && b?.3 && b?.1 == rows && a.2 == b?.2,
            MatrixRule::TimesMatrix => {
                let b = b?;
                is_matrix && a.3 && b.3 && a.1 == b.2 && a.2 == rows && b.1 == columns
            }
            MatrixRule::Transpose => is_matrix && a == (s, rows, columns, true),
            MatrixRule::Outer => is_matrix && a == (s, 1, rows, false) && b? == (s, 1, columns, false),
            MatrixRule::Determinant => !is_matrix && rows == 1 && a.3 && a.1 == a.2,
            MatrixRule::Inverse => is_matrix && columns == rows && a == (s, columns, rows, true),
        })
    }

    fn memory(&self, rule: Rule) -> Option<bool> {
        let types = &self.module.types;
        let (class, pointee) = self.pointee(0)?;
        Some(match rule {
            Rule::Load => self.result? == pointee,
            Rule::Store => self.operands.len() >= 2 && self.ty(1)? == pointee,
            Rule::CopyMemory => self.pointee(1)?.1 == pointee,
            Rule::Chain => {
                let mut at = pointee;
                for index in 1..self.operands.len() {
                    let (scalar, n) = self.shape(index)?;
                    if !scalar.is_int() || n != 1 {
                        return Some(false);
                    }
                    at = match types[at] {
                        Type::Struct(_) => types.constituent(at, u32::try_from(self.constant(index)?).ok()?)?,
                        // An index out of bounds is no error; what it gives is the lowering's business.
                        _ => types.constituent(at, 0)?,
                    };
                }
                types.pointee(self.result?)? == (class, at)
            }
            Rule::ArrayLength => {
                let &[member] = self.literals else { return Some(false) };
                let array = types.constituent(pointee, member)?;
                let last = types.constituents(pointee)? == member + 1;
                let is_u32 = matches!(types.components(self.result?)?, (Scalar::Int { width: 32, .. }, 1));
                last && is_u32
                    && matches!(types[pointee], Type::Struct(_))
                    && matches!(types[array], Type::RuntimeArray { .. })
            }
            Rule::Atomic(count, values) => {
                let is_number = matches!(types[pointee], Type::Scalar(s) if Number.holds(s));
                let result = self.result.is_none_or(|r| r == pointee);
                let first = count - values;
                let values = self.operands.len() == count && (first..count).all(|i| self.ty(i) == Some(pointee));
                // Scope and semantics.
                let codes = (1..first).all(|i| self.constant(i).is_some());
                is_number && result && values && codes
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    #[test]
    fn every_instruction_that_is_compiled_has_a_rule() {
        // Those that lifting replaces.
        // Those that `outside` makes are of the types that are declared for them.
        let outside = |row: &ops::Row| row.family == ops::Family::Outside;
        let replaced = [Op::Undef, Op::CopyObject, Op::Variable, Op::InBoundsAccessChain].map(Opcode::Core);
        let compiled = |row: &ops::Row| row.supported() && !matches!(row.how, ops::How::Lift(_));
        let missing: Vec<String> = ops::rows()
            .filter(|row| {
                compiled(row) && !outside(row) && !replaced.contains(&row.opcode) && rule(row.opcode).is_none()
            })
            .map(|row| row.opcode.to_string())
            .collect();
        assert_eq!(missing, [] as [&str; 0]);
    }
}
