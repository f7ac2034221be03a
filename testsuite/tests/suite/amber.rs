//! The scripts in `testsuite/amber`, each at the standard matrix.

use crate::support::trial;
use glslc2native::testing::{self, Outcome, TestOptions};
use glslc2native_testsuite::matrix;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// One trial for each script; an error where there are none.
pub fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("amber");
    let paths = testing::find(std::slice::from_ref(&folder));
    match paths {
        Ok(paths) if !paths.is_empty() => {
            println!("{} scripts", paths.len());
            let name = |path: &PathBuf| format!("amber/{}", path.strip_prefix(&folder).unwrap_or(path).display());
            paths.into_iter().map(|path| trial(name(&path), move || check(&path))).collect()
        }
        Ok(_) => vec![Trial::test("amber/corpus", || Err(Failed::from("there are no scripts")))],
        Err(error) => vec![Trial::test("amber/corpus", move || Err(Failed::from(error)))],
    }
}

fn check(path: &Path) -> Result<usize, String> {
    let mut count = 0;
    for config in matrix::standard() {
        for threads in [1, 2] {
            let options = TestOptions {
                compiler: matrix::compiler(config, &[]),
                subgroup_size: config.subgroup_size,
                threads,
                ..TestOptions::default()
            };
            match testing::run_file(path, &options) {
                Outcome::Passed { checks } => count += checks,
                Outcome::Failed { kind, message } => return Err(format!("{config}: {}: {message}", kind.name())),
                // Our own scripts test what is there.
                Outcome::Skipped { reason } => return Err(format!("{config}: skipped: {reason}")),
            }
        }
    }
    Ok(count)
}
