// Functions of GLSL by reference: writes come back.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
void set_(spirv_by_reference uint p, uint value);
void set_(spirv_by_reference uint p, uint value) { p = value; }
uint next_(inout spirv_by_reference uint p) { p++; return p; }
uint read_(const spirv_by_reference uint p) { return p; }
layout(binding = 0) buffer B { uint b[]; };
void main() {
  set_(b[0], 7u);
  b[1] = next_(b[0]) + read_(b[2]);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
void set_([[spirv::reference]] uint p, uint value);
void set_([[spirv::reference]] uint p, uint value) { p = value; }
uint next_(inout [[spirv::reference]] uint p) { p++; return p; }
uint read_(const [[spirv::reference]] uint p) { return p; }
layout(binding = 0) buffer B { uint b[]; };
void main() {
  set_(b[0], 7u);
  b[1] = next_(b[0]) + read_(b[2]);
}
