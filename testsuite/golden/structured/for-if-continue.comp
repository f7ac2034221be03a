// A loop with a continue under a condition.
// emit: ir-lifted
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint xs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rs[]; };
void main() {
  uint x = xs[gl_GlobalInvocationID.x];
  uint r = 0u;
  for (uint i = 0u; i < 10u; ++i) {
    if (i == x) {
      r += 50u;
      continue;
    }
    r += i;
  }
  rs[gl_GlobalInvocationID.x] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 0 1 2 3 4 5 6 7
// buffer 0 1 u32 0*8
// expect 0 1 u32 exact 95 94 93 92 91 90 89 88

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
//       %8: bool = ULessThan %7, u32 10
//       condition %8
//     }
//     body = {
//       %9: u32 = Load %2
//       %10: u32 = Load %0
//       %11: bool = IEqual %9, %10
//       selection ^sel1 (%11)
//         then = {
//           %12: u32 = Load %1
//           %13: u32 = IAdd %12, u32 50
//           Store %1, %13
//           continue ^loop0
//         }
//       %14: u32 = Load %2
//       %15: u32 = Load %1
//       %16: u32 = IAdd %15, %14
//       Store %1, %16
//       fallthrough
//     }
//     continue = {
//       %17: u32 = Load %2
//       %18: u32 = IAdd %17, i32 1
//       Store %2, %18
//       reenter
//     }
//   %19: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %20: u32 = Load %19
//   %21: u32 = Load %1
//   %22: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %20
//   Store %22, %21
//   return
// }
