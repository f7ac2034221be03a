//! Bitwise operations and shifts. Shift amounts count modulo 32.

use super::{Op, op};

/// The table.
pub const OPS: &[Op] = &[
    op!("BitwiseAnd", "$a & $b", |a: u32, b: u32| -> u32 { a & b }),
    op!("BitwiseOr", "$a | $b", |a: i32, b: i32| -> i32 { a | b }),
    op!("BitwiseXor", "$a ^ $b", |a: u32, b: u32| -> u32 { a ^ b }),
    op!("Not", "~$a", |a: i32| -> i32 { !a }),
    op!("ShiftLeftLogical", "$a << $b", |a: u32, b: u32| -> u32 { a.wrapping_shl(b) }),
    op!("ShiftLeftLogical-signed", "$a << $b", |a: i32, b: i32| -> i32 { a.wrapping_shl(b as u32) }),
    op!("ShiftRightLogical", "$a >> $b", |a: u32, b: u32| -> u32 { a.wrapping_shr(b) }),
    op!("ShiftRightArithmetic", "$a >> $b", |a: i32, b: u32| -> i32 { a.wrapping_shr(b) }),
    op!("ShiftLeftLogical-by-constant", "$a << 5", |a: u32| -> u32 { a << 5 }),
    op!("ShiftRightArithmetic-by-constant", "$a >> 31", |a: i32| -> i32 { a >> 31 }),
    op!("ShiftLeftLogical-constant-by", "$R(1u) << $a", |a: u32| -> u32 { 1u32.wrapping_shl(a) }),
    op!("BitCount", "bitCount($a)", |a: u32| -> i32 { a.count_ones() as i32 }),
    op!("BitCount-signed", "bitCount($a)", |a: i32| -> i32 { a.count_ones() as i32 }),
    op!("BitReverse", "bitfieldReverse($a)", |a: u32| -> u32 { a.reverse_bits() }),
    op!("BitReverse-signed", "bitfieldReverse($a)", |a: i32| -> i32 { a.reverse_bits() }),
    op!("rotate", "($a << ($b & 31u)) | ($a >> ((32u - $b) & 31u))", |a: u32, b: u32| -> u32 { a.rotate_left(b & 31) }),
];
