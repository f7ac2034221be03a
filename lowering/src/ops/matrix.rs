//! Matrices (SPIR-V specification, "Arithmetic Instructions"): leaves column by column.

use super::row::{binary, compose};
use super::vectors::Vectors;
use super::{Done, Family, How, InstContext, Row};
use crate::ir::Opcode;
use crate::simt::value::{Comp, Comps, Lanes};
use spirv::Op as Names;

const FAMILY: Family = Family::Matrix;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

/// The rows.
pub const ROWS: &[&[Row]] = &[&[
    binary!(MatrixTimesScalar, "–", fmul, FLOAT).note("the scalar is repeated"),
    compose!(MatrixTimesVector, "llvm.intr.matrix.multiply", matrix_times_vector, FLOAT),
    compose!(VectorTimesMatrix, "llvm.intr.matrix.multiply", vector_times_matrix, FLOAT),
    compose!(MatrixTimesMatrix, "llvm.intr.matrix.multiply", matrix_times_matrix, FLOAT),
    compose!(OuterProduct, "–", outer_product, FLOAT),
    compose!(Transpose, "llvm.intr.matrix.transpose", transpose, FLOAT).fits().note("only renames leaves"),
]];

/// Components of a column of a matrix with that many columns.
fn rows_of(matrix: &Comps, columns: u32) -> usize {
    (matrix.len() / columns.max(1) as usize).max(1)
}

/// The sum of the columns, each times a component of the vector, from the first column on.
fn combine(v: &mut Vectors<'_, '_, '_>, matrix: &Comps, rows: usize, vector: &[Comp]) -> Comps {
    (0..rows).map(|row| v.dot(matrix.iter().skip(row).step_by(rows).zip(vector))).collect()
}

fn matrix_times_vector(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let rows = rows_of(&args[0], cx.counts[0]);
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    combine(&mut v, &args[0], rows, &args[1])
}

fn vector_times_matrix(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let rows = rows_of(&args[1], cx.counts[1]);
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    args[1].chunks(rows).map(|column| v.dot_of(&args[0], column)).collect()
}

fn matrix_times_matrix(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let rows = rows_of(&args[0], cx.counts[0]);
    let inner = rows_of(&args[1], cx.counts[1]);
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    args[1].chunks(inner).flat_map(|column| combine(&mut v, &args[0], rows, column)).collect()
}

fn outer_product(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let mut v = Vectors { lanes: l, scalar: cx.operands[0] };
    args[1].iter().flat_map(|factor| v.scale(&args[0], factor)).collect()
}

fn transpose(_: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let rows = rows_of(&args[0], cx.counts[0]);
    (0..rows).flat_map(|row| args[0].iter().skip(row).step_by(rows).cloned()).collect()
}
