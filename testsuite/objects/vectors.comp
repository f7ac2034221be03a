// Vectors at every distance from lane to lane, loaded and stored whole, gathered and scattered.
#version 450
layout(local_size_x = 32) in;

struct From { vec2 a; vec2 b; uint other; };
struct To { vec4 wide; vec2 pair; vec2 gathered; vec3 three; uint count; };

layout(std430, set = 0, binding = 0) readonly buffer Source { From from[]; };
layout(std430, set = 0, binding = 1) buffer Target { To to[]; };
layout(std430, set = 0, binding = 2) buffer Pairs { vec2 pairs[]; };
shared vec2 turned[32];

void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    turned[31 - l] = from[i].b;
    barrier();
    uint other = from[i].other;
    to[i].pair = from[i].a;
    to[i].gathered = from[other].b;
    to[i].wide = vec4(from[other].a, turned[l]);
    to[i].three = vec3(from[i].b.yx, float(other));
    if ((i & 1) != 0) to[other].count += 1;
    pairs[i] = pairs[i].yx + from[i].a;
}
