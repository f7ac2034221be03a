//! Every supported cell of the op table (instruction × component type) has a run test in the tables of this folder, where
//! each is tried on scalars and vectors: what keeps the op table honest about what it claims to do.

use crate::memory;
use glslc2native::Input;
use glslc2native::lowering::ir::{Function, OpKind, Opcode, Scalar, Types, Value};
use glslc2native::lowering::ops::{How, Row, rows};
use glslc2native::lowering::{Options, lift};
use glslc2native_testsuite::matrix;
use spirv::Op;
use std::collections::BTreeSet;

/// Instruction and component type of the first operand.
type Cell = (Opcode, Scalar);

/// A signed integer stands for the unsigned one too: the op table does not tell them apart.
const SCALARS: [Scalar; 8] = [
    Scalar::F32,
    Scalar::I32,
    Scalar::Bool,
    Scalar::Int { width: 8, signed: true },
    Scalar::Int { width: 16, signed: true },
    Scalar::Int { width: 64, signed: true },
    Scalar::Float(16),
    Scalar::Float(64),
];

/// Cells that no SPIR-V module reaches: copies are replaced by what they copy as they are lifted, and booleans have no
/// memory layout that a logical copy could change.
fn unreachable(&(opcode, scalar): &Cell) -> bool {
    opcode == Opcode::Core(Op::CopyObject) || (opcode, scalar) == (Opcode::Core(Op::CopyLogical), Scalar::Bool)
}

/// Gives the number of supported cells, or those that nothing runs.
pub fn check() -> Result<usize, String> {
    let mut reached = BTreeSet::new();
    for (name, source) in super::shaders().chain(memory::shaders()) {
        reach(&source, name, &mut reached)?;
    }
    let supported: Vec<Cell> =
        rows().filter(|row| computes(&row.how)).flat_map(cells).filter(|cell| !unreachable(cell)).collect();
    let missing: Vec<&Cell> = supported.iter().filter(|cell| !reached.contains(cell)).collect();
    if missing.is_empty() {
        return Ok(supported.len());
    }
    let shown: Vec<String> = missing.iter().map(|(opcode, scalar)| format!("{opcode} on {scalar:?}")).collect();
    Err(format!("{} of {} supported cells have no run test: {}", missing.len(), supported.len(), shown.join(", ")))
}

fn computes(how: &How) -> bool {
    how.is_lane_wise() || matches!(how, How::Compose(_))
}

fn cells(row: &Row) -> impl Iterator<Item = Cell> {
    let (opcode, done) = (row.opcode, row.done);
    SCALARS.into_iter().filter(move |&scalar| done.has(scalar)).map(move |scalar| (opcode, scalar))
}

fn reach(source: &str, name: &str, reached: &mut BTreeSet<Cell>) -> Result<(), String> {
    let Input::Spirv(words) = matrix::spirv(source, name, false)? else { return Ok(()) };
    let module = lift::lift(&words, &Options::default()).map_err(|error| error.to_string())?;
    for function in module.functions.values() {
        for op in function.ops.values() {
            let OpKind::Inst(inst) = &op.kind else { continue };
            let values = inst.operands.iter().chain(&op.results);
            let mut scalars = values.filter_map(|&value| component(&module.types, function, value));
            if let Some(scalar) = scalars.next() {
                let scalar = match scalar {
                    Scalar::Int { width, .. } => Scalar::Int { width, signed: true },
                    other => other,
                };
                reached.insert((inst.opcode, scalar));
            }
        }
    }
    Ok(())
}

/// Type of a value's first component; none for pointers.
fn component(types: &Types, function: &Function, value: Value) -> Option<Scalar> {
    types.leaves(function.values[value].ty, 256)?.first().copied()
}
