//! The instructions that a Vulkan compute shader can contain, images, subgroups, ray queries and cooperative matrices aside, with
//! the component types that the SPIR-V and Vulkan specifications allow: the list that the table has to fulfil.

use crate::ir::Opcode;
use crate::ops::{Done, row};
use spirv::{GlslStd450Op as G, Op as S};

/// Instructions whose first operand may have components of these types.
const CORE: &[(Done, &[S])] = &[
    (Done::INT, &[S::SNegate, S::IAdd, S::ISub, S::IMul, S::UDiv, S::SDiv, S::UMod, S::SRem, S::SMod]),
    (Done::INT, &[S::IAddCarry, S::ISubBorrow, S::UMulExtended, S::SMulExtended]),
    (Done::INT, &[S::SDot, S::UDot, S::SUDot, S::SDotAccSat, S::UDotAccSat, S::SUDotAccSat]),
    (Done::INT, &[S::Not, S::BitwiseAnd, S::BitwiseOr, S::BitwiseXor, S::BitCount, S::BitReverse]),
    (Done::INT, &[S::BitFieldInsert, S::BitFieldSExtract, S::BitFieldUExtract]),
    (Done::INT, &[S::ShiftLeftLogical, S::ShiftRightLogical, S::ShiftRightArithmetic]),
    (Done::INT, &[S::IEqual, S::INotEqual, S::ULessThan, S::ULessThanEqual, S::UGreaterThan, S::UGreaterThanEqual]),
    (Done::INT, &[S::SLessThan, S::SLessThanEqual, S::SGreaterThan, S::SGreaterThanEqual]),
    (Done::INT, &[S::ConvertSToF, S::ConvertUToF, S::SConvert, S::UConvert]),
    (Done::FLOAT, &[S::FNegate, S::FAdd, S::FSub, S::FMul, S::FDiv, S::FRem, S::FMod, S::Dot, S::VectorTimesScalar]),
    (Done::FLOAT, &[S::FOrdEqual, S::FOrdNotEqual, S::FOrdLessThan, S::FOrdLessThanEqual, S::FOrdGreaterThan]),
    (Done::FLOAT, &[S::FOrdGreaterThanEqual, S::FUnordEqual, S::FUnordNotEqual, S::FUnordLessThan]),
    (Done::FLOAT, &[S::FUnordLessThanEqual, S::FUnordGreaterThan, S::FUnordGreaterThanEqual, S::IsNan, S::IsInf]),
    (Done::FLOAT, &[S::ConvertFToS, S::ConvertFToU, S::FConvert]),
    (Done::FLOAT, &[S::MatrixTimesScalar, S::MatrixTimesVector, S::VectorTimesMatrix, S::MatrixTimesMatrix]),
    (Done::FLOAT, &[S::Transpose, S::OuterProduct]),
    (Done::F32, &[S::QuantizeToF16]),
    (Done::BOOL, &[S::Any, S::All, S::LogicalAnd, S::LogicalOr, S::LogicalNot, S::LogicalEqual, S::LogicalNotEqual]),
    (Done::BOOL, &[S::Select]),
    (Done::NUM, &[S::Bitcast]),
    (Done::ALL, &[S::Load, S::Store, S::CompositeConstruct, S::VectorShuffle, S::VectorExtractDynamic]),
    (Done::ALL, &[S::VectorInsertDynamic, S::CompositeExtract, S::CompositeInsert]),
    (Done::I32.or(Done::I64).or(Done::FLOAT), &[S::AtomicLoad, S::AtomicStore, S::AtomicExchange]),
    (Done::I32.or(Done::I64), &[S::AtomicCompareExchange, S::AtomicIIncrement, S::AtomicIDecrement, S::AtomicIAdd]),
    (Done::I32.or(Done::I64), &[S::AtomicISub, S::AtomicSMin, S::AtomicUMin, S::AtomicSMax, S::AtomicUMax]),
    (Done::I32.or(Done::I64), &[S::AtomicAnd, S::AtomicOr, S::AtomicXor]),
    (Done::FLOAT, &[S::AtomicFAddEXT, S::AtomicFMinEXT, S::AtomicFMaxEXT]),
    // What has no components, or is the same for all.
    (Done::NONE, &[S::Undef, S::ConstantTrue, S::ConstantFalse, S::Constant, S::ConstantComposite, S::ConstantNull]),
    (Done::NONE, &[S::SpecConstantTrue, S::SpecConstantFalse, S::SpecConstant, S::SpecConstantComposite]),
    (Done::NONE, &[S::SpecConstantOp, S::Variable, S::AccessChain, S::InBoundsAccessChain, S::ArrayLength]),
    (Done::NONE, &[S::CopyMemory, S::CopyObject, S::CopyLogical, S::Function, S::FunctionParameter, S::FunctionCall]),
    (Done::NONE, &[S::Phi, S::LoopMerge, S::SelectionMerge, S::Label, S::Branch, S::BranchConditional, S::Switch]),
    (Done::NONE, &[S::Return, S::ReturnValue, S::Unreachable, S::ControlBarrier, S::MemoryBarrier]),
    (Done::NONE, &[S::ExpectKHR, S::AssumeTrueKHR]),
];

/// Instructions of GLSL.std.450.
const GLSL: &[(Done, &[G])] = &[
    (Done::FLOAT, &[G::Round, G::RoundEven, G::Trunc, G::FAbs, G::FSign, G::Floor, G::Ceil, G::Fract, G::Sqrt]),
    (Done::FLOAT, &[G::InverseSqrt, G::Determinant, G::MatrixInverse, G::Modf, G::ModfStruct, G::Frexp]),
    (Done::FLOAT, &[G::FrexpStruct, G::Ldexp, G::FMin, G::FMax, G::FClamp, G::NMin, G::NMax, G::NClamp, G::FMix]),
    (Done::FLOAT, &[G::Step, G::SmoothStep, G::Fma, G::Length, G::Distance, G::Cross, G::Normalize]),
    (Done::FLOAT, &[G::FaceForward, G::Reflect, G::Refract]),
    (Done::HALF_OR_SINGLE, &[G::Radians, G::Degrees, G::Sin, G::Cos, G::Tan, G::Asin, G::Acos, G::Atan, G::Sinh]),
    (Done::HALF_OR_SINGLE, &[G::Cosh, G::Tanh, G::Asinh, G::Acosh, G::Atanh, G::Atan2, G::Pow, G::Exp, G::Log]),
    (Done::HALF_OR_SINGLE, &[G::Exp2, G::Log2]),
    (Done::INT, &[G::SAbs, G::SSign, G::UMin, G::SMin, G::UMax, G::SMax, G::UClamp, G::SClamp]),
    (Done::I32, &[G::FindILsb, G::FindSMsb, G::FindUMsb, G::PackDouble2x32, G::UnpackSnorm4x8, G::UnpackUnorm4x8]),
    (Done::I32, &[G::UnpackSnorm2x16, G::UnpackUnorm2x16, G::UnpackHalf2x16]),
    (Done::F32, &[G::PackSnorm4x8, G::PackUnorm4x8, G::PackSnorm2x16, G::PackUnorm2x16, G::PackHalf2x16]),
    (Done::F64, &[G::UnpackDouble2x32]),
];

/// What is required and not done yet. Whatever is done goes to the lists above.
const MISSING: &[S] = &[S::PtrAccessChain, S::PtrEqual, S::PtrNotEqual, S::PtrDiff, S::ConvertPtrToU, S::ConvertUToPtr];

#[test]
fn the_table_has_all_that_is_required() {
    let core = CORE.iter().flat_map(|(done, ops)| ops.iter().map(|&op| (*done, Opcode::Core(op))));
    let glsl = GLSL.iter().flat_map(|(done, ops)| ops.iter().map(|&op| (*done, Opcode::Glsl(op))));
    let required: Vec<(Done, Opcode)> = core.chain(glsl).collect();
    let fulfils = |(done, opcode): &(Done, Opcode)| {
        row(*opcode).is_some_and(|row| row.supported() && row.done.0 & done.0 == done.0)
    };
    let lacking: Vec<String> =
        required.iter().filter(|entry| !fulfils(entry)).map(|(_, opcode)| opcode.to_string()).collect();
    assert_eq!(lacking, [] as [&str; 0]);
    println!("{} instructions", required.len());
}

#[test]
fn what_is_missing_is_refused() {
    let done: Vec<&S> = MISSING.iter().filter(|op| row(Opcode::Core(**op)).is_none_or(|row| row.supported())).collect();
    assert_eq!(done, [] as [&S; 0]);
}

#[test]
fn glsl_is_complete() {
    let listed: Vec<G> = GLSL.iter().flat_map(|(_, ops)| ops.iter().copied()).collect();
    let all = (0..=u32::from(u8::MAX)).filter_map(G::from_u32);
    let unlisted: Vec<G> = all.filter(|op| !listed.contains(op)).collect();
    let fragment = [G::IMix, G::InterpolateAtCentroid, G::InterpolateAtSample, G::InterpolateAtOffset];
    assert_eq!(unlisted, fragment);
}
