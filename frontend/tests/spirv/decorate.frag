// Decorations of variables and members: with literals, ids and strings, and several with one number.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(5027);
spirv_decorate(extensions = ["SPV_EXT_shader_stencil_export"], capabilities = [5013], 11, 5014) out int stencil;
spirv_decorate_string(extensions = ["SPV_GOOGLE_hlsl_functionality1"], 5635, "TAG") spirv_decorate_string(5635, "MORE")
layout(location = 0) in flat int color;
layout(binding = 0) buffer Counter { uint counter; } x;
layout(binding = 1) spirv_decorate_id(5634, x) buffer Data {
  spirv_decorate(42) float a;
  spirv_decorate_string(5635, "M") spirv_decorate_string(5635, "N") float m;
} data;
spirv_decorate(30, 3) out float o;
void main() { stencil = color; o = data.a + data.m; x.counter = 1u; }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
[[spirv::execution_mode(5027)]]
[[spirv::decorate(11, 5014), spirv::extension("SPV_EXT_shader_stencil_export"), spirv::capability(StencilExportEXT)]] out int stencil;
[[spirv::decorate_string(5635, "TAG"), spirv::extension("SPV_GOOGLE_hlsl_functionality1")]] [[spirv::decorate_string(5635, "MORE")]]
layout(location = 0) in flat int color;
layout(binding = 0) buffer Counter { uint counter; } x;
layout(binding = 1) [[spirv::decorate_id(5634, x)]] buffer Data {
  [[spirv::decorate(42)]] float a;
  [[spirv::decorate_string(5635, "M"), spirv::decorate_string(5635, "N")]] float m;
} data;
[[spirv::decorate(30, 1 + 2)]] out float o;
void main() { stencil = color; o = data.a + data.m; x.counter = 1u; }
