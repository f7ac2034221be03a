//! Compiling a shader to files: the object and its header, its code as text, the preprocessor's output, rules for make.
//!
//! Files are named as glslc names them: `dir/blur.comp` becomes `blur.comp.o` and `blur.comp.h` in the current folder.

use super::args::BuildArgs;
use super::emit::{emit, report, write};
use super::{Failure, read_input};
use glslc2native::backend::Isa;
use glslc2native::frontend::{self, PreprocessedGlsl};
use glslc2native::{Compiler, Error, Input};
use std::path::{Path, PathBuf};

/// Does what the command line asks for.
pub fn build(args: &BuildArgs) -> Result<(), Failure> {
    let input = read_input(&args.compile)?;
    let compiler = compiler(args)?;
    // Before anything is written: what is wrong with the command line.
    let depend_file = depend_file(args)?;
    let depend_file = depend_file.as_deref();
    if args.depend.depend_only {
        let rule = rule(args, &preprocess(&compiler, &input)?.includes)?;
        let to = args.depend.depend_file.as_deref().or(args.output.as_deref());
        return write(to.unwrap_or(Path::new("-")), rule.as_bytes(), false);
    }
    if args.preprocess {
        let preprocessed = preprocess(&compiler, &input)?;
        write(args.output.as_deref().unwrap_or(Path::new("-")), preprocessed.text.as_bytes(), false)?;
        return depend(args, depend_file, &preprocessed.includes);
    }
    if !args.emit.is_empty() {
        return emit(args, &compiler, &input);
    }
    let mut stages = compiler.stages(&input);
    let output = output_file(args)?;
    if args.assembly {
        let text = stages.machine_code()?.asm_text();
        report(stages.warnings());
        write(&output, text.as_bytes(), false)?;
    } else {
        let object = stages.object()?;
        report(stages.warnings());
        write(&output, &object.bytes, true)?;
        let header = match &args.header {
            Some(header) => Some(header.clone()),
            None if output == Path::new("-") => None,
            None => Some(output.with_extension("h")),
        };
        if let Some(header) = header {
            write(&header, object.header.as_bytes(), false)?;
        }
    }
    depend(args, depend_file, stages.includes())
}

/// The compiler that the options describe. Objects are for any processor of the architecture, unless another is named;
/// what is only looked at is for this very machine.
fn compiler(args: &BuildArgs) -> Result<Compiler, String> {
    let mut compiler = args.compile.compiler()?;
    let object = args.emit.is_empty() || args.emit.iter().any(|form| form.is_object());
    compiler = match (&args.target, &args.cpu) {
        (Some(target), cpu) => compiler.target(target, cpu.as_deref()),
        (None, None) if !object => compiler,
        (None, cpu) => compiler.target(Isa::host_architecture(), cpu.as_deref()),
    };
    if let Some(passes) = &args.passes {
        compiler = compiler.passes(passes.iter().filter(|name| !name.is_empty()));
    }
    if let Some(file) = &args.compile.file {
        compiler = compiler.symbol_of_file(&file.to_string_lossy());
    }
    if let Some(symbol) = &args.symbol {
        compiler = compiler.symbol(symbol);
    }
    Ok(compiler)
}

fn preprocess(compiler: &Compiler, input: &Input) -> Result<PreprocessedGlsl, Failure> {
    match input {
        Input::Glsl { source, file_name } => {
            Ok(frontend::preprocess_glsl(source, &compiler.glsl_options_for(file_name)).map_err(Error::from)?)
        }
        _ => Err(Failure::Usage("only GLSL has a preprocessor".into())),
    }
}

/// Where the object or its text goes.
fn output_file(args: &BuildArgs) -> Result<PathBuf, Failure> {
    match &args.output {
        Some(output) => Ok(output.clone()),
        None => default_output(args),
    }
}

/// Where it goes unless told otherwise.
fn default_output(args: &BuildArgs) -> Result<PathBuf, Failure> {
    let name = args.compile.file.as_deref().filter(|file| *file != Path::new("-")).and_then(Path::file_name);
    let mut name = name.ok_or_else(|| Failure::Usage("name the object with -o".into()))?.to_owned();
    name.push(if args.assembly { ".s" } else { ".o" });
    Ok(name.into())
}

/// The file that a rule for make goes to beside the object, where it is asked for.
fn depend_file(args: &BuildArgs) -> Result<Option<PathBuf>, Failure> {
    if !args.depend.depend {
        return Ok(None);
    }
    if let Some(file) = &args.depend.depend_file {
        return Ok(Some(file.clone()));
    }
    let mut name = output_file(args)?.into_os_string();
    if name == "-" {
        return Err(Failure::Usage("name the rule's file with -MF".into()));
    }
    name.push(".d");
    Ok(Some(name.into()))
}

/// Writes the rule for make where it is asked for.
fn depend(args: &BuildArgs, file: Option<&Path>, includes: &[PathBuf]) -> Result<(), Failure> {
    match file {
        Some(file) => write(file, rule(args, includes)?.as_bytes(), false),
        None => Ok(()),
    }
}

/// A rule for make: the object, the shader, what it includes.
fn rule(args: &BuildArgs, includes: &[PathBuf]) -> Result<String, Failure> {
    let target = match &args.depend.depend_target {
        Some(target) => target.clone(),
        // There, the output is the rule itself.
        None if args.depend.depend_only => escape(&default_output(args)?.to_string_lossy()),
        None => escape(&output_file(args)?.to_string_lossy()),
    };
    let files = args.compile.file.iter().chain(includes).map(|file| escape(&file.to_string_lossy()));
    Ok(format!("{target}: {}\n", files.collect::<Vec<_>>().join(" ")))
}

/// A file's name as make reads it.
fn escape(name: &str) -> String {
    name.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#")
}
