// A loop with its test in the header.
// emit: ir-lifted
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint xs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rs[]; };
void main() {
  uint x = xs[gl_GlobalInvocationID.x];
  uint r = 0u;
  while (r * r < x) {
    r += 2u;
  }
  rs[gl_GlobalInvocationID.x] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0 1 2 3 4 5 6 7
// buffer 0 1 u32 0*8
// expect 0 1 u32 exact 0 2 2 2 2 4 4 4

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
//   %2: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %3: u32 = Load %2
//   %4: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %3
//   %5: u32 = Load %4
//   Store %0, %5
//   Store %1, u32 0
//   loop ^loop0
//     header = {
//       %6: u32 = Load %1
//       %7: u32 = Load %1
//       %8: u32 = IMul %6, %7
//       %9: u32 = Load %0
//       %10: bool = ULessThan %8, %9
//       condition %10
//     }
//     body = {
//       %11: u32 = Load %1
//       %12: u32 = IAdd %11, u32 2
//       Store %1, %12
//       fallthrough
//     }
//     continue = {
//       reenter
//     }
//   %13: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %14: u32 = Load %13
//   %15: u32 = Load %1
//   %16: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %14
//   Store %16, %15
//   return
// }
