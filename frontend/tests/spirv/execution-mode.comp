// Execution modes with literals; several with one number; one that is given twice.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 32);
spirv_execution_mode(capabilities = [9], 4459, 16);
spirv_execution_mode(4459, 32);
spirv_execution_mode(capabilities = [4466], 4461, 32);
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::execution_mode(4459, 32)]] [[spirv::extension("SPV_KHR_float_controls"), spirv::capability(DenormPreserve)]];
[[spirv::execution_mode(4459, 8 + 8), spirv::capability(Float16)]]
[[spirv::execution_mode(4459, 32)]];
[[spirv::execution_mode(4461, 32)]] [[spirv::capability(SignedZeroInfNanPreserve)]]
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
