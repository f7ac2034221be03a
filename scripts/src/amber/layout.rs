//! Where the components of a buffer's elements are.
//!
//! In: a type and a set of rules. Out: the bytes from one element to the next, and each component's offset and type in the
//! order in which scripts list values. The rules are those of the OpenGL specification, §7.6.2.2 "Standard Uniform Block
//! Layout": std430, or std140, which rounds arrays, columns and structures up to 16 bytes. Members with `OFFSET` and strides are
//! put where the script says.

use super::types::{Format, Mode, Struct, Type};
use crate::values::Elem;

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Std {
    /// For uniform buffers.
    Std140,
    /// For storage buffers; what scripts mean where they say nothing.
    #[default]
    Std430,
}

/// How one element is laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from one element to the next; never 0.
    pub size: usize,
    /// Components; never empty.
    pub parts: Vec<Part>,
}

/// A component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Byte in the element.
    pub offset: usize,
    /// Type.
    pub elem: Elem,
    /// Which component of its vector or column.
    pub lane: usize,
}

/// Elements are at most this many components.
const MAX_PARTS: usize = 1 << 16;
/// Elements are at most this many bytes.
const MAX_SIZE: usize = 1 << 24;

impl Layout {
    /// The layout of a type.
    ///
    /// # Errors
    ///
    /// A format whose channels are no numbers of their own, members that overlap, an array without a length inside of another
    /// type, and elements beyond all bounds.
    pub fn of(ty: &Type, std: Std) -> Result<Layout, String> {
        let mut build = Build { std, parts: vec![] };
        let size = match ty {
            // The elements of the array are those of the buffer.
            Type::Array { of, count: None } => {
                let size = build.place(of, None, None, 0)?;
                size.next_multiple_of(build.array_align(of)?)
            }
            _ => {
                let size = build.place(ty, None, None, 0)?;
                size.next_multiple_of(build.align(ty)?)
            }
        };
        Ok(Layout { size, parts: build.parts })
    }

    /// The component at a byte of a buffer, counted over all elements; `None` where none begins there.
    pub fn component_at(&self, byte: usize) -> Option<usize> {
        let within = byte % self.size.max(1);
        let index = self.parts.iter().position(|part| part.offset == within)?;
        Some(byte / self.size.max(1) * self.parts.len() + index)
    }

    /// Byte and description of a component, counted over all elements.
    pub fn component(&self, index: usize) -> Option<(usize, Part)> {
        let part = self.parts.get(index.checked_rem(self.parts.len())?)?;
        let element = (index / self.parts.len()).checked_mul(self.size)?;
        Some((element.checked_add(part.offset)?, *part))
    }
}

struct Build {
    std: Std,
    parts: Vec<Part>,
}

impl Build {
    /// std140 rounds what is an array, or like one.
    fn rounded(&self, align: usize) -> usize {
        match self.std {
            Std::Std140 => align.next_multiple_of(16),
            Std::Std430 => align,
        }
    }

    fn array_align(&self, of: &Type) -> Result<usize, String> {
        Ok(self.rounded(self.align(of)?))
    }

    fn align(&self, ty: &Type) -> Result<usize, String> {
        Ok(match ty {
            Type::Vector { elem, rows } => vector_align(*elem, *rows),
            Type::Matrix { elem, rows, .. } => self.rounded(vector_align(*elem, *rows)),
            Type::Format(format) => channels(format)?.first().map_or(1, |elem| elem.size()),
            Type::Array { of, .. } => self.array_align(of)?,
            Type::Struct(of) => {
                let mut align = 1;
                for member in &of.members {
                    align = align.max(self.align(&member.ty)?);
                }
                self.rounded(align)
            }
        })
    }

    /// Adds the components of a type that begins at `at`; gives its size.
    fn place(
        &mut self,
        ty: &Type,
        array_stride: Option<u32>,
        matrix_stride: Option<u32>,
        at: usize,
    ) -> Result<usize, String> {
        match ty {
            Type::Vector { elem, rows } => self.vector(*elem, *rows, at),
            Type::Matrix { elem, columns, rows } => {
                let natural = self.rounded(vector_align(*elem, *rows));
                let stride = matrix_stride.map_or(natural, |stride| stride as usize);
                if stride < elem.size() * usize::from(*rows) {
                    return Err(format!("columns do not fit MATRIX_STRIDE {stride}"));
                }
                for column in 0..usize::from(*columns) {
                    self.vector(*elem, *rows, at + column * stride)?;
                }
                Ok(stride * usize::from(*columns))
            }
            Type::Format(format) => {
                let mut end = at;
                for (lane, elem) in channels(format)?.into_iter().enumerate() {
                    self.push(end, elem, lane)?;
                    end += elem.size();
                }
                Ok(end - at)
            }
            Type::Array { of, count } => {
                let count = count.ok_or("an array without a length inside of another type")? as usize;
                let mut stride = array_stride.map(|stride| stride as usize);
                for index in 0..count {
                    let size = self.place(of, None, matrix_stride, at + index * stride.unwrap_or(0))?;
                    let natural = size.next_multiple_of(self.array_align(of)?);
                    let stride = *stride.get_or_insert(natural);
                    if stride < size {
                        return Err(format!("elements of {size} bytes do not fit ARRAY_STRIDE {stride}"));
                    }
                    if stride.saturating_mul(count) > MAX_SIZE {
                        return Err(format!("elements are at most {MAX_SIZE} bytes"));
                    }
                }
                Ok(stride.unwrap_or(0) * count)
            }
            Type::Struct(of) => self.structure(of, ty, at),
        }
    }

    fn structure(&mut self, of: &Struct, ty: &Type, at: usize) -> Result<usize, String> {
        let mut end = 0usize;
        for member in &of.members {
            let natural = end.next_multiple_of(self.align(&member.ty)?);
            let offset = member.offset.map_or(natural, |offset| offset as usize);
            if offset < end {
                return Err(format!("`{}` of `{}` begins at {offset}, before {end}", member.name, of.name));
            }
            let size = self.place(&member.ty, member.array_stride, member.matrix_stride, at + offset)?;
            end = offset + size;
            if end > MAX_SIZE {
                return Err(format!("elements are at most {MAX_SIZE} bytes"));
            }
        }
        match of.stride {
            Some(stride) if (stride as usize) < end => {
                Err(format!("`{}` has {end} bytes, more than its STRIDE {stride}", of.name))
            }
            Some(stride) => Ok(stride as usize),
            None => Ok(end.next_multiple_of(self.align(ty)?)),
        }
    }

    fn vector(&mut self, elem: Elem, rows: u8, at: usize) -> Result<usize, String> {
        for lane in 0..usize::from(rows) {
            self.push(at + lane * elem.size(), elem, lane)?;
        }
        Ok(elem.size() * usize::from(rows))
    }

    fn push(&mut self, offset: usize, elem: Elem, lane: usize) -> Result<(), String> {
        if self.parts.len() >= MAX_PARTS {
            return Err(format!("elements have at most {MAX_PARTS} components"));
        }
        self.parts.push(Part { offset, elem, lane });
        Ok(())
    }
}

/// Three components take the room of four.
fn vector_align(elem: Elem, rows: u8) -> usize {
    elem.size() * if rows == 3 { 4 } else { usize::from(rows) }
}

/// The numbers that a format's texels are made of; a packed texel is one.
fn channels(format: &Format) -> Result<Vec<Elem>, String> {
    let unsigned = |bits| match bits {
        8 => Ok(Elem::U8),
        16 => Ok(Elem::U16),
        32 => Ok(Elem::U32),
        64 => Ok(Elem::U64),
        _ => Err(format!("{}: {bits} bits are no number of a buffer", format.name)),
    };
    if let Some(bits) = format.packed {
        return Ok(vec![unsigned(bits)?]);
    }
    let elem = |(bits, mode)| {
        Ok(match (unsigned(bits)?, mode) {
            (Elem::U8, Mode::Snorm | Mode::Sint | Mode::Sscaled) => Elem::I8,
            (Elem::U16, Mode::Snorm | Mode::Sint | Mode::Sscaled) => Elem::I16,
            (Elem::U32, Mode::Sint) => Elem::I32,
            (Elem::U64, Mode::Sint) => Elem::I64,
            (Elem::U16, Mode::Sfloat) => Elem::F16,
            (Elem::U32, Mode::Sfloat) => Elem::F32,
            (Elem::U64, Mode::Sfloat) => Elem::F64,
            (other, _) => other,
        })
    };
    format.channels.iter().map(|channel| elem((channel.bits, channel.mode))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::types::Member;
    use super::*;
    use std::sync::Arc;

    fn offsets(name: &str, std: Std) -> (usize, Vec<usize>) {
        let ty = Type::parse(name, &|_| None).unwrap_or_else(|| panic!("{name}"));
        let layout = Layout::of(&ty, std).unwrap_or_else(|error| panic!("{name}: {error}"));
        (layout.size, layout.parts.iter().map(|part| part.offset).collect())
    }

    #[test]
    fn vectors_and_matrices_follow_the_rules() {
        use Std::{Std140, Std430};
        let expected: &[(&str, Std, usize, &[usize])] = &[
            ("uint32", Std430, 4, &[0]),
            ("uint32", Std140, 4, &[0]),
            ("uint32[]", Std430, 4, &[0]),
            ("uint32[]", Std140, 16, &[0]),
            ("uint8[3]", Std430, 3, &[0, 1, 2]),
            ("float[3]", Std140, 48, &[0, 16, 32]),
            ("vec3<float>", Std430, 16, &[0, 4, 8]),
            ("vec3<double>", Std140, 32, &[0, 8, 16]),
            ("vec2<float16>", Std430, 4, &[0, 2]),
            ("mat2x2<float>", Std430, 16, &[0, 4, 8, 12]),
            ("mat2x2<float>", Std140, 32, &[0, 4, 16, 20]),
            ("mat2x3<float>", Std430, 32, &[0, 4, 8, 16, 20, 24]),
            ("R8G8B8A8_SNORM", Std430, 4, &[0, 1, 2, 3]),
            ("R32G32B32_SFLOAT", Std430, 12, &[0, 4, 8]),
            ("A2B10G10R10_UINT_PACK32", Std430, 4, &[0]),
        ];
        for (name, std, size, parts) in expected {
            assert_eq!(offsets(name, *std), (*size, parts.to_vec()), "{name} {std:?}");
        }
    }

    fn member(name: &str, ty: &str) -> Member {
        let ty = Type::parse(ty, &|_| None).unwrap_or_else(|| panic!("{ty}"));
        Member { name: name.into(), ty, offset: None, array_stride: None, matrix_stride: None }
    }

    #[test]
    fn structures_follow_the_rules() {
        let of = |members| Type::Struct(Arc::new(Struct { name: "s".into(), stride: None, members }));
        let layout = |ty: &Type, std| {
            let layout = Layout::of(ty, std).unwrap_or_else(|error| panic!("{error}"));
            (layout.size, layout.parts.iter().map(|part| part.offset).collect::<Vec<_>>())
        };
        // A scalar goes into the room that three components leave.
        let packed = of(vec![member("a", "vec3<float>"), member("b", "float"), member("c", "float")]);
        assert_eq!(layout(&packed, Std::Std430), (32, vec![0, 4, 8, 12, 16]));
        let inner = of(vec![member("a", "float")]);
        let outer = of(vec![member("x", "float"), Member { ty: inner, ..member("y", "float") }]);
        assert_eq!(layout(&outer, Std::Std430), (8, vec![0, 4]));
        assert_eq!(layout(&outer, Std::Std140), (32, vec![0, 16]));
        let placed = of(vec![
            Member { offset: Some(8), ..member("a", "float") },
            Member { offset: Some(16), array_stride: Some(8), ..member("b", "uint32[2]") },
            Member { offset: Some(32), matrix_stride: Some(16), ..member("c", "mat2x2<float>") },
        ]);
        assert_eq!(layout(&placed, Std::Std430), (64, vec![8, 16, 24, 32, 36, 48, 52]));
    }

    #[test]
    fn what_cannot_be_laid_out_is_told() {
        let of = |stride, members| Type::Struct(Arc::new(Struct { name: "s".into(), stride, members }));
        let twice = of(None, vec![member("a", "vec4<float>"), Member { offset: Some(4), ..member("b", "float") }]);
        let narrow = of(Some(4), vec![member("a", "vec4<float>")]);
        let open = of(None, vec![member("a", "float[]")]);
        let dense = of(None, vec![Member { array_stride: Some(2), ..member("a", "float[2]") }]);
        let depth = Type::parse("D24_UNORM_S8_UINT", &|_| None).unwrap_or(open.clone());
        let huge = Type::parse("vec4<double>[4000000000]", &|_| None).unwrap_or(open.clone());
        for (ty, part) in [
            (twice, "begins at 4, before 16"),
            (narrow, "more than its STRIDE 4"),
            (open, "without a length"),
            (dense, "ARRAY_STRIDE 2"),
            (depth, "24 bits"),
            (huge, "at most"),
        ] {
            let error = Layout::of(&ty, Std::Std430).map_err(|error| error.contains(part));
            assert_eq!(error, Err(true), "{part}");
        }
    }

    #[test]
    fn components_are_found_by_their_bytes() -> Result<(), String> {
        let ty = Type::parse("vec3<float>", &|_| None).ok_or("vec3")?;
        let layout = Layout::of(&ty, Std::Std430)?;
        assert_eq!((layout.component_at(20), layout.component_at(12)), (Some(4), None));
        assert_eq!(layout.component(4).map(|(byte, part)| (byte, part.lane)), Some((20, 1)));
        Ok(())
    }
}
