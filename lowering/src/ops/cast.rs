//! Casts (SPIR-V specification, "Conversion Instructions").

use super::row::{per_lane, unary, unsupported};
use super::{Done, Family, How, LaneContext, Row};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use cranelift_codegen::ir as clif;
use spirv::Op as Names;

const FAMILY: Family = Family::Cast;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, WIDTHS, HALF, KERNEL, POINTERS];

const DIRECT: &[Row] = &[
    unary!(ConvertFToU, "llvm.fptoui", fcvt_to_uint, F32).gives(Done::I32).note("saturates; NaN gives 0"),
    unary!(ConvertFToS, "llvm.fptosi", fcvt_to_sint, F32).gives(Done::I32).note("saturates; NaN gives 0"),
    unary!(ConvertSToF, "llvm.sitofp", fcvt_from_sint, I32).gives(Done::F32),
    unary!(ConvertUToF, "llvm.uitofp", fcvt_from_uint, I32).gives(Done::F32),
    per_lane!(Bitcast, "llvm.bitcast", bitcast, NUM32).note("between 32-bit components; pointers are not cast"),
];

/// A < R, A > R in the manual: A the operand's width, R the result's.
const WIDTHS: &[Row] = &[
    narrow(Names::FConvert, "llvm.fpext (A < R), llvm.fptrunc (A > R)"),
    narrow(Names::SConvert, "llvm.sext (A < R), llvm.trunc (A > R)"),
    narrow(Names::UConvert, "llvm.zext (A < R), llvm.trunc (A > R)"),
];

const HALF: &[Row] =
    &[Row::new(name(Names::QuantizeToF16), FAMILY, "–", "quantize_to_f16", How::Stdlib("quantize_to_f16"), Done::F32)
        .note("to the nearest even; below 2^-14 a zero")];

const KERNEL: &[Row] = unsupported![
    "belongs to OpenCL kernels: clamp, then convert";
    SatConvertSToU SatConvertUToS
];

const POINTERS: &[Row] = unsupported![
    "pointers have no number in this version: use a binding and an index";
    ConvertPtrToU ConvertUToPtr PtrCastToGeneric GenericCastToPtr GenericCastToPtrExplicit
];

const fn narrow(op: Names, llvm: &'static str) -> Row {
    Row::unsupported(name(op), FAMILY, "8-, 16- and 64-bit types are not done in this version: use 32-bit types")
        .llvm(llvm)
}

fn bitcast(l: &mut Legal<'_>, cx: &LaneContext, args: &[clif::Value]) -> clif::Value {
    match (cx.operand.is_float(), cx.result.is_float()) {
        (true, false) => l.float_bits(args[0]),
        (false, true) => l.float_from_bits(args[0]),
        _ => args[0],
    }
}
