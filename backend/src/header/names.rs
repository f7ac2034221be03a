//! Names of a shader as C identifiers.
//!
//! In: names from GLSL or from a module's `OpName`, which may hold anything. Out: identifiers of C and C++, no two of a
//! scope alike.

use std::collections::HashSet;

/// Keywords of C and C++, and macros that the headers which we include, or compilers by themselves, define.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "NULL",
    "offsetof",
    "linux",
    "unix",
];

/// Identifiers of a scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    used: HashSet<String>,
}

impl Names {
    /// An identifier like `wanted` that nothing else of the scope has.
    pub fn claim(&mut self, wanted: &str) -> String {
        let wanted = identifier(wanted);
        let mut name = wanted.clone();
        let mut number = 2u64;
        while !self.used.insert(name.clone()) {
            name = format!("{}_{number}", wanted.trim_end_matches('_'));
            number += 1;
        }
        name
    }
}

/// Is this an identifier that a program may use for its own in C and C++?
pub fn is_identifier(text: &str) -> bool {
    !text.is_empty() && identifier(text) == text
}

/// The identifier of C and C++ that is most like `text`.
pub fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        // C++ reserves names with two underscores in a row.
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    let reserved_start =
        |name: &str| matches!(name.as_bytes(), [] | [b'_'] | [b'0'..=b'9', ..] | [b'_', b'A'..=b'Z', ..]);
    if reserved_start(&name) {
        name = format!("m{name}");
    }
    if RESERVED.contains(&name.as_str()) || is_standard_macro(&name) {
        name.push('_');
    }
    name
}

/// Macros and types of `stdint.h`.
fn is_standard_macro(name: &str) -> bool {
    let rest = name.trim_start_matches(['u', 'U']);
    let is_int = rest.starts_with("int") || rest.starts_with("INT");
    is_int && (name.ends_with("_t") || ["_MAX", "_MIN", "_C"].iter().any(|end| name.ends_with(end)))
        || name.starts_with("SIZE_")
        || name.starts_with("PTRDIFF_")
}

/// Text for a C comment.
pub(super) fn comment(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
    printable.replace("*/", "* /").replace("/*", "/ *").replace("*/", "* /")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_c() {
        let cases = [
            ("x", "x"),
            ("gl_WorkGroupSize", "gl_WorkGroupSize"),
            ("float", "float_"),
            ("class", "class_"),
            ("NULL", "NULL_"),
            ("uint32_t", "uint32_t_"),
            ("INT32_MAX", "INT32_MAX_"),
            ("interval", "interval"),
            ("", "m"),
            ("3d", "m3d"),
            ("_Block", "m_Block"),
            ("_block", "_block"),
            ("a__b", "a_b"),
            ("a.b[1]", "a_b_1_"),
            ("a\u{e4}\n*/", "a_"),
        ];
        for (text, expected) in cases {
            assert_eq!(identifier(text), expected, "{text}");
            assert!(is_identifier(expected), "{expected}");
        }
        println!("checked {} names", cases.len());
    }

    #[test]
    fn no_two_are_alike() {
        let mut names = Names::default();
        let claimed = ["x", "x", "x_2", "float", "float_", "x"].map(|name| names.claim(name));
        assert_eq!(claimed, ["x", "x_2", "x_2_2", "float_", "float_2", "x_3"].map(String::from));
    }

    #[test]
    fn comments_do_not_end_early() {
        for text in ["*/", "/*/", "a\n*/\\", "**//"] {
            let text = comment(text);
            assert!(!text.contains("*/") && !text.contains("/*") && !text.contains('\n'), "{text}");
        }
    }
}
