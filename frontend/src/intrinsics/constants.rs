//! Constant expressions in the arguments of the extension's qualifiers.
//!
//! In: the tokens of an argument and a way to look up names. Out: a scalar of 32 bits, or why there is none. glslang takes
//! nothing but single literals in most of these places; the specification of GL_EXT_spirv_intrinsics says
//! "integer-constant-expression" in some, and `id = OpIAdd` reads better than a number.

use super::brackets::{commas, matching};
use crate::pp::{Kind, Token, integer};

/// Deepest nesting of brackets and signs.
const MAX_DEPTH: u32 = 100;

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Int(i32),
    Uint(u32),
    Float(f64),
    Bool(bool),
}

impl Value {
    /// The word that it is in an instruction.
    pub fn word(self) -> u32 {
        match self {
            Value::Int(value) => value as u32,
            Value::Uint(value) => value,
            Value::Float(value) => (value as f32).to_bits(),
            Value::Bool(value) => u32::from(value),
        }
    }

    /// A literal that glslang reads as this value, and that is a single token. It keeps the type where the type shows in
    /// SPIR-V.
    pub fn literal(self) -> (Kind, String) {
        match self {
            Value::Int(value @ 0..) => (Kind::Number, value.to_string()),
            // A sign would be a token of its own, and a constant instead of a literal.
            Value::Int(value) => (Kind::Number, format!("0x{value:X}")),
            Value::Uint(value) => (Kind::Number, format!("{value}u")),
            Value::Float(value) if value.is_finite() && value.is_sign_positive() && (value as f32).is_finite() => {
                (Kind::Number, format!("{:?}", value as f32))
            }
            Value::Float(_) => (Kind::Number, format!("0x{:X}u", self.word())),
            Value::Bool(value) => (Kind::Word, value.to_string()),
        }
    }

    fn number(self) -> f64 {
        match self {
            Value::Int(value) => f64::from(value),
            Value::Uint(value) => f64::from(value),
            Value::Float(value) => value,
            Value::Bool(value) => f64::from(u8::from(value)),
        }
    }

    /// The value as the scalar type called `name`.
    pub fn convert(self, name: &str) -> Option<Value> {
        Some(match (name, self) {
            ("int", Value::Float(value)) => Value::Int(value as i32),
            ("uint", Value::Float(value)) => Value::Uint(value as i64 as u32),
            ("int", value) => Value::Int(value.word() as i32),
            ("uint", value) => Value::Uint(value.word()),
            ("float", value) => Value::Float(value.number()),
            ("bool", value) => Value::Bool(value.number() != 0.0),
            _ => return None,
        })
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Named {
    /// A constant whose value is known.
    Value(Value),
    /// A specialisation constant.
    Specialization,
    /// A constant whose value is not known here, or something that is no constant.
    Other,
    /// Nothing that has been declared.
    Unknown,
}

/// Why there is no value, and at which token.
pub(super) type Why<'a> = (&'a Token, String);

struct Parser<'a, 'n> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    name: &'n dyn Fn(&str) -> Named,
}

const LEVELS: &[&[&str]] = &[
    &["||"],
    &["^^"],
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

/// The value of an expression. `at` is where to point when `tokens` is empty.
pub(super) fn evaluate<'a>(tokens: &'a [Token], at: &'a Token, name: &dyn Fn(&str) -> Named) -> Result<Value, Why<'a>> {
    let mut parser = Parser { tokens, at: 0, depth: 0, name };
    let value = parser.binary(0, at)?;
    match tokens.get(parser.at) {
        None => Ok(value),
        Some(token) => Err((token, format!("'{}' : unexpected in a constant expression", token.text))),
    }
}

/// A number as it is written.
pub(super) fn number(text: &str) -> Option<Value> {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let is_float = !hexadecimal && text.contains(['.', 'e', 'E', 'f', 'F']);
    if is_float {
        let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
        return digits.parse().ok().map(Value::Float);
    }
    let value = u32::try_from(integer(text)?).ok()?;
    Some(if text.ends_with(['u', 'U']) { Value::Uint(value) } else { Value::Int(value as i32) })
}

fn apply(operator: &str, a: Value, b: Value) -> Option<Value> {
    use Value::{Bool, Float, Int, Uint};
    match operator {
        "||" | "&&" | "^^" => {
            let (Bool(a), Bool(b)) = (a, b) else { return None };
            return Some(Bool(match operator {
                "||" => a || b,
                "&&" => a && b,
                _ => a != b,
            }));
        }
        "==" | "!=" | "<" | ">" | "<=" | ">=" => {
            let order = a.number().partial_cmp(&b.number())?;
            return Some(Bool(match operator {
                "==" => order.is_eq(),
                "!=" => order.is_ne(),
                "<" => order.is_lt(),
                ">" => order.is_gt(),
                "<=" => order.is_le(),
                _ => order.is_ge(),
            }));
        }
        _ => {}
    }
    if matches!((a, b), (Bool(_), _) | (_, Bool(_))) {
        return None;
    }
    if matches!((a, b), (Float(_), _) | (_, Float(_))) {
        let (a, b) = (a.number(), b.number());
        return Some(Float(match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            _ => return None,
        }));
    }
    let signed = matches!((a, b), (Int(_), Int(_))) || (matches!(operator, "<<" | ">>") && matches!(a, Int(_)));
    let (x, y) = (a.word(), b.word());
    let word = match operator {
        "+" => x.wrapping_add(y),
        "-" => x.wrapping_sub(y),
        "*" => x.wrapping_mul(y),
        "/" if signed => (x as i32).checked_div(y as i32)? as u32,
        "%" if signed => (x as i32).checked_rem(y as i32)? as u32,
        "/" => x.checked_div(y)?,
        "%" => x.checked_rem(y)?,
        "<<" => x.checked_shl(y)?,
        ">>" if signed => (x as i32).checked_shr(y)? as u32,
        ">>" => x.checked_shr(y)?,
        "&" => x & y,
        "|" => x | y,
        "^" => x ^ y,
        _ => return None,
    };
    Some(if signed { Int(word as i32) } else { Uint(word) })
}

impl<'a> Parser<'a, '_> {
    fn binary(&mut self, level: usize, at: &'a Token) -> Result<Value, Why<'a>> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(at) };
        let mut value = self.binary(level + 1, at)?;
        while let Some(operator) = self.tokens.get(self.at).filter(|token| operators.contains(&&*token.text)) {
            self.at += 1;
            let right = self.binary(level + 1, operator)?;
            let result = apply(&operator.text, value, right);
            value =
                result.ok_or_else(|| (operator, format!("'{}' : has no value for these operands", operator.text)))?;
        }
        Ok(value)
    }

    fn unary(&mut self, at: &'a Token) -> Result<Value, Why<'a>> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err((at, format!("'{}' : expected a constant expression", at.text)));
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((token, format!("limit exceeded: more than {MAX_DEPTH} brackets and signs nested")));
        }
        self.at += 1;
        let none = || (token, format!("'{}' : has no value for this operand", token.text));
        let value = match (&*token.text, token.kind) {
            ("-", _) => match self.unary(token)? {
                Value::Int(value) => Value::Int(value.wrapping_neg()),
                Value::Uint(value) => Value::Uint(value.wrapping_neg()),
                Value::Float(value) => Value::Float(-value),
                Value::Bool(_) => return Err(none()),
            },
            ("+", _) => self.unary(token)?,
            ("~", _) => match self.unary(token)? {
                Value::Int(value) => Value::Int(!value),
                Value::Uint(value) => Value::Uint(!value),
                _ => return Err(none()),
            },
            ("!", _) => match self.unary(token)? {
                Value::Bool(value) => Value::Bool(!value),
                _ => return Err(none()),
            },
            ("(", _) => self.bracketed(self.at - 1, token)?,
            ("true", _) => Value::Bool(true),
            ("false", _) => Value::Bool(false),
            ("int" | "uint" | "float" | "bool", _) => {
                let value = self.bracketed(self.at, token)?;
                value.convert(&token.text).ok_or_else(none)?
            }
            (_, Kind::Number) => {
                number(&token.text).ok_or_else(|| (token, format!("'{}' : no number of 32 bits", token.text)))?
            }
            (text, Kind::Word) => match (self.name)(text) {
                Named::Value(value) => value,
                Named::Specialization => {
                    return Err((token, format!("'{text}' : is a specialization constant, and a literal is needed")));
                }
                Named::Other => {
                    return Err((
                        token,
                        format!("'{text}' : is no constant whose value is known here; write its value"),
                    ));
                }
                Named::Unknown => return Err((token, format!("'{text}' : undeclared identifier"))),
            },
            (text, _) => return Err((token, format!("'{text}' : unexpected in a constant expression"))),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// The value in brackets, of which the first is at `open`; `at` is where to point where there is none.
    fn bracketed(&mut self, open: usize, at: &'a Token) -> Result<Value, Why<'a>> {
        let here = self.tokens.get(open).unwrap_or(at);
        let close = matching(self.tokens, open).filter(|_| here.is("("));
        let Some(close) = close else { return Err((here, format!("'{}' : expected brackets", here.text))) };
        let inner = self.tokens.get(open + 1..close).unwrap_or_default();
        if commas(inner).len() != 1 {
            return Err((here, "',' : unexpected in a constant expression".to_string()));
        }
        let mut parser = Parser { tokens: inner, at: 0, depth: self.depth, name: self.name };
        let value = parser.binary(0, here)?;
        if let Some(token) = inner.get(parser.at) {
            return Err((token, format!("'{}' : unexpected in a constant expression", token.text)));
        }
        self.at = close + 1;
        Ok(value)
    }
}
