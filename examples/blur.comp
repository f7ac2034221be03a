// Blurs a picture with a tent filter. The picture's edge repeats.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;

// Pixels as 0xAABBGGRR, row by row.
layout(set = 0, binding = 0, std430) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint result[]; };

layout(push_constant) uniform Parameters {
    int width;
    int height;
    int radius;
};

vec3 unpack(uint pixel) {
    return vec3(float(pixel & 255u), float(pixel >> 8 & 255u), float(pixel >> 16 & 255u));
}

uint pack(vec3 colour) {
    uvec3 c = uvec3(colour + 0.5);
    return c.r | c.g << 8 | c.b << 16 | 0xff000000u;
}

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x >= width || p.y >= height) return;

    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int dy = -radius; dy <= radius; ++dy) {
        int row = clamp(p.y + dy, 0, height - 1) * width;
        for (int dx = -radius; dx <= radius; ++dx) {
            float weight = float((radius + 1 - abs(dx)) * (radius + 1 - abs(dy)));
            sum += weight * unpack(source[row + clamp(p.x + dx, 0, width - 1)]);
            weights += weight;
        }
    }
    result[p.y * width + p.x] = pack(sum / weights);
}
