//! Random block layouts, of words and of components of every width: nested structs, arrays, vectors and matrices, by columns or by rows, under std140, std430 and scalar rules.
//!
//! The expected offsets are computed here from the rules of the GLSL specification (§7.6.2.2 "Standard Uniform Block
//! Layout") and GL_EXT_scalar_block_layout. One shader copies every scalar leaf of a block to a flat array, one the other
//! way; what lies between the leaves must stay as it was.

use crate::ops::typed::{HEADER, glsl, is_float};
use crate::support::{Setup, trial, words_of};
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::values::Elem;
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// A type of a block's member.
enum Type {
    /// Type and number of components.
    Vector(Elem, u32),
    /// Component type, columns, rows, and whether it is stored row by row.
    Matrix(Elem, u32, u32, bool),
    Array(Box<Type>, u32),
    /// Number of the struct and its members.
    Struct(usize, Vec<Type>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rules {
    Std140,
    Std430,
    Scalar,
}

const ELEMENTS: u32 = 13;
/// What memory holds beside what is stored.
const OLD: u8 = 0xA5;
const MAX_LEAVES: usize = 60;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![];
    for (rules, name) in [(Rules::Std140, "std140"), (Rules::Std430, "std430"), (Rules::Scalar, "scalar")] {
        for seed in 0..16 {
            trials.push(trial(format!("layouts/{name}/{seed}"), move || check(rules, name, seed)));
        }
    }
    trials
}

/// Component types, all of 32 bits or of every width.
const WORDS: &[Elem] = &[Elem::F32, Elem::I32, Elem::U32];
const EVERY: &[Elem] =
    &[Elem::F16, Elem::F32, Elem::F64, Elem::I8, Elem::U8, Elem::U16, Elem::I32, Elem::I64, Elem::I16];

/// State of making a random block.
struct Making {
    elems: &'static [Elem],
    /// Structs so far.
    structs: usize,
    /// The block's matrices are stored row by row.
    row_major: bool,
}

/// Alignment and size of a vector.
fn vector_layout(elem: Elem, n: u32, rules: Rules) -> (u32, u32) {
    let size = elem.size() as u32;
    let align = match rules {
        Rules::Scalar => size,
        _ if n == 3 => 4 * size,
        _ => n * size,
    };
    (align, n * size)
}

impl Type {
    fn random(rng: &mut Rng, depth: u32, making: &mut Making) -> Type {
        match rng.below(if depth == 0 { 5 } else { 8 }) {
            0..=3 => Type::Vector(*rng.pick(making.elems), 1 + rng.below(4)),
            4 => {
                let floats: Vec<Elem> = making.elems.iter().copied().filter(|elem| is_float(*elem)).collect();
                Type::Matrix(*rng.pick(&floats), 2 + rng.below(3), 2 + rng.below(3), making.row_major)
            }
            5 | 6 => Type::Array(Box::new(Type::random(rng, depth - 1, making)), 1 + rng.below(3)),
            _ => Type::random_struct(rng, depth - 1, making),
        }
    }

    fn random_struct(rng: &mut Rng, depth: u32, making: &mut Making) -> Type {
        let members = (0..1 + rng.below(4)).map(|_| Type::random(rng, depth, making)).collect();
        making.structs += 1;
        Type::Struct(making.structs, members)
    }

    /// Of a matrix: alignment and distance of the vectors that it is stored as.
    fn matrix_stride(elem: Elem, vector: u32, rules: Rules) -> (u32, u32) {
        let (align, size) = vector_layout(elem, vector, rules);
        let align = if rules == Rules::Std140 { align.next_multiple_of(16) } else { align };
        (align, size.next_multiple_of(align))
    }

    /// Alignment and size.
    fn layout(&self, rules: Rules) -> (u32, u32) {
        let rounded = |align: u32| if rules == Rules::Std140 { align.next_multiple_of(16) } else { align };
        match self {
            Type::Vector(elem, n) => vector_layout(*elem, *n, rules),
            Type::Matrix(elem, columns, rows, row_major) => {
                let (vectors, length) = if *row_major { (rows, columns) } else { (columns, rows) };
                let (align, stride) = Type::matrix_stride(*elem, *length, rules);
                (align, stride * vectors)
            }
            Type::Array(element, count) => {
                let align = rounded(element.layout(rules).0);
                (align, element.stride(rules) * count)
            }
            Type::Struct(_, members) => {
                let align = rounded(members.iter().map(|member| member.layout(rules).0).max().unwrap_or(4));
                let end = Type::offsets(members, rules).last().map_or(0, |(offset, size)| offset + size);
                (align, end.next_multiple_of(align))
            }
        }
    }

    /// Distance of elements of an array of this type.
    fn stride(&self, rules: Rules) -> u32 {
        let (align, size) = self.layout(rules);
        size.next_multiple_of(if rules == Rules::Std140 { align.next_multiple_of(16) } else { align })
    }

    /// Offset and size of each member.
    fn offsets(members: &[Type], rules: Rules) -> Vec<(u32, u32)> {
        let mut end = 0u32;
        let place = |member: &Type| {
            let (align, size) = member.layout(rules);
            let offset = end.next_multiple_of(align);
            end = offset + size;
            (offset, size)
        };
        members.iter().map(place).collect()
    }

    /// Appends path, offset and type of every scalar. Some array indices are not constant in the shader:
    /// `zero` is a push constant.
    fn leaves(&self, rules: Rules, path: &str, offset: u32, out: &mut Vec<(String, u32, Elem)>) {
        match self {
            Type::Vector(kind, 1) => out.push((path.to_string(), offset, *kind)),
            Type::Vector(kind, n) => {
                let size = kind.size() as u32;
                let component = |c| (format!("{path}.{}", ["x", "y", "z", "w"][c as usize]), offset + c * size, *kind);
                out.extend((0..*n).map(component));
            }
            Type::Matrix(elem, columns, rows, row_major) => {
                let size = elem.size() as u32;
                let (_, stride) = Type::matrix_stride(*elem, if *row_major { *columns } else { *rows }, rules);
                for c in 0..*columns {
                    let column = if c % 2 == 1 { format!("{c}u + zero") } else { c.to_string() };
                    for r in 0..*rows {
                        let at = if *row_major { r * stride + c * size } else { c * stride + r * size };
                        let row = if r == 2 { "2u + zero".to_string() } else { r.to_string() };
                        out.push((format!("{path}[{column}][{row}]"), offset + at, *elem));
                    }
                }
            }
            Type::Array(element, count) => {
                for k in 0..*count {
                    let index = if k % 2 == 1 { format!("{k}u + zero") } else { k.to_string() };
                    element.leaves(rules, &format!("{path}[{index}]"), offset + k * element.stride(rules), out);
                }
            }
            Type::Struct(_, members) => {
                for (k, (member, (at, _))) in members.iter().zip(Type::offsets(members, rules)).enumerate() {
                    member.leaves(rules, &format!("{path}.m{k}"), offset + at, out);
                }
            }
        }
    }

    /// Name of the type, and what follows the name of a variable of it.
    fn glsl(&self) -> (String, String) {
        match self {
            Type::Vector(elem, n) => (glsl(*elem, *n as usize), String::new()),
            Type::Matrix(elem, columns, rows, _) => {
                let prefix = match elem {
                    Elem::F16 => "f16",
                    Elem::F32 => "",
                    _ => "d",
                };
                (format!("{prefix}mat{columns}x{rows}"), String::new())
            }
            Type::Array(element, count) => {
                let (name, suffix) = element.glsl();
                (name, format!("[{count}]{suffix}"))
            }
            Type::Struct(number, _) => (format!("S{number}"), String::new()),
        }
    }

    /// Appends declarations of all structs, inner ones first.
    fn declare(&self, text: &mut String) {
        match self {
            Type::Vector(..) | Type::Matrix(..) => {}
            Type::Array(element, _) => element.declare(text),
            Type::Struct(number, members) => {
                members.iter().for_each(|member| member.declare(text));
                let _ = write!(text, "struct S{number} {{");
                for (k, member) in members.iter().enumerate() {
                    let (name, suffix) = member.glsl();
                    let _ = write!(text, " {name} m{k}{suffix};");
                }
                text.push_str(" };\n");
            }
        }
    }
}

/// Functions between a scalar and its bits, for every type.
fn conversions() -> String {
    let mut text = String::new();
    for &elem in EVERY.iter().chain(&[Elem::U32]) {
        let name = glsl(elem, 1);
        let (from, to) = match elem {
            Elem::F16 => ("uint64_t(float16BitsToUint16(v))", "uint16BitsToFloat16(uint16_t(b))".to_string()),
            Elem::F32 => ("uint64_t(floatBitsToUint(v))", "uintBitsToFloat(uint(b))".into()),
            Elem::F64 => ("doubleBitsToUint64(v)", "uint64BitsToDouble(b)".into()),
            Elem::I8 => ("uint64_t(uint8_t(v))", format!("{name}(b)")),
            Elem::I16 => ("uint64_t(uint16_t(v))", format!("{name}(b)")),
            Elem::I32 => ("uint64_t(uint(v))", format!("{name}(b)")),
            _ => ("uint64_t(v)", format!("{name}(b)")),
        };
        let _ = writeln!(text, "uint64_t bits_({name} v) {{ return {from}; }}");
        let _ = writeln!(text, "{name} {}_(uint64_t b) {{ return {to}; }}", elem.name());
    }
    text
}

/// Bits of leaf `k` of element `i`: no NaN, and other numbers for other leaves.
fn value(elem: Elem, i: u32, k: u32) -> u64 {
    let n = u64::from(i * 67 + k);
    match elem.size() {
        1 => (n * 3) & 0xff,
        2 => 0x3400 + n,
        4 => 0x3F00_0000 + u64::from(i * 0x1_0000 + k),
        _ => 0x3FF0_0000_0000_0000 + (n << 33) + n,
    }
}

fn check(rules: Rules, name: &str, seed: u64) -> Result<usize, String> {
    let mut rng = Rng::new(seed + 100);
    let (block, leaves) = loop {
        let elems = if seed < 8 { WORDS } else { EVERY };
        let mut making = Making { elems, structs: 0, row_major: seed % 2 == 1 };
        let block = Type::random_struct(&mut rng, 3, &mut making);
        let mut leaves = vec![];
        block.leaves(rules, "s[i]", 0, &mut leaves);
        if (4..=MAX_LEAVES).contains(&leaves.len()) {
            break (block, leaves);
        }
    };
    let (struct_name, _) = block.glsl();
    let (count, stride) = (leaves.len() as u32, block.stride(rules));
    let mut text = format!(
        "{HEADER}#extension GL_EXT_scalar_block_layout : enable\nlayout(local_size_x = 8) in;\nlayout(push_constant) uniform P {{ uint zero; }};\n{}",
        conversions()
    );
    block.declare(&mut text);
    let order = if seed % 2 == 1 { "row_major" } else { "column_major" };
    let _ = writeln!(text, "layout({name}, binding = 0) buffer B {{ layout({order}) {struct_name} s[]; }};");
    text += "layout(std430, binding = 1) buffer F { uint64_t flat_[]; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n";
    let (mut load, mut store) = (text.clone(), text);
    let _ = writeln!(store, "  if (i >= {ELEMENTS}u) return;");
    for (k, (path, _, elem)) in leaves.iter().enumerate() {
        let flat = format!("flat_[i * {count}u + {k}u]");
        let _ = writeln!(load, "  {flat} = bits_({path});");
        let _ = writeln!(store, "  {path} = {}_({flat});", elem.name());
    }
    load.push_str("}\n");
    store.push_str("}\n");

    // Buffers are whole words.
    let size = (ELEMENTS * stride).next_multiple_of(4) as usize;
    let mut memory = vec![OLD; size];
    let mut flat = vec![];
    for i in 0..ELEMENTS {
        for (k, (_, offset, elem)) in leaves.iter().enumerate() {
            let bits = value(*elem, i, k as u32);
            let mut bytes = vec![];
            elem.push(bits, &mut bytes);
            memory[(i * stride + offset) as usize..][..bytes.len()].copy_from_slice(&bytes);
            flat.extend(bits.to_le_bytes());
        }
    }
    let groups = ELEMENTS.div_ceil(8);
    let base = || Setup::groups(groups, 1, 1).push(&[0]);
    let loads = base().bytes(0, memory.clone()).bytes(1, vec![0; flat.len()]).expect(1, words_of(&flat));
    let stores = base().bytes(0, vec![OLD; size]).bytes(1, flat).expect(0, words_of(&memory));
    let count = loads.run("load", &load).map_err(|error| format!("{error}\n{load}"))?;
    Ok(count + stores.run("store", &store).map_err(|error| format!("{error}\n{store}"))?)
}
