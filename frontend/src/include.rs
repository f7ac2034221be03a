//! `#include`: where files are looked for, and bounds on what is read.
//!
//! `#include "x"` looks in the folder of the including file, then in the `-I` folders; `#include <x>` only in the latter.

use crate::diagnostics::Source;
use crate::scan;
use std::cell::{Ref, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

/// Deepest nesting of includes.
const MAX_DEPTH: usize = 100;
/// Most bytes that all includes of a compilation may have together.
const MAX_BYTES: u64 = 64 << 20;
/// Most `#include` directives that a compilation may obey.
const MAX_COUNT: usize = 20_000;

/// What a compilation has read so far.
struct State {
    sources: Vec<Source>,
    /// For each source the file that it came from.
    paths: Vec<PathBuf>,
    bytes: u64,
    count: usize,
    /// What the last `#include "x"` did not find, where, and why.
    missed: Option<(String, String, String)>,
}

/// Answers the include requests of one compilation.
pub(crate) struct Includes<'a> {
    dirs: &'a [PathBuf],
    state: RefCell<State>,
}

impl<'a> Includes<'a> {
    /// Includes of the source `main`, which is in the file `path`.
    pub fn new(main: Source, path: PathBuf, dirs: &'a [PathBuf]) -> Includes<'a> {
        let state = State { sources: vec![main], paths: vec![path], bytes: 0, count: 0, missed: None };
        Includes { dirs, state: RefCell::new(state) }
    }

    /// All sources, the main one first.
    pub fn sources(&self) -> Ref<'_, [Source]> {
        Ref::map(self.state.borrow(), |state| state.sources.as_slice())
    }

    /// The files that were included.
    pub fn into_files(self) -> Vec<PathBuf> {
        self.state.into_inner().paths.into_iter().skip(1).collect()
    }

    /// The tag and the text of the file that `requested` names in the source tagged `from_tag`, `depth` includes deep.
    pub fn resolve(
        &self,
        requested: &str,
        relative: bool,
        from_tag: &str,
        depth: usize,
    ) -> Result<(String, String), String> {
        let mut state = self.state.borrow_mut();
        if depth > MAX_DEPTH {
            return Err(format!("includes are nested more than {MAX_DEPTH} deep: does the file include itself?"));
        }
        state.count += 1;
        if state.count > MAX_COUNT {
            return Err(format!("more than {MAX_COUNT} includes"));
        }
        let from = state.sources.iter().position(|source| source.tag == from_tag).and_then(|at| state.paths.get(at));
        let folder = from.and_then(|path| path.parent()).map(Path::to_path_buf);
        let folders = folder.filter(|_| relative).into_iter().chain(self.dirs.iter().cloned());
        let mut tried = vec![];
        for path in folders.map(|folder| folder.join(requested)) {
            match fs::metadata(&path) {
                // A device or a pipe might never end.
                Ok(data) if !data.is_file() => tried.push(format!("{} is no regular file", path.display())),
                Ok(data) => return state.read(path, data.len()),
                Err(error) => tried.push(format!("{}: {error}", path.display())),
            }
        }
        // What was not found beside the file is asked for again as if in angle brackets; the first reason says more.
        if let Some((_, _, reason)) =
            state.missed.take().filter(|(name, file, _)| name == requested && file == from_tag)
        {
            return Err(reason);
        }
        let reason = match tried.as_slice() {
            [] => "no folder to look in: pass one with -I".to_string(),
            tried => format!("cannot find it: {}", tried.join("; ")),
        };
        state.missed = relative.then(|| (requested.to_string(), from_tag.to_string(), reason.clone()));
        Err(reason)
    }
}

impl State {
    fn read(&mut self, path: PathBuf, length: u64) -> Result<(String, String), String> {
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes > MAX_BYTES {
            return Err(format!("the includes of this source have more than {} MiB together", MAX_BYTES >> 20));
        }
        // The main source, which comes first, may be another text than the file of its name.
        let known = self.paths.iter().zip(&self.sources).skip(1).find(|(known, _)| **known == path);
        if let Some((_, source)) = known {
            return Ok((source.tag.clone(), source.text.clone()));
        }
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.display().to_string();
        let text = decode(&bytes);
        scan::check(&text).map_err(|fault| {
            let (line, column) = scan::line_column(&text, fault.offset);
            format!("{name}:{line}:{column}: {}", fault.what)
        })?;
        let tag = tag_of(&name);
        self.sources.push(Source { tag: tag.clone(), name, text: text.clone() });
        self.paths.push(path);
        Ok((tag, text))
    }
}

/// Text of a file. Other encodings than UTF-8 occur in comments, where it does not matter what becomes of them; a byte
/// order mark would be an error in glslang.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

/// A name that shaderc can put in front of messages: one line, without what it would take for the place of a message
/// (a colon, digits, a colon), never empty, and not a number, which glslang takes for a string's index.
pub(crate) fn tag_of(name: &str) -> String {
    let mut tag: String = name.chars().map(|c| if c.is_control() || c == '"' { '_' } else { c }).collect();
    let looks_like_a_place =
        tag.split(':').skip(1).any(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if looks_like_a_place {
        tag = tag.replace(':', "_");
    }
    if tag.is_empty() || tag.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        tag.insert(0, '_');
    }
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_unmistakable() {
        for plain in ["a.comp", "dir/a b.comp", "c:/x.comp", "a:b", "é.comp"] {
            assert_eq!(tag_of(plain), plain);
        }
        assert_eq!(tag_of("a:3: b"), "a_3_ b");
        assert_eq!(tag_of("a:12"), "a_12");
        assert_eq!(tag_of("a\nb\"c"), "a_b_c");
        assert_eq!(tag_of(""), "_");
        assert_eq!(tag_of("-1"), "_-1");
    }
}
