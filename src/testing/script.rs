//! Runs a script: AmberScript or VkScript, as `glslc2native_scripts::amber` reads it.
//!
//! Pipelines are compiled when they are first run. Buffers live as long as the script; one may be bound in several places.

use super::{Failure, FailureKind, Memory, Outcome, TestOptions, features, guarded, with_time_limit};
use crate::frontend::{self, SpirvVersion};
use crate::{Bindings, Compiler, DispatchOptions, Input, Kernel, SpecValue, Stage, TargetEnv};
use glslc2native_scripts::amber::{
    Action, BindKind, Command, Pipeline, Script, Shader, ShaderFormat, Source, SubgroupSize, check, parse,
};
use std::path::Path;
use std::time::Duration;

/// Runs a script; `path` names it in messages, and files that it mentions are beside it.
pub fn run_script(text: &str, path: &Path, options: &TestOptions) -> Outcome {
    guarded(|| {
        let script = parse(text).map_err(|error| Failure::new(FailureKind::Script, error.to_string()))?;
        if let Some((_, what)) = script.beyond.first() {
            return Ok(Outcome::Skipped { reason: format!("needs {what}") });
        }
        if let Some(language) = foreign_language(&script) {
            return Ok(Outcome::Skipped { reason: format!("has shaders in {language}") });
        }
        if let Some(pass) = defining_pass(&script) {
            return Ok(Outcome::Skipped { reason: format!("asks for SPIRV-Tools' pass {pass}, which is not run") });
        }
        match Run::new(&script, path, options).and_then(|run| run.run()) {
            Err(Failure { kind: FailureKind::Unsupported, message }) => {
                // Its own words decide whether that is a reason to skip it.
                match script.requirements.iter().find_map(features::missing) {
                    Some(reason) => Ok(Outcome::Skipped { reason }),
                    None => Err(Failure { kind: FailureKind::Unsupported, message }),
                }
            }
            result => result,
        }
    })
}

/// A language of the script's compute shaders that cannot be compiled.
fn foreign_language(script: &Script) -> Option<&'static str> {
    script.shaders.iter().filter(|shader| shader.stage == "compute").find_map(|shader| match shader.format {
        ShaderFormat::Hlsl => Some("HLSL"),
        ShaderFormat::OpenClC => Some("OpenCL C"),
        _ => None,
    })
}

/// Passes of SPIRV-Tools that give a meaning to what has none without them. The others change no result, and are not run.
const DEFINING_PASSES: &[&str] =
    &["--graphics-robust-access", "--set-spec-const-default-value", "--replace-invalid-opcode", "--workaround-1209"];

fn defining_pass(script: &Script) -> Option<&'static str> {
    let passes = script.pipelines.iter().flat_map(|pipeline| &pipeline.optimizations).flat_map(|(_, passes)| passes);
    passes.filter_map(|pass| DEFINING_PASSES.iter().find(|own| pass.starts_with(*own))).next().copied()
}

struct Run<'a> {
    script: &'a Script,
    path: &'a Path,
    options: &'a TestOptions,
    memory: Vec<Memory>,
    /// Of each pipeline, once it has run.
    kernels: Vec<Option<Kernel>>,
    checks: usize,
}

/// An error of the script itself.
fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Script, message)
}

/// A file beside the script.
fn read_beside(path: &Path, name: &str) -> Result<Vec<u8>, String> {
    let file = path.parent().unwrap_or(Path::new("")).join(name);
    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

impl<'a> Run<'a> {
    fn new(script: &'a Script, path: &'a Path, options: &'a TestOptions) -> Result<Run<'a>, Failure> {
        let mut memory = vec![];
        for buffer in &script.buffers {
            let bytes = buffer.bytes(&|name| read_beside(path, name)).map_err(|error| wrong(error.to_string()))?;
            memory.push(Memory::new(&bytes));
        }
        let kernels = script.pipelines.iter().map(|_| None).collect();
        Ok(Run { script, path, options, memory, kernels, checks: 0 })
    }

    fn run(mut self) -> Result<Outcome, Failure> {
        let script = self.script;
        for command in &script.commands {
            self.command(command)?;
        }
        // Scripts without expectations test that what they run compiles and ends.
        let ran = self.kernels.iter().flatten().count();
        Ok(Outcome::Passed { checks: if self.checks == 0 { ran } else { self.checks } })
    }

    fn command(&mut self, command: &Command) -> Result<(), Failure> {
        let at = |failure: Failure| Failure {
            message: format!("line {}: {}", command.pos.line, failure.message),
            ..failure
        };
        match &command.action {
            Action::Run { pipeline, groups, .. } => self.dispatch(*pipeline, *groups).map_err(at),
            Action::Copy { from, to } => {
                let bytes = self.memory[*from].bytes().to_vec();
                self.memory[*to] = Memory::new(&bytes);
                Ok(())
            }
            Action::Write { buffer, offset, layout, values } => {
                layout.write(self.memory[*buffer].bytes_mut(), *offset, values.iter().copied());
                Ok(())
            }
            Action::Expect(expect) => {
                let memory: Vec<&[u8]> = self.memory.iter().map(Memory::bytes).collect();
                let checked = check::check(expect, &self.script.buffers, &memory);
                self.checks += checked.map_err(|error| at(Failure::new(FailureKind::Values, error)))?;
                Ok(())
            }
            Action::Repeat { count, commands } => {
                for _ in 0..*count {
                    for command in commands {
                        self.command(command)?;
                    }
                }
                Ok(())
            }
            Action::Beyond => Err(at(wrong("a command of another kind of pipeline"))),
        }
    }

    fn dispatch(&mut self, index: usize, groups: [u32; 3]) -> Result<(), Failure> {
        let pipeline = &self.script.pipelines[index];
        if self.kernels[index].is_none() {
            self.kernels[index] = Some(self.compile(pipeline)?);
        }
        let Some(kernel) = &self.kernels[index] else { return Ok(()) };
        let interface = kernel.interface();
        let push = push_constants(pipeline, &self.memory, interface.push_size as usize)?;
        let mut bindings = Bindings::new();
        bindings.push(&push);
        // Taken once for each buffer: a pointer that is taken later would be the only one that may be used.
        let bases: Vec<(*mut u8, usize)> = self.memory.iter_mut().map(Memory::base).collect();
        for bind in pipeline.bindings.iter().filter(|bind| bind.kind != BindKind::PushConstant) {
            if !interface.resources.iter().any(|used| (used.set, used.binding) == (bind.set, bind.binding)) {
                continue;
            }
            for (element, part) in bind.parts.iter().enumerate() {
                let (base, len) = bases[part.buffer];
                let Some(rest) = len.checked_sub(part.offset) else {
                    return Err(wrong(format!("{}: the offset {} is past the buffer's end", bind.pos, part.offset)));
                };
                let size = part.range.map_or(rest, |range| range.min(rest));
                // SAFETY: `part.offset` is at most the buffer's length. The buffers are ours, and nothing looks at them or
                // moves them before the dispatch has ended.
                unsafe { bindings.bind_raw(bind.set, bind.binding, element as u32, base.add(part.offset), size) };
            }
        }
        let own = self.script.timeout_ms.map_or(Duration::ZERO, |ms| Duration::from_millis(ms.into()));
        with_time_limit(self.options.timeout.max(own), |interrupt| {
            let options = DispatchOptions {
                threads: self.options.threads,
                interrupt: Some(interrupt),
                ..DispatchOptions::default()
            };
            kernel.dispatch_with(&mut bindings, groups, options)
        })?;
        drop(bindings);
        for (buffer, memory) in self.script.buffers.iter().zip(&self.memory) {
            if let Some(what) = memory.stray() {
                return Err(Failure::new(FailureKind::Memory, format!("buffer `{}`: {what}", buffer.name)));
            }
        }
        Ok(())
    }

    fn compile(&self, pipeline: &Pipeline) -> Result<Kernel, Failure> {
        let [attach] = &pipeline.shaders[..] else {
            return Err(wrong(format!("{}: a compute pipeline has one shader", pipeline.pos)));
        };
        let shader = &self.script.shaders[attach.shader];
        let mut compiler = self.options.compiler.clone().subgroup_size(self.options.subgroup_size);
        for subgroup in pipeline.subgroups.iter().filter(|subgroup| subgroup.shader == attach.shader) {
            compiler = match subgroup.size {
                None => compiler,
                Some(SubgroupSize::Fixed(size)) => compiler.subgroup_size(size),
                Some(SubgroupSize::Min) => compiler.subgroup_size(1),
                Some(SubgroupSize::Max) => compiler.subgroup_size(64),
            };
        }
        for &(id, bits) in &attach.specialize {
            compiler = compiler.spec_constant(id, SpecValue::Bits(bits));
        }
        // GLSL's own entry point is `main`, whatever a script calls it.
        if shader.format != ShaderFormat::Glsl {
            compiler = compiler.entry(&attach.entry);
        }
        let (input, compiler) = self.input(shader, compiler)?;
        Ok(compiler.compile(&input)?)
    }

    /// The shader as the compiler takes it, with the environment that it asks for.
    fn input(&self, shader: &Shader, compiler: Compiler) -> Result<(Input, Compiler), Failure> {
        let file_name = self.path.to_string_lossy().into_owned();
        let beside = |name: &str| read_beside(self.path, name).map_err(wrong);
        let text = match &shader.source {
            Source::File(name) if shader.format == ShaderFormat::SpirvBin => {
                return Ok((Input::Spirv(frontend::load_spirv(&beside(name)?).map_err(crate::Error::from)?), compiler));
            }
            Source::File(name) => String::from_utf8_lossy(&beside(name)?).into_owned(),
            Source::Inline { text, line } => in_its_place(text, *line),
        };
        let mut glsl = compiler.glsl_options_for(&file_name);
        glsl.stage = Some(Stage::Compute);
        glsl.entry = "main".into();
        // VkScript has no TARGET_ENV; what it says of SPIR-V is in its requirements.
        let newer = self.script.requirements.iter().any(|requirement| requirement.name == "VK_KHR_spirv_1_4");
        let env = shader.env.as_deref().unwrap_or(if newer { "spv1.4" } else { "spv1.0" });
        (glsl.target_env, glsl.spirv_version) =
            environment(env).ok_or_else(|| wrong(format!("{}: `{env}` is no known TARGET_ENV", shader.pos)))?;
        let compiler = compiler.glsl_options(glsl);
        match shader.format {
            ShaderFormat::Glsl => Ok((Input::Glsl { source: text, file_name }, compiler)),
            ShaderFormat::SpirvAsm => Ok((Input::Assembly { source: text, file_name }, compiler)),
            ShaderFormat::SpirvHex => Ok((Input::Spirv(hex_words(&text)?), compiler)),
            _ => Err(wrong(format!("{}: no compute shader can have this format", shader.pos))),
        }
    }
}

/// A shader's text whose lines have their numbers in the script, for messages. Empty lines before it do that; in GLSL ES nothing
/// may stand before `#version`, but a line after it may tell the number.
fn in_its_place(text: &str, line: u32) -> String {
    let before = (line as usize).saturating_sub(1);
    let first = text.lines().position(|line| !line.trim().is_empty());
    let version = first.and_then(|first| Some((first, text.lines().nth(first)?.trim())));
    match version {
        Some((first, version)) if version.starts_with("#version") && version.ends_with("es") => {
            let rest: String = text.split_inclusive('\n').skip(first + 1).collect();
            format!("{version}\n#line {}\n{rest}", before + first + 2)
        }
        _ => "\n".repeat(before) + text,
    }
}

/// `spv1.3`, `vulkan1.1`, or both: `vulkan1.1spv1.4`.
fn environment(text: &str) -> Option<(TargetEnv, Option<SpirvVersion>)> {
    let (env, version) = match text.find("spv") {
        Some(at) => (&text[..at], Some(text[at..].parse().ok()?)),
        None => (text, None),
    };
    let env = if env.is_empty() { TargetEnv::default() } else { env.parse().ok()? };
    Some((env, version))
}

/// Hexadecimal words or, of up to two digits, bytes.
fn hex_words(text: &str) -> Result<Vec<u32>, Failure> {
    let mut bytes = vec![];
    for token in text.split_whitespace() {
        let digits = token.trim_start_matches("0x").trim_end_matches(',');
        let word = u32::from_str_radix(digits, 16).map_err(|_| wrong(format!("`{token}` is no hexadecimal number")))?;
        let size = if digits.len() <= 2 { 1 } else { 4 };
        bytes.extend_from_slice(&word.to_le_bytes()[..size]);
    }
    Ok(frontend::load_spirv(&bytes).map_err(crate::Error::from)?)
}

/// The bytes of the push constants that the shader reads; what the script does not give is zero.
fn push_constants(pipeline: &Pipeline, memory: &[Memory], size: usize) -> Result<Vec<u8>, Failure> {
    let mut push = vec![0; size];
    for bind in pipeline.bindings.iter().filter(|bind| bind.kind == BindKind::PushConstant) {
        for part in &bind.parts {
            let bytes = memory[part.buffer].bytes();
            let count = bytes.len().min(size);
            push[..count].copy_from_slice(&bytes[..count]);
        }
    }
    Ok(push)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_read() {
        assert_eq!(environment("spv1.3"), Some((TargetEnv::Vulkan1_3, Some(SpirvVersion::V1_3))));
        assert_eq!(environment("vulkan1.1"), Some((TargetEnv::Vulkan1_1, None)));
        assert_eq!(environment("vulkan1.1spv1.4"), Some((TargetEnv::Vulkan1_1, Some(SpirvVersion::V1_4))));
        assert_eq!(environment("opengl4.5"), None);
    }

    #[test]
    fn shaders_keep_their_lines() {
        assert_eq!(in_its_place("#version 450\nvoid\n", 3), "\n\n#version 450\nvoid\n");
        assert_eq!(in_its_place("\n  #version 310 es\nvoid\n", 3), "#version 310 es\n#line 5\nvoid\n");
        assert_eq!(in_its_place("", 1), "");
    }

    #[test]
    fn hexadecimal_modules_are_words_or_bytes() {
        let words = |text| hex_words(text).map_err(|failure| failure.message);
        let header = Ok(vec![0x0723_0203, 0x0001_0000, 0, 1, 0]);
        assert_eq!(words("0x07230203 0x00010000 0x00000000 0x00000001 0x00000000"), header);
        assert_eq!(words("03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00 00 00 00 00"), header);
        assert!(words("0x07230203 zero").is_err());
    }
}
