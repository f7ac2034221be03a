#version 450
layout(local_size_x = 16) in;
layout(constant_id = 0) const int SCALE = 1;
layout(set = 0, binding = 0) readonly buffer Rows { float rows[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Row { uint columns; } row;
shared float parts[16];

void main() {
    uint i = gl_LocalInvocationIndex;
    float sum = 0.0;
    for (uint x = i; x < row.columns; x += 16) sum += rows[gl_WorkGroupID.x * row.columns + x];
    parts[i] = sum;
    barrier();
    for (uint half_ = 8; half_ > 0; half_ >>= 1) {
        if (i < half_) parts[i] += parts[i + half_];
        barrier();
    }
    if (i == 0) sums[gl_WorkGroupID.x] = float(SCALE) * parts[0];
}
