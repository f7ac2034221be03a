// for, while and do-while with break and continue, under varying conditions.
// emit: ir
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, n = x[i], s = 0u;
  for (uint k = 0u; k < n; ++k) {
    if (k == 3u) continue;
    if (k == 6u) break;
    s += k;
  }
  while (s > 9u) s -= 4u;
  do { s = s * 2u + 1u; } while (s < n);
  o[i] = s;
}

// for: 0, 0+1, 0+1+2, 0+1+2+4, 0+1+2+4+5; while: down to at most 9; do: doubled once, or until n.
// run:
// groups 2 1 1
// buffer 0 0 u32 0 2 3 5 8 100
// buffer 0 1 u32 x8
// expect 0 1 u32 exact 1 3 7 15 17 143 1 1

// ==== printed (cargo xtask bless) ====
// ---- ir
// module 1.6
// capability Shader
// struct $X { x: array<u32, stride 4> offset 0 non_writable } block
// struct $O { o: array<u32, stride 4> offset 0 } block
// global @gl_GlobalInvocationID: ptr<Input, u32x3> builtin GlobalInvocationId
// global @#1: ptr<StorageBuffer, $X> set 0 binding 0 non_writable
// global @#2: ptr<StorageBuffer, $O> set 0 binding 1
// entry GLCompute "main" @main interface (@gl_GlobalInvocationID, @#1, @#2) local_size 4 1 1
//
// func @main() -> void {
//   %0: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %1: u32 = Load %0
//   %2: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %1
//   %3: u32 = Load %2
//   %4: u32 = loop ^loop0
//     header (%5: u32 = u32 0, %6: u32 = u32 0) = {
//       %7: bool = ULessThan %6, %3
//       condition %7 exit (%5)
//     }
//     body = {
//       %8: bool = IEqual %6, u32 3
//       %9: u32 = selection ^sel1 (%8)
//         then = {
//           merge (%5)
//         }
//         else = {
//           %10: bool = IEqual %6, u32 6
//           selection ^sel2 (%10)
//             then = {
//               break ^loop0 (%5)
//             }
//           %11: u32 = IAdd %5, %6
//           merge (%11)
//         }
//       fallthrough (%9)
//     }
//     continue (%12: u32) = {
//       %13: u32 = IAdd %6, i32 1
//       reenter (%12, %13)
//     }
//   %14: u32 = loop ^loop3
//     header (%15: u32 = %4) = {
//       %16: bool = UGreaterThan %15, u32 9
//       condition %16 exit (%15)
//     }
//     body = {
//       %17: u32 = ISub %15, u32 4
//       fallthrough (%17)
//     }
//     continue (%18: u32) = {
//       reenter (%18)
//     }
//   %19: u32 = loop ^loop4
//     header (%20: u32 = %14) = {
//       fallthrough
//     }
//     body = {
//       %21: u32 = IMul %20, u32 2
//       %22: u32 = IAdd %21, u32 1
//       fallthrough (%22)
//     }
//     continue (%23: u32) = {
//       %24: bool = ULessThan %23, %3
//       reenter_if %24 (%23) exit (%23)
//     }
//   %25: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %1
//   Store %25, %19
//   return
// }
