// Storage classes of variables.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_storage_class(4) uint s[4];
spirv_storage_class(capabilities = [1], 6) float p;
layout(binding = 0) buffer B { uint b[]; };
void main() { s[1] = b[0]; p = 1.0; b[1] = s[1] + uint(p); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::storage_class(4)]] uint s[4];
[[spirv::storage_class(8 - 2), spirv::capability(Shader)]] float p;
layout(binding = 0) buffer B { uint b[]; };
void main() { s[1] = b[0]; p = 1.0; b[1] = s[1] + uint(p); }
