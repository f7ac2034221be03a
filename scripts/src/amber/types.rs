//! Data types and image formats by their names in scripts.

use crate::values::Elem;
use std::sync::Arc;

/// Type of a buffer's elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A number (one row) or a vector of numbers.
    Vector {
        /// Numbers.
        elem: Elem,
        /// How many: 1 to 4.
        rows: u8,
    },
    /// A matrix, by columns.
    Matrix {
        /// Numbers.
        elem: Elem,
        /// Columns: 2 to 4.
        columns: u8,
        /// Numbers of a column: 2 to 4.
        rows: u8,
    },
    /// An image format.
    Format(Arc<Format>),
    /// An array; without a length its element stands for it.
    Array {
        /// Elements.
        of: Box<Type>,
        /// How many.
        count: Option<u32>,
    },
    /// A structure.
    Struct(Arc<Struct>),
}

/// `STRUCT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Bytes from one to the next, where the script gives them.
    pub stride: Option<u32>,
    /// Members.
    pub members: Vec<Member>,
}

/// Member of a [`Struct`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Byte offset, where the script gives it.
    pub offset: Option<u32>,
    /// Bytes between elements of the array, where the script gives them.
    pub array_stride: Option<u32>,
    /// Bytes between columns of the matrix, where the script gives them.
    pub matrix_stride: Option<u32>,
}

/// An image format, such as `R8G8B8A8_UNORM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// Channels, as they are named from the left.
    pub channels: Vec<Channel>,
    /// Bits of the number that all channels share, where it is packed.
    pub packed: Option<u32>,
}

/// Channel of a [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// `R`, `G`, `B`, `A`, `D`, `S` or `X`.
    pub name: char,
    /// Bits.
    pub bits: u32,
    /// What the bits mean.
    pub mode: Mode,
}

/// What the bits of a channel mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Unsigned, 0 to 1.
    Unorm,
    /// Signed, -1 to 1.
    Snorm,
    /// Unsigned, as floats.
    Uscaled,
    /// Signed, as floats.
    Sscaled,
    /// Unsigned.
    Uint,
    /// Signed.
    Sint,
    /// Unsigned, 0 to 1, not linear.
    Srgb,
    /// Floats.
    Sfloat,
    /// Floats without a sign.
    Ufloat,
}

const MODES: &[(&str, Mode)] = &[
    ("UNORM", Mode::Unorm),
    ("SNORM", Mode::Snorm),
    ("USCALED", Mode::Uscaled),
    ("SSCALED", Mode::Sscaled),
    ("UINT", Mode::Uint),
    ("SINT", Mode::Sint),
    ("SRGB", Mode::Srgb),
    ("SFLOAT", Mode::Sfloat),
    ("UFLOAT", Mode::Ufloat),
];

/// Numbers by their names in AmberScript.
const NUMBERS: &[(&str, Elem)] = &[
    ("int8", Elem::I8),
    ("int16", Elem::I16),
    ("int32", Elem::I32),
    ("int64", Elem::I64),
    ("uint8", Elem::U8),
    ("uint16", Elem::U16),
    ("uint32", Elem::U32),
    ("uint64", Elem::U64),
    ("float16", Elem::F16),
    ("float", Elem::F32),
    ("double", Elem::F64),
];

/// Numbers and the prefixes of their vectors and matrices in VkScript.
const VKSCRIPT: &[(&str, &str, Elem)] = &[
    ("int", "i", Elem::I32),
    ("uint", "u", Elem::U32),
    ("int8_t", "i8", Elem::I8),
    ("uint8_t", "u8", Elem::U8),
    ("int16_t", "i16", Elem::I16),
    ("uint16_t", "u16", Elem::U16),
    ("int64_t", "i64", Elem::I64),
    ("uint64_t", "u64", Elem::U64),
    ("float16_t", "f16", Elem::F16),
    ("float", "", Elem::F32),
    ("double", "d", Elem::F64),
];

impl Type {
    /// The number that AmberScript calls `name`.
    pub fn number(name: &str) -> Option<Elem> {
        NUMBERS.iter().find(|(own, _)| *own == name).map(|(_, elem)| *elem)
    }

    /// The type that AmberScript calls `name`; `structs` knows the script's own.
    pub fn parse(name: &str, structs: &dyn Fn(&str) -> Option<Type>) -> Option<Type> {
        if let Some((of, count)) = name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            let count = if count.is_empty() { None } else { Some(count.parse().ok().filter(|&n| n > 0)?) };
            return Some(Type::Array { of: Box::new(Type::parse(of, structs)?), count });
        }
        if let Some(elem) = Type::number(name) {
            return Some(Type::Vector { elem, rows: 1 });
        }
        if let Some((shape, elem)) = name.strip_suffix('>').and_then(|rest| rest.split_once('<')) {
            let elem = Type::number(elem)?;
            return match (shape.strip_prefix("vec"), shape.strip_prefix("mat")) {
                (Some(rows), _) => Some(Type::Vector { elem, rows: dimension(rows)? }),
                (_, Some(size)) => matrix(elem, size),
                _ => None,
            };
        }
        structs(name).or_else(|| Format::parse(name).map(|format| Type::Format(Arc::new(format))))
    }

    /// The type that VkScript calls `name`.
    pub fn parse_vkscript(name: &str) -> Option<Type> {
        if let Some((_, _, elem)) = VKSCRIPT.iter().find(|(own, ..)| *own == name) {
            return Some(Type::Vector { elem: *elem, rows: 1 });
        }
        for (_, prefix, elem) in VKSCRIPT {
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            if let Some(rows) = rest.strip_prefix("vec") {
                return Some(Type::Vector { elem: *elem, rows: dimension(rows)? });
            }
            if let Some(size) = rest.strip_prefix("mat") {
                return matrix(*elem, size);
            }
        }
        None
    }
}

fn dimension(text: &str) -> Option<u8> {
    text.parse().ok().filter(|n| (2..=4).contains(n))
}

/// `3` and `3x2`: columns, then rows.
fn matrix(elem: Elem, size: &str) -> Option<Type> {
    let (columns, rows) = size.split_once('x').unwrap_or((size, size));
    Some(Type::Matrix { elem, columns: dimension(columns)?, rows: dimension(rows)? })
}

impl Format {
    /// The format of that name: channels with their bits, what they mean, `PACK` and bits; `D16_UNORM_S8_UINT` has two such.
    pub fn parse(name: &str) -> Option<Format> {
        let mut format = Format { name: name.to_string(), channels: vec![], packed: None };
        let mut waiting: Vec<(char, u32)> = vec![];
        for part in name.split('_') {
            if let Some(bits) = part.strip_prefix("PACK") {
                format.packed = Some(bits.parse().ok().filter(|bits| [8, 16, 32].contains(bits))?);
            } else if let Some((_, mode)) = MODES.iter().find(|(own, _)| *own == part) {
                format.channels.extend(waiting.drain(..).map(|(name, bits)| Channel { name, bits, mode: *mode }));
            } else {
                waiting.extend(channels(part)?);
            }
        }
        let bits: u32 = format.channels.iter().map(|channel| channel.bits).sum();
        let fits = format.packed.is_none_or(|packed| packed == bits);
        (waiting.is_empty() && !format.channels.is_empty() && format.channels.len() <= 4 && fits).then_some(format)
    }
}

/// `R8G8B8A8`.
fn channels(text: &str) -> Option<Vec<(char, u32)>> {
    let mut found = vec![];
    let mut rest = text;
    while let Some(name) = rest.chars().next() {
        if !"RGBADSX".contains(name) {
            return None;
        }
        let digits = rest.get(1..)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let bits: u32 = digits[..end].parse().ok().filter(|bits| (1..=64).contains(bits))?;
        found.push((name, bits));
        rest = &digits[end..];
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Option<Type> {
        Type::parse(name, &|_| None)
    }

    #[test]
    fn types_have_their_names() {
        for (name, elem) in NUMBERS {
            assert_eq!(parse(name), Some(Type::Vector { elem: *elem, rows: 1 }));
            assert_eq!(parse(&format!("vec3<{name}>")), Some(Type::Vector { elem: *elem, rows: 3 }));
            assert_eq!(parse(&format!("mat2x4<{name}>")), Some(Type::Matrix { elem: *elem, columns: 2, rows: 4 }));
        }
        let array = |count| Some(Type::Array { of: Box::new(Type::Vector { elem: Elem::U8, rows: 1 }), count });
        assert_eq!((parse("uint8[]"), parse("uint8[7]")), (array(None), array(Some(7))));
        for wrong in ["", "int", "vec5<float>", "vec<float>", "mat1x2<float>", "uint8[0]", "vec2<vec2>", "R8", "R8_X"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn vkscript_has_its_own_names() {
        for (name, prefix, elem) in VKSCRIPT {
            assert_eq!(Type::parse_vkscript(name), Some(Type::Vector { elem: *elem, rows: 1 }));
            let vector = Type::parse_vkscript(&format!("{prefix}vec4"));
            assert_eq!(vector, Some(Type::Vector { elem: *elem, rows: 4 }), "{prefix}");
        }
        let matrix = |columns, rows| Some(Type::Matrix { elem: Elem::F32, columns, rows });
        assert_eq!((Type::parse_vkscript("mat3"), Type::parse_vkscript("mat2x4")), (matrix(3, 3), matrix(2, 4)));
        for wrong in ["vec", "mat5", "ivec1", "int32", "u8"] {
            assert_eq!(Type::parse_vkscript(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn formats_are_taken_apart() {
        let channels = |name: &str| {
            let format = Format::parse(name).unwrap_or_else(|| panic!("{name}"));
            format.channels.iter().map(|c| (c.name, c.bits, c.mode)).collect::<Vec<_>>()
        };
        assert_eq!(channels("R16_SFLOAT"), [('R', 16, Mode::Sfloat)]);
        assert_eq!(channels("D24_UNORM_S8_UINT"), [('D', 24, Mode::Unorm), ('S', 8, Mode::Uint)]);
        assert_eq!(channels("X8_D24_UNORM_PACK32"), [('X', 8, Mode::Unorm), ('D', 24, Mode::Unorm)]);
        assert_eq!(Format::parse("B10G11R11_UFLOAT_PACK32").and_then(|format| format.packed), Some(32));
        for wrong in ["R8G8", "UNORM", "R8_UNORM_PACK16", "R5G6B5_UNORM_PACK8", "Q8_UNORM", "R_UNORM", "R8é_UNORM"] {
            assert_eq!(Format::parse(wrong), None, "{wrong}");
        }
    }
}
