//! Vectors and matrices of every float type: products, lengths, directions.

use super::{FLOATS, HEADER, bits_of_float, float_of, glsl, precision};
use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem;
use libtest_mimic::Trial;

type V = [f64; 3];
/// The columns.
type M = [V; 3];

/// GLSL on the vectors `p`, `q`, `n`, the scalar `k` and the matrix `m` of the three vectors, and the same in Rust.
struct Case {
    glsl: &'static str,
    reference: fn(&M, f64) -> f64,
}

const fn case(glsl: &'static str, reference: fn(&M, f64) -> f64) -> Case {
    Case { glsl, reference }
}

fn dot(a: &V, b: &V) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &V) -> f64 {
    dot(a, a).sqrt()
}

fn less(a: &V, b: &V) -> V {
    std::array::from_fn(|i| a[i] - b[i])
}

fn row(m: &M, r: usize) -> V {
    std::array::from_fn(|c| m[c][r])
}

fn refract([p, q, _]: &M, k: f64) -> f64 {
    let d = dot(q, p);
    let under = 1.0 - k * k * (1.0 - d * d);
    if under < 0.0 { 0.0 } else { k * p[0] - (k * d + under.sqrt()) * q[0] }
}

fn determinant(m: &M) -> f64 {
    let minor = |a: usize, b: usize| m[1][a] * m[2][b] - m[1][b] * m[2][a];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

const CASES: &[Case] = &[
    case("dot(p, q)", |m, _| dot(&m[0], &m[1])),
    case("length(p)", |m, _| length(&m[0])),
    case("length(k)", |_, k| k.abs()),
    case("distance(p, q)", |m, _| length(&less(&m[0], &m[1]))),
    case("normalize(p).x", |m, _| m[0][0] / length(&m[0])),
    case("cross(p, q).y", |m, _| m[0][2] * m[1][0] - m[1][2] * m[0][0]),
    case("faceforward(p, q, n).z", |m, _| if dot(&m[2], &m[1]) < 0.0 { m[0][2] } else { -m[0][2] }),
    case("reflect(p, q).x", |m, _| m[0][0] - 2.0 * dot(&m[1], &m[0]) * m[1][0]),
    case("refract(p, q, k).x", refract),
    case("(p * k).y", |m, k| m[0][1] * k),
    case("(m * k)[1].x", |m, k| m[1][0] * k),
    case("(m * p).y", |m, _| dot(&row(m, 1), &m[0])),
    case("(p * m).z", |m, _| dot(&m[0], &m[2])),
    case("(m * m)[1].x", |m, _| dot(&row(m, 0), &m[1])),
    case("outerProduct(p, q)[2].y", |m, _| m[0][1] * m[1][2]),
    case("transpose(m)[1].z", |m, _| m[2][1]),
    case("m[2][1]", |m, _| m[2][1]),
    case("determinant(m)", |m, _| determinant(m)),
    // Well-conditioned: the diagonal outweighs the rest.
    case("inverse(diagonal)[1].x", |m, _| {
        let m: M = std::array::from_fn(|c| std::array::from_fn(|r| m[c][r] + if c == r { 8.0 } else { 0.0 }));
        (m[2][0] * m[1][2] - m[1][0] * m[2][2]) / determinant(&m)
    }),
];

/// Functions of the standard library, which have no 64-bit form.
const LIBRARY: &[Case] = &[
    case("sin(p).x", |m, _| m[0][0].sin()),
    case("cos(p.y)", |m, _| m[0][1].cos()),
    case("exp2(p).z", |m, _| m[0][2].exp2()),
    case("log2(abs(p) + k * k).x", |m, k| (m[0][0].abs() + k * k).log2()),
    case("pow(abs(p), q).x", |m, _| m[0][0].abs().powf(m[1][0])),
    case("atan(p.x, q.x)", |m, _| m[0][0].atan2(m[1][0])),
    case("tanh(p).y", |m, _| m[0][1].tanh()),
    case("ldexp(p, ivec3(2)).x", |m, _| m[0][0] * 4.0),
];

fn cases(elem: Elem) -> Vec<&'static Case> {
    let library = if elem == Elem::F64 { &[][..] } else { LIBRARY };
    CASES.iter().chain(library).collect()
}

const ELEMENTS: usize = 44;

fn shader(elem: Elem) -> String {
    let (scalar, vector) = (glsl(elem, 1), glsl(elem, 3));
    let matrix = match elem {
        Elem::F16 => "f16mat3",
        Elem::F32 => "mat3",
        _ => "dmat3",
    };
    let cases = cases(elem);
    let stores = |name: &str, index: &str| -> String {
        let store =
            |(k, case): (usize, &&Case)| format!("    {name}[{index} * {} + {k}] = {};\n", cases.len(), case.glsl);
        cases.iter().enumerate().map(store).collect()
    };
    let load = |index: &str| {
        let at = |j: usize| {
            format!("{vector}(a[{index} * 10 + {j}], a[{index} * 10 + {}], a[{index} * 10 + {}])", j + 1, j + 2)
        };
        format!(
            "    {vector} p = {}, q = {}, n = {}; {scalar} k = a[{index} * 10 + 9]; {matrix} m = {matrix}(p, q, n), diagonal = m + {matrix}({scalar}(8));\n",
            at(0),
            at(3),
            at(6)
        )
    };
    format!(
        "{HEADER}layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A {{ {scalar} a[]; }};
layout(std430, binding = 1) writeonly buffer B {{ {scalar} b[]; }};
layout(std430, binding = 2) writeonly buffer C {{ {scalar} c[]; }};
void main() {{
  uint i = gl_GlobalInvocationID.x;
  if (i < {ELEMENTS}u) {{
{}{}  }}
  for (uint j = gl_WorkGroupID.x; j < {ELEMENTS}u; j += gl_NumWorkGroups.x) {{
{}    if (gl_LocalInvocationIndex != 0u) continue;
{}  }}
}}
",
        load("i"),
        stores("b", "i"),
        load("j"),
        stores("c", "j"),
    )
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    FLOATS.iter().map(|&elem| trial(format!("ops/typed/geometry-{}", elem.name()), move || run(elem))).collect()
}

/// Every shader.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    FLOATS.iter().map(|&elem| ("geometry", shader(elem)))
}

fn run(elem: Elem) -> Result<usize, String> {
    let mut rng = Rng::new(23);
    let source = shader(elem);
    let input = matrix::spirv(&source, "geometry", false).map_err(|error| format!("{error}\n{source}"))?;
    let values: Vec<u64> = (0..ELEMENTS * 10).map(|_| bits_of_float(rng.range(-2.0, 2.0).into(), elem)).collect();
    let mut memory = vec![];
    values.iter().for_each(|&bits| elem.push(bits, &mut memory));
    let cases = cases(elem);
    let size = ELEMENTS * cases.len() * elem.size();
    let buffers: Buffers = [((0, 0), memory), ((0, 1), vec![0; size]), ((0, 2), vec![0; size])].into();
    let run = Run { groups: [3, 1, 1], buffers, ..Run::default() };
    matrix::execute(&input, &matrix::standard(), &run, |_, after| {
        for slot in [1, 2] {
            for (j, bytes) in after[&(0, slot)].chunks(elem.size()).enumerate() {
                let (i, case) = (j / cases.len(), cases[j % cases.len()]);
                let v: Vec<f64> = values[i * 10..][..10].iter().map(|&bits| float_of(bits, elem)).collect();
                let m: M = std::array::from_fn(|c| std::array::from_fn(|r| v[3 * c + r]));
                let want = (case.reference)(&m, v[9]);
                let got = float_of(elem.read(bytes), elem);
                // Sums of a few products of numbers up to 2.
                if (want - got).abs() > 64.0 * precision(elem) * want.abs().max(1.0) {
                    return Err(format!("{} at {}: {v:?}: expected {want}, got {got}", case.glsl, elem.name()));
                }
            }
        }
        Ok(())
    })
}
