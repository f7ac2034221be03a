//! AmberScript: what stands at the top level of a script, and the names that it declares.

use super::lex::{Kind, Lexer, Parsed, error};
use super::script::{
    Action, Buffer, Command, Number, Pipeline, Pos, Requirement, RequirementKind, Script, Shader, ShaderFormat, Source,
};
use super::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// State of a parse.
pub(super) struct Parser<'t> {
    pub lex: Lexer<'t>,
    pub script: Script,
    pub structs: BTreeMap<String, Type>,
    /// Images and buffers that are images: no memory is laid out for them.
    pub images: BTreeSet<String>,
    pub samplers: BTreeSet<String>,
}

type Read = fn(&mut Parser<'_>, Pos) -> Parsed<()>;

/// Commands at the top level.
const COMMANDS: &[(&str, Read)] = &[
    ("SHADER", |p, pos| p.shader(pos)),
    ("VIRTUAL_FILE", |p, pos| p.virtual_file(pos)),
    ("STRUCT", |p, pos| p.structure(pos)),
    ("BUFFER", |p, pos| p.buffer(pos)),
    ("IMAGE", |p, pos| p.image(pos)),
    ("SAMPLER", |p, _| p.sampler()),
    ("ACCELERATION_STRUCTURE", |p, pos| p.acceleration_structure(pos)),
    ("PIPELINE", |p, pos| p.pipeline(pos)),
    ("DERIVE_PIPELINE", |p, pos| p.derive_pipeline(pos)),
    ("DEVICE_FEATURE", |p, pos| p.requirement(pos, RequirementKind::Feature)),
    ("DEVICE_EXTENSION", |p, pos| p.requirement(pos, RequirementKind::DeviceExtension)),
    ("DEVICE_PROPERTY", |p, pos| p.requirement(pos, RequirementKind::Property)),
    ("INSTANCE_EXTENSION", |p, pos| p.requirement(pos, RequirementKind::InstanceExtension)),
    ("SET", |p, _| p.set()),
    ("REPEAT", |p, pos| p.repeat(pos)),
];

/// Stages of shaders.
const STAGES: &[&str] = &[
    "vertex",
    "fragment",
    "geometry",
    "tessellation_evaluation",
    "tessellation_control",
    "compute",
    "ray_generation",
    "any_hit",
    "closest_hit",
    "miss",
    "intersection",
    "callable",
    "multi",
];

const FORMATS: &[(&str, ShaderFormat)] = &[
    ("GLSL", ShaderFormat::Glsl),
    ("HLSL", ShaderFormat::Hlsl),
    ("SPIRV-ASM", ShaderFormat::SpirvAsm),
    ("SPIRV-HEX", ShaderFormat::SpirvHex),
    ("SPIRV-BIN", ShaderFormat::SpirvBin),
    ("OPENCL-C", ShaderFormat::OpenClC),
    ("PASSTHROUGH", ShaderFormat::Passthrough),
];

/// Reads a script that begins with `#!amber`.
pub(super) fn script(text: &str) -> Parsed<Script> {
    let mut parser = Parser {
        lex: Lexer::new(text),
        script: Script::default(),
        structs: BTreeMap::new(),
        images: BTreeSet::new(),
        samplers: BTreeSet::new(),
    };
    loop {
        let token = parser.lex.next();
        match token.kind {
            Kind::End => return Ok(parser.script),
            Kind::Line => {}
            Kind::Text(_) => return error(token.pos, "a command is needed"),
            Kind::Word(name) => match COMMANDS.iter().find(|(own, _)| *own == name) {
                Some((_, read)) => read(&mut parser, token.pos)?,
                None => {
                    let command = parser.command(token.pos, name)?;
                    parser.script.commands.push(command);
                }
            },
        }
    }
}

impl Parser<'_> {
    /// Notes what cannot be run here.
    pub fn beyond(&mut self, pos: Pos, what: impl Into<String>) {
        self.script.beyond.push((pos, what.into()));
    }

    fn requirement(&mut self, pos: Pos, kind: RequirementKind) -> Parsed<()> {
        let (_, name) = self.lex.word("a name")?;
        let name = name.to_string();
        self.script.requirements.push(Requirement { pos, kind, name });
        self.lex.end_of_line()
    }

    fn set(&mut self) -> Parsed<()> {
        self.lex.keyword("ENGINE_DATA")?;
        let (pos, name) = self.lex.word("a variable")?;
        if name != "fence_timeout_ms" {
            return error(pos, format!("`{name}` is no variable of ENGINE_DATA (fence_timeout_ms)"));
        }
        self.script.timeout_ms = Some(self.lex.u32("a time in milliseconds")?);
        self.lex.end_of_line()
    }

    fn shader(&mut self, pos: Pos) -> Parsed<()> {
        let (stage_pos, stage) = self.lex.word("a stage")?;
        if !STAGES.contains(&stage) {
            return error(stage_pos, format!("`{stage}` is no stage ({})", STAGES.join(", ")));
        }
        let (name_pos, name) = self.lex.word("a name")?;
        if self.script.shaders.iter().any(|shader| shader.name == name) {
            return error(name_pos, format!("there is a shader `{name}` already"));
        }
        let (format_pos, format) = self.lex.word("a language")?;
        let Some((_, format)) = FORMATS.iter().find(|(own, _)| *own == format) else {
            let all: Vec<&str> = FORMATS.iter().map(|(own, _)| *own).collect();
            return error(format_pos, format!("`{format}` is no language of shaders ({})", all.join(", ")));
        };
        let mut shader = Shader {
            pos,
            name: name.to_string(),
            stage: stage.to_string(),
            format: *format,
            env: None,
            source: Source::Inline { text: String::new(), line: pos.line },
        };
        if self.lex.take("TARGET_ENV") {
            shader.env = Some(self.lex.word("an environment")?.1.to_string());
        }
        if *format == ShaderFormat::Passthrough {
            if stage != "vertex" {
                return error(format_pos, "only vertex shaders pass their input through");
            }
            self.lex.end_of_line()?;
        } else if self.lex.take("VIRTUAL_FILE") {
            let (pos, path) = self.lex.word("a path")?;
            let Some((_, text)) = self.script.files.iter().find(|(own, _)| own == path) else {
                return error(pos, format!("there is no virtual file `{path}`"));
            };
            shader.source = Source::Inline { text: text.clone(), line: 1 };
            self.lex.end_of_line()?;
        } else if self.lex.take("FILE") {
            shader.source = Source::File(self.lex.word("a path")?.1.to_string());
            self.lex.end_of_line()?;
        } else {
            self.lex.end_of_line()?;
            let (line, text) = self.lex.lines_to_end(pos)?;
            shader.source = Source::Inline { text: text.to_string(), line };
        }
        self.script.shaders.push(shader);
        Ok(())
    }

    fn virtual_file(&mut self, pos: Pos) -> Parsed<()> {
        let (path_pos, path) = self.lex.word("a path")?;
        if self.script.files.iter().any(|(own, _)| own == path) {
            return error(path_pos, format!("there is a virtual file `{path}` already"));
        }
        let path = path.to_string();
        self.lex.end_of_line()?;
        let (_, text) = self.lex.lines_to_end(pos)?;
        self.script.files.push((path, text.to_string()));
        Ok(())
    }

    fn repeat(&mut self, pos: Pos) -> Parsed<()> {
        let count = self.lex.u32("a count")?;
        if count == 0 {
            return error(pos, "REPEAT needs a count of at least 1");
        }
        self.lex.end_of_line()?;
        let mut commands = vec![];
        loop {
            let token = self.lex.next();
            match token.kind {
                Kind::Line => {}
                Kind::Word("END") => break,
                Kind::Word(name) => commands.push(self.command(token.pos, name)?),
                Kind::Text(_) => return error(token.pos, "a command is needed"),
                Kind::End => return error(pos, "there is no `END` for it"),
            }
        }
        self.lex.end_of_line()?;
        self.script.commands.push(Command { pos, action: Action::Repeat { count, commands } });
        Ok(())
    }

    /// Skips lines up to `END`, over `inner` blocks that have an `END` of their own.
    pub fn skip_block(&mut self, pos: Pos, inner: &[&str]) -> Parsed<()> {
        let mut depth = 1;
        while depth > 0 {
            let token = self.lex.next();
            match token.kind {
                Kind::Word("END") => depth -= 1,
                Kind::Word(word) if inner.contains(&word) => depth += 1,
                // A list of flags over several lines has an `END` of its own.
                Kind::Word("FLAGS") if self.lex.peek().kind == Kind::Line => depth += 1,
                Kind::End => return error(pos, "there is no `END` for it"),
                _ => {}
            }
        }
        self.lex.end_of_line()
    }

    /// Words up to `END`, over as many lines as there are.
    pub fn words_to_end(&mut self, pos: Pos) -> Parsed<Vec<String>> {
        let mut words = vec![];
        loop {
            match self.lex.next().kind {
                Kind::Word("END") => break,
                Kind::Word(word) | Kind::Text(word) => words.push(word.to_string()),
                Kind::Line => {}
                Kind::End => return error(pos, "there is no `END` for it"),
            }
        }
        self.lex.end_of_line()?;
        Ok(words)
    }

    /// Numbers up to `END`, over as many lines as there are.
    pub fn numbers_to_end(&mut self, pos: Pos) -> Parsed<Vec<Number>> {
        let mut numbers = vec![];
        loop {
            let token = self.lex.next();
            match token.kind {
                Kind::Word("END") => break,
                Kind::Word(word) => match Number::parse(word) {
                    Some(number) => numbers.push(number),
                    None => return error(token.pos, format!("`{word}` is no number")),
                },
                Kind::Text(_) => return error(token.pos, "a number is needed"),
                Kind::Line => {}
                Kind::End => return error(pos, "there is no `END` for it"),
            }
        }
        self.lex.end_of_line()?;
        Ok(numbers)
    }

    /// A buffer by its name.
    pub fn find_buffer(&self, pos: Pos, name: &str) -> Parsed<usize> {
        match self.script.buffers.iter().position(|buffer: &Buffer| buffer.name == name) {
            Some(index) => Ok(index),
            None => error(pos, format!("there is no buffer `{name}`")),
        }
    }

    /// A shader by its name.
    pub fn find_shader(&self, pos: Pos, name: &str) -> Parsed<usize> {
        match self.script.shaders.iter().position(|shader| shader.name == name) {
            Some(index) => Ok(index),
            None => error(pos, format!("there is no shader `{name}`")),
        }
    }

    /// A pipeline by its name.
    pub fn find_pipeline(&self, pos: Pos, name: &str) -> Parsed<usize> {
        match self.script.pipelines.iter().position(|pipeline: &Pipeline| pipeline.name == name) {
            Some(index) => Ok(index),
            None => error(pos, format!("there is no pipeline `{name}`")),
        }
    }
}
