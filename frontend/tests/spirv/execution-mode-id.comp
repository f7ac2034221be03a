// Execution modes whose operands are constants.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(constant_id = 3) const uint X = 4u;
const uint Y = X + 1u;
spirv_execution_mode_id(38, X, Y, 2u);
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(constant_id = 3) const uint X = 4u;
const uint Y = X + 1u;
[[spirv::execution_mode_id(38, X, Y, 1u + 1u)]];
layout(binding = 0) buffer B { float b[]; };
void main() { b[0] *= 2.0; }
