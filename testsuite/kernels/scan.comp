#version 450
layout(local_size_x=256) in;
layout(set=0,binding=0,std430) readonly buffer X { uint x[]; };
layout(set=0,binding=1,std430) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform PC { uint n; } pc;
shared uint s[256];
void main(){
  uint gid = gl_GlobalInvocationID.x, lid = gl_LocalInvocationID.x;
  uint sum = gid < pc.n ? x[gid] : 0u;
  s[lid] = sum;
  barrier();
  for (uint d = 1u; d < 256u; d <<= 1) {
    uint before = lid >= d ? s[lid - d] : 0u;
    barrier();
    sum += before;
    s[lid] = sum;
    barrier();
  }
  if (gid < pc.n) y[gid] = sum;
}
