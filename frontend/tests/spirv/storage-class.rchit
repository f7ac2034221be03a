// A storage class of a ray-tracing stage.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define rayPayloadEXT spirv_storage_class(extensions = ["SPV_KHR_ray_tracing"], capabilities = [4479], 5338)
layout(location = 1) rayPayloadEXT vec4 payload;
void main() { payload = vec4(0.0, 1.0, 0.0, 1.0); }
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define rayPayloadEXT [[spirv::extension("SPV_KHR_ray_tracing"), spirv::capability(RayTracingKHR)]] [[spirv::storage_class(5338)]]
layout(location = 1) rayPayloadEXT vec4 payload;
void main() { payload = vec4(0.0, 1.0, 0.0, 1.0); }
