//! Scratch memory of the workgroup: a place for each value that crosses barriers, and for masks.
//!
//! A place has `size` bytes a subgroup, at `offset + subgroup * size`.

use super::super::emit::Emitter;
use super::super::hoist::Hoist;
use super::super::memory_flags::frame_flags;
use super::super::value::{Chunks, Comp, Comps};
use crate::Result;
use crate::analysis::shape::Shape;
use crate::ir::{Scalar, Value};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use smallvec::SmallVec;

/// Where a crossing value is kept: components in order, for each subgroup.
#[derive(Clone)]
pub(super) struct Place {
    /// Of subgroup 0, in scratch memory.
    offset: usize,
    /// Bytes a subgroup.
    size: usize,
    /// Shape, scalar and first byte of each component.
    pub parts: Vec<(Shape, Scalar, usize)>,
}

impl Place {
    /// The same memory?
    pub fn is(&self, other: &Place) -> bool {
        self.offset == other.offset
    }
}

impl Emitter<'_> {
    fn reserve(&mut self, size: usize, parts: Vec<(Shape, Scalar, usize)>) -> Place {
        let size = size.next_multiple_of(16);
        let offset = self.locals.reserve(size * self.subgroups() as usize);
        Place { offset, size, parts }
    }

    pub(super) fn make_place(&mut self, value: Value) -> Result<Place> {
        let scalars = self.scalars(self.type_of(value))?;
        let shapes: SmallVec<[Shape; 4]> = self.table.shapes(value).into();
        let mut parts = vec![];
        let mut at = 0usize;
        for (i, &scalar) in scalars.iter().enumerate() {
            let shape = shapes.get(i).copied().unwrap_or(Shape::Varying).held();
            let (ty, n) = self.held_as(shape, scalar);
            at = at.next_multiple_of(ty.bytes() as usize);
            parts.push((shape, scalar, at));
            at += ty.bytes() as usize * n;
        }
        Ok(self.reserve(at, parts))
    }

    /// Address of a place of the current subgroup.
    fn place_address(&mut self, place: &Place) -> clif::Value {
        let size = self.legal.ins().iconst(types::I32, place.size as i64);
        let bytes = self.legal.ins().imul(self.kernel.subgroup, size);
        let bytes = self.legal.ins().uextend(types::I64, bytes);
        let base = self.hoist(Hoist::Scratch(place.offset));
        self.legal.ins().iadd(base, bytes)
    }

    pub(super) fn load_place(&mut self, place: &Place) -> Comps {
        let address = self.place_address(place);
        place
            .parts
            .iter()
            .map(|&(shape, scalar, at)| {
                let (ty, n) = self.held_as(shape, scalar);
                let chunks: Chunks = (0..n)
                    .map(|k| {
                        let at = (at + k * ty.bytes() as usize) as i32;
                        self.legal.ins().load(ty, frame_flags(), address, at)
                    })
                    .collect();
                match shape {
                    Shape::Uniform(_) => Comp::Uniform(chunks[0]),
                    Shape::Affine(stride) => Comp::Affine { base: chunks[0], stride },
                    Shape::ChunkAffine(stride) => Comp::ChunkAffine { bases: chunks, stride },
                    Shape::Varying | Shape::Nearly(_) => Comp::Varying(chunks),
                }
            })
            .collect()
    }

    /// The components of `value` as they are kept at `place`.
    pub(super) fn held_at(&mut self, place: &Place, comps: &Comps) -> Result<Vec<(clif::Value, i32)>> {
        let mut out = vec![];
        for (comp, &(shape, scalar, at)) in comps.iter().zip(&place.parts) {
            let chunks = self.in_shape(shape, scalar, comp)?;
            for (k, chunk) in chunks.into_iter().enumerate() {
                out.push((chunk, (at + k * self.legal.ty(chunk).bytes() as usize) as i32));
            }
        }
        Ok(out)
    }

    pub(super) fn store_place(&mut self, place: &Place, held: &[(clif::Value, i32)]) {
        let address = self.place_address(place);
        for &(value, at) in held {
            self.legal.ins().store(frame_flags(), value, address, at);
        }
    }

    /// A place for a mask.
    pub(super) fn mask_place(&mut self) -> Place {
        let bytes = self.mask_chunks() * self.mask_type().bytes() as usize;
        self.reserve(bytes, vec![])
    }

    pub(super) fn store_mask(&mut self, place: &Place, mask: &Chunks) {
        let address = self.place_address(place);
        for (k, &chunk) in mask.iter().enumerate() {
            let at = k as i32 * self.legal.ty(chunk).bytes() as i32;
            self.legal.ins().store(frame_flags(), chunk, address, at);
        }
    }

    pub(super) fn load_mask(&mut self, place: &Place) -> Chunks {
        let address = self.place_address(place);
        let ty = self.mask_type();
        (0..self.mask_chunks() as i32)
            .map(|k| self.legal.ins().load(ty, frame_flags(), address, k * ty.bytes() as i32))
            .collect()
    }
}
