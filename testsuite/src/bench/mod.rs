//! Benches: this compiler beside other Vulkan drivers for the CPU, in one run.
//!
//! | module | holds |
//! |---|---|
//! | [`work`] | the kernels: sizes, inputs, what must come out |
//! | [`raymarch`] | the largest of them in Rust |
//! | [`engine`] | what is measured, behind one interface |
//! | [`vulkan`] | compute shaders on a Vulkan driver |
//! | [`worker`] | a process for each engine and number of threads, and talking with it |
//! | [`measure`] | the order in which things are measured |
//! | [`report`] | Markdown tables |
//! | [`stages`] | the stages of this compiler alone |
//!
//! A machine is never quiet and never twice the same: what counts are the ratios of what was measured in turn. Nothing here
//! is asserted but that the results are right.

pub mod engine;
pub mod measure;
pub mod raymarch;
pub mod report;
pub mod stages;
pub mod vulkan;
pub mod work;
pub mod worker;

use glslc2native::{Compiler, Input};
use std::path::Path;

/// Compiles a kernel of `testsuite/kernels` to SPIR-V.
pub fn spirv(name: &str) -> Result<Vec<u32>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let words = || {
        let input = Input::read(folder.join(format!("{name}.comp")))?;
        let compiler = Compiler::new().include_dir(&folder);
        Ok::<_, glslc2native::Error>(compiler.stages(&input).spirv()?.to_vec())
    };
    words().map_err(|error| error.to_string())
}

/// The middle value; of an even number of values the larger of the two.
pub fn median<T: Ord + Copy>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort();
    sorted.get(sorted.len() / 2).copied()
}
