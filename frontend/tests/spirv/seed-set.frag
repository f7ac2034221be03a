// The second example: number 12 of GLSL.std.450 is Degrees.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "GLSL.std.450", id = 12)
float inlineFastSqrt(float val);
layout(location = 0) in float i;
layout(location = 0) out float o;
void main() { o = inlineFastSqrt(i); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(set = "GLSL.std.450", id = 12)]]
float inlineFastSqrt(float val);
layout(location = 0) in float i;
layout(location = 0) out float o;
void main() { o = inlineFastSqrt(i); }
