//! The test suite of glslc2native: what its test binary, its benches and its tools share.
//!
//! | module | holds |
//! |---|---|
//! | [`values`] | element types, how values are written, compared and reported |
//! | [`runs`] | run blocks: workgroups, buffers in, expected buffers out |
//! | [`golden`] | golden files: header, source, run blocks, expected prints |
//! | [`matrix`] | the standard matrix of configurations, and running a kernel under it between guards |
//! | [`guard`] | buffers with guard bytes or a guard page |
//! | [`precision`] | the errors of the functions of the standard library |
//! | [`bench`] | this compiler beside other Vulkan drivers |
//! | [`random`] | random programs |
//! | [`rng`] | reproducible numbers |
//!
//! Everything goes through the public interface of `glslc2native`, as any user would.
#![deny(missing_docs)]

pub mod bench;
pub mod golden;
pub mod guard;
pub mod matrix;
pub mod precision;
pub mod random;
pub mod rng;
pub mod runs;
pub mod values;
