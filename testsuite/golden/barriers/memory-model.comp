// The Vulkan memory model: scopes and semantics of barriers, atomics and accesses.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) workgroupcoherent buffer O { uint o[]; };
layout(std430, binding = 1) devicecoherent buffer Q { uint q[]; };
layout(std430, binding = 2) nonprivate buffer R { uint r[]; };
shared uint s[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  s[l] = l;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  o[l] = s[63u - l];
  memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  q[l] += 1u;
  r[l] += atomicAdd(q[66], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease) * 0u + 2u;
  atomicStore(q[65], 5u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  o[l] += atomicLoad(q[65], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0*64
// buffer 0 1 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 0 0 0
// buffer 0 2 u32 2*64
// expect 0 0 u32 exact 68 67 66 65 64 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5
// expect 0 1 u32 exact 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 0 5 64
// expect 0 2 u32 exact 4*64
