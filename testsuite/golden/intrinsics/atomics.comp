// spirv_by_reference: the operand is the pointer. Atomics on a buffer and on shared memory; OpAtomicCompareExchange has two
// semantics and two values. Scope 1 is Device, 2 Workgroup; semantics 0 is relaxed.
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 8) in;
spirv_instruction(id = 234) uint atomic_add(spirv_by_reference uint p, uint scope, uint semantics, uint value);
spirv_instruction(id = 230) uint exchange_if(
    spirv_by_reference uint p, uint scope, uint equal, uint unequal, uint value, uint comparator);
spirv_instruction(id = 239) uint atomic_max(spirv_by_reference uint p, uint scope, uint semantics, uint value);
spirv_instruction(id = 229) uint atomic_exchange(spirv_by_reference uint p, uint scope, uint semantics, uint value);
spirv_instruction(id = 227) uint atomic_load(spirv_by_reference uint p, uint scope, uint semantics);
spirv_instruction(id = 228) void atomic_store(spirv_by_reference uint p, uint scope, uint semantics, uint value);
shared uint total, highest, slots[8];
layout(std430, binding = 0) buffer A { uint sum, won, most, last; uint swapped[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  if (i == 0u) { total = 0u; highest = 0u; }
  slots[i] = i;
  barrier();
  atomic_add(total, 2, 0, i);
  if ((i & 1u) == 1u) atomic_max(highest, 2, 0, 10u * i);
  // Of slots 0 to 7 those that hold 3 or 4.
  exchange_if(slots[i], 2, 0, 0, 100u + i, 3u);
  exchange_if(slots[i], 2, 0, 0, 200u + i, 4u);
  barrier();
  atomic_add(sum, 1, 0, 1u + i);
  // One of all takes it.
  if (exchange_if(won, 1, 0, 0, 1u, 0u) == 0u) atomic_store(last, 1, 0, 9u);
  atomic_max(most, 1, 0, atomic_load(highest, 2, 0) + total);
  swapped[i] = atomic_exchange(slots[i], 2, 0, 5u);
  o[i] = slots[i];
}

// run:
// buffer 0 0 u32 5 0 0 0  x8
// buffer 0 1 u32 x8
// expect 0 0 u32 exact 41 1 98 9  0 1 2 103 204 5 6 7
// expect 0 1 u32 exact 5 5 5 5 5 5 5 5
