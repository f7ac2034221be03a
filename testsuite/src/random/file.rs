//! A failing program as a golden file.

use super::Failure;
use crate::runs::Run;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Writes a golden file of a failure into `testsuite/golden/random` and gives its path.
///
/// # Errors
/// What the file system said.
pub fn write_golden(failure: &Failure) -> std::io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/random");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("seed-{}.{}", failure.seed, failure.extension));
    let mark = if failure.extension == "comp" { "//" } else { ";" };
    let mut text = format!("{mark} A random program that gave a wrong result.\n{}\n", failure.text.trim_end());
    write_run(&mut text, mark, &failure.run);
    std::fs::write(&path, text)?;
    Ok(path)
}

fn write_run(text: &mut String, mark: &str, run: &Run) {
    let words = |bytes: &[u8]| -> Vec<String> {
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]).to_string()).collect()
    };
    // Writing to a String cannot fail.
    let _ = write!(text, "\n{mark} run:\n{mark} groups {} {} {}\n", run.groups[0], run.groups[1], run.groups[2]);
    if !run.push.is_empty() {
        let _ = writeln!(text, "{mark} push u32 {}", words(&run.push).join(" "));
    }
    for ((set, binding), bytes) in &run.buffers {
        for chunk in words(bytes).chunks(16) {
            let _ = writeln!(text, "{mark} buffer {set} {binding} u32 {}", chunk.join(" "));
        }
    }
    for expect in &run.expects {
        let (set, binding) = expect.slot;
        for (index, chunk) in expect.values.chunks(16).enumerate() {
            let values: Vec<String> = chunk.iter().map(u64::to_string).collect();
            let at = index * 64;
            let _ = writeln!(text, "{mark} expect {set} {binding} u32 exact {} at {at}", values.join(" "));
        }
    }
}
