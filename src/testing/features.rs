//! Features, extensions and properties that scripts ask for by name, and whether the compiler has them.
//!
//! A feature stands for capabilities of SPIR-V (Vulkan specification, "Runtime SPIR-V Validation"); whether these are done is
//! what the op table says, so that nothing has to be changed here when the compiler learns one.

use crate::lowering::ops::declared::{CAPABILITIES, Handling};
use glslc2native_scripts::amber::{Requirement, RequirementKind};
use spirv::Capability::{self, *};

/// Features and the capabilities that they stand for. One without any concerns nothing that a compute shader could notice.
const FEATURES: &[(&str, &[Capability])] = &[
    ("robustBufferAccess", &[]),
    ("vertexPipelineStoresAndAtomics", &[]),
    ("fragmentStoresAndAtomics", &[]),
    ("independentBlend", &[]),
    ("shaderUniformBufferArrayDynamicIndexing", &[UniformBufferArrayDynamicIndexing]),
    ("shaderStorageBufferArrayDynamicIndexing", &[StorageBufferArrayDynamicIndexing]),
    ("shaderFloat64", &[Float64]),
    ("shaderInt64", &[Int64]),
    ("shaderInt16", &[Int16]),
    ("VariablePointerFeatures.variablePointers", &[VariablePointers]),
    ("VariablePointerFeatures.variablePointersStorageBuffer", &[VariablePointersStorageBuffer]),
    ("Float16Int8Features.shaderFloat16", &[Float16]),
    ("Float16Int8Features.shaderInt8", &[Int8]),
    ("VulkanMemoryModelFeatures.vulkanMemoryModel", &[VulkanMemoryModel]),
    ("VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope", &[VulkanMemoryModelDeviceScope]),
    ("ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory", &[]),
    ("Storage8BitFeatures.storageBuffer8BitAccess", &[StorageBuffer8BitAccess]),
    ("Storage8BitFeatures.uniformAndStorageBuffer8BitAccess", &[UniformAndStorageBuffer8BitAccess]),
    ("Storage8BitFeatures.storagePushConstant8", &[StoragePushConstant8]),
    ("Storage16BitFeatures.storageBuffer16BitAccess", &[StorageBuffer16BitAccess]),
    ("Storage16BitFeatures.uniformAndStorageBuffer16BitAccess", &[UniformAndStorageBuffer16BitAccess]),
    ("Storage16BitFeatures.storagePushConstant16", &[StoragePushConstant16]),
    ("SubgroupSizeControl.subgroupSizeControl", &[]),
    ("SubgroupSizeControl.computeFullSubgroups", &[]),
    ("SubgroupSupportedOperations.basic", &[GroupNonUniform]),
    ("SubgroupSupportedOperations.vote", &[GroupNonUniformVote]),
    ("SubgroupSupportedOperations.arithmetic", &[GroupNonUniformArithmetic]),
    ("SubgroupSupportedOperations.ballot", &[GroupNonUniformBallot]),
    ("SubgroupSupportedOperations.shuffle", &[GroupNonUniformShuffle]),
    ("SubgroupSupportedOperations.shuffleRelative", &[GroupNonUniformShuffleRelative]),
    ("SubgroupSupportedOperations.clustered", &[GroupNonUniformClustered]),
    ("SubgroupSupportedOperations.quad", &[GroupNonUniformQuad]),
    ("SubgroupSupportedStages.compute", &[]),
    ("BufferDeviceAddressFeatures.bufferDeviceAddress", &[PhysicalStorageBufferAddresses]),
];

/// Extensions and the capabilities that they bring.
const EXTENSIONS: &[(&str, &[Capability])] = &[
    ("VK_KHR_storage_buffer_storage_class", &[]),
    ("VK_KHR_get_physical_device_properties2", &[]),
    ("VK_KHR_relaxed_block_layout", &[]),
    ("VK_EXT_scalar_block_layout", &[]),
    ("VK_KHR_uniform_buffer_standard_layout", &[]),
    ("VK_KHR_spirv_1_4", &[]),
    ("VK_KHR_shader_float_controls", &[]),
    ("VK_EXT_subgroup_size_control", &[]),
    ("VK_KHR_shader_subgroup_extended_types", &[]),
    ("VK_KHR_shader_subgroup_uniform_control_flow", &[]),
    ("VK_KHR_shader_maximal_reconvergence", &[]),
    ("VK_KHR_shader_expect_assume", &[]),
    ("VK_KHR_shader_non_semantic_info", &[]),
    ("VK_KHR_zero_initialize_workgroup_memory", &[]),
    ("VK_KHR_vulkan_memory_model", &[VulkanMemoryModel]),
    ("VK_KHR_variable_pointers", &[VariablePointersStorageBuffer]),
    ("VK_KHR_8bit_storage", &[UniformAndStorageBuffer8BitAccess]),
    ("VK_KHR_16bit_storage", &[UniformAndStorageBuffer16BitAccess]),
    ("VK_KHR_shader_float16_int8", &[Float16, Int8]),
    ("VK_KHR_shader_atomic_int64", &[Int64Atomics]),
    ("VK_EXT_shader_atomic_float", &[AtomicFloat32AddEXT]),
    ("VK_EXT_shader_atomic_float2", &[AtomicFloat32MinMaxEXT]),
    ("VK_KHR_shader_integer_dot_product", &[DotProduct]),
    ("VK_KHR_workgroup_memory_explicit_layout", &[WorkgroupMemoryExplicitLayoutKHR]),
    ("VK_EXT_descriptor_indexing", &[StorageBufferArrayNonUniformIndexing]),
    ("VK_KHR_buffer_device_address", &[PhysicalStorageBufferAddresses]),
    ("VK_KHR_shader_subgroup_rotate", &[GroupNonUniformRotateKHR]),
];

/// Properties. Denormals are kept, rounding is to nearest even, and zeros, infinities and NaNs have their signs and bits.
const PROPERTIES: &[(&str, &[Capability])] = &[
    ("FloatControlsProperties.shaderDenormPreserveFloat16", &[Float16]),
    ("FloatControlsProperties.shaderDenormPreserveFloat32", &[]),
    ("FloatControlsProperties.shaderDenormPreserveFloat64", &[Float64]),
    ("FloatControlsProperties.shaderRoundingModeRTEFloat16", &[Float16]),
    ("FloatControlsProperties.shaderRoundingModeRTEFloat32", &[]),
    ("FloatControlsProperties.shaderRoundingModeRTEFloat64", &[Float64]),
    ("FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat16", &[Float16]),
    ("FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat32", &[]),
    ("FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat64", &[Float64]),
];

/// Why a requirement is not met; `None` where it is.
pub(super) fn missing(requirement: &Requirement) -> Option<String> {
    let (command, table) = match requirement.kind {
        RequirementKind::Feature => ("DEVICE_FEATURE", FEATURES),
        RequirementKind::DeviceExtension => ("DEVICE_EXTENSION", EXTENSIONS),
        RequirementKind::InstanceExtension => ("INSTANCE_EXTENSION", EXTENSIONS),
        RequirementKind::Property => ("DEVICE_PROPERTY", PROPERTIES),
    };
    let name = &requirement.name;
    match table.iter().find(|(own, _)| own == name) {
        Some((_, capabilities)) if capabilities.iter().all(|&capability| is_done(capability)) => None,
        Some(_) => Some(format!("needs {command} {name}, which is not supported")),
        None => Some(format!("needs {command} {name}, which is not known")),
    }
}

fn is_done(capability: Capability) -> bool {
    CAPABILITIES.iter().any(|declared| declared.what == capability && declared.handling != Handling::Refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glslc2native_scripts::amber::Pos;

    #[test]
    fn the_tables_know_every_capability() {
        for (name, capabilities) in [FEATURES, EXTENSIONS, PROPERTIES].concat() {
            for capability in capabilities {
                assert!(CAPABILITIES.iter().any(|declared| declared.what == *capability), "{name}: {capability:?}");
            }
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let ask = |kind, name: &str| missing(&Requirement { pos: Pos::default(), kind, name: name.into() });
        assert_eq!(ask(RequirementKind::Feature, "robustBufferAccess"), None);
        let unknown = ask(RequirementKind::DeviceExtension, "VK_X");
        assert_eq!(unknown.as_deref(), Some("needs DEVICE_EXTENSION VK_X, which is not known"));
        assert!(ask(RequirementKind::Property, "FloatControlsProperties.shaderRoundingModeRTZFloat32").is_some());
    }
}
