// A decoration that decides about a result: BuiltIn (11) makes of a variable of class Input (1) a LocalInvocationId (27). The
// execution modes are SignedZeroInfNanPreserve (4461) and RoundingModeRTE (4462), which hold anyway.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_decorate(11, 27) spirv_storage_class(1) uvec3 local;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { o[gl_GlobalInvocationID.x] = 10u * gl_WorkGroupID.x + local.x; }

// run:
// groups 2 1 1
// buffer 0 0 u32 x8
// expect 0 0 u32 exact 0 1 2 3 10 11 12 13
