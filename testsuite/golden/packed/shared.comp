// Shared memory is one for each workgroup.
// emit: remarks
// require: small workgroups are not packed into subgroups: they have shared memory
#version 450
layout(local_size_x=2) in;
layout(set=0,binding=1,std430) buffer O { uint o[]; };
shared uint s[2];
void main() {
  s[gl_LocalInvocationID.x] = gl_GlobalInvocationID.x;
  barrier();
  o[gl_GlobalInvocationID.x] = s[1u - gl_LocalInvocationID.x];
}

// run:
// groups 5 1 1
// buffer 0 1 u32 x10
// expect 0 1 u32 exact 1 0 3 2 5 4 7 6 9 8

// ==== printed (cargo xtask bless) ====
// ---- remarks
// small workgroups are not packed into subgroups: they have shared memory
// shared.comp:11: gather: the index differs from lane to lane by no known distance
