//! Bits and bit fields (SPIR-V specification, "Bit Instructions").

use super::row::{binary, per_lane, unary};
use super::{Done, Family, How, LaneContext, Row};
use crate::ir::Opcode;
use crate::simt::legal::Legal;
use cranelift_codegen::ir as clif;
use spirv::Op as Names;

const FAMILY: Family = Family::Bitwise;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[DIRECT, FIELDS];

const DIRECT: &[Row] = &[
    binary!(BitwiseAnd, "llvm.and", band, I32),
    binary!(BitwiseOr, "llvm.or", bor, I32),
    binary!(BitwiseXor, "llvm.xor", bxor, I32),
    unary!(Not, "llvm.xor with -1", bnot, I32),
    unary!(BitCount, "llvm.intr.ctpop", popcount, I32).note("in vectors by halves within each lane"),
    unary!(BitReverse, "llvm.intr.bitreverse", bit_reverse, I32).note("in vectors by halves within each lane"),
];

const FIELDS: &[Row] = &[
    per_lane!(BitFieldInsert, "llvm.shl, xor, and, or", insert, I32)
        .note("mask = count low bits << offset; base ^ ((base ^ (insert << offset)) & mask); right for count 0 and 32"),
    per_lane!(BitFieldSExtract, "llvm.shl, ashr", sextract, I32)
        .note("base << (32 - (offset + count)), then >> (32 - count) with the sign; 0 for count 0"),
    per_lane!(BitFieldUExtract, "llvm.lshr, and", uextract, I32)
        .note("(base >> offset) & count low bits; right for count 0 and 32"),
];

fn insert(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_insert([args[0], args[1], args[2], args[3]])
}

fn sextract(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_sextract(args[0], args[1], args[2])
}

fn uextract(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_uextract(args[0], args[1], args[2])
}
