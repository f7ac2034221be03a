// A loop with a varying exit.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=16, local_size_y=16) in;
layout(set=0,binding=0,std430) writeonly buffer O { uint o[]; };
layout(push_constant) uniform PC { uint w; uint h; uint maxit; float x0; float y0; float dx; float dy; } pc;
void main(){
  uvec2 g = gl_GlobalInvocationID.xy;
  if (g.x >= pc.w || g.y >= pc.h) return;
  float cx = pc.x0 + float(g.x)*pc.dx, cy = pc.y0 + float(g.y)*pc.dy;
  float zx = 0.0, zy = 0.0;
  uint it = 0u;
  while (it < pc.maxit) {
    float x2 = zx*zx, y2 = zy*zy;
    if (x2 + y2 > 4.0) break;
    zy = 2.0*zx*zy + cy;
    zx = x2 - y2 + cx;
    ++it;
  }
  o[g.y*pc.w + g.x] = it;
}

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 229
// helper instructions: 24
// blocks: 21
// contiguous accesses: 1
// transposed accesses: 0
// uniform accesses: 7
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 3
// code bytes: 2291
