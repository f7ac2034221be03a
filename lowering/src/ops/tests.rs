//! The table is whole.

use super::{How, row, rows};
use crate::ir::Opcode;
use rspirv::grammar::INSTRUCTION_TABLE;
use std::collections::HashSet;

#[test]
fn every_instruction_has_one_row() {
    let core = INSTRUCTION_TABLE.iter().map(|i| Opcode::Core(i.opcode));
    let known: Vec<Opcode> = core.chain(super::extended().map(|(opcode, _)| opcode)).collect();
    let missing: Vec<_> = known.iter().filter(|&&op| row(op).is_none()).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    let mut seen = HashSet::new();
    let twice: Vec<_> = rows().map(|r| r.opcode).filter(|&op| !seen.insert(op)).collect();
    assert!(twice.is_empty(), "more than one row for {twice:?}");
    println!("{} rows for {} instructions", seen.len(), known.len());
    assert!(known.len() > 1000);
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
mod required;
mod rows;
mod whole;
