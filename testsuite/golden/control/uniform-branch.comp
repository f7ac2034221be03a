// A condition on push constants stays a branch; what is varying inside is masked.
// emit: stats ir
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(push_constant) uniform P { uint mode; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (mode == 1u) o[i] = i; else if (mode == 2u) { if (i < 3u) o[i] = 50u; }
}

// run:
// push u32 1
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 0 1 2 3 4 5 6 7
// run:
// push u32 2
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 50 50 50 9 9 9 9 9
// run:
// push u32 3
// buffer 0 0 u32 9*8
// expect 0 0 u32 exact 9*8

// ==== printed (cargo xtask bless) ====
// ---- stats
// kernel instructions: 185
// helper instructions: 24
// blocks: 24
// contiguous accesses: 2
// transposed accesses: 0
// uniform accesses: 1
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 1
// code bytes: 1331
// ---- ir
// module 1.6
// capability Shader
// struct $P { mode: u32 offset 0 } block
// struct $O { o: array<u32, stride 4> offset 0 } block
// global @gl_GlobalInvocationID: ptr<Input, u32x3> builtin GlobalInvocationId
// global @#1: ptr<PushConstant, $P>
// global @#2: ptr<StorageBuffer, $O> set 0 binding 0
// entry GLCompute "main" @main interface (@gl_GlobalInvocationID, @#1, @#2) local_size 8 1 1
//
// func @main() -> void {
//   %0: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0
//   %1: u32 = Load %0
//   %2: ptr<PushConstant, u32> = AccessChain @#1, i32 0
//   %3: u32 = Load %2
//   %4: bool = IEqual %3, u32 1
//   selection ^sel0 (%4)
//     then = {
//       %5: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %1
//       Store %5, %1
//       merge
//     }
//     else = {
//       %6: bool = IEqual %3, u32 2
//       selection ^sel1 (%6)
//         then = {
//           %7: bool = ULessThan %1, u32 3
//           selection ^sel2 (%7)
//             then = {
//               %8: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %1
//               Store %8, u32 50
//               merge
//             }
//           merge
//         }
//       merge
//     }
//   return
// }
