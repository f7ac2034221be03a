//! Every atomic instruction at every type, on buffers and on shared memory.
//!
//! Each invocation works on a place of its own, where what was there before and what is there after is checked, and, where
//! order does not matter, on one of six that all share. Some invocations are masked off.

use super::{HEADER, bits_of_float, bits_of_int, edges, float_of, glsl, int_of, is_float, random, width};
use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem::{self, *};
use libtest_mimic::Trial;
use spirv::Op;

/// What the place holds afterwards, from what it held and the operand, as bits.
type Combine = fn(u64, u64, Elem) -> u64;

struct Atomic {
    op: Op,
    types: &'static [Elem],
    combine: Combine,
    /// The order of operations does not matter.
    commutes: bool,
}

const INTS: &[Elem] = &[I32, U32, I64, U64];
const FLOATS: &[Elem] = &[F16, F32, F64];
const ALL: &[Elem] = &[I32, U32, I64, U64, F16, F32, F64];
const GROUP: usize = 24;
const INVOCATIONS: usize = 3 * GROUP;
const SHARED: usize = 6;

const fn ints(op: Op, combine: Combine) -> Atomic {
    Atomic { op, types: INTS, combine, commutes: true }
}

const fn floats(op: Op, combine: Combine) -> Atomic {
    Atomic { op, types: FLOATS, combine, commutes: true }
}

const fn moves(op: Op, types: &'static [Elem], combine: Combine) -> Atomic {
    Atomic { op, types, combine, commutes: false }
}

fn signed(bits: u64, elem: Elem) -> i128 {
    int_of(bits, width(elem), true)
}

fn wrapped(value: i128, elem: Elem) -> u64 {
    bits_of_int(value, width(elem))
}

fn of_floats(a: u64, b: u64, elem: Elem, f: fn(f64, f64) -> f64) -> u64 {
    bits_of_float(f(float_of(a, elem), float_of(b, elem)), elem)
}

const ATOMICS: &[Atomic] = &[
    moves(Op::AtomicLoad, ALL, |a, _, _| a),
    moves(Op::AtomicStore, ALL, |_, b, _| b),
    moves(Op::AtomicExchange, ALL, |_, b, _| b),
    // Even invocations compare with what is there, odd ones with the operand.
    moves(Op::AtomicCompareExchange, INTS, |_, b, _| b),
    ints(Op::AtomicIIncrement, |a, _, elem| wrapped(signed(a, elem) + 1, elem)),
    ints(Op::AtomicIDecrement, |a, _, elem| wrapped(signed(a, elem) - 1, elem)),
    ints(Op::AtomicIAdd, |a, b, elem| wrapped(signed(a, elem) + signed(b, elem), elem)),
    ints(Op::AtomicISub, |a, b, elem| wrapped(signed(a, elem) - signed(b, elem), elem)),
    ints(Op::AtomicSMin, |a, b, elem| wrapped(signed(a, elem).min(signed(b, elem)), elem)),
    ints(Op::AtomicUMin, |a, b, _| a.min(b)),
    ints(Op::AtomicSMax, |a, b, elem| wrapped(signed(a, elem).max(signed(b, elem)), elem)),
    ints(Op::AtomicUMax, |a, b, _| a.max(b)),
    ints(Op::AtomicAnd, |a, b, _| a & b),
    ints(Op::AtomicOr, |a, b, _| a | b),
    ints(Op::AtomicXor, |a, b, _| a ^ b),
    floats(Op::AtomicFAddEXT, |a, b, elem| of_floats(a, b, elem, |a, b| a + b)),
    floats(Op::AtomicFMinEXT, |a, b, elem| of_floats(a, b, elem, f64::min)),
    floats(Op::AtomicFMaxEXT, |a, b, elem| of_floats(a, b, elem, f64::max)),
];

/// Capability of atomic operations on a type and its extension.
fn needs(op: Op, elem: Elem) -> String {
    let (extension, capability) = match (op, elem) {
        (_, I64 | U64) => return "capabilities = [12], ".into(),
        (Op::AtomicFAddEXT, F16) => ("SPV_EXT_shader_atomic_float16_add", 6095),
        (Op::AtomicFAddEXT, F32) => ("SPV_EXT_shader_atomic_float_add", 6033),
        (Op::AtomicFAddEXT, _) => ("SPV_EXT_shader_atomic_float_add", 6034),
        (Op::AtomicFMinEXT | Op::AtomicFMaxEXT, F16) => ("SPV_EXT_shader_atomic_float_min_max", 5616),
        (Op::AtomicFMinEXT | Op::AtomicFMaxEXT, F32) => ("SPV_EXT_shader_atomic_float_min_max", 5612),
        (Op::AtomicFMinEXT | Op::AtomicFMaxEXT, _) => ("SPV_EXT_shader_atomic_float_min_max", 5613),
        _ => return String::new(),
    };
    format!("extensions = [\"{extension}\"], capabilities = [{capability}], ")
}

impl Atomic {
    fn shader(&self, elem: Elem) -> String {
        let t = glsl(elem, 1);
        let (result, operands, given) = match self.op {
            Op::AtomicLoad | Op::AtomicIIncrement | Op::AtomicIDecrement => (t.as_str(), String::new(), ""),
            Op::AtomicStore => ("void", format!(", {t} value"), ", v[i]"),
            Op::AtomicCompareExchange => {
                let comparator = ", uint unequal, T value, T comparator".replace('T', &t);
                (t.as_str(), comparator, ", 0, v[i], (i & 1u) == 0u ? before : v[i]")
            }
            _ => (t.as_str(), format!(", {t} value"), ", v[i]"),
        };
        let call = |place: &str, scope: u32| format!("op_({place}, {scope}, 0{given})");
        let keep = |olds: &str, call: String| match self.op {
            Op::AtomicStore => format!("    {olds}[i] = before;\n    {call};\n"),
            _ => format!("    {olds}[i] = {call};\n"),
        };
        let together = match self.commutes {
            true => format!("    {};\n    {};\n", call("all[i % 6u]", 1), call("all_s[i % 6u]", 2)),
            false => String::new(),
        };
        format!(
            "{HEADER}layout(local_size_x = {GROUP}) in;
spirv_instruction({}id = {}) {result} op_(spirv_by_reference {t} p, uint scope, uint semantics{operands});
layout(std430, binding = 0) buffer A {{ {t} own[]; }};
layout(std430, binding = 1) buffer B {{ {t} all[]; }};
layout(std430, binding = 2) readonly buffer V {{ {t} v[]; }};
layout(std430, binding = 3) readonly buffer S {{ {t} start[]; }};
layout(std430, binding = 4) writeonly buffer O {{ {t} olds[]; }};
layout(std430, binding = 5) writeonly buffer P {{ {t} olds_s[]; }};
layout(std430, binding = 6) writeonly buffer Q {{ {t} after_s[]; }};
layout(std430, binding = 7) writeonly buffer R {{ {t} all_after[]; }};
shared {t} own_s[{GROUP}], all_s[{SHARED}];
void main() {{
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  {t} before = own[i];
  own_s[l] = before;
  if (l < {SHARED}u) all_s[l] = start[l];
  barrier();
  if (i % 7u != 3u) {{
{}{}{together}  }}
  barrier();
  after_s[i] = own_s[l];
  if (l < {SHARED}u) all_after[gl_WorkGroupID.x * {SHARED}u + l] = all_s[l];
}}
",
            needs(self.op, elem),
            self.op as u32,
            keep("olds", call("own[i]", 1)),
            keep("olds_s", call("own_s[l]", 2)),
        )
    }

    fn run(&self, elem: Elem) -> Result<usize, String> {
        let mut rng = Rng::new(37);
        let source = self.shader(elem);
        let input = matrix::spirv(&source, "atomics", false).map_err(|error| format!("{error}\n{source}"))?;
        let edges = edges(elem);
        let mut values = |n: usize| -> Vec<u64> {
            let mut one = || match is_float(elem) {
                // Sums that are exact in any order.
                true => bits_of_float(f64::from(rng.below(64)) - 32.0, elem),
                false if rng.below(2) == 0 => *rng.pick(&edges),
                false => random(elem, false, &mut rng),
            };
            (0..n).map(|_| one()).collect()
        };
        let (own, v, start) = (values(INVOCATIONS), values(INVOCATIONS), values(SHARED));
        let bytes = |values: &[u64]| {
            let mut out = vec![];
            values.iter().for_each(|&bits| elem.push(bits, &mut out));
            out
        };
        let zeros = |n: usize| vec![0; n * elem.size()];
        let buffers: Buffers = [
            ((0, 0), bytes(&own)),
            ((0, 1), bytes(&start)),
            ((0, 2), bytes(&v)),
            ((0, 3), bytes(&start)),
            ((0, 4), zeros(INVOCATIONS)),
            ((0, 5), zeros(INVOCATIONS)),
            ((0, 6), zeros(INVOCATIONS)),
            ((0, 7), zeros(3 * SHARED)),
        ]
        .into();
        let run = Run { groups: [3, 1, 1], buffers, ..Run::default() };
        let on = |i: &usize| i % 7 != 3;
        let combine = |a: u64, i: usize| match self.op {
            Op::AtomicCompareExchange if i % 2 == 1 && a != v[i] => a,
            _ => (self.combine)(a, v[i], elem),
        };
        let after = |i: usize| if on(&i) { combine(own[i], i) } else { own[i] };
        let fold = |k: usize, invocations: std::ops::Range<usize>| {
            let mine = invocations.filter(|i| self.commutes && on(i) && i % SHARED == k);
            mine.fold(start[k], combine)
        };
        let wanted: [(u32, Vec<u64>); 6] = [
            (0, (0..INVOCATIONS).map(after).collect()),
            (1, (0..SHARED).map(|k| fold(k, 0..INVOCATIONS)).collect()),
            (4, (0..INVOCATIONS).map(|i| if on(&i) { own[i] } else { 0 }).collect()),
            (5, (0..INVOCATIONS).map(|i| if on(&i) { own[i] } else { 0 }).collect()),
            (6, (0..INVOCATIONS).map(after).collect()),
            (7, (0..3 * SHARED).map(|j| fold(j % SHARED, j / SHARED * GROUP..(j / SHARED + 1) * GROUP)).collect()),
        ];
        matrix::execute(&input, &matrix::standard(), &run, |_, buffers| {
            for (binding, want) in &wanted {
                // A shader without them does not have the binding.
                let got = buffers.get(&(0, *binding)).map_or(&[][..], |bytes| bytes);
                for (i, (bytes, &want)) in got.chunks(elem.size()).zip(want).enumerate() {
                    let got = elem.read(bytes);
                    let same = got == want || is_float(elem) && float_of(got, elem) == float_of(want, elem);
                    if !same {
                        let (got, want) = (elem.show(got), elem.show(want));
                        return Err(format!(
                            "{:?} at {}: binding {binding}, {i}: expected {want}, got {got}",
                            self.op,
                            elem.name()
                        ));
                    }
                }
            }
            Ok(())
        })
    }
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let one = |atomic: &'static Atomic| {
        trial(format!("ops/typed/{:?}", atomic.op), move || atomic.types.iter().map(|&elem| atomic.run(elem)).sum())
    };
    ATOMICS.iter().map(one).collect()
}

/// Every shader.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    ATOMICS.iter().flat_map(|atomic| atomic.types.iter().map(move |&elem| ("atomics", atomic.shader(elem))))
}
