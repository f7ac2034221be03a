// `precise` forbids fusing: a*b - c is the rounding error of the product only where it is fused.
// contract: on
// emit: ir
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float a; float b; };
layout(std430, binding = 1) buffer O { float o[]; };
void main() { precise float p = a * b - a * b; o[0] = p; o[1] = fma(a, b, 1.0); }

// run:
// buffer 0 0 f32 0.1 0.1
// buffer 0 1 f32 7 7
// expect 0 1 f32 exact 0
// expect 0 1 f32 ulp 1 1.01 at 4

// ==== printed (cargo xtask bless) ====
// ---- ir
// module 1.6
// capability Shader
// struct $X { a: f32 offset 0 non_writable, b: f32 offset 4 non_writable } block
// struct $O { o: array<f32, stride 4> offset 0 } block
// global @#1: ptr<StorageBuffer, $X> set 0 binding 0 non_writable
// global @#2: ptr<StorageBuffer, $O> set 0 binding 1
// entry GLCompute "main" @main interface (@#1, @#2) local_size 1 1 1
//
// func @main() -> void {
//   %0: ptr<StorageBuffer, f32> = AccessChain @#1, i32 0
//   %1: f32 = Load %0
//   %2: ptr<StorageBuffer, f32> = AccessChain @#1, i32 1
//   %3: f32 = Load %2
//   %4: f32 = FMul %1, %3 no_contraction
//   %5: f32 = Load %0
//   %6: f32 = Load %2
//   %7: f32 = FMul %5, %6 no_contraction
//   %8: f32 = FSub %4, %7 no_contraction
//   %9: ptr<StorageBuffer, f32> = AccessChain @#2, i32 0, i32 0
//   Store %9, %8
//   %10: f32 = Load %0
//   %11: f32 = Load %2
//   %12: f32 = GLSL.Fma %10, %11, f32 1.0
//   %13: ptr<StorageBuffer, f32> = AccessChain @#2, i32 0, i32 1
//   Store %13, %12
//   return
// }
