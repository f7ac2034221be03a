//! Readers of shader tests: what to run, on which data, and what has to come out, as plain data.
//!
//! | module | holds |
//! |---|---|
//! | [`amber`] | AmberScript and VkScript, the formats of the field's own shader tests |
//! | [`golden`] | golden files: header, source, run blocks, expected prints |
//! | [`runs`] | run blocks: workgroups, buffers in, expected buffers out |
//! | [`values`] | element types, how values are written, compared and reported |
//! | [`rng`] | reproducible numbers |
//!
//! Nothing here compiles or runs a shader: the crate knows neither the compiler nor its options. `glslc2native::testing`
//! runs what is read here.
#![deny(missing_docs)]

pub mod amber;
pub mod golden;
pub mod rng;
pub mod runs;
pub mod values;
