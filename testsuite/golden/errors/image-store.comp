// What cannot be compiled is named with its line and the reason.
// error: image-store.comp:7
// error: is not supported:
#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D im;
void main() { imageStore(im, ivec2(0), vec4(1)); }
