//! A preprocessor of our own: the tokens that glslang's parser sees, each with its place in the source.
//!
//! In: a source, and a [`Host`] that finds includes and knows glslang's own macros. Out: tokens with macros expanded,
//! conditions decided and includes in place. glslang's preprocessor gives text without columns; the checks of
//! GL_EXT_spirv_intrinsics need to know where a token stands, whatever macros it came out of. `#version`, `#extension`,
//! `#pragma`, `#line` and `#error` stay, as tokens of a kind of their own.
//!
//! Two preprocessors might disagree, so glslang's runs too and the tokens are compared (`glsl.rs`): what is checked is
//! what is compiled. Mistakes that do not change tokens, such as a macro defined twice, are left to it.

mod condition;
mod lexer;
mod macros;

pub(crate) use condition::integer;
use lexer::Lexeme;
pub(crate) use lexer::{Kind, is_known, lex};
pub(crate) use macros::Wrong;
use macros::{Hides, Macro, Macros};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Greatest number of a line.
const MAX_LINE: u32 = i32::MAX as u32;

/// A byte of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Which of the files, in the order in which they were entered.
    pub file: u32,
    pub offset: u32,
}

/// A token after preprocessing.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// [`Kind::Break`] for a directive that stays: its text is the whole line.
    pub kind: Kind,
    pub text: Rc<str>,
    /// Where it is spelt.
    pub spelled: Place,
    /// Where the outermost macro that it came out of is used; where it is spelt if it came out of none.
    pub used: Place,
    /// Whether it is spelt in a macro's body.
    pub in_macro: bool,
    /// The macros that it came through.
    pub hidden: Hides,
}

impl Token {
    fn new(lexeme: &Lexeme, file: u32) -> Token {
        let place = Place { file, offset: lexeme.offset };
        Token {
            kind: lexeme.kind,
            text: lexeme.text.clone(),
            spelled: place,
            used: place,
            in_macro: false,
            hidden: None,
        }
    }

    /// A token that stands for `self` and reads `text`.
    pub fn becomes(&self, kind: Kind, text: &str) -> Token {
        Token { kind, text: Rc::from(text), ..self.clone() }
    }

    /// Whether it reads `text`.
    pub fn is(&self, text: &str) -> bool {
        &*self.text == text && self.kind != Kind::Break
    }

    /// Whether it is a directive.
    pub fn is_directive(&self) -> bool {
        self.kind == Kind::Break
    }

    /// The token at another place of the text, which messages about it do not notice.
    pub fn moved_to(&self, used: Place) -> Token {
        Token { spelled: self.place(), used, in_macro: false, ..self.clone() }
    }

    /// Where to point when something is wrong with it: in the body of a macro that is used many times, its use says more.
    pub fn place(&self) -> Place {
        if self.in_macro { self.used } else { self.spelled }
    }
}

/// A file that took part.
#[derive(Debug)]
pub(crate) struct File {
    /// Name in directives and messages.
    pub tag: String,
    /// Its text, with lone carriage returns made line feeds.
    pub text: String,
    lines: Vec<u32>,
    /// What `#line` says: from which line on, what that line is called, and in which file.
    renumbered: Vec<(u32, u32, String)>,
}

impl File {
    fn new(tag: String, text: &str) -> File {
        let bytes = text.as_bytes();
        let lone = |at: usize| bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) != Some(&b'\n');
        let text: String = text.char_indices().map(|(at, c)| if c == '\r' && lone(at) { '\n' } else { c }).collect();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        File { tag, text, lines, renumbered: vec![] }
    }

    /// Line and column of a byte, both from 1, whatever `#line` says.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or_default();
        (line as u32, before.chars().count() as u32 + 1)
    }

    /// What `line` is called: its file and number.
    pub fn logical(&self, line: u32) -> (&str, u32) {
        match self.renumbered.iter().rev().find(|(from, ..)| *from <= line) {
            Some((from, number, name)) => (name, number + (line - from)),
            None => (&self.tag, line),
        }
    }
}

/// What a preprocessor has to ask others for.
pub(crate) trait Host {
    /// The tag and the text of what `requested` names in the file tagged `from`.
    fn include(&self, requested: &str, relative: bool, from: &str, depth: usize) -> Result<(String, String), String>;

    /// Which of `names` are macros that glslang defines itself, and as what.
    fn predefined(&self, names: &[Rc<str>]) -> HashMap<Rc<str>, String>;
}

/// What came out.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    pub files: Vec<File>,
    pub tokens: Vec<Token>,
}

/// A preprocessor at work. Its files are there in the case of an error too.
pub(crate) struct Preprocessor<'a> {
    host: &'a dyn Host,
    macros: Macros,
    /// Answers of [`Host::predefined`].
    predefined: HashMap<Rc<str>, Option<Macro>>,
    undefined: HashSet<Rc<str>>,
    files: Vec<File>,
    tokens: Vec<Token>,
}

/// A condition that is open.
struct Branch {
    /// Whether what surrounds it counts.
    outer: bool,
    /// Whether one of its branches counted.
    taken: bool,
    active: bool,
}

fn tokens_of(lexemes: &[Lexeme], file: u32) -> Vec<Token> {
    lexemes.iter().map(|lexeme| Token::new(lexeme, file)).collect()
}

/// Words that glslang may define.
fn may_be_predefined(name: &str) -> bool {
    name.starts_with("GL_") || name == "VULKAN" || name == "__VERSION__"
}

/// Preprocesses `text`, called `tag`, with `defines` as if by `#define` lines before it.
pub(crate) fn preprocess(
    tag: &str,
    text: &str,
    defines: &[(String, Option<String>)],
    host: &dyn Host,
) -> Result<Preprocessed, (Vec<File>, Wrong)> {
    let mut preprocessor = Preprocessor {
        host,
        macros: Macros::default(),
        predefined: HashMap::new(),
        undefined: HashSet::new(),
        files: vec![],
        tokens: vec![],
    };
    match preprocessor.run(tag, text, defines) {
        Ok(()) => Ok(Preprocessed { files: preprocessor.files, tokens: preprocessor.tokens }),
        Err(wrong) => Err((preprocessor.files, wrong)),
    }
}

impl Preprocessor<'_> {
    fn run(&mut self, tag: &str, text: &str, defines: &[(String, Option<String>)]) -> Result<(), Wrong> {
        self.files.push(File::new(tag.to_string(), text));
        if !defines.is_empty() {
            let lines = defines.iter().map(|(name, value)| format!("{name} {}\n", value.as_deref().unwrap_or("")));
            let file = File::new("<command line>".to_string(), &lines.collect::<String>());
            let lexemes = lex(&file.text);
            self.files.push(file);
            for line in lexemes.split(|lexeme| lexeme.kind == Kind::Break) {
                if let Some((name, body)) = line.split_first() {
                    let body = macros::body(tokens_of(body, 1));
                    self.macros.by_name.insert(name.text.clone(), Macro { parameters: None, body });
                }
            }
        }
        self.file(0, 0)
    }

    fn wrong<T>(&self, at: &Lexeme, file: u32, what: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { at: Place { file, offset: at.offset }, what: what.into() })
    }

    fn file(&mut self, file: u32, depth: usize) -> Result<(), Wrong> {
        let text = self.files.get(file as usize).map(|file| file.text.clone()).unwrap_or_default();
        let lexemes = lex(&text);
        self.ask_predefined(&lexemes);
        let mut branches: Vec<Branch> = vec![];
        let mut pending: Vec<Token> = vec![];
        let mut at = 0;
        while at < lexemes.len() {
            let rest = lexemes.get(at..).unwrap_or_default();
            let length = rest.iter().position(|lexeme| lexeme.kind == Kind::Break).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            at += length + 1;
            let active = branches.last().is_none_or(|branch| branch.active);
            match line.split_first() {
                Some((hash, words)) if &*hash.text == "#" => {
                    let tokens = std::mem::take(&mut pending);
                    self.text(tokens)?;
                    self.directive(hash, words, file, depth, &mut branches)?;
                }
                Some(_) if active => pending.extend(tokens_of(line, file)),
                _ => {}
            }
        }
        self.text(pending)?;
        match (branches.last(), lexemes.last()) {
            (Some(_), Some(last)) => self.wrong(last, file, "'#if' : has no #endif"),
            _ => Ok(()),
        }
    }

    /// Expands what stands between two directives.
    fn text(&mut self, tokens: Vec<Token>) -> Result<(), Wrong> {
        if tokens.is_empty() {
            return Ok(());
        }
        let expanded = self.expand(tokens)?;
        self.tokens.extend(expanded);
        Ok(())
    }

    fn expand(&mut self, tokens: Vec<Token>) -> Result<Vec<Token>, Wrong> {
        let mut expanded = self.macros.expand(tokens)?;
        for token in expanded.iter_mut().filter(|token| token.kind == Kind::Word) {
            if token.is("__LINE__")
                && let Some(file) = self.files.get(token.used.file as usize)
            {
                let (line, _) = file.line_column(token.used.offset);
                *token = token.becomes(Kind::Number, &file.logical(line).1.to_string());
            }
        }
        let is_predefined = |token: &Token| matches!(self.predefined.get(&token.text), Some(Some(_)));
        if !expanded.iter().any(is_predefined) {
            return Ok(expanded);
        }
        let mut result = Vec::with_capacity(expanded.len());
        for token in expanded {
            match self.predefined(&token.text) {
                Some(body) => result.extend(body.body.iter().map(|part| token.becomes(part.kind, &part.text))),
                None => result.push(token),
            }
        }
        Ok(result)
    }

    /// Asks for all macros of glslang that `lexemes` may use, at once: a question costs a run of its preprocessor.
    fn ask_predefined(&mut self, lexemes: &[Lexeme]) {
        let mut names: Vec<Rc<str>> = vec![];
        for line in lexemes.split(|lexeme| lexeme.kind == Kind::Break) {
            if line.get(1).is_some_and(|word| &*word.text == "extension") {
                continue;
            }
            let candidates = line.iter().filter(|word| word.kind == Kind::Word && may_be_predefined(&word.text));
            for word in candidates {
                if !self.predefined.contains_key(&word.text) && !names.contains(&word.text) {
                    names.push(word.text.clone());
                }
            }
        }
        if names.is_empty() {
            return;
        }
        let mut found = self.host.predefined(&names);
        for name in names {
            let body = found
                .remove(&name)
                .map(|body| Macro { parameters: None, body: macros::body(tokens_of(&lex(&body), 0)) });
            self.predefined.insert(name, body);
        }
    }

    fn predefined(&self, name: &Rc<str>) -> Option<&Macro> {
        self.predefined.get(name)?.as_ref().filter(|_| !self.undefined.contains(name))
    }

    fn is_defined(&self, name: &Rc<str>) -> bool {
        let known = ["__LINE__", "__FILE__", "__VERSION__"].contains(&&**name);
        known || self.macros.by_name.contains_key(name) || self.predefined(name).is_some()
    }

    fn directive(
        &mut self,
        hash: &Lexeme,
        words: &[Lexeme],
        file: u32,
        depth: usize,
        branches: &mut Vec<Branch>,
    ) -> Result<(), Wrong> {
        let active = branches.last().is_none_or(|branch| branch.active);
        let Some((name, operands)) = words.split_first() else { return Ok(()) };
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.condition(name, operands, file)?;
                branches.push(Branch { outer: active, taken: holds, active: holds });
            }
            "elif" | "else" => {
                let Some(branch) = branches.last() else { return self.wrong(name, file, "'#else' : without #if") };
                let may = branch.outer && !branch.taken;
                let holds = may && (&*name.text == "else" || self.condition(name, operands, file)?);
                if let Some(branch) = branches.last_mut() {
                    branch.active = holds;
                    branch.taken |= holds;
                }
            }
            "endif" => {
                if branches.pop().is_none() {
                    return self.wrong(name, file, "'#endif' : without #if");
                }
            }
            _ if !active => {}
            "define" => self.define(operands, file),
            "undef" => {
                if let Some(name) = operands.first() {
                    self.macros.by_name.remove(&name.text);
                    self.undefined.insert(name.text.clone());
                }
            }
            "include" => self.include(name, operands, file, depth)?,
            "line" => self.line(hash, operands, file)?,
            _ => self.keep(hash, words, file),
        }
        Ok(())
    }

    fn keep(&mut self, hash: &Lexeme, words: &[Lexeme], file: u32) {
        let mut text = "#".to_string();
        for word in words {
            if word.spaced {
                text.push(' ');
            }
            text.push_str(&word.text);
        }
        self.tokens.push(Token::new(hash, file).becomes(Kind::Break, &text));
    }

    fn define(&mut self, operands: &[Lexeme], file: u32) {
        let Some((name, rest)) = operands.split_first() else { return };
        let opens = rest.first().is_some_and(|open| &*open.text == "(" && !open.spaced);
        let end = rest.iter().position(|token| &*token.text == ")").filter(|_| opens);
        let parameters = end.and_then(|end| rest.get(1..end)).map(|parameters| {
            parameters.iter().filter(|word| word.kind == Kind::Word).map(|word| word.text.clone()).collect()
        });
        let body = rest.get(end.map_or(0, |end| end + 1)..).unwrap_or_default();
        let body = macros::body(tokens_of(body, file));
        self.undefined.remove(&name.text);
        self.macros.by_name.insert(name.text.clone(), Macro { parameters, body });
    }

    /// Whether the condition of `#if`, `#elif`, `#ifdef` or `#ifndef` holds.
    fn condition(&mut self, name: &Lexeme, operands: &[Lexeme], file: u32) -> Result<bool, Wrong> {
        if matches!(&*name.text, "ifdef" | "ifndef") {
            let Some(word) = operands.first() else { return self.wrong(name, file, "the condition has no name") };
            return Ok(self.is_defined(&word.text) == (&*name.text == "ifdef"));
        }
        let mut tokens: Vec<Token> = vec![];
        let mut rest = operands.iter();
        while let Some(lexeme) = rest.next() {
            let token = Token::new(lexeme, file);
            if !token.is("defined") {
                tokens.push(token);
                continue;
            }
            let bracketed = rest.as_slice().first().is_some_and(|next| &*next.text == "(");
            let word = if bracketed { rest.nth(1) } else { rest.next() };
            if bracketed {
                rest.next();
            }
            let defined = word.is_some_and(|word| self.is_defined(&word.text));
            tokens.push(token.becomes(Kind::Number, if defined { "1" } else { "0" }));
        }
        let expanded = self.expand(tokens)?;
        let tokens: Vec<(Kind, &str)> = expanded.iter().map(|token| (token.kind, &*token.text)).collect();
        condition::holds(&tokens).or_else(|what| self.wrong(name, file, what))
    }

    fn line(&mut self, hash: &Lexeme, operands: &[Lexeme], file: u32) -> Result<(), Wrong> {
        let operands = self.expand(tokens_of(operands, file))?;
        let text: Vec<&str> = operands.iter().map(|token| &*token.text).collect();
        self.tokens.push(Token::new(hash, file).becomes(Kind::Break, &format!("#line {}", text.join(" "))));
        let (number, name) = match text.as_slice() {
            [number, name] if integer(number).is_some() => (integer(number), Some(name.trim_matches('"').to_string())),
            _ => {
                let tokens: Vec<(Kind, &str)> = operands.iter().map(|token| (token.kind, &*token.text)).collect();
                (condition::value(&tokens).ok(), None)
            }
        };
        // glslang counts lines with an `int`.
        let number = match number.map(|number| u32::try_from(number).ok().filter(|number| *number <= MAX_LINE)) {
            Some(None) => return self.wrong(hash, file, format!("'#line' : expected a number from 0 to {MAX_LINE}")),
            number => number.flatten(),
        };
        if let (Some(number), Some(file)) = (number, self.files.get_mut(file as usize)) {
            let (line, _) = file.line_column(hash.offset);
            let name = name.unwrap_or_else(|| file.logical(line).0.to_string());
            file.renumbered.push((line + 1, number, name));
        }
        Ok(())
    }

    fn include(&mut self, name: &Lexeme, operands: &[Lexeme], file: u32, depth: usize) -> Result<(), Wrong> {
        let Some(first) = operands.first() else { return self.wrong(name, file, "'#include' : names no file") };
        let from = self.files.get(file as usize);
        // Within angle brackets nothing is a comment, so the text itself is looked at.
        let rest = from.and_then(|from| from.text.get(first.offset as usize + 1..)).unwrap_or_default();
        let relative = first.kind == Kind::Text;
        let end = rest.find(if relative { '"' } else { '>' });
        let requested = end.and_then(|end| rest.get(..end)).filter(|name| !name.contains('\n'));
        let Some(requested) = requested.filter(|_| relative || &*first.text == "<").map(str::to_string) else {
            return self.wrong(first, file, "'#include' : expected a file's name in quotes or angle brackets");
        };
        let tag = from.map_or(String::new(), |from| from.tag.clone());
        let answer = self.host.include(&requested, relative, &tag, depth + 1);
        let (tag, text) = answer.or_else(|why| self.wrong(first, file, format!("'#include' : {why}")))?;
        let entered = self.files.len() as u32;
        self.files.push(File::new(tag, &text));
        self.file(entered, depth + 1)
    }
}

#[cfg(test)]
mod tests;
