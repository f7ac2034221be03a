//! How values of the IR are held while a subgroup's code is emitted.
//!
//! A value is one [`Comp`] per scalar leaf of its type (vectors, matrices, arrays and structs are flattened), so that
//! composite instructions cost nothing. A component is either one scalar for the whole subgroup or W lanes in chunks of C.
//!
//! Representation of lanes, by scalar type: booleans are `i8` 0/1 as CLIF scalars (uniform, and C = 1) and `i32` 0/-1
//! lane masks in vectors; integers of 8 and 16 bits live in 32-bit lanes, kept normalised (sign- or zero-extended by the
//! type's signedness); `f16` is stored as 16 bits and computed in `f32`; 64-bit lanes take twice the chunks.

use super::legal::{Legal, half_to_single};
use crate::analysis::shape::Shape;
use crate::ir::Scalar;
use crate::{Options, Target};
use cranelift_codegen::ir as clif;
use smallvec::SmallVec;

/// The chunks of a varying component, lane 0 first: W/C values of a C-lane type (C = 1: scalars).
pub type Chunks = SmallVec<[clif::Value; 2]>;

/// One scalar leaf of a value, for all lanes of the subgroup.
#[derive(Clone, Debug, PartialEq)]
pub enum Comp {
    /// The same in every active lane: one CLIF scalar.
    Uniform(clif::Value),
    /// 32-bit integer: lane `l` holds `base + l * stride`, wrapping.
    Affine {
        /// Lane 0, an `i32`.
        base: clif::Value,
        /// Difference from lane to lane.
        stride: i32,
    },
    /// 32-bit integer: lane `l` of chunk `k` holds `bases[k] + l * stride`, wrapping (workgroups narrower than W).
    ChunkAffine {
        /// Lane 0 of each chunk, an `i32` each.
        bases: Chunks,
        /// Difference from lane to lane.
        stride: i32,
    },
    /// Anything: one CLIF value a chunk.
    Varying(Chunks),
}

/// All components of a value.
pub type Comps = SmallVec<[Comp; 4]>;

impl Comp {
    /// The scalar, where the component is uniform.
    pub fn uniform(&self) -> Option<clif::Value> {
        match self {
            Comp::Uniform(v) => Some(*v),
            _ => None,
        }
    }
}

/// W and C, and how many workgroups a subgroup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// W, invocations of a subgroup.
    pub subgroup: u32,
    /// C, lanes of a chunk of 32-bit components: 4 or 1.
    pub chunk: u32,
    /// Workgroups side by side in a subgroup: 1, or more where they are small and cannot tell (see `pack`).
    pub groups: u32,
}

impl Width {
    /// W and C that `options` ask for and `target` has.
    pub fn new(options: &Options, target: &Target) -> Width {
        let subgroup = options.subgroup_size;
        let chunk = if options.scalar || subgroup < 4 || !target.simd { 1 } else { 4 };
        Width { subgroup, chunk, groups: 1 }
    }

    /// Lanes of a chunk of `scalar`: C for up to 32 bits, half of it (at least 1) for 64.
    pub fn lanes(self, scalar: Scalar) -> u32 {
        if scalar.bits() == 64 { (self.chunk / 2).max(1) } else { self.chunk }
    }

    /// Chunks of a varying component of `scalar`.
    pub fn chunks(self, scalar: Scalar) -> usize {
        (self.subgroup / self.lanes(scalar)) as usize
    }

    /// The type and number of CLIF values that hold a component of a shape.
    pub fn held_as(self, shape: Shape, scalar: Scalar) -> (clif::Type, usize) {
        match shape.held() {
            Shape::Uniform(_) | Shape::Affine(_) => (Legal::scalar_type(scalar), 1),
            Shape::ChunkAffine(_) => (Legal::scalar_type(scalar), self.chunks(scalar)),
            Shape::Varying | Shape::Nearly(_) => (Legal::chunk_type(scalar, self.lanes(scalar)), self.chunks(scalar)),
        }
    }
}

/// The bits of a lane that holds a constant, given by its own bits: narrow integers are extended by their type's
/// signedness, 16-bit floats become 32-bit ones, booleans are 0 or 1.
pub fn held_bits(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::Bool => bits & 1,
        Scalar::Int { width: 64, .. } | Scalar::Float(64) => bits,
        Scalar::Int { width, signed: true } => {
            let unused = 64 - u32::from(width);
            ((bits << unused) as i64 >> unused) as u64 & 0xffff_ffff
        }
        Scalar::Int { width, .. } => bits & (u64::MAX >> (64 - u32::from(width))),
        Scalar::Float(16) => u64::from(half_to_single(bits as u16)),
        Scalar::Float(_) => bits & 0xffff_ffff,
    }
}

/// Maps operations on CLIF scalars and chunks over components: uniform operands give a uniform result, otherwise the
/// operation is emitted once a chunk.
pub struct Lanes<'l, 'a> {
    /// Where code goes.
    pub legal: &'l mut Legal<'a>,
    /// W and C.
    pub width: Width,
}

impl Lanes<'_, '_> {
    /// The component as chunks of CLIF values.
    pub fn chunks(&mut self, comp: &Comp, scalar: Scalar) -> Chunks {
        let n = self.width.chunks(scalar);
        match comp {
            Comp::Varying(chunks) => chunks.clone(),
            Comp::Uniform(v) => {
                let lanes = self.width.lanes(scalar);
                let chunk = self.legal.broadcast(*v, scalar, lanes);
                std::iter::repeat_n(chunk, n).collect()
            }
            Comp::Affine { base, stride } => {
                let lanes = self.width.lanes(scalar);
                let first = self.legal.iota(*base, *stride, lanes);
                (0..n)
                    .map(|k| match k {
                        0 => first,
                        _ => self.legal.add_const(first, (k as i32 * lanes as i32).wrapping_mul(*stride)),
                    })
                    .collect()
            }
            Comp::ChunkAffine { bases, stride } => {
                let lanes = self.width.lanes(scalar);
                bases.iter().map(|&base| self.legal.iota(base, *stride, lanes)).collect()
            }
        }
    }

    /// Emits `f` once for uniform operands and once a chunk otherwise. All operands have as many lanes a chunk.
    pub fn map<const N: usize>(
        &mut self,
        args: [(&Comp, Scalar); N],
        mut f: impl FnMut(&mut Legal<'_>, [clif::Value; N]) -> clif::Value,
    ) -> Comp {
        if args.iter().all(|(comp, _)| comp.uniform().is_some()) {
            let scalars = args.map(|(comp, _)| comp.uniform().unwrap_or_else(|| unreachable!()));
            return Comp::Uniform(f(self.legal, scalars));
        }
        let chunks = args.map(|(comp, scalar)| self.chunks(comp, scalar));
        let n = chunks.iter().map(|c| c.len()).min().unwrap_or(0);
        Comp::Varying((0..n).map(|k| f(self.legal, std::array::from_fn(|a| chunks[a][k]))).collect())
    }
}
