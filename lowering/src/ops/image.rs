//! Images and samplers (SPIR-V specification, "Image Instructions").

use super::row::unsupported;
use super::{Family, Row};
use crate::ir::Opcode;
use spirv::Op as Names;

const FAMILY: Family = Family::Image;

const fn name(op: Names) -> Opcode {
    Opcode::Core(op)
}

const LATER: &str = "images are not done in this version: use a storage buffer";
const SPARSE: &str = "sparse residency is not done: use a storage buffer";
const VENDOR: &str = "a vendor's image operation: use the core image instructions";

/// The rows.
pub const ROWS: &[&[Row]] = &[
    unsupported![
        LATER;
        SampledImage ImageSampleImplicitLod ImageSampleExplicitLod ImageSampleDrefImplicitLod ImageSampleDrefExplicitLod
        ImageSampleProjImplicitLod ImageSampleProjExplicitLod ImageSampleProjDrefImplicitLod
        ImageSampleProjDrefExplicitLod ImageFetch ImageGather ImageDrefGather ImageRead ImageWrite Image ImageQueryFormat
        ImageQueryOrder ImageQuerySizeLod ImageQuerySize ImageQueryLod ImageQueryLevels ImageQuerySamples
        ColorAttachmentReadEXT DepthAttachmentReadEXT StencilAttachmentReadEXT
    ],
    unsupported![
        SPARSE;
        ImageSparseSampleImplicitLod ImageSparseSampleExplicitLod ImageSparseSampleDrefImplicitLod
        ImageSparseSampleDrefExplicitLod ImageSparseSampleProjImplicitLod ImageSparseSampleProjExplicitLod
        ImageSparseSampleProjDrefImplicitLod ImageSparseSampleProjDrefExplicitLod ImageSparseFetch ImageSparseGather
        ImageSparseDrefGather ImageSparseTexelsResident ImageSparseRead
    ],
    unsupported![
        VENDOR;
        ImageSampleWeightedQCOM ImageBoxFilterQCOM ImageBlockMatchSSDQCOM ImageBlockMatchSADQCOM
        ImageBlockMatchWindowSSDQCOM ImageBlockMatchWindowSADQCOM ImageBlockMatchGatherSSDQCOM
        ImageBlockMatchGatherSADQCOM FragmentMaskFetchAMD FragmentFetchAMD ImageSampleFootprintNV ConvertUToImageNV
        ConvertUToSamplerNV ConvertImageToUNV ConvertSamplerToUNV ConvertUToSampledImageNV ConvertSampledImageToUNV
        SamplerImageAddressingModeNV ConvertHandleToImageINTEL ConvertHandleToSamplerINTEL
        ConvertHandleToSampledImageINTEL
    ],
];
