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
    binary!(BitwiseAnd, "llvm.and", band, INT).fits(),
    binary!(BitwiseOr, "llvm.or", bor, INT).fits(),
    binary!(BitwiseXor, "llvm.xor", bxor, INT).fits(),
    unary!(Not, "llvm.xor with -1", bnot, INT),
    unary!(BitCount, "llvm.intr.ctpop", popcount, INT).unsigned().fits().note("in vectors by halves within each lane"),
    per_lane!(BitReverse, "llvm.intr.bitreverse", reverse, INT).note("in vectors by halves within each lane"),
];

const FIELDS: &[Row] = &[
    per_lane!(BitFieldInsert, "llvm.shl, xor, and, or", insert, INT)
        .amounts(2)
        .note("mask = count low bits << offset; base ^ ((base ^ (insert << offset)) & mask); right for count 0 and 32"),
    per_lane!(BitFieldSExtract, "llvm.shl, ashr", sextract, INT)
        .amounts(1)
        .signed()
        .note("base << (32 - (offset + count)), then >> (32 - count) with the sign; 0 for count 0"),
    per_lane!(BitFieldUExtract, "llvm.lshr, and", uextract, INT)
        .amounts(1)
        .unsigned()
        .fits()
        .note("(base >> offset) & count low bits; right for count 0 and 32"),
];

/// The bits of an integer of 8 or 16 bits come out at the top of its lane.
fn reverse(l: &mut Legal<'_>, cx: &LaneContext, args: &[clif::Value]) -> clif::Value {
    let reversed = l.bit_reverse(args[0]);
    match cx.operand.bits() {
        bits @ (8 | 16) => l.ushr_const(reversed, 32 - bits),
        _ => reversed,
    }
}

fn insert(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_insert([args[0], args[1], args[2], args[3]])
}

fn sextract(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_sextract(args[0], args[1], args[2])
}

fn uextract(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    l.bit_field_uextract(args[0], args[1], args[2])
}
