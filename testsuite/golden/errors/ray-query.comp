// What cannot be compiled is named, and the reason is given.
// error: TypeRayQueryKHR is not supported
// error: is not supported
#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
  rayQueryEXT query;
  rayQueryInitializeEXT(query, scene, 0u, 0xFFu, vec3(0), 0.0, vec3(1), 1.0);
  o[0] = rayQueryProceedEXT(query) ? 1u : 0u;
}
