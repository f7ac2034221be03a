//! GLSL, SPIR-V files and SPIR-V assembly to SPIR-V words.
//!
//! ```text
//! shader.comp ───shaderc───┐
//! shader.spvasm ─assemble──┼──► SPIR-V words
//! shader.spv ──load_spirv──┘
//! ```
//!
//! GLSL goes through shaderc, and validation, assembly and disassembly through the SPIRV-Tools that shaderc's library
//! holds. Both need the cargo feature `glsl`; without it the crate reads SPIR-V and everything else is an
//! [`Error::Unavailable`].
//!
//! Invariants: bad input is an [`Error`] and never a panic; words that are returned have a sound header and instructions
//! that add up ([`check_words`]).
//!
#![cfg_attr(feature = "glsl", doc = "```")]
#![cfg_attr(not(feature = "glsl"), doc = "```no_run")]
//! use glslc2native_frontend::{GlslOptions, compile_glsl, disassemble};
//!
//! let source = "#version 450\nlayout(local_size_x = 64) in;\nvoid main() {}";
//! let module = compile_glsl(source, &GlslOptions::default())?;
//! assert!(disassemble(&module.words)?.contains("OpExecutionMode %main LocalSize 64 1 1"));
//! # Ok::<(), glslc2native_frontend::Error>(())
//! ```
#![deny(missing_docs)]

#[cfg(feature = "glsl")]
mod child;
mod diagnostics;
#[cfg(feature = "glsl")]
mod doubts;
#[cfg(feature = "glsl")]
mod engine;
mod error;
#[cfg(feature = "glsl")]
mod glsl;
#[cfg(feature = "glsl")]
mod guarded;
#[cfg(feature = "glsl")]
mod include;
#[cfg(feature = "glsl")]
mod intrinsics;
mod load;
mod options;
#[cfg(feature = "glsl")]
mod pp;
#[cfg(feature = "glsl")]
mod render;
#[cfg(feature = "glsl")]
mod scan;
mod spirv;
#[cfg(feature = "glsl")]
mod stack;
mod stage;
#[cfg(feature = "glsl")]
mod tools;
#[cfg(not(feature = "glsl"))]
mod unavailable;
#[cfg(feature = "glsl")]
mod warm_up;

#[cfg(feature = "glsl")]
pub use child::{CHILD_ARGUMENT, serve_child};
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use error::{Error, Result};
#[cfg(feature = "glsl")]
pub use glsl::{CompiledGlsl, PreprocessedGlsl, compile_glsl, preprocess_glsl};
pub use load::{InputKind, Loaded, load, load_bytes};
pub use options::{ChildCompiler, GlslOptions, Isolation, Optimize, SpirvVersion, TargetEnv, Warnings};
pub use spirv::{MAGIC, check_words, is_spirv, load_spirv, to_bytes};
pub use stage::Stage;
#[cfg(feature = "glsl")]
pub use tools::{assemble, disassemble, validate};
#[cfg(not(feature = "glsl"))]
pub use unavailable::{
    CHILD_ARGUMENT, CompiledGlsl, PreprocessedGlsl, assemble, compile_glsl, disassemble, preprocess_glsl, serve_child,
    validate, warm_up,
};
#[cfg(feature = "glsl")]
pub use warm_up::warm_up;
