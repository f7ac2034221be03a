//! GLSL compute shaders and SPIR-V as native, vectorised CPU code.
//!
//! A shader becomes a [`Kernel`] in about a millisecond; a kernel is dispatched over slices of ordinary memory:
//!
//! ```
//! # #[cfg(feature = "glsl")] {
//! let kernel = glslc2native::compile_glsl(
//!     "#version 450
//!     layout(local_size_x = 64) in;
//!     layout(set = 0, binding = 0) readonly buffer X { float x[]; };
//!     layout(set = 0, binding = 1) buffer Y { float y[]; };
//!     layout(push_constant) uniform Push { float a; };
//!     void main() {
//!         uint i = gl_GlobalInvocationID.x;
//!         if (i < y.length()) y[i] = a * x[i] + y[i];
//!     }",
//! )?;
//! let x = vec![1.0f32; 1000];
//! let mut y: Vec<f32> = (0..1000).map(|i| i as f32).collect();
//! let mut bindings = glslc2native::Bindings::new();
//! bindings.bind_read(0, 0, &x).bind(0, 1, &mut y).push_value("a", 2.0f32);
//! kernel.dispatch(&mut bindings, kernel.groups_for([1000, 1, 1]))?;
//! assert_eq!(y[999], 1001.0);
//! # }
//! # Ok::<(), glslc2native::Error>(())
//! ```
//!
//! [`Compiler`] has all options. The crates of the stages are there too: [`frontend`], [`lowering`], [`backend`].
//!
//! Cargo feature `glsl` (on by default): GLSL input, SPIR-V assembly, validation. Without it no C++ is needed, and only
//! SPIR-V and IR text can be compiled.
#![deny(missing_docs)]

pub use glslc2native_backend as backend;
pub use glslc2native_frontend as frontend;
pub use glslc2native_lowering as lowering;

mod bindings;
mod compiler;
mod custom;
mod deadline;
mod element;
mod error;
mod input;
mod kernel;
mod listing;
mod object;
mod outside;
mod pipeline;
mod print;
mod resolve;
mod spec;
pub mod testing;

pub use bindings::Bindings;
pub use compiler::Compiler;
pub use custom::{Instruction, InvocationFn, Literal, Op, Operand, Results, Signature, Subgroup, Value};
pub use element::Element;
pub use error::{Error, ErrorKind, Result};
pub use frontend::{Stage, TargetEnv};
pub use input::{Input, InputKind};
pub use kernel::{DispatchOptions, Kernel};
pub use listing::{interface_json, interface_text};
pub use lowering::OptLevel;
pub use lowering::analysis::interface::Interface;
pub use object::Object;
pub use outside::{PrintFn, Printed};
pub use pipeline::{StageTimes, StageWork, Stages};
pub use spec::SpecValue;

/// Compiles a GLSL compute shader with the default options.
pub fn compile_glsl(source: &str) -> Result<Kernel> {
    Compiler::new().compile_glsl(source, "shader.comp")
}

/// Compiles a SPIR-V module that has one compute entry point, with the default options.
pub fn compile_spirv(words: &[u32]) -> Result<Kernel> {
    Compiler::new().compile_spirv(words)
}
