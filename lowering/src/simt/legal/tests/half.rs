//! All 16-bit floats: to 32 bits and back, and rounding to them of what lies between any two.

use super::values::{jit, targets};
use super::{build_with, little};
use crate::options::Target;
use crate::simt::legal::{Legal, half_to_single};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// `f` on one vector or scalar of `lanes` lanes.
fn unary(target: &Target, ty: clif::Type, f: fn(&mut Legal<'_>, clif::Value) -> clif::Value) -> clif::Function {
    build_with(target, types::I64, |l, input, output| {
        let value = l.ins().load(ty, little(), input, 0);
        let result = f(l, value);
        l.ins().store(little(), result, output, 0);
    })
}

fn shapes(target: &Target, lane: clif::Type) -> Vec<clif::Type> {
    let wide = lane.by(16 / lane.bytes()).unwrap();
    if target.simd { vec![lane, wide] } else { vec![lane] }
}

/// What a function gives for 16 bytes.
fn call(code: super::values::Code, input: [u32; 4]) -> [u32; 4] {
    let mut output = [0u32; 4];
    // SAFETY: the function reads and writes at most 16 bytes.
    unsafe { code(input.as_ptr(), output.as_mut_ptr()) };
    output
}

/// The value of a finite half that is not negative, or of what would follow the largest.
fn value(half: u16) -> f64 {
    if half == 0x7c00 { 65536.0 } else { f64::from(f32::from_bits(half_to_single(half))) }
}

#[test]
fn known_halves() {
    let cases: [(u16, f32); 8] = [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x0001, 5.960_464_5e-8),
        (0x03ff, 6.097_555e-5),
        (0x0400, 6.103_515_6e-5),
        (0x7bff, 65504.0),
        (0xfc00, f32::NEG_INFINITY),
        (0x3555, 0.333_251_95),
    ];
    for (half, single) in cases {
        assert_eq!(half_to_single(half), single.to_bits(), "{half:#x}");
    }
    println!("{} halves", cases.len());
}

#[test]
fn every_half_survives() {
    let mut checked = 0;
    for target in targets() {
        let [lane, wide] = [shapes(&target, types::I32), shapes(&target, types::F32)];
        for (ints, floats) in lane.into_iter().zip(wide) {
            let there = unary(&target, ints, |l, v| l.half_from_bits(v));
            let back = unary(&target, floats, |l, v| l.half_bits(v));
            let rounded = unary(&target, floats, |l, v| l.round_to_half(v));
            let (module, code) = jit(vec![there, back, rounded], "speed");
            let lanes = ints.lane_count() as usize;
            for first in (0..=0xffffu32).step_by(lanes) {
                let halves: [u32; 4] = std::array::from_fn(|l| (first + l as u32) & 0xffff);
                let singles = call(code[0], halves);
                let again = call(code[1], singles);
                let kept = call(code[2], singles);
                for (lane, &half) in halves.iter().enumerate().take(lanes) {
                    let half = half as u16;
                    assert_eq!(singles[lane], half_to_single(half), "{half:#x}");
                    assert_eq!(again[lane], u32::from(half), "{half:#x} by {:#x}", singles[lane]);
                    let nan = f32::from_bits(singles[lane]).is_nan();
                    let same = kept[lane] == singles[lane] || nan && f32::from_bits(kept[lane]).is_nan();
                    assert!(same, "{half:#x} is rounded to {:#x}", kept[lane]);
                    checked += 1;
                }
            }
            // SAFETY: nothing holds a pointer into the module any more.
            unsafe { module.free_memory() };
        }
    }
    println!("{checked} halves");
    assert!(checked >= 2 << 16, "{checked}");
}

/// Between two neighbours: just above the lower, just below, at and just above the middle, just below the upper.
#[test]
fn rounding_is_to_the_nearest_even() {
    let mut checked = 0;
    for target in targets() {
        for (singles, doubles) in shapes(&target, types::F32).into_iter().zip(shapes(&target, types::F64)) {
            let functions =
                [singles, doubles].map(|ty| unary(&target, ty, |l, v| l.round_to_half(v))).into_iter().collect();
            let (module, code) = jit(functions, "speed");
            for half in 0..0x7c00u16 {
                let (low, high) = (value(half), value(half + 1));
                let middle = (low + high) / 2.0;
                let even = if half & 1 == 0 { half } else { half + 1 };
                let above = |v: f64| f64::from((v as f32).next_up());
                let below = |v: f64| f64::from((v as f32).next_down());
                let cases = [
                    (above(low), half),
                    (below(middle), half),
                    (middle, even),
                    (above(middle), half + 1),
                    (below(high), half + 1),
                ];
                for (x, nearest) in cases {
                    let want = f32::from_bits(half_to_single(nearest));
                    for sign in [1.0, -1.0] {
                        let single = (sign * x) as f32;
                        let got = call(code[0], [single.to_bits(); 4]);
                        assert_eq!(f32::from_bits(got[0]), sign as f32 * want, "{x:e} at 32 bits");
                        let bits = (sign * x).to_bits();
                        let (down, up) = (bits as u32, (bits >> 32) as u32);
                        let got = call(code[1], [down, up, down, up]);
                        let got = f64::from_bits(u64::from(got[0]) | u64::from(got[1]) << 32);
                        assert_eq!(got, sign * f64::from(want), "{x:e} at 64 bits");
                        checked += 2;
                    }
                }
            }
            // SAFETY: nothing holds a pointer into the module any more.
            unsafe { module.free_memory() };
        }
    }
    println!("{checked} roundings");
    assert!(checked > 600_000, "{checked}");
}
