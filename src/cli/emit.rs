//! Printing what the compiler makes of a shader: `--emit`.

use super::args::EmitArgs;
use super::{Failure, output, read_input};
use glslc2native::{Stages, frontend, interface_text};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

/// What can be printed.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// SPIR-V module (binary)
    Spirv,
    /// SPIR-V assembly
    SpirvAsm,
    /// Structured IR as it comes from SPIR-V
    IrLifted,
    /// Structured IR after all transforms
    Ir,
    /// What is uniform and what varies, and why
    Analysis,
    /// Counts of what the lowering did
    Stats,
    /// Why lines gather, are masked or go lane by lane
    Remarks,
    /// Cranelift IR
    Clif,
    /// Machine code as text
    Asm,
    /// What the shader declares
    Interface,
}

/// Prints all forms that were asked for.
pub fn emit(args: &EmitArgs) -> Result<(), Failure> {
    let mut compiler = args.compile.compiler()?;
    if let Some(target) = &args.target {
        compiler = compiler.target(target, args.cpu.as_deref());
    }
    if let Some(passes) = &args.passes {
        compiler = compiler.passes(passes.iter().filter(|name| !name.is_empty()));
    }
    let input = read_input(&args.compile)?;
    let mut stages = compiler.stages(&input);
    let mut all = vec![];
    for &form in &args.emit {
        let printed = print(&mut stages, form)?;
        if args.emit.len() > 1 {
            let name = clap::ValueEnum::to_possible_value(&form).map_or(String::new(), |v| v.get_name().into());
            all.extend_from_slice(format!("==== {name}\n").as_bytes());
        }
        all.extend_from_slice(&printed);
    }
    if !stages.warnings().is_empty() {
        eprintln!("{}", stages.warnings());
    }
    if args.output == Path::new("-") {
        if args.emit.contains(&Form::Spirv) && std::io::stdout().is_terminal() {
            return Err(Failure::Input("a SPIR-V module is no text: name a file with -o, or print spirv-asm".into()));
        }
        return output(&all);
    }
    std::fs::write(&args.output, &all).map_err(|e| Failure::Input(format!("{}: {e}", args.output.display())))
}

/// Prints a form.
fn print(stages: &mut Stages<'_>, form: Form) -> Result<Vec<u8>, Failure> {
    let text = match form {
        Form::Spirv => return Ok(frontend::to_bytes(stages.spirv()?)),
        Form::SpirvAsm => frontend::disassemble(stages.spirv()?).map_err(glslc2native::Error::from)?,
        Form::IrLifted => stages.lifted()?.to_string(),
        Form::Ir => stages.module()?.to_string(),
        Form::Analysis => stages.analysis()?,
        Form::Stats => {
            let code = stages.machine_code()?.code_size();
            format!("{}code bytes: {code}\n", stages.lowered()?.stats)
        }
        Form::Remarks => stages.lowered()?.remarks.iter().fold(String::new(), |text, line| text + line + "\n"),
        Form::Clif => clif(stages)?,
        Form::Asm => stages.machine_code()?.asm_text(),
        Form::Interface => interface_text(&stages.interface()?),
    };
    Ok(text.into_bytes())
}

fn clif(stages: &mut Stages<'_>) -> Result<String, Failure> {
    let mut text = String::new();
    for function in &stages.lowered()?.functions {
        let separator = if text.is_empty() { "" } else { "\n" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{separator}; {}\n{}", function.name, function.clif.display());
    }
    Ok(text)
}
