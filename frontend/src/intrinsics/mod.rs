//! GL_EXT_spirv_intrinsics, in both spellings, and right where glslang is wrong.
//!
//! ```text
//! tokens ─attributes─► official spelling ─qualifiers─► literals ─functions─► tokens for glslang
//!                                              └───────────┴────► patches ──► applied to glslang's words
//! ```
//!
//! In: preprocessed tokens (`pp`). Out: tokens that glslang compiles to what the source means, what is left to do to the
//! words, and a doubt where it is not certain that glslang survives the source. `docs/spirv-intrinsics.md` has the list of
//! what glslang does and what is done about it.

mod attributes;
mod brackets;
mod constants;
mod declared;
mod functions;
mod names;
mod patch;
mod qualifiers;
#[cfg(test)]
mod tests;

use crate::pp::{Place, Token, Wrong};
pub(crate) use patch::{Finding, Patches};

/// Whether the extension is on, as directives have it.
#[derive(Clone, Copy, Debug, Default)]
struct Extension {
    is_on: bool,
}

/// Why a source may be too much for glslang, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    pub at: Place,
    pub why: String,
}

/// What became of a source.
#[derive(Debug)]
pub(crate) struct Mended {
    pub tokens: Vec<Token>,
    pub patches: Patches,
    pub doubt: Option<Doubt>,
}

/// Whether a text may use the extension, whatever macros hide.
pub(crate) fn concerns(text: &str) -> bool {
    // Tokens may be pasted together, but the name of the extension may not; `all` turns it on as well.
    let turns_all_on = |line: &str| {
        line.contains("extension") && line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "all")
    };
    text.contains("spirv") || text.lines().any(turns_all_on)
}

/// Translates, checks and mends.
pub(crate) fn mend(tokens: Vec<Token>) -> Result<Mended, Wrong> {
    let mut patches = Patches::default();
    let translated = attributes::translate(tokens)?;
    let (tokens, doubt) = qualifiers::rewrite(&translated.tokens, translated.sets, &mut patches)?;
    let tokens = functions::rewrite(&tokens, &mut patches)?;
    Ok(Mended { tokens, patches, doubt })
}
