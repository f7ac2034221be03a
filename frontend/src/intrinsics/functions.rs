//! Prototypes of instructions, functions with the extension's qualifiers on them, and calls.
//!
//! In: tokens as `qualifiers.rs` leaves them. Out: the same with parameters and results mended: what glslang ignores or
//! gets wrong there is written in a way that it gets right, or taken out and noted in [`Patches`], which does the rest to
//! the SPIR-V words. What has no meaning is an error here.

use super::brackets::{arguments, matching};
use super::constants;
use super::patch::{Decoration, FunctionPatch, InstructionPatch, Passing, Patches};
use super::qualifiers::wrong;
use super::{Extension, names};
use crate::pp::{Kind, Token, Wrong};
use std::collections::HashMap;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Wrong>;

/// Keywords that brackets follow without making a function of them.
const NOT_FUNCTIONS: &[&str] = &[
    "layout",
    "spirv_type",
    "spirv_decorate",
    "spirv_decorate_id",
    "spirv_decorate_string",
    "spirv_storage_class",
    "spirv_execution_mode",
    "spirv_execution_mode_id",
    "spirv_instruction",
    "if",
    "for",
    "while",
    "switch",
    "return",
    "subroutine",
    "tileImageEXT",
];

/// Qualifiers of parameters that stand before the type.
const BEFORE_TYPES: &[&str] = &[
    "highp",
    "mediump",
    "lowp",
    "precise",
    "coherent",
    "volatile",
    "restrict",
    "readonly",
    "writeonly",
    "nonuniformEXT",
    "invariant",
    "devicecoherent",
    "queuefamilycoherent",
    "workgroupcoherent",
    "subgroupcoherent",
    "nonprivate",
];

/// A parameter taken apart.
#[derive(Default)]
struct Parameter {
    by_reference: Option<Token>,
    literal: Option<Token>,
    is_const: Option<Token>,
    /// `in`, `out` or `inout`.
    direction: Option<Token>,
    decorations: Vec<Vec<Token>>,
    /// Type, name and what else there is.
    rest: Vec<Token>,
}

impl Parameter {
    fn new(tokens: &[Token]) -> Parameter {
        let mut result = Parameter::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match &*token.text {
                "spirv_by_reference" => result.by_reference = Some(token.clone()),
                "spirv_literal" => result.literal = Some(token.clone()),
                "const" => result.is_const = Some(token.clone()),
                "in" | "out" | "inout" => result.direction = Some(token.clone()),
                "spirv_decorate" | "spirv_decorate_id" | "spirv_decorate_string" => {
                    let close = matching(tokens, at).unwrap_or(at);
                    result.decorations.push(tokens.get(at - 1..=close).unwrap_or_default().to_vec());
                    at = close + 1;
                }
                _ => result.rest.push(token.clone()),
            }
        }
        result
    }

    fn is_special(&self) -> bool {
        self.by_reference.is_some() || self.literal.is_some() || !self.decorations.is_empty()
    }

    /// An error where what stands before a function's name has qualifiers that only parameters can have.
    fn is_result(&self) -> Result<()> {
        match self.literal.as_ref().or(self.by_reference.as_ref()) {
            Some(qualifier) => wrong(qualifier, format!("'{}' : only parameters can be so", qualifier.text)),
            None => Ok(()),
        }
    }

    /// The type's name, and whether it is an array's.
    fn type_name(&self) -> Option<(Rc<str>, bool)> {
        let at = self.rest.iter().position(|token| !BEFORE_TYPES.contains(&&*token.text))?;
        let name = self.rest.get(at)?;
        let is_array = self.rest.iter().any(|token| token.is("["));
        Some((name.text.clone(), is_array))
    }

    /// The parameter's name.
    fn name(&self) -> Option<Rc<str>> {
        let at = self.rest.iter().position(|token| !BEFORE_TYPES.contains(&&*token.text))?;
        let mut rest = self.rest.get(at + 1..)?;
        while let Some(close) = rest.first().filter(|next| next.is("(") || next.is("[")).and(matching(rest, 0)) {
            rest = rest.get(close + 1..)?;
        }
        rest.first().filter(|token| token.kind == Kind::Word).map(|token| token.text.clone())
    }
}

/// What a call has to know about a prototype.
struct Callee {
    passing: Vec<Passing>,
    /// Name of the instruction, where it is a core one that is known.
    opcode: Option<&'static str>,
}

struct Functions<'p> {
    patches: &'p mut Patches,
    instructions: HashMap<Rc<str>, Vec<Callee>>,
    /// Functions that are none of instructions, with their number of parameters.
    users: Vec<(Rc<str>, usize)>,
    /// Parameters of the current function that the source takes by reference.
    references: Vec<Rc<str>>,
    /// How often each word stands where it is no member.
    words: HashMap<Rc<str>, u32>,
    carried: Vec<Vec<Token>>,
    result: Vec<Token>,
}

/// Rewrites functions and checks calls.
pub(super) fn rewrite(tokens: &[Token], patches: &mut Patches) -> Result<Vec<Token>> {
    let mut words = HashMap::new();
    for pair in tokens.windows(2) {
        if let [before, word] = pair
            && word.kind == Kind::Word
            && !before.is(".")
        {
            *words.entry(word.text.clone()).or_insert(0) += 1;
        }
    }
    let mut functions = Functions {
        patches,
        instructions: HashMap::new(),
        users: vec![],
        references: vec![],
        words,
        carried: vec![],
        result: Vec::with_capacity(tokens.len()),
    };
    functions.source(tokens)?;
    Ok(functions.result)
}

impl Functions<'_> {
    fn source(&mut self, tokens: &[Token]) -> Result<()> {
        let mut extension = Extension::default();
        let (mut at, mut depth, mut brackets, mut statement) = (0, 0u32, 0i64, 0);
        let mut assigns = false;
        while let Some(token) = tokens.get(at) {
            extension.see(token);
            match &*token.text {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.references.clear();
                    }
                }
                "(" => brackets += 1,
                ")" => brackets -= 1,
                // In brackets it belongs to a qualifier.
                "=" if brackets == 0 => assigns = true,
                _ => {}
            }
            let opens = tokens.get(at + 1).is_some_and(|next| next.is("("));
            let is_name = token.kind == Kind::Word && opens && !NOT_FUNCTIONS.contains(&&*token.text);
            if extension.is_on && token.is("spirv_instruction") {
                at = self.instruction(tokens, at)?;
                (statement, assigns) = (self.result.len(), false);
                continue;
            }
            if extension.is_on
                && is_name
                && depth == 0
                && !assigns
                && let Some(after) = self.function(tokens, at, statement)?
            {
                at = after;
                continue;
            }
            if is_name && self.instructions.contains_key(&token.text) {
                self.call(tokens, at)?;
            }
            self.result.push(token.clone());
            at += 1;
            if token.is_directive() || matches!(&*token.text, ";" | "{" | "}") {
                (statement, assigns, brackets) = (self.result.len(), false, 0);
            }
        }
        self.carry(tokens, &extension);
        Ok(())
    }

    /// Puts requirements of decorations that were taken out into prototypes that nobody calls.
    fn carry(&mut self, tokens: &[Token], extension: &Extension) {
        let Some(last) = tokens.iter().rev().find(|token| token.used.file == 0) else { return };
        let word = |text: &str| last.becomes(Kind::Word, text);
        let punctuation = |text: &str| last.becomes(Kind::Punctuation, text);
        if !self.carried.is_empty() && !extension.is_on {
            self.result.push(last.becomes(Kind::Break, "#extension GL_EXT_spirv_intrinsics : enable"));
        }
        for (number, requirements) in std::mem::take(&mut self.carried).into_iter().enumerate() {
            self.result.extend([word("spirv_instruction"), punctuation("(")]);
            self.result.extend(requirements.into_iter().map(|token| token.moved_to(last.used)));
            self.result.extend([punctuation(","), word("id"), punctuation("="), last.becomes(Kind::Number, "1")]);
            self.result.extend([punctuation(")"), word("int")]);
            self.result.push(word(&format!("spirv_requirements_of_decoration_{number}")));
            self.result.extend([punctuation("("), punctuation(")"), punctuation(";")]);
        }
    }

    /// A prototype of an instruction, of which the qualifier is at `at`. Gives where it ends.
    fn instruction(&mut self, tokens: &[Token], at: usize) -> Result<usize> {
        let Some(keyword) = tokens.get(at) else { return Ok(at + 1) };
        let no_prototype = || wrong(keyword, "'spirv_instruction' : the prototype of a function has to follow");
        let Some((qualifiers, close)) = arguments(tokens, at + 1) else { return no_prototype() };
        let mut name_at = close + 1;
        let name = loop {
            match tokens.get(name_at) {
                Some(token) if token.kind == Kind::Word => {
                    if !tokens.get(name_at + 1).is_some_and(|next| next.is("(")) {
                        name_at += 1;
                    } else if !NOT_FUNCTIONS.contains(&&*token.text) {
                        break token;
                    } else {
                        let Some(end) = matching(tokens, name_at + 1) else { return no_prototype() };
                        name_at = end + 1;
                    }
                }
                Some(token) if token.is("[") => match matching(tokens, name_at) {
                    Some(end) => name_at = end + 1,
                    None => return no_prototype(),
                },
                _ => return no_prototype(),
            }
        };
        let Some((parameters, end)) = arguments(tokens, name_at + 1) else { return no_prototype() };
        match tokens.get(end + 1) {
            Some(next) if next.is(";") => {}
            Some(next) if next.is("{") => {
                return wrong(name, format!("'{}' : is an instruction, and so has no body", name.text));
            }
            next => {
                return wrong(next.unwrap_or(name), format!("'{}' : expected `;` after the prototype", name.text));
            }
        }
        let find = |key: &str| {
            let found = qualifiers.iter().find(|part| part.first().is_some_and(|word| word.is(key)));
            found.and_then(|part| part.get(2)).cloned()
        };
        let set = find("set").map(|set| set.text.trim_matches('"').to_string());
        let id = find("id").and_then(|id| constants::number(&id.text)).map_or(0, |value| value.word());
        let returns = Parameter::new(tokens.get(close + 1..name_at).unwrap_or_default());
        returns.is_result()?;
        let is_void = returns.type_name().is_some_and(|(name, _)| &*name == "void");
        let mut decorations = vec![];
        for decoration in &returns.decorations {
            if is_void {
                return wrong(name, format!("'{}' : has no result that could be decorated", name.text));
            }
            decorations.push(self.decoration(decoration)?);
        }
        let mut passing = vec![];
        let mut written: Vec<Vec<Token>> = vec![];
        for (index, part) in parameters.iter().enumerate() {
            let (how, tokens) = instruction_parameter(part, name, index, set.is_some())?;
            if !matches!(part, [only] if only.is("void")) {
                passing.push(how);
            }
            written.push(tokens);
        }
        if let Some(gives) = names::gives_result(id).filter(|gives| set.is_none() && *gives == is_void) {
            let opcode = names::opcode_name(id).unwrap_or_default();
            let what = if gives { "gives a result, and the function is void" } else { "gives no result" };
            return wrong(name, format!("'{}' : Op{opcode} {what}", name.text));
        }
        let callee = Callee { passing: passing.clone(), opcode: names::opcode_name(id).filter(|_| set.is_none()) };
        self.instructions.entry(name.text.clone()).or_default().push(callee);
        let literal_in_set = set.is_some() && passing.contains(&Passing::Literal);
        let patch = InstructionPatch { set, id, is_void, name: name.text.to_string(), passing, decorations };
        let id = self.patches.instruction(patch, literal_in_set);
        // Written again, with the number that glslang is to use.
        for token in tokens.get(at..=close).unwrap_or_default() {
            self.result.push(token.clone());
        }
        if let (Some(id), Some(last)) = (id, self.result.len().checked_sub(2)) {
            // The last argument is `id = NUMBER`.
            if let Some(number) = self.result.get_mut(last) {
                *number = number.becomes(Kind::Number, &id.to_string());
            }
        }
        self.result.extend(returns.is_const);
        self.result.extend(returns.rest);
        self.parameters(name, written);
        self.result.extend(tokens.get(end + 1).cloned());
        Ok(end + 2)
    }

    /// A name and parameters in brackets.
    fn parameters(&mut self, name: &Token, written: Vec<Vec<Token>>) {
        self.result.push(name.clone());
        self.result.push(name.becomes(Kind::Punctuation, "("));
        for (index, tokens) in written.into_iter().enumerate() {
            if index > 0 {
                self.result.push(name.becomes(Kind::Punctuation, ","));
            }
            self.result.extend(tokens);
        }
        self.result.push(name.becomes(Kind::Punctuation, ")"));
    }

    /// A function of GLSL whose name is at `at`, if it is one and has qualifiers of the extension. What stands before the
    /// name is in the result, from `statement` on. Gives where its parameters end.
    fn function(&mut self, tokens: &[Token], at: usize, statement: usize) -> Result<Option<usize>> {
        let (Some(name), Some((parts, end))) = (tokens.get(at), arguments(tokens, at + 1)) else { return Ok(None) };
        let ends = tokens.get(end + 1).is_some_and(|next| next.is("{") || next.is(";"));
        if !ends || self.result.len() == statement {
            return Ok(None);
        }
        let parameters: Vec<Parameter> = parts.iter().map(|part| Parameter::new(part)).collect();
        self.users.push((name.text.clone(), parameters.len()));
        let returns = Parameter::new(self.result.get(statement..).unwrap_or_default());
        returns.is_result()?;
        if !returns.is_special() && !parameters.iter().any(Parameter::is_special) {
            return Ok(None);
        }
        let types: Vec<_> = parameters.iter().map(|parameter| parameter.type_name().and_then(mangled)).collect();
        for decoration in &returns.decorations {
            let decoration = self.decoration(decoration)?;
            self.decorate(name, &types, None, decoration);
        }
        self.result.truncate(statement);
        self.result.extend(returns.is_const);
        self.result.extend(returns.rest);
        let mut written = vec![];
        for (index, parameter) in parameters.into_iter().enumerate() {
            for decoration in &parameter.decorations {
                let decoration = self.decoration(decoration)?;
                self.decorate(name, &types, Some(index), decoration);
            }
            let mut tokens = vec![];
            match (&parameter.by_reference, &parameter.is_const, &parameter.direction) {
                (None, is_const, direction) => tokens.extend(is_const.iter().chain(direction).cloned()),
                // Only read: a copy does.
                (Some(_), Some(is_const), _) => tokens.push(is_const.clone()),
                (Some(_), None, Some(out)) if out.is("out") => tokens.push(out.clone()),
                (Some(reference), None, _) => tokens.push(reference.becomes(Kind::Word, "inout")),
            }
            if parameter.by_reference.is_some() && tokens.iter().all(|token| !token.is("const")) {
                self.references.extend(parameter.name());
            }
            // That is an error, and glslang says which.
            tokens.extend(parameter.literal.clone());
            tokens.extend(parameter.rest);
            written.push(tokens);
        }
        if tokens.get(end + 1).is_some_and(|next| next.is(";")) {
            self.references.clear();
        }
        self.parameters(name, written);
        Ok(Some(end + 1))
    }

    fn decorate(&mut self, name: &Token, types: &[Option<String>], on: Option<usize>, decoration: Decoration) {
        let patch = FunctionPatch { name: name.text.to_string(), types: types.to_vec(), on, decoration };
        self.patches.function(patch);
    }

    /// A decoration as words. Its requirements are carried on.
    fn decoration(&mut self, tokens: &[Token]) -> Result<Decoration> {
        let Some((keyword, rest)) = tokens.split_first() else { return Ok(Decoration::default()) };
        if keyword.is("spirv_decorate_id") {
            let what =
                "'spirv_decorate_id' : is not supported on parameters and results, which have no place for other ids";
            return wrong(keyword, what);
        }
        let parts = arguments(rest, 0).map_or(vec![], |(parts, _)| parts);
        let (requirements, parts): (Vec<&[Token]>, Vec<&[Token]>) =
            parts.into_iter().partition(|part| part.get(1).is_some_and(|equal| equal.is("=")));
        let mut carried: Vec<Token> = vec![];
        for part in requirements {
            if !carried.is_empty() {
                carried.push(keyword.becomes(Kind::Punctuation, ","));
            }
            carried.extend_from_slice(part);
        }
        if !carried.is_empty() {
            self.carried.push(carried);
        }
        let mut words = vec![];
        for (index, token) in parts.iter().filter_map(|part| part.first()).enumerate() {
            match token.kind {
                Kind::Text => words.extend(string_words(&unescaped(&token.text))),
                Kind::Number => words.extend(constants::number(&token.text).map(|value| value.word())),
                _ => words.push(u32::from(token.is("true"))),
            }
            if let (0, Some(word)) = (index, words.first_mut()) {
                *word = self.patches.real_decoration(*word);
            }
        }
        Ok(Decoration { is_string: keyword.is("spirv_decorate_string"), words })
    }

    /// Checks the arguments that an instruction takes by reference.
    fn call(&mut self, tokens: &[Token], at: usize) -> Result<()> {
        let Some(name) = tokens.get(at) else { return Ok(()) };
        let Some((parts, _)) = arguments(tokens, at + 1) else {
            return wrong(name, format!("'{}' : the brackets of its arguments do not match", name.text));
        };
        let count = parts.len();
        let callees: Vec<&Callee> = self.instructions.get(&name.text).into_iter().flatten().collect();
        let callees: Vec<&Callee> = callees.into_iter().filter(|callee| callee.passing.len() == count).collect();
        if callees.is_empty() || self.users.iter().any(|(user, arity)| (user, *arity) == (&name.text, count)) {
            return Ok(());
        }
        for (index, part) in parts.iter().enumerate() {
            if !callees.iter().all(|callee| callee.passing.get(index) == Some(&Passing::Reference)) {
                continue;
            }
            let first = part.first().unwrap_or(name);
            if let Some(problem) = self.no_reference(part) {
                let what = format!(
                    "'{}' : takes argument {} by reference, and {problem}; put it into a variable first",
                    name.text,
                    index + 1
                );
                return wrong(first, what);
            }
            let atomic = callees.iter().filter_map(|callee| callee.opcode).find(|name| name.starts_with("Atomic"));
            if let Some(opcode) = atomic.filter(|_| self.references.contains(&first.text)) {
                let what = format!(
                    "'{}' : Op{opcode} would act on a copy: a function of GLSL takes `{}` in and hands it back when it \
                     returns; name the variable itself here",
                    name.text, first.text
                );
                return wrong(first, what);
            }
        }
        Ok(())
    }

    /// Why an argument is nothing that has an address; `None` where it may have one.
    fn no_reference(&self, argument: &[Token]) -> Option<String> {
        let value = || Some("this is a value".to_string());
        let (first, mut rest) = argument.split_first()?;
        if first.is("(") {
            let close = matching(argument, 0)?;
            let problem = self.no_reference(argument.get(1..close)?);
            if problem.is_some() {
                return problem;
            }
            rest = argument.get(close + 1..)?;
        } else if first.kind != Kind::Word || matches!(&*first.text, "true" | "false") {
            return value();
        }
        let mut last_member: Option<&Token> = None;
        loop {
            match rest {
                [] => break,
                [dot, member, after @ ..] if dot.is(".") && member.kind == Kind::Word => {
                    (last_member, rest) = (Some(member), after);
                }
                [open, ..] if open.is("[") => {
                    let close = matching(rest, 0)?;
                    (last_member, rest) = (None, rest.get(close + 1..)?);
                }
                _ => return value(),
            }
        }
        let member = last_member?;
        let is_swizzle = ["xyzw", "rgba", "stpq"].iter().any(|set| member.text.chars().all(|c| set.contains(c)));
        // A word that stands elsewhere may be the name of a member.
        let is_member = self.words.contains_key(&member.text);
        (member.text.len() > 1 && is_swizzle && !is_member)
            .then(|| format!("`.{}` is several components of a vector", member.text))
    }
}

/// How an instruction takes a parameter, and how that is written for glslang.
fn instruction_parameter(part: &[Token], name: &Token, index: usize, in_set: bool) -> Result<(Passing, Vec<Token>)> {
    let parameter = Parameter::new(part);
    let number = index + 1;
    let mut tokens = vec![];
    if let Some(decoration) = parameter.decorations.iter().filter_map(|decoration| decoration.first()).next() {
        let what = format!(
            "'{}' : parameter {number} of the instruction `{}` has no id of its own: decorate the variable that is passed",
            decoration.text, name.text
        );
        return wrong(decoration, what);
    }
    let how = match (&parameter.by_reference, &parameter.literal, &parameter.direction) {
        (Some(_), Some(literal), _) => {
            return wrong(literal, "'spirv_literal' : a parameter is a literal or a reference, and not both");
        }
        (None, _, Some(direction)) if !direction.is("in") => {
            let what = format!(
                "'{}' : an instruction cannot write to parameter {number} of `{}` unless it is spirv_by_reference",
                direction.text, name.text
            );
            return wrong(direction, what);
        }
        (Some(reference), ..) => {
            // `const`, `in` or `inout` would make glslang pass the value.
            tokens.push(reference.clone());
            Passing::Reference
        }
        (_, Some(literal), _) => {
            // glslang writes 0 for literals of sets. It is given a constant instead, whose value takes the id's place.
            if !in_set {
                tokens.push(literal.clone());
            }
            Passing::Literal
        }
        _ => {
            tokens.extend(parameter.is_const.iter().chain(&parameter.direction).cloned());
            Passing::Value
        }
    };
    tokens.extend(parameter.rest);
    Ok((how, tokens))
}

/// How glslang spells a type in the names of functions; `None` where that is not needed here.
fn mangled((name, is_array): (Rc<str>, bool)) -> Option<String> {
    const SCALARS: &[(&str, &str)] = &[("float", "f"), ("int", "i"), ("uint", "u"), ("bool", "b"), ("double", "d")];
    const VECTORS: &[(&str, &str)] = &[("vec", "f"), ("ivec", "i"), ("uvec", "u"), ("bvec", "b"), ("dvec", "d")];
    if is_array {
        return None;
    }
    if let Some((_, letter)) = SCALARS.iter().find(|(scalar, _)| *scalar == &*name) {
        return Some(format!("{letter}1"));
    }
    let vector = |(stem, letter): &(&str, &str)| {
        let size = name.strip_prefix(stem).filter(|size| matches!(*size, "2" | "3" | "4"))?;
        Some(format!("v{letter}{size}"))
    };
    VECTORS.iter().find_map(vector)
}

/// The bytes that a literal string means, by the escapes of the extension's §3.1.
fn unescaped(text: &str) -> Vec<u8> {
    const SIMPLE: &[(u8, u8)] =
        &[(b'a', 7), (b'b', 8), (b'f', 12), (b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'v', 11)];
    let inner = text.strip_prefix('"').unwrap_or(text);
    let mut rest = inner.strip_suffix('"').unwrap_or(inner).as_bytes();
    let mut result = vec![];
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let escaped = after;
        let (b'\\', Some((escape, after))) = (*byte, escaped.split_first()) else {
            result.push(*byte);
            continue;
        };
        rest = after;
        let (base, digits) = match escape {
            b'x' => (16, after),
            b'0'..=b'7' => (8, escaped),
            _ => {
                let simple = SIMPLE.iter().find(|(letter, _)| letter == escape);
                result.push(simple.map_or(*escape, |(_, byte)| *byte));
                continue;
            }
        };
        let longest = if base == 8 { 3 } else { digits.len() };
        let length = digits.iter().take(longest).take_while(|digit| char::from(**digit).is_digit(base)).count();
        let value = digits.iter().take(length).fold(0u32, |value, digit| {
            value.wrapping_mul(base).wrapping_add(char::from(*digit).to_digit(base).unwrap_or(0))
        });
        result.push(value as u8);
        rest = digits.get(length..).unwrap_or_default();
    }
    result
}

/// A string as words of an instruction.
fn string_words(text: &[u8]) -> Vec<u32> {
    let mut bytes = text.to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read() {
        let cases: &[(&str, &[u8])] = &[
            (r#""""#, b""),
            (r#""a b""#, b"a b"),
            (r#""\"\\\n\?""#, b"\"\\\n?"),
            (r#""\x41\101\0601""#, b"AA01"),
            (r#""\x""#, b"\0"),
            (r#""\""#, b"\\"),
        ];
        for (text, expected) in cases {
            assert_eq!(unescaped(text), *expected, "{text}");
        }
        assert_eq!(string_words(b"abc"), [0x0063_6261]);
        assert_eq!(string_words(b"abcd"), [0x6463_6261, 0]);
    }
}
