//! One trial per operation, against plain Rust.
//!
//! A row of a table names an operation, says how GLSL spells it and what it computes on one component. From it a shader is
//! made that applies the operation in every way that lowers differently, and stores each result on its own:
//!
//! | buffer | operands |
//! |---|---|
//! | `s` | varying scalars |
//! | `v2`, `v3`, `v4` | varying vectors |
//! | `u` | uniform scalars |
//! | `ma`, `mb` | the first, the last operand uniform, the others varying |
//!
//! Operands are all combinations of the edge values of their types. Everything is 32 bits, so values are their bits; other
//! types are the matter of [`typed`].

mod arithmetic;
mod bits;
mod compare;
mod convert;
mod coverage;
mod dots;
mod glsl;
mod library;
mod matrices;
mod misc;
mod opencl;
mod shaped;
pub mod typed;

use crate::support::{trial, words_of};
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::{Compare, Elem};
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// Type of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `float`.
    F,
    /// `int`.
    I,
    /// `uint`.
    U,
    /// `bool`, in buffers a `uint` that is 0 or 1.
    B,
}

impl Ty {
    fn elem(self) -> Elem {
        match self {
            Ty::F => Elem::F32,
            Ty::I => Elem::I32,
            Ty::U | Ty::B => Elem::U32,
        }
    }

    /// The GLSL type of `n` components.
    fn glsl(self, n: usize) -> String {
        let (scalar, vector) = match self {
            Ty::F => ("float", "vec"),
            Ty::I => ("int", "ivec"),
            Ty::U => ("uint", "uvec"),
            Ty::B => ("bool", "bvec"),
        };
        if n == 1 { scalar.to_string() } else { format!("{vector}{n}") }
    }

    /// The same, as buffers hold it.
    fn stored(self, n: usize) -> String {
        if self == Ty::B { Ty::U.glsl(n) } else { self.glsl(n) }
    }
}

/// Rust types that stand for components.
pub trait Component {
    /// The component type.
    const TY: Ty;
    /// From bits.
    fn of(bits: u32) -> Self;
    /// To bits.
    fn bits(self) -> u32;
}

macro_rules! component {
    ($rust:ty, $ty:expr, $of:expr, $bits:expr) => {
        impl Component for $rust {
            const TY: Ty = $ty;
            fn of(bits: u32) -> Self {
                ($of)(bits)
            }
            fn bits(self) -> u32 {
                ($bits)(self)
            }
        }
    };
}
component!(f32, Ty::F, f32::from_bits, f32::to_bits);
component!(i32, Ty::I, |bits| bits as i32, |value| value as u32);
component!(u32, Ty::U, |bits| bits, |value| value);
component!(bool, Ty::B, |bits| bits != 0, u32::from);

/// How a result is judged.
#[derive(Clone, Copy)]
pub enum Check {
    /// Against the reference.
    By(Compare),
    /// Where the specification leaves a choice: operands, what the reference gives, what came out.
    Any(fn(&[u32], u32, u32) -> bool),
}

/// Which operands an operation is tried on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// Edge values and random bits.
    Edges,
    /// Finite floats of moderate size.
    Moderate,
}

/// A row.
#[derive(Clone, Copy)]
pub struct Op {
    /// Name of the trial: the instruction as the specification spells it.
    pub name: &'static str,
    /// GLSL; `$a`, `$b`, `$c` are operands, `$R` is the result's type.
    pub scalar: &'static str,
    /// The same for vectors where it is spelled differently; empty where there is no vector form.
    pub vector: &'static str,
    /// Prototype made for each width; `$R`, `$A`, `$B`, `$C` are types.
    pub prototype: &'static str,
    /// Operand types.
    pub args: &'static [Ty],
    /// Result type.
    pub result: Ty,
    /// What it computes.
    pub reference: fn(&[u32]) -> u32,
    /// How the result is judged.
    pub check: Check,
    /// What it is tried on.
    pub inputs: Inputs,
}

impl Op {
    const fn vector(mut self, vector: &'static str) -> Op {
        self.vector = vector;
        self
    }
    const fn prototype(mut self, prototype: &'static str) -> Op {
        self.prototype = prototype;
        self
    }
    const fn ulp(mut self, bound: u64) -> Op {
        self.check = Check::By(Compare::Ulp(bound));
        self
    }
    const fn any(mut self, check: fn(&[u32], u32, u32) -> bool) -> Op {
        self.check = Check::Any(check);
        self
    }
    const fn moderate(mut self) -> Op {
        self.inputs = Inputs::Moderate;
        self
    }
}

/// A row: name, GLSL, and a function on components whose types are the operation's.
macro_rules! op {
    ($name:literal, $glsl:literal, |$($p:ident : $t:ty),+| -> $r:ty $body:block) => {
        $crate::ops::Op {
            name: $name,
            scalar: $glsl,
            vector: $glsl,
            prototype: "",
            args: &[$(<$t as $crate::ops::Component>::TY),+],
            result: <$r as $crate::ops::Component>::TY,
            reference: |operands| {
                let mut operands = operands.iter().copied();
                $(let $p = <$t as $crate::ops::Component>::of(operands.next().unwrap_or_default());)+
                let result: $r = $body;
                $crate::ops::Component::bits(result)
            },
            check: $crate::ops::Check::By(glslc2native_testsuite::values::Compare::Exact),
            inputs: $crate::ops::Inputs::Edges,
        }
    };
}
pub(crate) use op;

fn tables() -> impl Iterator<Item = (&'static str, &'static [Op])> {
    [
        ("arithmetic", arithmetic::OPS),
        ("bits", bits::OPS),
        ("compare", compare::OPS),
        ("convert", convert::OPS),
        ("glsl", glsl::OPS),
        ("misc", misc::OPS),
        ("library", library::OPS),
        ("opencl", opencl::OPS),
    ]
    .into_iter()
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let rows = tables().flat_map(|(family, ops)| ops.iter().map(move |op| (family, op)));
    let mut trials: Vec<Trial> =
        rows.map(|(family, op)| trial(format!("ops/{family}/{}", op.name), move || run(op))).collect();
    trials.extend(shaped::trials());
    trials.extend(library::trials());
    trials.extend(typed::trials());
    trials.push(trial("ops/coverage".into(), coverage::check));
    trials
}

/// Every shader, by the name of its row.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    let rows = tables().flat_map(|(_, ops)| ops).map(|op| (op.name, shader(op)));
    rows.chain(shaped::shaders()).chain(typed::shaders())
}

const FLOATS: [f32; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    0.1,
    -7.3,
    100.75,
    8_388_607.5,
    16_777_217.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    4_294_967_040.0,
    4_294_967_296.0,
    1e20,
    1e-40,
    -1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    -3e9,
];
const MODERATE: [f32; 16] =
    [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.25, 3.0, 0.3, -0.7, 9.75, -10.0, 57.3, -99.5, 0.001, 0.999];
const INTS: [i32; 22] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    31,
    32,
    33,
    100,
    -100,
    -32,
    0x5555_5555,
    0x00FF_00FF,
    65536,
    i32::MAX,
    i32::MAX - 1,
    i32::MIN,
    i32::MIN + 1,
    -65537,
];

/// Edge values of a type.
fn edges(ty: Ty, inputs: Inputs) -> Vec<u32> {
    match (ty, inputs) {
        (Ty::F, Inputs::Edges) => FLOATS.iter().map(|v| v.to_bits()).collect(),
        (Ty::F, Inputs::Moderate) => MODERATE.iter().map(|v| v.to_bits()).collect(),
        (Ty::I | Ty::U, _) => INTS.iter().map(|&v| v as u32).collect(),
        (Ty::B, _) => vec![0, 1],
    }
}

fn random(ty: Ty, inputs: Inputs, rng: &mut Rng) -> u32 {
    match (ty, inputs) {
        (Ty::F, Inputs::Moderate) => rng.range(-20.0, 20.0).to_bits(),
        (Ty::B, _) => rng.below(2),
        _ => rng.u32(),
    }
}

/// Operands: all combinations of edge values (of three, a selection), then random ones, then more random ones until the
/// number is one of 12 times an odd number: whole vectors of 2, 3 and 4 components, and no whole number of subgroups.
fn operands(args: &[Ty], inputs: Inputs) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(7);
    let mut rows: Vec<Vec<u32>> = vec![vec![]];
    for &ty in args {
        let edges = edges(ty, inputs);
        // Of three operands all combinations would be ten thousand and more.
        let step = if args.len() > 2 { edges.len().div_ceil(11) } else { 1 };
        let values: Vec<u32> = edges.into_iter().step_by(step).collect();
        rows = rows.iter().flat_map(|row| values.iter().map(move |&v| [&row[..], &[v]].concat())).collect();
    }
    let want = rows.len() + 64;
    while rows.len() < want || rows.len() % 24 != 12 {
        rows.push(args.iter().map(|&ty| random(ty, inputs, &mut rng)).collect());
    }
    rows
}

const NAMES: [&str; 3] = ["a", "b", "c"];
/// First binding of the vectors, and of the results.
const VECTORS: usize = 3;
const RESULTS: usize = 6;
/// Results in order of their bindings: name and components.
const SECTIONS: [(&str, usize); 7] = [("s", 1), ("v2", 2), ("v3", 3), ("v4", 4), ("u", 1), ("ma", 1), ("mb", 1)];

/// An operand as the operation takes it: booleans are made from the `uint` that a buffer holds.
fn operand(ty: Ty, n: usize, stored: &str) -> String {
    if ty == Ty::B { format!("{}({stored})", ty.glsl(n)) } else { stored.to_string() }
}

fn apply(op: &Op, n: usize, args: &[String]) -> String {
    let mut text = if n == 1 { op.scalar } else { op.vector }.replace("$R", &op.result.glsl(n));
    for (name, arg) in NAMES.iter().zip(args) {
        text = text.replace(&format!("${name}"), arg);
    }
    if op.result == Ty::B { format!("{}({text})", Ty::U.glsl(n)) } else { text }
}

/// The shader of a row.
fn shader(op: &Op) -> String {
    let mut text =
        String::from("#version 450\n#extension GL_EXT_spirv_intrinsics : enable\nlayout(local_size_x = 32) in;\n");
    if !op.prototype.is_empty() {
        for n in if op.vector.is_empty() { 1..=1 } else { 1..=4 } {
            let mut prototype = op.prototype.replace("$R", &op.result.glsl(n));
            for (name, ty) in ["$A", "$B", "$C"].iter().zip(op.args) {
                prototype = prototype.replace(name, &ty.glsl(n));
            }
            text += &prototype;
            text.push('\n');
        }
    }
    for (k, ty) in op.args.iter().enumerate() {
        let (name, vectors) = (NAMES[k], VECTORS + k);
        let (t1, t4) = (ty.stored(1), ty.stored(4));
        let _ = writeln!(text, "layout(std430, binding = {k}) readonly buffer A{k} {{ {t1} {name}[]; }};");
        let _ = writeln!(text, "layout(std430, binding = {vectors}) readonly buffer B{k} {{ {t4} {name}4[]; }};");
    }
    for (k, (name, n)) in SECTIONS.iter().enumerate() {
        let ty = op.result.stored(if *n == 4 { 4 } else { 1 });
        let binding = RESULTS + k;
        let _ = writeln!(text, "layout(std430, binding = {binding}) writeonly buffer R{k} {{ {ty} {name}[]; }};");
    }
    text += "layout(push_constant) uniform P { uint n; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x, g = gl_WorkGroupID.x;\n";
    let at = |index: &str| -> Vec<String> {
        op.args.iter().zip(NAMES).map(|(&ty, name)| operand(ty, 1, &format!("{name}[{index}]"))).collect()
    };
    let varying = at("i");
    let _ = writeln!(text, "  if (i < n) s[i] = {};", apply(op, 1, &varying));
    if !op.vector.is_empty() {
        for n in [2, 3] {
            let args: Vec<String> = op.args.iter().zip(NAMES).map(|(&ty, name)| gathered(ty, n, name)).collect();
            let result = op.result.stored(n);
            let _ = writeln!(text, "  if ({n}u * i < n) {{\n    {result} r = {};", apply(op, n, &args));
            for c in 0..n {
                let _ = writeln!(text, "    v{n}[{n}u * i + {c}u] = r[{c}];");
            }
            text += "  }\n";
        }
        let args: Vec<String> =
            op.args.iter().zip(NAMES).map(|(&ty, name)| operand(ty, 4, &format!("{name}4[i]"))).collect();
        let _ = writeln!(text, "  if (4u * i < n) v4[i] = {};", apply(op, 4, &args));
    }
    let ty = op.result.stored(1);
    let _ = writeln!(
        text,
        "  for (uint k = g; k < n; k += gl_NumWorkGroups.x) {{\n    {ty} r = {};\n    if (gl_LocalInvocationIndex == 0u) u[k] = r;\n  }}",
        apply(op, 1, &at("k"))
    );
    if let [_, _, ..] = op.args {
        let uniform = at("g");
        let first: Vec<String> = [&uniform[..1], &varying[1..]].concat();
        let last: Vec<String> = [&varying[..varying.len() - 1], &uniform[uniform.len() - 1..]].concat();
        let _ = writeln!(text, "  if (i < n) {{ ma[i] = {}; mb[i] = {}; }}", apply(op, 1, &first), apply(op, 1, &last));
    }
    text + "}\n"
}

/// A vector of consecutive scalars.
fn gathered(ty: Ty, n: usize, name: &str) -> String {
    let parts: Vec<String> = (0..n).map(|c| operand(ty, 1, &format!("{name}[{n}u * i + {c}u]"))).collect();
    format!("{}({})", ty.glsl(n), parts.join(", "))
}

/// Operands of element `i` of a section, by element of the tables.
fn operands_of(section: &str, rows: &[Vec<u32>], i: usize) -> Vec<u32> {
    let (mut args, group) = (rows[i].clone(), &rows[i / 32]);
    match section {
        "ma" => args[0] = group[0],
        "mb" => args[group.len() - 1] = group[group.len() - 1],
        _ => {}
    }
    args
}

fn run(op: &Op) -> Result<usize, String> {
    let rows = operands(op.args, op.inputs);
    let source = shader(op);
    let input = matrix::spirv(&source, op.name, false).map_err(|error| format!("{error}\n{source}"))?;
    let count = rows.len() as u32;
    let mut buffers = Buffers::new();
    for k in 0..op.args.len() {
        let column: Vec<u8> = rows.iter().flat_map(|row| row[k].to_le_bytes()).collect();
        buffers.insert((0, (VECTORS + k) as u32), column.clone());
        buffers.insert((0, k as u32), column);
    }
    for k in 0..SECTIONS.len() {
        buffers.insert((0, (RESULTS + k) as u32), vec![0; rows.len() * 4]);
    }
    let run =
        Run { groups: [count.div_ceil(32) + 1, 1, 1], push: count.to_le_bytes().to_vec(), buffers, ..Run::default() };
    matrix::execute(&input, &matrix::standard(), &run, |_, after| {
        for (k, (section, n)) in SECTIONS.iter().enumerate() {
            let absent = if section.starts_with('m') { op.args.len() < 2 } else { *n > 1 && op.vector.is_empty() };
            if !absent {
                judge(op, section, &rows, &words_of(&after[&(0, (RESULTS + k) as u32)]))?;
            }
        }
        Ok(())
    })
}

fn judge(op: &Op, section: &str, rows: &[Vec<u32>], actual: &[u32]) -> Result<(), String> {
    let elem = op.result.elem();
    let mut first = None;
    let mut differ = 0;
    for (i, &got) in actual.iter().enumerate() {
        let args = operands_of(section, rows, i);
        let want = (op.reference)(&args);
        let good = match op.check {
            Check::By(how) => how.accepts(elem, want.into(), got.into()),
            Check::Any(check) => check(&args, want, got),
        };
        if !good {
            differ += 1;
            first.get_or_insert((i, args, want, got));
        }
    }
    let Some((i, args, want, got)) = first else { return Ok(()) };
    let shown: Vec<String> = args.iter().zip(op.args).map(|(&bits, ty)| ty.elem().show(bits.into())).collect();
    Err(format!(
        "{section}[{i}]: ({}): expected {}, got {}; {differ} of {} differ",
        shown.join(", "),
        elem.show(want.into()),
        elem.show(got.into()),
        actual.len()
    ))
}
