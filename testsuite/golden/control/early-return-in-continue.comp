// A function that returns from within a selection, called where a loop continues: nobody comes to the end of its body.
#version 450
layout(local_size_x=8) in;
layout(set=0,binding=0,std430) buffer O { uint o[]; };
uint next(uint i) {
  if ((i & 1u) == 0u) {
    for (uint k = 0u; k < 3u; k++) {
      if (k == (i >> 1 & 1u)) return i + k + 1u;
    }
    return i + 5u;
  } else {
    return i + 2u;
  }
}
void main() {
  uint s = 0u;
  for (uint i = gl_GlobalInvocationID.x; i < 20u; i = next(i)) s = s * 3u + i;
  o[gl_GlobalInvocationID.x] = s;
}

// run:
// groups 3 1 1
// buffer 0 0 u32 x24
// expect 0 0 u32 exact 59038 59038 85282 39355 45916 19672 22588 8737 9466 3634 3958 1447 1528 556 592 205 214 70 18 19 0 0 0 0
