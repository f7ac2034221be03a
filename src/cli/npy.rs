//! Arrays in files of NumPy's format, `.npy`.
//!
//! In: versions 1.0, 2.0 and 3.0, numbers in little-endian order, in C order (or of one dimension). Out: version 1.0.
//! A file is a magic number, a version, a header and the numbers. The header is a literal of a Python dictionary with
//! the keys `descr`, `fortran_order` and `shape`.

use super::values::{TYPES, Type};
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Numbers start at multiples of this many bytes in a file.
const ALIGN: usize = 64;

/// An array's numbers, in this machine's byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of the numbers.
    pub ty: Type,
    /// Their bytes, in C order.
    pub bytes: Vec<u8>,
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Array, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&bytes).map_err(|what| format!("{}: {what}", path.display()))
}

/// Writes a file; as many numbers as the shape has.
pub fn write(path: &Path, ty: Type, shape: &[usize], bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, format(ty, shape, bytes)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// What NumPy calls a type, without the byte order.
fn letter(ty: Type) -> (char, usize) {
    match ty {
        Type::Unsigned(size) => ('u', size),
        Type::Signed(size) => ('i', size),
        Type::Float(size) => ('f', size),
    }
}

/// Number of numbers and bytes of a shape.
fn length(ty: Type, shape: &[usize]) -> Result<usize, String> {
    let count = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
    count.and_then(|count| count.checked_mul(ty.size())).ok_or_else(|| "the shape is too large".into())
}

fn format(ty: Type, shape: &[usize], bytes: &[u8]) -> Result<Vec<u8>, String> {
    let length = length(ty, shape)?;
    let data = bytes.get(..length).ok_or_else(|| {
        format!("an array of shape {shape:?} of {ty} needs {length} bytes, the buffer has {}", bytes.len())
    })?;
    let (letter, size) = letter(ty);
    let order = if size == 1 { '|' } else { '<' };
    let dimensions: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one has a comma, others need none at their end.
    let dimensions = if shape.len() == 1 { dimensions.trim_end() } else { dimensions.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{order}{letter}{size}', 'fortran_order': False, 'shape': ({dimensions}), }}");
    let start = MAGIC.len() + 4;
    while !(start + header.len() + 1).is_multiple_of(ALIGN) {
        header.push(' ');
    }
    header.push('\n');
    let header_length = u16::try_from(header.len()).map_err(|_| "the shape has too many dimensions".to_string())?;
    let mut file = [MAGIC, &[1, 0], &header_length.to_le_bytes(), header.as_bytes()].concat();
    file.extend_from_slice(data);
    swap(ty, &mut file[start + header.len()..]);
    Ok(file)
}

/// Between little-endian and this machine's order.
fn swap(ty: Type, bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(ty.size()).for_each(<[u8]>::reverse);
    }
}

fn parse(file: &[u8]) -> Result<Array, String> {
    let damaged = || "the file is damaged: its header is cut off".to_string();
    let rest = file.strip_prefix(MAGIC).ok_or("this is no file of NumPy's format")?;
    let (&[major, _], rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk::<2>().map(|(n, rest)| (u32::from(u16::from_le_bytes(*n)), rest)),
        2 | 3 => rest.split_first_chunk::<4>().map(|(n, rest)| (u32::from_le_bytes(*n), rest)),
        _ => return Err(format!("version {major} of NumPy's format is not known")),
    }
    .ok_or_else(damaged)?;
    let (header, data) = rest.split_at_checked(length as usize).ok_or_else(damaged)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let ty = number_type(value(header, "descr")?)?;
    let shape = shape(value(header, "shape")?)?;
    match value(header, "fortran_order")? {
        text if text.starts_with("False") => {}
        text if text.starts_with("True") && shape.iter().filter(|&&n| n != 1).count() <= 1 => {}
        text if text.starts_with("True") => {
            return Err("the array is in Fortran order; save numpy.ascontiguousarray(...) of it".into());
        }
        _ => return Err("the header has no fortran_order".into()),
    }
    let length = self::length(ty, &shape)?;
    if data.len() != length {
        return Err(format!("the header says {shape:?} of {ty}, {length} bytes; the file has {}", data.len()));
    }
    let mut bytes = data.to_vec();
    swap(ty, &mut bytes);
    Ok(Array { ty, bytes })
}

/// What stands behind a key of the dictionary.
fn value<'t>(header: &'t str, key: &str) -> Result<&'t str, String> {
    let quotes = ['\'', '"'].map(|quote| format!("{quote}{key}{quote}"));
    quotes
        .iter()
        .find_map(|quoted| header.split_once(quoted.as_str()))
        .and_then(|(_, rest)| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start)
        .ok_or_else(|| format!("the header has no {key}"))
}

/// Reads `'<f4'`.
fn number_type(text: &str) -> Result<Type, String> {
    let name = text.split(['\'', '"']).nth(1).filter(|_| text.starts_with(['\'', '"']));
    let name = name.ok_or("the array holds records; only arrays of numbers can be read")?;
    let (order, rest) = match name.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &name[1..]),
        _ => ('|', name),
    };
    let found = TYPES.iter().map(|(_, ty)| *ty).find(|&ty| {
        let (letter, size) = letter(ty);
        rest == format!("{letter}{size}")
    });
    match found {
        Some(ty) if order == '>' && ty.size() > 1 => {
            Err(format!("the numbers are big-endian; save the array as .astype('<{rest}')"))
        }
        Some(ty) => Ok(ty),
        None => Err(format!("numbers of type '{name}' cannot be read; there are {}", names())),
    }
}

/// All types, for messages.
fn names() -> String {
    let names: Vec<_> =
        TYPES.iter().map(|&(_, ty)| letter(ty)).map(|(letter, size)| format!("{letter}{size}")).collect();
    names.join(", ")
}

/// Reads `(3, 4)`.
fn shape(text: &str) -> Result<Vec<usize>, String> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let numbers = inside.ok_or("the header's shape is no tuple")?.split(',').map(str::trim).filter(|n| !n.is_empty());
    numbers
        .map(|n| n.trim_end_matches('L').parse().map_err(|_| format!("`{n}` in the header's shape is no size")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(major: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let length = header.len() as u32;
        let length = if major == 1 { (length as u16).to_le_bytes().to_vec() } else { length.to_le_bytes().to_vec() };
        [MAGIC, &[major, 0], &length, header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_read_back() -> Result<(), String> {
        let mut count = 0;
        for &(name, ty) in TYPES {
            for shape in [&[6][..], &[2, 3], &[1, 6, 1], &[0], &[]] {
                let length = length(ty, shape)?;
                let bytes: Vec<u8> = (0..length as u8).collect();
                let file = format(ty, shape, &bytes)?;
                assert!((file.len() - length).is_multiple_of(ALIGN), "{name} {shape:?}");
                assert_eq!(parse(&file)?, Array { ty, bytes }, "{name} {shape:?}");
                count += 1;
            }
        }
        println!("checked {count} arrays");
        Ok(())
    }

    #[test]
    fn files_are_as_numpy_writes_them() -> Result<(), String> {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
        let written = format(Type::Float(4), &[2], &[1.0f32, -2.0].map(f32::to_ne_bytes).concat())?;
        assert_eq!(written[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(written[10..10 + text.len()], *text.as_bytes());
        assert_eq!(written[127..], *b"\n\x00\x00\x80\x3f\x00\x00\x00\xc0");
        let two = format(Type::Unsigned(1), &[2, 1], &[1, 2])?;
        assert!(String::from_utf8_lossy(&two).contains("'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }"));
        Ok(())
    }

    #[test]
    fn other_spellings_are_read() {
        for (major, header) in [
            (1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }  \n"),
            (2, "{'shape': (1, 2), 'fortran_order': False, 'descr': '=u2'}"),
            (3, "{\"shape\":(2,1),\"fortran_order\":True,\"descr\":\"<u2\"}\n"),
            (1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2L,), }"),
        ] {
            assert_eq!(parse(&file(major, header, &[1, 0, 2, 0])).map(|a| a.ty), Ok(Type::Unsigned(2)), "{header}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let dictionary = |descr: &str, fortran: &str, shape: &str| {
            file(1, &format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"), &[0; 16])
        };
        let cases = [
            (b"PNG".to_vec(), "no file of NumPy's format"),
            (b"\x93NUMPY".to_vec(), "cut off"),
            (b"\x93NUMPY\x01\x00\xff\x00{".to_vec(), "cut off"),
            (b"\x93NUMPY\x02\x00\xff\xff".to_vec(), "cut off"),
            (b"\x93NUMPY\x04\x00\x00\x00".to_vec(), "version 4"),
            (file(1, "\u{e9}", &[])[..11].to_vec(), "cut off"),
            (b"\x93NUMPY\x01\x00\x01\x00\xff".to_vec(), "no text"),
            (file(1, "{}", &[]), "no descr"),
            (dictionary("'<f4'", "False", "4"), "no tuple"),
            (dictionary("'<f4'", "False", "(x,)"), "no size"),
            (dictionary("'<f4'", "False", "(-1,)"), "no size"),
            (dictionary("'<f4'", "False", "(3,)"), "12 bytes; the file has 16"),
            (dictionary("'<f4'", "False", "(4294967296, 4294967296, 2)"), "too large"),
            (dictionary("'<f4'", "True", "(2, 2)"), "ascontiguousarray"),
            (dictionary("'<f4'", "Maybe", "(2, 2)"), "no fortran_order"),
            (dictionary("'>f4'", "False", "(4,)"), ".astype('<f4')"),
            (dictionary("'<c8'", "False", "(2,)"), "'<c8' cannot be read"),
            (dictionary("'|b1'", "False", "(16,)"), "'|b1' cannot be read"),
            (dictionary("[('x', '<f4')]", "False", "(4,)"), "records"),
        ];
        for (file, part) in &cases {
            let error = parse(file).expect_err(part);
            assert!(error.contains(part), "{part}: {error}");
        }
        println!("checked {} files", cases.len());
        assert!(format(Type::Float(4), &[3, 3], &[0; 32]).is_err_and(|e| e.contains("needs 36 bytes")));
    }
}
