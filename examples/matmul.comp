// The product of two square matrices, tile by tile: a workgroup loads a tile of each into shared memory, and all of its
// invocations use all of both. `size` is a multiple of 16.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;

// Matrices row by row.
layout(set = 0, binding = 0, std430) readonly buffer Left { float left[]; };
layout(set = 0, binding = 1, std430) readonly buffer Right { float right[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Product { float product[]; };

layout(push_constant) uniform Parameters { uint size; };

const uint TILE = 16;
shared float leftTile[TILE][TILE];
shared float rightTile[TILE][TILE];

void main() {
    uvec2 local = gl_LocalInvocationID.xy;
    uvec2 p = gl_GlobalInvocationID.xy;
    float sum = 0.0;
    for (uint tile = 0u; tile < size; tile += TILE) {
        leftTile[local.y][local.x] = left[p.y * size + tile + local.x];
        rightTile[local.y][local.x] = right[(tile + local.y) * size + p.x];
        barrier();
        for (uint k = 0u; k < TILE; ++k) {
            sum += leftTile[local.y][k] * rightTile[k][local.x];
        }
        // Nobody overwrites a tile that others still read.
        barrier();
    }
    product[p.y * size + p.x] = sum;
}
