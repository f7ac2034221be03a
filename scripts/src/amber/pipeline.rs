//! `PIPELINE` and `DERIVE_PIPELINE`, and what stands between them and their `END`.

use super::lex::{Kind, Parsed, error};
use super::parse::Parser;
use super::script::{Attach, Bind, BindKind, BoundPart, Number, Pipeline, Pos, Subgroup, SubgroupSize};
use super::types::Type;

type Read = fn(&mut Parser<'_>, &mut Pipeline, Pos) -> Parsed<()>;

/// What a pipeline may say that compute pipelines obey.
const BODY: &[(&str, Read)] = &[
    ("ATTACH", |p, pipeline, pos| p.attach(pipeline, pos)),
    ("BIND", |p, pipeline, pos| p.bind(pipeline, pos)),
    ("SHADER_OPTIMIZATION", |p, pipeline, pos| {
        let shader = p.shader_of_block()?;
        let passes = p.words_to_end(pos)?;
        pipeline.optimizations.push((shader, passes));
        Ok(())
    }),
    ("COMPILE_OPTIONS", |p, pipeline, pos| {
        let shader = p.shader_of_block()?;
        let options = p.words_to_end(pos)?;
        pipeline.compile_options.push((shader, options));
        Ok(())
    }),
    ("SUBGROUP", |p, pipeline, pos| p.subgroup(pipeline, pos)),
    ("SET", |p, _, pos| {
        p.lex.keyword("KERNEL")?;
        p.lex.skip_line();
        p.beyond(pos, "arguments of OpenCL kernels");
        Ok(())
    }),
];

/// How far a command goes that belongs to graphics or ray tracing.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Line,
    Block,
    /// A block where nothing follows on its line.
    Either,
}

/// What a pipeline may say that concerns graphics or ray tracing only.
const BEYOND: &[(&str, Form)] = &[
    ("FRAMEBUFFER_SIZE", Form::Line),
    ("VIEWPORT", Form::Line),
    ("VERTEX_DATA", Form::Line),
    ("INDEX_DATA", Form::Line),
    ("POLYGON_MODE", Form::Line),
    ("PATCH_CONTROL_POINTS", Form::Line),
    ("DEPTH", Form::Block),
    ("STENCIL", Form::Block),
    ("BLEND", Form::Block),
    ("SHADER_GROUP", Form::Line),
    ("SHADER_BINDING_TABLE", Form::Block),
    ("MAX_RAY_PAYLOAD_SIZE", Form::Line),
    ("MAX_RAY_HIT_ATTRIBUTE_SIZE", Form::Line),
    ("MAX_RAY_RECURSION_DEPTH", Form::Line),
    ("USE_LIBRARY", Form::Line),
    ("FLAGS", Form::Either),
];

/// Kinds of bindings: their names, what they are where they are buffers, and whether their offset is dynamic.
const BUFFER_KINDS: &[(&str, Option<BindKind>, bool)] = &[
    ("storage", Some(BindKind::Storage), false),
    ("uniform", Some(BindKind::Uniform), false),
    ("storage_dynamic", Some(BindKind::Storage), true),
    ("uniform_dynamic", Some(BindKind::Uniform), true),
    ("push_constant", Some(BindKind::PushConstant), false),
    ("color", None, false),
    ("depth_stencil", None, false),
    ("resolve", None, false),
    ("storage_image", None, false),
    ("sampled_image", None, false),
    ("combined_image_sampler", None, false),
    ("uniform_texel_buffer", None, false),
    ("storage_texel_buffer", None, false),
];

/// What follows the kind of a binding.
#[derive(Default)]
struct BindOptions {
    set: Option<u32>,
    binding: Option<u32>,
    offsets: Vec<usize>,
    descriptor_offsets: Vec<usize>,
    ranges: Vec<Option<usize>>,
    kernel: bool,
}

impl Parser<'_> {
    pub(super) fn pipeline(&mut self, pos: Pos) -> Parsed<()> {
        let (kind_pos, kind) = self.lex.word("compute, graphics or ray_tracing")?;
        let compute = kind == "compute";
        // The conformance suite writes `raytracing`, the format's document `ray_tracing`.
        if !["compute", "graphics", "ray_tracing", "raytracing"].contains(&kind) {
            return error(kind_pos, format!("`{kind}` is neither compute, graphics nor ray_tracing"));
        }
        if !compute {
            self.beyond(pos, format!("{} pipelines", kind.replace('_', " ")));
        }
        let name = self.pipeline_name()?;
        self.lex.end_of_line()?;
        self.pipeline_body(pos, Pipeline { pos, name, compute, ..Pipeline::default() })
    }

    pub(super) fn derive_pipeline(&mut self, pos: Pos) -> Parsed<()> {
        let name = self.pipeline_name()?;
        self.lex.keyword("FROM")?;
        let (parent_pos, parent) = self.lex.word("a pipeline")?;
        let parent = self.find_pipeline(parent_pos, parent)?;
        self.lex.end_of_line()?;
        let base = self.script.pipelines[parent].clone();
        self.pipeline_body(pos, Pipeline { pos, name, ..base })
    }

    fn pipeline_name(&mut self) -> Parsed<String> {
        let (pos, name) = self.lex.word("a name")?;
        match self.find_pipeline(pos, name) {
            Ok(_) => error(pos, format!("there is a pipeline `{name}` already")),
            Err(_) => Ok(name.to_string()),
        }
    }

    fn pipeline_body(&mut self, pos: Pos, mut pipeline: Pipeline) -> Parsed<()> {
        loop {
            let token = self.lex.next();
            let word = match token.kind {
                Kind::Line => continue,
                Kind::Word("END") => break,
                Kind::Word(word) => word,
                Kind::Text(_) => return error(token.pos, "a command of a pipeline is needed"),
                Kind::End => return error(pos, "there is no `END` for it"),
            };
            if let Some((_, read)) = BODY.iter().find(|(own, _)| *own == word) {
                read(self, &mut pipeline, token.pos)?;
            } else if let Some((_, form)) = BEYOND.iter().find(|(own, _)| *own == word) {
                if *form == Form::Block || (*form == Form::Either && self.lex.peek().kind == Kind::Line) {
                    self.skip_block(token.pos, &[])?;
                } else {
                    self.lex.skip_line();
                }
            } else {
                return error(token.pos, format!("`{word}` is no command of a pipeline"));
            }
        }
        self.lex.end_of_line()?;
        self.script.pipelines.push(pipeline);
        Ok(())
    }

    /// The shader at the head of a block.
    fn shader_of_block(&mut self) -> Parsed<usize> {
        let (pos, name) = self.lex.word("a shader")?;
        let shader = self.find_shader(pos, name)?;
        self.lex.end_of_line()?;
        Ok(shader)
    }

    fn attach(&mut self, pipeline: &mut Pipeline, pos: Pos) -> Parsed<()> {
        let (name_pos, name) = self.lex.word("a shader")?;
        let shader = self.find_shader(name_pos, name)?;
        let mut stage = self.script.shaders[shader].stage.clone();
        let mut attach = Attach { pos, shader, entry: "main".into(), specialize: vec![] };
        while let Some((pos, word)) = self.lex.word_or_end() {
            match word {
                "TYPE" => stage = self.lex.word("a stage")?.1.to_string(),
                "ENTRY_POINT" => attach.entry = self.lex.word("an entry point")?.1.to_string(),
                "SPECIALIZE" => {
                    let id = self.lex.u32("SPECIALIZE")?;
                    self.lex.keyword("AS")?;
                    let (pos, ty) = self.lex.word("a type")?;
                    let Some(elem) = Type::number(ty) else {
                        return error(pos, format!("`{ty}` is no type of numbers"));
                    };
                    let (_, value) = self.lex.number("a value")?;
                    attach.specialize.push((id, value.bits(elem)));
                }
                _ => return error(pos, format!("`{word}` is neither TYPE, ENTRY_POINT nor SPECIALIZE")),
            }
        }
        self.lex.end_of_line()?;
        if pipeline.compute && stage != "compute" {
            return error(pos, format!("a compute pipeline has no {stage} shader"));
        }
        pipeline.shaders.push(attach);
        Ok(())
    }

    fn subgroup(&mut self, pipeline: &mut Pipeline, pos: Pos) -> Parsed<()> {
        let shader = self.shader_of_block()?;
        let mut subgroup = Subgroup { shader, full: false, varying: false, size: None };
        loop {
            let token = self.lex.next();
            match token.kind {
                Kind::Line => {}
                Kind::Word("END") => break,
                Kind::Word("FULLY_POPULATED") => subgroup.full = self.switch()?,
                Kind::Word("VARYING_SIZE") => subgroup.varying = self.switch()?,
                Kind::Word("REQUIRED_SIZE") => {
                    let (pos, word) = self.lex.word("a size")?;
                    subgroup.size = Some(match (word, word.parse::<u32>()) {
                        ("MIN", _) => SubgroupSize::Min,
                        ("MAX", _) => SubgroupSize::Max,
                        (_, Ok(size)) if size.is_power_of_two() => SubgroupSize::Fixed(size),
                        _ => return error(pos, format!("`{word}` is no power of two, MIN or MAX")),
                    });
                }
                Kind::End => return error(pos, "there is no `END` for it"),
                _ => return error(token.pos, "FULLY_POPULATED, VARYING_SIZE, REQUIRED_SIZE or END is needed"),
            }
        }
        self.lex.end_of_line()?;
        pipeline.subgroups.push(subgroup);
        Ok(())
    }

    fn switch(&mut self) -> Parsed<bool> {
        let (pos, word) = self.lex.word("on or off")?;
        match word {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => error(pos, format!("`{word}` is neither on nor off")),
        }
    }

    fn bind(&mut self, pipeline: &mut Pipeline, pos: Pos) -> Parsed<()> {
        let (what_pos, what) = self.lex.word("BUFFER or SAMPLER")?;
        match what {
            "BUFFER" => self.bind_buffers(pipeline, pos, false),
            "BUFFER_ARRAY" => self.bind_buffers(pipeline, pos, true),
            "SAMPLER" | "SAMPLER_ARRAY" => {
                let (name_pos, name) = self.lex.word("a sampler")?;
                if !self.samplers.contains(name) {
                    return error(name_pos, format!("there is no sampler `{name}`"));
                }
                self.lex.skip_line();
                self.beyond(pos, "samplers");
                Ok(())
            }
            "ACCELERATION_STRUCTURE" => {
                self.lex.skip_line();
                self.beyond(pos, "acceleration structures (ray tracing)");
                Ok(())
            }
            _ => error(what_pos, format!("`{what}` cannot be bound (BUFFER, BUFFER_ARRAY, SAMPLER, SAMPLER_ARRAY)")),
        }
    }

    fn bind_buffers(&mut self, pipeline: &mut Pipeline, pos: Pos, array: bool) -> Parsed<()> {
        let mut names = vec![self.lex.word("a buffer")?];
        while array && !matches!(self.lex.peek().kind, Kind::Word("AS" | "KERNEL") | Kind::Line | Kind::End) {
            names.push(self.lex.word("a buffer")?);
        }
        let mut kind = None;
        let mut dynamic = false;
        if self.lex.take("AS") {
            let (kind_pos, name) = self.lex.word("a kind of buffer")?;
            let Some(row) = BUFFER_KINDS.iter().find(|(own, ..)| *own == name) else {
                let all: Vec<&str> = BUFFER_KINDS.iter().map(|(own, ..)| *own).collect();
                return error(kind_pos, format!("`{name}` is no kind of buffer ({})", all.join(", ")));
            };
            (kind, dynamic) = (row.1, row.2);
            if kind.is_none() {
                self.beyond(pos, format!("{} bindings", name.replace('_', " ")));
            }
        }
        let options = self.bind_options(dynamic)?;
        if options.kernel {
            self.beyond(pos, "arguments of OpenCL kernels");
            return Ok(());
        }
        let mut buffers = vec![];
        for (pos, name) in names {
            if self.images.contains(name) {
                if kind.is_some() {
                    self.beyond(pos, "images");
                }
                continue;
            }
            buffers.push(self.find_buffer(pos, name)?);
        }
        let Some(kind) = kind else { return Ok(()) };
        let count = buffers.len();
        for (name, given) in [
            ("OFFSET", options.offsets.len()),
            ("DESCRIPTOR_OFFSET", options.descriptor_offsets.len()),
            ("DESCRIPTOR_RANGE", options.ranges.len()),
        ] {
            if given > count || (given > 0 && given < count) || (name == "OFFSET" && dynamic && given != count) {
                return error(pos, format!("{count} buffers need {count} values of {name}, there are {given}"));
            }
        }
        let at = |list: &[usize], index: usize| list.get(index).copied().unwrap_or(0);
        let part = |(index, buffer)| BoundPart {
            buffer,
            offset: at(&options.offsets, index) + at(&options.descriptor_offsets, index),
            range: options.ranges.get(index).copied().flatten(),
        };
        let parts = buffers.into_iter().enumerate().map(part).collect();
        let (set, binding) = match (kind, options.set, options.binding) {
            (BindKind::PushConstant, ..) => (0, 0),
            (_, Some(set), Some(binding)) => (set, binding),
            _ => return error(pos, "DESCRIPTOR_SET and BINDING are missing"),
        };
        // A pipeline that is derived from another may bind other buffers in their places.
        pipeline.bindings.retain(|bind| {
            let push = [bind.kind, kind].map(|kind| kind == BindKind::PushConstant);
            push != [true, true] && (push != [false, false] || (bind.set, bind.binding) != (set, binding))
        });
        pipeline.bindings.push(Bind { pos, kind, set, binding, parts });
        Ok(())
    }

    fn bind_options(&mut self, dynamic: bool) -> Parsed<BindOptions> {
        let mut options = BindOptions::default();
        while let Some((pos, word)) = self.lex.word_or_end() {
            match word {
                "DESCRIPTOR_SET" => options.set = Some(self.lex.u32(word)?),
                "BINDING" => options.binding = Some(self.lex.u32(word)?),
                "OFFSET" if dynamic => options.offsets = self.offsets(word)?,
                "OFFSET" => return error(pos, "only dynamic buffers have an OFFSET; others have DESCRIPTOR_OFFSET"),
                "DESCRIPTOR_OFFSET" => options.descriptor_offsets = self.offsets(word)?,
                "DESCRIPTOR_RANGE" => {
                    while self.lex.at_number() {
                        let (pos, number) = self.lex.number(word)?;
                        options.ranges.push(match number {
                            Number::Int(-1) => None,
                            Number::Int(range) if (1..1 << 32).contains(&range) => Some(range as usize),
                            _ => return error(pos, "a range is at least 1, or -1 for the whole buffer"),
                        });
                    }
                }
                "LOCATION" | "BASE_MIP_LEVEL" => {
                    self.lex.u32(word)?;
                }
                "SAMPLER" => {
                    self.lex.word("a sampler")?;
                }
                "KERNEL" => {
                    self.lex.skip_line();
                    options.kernel = true;
                    return Ok(options);
                }
                _ => return error(pos, format!("`{word}` does not belong to BIND")),
            }
        }
        self.lex.end_of_line()?;
        Ok(options)
    }

    fn offsets(&mut self, what: &str) -> Parsed<Vec<usize>> {
        let mut offsets = vec![self.lex.u32(what)? as usize];
        while self.lex.at_number() {
            offsets.push(self.lex.u32(what)? as usize);
        }
        Ok(offsets)
    }
}
