//! Vectorised lowering: one subgroup of invocations runs at once.
//!
//! In: an [`ir::Module`](crate::ir::Module) whose entry function has no calls left and its variables promoted. Out: a
//! [`LoweredModule`](crate::LoweredModule). A subgroup is W invocations, a varying 32-bit component W/C chunks of C lanes.

mod apply;
mod control;
mod emit;
mod helpers;
mod hoist;
mod kernel;
pub mod legal;
mod loops;
mod mask;
mod memory;
mod memory_flags;
mod switch;
pub mod value;
mod workgroup;

pub use kernel::{MAX_WORKGROUP, lower};
