//! A look at GLSL text before glslang sees it: where `#version` stands, and bounds on nesting.
//!
//! glslang walks expressions by recursion, so a deep enough one overflows its stack and takes the process down. Compiling
//! happens on a thread with a big stack (`stack.rs`); this module bounds how deep the text can get, with macros
//! expanded, so that the stack suffices. Conditional compilation is not evaluated, so all branches count. Macros that come
//! from an include, and names of macros passed to macros, are not seen: the stack leaves room for them.

use crate::Stage;
use std::collections::HashMap;

/// Deepest nesting of brackets.
const MAX_BRACKETS: u64 = 1_000;
/// Most operators and subscripts in one statement, which bounds the depth of its tree; and most `else` in one source.
const MAX_CHAIN: u64 = 20_000;
/// Most tokens of the text with macros expanded.
const MAX_TOKENS: u64 = 8_000_000;
/// Deepest nesting of macros in macros.
const MAX_MACRO_DEPTH: u32 = 200;

/// What is wrong with a text, and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub offset: usize,
    pub what: String,
}

/// Line and column, both from 1, of a byte of `text`.
pub(crate) fn line_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(start..).map_or(0, |line| line.chars().count());
    (before.matches('\n').count() as u32 + 1, column as u32 + 1)
}

/// A token, or the end of a directive's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// `(` or `[`.
    Open,
    /// `)` or `]`.
    Close,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Operator,
    /// `#` as the first token of a line.
    Hash,
    /// End of a directive.
    End,
}

/// Splits GLSL into tokens; comments and line continuations vanish.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    line_start: bool,
    directive: bool,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, line_start: true, directive: false }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Skips to the byte after the next `end`, or to the end of the text.
    fn skip_past(&mut self, end: &str) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at = rest.find(end).map_or(self.text.len(), |found| self.at + found + end.len());
    }

    fn skip_line_comment(&mut self) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => return,
                // A backslash continues the comment on the next line.
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                b'\\' if self.byte(1) == Some(b'\r') && self.byte(2) == Some(b'\n') => self.at += 3,
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.at;
        while self.byte(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80) {
            self.at += 1;
        }
        Token::Word(self.text.get(start..self.at).unwrap_or_default())
    }
}

impl<'a> Iterator for Tokens<'a> {
    /// The token and its byte.
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let start = self.at;
            let byte = self.byte(0)?;
            let token = match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                    if !std::mem::take(&mut self.directive) {
                        continue;
                    }
                    return Some((start, Token::End));
                }
                b'\\' => {
                    self.at += 1 + usize::from(self.byte(1) == Some(b'\r'));
                    self.at += usize::from(self.byte(0) == Some(b'\n'));
                    continue;
                }
                b'/' if self.byte(1) == Some(b'/') => {
                    self.skip_line_comment();
                    continue;
                }
                b'/' if self.byte(1) == Some(b'*') => {
                    self.at += 2;
                    self.skip_past("*/");
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'#' if self.line_start => {
                    self.at += 1;
                    self.directive = true;
                    Token::Hash
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80.. => self.word(),
                _ => {
                    self.at += 1;
                    match byte {
                        b'(' | b'[' => Token::Open,
                        b')' | b']' => Token::Close,
                        b'{' => Token::OpenBrace,
                        b'}' => Token::CloseBrace,
                        b',' => Token::Comma,
                        b';' => Token::Semicolon,
                        _ => Token::Operator,
                    }
                }
            };
            self.line_start = false;
            return Some((start, token));
        }
    }
}

/// Versions of desktop GLSL that have a translation to SPIR-V.
const DESKTOP: &[&str] = &["140", "150", "330", "400", "410", "420", "430", "440", "450", "460"];
/// Those of them that know the stages of the graphics pipeline only.
const GRAPHICS_ONLY: &[&str] = &["140", "150", "330", "400", "410"];
/// The same of GLSL ES.
const EMBEDDED: &[&str] = &["310", "320"];

/// Whether `text` starts with a `#version` directive.
///
/// One that glslang cannot translate is refused here: with many of them glslang fails inside its own tables, and prints
/// thousands of lines to stdout.
pub(crate) fn has_version(text: &str, stage: Option<Stage>) -> Result<bool, Fault> {
    let mut tokens = Tokens::new(text);
    if tokens.next().map(|(_, token)| token) != Some(Token::Hash) {
        return Ok(false);
    }
    let Some((offset, Token::Word("version"))) = tokens.next() else { return Ok(false) };
    let words: Vec<Token<'_>> = tokens.map(|(_, token)| token).take_while(|token| *token != Token::End).collect();
    let graphics = stage.is_some_and(Stage::is_graphics);
    let desktop = || DESKTOP.iter().filter(|version| graphics || !GRAPHICS_ONLY.contains(version));
    let known = match words.as_slice() {
        [Token::Word(number)] | [Token::Word(number), Token::Word("core" | "compatibility")] => {
            desktop().any(|version| version == number)
        }
        [Token::Word(number), Token::Word("es")] => EMBEDDED.contains(number),
        _ => false,
    };
    if known {
        return Ok(true);
    }
    let versions: Vec<&str> = desktop().copied().collect();
    let what = format!(
        "'version' : {} shaders need `#version` {}, or `#version` {} with `es`",
        stage.map_or("these".to_string(), |stage| stage.to_string()),
        versions.join(", "),
        EMBEDDED.join(" or ")
    );
    Err(Fault { offset, what })
}

/// A macro as it is written.
#[derive(Clone, Debug, Default)]
struct Macro<'a> {
    parameters: Vec<&'a str>,
    tokens: Vec<Token<'a>>,
}

/// What some tokens amount to with macros expanded.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    tokens: u64,
    brackets: u64,
    chain: u64,
}

/// What a use of a macro amounts to.
#[derive(Clone, Copy, Debug, Default)]
struct Expansion {
    size: Size,
    /// Copies of an argument, for the parameter that is used most.
    copies: u64,
}

/// Macros and what their expansions amount to, as far as that is known.
#[derive(Default)]
struct Macros<'a> {
    by_name: HashMap<&'a str, Macro<'a>>,
    expansions: HashMap<&'a str, Expansion>,
}

impl<'a> Macros<'a> {
    /// Collects `#define` lines. Of several with one name the largest counts.
    fn of(text: &'a str) -> Macros<'a> {
        let mut macros = Macros::default();
        let mut tokens = Tokens::new(text);
        while let Some((_, token)) = tokens.next() {
            if token != Token::Hash || tokens.next().map(|(_, token)| token) != Some(Token::Word("define")) {
                continue;
            }
            let Some((_, Token::Word(name))) = tokens.next() else { continue };
            // Parameters follow without a space.
            let is_function = tokens.byte(0) == Some(b'(');
            let mut body: Vec<Token<'a>> =
                tokens.by_ref().map(|(_, token)| token).take_while(|token| *token != Token::End).collect();
            let end = body.iter().position(|token| *token == Token::Close).filter(|_| is_function);
            let names = body.drain(..end.map_or(0, |at| at + 1));
            let names = names.filter_map(|token| if let Token::Word(name) = token { Some(name) } else { None });
            let new = Macro { parameters: names.collect(), tokens: body };
            if macros.by_name.get(name).is_none_or(|old| old.tokens.len() < new.tokens.len()) {
                macros.by_name.insert(name, new);
            }
        }
        macros
    }

    /// What a use of the macro `name` amounts to; `None` where there is no such macro.
    fn expansion(&mut self, name: &'a str, depth: u32) -> Option<Expansion> {
        if let Some(expansion) = self.expansions.get(name) {
            return Some(*expansion);
        }
        let Macro { parameters, tokens } = self.by_name.get(name)?.clone();
        if depth > MAX_MACRO_DEPTH {
            return Some(Expansion { size: Size { tokens: u64::MAX, ..Size::default() }, copies: 1 });
        }
        // A macro is not expanded within itself.
        self.expansions.insert(name, Expansion::default());
        let mut meter = Meter::new();
        let mut copies = vec![0u64; parameters.len()];
        for token in tokens {
            meter.add(token, self, depth + 1);
            let parameter = parameters.iter().position(|parameter| token == Token::Word(parameter));
            if let Some(copies) = parameter.and_then(|at| copies.get_mut(at)) {
                *copies = copies.saturating_add(meter.copies());
            }
        }
        let copies = copies.into_iter().max().unwrap_or(1);
        let expansion = Expansion { size: meter.largest, copies };
        self.expansions.insert(name, expansion);
        Some(expansion)
    }
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    is_brace: bool,
    /// Commas in it separate arguments or elements, which lie side by side. Elsewhere a comma is an operator.
    is_list: bool,
    /// Copies that macros make of its contents.
    copies: u64,
    /// The chain around it.
    outer: u64,
}

/// Adds up what a run of tokens amounts to.
struct Meter<'a> {
    open: Vec<Bracket>,
    /// Those of them that are no braces.
    depth: u64,
    /// Copies that the next bracket's contents get.
    next_copies: u64,
    chain: u64,
    previous: Token<'a>,
    largest: Size,
}

impl<'a> Meter<'a> {
    fn new() -> Meter<'a> {
        Meter { open: vec![], depth: 0, next_copies: 1, chain: 0, previous: Token::End, largest: Size::default() }
    }

    /// Copies that macros make of the innermost open bracket's contents.
    fn copies(&self) -> u64 {
        self.open.last().map_or(1, |bracket| bracket.copies)
    }

    /// Closes brackets up to and with the innermost brace, or only those within it. Conditional compilation and macros
    /// can leave brackets open that the compiler never sees open.
    fn close_to_brace(&mut self, with_brace: bool) {
        while let Some(bracket) = self.open.last().filter(|bracket| with_brace || !bracket.is_brace) {
            let is_brace = bracket.is_brace;
            self.depth -= u64::from(!is_brace);
            self.open.pop();
            if is_brace {
                return;
            }
        }
    }

    fn open_brace(&mut self) {
        let in_list = self.open.last().is_some_and(|bracket| bracket.is_brace && bracket.is_list);
        let is_list = self.previous == Token::Operator || in_list;
        let copies = self.copies();
        if !is_list {
            self.close_to_brace(false);
            self.chain = 0;
        }
        self.open.push(Bracket { is_brace: true, is_list, copies, outer: self.chain });
    }

    fn add(&mut self, token: Token<'a>, macros: &mut Macros<'a>, depth: u32) {
        let copies = self.copies();
        let mut expanded = Size { tokens: 1, ..Size::default() };
        let next_copies = std::mem::replace(&mut self.next_copies, 1).max(1);
        match token {
            Token::Word(name) => {
                if let Some(expansion) = macros.expansion(name, depth) {
                    expanded = expansion.size;
                    self.next_copies = expansion.copies;
                }
            }
            Token::Open => {
                expanded.chain = 1;
                let is_list = matches!(self.previous, Token::Word(_) | Token::Close);
                let copies = copies.saturating_mul(next_copies);
                self.open.push(Bracket { is_brace: false, is_list, copies, outer: self.chain });
                self.depth += 1;
            }
            Token::Close => {
                if let Some(bracket) = self.open.pop_if(|bracket| !bracket.is_brace) {
                    self.depth -= 1;
                    self.chain = self.chain.max(bracket.outer);
                }
            }
            Token::OpenBrace => self.open_brace(),
            Token::CloseBrace => {
                self.close_to_brace(true);
                self.chain = 0;
            }
            Token::Comma => match self.open.last() {
                Some(bracket) if bracket.is_list => self.chain = bracket.outer,
                _ => expanded.chain = 1,
            },
            Token::Operator => expanded.chain = 1,
            Token::Semicolon => self.chain = self.open.last().map_or(0, |bracket| bracket.outer),
            Token::Hash | Token::End => self.chain = 0,
        }
        self.previous = token;
        self.chain = self.chain.saturating_add(expanded.chain.saturating_mul(copies));
        self.largest = Size {
            tokens: self.largest.tokens.saturating_add(expanded.tokens.saturating_mul(copies)),
            brackets: self.largest.brackets.max(expanded.brackets.saturating_add(self.depth)),
            chain: self.largest.chain.max(self.chain),
        };
    }
}

/// Refuses a text with a NUL byte, and one that nests too deeply or grows too large when its macros are expanded.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    if let Some(offset) = text.find('\0') {
        return Err(Fault { offset, what: "the source holds a NUL byte".to_string() });
    }
    let mut macros = Macros::of(text);
    let mut meter = Meter::new();
    let mut in_define = false;
    let mut elses = 0u64;
    let mut previous = Token::End;
    for (offset, token) in Tokens::new(text) {
        in_define = match token {
            Token::End => false,
            // The text of a macro counts where it is used.
            Token::Word("define") if previous == Token::Hash => true,
            _ => in_define,
        };
        elses += u64::from(token == Token::Word("else") && previous != Token::Hash);
        previous = token;
        if in_define {
            continue;
        }
        meter.add(token, &mut macros, 0);
        let Size { tokens, brackets, chain } = meter.largest;
        let limits = [
            (brackets, MAX_BRACKETS, "brackets nested"),
            (chain, MAX_CHAIN, "operators in one expression"),
            (elses, MAX_CHAIN, "`else` in one source"),
            (tokens, MAX_TOKENS, "tokens after the expansion of macros"),
        ];
        if let Some((_, limit, what)) = limits.iter().find(|(value, limit, _)| value > limit) {
            let what = format!("limit exceeded: more than {limit} {what}; split the expression or the source");
            return Err(Fault { offset, what });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let with = [
            "#version 450",
            " \n\t#  version 310 es\n",
            "// c\n/* d\n */ #version 450 core // e\n",
            "\\\n#version 140",
        ];
        for text in with {
            assert_eq!(has_version(text, Some(Stage::Vertex)), Ok(true), "{text:?}");
        }
        let without =
            ["", "void main() {}", "// #version 450", "/* #version 450 */ void", "#define version\n", "x #version"];
        for text in without {
            assert_eq!(has_version(text, Some(Stage::Vertex)), Ok(false), "{text:?}");
        }
        for text in ["#version", "#version 110", "#version 450 es", "#version 310", "#version a b", "#version -450"] {
            assert_eq!(has_version(text, Some(Stage::Vertex)).map_err(|fault| fault.offset), Err(1), "{text:?}");
        }
        let fault = has_version("#version 140", Some(Stage::Compute)).unwrap_err();
        assert!(fault.what.contains("compute shaders need `#version` 420, 430"), "{fault:?}");
    }

    #[test]
    fn ordinary_text_passes() {
        let text =
            "#version 450\n#define A(x) ((x) + 1)\n#define B A(A(A(2)))\nvoid main() { int a = B; if (a > 1) {} }\n";
        assert_eq!(check(text), Ok(()));
        // Statements and arguments add up to no depth.
        let text = format!(
            "void main() {{ {} int x[] = int[]({} 1); }}",
            "a = b + c;".repeat(50_000),
            "1 + 2,".repeat(50_000)
        );
        assert_eq!(check(&text), Ok(()));
        let text =
            format!("int x[] = {{ {} }}; int y[][] = {{ {} {{1}} }};", "1, ".repeat(50_000), "{1, 2},".repeat(50_000));
        assert_eq!(check(&text), Ok(()));
        // Brackets that only one branch of a condition closes, and those that macros open or close.
        let text = "#define END ) }\nvoid f() {\n#if A\nif (a) {\n#else\nif (b) {\n#endif\n } g(END".repeat(5_000);
        assert_eq!(check(&text), Ok(()));
    }

    fn refused(text: &str, what: &str) {
        let fault = check(text).unwrap_err();
        assert!(fault.what.contains(what), "{fault:?}");
    }

    #[test]
    fn deep_text_is_refused() {
        refused(&format!("int x = {};", "(".repeat(1_001)), "brackets");
        refused(&format!("int x = 1{};", "+1".repeat(20_001)), "operators");
        refused(&format!("int x = (1{})+1;", "+1".repeat(20_000)), "operators");
        refused(&format!("int x = a{};", ".x".repeat(20_001)), "operators");
        refused(&format!("int x = a{};", "[0]".repeat(20_001)), "operators");
        refused(&format!("x = (a{});", ",a".repeat(20_001)), "operators");
        refused(&format!("void f() {{ a{}; }}", ",a".repeat(20_001)), "operators");
        refused(&"if (a) {} else ".repeat(20_001), "`else`");
        refused(&format!("#if 1{}\n#endif", "+1".repeat(20_001)), "operators");
    }

    #[test]
    fn macros_count_as_expanded() {
        let mut text = "#define A0 1+1\n".to_string();
        for level in 1..40 {
            text.push_str(&format!("#define A{level} A{0} + A{0}\n", level - 1));
        }
        assert_eq!(check(&text), Ok(()));
        refused(&format!("{text}int x = A39;"), "operators");
        refused(&format!("{text}A39;", text = text.replace('+', ";")), "tokens");
        let nested = format!("{}1{}", "D(".repeat(30), ")".repeat(30));
        refused(&format!("#define D(x) x ; x\n{nested}"), "limit exceeded");
        let nested = "#define E0(x) x;x\n".to_string()
            + &(1..40).map(|n| format!("#define E{n}(x) E{0}(E{0}(x))\n", n - 1)).collect::<String>();
        refused(&format!("{nested}E39(a)"), "limit exceeded");
        // Macros that name each other end.
        assert_eq!(check("#define P Q\n#define Q P\nint a = P;"), Ok(()));
    }

    #[test]
    fn nul_bytes_are_placed() {
        let text = "a\nb\0";
        assert_eq!(check(text).unwrap_err().offset, 3);
        assert_eq!(line_column(text, 3), (2, 2));
    }
}
