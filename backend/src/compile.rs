//! Machine code of a lowered module, for any target.
//!
//! In: [`LoweredModule`] and [`Isa`]. Out: [`CompiledModule`]: for each function its bytes and its relocations, and its
//! assembly text where asked for. The result is the same on every run and every machine.
//!
//! Invariants of the result: functions are in the order of the lowered module; every relocation names a function of the
//! module or an offset in the function itself, so linking cannot meet an unknown symbol.

use crate::error::catching;
use crate::{Error, Isa, Result};
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExternalName, Function};
use cranelift_codegen::{CodegenError, Context, FinalizedMachReloc, FinalizedRelocTarget};
use cranelift_module::{FuncId, ModuleReloc, ModuleRelocTarget};
use glslc2native_lowering::{LoweredFunction, LoweredModule};
use std::cell::Cell;
use std::fmt::Write;

/// Bytes of stack that any thread has for a kernel with all that it calls, stack slots and spilled registers together: a
/// caller's thread by default (Rust gives 2 MiB), the threads that help several times. Kernels that take more run on threads
/// of their own; an object must not, since it knows nothing of its caller's.
pub const MAX_FRAME_SIZE: u64 = 1 << 20;

/// Most bytes of stack that a kernel may take with all that it calls.
pub const MAX_STACK_SIZE: u64 = 64 << 20;

/// What [`compile`] makes beside machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emit {
    /// Nothing.
    #[default]
    Code,
    /// Assembly text.
    Asm,
}

/// Machine code of one function, not yet linked.
pub struct CompiledFunction {
    /// Symbol name.
    pub name: String,
    /// The code, with the constants that it reads.
    pub bytes: Vec<u8>,
    /// Alignment in bytes.
    pub align: u64,
    /// Places to fill in. Function `i` of the module is [`FuncId`] `i`.
    pub relocs: Vec<ModuleReloc>,
    /// Assembly text, with [`Emit::Asm`].
    pub asm: Option<String>,
}

/// Machine code of a module.
pub struct CompiledModule {
    /// The kernel, then its helpers.
    pub functions: Vec<CompiledFunction>,
    /// Scratch bytes that a call of the kernel needs.
    pub scratch_size: usize,
    /// Bytes of stack that a call of the kernel takes, at most [`MAX_STACK_SIZE`].
    pub stack_size: u64,
}

impl CompiledModule {
    /// Bytes of code, constants included.
    pub fn code_size(&self) -> usize {
        self.functions.iter().map(|f| f.bytes.len()).sum()
    }

    /// Assembly text of all functions; empty without [`Emit::Asm`].
    pub fn asm_text(&self) -> String {
        let mut text = String::new();
        for (function, asm) in self.functions.iter().filter_map(|f| f.asm.as_ref().map(|asm| (f, asm))) {
            let separator = if text.is_empty() { "" } else { "\n" };
            // Writing to a String cannot fail.
            let _ = write!(text, "{separator}{}:  ; {} bytes\n{asm}", function.name, function.bytes.len());
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }
}

/// Compiles all functions of `lowered`.
pub fn compile(lowered: &LoweredModule, isa: &Isa, emit: Emit) -> Result<CompiledModule> {
    if lowered.functions.is_empty() {
        return Err(Error::Internal("a lowered module without functions".into()));
    }
    let count = lowered.functions.len();
    let mut functions = Vec::with_capacity(count);
    let mut frames = Vec::with_capacity(count);
    for (index, function) in lowered.functions.iter().enumerate() {
        // Before code is generated for arrays that are too large, and again when what is spilled is known.
        let slots = function.clif.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
        check_frame(&function.name, slots, MAX_STACK_SIZE)?;
        let (compiled, frame) = catching(&format!("generating code of `{}`", function.name), || {
            compile_function(function, index, count, isa, emit)
        })?;
        functions.push(compiled);
        frames.push(frame);
    }
    let mut stacks = Stacks { functions: &functions, frames: &frames, known: vec![None; count] };
    let stack_size = stacks.of(0);
    check_frame(&lowered.functions[0].name, stack_size, MAX_STACK_SIZE)?;
    Ok(CompiledModule { functions, scratch_size: lowered.scratch_size, stack_size })
}

/// Checks all functions by Cranelift's rules, once, which takes a small part of the time of compiling them.
///
/// # Errors
///
/// [`Error::Internal`]: lowering has made something out of a module that it should have refused.
pub fn verify(lowered: &LoweredModule, isa: &Isa) -> Result<()> {
    lowered.functions.iter().try_for_each(|function| {
        catching(&format!("verifying `{}`", function.name), || {
            cranelift_codegen::verify_function(&function.clif, &**isa.cranelift())
                .map_err(|errors| codegen_error(function, &CodegenError::Verifier(errors)))
        })
    })
}

/// Bytes of stack that functions take with all that they call.
struct Stacks<'f> {
    functions: &'f [CompiledFunction],
    frames: &'f [u64],
    known: Vec<Option<u64>>,
}

impl Stacks<'_> {
    /// Of the function at `index`. Lowering bounds how deep calls nest, and refuses recursion.
    fn of(&mut self, index: usize) -> u64 {
        if let Some(known) = self.known[index] {
            return known;
        }
        // Whatever leads back here is counted once.
        self.known[index] = Some(self.frames[index]);
        let mut callees = 0;
        for reloc in &self.functions[index].relocs {
            if let ModuleRelocTarget::User { index: callee, .. } = reloc.name
                && (callee as usize) < self.frames.len()
            {
                callees = callees.max(self.of(callee as usize));
            }
        }
        let sum = self.frames[index].saturating_add(callees);
        self.known[index] = Some(sum);
        sum
    }
}

/// Refuses frames that could overflow a thread's stack.
pub(crate) fn check_frame(function: &str, bytes: u64, most: u64) -> Result<()> {
    if bytes > most {
        return Err(Error::Limit(format!(
            "`{function}` needs {bytes} bytes of stack, at most {most} are allowed; use smaller arrays, smaller functions \
             or a smaller subgroup size"
        )));
    }
    Ok(())
}

thread_local! {
    /// Cranelift's working memory, kept from one function to the next: allocating it anew costs as much as compiling a
    /// small function.
    static CONTEXT: Cell<Option<Box<Context>>> = const { Cell::new(None) };
}

fn compile_function(
    function: &LoweredFunction,
    index: usize,
    count: usize,
    isa: &Isa,
    emit: Emit,
) -> Result<(CompiledFunction, u64)> {
    let mut context = CONTEXT.take().unwrap_or_else(|| Box::new(Context::new()));
    context.func = function.clif.clone();
    context.set_disasm(emit == Emit::Asm);
    let isa = isa.for_function(&function.clif);
    let compiled = context.compile(isa, &mut ControlPlane::default()).map_err(|e| codegen_error(function, &e.inner))?;
    let buffer = &compiled.buffer;
    // What lies above the frame pointer, and what is passed on the stack, is small.
    let frame = 64 + u64::from(buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset));
    check_frame(&function.name, frame, MAX_STACK_SIZE)?;
    let minimum = u64::from(isa.function_alignment().minimum).max(isa.symbol_alignment());
    let relocs: Result<Vec<_>> =
        buffer.relocs().iter().map(|reloc| module_reloc(reloc, &function.clif, index, count)).collect();
    let result = CompiledFunction {
        name: function.name.clone(),
        bytes: compiled.code_buffer().to_vec(),
        align: u64::from(buffer.alignment).max(minimum),
        relocs: relocs?,
        asm: compiled.vcode.clone(),
    };
    // A context that met an error or a panic is not put back.
    context.clear();
    CONTEXT.set(Some(context));
    Ok((result, frame))
}

fn codegen_error(function: &LoweredFunction, error: &CodegenError) -> Error {
    match error {
        CodegenError::Verifier(errors) => {
            let all: Vec<_> = errors.0.iter().map(ToString::to_string).collect();
            Error::Internal(format!("Cranelift's verifier rejects `{}`: {}", function.name, all.join("; ")))
        }
        CodegenError::ImplLimitExceeded | CodegenError::CodeTooLarge => {
            Error::Limit(format!("`{}` is too large for the code generator ({error})", function.name))
        }
        CodegenError::Unsupported(what) => {
            Error::Internal(format!("Cranelift has no code for an instruction of `{}`: {what}", function.name))
        }
        other => Error::Codegen { function: function.name.clone(), what: other.to_string() },
    }
}

/// Translates a relocation, and refuses those that linking could not resolve.
fn module_reloc(reloc: &FinalizedMachReloc, function: &Function, index: usize, count: usize) -> Result<ModuleReloc> {
    let unresolved = |what: String| Error::Internal(format!("the code refers to {what}, which no kernel may need"));
    let name = match &reloc.target {
        FinalizedRelocTarget::Func(offset) => {
            ModuleRelocTarget::FunctionOffset(FuncId::from_u32(index as u32), *offset)
        }
        FinalizedRelocTarget::ExternalName(ExternalName::User(reference)) => {
            match function.params.user_named_funcs().get(*reference) {
                Some(name) if name.namespace == 0 && (name.index as usize) < count => {
                    ModuleRelocTarget::user(name.namespace, name.index)
                }
                Some(name) => return Err(unresolved(format!("function u{}:{}", name.namespace, name.index))),
                None => return Err(unresolved(format!("{reference:?}"))),
            }
        }
        FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call)) => {
            return Err(unresolved(format!("the library function {call}")));
        }
        FinalizedRelocTarget::ExternalName(other) => return Err(unresolved(format!("{other:?}"))),
    };
    Ok(ModuleReloc { offset: reloc.offset, kind: reloc.kind, name, addend: reloc.addend })
}
