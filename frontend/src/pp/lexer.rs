//! Text to preprocessing tokens.
//!
//! In: the text of a file. Out: its tokens with the byte each begins at, and a token for every line break that can end a
//! directive. Comments vanish, line continuations join lines (GLSL 4.60 §3.1 and §3.4). Any text has tokens: what GLSL
//! does not know becomes punctuation of one character, and glslang says what it thinks of it.

use std::rc::Rc;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    Number,
    /// A literal string, with its quotes.
    Text,
    Punctuation,
    /// End of a line. Line breaks in comments and continuations are none.
    Break,
}

/// A token as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lexeme {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Byte in the file.
    pub offset: u32,
    /// Whether white space or a comment stands before it.
    pub spaced: bool,
}

/// Longest first.
const PUNCTUATION: &[&str] = &[
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "##", "::",
];

/// Punctuation of one character, and what glslang has an error of its own for.
const CHARACTERS: &str = "+-*/%<>[](){}^|&~=!:;,?.#\\'";

/// A text without continuations, and where its bytes were.
struct Spliced {
    bytes: Vec<u8>,
    /// For each continuation that was taken out: from which byte on, and how many bytes were taken out before it in all.
    removed: Vec<(usize, usize)>,
}

impl Spliced {
    fn new(text: &str) -> Spliced {
        let bytes = text.as_bytes();
        let mut result = Spliced { bytes: Vec::with_capacity(bytes.len()), removed: vec![] };
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            let length = match (byte, bytes.get(at + 1), bytes.get(at + 2)) {
                (b'\\', Some(b'\n'), _) => 2,
                (b'\\', Some(b'\r'), Some(b'\n')) => 3,
                (b'\\', Some(b'\r'), _) => 2,
                (b'\\', None, _) => 1,
                _ => 0,
            };
            if length == 0 {
                result.bytes.push(byte);
                at += 1;
            } else {
                at += length;
                result.removed.push((result.bytes.len(), at - result.bytes.len()));
            }
        }
        result
    }

    /// Byte of the text that a byte of the joined text was.
    fn original(&self, at: usize) -> u32 {
        let before = self.removed.partition_point(|(from, _)| *from <= at);
        let removed = before.checked_sub(1).and_then(|last| self.removed.get(last)).map_or(0, |(_, removed)| *removed);
        u32::try_from(at + removed).unwrap_or(u32::MAX)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn starts_with(&self, at: usize, what: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// The byte after what `while_true` holds for, from `at` on.
    fn skip(&self, at: usize, while_true: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|byte| !while_true(*byte)).unwrap_or(rest.len())
    }

    fn skip_comment(&self, at: usize) -> Option<usize> {
        if self.starts_with(at, "//") {
            return Some(self.skip(at, |byte| byte != b'\n' && byte != b'\r'));
        }
        if !self.starts_with(at, "/*") {
            return None;
        }
        let rest = self.bytes.get(at + 2..).unwrap_or_default();
        let end = rest.windows(2).position(|pair| pair == b"*/");
        Some(end.map_or(self.bytes.len(), |end| at + 2 + end + 2))
    }

    fn skip_number(&self, at: usize) -> usize {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if self.byte(at) == Some(b'0') && matches!(self.byte(at + 1), Some(b'x' | b'X')) {
            return self.skip(at + 2, word);
        }
        let mut end = self.skip(at, |byte| byte.is_ascii_digit());
        if self.byte(end) == Some(b'.') {
            end = self.skip(end + 1, |byte| byte.is_ascii_digit());
        }
        if matches!(self.byte(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.byte(end + 1), Some(b'+' | b'-')));
            if self.byte(end + 1 + sign).is_some_and(|byte| byte.is_ascii_digit()) {
                end = self.skip(end + 1 + sign, |byte| byte.is_ascii_digit());
            }
        }
        self.skip(end, word)
    }

    fn skip_string(&self, at: usize) -> usize {
        let mut end = at + 1;
        while let Some(byte) = self.byte(end) {
            match byte {
                b'"' => return end + 1,
                b'\n' | b'\r' => return end,
                b'\\' if self.byte(end + 1).is_some_and(|byte| byte != b'\n' && byte != b'\r') => end += 2,
                _ => end += 1,
            }
        }
        end
    }
}

/// Where glslang ends a number: it goes on with another token at the first character that does not belong to it, so that in
/// `1.0L` a macro `L` is expanded, and `1.0f2` is two numbers. What is pasted together is whole.
pub(crate) fn number_end(number: &str) -> usize {
    let bytes = number.as_bytes();
    let skip = |at: usize, is: fn(&u8) -> bool| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|byte| !is(byte)).unwrap_or(rest.len())
    };
    let one = |at: usize, letters: &[u8]| bytes.get(at).is_some_and(|byte| letters.contains(byte));
    // `l`, `s`, `u`, `ul`, `us`, `uls`: suffixes of integers.
    let integer_suffix = |at: usize| match at {
        _ if one(at, b"uU") => {
            let long = at + 1 + usize::from(one(at + 1, b"lL"));
            long + usize::from(one(long, b"sS"))
        }
        _ => at + usize::from(one(at, b"lLsS")),
    };
    if one(0, b"0") && one(1, b"xX") {
        return integer_suffix(skip(2, u8::is_ascii_hexdigit));
    }
    let digits = skip(0, u8::is_ascii_digit);
    if !one(digits, b".eEfFhH") {
        return integer_suffix(digits);
    }
    let mut end = digits;
    if one(end, b".") {
        end = skip(end + 1, u8::is_ascii_digit);
    }
    if one(end, b"eE") {
        end = skip(end + 1 + usize::from(one(end + 1, b"+-")), u8::is_ascii_digit);
    }
    match bytes.get(end) {
        Some(b'l' | b'L' | b'h' | b'H') if one(end + 1, b"fF") => end + 2,
        Some(b'f' | b'F') => end + 1,
        _ => end,
    }
}

/// Whether GLSL has such a token at all (GLSL 4.60 §3.1): glslang's preprocessor writes a name of its own for another.
pub(crate) fn is_known(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Word => text.is_ascii(),
        Kind::Punctuation => PUNCTUATION.contains(&text) || text.chars().all(|c| CHARACTERS.contains(c)),
        Kind::Number | Kind::Text | Kind::Break => true,
    }
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Vec<Lexeme> {
    let text = Spliced::new(text);
    let mut lexemes = vec![];
    let (mut at, mut spaced) = (0, false);
    while let Some(byte) = text.byte(at) {
        if let Some(end) = text.skip_comment(at) {
            (at, spaced) = (end, true);
            continue;
        }
        let (kind, end) = match byte {
            b'\r' if text.byte(at + 1) == Some(b'\n') => (Kind::Break, at + 2),
            b'\n' | b'\r' => (Kind::Break, at + 1),
            b' ' | b'\t' | 0x0b | 0x0c => {
                (at, spaced) = (at + 1, true);
                continue;
            }
            b'"' => (Kind::Text, text.skip_string(at)),
            b'0'..=b'9' => (Kind::Number, text.skip_number(at)),
            b'.' if text.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit()) => (Kind::Number, text.skip_number(at)),
            _ if starts_word(byte) => (Kind::Word, text.skip(at, |byte| starts_word(byte) || byte.is_ascii_digit())),
            _ => {
                let known = PUNCTUATION.iter().find(|known| text.starts_with(at, known));
                (Kind::Punctuation, at + known.map_or(1, |known| known.len()))
            }
        };
        let spelling = String::from_utf8_lossy(text.bytes.get(at..end).unwrap_or_default());
        lexemes.push(Lexeme { kind, text: Rc::from(spelling.as_ref()), offset: text.original(at), spaced });
        (at, spaced) = (end, false);
    }
    lexemes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lex(text).into_iter().map(|lexeme| lexeme.text.to_string()).collect()
    }

    #[test]
    fn tokens_of_every_kind() {
        let text = "a1 += 0x1Fu<<2.5e-3f; // c\n\"s \\\" t\" [[spirv::x /* \n */]] .5 1e+ v.xy";
        let expected = [
            "a1",
            "+=",
            "0x1Fu",
            "<<",
            "2.5e-3f",
            ";",
            "\n",
            "\"s \\\" t\"",
            "[",
            "[",
            "spirv",
            "::",
            "x",
            "]",
            "]",
            ".5",
            "1e",
            "+",
            "v",
            ".",
            "xy",
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn numbers_end_where_glslang_ends_them() {
        let cases = [
            ("12", ""),
            ("1.5e-3f", ""),
            ("1.0L", "L"),
            ("1.0lf", ""),
            ("1hf", ""),
            ("1h", "h"),
            ("2e5X", "X"),
            ("0x1FuLs", ""),
            ("0x1G", "G"),
            ("3UL", ""),
            ("3LU", "U"),
            ("7CAT", "CAT"),
            (".5F_", "_"),
            ("1.0f2", "2"),
        ];
        for (number, rest) in cases {
            assert_eq!(&number[number_end(number)..], rest, "{number}");
        }
    }

    #[test]
    fn continuations_join_and_keep_offsets() {
        let lexemes = lex("a\\\nb c\\\r\n d // e \\\n f\ng");
        let found: Vec<(&str, u32)> = lexemes.iter().map(|lexeme| (&*lexeme.text, lexeme.offset)).collect();
        assert_eq!(found, [("ab", 0), ("c", 5), ("d", 10), ("\n", 21), ("g", 22)]);
    }

    #[test]
    fn any_text_ends() {
        for text in ["\"open", "/* open", "\\", "\"\\", "é ü", "\u{0}", "'", "0x", "1.", "a\r\rb"] {
            lex(text);
        }
        assert_eq!(texts("a\rb\r\nc"), ["a", "\r", "b", "\r\n", "c"]);
    }
}
