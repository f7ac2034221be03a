// What votes, ballots, reductions and broadcasts give is one value for the subgroup: branches on it stay branches, loads
// at it are of one scalar. Scans and shuffles differ from lane to lane.
// emit: analysis
// emit: stats
// require: masked constructs: 0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  uint v = o[l];
  uint sum = subgroupAdd(v);
  uint before = subgroupExclusiveAdd(v);
  uint other = subgroupShuffleXor(v, 1u);
  uint count = subgroupBallotBitCount(subgroupBallot(v > 3u));
  uint r = before + other;
  if (subgroupAny(v == 5u)) r += o[sum & 7u];
  for (uint i = 0u; i < count; ++i) r = r * 3u + subgroupBroadcast(v, 2u);
  o[8u + l] = r;
}

// run:
// groups 1 1 1
// buffer 0 0 u32 1 2 3 4 5 6 7 8 0*8
// expect[w=8] 0 0 u32 exact 1 2 3 4 5 6 7 8 2064 2064 3279 3765 5466 6438 8625 10083

// ==== printed (cargo xtask bless) ====
// ---- analysis
// func @main() -> void {
//   %0: u32 = Load @gl_LocalInvocationIndex  ; affine(1), as @gl_LocalInvocationIndex
//   %1: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %0  ; varying
//   %2: u32 = Load %1  ; varying, as %1
//   %3: u32 = GroupNonUniformIAdd u32 3, %2 [0]  ; subgroup, an operation of the subgroup
//   %4: u32 = GroupNonUniformIAdd u32 3, %2 [2]  ; varying, an operation of the subgroup
//   %5: u32 = GroupNonUniformShuffleXor u32 3, %2, u32 1  ; varying, an operation of the subgroup
//   %6: bool = UGreaterThan %2, u32 3  ; varying, as %2
//   %7: u32x4 = GroupNonUniformBallot u32 3, %6  ; subgroup, an operation of the subgroup
//   %8: u32 = GroupNonUniformBallotBitCount u32 3, %7 [0]  ; subgroup, an operation of the subgroup
//   %9: u32 = IAdd %4, %5  ; varying, as %5
//   %10: bool = IEqual %2, u32 5  ; varying, as %2
//   %11: bool = GroupNonUniformAny u32 3, %10  ; subgroup, an operation of the subgroup
//   %12: u32 = selection ^sel0 (%11)  ; varying, as %16
//     then = {
//       %13: u32 = BitwiseAnd %3, u32 7  ; subgroup, as %3
//       %14: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %13  ; subgroup
//       %15: u32 = Load %14  ; subgroup, read from memory that the shader may write
//       %16: u32 = IAdd %9, %15  ; varying, as %9
//       merge (%16)
//     }
//     else = {
//       merge (%9)
//     }
//   %17: u32 = loop ^loop1  ; varying, as %18
//     header (%18: u32 = %12, %19: u32 = u32 0) = {  ; varying, as %12; subgroup, as %25
//       %20: bool = ULessThan %19, %8  ; subgroup, as %8
//       condition %20 exit (%18)
//     }
//     body = {
//       %21: u32 = IMul %18, u32 3  ; varying, as %18
//       %22: u32 = GroupNonUniformBroadcast u32 3, %2, u32 2  ; subgroup, an operation of the subgroup
//       %23: u32 = IAdd %21, %22  ; varying, as %21
//       fallthrough (%23)
//     }
//     continue (%24: u32) = {  ; varying, as %23
//       %25: u32 = IAdd %19, i32 1  ; subgroup, as %19
//       reenter (%24, %25)
//     }
//   %26: u32 = IAdd %0, u32 8  ; affine(1), as %0
//   %27: ptr<StorageBuffer, u32> = AccessChain @#1, i32 0, %26  ; varying
//   Store %27, %17
//   return
// }
// ---- stats
// kernel instructions: 244
// helper instructions: 44
// blocks: 24
// contiguous accesses: 2
// transposed accesses: 0
// uniform accesses: 1
// gathered loads: 0
// scattered stores: 0
// lane by lane: 0
// masked constructs: 0
// code bytes: 1383
