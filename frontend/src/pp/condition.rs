//! The expressions of `#if` and `#elif` (GLSL 4.60 §3.3): integers and the operators of C, with macros already expanded.
//!
//! In: tokens. Out: whether they hold, or what is wrong. Words that are no macros are an error in GLSL, and glslang reports
//! it; here they are zero, so that what follows has a meaning.

use super::lexer::Kind;

/// Deepest nesting of brackets and signs.
const MAX_DEPTH: u32 = 200;

struct Parser<'a> {
    tokens: &'a [(Kind, &'a str)],
    at: usize,
    depth: u32,
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Whether the expression that `tokens` make is not zero.
pub(crate) fn holds(tokens: &[(Kind, &str)]) -> Result<bool, String> {
    value(tokens).map(|value| value != 0)
}

/// The value of the expression that `tokens` make.
pub(crate) fn value(tokens: &[(Kind, &str)]) -> Result<i64, String> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let value = parser.binary(0)?;
    match parser.peek() {
        None => Ok(value),
        Some(token) => Err(format!("'{token}' : unexpected in a condition")),
    }
}

/// The value of an integer as it is written, with any suffix.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8),
        None => text.parse(),
    };
    value.ok().map(|value| value as i64)
}

fn apply(operator: &str, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).map(|(_, text)| *text)
    }

    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut value = self.binary(level + 1)?;
        while let Some(operator) = self.peek().filter(|text| operators.contains(text)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            value = apply(operator, value, right).ok_or(format!("'{operator}' : division by zero in a condition"))?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("limit exceeded: more than {MAX_DEPTH} brackets and signs nested in a condition"));
        }
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        let value = match token {
            Some((_, "!")) => i64::from(self.unary()? == 0),
            Some((_, "-")) => self.unary()?.wrapping_neg(),
            Some((_, "+")) => self.unary()?,
            Some((_, "~")) => !self.unary()?,
            Some((_, "(")) => {
                let value = self.binary(0)?;
                if self.peek() != Some(")") {
                    return Err("')' : missing in a condition".to_string());
                }
                self.at += 1;
                value
            }
            Some((Kind::Number, text)) => {
                integer(text).ok_or_else(|| format!("'{text}' : conditions take integers only"))?
            }
            Some((Kind::Word, _)) => 0,
            Some((_, text)) => return Err(format!("'{text}' : unexpected in a condition")),
            None => return Err("a condition ends too early".to_string()),
        };
        self.depth -= 1;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn truth(text: &str) -> Result<bool, String> {
        let lexemes = lex(text);
        holds(&lexemes.iter().map(|lexeme| (lexeme.kind, &*lexeme.text)).collect::<Vec<_>>())
    }

    #[test]
    fn expressions() {
        for text in
            ["1", "(2 - 1)", "1 + 2 * 3 == 7", "0x10 == 16 && 010 == 8", "!x", "1 || 1 / 2", "-1 < 0", "~0 == -1"]
        {
            assert_eq!(truth(text), Ok(true), "{text}");
        }
        for text in ["0", "x", "1 - 1", "0 && 1", "1 << 2 != 4", "3 % 3"] {
            assert_eq!(truth(text), Ok(false), "{text}");
        }
        for text in ["", "1 +", "(1", "1 1", "1 / 0", "1.5", "\"a\"", &"(".repeat(5_000), &"-".repeat(5_000)] {
            assert!(truth(text).is_err(), "{text}");
        }
    }
}
