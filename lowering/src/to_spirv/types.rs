//! Types, their decorations, and constants (SPIR-V specification, §3.49.6 "Type-Declaration Instructions", §3.49.7
//! "Constant-Creation Instructions"). Each is declared when something first uses it, what it is made of before it; only
//! pointers to physical storage are announced, since structs may hold pointers to themselves.

use super::{Writer, access_decorations, string};
use crate::error::{Error, Result};
use crate::ir::{ConstData, ConstId, Loc, Scalar, StorageClass, StructId, Type, TypeId};
use spirv::{Decoration, Op};

impl Writer<'_> {
    /// The id of a type. `user` is the place of an error.
    pub(super) fn ty(&mut self, id: TypeId, user: Loc) -> Result<u32> {
        if let Some(&found) = self.types.get(&id) {
            return Ok(found);
        }
        let module = self.module;
        if let Type::Pointer { class: class @ StorageClass::PhysicalStorageBuffer, pointee } = module.types[id] {
            let own = self.id();
            self.types.insert(id, own);
            self.declarations.push(Op::TypeForwardPointer, &[own, class as u32]);
            let pointee = self.ty(pointee, user)?;
            self.declarations.push(Op::TypePointer, &[own, class as u32, pointee]);
            return Ok(own);
        }
        let (op, operands) = match &module.types[id] {
            Type::Void => (Op::TypeVoid, vec![]),
            Type::Scalar(Scalar::Bool) => (Op::TypeBool, vec![]),
            Type::Scalar(Scalar::Int { width, signed }) => (Op::TypeInt, vec![u32::from(*width), u32::from(*signed)]),
            Type::Scalar(Scalar::Float(width)) => (Op::TypeFloat, vec![u32::from(*width)]),
            Type::Vector { component, count } => {
                let Some(component) = module.types.find(&Type::Scalar(*component)) else {
                    return Err(Error::Internal("a vector without the type of its components".into()));
                };
                (Op::TypeVector, vec![self.ty(component, user)?, u32::from(*count)])
            }
            Type::Matrix { column, columns } => (Op::TypeMatrix, vec![self.ty(*column, user)?, u32::from(*columns)]),
            Type::Array { element, count, .. } => (Op::TypeArray, vec![self.ty(*element, user)?, self.number(*count)?]),
            Type::RuntimeArray { element, .. } => (Op::TypeRuntimeArray, vec![self.ty(*element, user)?]),
            Type::Struct(strukt) => return self.struct_type(id, *strukt, user),
            Type::Pointer { class, pointee } => (Op::TypePointer, vec![*class as u32, self.ty(*pointee, user)?]),
            Type::Opaque(name) => {
                return self.unsupported(user, format!("Op{name}"), "the IR does not keep types of this kind whole");
            }
        };
        let own = self.id();
        self.declarations.push(op, &[&[own], &operands[..]].concat());
        self.types.insert(id, own);
        let stride = match module.types[id] {
            Type::Array { stride, .. } | Type::RuntimeArray { stride, .. } => stride,
            _ => 0,
        };
        if stride != 0 {
            self.decorate(own, Decoration::ArrayStride, &[stride]);
        }
        Ok(own)
    }

    fn struct_type(&mut self, id: TypeId, strukt: StructId, user: Loc) -> Result<u32> {
        let module = self.module;
        let data = &module.types.structs[strukt];
        let mut words = vec![0];
        for member in &data.members {
            words.push(self.ty(member.ty, user)?);
        }
        let own = self.id();
        words[0] = own;
        self.declarations.push(Op::TypeStruct, &words);
        self.types.insert(id, own);
        self.name(own, &data.name);
        for (there, decoration) in [(data.block, Decoration::Block), (data.buffer_block, Decoration::BufferBlock)] {
            if there {
                self.decorate(own, decoration, &[]);
            }
        }
        for (index, member) in data.members.iter().enumerate() {
            let index = index as u32;
            if !member.name.is_empty() {
                self.names.push(Op::MemberName, &[&[own, index][..], &string(&member.name)].concat());
            }
            let numbers = [
                (Decoration::Offset, member.offset),
                (Decoration::MatrixStride, member.matrix_stride),
                (Decoration::BuiltIn, member.builtin.map(|b| b as u32)),
            ];
            let mut push = |decoration: Decoration, args: &[u32]| {
                self.decorations.push(Op::MemberDecorate, &[&[own, index, decoration as u32], args].concat());
            };
            numbers.into_iter().for_each(|(what, number)| number.into_iter().for_each(|n| push(what, &[n])));
            if member.matrix_stride.is_some() {
                push(if member.row_major { Decoration::RowMajor } else { Decoration::ColMajor }, &[]);
            }
            access_decorations(member.access).for_each(|decoration| push(decoration, &[]));
        }
        Ok(own)
    }

    /// The id of a function's type.
    pub(super) fn function_type(&mut self, signature: Vec<u32>) -> u32 {
        if let Some(&found) = self.function_types.get(&signature) {
            return found;
        }
        let own = self.id();
        self.declarations.push(Op::TypeFunction, &[&[own], &signature[..]].concat());
        self.function_types.insert(signature, own);
        own
    }

    /// The type `uint`, which a module need not have.
    pub(super) fn word_type(&mut self) -> Result<u32> {
        self.scalar_type(Scalar::U32)
    }

    /// The type `bool`.
    pub(super) fn bool_type(&mut self) -> Result<u32> {
        self.scalar_type(Scalar::Bool)
    }

    fn scalar_type(&mut self, scalar: Scalar) -> Result<u32> {
        if let Some(ty) = self.module.types.find(&Type::Scalar(scalar)) {
            return self.ty(ty, Loc::default());
        }
        if let Some(&found) = self.own_types.get(&scalar) {
            return Ok(found);
        }
        let own = self.id();
        match scalar {
            Scalar::Bool => self.declarations.push(Op::TypeBool, &[own]),
            _ => self.declarations.push(Op::TypeInt, &[own, scalar.bits(), 0]),
        }
        self.own_types.insert(scalar, own);
        Ok(own)
    }

    /// A constant `uint`.
    pub(super) fn number(&mut self, number: u32) -> Result<u32> {
        if let Some(&found) = self.numbers.get(&number) {
            return Ok(found);
        }
        let ty = self.word_type()?;
        let own = self.id();
        self.declarations.push(Op::Constant, &[ty, own, number]);
        self.numbers.insert(number, own);
        Ok(own)
    }

    /// An undefined value.
    pub(super) fn undef(&mut self, ty: TypeId) -> Result<u32> {
        if let Some(&found) = self.undefs.get(&ty) {
            return Ok(found);
        }
        let id = self.ty(ty, Loc::default())?;
        let own = self.id();
        self.declarations.push(Op::Undef, &[id, own]);
        self.undefs.insert(ty, own);
        Ok(own)
    }

    /// The id of a constant.
    pub(super) fn constant(&mut self, id: ConstId) -> Result<u32> {
        if let Some(&found) = self.consts.get(&id) {
            return Ok(found);
        }
        let module = self.module;
        let constant = &module.consts[id];
        let ty = self.ty(constant.ty, Loc::default())?;
        let (op, operands) = match &constant.data {
            ConstData::Null => (Op::ConstantNull, vec![]),
            ConstData::Undef => (Op::Undef, vec![]),
            ConstData::Composite(parts) => {
                // Constituents precede the constant, so the recursion ends.
                (Op::ConstantComposite, parts.iter().map(|&part| self.constant(part)).collect::<Result<_>>()?)
            }
            ConstData::Bits(bits) => match module.types[constant.ty] {
                Type::Scalar(Scalar::Bool) if *bits == 1 => (Op::ConstantTrue, vec![]),
                Type::Scalar(Scalar::Bool) => (Op::ConstantFalse, vec![]),
                Type::Scalar(scalar) => (Op::Constant, literal(scalar, *bits)),
                _ => return Err(Error::Internal("a constant with bits that is no scalar".into())),
            },
        };
        let own = self.id();
        let words = [&[ty, own], &operands[..]].concat();
        self.check_length(&words)?;
        self.declarations.push(op, &words);
        self.consts.insert(id, own);
        Ok(own)
    }
}

/// The words of a literal: two for 64 bits; narrow signed integers are sign-extended.
pub(super) fn literal(scalar: Scalar, bits: u64) -> Vec<u32> {
    match scalar {
        Scalar::Int { width: 64, .. } | Scalar::Float(64) => vec![bits as u32, (bits >> 32) as u32],
        Scalar::Int { width: width @ (8 | 16), signed: true } => {
            let shift = 32 - u32::from(width);
            vec![(((bits as u32) << shift) as i32 >> shift) as u32]
        }
        _ => vec![bits as u32],
    }
}
