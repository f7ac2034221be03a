//! Where the contents of a buffer come from: the right side of `--bind SET:BINDING=SOURCE`.
//!
//! | source | contents |
//! |---|---|
//! | `f32:1,2,3` | these numbers |
//! | `u32*1024` | zeros |
//! | `u32*1024=7` | one number again and again |
//! | `iota:u32*1024` | 0, 1, 2 … |
//! | `rand:f32*1024@SEED` | random numbers, the same on every machine |
//! | `rgba8:in.png` | four bytes a pixel |
//! | `f32:in.png` | brightness, 0 to 1 |
//! | `in.npy` | the numbers of a NumPy array, which must be of the type that the buffer holds |
//! | `u8:in.npy` | the same, of this type, whatever the buffer holds |
//! | `in.bin` | the file's bytes |
//!
//! A count may be a product: `f32*640x480`.

use super::image;
use super::npy;
use super::random::SplitMix64;
use super::values::{Type, read_list};
use std::path::{Path, PathBuf};

/// A source, parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A number (as bits), so many times.
    Fill { ty: Type, count: usize, bits: u64 },
    /// Counting from 0.
    Iota { ty: Type, count: usize },
    /// Random numbers.
    Random { ty: Type, count: usize, seed: u64 },
    /// A PNG file, four bytes a pixel.
    Rgba8(PathBuf),
    /// A PNG file, brightness.
    Grey(PathBuf),
    /// A NumPy file, of this type.
    Npy(Option<Type>, PathBuf),
    /// A file's bytes.
    File(PathBuf),
}

/// Largest buffer that is made here, in bytes: as large as may be bound.
const MAX_SIZE: usize = u32::MAX as usize;

impl Source {
    /// Parses the text of a source.
    pub fn parse(text: &str) -> Result<Source, String> {
        if let Some(rest) = text.strip_prefix("iota:") {
            let (ty, count) = counted(rest)?;
            return Ok(Source::Iota { ty, count });
        }
        if let Some(rest) = text.strip_prefix("rand:") {
            let (rest, seed) = rest.split_once('@').unwrap_or((rest, "0"));
            let (ty, count) = counted(rest)?;
            return Ok(Source::Random { ty, count, seed: Type::Unsigned(8).read(seed)? });
        }
        if let Some(path) = text.strip_prefix("rgba8:") {
            return Ok(Source::Rgba8(path.into()));
        }
        if let Some((ty, rest)) = text.split_once(':').and_then(|(ty, rest)| Some((Type::named(ty)?, rest))) {
            if has_extension(rest, "npy") {
                return Ok(Source::Npy(Some(ty), rest.into()));
            }
            return match is_png(rest) {
                true if ty == Type::Float(4) => Ok(Source::Grey(rest.into())),
                true => Err(format!("an image is read as `rgba8:{rest}` or `f32:{rest}`, not as {ty}")),
                false => Ok(Source::Bytes(read_list(ty, rest)?)),
            };
        }
        if text.split_once('*').is_some_and(|(ty, _)| Type::named(ty).is_some()) {
            let (rest, value) = text.split_once('=').unwrap_or((text, "0"));
            let (ty, count) = counted(rest)?;
            return Ok(Source::Fill { ty, count, bits: ty.read(value)? });
        }
        if has_extension(text, "npy") {
            return Ok(Source::Npy(None, text.into()));
        }
        if has_extension(text, "bin") {
            return Ok(Source::File(text.into()));
        }
        Err(format!(
            "`{text}` is not a source; it may be f32:1,2,3 or u32*1024 or u32*1024=7 or iota:u32*1024 or rand:f32*1024@SEED \
             or rgba8:in.png or f32:in.png or in.npy or in.bin"
        ))
    }

    /// The contents. `holds` is the type of the numbers that the buffer holds, where it holds one only.
    pub fn load(&self, holds: Option<Type>) -> Result<Vec<u8>, String> {
        match self {
            Source::Bytes(bytes) => Ok(bytes.clone()),
            Source::Fill { ty, count, bits } => fill(*ty, *count, || *bits),
            Source::Iota { ty, count } => {
                let mut numbers = 0..;
                fill(*ty, *count, || ty.nearest(numbers.next().unwrap_or_default()))
            }
            Source::Random { ty, count, seed } => {
                let mut random = SplitMix64::new(*seed);
                fill(*ty, *count, || random.next(*ty))
            }
            Source::Rgba8(path) => Ok(image::read_rgba8(path)?.pixels),
            Source::Grey(path) => Ok(image::read_grey(path)?.pixels.into_iter().flat_map(f32::to_ne_bytes).collect()),
            Source::Npy(ty, path) => {
                let array = npy::read(path)?;
                match ty.or(holds) {
                    Some(wanted) if wanted != array.ty => {
                        let (path, is) = (path.display(), array.ty);
                        let what = if ty.is_some() { "they were said to be" } else { "the buffer holds" };
                        Err(format!(
                            "{path}: the numbers are {is}, {what} {wanted}; save the array as that type, or bind {is}:{path}"
                        ))
                    }
                    _ => Ok(array.bytes),
                }
            }
            Source::File(path) => std::fs::read(path).map_err(|e| format!("{}: {e}", path.display())),
        }
    }
}

fn fill(ty: Type, count: usize, mut next: impl FnMut() -> u64) -> Result<Vec<u8>, String> {
    let size = count * ty.size();
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| format!("no memory for {size} bytes"))?;
    for _ in 0..count {
        ty.append(next(), &mut bytes);
    }
    Ok(bytes)
}

/// Parses `u32*1024` or `f32*640x480`.
fn counted(text: &str) -> Result<(Type, usize), String> {
    let (ty, count) = text.split_once('*').ok_or_else(|| format!("`{text}` is not of the form TYPE*COUNT"))?;
    let ty = Type::parse(ty)?;
    let too_large = || format!("{text} is more than {MAX_SIZE} bytes");
    let mut total = 1usize;
    for factor in count.split('x') {
        let factor = factor.parse::<usize>().map_err(|_| format!("`{count}` is not a count"))?;
        total = total.checked_mul(factor).ok_or_else(too_large)?;
    }
    match total.checked_mul(ty.size()) {
        Some(size) if size <= MAX_SIZE => Ok((ty, total)),
        _ => Err(too_large()),
    }
}

/// Whether a file is named as an image.
pub fn is_png(path: &str) -> bool {
    has_extension(path, "png")
}

/// Whether a file's name has an extension, in any case.
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(numbers: [u32; N]) -> Vec<u8> {
        numbers.into_iter().flat_map(u32::to_ne_bytes).collect()
    }

    fn load(text: &str) -> Result<Vec<u8>, String> {
        Source::parse(text)?.load(None)
    }

    #[test]
    fn sources_give_their_contents() {
        let cases = [
            ("u32:1,2,0x10", bytes([1, 2, 16])),
            ("u32: 1, 2", bytes([1, 2])),
            ("f32:1,-inf", bytes([0x3f80_0000, 0xff80_0000])),
            ("u32*3", bytes([0, 0, 0])),
            ("u32*0", vec![]),
            ("u32*3=7", bytes([7, 7, 7])),
            ("f32*2=1", bytes([0x3f80_0000; 2])),
            ("u32*2x2=1", bytes([1; 4])),
            ("iota:u32*4", bytes([0, 1, 2, 3])),
            ("iota:f32*3", bytes([0, 0x3f80_0000, 0x4000_0000])),
            ("i8:-1,1", vec![255, 1]),
        ];
        for (text, expected) in &cases {
            assert_eq!(load(text).as_ref(), Ok(expected), "{text}");
        }
        let wrapped = load("iota:u8*257").unwrap_or_default();
        assert_eq!((wrapped.len(), wrapped[255], wrapped[256]), (257, 255, 0));
        println!("checked {} sources", cases.len() + 1);
    }

    #[test]
    fn random_numbers_are_fixed_by_their_seed() -> Result<(), String> {
        assert_eq!(load("rand:u64*2@5")?, load("rand:u64*2@5")?);
        assert_ne!(load("rand:u64*2@5")?, load("rand:u64*2@6")?);
        assert_eq!(load("rand:u32*2")?, load("rand:u32*2@0")?);
        Ok(())
    }

    #[test]
    fn files_are_told_by_their_names() {
        assert_eq!(Source::parse("a/b.bin"), Ok(Source::File("a/b.bin".into())));
        assert_eq!(Source::parse("a/b.npy"), Ok(Source::Npy(None, "a/b.npy".into())));
        assert_eq!(Source::parse("u8:a.npy"), Ok(Source::Npy(Some(Type::Unsigned(1)), "a.npy".into())));
        assert_eq!(Source::parse("rgba8:a:b.png"), Ok(Source::Rgba8("a:b.png".into())));
        assert_eq!(Source::parse("f32:in.PNG"), Ok(Source::Grey("in.PNG".into())));
        assert!(load("no such file.bin").is_err_and(|e| e.contains("no such file.bin")));
    }

    #[test]
    fn wrong_sources_say_what_is_wrong() {
        let cases = [
            ("", "is not a source"),
            ("f32", "is not a source"),
            ("in.txt", "is not a source"),
            ("f32:", "not a number"),
            ("f32:1,,2", "not a number"),
            ("u8:256", "range"),
            ("u32*", "not a count"),
            ("u32*-1", "not a count"),
            ("u32*2x", "not a count"),
            ("u32*2=x", "not a number"),
            ("u64*1073741824", "more than"),
            ("u32*99999999999x99999999999", "more than"),
            ("iota:1,2", "TYPE*COUNT"),
            ("iota:f8*2", "unknown type"),
            ("rand:f32*2@-1", "range"),
            ("u32:in.png", "rgba8:in.png"),
        ];
        for (text, part) in cases {
            let error = Source::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
