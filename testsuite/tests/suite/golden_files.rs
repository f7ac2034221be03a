//! One trial per golden file: its prints, its error, its runs at the standard matrix.
//!
//! With `GLSLC2NATIVE_BLESS=1` the prints are rewritten instead of compared; run values never are.

use crate::support::trial;
use glslc2native::{Compiler, Input, OptLevel, Stages, frontend};
use glslc2native_testsuite::golden::{self, Golden, Header, Kind, compare_print};
use glslc2native_testsuite::matrix::{self, Config};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// Target of the prints, whatever machine they are made on.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const CPU: &str = "x86-64-v3";

/// Every trial; an error when there are no golden files.
pub fn trials() -> Vec<Trial> {
    let folder = folder();
    let paths = match golden::find(&folder) {
        Ok(paths) => paths,
        Err(message) => return vec![Trial::test("golden/corpus", move || Err(Failed::from(message)))],
    };
    println!("{} golden files", paths.len());
    let name = |path: &PathBuf| format!("golden/{}", path.strip_prefix(&folder).unwrap_or(path).display());
    paths.into_iter().map(|path| trial(name(&path), move || check(&path))).collect()
}

/// Where golden files are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn check(path: &Path) -> Result<usize, String> {
    let golden = Golden::read(path)?;
    let input = input(&golden);
    if !golden.header.errors.is_empty() {
        return check_error(&golden, &input);
    }
    let printed = check_prints(&golden, &input)?;
    Ok(printed + check_runs(&golden, &input)?)
}

pub fn input(golden: &Golden) -> Input {
    let source = golden.source.clone();
    let file_name = golden.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match golden.kind {
        Kind::Glsl => Input::Glsl { source, file_name },
        Kind::SpirvAsm => Input::Assembly { source, file_name },
        Kind::Ir => Input::Ir { source },
    }
}

fn check_error(golden: &Golden, input: &Input) -> Result<usize, String> {
    let compiler = Compiler::new().subgroup_size(golden.header.subgroup_size.unwrap_or(8));
    let Err(error) = compiler.compile(input) else { return Err("compiles, where an error was expected".into()) };
    let message = error.to_string();
    match golden.header.errors.iter().find(|text| !message.contains(*text)) {
        Some(text) => Err(format!("the error does not hold `{text}`: {message}")),
        None => Ok(golden.header.errors.len()),
    }
}

fn check_prints(golden: &Golden, input: &Input) -> Result<usize, String> {
    let forms = &golden.header.emit;
    let compiler = printing_compiler(&golden.header);
    let printed: Vec<(String, String)> = forms
        .iter()
        .map(|form| Ok((form.clone(), print(&compiler, input, form).map_err(|error| format!("{form}: {error}"))?)))
        .collect::<Result<_, String>>()?;
    let holds = |line: &String| printed.iter().any(|(_, print)| print.lines().any(|printed| printed == line));
    if let Some(line) = golden.header.require.iter().find(|line| !holds(line)) {
        let all: Vec<&str> = printed.iter().map(|(_, print)| print.as_str()).collect();
        return Err(format!("no print holds the line `{line}`:\n{}", all.join("\n")));
    }
    if std::env::var_os("GLSLC2NATIVE_BLESS").is_some_and(|value| value == "1") {
        return bless(golden, &printed);
    }
    let in_file: Vec<&String> = golden.printed.iter().map(|(form, _)| form).collect();
    if in_file != forms.iter().collect::<Vec<_>>() {
        return Err(format!("prints {in_file:?} where {forms:?} are asked for: bless the file"));
    }
    for ((form, expected), (_, actual)) in golden.printed.iter().zip(&printed) {
        compare_print(form, expected, actual)?;
    }
    Ok(printed.len())
}

fn bless(golden: &Golden, printed: &[(String, String)]) -> Result<usize, String> {
    let message = |error: std::io::Error| format!("{}: {error}", golden.path.display());
    let text = golden.with_printed(printed);
    if std::fs::read_to_string(&golden.path).map_err(message)? != text {
        std::fs::write(&golden.path, text).map_err(message)?;
        println!("blessed {}", golden.path.display());
    }
    Ok(printed.len())
}

fn printing_compiler(header: &Header) -> Compiler {
    Compiler::new()
        .subgroup_size(header.subgroup_size.unwrap_or(8))
        .scalar(header.scalar)
        .opt(if header.o0 { OptLevel::None } else { OptLevel::Speed })
        .contract(header.contract)
        .target(TRIPLE, Some(header.target.as_deref().unwrap_or(CPU)))
}

/// One form of what the compiler makes of an input, as `--emit` names it.
fn print(compiler: &Compiler, input: &Input, form: &str) -> Result<String, String> {
    let mut stages = compiler.stages(input);
    let text = match form {
        "spirv-asm" => stages.spirv().and_then(|words| Ok(frontend::disassemble(words)?)),
        "ir-lifted" => stages.lifted().map(|module| module.to_string()),
        "structured-spirv-asm" => stages.structured_spirv().and_then(|words| Ok(frontend::disassemble(&words)?)),
        "ir" => stages.module().map(|module| module.to_string()),
        "analysis" => stages.analysis(),
        "interface" => stages.interface().map(|interface| glslc2native::interface_text(&interface)),
        "interface-json" => stages.interface().map(|interface| glslc2native::interface_json(&interface)),
        "remarks" => stages.lowered().map(|lowered| lowered.remarks.join("\n")),
        "stats" => stats(&mut stages),
        "clif" => stages.lowered().map(|lowered| {
            let functions = lowered.functions.iter().map(|function| function.clif.display().to_string());
            functions.collect::<Vec<_>>().join("\n")
        }),
        "asm" => stages.machine_code().map(|code| code.asm_text()),
        _ => return Err("no form that golden files can hold".into()),
    };
    text.map_err(|error| error.to_string())
}

fn stats(stages: &mut Stages<'_>) -> glslc2native::Result<String> {
    let code = stages.machine_code()?.code_size();
    Ok(format!("{}code bytes: {code}\n", stages.lowered()?.stats))
}

fn check_runs(golden: &Golden, input: &Input) -> Result<usize, String> {
    let sizes = if golden.header.sizes.is_empty() { &matrix::SIZES[..] } else { &golden.header.sizes };
    let mut configs = matrix::configs(sizes);
    if golden.header.contract {
        configs.extend(matrix::configs(sizes).into_iter().map(|config| Config { contract: true, ..config }));
    }
    let mut inputs = vec![("", input.clone())];
    if let (Input::Glsl { source, file_name }, false) = (input, golden.header.no_opt_module || golden.runs.is_empty()) {
        // Compiled once for all configurations, and once more by way of SPIRV-Tools' optimiser.
        inputs = vec![
            ("", matrix::spirv(source, file_name, false)?),
            ("optimised module: ", matrix::spirv(source, file_name, true)?),
        ];
    }
    let mut count = 0;
    for (what, input) in &inputs {
        for run in &golden.runs {
            count += matrix::execute(input, &configs, run, |config, after| run.check(config.subgroup_size, after))
                .map_err(|error| format!("run at line {}: {what}{error}", run.line))?;
        }
    }
    Ok(count)
}
