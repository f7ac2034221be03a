//! Subgroup operations (SPIR-V specification, "Non-Uniform Instructions").

use super::row::unsupported;
use super::{Family, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::NonUniform;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const LATER: &str = "subgroup operations are not done in this version: exchange values through a buffer";
const QUADS: &str = "quad operations are not done in this version: exchange values through a buffer";
const VENDOR: &str = "a vendor's subgroup operation: use the GroupNonUniform instructions";
const KERNEL: &str = "belongs to OpenCL kernels: use the GroupNonUniform instructions";

/// The rows.
pub const ROWS: &[&[Row]] = &[
    unsupported![
        LATER;
        GroupNonUniformElect GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual GroupNonUniformBroadcast
        GroupNonUniformBroadcastFirst GroupNonUniformBallot GroupNonUniformInverseBallot GroupNonUniformBallotBitExtract
        GroupNonUniformBallotBitCount GroupNonUniformBallotFindLSB GroupNonUniformBallotFindMSB GroupNonUniformShuffle
        GroupNonUniformShuffleXor GroupNonUniformShuffleUp GroupNonUniformShuffleDown GroupNonUniformIAdd
        GroupNonUniformFAdd GroupNonUniformIMul GroupNonUniformFMul GroupNonUniformSMin GroupNonUniformUMin
        GroupNonUniformFMin GroupNonUniformSMax GroupNonUniformUMax GroupNonUniformFMax GroupNonUniformBitwiseAnd
        GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor GroupNonUniformLogicalAnd GroupNonUniformLogicalOr
        GroupNonUniformLogicalXor GroupNonUniformRotateKHR GroupNonUniformPartitionEXT SubgroupBallotKHR
        SubgroupFirstInvocationKHR SubgroupAllKHR SubgroupAnyKHR SubgroupAllEqualKHR SubgroupReadInvocationKHR
    ],
    unsupported![
        QUADS;
        GroupNonUniformQuadBroadcast GroupNonUniformQuadSwap GroupNonUniformQuadAllKHR GroupNonUniformQuadAnyKHR
    ],
    unsupported![
        VENDOR;
        GroupIAddNonUniformAMD GroupFAddNonUniformAMD GroupFMinNonUniformAMD GroupUMinNonUniformAMD
        GroupSMinNonUniformAMD GroupFMaxNonUniformAMD GroupUMaxNonUniformAMD GroupSMaxNonUniformAMD SubgroupShuffleINTEL
        SubgroupShuffleDownINTEL SubgroupShuffleUpINTEL SubgroupShuffleXorINTEL SubgroupBlockReadINTEL
        SubgroupBlockWriteINTEL SubgroupImageBlockReadINTEL SubgroupImageBlockWriteINTEL
        SubgroupImageMediaBlockReadINTEL SubgroupImageMediaBlockWriteINTEL SubgroupBlockPrefetchINTEL
        Subgroup2DBlockLoadINTEL Subgroup2DBlockLoadTransformINTEL Subgroup2DBlockLoadTransposeINTEL
        Subgroup2DBlockPrefetchINTEL Subgroup2DBlockStoreINTEL SubgroupMatrixMultiplyAccumulateINTEL
    ],
    unsupported![
        KERNEL;
        GroupAsyncCopy GroupWaitEvents GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin GroupUMin GroupSMin
        GroupFMax GroupUMax GroupSMax GroupIMulKHR GroupFMulKHR GroupBitwiseAndKHR GroupBitwiseOrKHR GroupBitwiseXorKHR
        GroupLogicalAndKHR GroupLogicalOrKHR GroupLogicalXorKHR
    ],
];
