//! Byte layout of types in memory, by their decorations (SPIR-V specification, §3.20 "Decoration": `Offset`, `ArrayStride`,
//! `MatrixStride`, `RowMajor`). Nothing of std140, std430 or scalar layout is recomputed here: what the module says counts.
//!
//! Types without decorations (Function, Private and Workgroup memory, which is the implementation's own) are laid out
//! tightly: each scalar at a multiple of its size, members and elements one after the other.
//!
//! In: a type and, for matrices, what the enclosing member says. Out: sizes, offsets of constituents, and for a value of
//! the type the byte offset of each scalar leaf, in the order of [`Types::leaves`]. All arithmetic is checked: strides and
//! offsets are whatever a module chose to write.

use crate::ir::{Member, Scalar, Type, TypeId, Types};

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatrixLayout {
    /// Bytes from column to column, or from row to row; `None` where not decorated: tight.
    pub stride: Option<u32>,
    /// Rows are contiguous instead of columns.
    pub row_major: bool,
}

impl MatrixLayout {
    /// What a struct's member says of the matrices in it.
    pub fn of(member: &Member) -> MatrixLayout {
        MatrixLayout { stride: member.matrix_stride, row_major: member.row_major }
    }
}

/// Bytes of a scalar in memory.
pub fn scalar_size(scalar: Scalar) -> u32 {
    scalar.bits() / 8
}

/// Size and alignment of a type in one walk, so that the cost is the number of members, however they are nested. The
/// size is the number of bytes from the first to the last byte of a value; for a runtime array, or a struct that ends in
/// one, without its elements. The alignment is that of the largest scalar. `None` when the size overflows or the type has
/// no layout.
fn extent(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Option<(u64, u64)> {
    match types[ty] {
        Type::Scalar(s) => Some((u64::from(scalar_size(s)), u64::from(scalar_size(s)))),
        Type::Vector { component, count } => {
            let size = u64::from(scalar_size(component));
            Some((size * u64::from(count), size))
        }
        Type::Matrix { column, columns } => {
            let (vectors, vector) = matrix_vectors(types, column, columns, matrix)?;
            let stride = u64::from(matrix_stride(types, ty, matrix)?);
            let size = (u64::from(vectors) - 1).checked_mul(stride)?.checked_add(vector)?;
            Some((size, extent(types, column, matrix)?.1))
        }
        Type::Array { element, count, stride } => {
            let (size, align) = extent(types, element, matrix)?;
            let stride = tight_stride(stride, size, align)?;
            let last = u64::from(count).checked_sub(1)?.checked_mul(stride)?;
            Some((last.checked_add(size)?, align))
        }
        Type::RuntimeArray { element, .. } => Some((0, extent(types, element, matrix)?.1)),
        Type::Struct(id) => {
            let (mut end, mut most) = (0u64, 1);
            for_each_member(types, &types.structs[id].members, |_, offset, size, align| {
                end = end.max(offset.checked_add(size)?);
                most = most.max(align);
                Some(())
            })?;
            Some((end, most))
        }
        Type::Pointer { .. } => Some((8, 8)),
        Type::Void | Type::Opaque(_) => None,
    }
}

fn tight_stride(stride: u32, size: u64, align: u64) -> Option<u64> {
    if stride != 0 { Some(u64::from(stride)) } else { size.checked_next_multiple_of(align) }
}

/// Calls `f` with index, offset, size and alignment of each member; undecorated ones follow their predecessor.
fn for_each_member(
    types: &Types,
    members: &[Member],
    mut f: impl FnMut(usize, u64, u64, u64) -> Option<()>,
) -> Option<()> {
    let mut end = 0u64;
    for (index, member) in members.iter().enumerate() {
        let (size, align) = extent(types, member.ty, MatrixLayout::of(member))?;
        let offset = match member.offset {
            Some(offset) => u64::from(offset),
            None => end.checked_next_multiple_of(align)?,
        };
        f(index, offset, size, align)?;
        end = offset.checked_add(size)?;
    }
    Some(())
}

/// Alignment of a type when it is laid out tightly: that of its largest scalar. `None` for what has no layout.
pub fn align_of(types: &Types, ty: TypeId) -> Option<u64> {
    Some(extent(types, ty, MatrixLayout::default())?.1)
}

/// Bytes from the first to the last byte of a value. For a runtime array, or a struct that ends in one: without its
/// elements. `None` when the size overflows or the type has no layout.
pub fn size_of(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Option<u64> {
    Some(extent(types, ty, matrix)?.0)
}

/// Bytes from the start of a struct to one of its members.
pub fn member_offset(types: &Types, ty: TypeId, index: u32) -> Option<u64> {
    let Type::Struct(id) = types[ty] else { return None };
    let members = &types.structs[id].members;
    let member = members.get(index as usize)?;
    if let Some(offset) = member.offset {
        return Some(u64::from(offset));
    }
    let mut found = None;
    for_each_member(types, members, |at, offset, _, _| {
        if at == index as usize {
            found = Some(offset);
        }
        Some(())
    })?;
    found
}

/// Bytes from one element of an array or runtime array to the next: `ArrayStride`, or tight.
pub fn element_stride(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Option<u64> {
    let (element, stride) = match types[ty] {
        Type::Array { element, stride, .. } | Type::RuntimeArray { element, stride } => (element, stride),
        _ => return None,
    };
    if stride != 0 {
        return Some(u64::from(stride));
    }
    let (size, align) = extent(types, element, matrix)?;
    tight_stride(stride, size, align)
}

/// Bytes from one column (one row when row-major) of a matrix to the next.
pub fn matrix_stride(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Option<u32> {
    let Type::Matrix { column, columns } = types[ty] else { return None };
    match matrix.stride {
        Some(stride) => Some(stride),
        None => u32::try_from(matrix_vectors(types, column, columns, matrix)?.1).ok(),
    }
}

/// Number and bytes of the vectors that lie contiguously in a matrix.
fn matrix_vectors(types: &Types, column: TypeId, columns: u8, matrix: MatrixLayout) -> Option<(u8, u64)> {
    let Type::Vector { component, count } = types[column] else { return None };
    let (vectors, components) = if matrix.row_major { (count, columns) } else { (columns, count) };
    Some((vectors, u64::from(scalar_size(component)) * u64::from(components)))
}

/// Where a constituent lies: byte offset from the start of the composite, its type, and how matrices in it lie.
/// Not for columns of row-major matrices, whose components do not lie together; see [`leaf_offsets`].
pub fn constituent(types: &Types, ty: TypeId, index: u32, matrix: MatrixLayout) -> Option<(u64, TypeId, MatrixLayout)> {
    let inner = types.constituent(ty, index)?;
    match types[ty] {
        Type::Vector { component, .. } => {
            Some((u64::from(index).checked_mul(u64::from(scalar_size(component)))?, inner, matrix))
        }
        Type::Matrix { .. } if matrix.row_major => None,
        Type::Matrix { .. } => {
            let stride = u64::from(matrix_stride(types, ty, matrix)?);
            Some((u64::from(index).checked_mul(stride)?, inner, matrix))
        }
        Type::Array { .. } | Type::RuntimeArray { .. } => {
            Some((u64::from(index).checked_mul(element_stride(types, ty, matrix)?)?, inner, matrix))
        }
        Type::Struct(id) => {
            let member = types.structs[id].members.get(index as usize)?;
            Some((member_offset(types, ty, index)?, inner, MatrixLayout::of(member)))
        }
        _ => None,
    }
}

/// The most leaves that [`leaf_offsets`] lists.
pub const MAX_LEAVES: usize = 1 << 16;

/// Byte offset and scalar of each leaf of a value of `ty` in memory, in the order of [`Types::leaves`]. `None` when the
/// type has no value form, an offset does not fit 32 bits, or there are more than [`MAX_LEAVES`] leaves.
pub fn leaf_offsets(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Option<Vec<(u32, Scalar)>> {
    let mut out = Vec::new();
    push_leaves(types, ty, matrix, 0, &mut out)?;
    Some(out)
}

fn push_leaves(types: &Types, ty: TypeId, matrix: MatrixLayout, base: u64, out: &mut Vec<(u32, Scalar)>) -> Option<()> {
    match types[ty] {
        Type::Scalar(s) => {
            out.push((u32::try_from(base).ok()?, s));
            (out.len() <= MAX_LEAVES).then_some(())
        }
        Type::Matrix { column, columns } if matrix.row_major => {
            let Type::Vector { component, count } = types[column] else { return None };
            let (stride, size) = (u64::from(matrix_stride(types, ty, matrix)?), u64::from(scalar_size(component)));
            for (column, row) in (0..columns).flat_map(|c| (0..count).map(move |r| (u64::from(c), u64::from(r)))) {
                let offset = base.checked_add(row.checked_mul(stride)?)?.checked_add(column * size)?;
                out.push((u32::try_from(offset).ok()?, component));
            }
            (out.len() <= MAX_LEAVES).then_some(())
        }
        Type::Vector { .. } | Type::Matrix { .. } => {
            for index in 0..types.constituents(ty)? {
                let (offset, inner, matrix) = constituent(types, ty, index, matrix)?;
                push_leaves(types, inner, matrix, base.checked_add(offset)?, out)?;
            }
            Some(())
        }
        Type::Array { element, count, .. } => {
            let stride = element_stride(types, ty, matrix)?;
            for index in 0..count {
                let before = out.len();
                let offset = base.checked_add(u64::from(index).checked_mul(stride)?)?;
                push_leaves(types, element, matrix, offset, out)?;
                // Elements without leaves would make this loop as long as a module cares to write.
                if out.len() == before {
                    break;
                }
            }
            Some(())
        }
        Type::Struct(id) => {
            let members = &types.structs[id].members;
            let mut offsets = Vec::with_capacity(members.len());
            for_each_member(types, members, |_, offset, _, _| {
                offsets.push(offset);
                Some(())
            })?;
            for (member, offset) in members.iter().zip(offsets) {
                push_leaves(types, member.ty, MatrixLayout::of(member), base.checked_add(offset)?, out)?;
            }
            Some(())
        }
        Type::Void | Type::RuntimeArray { .. } | Type::Pointer { .. } | Type::Opaque(_) => None,
    }
}

#[cfg(test)]
mod tests;
