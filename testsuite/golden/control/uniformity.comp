// What is uniform stays scalar, and what varies says why: each kind of cause once.
// emit: analysis
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint constant = 3u * 5u;
  uint dispatch = n + constant;
  uint workgroup = gl_WorkGroupID.x * dispatch;
  uint varying_ = i * i;
  uint sum = 0u;
  for (uint k = 0u; k < dispatch; ++k) sum += x[k];
  uint steps = 0u;
  while (steps < (varying_ & 7u)) ++steps;
  uint merged = workgroup > 20u ? x[workgroup] : 1u;
  if (varying_ > 30u) merged += sum;
  o[i] = merged + steps;
}

// dispatch = 17: the sum of 0..9 is 45, further elements are 0. Workgroup 1: 17 <= 20, so merged is 1 there too.
// run:
// groups 2 1 1
// push u32 2
// buffer 0 0 u32 0..10
// buffer 0 1 u32 x18
// expect 0 1 u32 exact 1 2 5 2 1 2 50 47 46 47 50 47 46 47 50 47 46 47

// ==== printed (cargo xtask bless) ====
// ---- analysis
// func @main() -> void {
//   %0: ptr<Input, u32> = AccessChain @gl_GlobalInvocationID, u32 0  ; constant
//   %1: u32 = Load %0  ; affine(1), as @gl_GlobalInvocationID
//   %2: ptr<PushConstant, u32> = AccessChain @#1, i32 0  ; constant
//   %3: u32 = Load %2  ; dispatch, as %2
//   %4: u32 = IAdd %3, u32 15  ; dispatch, as %3
//   %5: ptr<Input, u32> = AccessChain @gl_WorkGroupID, u32 0  ; constant
//   %6: u32 = Load %5  ; workgroup, as @gl_WorkGroupID
//   %7: u32 = IMul %4, %6  ; workgroup, as %6
//   %8: u32 = IMul %1, %1  ; varying, as %1
//   %9: u32 = loop ^loop0  ; subgroup, as %10
//     header (%10: u32 = u32 0, %11: u32 = u32 0) = {  ; subgroup, as %16; dispatch, as u32 0
//       %12: bool = ULessThan %11, %4  ; dispatch, as %4
//       condition %12 exit (%10)
//     }
//     body = {
//       %13: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %11  ; dispatch
//       %14: u32 = Load %13  ; subgroup, read from memory that the shader may write
//       %15: u32 = IAdd %14, %10  ; subgroup, as %14
//       fallthrough (%15)
//     }
//     continue (%16: u32) = {  ; subgroup, as %15
//       %17: u32 = IAdd %11, i32 1  ; dispatch, as %11
//       reenter (%16, %17)
//     }
//   %18: u32 = loop ^loop1  ; lanes come out of it apart, runs under a mask that shrinks; varying, since lanes leave ^loop1 apart
//     header (%19: u32 = u32 0) = {  ; subgroup, as %23
//       %20: u32 = BitwiseAnd %8, u32 7  ; varying, as %8
//       %21: bool = ULessThan %19, %20  ; varying, as %20
//       condition %21 exit (%19)
//     }
//     body = {
//       %22: u32 = IAdd %19, i32 1  ; subgroup, as %19
//       fallthrough (%22)
//     }
//     continue (%23: u32) = {  ; subgroup, as %22
//       reenter (%23)
//     }
//   %24: bool = UGreaterThan %7, u32 20  ; workgroup, as %7
//   %25: u32 = selection ^sel2 (%24)  ; subgroup, as %27
//     then = {
//       %26: ptr<StorageBuffer, u32> = AccessChain @#2, i32 0, %7  ; workgroup
//       %27: u32 = Load %26  ; subgroup, read from memory that the shader may write
//       merge (%27)
//     }
//     else = {
//       merge (u32 1)
//     }
//   %28: bool = UGreaterThan %8, u32 30  ; varying, as %8
//   %29: u32 = IAdd %9, %25  ; subgroup, as %25
//   %30: u32 = Select %28, %29, %25  ; varying, as %28
//   %31: u32 = IAdd %18, %30  ; varying, as %30
//   %32: ptr<StorageBuffer, u32> = AccessChain @#3, i32 0, %1  ; varying
//   Store %32, %31
//   return
// }
