//! The extension's qualifiers that have arguments: read, checked and written in the one form that glslang takes.
//!
//! In: tokens in the official spelling (`attributes.rs` made them so). Out: the same with every
//! `spirv_instruction(…)`, `spirv_type(…)`, `spirv_storage_class(…)`, `spirv_decorate…(…)` and
//! `spirv_execution_mode…(…)` rewritten: requirements first, names and constant expressions as literals, repetitions
//! that glslang would drop under numbers of their own ([`Patches`] has the real ones).
//!
//! Invariant: what comes out holds nothing in these brackets that glslang is known to crash on, unless a doubt is noted.

use super::Extension;
use super::attributes::NumberedSet;
use super::brackets::{arguments, matching};
use super::constants::{Named, Value, evaluate};
use super::declared::{Declared, is_type};
use super::patch::Patches;
use super::{Doubt, names};
use crate::pp::{Kind, Token, Wrong};

/// Rewrites qualifiers.
pub(super) struct Qualifiers<'p> {
    sets: Vec<NumberedSet>,
    patches: &'p mut Patches,
    declared: Declared,
    /// Decorations of the current declaration.
    decorations: Vec<u32>,
    /// Execution modes so far: the number, and all that follows it.
    modes: Vec<(u32, String)>,
    doubt: Option<Doubt>,
}

type Result<T> = std::result::Result<T, Wrong>;

/// A qualifier that is being rewritten.
struct Call<'a> {
    keyword: &'a Token,
    /// Arguments without requirements.
    parts: Vec<&'a [Token]>,
    /// Requirements as they are written in front.
    requirements: Vec<Token>,
    /// How many tokens stand before it.
    at: usize,
}

/// `set` and `id` of a qualifier.
struct Instruction<'a> {
    set: Option<Token>,
    id: u32,
    /// Where the number is written.
    at: Token,
    /// Arguments that are neither.
    rest: Vec<&'a [Token]>,
}

pub(super) fn wrong<T>(at: &Token, what: impl Into<String>) -> Result<T> {
    Err(Wrong { at: at.place(), what: what.into() })
}

fn join(at: &Token, parts: Vec<Vec<Token>>) -> Vec<Token> {
    let mut result = vec![];
    for part in parts {
        if !result.is_empty() {
            result.push(at.becomes(Kind::Punctuation, ","));
        }
        result.extend(part);
    }
    result
}

fn value_token(at: &Token, value: Value) -> Token {
    let (kind, text) = value.literal();
    at.becomes(kind, &text)
}

/// An integer without a suffix, which is all that glslang takes for numbers of instructions and the like.
fn plain(at: &Token, number: u32) -> Token {
    value_token(at, Value::Int(number as i32))
}

/// Rewrites all qualifiers of a source.
pub(super) fn rewrite(
    tokens: &[Token],
    sets: Vec<NumberedSet>,
    patches: &mut Patches,
) -> Result<(Vec<Token>, Option<Doubt>)> {
    let mut qualifiers =
        Qualifiers { sets, patches, declared: Declared::default(), decorations: vec![], modes: vec![], doubt: None };
    let result = qualifiers.source(tokens)?;
    Ok((result, qualifiers.doubt))
}

impl Qualifiers<'_> {
    fn doubt(&mut self, at: &Token, why: impl Into<String>) {
        self.doubt.get_or_insert_with(|| Doubt { at: at.place(), why: why.into() });
    }

    fn source(&mut self, tokens: &[Token]) -> Result<Vec<Token>> {
        let mut result = Vec::with_capacity(tokens.len());
        let mut extension = Extension::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            extension.see(token);
            if matches!(&*token.text, ";" | "{" | "}") {
                self.decorations.clear();
            }
            if !extension.is_on || token.kind != Kind::Word || !token.text.starts_with("spirv_") {
                self.declared.see(tokens, at);
                result.push(token.clone());
                at += 1;
                continue;
            }
            let (rewritten, length) = self.keyword(tokens, at)?;
            result.extend(rewritten);
            at += length;
        }
        Ok(result)
    }

    /// Rewrites the qualifier at `at`, and says how many tokens it took.
    fn keyword(&mut self, tokens: &[Token], at: usize) -> Result<(Vec<Token>, usize)> {
        let Some(keyword) = tokens.get(at) else { return Ok((vec![], 1)) };
        let rewrite: fn(&mut Self, &Call<'_>) -> Result<Vec<Token>> = match &*keyword.text {
            "spirv_instruction" => Self::instruction,
            "spirv_type" => Self::type_,
            "spirv_storage_class" => Self::storage_class,
            "spirv_decorate" => Self::decorate,
            "spirv_decorate_id" => Self::decorate_id,
            "spirv_decorate_string" => Self::decorate_string,
            "spirv_execution_mode" => Self::execution_mode,
            "spirv_execution_mode_id" => Self::execution_mode_id,
            "spirv_id" => return wrong(keyword, "'spirv_id' : belongs into the brackets of spirv_type"),
            _ => return Ok((vec![keyword.clone()], 1)),
        };
        let Some((parts, close)) = arguments(tokens, at + 1) else {
            return wrong(keyword, format!("'{}' : needs arguments in brackets that match", keyword.text));
        };
        let (parts, requirements) = self.requirements(keyword, parts)?;
        let call = Call { keyword, parts, requirements, at };
        let inner = rewrite(self, &call)?;
        if inner.is_empty() {
            // A repetition that says nothing new, with its semicolon.
            let semicolon = usize::from(tokens.get(close + 1).is_some_and(|token| token.is(";")));
            return Ok((vec![], close + 1 + semicolon - at));
        }
        let mut result = vec![keyword.clone(), keyword.becomes(Kind::Punctuation, "(")];
        result.extend(join(keyword, [call.requirements, inner].into_iter().filter(|part| !part.is_empty()).collect()));
        result.push(keyword.becomes(Kind::Punctuation, ")"));
        Ok((result, close + 1 - at))
    }

    /// Takes `capabilities = […]` and `extensions = […]` out of arguments, wherever they stand.
    fn requirements<'a>(&mut self, keyword: &Token, parts: Vec<&'a [Token]>) -> Result<(Vec<&'a [Token]>, Vec<Token>)> {
        let (mut extensions, mut capabilities) = (vec![], vec![]);
        let mut rest = vec![];
        for part in parts {
            let [name, equal, open, ..] = part else {
                rest.push(part);
                continue;
            };
            if !equal.is("=") || !open.is("[") {
                rest.push(part);
                continue;
            }
            let close = matching(part, 2).filter(|close| *close == part.len() - 1);
            let Some(close) = close else { return wrong(open, "'[' : expected a list in brackets that match") };
            for item in super::brackets::commas(part.get(3..close).unwrap_or_default()) {
                match &*name.text {
                    "extensions" => match item {
                        [text] if text.kind == Kind::Text => extensions.push(vec![text.clone()]),
                        _ => return wrong(item.first().unwrap_or(name), "'extensions' : expected names in quotes"),
                    },
                    "capabilities" => {
                        let number = self.number(item, name, names::capability)?;
                        capabilities.push(vec![plain(item.first().unwrap_or(name), number)]);
                    }
                    _ => {
                        let what = format!("'{}' : unknown requirement: extensions or capabilities", name.text);
                        return wrong(name, what);
                    }
                }
            }
        }
        let mut lists = vec![];
        for (name, list) in [("extensions", extensions), ("capabilities", capabilities)] {
            if !list.is_empty() {
                let mut tokens = vec![keyword.becomes(Kind::Word, name), keyword.becomes(Kind::Punctuation, "=")];
                tokens.push(keyword.becomes(Kind::Punctuation, "["));
                tokens.extend(join(keyword, list));
                tokens.push(keyword.becomes(Kind::Punctuation, "]"));
                lists.push(tokens);
            }
        }
        Ok((rest, join(keyword, lists)))
    }

    fn value(&self, tokens: &[Token], at: &Token, number: impl Fn(&str) -> Option<u32>) -> Result<Value> {
        let lookup = |name: &str| match self.declared.named(name) {
            Named::Unknown => number(name).map_or(Named::Unknown, |number| Named::Value(Value::Uint(number))),
            known => known,
        };
        evaluate(tokens, at, &lookup).map_err(|(token, what)| Wrong { at: token.place(), what })
    }

    /// The value of an integer expression in which `known` has names.
    fn number(&self, tokens: &[Token], at: &Token, known: impl Fn(&str) -> Option<u32>) -> Result<u32> {
        match self.value(tokens, at, known)? {
            Value::Int(number @ 0..) => Ok(number as u32),
            Value::Uint(number) => Ok(number),
            _ => {
                let at = tokens.first().unwrap_or(at);
                wrong(at, format!("'{}' : expected an integer that is not negative", at.text))
            }
        }
    }

    /// The first argument, which is the number of a decoration or the like, and the others.
    fn numbered<'a>(&self, call: &Call<'a>) -> Result<(u32, Token, Vec<&'a [Token]>)> {
        let Some((first, rest)) = call.parts.split_first() else {
            return wrong(call.keyword, format!("'{}' : needs a number", call.keyword.text));
        };
        let number = self.number(first, call.keyword, |_| None)?;
        Ok((number, first.first().unwrap_or(call.keyword).clone(), rest.to_vec()))
    }

    /// `set = …` and `id = …`, and what is neither.
    fn set_and_id<'a>(&self, call: &Call<'a>) -> Result<Instruction<'a>> {
        let keyword = call.keyword;
        let (mut set, mut id, mut rest) = (None, None, vec![]);
        for part in &call.parts {
            let [name, equal, value @ ..] = part else {
                rest.push(*part);
                continue;
            };
            if !equal.is("=") {
                rest.push(*part);
                continue;
            }
            let again = match &*name.text {
                "set" => set.replace((name, value)).is_some(),
                "id" => id.replace((name, value)).is_some(),
                _ => return wrong(name, format!("'{}' : unknown: set, id, extensions or capabilities", name.text)),
            };
            if again {
                return wrong(name, format!("'{}' : is given twice", name.text));
            }
        }
        let set = match set {
            None => None,
            Some((_, [text])) if text.kind == Kind::Text => Some(text.clone()),
            Some((name, value)) => {
                let number = self.number(value, name, |_| None)?;
                let declared = self.sets.iter().rev().filter(|set| set.from <= call.at);
                let mut found = declared.filter_map(|set| {
                    let value = self.number(&set.number, &set.name, |_| None).ok()?;
                    (value == number).then(|| set.name.clone())
                });
                match found.next() {
                    Some(set) => Some(set),
                    None => {
                        let at = value.first().unwrap_or(name);
                        let what = format!(
                            "'{number}' : no set has this number: declare it before, as in \
                             `[[spirv::set({number}, \"GLSL.std.450\")]]`"
                        );
                        return wrong(at, what);
                    }
                }
            }
        };
        let set = set.filter(|set| &*set.text != "\"\"");
        let Some((name, value)) = id else {
            return wrong(keyword, format!("'{}' : has no `id = …`, the instruction's number", keyword.text));
        };
        let number = self.number(value, name, names::opcode)?;
        Ok(Instruction { set, id: number, at: value.first().unwrap_or(name).clone(), rest })
    }

    fn instruction(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let keyword = call.keyword;
        let Instruction { set, id, at, rest } = self.set_and_id(call)?;
        if let Some(part) = rest.first() {
            let at = part.first().unwrap_or(keyword);
            return wrong(at, format!("'{}' : expected set, id, extensions or capabilities", at.text));
        }
        if set.is_none() {
            check_core(id, &at)?;
            if let Some(reason) = names::forbidden(id) {
                return wrong(&at, format!("'{}' : {reason}", at.text));
            }
        }
        let word = |text: &str| keyword.becomes(Kind::Word, text);
        let equal = keyword.becomes(Kind::Punctuation, "=");
        let mut parts = vec![];
        if let Some(set) = set {
            parts.push(vec![word("set"), equal.clone(), set]);
        }
        parts.push(vec![word("id"), equal, plain(&at, id)]);
        Ok(join(keyword, parts))
    }

    fn type_(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let keyword = call.keyword;
        let Instruction { set, id, at, rest } = self.set_and_id(call)?;
        if let Some(set) = set {
            let what = format!("'{}' : types of extended instruction sets are not supported", set.text);
            return wrong(&set, what);
        }
        check_core(id, &at)?;
        if let Some(name) = names::opcode_name(id).filter(|name| !name.starts_with("Type")) {
            return wrong(&at, format!("'{}' : Op{name} declares no type", at.text));
        }
        let equal = keyword.becomes(Kind::Punctuation, "=");
        let mut parts = vec![vec![keyword.becomes(Kind::Word, "id"), equal, plain(&at, id)]];
        for part in rest {
            parts.push(self.type_parameter(part, keyword)?);
        }
        Ok(join(keyword, parts))
    }

    fn type_parameter(&mut self, part: &[Token], keyword: &Token) -> Result<Vec<Token>> {
        let Some((first, rest)) = part.split_first() else { return wrong(keyword, "',' : a parameter is missing") };
        match rest.first() {
            _ if first.is("spirv_id") => {
                // glslang makes a constant of what stands in brackets, and a literal of what does not.
                let value = match self.value(rest, first, |_| None) {
                    Err(Wrong { at, what }) if what.contains("specialization constant") => {
                        let what = what.replace("a literal is needed", "glslang cannot name it in a type");
                        return Err(Wrong { at, what });
                    }
                    value => value?,
                };
                let punctuation = |text: &str| first.becomes(Kind::Punctuation, text);
                Ok(vec![punctuation("("), value_token(first, value), punctuation(")")])
            }
            None if first.kind == Kind::Text => Ok(part.to_vec()),
            _ if first.is("spirv_type") => {
                let (tokens, length) = self.keyword(part, 0)?;
                match part.get(length) {
                    None => Ok(tokens),
                    Some(more) => wrong(more, format!("'{}' : unexpected after a type", more.text)),
                }
            }
            next if self.is_type(first) && next.is_none_or(|next| !next.is("(")) => match next {
                None => Ok(part.to_vec()),
                Some(next) => wrong(next, format!("'{}' : unexpected after a type", next.text)),
            },
            _ => Ok(vec![value_token(first, self.value(part, keyword, |_| None)?)]),
        }
    }

    fn is_type(&self, token: &Token) -> bool {
        token.kind == Kind::Word
            && (self.declared.is_struct(&token.text)
                || self.declared.named(&token.text) == Named::Unknown && is_type(&token.text))
    }

    fn storage_class(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        match rest.first() {
            None => Ok(vec![plain(&at, number)]),
            Some(part) => {
                let at = part.first().unwrap_or(call.keyword);
                wrong(at, format!("'{}' : a storage class is one number", at.text))
            }
        }
    }

    /// The number that glslang is given for a decoration: its own, or another where it would be taken for a repetition.
    fn decoration(&mut self, number: u32) -> u32 {
        if !self.decorations.contains(&number) {
            self.decorations.push(number);
            return number;
        }
        self.patches.stand_in_for_decoration(number)
    }

    fn literals(&self, parts: &[&[Token]], keyword: &Token, may_be_text: bool) -> Result<Vec<Vec<Token>>> {
        let literal = |part: &&[Token]| match part {
            [text] if text.kind == Kind::Text && may_be_text => Ok(vec![text.clone()]),
            part => Ok(vec![value_token(part.first().unwrap_or(keyword), self.value(part, keyword, |_| None)?)]),
        };
        parts.iter().map(literal).collect()
    }

    fn decorate(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        let rest = self.literals(&rest, call.keyword, false)?;
        let mut parts = vec![vec![plain(&at, self.decoration(number))]];
        parts.extend(rest);
        Ok(join(call.keyword, parts))
    }

    fn decorate_string(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        if rest.is_empty() {
            return wrong(call.keyword, "'spirv_decorate_string' : needs a string");
        }
        let mut parts = vec![vec![plain(&at, self.decoration(number))]];
        for part in rest {
            match part {
                [text] if text.kind == Kind::Text => parts.push(vec![text.clone()]),
                _ => {
                    let at = part.first().unwrap_or(call.keyword);
                    return wrong(at, format!("'{}' : expected a string", at.text));
                }
            }
        }
        Ok(join(call.keyword, parts))
    }

    fn decorate_id(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        if rest.is_empty() {
            return wrong(call.keyword, "'spirv_decorate_id' : needs a variable or a constant");
        }
        let mut parts = vec![vec![plain(&at, self.decoration(number))]];
        for part in rest {
            if let [name] = part
                && name.kind == Kind::Word
                && !matches!(&*name.text, "true" | "false")
            {
                if !self.declared.was_seen(&name.text) {
                    return wrong(name, format!("'{}' : undeclared identifier", name.text));
                }
                if self.declared.is_member(&name.text) {
                    self.doubt(name, format!("`{}` may be a member of a block, which has no id", name.text));
                }
                parts.push(vec![name.clone()]);
                continue;
            }
            let first = part.first().unwrap_or(call.keyword);
            match self.value(part, call.keyword, |_| None) {
                Ok(value) => parts.push(vec![value_token(first, value)]),
                Err(_) => return wrong(first, format!("'{}' : expected a variable or a constant", first.text)),
            }
        }
        Ok(join(call.keyword, parts))
    }

    /// The mode's number that glslang is given, or `None` for a repetition that says nothing new.
    fn mode(&mut self, number: u32, rest: &[Vec<Token>]) -> Option<u32> {
        let rest: String = rest.iter().flatten().map(|token| format!("{} ", token.text)).collect();
        if self.modes.iter().any(|known| *known == (number, rest.clone())) {
            return None;
        }
        let again = self.modes.iter().any(|(known, _)| *known == number);
        self.modes.push((number, rest));
        Some(if again { self.patches.stand_in_for_mode(number) } else { number })
    }

    fn execution_mode(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        let rest = self.literals(&rest, call.keyword, true)?;
        let Some(number) = self.mode(number, &rest) else { return Ok(vec![]) };
        let mut parts = vec![vec![plain(&at, number)]];
        parts.extend(rest);
        Ok(join(call.keyword, parts))
    }

    fn execution_mode_id(&mut self, call: &Call<'_>) -> Result<Vec<Token>> {
        let (number, at, rest) = self.numbered(call)?;
        if rest.is_empty() {
            return wrong(call.keyword, "'spirv_execution_mode_id' : needs constants; spirv_execution_mode takes none");
        }
        let mut operands = vec![];
        for part in rest {
            let Some(first) = part.first() else { return wrong(call.keyword, "',' : an operand is missing") };
            match (part, self.value(part, call.keyword, |_| None)) {
                (_, Ok(value)) => operands.push(vec![value_token(first, value)]),
                ([name], Err(_)) if self.declared.named(&name.text) != Named::Unknown => operands.push(part.to_vec()),
                ([_], Err(wrong)) => return Err(wrong),
                (_, Err(_)) => {
                    let is_special = |token: &Token| self.declared.named(&token.text) == Named::Specialization;
                    if let Some(name) = part.iter().find(|token| is_special(token)) {
                        let what = format!(
                            "'{}' : glslang cannot compute with specialization constants here: give the expression a \
                             name, as in `const uint x = …`",
                            name.text
                        );
                        return wrong(name, what);
                    }
                    self.doubt(first, "the operand of the execution mode may be a specialization constant");
                    operands.push(part.to_vec());
                }
            }
        }
        let Some(number) = self.mode(number, &operands) else { return Ok(vec![]) };
        let mut parts = vec![vec![plain(&at, number)]];
        parts.extend(operands);
        Ok(join(call.keyword, parts))
    }
}

fn check_core(id: u32, at: &Token) -> Result<()> {
    if id > u32::from(u16::MAX) {
        return wrong(at, format!("'{}' : the number of an instruction is 65535 at most, and this is {id}", at.text));
    }
    Ok(())
}
