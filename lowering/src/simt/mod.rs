//! Vectorised lowering: one subgroup of invocations runs at once.
//!
//! In: an [`ir::Module`](crate::ir::Module) with its variables promoted and few calls left. Out: a
//! [`LoweredModule`](crate::LoweredModule). A subgroup is W invocations, a varying 32-bit component W/C chunks of C lanes.

mod apply;
mod calls;
mod control;
mod cut;
mod emit;
mod helpers;
mod hoist;
mod kernel;
pub mod legal;
mod loops;
mod mask;
mod masked;
mod memory;
mod memory_flags;
mod outside;
mod pack;
mod pairs;
mod subgroup;
mod switch;
pub mod value;
mod workgroup;

pub use kernel::{MAX_WORKGROUP, lower};
