//! Where a buffer goes after a dispatch: the right side of `--out SET:BINDING=SINK`.
//!
//! | sink | what happens |
//! |---|---|
//! | `f32` (any type) | printed as numbers, one line a buffer |
//! | `out.bin` | the bytes are written to a file |
//! | `out.npy` | a NumPy array of one dimension, of the type that the buffer holds |
//! | `f32:out.npy`, `f32:768x1024:out.npy` | the same, of this type (and shape, rows first) |
//! | `rgba8:1024x768:out.png` | a picture, four bytes a pixel |
//! | `f32:1024x768:out.png` | a grey picture, from 0 to 1 |

use super::image::{Image, write_grey, write_rgba8};
use super::npy;
use super::source::{has_extension, is_png};
use super::values::Type;
use std::path::PathBuf;

/// A sink, parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum Sink {
    /// Numbers on standard output.
    Print(Type),
    /// A file's bytes.
    File(PathBuf),
    /// A NumPy file; without a type that of the buffer, without a shape one dimension.
    Npy { ty: Option<Type>, shape: Option<Vec<usize>>, path: PathBuf },
    /// A PNG file of four bytes a pixel.
    Rgba8 { width: u32, height: u32, path: PathBuf },
    /// A PNG file of brightness.
    Grey { width: u32, height: u32, path: PathBuf },
}

impl Sink {
    /// Parses the text of a sink.
    pub fn parse(text: &str) -> Result<Sink, String> {
        if let Some(ty) = Type::named(text) {
            return Ok(Sink::Print(ty));
        }
        if has_extension(text, "npy") {
            return npy_sink(text);
        }
        if let Some((ty @ ("rgba8" | "f32"), rest)) = text.split_once(':') {
            let (size, path) = rest.split_once(':').ok_or("a picture is written as rgba8:WIDTHxHEIGHT:out.png")?;
            if !is_png(path) {
                return Err(format!("`{path}`: pictures are written as .png"));
            }
            let (width, height) = picture_size(size)?;
            let path = path.into();
            return Ok(if ty == "f32" {
                Sink::Grey { width, height, path }
            } else {
                Sink::Rgba8 { width, height, path }
            });
        }
        if has_extension(text, "bin") {
            return Ok(Sink::File(text.into()));
        }
        Err(format!(
            "`{text}` is not a sink; it may be a type (f32, u32 …), or out.bin, or out.npy, or f32:768x1024:out.npy, or \
             rgba8:1024x768:out.png, or f32:1024x768:out.png"
        ))
    }

    /// Gives a buffer away; the line to print, if there is one. `holds` is the type of the numbers that the buffer holds,
    /// where it holds one only.
    pub fn write(&self, bytes: &[u8], holds: Option<Type>) -> Result<Option<String>, String> {
        match self {
            Sink::Print(ty) => return Ok(Some(line(*ty, bytes))),
            Sink::File(path) => std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))?,
            Sink::Npy { ty, shape, path } => {
                let ty = ty.or(holds).ok_or_else(|| {
                    let path = path.display();
                    format!("the buffer holds numbers of several types or of none; say which, as in f32:{path}")
                })?;
                let flat = [bytes.len() / ty.size()];
                npy::write(path, ty, shape.as_deref().unwrap_or(&flat), bytes)?;
            }
            Sink::Rgba8 { width, height, path } => {
                let pixels = pixels(bytes, *width, *height)?.to_vec();
                write_rgba8(path, &Image { width: *width, height: *height, pixels })?;
            }
            Sink::Grey { width, height, path } => {
                let (words, _) = pixels(bytes, *width, *height)?.as_chunks::<4>();
                let pixels = words.iter().map(|&word| f32::from_ne_bytes(word)).collect();
                write_grey(path, &Image { width: *width, height: *height, pixels })?;
            }
        }
        Ok(None)
    }
}

/// Parses `out.npy`, `f32:out.npy` and `f32:2x3:out.npy`.
fn npy_sink(text: &str) -> Result<Sink, String> {
    let Some((ty, rest)) = text.split_once(':').and_then(|(ty, rest)| Some((Type::named(ty)?, rest))) else {
        return Ok(Sink::Npy { ty: None, shape: None, path: text.into() });
    };
    let parse = |shape: &str| shape.split('x').map(|n| n.parse().ok()).collect::<Option<Vec<usize>>>();
    let (shape, path) = match rest.split_once(':').and_then(|(shape, path)| Some((parse(shape)?, path))) {
        Some((shape, path)) => (Some(shape), path),
        None => (None, rest),
    };
    Ok(Sink::Npy { ty: Some(ty), shape, path: path.into() })
}

/// The numbers of a buffer, separated by spaces, and the bytes that are too few for another.
fn line(ty: Type, bytes: &[u8]) -> String {
    let numbers = bytes.chunks_exact(ty.size());
    let rest: Vec<String> = numbers.remainder().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut words: Vec<String> = numbers.map(|number| ty.print(number)).collect();
    if !rest.is_empty() {
        words.push(format!("(bytes {})", rest.join(" ")));
    }
    words.join(" ")
}

/// Parses `1024x768`.
fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let parse = || {
        let (width, height) = text.split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    match parse() {
        Some((width, height)) if width > 0 && height > 0 => Ok((width, height)),
        _ => Err(format!("`{text}` is not a picture's size; write 1024x768")),
    }
}

/// The bytes of a picture of four bytes a pixel.
fn pixels(bytes: &[u8], width: u32, height: u32) -> Result<&[u8], String> {
    let size = u128::from(width) * u128::from(height) * 4;
    usize::try_from(size)
        .ok()
        .and_then(|size| bytes.get(..size))
        .ok_or_else(|| format!("a picture of {width}x{height} needs {size} bytes, the buffer has {}", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinks_are_parsed() {
        assert_eq!(Sink::parse("f32"), Ok(Sink::Print(Type::Float(4))));
        assert_eq!(Sink::parse("out.bin"), Ok(Sink::File("out.bin".into())));
        let path = PathBuf::from("a:b.png");
        assert_eq!(Sink::parse("rgba8:4x3:a:b.png"), Ok(Sink::Rgba8 { width: 4, height: 3, path: path.clone() }));
        assert_eq!(Sink::parse("f32:4x3:a:b.png"), Ok(Sink::Grey { width: 4, height: 3, path }));
        let npy = |ty, shape: Option<&[usize]>, path: &str| {
            Ok(Sink::Npy { ty, shape: shape.map(<[usize]>::to_vec), path: path.into() })
        };
        assert_eq!(Sink::parse("a:b.npy"), npy(None, None, "a:b.npy"));
        assert_eq!(Sink::parse("f32:a.npy"), npy(Some(Type::Float(4)), None, "a.npy"));
        assert_eq!(Sink::parse("u8:2x3x4:a.npy"), npy(Some(Type::Unsigned(1)), Some(&[2, 3, 4]), "a.npy"));
        for (text, part) in [
            ("", "not a sink"),
            ("f8", "not a sink"),
            ("out.txt", "not a sink"),
            ("rgba8:out.png", "WIDTHxHEIGHT"),
            ("f32:4:out.png", "1024x768"),
            ("f32:0x4:out.png", "1024x768"),
            ("f32:4x4:out.jpg", ".png"),
        ] {
            let error = Sink::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_are_printed_on_one_line() {
        let bytes: Vec<u8> = [1.0f32, -0.5, f32::INFINITY].into_iter().flat_map(f32::to_ne_bytes).collect();
        assert_eq!(Sink::Print(Type::Float(4)).write(&bytes, None), Ok(Some("1 -0.5 inf".into())));
        assert_eq!(Sink::Print(Type::Unsigned(8)).write(&bytes[..3], None), Ok(Some("(bytes 00 00 80)".into())));
        assert_eq!(Sink::Print(Type::Float(4)).write(&bytes[..5], None), Ok(Some("1 (bytes 00)".into())));
    }

    #[test]
    fn pictures_need_enough_bytes() {
        assert_eq!(pixels(&[0; 16], 2, 2).map(<[u8]>::len), Ok(16));
        assert_eq!(pixels(&[0; 20], 2, 2).map(<[u8]>::len), Ok(16));
        assert!(pixels(&[0; 15], 2, 2).is_err_and(|e| e.contains("16 bytes")));
        assert!(pixels(&[0; 15], u32::MAX, u32::MAX).is_err());
    }
}
