//! AmberScript and VkScript, the formats in which the Vulkan conformance suite and others keep shader tests.
//!
//! In: text. Out: a [`Script`], plain data with names resolved, or a [`ScriptError`] with line and column. The formats are those
//! of <https://github.com/google/amber>, `docs/amber_script.md` and `docs/vk_script.md`. Both become the same data:
//! VkScript's sections are one pipeline for each entry point, and buffers named by their bindings.
//!
//! Graphics and ray tracing pipelines, images and samplers are read for their form; [`Script::beyond`] lists them.
//! [`check`] compares buffers with what a script expects.

mod buffer;
pub mod check;
mod command;
pub mod layout;
mod lex;
mod parse;
mod pipeline;
mod script;
#[cfg(test)]
mod tests;
pub mod types;
mod vkscript;

pub use buffer::MAX_BUFFER;
pub use script::*;

/// Reads a script: AmberScript where its first line is `#!amber`, else VkScript.
///
/// # Errors
///
/// What does not follow the format, with its line and column.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    if text.trim_start_matches('\u{feff}').starts_with("#!amber") {
        parse::script(text)
    } else {
        vkscript::script(text)
    }
}
