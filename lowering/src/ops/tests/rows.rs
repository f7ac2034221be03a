//! Every row that emits code compiles for every target, for every component type and shape that it is done for.

use crate::analysis::shape::Shape;
use crate::ir::{Opcode, Scalar};
use crate::ops::{Done, How, InstContext, LaneContext, Misfit, Row, required_operands, rows};
use crate::options::Target;
use crate::simt::legal::Legal;
use crate::simt::legal::tests::{MACHINES, build_with, little, targets::compile};
use crate::simt::value::{Comp, Comps, Lanes, Width};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use spirv::{Op, OpenclStd100Op as Cl, SpvAmdGcnShaderOp as Gcn};

/// An integer type.
const fn int(width: u8, signed: bool) -> Scalar {
    Scalar::Int { width, signed }
}

/// Every type; signedness counts where lanes are wider than the type.
const SCALARS: [Scalar; 10] = [
    Scalar::Bool,
    int(8, true),
    int(8, false),
    int(16, true),
    int(16, false),
    Scalar::I32,
    int(64, false),
    Scalar::Float(16),
    Scalar::F32,
    Scalar::Float(64),
];

/// The types of a set.
fn scalars(done: Done) -> Vec<Scalar> {
    SCALARS.into_iter().filter(|&s| done.has(s)).collect()
}

/// Number of operands to give a row: what it requires, and as many components as its result for a construction.
fn operand_counts(row: &Row, size: usize) -> Vec<usize> {
    match row.opcode {
        Opcode::Core(Op::CompositeConstruct) => vec![1; size],
        Opcode::Core(Op::CompositeConstructReplicateEXT) => vec![1],
        Opcode::Core(Op::VectorExtractDynamic) => vec![size, 1],
        Opcode::Core(Op::VectorInsertDynamic) => vec![size, 1, 1],
        Opcode::Core(Op::VectorTimesScalar) => vec![size, 1],
        Opcode::Core(Op::MatrixTimesScalar) => vec![size * size, 1],
        Opcode::Core(Op::MatrixTimesVector) => vec![size * size, size],
        Opcode::Core(Op::VectorTimesMatrix) => vec![size, size * size],
        Opcode::Core(Op::MatrixTimesMatrix) => vec![size * size; 2],
        Opcode::Core(Op::Transpose) => vec![size * size],
        Opcode::Core(Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) => vec![size, size, 1],
        Opcode::Glsl(spirv::GlslStd450Op::Refract) => vec![size, size, 1],
        Opcode::Glsl(spirv::GlslStd450Op::PackDouble2x32) => vec![2],
        Opcode::Glsl(spirv::GlslStd450Op::UnpackDouble2x32) => vec![1],
        _ => vec![size; required_operands(row.opcode)],
    }
}

/// Components of the result.
fn result_count(row: &Row, size: usize) -> usize {
    match row.opcode {
        Opcode::Core(Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) => 1,
        Opcode::Core(Op::Dot | Op::Any | Op::All | Op::VectorExtractDynamic) => 1,
        Opcode::Core(Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended) => 2 * size,
        Opcode::Core(Op::MatrixTimesScalar | Op::MatrixTimesMatrix | Op::Transpose | Op::OuterProduct) => size * size,
        Opcode::Glsl(spirv::GlslStd450Op::PackDouble2x32) => 1,
        Opcode::Glsl(spirv::GlslStd450Op::UnpackDouble2x32) => 2,
        Opcode::Glsl(spirv::GlslStd450Op::Length | spirv::GlslStd450Op::Distance) => 1,
        Opcode::OpenCl(Cl::length | Cl::fast_length | Cl::distance | Cl::fast_distance) => 1,
        Opcode::GcnShader(Gcn::CubeFaceIndexAMD) => 1,
        Opcode::GcnShader(Gcn::CubeFaceCoordAMD) => 2,
        _ => size,
    }
}

/// Invocations of the subgroup.
pub const W: u32 = 4;

/// One cell: a row at component types, a number of components, and uniform or varying operands.
pub struct Cell {
    /// The row.
    pub row: &'static Row,
    /// Leaves of each operand.
    pub operands: Vec<Vec<Scalar>>,
    /// Leaves of the result.
    pub results: Vec<Scalar>,
    /// Components of a vector, columns and rows of a matrix.
    pub size: usize,
    /// Which operands are varying.
    pub varying: Vec<bool>,
}

/// Does the row emit code by itself?
fn emits(row: &Row) -> bool {
    row.how.is_lane_wise() || matches!(row.how, How::Compose(_))
}

/// The cells of a row.
pub fn cells(row: &'static Row) -> Vec<Cell> {
    let sizes: &[usize] = match row.opcode {
        Opcode::Glsl(spirv::GlslStd450Op::Cross) | Opcode::OpenCl(Cl::cross) | Opcode::GcnShader(_) => &[3],
        _ if matches!(row.family, crate::ops::Family::Matrix) => &[2, 3, 4],
        _ => &[1, 4],
    };
    let mut out = vec![];
    for scalar in scalars(row.done) {
        for result in scalars(row.results) {
            let plain = scalar.bits() == 32 && result.bits() == 32;
            let varyings: &[u32] = if plain { &[0b000, 0b111, 0b001, 0b110] } else { &[0b000, 0b111, 0b001] };
            for &size in sizes {
                for &varying in varyings {
                    let select = row.opcode == Opcode::Core(Op::Select);
                    let operands = operand_counts(row, size).into_iter().enumerate().map(|(i, n)| {
                        let index = match row.opcode {
                            Opcode::Core(Op::VectorExtractDynamic) => i == 1,
                            Opcode::Core(Op::VectorInsertDynamic) => i == 2,
                            _ => false,
                        };
                        vec![
                            if index {
                                Scalar::U32
                            } else if select && i > 0 {
                                result
                            } else {
                                scalar
                            };
                            n
                        ]
                    });
                    let operands: Vec<_> = operands.collect();
                    let varying = (0..operands.len()).map(|i| varying >> i & 1 == 1).collect();
                    let count = match row.opcode {
                        Opcode::Core(Op::Bitcast) => size * scalar.bits() as usize / result.bits() as usize,
                        _ => result_count(row, size),
                    };
                    out.push(Cell { row, operands, results: vec![result; count], size, varying });
                }
            }
        }
    }
    out.retain(|cell| cell.row.check(&cell.operands, &cell.results).is_ok());
    out
}

/// Applies the row.
fn apply(l: &mut Lanes<'_, '_>, cell: &Cell, args: &[Comps]) -> Comps {
    let (first, result) = (cell.operands[0][0], cell.results[0]);
    // For VectorShuffle: the components of both operands from the last on.
    let literals: Vec<u32> = (0..2 * cell.size as u32).rev().take(cell.results.len()).collect();
    if let How::Compose(emit) = cell.row.how {
        let operands: Vec<Scalar> = cell.operands.iter().map(|o| o[0]).collect();
        let counts: Vec<u32> = (cell.operands.iter())
            .map(|o| if o.len() == cell.size * cell.size { cell.size as u32 } else { o.len() as u32 })
            .collect();
        let (results, result_count) = (&cell.results[..], cell.size as u32);
        let cx = InstContext {
            operands: &operands,
            result: results,
            counts: &counts,
            result_count,
            literals: &literals,
            flags: 0,
        };
        let comps = emit(l, &cx, args);
        return l.rounded(cell.row, comps, &cell.results);
    }
    let cx = LaneContext { operand: first, result, flags: 0 };
    let scalars: Vec<Scalar> = cell.operands.iter().map(|o| o[0]).collect();
    (0..cell.results.len())
        .map(|k| {
            // An operand of one component is repeated.
            let args: Vec<&Comp> = args.iter().map(|comps| &comps[k % comps.len()]).collect();
            l.component(cell.row, &cx, &args, &scalars, Shape::Varying)
        })
        .collect()
}

fn load(l: &mut Lanes<'_, '_>, scalar: Scalar, varying: bool, from: clif::Value, at: &mut i32) -> Comp {
    let mut next = |l: &mut Lanes<'_, '_>, ty: clif::Type| {
        *at += 16;
        l.legal.ins().load(ty, little(), from, *at - 16)
    };
    if !varying {
        return Comp::Uniform(next(l, Legal::scalar_type(scalar)));
    }
    let ty = Legal::chunk_type(scalar, l.width.lanes(scalar));
    Comp::Varying((0..l.width.chunks(scalar)).map(|_| next(l, ty)).collect())
}

/// Builds `f(operands, results)` for a subgroup of [`W`]: chunks of each leaf in turn, 16 bytes apart.
pub fn build(cell: &Cell, chunk: u32, target: &Target) -> clif::Function {
    build_with(target, types::I64, |l, inputs, output| {
        let mut lanes = Lanes { legal: l, width: Width { subgroup: W, chunk, groups: 1 } };
        let mut at = 0;
        let args: Vec<Comps> = (cell.operands.iter().zip(&cell.varying))
            .map(|(o, &v)| o.iter().map(|&s| load(&mut lanes, s, v, inputs, &mut at)).collect())
            .collect();
        let results = apply(&mut lanes, cell, &args);
        assert_eq!(results.len(), cell.results.len(), "{}", cell.row.opcode);
        let mut at = 0;
        for (comp, &scalar) in results.iter().zip(&cell.results) {
            for value in lanes.chunks(comp, scalar) {
                let ty = Legal::chunk_type(scalar, lanes.width.lanes(scalar));
                assert_eq!(lanes.legal.ty(value), ty, "{}", cell.row.opcode);
                lanes.legal.ins().store(little(), value, output, at);
                at += 16;
            }
        }
    })
}

#[test]
fn every_row_compiles_for_every_target() {
    let (mut checked, mut wrong) = (0, vec![]);
    let cells: Vec<Cell> = rows().filter(|row| emits(row)).flat_map(cells).collect();
    for machine in MACHINES {
        let target = machine.target();
        let isa = machine.isa("none");
        let chunks: &[u32] = if machine.simd { &[1, 4] } else { &[1] };
        for cell in &cells {
            for &chunk in chunks {
                let function = build(cell, chunk, &target);
                checked += 1;
                if let Err(error) = compile(function, &*isa) {
                    wrong.push(format!("{} on {} x{chunk}: {error}", cell.row.opcode, machine.name));
                }
            }
        }
    }
    let rows = cells.iter().map(|c| c.row.opcode).collect::<std::collections::HashSet<_>>().len();
    println!("{checked} functions of {} cells of {rows} rows", cells.len());
    assert!(rows > 100, "{rows}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_that_emits_has_a_cell() {
    let empty: Vec<_> = rows().filter(|row| emits(row) && cells(row).is_empty()).map(|row| row.opcode).collect();
    assert!(empty.is_empty(), "no operands fit {empty:?}");
}

#[test]
fn misfits_are_found() {
    let (f, i, d) = (Scalar::F32, Scalar::I32, Scalar::Float(64));
    let row = |op| crate::ops::row(Opcode::Core(op)).unwrap();
    let check = |op, operands: &[Vec<Scalar>], results: &[Scalar]| row(op).check(operands, results);
    assert_eq!(check(Op::FAdd, &[vec![f], vec![f]], &[f]), Ok(()));
    assert_eq!(check(Op::IAdd, &[vec![i], vec![Scalar::U32]], &[i]), Ok(()));
    assert!(matches!(check(Op::FAdd, &[vec![f]], &[f]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::FAdd, &[vec![f], vec![i]], &[f]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::FAdd, &[vec![f; 3], vec![f; 2]], &[f; 3]), Err(Misfit::Invalid(_))));
    assert_eq!(check(Op::FAdd, &[vec![d], vec![d]], &[d]), Ok(()));
    assert_eq!(check(Op::ShiftLeftLogical, &[vec![i], vec![int(64, false)]], &[i]), Ok(()));
    assert!(matches!(check(Op::ShiftLeftLogical, &[vec![i], vec![f]], &[i]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::FAdd, &[vec![d], vec![f]], &[d]), Err(Misfit::Invalid(_))));
    assert_eq!(check(Op::Bitcast, &[vec![i; 2]], &[d]), Ok(()));
    assert!(matches!(check(Op::Bitcast, &[vec![i; 3]], &[d]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::QuantizeToF16, &[vec![d]], &[d]), Err(Misfit::Unsupported(_))));
    let bytes = || vec![int(8, true); 4];
    assert_eq!(check(Op::IAddCarry, &[bytes(), bytes()], &[int(8, true); 8]), Ok(()));
    assert_eq!(check(Op::SDotAccSat, &[bytes(), bytes(), vec![int(64, true)]], &[int(64, true)]), Ok(()));
    assert_eq!(check(Op::SUDot, &[vec![i], vec![Scalar::U32]], &[int(8, true)]), Ok(()));
    assert!(matches!(check(Op::SDot, &[bytes(), bytes()[1..].to_vec()], &[i]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::SDot, &[vec![i; 2], vec![i; 2]], &[int(16, true)]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::SDotAccSat, &[vec![i; 2], vec![i; 2], bytes()], &[i]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::Dot, &[vec![f; 2], vec![i; 2]], &[f]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::Select, &[vec![Scalar::Bool], vec![f], vec![i]], &[f]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::CompositeConstruct, &[vec![f; 2]], &[f; 3]), Err(Misfit::Invalid(_))));
    assert!(matches!(check(Op::VectorExtractDynamic, &[vec![f; 2], vec![f]], &[f]), Err(Misfit::Invalid(_))));
}
