//! Words of a script, with their places.
//!
//! Words end at white space, commas and parentheses; these are words of their own. `#` begins a comment where a word could
//! begin, and `\` at the end of a line continues it. The source of a shader is taken as whole lines.

use super::script::{Number, Pos, ScriptError};

/// A word, the end of a line or that of the script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'t> {
    /// Where it begins.
    pub pos: Pos,
    /// What it is.
    pub kind: Kind<'t>,
}

/// Kind of a [`Token`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'t> {
    /// A word.
    Word(&'t str),
    /// What stood between quotation marks.
    Text(&'t str),
    /// End of the line.
    Line,
    /// End of the script.
    End,
}

/// Reads tokens one after the other.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
}

/// Result of everything that reads a script.
pub type Parsed<T> = Result<T, ScriptError>;

/// An error at a place.
pub fn error<T>(pos: Pos, what: impl Into<String>) -> Parsed<T> {
    Err(ScriptError { pos, what: what.into() })
}

impl<'t> Lexer<'t> {
    /// Reads from the start of a script.
    pub fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0, line: 1, line_start: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Where the next character is.
    pub fn pos(&self) -> Pos {
        let before = self.text.get(self.line_start..self.at).unwrap_or_default();
        Pos { line: self.line, column: before.chars().count() as u32 + 1 }
    }

    fn new_line(&mut self) {
        self.line += 1;
        self.line_start = self.at;
    }

    /// The next token.
    pub fn next(&mut self) -> Token<'t> {
        loop {
            let rest = self.rest();
            let blank = |c: char| c != '\n' && (c.is_whitespace() || c == '\0' || c == '\u{feff}');
            self.at += rest.len() - rest.trim_start_matches(blank).len();
            let rest = self.rest();
            if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            }
            let rest = self.rest();
            let continued = rest.strip_prefix('\\').map(|rest| rest.trim_start_matches([' ', '\t', '\r']));
            match continued.and_then(|rest| rest.strip_prefix('\n')) {
                Some(after) => {
                    self.at = self.text.len() - after.len();
                    self.new_line();
                }
                None => break,
            }
        }
        let pos = self.pos();
        let rest = self.rest();
        let kind = match rest.chars().next() {
            None => Kind::End,
            Some('\n') => {
                self.at += 1;
                self.new_line();
                Kind::Line
            }
            Some('"') => {
                let inner = rest.get(1..).unwrap_or_default();
                let end = inner.find(['"', '\n']).unwrap_or(inner.len());
                self.at += 1 + end + usize::from(inner[end..].starts_with('"'));
                Kind::Text(&inner[..end])
            }
            Some(first @ (',' | '(' | ')')) => {
                self.at += 1;
                Kind::Word(&rest[..first.len_utf8()])
            }
            Some(_) => {
                let end = rest.find(|c: char| c.is_whitespace() || ",()".contains(c)).unwrap_or(rest.len());
                self.at += end;
                Kind::Word(&rest[..end])
            }
        };
        Token { pos, kind }
    }

    /// The next token, which stays.
    pub fn peek(&self) -> Token<'t> {
        self.clone().next()
    }

    /// The next token where it is a word of this line.
    pub fn word_or_end(&mut self) -> Option<(Pos, &'t str)> {
        match self.peek() {
            Token { pos, kind: Kind::Word(word) | Kind::Text(word) } => {
                self.next();
                Some((pos, word))
            }
            _ => None,
        }
    }

    /// A word of this line.
    pub fn word(&mut self, what: &str) -> Parsed<(Pos, &'t str)> {
        match self.word_or_end() {
            Some(found) => Ok(found),
            None => error(self.peek().pos, format!("{what} is missing")),
        }
    }

    /// A word that has to be `keyword`.
    pub fn keyword(&mut self, keyword: &str) -> Parsed<Pos> {
        let (pos, word) = self.word(&format!("`{keyword}`"))?;
        if word == keyword { Ok(pos) } else { error(pos, format!("`{keyword}` is needed in place of `{word}`")) }
    }

    /// Takes the next word where it is `keyword`.
    pub fn take(&mut self, keyword: &str) -> bool {
        let found = self.peek().kind == Kind::Word(keyword);
        if found {
            self.next();
        }
        found
    }

    /// A number.
    pub fn number(&mut self, what: &str) -> Parsed<(Pos, Number)> {
        let (pos, word) = self.word(what)?;
        match Number::parse(word) {
            Some(number) => Ok((pos, number)),
            None => error(pos, format!("{what}: `{word}` is no number")),
        }
    }

    /// A number from 0 to 2³² - 1.
    pub fn u32(&mut self, what: &str) -> Parsed<u32> {
        let (pos, number) = self.number(what)?;
        match number {
            Number::Int(number) => {
                u32::try_from(number).or_else(|_| error(pos, format!("{what}: {number} is not from 0 to {}", u32::MAX)))
            }
            Number::Float(number) => error(pos, format!("{what}: {number} is no whole number")),
        }
    }

    /// Is the next token a number of this line?
    pub fn at_number(&self) -> bool {
        matches!(self.peek().kind, Kind::Word(word) if Number::parse(word).is_some())
    }

    /// The end of the line, or of the script.
    pub fn end_of_line(&mut self) -> Parsed<()> {
        match self.next() {
            Token { kind: Kind::Line | Kind::End, .. } => Ok(()),
            Token { pos, kind: Kind::Word(word) | Kind::Text(word) } => error(pos, format!("`{word}` is too much")),
        }
    }

    /// Skips what is left of the line.
    pub fn skip_line(&mut self) {
        while self.word_or_end().is_some() {}
        self.next();
    }

    /// Whole lines, from the next one up to a line that is `END`, which is taken too: the line of the first, and the text.
    pub fn lines_to_end(&mut self, what: Pos) -> Parsed<(u32, &'t str)> {
        let (line, start) = (self.line, self.at);
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return error(what, "there is no line `END` for it");
            }
            let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let content = rest[..length].trim();
            let is_end = content.strip_prefix("END").is_some_and(|after| {
                let after = after.trim_start();
                after.is_empty() || after.starts_with('#')
            });
            let end = self.at;
            self.at += length;
            if rest[..length].ends_with('\n') {
                self.new_line();
            }
            if is_end {
                return Ok((line, &self.text[start..end]));
            }
        }
    }

    /// Whole lines up to one that begins with `mark`, which stays, or to the end: the line of the first, and the text.
    pub fn lines_to(&mut self, mark: char) -> (u32, &'t str) {
        let (line, start) = (self.line, self.at);
        while !self.rest().is_empty() && !self.rest().starts_with(mark) {
            let rest = self.rest();
            match rest.find('\n') {
                Some(end) => {
                    self.at += end + 1;
                    self.new_line();
                }
                None => self.at = self.text.len(),
            }
        }
        (line, &self.text[start..self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut found = vec![];
        loop {
            let token = lexer.next();
            found.push(match token.kind {
                Kind::Word(word) => format!("{} {word}", token.pos),
                Kind::Text(text) => format!("{} \"{text}\"", token.pos),
                Kind::Line => format!("{} ;", token.pos),
                Kind::End => return found,
            });
        }
    }

    #[test]
    fn words_have_places() {
        assert_eq!(
            words("a b#c # d\n\t(1,x)"),
            ["1:1 a", "1:3 b#c", "1:10 ;", "2:2 (", "2:3 1", "2:4 ,", "2:5 x", "2:6 )"]
        );
        assert_eq!(words("a \\\r\n b"), ["1:1 a", "2:2 b"]);
        assert_eq!(words("é \"x y\" z"), ["1:1 é", "1:3 \"x y\"", "1:9 z"]);
        assert_eq!(words("\"open\nb"), ["1:1 \"open\"", "1:6 ;", "2:1 b"]);
    }

    #[test]
    fn lines_are_taken_whole() {
        let mut lexer = Lexer::new("S\n END_x\n\n  END # s\nnext");
        lexer.skip_line();
        assert_eq!(lexer.lines_to_end(Pos::default()), Ok((2, " END_x\n\n")));
        assert_eq!(lexer.next(), Token { pos: Pos { line: 5, column: 1 }, kind: Kind::Word("next") });
        assert!(Lexer::new("no end").lines_to_end(Pos::default()).is_err());
        let mut lexer = Lexer::new("a\n b\n[c]\n");
        assert_eq!((lexer.lines_to('['), lexer.pos().line), ((1, "a\n b\n"), 3));
        assert_eq!(lexer.lines_to('x').1, "[c]\n");
    }

    #[test]
    fn numbers_are_read_in_every_form() {
        let cases = [
            ("0x10", Number::Int(16)),
            ("-7", Number::Int(-7)),
            ("1.", Number::Float(1.0)),
            ("-.5", Number::Float(-0.5)),
        ];
        for (text, number) in cases {
            assert_eq!(Number::parse(text), Some(number), "{text}");
        }
        assert!(matches!(Number::parse("NaN"), Some(Number::Float(number)) if number.is_nan()));
        for wrong in ["", "-", "x", "0x", "1x", "infinity", "END"] {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
        assert!(Lexer::new("4294967296").u32("n").is_err() && Lexer::new("1.5").u32("n").is_err());
    }
}
