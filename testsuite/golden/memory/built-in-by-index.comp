// A component of a built-in that an index chooses lane by lane.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint c = gl_NumWorkGroups[gl_LocalInvocationIndex % 3u];
  if (c > 1u) o[i] = c;
}

// run:
// groups 2 1 3
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 2 0 3 2 0 3 2 0 3 2 0 3 2 0 3 2 0 3 2 0 3 2 0 3
