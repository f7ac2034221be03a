//! Conversions among 32-bit types. A float that does not fit saturates, NaN becomes 0: what Rust's `as` does.

use super::{Op, op};

/// The table.
pub const OPS: &[Op] = &[
    op!("ConvertFToS", "$R($a)", |a: f32| -> i32 { a as i32 }),
    op!("ConvertFToU", "$R($a)", |a: f32| -> u32 { a as u32 }),
    op!("ConvertSToF", "$R($a)", |a: i32| -> f32 { a as f32 }),
    op!("ConvertUToF", "$R($a)", |a: u32| -> f32 { a as f32 }),
    op!("Bitcast-int-uint", "$R($a)", |a: i32| -> u32 { a as u32 }),
    op!("Bitcast-uint-int", "$R($a)", |a: u32| -> i32 { a as i32 }),
    op!("Bitcast-float-int", "floatBitsToInt($a)", |a: f32| -> i32 { a.to_bits() as i32 }),
    op!("Bitcast-float-uint", "floatBitsToUint($a)", |a: f32| -> u32 { a.to_bits() }),
    op!("Bitcast-int-float", "intBitsToFloat($a)", |a: i32| -> f32 { f32::from_bits(a as u32) }),
    op!("Bitcast-uint-float", "uintBitsToFloat($a)", |a: u32| -> f32 { f32::from_bits(a) }),
    op!("float-to-bool", "$R($a)", |a: f32| -> bool { a != 0.0 }),
    op!("int-to-bool", "$R($a)", |a: i32| -> bool { a != 0 }),
    op!("bool-to-float", "$R($a)", |a: bool| -> f32 { f32::from(u8::from(a)) }),
    op!("bool-to-int", "$R($a)", |a: bool| -> i32 { i32::from(a) }),
    op!("bool-to-uint", "$R($a)", |a: bool| -> u32 { u32::from(a) }),
];
