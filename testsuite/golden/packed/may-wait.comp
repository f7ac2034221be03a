// A loop around an atomic operation: one workgroup may wait for another, so that they must not run in lock-step. Here each
// waits for its turn.
// emit: stats remarks
// require: small workgroups are not packed into subgroups: a loop may wait for another workgroup: there are atomic, coherent or volatile accesses, or host functions
#version 450
layout(local_size_x=1) in;
layout(set=0,binding=0,std430) buffer T { uint turn; };
layout(set=0,binding=1,std430) buffer O { uint o[]; };
void main() {
  bool done = false;
  while (!done) {
    if (atomicAdd(turn, 0u) == gl_WorkGroupID.x) {
      o[gl_WorkGroupID.x] = gl_WorkGroupID.x * 7u;
      atomicAdd(turn, 1u);
      done = true;
    }
  }
}

// run:
// groups 9 1 1
// buffer 0 0 u32 0
// buffer 0 1 u32 x9
// expect 0 1 u32 exact 0 7 14 21 28 35 42 49 56

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 269
// helper instructions: 0
// blocks: 17
// contiguous accesses: 0
// transposed accesses: 0
// uniform accesses: 1
// gathered loads: 0
// scattered stores: 0
// atomics: 2
// lane by lane: 0
// masked constructs: 2
// code bytes: 1688
// ---- remarks
// small workgroups are not packed into subgroups: a loop may wait for another workgroup: there are atomic, coherent or volatile accesses, or host functions
