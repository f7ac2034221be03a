//! Vectorised lowering: one subgroup of invocations runs at once.
//!
//! In: an [`ir::Module`](crate::ir::Module) with one function reachable from the entry point (calls inlined, variables
//! promoted) and its analyses. Out: a [`LoweredModule`](crate::LoweredModule).

pub mod legal;
pub mod value;
