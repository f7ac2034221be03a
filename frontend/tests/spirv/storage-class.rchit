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
// ==== spirv
//                OpCapability RayTracingKHR
//                OpExtension "SPV_KHR_ray_tracing"
//           %2 = OpExtInstImport "GLSL.std.450"
//                OpMemoryModel Logical GLSL450
//                OpEntryPoint ClosestHitKHR %main "main" %payload
//                OpName %main "main"
//                OpName %payload "payload"
//                OpDecorate %payload Location 1
//        %void = OpTypeVoid
//           %4 = OpTypeFunction %void
//       %float = OpTypeFloat 32
//     %v4float = OpTypeVector %float 4
// %_ptr_RayPayloadKHR_v4float = OpTypePointer RayPayloadKHR %v4float
//     %payload = OpVariable %_ptr_RayPayloadKHR_v4float RayPayloadKHR
//     %float_0 = OpConstant %float 0
//     %float_1 = OpConstant %float 1
//          %13 = OpConstantComposite %v4float %float_0 %float_1 %float_0 %float_1
//        %main = OpFunction %void None %4
//           %6 = OpLabel
//                OpStore %payload %13
//                OpReturn
//                OpFunctionEnd
