//! What a caller can choose about the compilation of GLSL. Names and spellings are glslc's.

use crate::{Error, Result, Stage};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Options of [`compile_glsl`](crate::compile_glsl).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GlslOptions {
    /// Name of the source in messages and in the module's `OpString`. Its folder is where relative includes are looked
    /// for first, and its extension tells the stage where nothing else does.
    pub file_name: String,
    /// Stage (`-fshader-stage`). `None` takes the source's `#pragma shader_stage(…)`, else the file's extension.
    pub stage: Option<Stage>,
    /// Macros (`-D`), in order; of two with one name the last wins.
    pub defines: Vec<(String, Option<String>)>,
    /// Folders of includes (`-I`), in order.
    pub include_dirs: Vec<PathBuf>,
    /// Environment whose rules the source has to obey (`--target-env`).
    pub target_env: TargetEnv,
    /// Version of SPIR-V to generate (`--target-spv`); `None` takes the newest that the environment accepts.
    pub spirv_version: Option<SpirvVersion>,
    /// Name of the entry point in the module. GLSL's own is always `main`.
    pub entry: String,
    /// Whether SPIRV-Tools optimises the module. Off by default: the compiler's own passes do that work, and they are
    /// much faster.
    pub optimize: Optimize,
    /// What becomes of warnings (`-w`, `-Werror`).
    pub warnings: Warnings,
    /// When the GLSL compiler runs in a process of its own.
    pub isolation: Isolation,
    /// Which program that process runs. Without it, sources that need one are errors.
    pub child: Option<ChildCompiler>,
}

impl Default for GlslOptions {
    /// A compute shader for Vulkan 1.3 and SPIR-V 1.6, called `shader.comp`.
    fn default() -> GlslOptions {
        GlslOptions {
            file_name: "shader.comp".to_string(),
            stage: None,
            defines: vec![],
            include_dirs: vec![],
            target_env: TargetEnv::default(),
            spirv_version: None,
            entry: "main".to_string(),
            optimize: Optimize::default(),
            warnings: Warnings::default(),
            isolation: Isolation::default(),
            child: None,
        }
    }
}

impl GlslOptions {
    /// The default options for a source called `file_name`.
    pub fn for_file(file_name: impl Into<String>) -> GlslOptions {
        GlslOptions { file_name: file_name.into(), ..GlslOptions::default() }
    }

    /// Adds the macro that `-D` describes: `NAME` or `NAME=VALUE`.
    ///
    /// # Errors
    /// [`Error::Options`] where `NAME` is no identifier or the value spans lines.
    pub fn define(&mut self, definition: &str) -> Result<()> {
        let (name, value) = match definition.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (definition, None),
        };
        check_define(name, value)?;
        self.defines.push((name.to_string(), value.map(str::to_string)));
        Ok(())
    }

    /// The version of SPIR-V that a compilation with these options produces.
    pub fn effective_spirv_version(&self) -> SpirvVersion {
        self.spirv_version.unwrap_or_else(|| self.target_env.spirv_version())
    }

    /// Checks what [`GlslOptions::define`] would have checked, and names that C strings cannot hold.
    #[cfg(feature = "glsl")]
    pub(crate) fn check(&self) -> Result<()> {
        for (name, value) in &self.defines {
            check_define(name, value.as_deref())?;
        }
        for (what, text) in [("file name", &self.file_name), ("entry point's name", &self.entry)] {
            if text.contains('\0') {
                return Err(Error::Options(format!("the {what} holds a NUL byte")));
            }
        }
        if self.entry.is_empty() {
            return Err(Error::Options("the entry point's name is empty".to_string()));
        }
        Ok(())
    }
}

/// A macro becomes a `#define` line, so that a line break in it would start a line of the caller's choice.
fn check_define(name: &str, value: Option<&str>) -> Result<()> {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_identifier = name.starts_with(first) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_identifier {
        return Err(Error::Options(format!(
            "`-D{name}`: a macro's name is a letter or `_`, then letters, digits or `_`"
        )));
    }
    if value.is_some_and(|value| value.contains(['\0', '\n', '\r'])) {
        return Err(Error::Options(format!("`-D{name}`: the value holds a line break or a NUL byte")));
    }
    Ok(())
}

/// How SPIRV-Tools optimises what glslang produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Optimize {
    /// Not at all.
    #[default]
    None,
    /// For size, as `glslc -Os`.
    Size,
    /// For speed, as `glslc -O`.
    Performance,
}

/// What becomes of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Warnings {
    /// They are returned beside the module.
    #[default]
    Report,
    /// They are left out.
    Suppress,
    /// They are errors.
    Error,
}

/// When the GLSL compiler, which is C++ and was written for sources that one trusts, runs in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Isolation {
    /// Never: the fastest, and a crash in it ends this process.
    InProcess,
    /// Where the checks before it cannot prove a source harmless. Nearly all sources can be proved so.
    #[default]
    WhenDoubtful,
    /// Always: for sources of strangers. Starting a process and building glslang's tables takes some 100 ms each time.
    Always,
}

/// A program that can run the GLSL compiler for this one.
///
/// It has to call `serve_child`, and nothing else, where `CHILD_ARGUMENT` is its last argument. The command-line tool does;
/// so can the embedding program itself:
///
/// ```no_run
/// if std::env::args().last().as_deref() == Some(glslc2native_frontend::CHILD_ARGUMENT) {
///     std::process::exit(if glslc2native_frontend::serve_child() == std::process::ExitCode::SUCCESS { 0 } else { 1 });
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChildCompiler {
    /// The executable.
    pub program: PathBuf,
    /// Arguments before `CHILD_ARGUMENT`.
    pub arguments: Vec<String>,
    /// How long one compilation may take before the process is killed.
    pub timeout: Duration,
}

impl ChildCompiler {
    /// The executable `program` with a minute's time.
    pub fn new(program: impl Into<PathBuf>) -> ChildCompiler {
        ChildCompiler { program: program.into(), arguments: vec![], timeout: Duration::from_secs(60) }
    }
}

/// Defines an enumeration of versions with its spellings, so that each is written once.
macro_rules! versions {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$case_doc:meta])* $case:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$case_doc])* $case,)* }

        impl $name {
            /// All of them, oldest first.
            pub const ALL: &[$name] = &[$($name::$case,)*];

            /// The spelling on glslc's command line.
            pub const fn name(self) -> &'static str {
                match self { $($name::$case => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<$name> {
                $name::ALL.iter().copied().find(|version| version.name() == text).ok_or_else(|| {
                    let known: Vec<&str> = $name::ALL.iter().map(|version| version.name()).collect();
                    Error::Options(format!("unknown {} `{text}`: one of {}", $what, known.join(", ")))
                })
            }
        }
    };
}

versions! {
    /// Environment whose rules a module has to obey.
    TargetEnv, "target environment" {
        /// Vulkan 1.0.
        Vulkan1_0 = "vulkan1.0",
        /// Vulkan 1.1.
        Vulkan1_1 = "vulkan1.1",
        /// Vulkan 1.2.
        Vulkan1_2 = "vulkan1.2",
        /// Vulkan 1.3.
        Vulkan1_3 = "vulkan1.3",
    }
}

impl Default for TargetEnv {
    /// Vulkan 1.3.
    fn default() -> TargetEnv {
        TargetEnv::Vulkan1_3
    }
}

impl TargetEnv {
    /// The newest SPIR-V that the environment has to accept.
    pub const fn spirv_version(self) -> SpirvVersion {
        match self {
            TargetEnv::Vulkan1_0 => SpirvVersion::V1_0,
            TargetEnv::Vulkan1_1 => SpirvVersion::V1_3,
            TargetEnv::Vulkan1_2 => SpirvVersion::V1_5,
            TargetEnv::Vulkan1_3 => SpirvVersion::V1_6,
        }
    }
}

versions! {
    /// Version of SPIR-V.
    SpirvVersion, "SPIR-V version" {
        /// SPIR-V 1.0.
        V1_0 = "spv1.0",
        /// SPIR-V 1.1.
        V1_1 = "spv1.1",
        /// SPIR-V 1.2.
        V1_2 = "spv1.2",
        /// SPIR-V 1.3.
        V1_3 = "spv1.3",
        /// SPIR-V 1.4.
        V1_4 = "spv1.4",
        /// SPIR-V 1.5.
        V1_5 = "spv1.5",
        /// SPIR-V 1.6.
        V1_6 = "spv1.6",
    }
}

impl SpirvVersion {
    /// The version word of a module's header, as in SPIR-V §2.3.
    pub const fn word(self) -> u32 {
        0x0001_0000 | (self as u32) << 8
    }

    /// The version that a header's word names; `None` for one that is newer than 1.6 or nonsense.
    pub fn from_word(word: u32) -> Option<SpirvVersion> {
        SpirvVersion::ALL.iter().copied().find(|version| version.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_back() {
        for env in TargetEnv::ALL {
            assert_eq!(env.name().parse::<TargetEnv>().unwrap(), *env);
        }
        for version in SpirvVersion::ALL {
            assert_eq!(version.name().parse::<SpirvVersion>().unwrap(), *version);
            assert_eq!(SpirvVersion::from_word(version.word()), Some(*version));
        }
        assert_eq!(SpirvVersion::V1_6.word(), 0x0001_0600);
        assert_eq!(SpirvVersion::from_word(0x0001_0700), None);
        let message = "vulkan9".parse::<TargetEnv>().unwrap_err().to_string();
        assert!(message.contains("vulkan9") && message.contains("vulkan1.3"), "{message}");
    }

    #[test]
    fn defines_are_checked() {
        let mut options = GlslOptions::default();
        options.define("A").unwrap();
        options.define("B=1=2").unwrap();
        assert_eq!(options.defines, [("A".into(), None), ("B".into(), Some("1=2".into()))]);
        for bad in ["", "1A", "A B", "A(x)=x", "A=1\n#error", "A=\0"] {
            assert!(matches!(options.define(bad), Err(Error::Options(_))), "{bad:?}");
        }
    }
}
