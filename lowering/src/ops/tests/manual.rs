//! The committed manual is the one that the table gives.

use crate::ops::manual;
use std::path::Path;

#[test]
fn the_committed_manual_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mapping-manual.md");
    let text = manual();
    if std::env::var_os("GLSLC2NATIVE_BLESS").is_some_and(|v| v == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = text.lines().zip(committed.lines()).position(|(a, b)| a != b);
    assert!(
        text == committed,
        "docs/mapping-manual.md is not current (line {}): run `cargo xtask manual`",
        differ.map_or(text.lines().count().min(committed.lines().count()), |line| line) + 1
    );
    println!("{} lines", text.lines().count());
}

#[test]
fn every_instruction_is_in_the_manual() {
    let text = manual();
    let missing: Vec<_> = crate::ops::rows().filter(|row| !text.contains(&format!("`{}`", row.opcode))).collect();
    assert!(missing.is_empty(), "{} instructions are missing", missing.len());
}
