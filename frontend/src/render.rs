//! Preprocessed tokens back to text, for glslang.
//!
//! In: tokens with their places. Out: text in which every token stands on the line, as glslang counts lines, on which the
//! source has it or uses the macro that it came out of, and in the same column where nothing was put in front of it; and,
//! for messages about that text, the places of its tokens.
//! Includes are part of the text, with `#line` around them.

use crate::pp::{File, Place, Token};

/// Writes text.
struct Writer<'f> {
    files: &'f [File],
    text: String,
    /// The file and its line, whatever `#line` calls them, that the text is at. `None` where it has to be said anew.
    at: Option<(u32, u32)>,
    is_line_start: bool,
    /// Characters on the current line.
    column: u32,
    /// What `#line` has to be told so that the next line is line 1: 0 in old versions of GLSL.
    first: u32,
}

impl Writer<'_> {
    fn break_line(&mut self) {
        self.text.push('\n');
        self.is_line_start = true;
        self.column = 0;
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
        self.is_line_start = false;
        self.column += text.chars().count() as u32;
    }

    /// Writes a token, in its own column where that is possible. `follows` says that it stands right behind the token
    /// before it in the source.
    fn token(&mut self, token: &Token, follows: bool) {
        let is_own_place = !token.in_macro && token.used == token.spelled;
        let file = self.files.get(token.used.file as usize).filter(|_| is_own_place);
        let column = file.map_or(0, |file| file.line_column(token.used.offset).1.saturating_sub(1));
        let blanks = column.saturating_sub(self.column);
        let needed = u32::from(!(self.is_line_start || follows && column == self.column));
        self.write(&" ".repeat(blanks.max(needed) as usize));
        self.write(&token.text);
    }

    fn go_to(&mut self, place: Place) {
        let Some(file) = self.files.get(place.file as usize) else { return };
        let (line, _) = file.line_column(place.offset);
        match self.at {
            Some((current, from)) if current == place.file => {
                for _ in from..line {
                    self.break_line();
                }
                self.at = Some((current, from.max(line)));
            }
            _ => {
                let (name, number) = file.logical(line);
                let name = if name.bytes().all(|byte| byte.is_ascii_digit()) {
                    name.to_string()
                } else {
                    format!("\"{name}\"")
                };
                if !self.is_line_start {
                    self.break_line();
                }
                self.write(&format!("#line {} {name}", (number + self.first).saturating_sub(1)));
                self.break_line();
                self.at = Some((place.file, line));
            }
        }
    }
}

/// Whether `#line` says the number of the next line, or of its own.
fn counts_next(version: &str) -> bool {
    let mut words = version.split_whitespace().skip(1);
    let number = words.next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(450);
    number >= 330 || words.next() == Some("es")
}

/// The text of `tokens`.
pub(crate) fn render(tokens: &[Token], files: &[File]) -> String {
    let version = tokens.iter().find(|token| token.is_directive()).map_or("", |token| &*token.text);
    let version = if version.trim_start_matches(['#', ' ']).starts_with("version") { version } else { "" };
    let first = u32::from(counts_next(&version.replace("# ", "#")));
    let mut writer = Writer { files, text: String::new(), at: Some((0, 1)), is_line_start: true, column: 0, first };
    let mut before: Option<&Token> = None;
    for token in tokens {
        writer.go_to(token.used);
        if token.is_directive() && !writer.is_line_start {
            // It was moved here, to a line that has something on it already.
            writer.at = None;
            writer.go_to(token.used);
        }
        let follows = before.is_some_and(|before| {
            before.used == before.spelled
                && (before.spelled.file, before.spelled.offset as usize + before.text.len())
                    == (token.spelled.file, token.spelled.offset as usize)
        });
        writer.token(token, follows);
        if token.is_directive() {
            writer.break_line();
            writer.at = writer.at.map(|(file, line)| (file, line + 1));
        }
        before = Some(token);
    }
    writer.text.push('\n');
    writer.text
}

/// The token that reads `text` on a line as glslang counts them: its file and where it stands.
pub(crate) fn find<'f>(
    tokens: &[Token],
    files: &'f [File],
    (tag, line): (&str, u32),
    text: &str,
) -> Option<(&'f File, u32, u32)> {
    let on_line = |token: &&Token| {
        let Some(file) = files.get(token.used.file as usize) else { return false };
        file.logical(file.line_column(token.used.offset).0) == (tag, line)
    };
    let token = tokens.iter().filter(|token| token.is(text)).find(on_line)?;
    let place = token.place();
    let file = files.get(place.file as usize)?;
    let (line, column) = file.line_column(place.offset);
    Some((file, line, column))
}
