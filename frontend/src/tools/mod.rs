//! Validation, assembly and disassembly of SPIR-V by SPIRV-Tools, which the library that shaderc links holds anyway.
//!
//! In and out: words in the machine's byte order, and text in SPIRV-Tools' assembly syntax.

mod ffi;

use crate::stack::with_big_stack;
use crate::{Error, Optimize, Result, SpirvVersion, TargetEnv, spirv};
use ffi::{
    SpvBinary, SpvContext, SpvDiagnostic, SpvOptimizer, SpvOptimizerOptions, SpvPosition, SpvText, SpvValidatorOptions,
};
use std::ffi::{CStr, CString};
use std::ptr::{self, NonNull};

/// Defines an owner of an object of SPIRV-Tools that calls its destructor.
macro_rules! owner {
    ($name:ident, $raw:ident, $destroy:ident) => {
        struct $name(NonNull<$raw>);

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the pointer came from SPIRV-Tools' matching constructor and is destroyed once, here.
                unsafe { ffi::$destroy(self.0.as_ptr()) }
            }
        }
    };
}

owner!(Context, SpvContext, spvContextDestroy);
owner!(ValidatorOptions, SpvValidatorOptions, spvValidatorOptionsDestroy);
owner!(Binary, SpvBinary, spvBinaryDestroy);
owner!(Text, SpvText, spvTextDestroy);
owner!(Optimizer, SpvOptimizer, spvOptimizerDestroy);
owner!(OptimizerOptions, SpvOptimizerOptions, spvOptimizerOptionsDestroy);
owner!(DiagnosticBox, SpvDiagnostic, spvDiagnosticDestroy);

/// What the standard leaves to a device's features, and we accept.
const ACCEPTED: &[ffi::SetOption] = &[
    ffi::spvValidatorOptionsSetUniformBufferStandardLayout,
    ffi::spvValidatorOptionsSetScalarBlockLayout,
    ffi::spvValidatorOptionsSetWorkgroupScalarBlockLayout,
    ffi::spvValidatorOptionsSetAllowLocalSizeId,
    ffi::spvValidatorOptionsSetAllowOffsetTextureOperand,
    ffi::spvValidatorOptionsSetAllowVulkan32BitBitwise,
];

fn no_memory(what: &str) -> Error {
    Error::Internal(format!("SPIRV-Tools cannot create {what}"))
}

impl Context {
    /// A context for an environment by SPIRV-Tools' name for it.
    fn new(name: &str) -> Result<Context> {
        let unknown = || Error::Internal(format!("SPIRV-Tools does not know the environment `{name}`"));
        let c_name = CString::new(name).map_err(|_| unknown())?;
        let mut env = 0;
        // SAFETY: both pointers are valid for the call, and the name ends with a NUL byte.
        if !unsafe { ffi::spvParseTargetEnv(c_name.as_ptr(), &mut env) } {
            return Err(unknown());
        }
        // SAFETY: `env` is a value that SPIRV-Tools returned.
        let context = unsafe { ffi::spvContextCreate(env) };
        NonNull::new(context).map(Context).ok_or_else(|| no_memory("a context"))
    }
}

/// Where something is wrong and what, as SPIRV-Tools puts it.
fn take(diagnostic: *mut SpvDiagnostic, result: ffi::SpvResult) -> (SpvPosition, String) {
    let start = SpvPosition { line: 0, column: 0, index: 0 };
    let Some(diagnostic) = NonNull::new(diagnostic).map(DiagnosticBox) else {
        return (start, format!("SPIRV-Tools gives no reason (result {result})"));
    };
    // SAFETY: SPIRV-Tools returned the pointer, and it stays valid until the box is dropped.
    let found = unsafe { diagnostic.0.as_ref() };
    let text = match found.error.is_null() {
        true => String::new(),
        // SAFETY: not null, so it is the C string that belongs to the diagnostic.
        false => unsafe { CStr::from_ptr(found.error) }.to_string_lossy().trim_end().to_string(),
    };
    (found.position, text)
}

/// Checks a module by the rules of `env`, with SPIRV-Tools' validator. Layouts and modes that a device may support or
/// not (scalar block layout, `LocalSizeId` …) are accepted.
///
/// # Errors
/// [`Error::InvalidSpirv`] where the words are no module, [`Error::Validation`] where the module breaks a rule.
pub fn validate(words: &[u32], env: TargetEnv) -> Result<()> {
    spirv::check_words(words)?;
    with_big_stack(|| {
        let context = Context::new(env.name())?;
        // SAFETY: the function has no preconditions.
        let options = NonNull::new(unsafe { ffi::spvValidatorOptionsCreate() }).map(ValidatorOptions);
        let options = options.ok_or_else(|| no_memory("validator options"))?;
        for set in ACCEPTED {
            // SAFETY: the options are alive.
            unsafe { set(options.0.as_ptr(), true) };
        }
        let binary = ffi::SpvConstBinary { code: words.as_ptr(), word_count: words.len() };
        let mut diagnostic = ptr::null_mut();
        // SAFETY: context and options are alive, `binary` describes `words`, `diagnostic` takes an owned object.
        let result =
            unsafe { ffi::spvValidateWithOptions(context.0.as_ptr(), options.0.as_ptr(), &binary, &mut diagnostic) };
        let (_, what) = take(diagnostic, result);
        if result == ffi::SPV_SUCCESS {
            return Ok(());
        }
        Err(Error::Validation { environment: env.name().to_string(), what })
    })?
}

/// Assembles text in SPIRV-Tools' syntax into a module of `version`. Numeric ids keep their numbers.
///
/// # Errors
/// [`Error::Assembly`] with the place in the text, which is called `file_name`; [`Error::InvalidSpirv`] where ids exceed
/// the limit.
pub fn assemble(text: &str, file_name: &str, version: SpirvVersion) -> Result<Vec<u32>> {
    with_big_stack(|| {
        let context = Context::new(version.name())?;
        let mut binary = ptr::null_mut();
        let mut diagnostic = ptr::null_mut();
        // SAFETY: the context is alive, `text` is readable for its length, and the two outputs take owned objects.
        let result = unsafe {
            ffi::spvTextToBinaryWithOptions(
                context.0.as_ptr(),
                text.as_ptr().cast(),
                text.len(),
                ffi::PRESERVE_NUMERIC_IDS,
                &mut binary,
                &mut diagnostic,
            )
        };
        let binary = NonNull::new(binary).map(Binary);
        let (position, what) = take(diagnostic, result);
        if let (ffi::SPV_SUCCESS, Some(binary)) = (result, &binary) {
            // SAFETY: SPIRV-Tools succeeded, so the object holds `word_count` words until it is dropped.
            let words = unsafe {
                let binary = binary.0.as_ref();
                std::slice::from_raw_parts(binary.code, binary.word_count)
            };
            // The assembler lets numeric ids exceed the limit.
            spirv::check_words(words)?;
            return Ok(words.to_vec());
        }
        Err(Error::Assembly {
            file: file_name.to_string(),
            line: position.line as u32 + 1,
            column: position.column as u32 + 1,
            what,
            source_line: text.lines().nth(position.line).unwrap_or_default().to_string(),
        })
    })?
}

/// The name of the instruction `opcode`, without `Op`; `None` for one that SPIRV-Tools does not know.
pub(crate) fn opcode_name(opcode: u32) -> Option<&'static str> {
    // SAFETY: the function takes any number.
    let name = unsafe { ffi::spvOpcodeString(opcode) };
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so it is a C string of a static table.
    let name: &'static CStr = unsafe { CStr::from_ptr(name) };
    name.to_str().ok().filter(|name| *name != "unknown")
}

/// The number of the capability `name`; `None` where there is none of that name.
pub(crate) fn capability(name: &str) -> Option<u32> {
    let is_identifier = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_identifier {
        return None;
    }
    let words = assemble(&format!("OpCapability {name}\n"), "capability", SpirvVersion::V1_6).ok()?;
    words.last().copied()
}

/// Runs SPIRV-Tools' optimiser over a valid module, as shaderc does after glslang.
pub(crate) fn optimize(words: &[u32], level: Optimize, version: SpirvVersion) -> Result<Vec<u32>> {
    let register = match level {
        Optimize::None => return Ok(words.to_vec()),
        Optimize::Size => ffi::spvOptimizerRegisterSizePasses,
        Optimize::Performance => ffi::spvOptimizerRegisterPerformancePasses,
    };
    spirv::check_words(words)?;
    with_big_stack(|| {
        let env = CString::new(version.name()).map_err(|_| no_memory("name"))?;
        let mut number = 0;
        // SAFETY: `env` is a C string and `number` takes the answer.
        let known = unsafe { ffi::spvParseTargetEnv(env.as_ptr(), &mut number) };
        if !known {
            return Err(Error::Internal(format!("SPIRV-Tools does not know {version}")));
        }
        // SAFETY: the functions have no preconditions.
        let (optimizer, options) = unsafe { (ffi::spvOptimizerCreate(number), ffi::spvOptimizerOptionsCreate()) };
        let optimizer = NonNull::new(optimizer).map(Optimizer).ok_or_else(|| no_memory("optimiser"))?;
        let options = NonNull::new(options).map(OptimizerOptions).ok_or_else(|| no_memory("optimiser's options"))?;
        let mut binary = ptr::null_mut();
        // SAFETY: optimiser and options are alive, `words` is readable for its length, and `binary` takes an owned object.
        let result = unsafe {
            register(optimizer.0.as_ptr());
            ffi::spvOptimizerOptionsSetRunValidator(options.0.as_ptr(), false);
            ffi::spvOptimizerRun(optimizer.0.as_ptr(), words.as_ptr(), words.len(), &mut binary, options.0.as_ptr())
        };
        match NonNull::new(binary).map(Binary).filter(|_| result == ffi::SPV_SUCCESS) {
            // SAFETY: SPIRV-Tools succeeded, so the object holds `word_count` words until it is dropped.
            Some(binary) => Ok(unsafe {
                let binary = binary.0.as_ref();
                std::slice::from_raw_parts(binary.code, binary.word_count).to_vec()
            }),
            None => Err(Error::Internal(format!("SPIRV-Tools cannot optimise a valid module (result {result})"))),
        }
    })?
}

/// The module as text in SPIRV-Tools' assembly syntax, with names where `OpName` gives them.
///
/// # Errors
/// [`Error::InvalidSpirv`] at the first instruction that SPIRV-Tools cannot read.
pub fn disassemble(words: &[u32]) -> Result<String> {
    spirv::check_words(words)?;
    with_big_stack(|| {
        let context = Context::new(SpirvVersion::V1_6.name())?;
        let mut text = ptr::null_mut();
        let mut diagnostic = ptr::null_mut();
        // SAFETY: the context is alive, `words` is readable for its length, and the two outputs take owned objects.
        let result = unsafe {
            ffi::spvBinaryToText(
                context.0.as_ptr(),
                words.as_ptr(),
                words.len(),
                ffi::INDENT | ffi::FRIENDLY_NAMES,
                &mut text,
                &mut diagnostic,
            )
        };
        let text = NonNull::new(text).map(Text);
        let (position, what) = take(diagnostic, result);
        if let (ffi::SPV_SUCCESS, Some(text)) = (result, &text) {
            // SAFETY: SPIRV-Tools succeeded, so the object holds `length` bytes until it is dropped.
            let bytes = unsafe {
                let text = text.0.as_ref();
                std::slice::from_raw_parts(text.text.cast::<u8>(), text.length)
            };
            return Ok(String::from_utf8_lossy(bytes).into_owned());
        }
        Err(Error::InvalidSpirv { offset: position.index * 4, what })
    })?
}
