// Blocks of shared memory that alias.
// error: blocks of shared memory that alias are not done in this version
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 1) in;
shared Words { uint words[4]; };
shared Floats { float floats[4]; };
layout(set = 0, binding = 0) buffer Out { float value; };
void main() {
    words[0] = 0x3f800000u;
    value = floats[0];
}
