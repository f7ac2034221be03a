//! Macros and their expansion (GLSL 4.60 §3.3, which is C's).
//!
//! In: tokens that stand between two directives. Out: the same with macros expanded. Every token knows where it is
//! spelt and at which place of the source the outermost macro that it came from is used. A macro is not expanded within
//! its own expansion: tokens carry the macros that they came through.

use super::lexer::{self, Kind};
use super::{Place, Token};
use std::collections::HashMap;
use std::rc::Rc;

/// Most tokens that all expansions of a compilation may read.
const MAX_WORK: u64 = 1_000_000;
/// Deepest nesting of macro uses in arguments.
const MAX_NESTED: u32 = 500;

/// A macro as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// `None` for one without brackets.
    pub parameters: Option<Vec<Rc<str>>>,
    pub body: Vec<Token>,
}

/// The macros that a token came through.
#[derive(Debug)]
pub(crate) struct Hidden {
    name: Rc<str>,
    rest: Hides,
}

pub(crate) type Hides = Option<Rc<Hidden>>;

fn hides(hidden: &Hides, name: &str) -> bool {
    let mut next = hidden.as_ref();
    while let Some(one) = next {
        if &*one.name == name {
            return true;
        }
        next = one.rest.as_ref();
    }
    false
}

fn with(hidden: &Hides, name: &Rc<str>) -> Hides {
    if hides(hidden, name) {
        return hidden.clone();
    }
    Some(Rc::new(Hidden { name: name.clone(), rest: hidden.clone() }))
}

/// What both hide.
fn common(a: &Hides, b: &Hides) -> Hides {
    let (mut result, mut next) = (None, a.as_ref());
    while let Some(one) = next {
        if hides(b, &one.name) {
            result = with(&result, &one.name);
        }
        next = one.rest.as_ref();
    }
    result
}

fn union(a: &Hides, b: &Hides) -> Hides {
    if a.is_none() {
        return b.clone();
    }
    let (mut result, mut next) = (a.clone(), b.as_ref());
    while let Some(one) = next {
        result = with(&result, &one.name);
        next = one.rest.as_ref();
    }
    result
}

/// What is wrong, and at which token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub at: Place,
    pub what: String,
}

/// All macros of a compilation at one point of the source.
#[derive(Default)]
pub(crate) struct Macros {
    pub by_name: HashMap<Rc<str>, Macro>,
    work: u64,
}

impl Macros {
    /// Expands what stands between two directives.
    pub fn expand(&mut self, tokens: Vec<Token>) -> Result<Vec<Token>, Wrong> {
        self.expand_nested(tokens, 0)
    }

    fn expand_nested(&mut self, mut input: Vec<Token>, depth: u32) -> Result<Vec<Token>, Wrong> {
        input.reverse();
        let mut output = Vec::with_capacity(input.len());
        while let Some(token) = input.pop() {
            self.work += 1;
            if self.work > MAX_WORK || depth > MAX_NESTED {
                let what = if depth > MAX_NESTED {
                    format!("limit exceeded: macros are used in arguments of macros more than {MAX_NESTED} deep")
                } else {
                    format!("limit exceeded: more than {MAX_WORK} tokens in the expansion of macros")
                };
                return Err(Wrong { at: token.used, what });
            }
            if let Some([number, rest]) = cut(&token) {
                output.push(number);
                input.push(rest);
                continue;
            }
            let expandable = token.kind == Kind::Word && !hides(&token.hidden, &token.text);
            let Some(known) = self.by_name.get(&token.text).filter(|_| expandable) else {
                output.push(token);
                continue;
            };
            let Some(parameters) = &known.parameters else {
                let hidden = with(&token.hidden, &token.text);
                let body = self.substitute(&known.clone(), &[], &[], &token, &hidden, depth)?;
                input.extend(body.into_iter().rev());
                continue;
            };
            if input.last().is_none_or(|next| &*next.text != "(") {
                output.push(token);
                continue;
            }
            let (known, count) = (known.clone(), parameters.len());
            let (arguments, close) = arguments(&mut input, count, &token)?;
            let hidden = with(&common(&token.hidden, &close), &token.text);
            let parameters = known.parameters.clone().unwrap_or_default();
            let body = self.substitute(&known, &parameters, &arguments, &token, &hidden, depth)?;
            input.extend(body.into_iter().rev());
        }
        Ok(output)
    }

    /// The body of a macro with its arguments in place and `##` obeyed.
    fn substitute(
        &mut self,
        known: &Macro,
        parameters: &[Rc<str>],
        arguments: &[Vec<Token>],
        using: &Token,
        hidden: &Hides,
        depth: u32,
    ) -> Result<Vec<Token>, Wrong> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut result: Vec<Token> = vec![];
        let mut paste = false;
        let mut body = known.body.iter().peekable();
        while let Some(token) = body.next() {
            if &*token.text == "##" {
                paste = true;
                continue;
            }
            let pasted_next = body.peek().is_some_and(|next| &*next.text == "##");
            let parameter = parameters.iter().position(|parameter| *parameter == token.text);
            let mut part: Vec<Token> = match parameter.and_then(|at| Some((at, arguments.get(at)?))) {
                Some((_, argument)) if paste || pasted_next => argument.clone(),
                Some((at, argument)) => {
                    if expanded.get(at).is_some_and(Option::is_none) {
                        let tokens = self.expand_nested(argument.clone(), depth + 1)?;
                        if let Some(slot) = expanded.get_mut(at) {
                            *slot = Some(tokens);
                        }
                    }
                    expanded.get(at).cloned().flatten().unwrap_or_default()
                }
                None => vec![Token { in_macro: true, ..token.clone() }],
            };
            self.work += part.len() as u64;
            for token in &mut part {
                token.used = using.used;
            }
            // An empty argument leaves what is on the other side as it is.
            if std::mem::take(&mut paste)
                && !part.is_empty()
                && let Some(left) = result.pop()
            {
                let right = part.remove(0);
                result.push(join(&left, &right).map_err(|what| Wrong { at: using.used, what })?);
            }
            result.extend(part);
        }
        for token in &mut result {
            token.hidden = union(&token.hidden, hidden);
        }
        Ok(result)
    }
}

/// A number that glslang ends before its last letter, and what follows, which may be a macro's name.
fn cut(token: &Token) -> Option<[Token; 2]> {
    if token.kind != Kind::Number {
        return None;
    }
    let (number, rest) = token.text.split_at_checked(lexer::number_end(&token.text))?;
    let kind = if rest.starts_with(|first: char| first.is_ascii_digit()) { Kind::Number } else { Kind::Word };
    (!number.is_empty() && !rest.is_empty()).then(|| [token.becomes(Kind::Number, number), token.becomes(kind, rest)])
}

/// A macro's body, with numbers cut unless they are pasted.
pub(super) fn body(tokens: Vec<Token>) -> Vec<Token> {
    let pastes = |at: Option<&Token>| at.is_some_and(|token| token.is("##"));
    let mut result = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let pasted = pastes(tokens.get(at + 1)) || pastes(at.checked_sub(1).and_then(|before| tokens.get(before)));
        match cut(token).filter(|_| !pasted) {
            Some(parts) => result.extend(parts),
            None => result.push(token.clone()),
        }
    }
    result
}

/// Takes the arguments of a macro's use, from `(` to `)`, and gives what `)` hides.
fn arguments(input: &mut Vec<Token>, count: usize, using: &Token) -> Result<(Vec<Vec<Token>>, Hides), Wrong> {
    input.pop();
    let mut arguments: Vec<Vec<Token>> = vec![vec![]];
    let mut depth = 0u32;
    while let Some(token) = input.pop() {
        match &*token.text {
            "(" => depth += 1,
            ")" if depth == 0 => {
                // `F()` gives a macro without parameters nothing, and one with a parameter an empty argument.
                if count == 0 && arguments.iter().all(Vec::is_empty) {
                    arguments.clear();
                }
                if arguments.len() == count {
                    return Ok((arguments, token.hidden));
                }
                let what =
                    format!("'{}' : the macro takes {count} arguments and is given {}", using.text, arguments.len());
                return Err(Wrong { at: using.used, what });
            }
            ")" => depth -= 1,
            "," if depth == 0 => {
                arguments.push(vec![]);
                continue;
            }
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(token);
        }
    }
    Err(Wrong { at: using.used, what: format!("'{}' : the arguments of the macro have no end", using.text) })
}

/// What `left ## right` makes. glslang drops what it cannot paste to a name, and says nothing.
fn join(left: &Token, right: &Token) -> Result<Token, String> {
    let text = format!("{}{}", left.text, right.text);
    match lexer::lex(&text).as_slice() {
        [one] => Ok(Token { kind: one.kind, text: one.text.clone(), ..left.clone() }),
        _ => Err(format!("'##' : `{}` and `{}` do not make one token", left.text, right.text)),
    }
}
