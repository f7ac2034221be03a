//! The table is whole.

use super::{How, row, rows};
use crate::ir::Opcode;
use rspirv::grammar::{ExtInstOp, GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE};
use std::collections::HashSet;

#[test]
fn every_instruction_has_one_row() {
    let core = INSTRUCTION_TABLE.iter().map(|i| Opcode::Core(i.opcode));
    let glsl = GLSL_STD_450_INSTRUCTION_TABLE.iter().filter_map(|i| match i.opcode {
        ExtInstOp::GlslStd450(op) => Some(Opcode::Glsl(op)),
        _ => None,
    });
    let known: Vec<Opcode> = core.chain(glsl).collect();
    let missing: Vec<_> = known.iter().filter(|&&op| row(op).is_none()).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    let mut seen = HashSet::new();
    let twice: Vec<_> = rows().map(|r| r.opcode).filter(|&op| !seen.insert(op)).collect();
    assert!(twice.is_empty(), "more than one row for {twice:?}");
    println!("{} rows for {} instructions", seen.len(), known.len());
    assert!(known.len() > 900);
}

#[test]
fn reasons_say_what_to_do() {
    let mut checked = 0;
    for row in rows() {
        if let How::Unsupported(reason) = row.how {
            assert!(reason.len() > 20 && !reason.ends_with('.'), "{}: {reason}", row.opcode);
            checked += 1;
        }
    }
    println!("{checked} reasons");
    assert!(checked > 0);
}

mod manual;
mod rows;
mod whole;
