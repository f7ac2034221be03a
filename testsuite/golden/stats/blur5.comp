// Clamped neighbours: contiguous away from the border.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=16, local_size_y=16) in;
layout(set=0,binding=0,std430) readonly buffer I { float src[]; };
layout(set=0,binding=1,std430) writeonly buffer O { float dst[]; };
layout(push_constant) uniform PC { int w; int h; } pc;
const float K[5] = float[5](0.0625, 0.25, 0.375, 0.25, 0.0625);
void main(){
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= pc.w || y >= pc.h) return;
  float s = 0.0;
  for (int dy = -2; dy <= 2; ++dy) {
    int yy = clamp(y + dy, 0, pc.h - 1);
    for (int dx = -2; dx <= 2; ++dx) {
      int xx = clamp(x + dx, 0, pc.w - 1);
      s += K[dx+2] * K[dy+2] * src[yy*pc.w + xx];
    }
  }
  dst[y*pc.w + x] = s;
}

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 286
// helper instructions: 45
// blocks: 29
// contiguous accesses: 2
// transposed accesses: 0
// uniform accesses: 2
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 1
// code bytes: 2202
