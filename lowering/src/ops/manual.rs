//! The mapping manual, generated from the op table: what each SPIR-V type, instruction and declaration becomes.
//!
//! In: the tables of this module. Out: Markdown, the same for the same tables.

use super::declared::{self, Declared, Handling};
use super::function;
use super::row::NONE;
use super::{Done, FAMILIES, Family, How, Row};
use crate::ir::Opcode;
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, StorageClass};
use std::fmt::{Debug, Write};

const INTRODUCTION: &str = "\
# SPIR-V to Cranelift IR: the mapping manual

This manual is generated from the op table (`lowering/src/ops`); `cargo xtask manual` writes it. It follows MLIR's
\"SPIR-V Dialect to LLVM Dialect conversion manual\" family by family: the column *LLVM dialect* says what that conversion
makes of an instruction (`–`: nothing, or nothing yet), the column *here* what this compiler makes of it:

- a plain name is an emission primitive of `simt/legal`, applied to each component: once for operands that are the same
  in the whole subgroup, otherwise once per chunk of lanes;
- *whole* stands before an emitter that sees all components of its operands at once;
- *simt* stands before the part of the lowering, and *lift* before the part of the lifting, that handles the instruction.

*Component types* are those of the first operand (and, after an arrow, of the result) for which a row is done. *Lanes off*
says whether an instruction may be executed while all lanes are off: *safe*, or only under a *mask*. An instruction that
is not done is an error that names it, the reason and the source line; it is never skipped.
";

const TYPES: &str = "\
## Types

A value is the list of its scalar leaves. A leaf that is the same in the whole subgroup is one CLIF scalar; a varying leaf
is W / C chunks of C lanes (W invocations in a subgroup; C is 4, or 1 without vectors). Layout in memory is as decorated
(`Offset`, `ArrayStride`, `MatrixStride`, `RowMajor`) and never recomputed.

| SPIR-V | LLVM dialect | uniform | varying, C = 4 | varying, C = 1 | in memory |
|---|---|---|---|---|---|
| bool | `i1` | `i8`, 0 or 1 | `i32x4`, 0 or -1 | `i8`, 0 or 1 | none; `i32` in memory of the implementation's own |
| 32-bit int, signed or not | `i32` | `i32` | `i32x4` | `i32` | 4 bytes |
| 32-bit float | `f32` | `f32` | `f32x4` | `f32` | 4 bytes |
| 64-bit int, signed or not | `i64` | `i64` | two `i64x2` for each `i32x4` | `i64` | 8 bytes |
| 64-bit float | `f64` | `f64` | two `f64x2` for each `f32x4` | `f64` | 8 bytes |
| 8- and 16-bit int, signed | `i8`, `i16` | `i32`, sign-extended | `i32x4`, sign-extended | `i32`, sign-extended | 1, 2 bytes |
| 8- and 16-bit int, unsigned | `i8`, `i16` | `i32`, zero-extended | `i32x4`, zero-extended | `i32`, zero-extended | 1, 2 bytes |
| 16-bit float | `f16` | `f32` of the same value | `f32x4` of the same values | `f32` of the same value | 2 bytes |
| vector | `vector<n x T>` | its components | its components | its components | components one after another |
| matrix | – | its columns | its columns | its columns | by `MatrixStride` and `RowMajor` |
| array | `!llvm.array<n x T>` | its elements | its elements | its elements | by `ArrayStride` |
| runtime array | `!llvm.array<0 x T>` | none | none | none | by `ArrayStride`; as long as the bound buffer allows |
| struct | `!llvm.struct` | its members | its members | its members | by `Offset` |
| pointer | `!llvm.ptr` | root and offset | root, base and offsets of lanes | root and offset of the lane | none |
| image, sampler | – | none | none | none | none |

Narrow integers are brought back to their type after operations that may leave it (a shift up and down, or a mask), and
extended the other way where an instruction reads them so, whatever the type's signedness says. 16-bit floats are computed
with 32 bits and rounded once, to the nearest even, which for sums, products, quotients and roots is what 16 bits would
give. Memory of the implementation's own (Function, Private, Workgroup) has a word for each component, or two where a
variable has any of 64 bits. Masks of 32-bit lanes are widened beside 64-bit lanes, and masks that these give are narrowed.

Lane by lane, since there are no vectors for it: shifts by amounts that differ from lane to lane; division and remainder of
64-bit integers; conversions between 64-bit integers and 32-bit floats, and from floats to 64-bit integers.
";

/// The heading of a family, as in the conversion manual where it is there.
fn heading(family: Family) -> &'static str {
    match family {
        Family::Arithmetic => "Arithmetic ops",
        Family::Bitwise => "Bitwise ops",
        Family::Cast => "Cast ops",
        Family::Comparison => "Comparison ops",
        Family::Logical => "Logical ops",
        Family::Miscellaneous => "Miscellaneous ops",
        Family::Shift => "Shift ops",
        Family::Constant => "Constants",
        Family::Composite => "Composite ops",
        Family::Matrix => "Matrix ops",
        Family::Memory => "Memory ops",
        Family::Atomic => "Atomic ops",
        Family::ControlFlow => "Control flow",
        Family::Glsl => "GLSL extended instruction set",
        Family::OpenCl => "OpenCL extended instruction set",
        Family::Amd => "AMD's extended instruction sets",
        Family::Outside => "Functions outside of the shader",
        Family::Function => "Functions and related ops",
        Family::NonUniform => "Subgroup ops",
        Family::Barrier => "Barrier ops",
        Family::Image => "Image ops",
        Family::Module => "Module ops",
        Family::Foreign => "Ops of kernels, other stages and vendors",
    }
}

/// The mapping manual in Markdown.
pub fn manual() -> String {
    let mut out = INTRODUCTION.to_string();
    out.push('\n');
    out += TYPES;
    summary(&mut out);
    for (family, groups) in FAMILIES {
        let rows: Vec<&Row> = groups.iter().copied().flatten().collect();
        section(&mut out, *family, &rows);
    }
    support(&mut out);
    declarations(&mut out);
    out
}

/// How many rows of each family are done.
fn summary(out: &mut String) {
    *out += "\n## Coverage\n\n| family | done | instructions |\n|---|---|---|\n";
    let mut sums = (0, 0);
    for (family, groups) in FAMILIES {
        let rows = || groups.iter().copied().flatten();
        let (done, all) = (rows().filter(|row| row.supported()).count(), rows().count());
        sums = (sums.0 + done, sums.1 + all);
        line(out, &[heading(*family).into(), done.to_string(), all.to_string()]);
    }
    line(out, &["all".into(), sums.0.to_string(), sums.1.to_string()]);
}

fn section(out: &mut String, family: Family, rows: &[&Row]) {
    write!(out, "\n## {}\n", heading(family)).ok();
    if rows.iter().any(|row| row.supported()) {
        *out += "\n| instruction | LLVM dialect | here | component types | lanes off | notes |\n|---|---|---|---|---|---|\n";
    }
    for row in rows.iter().filter(|row| row.supported()) {
        let llvm = if row.llvm == NONE { NONE.into() } else { format!("`{}`", row.llvm) };
        let cells = [format!("`{}`", row.opcode), llvm, here(row), component_types(row), lanes_off(row).into()];
        line(out, &[&cells[..], &[row.note.replace('|', "\\|")]].concat());
    }
    gaps(out, rows);
    if family == Family::Function {
        controls(out);
    }
}

/// What becomes of function control.
fn controls(out: &mut String) {
    *out += "\n| function control | LLVM dialect | here |\n|---|---|---|\n";
    for control in function::CONTROLS {
        let llvm = if control.llvm == NONE { NONE.into() } else { format!("`{}`", control.llvm) };
        line(out, &[format!("`{}`", control.name), llvm, control.here.into()]);
    }
    *out += "\n| always inlined: a function that | why |\n|---|---|\n";
    for (what, why) in function::ALWAYS_INLINED {
        line(out, &[(*what).into(), (*why).into()]);
    }
}

/// What is not done, by reason, in order of the first of each.
fn gaps(out: &mut String, rows: &[&Row]) {
    let mut reasons: Vec<(&str, Vec<String>)> = vec![];
    for row in rows {
        let How::Unsupported(reason) = row.how else { continue };
        let name = match row.llvm {
            NONE => format!("`{}`", row.opcode),
            llvm => format!("`{}` (LLVM: `{llvm}`)", row.opcode),
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if !reasons.is_empty() {
        *out += "\nNot done:\n\n";
    }
    for (reason, names) in reasons {
        let reason = reason.replace('|', "\\|");
        writeln!(out, "- {}\n  — {reason}.", names.join(", ")).ok();
    }
}

fn here(row: &Row) -> String {
    match row.how {
        How::Compose(_) => format!("whole `{}`", row.here),
        How::Simt(_) => format!("simt: {}", row.here),
        How::Lift(_) => format!("lift: {}", row.here),
        How::Stdlib(_) => format!("library: `{}`", row.here),
        _ => format!("`{}`", row.here),
    }
}

fn lanes_off(row: &Row) -> &'static str {
    match row.how {
        How::Lift(_) => NONE,
        _ if row.speculatable => "safe",
        _ => "mask",
    }
}

const TYPE_NAMES: &[(Done, &str)] = &[
    (Done::BOOL, "bool"),
    (Done::I8, "i8"),
    (Done::I16, "i16"),
    (Done::I32, "i32"),
    (Done::I64, "i64"),
    (Done::F16, "f16"),
    (Done::F32, "f32"),
    (Done::F64, "f64"),
];

/// What operands a row takes: one form for all that work component by component.
fn shapes(row: &Row) -> &'static str {
    use spirv::{GlslStd450Op as G, Op as S};
    match row.opcode {
        _ if row.how.is_lane_wise() && row.family != Family::Matrix => "scalar, vector",
        _ if row.family == Family::Matrix => "matrix",
        Opcode::Core(S::Dot | S::Any | S::All | S::VectorShuffle | S::VectorExtractDynamic) => "vector",
        Opcode::Core(S::VectorInsertDynamic) | Opcode::Glsl(G::Cross) => "vector",
        Opcode::Glsl(G::Determinant | G::MatrixInverse) => "matrix",
        Opcode::Core(S::CompositeExtract | S::CompositeInsert | S::CompositeConstruct | S::CopyLogical) => "composite",
        Opcode::Core(S::Load | S::Store | S::CopyObject | S::CopyMemory) => "any",
        _ => "scalar, vector",
    }
}

/// Which row is done for which component type: the matrix of support.
fn support(out: &mut String) {
    *out += "\n# Support by component type\n\nFor each instruction with components: its operands, and the component types of \
             the first for which it is done. Each cell of a row that emits code by itself is run by a test.\n\n";
    let names: Vec<String> = TYPE_NAMES.iter().map(|(_, name)| name.to_string()).collect();
    line(out, &[&["instruction".into(), "operands".into()][..], &names].concat());
    writeln!(out, "|---|---|{}", "---|".repeat(names.len())).ok();
    let rows = FAMILIES.iter().flat_map(|(_, groups)| groups.iter().copied().flatten());
    for row in rows.filter(|row| row.supported() && row.done != Done::NONE) {
        let cell = |(one, _): &(Done, &str)| if row.done.0 & one.0 != 0 { "✓".to_string() } else { String::new() };
        let cells: Vec<String> = TYPE_NAMES.iter().map(cell).collect();
        line(out, &[&[format!("`{}`", row.opcode), shapes(row).into()][..], &cells].concat());
    }
}

fn component_types(row: &Row) -> String {
    let list = |done: Done| -> String {
        let names: Vec<&str> =
            TYPE_NAMES.iter().filter(|(one, _)| done.0 & one.0 != 0).map(|(_, name)| *name).collect();
        if names.is_empty() { NONE.into() } else { names.join(", ") }
    };
    match row.done == row.results {
        true => list(row.done),
        false => format!("{} → {}", list(row.done), list(row.results)),
    }
}

fn declarations(out: &mut String) {
    *out +=
        "\n# Declarations\n\nWhat is in none of these tables belongs to a stage or an extension that is not done.\n";
    table(out, "Decorations", declared::DECORATIONS, Decoration::from_u32);
    table(out, "Built-ins", declared::BUILTINS, BuiltIn::from_u32);
    table(out, "Execution modes", declared::EXECUTION_MODES, ExecutionMode::from_u32);
    table(out, "Storage classes", declared::STORAGE_CLASSES, StorageClass::from_u32);
    *out += "\nA capability may be declared whether or not it is done: *refused* is the use of what it allows.\n";
    table(out, "Capabilities", declared::CAPABILITIES, Capability::from_u32);
}

/// One kind of declaration: the table, then the names of all others.
fn table<T: Copy + PartialEq + Debug>(
    out: &mut String,
    title: &str,
    rows: &[Declared<T>],
    from_u32: fn(u32) -> Option<T>,
) {
    write!(out, "\n## {title}\n\n| | | |\n|---|---|---|\n").ok();
    for row in rows {
        let handling = match row.handling {
            Handling::Obeyed => "obeyed",
            Handling::Ignored => "ignored",
            Handling::Refused => "refused",
        };
        line(out, &[format!("`{:?}`", row.what), handling.into(), row.why.into()]);
    }
    let others: Vec<String> = (0..=u32::from(u16::MAX))
        .filter_map(from_u32)
        .filter(|what| rows.iter().all(|row| row.what != *what))
        .map(|what| format!("`{what:?}`"))
        .collect();
    if !others.is_empty() {
        write!(out, "\nOf stages and extensions that are not done: {}.\n", others.join(", ")).ok();
    }
}

fn line(out: &mut String, cells: &[String]) {
    writeln!(out, "| {} |", cells.join(" | ")).ok();
}
