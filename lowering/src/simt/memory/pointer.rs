//! Symbolic addresses, built by `OpAccessChain`.
//!
//! Layout comes from the decorations alone (`Offset`, `ArrayStride`, `MatrixStride`, `RowMajor`; SPIR-V specification
//! §2.16.2, §3.20); variables without explicit layout count in components.

use super::super::emit::Emitter;
use super::super::legal::Conversion;
use super::super::value::{Comp, Lanes, held_bits};
use crate::analysis::layout::{MatrixLayout, leaf_offsets};
use crate::analysis::range::Ranges;
use crate::analysis::shape::Shape;
use crate::analysis::uniformity::{MAX_LEAVES, Root as Variable};
use crate::ir::{BuiltIn, GlobalId, Inst, Loc, Scalar, StorageClass, Type, TypeId, Value, ValueDef};
use crate::{Error, Result};
use smallvec::SmallVec;

/// Most bytes from an address to the end of what is accessed there.
pub(super) const MAX_REACH: u64 = (i32::MAX / 4) as u64;

/// What an address is within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simt) enum Root {
    /// A buffer, by its descriptor's slot; the offset counts bytes.
    Buffer {
        /// Slot in the descriptor table.
        slot: u32,
        /// Index into the interface's resources.
        resource: usize,
    },
    /// The push constants; the offset counts bytes.
    Push,
    /// A Workgroup variable; the offset counts bytes.
    Shared(GlobalId),
    /// A Function or Private variable; the offset counts components.
    Local(Value),
    /// A built-in variable; the offset counts components.
    BuiltIn(BuiltIn),
}

/// How distances in memory are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// In bytes, by the module's decorations.
    Decorated,
    /// Components one after the other, each of that many units: the implementation's own memory.
    Tight(u32),
}

/// An index known at run time only.
#[derive(Clone, Debug)]
pub(in crate::simt) struct Term {
    /// The index, unsigned.
    pub index: Comp,
    /// What it is multiplied with: bytes, or components of a local variable.
    pub stride: u32,
    /// Elements of the array, or `None` for a runtime array.
    pub count: Option<u32>,
    /// The largest index that any lane can have, where it is plain to see.
    pub max: Option<u32>,
    /// Indices from lane to lane in most subgroups, where the index only varies.
    pub nearly: Option<u32>,
}

/// An address.
#[derive(Clone, Debug)]
pub(in crate::simt) struct Pointer {
    /// What it is within.
    pub root: Root,
    /// Constant part.
    pub offset: u64,
    /// Run-time part.
    pub terms: SmallVec<[Term; 2]>,
    /// It goes into a runtime array, so that the buffer's size decides what is there.
    pub runtime: bool,
    /// What is at the address.
    pub ty: TypeId,
    /// `MatrixStride` and `RowMajor` of the member it is in.
    pub matrix: Option<(u32, bool)>,
    /// The address is of a column of a row-major matrix: bytes from component to component.
    pub column: Option<u32>,
}

impl Leaf {
    /// Bytes in memory.
    pub fn bytes(&self) -> u32 {
        self.scalar.bits() / 8
    }

    /// The offset behind it.
    pub fn end(&self) -> u32 {
        self.offset + self.bytes()
    }
}

/// One scalar at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simt) struct Leaf {
    /// From the address: bytes, or components of a local variable.
    pub offset: u32,
    /// Its type.
    pub scalar: Scalar,
}

impl Emitter<'_> {
    /// The address that a pointer value stands for.
    pub(in crate::simt) fn pointer(&mut self, value: Value, loc: Loc) -> Result<Pointer> {
        if let Some(pointer) = &self.pointers[value]
            && (self.is_current(value) || pointer.terms.is_empty())
        {
            return Ok(pointer.clone());
        }
        let pointer = match (self.func.values[value].def, self.table.root(value)) {
            (ValueDef::Global(id), _) => self.global_pointer(id, loc)?,
            (_, Some(Variable::Variable(variable))) if variable == value => {
                let (_, ty) = self.pointee(value, loc)?;
                self.bare(Root::Local(value), ty)
            }
            _ => {
                let why = "the pointer is computed; only pointers to parts of variables can be followed here";
                return Err(self.unsupported(loc, "variable pointer", why));
            }
        };
        self.pointers[value] = Some(pointer.clone());
        Ok(pointer)
    }

    fn measure(&self, root: Root) -> Measure {
        match root {
            Root::Buffer { .. } | Root::Push => Measure::Decorated,
            Root::Shared(id) if self.is_shared_block(id) => Measure::Decorated,
            Root::Shared(id) => Measure::Tight(self.unit_of(self.module.globals[id].ty)),
            Root::Local(_) | Root::BuiltIn(_) => Measure::Tight(1),
        }
    }

    /// Bytes of each component of a variable in memory of the implementation's own, by its pointer type: words, or pairs
    /// of them where any component has 64 bits.
    pub(super) fn unit_of(&self, pointer: TypeId) -> u32 {
        let types = &self.module.types;
        let wide = types.pointee(pointer).is_some_and(|(_, ty)| types.has_wide(ty));
        if wide { 8 } else { 4 }
    }

    fn bare(&self, root: Root, ty: TypeId) -> Pointer {
        Pointer { root, offset: 0, terms: SmallVec::new(), runtime: false, ty, matrix: None, column: None }
    }

    fn pointee(&self, value: Value, loc: Loc) -> Result<(StorageClass, TypeId)> {
        self.module.types.pointee(self.type_of(value)).ok_or_else(|| self.invalid(loc, "operand is not a pointer"))
    }

    fn invalid(&self, loc: Loc, what: &str) -> Error {
        Error::InvalidSpirv { place: self.place(loc), what: what.into() }
    }

    fn global_pointer(&mut self, id: GlobalId, loc: Loc) -> Result<Pointer> {
        let global = &self.module.globals[id];
        let (class, ty) =
            self.module.types.pointee(global.ty).ok_or_else(|| self.invalid(loc, "variable without pointer type"))?;
        let root = match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                let resource = self.interface.resources.iter().position(|r| r.global == id);
                let resource = resource.ok_or_else(|| self.invalid(loc, "buffer without DescriptorSet and Binding"))?;
                Root::Buffer { slot: self.interface.resources[resource].slot, resource }
            }
            StorageClass::PushConstant => Root::Push,
            StorageClass::Private => Root::Local(self.private_value(id)?),
            StorageClass::Input => match global.builtin {
                Some(builtin) => Root::BuiltIn(builtin),
                None => {
                    return Err(self.unsupported(loc, "Input variable", "compute shaders have built-in inputs only"));
                }
            },
            StorageClass::Workgroup => Root::Shared(id),
            other => return Err(self.unsupported(loc, format!("storage class {other:?}"), "no memory of this kind")),
        };
        Ok(self.bare(root, ty))
    }

    /// `OpAccessChain`: walks the indices and remembers where they lead.
    pub(in crate::simt) fn access_chain(&mut self, inst: &Inst, result: Value, loc: Loc) -> Result<()> {
        let mut pointer = self.pointer(inst.operands[0], loc)?;
        for &index in &inst.operands[1..] {
            self.step(&mut pointer, index, loc)?;
        }
        self.pointers[result] = Some(pointer);
        self.note_emitted(result);
        Ok(())
    }

    /// One index of an access chain.
    fn step(&mut self, pointer: &mut Pointer, index: Value, loc: Loc) -> Result<()> {
        let module = self.module;
        let constant = self.constant_index(index);
        if let Root::Buffer { slot, resource } = pointer.root
            && let Some(block) = self.block_of_array(pointer.ty)
        {
            let inside = constant.filter(|&i| i < self.interface.resources[resource].count);
            let Some(element) = inside else {
                let why = "this version takes constant indices into arrays of blocks only";
                return Err(self.unsupported(loc, "dynamically indexed array of descriptors", why));
            };
            pointer.root = Root::Buffer { slot: slot + element, resource };
            pointer.ty = block;
            return Ok(());
        }
        let measure = self.measure(pointer.root);
        let (count, stride, next) = match &module.types[pointer.ty] {
            Type::Struct(_) => return self.member(pointer, constant, measure, loc),
            Type::Array { element, count, stride } => {
                (Some(*count), self.stride(*stride, *element, measure, loc)?, *element)
            }
            Type::RuntimeArray { element, stride } => (None, self.stride(*stride, *element, measure, loc)?, *element),
            Type::Matrix { column, columns } => {
                (Some(u32::from(*columns)), self.to_column(pointer, *column, measure, loc)?, *column)
            }
            Type::Vector { component, count } => {
                let natural = match measure {
                    Measure::Decorated => component.bits() / 8,
                    Measure::Tight(unit) => unit,
                };
                let scalar = module.types.find(&Type::Scalar(*component));
                let scalar = scalar.ok_or_else(|| self.invalid(loc, "vector without component type"))?;
                (Some(u32::from(*count)), pointer.column.take().unwrap_or(natural), scalar)
            }
            _ => return Err(self.invalid(loc, "access chain goes into what has no parts")),
        };
        pointer.ty = next;
        pointer.runtime |= count.is_none();
        if let Some(index) = constant
            && count.is_none_or(|n| index < n)
        {
            pointer.offset = pointer.offset.saturating_add(u64::from(index) * u64::from(stride));
            return Ok(());
        }
        let scalar = match module.types[self.type_of(index)] {
            Type::Scalar(scalar) if scalar.is_int() => scalar,
            _ => return Err(self.invalid(loc, "an index is not an integer")),
        };
        let nearly = match self.table.shapes(index) {
            [Shape::Nearly(step)] => u32::try_from(*step).ok(),
            _ => None,
        };
        let max = self.max_of(index);
        let index = self.scalar(index)?;
        let index = self.index_in_words(index, scalar);
        pointer.terms.push(Term { index, stride, count, max, nearly });
        Ok(())
    }

    /// An index that is a constant, as 32 bits.
    fn constant_index(&self, index: Value) -> Option<u32> {
        let bits = self.func.as_const(index).and_then(|c| self.module.scalar_bits(c))?;
        match self.module.types[self.type_of(index)] {
            Type::Scalar(scalar) => u32::try_from(held_bits(scalar, bits)).ok(),
            _ => None,
        }
    }

    /// An index of any integer type as an unsigned 32-bit one; what does not fit is out of bounds either way.
    fn index_in_words(&mut self, index: Comp, scalar: Scalar) -> Comp {
        if scalar.bits() != 64 {
            return index;
        }
        let mut lanes = Lanes { legal: &mut self.legal, width: self.width };
        let limited = lanes.map([(&index, scalar)], |l, [v]| {
            let most = l.int_like(v, i64::from(u32::MAX));
            l.umin(v, most)
        });
        lanes.convert(Conversion::Int { signed: false }, scalar, Scalar::U32, &limited)
    }

    fn max_of(&self, index: Value) -> Option<u32> {
        let ranges = Ranges {
            module: self.module,
            func: self.func,
            entry: self.entry,
            table: self.table,
            subgroup: self.width.subgroup,
            bodies: &self.bodies,
        };
        ranges.max_of(index)
    }

    /// The block type, where `ty` is an array of blocks (each with a descriptor of its own).
    fn block_of_array(&self, ty: TypeId) -> Option<TypeId> {
        let (Type::Array { element, .. } | Type::RuntimeArray { element, .. }) = self.module.types[ty] else {
            return None;
        };
        let Type::Struct(id) = self.module.types[element] else { return None };
        let block = &self.module.types.structs[id];
        (block.block || block.buffer_block).then_some(element)
    }

    /// Goes on to a member of a block, by its number.
    pub(in crate::simt) fn member_of(&mut self, pointer: &mut Pointer, index: Option<u32>, loc: Loc) -> Result<()> {
        self.member(pointer, index, Measure::Decorated, loc)
    }

    fn member(&mut self, pointer: &mut Pointer, index: Option<u32>, measure: Measure, loc: Loc) -> Result<()> {
        let module = self.module;
        let Type::Struct(id) = module.types[pointer.ty] else { return Err(self.invalid(loc, "not a struct")) };
        let members = &module.types.structs[id].members;
        let at = index.filter(|&i| (i as usize) < members.len());
        let at = at.ok_or_else(|| self.invalid(loc, "struct member index is not a constant in range"))? as usize;
        let member = &members[at];
        let offset = match measure {
            Measure::Decorated => member.offset.ok_or_else(|| self.invalid(loc, "struct member without Offset"))?,
            Measure::Tight(unit) => members[..at].iter().map(|m| self.leaf_count(m.ty)).sum::<Result<u32>>()? * unit,
        };
        pointer.offset += u64::from(offset);
        pointer.ty = member.ty;
        pointer.matrix = member.matrix_stride.map(|stride| (stride, member.row_major));
        Ok(())
    }

    /// Distance from column to column of a matrix; notes that the components of a row-major one lie apart.
    fn to_column(&self, pointer: &mut Pointer, column: TypeId, measure: Measure, loc: Loc) -> Result<u32> {
        if let Measure::Tight(unit) = measure {
            return Ok(self.leaf_count(column)? * unit);
        }
        let (stride, row_major) = pointer.matrix.ok_or_else(|| self.invalid(loc, "matrix without MatrixStride"))?;
        if !row_major {
            return Ok(stride);
        }
        pointer.column = Some(stride);
        Ok(self.module.types.components(column).map_or(4, |(scalar, _)| scalar.bits() / 8))
    }

    /// Distance from element to element of an array.
    fn stride(&self, decorated: u32, element: TypeId, measure: Measure, loc: Loc) -> Result<u32> {
        match (measure, decorated) {
            (Measure::Decorated, 0) => Err(self.invalid(loc, "array in a buffer without ArrayStride")),
            (Measure::Decorated, stride) => Ok(stride),
            (Measure::Tight(unit), _) => Ok(self.leaf_count(element)? * unit),
        }
    }

    /// Components of a value of `ty`.
    pub(in crate::simt) fn leaf_count(&self, ty: TypeId) -> Result<u32> {
        let leaves = self.module.types.leaves(ty, MAX_LEAVES);
        leaves.map(|l| l.len() as u32).ok_or_else(|| Error::Limit {
            place: Default::default(),
            what: format!("a variable of more than {MAX_LEAVES} components; put large arrays into a buffer"),
        })
    }

    /// Does memory there hold components as lanes do, whatever their width?
    pub(super) fn holds_lanes(&self, root: Root) -> bool {
        matches!(self.measure(root), Measure::Tight(_))
    }

    /// The scalars of what a pointer leads to, in order, each with its offset from the address. The farthest ends within
    /// [`MAX_REACH`], so that offsets of leaves and constant parts of addresses can be added.
    pub(in crate::simt) fn leaves(&mut self, pointer: &Pointer, loc: Loc) -> Result<Vec<Leaf>> {
        let scalars = self.scalars(pointer.ty).map_err(|error| error.or_at(|| self.place(loc)))?;
        let apart = |distance: u32| -> Vec<(u64, Scalar)> {
            let offsets = (0..).map(|i: u64| i * u64::from(distance));
            offsets.zip(scalars.iter().copied()).collect()
        };
        let leaves = match (self.measure(pointer.root), pointer.column) {
            (Measure::Tight(unit), _) => apart(unit),
            (_, Some(stride)) => apart(stride),
            _ => {
                let layout = match pointer.matrix {
                    Some((stride, row_major)) => MatrixLayout { stride: Some(stride), row_major },
                    None => MatrixLayout::default(),
                };
                let offsets = leaf_offsets(&self.module.types, pointer.ty, layout);
                let offsets = offsets.ok_or_else(|| self.invalid(loc, "type without explicit layout in a buffer"))?;
                offsets.into_iter().map(|(offset, scalar)| (u64::from(offset), scalar)).collect()
            }
        };
        let leaf = |(offset, scalar): (u64, Scalar)| {
            let end = offset + u64::from(scalar.bits() / 8);
            u32::try_from(offset).ok().filter(|_| end <= MAX_REACH).map(|offset| Leaf { offset, scalar })
        };
        leaves.into_iter().map(leaf).collect::<Option<_>>().ok_or_else(|| Error::Limit {
            place: self.place(loc),
            what: format!("a value whose parts lie more than {MAX_REACH} bytes apart; access its members one by one"),
        })
    }
}
