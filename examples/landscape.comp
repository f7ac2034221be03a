// A landscape at dusk: layers of hills from value noise, a sun, and a lake that mirrors them. `picture.png` beside this
// file was drawn with it (in one line):
//
//     glslc2native run examples/landscape.comp --size 384,256,1 --push width=384 --push height=256
//         --bind 0:0=u32*98304 --out 0:0=rgba8:384x256:examples/picture.png
#version 450
layout(local_size_x = 16, local_size_y = 16) in;

// Pixels as 0xAABBGGRR, row by row.
layout(set = 0, binding = 0, std430) writeonly buffer Picture { uint pixels[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
};

// A number in [0, 1) for each integer.
float random(float n) {
    uint h = uint(int(n)) * 0x9E3779B1u;
    h = (h ^ h >> 15) * 0x85EBCA6Bu;
    return float((h ^ h >> 13) >> 8) / 16777216.0;
}

float noise(float x) {
    float cell = floor(x);
    return mix(random(cell), random(cell + 1.0), smoothstep(0.0, 1.0, x - cell));
}

// Height of the hills of a layer above the horizon.
float ridge(float x, float layer) {
    float height = 0.0, size = 0.5, step_ = 2.5;
    for (int octave = 0; octave < 5; ++octave) {
        height += size * noise(x * step_ + layer * 37.0);
        size *= 0.5;
        step_ *= 2.0;
    }
    return height * (0.42 - 0.1 * layer) - 0.05 * layer;
}

vec3 view(vec2 p) {
    vec3 colour = mix(vec3(0.98, 0.62, 0.35), vec3(0.20, 0.28, 0.52), smoothstep(0.0, 0.75, p.y));
    float sun = length(p - vec2(0.35, 0.30));
    colour = mix(colour, vec3(1.0, 0.86, 0.55), 0.6 / (1.0 + 30.0 * sun * sun));
    if (sun < 0.07) colour = vec3(1.0, 0.95, 0.8);
    for (float layer = 0.0; layer < 3.5; layer += 1.0) {
        if (p.y < ridge(p.x, layer)) {
            colour = mix(vec3(0.55, 0.42, 0.46), vec3(0.06, 0.08, 0.13), layer / 3.0) + 0.15 * p.y;
        }
    }
    return colour;
}

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= width || at.y >= height) return;
    // The horizon is two thirds down.
    vec2 p = vec2(float(at.x), float(height) * 0.66 - float(at.y)) / float(height);

    vec3 colour;
    if (p.y >= 0.0) {
        colour = view(p);
    } else {
        float wave = 0.02 * (noise(p.x * 30.0 + p.y * 90.0) - 0.5);
        colour = view(vec2(p.x + wave, -p.y * 1.1)) * vec3(0.62, 0.68, 0.80);
    }
    uvec3 c = uvec3(clamp(colour, 0.0, 1.0) * 255.0 + 0.5);
    pixels[at.y * width + at.x] = c.r | c.g << 8 | c.b << 16 | 0xff000000u;
}
