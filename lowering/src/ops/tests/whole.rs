//! Rows that work across components compute what Rust computes, with lanes in vectors and one by one, operands uniform and
//! varying. Rows that work component by component are the primitives of `legal`, which has tests of its own.

use super::rows::{Cell, W, build, cells};
use crate::ir::{Opcode, Scalar};
use crate::ops::{How, rows};
use crate::simt::legal::tests::values::{jit, targets};
use spirv::{GlslStd450Op as Glsl, Op, OpenclStd100Op as Cl, SpvAmdGcnShaderOp as Gcn};

/// Operand `arg`, leaf `leaf`, in a lane: small integers, dyadic fractions and booleans, all lanes different.
fn input(scalar: Scalar, arg: usize, leaf: usize, lane: usize) -> u32 {
    let n = (arg * 7 + leaf * 5 + lane * 3 + 1) as u32 % 11;
    match scalar {
        Scalar::Bool => u32::from(n.is_multiple_of(3)),
        Scalar::Float(_) => (n as f32 * 0.25 - 1.125).to_bits(),
        // Indices stay in range of a vector of four, and carries happen.
        _ if leaf == 0 && arg > 0 => n % 4,
        _ => n.wrapping_sub(5).wrapping_mul(0x3333_3335),
    }
}

/// The result of a row for one lane, by the bits of the leaves.
fn reference(cell: &Cell, v: &[Vec<u32>]) -> Option<Vec<u32>> {
    match cell.row.opcode {
        Opcode::Glsl(op) => geometry(op, &floats(v)).map(bits),
        Opcode::Core(
            op @ (Op::Dot
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Transpose),
        ) => Some(bits(algebra(op, cell.size, &floats(v)))),
        Opcode::Core(op) => choice(op, cell.size, v),
        Opcode::OpenCl(op) => {
            let same = match op {
                Cl::cross => Glsl::Cross,
                Cl::length | Cl::fast_length => Glsl::Length,
                Cl::distance | Cl::fast_distance => Glsl::Distance,
                Cl::normalize | Cl::fast_normalize => Glsl::Normalize,
                _ => return None,
            };
            geometry(same, &floats(v)).map(bits)
        }
        Opcode::GcnShader(op) => cube(op, &floats(v)[0]).map(bits),
        _ => None,
    }
}

/// Face of a cube, or coordinates on it.
fn cube(op: Gcn, v: &[f32]) -> Option<Vec<f32>> {
    let (x, y, z) = (v[0], v[1], v[2]);
    let (face, s, t, size) = if z.abs() >= x.abs().max(y.abs()) {
        if z < 0.0 { (5.0, -x, -y, -z) } else { (4.0, x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3.0, x, -z, -y) } else { (2.0, x, z, y) }
    } else if x < 0.0 {
        (1.0, z, -y, -x)
    } else {
        (0.0, -z, -y, x)
    };
    match op {
        Gcn::CubeFaceIndexAMD => Some(vec![face]),
        Gcn::CubeFaceCoordAMD => Some([s, t].map(|v| v / size * 0.5 + 0.5).to_vec()),
        Gcn::TimeAMD => None,
    }
}

fn floats(v: &[Vec<u32>]) -> Vec<Vec<f32>> {
    v.iter().map(|o| o.iter().map(|&b| f32::from_bits(b)).collect()).collect()
}

fn bits(v: Vec<f32>) -> Vec<u32> {
    v.into_iter().map(f32::to_bits).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).reduce(|sum, p| sum + p).unwrap_or(0.0)
}

fn length(a: &[f32]) -> f32 {
    if a.len() == 1 { a[0].abs() } else { dot(a, a).sqrt() }
}

fn algebra(op: Op, n: usize, v: &[Vec<f32>]) -> Vec<f32> {
    let row = |m: &[f32], r: usize| -> Vec<f32> { (0..n).map(|c| m[c * n + r]).collect() };
    let times = |m: &[f32], v: &[f32]| -> Vec<f32> { (0..n).map(|r| dot(&row(m, r), v)).collect() };
    match op {
        Op::Dot => vec![dot(&v[0], &v[1])],
        Op::MatrixTimesVector => times(&v[0], &v[1]),
        Op::VectorTimesMatrix => v[1].chunks(n).map(|column| dot(&v[0], column)).collect(),
        Op::MatrixTimesMatrix => v[1].chunks(n).flat_map(|column| times(&v[0], column)).collect(),
        Op::OuterProduct => v[1].iter().flat_map(|b| v[0].iter().map(move |a| a * b)).collect(),
        _ => (0..n).flat_map(|r| row(&v[0], r)).collect(),
    }
}

fn geometry(op: Glsl, v: &[Vec<f32>]) -> Option<Vec<f32>> {
    let each = |f: &dyn Fn(usize) -> f32| -> Vec<f32> { (0..v[0].len()).map(f).collect() };
    Some(match op {
        Glsl::Length => vec![length(&v[0])],
        Glsl::Distance => vec![length(&each(&|i| v[0][i] - v[1][i]))],
        Glsl::Cross => each(&|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            v[0][j] * v[1][k] - v[1][j] * v[0][k]
        }),
        Glsl::Normalize if v[0].len() == 1 => vec![v[0][0] / v[0][0].abs()],
        Glsl::Normalize => {
            let factor = 1.0 / length(&v[0]);
            each(&|i| v[0][i] * factor)
        }
        Glsl::FaceForward => {
            let keep = dot(&v[2], &v[1]) < 0.0;
            each(&|i| if keep { v[0][i] } else { -v[0][i] })
        }
        Glsl::Reflect => {
            let factor = 2.0 * dot(&v[1], &v[0]);
            each(&|i| v[0][i] - factor * v[1][i])
        }
        Glsl::Refract => {
            let (d, eta) = (dot(&v[1], &v[0]), v[2][0]);
            let k = 1.0 - eta * eta * (1.0 - d * d);
            let factor = eta * d + k.sqrt();
            each(&|i| if k < 0.0 { 0.0 } else { eta * v[0][i] - factor * v[1][i] })
        }
        _ => return None,
    })
}

fn choice(op: Op, size: usize, v: &[Vec<u32>]) -> Option<Vec<u32>> {
    let pairs = || v[0].iter().zip(&v[1]).map(|(&a, &b)| (a, b));
    let both = |f: fn(u32, u32) -> (u32, u32)| -> Vec<u32> {
        let results = || pairs().map(|(a, b)| f(a, b));
        results().map(|r| r.0).chain(results().map(|r| r.1)).collect()
    };
    Some(match op {
        Op::IAddCarry => both(|a, b| (a.wrapping_add(b), u32::from(a.overflowing_add(b).1))),
        Op::ISubBorrow => both(|a, b| (a.wrapping_sub(b), u32::from(a < b))),
        Op::UMulExtended => both(|a, b| (a.wrapping_mul(b), ((u64::from(a) * u64::from(b)) >> 32) as u32)),
        Op::SMulExtended => {
            both(|a, b| (a.wrapping_mul(b), ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32))
        }
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => vec![integer_dot(op, v)],
        Op::Any => vec![u32::from(v[0].iter().any(|&b| b != 0))],
        Op::All => vec![u32::from(v[0].iter().all(|&b| b != 0))],
        Op::CompositeConstruct => v.concat(),
        Op::CompositeConstructReplicateEXT => vec![v[0][0]; size],
        Op::VectorShuffle => v[1].iter().rev().copied().collect(),
        Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => v[0].clone(),
        Op::VectorExtractDynamic => vec![v[0][(v[1][0] as usize).min(size - 1)]],
        Op::VectorInsertDynamic => {
            let mut result = v[0].clone();
            if let Some(component) = result.get_mut(v[2][0] as usize) {
                *component = v[1][0];
            }
            result
        }
        _ => return None,
    })
}

/// Dot products: of four bytes each where the operands are one word.
fn integer_dot(op: Op, v: &[Vec<u32>]) -> u32 {
    let packed = v[0].len() == 1;
    let parts = |words: &[u32], signed: bool| -> Vec<i64> {
        let byte = |b: u8| if signed { i64::from(b as i8) } else { i64::from(b) };
        match packed {
            true => words[0].to_le_bytes().map(byte).to_vec(),
            false => words.iter().map(|&w| if signed { i64::from(w as i32) } else { i64::from(w) }).collect(),
        }
    };
    let unsigned = matches!(op, Op::UDot | Op::UDotAccSat);
    let mixed = matches!(op, Op::SUDot | Op::SUDotAccSat);
    let (a, b) = (parts(&v[0], !unsigned), parts(&v[1], !unsigned && !mixed));
    let sum = a.iter().zip(b).fold(0u32, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(b) as u32));
    match v.get(2) {
        None => sum,
        Some(acc) if unsigned => sum.saturating_add(acc[0]),
        Some(acc) => (sum as i32).saturating_add(acc[0] as i32) as u32,
    }
}

/// The operands of all lanes as the function reads them, and leaf by leaf per lane.
fn operands(cell: &Cell, chunk: u32) -> (Vec<u32>, Vec<Vec<Vec<u32>>>) {
    let mut memory = vec![];
    let mut lanes = vec![vec![]; W as usize];
    for (arg, (leaves, &varying)) in cell.operands.iter().zip(&cell.varying).enumerate() {
        for lane in &mut lanes {
            lane.push(vec![]);
        }
        for (leaf, &scalar) in leaves.iter().enumerate() {
            let values: Vec<u32> =
                (0..W as usize).map(|lane| input(scalar, arg, leaf, if varying { lane } else { 0 })).collect();
            for (lane, &value) in lanes.iter_mut().zip(&values) {
                lane[arg].push(value);
            }
            let mask = scalar == Scalar::Bool && varying && chunk > 1;
            let slots = if varying { &values[..] } else { &values[..1] };
            for slot in slots.chunks(chunk as usize) {
                memory.extend((0..4).map(|i| slot.get(i).map_or(0, |&v| if mask { v.wrapping_neg() } else { v })));
            }
        }
    }
    (memory, lanes)
}

#[test]
fn rows_across_components_compute_their_reference() {
    // Other widths are held differently; the run tests have them.
    let plain = |cell: &Cell| cell.operands.iter().flatten().chain(&cell.results).all(|s| s.bits() == 32);
    let computed = |cell: &Cell| plain(cell) && cell.row.opcode != Opcode::Core(Op::Bitcast);
    let rows = rows().filter(|row| matches!(row.how, How::Compose(_)));
    let cells: Vec<Cell> = rows.flat_map(cells).filter(computed).collect();
    let targets = targets();
    let target = &targets[0];
    let mut checked = 0;
    for chunk in if target.simd { vec![1, 4] } else { vec![1] } {
        let functions = cells.iter().map(|cell| build(cell, chunk, target)).collect();
        let (module, code) = jit(functions, "speed");
        for (cell, code) in cells.iter().zip(code) {
            let (memory, lanes) = operands(cell, chunk);
            let mut output = vec![0u32; cell.results.len() * 4 * (W / chunk) as usize];
            // SAFETY: the function reads the slots that `operands` lays out and writes one per chunk of the results.
            unsafe { code(memory.as_ptr(), output.as_mut_ptr()) };
            for (lane, operands) in lanes.iter().enumerate() {
                let want = reference(cell, operands).unwrap_or_else(|| panic!("{} has no reference", cell.row.opcode));
                for (leaf, (&scalar, want)) in cell.results.iter().zip(want).enumerate() {
                    let (slot, within) = (lane / chunk as usize, lane % chunk as usize);
                    let got = output[(leaf * (W / chunk) as usize + slot) * 4 + within];
                    let got = if scalar == Scalar::Bool { got & 1 } else { got };
                    let nan = |bits| scalar == Scalar::F32 && f32::from_bits(bits).is_nan();
                    let same = got == want || nan(got) && nan(want);
                    let name = cell.row.opcode;
                    assert!(same, "{name} {operands:x?}: component {leaf} of lane {lane} is {got:#x}, not {want:#x}");
                    checked += 1;
                }
            }
        }
        // SAFETY: nothing holds a pointer into the module any more.
        unsafe { module.free_memory() };
    }
    println!("{checked} components of {} cells", cells.len());
    assert!(checked > 1000, "{checked}");
}
