//! The `[[spirv::…]]` spelling, turned into the official one.
//!
//! In: preprocessed tokens. Out: tokens in which GL_EXT_spirv_intrinsics' own keywords stand in the attributes' places,
//! and the sets that `[[spirv::set(…)]]` numbers. Since macros are expanded already, an attribute may come out of any
//! number of them. Arguments are passed on as they are; `qualifiers.rs` reads them, whatever the spelling.
//!
//! Capabilities and extensions may stand on anything, also on definitions of functions, where the official spelling has no
//! place for them. They go to the end of the source, as a prototype that nobody calls: that is enough to declare them.

use super::Extension;
use super::brackets::matching;
use crate::pp::{Kind, Token, Wrong};
use std::rc::Rc;

/// What becomes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A qualifier in front of a prototype, which it has to be next to.
    Instruction,
    /// A qualifier with arguments.
    Qualifier(&'static str),
    /// A qualifier without arguments.
    Bare(&'static str),
    /// A declaration of its own.
    Statement(&'static str),
    Capability,
    Extension,
    Set,
}

const ATTRIBUTES: &[(&str, Form)] = &[
    ("instruction", Form::Instruction),
    ("type", Form::Qualifier("spirv_type")),
    ("storage_class", Form::Qualifier("spirv_storage_class")),
    ("decorate", Form::Qualifier("spirv_decorate")),
    ("decorate_id", Form::Qualifier("spirv_decorate_id")),
    ("decorate_string", Form::Qualifier("spirv_decorate_string")),
    ("literal", Form::Bare("spirv_literal")),
    ("reference", Form::Bare("spirv_by_reference")),
    ("by_reference", Form::Bare("spirv_by_reference")),
    ("execution_mode", Form::Statement("spirv_execution_mode")),
    ("execution_mode_id", Form::Statement("spirv_execution_mode_id")),
    ("capability", Form::Capability),
    ("extension", Form::Extension),
    ("set", Form::Set),
];

/// Name of the prototype that carries requirements.
const CARRIER: &str = "spirv_requirements_of_attributes";

/// A set that has a number.
pub(super) struct NumberedSet {
    /// How many tokens stand before its declaration.
    pub from: usize,
    pub number: Vec<Token>,
    pub name: Token,
}

/// What became of a source.
pub(super) struct Translated {
    pub tokens: Vec<Token>,
    pub sets: Vec<NumberedSet>,
}

struct Attribute<'a> {
    form: Form,
    name: &'a Token,
    /// Between the brackets; `None` without brackets.
    arguments: Option<&'a [Token]>,
}

fn wrong<T>(at: &Token, what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at: at.place(), what: what.into() })
}

/// Whether `[[`, a name and `::` stand at `at`.
fn opens(tokens: &[Token], at: usize) -> bool {
    let is = |ahead: usize, text: &str| tokens.get(at + ahead).is_some_and(|token| token.is(text));
    is(0, "[") && is(1, "[") && tokens.get(at + 2).is_some_and(|token| token.kind == Kind::Word) && is(3, "::")
}

/// The attributes between `[[` at `at` and `]]`, and how many tokens they take.
fn group(tokens: &[Token], at: usize) -> Result<(Vec<Attribute<'_>>, usize), Wrong> {
    let Some(open) = tokens.get(at) else { return Ok((vec![], 0)) };
    let close = matching(tokens, at + 1).filter(|close| tokens.get(close + 1).is_some_and(|token| token.is("]")));
    let Some(close) = close else { return wrong(open, "'[[' : the attribute has no `]]`") };
    let mut attributes = vec![];
    for part in super::brackets::commas(tokens.get(at + 2..close).unwrap_or_default()) {
        let [space, colons, name, arguments @ ..] = part else {
            let at = part.first().unwrap_or(open);
            return wrong(at, format!("'{}' : expected an attribute such as `spirv::instruction(…)`", at.text));
        };
        if !space.is("spirv") || !colons.is("::") {
            let what =
                format!("'{}' : unknown attribute; those of other kinds go into brackets of their own", space.text);
            return wrong(space, what);
        }
        let Some((_, form)) = ATTRIBUTES.iter().find(|(known, _)| name.is(known)) else {
            let known: Vec<&str> = ATTRIBUTES.iter().map(|(known, _)| *known).collect();
            return wrong(name, format!("'{}' : unknown attribute of `spirv`: one of {}", name.text, known.join(", ")));
        };
        let arguments = match arguments {
            [] => None,
            [open, inner @ .., _] if open.is("(") && matching(arguments, 0) == Some(arguments.len() - 1) => Some(inner),
            [other, ..] => return wrong(other, format!("'{}' : unexpected in an attribute", other.text)),
        };
        if arguments.is_some() == matches!(form, Form::Bare(_)) {
            let what = if arguments.is_some() { "takes no arguments" } else { "needs arguments in brackets" };
            return wrong(name, format!("'{}' : the attribute {what}", name.text));
        }
        attributes.push(Attribute { form: *form, name, arguments });
    }
    Ok((attributes, close + 2 - at))
}

/// Collects what goes to the end of the source.
#[derive(Default)]
struct Requirements {
    extensions: Vec<Token>,
    capabilities: Vec<Token>,
}

fn append(list: &mut Vec<Token>, at: &Token, tokens: &[Token]) {
    if !list.is_empty() {
        list.push(at.becomes(Kind::Punctuation, ","));
    }
    list.extend_from_slice(tokens);
}

impl Requirements {
    /// The prototype that carries them, with the extension on.
    fn carrier(self, last: &Token, is_on: bool) -> Vec<Token> {
        let punctuation = |text: &str| last.becomes(Kind::Punctuation, text);
        let word = |text: &str| last.becomes(Kind::Word, text);
        let mut tokens = vec![];
        if !is_on {
            tokens.push(last.becomes(Kind::Break, "#extension GL_EXT_spirv_intrinsics : enable"));
        }
        tokens.extend([word("spirv_instruction"), punctuation("(")]);
        for (name, list) in [("extensions", self.extensions), ("capabilities", self.capabilities)] {
            if !list.is_empty() {
                tokens.extend([word(name), punctuation("="), punctuation("[")]);
                tokens.extend(list);
                tokens.extend([punctuation("]"), punctuation(",")]);
            }
        }
        tokens.extend([word("id"), punctuation("="), last.becomes(Kind::Number, "1"), punctuation(")")]);
        tokens.extend([word("void"), word(CARRIER), punctuation("("), punctuation(")"), punctuation(";")]);
        // Its place is the end of the source, wherever its parts were written.
        tokens.into_iter().map(|token| token.moved_to(last.used)).collect()
    }
}

/// Translates all attributes of `spirv`. Others stay.
pub(super) fn translate(tokens: Vec<Token>) -> Result<Translated, Wrong> {
    let mut result = Translated { tokens: Vec::with_capacity(tokens.len()), sets: vec![] };
    let mut requirements = Requirements::default();
    let mut extension = Extension::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if !opens(&tokens, at) {
            extension.see(token);
            result.tokens.push(token.clone());
            at += 1;
            continue;
        }
        if !extension.is_on {
            let space = tokens.get(at + 2).unwrap_or(token);
            let what = match space.is("spirv") {
                true => {
                    "'spirv' : attributes of `spirv` need `#extension GL_EXT_spirv_intrinsics : enable` before them"
                        .to_string()
                }
                false => format!("'{}' : unknown attribute", space.text),
            };
            return wrong(space, what);
        }
        // Attributes that stand side by side belong together.
        let mut attributes = vec![];
        while opens(&tokens, at) {
            let (found, length) = group(&tokens, at)?;
            attributes.extend(found);
            at += length;
        }
        let stands_alone = attributes
            .iter()
            .all(|one| matches!(one.form, Form::Statement(_) | Form::Capability | Form::Extension | Form::Set));
        if stands_alone && tokens.get(at).is_some_and(|next| next.is(";")) {
            at += 1;
        }
        // glslang wants declarations and then the instruction in front of other qualifiers.
        attributes.sort_by_key(|one| match one.form {
            Form::Statement(_) | Form::Set => 0,
            Form::Instruction => 1,
            _ => 2,
        });
        for attribute in &attributes {
            emit(attribute, &mut result, &mut requirements)?;
        }
    }
    let any = !(requirements.extensions.is_empty() && requirements.capabilities.is_empty());
    if let Some(last) = tokens.iter().rev().find(|token| token.used.file == 0).filter(|_| any) {
        let carrier = requirements.carrier(last, extension.is_on);
        result.tokens.extend(carrier);
    }
    Ok(result)
}

fn emit(attribute: &Attribute<'_>, result: &mut Translated, requirements: &mut Requirements) -> Result<(), Wrong> {
    let Attribute { form, name, arguments } = attribute;
    let punctuation = |text: &str| name.becomes(Kind::Punctuation, text);
    let arguments = arguments.unwrap_or_default();
    let mut call = |keyword: &str, end: &[&str]| {
        result.tokens.push(name.becomes(Kind::Word, keyword));
        result.tokens.push(punctuation("("));
        result.tokens.extend_from_slice(arguments);
        result.tokens.push(punctuation(")"));
        result.tokens.extend(end.iter().map(|text| punctuation(text)));
    };
    match form {
        Form::Instruction => call("spirv_instruction", &[]),
        Form::Qualifier(keyword) => call(keyword, &[]),
        Form::Statement(keyword) => call(keyword, &[";"]),
        Form::Bare(keyword) => result.tokens.push(name.becomes(Kind::Word, keyword)),
        Form::Capability | Form::Extension if arguments.is_empty() => {
            return wrong(name, format!("'{}' : the attribute needs arguments in brackets", name.text));
        }
        Form::Capability => append(&mut requirements.capabilities, name, arguments),
        Form::Extension => append(&mut requirements.extensions, name, arguments),
        Form::Set => {
            let parts = super::brackets::commas(arguments);
            let [number, [set]] = parts.as_slice() else {
                return wrong(name, "'set' : expected a number and a name, as in `spirv::set(1, \"GLSL.std.450\")`");
            };
            if set.kind != Kind::Text {
                return wrong(set, format!("'{}' : expected the name of a set in quotes", set.text));
            }
            result.sets.push(NumberedSet { from: result.tokens.len(), number: number.to_vec(), name: set.clone() });
        }
    }
    Ok(())
}

impl Extension {
    /// Looks at a directive.
    pub(super) fn see(&mut self, token: &Token) {
        if !token.is_directive() {
            return;
        }
        let words: Rc<str> = token.text.replace([':', '#'], " ").into();
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["extension", "GL_EXT_spirv_intrinsics", behaviour] => self.is_on = *behaviour != "disable",
            ["extension", "all", behaviour] => self.is_on = *behaviour == "warn",
            _ => {}
        }
    }
}
