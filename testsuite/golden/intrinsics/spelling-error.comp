// error: spelling-error.comp:6:33: error: 'missing' : undeclared identifier
// error: b[0] = add_(b[1], missing);
#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(binding = 0) buffer B { uint b[]; }; [[spirv::instruction(id = 128)]] uint add_(uint, uint);
void main() { b[0] = add_(b[1], missing); }
