//! What glslang is known to crash on, apart from GL_EXT_spirv_intrinsics.
//!
//! In: a text, for a first look that costs next to nothing; then preprocessed tokens. Out: an error where no source may have
//! it, and where some may, a doubt, on which the source is compiled in a child process. All of it was found by giving the front end sources that later versions of glslang have tests for.

use crate::intrinsics::Doubt;
use crate::pp::{Kind, Token, Wrong};

/// Extensions whose implementation crashes on some sources.
const EXTENSIONS: &[&str] = &["GL_NV_cooperative_matrix2", "GL_ARM_tensors"];
/// What may stand before and behind a string: it is an argument or a value, and nothing is computed from it.
const BEFORE_STRING: &[&str] = &["(", ",", "=", "["];
const AFTER_STRING: &[&str] = &[")", ",", "]", ";"];

/// Whether a text has to be looked at token by token.
pub(crate) fn may_have(text: &str) -> bool {
    let has_string = |line: &str| {
        let line = line.trim_start();
        line.contains('"') && !line.starts_with("#include") && !line.starts_with("#line")
    };
    text.contains("STDGL")
        || text.contains("null_initializer")
        || EXTENSIONS.iter().any(|extension| text.contains(extension))
        || text.contains('"') && text.lines().any(has_string)
}

/// What no source may have, and glslang does not refuse before it crashes.
pub(crate) fn check(tokens: &[Token]) -> Result<(), Wrong> {
    let is = |at: Option<usize>, known: &[&str]| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| known.iter().any(|text| token.is(text)))
    };
    for (at, token) in tokens.iter().enumerate() {
        let what = match token.kind {
            Kind::Text if !is(at.checked_sub(1), BEFORE_STRING) || !is(Some(at + 1), AFTER_STRING) => {
                format!("'{}' : a string is an argument and nothing else", token.text)
            }
            Kind::Break if is_cut_short(&token.text) => {
                "'#pragma' : expected `#pragma STDGL invariant(all)`".to_string()
            }
            _ => continue,
        };
        return Err(Wrong { at: token.place(), what });
    }
    Ok(())
}

/// The first doubt about a source.
pub(crate) fn find(tokens: &[Token]) -> Option<Doubt> {
    let is = |token: Option<&Token>, known: &[&str]| token.is_some_and(|token| known.iter().any(|text| token.is(text)));
    let reason = |(at, token): (usize, &Token)| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let extension = || directive(&token.text).into_iter().nth(1).filter(|name| EXTENSIONS.contains(&name.as_str()));
        let why = match token.kind {
            Kind::Break => format!("the source uses {}", extension()?),
            _ if token.is("{") && is(tokens.get(at + 1), &["}"]) && is(before, &["{", ","]) => {
                "an empty list initializes a part of a value".to_string()
            }
            _ => return None,
        };
        Some(Doubt { at: token.place(), why })
    };
    tokens.iter().enumerate().find_map(reason)
}

/// The words of a directive, with brackets.
fn directive(text: &str) -> Vec<String> {
    let spaced = text.replace(['#', ':'], " ").replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().map(str::to_string).collect()
}

fn is_cut_short(text: &str) -> bool {
    let words = directive(text);
    words.first().is_some_and(|name| name == "pragma")
        && words.get(1).is_some_and(|name| name == "STDGL")
        && words.len() < 6
}
