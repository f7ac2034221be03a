//! Comparisons, booleans, selection and lane masks (SPIR-V specification, "Relational and Logical
//! Instructions").
//!
//! A boolean is an `i8` 0 or 1 beside scalars, and an integer lane mask of 0 or -1 beside vectors. Comparisons give them,
//! selection takes them.

use super::Legal;
use crate::simt::value::Chunks;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

impl Legal<'_> {
    /// Compares integers.
    pub fn icmp(&mut self, cc: IntCC, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().icmp(cc, a, b)
    }

    /// Compares floats, every condition. Cranelift has eight for vectors on all targets; the rest follow.
    pub fn fcmp(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> clif::Value {
        match cc {
            FloatCC::Ordered
            | FloatCC::Unordered
            | FloatCC::Equal
            | FloatCC::NotEqual
            | FloatCC::LessThan
            | FloatCC::LessThanOrEqual
            | FloatCC::GreaterThan
            | FloatCC::GreaterThanOrEqual => self.ins().fcmp(cc, a, b),
            FloatCC::OrderedNotEqual => {
                let less = self.ins().fcmp(FloatCC::LessThan, a, b);
                let greater = self.ins().fcmp(FloatCC::GreaterThan, a, b);
                self.bool_or(less, greater)
            }
            FloatCC::UnorderedOrEqual => self.fcmp_not(FloatCC::OrderedNotEqual, a, b),
            FloatCC::UnorderedOrLessThan => self.fcmp_not(FloatCC::GreaterThanOrEqual, a, b),
            FloatCC::UnorderedOrLessThanOrEqual => self.fcmp_not(FloatCC::GreaterThan, a, b),
            FloatCC::UnorderedOrGreaterThan => self.fcmp_not(FloatCC::LessThanOrEqual, a, b),
            FloatCC::UnorderedOrGreaterThanOrEqual => self.fcmp_not(FloatCC::LessThan, a, b),
        }
    }

    fn fcmp_not(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> clif::Value {
        let holds = self.fcmp(cc, a, b);
        self.bool_not(holds)
    }

    /// Is `a` a NaN?
    pub fn is_nan(&mut self, a: clif::Value) -> clif::Value {
        self.ins().fcmp(FloatCC::Unordered, a, a)
    }

    /// Is `a` an infinity?
    pub fn is_inf(&mut self, a: clif::Value) -> clif::Value {
        let size = self.fabs(a);
        let infinity = self.float_like(a, f64::INFINITY);
        self.ins().fcmp(FloatCC::Equal, size, infinity)
    }

    /// Is `a` neither an infinity nor a NaN?
    pub fn is_finite(&mut self, a: clif::Value) -> clif::Value {
        let size = self.fabs(a);
        let infinity = self.float_like(a, f64::INFINITY);
        self.ins().fcmp(FloatCC::LessThan, size, infinity)
    }

    /// Is `a` finite, and neither zero nor denormal? `least`: the least normal number.
    pub fn is_normal(&mut self, a: clif::Value, least: f64) -> clif::Value {
        let size = self.fabs(a);
        let least = self.float_like(a, least);
        let large = self.ins().fcmp(FloatCC::GreaterThanOrEqual, size, least);
        let finite = self.is_finite(a);
        self.bool_and(large, finite)
    }

    /// Is the sign bit set?
    pub fn sign_bit(&mut self, a: clif::Value) -> clif::Value {
        let bits = self.float_bits(a);
        let zero = self.int_like(bits, 0);
        self.icmp(IntCC::SignedLessThan, bits, zero)
    }

    /// A boolean constant of the shape of `like`, which is a boolean.
    pub fn bool_like(&mut self, like: clif::Value, value: bool) -> clif::Value {
        let ty = self.ty(like);
        self.int(ty, if !value { 0 } else { if ty.is_vector() { -1 } else { 1 } })
    }

    /// `!a` of a boolean.
    pub fn bool_not(&mut self, a: clif::Value) -> clif::Value {
        if self.is_vector(a) {
            return self.ins().bnot(a);
        }
        let one = self.int(types::I8, 1);
        self.ins().bxor(a, one)
    }

    /// `a && b`.
    pub fn bool_and(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().band(a, b)
    }

    /// `a && !b`.
    pub fn bool_and_not(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let not = self.bool_not(b);
        self.ins().band(a, not)
    }

    /// `a || b`.
    pub fn bool_or(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().bor(a, b)
    }

    /// `a == b` of booleans.
    pub fn bool_eq(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().icmp(IntCC::Equal, a, b)
    }

    /// `a != b` of booleans.
    pub fn bool_ne(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.ins().bxor(a, b)
    }

    /// `cond ? x : y`; all three of one shape, or a scalar condition with vectors.
    pub fn select(&mut self, cond: clif::Value, x: clif::Value, y: clif::Value) -> clif::Value {
        let ty = self.ty(x);
        if !self.is_vector(cond) {
            return self.ins().select(cond, x, y);
        }
        // Cranelift recognises a comparison under the bitcast, as a blend, a minimum or a maximum.
        let cond = self.reinterpret(cond, ty);
        self.ins().bitselect(cond, x, y)
    }

    /// A boolean as 1 or 0 of `ty`, an integer of the same shape.
    pub fn bool_to_int(&mut self, a: clif::Value, ty: clif::Type) -> clif::Value {
        if self.is_vector(a) {
            return self.ushr_const(a, ty.lane_bits() - 1);
        }
        if ty == types::I8 { a } else { self.ins().uextend(ty, a) }
    }

    /// A boolean as 1.0 or 0.0 of `ty`, a float of the same shape.
    pub fn bool_to_float(&mut self, a: clif::Value, ty: clif::Type) -> clif::Value {
        let one = self.float(ty, 1.0);
        let zero = self.float(ty, 0.0);
        self.select(a, one, zero)
    }

    /// `a != 0` of an integer, a boolean of the same shape.
    pub fn int_to_bool(&mut self, a: clif::Value) -> clif::Value {
        let zero = self.int_like(a, 0);
        self.ins().icmp(IntCC::NotEqual, a, zero)
    }

    /// A scalar boolean as a lane mask of the integer vector type `ty` (scalars: as it is).
    pub fn mask(&mut self, a: clif::Value, ty: clif::Type) -> clif::Value {
        if !ty.is_vector() {
            return a;
        }
        let lane = self.ins().bmask(ty.lane_type(), a);
        self.ins().splat(ty, lane)
    }

    /// A lane mask ANDed to a value of the same shape: 0 in lanes where the mask is off.
    pub fn mask_value(&mut self, mask: clif::Value, value: clif::Value) -> clif::Value {
        let ty = self.ty(value);
        if !ty.is_vector() {
            let zero = self.lane_bits(ty, 0);
            return self.ins().select(mask, value, zero);
        }
        let mask = self.reinterpret(mask, ty);
        self.ins().band(mask, value)
    }

    /// Lane `lane` of a boolean chunk as a scalar boolean.
    pub fn mask_lane(&mut self, mask: clif::Value, lane: u32) -> clif::Value {
        if !self.is_vector(mask) {
            return mask;
        }
        let lane = self.ins().extractlane(mask, lane as u8);
        let one = self.int_like(lane, 1);
        let bit = self.ins().band(lane, one);
        self.ins().ireduce(types::I8, bit)
    }

    /// A bit for each lane of a boolean chunk, lane 0 lowest, 32 bits.
    pub fn mask_bits(&mut self, mask: clif::Value) -> clif::Value {
        if self.is_vector(mask) {
            self.ins().vhigh_bits(types::I32, mask)
        } else {
            self.ins().uextend(types::I32, mask)
        }
    }

    /// Is any lane of any chunk on? A scalar boolean; false for no chunks.
    pub fn any(&mut self, chunks: &Chunks) -> clif::Value {
        let Some((&first, rest)) = chunks.split_first() else {
            return self.int(types::I8, 0);
        };
        let all = rest.iter().fold(first, |all, &chunk| self.ins().bor(all, chunk));
        if self.is_vector(all) { self.ins().vany_true(all) } else { all }
    }

    /// Is every lane of every chunk on? A scalar boolean; true for no chunks.
    pub fn all(&mut self, chunks: &Chunks) -> clif::Value {
        let Some((&first, rest)) = chunks.split_first() else {
            return self.int(types::I8, 1);
        };
        let all = rest.iter().fold(first, |all, &chunk| self.ins().band(all, chunk));
        if self.is_vector(all) { self.ins().vall_true(all) } else { all }
    }
}
