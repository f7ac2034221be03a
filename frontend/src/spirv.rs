//! SPIR-V as bytes: from a file's bytes to words, and back. Works without shaderc.
//!
//! In: bytes of any origin. Out: words in the machine's byte order whose header is sound and whose instructions tile the
//! module exactly (SPIR-V §2.3, "Physical Layout of a SPIR-V Module and Instruction"). What the instructions mean is
//! left to later stages.

use crate::{Error, Result, SpirvVersion};

/// First word of a module.
pub const MAGIC: u32 = 0x0723_0203;
/// Words of a module's header: magic, version, generator, bound, schema.
const HEADER_WORDS: usize = 5;
/// SPIR-V §2.17, "Universal Limits": result ids are below this bound.
const MAX_BOUND: u32 = 0x3f_ffff;

fn invalid<T>(word: usize, what: impl Into<String>) -> Result<T> {
    Err(Error::InvalidSpirv { offset: word * 4, what: what.into() })
}

/// Whether `bytes` start with SPIR-V's magic number, in either byte order.
pub fn is_spirv(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes())
}

/// The words of the module that `bytes` hold, in either byte order, checked as [`check_words`] does.
///
/// # Errors
/// [`Error::InvalidSpirv`] with the offset of the first byte that is wrong.
pub fn load_spirv(bytes: &[u8]) -> Result<Vec<u32>> {
    let Some((magic, _)) = bytes.split_first_chunk::<4>() else {
        return Err(Error::InvalidSpirv {
            offset: bytes.len(),
            what: format!("the input has {} bytes; a module starts with the word 0x{MAGIC:08x}", bytes.len()),
        });
    };
    let read: fn([u8; 4]) -> u32 = match *magic {
        bytes if u32::from_le_bytes(bytes) == MAGIC => u32::from_le_bytes,
        bytes if u32::from_be_bytes(bytes) == MAGIC => u32::from_be_bytes,
        bytes => {
            let found = u32::from_le_bytes(bytes);
            return invalid(0, format!("not a SPIR-V module: it starts with 0x{found:08x}, not with 0x{MAGIC:08x}"));
        }
    };
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let what = format!("the input ends within a word: {} bytes are not a multiple of 4", bytes.len());
        return Err(Error::InvalidSpirv { offset: words.len() * 4, what });
    }
    let words: Vec<u32> = words.iter().map(|word| read(*word)).collect();
    check_words(&words)?;
    Ok(words)
}

/// Checks a module's header, and that its instructions' lengths add up to the module's.
///
/// # Errors
/// [`Error::InvalidSpirv`] with the offset of the first word that is wrong.
pub fn check_words(words: &[u32]) -> Result<()> {
    let Some((&[magic, version, _generator, bound, schema], mut rest)) = words.split_first_chunk::<HEADER_WORDS>()
    else {
        return invalid(words.len(), format!("the module ends within its header, which has {HEADER_WORDS} words"));
    };
    if magic != MAGIC {
        return invalid(0, format!("not a SPIR-V module: it starts with 0x{magic:08x}, not with 0x{MAGIC:08x}"));
    }
    if SpirvVersion::from_word(version).is_none() {
        let (major, minor) = (version >> 16 & 0xff, version >> 8 & 0xff);
        let what = format!("version word 0x{version:08x} (SPIR-V {major}.{minor}); versions 1.0 to 1.6 are accepted");
        return invalid(1, what);
    }
    if bound == 0 || bound > MAX_BOUND {
        return invalid(3, format!("the bound of ids is {bound}; it must be between 1 and {MAX_BOUND}"));
    }
    if schema != 0 {
        return invalid(4, format!("the header's instruction schema is {schema}; it must be 0"));
    }
    while let Some(&first) = rest.first() {
        let (length, opcode) = ((first >> 16) as usize, first & 0xffff);
        let at = words.len() - rest.len();
        if length == 0 {
            return invalid(at, format!("the instruction with opcode {opcode} has a length of 0 words"));
        }
        let Some(next) = rest.get(length..) else {
            let what =
                format!("the instruction with opcode {opcode} has {length} words, but only {} are left", rest.len());
            return invalid(at, what);
        };
        rest = next;
    }
    Ok(())
}

/// The bytes of a `.spv` file, in little-endian order.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Text of an instruction's operand, from the words that hold it.
#[cfg(feature = "glsl")]
fn operand_text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// `OpSource` of a file, with its text, continued in further instructions where it is long. `head` is language, version
/// and file.
#[cfg(feature = "glsl")]
fn source_instructions(head: [u32; 3], text: &str) -> Vec<u32> {
    /// Bytes of text in one instruction, which has at most 65,535 words.
    const PART: usize = 200_000;
    let mut rest = text;
    let mut result = vec![];
    loop {
        let end = (0..=rest.len().min(PART)).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let mut bytes = part.as_bytes().to_vec();
        bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
        let words =
            bytes.chunks_exact(4).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        let is_first = result.is_empty();
        let length = (bytes.len() / 4 + if is_first { 4 } else { 1 }) as u32;
        result.push(length << 16 | if is_first { OP_SOURCE } else { OP_SOURCE_CONTINUED });
        result.extend(head.iter().filter(|_| is_first));
        result.extend(words);
        rest = after;
        if rest.is_empty() {
            return result;
        }
    }
}

#[cfg(feature = "glsl")]
const OP_SOURCE_CONTINUED: u32 = 2;
#[cfg(feature = "glsl")]
const OP_SOURCE: u32 = 3;

/// The module with `texts` as its sources in debug information: for the first of them in place of what was compiled, and
/// for the others, which are in that as includes, where the module names their files. Texts have their tags before them.
#[cfg(feature = "glsl")]
pub(crate) fn with_source_texts(words: &[u32], texts: &[(String, String)]) -> Vec<u32> {
    const OP_STRING: u32 = 7;
    let Some((header, mut rest)) = words.split_at_checked(HEADER_WORDS) else { return words.to_vec() };
    let mut result = header.to_vec();
    let mut files: Vec<(u32, String)> = vec![];
    while let Some(first) = rest.first() {
        let length = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, after) = rest.split_at(length);
        rest = after;
        match (first & 0xffff, instruction) {
            (OP_STRING, [_, id, text @ ..]) => files.push((*id, operand_text(text))),
            (OP_SOURCE_CONTINUED, _) => continue,
            (OP_SOURCE, [_, language, version, _, _, ..]) => {
                for (tag, text) in texts {
                    if let Some((id, _)) = files.iter().find(|(_, name)| name == tag) {
                        result.extend(source_instructions([*language, *version, *id], text));
                    }
                }
                continue;
            }
            _ => {}
        }
        result.extend(instruction);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `OpCapability Shader`, `OpMemoryModel Logical GLSL450`.
    const SMALL: [u32; 10] = [MAGIC, 0x0001_0600, 0, 1, 0, 0x0002_0011, 1, 0x0003_000e, 0, 1];

    fn error(bytes: &[u8]) -> (usize, String) {
        match load_spirv(bytes) {
            Err(Error::InvalidSpirv { offset, what }) => (offset, what),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_byte_orders() {
        let little = to_bytes(&SMALL);
        let big: Vec<u8> = SMALL.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert!(is_spirv(&little) && is_spirv(&big) && !is_spirv(b"#version 450"));
        assert_eq!(load_spirv(&little).unwrap(), SMALL);
        assert_eq!(load_spirv(&big).unwrap(), SMALL);
    }

    #[test]
    fn wrong_headers() {
        assert_eq!(error(&[]).0, 0);
        assert_eq!(error(&[3, 2]).0, 2);
        let (offset, what) = error(b"#version 450\n");
        assert_eq!(offset, 0);
        assert!(what.contains("0x7265") || what.contains("not a SPIR-V module"), "{what}");
        for (word, value, offset) in [(1, 0x0001_0700, 4), (1, 0, 4), (3, 0, 12), (3, u32::MAX, 12), (4, 1, 16)] {
            let mut words = SMALL;
            words[word] = value;
            assert_eq!(error(&to_bytes(&words)).0, offset, "word {word}");
        }
    }

    #[test]
    fn wrong_lengths() {
        let mut words = SMALL;
        words[5] = 0x0000_0011;
        let (offset, what) = error(&to_bytes(&words));
        assert_eq!(offset, 20);
        assert!(what.contains("opcode 17"), "{what}");
        words[5] = 0xffff_0011;
        assert_eq!(error(&to_bytes(&words)).0, 20);
        assert_eq!(error(&to_bytes(&SMALL)[..39]).0, 36);
    }

    #[test]
    fn prefixes_fail_unless_an_instruction_ends_there() {
        let bytes = to_bytes(&SMALL);
        let sound: Vec<usize> = (0..=bytes.len()).filter(|&end| load_spirv(&bytes[..end]).is_ok()).collect();
        assert_eq!(sound, [20, 28, 40]);
    }
}
