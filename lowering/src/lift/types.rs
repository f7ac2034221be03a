//! Types (SPIR-V specification, §3.49.6 "Type-Declaration Instructions").
//!
//! A type is lifted when something first uses it. Its operands must be declared before it, as the specification asks;
//! only pointers may be declared ahead (`OpTypeForwardPointer`). So the by-value graph has no cycle by construction, and
//! structs, through whose members a pointer can come back to them, are declared first and filled afterwards.

use super::Lifter;
use super::source::Inst;
use crate::error::Result;
use crate::ir::{Access, Member, Scalar, StorageClass, StructId, StructType, Type, TypeId};
use spirv::{Decoration, Op};

/// Types nested by value or through pointers; Vulkan's own limit for structures is 255.
const MAX_DEPTH: u32 = 255;

/// Members of a struct, those of nested structs included.
const MAX_MEMBERS: u32 = 1 << 16;

impl Lifter<'_> {
    /// The type with this id.
    pub(super) fn ty(&mut self, id: u32, user: &Inst) -> Result<TypeId> {
        let ty = self.declare(id, user)?;
        while let Some((id, strukt)) = self.pending_structs.pop() {
            self.fill_struct(id, strukt)?;
        }
        // Not while a struct further up the stack still lacks its members.
        while self.nesting == 0
            && let Some(ty) = self.new_types.pop()
        {
            self.level(ty, user, 0)?;
        }
        Ok(ty)
    }

    /// The type with this id, with structs in it perhaps still without members.
    fn declare(&mut self, id: u32, user: &Inst) -> Result<TypeId> {
        if let Some(&ty) = self.types.get(&id) {
            return Ok(ty);
        }
        let Some(&inst) = self.src.def(id) else {
            return Err(self.src.invalid(user.loc, format!("{} uses %{id}, which nothing defines", user.name())));
        };
        if !inst.op().is_some_and(Op::is_type) {
            let what = format!("{} uses %{id} as a type, but {} defines it", user.name(), inst.name());
            return Err(self.src.invalid(user.loc, what));
        }
        if inst.loc.word >= user.loc.word && !(user.is(Op::TypeStruct) && inst.is(Op::TypePointer)) {
            return Err(self
                .src
                .invalid(user.loc, format!("{} uses the type %{id} before its declaration", user.name())));
        }
        self.nest(&inst)?;
        let ty = self.build(&inst)?;
        self.nesting -= 1;
        self.types.insert(id, ty);
        self.new_types.push(ty);
        Ok(ty)
    }

    fn build(&mut self, inst: &Inst) -> Result<TypeId> {
        let word = |i| self.src.word(inst, i);
        let ty = match inst.op() {
            Some(Op::TypeVoid) => Type::Void,
            Some(Op::TypeBool) => Type::Scalar(Scalar::Bool),
            Some(Op::TypeInt) => match (word(0)?, word(1)?) {
                (width @ (8 | 16 | 32 | 64), sign @ (0 | 1)) => {
                    Type::Scalar(Scalar::Int { width: width as u8, signed: sign == 1 })
                }
                (width, _) => return Err(self.src.unsupported(inst.loc, "OpTypeInt", format!("its width is {width}"))),
            },
            Some(Op::TypeFloat) => match (word(0)?, self.src.operands(inst).len()) {
                (width @ (16 | 32 | 64), 1) => Type::Scalar(Scalar::Float(width as u8)),
                (_, 2) => Type::Opaque("TypeFloat with an encoding"),
                (width, _) => {
                    return Err(self.src.unsupported(inst.loc, "OpTypeFloat", format!("its width is {width}")));
                }
            },
            Some(Op::TypeVector) => self.vector(inst)?,
            Some(Op::TypeMatrix) => self.matrix(inst)?,
            Some(Op::TypeArray | Op::TypeRuntimeArray) => self.array(inst)?,
            Some(Op::TypeStruct) => return self.declare_struct(inst),
            Some(Op::TypePointer) => {
                let (class, pointee) = (word(0)?, word(1)?);
                let Some(class) = StorageClass::from_u32(class) else {
                    return Err(self.src.unsupported(
                        inst.loc,
                        "OpTypePointer",
                        format!("storage class {class} is unknown"),
                    ));
                };
                Type::Pointer { class, pointee: self.declare(pointee, inst)? }
            }
            Some(op) => Type::Opaque(opaque_name(op)),
            None => Type::Opaque("a type"),
        };
        Ok(self.module.types.intern(ty))
    }

    fn vector(&mut self, inst: &Inst) -> Result<Type> {
        let (component, count) = (self.src.word(inst, 0)?, self.src.word(inst, 1)?);
        let component = self.declare(component, inst)?;
        match (&self.module.types[component], count) {
            (&Type::Scalar(component), 2..=4 | 8 | 16) => Ok(Type::Vector { component, count: count as u8 }),
            (Type::Opaque(_), _) => Ok(Type::Opaque("TypeVector")),
            (Type::Scalar(_), _) => Err(self.src.invalid(inst.loc, format!("a vector of {count} components"))),
            _ => Err(self.src.invalid(inst.loc, "the component type of a vector must be a scalar")),
        }
    }

    fn matrix(&mut self, inst: &Inst) -> Result<Type> {
        let (column, columns) = (self.src.word(inst, 0)?, self.src.word(inst, 1)?);
        let column = self.declare(column, inst)?;
        match (&self.module.types[column], columns) {
            (Type::Vector { component: Scalar::Float(_), count: 2..=4 }, 2..=4) => {
                Ok(Type::Matrix { column, columns: columns as u8 })
            }
            _ => Err(self.src.invalid(inst.loc, "a matrix must have 2 to 4 columns of 2 to 4 floats each")),
        }
    }

    fn array(&mut self, inst: &Inst) -> Result<Type> {
        let element = self.declare(self.src.word(inst, 0)?, inst)?;
        if matches!(self.module.types[element], Type::Void) {
            return Err(self.src.invalid(inst.loc, "an array of void"));
        }
        let stride = self.src.decoration(inst.id(), Decoration::ArrayStride);
        if stride == Some(0) {
            return Err(self.src.invalid(inst.loc, "ArrayStride is 0"));
        }
        let stride = stride.unwrap_or(0);
        if inst.is(Op::TypeRuntimeArray) {
            return Ok(Type::RuntimeArray { element, stride });
        }
        let length = self.src.word(inst, 1)?;
        let id = self.constant(length, inst)?;
        let is_int = matches!(self.module.types[self.module.consts[id].ty], Type::Scalar(Scalar::Int { .. }));
        match self.module.scalar_bits(id).filter(|_| is_int) {
            Some(0) => Err(self.src.invalid(inst.loc, "an array of length 0")),
            Some(count @ ..=0x7fff_ffff) => Ok(Type::Array { element, count: count as u32, stride }),
            Some(count) => {
                Err(self.src.limit(inst.loc, format!("an array of {count} elements; the most is 2147483647")))
            }
            None => {
                Err(self.src.invalid(inst.loc, format!("the length %{length} of an array is not an integer constant")))
            }
        }
    }

    fn declare_struct(&mut self, inst: &Inst) -> Result<TypeId> {
        let id = inst.id();
        let mut strukt = StructType { name: self.src.name(id), ..StructType::default() };
        strukt.block = self.src.decoration(id, Decoration::Block).is_some();
        strukt.buffer_block = self.src.decoration(id, Decoration::BufferBlock).is_some();
        let strukt = self.module.types.structs.push(strukt);
        self.pending_structs.push((id, strukt));
        Ok(self.module.types.intern(Type::Struct(strukt)))
    }

    fn fill_struct(&mut self, id: u32, strukt: StructId) -> Result<()> {
        let Some(&inst) = self.src.def(id) else { return Ok(()) };
        let mut members = Vec::new();
        self.nest(&inst)?;
        for (index, &ty) in self.src.operands(&inst).iter().enumerate() {
            let ty = self.declare(ty, &inst)?;
            if matches!(self.module.types[ty], Type::Void) {
                return Err(self.src.invalid(inst.loc, "a struct member of type void"));
            }
            members.push(Member {
                name: self.src.member_name(id, index as u32),
                ty,
                offset: None,
                matrix_stride: None,
                row_major: false,
                builtin: None,
                access: Access::default(),
            });
        }
        self.nesting -= 1;
        self.src.decorations(id, |member, kind, args| {
            if let Some(member) = member.and_then(|m| members.get_mut(m as usize)) {
                decorate_member(member, kind, args.first().copied());
            }
        });
        self.module.types.structs[strukt].members = members;
        Ok(())
    }

    /// Counts a level of recursion over declarations, up to a limit. The caller takes it off again.
    pub(super) fn nest(&mut self, inst: &Inst) -> Result<()> {
        if self.nesting >= MAX_DEPTH {
            return Err(self.src.limit(inst.loc, format!("declarations are nested more than {MAX_DEPTH} deep")));
        }
        self.nesting += 1;
        Ok(())
    }

    /// Levels and members, nested ones included, of a type by value. The limits keep all later recursion over types
    /// shallow and short.
    fn level(&mut self, ty: TypeId, user: &Inst, depth: u32) -> Result<(u32, u32)> {
        if let Some(&level) = self.levels.get(&ty) {
            return Ok(level);
        }
        let children: Vec<TypeId> = match &self.module.types[ty] {
            &Type::Array { element, .. } | &Type::RuntimeArray { element, .. } => vec![element],
            &Type::Struct(id) => self.module.types.structs[id].members.iter().map(|m| m.ty).collect(),
            _ => vec![],
        };
        let (mut levels, mut members) = (1, 1u32);
        for child in children {
            if depth < MAX_DEPTH {
                let (l, m) = self.level(child, user, depth + 1)?;
                levels = levels.max(1 + l);
                members = members.saturating_add(m);
            }
        }
        if depth >= MAX_DEPTH || levels > MAX_DEPTH {
            return Err(self.src.limit(user.loc, format!("types are nested more than {MAX_DEPTH} deep")));
        }
        if members > MAX_MEMBERS {
            return Err(self.src.limit(user.loc, format!("a type has more than {MAX_MEMBERS} members")));
        }
        self.levels.insert(ty, (levels, members));
        Ok((levels, members))
    }
}

/// The name of a type that has no value here.
fn opaque_name(op: Op) -> &'static str {
    super::source::grammar(op as u16).map_or("a type", |g| g.opname)
}

fn decorate_member(member: &mut Member, kind: Decoration, arg: Option<u32>) {
    match kind {
        Decoration::Offset => member.offset = arg,
        Decoration::MatrixStride => member.matrix_stride = arg,
        Decoration::RowMajor => member.row_major = true,
        Decoration::BuiltIn => member.builtin = arg.and_then(spirv::BuiltIn::from_u32),
        _ => decorate_access(&mut member.access, kind),
    }
}

/// Notes an access qualifier.
pub(super) fn decorate_access(access: &mut Access, kind: Decoration) {
    match kind {
        Decoration::NonWritable => access.non_writable = true,
        Decoration::NonReadable => access.non_readable = true,
        Decoration::Coherent => access.coherent = true,
        Decoration::Volatile => access.volatile = true,
        Decoration::Restrict => access.restrict = true,
        _ => {}
    }
}
