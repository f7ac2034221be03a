//! Golden files: a shader with what it must do and what the compiler must print for it.
//!
//! ```text
//! // Free text, and the directives below.
//! // emit: stats ir
//! #version 450
//! …
//! // run:
//! // groups 1 1 1
//! // buffer 0 0 u32 1 2 3
//! // expect 0 0 u32 exact 2 4 6
//!
//! // ==== printed (cargo xtask bless) ====
//! // ---- stats
//! // kernel instructions: 40
//! ```
//!
//! In `.spvasm` and `.ir` files comments start with `;`. Directives stand before the first line that is no comment:
//!
//! | directive | meaning |
//! |---|---|
//! | `emit: FORM…` | what is printed, see `--emit` |
//! | `subgroup-size: N`, `scalar: on`, `opt: O0`, `target: CPU` | configuration of what is printed |
//! | `contract: on` | contraction is on in the prints, and the runs are repeated with it |
//! | `sizes: N…` | subgroup sizes of the runs, where not the standard ones |
//! | `no-opt-module` | the runs are not repeated from a module that spirv-opt optimised |
//! | `require: LINE` | the prints hold this line, whatever a bless would put there; may be repeated |
//! | `error: TEXT` | compiling fails, and the message holds the text; may be repeated |
//!
//! A run block begins with `run:` and ends at the first line that is no comment; `name.expected` beside a shader holds one
//! further block without comment marks. Everything from the `====` line on is rewritten by a bless, and nothing else is.

use crate::runs::{self, Run};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Line that the prints begin with, after the comment mark.
const PRINTED: &str = "==== printed (cargo xtask bless) ====";

/// What kind of input a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// GLSL.
    Glsl,
    /// SPIR-V assembly.
    SpirvAsm,
    /// The text form of the structured IR.
    Ir,
}

impl Kind {
    /// By file extension.
    pub fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()? {
            "comp" => Some(Kind::Glsl),
            "spvasm" => Some(Kind::SpirvAsm),
            "ir" => Some(Kind::Ir),
            _ => None,
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Kind::Glsl => "//",
            Kind::SpirvAsm | Kind::Ir => ";",
        }
    }
}

/// The header of a golden file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Forms to print.
    pub emit: Vec<String>,
    /// Subgroup size of the prints; 8 when there is none.
    pub subgroup_size: Option<u32>,
    /// One lane a chunk.
    pub scalar: bool,
    /// `-O0`.
    pub o0: bool,
    /// Contraction, off when not asked for.
    pub contract: bool,
    /// CPU of the prints.
    pub target: Option<String>,
    /// Subgroup sizes of the runs.
    pub sizes: Vec<u32>,
    /// Do not run from an optimised module too.
    pub no_opt_module: bool,
    /// Lines that the prints must hold.
    pub require: Vec<String>,
    /// Texts of the error that compiling must give.
    pub errors: Vec<String>,
}

/// A golden file.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub kind: Kind,
    /// Header.
    pub header: Header,
    /// Everything before the prints: this is what is compiled.
    pub source: String,
    /// Runs.
    pub runs: Vec<Run>,
    /// Prints by form, as they stand in the file.
    pub printed: Vec<(String, String)>,
}

impl Golden {
    /// Reads a file and what stands beside it.
    pub fn read(path: &Path) -> Result<Golden, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut golden = Golden::parse(path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        let beside = path.with_extension("expected");
        if beside.exists() {
            let message = |error: String| format!("{}: {error}", beside.display());
            let text = std::fs::read_to_string(&beside).map_err(|error| message(error.to_string()))?;
            let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
            golden.runs.push(runs::parse_run(1, lines).map_err(message)?);
        }
        if golden.runs.is_empty() && golden.header.emit.is_empty() && golden.header.errors.is_empty() {
            return Err(format!("{}: neither runs, nor prints, nor an error: nothing is tested", path.display()));
        }
        Ok(golden)
    }

    /// Parses a file's text.
    pub fn parse(path: &Path, text: &str) -> Result<Golden, String> {
        let kind = Kind::of(path).ok_or("not a kind of golden file (.comp, .spvasm, .ir)")?;
        let mark = format!("{} {PRINTED}", kind.comment());
        let (source, printed) = match text.lines().position(|line| line == mark) {
            Some(at) => {
                let split = text.lines().take(at).map(|line| line.len() + 1).sum();
                (&text[..split], &text[split + mark.len()..])
            }
            None => (text, ""),
        };
        let comments: Vec<Option<&str>> =
            source.lines().map(|line| line.trim_start().strip_prefix(kind.comment()).map(str::trim)).collect();
        Ok(Golden {
            path: path.to_path_buf(),
            kind,
            header: parse_header(&comments)?,
            source: source.to_string(),
            runs: parse_runs(&comments)?,
            printed: parse_printed(kind, printed)?,
        })
    }

    /// The file's text with these prints.
    pub fn with_printed(&self, printed: &[(String, String)]) -> String {
        let mark = self.kind.comment();
        let mut text = self.source.trim_end().to_string() + "\n";
        if printed.is_empty() {
            return text;
        }
        let _ = writeln!(text, "\n{mark} {PRINTED}");
        for (form, print) in printed {
            let _ = writeln!(text, "{mark} ---- {form}");
            for line in print.trim_end().lines() {
                let _ = writeln!(text, "{}", format!("{mark} {line}").trim_end());
            }
        }
        text
    }
}

/// Compares two prints; the message names the first line that differs.
pub fn compare_print(form: &str, expected: &str, actual: &str) -> Result<(), String> {
    let mut expected_lines = expected.trim_end().lines();
    for (i, actual) in actual.trim_end().lines().enumerate() {
        match expected_lines.next() {
            Some(expected) if expected == actual.trim_end() => {}
            Some(expected) => {
                return Err(format!("{form}, line {}:\n  expected `{expected}`\n  printed  `{actual}`", i + 1));
            }
            None => return Err(format!("{form}, line {}: more is printed than expected: `{actual}`", i + 1)),
        }
    }
    expected_lines.next().map_or(Ok(()), |line| Err(format!("{form}: less is printed than expected: `{line}`")))
}

fn parse_header(comments: &[Option<&str>]) -> Result<Header, String> {
    let mut header = Header::default();
    for (i, text) in comments.iter().map_while(|comment| *comment).enumerate() {
        let Some((key, value)) = directive(text) else { continue };
        if key == "run" {
            break;
        }
        parse_directive(&mut header, key, value).map_err(|error| format!("line {}: {error}", i + 1))?;
    }
    Ok(header)
}

/// `key: value` and `key`, where the key is one lower-case word.
fn directive(text: &str) -> Option<(&str, &str)> {
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    match text.split_once(':') {
        Some((key, value)) if is_key(key) => Some((key, value.trim())),
        _ => (text == "no-opt-module").then_some((text, "")),
    }
}

fn parse_directive(header: &mut Header, key: &str, value: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is no number"));
    match key {
        "emit" => header.emit.extend(value.split_whitespace().map(String::from)),
        "subgroup-size" => header.subgroup_size = Some(number(value)?),
        "scalar" => header.scalar = switch(value)?,
        "contract" => header.contract = switch(value)?,
        "opt" => header.o0 = value == "O0",
        "target" => header.target = Some(value.to_string()),
        "sizes" => header.sizes = value.split_whitespace().map(number).collect::<Result<_, _>>()?,
        "no-opt-module" => header.no_opt_module = true,
        "require" => header.require.push(value.to_string()),
        "error" => header.errors.push(value.to_string()),
        _ => return Err(format!("`{key}:` is no directive of a golden file")),
    }
    Ok(())
}

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{value}` is neither `on` nor `off`")),
    }
}

fn parse_runs(comments: &[Option<&str>]) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut lines = comments.iter().enumerate().peekable();
    while let Some((i, comment)) = lines.next() {
        let Some(rest) = comment.and_then(|text| text.strip_prefix("run:")) else { continue };
        let mut block = vec![(i + 1, rest)];
        while let Some((i, Some(text))) = lines.next_if(|(_, text)| text.is_some_and(|text| !text.starts_with("run:")))
        {
            block.push((i + 1, text));
        }
        runs.push(runs::parse_run(i + 1, block)?);
    }
    Ok(runs)
}

fn parse_printed(kind: Kind, text: &str) -> Result<Vec<(String, String)>, String> {
    let mut printed: Vec<(String, String)> = Vec::new();
    for line in text.lines().skip(1) {
        let content = line.strip_prefix(kind.comment()).ok_or_else(|| format!("`{line}` is no comment"))?;
        let content = content.strip_prefix(' ').unwrap_or(content);
        match (content.strip_prefix("---- "), printed.last_mut()) {
            (Some(form), _) => printed.push((form.to_string(), String::new())),
            (None, Some((_, print))) => {
                print.push_str(content);
                print.push('\n');
            }
            (None, None) => return Err(format!("`{line}` stands before the first print")),
        }
    }
    Ok(printed)
}

/// All golden files under a folder, in order of their paths. Files that are neither golden files nor stand beside one are
/// an error, and so is a folder without any.
pub fn find(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let message = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(message)? {
            let path = entry.map_err(message)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if Kind::of(&path).is_some() {
                found.push(path);
            } else {
                let shaders = ["comp", "spvasm", "ir"].map(|extension| path.with_extension(extension));
                let beside = path.extension().is_some_and(|e| e == "expected") && shaders.iter().any(|p| p.exists());
                if !beside {
                    return Err(format!("{}: neither a golden file nor beside one", path.display()));
                }
            }
        }
    }
    if found.is_empty() {
        return Err(format!("{}: no golden files", folder.display()));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
// Doubles: a test
// emit: stats ir
// subgroup-size: 4
// no-opt-module
#version 450
void main() {} // run: not this one

// run: groups 2 1 1
// buffer 0 0 u32 1
// expect 0 0 u32 exact 2
// run:
// buffer 0 0 u32 3
// expect 0 0 u32 exact 6

// ==== printed (cargo xtask bless) ====
// ---- stats
// blocks: 1
//
// x: 2
// ---- ir
// main
";

    fn parse(text: &str) -> Result<Golden, String> {
        Golden::parse(Path::new("a.comp"), text)
    }

    #[test]
    fn a_file_is_taken_apart_and_put_together() {
        let golden = parse(FILE).unwrap();
        assert_eq!(golden.header.emit, ["stats", "ir"]);
        assert_eq!((golden.header.subgroup_size, golden.header.no_opt_module), (Some(4), true));
        assert_eq!(golden.runs.iter().map(|run| (run.line, run.groups[0])).collect::<Vec<_>>(), [(8, 2), (11, 1)]);
        assert_eq!(golden.printed[0], ("stats".to_string(), "blocks: 1\n\nx: 2\n".to_string()));
        assert_eq!(golden.with_printed(&golden.printed), FILE);
        assert!(golden.source.ends_with("exact 6\n\n"));
    }

    #[test]
    fn a_bless_leaves_source_and_runs_alone() {
        let golden = parse(FILE).unwrap();
        let text = golden.with_printed(&[("stats".to_string(), "blocks: 7".to_string())]);
        let again = parse(&text).unwrap();
        assert_eq!((&again.runs, &again.header), (&golden.runs, &golden.header));
        assert_eq!(again.printed, [("stats".to_string(), "blocks: 7\n".to_string())]);
        assert_eq!(golden.with_printed(&[]), FILE.split("\n// ====").next().unwrap());
    }

    #[test]
    fn assembly_has_its_own_comment_mark() {
        let golden = Golden::parse(
            Path::new("a.spvasm"),
            "; sizes: 8 16\nOpCapability Shader\n; run:\n; expect 0 0 u32 exact 1\n",
        )
        .unwrap();
        assert_eq!((golden.header.sizes, golden.runs.len()), (vec![8, 16], 1));
    }

    #[test]
    fn unknown_directives_and_values_are_refused() {
        for text in ["// emitt: ir\n", "// scalar: yes\n", "// sizes: eight\n", "// run:\n// bind 0 0\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn prints_are_compared_line_by_line() {
        assert_eq!(compare_print("ir", "a\nb\n", "a\nb  \n\n"), Ok(()));
        assert!(compare_print("ir", "a\nb\n", "a\nc\n").unwrap_err().contains("line 2"));
        assert!(compare_print("ir", "a\n", "a\nb\n").unwrap_err().contains("more"));
        assert!(compare_print("ir", "a\nb\n", "a\n").unwrap_err().contains("less"));
    }
}
