//! Blocks of a shader as C structs.
//!
//! In: types with their layout as the module decorates it (SPIR-V specification, §3.20 "Decoration"). Out: C structs
//! whose members lie at the same offsets, by explicit padding, and assertions of it.
//!
//! A vector is an array; a matrix is an array of columns (of rows where it is row-major), each as long as the matrix's
//! stride; an array of numbers or vectors with a larger stride has rows that long; an array of anything else with a
//! larger stride has elements with a member `value`, unless the elements are structs, which are padded to the stride
//! themselves where they can be. Half-precision numbers are their bits. A member that C cannot lay
//! out so, which takes a module that no GLSL compiler writes, is its bytes.

use super::names::{Names, comment};
use glslc2native_lowering::analysis::interface::glsl_type;
use glslc2native_lowering::analysis::layout::{self, MatrixLayout};
use glslc2native_lowering::ir::{Member, Scalar, StructId, Type, TypeId, Types};
use std::collections::HashMap;
use std::fmt::Write;

/// A type of C.
#[derive(Clone, Debug)]
struct CType {
    /// What stands before the name.
    base: String,
    /// What stands behind it.
    dimensions: String,
    size: u64,
    align: u64,
}

/// A member of a C struct.
struct Placed<'t> {
    member: &'t Member,
    index: usize,
    offset: u64,
}

/// Writes structs, each once.
pub(super) struct Blocks<'t> {
    types: &'t Types,
    /// Before the name of every type.
    prefix: String,
    known: HashMap<StructId, Option<CType>>,
    /// Structs that are elements of arrays, with the smallest stride.
    strides: HashMap<StructId, u64>,
    /// Definitions, in the order in which C needs them.
    pub text: String,
}

impl<'t> Blocks<'t> {
    /// Structs whose names start with `prefix`, for the types `roots` and all that is in them.
    pub fn new(types: &'t Types, prefix: &str, roots: impl IntoIterator<Item = TypeId>) -> Blocks<'t> {
        let mut strides = HashMap::new();
        roots.into_iter().for_each(|root| collect_strides(types, root, &mut strides));
        Blocks { types, prefix: prefix.into(), known: HashMap::new(), strides, text: String::new() }
    }

    /// Defines a block, and gives the name of its struct; `None` where all of it is a runtime array, of which only the
    /// type of an element is defined, or where C has no form for it.
    pub fn block(&mut self, ty: TypeId, names: &mut Names) -> Option<String> {
        let Type::Struct(id) = self.types[ty] else { return None };
        self.strukt(ty, id, names).map(|c| c.base)
    }

    fn c_type(&mut self, ty: TypeId, matrix: MatrixLayout, names: &mut Names) -> Option<CType> {
        match self.types[ty] {
            Type::Scalar(scalar) => number(scalar),
            Type::Vector { component, count } => Some(array(number(component)?, u64::from(count))),
            Type::Matrix { column, columns } => {
                let Type::Vector { component, count } = self.types[column] else { return None };
                let component = number(component)?;
                let (rows, length) = if matrix.row_major { (count, columns) } else { (columns, count) };
                let stride = u64::from(layout::matrix_stride(self.types, ty, matrix)?);
                Some(array(row(component, u64::from(length), stride)?, u64::from(rows)))
            }
            Type::Array { element, count, .. } if count > 0 => {
                let stride = layout::element_stride(self.types, ty, matrix)?;
                Some(array(self.element(element, stride, matrix, names)?, u64::from(count)))
            }
            Type::Struct(id) => self.strukt(ty, id, names),
            Type::Pointer { .. } => Some(CType { base: "uint64_t".into(), dimensions: "".into(), size: 8, align: 8 }),
            _ => None,
        }
    }

    /// An element of an array, of as many bytes as its stride.
    fn element(&mut self, ty: TypeId, stride: u64, matrix: MatrixLayout, names: &mut Names) -> Option<CType> {
        let element = self.c_type(ty, matrix, names)?;
        if element.size == stride {
            return Some(element);
        }
        match self.types[ty] {
            Type::Scalar(scalar) => row(number(scalar)?, 1, stride),
            Type::Vector { component, count } => row(number(component)?, u64::from(count), stride),
            _ if stride > element.size && stride.is_multiple_of(element.align) => {
                let CType { base, dimensions, size, align } = element;
                let base = format!("struct {{ {base} value{dimensions}; uint8_t padding[{}]; }}", stride - size);
                Some(CType { base, dimensions: "".into(), size: stride, align })
            }
            _ => None,
        }
    }

    fn strukt(&mut self, ty: TypeId, id: StructId, names: &mut Names) -> Option<CType> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let strukt = &self.types.structs[id];
        let name = if strukt.name.is_empty() { "block" } else { &strukt.name };
        let name = names.claim(&format!("{}_{name}", self.prefix));
        let mut placed: Vec<Placed<'t>> = vec![];
        for (index, member) in strukt.members.iter().enumerate() {
            let offset = layout::member_offset(self.types, ty, index as u32)?;
            placed.push(Placed { member, index, offset });
        }
        placed.sort_by_key(|p| p.offset);
        let stride = self.strides.get(&id).copied().unwrap_or(0);
        let defined = self.define(&name, &placed, stride, names);
        self.known.insert(id, defined.clone());
        defined
    }

    /// Writes a struct's definition, of at least `stride` bytes; what it needs is written before.
    fn define(&mut self, name: &str, placed: &[Placed<'t>], stride: u64, names: &mut Names) -> Option<CType> {
        let mut members = Names::default();
        let (mut lines, mut asserts) = (String::new(), String::new());
        let (mut end, mut align, mut paddings, mut open) = (0u64, 1u64, 0u32, false);
        for (at, Placed { member, index, offset }) in placed.iter().enumerate() {
            let (offset, note) = (*offset, self.note(member));
            let wanted = if member.name.is_empty() { format!("member{index}") } else { member.name.clone() };
            if offset < end {
                let _ = writeln!(lines, "    /* {} ({note}) lies in the member before */", comment(&wanted));
                continue;
            }
            let matrix = MatrixLayout::of(member);
            if let Type::RuntimeArray { element, .. } = self.types[member.ty] {
                let stride = layout::element_stride(self.types, member.ty, matrix)?;
                let element = self.element(element, stride, matrix, names);
                if end == 0 {
                    self.define_element(name, &wanted, &note, stride, element, names);
                    return None;
                }
                let Some(element) = element.filter(|e| offset.is_multiple_of(e.align)) else { continue };
                let member = members.claim(&wanted);
                pad(&mut lines, &mut paddings, &mut members, offset - end);
                let CType { base, dimensions, .. } = &element;
                let _ = writeln!(lines, "    {base} {member}[]{dimensions}; /* {offset}: {note} */");
                let _ = writeln!(asserts, "G2N_ASSERT(offsetof({name}, {member}) == {offset});");
                let _ = writeln!(asserts, "G2N_ASSERT(sizeof((({name} *)0)->{member}[0]) == {stride});");
                (align, open) = (align.max(element.align), true);
                break;
            }
            let room = placed.get(at + 1).map_or(u64::MAX, |next| next.offset - offset);
            let fits = |c: &CType| c.size <= room && offset.is_multiple_of(c.align);
            let c = match self.c_type(member.ty, matrix, names).filter(fits) {
                Some(c) => c,
                None => bytes(layout::size_of(self.types, member.ty, matrix)?)?,
            };
            pad(&mut lines, &mut paddings, &mut members, offset - end);
            let member = members.claim(&wanted);
            let CType { base, dimensions, size, .. } = &c;
            let _ = writeln!(lines, "    {base} {member}{dimensions}; /* {offset}: {note} */");
            let _ = writeln!(asserts, "G2N_ASSERT(offsetof({name}, {member}) == {offset});");
            end = offset.checked_add(*size)?;
            align = align.max(c.align);
        }
        if lines.is_empty() {
            return None;
        }
        let size = end.checked_next_multiple_of(align)?;
        let size = if stride.is_multiple_of(align) { size.max(stride) } else { size };
        if !open {
            pad(&mut lines, &mut paddings, &mut members, size - end);
            let _ = writeln!(asserts, "G2N_ASSERT(sizeof({name}) == {size});");
        }
        let _ = write!(self.text, "\ntypedef struct {name} {{\n{lines}}} {name};\n{asserts}");
        Some(CType { base: name.into(), dimensions: String::new(), size, align })
    }

    /// Writes the type of an element of a block that is a runtime array and nothing else.
    fn define_element(
        &mut self,
        block: &str,
        member: &str,
        note: &str,
        stride: u64,
        element: Option<CType>,
        names: &mut Names,
    ) {
        let Some(CType { base, dimensions, .. }) = element else { return };
        let name = names.claim(&format!("{block}_{member}"));
        let what = format!("an element of {} ({note})", comment(member));
        let _ = write!(self.text, "\n/* {what} */\ntypedef {base} {name}{dimensions};\n");
        let _ = writeln!(self.text, "G2N_ASSERT(sizeof({name}) == {stride});");
    }

    /// What GLSL calls a member's type, for a comment.
    fn note(&self, member: &Member) -> String {
        let major = if member.row_major { "row-major " } else { "" };
        comment(&format!("{major}{}", glsl_type(self.types, member.ty)))
    }
}

/// Finds the strides of structs that are elements of arrays. A type holds itself at most through pointers, so this ends.
fn collect_strides(types: &Types, ty: TypeId, strides: &mut HashMap<StructId, u64>) {
    match types[ty] {
        Type::Array { element, stride, .. } | Type::RuntimeArray { element, stride } => {
            if let Type::Struct(id) = types[element] {
                let smallest = strides.entry(id).or_insert(u64::from(stride));
                *smallest = u64::from(stride).min(*smallest);
            }
            collect_strides(types, element, strides);
        }
        Type::Struct(id) => {
            types.structs[id].members.iter().for_each(|member| collect_strides(types, member.ty, strides));
        }
        _ => {}
    }
}

/// Writes padding.
fn pad(lines: &mut String, paddings: &mut u32, members: &mut Names, bytes: u64) {
    if bytes > 0 {
        let name = members.claim(&format!("padding{paddings}"));
        *paddings += 1;
        let _ = writeln!(lines, "    uint8_t {name}[{bytes}];");
    }
}

/// A number. Booleans have no form in memory.
fn number(scalar: Scalar) -> Option<CType> {
    let base = match scalar {
        Scalar::Bool => return None,
        Scalar::Int { width, signed: true } => format!("int{width}_t"),
        Scalar::Int { width, signed: false } => format!("uint{width}_t"),
        Scalar::Float(16) => "uint16_t".into(),
        Scalar::Float(32) => "float".into(),
        Scalar::Float(_) => "double".into(),
    };
    let size = u64::from(layout::scalar_size(scalar));
    Some(CType { base, dimensions: String::new(), size, align: size })
}

/// `length` numbers in `stride` bytes; the numbers that are too many are padding.
fn row(number: CType, length: u64, stride: u64) -> Option<CType> {
    let slots = stride / number.size;
    (stride.is_multiple_of(number.size) && slots >= length).then(|| array(number, slots))
}

/// An array; the new dimension is the outer one.
fn array(element: CType, count: u64) -> CType {
    let CType { base, dimensions, size, align } = element;
    CType { base, dimensions: format!("[{count}]{dimensions}"), size: size.saturating_mul(count), align }
}

fn bytes(size: u64) -> Option<CType> {
    let byte = CType { base: "uint8_t".into(), dimensions: String::new(), size: 1, align: 1 };
    (size > 0).then(|| array(byte, size))
}
