//! VkScript: sections in brackets, and the commands of the test section that concern compute shaders.
//!
//! The other commands are read as lines, and noted as beyond what can be run.

use super::buffer::MAX_BUFFER;
use super::command::tolerance;
use super::layout::{Layout, Std};
use super::lex::{Kind, Lexer, Parsed, error};
use super::script::{
    Action, Attach, Bind, BindKind, BoundPart, Buffer, Command, Comparator, Expect, Init, Number, Pipeline, Pos,
    Requirement, RequirementKind, Script, Shader, ShaderFormat, Source, Tolerance,
};
use super::types::Type;
use crate::values::Elem;

const STAGES: &[&str] =
    &["compute", "fragment", "geometry", "tessellation control", "tessellation evaluation", "vertex"];

/// What may follow `shader` in the header of a section.
const FORMATS: &[(&str, ShaderFormat)] = &[
    ("", ShaderFormat::Glsl),
    ("spirv", ShaderFormat::SpirvAsm),
    ("spirv hex", ShaderFormat::SpirvHex),
    ("passthrough", ShaderFormat::Passthrough),
];

const COMPARATORS: &[(&str, Comparator, bool)] = &[
    ("==", Comparator::Eq, false),
    ("~=", Comparator::Eq, true),
    ("!=", Comparator::Ne, false),
    ("<", Comparator::Lt, false),
    ("<=", Comparator::Le, false),
    (">", Comparator::Gt, false),
    (">=", Comparator::Ge, false),
];

/// How far `~=` lets a value be from the expected one where the script sets no tolerance.
const DEFAULT_TOLERANCE: Tolerance = Tolerance { bound: 1e-6, percent: true };

/// First words of commands for graphics.
const GRAPHICS: &[&str] = &["draw", "clear", "relative", "patch"];

/// A buffer that commands mention.
struct Mentioned {
    kind: BindKind,
    slot: (u32, u32),
    /// Elements that `ssbo BINDING SIZE` asks for.
    elements: usize,
    layout: Option<Layout>,
    /// Bytes that data takes.
    end: usize,
    pos: Pos,
}

struct Reader<'t> {
    lex: Lexer<'t>,
    script: Script,
    buffers: Vec<Mentioned>,
    tolerances: Vec<Tolerance>,
    /// Entry point of the next dispatches.
    entry: String,
    test: bool,
}

/// Reads a script of sections.
pub(super) fn script(text: &str) -> Parsed<Script> {
    let mut reader = Reader {
        lex: Lexer::new(text),
        script: Script::default(),
        buffers: vec![],
        tolerances: vec![],
        entry: "main".into(),
        test: false,
    };
    while reader.section()? {}
    reader.finish()
}

impl Reader<'_> {
    /// Reads a section, or lines without meaning before the first one; `false` at the end.
    fn section(&mut self) -> Parsed<bool> {
        let token = self.lex.peek();
        let name = match token.kind {
            Kind::End => return Ok(false),
            Kind::Line => {
                self.lex.next();
                return Ok(true);
            }
            Kind::Word(word) | Kind::Text(word) => word,
        };
        if !name.starts_with('[') {
            return error(token.pos, format!("`{name}`: a section such as [test] is needed"));
        }
        let mut words = vec![];
        while let Some((_, word)) = self.lex.word_or_end() {
            words.push(word);
        }
        self.lex.next();
        let header = words.join(" ");
        let Some(header) = header.trim_start_matches('[').strip_suffix(']') else {
            return error(token.pos, format!("`{header}` has no `]`"));
        };
        match header {
            "require" => self.require()?,
            "test" => self.test()?,
            "vertex data" | "indices" | "comment" => {
                self.lex.lines_to('[');
            }
            _ => self.shader(token.pos, header)?,
        }
        Ok(true)
    }

    /// Is the next thing on the lexer's way a section, or the end?
    fn at_section(&self) -> bool {
        match self.lex.peek().kind {
            Kind::End => true,
            Kind::Word(word) => word.starts_with('['),
            _ => false,
        }
    }

    fn shader(&mut self, pos: Pos, header: &str) -> Parsed<()> {
        let found = STAGES.iter().find_map(|stage| {
            let rest = header.strip_prefix(stage)?.strip_prefix(" shader")?.trim_start();
            let format = FORMATS.iter().find(|(name, _)| *name == rest)?;
            Some((*stage, format.1))
        });
        let Some((stage, format)) = found else {
            return error(
                pos,
                format!("`[{header}]` is no section (require, indices, vertex data, comment, test, STAGE shader)"),
            );
        };
        if self.script.shaders.iter().any(|shader| shader.stage == stage) {
            return error(pos, format!("there is a {stage} shader already"));
        }
        if stage != "compute" {
            self.script.beyond.push((pos, "graphics pipelines".into()));
        }
        let (line, text) = self.lex.lines_to('[');
        self.script.shaders.push(Shader {
            pos,
            name: stage.into(),
            stage: stage.into(),
            format,
            env: None,
            source: Source::Inline { text: text.to_string(), line },
        });
        Ok(())
    }

    fn require(&mut self) -> Parsed<()> {
        while !self.at_section() {
            let Some((pos, word)) = self.lex.word_or_end() else {
                self.lex.next();
                continue;
            };
            match word {
                "framebuffer" | "depthstencil" => {
                    self.lex.word("a format")?;
                }
                "fbsize" => {
                    self.lex.u32("a width")?;
                    self.lex.u32("a height")?;
                }
                "fence_timeout" => self.script.timeout_ms = Some(self.lex.u32("a time in milliseconds")?),
                _ => {
                    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
                    if !word.chars().all(known) {
                        return error(pos, format!("`{word}` is no name of a feature or an extension"));
                    }
                    let kind = if word.starts_with("VK_") {
                        RequirementKind::DeviceExtension
                    } else {
                        RequirementKind::Feature
                    };
                    self.script.requirements.push(Requirement { pos, kind, name: word.to_string() });
                }
            }
            self.lex.end_of_line()?;
        }
        Ok(())
    }

    fn test(&mut self) -> Parsed<()> {
        self.test = true;
        while !self.at_section() {
            match self.lex.word_or_end() {
                None => {
                    self.lex.next();
                }
                Some((pos, word)) => {
                    if let Some(action) = self.command(pos, word)? {
                        self.script.commands.push(Command { pos, action });
                    }
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, pos: Pos, name: &str) -> Parsed<Option<Action>> {
        match name {
            "compute" if self.lex.take("entrypoint") => {
                self.entry = self.lex.word("an entry point")?.1.to_string();
                self.lex.end_of_line()?;
                Ok(None)
            }
            "compute" => self.dispatch(pos).map(Some),
            "probe" if self.lex.take("ssbo") => self.probe(pos).map(Some),
            "ssbo" => self.ssbo(pos),
            "uniform" => self.uniform(pos).map(Some),
            "tolerance" => {
                self.tolerances.clear();
                while let Some((pos, word)) = self.lex.word_or_end() {
                    match tolerance(word) {
                        _ if word == "," => {}
                        Some(found) => {
                            let percent = self.lex.take("%") || found.percent;
                            self.tolerances.push(Tolerance { percent, ..found });
                        }
                        None => return error(pos, format!("`{word}` is no tolerance")),
                    }
                }
                if ![1, 4].contains(&self.tolerances.len()) {
                    return error(pos, "there are one or four tolerances");
                }
                Ok(None)
            }
            _ => {
                // Drawing, probing pictures, the entry points of other stages and the state of a graphics pipeline.
                let known = GRAPHICS.contains(&name) || name == "probe" || self.is_state(name);
                if !known {
                    return error(pos, format!("`{name}` is no command of a test"));
                }
                self.lex.skip_line();
                self.script.beyond.push((pos, "graphics pipelines".into()));
                Ok(Some(Action::Beyond))
            }
        }
    }

    /// `depthTestEnable true`, `front.compareOp VK_…`, `fragment entrypoint f`: a name and at least one word.
    fn is_state(&self, name: &str) -> bool {
        let stage = STAGES.iter().any(|stage| stage.split(' ').next() == Some(name));
        let camel = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().any(|c| c.is_ascii_uppercase());
        (stage || camel || name == "topology") && matches!(self.lex.peek().kind, Kind::Word(_))
    }

    fn dispatch(&mut self, pos: Pos) -> Parsed<Action> {
        let mut groups = [0; 3];
        for (count, axis) in groups.iter_mut().zip(["x", "y", "z"]) {
            *count = self.lex.u32(&format!("the number of workgroups in {axis}"))?;
        }
        self.lex.end_of_line()?;
        let Some(shader) = self.script.shaders.iter().position(|shader| shader.stage == "compute") else {
            return error(pos, "there is no compute shader");
        };
        let found = self.script.pipelines.iter().position(|pipeline| pipeline.name == self.entry);
        let pipeline = found.unwrap_or_else(|| {
            let attach = Attach { pos, shader, entry: self.entry.clone(), specialize: vec![] };
            let name = self.entry.clone();
            self.script.pipelines.push(Pipeline {
                pos,
                name,
                compute: true,
                shaders: vec![attach],
                ..Default::default()
            });
            self.script.pipelines.len() - 1
        });
        Ok(Action::Run { pipeline, groups, timed: false })
    }

    /// `BINDING` or `SET:BINDING`.
    fn slot(&mut self) -> Parsed<(u32, u32)> {
        let (pos, word) = self.lex.word("a binding")?;
        let slot = match word.split_once(':') {
            Some((set, binding)) => set.parse().ok().zip(binding.parse().ok()),
            None => word.parse().ok().map(|binding| (0, binding)),
        };
        slot.map_or_else(|| error(pos, format!("`{word}` is neither BINDING nor SET:BINDING")), Ok)
    }

    /// The buffer at a binding.
    fn mention(&mut self, pos: Pos, kind: BindKind, slot: (u32, u32)) -> usize {
        let same = |own: &Mentioned| {
            own.slot == slot && (own.kind == BindKind::PushConstant) == (kind == BindKind::PushConstant)
        };
        self.buffers.iter().position(same).unwrap_or_else(|| {
            self.buffers.push(Mentioned { kind, slot, elements: 0, layout: None, end: 0, pos });
            self.buffers.len() - 1
        })
    }

    fn layout(&mut self, std: Std) -> Parsed<Layout> {
        let (pos, name) = self.lex.word("a type")?;
        match Type::parse_vkscript(name) {
            Some(ty) => Layout::of(&ty, std).or_else(|what| error(pos, what)),
            None => error(pos, format!("`{name}` is no type")),
        }
    }

    /// Numbers up to the end of the line: whole elements.
    fn values(&mut self, layout: &Layout) -> Parsed<Vec<Number>> {
        let pos = self.lex.pos();
        let mut values = vec![];
        while self.lex.at_number() {
            values.push(self.lex.number("a value")?.1);
        }
        self.lex.end_of_line()?;
        let each = layout.parts.len();
        if values.is_empty() || values.len() % each.max(1) != 0 {
            return error(pos, format!("{} values are no multiple of the type's {each}", values.len()));
        }
        Ok(values)
    }

    fn write(&mut self, pos: Pos, buffer: usize, layout: Layout) -> Parsed<Action> {
        let offset = self.lex.u32("an offset")? as usize;
        let values = self.values(&layout)?;
        let end = offset + values.len() / layout.parts.len().max(1) * layout.size;
        if end > MAX_BUFFER {
            return error(pos, format!("buffers are at most {MAX_BUFFER} bytes"));
        }
        let mentioned = &mut self.buffers[buffer];
        mentioned.end = mentioned.end.max(end);
        mentioned.layout.get_or_insert_with(|| layout.clone());
        Ok(Action::Write { buffer, offset, layout, values })
    }

    fn ssbo(&mut self, pos: Pos) -> Parsed<Option<Action>> {
        let slot = self.slot()?;
        let buffer = self.mention(pos, BindKind::Storage, slot);
        if self.lex.take("subdata") {
            let layout = self.layout(Std::Std430)?;
            return self.write(pos, buffer, layout).map(Some);
        }
        self.buffers[buffer].elements = self.lex.u32("a size")? as usize;
        self.lex.end_of_line()?;
        Ok(None)
    }

    fn uniform(&mut self, pos: Pos) -> Parsed<Action> {
        let (buffer, std) = if self.lex.take("ubo") {
            let slot = self.slot()?;
            (self.mention(pos, BindKind::Uniform, slot), Std::Std140)
        } else {
            (self.mention(pos, BindKind::PushConstant, (0, 0)), Std::Std430)
        };
        let layout = self.layout(std)?;
        self.write(pos, buffer, layout)
    }

    fn probe(&mut self, pos: Pos) -> Parsed<Action> {
        let layout = self.layout(Std::Std430)?;
        let slot = self.slot()?;
        let offset = self.lex.u32("an offset")? as usize;
        let (how_pos, name) = self.lex.word("a comparison")?;
        let Some((_, how, fuzzy)) = COMPARATORS.iter().find(|(own, ..)| *own == name) else {
            return error(how_pos, format!("`{name}` is no comparison (== != < > <= >= ~=)"));
        };
        let values = self.values(&layout)?;
        let buffer = self.mention(pos, BindKind::Storage, slot);
        self.buffers[buffer].layout.get_or_insert_with(|| layout.clone());
        let tolerances = match (fuzzy, self.tolerances.is_empty()) {
            (false, _) => vec![],
            (true, true) => vec![DEFAULT_TOLERANCE],
            (true, false) => self.tolerances.clone(),
        };
        Ok(Action::Expect(Expect::Values { buffer, offset, layout, how: *how, tolerances, values }))
    }

    /// Makes buffers of what commands mentioned, and binds them.
    fn finish(mut self) -> Parsed<Script> {
        if !self.test {
            return error(self.lex.pos(), "there is no section [test]");
        }
        let bytes = Type::Vector { elem: Elem::I8, rows: 1 };
        let default = Layout::of(&bytes, Std::Std430).or_else(|what| error(self.lex.pos(), what))?;
        let mut bindings = vec![];
        for (index, buffer) in self.buffers.into_iter().enumerate() {
            let Mentioned { kind, slot: (set, binding), elements, layout, end, pos } = buffer;
            let size = elements.saturating_mul(layout.unwrap_or_else(|| default.clone()).size).max(end);
            if size > MAX_BUFFER {
                return error(pos, format!("buffers are at most {MAX_BUFFER} bytes"));
            }
            let name = match kind {
                BindKind::PushConstant => "push constants".to_string(),
                _ => format!("{set}:{binding}"),
            };
            self.script.buffers.push(Buffer {
                pos,
                name,
                ty: bytes.clone(),
                std: Std::Std430,
                layout: default.clone(),
                count: size,
                width: None,
                init: Init::Zero,
            });
            let parts = vec![BoundPart { buffer: index, offset: 0, range: None }];
            bindings.push(Bind { pos, kind, set, binding, parts });
        }
        for pipeline in &mut self.script.pipelines {
            pipeline.bindings = bindings.clone();
        }
        Ok(self.script)
    }
}
