// A store by every invocation.
// emit: stats
// require: gathered loads: 0
// require: scattered stores: 0
#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0,std430) buffer A { uint a[]; };
void main(){ a[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x*3u+1u; }
