//! Instructions whose operands and results differ in shape or width, at every type: extended arithmetic, integer dot products,
//! floats taken apart and put together.
//!
//! A case is the body of a GLSL function with up to three parameters and up to four results, and the same in Rust on the bits
//! of all components. It is run on varying and on uniform operands.

use super::{FLOATS, HEADER, bits_of_float, bits_of_int, edges, float_of, glsl, int_of, is_float, random, width};
use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem::{self, *};
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// A component type and how many there are.
type Shape = (Elem, usize);

struct Case {
    prelude: String,
    /// Parameters, which are called `a`, `b`, `c`.
    args: Vec<Shape>,
    /// Results, which are called `r0` and so on.
    results: Vec<Shape>,
    body: String,
    /// Components of all results from those of all operands, one after the other.
    reference: Box<Reference>,
}

type Reference = dyn Fn(&[u64]) -> Vec<u64> + Send + Sync;

const ELEMENTS: usize = 44;
/// Binding of the first result.
const RESULTS: u32 = 3;

const UNSIGNED: [Elem; 4] = [U8, U16, U32, U64];
const SIGNED: [Elem; 4] = [I8, I16, I32, I64];

/// Two results of as many bits as the operands have: name, number, is it signed, and the whole result.
type Extended = (&'static str, u32, bool, fn(i128, i128, u32) -> (i128, i128));

const EXTENDED: &[Extended] = &[
    ("IAddCarry", 149, false, |a, b, w| (a + b, (a + b) >> w)),
    ("ISubBorrow", 150, false, |a, b, _| (a - b, i128::from(a < b))),
    ("UMulExtended", 151, false, |a, b, w| (a.wrapping_mul(b), ((a as u128 * b as u128) >> w) as i128)),
    ("SMulExtended", 152, true, |a, b, w| (a * b, (a * b) >> w)),
];

fn extended(&(_, id, signed, f): &Extended) -> Vec<Case> {
    let types = if signed { SIGNED } else { UNSIGNED };
    let shapes = types.into_iter().flat_map(|elem| [(elem, 1), (elem, 3)]);
    shapes
        .map(|(elem, n)| {
            let (t, w) = (glsl(elem, n), width(elem));
            Case {
                prelude: format!("struct P {{ {t} low, high; }}; spirv_instruction(id = {id}) P f_({t} a, {t} b);"),
                args: vec![(elem, n); 2],
                results: vec![(elem, n); 2],
                body: "P p = f_(a, b); r0 = p.low; r1 = p.high;".into(),
                reference: Box::new(move |x| {
                    let both = |i: usize| f(int_of(x[i], w, signed), int_of(x[i + n], w, signed), w);
                    let low = (0..n).map(|i| bits_of_int(both(i).0, w));
                    low.chain((0..n).map(|i| bits_of_int(both(i).1, w))).collect()
                }),
            }
        })
        .collect()
}

/// Name, number, which operands are signed, and whether there is an accumulator.
type Dot = (&'static str, u32, [bool; 2], bool);

const DOTS: &[Dot] = &[
    ("SDot", 4450, [true, true], false),
    ("UDot", 4451, [false, false], false),
    ("SUDot", 4452, [true, false], false),
    ("SDotAccSat", 4453, [true, true], true),
    ("UDotAccSat", 4454, [false, false], true),
    ("SUDotAccSat", 4455, [true, false], true),
];

/// Vectors of every width with results of every width that is not smaller, and words of four bytes.
fn dots(&(_, id, signed, accumulates): &Dot) -> Vec<Case> {
    let of = |index: usize, signed: bool| if signed { SIGNED[index] } else { UNSIGNED[index] };
    let mut cases = vec![];
    for result in 0..4 {
        let to = of(result, signed[0]);
        let shapes = (0..=result).map(|k| (k, 4 - k)).map(|(k, n)| (of(k, signed[0]), of(k, signed[1]), n.max(2)));
        for (a, b, n) in shapes.chain([(of(2, signed[0]), of(2, signed[1]), 1)]) {
            let (c, d) = if accumulates { (format!(", {} c", glsl(to, 1)), ", c") } else { (String::new(), "") };
            let (format, zero) = if n == 1 { (", spirv_literal uint format", ", 0") } else { ("", "") };
            let mut args = vec![(a, n), (b, n)];
            args.extend(accumulates.then_some((to, 1)));
            cases.push(Case {
                prelude: format!(
                    "spirv_instruction(extensions = [\"SPV_KHR_integer_dot_product\"], capabilities = [6016, 6017, 6018, \
                     6019], id = {id}) {} f_({} a, {} b{c}{format});",
                    glsl(to, 1),
                    glsl(a, n),
                    glsl(b, n)
                ),
                args,
                results: vec![(to, 1)],
                body: format!("r0 = f_(a, b{d}{zero});"),
                reference: Box::new(move |x| {
                    let parts = |words: &[u64], signed: bool| -> Vec<i128> {
                        let bytes = |word: &u64| (0..4).map(|i| word >> (8 * i) & 0xff).collect::<Vec<u64>>();
                        match n {
                            1 => words.iter().flat_map(bytes).map(|v| int_of(v, 8, signed)).collect(),
                            _ => words.iter().map(|&v| int_of(v, width(a), signed)).collect(),
                        }
                    };
                    let (a, b) = (parts(&x[..n], signed[0]), parts(&x[n..2 * n], signed[1]));
                    let sum = a.iter().zip(&b).fold(0i128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
                    let w = width(to);
                    let sum = bits_of_int(sum, w);
                    let Some(&accumulator) = x.get(2 * n) else { return vec![sum] };
                    let total = int_of(sum, w, signed[0]) + int_of(accumulator, w, signed[0]);
                    let most = (1i128 << (w - u32::from(signed[0]))) - 1;
                    let least = if signed[0] { -most - 1 } else { 0 };
                    vec![bits_of_int(total.clamp(least, most), w)]
                }),
            });
        }
    }
    cases
}

/// By three factors, of which the last is the largest.
fn ldexp(x: f64, exponent: i64) -> f64 {
    let e = exponent.clamp(-3000, 3000) as i32;
    let last = e.clamp(-1000, 1000);
    let middle = (e - last).clamp(-1000, 1000);
    x * 2f64.powi(e - last - middle) * 2f64.powi(middle) * 2f64.powi(last)
}

fn ldexps() -> Vec<Case> {
    let pairs = FLOATS.iter().flat_map(|&elem| SIGNED.map(|exponent| (elem, exponent)));
    let shapes = pairs.flat_map(|(elem, exponent)| [1, 3].map(|n| (elem, exponent, n)));
    shapes
        .map(|(elem, exponent, n)| {
            let (t, e) = (glsl(elem, n), glsl(exponent, n));
            Case {
                prelude: format!("spirv_instruction(set = \"GLSL.std.450\", id = 53) {t} f_({t} x, {e} e);"),
                args: vec![(elem, n), (exponent, n)],
                results: vec![(elem, n)],
                body: "r0 = f_(a, b);".into(),
                reference: Box::new(move |x| {
                    let one = |i: usize| {
                        let by = int_of(x[i + n], width(exponent), true) as i64;
                        bits_of_float(ldexp(float_of(x[i], elem), by), elem)
                    };
                    (0..n).map(one).collect()
                }),
            }
        })
        .collect()
}

/// Zeros, infinities and NaNs are their own significands.
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, by) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(54), 54) } else { (x, 0) };
    let exponent = (scaled.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (ldexp(scaled, (-exponent).into()), exponent - by)
}

fn modf(x: f64) -> (f64, f64) {
    let fraction = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    (fraction.copysign(x), x.trunc())
}

/// As a struct and through a pointer: the first result, the second, and both again.
fn parts(numbers: [u32; 2], int: bool, f: fn(f64) -> (f64, f64)) -> Vec<Case> {
    let shapes = FLOATS.iter().flat_map(|&elem| [(elem, 1), (elem, 3)]);
    let [structure, pointer] = numbers;
    shapes
        .map(|(elem, n)| {
            let second = if int { I32 } else { elem };
            let (t, s) = (glsl(elem, n), glsl(second, n));
            let set = "spirv_instruction(set = \"GLSL.std.450\", id =";
            Case {
                prelude: format!(
                    "struct P {{ {t} x; {s} y; }}; {set} {structure}) P s_({t} x); {set} {pointer}) {t} p_({t} x, \
                     spirv_by_reference {s} y);"
                ),
                args: vec![(elem, n)],
                results: vec![(elem, n), (second, n), (elem, n), (second, n)],
                body: format!("P p = s_(a); r0 = p.x; r1 = p.y; {s} y; r2 = p_(a, y); r3 = y;"),
                reference: Box::new(move |x| {
                    let both: Vec<(f64, f64)> = x.iter().map(|&bits| f(float_of(bits, elem))).collect();
                    let first = both.iter().map(|v| bits_of_float(v.0, elem));
                    let second = both.iter().map(|v| match int {
                        true => bits_of_int(v.1 as i128, 32),
                        false => bits_of_float(v.1, elem),
                    });
                    let once: Vec<u64> = first.chain(second).collect();
                    once.repeat(2)
                }),
            }
        })
        .collect()
}

/// Shifts by amounts of every width: modulo the width of what is shifted.
fn shifts(id: u32, f: fn(i128, u32) -> i128, signed: bool) -> Vec<Case> {
    let pairs = UNSIGNED.iter().flat_map(|&elem| UNSIGNED.map(|amount| (elem, amount)));
    let shapes = pairs.flat_map(|(elem, amount)| [1, 3].map(|n| (elem, amount, n)));
    shapes
        .map(|(elem, amount, n)| {
            let (t, w) = (glsl(elem, n), width(elem));
            Case {
                prelude: format!("spirv_instruction(id = {id}) {t} f_({t} a, {} b);", glsl(amount, n)),
                args: vec![(elem, n), (amount, n)],
                results: vec![(elem, n)],
                body: "r0 = f_(a, b);".into(),
                reference: Box::new(move |x| {
                    let one = |i: usize| f(int_of(x[i], w, signed), x[i + n] as u32 & (w - 1));
                    (0..n).map(|i| bits_of_int(one(i), w)).collect()
                }),
            }
        })
        .collect()
}

/// Bit fields whose offset and count have widths of their own. What is inserted is the complement of the base.
fn fields(id: u32, f: fn(u64, u32, u32, u32) -> u64) -> Vec<Case> {
    let inserts = id == 201;
    let pairs = (0..4).flat_map(|k| (0..4).map(move |j| (UNSIGNED[k], UNSIGNED[j], UNSIGNED[(j + k) % 4])));
    let shapes = pairs.flat_map(|(elem, offset, count)| [1, 3].map(|n| (elem, offset, count, n)));
    shapes
        .map(|(elem, offset, count, n)| {
            let (t, w) = (glsl(elem, n), width(elem));
            let (o, c) = (glsl(offset, 1), glsl(count, 1));
            let (second, given) = if inserts { (format!(", {t} i"), ", ~a") } else { (String::new(), "") };
            let mask = w / 2 - 1;
            Case {
                prelude: format!("spirv_instruction(id = {id}) {t} f_({t} a{second}, {o} b, {c} c);"),
                args: vec![(elem, n), (offset, 1), (count, 1)],
                results: vec![(elem, n)],
                body: format!("r0 = f_(a{given}, b & {o}({mask}), c & {c}({mask}));"),
                reference: Box::new(move |x| {
                    let [offset, count] = [x[n], x[n + 1]].map(|v| v as u32 & mask);
                    (0..n).map(|i| bits_of_int(f(x[i], offset, count, w).into(), w)).collect()
                }),
            }
        })
        .collect()
}

fn field(base: u64, offset: u32, count: u32, _: u32) -> u64 {
    base >> offset & ((1 << count) - 1)
}

fn inserted(base: u64, offset: u32, count: u32, _: u32) -> u64 {
    let bits = (1 << count) - 1;
    base & !(bits << offset) | (!base & bits) << offset
}

fn signed_field(base: u64, offset: u32, count: u32, w: u32) -> u64 {
    match count {
        0 => 0,
        _ => int_of(field(base, offset, count, w), count, true) as u64,
    }
}

/// Every case, by the name of its instruction.
fn cases() -> Vec<(&'static str, Vec<Case>)> {
    let mut all: Vec<(&str, Vec<Case>)> = EXTENDED.iter().map(|row| (row.0, extended(row))).collect();
    all.extend(DOTS.iter().map(|row| (row.0, dots(row))));
    all.push(("ShiftLeftLogical", shifts(196, |a, by| a << by, false)));
    all.push(("ShiftRightLogical", shifts(194, |a, by| a >> by, false)));
    all.push(("ShiftRightArithmetic", shifts(195, |a, by| a >> by, true)));
    all.push(("BitFieldInsert", fields(201, inserted)));
    all.push(("BitFieldSExtract", fields(202, signed_field)));
    all.push(("BitFieldUExtract", fields(203, field)));
    all.push(("Ldexp", ldexps()));
    all.push(("Frexp", parts([52, 51], true, |x| (frexp(x).0, frexp(x).1.into()))));
    all.push(("Modf", parts([36, 35], false, modf)));
    all
}

impl Case {
    fn shader(&self) -> String {
        let names = ["a", "b", "c"];
        let mut text = format!("{HEADER}layout(local_size_x = 16) in;\n{}\n", self.prelude);
        for (k, &(elem, _)) in self.args.iter().enumerate() {
            let _ = writeln!(
                text,
                "layout(std430, binding = {k}) readonly buffer A{k} {{ {} {}s[]; }};",
                glsl(elem, 1),
                names[k]
            );
        }
        for (k, &(elem, _)) in self.results.iter().enumerate() {
            let binding = RESULTS as usize + 2 * k;
            for (at, name) in [(binding, "varying"), (binding + 1, "uniform")] {
                let ty = glsl(elem, 1);
                let _ =
                    writeln!(text, "layout(std430, binding = {at}) writeonly buffer R{at} {{ {ty} {name}{k}[]; }};");
            }
        }
        let inputs = self.args.iter().zip(names).map(|(&(elem, n), name)| format!("{} {name}", glsl(elem, n)));
        let outputs = self.results.iter().enumerate().map(|(k, &(elem, n))| format!("out {} r{k}", glsl(elem, n)));
        let parameters: Vec<String> = inputs.chain(outputs).collect();
        let _ = writeln!(text, "void f({}) {{ {} }}", parameters.join(", "), self.body);
        let call = |index: &str| {
            let load = |(&(elem, n), name): (&Shape, &str)| {
                let parts: Vec<String> = (0..n).map(|c| format!("{name}s[{n}u * {index} + {c}u]")).collect();
                format!("{}({})", glsl(elem, n), parts.join(", "))
            };
            let args = self.args.iter().zip(names).map(load);
            let args: Vec<String> = args.chain((0..self.results.len()).map(|k| format!("r{k}"))).collect();
            let declared: String =
                (0..).zip(&self.results).map(|(k, &(e, n))| format!("{} r{k}; ", glsl(e, n))).collect();
            format!("{declared}f({});\n", args.join(", "))
        };
        let stores = |name: &str, index: &str| -> String {
            let store = |(k, &(_, n)): (usize, &Shape)| -> String {
                let component = |c| if n == 1 { String::new() } else { format!("[{c}]") };
                (0..n).map(|c| format!("    {name}{k}[{n}u * {index} + {c}u] = r{k}{};\n", component(c))).collect()
            };
            self.results.iter().enumerate().map(store).collect()
        };
        let _ = write!(
            text,
            "void main() {{\n  uint i = gl_GlobalInvocationID.x;\n  if (i < {ELEMENTS}u) {{\n    {}{}  }}\n",
            call("i"),
            stores("varying", "i")
        );
        let _ = write!(
            text,
            "  for (uint k = gl_WorkGroupID.x; k < {ELEMENTS}u; k += gl_NumWorkGroups.x) {{\n    {}    if \
             (gl_LocalInvocationIndex != 0u) continue;\n{}  }}\n}}\n",
            call("k"),
            stores("uniform", "k")
        );
        text
    }

    fn run(&self) -> Result<usize, String> {
        let mut rng = Rng::new(31);
        let mut columns: Vec<Vec<u8>> = vec![vec![]; self.args.len()];
        let mut given = vec![];
        let mut wanted: Vec<Vec<u64>> = vec![vec![]; self.results.len()];
        for _ in 0..ELEMENTS {
            let mut all = vec![];
            for (column, &(elem, n)) in columns.iter_mut().zip(&self.args) {
                let edges = edges(elem);
                for _ in 0..n {
                    let bits = if rng.below(3) != 0 { *rng.pick(&edges) } else { random(elem, false, &mut rng) };
                    elem.push(bits, column);
                    all.push(bits);
                }
            }
            let mut results = (self.reference)(&all).into_iter();
            for (column, &(_, n)) in wanted.iter_mut().zip(&self.results) {
                column.extend(results.by_ref().take(n));
            }
            given.push(all);
        }
        let source = self.shader();
        let input = matrix::spirv(&source, "whole", false).map_err(|error| format!("{error}\n{source}"))?;
        let mut buffers: Buffers = (0..).zip(columns).map(|(k, column)| ((0, k), column)).collect();
        for (k, &(elem, n)) in (0..).zip(&self.results) {
            let zeros = vec![0; ELEMENTS * n * elem.size()];
            buffers.insert((0, RESULTS + 2 * k), zeros.clone());
            buffers.insert((0, RESULTS + 2 * k + 1), zeros);
        }
        let run = Run { groups: [ELEMENTS.div_ceil(16) as u32, 1, 1], buffers, ..Run::default() };
        matrix::execute(&input, &matrix::standard(), &run, |_, after| {
            for (k, &(elem, n)) in (0..).zip(&self.results) {
                for binding in [RESULTS + 2 * k, RESULTS + 2 * k + 1] {
                    for (j, bytes) in after[&(0, binding)].chunks(elem.size()).enumerate() {
                        let (got, want) = (elem.read(bytes), wanted[k as usize][j]);
                        let nan = |bits| is_float(elem) && float_of(bits, elem).is_nan();
                        if got != want && !(nan(got) && nan(want)) {
                            let (got, want) = (elem.show(got), elem.show(want));
                            return Err(format!(
                                "{}: r{k} of {:x?}: expected {want}, got {got}\n{source}",
                                self.prelude,
                                given[j / n]
                            ));
                        }
                    }
                }
            }
            Ok(())
        })
    }
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let run = |(name, cases): (&str, Vec<Case>)| {
        trial(format!("ops/typed/whole-{name}"), move || cases.iter().map(Case::run).sum())
    };
    cases().into_iter().map(run).collect()
}

/// Every shader.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    cases().into_iter().flat_map(|(name, cases)| cases.into_iter().map(move |case| (name, case.shader())))
}
