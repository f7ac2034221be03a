//! Machine code as an object file, to be linked into a program.
//!
//! In: [`CompiledModule`] and the name of the kernel. Out: the bytes of a relocatable ELF file for Linux.
//!
//! Invariants: the file refers to no symbol that it does not define, so that it needs no library; the kernel is its only
//! global symbol, so that objects of several shaders link into one program; its stack is not executable.

use crate::compile::check_frame;
use crate::error::catching;
use crate::{CompiledModule, Error, Isa, MAX_FRAME_SIZE, Result};
use cranelift_codegen::ir::Signature;
use cranelift_module::{FuncId, Linkage, Module};
use cranelift_object::{ObjectBuilder, ObjectModule};
use target_lexicon::BinaryFormat;

/// Writes `compiled`, which was made for `isa`, with `symbol` as the name of the kernel.
///
/// # Errors
///
/// [`Error::Target`]: the target's files are not ELF files. [`Error::Limit`]: the kernel takes more than [`MAX_FRAME_SIZE`]
/// of its caller's stack.
pub fn object_file(compiled: &CompiledModule, isa: &Isa, symbol: &str) -> Result<Vec<u8>> {
    if isa.triple().binary_format != BinaryFormat::Elf {
        return Err(Error::Target(format!(
            "objects are ELF files, which {} does not use; name a Linux target such as {}-unknown-linux-gnu",
            isa.triple(),
            isa.triple().architecture
        )));
    }
    let name = compiled.functions.first().map_or(symbol, |function| &function.name);
    check_frame(name, compiled.stack_size, MAX_FRAME_SIZE)?;
    catching(&format!("writing the object of `{symbol}`"), || write(compiled, isa, symbol))
}

fn write(compiled: &CompiledModule, isa: &Isa, symbol: &str) -> Result<Vec<u8>> {
    let failed = |function: &str, what: String| Error::Codegen { function: function.into(), what };
    let builder = ObjectBuilder::new(isa.cranelift().clone(), symbol, cranelift_module::default_libcall_names())
        .map_err(|e| failed(symbol, e.to_string()))?;
    let mut module = ObjectModule::new(builder);
    // Calls were checked when the functions were built; an object holds no signatures.
    let signature = Signature::new(isa.target().call_conv);
    for (index, function) in compiled.functions.iter().enumerate() {
        let local = format!("{symbol}.{}", function.name);
        let (name, linkage) = match index {
            0 => (symbol, Linkage::Export),
            _ => (local.as_str(), Linkage::Local),
        };
        let id = module.declare_function(name, linkage, &signature).map_err(|e| failed(name, e.to_string()))?;
        if id != FuncId::from_u32(index as u32) {
            return Err(Error::Internal(format!("two functions of one module are named `{}`", function.name)));
        }
    }
    for (index, function) in compiled.functions.iter().enumerate() {
        module
            .define_function_bytes(FuncId::from_u32(index as u32), function.align, &function.bytes, &function.relocs)
            .map_err(|e| failed(&function.name, e.to_string()))?;
    }
    module.finish().emit().map_err(|e| failed(symbol, e.to_string()))
}
