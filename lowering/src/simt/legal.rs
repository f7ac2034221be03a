//! The one place that appends CLIF for computation: every operation on scalars and chunks goes through [`Legal`], keyed by
//! operation, type and target, because Cranelift has holes where it panics (design notes in `ARCHITECTURE.md`).
//!
//! In: CLIF values of one shape, either scalars (uniform values, and lanes when C = 1) or vectors of C lanes. Out: CLIF
//! values of the same shape. Booleans: `i8` 0/1 as scalars, integer lane masks 0/-1 in vectors.

use crate::ir::Scalar;
use crate::lowered::Stats;
use crate::options::Target;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
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
        let value = match scalar {
            Scalar::Bool => self.ins().bmask(types::I32, value),
            _ => value,
        };
        self.ins().splat(Self::chunk_type(scalar, lanes), value)
    }

    /// `base + l * stride` in lane `l` of `lanes`, 32 bits.
    pub fn iota(&mut self, base: clif::Value, stride: i32, lanes: u32) -> clif::Value {
        if lanes == 1 {
            return base;
        }
        let splat = self.ins().splat(types::I32X4, base);
        if stride == 0 {
            return splat;
        }
        let bytes: Vec<u8> = (0..lanes as i32).flat_map(|l| l.wrapping_mul(stride).to_le_bytes()).collect();
        let data = self.builder.func.dfg.constants.insert(bytes.into());
        let steps = self.ins().vconst(types::I32X4, data);
        self.ins().iadd(splat, steps)
    }

    /// `value + amount`, 32-bit integers, scalar or chunk.
    pub fn add_const(&mut self, value: clif::Value, amount: i32) -> clif::Value {
        if amount == 0 {
            return value;
        }
        let ty = self.ty(value);
        let amount = self.ins().iconst(types::I32, i64::from(amount) & 0xffff_ffff);
        let amount = if ty.is_vector() { self.ins().splat(ty, amount) } else { amount };
        self.ins().iadd(value, amount)
    }
}
