use super::*;
use crate::ir::{Access, StructType};

fn member(ty: TypeId, offset: Option<u32>) -> Member {
    Member {
        name: String::new(),
        ty,
        offset,
        matrix_stride: None,
        row_major: false,
        builtin: None,
        access: Access::default(),
    }
}

fn strukt(types: &mut Types, members: Vec<Member>) -> TypeId {
    let id = types.structs.push(StructType { members, ..StructType::default() });
    types.intern(Type::Struct(id))
}

fn offsets(types: &Types, ty: TypeId, matrix: MatrixLayout) -> Vec<u32> {
    leaf_offsets(types, ty, matrix).unwrap().into_iter().map(|l| l.0).collect()
}

struct Basics {
    types: Types,
    float: TypeId,
    vec2: TypeId,
    vec3: TypeId,
    mat2: TypeId,
    mat2x3: TypeId,
}

fn basics() -> Basics {
    let mut types = Types::default();
    let float = types.scalar(Scalar::F32);
    let mut vector = |count| types.intern(Type::Vector { component: Scalar::F32, count });
    let (vec2, vec3) = (vector(2), vector(3));
    let mat2 = types.intern(Type::Matrix { column: vec2, columns: 2 });
    let mat2x3 = types.intern(Type::Matrix { column: vec3, columns: 2 });
    Basics { types, float, vec2, vec3, mat2, mat2x3 }
}

#[test]
fn std140_and_std430_by_their_decorations() {
    let Basics { mut types, float, vec3, .. } = basics();
    // float a[3]; vec3 b; float c; with the strides and offsets that either rule gives.
    for (stride, b, c, size) in [(16, 48, 60, 64), (4, 16, 28, 32)] {
        let array = types.intern(Type::Array { element: float, count: 3, stride });
        let block = vec![member(array, Some(0)), member(vec3, Some(b)), member(float, Some(c))];
        let block = strukt(&mut types, block);
        let wanted = [0, stride, 2 * stride, b, b + 4, b + 8, c];
        assert_eq!(offsets(&types, block, MatrixLayout::default()), wanted);
        assert_eq!(size_of(&types, block, MatrixLayout::default()), Some(size));
        assert_eq!(member_offset(&types, block, 1), Some(u64::from(b)));
        assert_eq!(element_stride(&types, array, MatrixLayout::default()), Some(u64::from(stride)));
    }
}

#[test]
fn matrices_in_either_order() {
    let Basics { types, mat2, mat2x3, .. } = basics();
    let by_columns = MatrixLayout { stride: Some(16), row_major: false };
    let by_rows = MatrixLayout { stride: Some(16), row_major: true };
    assert_eq!(offsets(&types, mat2, by_columns), [0, 4, 16, 20]);
    assert_eq!(offsets(&types, mat2, by_rows), [0, 16, 4, 20]);
    assert_eq!(size_of(&types, mat2, by_columns), Some(24));
    assert_eq!(offsets(&types, mat2x3, by_columns), [0, 4, 8, 16, 20, 24]);
    assert_eq!(offsets(&types, mat2x3, by_rows), [0, 16, 32, 4, 20, 36]);
    assert_eq!(size_of(&types, mat2x3, by_columns), Some(28));
    assert_eq!(size_of(&types, mat2x3, by_rows), Some(40));
    assert_eq!(offsets(&types, mat2x3, MatrixLayout::default()), [0, 4, 8, 12, 16, 20]);
    assert!(constituent(&types, mat2, 1, by_rows).is_none());
    assert_eq!(constituent(&types, mat2, 1, by_columns).map(|c| c.0), Some(16));
}

#[test]
fn a_member_says_how_matrices_in_arrays_lie() {
    let Basics { mut types, mat2, .. } = basics();
    let array = types.intern(Type::Array { element: mat2, count: 2, stride: 32 });
    let mut rows = member(array, Some(16));
    (rows.matrix_stride, rows.row_major) = (Some(16), true);
    let block = strukt(&mut types, vec![rows]);
    assert_eq!(offsets(&types, block, MatrixLayout::default()), [16, 32, 20, 36, 48, 64, 52, 68]);
}

#[test]
fn undecorated_types_are_tight() {
    let Basics { mut types, float, vec2, vec3, .. } = basics();
    let byte = types.scalar(Scalar::Int { width: 8, signed: false });
    let double = types.scalar(Scalar::Float(64));
    let inner = strukt(&mut types, vec![member(byte, None), member(vec3, None)]);
    let array = types.intern(Type::Array { element: inner, count: 2, stride: 0 });
    let outer =
        strukt(&mut types, vec![member(array, None), member(byte, None), member(double, None), member(vec2, None)]);
    assert_eq!(size_of(&types, inner, MatrixLayout::default()), Some(16));
    assert_eq!(align_of(&types, outer), Some(8));
    assert_eq!(offsets(&types, outer, MatrixLayout::default()), [0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 52]);
    assert_eq!(types.leaves(outer, 100).unwrap().len(), 12);
    assert_eq!(size_of(&types, float, MatrixLayout::default()), Some(4));
}

#[test]
fn hostile_strides_and_offsets_do_not_overflow() {
    let Basics { mut types, float, mat2, .. } = basics();
    let array = types.intern(Type::Array { element: float, count: u32::MAX, stride: u32::MAX });
    let outer = types.intern(Type::Array { element: array, count: u32::MAX, stride: u32::MAX });
    let outermost = types.intern(Type::Array { element: outer, count: u32::MAX, stride: 0 });
    assert!(size_of(&types, array, MatrixLayout::default()).is_some());
    assert_eq!(size_of(&types, outer, MatrixLayout::default()), None);
    assert_eq!(size_of(&types, outermost, MatrixLayout::default()), None);
    assert_eq!(leaf_offsets(&types, outermost, MatrixLayout::default()), None);
    let block = strukt(&mut types, vec![member(float, Some(u32::MAX)), member(float, None)]);
    assert_eq!(size_of(&types, block, MatrixLayout::default()), Some(u64::from(u32::MAX) + 9));
    assert_eq!(leaf_offsets(&types, block, MatrixLayout::default()), None);
    let huge = MatrixLayout { stride: Some(u32::MAX), row_major: true };
    assert_eq!(size_of(&types, mat2, huge), Some(u64::from(u32::MAX) + 8));
    assert_eq!(leaf_offsets(&types, mat2, huge), None);
    // Elements without leaves.
    let empty = strukt(&mut types, vec![]);
    let many = types.intern(Type::Array { element: empty, count: u32::MAX, stride: 0 });
    assert_eq!(leaf_offsets(&types, many, MatrixLayout::default()), Some(vec![]));
    assert_eq!(types.leaves(many, 10), Some(vec![]));
}
