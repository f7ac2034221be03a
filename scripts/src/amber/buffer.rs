//! `STRUCT`, `BUFFER`, `IMAGE`, `SAMPLER` and `ACCELERATION_STRUCTURE`, and the first contents of a buffer.

use super::layout::{Layout, Std};
use super::lex::{Kind, Parsed, error};
use super::parse::Parser;
use super::script::{Buffer, Init, Number, Pos, ScriptError};
use super::types::{Member, Struct, Type};
use crate::values::Elem;
use std::sync::Arc;

/// Buffers are at most this many bytes.
pub const MAX_BUFFER: usize = 1 << 30;

impl Parser<'_> {
    fn data_type(&mut self) -> Parsed<(Pos, Type)> {
        let (pos, name) = self.lex.word("a data type")?;
        match Type::parse(name, &|name| self.structs.get(name).cloned()) {
            Some(ty) => Ok((pos, ty)),
            None => error(pos, format!("`{name}` is no data type")),
        }
    }

    pub(super) fn structure(&mut self, pos: Pos) -> Parsed<()> {
        let (name_pos, name) = self.lex.word("a name")?;
        if self.structs.contains_key(name) {
            return error(name_pos, format!("there is a structure `{name}` already"));
        }
        let stride = if self.lex.take("STRIDE") { Some(self.lex.u32("STRIDE")?) } else { None };
        self.lex.end_of_line()?;
        let mut members: Vec<Member> = vec![];
        loop {
            match self.lex.peek().kind {
                Kind::Line => {
                    self.lex.next();
                }
                Kind::Word("END") => break,
                Kind::End => return error(pos, "there is no `END` for it"),
                _ => members.push(self.member(&members)?),
            }
        }
        self.lex.next();
        if members.is_empty() {
            return error(pos, format!("the structure `{name}` has no members"));
        }
        let ty = Type::Struct(Arc::new(Struct { name: name.to_string(), stride, members }));
        // Overlapping members and the like are told here and not where the structure is used.
        if let Err(what) = Layout::of(&ty, Std::Std430) {
            return error(pos, what);
        }
        self.structs.insert(name.to_string(), ty);
        self.lex.end_of_line()
    }

    fn member(&mut self, before: &[Member]) -> Parsed<Member> {
        let (_, ty) = self.data_type()?;
        let (pos, name) = self.lex.word("a member's name")?;
        if before.iter().any(|member| member.name == name) {
            return error(pos, format!("there is a member `{name}` already"));
        }
        let mut member = Member { name: name.into(), ty, offset: None, array_stride: None, matrix_stride: None };
        while let Some((pos, word)) = self.lex.word_or_end() {
            let place = match word {
                "OFFSET" => &mut member.offset,
                "ARRAY_STRIDE" => &mut member.array_stride,
                "MATRIX_STRIDE" => &mut member.matrix_stride,
                _ => return error(pos, format!("`{word}` is neither OFFSET, ARRAY_STRIDE nor MATRIX_STRIDE")),
            };
            *place = Some(self.lex.u32(word)?);
        }
        self.lex.end_of_line()?;
        Ok(member)
    }

    fn new_name(&mut self) -> Parsed<(Pos, String)> {
        let (pos, name) = self.lex.word("a name")?;
        let known = self.images.contains(name) || self.script.buffers.iter().any(|buffer| buffer.name == name);
        if known { error(pos, format!("there is a buffer `{name}` already")) } else { Ok((pos, name.to_string())) }
    }

    pub(super) fn buffer(&mut self, pos: Pos) -> Parsed<()> {
        let (_, name) = self.new_name()?;
        let (form_pos, form) = self.lex.word("DATA_TYPE or FORMAT")?;
        match form {
            "DATA_TYPE" => {}
            "FORMAT" => {
                self.format()?;
                // What is left says how many samples and levels there are, or which picture it shows.
                self.lex.skip_line();
                self.images.insert(name);
                return Ok(());
            }
            _ => return error(form_pos, format!("DATA_TYPE or FORMAT is needed in place of `{form}`")),
        }
        let (type_pos, ty) = self.data_type()?;
        let std = match (self.lex.take("STD140"), self.lex.take("STD430")) {
            (true, _) => Std::Std140,
            _ => Std::Std430,
        };
        let layout = Layout::of(&ty, std).or_else(|what| error(type_pos, what))?;
        let mut buffer = Buffer { pos, name, ty, std, layout, count: 0, width: None, init: Init::Zero };
        self.contents(&mut buffer)?;
        if buffer.count.checked_mul(buffer.layout.size).is_none_or(|size| size > MAX_BUFFER) {
            return error(pos, format!("buffers are at most {MAX_BUFFER} bytes"));
        }
        self.script.buffers.push(buffer);
        Ok(())
    }

    fn format(&mut self) -> Parsed<()> {
        let (pos, name) = self.lex.word("a format")?;
        match super::types::Format::parse(name) {
            Some(_) => Ok(()),
            None => error(pos, format!("`{name}` is no image format")),
        }
    }

    fn contents(&mut self, buffer: &mut Buffer) -> Parsed<()> {
        let (pos, word) = self.lex.word("DATA or SIZE")?;
        match word {
            "DATA" => return self.data(pos, buffer),
            "SIZE" => buffer.count = self.lex.u32("SIZE")? as usize,
            "WIDTH" => {
                let width = self.lex.u32("WIDTH")?;
                self.lex.keyword("HEIGHT")?;
                buffer.count = width as usize * self.lex.u32("HEIGHT")? as usize;
                buffer.width = Some(width);
                if buffer.count == 0 {
                    return error(pos, "WIDTH and HEIGHT are at least 1");
                }
                if self.lex.peek().kind == Kind::Line {
                    return self.lex.end_of_line();
                }
            }
            _ => return error(pos, format!("DATA, SIZE or WIDTH is needed in place of `{word}`")),
        }
        let (pos, word) = self.lex.word("FILL, SERIES_FROM, FILE or DATA")?;
        buffer.init = match word {
            "FILL" => Init::Fill(self.lex.number("a number")?.1),
            "SERIES_FROM" => {
                let start = self.lex.number("a number")?.1;
                self.lex.keyword("INC_BY")?;
                Init::Series { start, step: self.lex.number("a number")?.1 }
            }
            "FILE" => {
                let (pos, kind) = self.lex.word("BINARY or TEXT")?;
                match kind {
                    "BINARY" => Init::Binary(self.lex.word("a path")?.1.to_string()),
                    "TEXT" => Init::Text(self.lex.word("a path")?.1.to_string()),
                    _ => return error(pos, format!("BINARY or TEXT is needed in place of `{kind}`")),
                }
            }
            "DATA" => return self.data(pos, buffer),
            _ => return error(pos, format!("FILL, SERIES_FROM, FILE or DATA is needed in place of `{word}`")),
        };
        self.lex.end_of_line()
    }

    fn data(&mut self, pos: Pos, buffer: &mut Buffer) -> Parsed<()> {
        let numbers = self.numbers_to_end(pos)?;
        if numbers.is_empty() {
            return error(pos, "there is no DATA");
        }
        buffer.count = buffer.count.max(numbers.len().div_ceil(buffer.layout.parts.len().max(1)));
        buffer.init = Init::Data(numbers);
        Ok(())
    }

    /// Images are read for their form only.
    pub(super) fn image(&mut self, pos: Pos) -> Parsed<()> {
        let (_, name) = self.new_name()?;
        let mut dimensions = false;
        let mut has_type = false;
        while let Some((word_pos, word)) = self.lex.word_or_end() {
            match word {
                "FORMAT" => {
                    self.format()?;
                    has_type = true;
                }
                "DATA_TYPE" => {
                    self.data_type()?;
                    has_type = true;
                }
                "DIM_1D" | "DIM_2D" | "DIM_3D" => dimensions = true,
                "MIP_LEVELS" | "SAMPLES" | "WIDTH" | "HEIGHT" | "DEPTH" => {
                    self.lex.u32(word)?;
                }
                "FILL" => {
                    self.lex.number("a number")?;
                }
                "SERIES_FROM" => {
                    self.lex.number("a number")?;
                    self.lex.keyword("INC_BY")?;
                    self.lex.number("a number")?;
                }
                "FILE" => {
                    self.lex.word("PNG, BINARY or TEXT")?;
                    self.lex.word("a path")?;
                }
                "DATA" => {
                    self.numbers_to_end(word_pos)?;
                    return self.end_image(pos, name, dimensions && has_type);
                }
                _ => return error(word_pos, format!("`{word}` does not belong to an image")),
            }
        }
        self.lex.end_of_line()?;
        self.end_image(pos, name, dimensions && has_type)
    }

    fn end_image(&mut self, pos: Pos, name: String, complete: bool) -> Parsed<()> {
        self.images.insert(name);
        if complete { Ok(()) } else { error(pos, "an image needs FORMAT or DATA_TYPE, and DIM_1D, DIM_2D or DIM_3D") }
    }

    pub(super) fn sampler(&mut self) -> Parsed<()> {
        let name = self.lex.word("a name")?.1.to_string();
        self.samplers.insert(name);
        self.lex.skip_line();
        Ok(())
    }

    pub(super) fn acceleration_structure(&mut self, pos: Pos) -> Parsed<()> {
        let (kind_pos, kind) = self.lex.word("BOTTOM_LEVEL or TOP_LEVEL")?;
        if !["BOTTOM_LEVEL", "TOP_LEVEL"].contains(&kind) {
            return error(kind_pos, format!("BOTTOM_LEVEL or TOP_LEVEL is needed in place of `{kind}`"));
        }
        self.lex.word("a name")?;
        self.lex.end_of_line()?;
        self.beyond(pos, "acceleration structures (ray tracing)");
        self.skip_block(pos, &["GEOMETRY", "BOTTOM_LEVEL_INSTANCE", "TRANSFORM"])
    }
}

impl Buffer {
    /// A file that holds more than the buffer makes it larger.
    fn grow(&self, bytes: &mut Vec<u8>, size: usize) -> Parsed<()> {
        if size > MAX_BUFFER {
            return error(self.pos, format!("buffers are at most {MAX_BUFFER} bytes"));
        }
        bytes.resize(bytes.len().max(size), 0);
        Ok(())
    }

    /// Its first contents. `read` gives the bytes of a file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is no text of numbers, or is larger than buffers can be.
    pub fn bytes(&self, read: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Parsed<Vec<u8>> {
        let fail = |what: String| ScriptError { pos: self.pos, what };
        let mut bytes = vec![0; self.count * self.layout.size];
        let components = self.count * self.layout.parts.len();
        match &self.init {
            Init::Zero => {}
            Init::Data(numbers) => self.layout.write(&mut bytes, 0, numbers.iter().copied()),
            Init::Fill(number) => self.layout.write(&mut bytes, 0, std::iter::repeat_n(*number, components)),
            Init::Series { start, step } => {
                self.layout.write(&mut bytes, 0, series(*start, *step, &self.layout).take(components));
            }
            Init::Binary(path) => {
                let data = read(path).map_err(fail)?;
                self.grow(&mut bytes, data.len())?;
                bytes[..data.len()].copy_from_slice(&data);
            }
            Init::Text(path) => {
                let data = read(path).map_err(fail)?;
                let text = String::from_utf8_lossy(&data);
                let words = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
                let numbers = words
                    .map(|word| Number::parse(word).ok_or_else(|| fail(format!("`{word}` in `{path}` is no number"))));
                let numbers: Vec<Number> = numbers.collect::<Result<_, _>>()?;
                let elements = numbers.len().div_ceil(self.layout.parts.len().max(1));
                self.grow(&mut bytes, elements.saturating_mul(self.layout.size))?;
                self.layout.write(&mut bytes, 0, numbers.into_iter());
            }
        }
        Ok(bytes)
    }
}

/// `start`, `start + step` …; sums of floats round as the component's type does.
fn series(start: Number, step: Number, layout: &Layout) -> impl Iterator<Item = Number> {
    let elem = layout.parts.first().map_or(Elem::F64, |part| part.elem);
    std::iter::successors(Some(start), move |number| {
        Some(match (*number, step) {
            (Number::Int(number), Number::Int(step)) => Number::Int(number.wrapping_add(step)),
            (number, step) => {
                let sum = number.to_f64() + step.to_f64();
                Number::Float(if elem.is_float() { elem.to_float(elem.float_bits(sum)) } else { sum })
            }
        })
    })
}

impl Layout {
    /// Writes numbers, one for each component, from a byte on; what is past the end is left out.
    pub fn write(&self, bytes: &mut [u8], offset: usize, values: impl Iterator<Item = Number>) {
        for (index, value) in values.enumerate() {
            let Some((at, part)) = self.component(index) else { return };
            let Some(place) = bytes.get_mut(offset.saturating_add(at)..) else { return };
            let size = part.elem.size();
            if let Some(place) = place.get_mut(..size) {
                place.copy_from_slice(&value.bits(part.elem).to_le_bytes()[..size]);
            }
        }
    }
}
