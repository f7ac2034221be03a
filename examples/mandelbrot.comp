// The Mandelbrot set, one pixel an invocation. Neighbours leave the loop at different times, so this is what masks and
// loops with varying exits are for.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;

// Pixels as 0xAABBGGRR, row by row.
layout(set = 0, binding = 0, std430) writeonly buffer Picture { uint pixels[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
    uint iterations;
};

// A colour from three bumps along t, black at both ends.
vec3 palette(float t) {
    float u = 1.0 - t;
    return vec3(9.0 * u * t * t * t, 15.0 * u * u * t * t, 8.5 * u * u * u * t);
}

uint pack(vec3 colour) {
    uvec3 c = uvec3(clamp(colour, 0.0, 1.0) * 255.0 + 0.5);
    return c.r | c.g << 8 | c.b << 16 | 0xff000000u;
}

void main() {
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x >= width || p.y >= height) return;

    float scale = 2.5 / float(height);
    vec2 c = (vec2(p) - vec2(width, height) * 0.5) * scale - vec2(0.7, 0.0);
    vec2 z = vec2(0.0);
    uint i = 0u;
    while (i < iterations) {
        vec2 squares = z * z;
        if (squares.x + squares.y > 4.0) break;
        z = vec2(squares.x - squares.y, 2.0 * z.x * z.y) + c;
        ++i;
    }

    // The square root spreads the colours where few iterations tell points apart.
    float t = i == iterations ? 1.0 : sqrt(float(i) / float(iterations));
    pixels[p.y * width + p.x] = pack(palette(t));
}
