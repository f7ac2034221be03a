//! Conversions between numeric types and reinterpretation of bits (SPIR-V specification, "Conversion
//! Instructions").
//!
//! Float to integer saturates, and a NaN gives 0. Reinterpretation that changes the number of lanes is little-endian on
//! every target: the first of the narrower lanes is the lower part of the wider.

use super::Legal;
use cranelift_codegen::ir::{self as clif, Endianness, InstBuilder, MemFlagsData, types};

impl Legal<'_> {
    /// Float to signed integer of as many bits.
    pub fn fcvt_to_sint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::int_type(self.ty(a));
        self.ins().fcvt_to_sint_sat(ty, a)
    }

    /// Float to unsigned integer of as many bits.
    pub fn fcvt_to_uint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::int_type(self.ty(a));
        self.ins().fcvt_to_uint_sat(ty, a)
    }

    /// Signed integer to the nearest float of as many bits.
    pub fn fcvt_from_sint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.ins().fcvt_from_sint(ty, a)
    }

    /// Unsigned integer to the nearest float of as many bits.
    pub fn fcvt_from_uint(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.ins().fcvt_from_uint(ty, a)
    }

    /// The float type of as many bits and lanes.
    pub fn float_type(ty: clif::Type) -> clif::Type {
        let lane = if ty.lane_bits() == 64 { types::F64 } else { types::F32 };
        lane.by(ty.lane_count()).unwrap_or(types::INVALID)
    }

    /// The same bits as `ty`, which has as many.
    pub fn reinterpret(&mut self, a: clif::Value, ty: clif::Type) -> clif::Value {
        let from = self.ty(a);
        if from == ty {
            return a;
        }
        let flags = match from.lane_count() == ty.lane_count() {
            true => MemFlagsData::new(),
            false => MemFlagsData::new().with_endianness(Endianness::Little),
        };
        self.ins().bitcast(ty, flags, a)
    }

    /// The bits of a float as an integer.
    pub fn float_bits(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::int_type(self.ty(a));
        self.reinterpret(a, ty)
    }

    /// The float with these bits.
    pub fn float_from_bits(&mut self, a: clif::Value) -> clif::Value {
        let ty = Self::float_type(self.ty(a));
        self.reinterpret(a, ty)
    }
}
