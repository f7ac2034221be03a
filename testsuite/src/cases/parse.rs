//! Reads `.test` files: words, strings, and code between pairs of quotation marks.

use super::{Case, Value};
use glslc2native_scripts::amber::types::Type;
use glslc2native_scripts::values::Elem;

/// Types of values with their numbers; booleans have those of `uint`.
const SCALARS: &[(&str, Elem, bool)] =
    &[("float", Elem::F32, false), ("int", Elem::I32, false), ("uint", Elem::U32, false), ("bool", Elem::U32, true)];
const VECTORS: &[(&str, Elem, bool)] =
    &[("vec", Elem::F32, false), ("ivec", Elem::I32, false), ("uvec", Elem::U32, false), ("bvec", Elem::U32, true)];

/// Words that begin something that is read as words up to the end of the line and has no meaning for a compute shader.
const LINES: &[&str] = &["version", "output_color", "require"];

/// Reads a file.
///
/// # Errors
///
/// What is no case, with its line.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut reader = Reader { text, at: 0, line: 1, groups: vec![], cases: vec![] };
    while let Some(word) = reader.word() {
        reader.item(word)?;
    }
    match reader.groups.last() {
        Some((_, line)) => Err(format!("{line}: there is no `end` for it")),
        None => Ok(reader.cases),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// Names, and the lines in which they begin.
    groups: Vec<(String, u32)>,
    cases: Vec<Case>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) -> &'t str {
        let taken = &self.rest()[..bytes];
        self.line += taken.matches('\n').count() as u32;
        self.at += bytes;
        taken
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.advance(blank);
            if !self.rest().starts_with('#') {
                return;
            }
            self.line_end();
        }
    }

    fn line_end(&mut self) -> &'t str {
        let end = self.rest().find('\n').unwrap_or(self.rest().len());
        self.advance(end)
    }

    /// The next word; marks of a list are words of their own.
    fn word(&mut self) -> Option<&'t str> {
        self.skip_blank();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let end = match first {
            '"' if rest.starts_with("\"\"") => 2,
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            first if "{}[]|=;(),".contains(first) => 1,
            _ => rest.find(|c: char| c.is_whitespace() || "{}[]|=;(),\"".contains(c)).unwrap_or(rest.len()),
        };
        Some(self.advance(end))
    }

    fn needed(&mut self, what: &str) -> Result<&'t str, String> {
        self.word().ok_or_else(|| format!("{}: {what} is missing", self.line))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), String> {
        match self.needed(&format!("`{keyword}`"))? {
            word if word == keyword => Ok(()),
            word => Err(format!("{}: `{keyword}` is needed in place of `{word}`", self.line)),
        }
    }

    fn item(&mut self, word: &str) -> Result<(), String> {
        let line = self.line;
        match word {
            "group" => {
                let name = self.needed("a name")?.to_string();
                self.needed("a description")?;
                self.groups.push((name, line));
                Ok(())
            }
            "case" => self.case(line),
            "end" => match self.groups.pop() {
                Some(_) => Ok(()),
                None => Err(format!("{line}: `end` ends nothing")),
            },
            _ => Err(format!("{line}: `{word}` is neither a group, a case nor an end")),
        }
    }

    fn case(&mut self, line: u32) -> Result<(), String> {
        let own = self.needed("a name")?;
        let groups: String = self.groups.iter().flat_map(|(name, _)| [name.as_str(), "."]).collect();
        let mut case = Case { name: groups + own, line, values: vec![], both: None };
        loop {
            match self.needed("`end`")? {
                "end" => break,
                "values" => self.values(&mut case.values)?,
                "both" => case.both = Some(self.code()?.to_string()),
                "vertex" | "fragment" | "geometry" | "tessellation_control" | "tessellation_evaluation" => {
                    self.code()?;
                }
                "desc" | "expect" => {
                    self.needed("a word")?;
                }
                word if LINES.contains(&word) => {
                    self.line_end();
                }
                word => return Err(format!("{}: `{word}` does not belong to a case", self.line)),
            }
        }
        self.cases.push(case);
        Ok(())
    }

    /// Code between two pairs of quotation marks.
    fn code(&mut self) -> Result<&'t str, String> {
        let line = self.line;
        self.keyword("\"\"")?;
        let end = self.rest().find("\"\"").ok_or_else(|| format!("{line}: there is no `\"\"` that ends it"))?;
        let code = self.advance(end);
        self.advance(2);
        Ok(code)
    }

    fn values(&mut self, values: &mut Vec<Value>) -> Result<(), String> {
        self.keyword("{")?;
        loop {
            let output = match self.needed("a value")? {
                "}" => return Ok(()),
                "input" | "uniform" => false,
                "output" => true,
                word => return Err(format!("{}: `{word}` is neither input, output nor uniform", self.line)),
            };
            let glsl = self.needed("a type")?.to_string();
            let (ty, boolean) = value_type(&glsl).ok_or_else(|| format!("{}: `{glsl}` is no type", self.line))?;
            let name = self.needed("a name")?.to_string();
            self.keyword("=")?;
            let mut rows = vec![];
            match self.needed("a value")? {
                "[" => loop {
                    let first = self.needed("a value")?;
                    rows.push(self.row(first, &ty)?);
                    match self.needed("`|` or `]`")? {
                        "|" => {}
                        "]" => break,
                        word => return Err(format!("{}: `|` or `]` is needed in place of `{word}`", self.line)),
                    }
                },
                first => rows.push(self.row(first, &ty)?),
            }
            self.keyword(";")?;
            values.push(Value { output, name, glsl, ty, boolean, rows });
        }
    }

    /// A number, or the numbers of a constructor; one number fills a vector.
    fn row(&mut self, first: &str, ty: &Type) -> Result<Vec<f64>, String> {
        let count = match ty {
            Type::Vector { rows, .. } => usize::from(*rows),
            Type::Matrix { columns, rows, .. } => usize::from(*columns) * usize::from(*rows),
            _ => 0,
        };
        let mut row = vec![];
        if count == 1 {
            row.push(self.number(first)?);
        } else {
            self.keyword("(")?;
            loop {
                let word = self.needed("a number")?;
                row.push(self.number(word)?);
                match self.needed("`,` or `)`")? {
                    "," => {}
                    ")" => break,
                    word => return Err(format!("{}: `,` or `)` is needed in place of `{word}`", self.line)),
                }
            }
            if row.len() == 1 && matches!(ty, Type::Vector { .. }) {
                row = vec![row[0]; count];
            }
        }
        if row.len() == count {
            Ok(row)
        } else {
            Err(format!("{}: {} numbers where {count} are needed", self.line, row.len()))
        }
    }

    fn number(&self, word: &str) -> Result<f64, String> {
        match word {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            _ => word.parse().map_err(|_| format!("{}: `{word}` is no number", self.line)),
        }
    }
}

/// Type in memory, and whether it is made of booleans.
fn value_type(name: &str) -> Option<(Type, bool)> {
    if let Some((_, elem, boolean)) = SCALARS.iter().find(|(own, ..)| *own == name) {
        return Some((Type::Vector { elem: *elem, rows: 1 }, *boolean));
    }
    if name.starts_with("mat") {
        return Type::parse_vkscript(name).map(|ty| (ty, false));
    }
    VECTORS.iter().find_map(|(prefix, elem, boolean)| {
        let rows = name.strip_prefix(prefix)?.parse().ok().filter(|rows| (2..=4).contains(rows))?;
        Some((Type::Vector { elem: *elem, rows }, *boolean))
    })
}
