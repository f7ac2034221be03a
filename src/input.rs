//! What can be compiled: GLSL, HLSL, SPIR-V, SPIR-V assembly, or the text of the structured IR.

use crate::{Error, Result, frontend};
use std::path::Path;
use std::str::FromStr;

/// A shader in one of the forms that can be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// GLSL.
    Glsl {
        /// The source.
        source: String,
        /// Its name, for messages, includes and the stage.
        file_name: String,
    },
    /// HLSL, as far as glslang reads it; a compute shader.
    Hlsl {
        /// The source.
        source: String,
        /// Its name, for messages and includes.
        file_name: String,
    },
    /// A SPIR-V module.
    Spirv(Vec<u32>),
    /// SPIR-V assembly, as `spirv-as` takes it.
    Assembly {
        /// The text.
        source: String,
        /// Its name, for messages.
        file_name: String,
    },
    /// The text form of the structured IR. It is compiled as it stands, without the transforms that SPIR-V goes through.
    Ir {
        /// The text.
        source: String,
    },
}

/// Form of an [`Input`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// GLSL.
    Glsl,
    /// HLSL.
    Hlsl,
    /// SPIR-V words.
    Spirv,
    /// SPIR-V assembly.
    Assembly,
    /// Text of the structured IR.
    Ir,
}

/// Names of the forms, as `-x` takes them: extension and kind.
const KINDS: &[(&str, InputKind)] = &[
    ("glsl", InputKind::Glsl),
    ("hlsl", InputKind::Hlsl),
    ("spv", InputKind::Spirv),
    ("spvasm", InputKind::Assembly),
    ("ir", InputKind::Ir),
];

impl FromStr for InputKind {
    type Err = String;

    fn from_str(text: &str) -> Result<InputKind, String> {
        KINDS.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
            format!("one of {}", names.join(", "))
        })
    }
}

impl Input {
    /// Reads a file. Its first bytes and its extension tell the form.
    pub fn read(path: impl AsRef<Path>) -> Result<Input> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.into(), source })?;
        Input::from_bytes(&bytes, &path.to_string_lossy(), None)
    }

    /// The contents of a file; `kind` overrides what its first bytes and its name tell.
    pub fn from_bytes(bytes: &[u8], file_name: &str, kind: Option<InputKind>) -> Result<Input> {
        let extension = Path::new(file_name).extension().and_then(|e| e.to_str());
        let by_name = || KINDS.iter().find(|(name, _)| extension == Some(*name)).map(|(_, kind)| *kind);
        let by_magic = || frontend::is_spirv(bytes).then_some(InputKind::Spirv);
        let kind = kind.or_else(by_magic).or_else(by_name).unwrap_or(InputKind::Glsl);
        // Other encodings than UTF-8 occur in comments, where it does not matter what becomes of them.
        let source = || String::from_utf8_lossy(bytes).into_owned();
        let file_name = file_name.to_string();
        Ok(match kind {
            InputKind::Glsl => Input::Glsl { source: source(), file_name },
            InputKind::Hlsl => Input::Hlsl { source: source(), file_name },
            InputKind::Spirv => Input::Spirv(frontend::load_spirv(bytes)?),
            InputKind::Assembly => Input::Assembly { source: source(), file_name },
            InputKind::Ir => Input::Ir { source: source() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8], name: &str, kind: Option<InputKind>) -> Result<InputKind> {
        Ok(match Input::from_bytes(bytes, name, kind)? {
            Input::Glsl { .. } => InputKind::Glsl,
            Input::Hlsl { .. } => InputKind::Hlsl,
            Input::Spirv(_) => InputKind::Spirv,
            Input::Assembly { .. } => InputKind::Assembly,
            Input::Ir { .. } => InputKind::Ir,
        })
    }

    #[test]
    fn contents_then_names_tell_the_form() -> Result<()> {
        let empty_module: Vec<u8> =
            [frontend::MAGIC, 0x0001_0600, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(kind(b"", "a.comp", None)?, InputKind::Glsl);
        assert_eq!(kind(b"", "-", None)?, InputKind::Glsl);
        assert_eq!(kind(b"", "a.hlsl", None)?, InputKind::Hlsl);
        assert_eq!(kind(b"", "a.spvasm", None)?, InputKind::Assembly);
        assert_eq!(kind(b"", "dir.x/a.ir", None)?, InputKind::Ir);
        assert_eq!(kind(&empty_module, "a.comp", None)?, InputKind::Spirv);
        assert_eq!(kind(b"", "a.ir", Some(InputKind::Assembly))?, InputKind::Assembly);
        assert!(kind(b"#version 450", "a.spv", None).is_err());
        assert_eq!("spvasm".parse(), Ok(InputKind::Assembly));
        assert!("metal".parse::<InputKind>().is_err());
        Ok(())
    }
}
