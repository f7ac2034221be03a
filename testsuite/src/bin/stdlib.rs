//! Compiles the standard library: `lowering/stdlib/*.glsl` to `library.bin` (words) and `index.rs` (where each function's
//! words are) beside them. `cargo xtask stdlib` runs it.
//!
//! ```text
//! stdlib            writes both files
//! stdlib --check    fails where they are not current
//! ```
//!
//! Each function becomes a module of its own, with the parameters as input variables and the results as output variables
//! of a vertex shader, optimised by SPIRV-Tools and without debug information. What comes out must be straight-line code
//! on scalars, every float operation decorated `NoContraction`: else the optimiser could have rearranged it.

use glslc2native::frontend::{GlslOptions, Optimize, Stage, compile_glsl};
use glslc2native::lowering::ir::Scalar;
use glslc2native::lowering::transform::stdlib::{FUNCTIONS, LibraryFunction};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match &arguments[..] {
        [] => false,
        [option] if option == "--check" => true,
        _ => {
            eprintln!("usage: stdlib [--check]");
            return ExitCode::from(2);
        }
    };
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lowering/stdlib")
}

fn run(check: bool) -> Result<(), Failure> {
    let mut all = vec![];
    let mut index = String::from(
        "/// Each function's name, first word and number of words in `library.bin`. Made by `cargo xtask stdlib`.\n\
         #[rustfmt::skip]\npub(super) const INDEX: &[(&str, usize, usize)] = &[\n",
    );
    for function in FUNCTIONS {
        let words = compile(function).map_err(|error| format!("{}: {error}", function.name))?;
        writeln!(index, "    (\"{}\", {}, {}),", function.name, all.len(), words.len())?;
        all.extend(words);
    }
    index += "];\n";
    let bytes: Vec<u8> = all.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (name, contents) in [("library.bin", &bytes[..]), ("index.rs", index.as_bytes())] {
        let path = folder().join(name);
        match fs::read(&path).is_ok_and(|old| old == contents) {
            true => eprintln!("{} is current", path.display()),
            false if check => {
                return Err(format!("{} is not current: run `cargo xtask stdlib`", path.display()).into());
            }
            false => {
                fs::write(&path, contents)?;
                eprintln!("wrote {} ({} bytes)", path.display(), contents.len());
            }
        }
    }
    Ok(())
}

fn glsl_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U32 => "uint",
        Scalar::I32 => "int",
        Scalar::Float(64) => "double",
        _ => "float",
    }
}

/// The shader that holds one function.
fn source(function: &LibraryFunction) -> Result<String, Failure> {
    let path = folder().join(format!("{}.glsl", function.file));
    let library = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text = format!("#version 450\n{library}\n");
    for (letter, direction, scalars) in [('p', "in", function.params), ('r', "out", function.results)] {
        for (i, &scalar) in scalars.iter().enumerate() {
            // Doubles are not interpolated.
            let flat = if (direction, scalar) == ("out", Scalar::Float(64)) { "flat " } else { "" };
            writeln!(text, "layout(location = {i}) {flat}{direction} {} {letter}{i};", glsl_type(scalar))?;
        }
    }
    let names = |letter, n: usize| (0..n).map(move |i| format!("{letter}{i}"));
    let params = names('p', function.params.len());
    let call = match function.results.len() {
        1 => format!("r0 = std_{}({})", function.name, params.collect::<Vec<_>>().join(", ")),
        n => format!("std_{}({})", function.name, params.chain(names('r', n)).collect::<Vec<_>>().join(", ")),
    };
    writeln!(text, "void main() {{ {call}; }}")?;
    Ok(text)
}

fn compile(function: &LibraryFunction) -> Result<Vec<u32>, Failure> {
    let options = GlslOptions {
        stage: Some(Stage::Vertex),
        optimize: Optimize::Performance,
        include_dirs: vec![folder()],
        ..GlslOptions::for_file(format!("{}.glsl", function.file))
    };
    let compiled = compile_glsl(&source(function)?, &options)?;
    let words = strip(&compiled.words);
    inspect(&words)?;
    Ok(words)
}

/// Instructions: opcode and words.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = &words[5..];
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (instruction, after) = rest.split_at((first >> 16).max(1) as usize);
        rest = after;
        Some((first & 0xFFFF, instruction))
    })
}

const NAME_AND_DEBUG: &[u32] = &[2, 3, 4, 5, 6, 7, 8, 317, 330];
const FLOAT_OPERATIONS: &[u32] = &[127, 129, 131, 133, 136, 142, 148];
/// Labels and branches beyond one block, calls, variables, loops.
const CONTROL: &[u32] = &[57, 245, 246, 247, 249, 250, 251];
const DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;

/// Without names, sources and lines.
fn strip(words: &[u32]) -> Vec<u32> {
    let kept = instructions(words).filter(|(opcode, _)| !NAME_AND_DEBUG.contains(opcode));
    let mut out = words[..5].to_vec();
    kept.for_each(|(_, instruction)| out.extend(instruction));
    out
}

/// Is it straight-line code, and does no float operation allow rearrangement?
fn inspect(words: &[u32]) -> Result<(), Failure> {
    let fixed: HashSet<u32> = instructions(words)
        .filter(|(opcode, i)| *opcode == DECORATE && i.get(2) == Some(&NO_CONTRACTION))
        .map(|(_, i)| i[1])
        .collect();
    for (opcode, instruction) in instructions(words) {
        if CONTROL.contains(&opcode) {
            return Err(format!("opcode {opcode}: calls and branches are left; write selections without them").into());
        }
        if FLOAT_OPERATIONS.contains(&opcode) && opcode != 127 && !fixed.contains(&instruction[2]) {
            return Err(format!("%{} (opcode {opcode}) is not precise", instruction[2]).into());
        }
    }
    Ok(())
}
