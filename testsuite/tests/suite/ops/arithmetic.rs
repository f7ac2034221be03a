//! Arithmetic on 32-bit components. Division by zero and `MIN / -1` have the values of WGSL.

use super::{Op, op};

/// `x` or, within rounding, one whole `y` away from it: at a multiple of the divisor either side is right.
fn congruent(args: &[u32], want: u32, got: u32) -> bool {
    let (x, y) = (f64::from(f32::from_bits(args[0])), f64::from(f32::from_bits(args[1])));
    let (want, got) = (f64::from(f32::from_bits(want)), f64::from(f32::from_bits(got)));
    if y == 0.0 {
        return true;
    }
    let bound = (x.abs() + y.abs()) * 1e-6;
    [0.0, y, -y].iter().any(|step| (want + step - got).abs() <= bound)
}

/// The table.
pub const OPS: &[Op] = &[
    op!("FAdd", "$a + $b", |a: f32, b: f32| -> f32 { a + b }),
    op!("FSub", "$a - $b", |a: f32, b: f32| -> f32 { a - b }),
    op!("FMul", "$a * $b", |a: f32, b: f32| -> f32 { a * b }),
    op!("FDiv", "$a / $b", |a: f32, b: f32| -> f32 { a / b }),
    op!("FNegate", "-$a", |a: f32| -> f32 { -a }),
    op!("FMod", "mod($a, $b)", |a: f32, b: f32| -> f32 { a - b * (a / b).floor() }).any(congruent).moderate(),
    op!("FRem", "frem($a, $b)", |a: f32, b: f32| -> f32 { a % b })
        .prototype("spirv_instruction(id = 140) $R frem($A a, $B b);")
        .any(congruent)
        .moderate(),
    op!("IAdd", "$a + $b", |a: i32, b: i32| -> i32 { a.wrapping_add(b) }),
    op!("IAdd-unsigned", "$a + $b", |a: u32, b: u32| -> u32 { a.wrapping_add(b) }),
    op!("ISub", "$a - $b", |a: i32, b: i32| -> i32 { a.wrapping_sub(b) }),
    op!("ISub-unsigned", "$a - $b", |a: u32, b: u32| -> u32 { a.wrapping_sub(b) }),
    op!("IMul", "$a * $b", |a: i32, b: i32| -> i32 { a.wrapping_mul(b) }),
    op!("IMul-unsigned", "$a * $b", |a: u32, b: u32| -> u32 { a.wrapping_mul(b) }),
    op!("SNegate", "-$a", |a: i32| -> i32 { a.wrapping_neg() }),
    op!("SDiv", "$a / $b", |a: i32, b: i32| -> i32 { if b == 0 { a } else { a.wrapping_div(b) } }),
    op!("UDiv", "$a / $b", |a: u32, b: u32| -> u32 { a.checked_div(b).unwrap_or(a) }),
    op!("UMod", "$a % $b", |a: u32, b: u32| -> u32 { a.checked_rem(b).unwrap_or(0) }),
    // The remainder with the divisor's sign; glslang spells `%` of signed integers so.
    op!("SMod", "$a % $b", |a: i32, b: i32| -> i32 {
        match a.checked_rem(b) {
            Some(r) if r != 0 && (r < 0) != (b < 0) => r + b,
            Some(r) => r,
            None => 0,
        }
    }),
    op!("SRem", "srem($a, $b)", |a: i32, b: i32| -> i32 { a.checked_rem(b).unwrap_or(0) })
        .prototype("spirv_instruction(id = 138) $R srem($A a, $B b);"),
    op!("SDiv-by-constant", "$a / 7", |a: i32| -> i32 { a / 7 }),
    op!("SDiv-by-minus-one", "$a / -1", |a: i32| -> i32 { a.wrapping_neg() }),
    op!("SMod-by-constant", "$a % 8", |a: i32| -> i32 { a.rem_euclid(8) }),
    op!("UDiv-by-constant", "$a / 10u", |a: u32| -> u32 { a / 10 }),
    op!("UDiv-by-power", "$a / 16u", |a: u32| -> u32 { a / 16 }),
    op!("UMod-by-constant", "$a % 10u", |a: u32| -> u32 { a % 10 }),
    op!("UDiv-constant-by", "1000u / $a", |a: u32| -> u32 { 1000u32.checked_div(a).unwrap_or(1000) }),
    op!("SDiv-constant-by", "(-2147483647 - 1) / $a", |a: i32| -> i32 {
        if a == 0 { i32::MIN } else { i32::MIN.wrapping_div(a) }
    }),
    op!("polynomial", "$a * $a * 3.0 - $a * 0.5 + 2.0", |a: f32| -> f32 { a * a * 3.0 - a * 0.5 + 2.0 }),
];
