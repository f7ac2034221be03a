// A ray-marched scene: hills under a low sun, a lake that mirrors them, haze. Everything is a height field of noise, without
// a triangle or a texture.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;

// Pixels as 0xAABBGGRR, row by row.
layout(set = 0, binding = 0, std430) writeonly buffer Picture { uint pixels[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
};

const vec3 SUN = normalize(vec3(-0.55, 0.32, 0.75));
const float FAR = 60.0;
const float WATER = 0.0;

// A number from 0 to 1 for each point of a grid.
float hash(ivec2 p) {
    uint h = uint(p.x) * 374761393u + uint(p.y) * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return float((h ^ h >> 16) >> 8) / 16777216.0;
}

// Smooth noise.
float noise(vec2 p) {
    vec2 f = fract(p);
    ivec2 i = ivec2(floor(p));
    vec2 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    float low = mix(hash(i), hash(i + ivec2(1, 0)), u.x);
    float high = mix(hash(i + ivec2(0, 1)), hash(i + ivec2(1, 1)), u.x);
    return mix(low, high, u.y);
}

// Noise of several sizes, each turned against the last so that no grid shows.
float layers(vec2 p, int count) {
    const mat2 TURN = mat2(1.6, -1.2, 1.2, 1.6);
    float sum = 0.0;
    float weight = 0.5;
    for (int i = 0; i < count; ++i) {
        sum += weight * noise(p);
        weight *= 0.5;
        p = TURN * p;
    }
    return sum;
}

float ground(vec2 p, int detail) {
    float valley = clamp(abs(p.x - 0.4 * p.y * noise(p * 0.1)) * 0.2, 0.0, 1.0);
    return 3.6 * layers(p * 0.28, detail) - 1.95 + 1.3 * valley * valley;
}

// How far along the ray the ground is; FAR where it is not.
float march(vec3 from, vec3 way, int steps) {
    float t = 0.05;
    for (int i = 0; i < steps; ++i) {
        vec3 p = from + t * way;
        float gap = p.y - ground(p.xz, 6);
        if (gap < 0.002 * t) return t;
        t += 0.4 * gap + 0.002 * t;
        if (t > FAR || p.y > 3.5 && way.y > 0.0) break;
    }
    return FAR;
}

vec3 normalAt(vec2 p, float t) {
    float e = 0.002 + 0.001 * t;
    float x = ground(p + vec2(e, 0.0), 8) - ground(p - vec2(e, 0.0), 8);
    float z = ground(p + vec2(0.0, e), 8) - ground(p - vec2(0.0, e), 8);
    return normalize(vec3(-x, 2.0 * e, -z));
}

vec3 sky(vec3 way) {
    float up = max(way.y, 0.0);
    vec3 colour = mix(vec3(0.95, 0.72, 0.52), vec3(0.22, 0.42, 0.72), 1.0 - (1.0 - up) * (1.0 - up) * (1.0 - up));
    float near = max(dot(way, SUN), 0.0);
    float glow = near * near * near * near;
    colour += vec3(1.0, 0.5, 0.2) * 0.35 * glow * glow;
    if (near > 0.99985) colour = vec3(1.6, 1.4, 1.1);
    if (up > 0.01) {
        float clouds = layers(way.xz / way.y * 0.7 + vec2(3.0, 1.0), 5);
        colour = mix(colour, vec3(1.0, 0.86, 0.76), clamp((clouds - 0.46) * 3.0, 0.0, 0.8) * min(up * 5.0, 1.0));
    }
    return colour;
}

// Further things are hazier, and haze towards the sun is brighter.
vec3 haze(vec3 colour, vec3 way, float t) {
    float part = 1.0 - 1.0 / (1.0 + 0.0016 * t * t);
    float near = max(dot(way, SUN), 0.0);
    return mix(colour, mix(vec3(0.62, 0.66, 0.76), vec3(1.0, 0.76, 0.52), near * near * near), part);
}

vec3 land(vec3 p, vec3 way, float t) {
    vec3 normal = normalAt(p.xz, t);
    float patches = layers(p.xz * 3.0, 4);
    vec3 rock = mix(vec3(0.30, 0.26, 0.22), vec3(0.45, 0.40, 0.35), patches);
    vec3 grass = mix(vec3(0.16, 0.22, 0.07), vec3(0.30, 0.30, 0.10), patches);
    vec3 snow = vec3(0.90, 0.92, 0.96);
    vec3 colour = mix(rock, grass, smoothstep(0.72, 0.86, normal.y + 0.2 * (patches - 0.5)));
    colour = mix(colour, snow, smoothstep(0.95, 1.25, p.y + 0.6 * (patches - 0.5)) * smoothstep(0.5, 0.75, normal.y));
    colour = mix(vec3(0.42, 0.36, 0.26), colour, smoothstep(0.01, 0.08, p.y - WATER));
    float light = max(dot(normal, SUN), 0.0);
    if (light > 0.0 && march(p + 0.02 * normal, SUN, 48) < FAR) light = 0.0;
    vec3 lit = light * vec3(1.7, 1.25, 0.85) + (0.5 + 0.5 * normal.y) * vec3(0.26, 0.34, 0.46);
    return haze(colour * lit, way, t);
}

// What is seen along a ray, without water.
vec3 seen(vec3 from, vec3 way, int steps) {
    float t = march(from, way, steps);
    return t < FAR ? land(from + t * way, way, t) : haze(sky(way), way, 12.0 * (1.0 - max(way.y, 0.0)));
}

vec3 lake(vec3 p, vec3 way, float t) {
    vec2 ripple = vec2(noise(p.xz * vec2(9.0, 24.0)), noise(p.xz * vec2(11.0, 20.0) + 7.0)) - 0.5;
    vec3 normal = normalize(vec3(0.06 * ripple.x, 1.0, 0.06 * ripple.y));
    vec3 mirrored = reflect(way, normal);
    mirrored.y = abs(mirrored.y);
    float steep = 1.0 - max(dot(normal, -way), 0.0);
    float share = 0.04 + 0.96 * steep * steep * steep * steep * steep;
    vec3 deep = vec3(0.03, 0.08, 0.10);
    return haze(mix(deep, seen(p, mirrored, 64), clamp(share + 0.15, 0.0, 1.0)), way, t);
}

uint pack(vec3 colour) {
    // A curve that keeps highlights, then a square root in place of the display's exponent.
    colour = colour / (1.0 + 0.35 * colour);
    uvec3 c = uvec3(sqrt(clamp(colour, 0.0, 1.0)) * 255.0 + 0.5);
    return c.r | c.g << 8 | c.b << 16 | 0xff000000u;
}

void main() {
    uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= width || pixel.y >= height) return;

    vec2 screen = (vec2(pixel) + 0.5 - 0.5 * vec2(width, height)) / float(height);
    vec3 eye = vec3(0.0, 0.75, -6.0);
    vec3 way = normalize(vec3(screen.x, 0.02 - screen.y, 1.0));
    float t = march(eye, way, 160);
    float surface = way.y < 0.0 ? (WATER - eye.y) / way.y : FAR;
    vec3 colour;
    if (surface < t && surface < FAR) {
        colour = lake(eye + surface * way, way, surface);
    } else if (t < FAR) {
        colour = land(eye + t * way, way, t);
    } else {
        colour = haze(sky(way), way, 12.0 * (1.0 - max(way.y, 0.0)));
    }
    pixels[pixel.y * width + pixel.x] = pack(colour);
}
