//! Types, interned: equal types have equal ids.
//!
//! Struct types are nominal (each `OpTypeStruct` is its own type, since its decorations belong to it). Array lengths are
//! resolved numbers: specialisation happens when a module is lifted. Explicit layout (`Offset`, `ArrayStride`,
//! `MatrixStride`, `RowMajor`) is kept as decorated and never recomputed (SPIR-V specification, §3.20 "Decoration").

use cranelift_entity::{PrimaryMap, entity_impl};
use std::collections::HashMap;

pub use spirv::StorageClass;

/// An interned [`Type`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);
entity_impl!(TypeId, "type");

/// A struct declared by the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(u32);
entity_impl!(StructId, "struct");

/// A scalar type: what one component of a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// `OpTypeBool`; has no memory form.
    Bool,
    /// `OpTypeInt` of `width` bits (8, 16, 32 or 64).
    Int {
        /// Bits.
        width: u8,
        /// The type's signedness; instructions, not types, decide how bits are read.
        signed: bool,
    },
    /// `OpTypeFloat` of that many bits (16, 32 or 64).
    Float(u8),
}

impl Scalar {
    /// `int`.
    pub const I32: Scalar = Scalar::Int { width: 32, signed: true };
    /// `uint`.
    pub const U32: Scalar = Scalar::Int { width: 32, signed: false };
    /// `float`.
    pub const F32: Scalar = Scalar::Float(32);

    /// Bits in memory; 32 for a boolean (which only the implementation's own memory holds).
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 32,
            Scalar::Int { width, .. } => u32::from(width),
            Scalar::Float(width) => u32::from(width),
        }
    }

    /// Is this an integer type?
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::Int { .. })
    }

    /// Is this a signed integer type?
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }

    /// Is this a floating-point type?
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }
}

/// A type of SPIR-V.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `OpTypeVoid`.
    Void,
    /// A boolean, integer or float.
    Scalar(Scalar),
    /// `OpTypeVector`: 2 to 4 components (8 and 16 with Vector16).
    Vector {
        /// Component type.
        component: Scalar,
        /// Number of components.
        count: u8,
    },
    /// `OpTypeMatrix`: columns of a float vector.
    Matrix {
        /// The column type, a vector.
        column: TypeId,
        /// Number of columns.
        columns: u8,
    },
    /// `OpTypeArray`.
    Array {
        /// Element type.
        element: TypeId,
        /// Number of elements, specialised.
        count: u32,
        /// `ArrayStride` in bytes, 0 where not decorated.
        stride: u32,
    },
    /// `OpTypeRuntimeArray`.
    RuntimeArray {
        /// Element type.
        element: TypeId,
        /// `ArrayStride` in bytes, 0 where not decorated (an array of descriptors).
        stride: u32,
    },
    /// `OpTypeStruct`.
    Struct(StructId),
    /// `OpTypePointer`.
    Pointer {
        /// Storage class.
        class: StorageClass,
        /// What it points to.
        pointee: TypeId,
    },
    /// `OpTypeImage`, `OpTypeSampler`, `OpTypeSampledImage` and everything else without a value of ours; the text is the
    /// instruction's name.
    Opaque(&'static str),
}

/// A struct's declaration and decorations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructType {
    /// `OpName`, or empty.
    pub name: String,
    /// Decorated `Block`.
    pub block: bool,
    /// Decorated `BufferBlock` (storage buffers before SPIR-V 1.3).
    pub buffer_block: bool,
    /// The members, in order.
    pub members: Vec<Member>,
}

/// A struct member and its decorations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `OpMemberName`, or empty.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// `Offset` in bytes, where decorated.
    pub offset: Option<u32>,
    /// `MatrixStride` in bytes, where decorated.
    pub matrix_stride: Option<u32>,
    /// `RowMajor`.
    pub row_major: bool,
    /// `BuiltIn`, in blocks such as `gl_PerVertex`.
    pub builtin: Option<spirv::BuiltIn>,
    /// Access qualifiers.
    pub access: Access,
}

/// Access qualifiers of a variable or a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// `NonWritable`.
    pub non_writable: bool,
    /// `NonReadable`.
    pub non_readable: bool,
    /// `Coherent`.
    pub coherent: bool,
    /// `Volatile`.
    pub volatile: bool,
    /// `Restrict`.
    pub restrict: bool,
}

impl Access {
    /// Do others see each access, and are seen by it?
    pub fn is_ordered(self) -> bool {
        self.coherent || self.volatile
    }
}

/// The interner.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: PrimaryMap<TypeId, Type>,
    /// Declared structs.
    pub structs: PrimaryMap<StructId, StructType>,
    ids: HashMap<Type, TypeId>,
}

impl Types {
    /// The id of `ty`, interned now if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        *self.ids.entry(ty.clone()).or_insert_with(|| self.types.push(ty))
    }

    /// The id of `ty` if it has been interned.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// The id of a scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// The id of a pointer type.
    pub fn pointer(&mut self, class: StorageClass, pointee: TypeId) -> TypeId {
        self.intern(Type::Pointer { class, pointee })
    }

    /// All interned types, in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter()
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<(StorageClass, TypeId)> {
        match self[ty] {
            Type::Pointer { class, pointee } => Some((class, pointee)),
            _ => None,
        }
    }

    /// The scalar type and number of components of a scalar (1) or vector.
    pub fn components(&self, ty: TypeId) -> Option<(Scalar, u32)> {
        match self[ty] {
            Type::Scalar(s) => Some((s, 1)),
            Type::Vector { component, count } => Some((component, u32::from(count))),
            _ => None,
        }
    }

    /// The type of constituent `index` of a composite (a vector's component, a matrix' column, an element, a member).
    /// The id of a vector's component type must have been interned (it is, in any module that SPIR-V accepts).
    pub fn constituent(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        match self[ty] {
            Type::Vector { component, count } if index < u32::from(count) => self.find(&Type::Scalar(component)),
            Type::Matrix { column, columns } if index < u32::from(columns) => Some(column),
            Type::Array { element, count, .. } if index < count => Some(element),
            Type::RuntimeArray { element, .. } => Some(element),
            Type::Struct(id) => self.structs[id].members.get(index as usize).map(|m| m.ty),
            _ => None,
        }
    }

    /// The number of constituents of a composite, `None` for anything else and for runtime arrays.
    pub fn constituents(&self, ty: TypeId) -> Option<u32> {
        match self[ty] {
            Type::Vector { count, .. } => Some(u32::from(count)),
            Type::Matrix { columns, .. } => Some(u32::from(columns)),
            Type::Array { count, .. } => Some(count),
            Type::Struct(id) => Some(self.structs[id].members.len() as u32),
            _ => None,
        }
    }

    /// Has any component 64 bits?
    pub fn has_wide(&self, ty: TypeId) -> bool {
        match self[ty] {
            Type::Scalar(s) | Type::Vector { component: s, .. } => s.bits() == 64,
            Type::Matrix { column, .. } => self.has_wide(column),
            Type::Array { element, .. } | Type::RuntimeArray { element, .. } => self.has_wide(element),
            Type::Struct(id) => self.structs[id].members.iter().any(|m| self.has_wide(m.ty)),
            _ => false,
        }
    }

    /// Appends the scalar leaves of `ty` in order: a value of the type is that many scalars. `None` when the type has no
    /// value form (void, pointers, runtime arrays, opaque types) or more than `limit` leaves.
    pub fn leaves(&self, ty: TypeId, limit: usize) -> Option<Vec<Scalar>> {
        let mut out = Vec::new();
        self.push_leaves(ty, limit, &mut out).then_some(out)
    }

    fn push_leaves(&self, ty: TypeId, limit: usize, out: &mut Vec<Scalar>) -> bool {
        match self[ty] {
            Type::Scalar(s) => {
                out.push(s);
                out.len() <= limit
            }
            Type::Vector { component, count } => {
                out.extend(std::iter::repeat_n(component, usize::from(count)));
                out.len() <= limit
            }
            Type::Matrix { column, columns } => (0..columns).all(|_| self.push_leaves(column, limit, out)),
            Type::Array { element, count, .. } => {
                for _ in 0..count {
                    let before = out.len();
                    if !self.push_leaves(element, limit, out) {
                        return false;
                    }
                    // Elements without leaves (empty structs) add none, however many there are.
                    if out.len() == before {
                        break;
                    }
                }
                true
            }
            Type::Struct(id) => self.structs[id].members.iter().all(|m| self.push_leaves(m.ty, limit, out)),
            _ => false,
        }
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}
