//! Messages about GLSL: parsed out of shaderc's text, completed with the column and the source line, and rendered.
//!
//! shaderc writes `file:line: error: 'token' : text`. The column is ours to find: it is where the quoted token stands on
//! that line.

use std::fmt;

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// There is no module.
    Error,
    /// There is a module.
    Warning,
    /// Belongs to the message before it.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Which file; empty where the message is about none.
    pub file: String,
    /// Line from 1; 0 where the message is about the whole file.
    pub line: u32,
    /// Column from 1, in characters; 0 where it is not known.
    pub column: u32,
    /// The text, such as `'x' : undeclared identifier`.
    pub message: String,
    /// The line itself, where it is known.
    pub source_line: Option<String>,
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error: text`, then the line and a caret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
            for number in [self.line, self.column].into_iter().take_while(|number| *number > 0) {
                write!(f, "{number}:")?;
            }
            f.write_str(" ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(line) = &self.source_line {
            f.write_str(&excerpt(line, self.column))?;
        }
        Ok(())
    }
}

/// A line break, `line` and, below it, a caret under `column` (from 1; 0 for none). Empty for an empty line.
pub(crate) fn excerpt(line: &str, column: u32) -> String {
    /// Longer lines are cut: generated shaders have lines of megabytes.
    const LONGEST: usize = 240;
    let line = line.trim_end();
    if line.is_empty() {
        return String::new();
    }
    if line.chars().count() > LONGEST {
        let start = (column as usize).saturating_sub(LONGEST / 2);
        let part: String = line.chars().skip(start).take(LONGEST).collect();
        return excerpt(&part, (column as usize).saturating_sub(start) as u32);
    }
    let mut text = format!("\n{line}");
    if column > 0 {
        // Tabs stay tabs, so that the caret stands under the token whatever a tab's width.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before: String = line.chars().map(blank).chain(std::iter::repeat(' ')).take(column as usize - 1).collect();
        text.push_str(&format!("\n{before}^"));
    }
    text
}

/// All messages of a compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// In the order in which they arose.
    pub items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// A single error.
    pub fn error(file: &str, (line, column): (u32, u32), message: impl Into<String>, source: &str) -> Diagnostics {
        let source_line = source.lines().nth((line as usize).wrapping_sub(1)).map(str::to_string);
        let severity = Severity::Error;
        let file = file.to_string();
        Diagnostics { items: vec![Diagnostic { severity, file, line, column, message: message.into(), source_line }] }
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of messages of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.items.iter().filter(|item| item.severity == severity).count()
    }
}

impl fmt::Display for Diagnostics {
    /// Each message, then `1 warning and 2 errors generated.`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            writeln!(f, "{item}")?;
        }
        let counted = |severity| match self.count(severity) {
            0 => None,
            1 => Some(format!("1 {severity}")),
            count => Some(format!("{count} {severity}s")),
        };
        let counts: Vec<String> = [Severity::Warning, Severity::Error].into_iter().filter_map(counted).collect();
        if counts.is_empty() { Ok(()) } else { write!(f, "{} generated.", counts.join(" and ")) }
    }
}

/// A text that took part in a compilation.
#[cfg_attr(not(feature = "glsl"), allow(dead_code))]
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The name that shaderc was given.
    pub tag: String,
    /// The name to show.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Parses shaderc's messages about `sources`, of which the first is the main one.
#[cfg_attr(not(feature = "glsl"), allow(dead_code))]
pub(crate) fn parse(messages: &str, sources: &[Source]) -> Diagnostics {
    let items = messages.lines().filter(|line| !line.trim().is_empty()).map(|line| parse_line(line, sources));
    // glslang closes a list of errors with one that says so, which would be counted as an error of its own.
    Diagnostics { items: items.filter(|item| !item.message.contains("compilation terminated")).collect() }
}

fn parse_line(text: &str, sources: &[Source]) -> Diagnostic {
    let (tag, rest) = split_tag(text, sources);
    let rest = rest.trim_start();
    let (line, rest) = match rest.split_once(": ") {
        Some((number, after)) => number.parse::<u32>().map_or((0, rest), |line| (line, after)),
        None => (0, rest),
    };
    let (severity, message) = [Severity::Error, Severity::Warning]
        .into_iter()
        .find_map(|severity| Some((severity, rest.strip_prefix(&format!("{severity}: "))?)))
        .unwrap_or((Severity::Note, rest));
    let message = match message.trim().strip_prefix("'' :").map_or(message.trim(), str::trim_start) {
        // What the parser of glslang says when its stack is full.
        "memory exhausted" => "brackets, statements or operators are nested too deeply",
        message => message,
    };
    let message = message.replacen("' :  ", "' : ", 1);
    let source_line = (line > 0).then(|| source_line(tag, line, sources)).flatten();
    let column = source_line.as_deref().map_or(0, |line| find_token(&message, line));
    let file = sources.iter().find(|source| source.tag == tag).map_or(tag, |source| &source.name).to_string();
    Diagnostic { severity, file, line, column, message, source_line }
}

/// The file's name before the first colon that ends it, and what follows that colon.
fn split_tag<'a>(text: &'a str, sources: &'a [Source]) -> (&'a str, &'a str) {
    // Names may hold colons themselves, so the known ones are tried first, the longest of them before others.
    let known = sources
        .iter()
        .filter_map(|source| Some((source.tag.as_str(), text.strip_prefix(&source.tag)?.strip_prefix(':')?)))
        .max_by_key(|(tag, _)| tag.len());
    if let Some(found) = known {
        return found;
    }
    for severity in [": error: ", ": warning: "] {
        if let Some(end) = text.find(severity) {
            let place = text.get(..end).unwrap_or_default();
            let digits = place.len() - place.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let name = place.get(..place.len() - digits).and_then(|name| name.strip_suffix(':'));
            let name = name.filter(|_| digits > 0).unwrap_or(place);
            return (name, text.get(name.len() + 1..).unwrap_or_default());
        }
    }
    ("", text)
}

/// The text of a line as messages count it: `#line` directives renumber and rename.
fn source_line(tag: &str, line: u32, sources: &[Source]) -> Option<String> {
    let of_this_name = sources.iter().filter(|source| source.tag == tag);
    let others = sources.iter().filter(|source| source.tag != tag);
    of_this_name.chain(others).find_map(|source| {
        let (mut name, mut number) = (source.tag.as_str(), 1u32);
        for text in source.text.lines() {
            if name == tag && number == line {
                return Some(text.to_string());
            }
            number = number.saturating_add(1);
            if let Some((renumbered, renamed)) = line_directive(text) {
                number = renumbered;
                name = renamed.unwrap_or(name);
            }
        }
        None
    })
}

/// `#line NUMBER` or `#line NUMBER NAME`, the name quoted or a number.
fn line_directive(text: &str) -> Option<(u32, Option<&str>)> {
    let rest = text.trim().strip_prefix('#')?.trim_start().strip_prefix("line")?;
    let (number, name) = match rest.trim().split_once(char::is_whitespace) {
        Some((number, name)) => (number, Some(name.trim().trim_matches('"'))),
        None => (rest.trim(), None),
    };
    Some((number.parse().ok()?, name.filter(|name| !name.is_empty())))
}

/// Column, from 1, of the token that `message` quotes on `line`; 0 when it quotes none, or the line holds none or several
/// operators like it.
fn find_token(message: &str, line: &str) -> u32 {
    let Some(rest) = message.strip_prefix('\'') else { return 0 };
    let Some((token, _)) = rest.split_once("' :") else { return 0 };
    let token = token.trim();
    if token.is_empty() {
        return 0;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let whole = |at: usize| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + token.len()..).and_then(|text| text.chars().next());
        let continues_before = token.starts_with(word) && before.is_some_and(word);
        let continues_after = token.ends_with(word) && after.is_some_and(word);
        !continues_before && !continues_after
    };
    let found: Vec<usize> = line.match_indices(token).map(|(at, _)| at).filter(|at| whole(*at)).collect();
    if found.len() > 1 && !token.contains(word) {
        // Which of several operators is meant is not known; of several equal words it is the first, nearly always.
        return 0;
    }
    // Members and swizzles are rarely what a message is about.
    let is_member = |at: &&usize| line.get(..**at).is_some_and(|before| before.trim_end().ends_with('.'));
    let found = found.iter().find(|at| !is_member(at)).or(found.first());
    found.and_then(|at| line.get(..*at)).map_or(0, |before| before.chars().count() as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(tag: &str, name: &str, text: &str) -> Source {
        Source { tag: tag.to_string(), name: name.to_string(), text: text.to_string() }
    }

    fn one(message: &str, sources: &[Source]) -> Diagnostic {
        let mut all = parse(message, sources);
        assert_eq!(all.items.len(), 1, "{all}");
        all.items.remove(0)
    }

    #[test]
    fn columns_are_those_of_the_whole_token() {
        let main = [source("a.comp", "a.comp", "#version 450\n\tfoobar = foo;\n")];
        let item = one("a.comp:2: error: 'foo' : undeclared identifier\n", &main);
        assert_eq!((item.severity, item.line, item.column), (Severity::Error, 2, 11));
        assert_eq!(
            item.to_string(),
            "a.comp:2:11: error: 'foo' : undeclared identifier\n\tfoobar = foo;\n\t         ^"
        );
        let item = one("a.comp:2: warning: '' : something", &main);
        assert_eq!(item.to_string(), "a.comp:2: warning: something\n\tfoobar = foo;");
    }

    #[test]
    fn names_with_colons_and_aliases() {
        let sources = [source("c:/x.comp", "c:/x.comp", "a\nb\n"), source("odd_1_ name", "odd:1: name", "c d")];
        let item = one("c:/x.comp:2: error: 'b' : no", &sources);
        assert_eq!((item.file.as_str(), item.line, item.column), ("c:/x.comp", 2, 1));
        let item = one("odd_1_ name:1: error: 'd' : no", &sources);
        assert_eq!((item.file.as_str(), item.line, item.column), ("odd:1: name", 1, 3));
        let item = one("<command line>:3: error: 'd' : no", &sources);
        assert_eq!((item.file.as_str(), item.line, item.column), ("<command line>", 3, 0));
        let item = one("other: error: no line", &sources);
        assert_eq!((item.file.as_str(), item.line), ("other", 0));
        let item = one("c:/x.comp: error: Linking failed: 12: really", &sources);
        assert_eq!(
            (item.file.as_str(), item.line, item.message.as_str()),
            ("c:/x.comp", 0, "Linking failed: 12: really")
        );
    }

    #[test]
    fn line_directives_renumber() {
        let text = "#version 450\n#line 100\nx y\n#line 7 \"gen.py\"\nz";
        let sources = [source("a.comp", "a.comp", text)];
        let item = one("a.comp:100: error: 'y' : no", &sources);
        assert_eq!((item.source_line.as_deref(), item.column), (Some("x y"), 3));
        let item = one("gen.py:7: error: 'z' : no", &sources);
        assert_eq!((item.file.as_str(), item.source_line.as_deref()), ("gen.py", Some("z")));
        assert_eq!(one("a.comp:3: error: 'x' : no", &sources).source_line, None);
    }

    #[test]
    fn counts_are_spelt() {
        let sources = [source("a", "a", "b c")];
        let all = parse("a:1: error: 'b' : x\na:1: warning: 'c' : y\na:1: error: 'b' : z\n", &sources);
        assert!(all.to_string().ends_with("\n1 warning and 2 errors generated."), "{all}");
        assert!(parse("a:1: error: '' : compilation terminated ", &sources).is_empty());
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = format!("{}bad{}", "x".repeat(5000), "y".repeat(5000));
        let text = excerpt(&line, 5001);
        let rows: Vec<&str> = text.lines().collect();
        assert!(rows.iter().all(|row| row.len() <= 240), "{text}");
        let caret = rows[2].find('^').unwrap();
        assert_eq!(rows[1].get(caret..caret + 3), Some("bad"));
    }
}
