// Prefix sums of blocks of 512 numbers, in place, and the sum of each block: an element becomes the sum of those before it
// and itself. Larger arrays take several dispatches: scan the blocks, scan their sums, then (`add` = 1) add to each block
// the sum of those before it.
#version 450
layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer Data { uint data[]; };
layout(set = 0, binding = 1, std430) buffer Sums { uint sums[]; };

layout(push_constant) uniform Parameters { uint add; };

// The sums of pairs, then of fours, eights …: Hillis and Steele's scan, with one barrier a step as it reads one half and
// writes the other.
shared uint pairs[2][256];

void scanBlock() {
    uint local = gl_LocalInvocationID.x;
    uint at = gl_WorkGroupID.x * 512u + local * 2u;
    uint count = data.length();
    uint first = at < count ? data[at] : 0u;
    uint second = at + 1u < count ? data[at + 1u] : 0u;

    pairs[0][local] = first + second;
    barrier();
    uint from = 0u;
    for (uint step = 1u; step < 256u; step *= 2u) {
        uint before = local >= step ? pairs[from][local - step] : 0u;
        pairs[1u - from][local] = pairs[from][local] + before;
        barrier();
        from = 1u - from;
    }

    uint end = pairs[from][local];
    if (at < count) data[at] = end - second;
    if (at + 1u < count) data[at + 1u] = end;
    if (local == 255u) sums[gl_WorkGroupID.x] = end;
}

void main() {
    if (add == 0u) {
        scanBlock();
    } else if (gl_WorkGroupID.x > 0u) {
        uint at = gl_WorkGroupID.x * 512u + gl_LocalInvocationID.x;
        uint before = sums[gl_WorkGroupID.x - 1u];
        if (at < data.length()) data[at] += before;
        if (at + 256u < data.length()) data[at + 256u] += before;
    }
}
