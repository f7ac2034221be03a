// A GLSL error has file, line and column, and shows the line.
// error: glsl.comp:7:22
// error: o[0] = missing;
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 1) buffer O { uint o[]; };
void main() { o[0] = missing; }
