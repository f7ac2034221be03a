//! Printing what the compiler makes of a shader: `--emit`.

use super::args::BuildArgs;
use super::{Failure, output};
use glslc2native::frontend::Diagnostics;
use glslc2native::{Compiler, Input, Stages, frontend, interface_json, interface_text};
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
    /// SPIR-V made of the structured IR again, as lifted or after --passes (binary)
    StructuredSpirv,
    /// The same as assembly
    StructuredSpirvAsm,
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
    /// Object file
    Obj,
    /// C header for the object
    Header,
    /// What the shader declares
    Interface,
    /// The same as JSON
    InterfaceJson,
}

impl Form {
    /// Is it no text?
    fn is_binary(self) -> bool {
        matches!(self, Form::Spirv | Form::StructuredSpirv | Form::Obj)
    }

    /// Is it about the object?
    pub fn is_object(self) -> bool {
        matches!(self, Form::Obj | Form::Header)
    }
}

/// Prints all forms that were asked for.
pub fn emit(args: &BuildArgs, compiler: &Compiler, input: &Input) -> Result<(), Failure> {
    let mut stages = compiler.stages(input);
    let mut all = vec![];
    if args.emit.len() > 1 && args.emit.iter().any(|form| form.is_binary()) {
        return Err(Failure::Usage("spirv, structured-spirv and obj are no text: print them alone".into()));
    }
    for &form in &args.emit {
        let printed = print(&mut stages, form)?;
        if args.emit.len() > 1 {
            let name = clap::ValueEnum::to_possible_value(&form).map_or(String::new(), |v| v.get_name().into());
            all.extend_from_slice(format!("==== {name}\n").as_bytes());
        }
        all.extend_from_slice(&printed);
    }
    report(stages.warnings());
    let binary = args.emit.iter().any(|form| form.is_binary());
    write(args.output.as_deref().unwrap_or(Path::new("-")), &all, binary)
}

/// Writes a file, or to standard output for `-`.
pub fn write(path: &Path, bytes: &[u8], binary: bool) -> Result<(), Failure> {
    if path == Path::new("-") {
        if binary && std::io::stdout().is_terminal() {
            return Err(Failure::Input("this is no text for a terminal: name a file with -o".into()));
        }
        return output(bytes);
    }
    std::fs::write(path, bytes).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}

/// Prints warnings.
pub fn report(warnings: &Diagnostics) {
    if !warnings.is_empty() {
        eprintln!("{warnings}");
    }
}

/// Prints a form.
fn print(stages: &mut Stages<'_>, form: Form) -> Result<Vec<u8>, Failure> {
    let text = match form {
        Form::Spirv => return Ok(frontend::to_bytes(stages.spirv()?)),
        Form::SpirvAsm => frontend::disassemble(stages.spirv()?).map_err(glslc2native::Error::from)?,
        Form::IrLifted => stages.lifted()?.to_string(),
        Form::Ir => stages.module()?.to_string(),
        Form::StructuredSpirv => return Ok(frontend::to_bytes(&stages.structured_spirv()?)),
        Form::StructuredSpirvAsm => {
            frontend::disassemble(&stages.structured_spirv()?).map_err(glslc2native::Error::from)?
        }
        Form::Analysis => stages.analysis()?,
        Form::Stats => {
            let code = stages.machine_code()?.code_size();
            let stats = stages.lowered()?.stats.clone();
            let work = stages.work();
            let steps = format!("lift {}, transform {}, lower {}", work.lift, work.transform, work.lower);
            format!("{stats}code bytes: {code}\nsteps: {steps}\n")
        }
        Form::Remarks => stages.lowered()?.remarks.iter().fold(String::new(), |text, line| text + line + "\n"),
        Form::Clif => clif(stages)?,
        Form::Asm => stages.machine_code()?.asm_text(),
        Form::Obj => return Ok(stages.object()?.bytes),
        Form::Header => stages.object()?.header,
        Form::Interface => interface_text(&stages.interface()?),
        Form::InterfaceJson => interface_json(&stages.interface()?),
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
