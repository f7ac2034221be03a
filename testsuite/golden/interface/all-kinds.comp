// Everything that a shader declares, as text and as JSON.
// emit: interface interface-json
#version 450
layout(local_size_x_id=7, local_size_y=2) in;
layout(constant_id=3) const uint COUNT = 5u;
struct Particle { vec3 position; float mass; mat2 turn; };
layout(set=0,binding=0,std140) uniform Settings { float step; Particle first; } settings;
layout(set=0,binding=1,std430) readonly buffer In { Particle particles[]; };
layout(set=0,binding=2,std430) buffer Out { uint count; uint values[]; } result[2];
layout(set=1,binding=0,std430) buffer Unused { uint u[]; } unused_buffer;
layout(push_constant) uniform Push { uint n; vec2 scale[2]; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < push.n) result[1].values[i] = uint(particles[i].mass * push.scale[1].y * settings.first.turn[1][0]) + COUNT;
  result[0].count = push.n;
}

// ==== printed (cargo xtask bless) ====
// ---- interface
// entry point `main`, workgroup size 1 x 2 x 1
// set 0 binding 0: uniform buffer `settings`, read only, 56 bytes
//        0  float step
//       16  vec3 first.position
//       28  float first.mass
//       32  mat2 first.turn
// set 0 binding 1: storage buffer `In`, read only, 32 bytes for each element
//        0  Particle[] particles
// set 0 binding 2: storage buffer `result` (array of 2), written, 4 bytes and 4 for each element
//        0  uint count
//        4  uint[] values
// push constants, 24 bytes
//        0  uint n
//        8  vec2[2] scale
// specialisation constant 7: 0x1
// specialisation constant 3 `COUNT`: 0x5
// ---- interface-json
// {
//   "entry": "main",
//   "workgroup_size": [1, 2, 1],
//   "buffers": [
//     {"set": 0, "binding": 0, "name": "settings", "kind": "uniform", "count": 1, "written": false, "fixed_size": 56, "element_size": null, "members": [{"name": "step", "type": "float", "offset": 0, "size": 4}, {"name": "first.position", "type": "vec3", "offset": 16, "size": 12}, {"name": "first.mass", "type": "float", "offset": 28, "size": 4}, {"name": "first.turn", "type": "mat2", "offset": 32, "size": 24}]},
//     {"set": 0, "binding": 1, "name": "In", "kind": "storage", "count": 1, "written": false, "fixed_size": 0, "element_size": 32, "members": [{"name": "particles", "type": "Particle[]", "offset": 0, "size": 0}]},
//     {"set": 0, "binding": 2, "name": "result", "kind": "storage", "count": 2, "written": true, "fixed_size": 4, "element_size": 4, "members": [{"name": "count", "type": "uint", "offset": 0, "size": 4}, {"name": "values", "type": "uint[]", "offset": 4, "size": 0}]}
//   ],
//   "push_constants": {"size": 24, "members": [{"name": "n", "type": "uint", "offset": 0, "size": 4}, {"name": "scale", "type": "vec2[2]", "offset": 8, "size": 16}]},
//   "specialization_constants": [
//     {"id": 7, "name": "", "default": "0x1", "value": "0x1"},
//     {"id": 3, "name": "COUNT", "default": "0x5", "value": "0x5"}
//   ],
//   "custom_instructions": [],
//   "prints": [],
//   "unused": [
//     {"set": 1, "binding": 0, "name": "unused_buffer"}
//   ]
// }
