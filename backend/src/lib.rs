//! Cranelift IR to code: which instruction set, machine code, code memory, dispatch over threads.
//!
//! ```text
//! LoweredModule ──compile──► CompiledModule (bytes, relocations, optionally assembly text)
//!                                 ├──jit──► JitKernel ──dispatch──► results
//!                                 └──object──► ELF file, and a C header beside it
//! ```
//!
//! [`Isa`] is chosen first, since lowering needs to know the target ([`Isa::target`]). [`compile`] makes machine code for
//! any target; [`JitKernel`] puts code for this machine into executable memory that it owns; [`run`] calls a kernel over
//! all workgroups of a dispatch; [`object_file`] writes code for any target into a file that a program is linked from.
//!
//! Bad input never panics: a panic inside Cranelift is caught and becomes [`Error::Internal`].
#![deny(missing_docs)]

mod compile;
mod dispatch;
mod error;
mod header;
mod isa;
mod jit;
mod object;
mod pool;
mod scratch;

pub use compile::{CompiledFunction, CompiledModule, Emit, MAX_FRAME_SIZE, MAX_STACK_SIZE, compile, verify};
pub use dispatch::{Progress, RunOptions, default_threads, run, zero_block};
pub use error::{Error, Result};
pub use header::{c_header, identifier, is_identifier};
pub use isa::{Isa, IsaOptions};
pub use jit::JitKernel;
pub use object::object_file;
