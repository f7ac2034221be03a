//! Tokens of the IR's text form.

use crate::error::{Error, Result};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word: keyword, type, instruction.
    Word(String),
    /// A number, as written: `-1`, `0x3f`, `1.5e-7`.
    Number(String),
    /// `"…"`, unescaped.
    Text(String),
    /// `%name`.
    Value(String),
    /// `^name`.
    Label(String),
    /// `@name`: the key that tells names apart, and the name itself.
    Global(Name),
    /// `$name`.
    Struct(Name),
    /// `#0`: an entry of the table of constants.
    Const(String),
    /// `(`, `)`, `{`, `}`, `[`, `]`, `<`, `>`, `,`, `:`, `=`, or `→` for `->`.
    Sign(char),
    /// The end.
    End,
}

/// A name that may carry a number to tell it from others of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// The name.
    pub name: String,
    /// The number after `#`, or 0.
    pub number: u32,
}

/// A token and the line on which it stands, from 1.
pub(super) type Lexed = (Token, u32);

pub(super) fn error<T>(line: u32, what: impl Into<String>) -> Result<T> {
    Err(Error::InvalidIr { line, what: what.into() })
}

/// Splits text into tokens; the last is [`Token::End`]. Comments go from `;` or `//` to the end of the line.
pub(super) fn lex(text: &str) -> Result<Vec<Lexed>> {
    let mut lexer = Lexer { rest: text, line: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let line = lexer.line;
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push((token, line));
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: u32,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += u32::from(c == '\n');
        Some(c)
    }

    fn take_while(&mut self, f: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !f(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip_space(&mut self) {
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.bump();
            }
            if !self.rest.starts_with(';') && !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token> {
        let Some(c) = self.peek() else { return Ok(Token::End) };
        if self.rest.starts_with("->") {
            self.rest = &self.rest[2..];
            return Ok(Token::Sign('→'));
        }
        if c.is_ascii_digit() || c == '-' {
            return Ok(Token::Number(self.number()));
        }
        if is_word(c) {
            return Ok(Token::Word(self.take_while(is_word).to_owned()));
        }
        if c == '"' {
            return Ok(Token::Text(self.text()?));
        }
        self.bump();
        match c {
            '(' | ')' | '{' | '}' | '[' | ']' | '<' | '>' | ',' | ':' | '=' => Ok(Token::Sign(c)),
            '%' => Ok(Token::Value(self.take_while(is_word).to_owned())),
            '^' => Ok(Token::Label(self.take_while(is_word).to_owned())),
            '#' => Ok(Token::Const(self.take_while(is_word).to_owned())),
            '@' => Ok(Token::Global(self.name()?)),
            '$' => Ok(Token::Struct(self.name()?)),
            c => error(self.line, format!("unexpected character {c:?}")),
        }
    }

    /// Digits, letters, points, and signs at the start or after an exponent's `e`.
    fn number(&mut self) -> String {
        let mut text = String::new();
        if self.rest.starts_with('-') {
            text.extend(self.bump());
        }
        let hexadecimal = self.rest.starts_with("0x");
        while let Some(c) = self.peek() {
            let exponent = !hexadecimal && text.ends_with(['e', 'E']) && (c == '-' || c == '+');
            if !is_word(c) && !exponent {
                break;
            }
            text.extend(self.bump());
        }
        text
    }

    fn text(&mut self) -> Result<String> {
        let line = self.line;
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(text),
                Some('\\') => match self.bump() {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => return error(line, "a text without closing quote"),
                },
                Some(c) => text.push(c),
                None => return error(line, "a text without closing quote"),
            }
        }
    }

    fn name(&mut self) -> Result<Name> {
        let name = if self.peek() == Some('"') { self.text()? } else { self.take_while(is_word).to_owned() };
        let mut number = 0;
        if self.peek() == Some('#') {
            self.bump();
            let digits = self.take_while(|c| c.is_ascii_digit());
            number = match digits.parse() {
                Ok(number) => number,
                Err(_) => return error(self.line, "a number must follow # in a name"),
            };
        }
        Ok(Name { name, number })
    }
}
