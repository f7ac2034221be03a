//! The one place that appends CLIF for computation: every operation on scalars and chunks goes through [`Legal`], keyed by
//! operation, type and target, because Cranelift has holes where it panics (design notes in `ARCHITECTURE.md`).
//!
//! In: CLIF values of one shape, either scalars (uniform values, and lanes when C = 1) or vectors of C lanes. Out: CLIF
//! values of the same shape. Booleans: `i8` 0/1 as scalars, integer lane masks 0/-1 in vectors.
//!
//! Invariants: nothing emitted here traps, whatever its operands hold, since inactive lanes hold anything; a value that
//! SPIR-V leaves undefined is the same on every target, in every shape and at every optimisation level.
//!
//! One file a group: [`int`] (arithmetic, shifts, minimum and maximum), [`divide`], [`bits`] (counting, reversing, bit
//! fields), [`float`], [`logic`] (comparisons, booleans, selection, lane masks), [`convert`], [`half`] (16-bit floats),
//! [`shuffle`] (lanes).

mod bits;
mod convert;
mod divide;
mod float;
mod half;
mod int;
mod logic;
mod shuffle;

pub use convert::Conversion;
pub use half::half_to_single;

use crate::ir::Scalar;
use crate::lowered::Stats;
use crate::options::Target;
use cranelift_codegen::ir::{self as clif, InstBuilder, InstructionData, Opcode, types};
use cranelift_frontend::FunctionBuilder;

/// Emits CLIF into a function.
pub struct Legal<'a> {
    /// Cranelift's builder.
    pub builder: FunctionBuilder<'a>,
    /// What the target can do.
    pub target: &'a Target,
    /// Counts.
    pub stats: Stats,
}

impl<'a> Legal<'a> {
    /// Emits into `builder`.
    pub fn new(builder: FunctionBuilder<'a>, target: &'a Target) -> Legal<'a> {
        Legal { builder, target, stats: Stats::default() }
    }

    /// The builder of one instruction.
    pub fn ins(&mut self) -> cranelift_frontend::FuncInstBuilder<'_, 'a> {
        self.builder.ins()
    }

    /// Type of a CLIF value.
    pub fn ty(&self, value: clif::Value) -> clif::Type {
        self.builder.func.dfg.value_type(value)
    }

    /// Is the value a vector?
    pub fn is_vector(&self, value: clif::Value) -> bool {
        self.ty(value).is_vector()
    }

    /// The CLIF type of a scalar (uniform values, and lanes when C = 1).
    pub fn scalar_type(scalar: Scalar) -> clif::Type {
        match scalar {
            Scalar::Bool => types::I8,
            Scalar::Int { width: 64, .. } => types::I64,
            Scalar::Int { .. } => types::I32,
            Scalar::Float(64) => types::F64,
            Scalar::Float(_) => types::F32,
        }
    }

    /// The CLIF type of a chunk of `lanes` lanes.
    pub fn chunk_type(scalar: Scalar, lanes: u32) -> clif::Type {
        match (scalar, lanes) {
            (_, 1) => Self::scalar_type(scalar),
            (Scalar::Bool, _) => types::I32.by(lanes).unwrap_or(types::INVALID),
            _ => Self::scalar_type(scalar).by(lanes).unwrap_or(types::INVALID),
        }
    }

    /// `value`, a scalar, in each of `lanes` lanes.
    pub fn broadcast(&mut self, value: clif::Value, scalar: Scalar, lanes: u32) -> clif::Value {
        if lanes == 1 {
            return value;
        }
        let ty = Self::chunk_type(scalar, lanes);
        match (scalar, self.as_const(value)) {
            (Scalar::Bool, Some(bits)) => self.int(ty, if bits & 1 != 0 { -1 } else { 0 }),
            (Scalar::Bool, None) => self.mask(value, ty),
            (_, Some(bits)) => self.lane_bits(ty, bits),
            (_, None) => self.ins().splat(ty, value),
        }
    }

    /// `base + l * stride` in lane `l` of `lanes`, 32 bits.
    pub fn iota(&mut self, base: clif::Value, stride: i32, lanes: u32) -> clif::Value {
        if lanes == 1 {
            return base;
        }
        let splat = self.broadcast(base, Scalar::I32, lanes);
        if stride == 0 {
            return splat;
        }
        let lanes: Vec<u32> = (0..lanes as i32).map(|l| l.wrapping_mul(stride) as u32).collect();
        let steps = self.lanes_u32(&lanes);
        match self.as_const(base) {
            Some(0) => steps,
            _ => self.ins().iadd(splat, steps),
        }
    }

    /// `value + amount`, 32-bit integers, scalar or chunk.
    pub fn add_const(&mut self, value: clif::Value, amount: i32) -> clif::Value {
        if amount == 0 {
            return value;
        }
        let amount = self.int_like(value, i64::from(amount));
        self.ins().iadd(value, amount)
    }

    /// An integer constant, in each lane of `ty`.
    pub fn int(&mut self, ty: clif::Type, value: i64) -> clif::Value {
        self.lane_bits(ty, value as u64)
    }

    /// An integer constant of the type of `like`.
    pub fn int_like(&mut self, like: clif::Value, value: i64) -> clif::Value {
        let ty = self.ty(like);
        self.int(ty, value)
    }

    /// A float constant, in each lane of `ty`.
    pub fn float(&mut self, ty: clif::Type, value: f64) -> clif::Value {
        let bits = if ty.lane_type() == types::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        self.lane_bits(ty, bits)
    }

    /// A float constant of the type of `like`.
    pub fn float_like(&mut self, like: clif::Value, value: f64) -> clif::Value {
        let ty = self.ty(like);
        self.float(ty, value)
    }

    /// A constant by its bits, in each lane of `ty`.
    pub fn lane_bits(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        if ty.is_vector() {
            let width = ty.lane_type().bytes() as usize;
            let bytes: Vec<u8> = bits.to_le_bytes()[..width].repeat(ty.lane_count() as usize);
            let data = self.builder.func.dfg.constants.insert(bytes.into());
            return self.ins().vconst(ty, data);
        }
        match ty {
            types::F32 => self.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.ins().f64const(f64::from_bits(bits)),
            _ => {
                let mask = u64::MAX >> (64 - ty.bits().min(64));
                self.ins().iconst(ty, (bits & mask) as i64)
            }
        }
    }

    /// A vector of 32-bit integer constants, lane 0 first.
    pub fn lanes_u32(&mut self, lanes: &[u32]) -> clif::Value {
        let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes()).collect();
        let data = self.builder.func.dfg.constants.insert(bytes.into());
        let ty = types::I32.by(lanes.len() as u32).unwrap_or(types::INVALID);
        self.ins().vconst(ty, data)
    }

    /// The integer type of as many bits and lanes.
    pub fn int_type(ty: clif::Type) -> clif::Type {
        ty.as_int()
    }

    /// The bits of a lane of `value`, where all its lanes hold the same constant.
    pub fn as_const(&self, value: clif::Value) -> Option<u64> {
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(dfg.resolve_aliases(value)).inst()?;
        match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
                let mask = u64::MAX >> (64 - dfg.value_type(value).bits().min(64));
                Some(imm.bits() as u64 & mask)
            }
            InstructionData::UnaryIeee32 { imm, .. } => Some(u64::from(imm.bits())),
            InstructionData::UnaryIeee64 { imm, .. } => Some(imm.bits()),
            InstructionData::Unary { opcode: Opcode::Splat, arg } => self.as_const(arg),
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                let bytes = dfg.constants.get(constant_handle).as_slice();
                let width = dfg.value_type(value).lane_type().bytes() as usize;
                let first = bytes.get(..width)?;
                bytes.chunks(width).all(|lane| lane == first).then(|| {
                    let mut bits = [0; 8];
                    bits[..width].copy_from_slice(first);
                    u64::from_le_bytes(bits)
                })
            }
            _ => None,
        }
    }

    /// The signed integer that all lanes of `value` hold, where that is a constant.
    pub fn as_int(&self, value: clif::Value) -> Option<i64> {
        let bits = self.as_const(value)?;
        let unused = 64 - self.ty(value).lane_type().bits().min(64);
        Some(((bits << unused) as i64) >> unused)
    }

    /// The scalar that all lanes of a vector hold, where that is evident; a scalar itself.
    pub fn as_splat(&mut self, value: clif::Value) -> Option<clif::Value> {
        let ty = self.ty(value);
        if !ty.is_vector() {
            return Some(value);
        }
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(dfg.resolve_aliases(value)).inst()?;
        if let InstructionData::Unary { opcode: Opcode::Splat, arg } = dfg.insts[inst] {
            return Some(arg);
        }
        let bits = self.as_const(value)?;
        Some(self.lane_bits(ty.lane_type(), bits))
    }

    /// `value` as `ty`: a scalar is repeated where `ty` is a vector.
    pub fn fill(&mut self, value: clif::Value, ty: clif::Type) -> clif::Value {
        if self.ty(value) == ty || !ty.is_vector() {
            return value;
        }
        match self.as_const(value) {
            Some(bits) => self.lane_bits(ty, bits),
            None => self.ins().splat(ty, value),
        }
    }

    /// `f` on the scalars of each lane of vectors, on the operands themselves where they are scalars. A vector that
    /// repeats one scalar is not taken apart. Counted, because Cranelift lacks the vector form.
    pub fn lane_by_lane<const N: usize>(
        &mut self,
        args: [clif::Value; N],
        mut f: impl FnMut(&mut Self, [clif::Value; N]) -> clif::Value,
    ) -> clif::Value {
        let lanes = args.iter().map(|&a| self.ty(a).lane_count()).max().unwrap_or(1);
        if lanes == 1 {
            return f(self, args);
        }
        self.stats.lane_by_lane += 1;
        let splats = args.map(|a| self.as_splat(a));
        let mut vector = None;
        for lane in 0..lanes as u8 {
            let scalars = std::array::from_fn(|i| match splats[i] {
                Some(scalar) => scalar,
                None => self.ins().extractlane(args[i], lane),
            });
            let result = f(self, scalars);
            vector = Some(match vector {
                None => {
                    let ty = self.ty(result).by(lanes).unwrap_or(types::INVALID);
                    self.ins().scalar_to_vector(ty, result)
                }
                Some(so_far) => self.ins().insertlane(so_far, result, lane),
            });
        }
        vector.unwrap_or(args[0])
    }
}

#[cfg(test)]
pub(crate) mod tests;
