//! The test suite of glslc2native: what its test binary, its benches and its tools share.
//!
//! | module | holds |
//! |---|---|
//! | [`golden`], [`runs`], [`values`], [`rng`] | golden files and what they are made of, from `glslc2native-scripts` |
//! | [`matrix`] | the standard matrix of configurations, and running a kernel under it between guards |
//! | [`guard`] | buffers with guard bytes or a guard page |
//! | [`precision`] | the errors of the functions of the standard library |
//! | [`bench`] | this compiler beside other Vulkan drivers |
//! | [`random`] | random programs |
//!
//! Everything goes through the public interface of `glslc2native`, as any user would.
#![deny(missing_docs)]

pub use glslc2native_scripts::{golden, rng, runs, values};

pub mod bench;
pub mod guard;
pub mod matrix;
pub mod precision;
pub mod random;
