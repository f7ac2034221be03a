//! Random block layouts: nested structs, arrays, vectors and matrices, by columns or by rows, under std140, std430 and scalar rules.
//!
//! The expected offsets are computed here from the rules of the GLSL specification (§7.6.2.2 "Standard Uniform Block
//! Layout") and GL_EXT_scalar_block_layout. One shader copies every scalar leaf of a block to a flat array, one the other
//! way; what lies between the leaves must stay as it was.

use crate::support::{Setup, trial};
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// A type of a block's member.
enum Type {
    /// Letter of the component (`f`, `i`, `u`) and number of components.
    Vector(char, u32),
    /// Columns, rows, and whether it is stored row by row.
    Matrix(u32, u32, bool),
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
const OLD: u32 = 0xABAD_1DEA;
const MAX_LEAVES: usize = 60;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![];
    for (rules, name) in [(Rules::Std140, "std140"), (Rules::Std430, "std430"), (Rules::Scalar, "scalar")] {
        for seed in 0..8 {
            trials.push(trial(format!("layouts/{name}/{seed}"), move || check(rules, name, seed)));
        }
    }
    trials
}

/// State of making a random block.
struct Making {
    /// Structs so far.
    structs: usize,
    /// The block's matrices are stored row by row.
    row_major: bool,
}

/// Alignment and size of a vector.
fn vector_layout(n: u32, rules: Rules) -> (u32, u32) {
    let align = match rules {
        Rules::Scalar => 4,
        _ if n == 3 => 16,
        _ => n * 4,
    };
    (align, n * 4)
}

impl Type {
    fn random(rng: &mut Rng, depth: u32, making: &mut Making) -> Type {
        match rng.below(if depth == 0 { 5 } else { 8 }) {
            0..=3 => Type::Vector(*rng.pick(&['f', 'i', 'u']), 1 + rng.below(4)),
            4 => Type::Matrix(2 + rng.below(3), 2 + rng.below(3), making.row_major),
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
    fn matrix_stride(vector: u32, rules: Rules) -> (u32, u32) {
        let (align, size) = vector_layout(vector, rules);
        let align = if rules == Rules::Std140 { align.next_multiple_of(16) } else { align };
        (align, size.next_multiple_of(align))
    }

    /// Alignment and size.
    fn layout(&self, rules: Rules) -> (u32, u32) {
        let rounded = |align: u32| if rules == Rules::Std140 { align.next_multiple_of(16) } else { align };
        match self {
            Type::Vector(_, n) => vector_layout(*n, rules),
            Type::Matrix(columns, rows, row_major) => {
                let (vectors, length) = if *row_major { (rows, columns) } else { (columns, rows) };
                let (align, stride) = Type::matrix_stride(*length, rules);
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

    /// Appends path, offset and component letter of every scalar. Some array indices are not constant in the shader:
    /// `zero` is a push constant.
    fn leaves(&self, rules: Rules, path: &str, offset: u32, out: &mut Vec<(String, u32, char)>) {
        match self {
            Type::Vector(kind, 1) => out.push((path.to_string(), offset, *kind)),
            Type::Vector(kind, n) => {
                let component = |c| (format!("{path}.{}", ["x", "y", "z", "w"][c as usize]), offset + c * 4, *kind);
                out.extend((0..*n).map(component));
            }
            Type::Matrix(columns, rows, row_major) => {
                let (_, stride) = Type::matrix_stride(if *row_major { *columns } else { *rows }, rules);
                for c in 0..*columns {
                    let column = if c % 2 == 1 { format!("{c}u + zero") } else { c.to_string() };
                    for r in 0..*rows {
                        let at = if *row_major { r * stride + c * 4 } else { c * stride + r * 4 };
                        let row = if r == 2 { "2u + zero".to_string() } else { r.to_string() };
                        out.push((format!("{path}[{column}][{row}]"), offset + at, 'f'));
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
        let scalar = |kind: &char| match kind {
            'f' => "float",
            'i' => "int",
            _ => "uint",
        };
        match self {
            Type::Vector(kind, 1) => (scalar(kind).to_string(), String::new()),
            Type::Vector('f', n) => (format!("vec{n}"), String::new()),
            Type::Vector(kind, n) => (format!("{kind}vec{n}"), String::new()),
            Type::Matrix(columns, rows, _) => (format!("mat{columns}x{rows}"), String::new()),
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

fn check(rules: Rules, name: &str, seed: u64) -> Result<usize, String> {
    let mut rng = Rng::new(seed + 100);
    let (block, leaves) = loop {
        let mut making = Making { structs: 0, row_major: seed % 2 == 1 };
        let block = Type::random_struct(&mut rng, 3, &mut making);
        let mut leaves = vec![];
        block.leaves(rules, "s[i]", 0, &mut leaves);
        if (4..=MAX_LEAVES).contains(&leaves.len()) {
            break (block, leaves);
        }
    };
    let (struct_name, _) = block.glsl();
    let (count, stride) = (leaves.len() as u32, block.stride(rules) / 4);
    let mut text = String::from(
        "#version 450\n#extension GL_EXT_scalar_block_layout : enable\nlayout(local_size_x = 8) in;\nlayout(push_constant) uniform P { uint zero; };\n",
    );
    block.declare(&mut text);
    let order = if seed % 2 == 1 { "row_major" } else { "column_major" };
    let _ = writeln!(text, "layout({name}, binding = 0) buffer B {{ layout({order}) {struct_name} s[]; }};");
    text +=
        "layout(std430, binding = 1) buffer F { uint flat_[]; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n";
    let (mut load, mut store) = (text.clone(), text);
    let _ = writeln!(store, "  if (i >= {ELEMENTS}u) return;");
    for (k, (path, _, kind)) in leaves.iter().enumerate() {
        let flat = format!("flat_[i * {count}u + {k}u]");
        let _ = match kind {
            'f' => writeln!(load, "  {flat} = floatBitsToUint({path});"),
            _ => writeln!(load, "  {flat} = uint({path});"),
        };
        let _ = match kind {
            'f' => writeln!(store, "  {path} = uintBitsToFloat({flat});"),
            'i' => writeln!(store, "  {path} = int({flat});"),
            _ => writeln!(store, "  {path} = {flat};"),
        };
    }
    load.push_str("}\n");
    store.push_str("}\n");

    let value = |i: u32, k: u32| 0x3F00_0000 + i * 0x1_0000 + k;
    let mut memory = vec![OLD; (ELEMENTS * stride) as usize];
    for i in 0..ELEMENTS {
        for (k, (_, offset, _)) in leaves.iter().enumerate() {
            memory[(i * stride + offset / 4) as usize] = value(i, k as u32);
        }
    }
    let flat: Vec<u32> = (0..ELEMENTS * count).map(|at| value(at / count, at % count)).collect();
    let groups = ELEMENTS.div_ceil(8);
    let base = || Setup::groups(groups, 1, 1).push(&[0]);
    let loads = base().words(0, memory.iter().copied()).zeros(1, flat.len()).expect(1, flat.iter().copied());
    let stores = base().words(0, vec![OLD; memory.len()]).words(1, flat).expect(0, memory);
    let count = loads.run("load", &load).map_err(|error| format!("{error}\n{load}"))?;
    Ok(count + stores.run("store", &store).map_err(|error| format!("{error}\n{store}"))?)
}
