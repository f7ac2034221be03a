//! SPIR-V to structured IR to vectorised Cranelift IR.
//!
//! ```text
//! SPIR-V words ──lift──► ir::Module ──transform──► ir::Module ──analysis──► side tables ──simt──► LoweredModule (CLIF)
//! ```
//!
//! Each stage takes an immutable input and returns a new value. This crate knows nothing of JIT, object files or threads.
#![deny(missing_docs)]

pub mod abi;
pub mod analysis;
mod error;
pub mod ir;
pub mod lift;
mod lowered;
pub mod ops;
mod options;
pub mod simt;
mod stack;
mod to_spirv;
pub mod transform;
pub mod work;

pub use error::{Error, Place, Result};
pub use lowered::{LoweredFunction, LoweredModule, Stats};
pub use options::{Arch, OptLevel, Options, Target};
pub use to_spirv::to_spirv;
