// A counted loop.
// emit: ir-lifted
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint xs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rs[]; };
void main() {
  uint x = xs[gl_GlobalInvocationID.x];
  uint r = 0u;
  for (uint i = 0u; i < x; ++i) {
    r += i;
  }
  rs[gl_GlobalInvocationID.x] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0 1 2 3 4 5 6 7
// buffer 0 1 u32 0*8
// expect 0 1 u32 exact 0 0 1 3 6 10 15 21

// ==== printed (cargo xtask bless) ====
// ---- ir-lifted
// module 1.6
// capability Shader
// struct $In { xs: array<u32, stride 4> offset 0 non_writable } block
// struct $Out { rs: array<u32, stride 4> offset 0 non_readable } block
// global @gl_GlobalInvocationID: ptr<Input, u32x3> builtin GlobalInvocationId
// global @#1: ptr<StorageBuffer, $In> set 0 binding 0 non_writable
// global @#2: ptr<StorageBuffer, $Out> set 0 binding 1 non_readable
// entry GLCompute "main" @main interface (@#1, @gl_GlobalInvocationID, @#2) local_size 8 1 1
//
// func @main() -> void {
//   %0: ptr<Function, u32> = variable
//   %1: ptr<Function, u32> = variable
//   %2: ptr<Function, u32> = variable
//   %3: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %4: u32 = Load %3
//   %5: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %4
//   %6: u32 = Load %5
//   Store %0, %6
//   Store %1, u32 0
//   Store %2, u32 0
//   loop ^loop0
//     header = {
//       %7: u32 = Load %2
//       %8: u32 = Load %0
//       %9: bool = ULessThan %7, %8
//       condition %9
//     }
//     body = {
//       %10: u32 = Load %2
//       %11: u32 = Load %1
//       %12: u32 = IAdd %11, %10
//       Store %1, %12
//       fallthrough
//     }
//     continue = {
//       %13: u32 = Load %2
//       %14: u32 = IAdd %13, i32 1
//       Store %2, %14
//       reenter
//     }
//   %15: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %16: u32 = Load %15
//   %17: u32 = Load %1
//   %18: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %16
//   Store %18, %17
//   return
// }
