// Types: ids of types, literals, constants by name, and constants by id.
// ==== official
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define Pair spirv_type(id = 30, uint, float)
const int WIDTH = 64, HALF = WIDTH / 4;
#define Wide spirv_type(capabilities = [10], id = 22, WIDTH)
#define Half spirv_type(id = 22, capabilities = [9], HALF)
#define Four spirv_type(id = 28, float, spirv_id 4)
#define Signed spirv_type(id = 21, 32, true)
struct S { int x; };
#define Nested spirv_type(id = 30, Four, S, spirv_type(id = 30, vec2))
spirv_instruction(id = 80) Pair pair_(uint, float);
spirv_instruction(id = 81) float second_(Pair p, spirv_literal int i);
spirv_instruction(id = 115) Wide widen_(float x);
spirv_instruction(id = 115) float narrow_(Wide x);
spirv_instruction(id = 115) float narrow_(Half x);
spirv_instruction(id = 115) Half half_(float x);
spirv_instruction(id = 1) Nested none_();
spirv_instruction(id = 81) float inner_(Nested n, spirv_literal int a, spirv_literal int b);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = second_(pair_(1u, b[1]), 1) + narrow_(widen_(b[2])) + narrow_(half_(b[3]));
  b[1] = inner_(none_(), 0, 3);
}
// ==== brackets
#version 460
#extension GL_EXT_spirv_intrinsics : require
#define Pair [[spirv::type(id = OpTypeStruct, uint, float)]]
const int WIDTH = 64, HALF = WIDTH / 4;
#define Wide [[spirv::type(capabilities = [Float64], id = 22, WIDTH)]]
#define Half [[spirv::type(id = 22, HALF), spirv::capability(Float16)]]
#define Four [[spirv::type(id = 28, float, spirv_id 4)]]
#define Signed [[spirv::type(id = 21, 32, true)]]
struct S { int x; };
#define Nested [[spirv::type(id = 30, spirv_type(id = 28, float, spirv_id 4), S, spirv_type(id = 30, vec2))]]
[[spirv::instruction(id = 80)]] Pair pair_(uint, float);
[[spirv::instruction(id = 81)]] float second_(Pair p, [[spirv::literal]] int i);
[[spirv::instruction(id = 115)]] Wide widen_(float x);
[[spirv::instruction(id = 115)]] float narrow_(Wide x);
[[spirv::instruction(id = 115)]] float narrow_(Half x);
[[spirv::instruction(id = 115)]] Half half_(float x);
[[spirv::instruction(id = 1)]] Nested none_();
[[spirv::instruction(id = 81)]] float inner_(Nested n, [[spirv::literal]] int a, [[spirv::literal]] int b);
layout(binding = 0) buffer B { float b[]; };
void main() {
  b[0] = second_(pair_(1u, b[1]), 1) + narrow_(widen_(b[2])) + narrow_(half_(b[3]));
  b[1] = inner_(none_(), 0, 3);
}
