//! Sources that use GL_EXT_spirv_intrinsics, and those that are or may have to be compiled in a child process.
//!
//! ```text
//! text ──pp──► tokens ──intrinsics──► tokens ──render──► text ──glslang──► words ──patches──► words
//!   └─glslang's preprocessor─► the same tokens?                  │
//!                                       here, or in a child where it is not certain that glslang survives
//! ```
//!
//! In: a job and its includes. Out: a module as from any other source: lines are the source's, debug information holds the
//! source as it is written, and messages point at what was written.

use crate::diagnostics::{Diagnostic, Source};
use crate::engine::{self, Action, Failure, Job, KnownInclude, KnownIncludes, Output};
use crate::glsl::failure;
use crate::include::Includes;
use crate::intrinsics::{self, Doubt, Finding, Mended};
use crate::pp::{self, File, Host, Kind, Place, Preprocessed, Token, Wrong};
use crate::{
    CompiledGlsl, Diagnostics, Error, GlslOptions, Isolation, Optimize, PreprocessedGlsl, Result, Severity, Warnings,
    child, diagnostics, doubts, render, scan, spirv, tools,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Answers our preprocessor, and keeps the answers for glslang's.
struct Answers<'a> {
    job: &'a Job,
    includes: &'a Includes<'a>,
    known: RefCell<KnownIncludes>,
}

impl Host for Answers<'_> {
    fn include(
        &self,
        requested: &str,
        relative: bool,
        from: &str,
        depth: usize,
    ) -> std::result::Result<(String, String), String> {
        let (tag, text) = self.includes.resolve(requested, relative, from, depth)?;
        let known = (requested.to_string(), relative, from.to_string(), tag.clone(), text.clone());
        let mut all = self.known.borrow_mut();
        if !all.found.contains(&known) {
            all.found.push(known);
        }
        Ok((tag, text))
    }

    fn predefined(&self, names: &[Rc<str>]) -> HashMap<Rc<str>, String> {
        let mut text = version_line(&self.job.text);
        for (index, name) in names.iter().enumerate() {
            text.push_str(&format!("#ifdef {name}\n{index} {name}\n#endif\n"));
        }
        let options = GlslOptions { defines: vec![], warnings: Warnings::Suppress, ..self.job.options.clone() };
        let job = Job { action: Action::Preprocess, text, options, ..self.job.clone() };
        let output = run(&job, &KnownIncludes::default(), false);
        let Ok((Output::Text(text), _)) = output else { return HashMap::new() };
        let known = text.lines().filter_map(|line| {
            let (index, value) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            Some((names.get(index.parse::<usize>().ok()?)?.clone(), value.to_string()))
        });
        known.collect()
    }
}

/// The `#version` line of a text, if it has one.
fn version_line(text: &str) -> String {
    let lexemes = pp::lex(text);
    let line = lexemes.split(|lexeme| lexeme.kind == Kind::Break).find(|line| !line.is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.iter().map(|lexeme| &*lexeme.text).collect();
    match words.as_slice() {
        ["#", "version", rest @ ..] => format!("#version {}\n", rest.join(" ")),
        _ => String::new(),
    }
}

/// Runs a job here or, where the options or a doubt ask for it, in a child.
fn run(job: &Job, includes: &KnownIncludes, is_doubtful: bool) -> std::result::Result<(Output, String), Failure> {
    let in_child = match job.options.isolation {
        Isolation::InProcess => false,
        Isolation::WhenDoubtful => is_doubtful,
        Isolation::Always => true,
    };
    match &job.options.child {
        Some(child) if in_child => child::run(child, job, includes),
        None if in_child => Err(Failure::Internal("no child compiler".to_string())),
        _ => engine::run_with_known(job, includes),
    }
}

/// Compiles a job.
pub(crate) fn compile(job: &Job, includes: Includes<'_>) -> Result<CompiledGlsl> {
    if job.options.isolation == Isolation::Always && job.options.child.is_none() {
        return Err(Error::Options("compiling in a child process needs to know which: set `child`".to_string()));
    }
    let (words, warnings) = compile_with(job, &includes)?;
    Ok(CompiledGlsl { words, warnings, includes: includes.into_files() })
}

/// Preprocesses a job.
pub(crate) fn preprocess(job: &Job, includes: Includes<'_>) -> Result<PreprocessedGlsl> {
    let text = preprocess_with(job, &includes)?;
    Ok(PreprocessedGlsl { text, includes: includes.into_files() })
}

fn preprocess_with(job: &Job, includes: &Includes<'_>) -> Result<String> {
    let answers = Answers { job, includes, known: RefCell::default() };
    let preprocessed = pp::preprocess(&job.tag, &job.text, &job.options.defines, &answers);
    let known = answers.known.take();
    let sources = || includes.sources().to_vec();
    let Preprocessed { files, tokens } =
        preprocessed.map_err(|(files, wrong)| wrong_source(&files, &sources(), &wrong))?;
    // Only directives matter to glslang's preprocessor.
    let directives: Vec<Token> = tokens.into_iter().filter(Token::is_directive).collect();
    doubts::check(&directives).map_err(|wrong| wrong_source(&files, &sources(), &wrong))?;
    match run(job, &known, false).map_err(|why| failure(why, &job.options, &sources()))? {
        (Output::Text(text), _) => Ok(text),
        _ => Err(Error::Internal("shaderc gave no text".to_string())),
    }
}

fn compile_with(job: &Job, includes: &Includes<'_>) -> Result<(Vec<u32>, Diagnostics)> {
    let answers = Answers { job, includes, known: RefCell::default() };
    let preprocessed = pp::preprocess(&job.tag, &job.text, &job.options.defines, &answers);
    let known = answers.known.take();
    let sources = || includes.sources().to_vec();
    let Preprocessed { files, tokens } =
        preprocessed.map_err(|(files, wrong)| wrong_source(&files, &sources(), &wrong))?;
    if job.options.isolation == Isolation::Always && !concerns(job, &known) {
        let (output, messages) = run(job, &known, true).map_err(|why| failure(why, &job.options, &sources()))?;
        return Ok((words_of(output)?, diagnostics::parse(&messages, &sources())));
    }
    let at_source = |wrong: Wrong| wrong_source(&files, &sources(), &wrong);
    doubts::check(&tokens).map_err(at_source)?;
    known_characters(&tokens).map_err(at_source)?;
    let doubt = doubts::find(&tokens);
    refuse_doubts(&doubt, job, &files, &sources())?;
    compare(job, &known, &files, &tokens, &sources(), doubt.is_some())?;
    let mut mended = intrinsics::mend(tokens).map_err(at_source)?;
    mended.doubt = doubt.or(mended.doubt);
    refuse_doubts(&mended.doubt, job, &files, &sources())?;
    let text = render::render(&mended.tokens, &files);
    scan::check(&text)
        .map_err(|fault| Error::Glsl(Diagnostics::error(&job.options.file_name, (0, 0), fault.what, "")))?;
    let options = GlslOptions { defines: vec![], optimize: Optimize::None, ..job.options.clone() };
    let rendered = Job { text, options, ..job.clone() };
    let (output, messages) = run(&rendered, &KnownIncludes::default(), mended.doubt.is_some()).map_err(|why| {
        let error = failure(why, &job.options, &sources());
        match error {
            Error::Glsl(found) => Error::Glsl(with_columns(found, &files, &mended.tokens, &sources())),
            error => error,
        }
    })?;
    let warnings = with_columns(diagnostics::parse(&messages, &sources()), &files, &mended.tokens, &sources());
    let words = words_of(output)?;
    spirv::check_words(&words)?;
    let words = mended
        .patches
        .apply(&words)
        .map_err(|finding| Error::Glsl(from_finding(finding, &files, &mended, &sources())))?;
    let texts: Vec<(String, String)> = sources().into_iter().map(|source| (source.tag, source.text)).collect();
    let words = spirv::with_source_texts(&words, &texts);
    Ok((optimize(words, &job.options)?, warnings))
}

/// Optimises a module, as shaderc does with others. SPIRV-Tools' optimiser takes it for granted that a module is valid, and
/// crashes on some that are not.
fn optimize(words: Vec<u32>, options: &GlslOptions) -> Result<Vec<u32>> {
    if options.optimize == Optimize::None {
        return Ok(words);
    }
    tools::validate(&words, options.target_env).map_err(|error| {
        Error::Options(format!(
            "{}: SPIRV-Tools cannot optimise this module, since it does not know all that is in it; compile without \
             optimisation by SPIRV-Tools ({error})",
            options.file_name
        ))
    })?;
    tools::optimize(&words, options.optimize, options.effective_spirv_version())
}

/// An error for a doubt, where doubtful sources are for a child and there is none.
fn refuse_doubts(doubt: &Option<Doubt>, job: &Job, files: &[File], sources: &[Source]) -> Result<()> {
    let (Some(doubt), Isolation::WhenDoubtful, None) = (doubt, job.options.isolation, &job.options.child) else {
        return Ok(());
    };
    let what = format!(
        "limit exceeded: {}, which glslang might crash on; compile the source in a child process: name the compiler's \
         executable in the options",
        doubt.why
    );
    Err(wrong_source(files, sources, &Wrong { at: doubt.at, what }))
}

/// Whether any of a job's texts may use the extension.
fn concerns(job: &Job, known: &KnownIncludes) -> bool {
    let values = job.options.defines.iter().filter_map(|(_, value)| value.as_deref());
    let includes = known.found.iter().map(|(.., text)| text.as_str());
    values.chain(includes).chain([job.text.as_str()]).any(intrinsics::concerns)
}

fn words_of(output: Output) -> Result<Vec<u32>> {
    match output {
        Output::Words(words) => Ok(words),
        Output::Text(_) => Err(Error::Internal("shaderc gave text for a module".to_string())),
    }
}

/// Refuses characters that GLSL does not have outside of comments and strings.
fn known_characters(tokens: &[Token]) -> std::result::Result<(), Wrong> {
    match tokens.iter().find(|token| !pp::is_known(token.kind, &token.text)) {
        Some(token) => {
            let what = format!("'{}' : GLSL has no such character", token.text.escape_debug());
            Err(Wrong { at: token.place(), what })
        }
        None => Ok(()),
    }
}

/// Compares our tokens with those of glslang's own preprocessor, which also finds the mistakes that ours leaves to it.
fn compare(
    job: &Job,
    known: &KnownIncludes,
    files: &[File],
    tokens: &[Token],
    sources: &[Source],
    is_doubtful: bool,
) -> Result<()> {
    let job = Job { action: Action::Preprocess, text: without_escapes(&job.text), ..job.clone() };
    let known = &KnownIncludes { found: known.found.iter().map(plain_include).collect() };
    let (output, _) = run(&job, known, is_doubtful).map_err(|why| failure(why, &job.options, sources))?;
    let Output::Text(text) = output else { return Err(Error::Internal("shaderc gave no text".to_string())) };
    let theirs = pp::lex(&text);
    let mut theirs = theirs
        .split(|lexeme| lexeme.kind == Kind::Break)
        .filter(|line| line.first().is_none_or(|first| &*first.text != "#"))
        .flatten()
        .filter(|lexeme| lexeme.kind != Kind::Text);
    // Strings are left out: glslang reads escapes in them, and drops them where no extension allows them.
    let mut ours = tokens.iter().filter(|token| !token.is_directive() && token.kind != Kind::Text);
    // What is left of the current token of each. Where `0x` or `1vec` is cut into tokens they may differ; that is for
    // glslang to decide, and does not matter here.
    let (mut left, mut right) = ("", "");
    let mut at = Place { file: 0, offset: 0 };
    loop {
        if left.is_empty() {
            let token = ours.next();
            left = token.map_or("", |token| &*token.text);
            at = token.map_or(at, Token::place);
        }
        if right.is_empty() {
            right = theirs.next().map_or("", |lexeme| &*lexeme.text);
        }
        if left.is_empty() && right.is_empty() {
            return Ok(());
        }
        let length = left.len().min(right.len());
        match (left.split_at_checked(length), right.split_at_checked(length)) {
            // `__FILE__` is glslang's.
            _ if left == "__FILE__" => (left, right) = ("", ""),
            (Some((a, rest)), Some((b, other))) if a == b && length > 0 => (left, right) = (rest, other),
            _ => {
                let text = |text: &str| if text.is_empty() { "nothing" } else { text }.to_string();
                let what = format!(
                    "internal error: the preprocessor reads '{}' where glslang's reads '{}' (this is a bug in \
                     glslc2native: please report it with the shader)",
                    text(left),
                    text(right)
                );
                return Err(wrong_source(files, sources, &Wrong { at, what }));
            }
        }
    }
}

fn plain_include(known: &KnownInclude) -> KnownInclude {
    let (requested, relative, from, tag, text) = known.clone();
    (requested, relative, from, tag, without_escapes(&text))
}

/// The text with escapes in strings made plain: glslang's preprocessor writes what they mean, such as a line break, into
/// the string, where nothing could read it.
fn without_escapes(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let lexemes = pp::lex(text);
    for line in lexemes.split(|lexeme| lexeme.kind == Kind::Break) {
        let is_directive = line.first().is_some_and(|first| &*first.text == "#");
        if is_directive && line.get(1).is_none_or(|name| &*name.text != "define") {
            continue;
        }
        for lexeme in line.iter().filter(|lexeme| lexeme.kind == Kind::Text && lexeme.text.contains('\\')) {
            let start = lexeme.offset as usize;
            // Line breaks within a string would shift what follows them.
            let part = bytes.get_mut(start..start + lexeme.text.len());
            let Some(part) = part.filter(|part| **part == *lexeme.text.as_bytes()) else { continue };
            let mut rest = part.iter_mut();
            while let Some(byte) = rest.next() {
                if *byte == b'\\' {
                    *byte = b'_';
                    if let Some(escaped) = rest.next().filter(|byte| byte.is_ascii()) {
                        *escaped = b'_';
                    }
                }
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

/// An error at a place of the source.
fn wrong_source(files: &[File], sources: &[Source], wrong: &Wrong) -> Error {
    let Wrong { at, what } = wrong;
    let mut item = Diagnostic {
        severity: Severity::Error,
        file: String::new(),
        line: 0,
        column: 0,
        message: what.clone(),
        source_line: None,
    };
    if let Some(file) = files.get(at.file as usize) {
        let (line, column) = file.line_column(at.offset);
        place(&mut item, file, line, column, sources);
    }
    Error::Glsl(Diagnostics { items: vec![item] })
}

/// Points a message at a line and a column of a file, both as they are in its text.
fn place(item: &mut Diagnostic, file: &File, line: u32, column: u32, sources: &[Source]) {
    let (tag, number) = file.logical(line);
    let name = sources.iter().find(|source| source.tag == tag).map_or(tag, |source| &source.name);
    item.file = name.to_string();
    (item.line, item.column) = (number, column);
    item.source_line = file.text.lines().nth(line as usize - 1).map(str::to_string);
}

/// Finds columns by the tokens that glslang was given, which macros and the other spelling hide from the text.
fn with_columns(mut found: Diagnostics, files: &[File], tokens: &[Token], sources: &[Source]) -> Diagnostics {
    for item in &mut found.items {
        let Some((quoted, _)) = item.message.strip_prefix('\'').and_then(|rest| rest.split_once("' :")) else {
            continue;
        };
        let tag = sources.iter().find(|source| source.name == item.file).map_or(&*item.file, |source| &source.tag);
        let at = render::find(tokens, files, (tag, item.line), quoted);
        // What is found in the line itself may be told more exactly: a member, say.
        if let Some((file, line, column)) = at.filter(|_| !quoted.is_empty()) {
            let (tag, line_number) = (tag.to_string(), item.line);
            if item.column == 0 || file.logical(line) != (&tag, line_number) {
                place(item, file, line, column, sources);
            }
        }
    }
    found
}

/// An error that only the words show.
fn from_finding(finding: Finding, files: &[File], mended: &Mended, sources: &[Source]) -> Diagnostics {
    let Finding { file, line, what } = finding;
    let name = sources.iter().find(|source| source.tag == file).map_or(&*file, |source| &source.name);
    let item = Diagnostic {
        severity: Severity::Error,
        file: name.to_string(),
        line,
        column: 0,
        message: what,
        source_line: None,
    };
    with_columns(Diagnostics { items: vec![item] }, files, &mended.tokens, sources)
}
