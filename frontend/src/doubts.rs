//! What glslang is known to crash on that this crate does not refuse by itself: such sources are compiled in a child process.
//!
//! In: a text, for a first look that costs next to nothing; then preprocessed tokens. Out: where the doubt is and why. All of
//! it was found by giving the front end sources that later versions of glslang have tests for.

use crate::intrinsics::Doubt;
use crate::pp::{Kind, Token};

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

/// The first doubt about a source.
pub(crate) fn find(tokens: &[Token]) -> Option<Doubt> {
    let is = |at: Option<usize>, known: &[&str]| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| known.iter().any(|text| token.is(text)))
    };
    let reason = |(at, token): (usize, &Token)| {
        let before = at.checked_sub(1);
        let why = match token.kind {
            Kind::Break => directive(&token.text)?,
            Kind::Text if !is(before, BEFORE_STRING) || !is(Some(at + 1), AFTER_STRING) => {
                "an expression computes with a string".to_string()
            }
            _ if token.is("{") && is(Some(at + 1), &["}"]) && is(before, &["{", ","]) => {
                "an empty list initializes a part of a value".to_string()
            }
            _ => return None,
        };
        Some(Doubt { at: token.place(), why })
    };
    tokens.iter().enumerate().find_map(reason)
}

fn directive(text: &str) -> Option<String> {
    let spaced = text.replace(['#', ':'], " ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    match words.as_slice() {
        ["pragma", "STDGL", rest @ ..] if rest.len() < 4 => Some("a pragma is cut short".to_string()),
        ["extension", name, ..] if EXTENSIONS.contains(name) => Some(format!("the source uses {name}")),
        _ => None,
    }
}
