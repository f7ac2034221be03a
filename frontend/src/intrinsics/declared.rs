//! What the source declares, as far as the qualifiers' arguments have to know: constants with values, specialisation
//! constants, structs.
//!
//! In: tokens, one after the other. Out: what a name stands for at that point. Scopes are followed by braces. A name that
//! something other than a constant hides is no constant.

use super::brackets::commas;
use super::constants::{Named, evaluate};
use crate::pp::{Kind, Token};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Names by scope.
pub(super) struct Declared {
    scopes: Vec<HashMap<Rc<str>, Named>>,
    structs: HashSet<Rc<str>>,
    /// All words that have been seen, and those in blocks.
    seen: HashSet<Rc<str>>,
    members: HashSet<Rc<str>>,
    /// Names of the parameters of the function whose body may begin next.
    parameters: Vec<Rc<str>>,
    brackets: i64,
    /// Where the current declaration begins.
    start: usize,
}

impl Default for Declared {
    fn default() -> Declared {
        Declared {
            scopes: vec![HashMap::new()],
            structs: HashSet::new(),
            seen: HashSet::new(),
            members: HashSet::new(),
            parameters: vec![],
            brackets: 0,
            start: 0,
        }
    }
}

/// Words that stand before a name without making a declaration of it.
const NO_TYPES: &[&str] = &[
    "return",
    "else",
    "do",
    "case",
    "in",
    "out",
    "inout",
    "const",
    "uniform",
    "buffer",
    "shared",
    "flat",
    "highp",
    "mediump",
    "lowp",
    "precise",
    "invariant",
    "struct",
    "discard",
    "spirv_by_reference",
    "spirv_literal",
];

impl Declared {
    /// Takes note of the token at `at`.
    pub fn see(&mut self, tokens: &[Token], at: usize) {
        let Some(token) = tokens.get(at) else { return };
        match &*token.text {
            "(" => self.brackets += 1,
            ")" => self.brackets -= 1,
            "{" => {
                let parameters = std::mem::take(&mut self.parameters);
                self.scopes.push(parameters.into_iter().map(|name| (name, Named::Other)).collect());
                (self.start, self.brackets) = (at + 1, 0);
            }
            "}" => {
                if self.scopes.len() > 1 {
                    self.scopes.pop();
                }
                (self.start, self.brackets) = (at + 1, 0);
            }
            ";" => {
                self.parameters.clear();
                self.start = at + 1;
            }
            "const" if self.brackets == 0 => self.constants(tokens, at),
            _ if token.kind == Kind::Word => self.word(tokens, at, token),
            _ => {}
        }
    }

    fn word(&mut self, tokens: &[Token], at: usize, token: &Token) {
        self.seen.insert(token.text.clone());
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let follows_type = before.is_some_and(|before| {
            (before.kind == Kind::Word && !NO_TYPES.contains(&&*before.text)) || before.is("]") || before.is(")")
        });
        if before.is_some_and(|before| before.is("struct")) {
            self.structs.insert(token.text.clone());
        }
        let ends = tokens.get(at + 1).is_some_and(|next| matches!(&*next.text, "=" | ";" | "," | ")" | "["));
        if !follows_type || !ends {
            return;
        }
        if self.scopes.len() > 1 {
            self.members.insert(token.text.clone());
        }
        let is_const = tokens.get(self.start..at).unwrap_or_default().iter().any(|token| token.is("const"));
        if self.brackets > 0 && self.scopes.len() == 1 {
            self.parameters.push(token.text.clone());
        } else if !(is_const && self.brackets == 0)
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.insert(token.text.clone(), Named::Other);
        }
    }

    /// Notes the names of a declaration of constants, of which `const` is at `at`.
    fn constants(&mut self, tokens: &[Token], at: usize) {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let Some(end) = rest.iter().position(|token| matches!(&*token.text, ";" | "{" | "}")) else { return };
        let before = tokens.get(self.start..at).unwrap_or_default();
        let declaration = rest.get(..end).unwrap_or_default();
        let is_special = before.iter().chain(declaration).any(|token| token.is("constant_id"));
        let mut type_name: Option<Rc<str>> = None;
        for part in commas(declaration) {
            let Some(equal) = part.iter().position(|token| token.is("=")) else { continue };
            let (left, right) = (part.get(..equal).unwrap_or_default(), part.get(equal + 1..).unwrap_or_default());
            let [types @ .., name] = left else { continue };
            if let Some(last) = types.last().filter(|last| last.kind == Kind::Word) {
                type_name = Some(last.text.clone());
            }
            if name.kind != Kind::Word {
                // An array: its name is before the brackets, and its value is no scalar.
                for word in left.iter().filter(|word| word.kind == Kind::Word) {
                    self.declare(&word.text, Named::Other);
                }
                continue;
            }
            let value = evaluate(right, name, &|name| self.named(name)).ok();
            let value = value.and_then(|value| value.convert(type_name.as_deref()?));
            // Computed from specialisation constants, it is one itself.
            let from_special = right.iter().any(|token| self.named(&token.text) == Named::Specialization);
            let named = match value {
                _ if is_special || from_special => Named::Specialization,
                Some(value) => Named::Value(value),
                None => Named::Other,
            };
            self.declare(&name.text, named);
        }
    }

    fn declare(&mut self, name: &Rc<str>, named: Named) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), named);
        }
        self.seen.insert(name.clone());
    }

    /// What `name` stands for.
    pub fn named(&self, name: &str) -> Named {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name).copied());
        found.unwrap_or(if name.starts_with("gl_") { Named::Other } else { Named::Unknown })
    }

    /// Whether a struct has this name.
    pub fn is_struct(&self, name: &str) -> bool {
        self.structs.contains(name)
    }

    /// Whether the word has been seen, or is built in.
    pub fn was_seen(&self, name: &str) -> bool {
        self.seen.contains(name) || name.starts_with("gl_")
    }

    /// Whether the word has been declared within braces, as members of blocks are.
    pub fn is_member(&self, name: &str) -> bool {
        self.members.contains(name)
    }
}

/// Whether GLSL, or an extension of it, has a type called `name`.
pub(super) fn is_type(name: &str) -> bool {
    const SCALARS: &[&str] = &["void", "bool", "int", "uint", "float", "double", "atomic_uint"];
    const WIDTHS: &[&str] = &["8", "16", "32", "64"];
    const OPAQUE: &[&str] = &["sampler", "image", "texture", "subpassInput", "attachment"];
    if SCALARS.contains(&name) || matches!(name, "accelerationStructureEXT" | "rayQueryEXT" | "hitObjectNV") {
        return true;
    }
    let sized = name.strip_suffix("_t");
    let mut widths = ["int", "uint", "float", "bfloat"].iter().filter_map(|stem| sized?.strip_prefix(stem));
    if widths.any(|width| WIDTHS.contains(&width)) {
        return true;
    }
    let signed = name.strip_prefix(['i', 'u']).unwrap_or(name);
    if OPAQUE.iter().any(|stem| name.starts_with(stem) || signed.starts_with(stem)) {
        return true;
    }
    let Some((stem, size)) = name.find("vec").or(name.find("mat")).map(|at| name.split_at(at)) else { return false };
    let stems =
        ["", "b", "i", "u", "d", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16"];
    let size = size.trim_start_matches("vec").trim_start_matches("mat");
    let is_size = |size: &str| matches!(size, "2" | "3" | "4");
    stems.contains(&stem) && (is_size(size) || size.split_once('x').is_some_and(|(a, b)| is_size(a) && is_size(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known() {
        let types = [
            "float",
            "vec4",
            "uvec2",
            "mat4",
            "dmat2x3",
            "f16vec3",
            "uint64_t",
            "int8_t",
            "float16_t",
            "sampler2D",
            "usampler3D",
            "uimage2D",
            "texture2D",
            "bvec2",
            "i64vec4",
            "accelerationStructureEXT",
        ];
        for name in types {
            assert!(is_type(name), "{name}");
        }
        for name in ["W", "vector", "vec", "vec5", "matrix", "size_t", "W_t", "xvec2", "mat5x2", "integer"] {
            assert!(!is_type(name), "{name}");
        }
        println!("{} types", types.len());
    }
}
