#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer Src { float data[]; } src;
layout(set = 0, binding = 1) writeonly buffer Dst { float data[]; } dst;
layout(push_constant) uniform Size { uvec2 size; };

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < size.x && at.y < size.y) dst.data[at.x * size.y + at.y] = src.data[at.y * size.x + at.x];
}
