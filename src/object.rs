//! A shader as an object file and a C header.

use crate::Input;
use crate::backend::identifier;
use std::path::Path;

/// Machine code to link into a program, and the header to call it by.
///
/// ```
/// # #[cfg(feature = "glsl")] {
/// use glslc2native::{Compiler, Input};
///
/// let source = "
///     #version 450
///     layout(local_size_x = 64) in;
///     layout(set = 0, binding = 0) buffer Data { uint data[]; };
///     void main() { data[gl_GlobalInvocationID.x] *= 2; }
/// ";
/// let input = Input::Glsl { source: source.into(), file_name: "twice.comp".into() };
/// let object = Compiler::new().target("aarch64", None).compile_to_object(&input)?;
/// assert_eq!(object.symbol, "twice");
/// assert!(object.header.contains("int32_t twice(const g2n_context *context"));
/// # }
/// # Ok::<(), glslc2native::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// A relocatable ELF file for Linux. It refers to no symbol but its own.
    pub bytes: Vec<u8>,
    /// A header for C11 and C++11: the shader's blocks, constants, and the kernel's prototype.
    pub header: String,
    /// Name of the kernel, the only global symbol.
    pub symbol: String,
}

/// Name of a kernel whose entry point is `main`, after the file that the shader is in.
pub(crate) fn symbol_of_file(file_name: &str) -> String {
    let stem = Path::new(file_name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match stem.split('.').next() {
        Some(stem) if stem.contains(|c: char| c.is_ascii_alphanumeric()) => identifier(stem),
        _ => "kernel".into(),
    }
}

/// The name of the file that an input is from, where it has one.
pub(crate) fn file_name(input: &Input) -> &str {
    match input {
        Input::Glsl { file_name, .. } | Input::Hlsl { file_name, .. } | Input::Assembly { file_name, .. } => file_name,
        Input::Spirv(_) | Input::Ir { .. } => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_kernels() {
        for (file, symbol) in [
            ("dir.x/saxpy.comp", "saxpy"),
            ("blur-5x5.comp.spv", "blur_5x5"),
            ("3d.comp", "m3d"),
            ("int.comp", "int_"),
            ("-", "kernel"),
            ("", "kernel"),
            (".comp", "kernel"),
        ] {
            assert_eq!(symbol_of_file(file), symbol, "{file}");
        }
    }
}
