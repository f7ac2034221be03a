//! Comparisons, logical operations and selects. A comparison with a NaN is false when ordered, true when unordered.

use super::{Op, op};
use std::cmp::Ordering;

/// A comparison that GLSL has no operator for, by its opcode.
macro_rules! raw {
    ($name:literal, $id:literal, |$a:ident, $b:ident| $body:expr) => {
        op!($name, "f($a, $b)", |$a: f32, $b: f32| -> bool { $body }).prototype(concat!(
            "spirv_instruction(id = ",
            $id,
            ") $R f($A a, $B b);"
        ))
    };
}

/// The table.
pub const OPS: &[Op] = &[
    op!("FOrdEqual", "$a == $b", |a: f32, b: f32| -> bool { a == b }).vector("equal($a, $b)"),
    op!("FUnordNotEqual", "$a != $b", |a: f32, b: f32| -> bool { a != b }).vector("notEqual($a, $b)"),
    op!("FOrdLessThan", "$a < $b", |a: f32, b: f32| -> bool { a < b }).vector("lessThan($a, $b)"),
    op!("FOrdGreaterThan", "$a > $b", |a: f32, b: f32| -> bool { a > b }).vector("greaterThan($a, $b)"),
    op!("FOrdLessThanEqual", "$a <= $b", |a: f32, b: f32| -> bool { a <= b }).vector("lessThanEqual($a, $b)"),
    op!("FOrdGreaterThanEqual", "$a >= $b", |a: f32, b: f32| -> bool { a >= b }).vector("greaterThanEqual($a, $b)"),
    raw!("FUnordEqual", 181, |a, b| a.partial_cmp(&b).is_none_or(Ordering::is_eq)),
    raw!("FOrdNotEqual", 182, |a, b| a.partial_cmp(&b).is_some_and(Ordering::is_ne)),
    raw!("FUnordLessThan", 185, |a, b| a.is_nan() || b.is_nan() || a < b),
    raw!("FUnordGreaterThan", 187, |a, b| a.is_nan() || b.is_nan() || a > b),
    raw!("FUnordLessThanEqual", 189, |a, b| a.is_nan() || b.is_nan() || a <= b),
    raw!("FUnordGreaterThanEqual", 191, |a, b| a.is_nan() || b.is_nan() || a >= b),
    raw!("LessOrGreater", 161, |a, b| a.partial_cmp(&b).is_some_and(Ordering::is_ne)),
    raw!("Ordered", 162, |a, b| !a.is_nan() && !b.is_nan()),
    raw!("Unordered", 163, |a, b| a.is_nan() || b.is_nan()),
    op!("IsFinite", "f($a)", |a: f32| -> bool { a.is_finite() }).prototype("spirv_instruction(id = 158) $R f($A a);"),
    op!("IsNormal", "f($a)", |a: f32| -> bool { a.is_normal() }).prototype("spirv_instruction(id = 159) $R f($A a);"),
    op!("SignBitSet", "f($a)", |a: f32| -> bool { a.is_sign_negative() })
        .prototype("spirv_instruction(id = 160) $R f($A a);"),
    op!("negated-FOrdLessThan", "!($a < $b)", |a: f32, b: f32| -> bool { a.is_nan() || b.is_nan() || a >= b })
        .vector("not(lessThan($a, $b))"),
    op!("IsNan", "isnan($a)", |a: f32| -> bool { a.is_nan() }),
    op!("IsInf", "isinf($a)", |a: f32| -> bool { a.is_infinite() }),
    op!("IEqual", "$a == $b", |a: i32, b: i32| -> bool { a == b }).vector("equal($a, $b)"),
    op!("INotEqual", "$a != $b", |a: u32, b: u32| -> bool { a != b }).vector("notEqual($a, $b)"),
    op!("SLessThan", "$a < $b", |a: i32, b: i32| -> bool { a < b }).vector("lessThan($a, $b)"),
    op!("SGreaterThan", "$a > $b", |a: i32, b: i32| -> bool { a > b }).vector("greaterThan($a, $b)"),
    op!("SLessThanEqual", "$a <= $b", |a: i32, b: i32| -> bool { a <= b }).vector("lessThanEqual($a, $b)"),
    op!("SGreaterThanEqual", "$a >= $b", |a: i32, b: i32| -> bool { a >= b }).vector("greaterThanEqual($a, $b)"),
    op!("ULessThan", "$a < $b", |a: u32, b: u32| -> bool { a < b }).vector("lessThan($a, $b)"),
    op!("UGreaterThan", "$a > $b", |a: u32, b: u32| -> bool { a > b }).vector("greaterThan($a, $b)"),
    op!("ULessThanEqual", "$a <= $b", |a: u32, b: u32| -> bool { a <= b }).vector("lessThanEqual($a, $b)"),
    op!("UGreaterThanEqual", "$a >= $b", |a: u32, b: u32| -> bool { a >= b }).vector("greaterThanEqual($a, $b)"),
    op!("LogicalEqual", "$a == $b", |a: bool, b: bool| -> bool { a == b }).vector("equal($a, $b)"),
    op!("LogicalNotEqual", "$a != $b", |a: bool, b: bool| -> bool { a != b }).vector("notEqual($a, $b)"),
    op!("LogicalNotEqual-xor", "$a ^^ $b", |a: bool, b: bool| -> bool { a ^ b }).vector(""),
    op!("LogicalAnd", "f($a, $b)", |a: bool, b: bool| -> bool { a && b })
        .prototype("spirv_instruction(id = 167) $R f($A a, $B b);"),
    op!("LogicalOr", "f($a, $b)", |a: bool, b: bool| -> bool { a || b })
        .prototype("spirv_instruction(id = 166) $R f($A a, $B b);"),
    op!("short-circuit-and", "$a && $b", |a: bool, b: bool| -> bool { a && b }).vector(""),
    op!("short-circuit-or", "$a || $b", |a: bool, b: bool| -> bool { a || b }).vector(""),
    op!("LogicalNot", "!$a", |a: bool| -> bool { !a }).vector("not($a)"),
    op!("Select-float", "mix($a, $b, $c)", |a: f32, b: f32, c: bool| -> f32 { if c { b } else { a } }),
    op!("Select-int", "mix($a, $b, $c)", |a: i32, b: i32, c: bool| -> i32 { if c { b } else { a } }),
    op!("Select-uint", "mix($a, $b, $c)", |a: u32, b: u32, c: bool| -> u32 { if c { b } else { a } }),
    op!("Select-bool", "mix($a, $b, $c)", |a: bool, b: bool, c: bool| -> bool { if c { b } else { a } }),
    op!("conditional", "$a > 0 ? $b : $c", |a: i32, b: u32, c: u32| -> u32 { if a > 0 { b } else { c } }).vector(""),
];
