//! Subgroup operations (SPIR-V specification, "Non-Uniform Instructions"; KHR and AMD extensions that came before them).

use super::row::{simt, unsupported};
use super::{Done, Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::NonUniform;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const VENDOR: &str = "a vendor's subgroup operation: use the GroupNonUniform instructions";
const KERNEL: &str = "belongs to OpenCL kernels: use the GroupNonUniform instructions";
const PARTITION: &str = "lanes are not partitioned by values: use ballots in a loop, or clusters";

/// The rows. None is executed but by the lanes of its own mask: none may be moved, merged or doubled. The component types
/// are those of the value, which follows the scope.
pub const ROWS: &[&[Row]] = &[
    VOTE,
    BALLOT,
    ARITHMETIC,
    MOVES,
    AMD,
    unsupported![PARTITION; GroupNonUniformPartitionEXT],
    unsupported![
        VENDOR;
        SubgroupShuffleINTEL SubgroupShuffleDownINTEL SubgroupShuffleUpINTEL SubgroupShuffleXorINTEL
        SubgroupBlockReadINTEL SubgroupBlockWriteINTEL SubgroupImageBlockReadINTEL SubgroupImageBlockWriteINTEL
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

const VOTE: &[Row] = &[
    simt!(GroupNonUniformElect, "–", "subgroup").note("the first active lane"),
    simt!(GroupNonUniformAll, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
    simt!(GroupNonUniformAny, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
    simt!(GroupNonUniformAllEqual, "–", "subgroup").of(Done::ALL).flow(Flow::Subgroup).note("floats as numbers"),
    simt!(GroupNonUniformQuadAllKHR, "–", "subgroup").of(Done::BOOL).note("W ≥ 4"),
    simt!(GroupNonUniformQuadAnyKHR, "–", "subgroup").of(Done::BOOL).note("W ≥ 4"),
    simt!(SubgroupAllKHR, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
    simt!(SubgroupAnyKHR, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
    simt!(SubgroupAllEqualKHR, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
];

const BALLOT: &[Row] = &[
    simt!(GroupNonUniformBallot, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
    simt!(GroupNonUniformInverseBallot, "–", "subgroup").of(Done::I32),
    simt!(GroupNonUniformBallotBitExtract, "–", "subgroup").of(Done::I32).flow(Flow::Operands).note("no lane: false"),
    simt!(GroupNonUniformBallotBitCount, "–", "subgroup").of(Done::I32).flow(Flow::Group),
    simt!(GroupNonUniformBallotFindLSB, "–", "subgroup").of(Done::I32).flow(Flow::Operands).note("none: -1"),
    simt!(GroupNonUniformBallotFindMSB, "–", "subgroup").of(Done::I32).flow(Flow::Operands).note("none: -1"),
    simt!(SubgroupBallotKHR, "–", "subgroup").of(Done::BOOL).flow(Flow::Subgroup),
];

/// What floats are joined in order of: chunks first, then within a chunk; the same for every chunk's width.
const TREE: &str = "joined as a tree that the subgroup size decides alone";
const NUMBERS: &str = "of a number and a NaN the number";

const ARITHMETIC: &[Row] = &[
    simt!(GroupNonUniformIAdd, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformFAdd, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(TREE),
    simt!(GroupNonUniformIMul, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformFMul, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(TREE),
    simt!(GroupNonUniformSMin, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformUMin, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformFMin, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(NUMBERS),
    simt!(GroupNonUniformSMax, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformUMax, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformFMax, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(NUMBERS),
    simt!(GroupNonUniformBitwiseAnd, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformBitwiseOr, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformBitwiseXor, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupNonUniformLogicalAnd, "–", "subgroup").of(Done::BOOL).flow(Flow::Group),
    simt!(GroupNonUniformLogicalOr, "–", "subgroup").of(Done::BOOL).flow(Flow::Group),
    simt!(GroupNonUniformLogicalXor, "–", "subgroup").of(Done::BOOL).flow(Flow::Group),
];

const ZERO: &str = "of a lane that is off, or of none: 0";

const MOVES: &[Row] = &[
    simt!(GroupNonUniformBroadcast, "–", "subgroup").of(Done::ALL).flow(Flow::Subgroup).note(ZERO),
    simt!(GroupNonUniformBroadcastFirst, "–", "subgroup").of(Done::ALL).flow(Flow::Subgroup),
    simt!(GroupNonUniformShuffle, "–", "subgroup").of(Done::ALL).note(ZERO),
    simt!(GroupNonUniformShuffleXor, "–", "subgroup").of(Done::ALL).note(ZERO),
    simt!(GroupNonUniformShuffleUp, "–", "subgroup").of(Done::ALL).note(ZERO),
    simt!(GroupNonUniformShuffleDown, "–", "subgroup").of(Done::ALL).note(ZERO),
    simt!(GroupNonUniformRotateKHR, "–", "subgroup").of(Done::ALL).note(ZERO),
    simt!(GroupNonUniformQuadBroadcast, "–", "subgroup").of(Done::ALL).note("W ≥ 4; of a lane that is off: 0"),
    simt!(GroupNonUniformQuadSwap, "–", "subgroup").of(Done::ALL).note("W ≥ 4; of a lane that is off: 0"),
    simt!(SubgroupFirstInvocationKHR, "–", "subgroup").of(Done::ALL).flow(Flow::Subgroup),
    simt!(SubgroupReadInvocationKHR, "–", "subgroup").of(Done::ALL).flow(Flow::Subgroup).note(ZERO),
];

const AMD: &[Row] = &[
    simt!(GroupIAddNonUniformAMD, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupFAddNonUniformAMD, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(TREE),
    simt!(GroupFMinNonUniformAMD, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(NUMBERS),
    simt!(GroupUMinNonUniformAMD, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupSMinNonUniformAMD, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupFMaxNonUniformAMD, "–", "subgroup").of(Done::FLOAT).flow(Flow::Group).note(NUMBERS),
    simt!(GroupUMaxNonUniformAMD, "–", "subgroup").of(Done::INT).flow(Flow::Group),
    simt!(GroupSMaxNonUniformAMD, "–", "subgroup").of(Done::INT).flow(Flow::Group),
];
