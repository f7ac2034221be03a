// There is no shader clock.
// error: ReadClockKHR is not supported: there is no shader clock
#version 450
#extension GL_EXT_shader_realtime_clock : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { o[gl_GlobalInvocationID.x] = clockRealtime2x32EXT().x; }
