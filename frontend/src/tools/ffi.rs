//! The part of SPIRV-Tools' C interface (`spirv-tools/libspirv.h`) that is used here. The functions are in the static
//! library that the `shaderc` crate links.

use std::ffi::{c_char, c_int};

/// `spv_result_t`: 0 is success.
pub type SpvResult = c_int;
pub const SPV_SUCCESS: SpvResult = 0;

/// `spv_target_env`, as [`spvParseTargetEnv`] returns it.
pub type SpvTargetEnv = c_int;

/// `SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS`.
pub const PRESERVE_NUMERIC_IDS: u32 = 1 << 1;
/// `SPV_BINARY_TO_TEXT_OPTION_INDENT`.
pub const INDENT: u32 = 1 << 3;
/// `SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES`.
pub const FRIENDLY_NAMES: u32 = 1 << 6;

/// `spv_context_t`.
#[repr(C)]
pub struct SpvContext {
    private: [u8; 0],
}

/// `spv_validator_options_t`.
#[repr(C)]
pub struct SpvValidatorOptions {
    private: [u8; 0],
}

/// `spv_optimizer_t`.
#[repr(C)]
pub struct SpvOptimizer {
    private: [u8; 0],
}

/// `spv_optimizer_options_t`.
#[repr(C)]
pub struct SpvOptimizerOptions {
    private: [u8; 0],
}

/// `spv_const_binary_t`.
#[repr(C)]
pub struct SpvConstBinary {
    pub code: *const u32,
    pub word_count: usize,
}

/// `spv_binary_t`.
#[repr(C)]
pub struct SpvBinary {
    pub code: *mut u32,
    pub word_count: usize,
}

/// `spv_text_t`.
#[repr(C)]
pub struct SpvText {
    pub text: *const c_char,
    pub length: usize,
}

/// `spv_position_t`, counted from 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpvPosition {
    pub line: usize,
    pub column: usize,
    pub index: usize,
}

/// `spv_diagnostic_t`.
#[repr(C)]
pub struct SpvDiagnostic {
    pub position: SpvPosition,
    pub error: *mut c_char,
    pub is_text_source: bool,
}

/// Signature of the setters of validator options.
pub type SetOption = unsafe extern "C" fn(*mut SpvValidatorOptions, bool);

#[allow(non_snake_case)]
unsafe extern "C" {
    pub fn spvParseTargetEnv(name: *const c_char, env: *mut SpvTargetEnv) -> bool;
    pub fn spvContextCreate(env: SpvTargetEnv) -> *mut SpvContext;
    pub fn spvContextDestroy(context: *mut SpvContext);
    pub fn spvValidatorOptionsCreate() -> *mut SpvValidatorOptions;
    pub fn spvValidatorOptionsDestroy(options: *mut SpvValidatorOptions);
    pub fn spvValidatorOptionsSetUniformBufferStandardLayout(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidatorOptionsSetScalarBlockLayout(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidatorOptionsSetWorkgroupScalarBlockLayout(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidatorOptionsSetAllowLocalSizeId(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidatorOptionsSetAllowOffsetTextureOperand(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidatorOptionsSetAllowVulkan32BitBitwise(options: *mut SpvValidatorOptions, value: bool);
    pub fn spvValidateWithOptions(
        context: *const SpvContext,
        options: *const SpvValidatorOptions,
        binary: *const SpvConstBinary,
        diagnostic: *mut *mut SpvDiagnostic,
    ) -> SpvResult;
    pub fn spvTextToBinaryWithOptions(
        context: *const SpvContext,
        text: *const c_char,
        length: usize,
        options: u32,
        binary: *mut *mut SpvBinary,
        diagnostic: *mut *mut SpvDiagnostic,
    ) -> SpvResult;
    pub fn spvBinaryToText(
        context: *const SpvContext,
        binary: *const u32,
        word_count: usize,
        options: u32,
        text: *mut *mut SpvText,
        diagnostic: *mut *mut SpvDiagnostic,
    ) -> SpvResult;
    pub fn spvOpcodeString(opcode: u32) -> *const c_char;
    pub fn spvOptimizerCreate(env: SpvTargetEnv) -> *mut SpvOptimizer;
    pub fn spvOptimizerDestroy(optimizer: *mut SpvOptimizer);
    pub fn spvOptimizerRegisterPerformancePasses(optimizer: *mut SpvOptimizer);
    pub fn spvOptimizerRegisterSizePasses(optimizer: *mut SpvOptimizer);
    pub fn spvOptimizerOptionsCreate() -> *mut SpvOptimizerOptions;
    pub fn spvOptimizerOptionsDestroy(options: *mut SpvOptimizerOptions);
    pub fn spvOptimizerOptionsSetRunValidator(options: *mut SpvOptimizerOptions, value: bool);
    pub fn spvOptimizerRun(
        optimizer: *mut SpvOptimizer,
        binary: *const u32,
        word_count: usize,
        optimized: *mut *mut SpvBinary,
        options: *const SpvOptimizerOptions,
    ) -> SpvResult;
    pub fn spvBinaryDestroy(binary: *mut SpvBinary);
    pub fn spvTextDestroy(text: *mut SpvText);
    pub fn spvDiagnosticDestroy(diagnostic: *mut SpvDiagnostic);
}
