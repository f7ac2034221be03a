//! Copies and hints, which GLSL has no name for.

use super::{Op, op};

const COPY: &str = "spirv_instruction(id = 83) $R copy_($A a);";
const EXPECT: &str = "spirv_instruction(extensions = [\"SPV_KHR_expect_assume\"], capabilities = [5629], id = 5631) $R expect_($A a, $B b);";

/// The table.
pub const OPS: &[Op] = &[
    op!("CopyObject-float", "copy_($a)", |a: f32| -> f32 { a }).prototype(COPY),
    op!("CopyObject-int", "copy_($a)", |a: i32| -> i32 { a }).prototype(COPY),
    op!("CopyObject-bool", "copy_($a)", |a: bool| -> bool { a }).prototype(COPY),
    op!("ExpectKHR-float", "expect_($a, $b)", |a: f32, _b: f32| -> f32 { a }).prototype(EXPECT),
    op!("ExpectKHR-int", "expect_($a, $b)", |a: i32, _b: i32| -> i32 { a }).prototype(EXPECT),
    op!("ExpectKHR-bool", "expect_($a, $b)", |a: bool, _b: bool| -> bool { a }).prototype(EXPECT),
];
