// Bodies that attract one another. A dispatch with `phase` 0 changes velocities by half a step of acceleration, with `phase`
// 1 it moves bodies by a step: kick, drift, kick is the leapfrog method, which keeps the energy.
#version 450
layout(local_size_x = 64) in;

// Position, and mass in w.
layout(set = 0, binding = 0, std430) buffer Bodies { vec4 bodies[]; };
// Velocity, and potential energy in w.
layout(set = 0, binding = 1, std430) buffer Motions { vec4 motions[]; };

layout(push_constant) uniform Parameters {
    uint count;
    uint phase;
    float step;
    // Keeps bodies that meet from being thrown away.
    float softening;
};

// Each workgroup loads 64 bodies at a time, and all of its invocations look at them.
shared vec4 near[64];

void kick() {
    uint i = gl_GlobalInvocationID.x;
    vec4 self = i < count ? bodies[i] : vec4(0.0);
    vec3 acceleration = vec3(0.0);
    float potential = 0.0;
    for (uint start = 0u; start < count; start += 64u) {
        uint j = start + gl_LocalInvocationID.x;
        near[gl_LocalInvocationID.x] = j < count ? bodies[j] : vec4(0.0);
        barrier();
        for (uint k = 0u; k < 64u; ++k) {
            vec4 other = near[k];
            vec3 way = other.xyz - self.xyz;
            float inverse = inversesqrt(dot(way, way) + softening * softening);
            acceleration += other.w * inverse * inverse * inverse * way;
            potential -= start + k == i ? 0.0 : other.w * inverse;
        }
        barrier();
    }
    if (i < count) motions[i] = vec4(motions[i].xyz + 0.5 * step * acceleration, self.w * potential);
}

void main() {
    if (phase == 0u) {
        kick();
    } else if (gl_GlobalInvocationID.x < count) {
        bodies[gl_GlobalInvocationID.x].xyz += step * motions[gl_GlobalInvocationID.x].xyz;
    }
}
