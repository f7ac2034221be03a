//! Instructions at every component type that the op table claims, against references that know the type as a parameter.
//!
//! The other tables of this folder try instructions on 32 bits in the ways of GLSL. Here an instruction is given by its
//! number, so that signed ones meet unsigned types too, and each type has one shader: scalars, vectors of three, operands that
//! are the same in the subgroup, and both mixed. Integers are computed as integers of 128 bits and wrapped, floats as 64
//! bits and rounded once, which gives what their own arithmetic would (Figueroa, "When is double rounding innocuous?").

mod atomics;
mod bits;
mod geometry;
mod moves;
mod table;
mod whole;

use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem;
use half::f16;
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// Which extensions a shader of any type needs.
pub const HEADER: &str = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_spirv_intrinsics : enable
";

/// Every integer type.
pub const INTS: &[Elem] = &[Elem::I8, Elem::U8, Elem::I16, Elem::U16, Elem::I32, Elem::U32, Elem::I64, Elem::U64];
/// Every float type.
pub const FLOATS: &[Elem] = &[Elem::F16, Elem::F32, Elem::F64];
/// All types that buffers hold.
pub const ALL: &[Elem] = &[
    Elem::I8,
    Elem::U8,
    Elem::I16,
    Elem::U16,
    Elem::I32,
    Elem::U32,
    Elem::I64,
    Elem::U64,
    Elem::F16,
    Elem::F32,
    Elem::F64,
];

/// The instruction of a row.
#[derive(Clone, Copy)]
pub enum Number {
    /// Of SPIR-V.
    Core(spirv::Op),
    /// Of GLSL.std.450.
    Glsl(spirv::GlslStd450Op),
}

/// What a row computes on one component.
#[derive(Clone, Copy)]
pub enum Reference {
    /// Integers, and the width; wrapped afterwards.
    Int(fn(&[i128], u32) -> i128),
    /// A test of integers.
    IntTest(fn(&[i128]) -> bool),
    /// Floats, rounded afterwards.
    Float(fn(&[f64]) -> f64),
    /// The same, computed in several steps: within some units of the type's precision, times the largest operand.
    Steps(fn(&[f64]) -> f64),
    /// A test of floats.
    FloatTest(fn(&[f64]) -> bool),
    /// A conversion to the result's type.
    Convert,
}

/// How integer operands are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    Type,
    Signed,
    Unsigned,
}

/// A row.
#[derive(Clone, Copy)]
pub struct Row {
    pub number: Number,
    /// Operands, all of one type.
    pub args: usize,
    pub types: &'static [Elem],
    /// Types of the result; empty: that of the operands, or a boolean of a test.
    pub results: &'static [Elem],
    pub reads: Reads,
    pub reference: Reference,
}

/// The GLSL type of `n` components.
pub fn glsl(elem: Elem, n: usize) -> String {
    let (scalar, vector) = match elem {
        Elem::I8 => ("int8_t", "i8vec"),
        Elem::U8 => ("uint8_t", "u8vec"),
        Elem::I16 => ("int16_t", "i16vec"),
        Elem::U16 => ("uint16_t", "u16vec"),
        Elem::I32 => ("int", "ivec"),
        Elem::U32 => ("uint", "uvec"),
        Elem::I64 => ("int64_t", "i64vec"),
        Elem::U64 => ("uint64_t", "u64vec"),
        Elem::F16 => ("float16_t", "f16vec"),
        Elem::F32 => ("float", "vec"),
        Elem::F64 => ("double", "dvec"),
    };
    if n == 1 { scalar.into() } else { format!("{vector}{n}") }
}

/// Is it a float type?
pub fn is_float(elem: Elem) -> bool {
    FLOATS.contains(&elem)
}

fn is_signed(elem: Elem) -> bool {
    matches!(elem, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
}

fn width(elem: Elem) -> u32 {
    elem.size() as u32 * 8
}

/// The integer that bits stand for.
fn int_of(bits: u64, width: u32, signed: bool) -> i128 {
    let unused = 64 - width;
    if signed { i128::from((bits << unused) as i64 >> unused) } else { i128::from(bits << unused >> unused) }
}

fn bits_of_int(value: i128, width: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - width))
}

/// The float that bits stand for.
pub fn float_of(bits: u64, elem: Elem) -> f64 {
    match elem {
        Elem::F16 => f16::from_bits(bits as u16).to_f64(),
        Elem::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The nearest value of a type.
pub fn bits_of_float(value: f64, elem: Elem) -> u64 {
    match elem {
        Elem::F16 => f16::from_f64(value).to_bits().into(),
        Elem::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// The distance of 1 and its neighbour.
pub fn precision(elem: Elem) -> f64 {
    match elem {
        Elem::F16 => 2f64.powi(-10),
        Elem::F32 => 2f64.powi(-23),
        _ => 2f64.powi(-52),
    }
}

const EDGE_INTS: [i128; 19] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    31,
    63,
    100,
    -100,
    0x55,
    0xff,
    0x7fff,
    0x8000,
    0x1_0000_0001,
    0x7fff_ffff,
    -0x8000_0000,
];

const EDGE_FLOATS: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -7.3,
    100.75,
    -129.0,
    255.5,
    2047.5,
    40000.0,
    -65504.0,
    65520.0,
    2_147_483_648.0,
    -2_147_483_904.0,
    1e19,
    -1e19,
    1e300,
    6e-8,
    -3.1e-5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Edge values of a type, as bits.
fn edges(elem: Elem) -> Vec<u64> {
    if is_float(elem) {
        let least = 1u64;
        return EDGE_FLOATS.iter().map(|&v| bits_of_float(v, elem)).chain([least]).collect();
    }
    let w = width(elem);
    let (min, max) = (1i128 << (w - 1), (1i128 << (w - 1)) - 1);
    let mut all: Vec<u64> = EDGE_INTS.iter().chain(&[min, max, min + 1]).map(|&v| bits_of_int(v, w)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Random bits; floats of moderate size where the reference takes several steps.
fn random(elem: Elem, moderate: bool, rng: &mut Rng) -> u64 {
    match moderate && is_float(elem) {
        true => bits_of_float(rng.range(-20.0, 20.0).into(), elem),
        false => rng.bits() & (u64::MAX >> (64 - width(elem))),
    }
}

/// Operands of one type: all pairs of edge values (of three operands a sample), then random ones until there are twelve
/// times an odd number: whole vectors, buffers that are whole words, and no whole number of subgroups.
fn operands(row: &Row, elem: Elem) -> Vec<Vec<u64>> {
    let mut rng = Rng::new(5);
    let moderate = matches!(row.reference, Reference::Steps(_));
    let mut rows: Vec<Vec<u64>> = vec![];
    if !moderate {
        let edges = edges(elem);
        rows.push(vec![]);
        let step = if row.args > 2 { edges.len().div_ceil(9) } else { 1 };
        for k in 0..row.args {
            let values: Vec<u64> = edges.iter().copied().skip(k % step).step_by(step).collect();
            rows = rows.iter().flat_map(|row| values.iter().map(move |&v| [&row[..], &[v]].concat())).collect();
        }
    }
    let want = rows.len() + 60;
    while rows.len() < want || rows.len() % 24 != 12 {
        rows.push((0..row.args).map(|_| random(elem, moderate, &mut rng)).collect());
    }
    if row.has_field() {
        rows.iter_mut().for_each(|row| make_field(row, width(elem).into()));
    }
    rows
}

/// Makes of the last two operands the offset and the count of a field that fits.
fn make_field(row: &mut [u64], width: u64) {
    if let [.., offset, count] = row {
        *count %= width + 1;
        *offset %= width + 1 - *count;
    }
}

impl Row {
    pub fn name(&self) -> String {
        match self.number {
            Number::Core(op) => format!("{op:?}"),
            Number::Glsl(op) => format!("{op:?}"),
        }
    }

    fn has_field(&self) -> bool {
        use spirv::Op;
        matches!(self.number, Number::Core(Op::BitFieldInsert | Op::BitFieldUExtract | Op::BitFieldSExtract))
    }

    /// Is that operand a scalar beside vectors too?
    fn is_scalar(&self, operand: usize) -> bool {
        self.has_field() && operand + 2 >= self.args
    }

    fn tests(&self) -> bool {
        matches!(self.reference, Reference::IntTest(_) | Reference::FloatTest(_))
    }

    /// Pairs of the operands' and the result's type, as the buffer holds it.
    fn cells(&self) -> impl Iterator<Item = (Elem, Elem)> {
        let (tests, results) = (self.tests(), self.results);
        self.types.iter().flat_map(move |&elem| {
            let same = if tests { vec![Elem::U32] } else { vec![elem] };
            let all = if results.is_empty() { same } else { results.to_vec() };
            all.into_iter().filter(move |&to| results.is_empty() || to != elem).map(move |to| (elem, to))
        })
    }

    /// Bits of the result, and by how much it may differ.
    fn expected(&self, elem: Elem, to: Elem, args: &[u64]) -> (u64, f64) {
        let ints = || -> Vec<i128> {
            let signed = match self.reads {
                Reads::Type => is_signed(elem),
                Reads::Signed => true,
                Reads::Unsigned => false,
            };
            args.iter().map(|&bits| int_of(bits, width(elem), signed)).collect()
        };
        let floats = || -> Vec<f64> { args.iter().map(|&bits| float_of(bits, elem)).collect() };
        match self.reference {
            Reference::Int(f) => (bits_of_int(f(&ints(), width(elem)), width(to)), 0.0),
            Reference::IntTest(f) => (f(&ints()).into(), 0.0),
            Reference::FloatTest(f) => (f(&floats()).into(), 0.0),
            Reference::Float(f) => (bits_of_float(f(&floats()), to), 0.0),
            Reference::Steps(f) => {
                let floats = floats();
                let result = f(&floats);
                let size = floats.iter().chain([&result, &1.0]).fold(0f64, |most, v| most.max(v.abs()));
                (bits_of_float(result, to), 8.0 * precision(to) * size)
            }
            Reference::Convert => (self.converted(elem, to, args[0], ints()[0]), 0.0),
        }
    }

    fn converted(&self, elem: Elem, to: Elem, bits: u64, int: i128) -> u64 {
        match (is_float(elem), is_float(to)) {
            (true, true) => bits_of_float(float_of(bits, elem), to),
            (false, false) => bits_of_int(int, width(to)),
            (false, true) if to == Elem::F32 => (int as f32).to_bits().into(),
            (false, true) => bits_of_float(int as f64, to),
            (true, false) => {
                let (least, most) = match self.reads {
                    Reads::Signed => (-(1i128 << (width(to) - 1)), (1i128 << (width(to) - 1)) - 1),
                    _ => (0, (1i128 << width(to)) - 1),
                };
                bits_of_int((float_of(bits, elem) as i128).clamp(least, most), width(to))
            }
        }
    }

    /// The shader for one type.
    fn shader(&self, elem: Elem, to: Elem) -> String {
        let mut text = String::from(HEADER);
        text += "layout(local_size_x = 16) in;\n";
        let number = match self.number {
            Number::Core(op) => format!("id = {}", op as u32),
            Number::Glsl(op) => format!("set = \"GLSL.std.450\", id = {}", op as u32),
        };
        let result = |n: usize| match (self.tests(), n) {
            (true, 1) => "bool".into(),
            (true, n) => format!("bvec{n}"),
            _ => glsl(to, n),
        };
        for n in [1, 3] {
            let parameters: Vec<String> = (0..self.args)
                .map(|k| format!("{} {}", glsl(elem, if self.is_scalar(k) { 1 } else { n }), NAMES[k]))
                .collect();
            let _ = writeln!(text, "spirv_instruction({number}) {} f_({});", result(n), parameters.join(", "));
        }
        for (k, name) in NAMES[..self.args].iter().enumerate() {
            let _ =
                writeln!(text, "layout(std430, binding = {k}) readonly buffer A{k} {{ {} {name}[]; }};", glsl(elem, 1));
        }
        for (k, name) in SECTIONS.iter().enumerate() {
            let binding = RESULTS + k as u32;
            let _ = writeln!(
                text,
                "layout(std430, binding = {binding}) writeonly buffer R{k} {{ {} {name}[]; }};",
                glsl(to, 1)
            );
        }
        text += "layout(push_constant) uniform P { uint n; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x, g = gl_WorkGroupID.x;\n";
        let call = |index: &dyn Fn(usize) -> &'static str| {
            let args: Vec<String> = (0..self.args).map(|k| format!("{}[{}]", NAMES[k], index(k))).collect();
            format!("{}(f_({}))", glsl(to, 1), args.join(", "))
        };
        let _ = writeln!(text, "  if (i < n) s[i] = {};", call(&|_| "i"));
        let three: Vec<String> = (0..self.args)
            .map(|k| match (NAMES[k], self.is_scalar(k)) {
                (p, true) => format!("{p}[3u * i]"),
                (p, false) => format!("{}({p}[3u * i], {p}[3u * i + 1u], {p}[3u * i + 2u])", glsl(elem, 3)),
            })
            .collect();
        let _ = writeln!(text, "  if (3u * i < n) {{\n    {} r = f_({});", result(3), three.join(", "));
        for c in 0..3 {
            let _ = writeln!(text, "    v[3u * i + {c}u] = {}(r[{c}]);", glsl(to, 1));
        }
        let _ = writeln!(text, "  }}\n  for (uint k = g; k < n; k += gl_NumWorkGroups.x) {{");
        let _ = writeln!(
            text,
            "    {} r = {};\n    if (gl_LocalInvocationIndex == 0u) u[k] = r;\n  }}",
            glsl(to, 1),
            call(&|_| "k")
        );
        let _ = writeln!(text, "  if (i < n) m[i] = {};", call(&|k| if k == 0 { "i" } else { "g" }));
        text + "}\n"
    }

    fn run(&self, elem: Elem, to: Elem) -> Result<usize, String> {
        let rows = operands(self, elem);
        let source = self.shader(elem, to);
        let input = matrix::spirv(&source, &self.name(), false).map_err(|error| format!("{error}\n{source}"))?;
        let count = rows.len() as u32;
        let mut buffers = Buffers::new();
        for k in 0..self.args {
            let mut column = vec![];
            rows.iter().for_each(|row| elem.push(row[k], &mut column));
            buffers.insert((0, k as u32), column);
        }
        for k in 0..SECTIONS.len() {
            buffers.insert((0, RESULTS + k as u32), vec![0; rows.len() * to.size()]);
        }
        let push = count.to_le_bytes().to_vec();
        let run = Run { groups: [count.div_ceil(16) + 1, 1, 1], push, buffers, ..Run::default() };
        matrix::execute(&input, &matrix::standard(), &run, |_, after| {
            for (k, section) in SECTIONS.iter().enumerate() {
                let bytes = &after[&(0, RESULTS + k as u32)];
                for (i, bytes) in bytes.chunks(to.size()).enumerate() {
                    let mut args = rows[i].clone();
                    for (k, arg) in args.iter_mut().enumerate() {
                        match *section {
                            "m" if k > 0 => *arg = rows[i / 16][k],
                            "v" if self.is_scalar(k) => *arg = rows[i / 3 * 3][k],
                            _ => {}
                        }
                    }
                    self.judge(elem, to, section, &args, to.read(bytes))?;
                }
            }
            Ok(())
        })
    }

    fn judge(&self, elem: Elem, to: Elem, section: &str, args: &[u64], got: u64) -> Result<(), String> {
        let (want, tolerance) = self.expected(elem, to, args);
        let close = is_float(to) && {
            let (want, got) = (float_of(want, to), float_of(got, to));
            want.is_nan() && got.is_nan() || (want - got).abs() <= tolerance
        };
        if want == got || close && (tolerance > 0.0 || float_of(want, to).is_nan()) {
            return Ok(());
        }
        let shown: Vec<String> = args.iter().map(|&bits| elem.show(bits)).collect();
        Err(format!(
            "{} at {}: {section}: ({}): expected {}, got {}",
            self.name(),
            elem.name(),
            shown.join(", "),
            to.show(want),
            to.show(got)
        ))
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Binding of the first result.
const RESULTS: u32 = 4;
/// Results: scalars, vectors, uniform operands, the first operand varying and the others uniform.
const SECTIONS: [&str; 4] = ["s", "v", "u", "m"];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = table::rows()
        .map(|row| {
            trial(format!("ops/typed/{}", row.name()), move || {
                row.cells().map(|(elem, to)| row.run(elem, to)).sum::<Result<usize, String>>()
            })
        })
        .collect();
    trials.extend(bits::trials());
    trials.extend(geometry::trials());
    trials.extend(moves::trials());
    trials.extend(whole::trials());
    trials.extend(atomics::trials());
    trials
}

/// Every shader, with a name.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    let rows = table::rows().flat_map(|row| row.cells().map(move |(elem, to)| ("typed", row.shader(elem, to))));
    let more = bits::shaders().chain(geometry::shaders()).chain(moves::shaders());
    rows.chain(more).chain(whole::shaders()).chain(atomics::shaders())
}
