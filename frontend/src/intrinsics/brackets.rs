//! Brackets and commas in runs of tokens.

use crate::pp::Token;

/// Where the bracket is closed that opens at `open`; `None` where nothing opens there or nothing closes it.
pub(super) fn matching(tokens: &[Token], open: usize) -> Option<usize> {
    let mut expected: Vec<&str> = vec![];
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &*token.text {
            "(" => expected.push(")"),
            "[" => expected.push("]"),
            "{" => expected.push("}"),
            ")" | "]" | "}" if expected.pop() != Some(&*token.text) => return None,
            _ => {}
        }
        if expected.is_empty() {
            return (at > open).then_some(at);
        }
    }
    None
}

/// The parts between commas that are in no brackets. Nothing has no parts.
pub(super) fn commas(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = vec![];
    let (mut start, mut depth) = (0, 0i64);
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                parts.push(tokens.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !tokens.is_empty() {
        parts.push(tokens.get(start..).unwrap_or_default());
    }
    parts
}

/// The arguments in the brackets that open at `open`, and where they close.
pub(super) fn arguments(tokens: &[Token], open: usize) -> Option<(Vec<&[Token]>, usize)> {
    if !tokens.get(open)?.is("(") {
        return None;
    }
    let close = matching(tokens, open)?;
    Some((commas(tokens.get(open + 1..close)?), close))
}
