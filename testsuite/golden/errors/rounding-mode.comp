// An execution mode that would change results and is not done is an error: RoundingModeRTZ (4463) of 32-bit floats.
// error: execution mode RoundingModeRTZ is not supported: rounding is always to nearest even
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4468], 4463, 32);
layout(std430, binding = 0) buffer O { float o[]; };
void main() { o[gl_GlobalInvocationID.x] *= 0.1; }
