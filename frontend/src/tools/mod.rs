//! Validation, assembly and disassembly of SPIR-V by SPIRV-Tools, which the library that shaderc links holds anyway.
//!
//! In and out: words in the machine's byte order, and text in SPIRV-Tools' assembly syntax.

mod ffi;

use crate::stack::with_big_stack;
use crate::{Error, Result, SpirvVersion, TargetEnv, spirv};
use ffi::{SpvBinary, SpvContext, SpvDiagnostic, SpvPosition, SpvText, SpvValidatorOptions};
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
