// A loop that lanes leave in five ways, with what they have counted until then.
#version 450
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint r = 0u, k = 0u, way = 0u;
  while (true) {
    if (!(k < 7u)) { way = 1u; break; }
    if ((i * k) % 5u == 4u) { way = 2u; break; }
    if (k == (i & 3u) + 2u && i % 3u == 0u) { o[i] = r * 10u + 9u; return; }
    ++k;
    if (((i >> k) & 1u) != 0u) continue;
    r += k;
    if (r > 9u) { way = 3u; break; }
  }
  o[i] = r * 100u + k * 10u + way;
}

// run:
// groups 2 1 1
// buffer 0 0 u32 0*24
// expect 0 0 u32 exact 39 1043 222 532 112 1353 742 22 332 112 1153 642 at 0
// expect 0 0 u32 exact 122 132 12 99 642 322 532 12 1563 49 22 332 at 48
