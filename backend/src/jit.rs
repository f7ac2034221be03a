//! Code in executable memory.
//!
//! In: [`CompiledModule`] for this machine. Out: [`JitKernel`], which owns the memory and frees it when dropped.

use crate::error::catching;
use crate::{CompiledModule, Emit, Error, Isa, Result, compile};
use cranelift_codegen::ir::Signature;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use glslc2native_lowering::LoweredModule;
use glslc2native_lowering::abi::KernelFn;

/// Room for the veneers that the linker may add behind a function for each of its relocations, in bytes.
const VENEER_SIZE: usize = 24;
/// At least the size of a page of memory, anywhere.
const PAGE: usize = 64 << 10;

/// A kernel that can be called.
///
/// It may be sent to and called from any thread. Its code stays valid until it is dropped.
pub struct JitKernel {
    /// `None` only while being dropped.
    module: Option<JITModule>,
    entry: KernelFn,
    code_size: usize,
    scratch_size: usize,
    stack_size: u64,
}

// SAFETY: `module` is not `Sync` because of its symbol cache and lookup functions. Through `&JitKernel` nobody reaches it:
// after construction it is only taken out by `drop`, which has exclusive access. All other fields are plain values.
unsafe impl Sync for JitKernel {}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<JitKernel>();
};

impl JitKernel {
    /// Compiles a lowered module and links it. `isa` is the one whose target it was lowered for.
    pub fn compile(lowered: &LoweredModule, isa: &Isa) -> Result<JitKernel> {
        JitKernel::link(&compile(lowered, isa, Emit::Code)?, isa)
    }

    /// Links machine code that was compiled for this machine.
    pub fn link(compiled: &CompiledModule, isa: &Isa) -> Result<JitKernel> {
        if !isa.is_host() {
            return Err(Error::Target(format!("code for {} cannot be run here: compile for the host", isa.triple())));
        }
        let name = compiled.functions.first().map_or("", |f| f.name.as_str());
        catching(&format!("linking `{name}`"), || link(compiled, isa))
    }

    /// The kernel's entry point; valid as long as `self`.
    pub fn entry(&self) -> KernelFn {
        self.entry
    }

    /// Bytes of code, constants included.
    pub fn code_size(&self) -> usize {
        self.code_size
    }

    /// Bytes of scratch memory that a call needs.
    pub fn scratch_size(&self) -> usize {
        self.scratch_size
    }

    /// Bytes of stack that a call takes. [`run`](crate::run) sees to it that they are there.
    pub fn stack_size(&self) -> u64 {
        self.stack_size
    }
}

impl Drop for JitKernel {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: whoever calls the entry point borrows `self`, so nobody is executing this code or will.
            unsafe { module.free_memory() };
        }
    }
}

impl std::fmt::Debug for JitKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JitKernel")
            .field("code_size", &self.code_size)
            .field("scratch_size", &self.scratch_size)
            .finish_non_exhaustive()
    }
}

fn link(compiled: &CompiledModule, isa: &Isa) -> Result<JitKernel> {
    let failed = |function: &str, what: String| Error::Codegen { function: function.into(), what };
    let mut builder = JITBuilder::with_isa(isa.cranelift().clone(), cranelift_module::default_libcall_names());
    // One reservation for all functions, so that calls between them are always in reach of a direct call.
    let reserve: usize =
        compiled.functions.iter().map(|f| f.bytes.len() + f.relocs.len() * VENEER_SIZE + 2 * PAGE).sum();
    let arena = ArenaMemoryProvider::new_with_size(reserve)
        .map_err(|e| failed("the kernel", format!("no memory for {reserve} bytes of code: {e}")))?;
    builder.memory_provider(Box::new(arena));
    let mut module = JITModule::new(builder);
    // Calls were checked against their signatures when the functions were built; the linker does not look at them.
    let signature = Signature::new(isa.target().call_conv);
    for (index, function) in compiled.functions.iter().enumerate() {
        let id = module
            .declare_function(&function.name, Linkage::Local, &signature)
            .map_err(|e| failed(&function.name, e.to_string()))?;
        if id != FuncId::from_u32(index as u32) {
            return Err(Error::Internal(format!("two functions of one module are named `{}`", function.name)));
        }
    }
    for (index, function) in compiled.functions.iter().enumerate() {
        module
            .define_function_bytes(FuncId::from_u32(index as u32), function.align, &function.bytes, &function.relocs)
            .map_err(|e| failed(&function.name, e.to_string()))?;
    }
    module.finalize_definitions().map_err(|e| failed("the kernel", e.to_string()))?;
    let address = module.get_finalized_function(FuncId::from_u32(0));
    // SAFETY: the first function of a lowered module is the kernel, which has exactly this signature.
    let entry = unsafe { std::mem::transmute::<*const u8, KernelFn>(address) };
    let CompiledModule { scratch_size, stack_size, .. } = *compiled;
    Ok(JitKernel { module: Some(module), entry, code_size: compiled.code_size(), scratch_size, stack_size })
}
