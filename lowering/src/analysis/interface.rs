//! What an entry point declares to the outside: resources by (set, binding), push constants, workgroup size,
//! specialisation constants (SPIR-V specification, §3.20 "Decoration"; Vulkan specification, "Shader Resource Interface").
//!
//! In: a lifted module and an entry point. Out: [`Interface`]; only what the entry point statically uses is listed.

use super::layout::{self, MatrixLayout};
use crate::error::{Error, Place, Result};
use crate::ir::{
    CustomInstruction, FuncId, Global, GlobalId, Module, OpKind, Opcode, Print, Scalar, SpecConstant, StorageClass,
    Type, TypeId, Types, Unused, Value, ValueDef,
};
use crate::ops::{Family, row};
use spirv::Op;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Kind of a buffer resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// `StorageBuffer`, or `Uniform` with `BufferBlock`.
    StorageBuffer,
    /// `Uniform` with `Block`.
    UniformBuffer,
}

/// A buffer that the shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The variable.
    pub global: GlobalId,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Name of the instance, or of the block where it has none.
    pub name: String,
    /// Kind.
    pub kind: ResourceKind,
    /// The block.
    pub block: TypeId,
    /// Number of descriptors: 1, or the length of an array of blocks.
    pub count: u32,
    /// Slot of element 0 in the context's descriptor table; elements follow.
    pub slot: u32,
    /// Bytes of the block without its runtime array; a smaller buffer cannot be bound.
    pub fixed_size: u64,
    /// `ArrayStride` of the runtime array that ends the block, if there is one.
    pub runtime_stride: Option<u32>,
    /// The shader stores to it or does atomics on it.
    pub written: bool,
    /// The buffer's memory starts at a multiple of so many bytes: what atomic operations on it need.
    pub align: u32,
    /// Text for people: members with types and offsets.
    pub members: Vec<MemberInfo>,
}

/// A member of a block, for listings and for binding by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// Dotted path from the block.
    pub name: String,
    /// GLSL spelling of the type (`uint`, `vec4`, `float[]`).
    pub ty: String,
    /// Bytes from the start of the block.
    pub offset: u32,
    /// Bytes it takes; 0 for a runtime array.
    pub size: u32,
    /// Scalar type and number of components where the member is a scalar or vector.
    pub scalar: Option<(crate::ir::Scalar, u32)>,
}

/// What an entry point declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Entry point's name.
    pub entry: String,
    /// Workgroup size.
    pub local_size: [u32; 3],
    /// Buffers, by set, then binding.
    pub resources: Vec<Resource>,
    /// Number of slots in the descriptor table.
    pub slots: u32,
    /// Bytes of push constants that the shader declares.
    pub push_size: u32,
    /// The push-constant block, where there is one.
    pub push_block: Option<TypeId>,
    /// Members of the push-constant block.
    pub push_members: Vec<MemberInfo>,
    /// Instructions that functions of the embedder's compute, by the index of the function.
    pub custom: Vec<CustomInstruction>,
    /// What the shader prints, and the name of the source file where that is known.
    pub prints: Vec<(Print, Option<String>)>,
    /// Specialisation constants.
    pub spec_constants: Vec<SpecConstant>,
    /// What the module declares and the entry point does not use; it may be bound, to no effect.
    pub unused: Unused,
}

/// The specialisation constants, one for each id: a module may decorate several instructions with one.
fn spec_constants(module: &Module) -> Vec<SpecConstant> {
    let mut seen = HashSet::new();
    module.spec_constants.iter().filter(|constant| seen.insert(constant.id)).cloned().collect()
}

/// What an entry point (by its index in [`Module::entries`]) declares and statically uses.
///
/// Errors: no such entry point, a buffer without a binding, a block that has no layout, an unsized array of descriptors.
pub fn interface(module: &Module, entry: usize) -> Result<Interface> {
    let Some(point) = module.entries.get(entry) else {
        return Err(Error::Options(format!("the module has no entry point number {entry}")));
    };
    let uses = Uses::collect(module, point.func);
    let mut out = Interface {
        entry: point.name.clone(),
        local_size: point.local_size,
        spec_constants: spec_constants(module),
        custom: module.custom.clone(),
        prints: module
            .prints
            .iter()
            .map(|print| (print.clone(), module.files.get(print.loc.file as usize).cloned()))
            .collect(),
        unused: module.unused.clone(),
        ..Interface::default()
    };
    let mut bindings: BTreeMap<(u32, u32), Vec<Resource>> = BTreeMap::new();
    for &id in &uses.used {
        let global = &module.globals[id];
        let Some((class, pointee)) = module.types.pointee(global.ty) else { continue };
        match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                let align = if uses.has_wide_atomics(id) { 8 } else { 4 };
                let resource = resource(module, id, pointee, uses.written.contains(&id), align)?;
                bindings.entry((resource.set, resource.binding)).or_default().push(resource);
            }
            StorageClass::PushConstant => {
                let size = block_size(module, global, pointee)?;
                out.push_size = u32::try_from(size).map_err(|_| no_layout(module, global))?;
                out.push_block = Some(pointee);
                out.push_members = members(&module.types, pointee);
            }
            _ => {}
        }
    }
    // What transforms found to be without effect is declared all the same.
    for (_, global) in module.globals.iter().filter(|(id, _)| !uses.used.contains(id)) {
        match (global.class, global.set, global.binding) {
            (StorageClass::PushConstant, ..) => out.unused.push = true,
            (_, Some(set), Some(binding)) => {
                out.unused.bindings.push((set, binding, name_of(module, global)));
            }
            _ => {}
        }
    }
    // Two variables may share a binding; then they share its slots too.
    for (_, resources) in bindings {
        let count = resources.iter().map(|r| r.count).max().unwrap_or(0);
        let align = resources.iter().map(|r| r.align).max().unwrap_or(4);
        for mut resource in resources {
            resource.slot = out.slots;
            resource.align = align;
            out.resources.push(resource);
        }
        let Some(slots) = out.slots.checked_add(count) else {
            let what = "the arrays of buffers have more than 4294967295 elements together".to_owned();
            return Err(Error::Limit { place: Place::default(), what });
        };
        out.slots = slots;
    }
    Ok(out)
}

fn place(module: &Module, global: &Global) -> Place {
    let file = module.files.get(global.loc.file as usize).filter(|_| global.loc.line > 0);
    Place { loc: global.loc, file: file.cloned() }
}

fn no_layout(module: &Module, global: &Global) -> Error {
    let what = format!("the block of '{}' has no layout in memory, or one that is too large", global.name);
    Error::InvalidSpirv { place: place(module, global), what }
}

fn block_size(module: &Module, global: &Global, block: TypeId) -> Result<u64> {
    let is_struct = matches!(module.types[block], Type::Struct(_));
    let size = if is_struct { layout::size_of(&module.types, block, MatrixLayout::default()) } else { None };
    size.ok_or_else(|| no_layout(module, global))
}

/// Name of a variable, or of its block where it has none.
fn name_of(module: &Module, global: &Global) -> String {
    let mut ty = module.types.pointee(global.ty).map(|(_, pointee)| pointee);
    while let Some(Type::Array { element, .. } | Type::RuntimeArray { element, .. }) = ty.map(|t| &module.types[t]) {
        ty = Some(*element);
    }
    match ty.map(|t| &module.types[t]) {
        Some(Type::Struct(id)) if global.name.is_empty() => module.types.structs[*id].name.clone(),
        _ => global.name.clone(),
    }
}

fn resource(module: &Module, id: GlobalId, pointee: TypeId, written: bool, align: u32) -> Result<Resource> {
    let (types, global) = (&module.types, &module.globals[id]);
    let (block, count) = match types[pointee] {
        Type::Array { element, count, .. } => (element, count),
        Type::RuntimeArray { .. } => {
            return Err(Error::Unsupported {
                place: place(module, global),
                instruction: "OpTypeRuntimeArray".into(),
                reason: format!("'{}' is an array of descriptors without a size; give it one", global.name),
            });
        }
        _ => (pointee, 1),
    };
    let fixed_size = block_size(module, global, block)?;
    let Some(binding) = global.binding else {
        let what = format!("the buffer '{}' has no Binding; add layout(binding = N)", global.name);
        return Err(Error::InvalidSpirv { place: place(module, global), what });
    };
    let Type::Struct(strukt) = types[block] else { return Err(no_layout(module, global)) };
    let strukt = &types.structs[strukt];
    let storage = global.class == StorageClass::StorageBuffer || strukt.buffer_block;
    let name = name_of(module, global);
    let runtime_stride = strukt.members.last().and_then(|m| match types[m.ty] {
        Type::RuntimeArray { .. } => {
            layout::element_stride(types, m.ty, MatrixLayout::of(m)).and_then(|s| u32::try_from(s).ok())
        }
        _ => None,
    });
    Ok(Resource {
        global: id,
        set: global.set.unwrap_or(0),
        binding,
        name,
        kind: if storage { ResourceKind::StorageBuffer } else { ResourceKind::UniformBuffer },
        block,
        count,
        slot: 0,
        fixed_size,
        runtime_stride,
        written,
        align,
        members: members(types, block),
    })
}

/// The members of a block, those of nested structs by dotted names. An array of structs is one entry.
pub fn members(types: &Types, block: TypeId) -> Vec<MemberInfo> {
    let mut out = vec![];
    push_members(types, block, "", 0, &mut out);
    out
}

fn push_members(types: &Types, ty: TypeId, prefix: &str, base: u64, out: &mut Vec<MemberInfo>) {
    let Type::Struct(id) = types[ty] else { return };
    for (index, member) in types.structs[id].members.iter().enumerate() {
        let Some(offset) = layout::member_offset(types, ty, index as u32).and_then(|o| base.checked_add(o)) else {
            continue;
        };
        let name = if member.name.is_empty() { format!("_{index}") } else { member.name.clone() };
        let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        if matches!(types[member.ty], Type::Struct(_)) {
            push_members(types, member.ty, &name, offset, out);
            continue;
        }
        let size = layout::size_of(types, member.ty, MatrixLayout::of(member)).unwrap_or(0);
        let (Ok(offset), Ok(size)) = (u32::try_from(offset), u32::try_from(size)) else { continue };
        let ty = glsl_type(types, member.ty);
        out.push(MemberInfo { name, ty, offset, size, scalar: types.components(member.ty) });
    }
}

/// The GLSL spelling of a type.
pub fn glsl_type(types: &Types, ty: TypeId) -> String {
    match &types[ty] {
        Type::Void => "void".into(),
        Type::Scalar(s) => scalar_name(*s).0.into(),
        Type::Vector { component, count } => format!("{}vec{count}", scalar_name(*component).1),
        Type::Matrix { column, columns } => match types.components(*column) {
            Some((s, rows)) if rows == u32::from(*columns) => format!("{}mat{columns}", scalar_name(s).1),
            Some((s, rows)) => format!("{}mat{columns}x{rows}", scalar_name(s).1),
            None => "matrix".into(),
        },
        Type::Array { .. } | Type::RuntimeArray { .. } => {
            // `float[3][]` is a runtime array of float[3] in SPIR-V's order; GLSL writes the outer dimension first.
            let (mut at, mut dimensions) = (ty, String::new());
            loop {
                match types[at] {
                    Type::Array { element, count, .. } => {
                        dimensions.push_str(&format!("[{count}]"));
                        at = element;
                    }
                    Type::RuntimeArray { element, .. } => {
                        dimensions.push_str("[]");
                        at = element;
                    }
                    _ => break,
                }
            }
            glsl_type(types, at) + &dimensions
        }
        Type::Struct(id) if types.structs[*id].name.is_empty() => "struct".into(),
        Type::Struct(id) => types.structs[*id].name.clone(),
        Type::Pointer { .. } => "uint64_t".into(),
        Type::Opaque(name) => (*name).into(),
    }
}

/// GLSL's name of a scalar type and its prefix of vectors and matrices.
fn scalar_name(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::Bool => ("bool", "b"),
        Scalar::Int { width: 8, signed: true } => ("int8_t", "i8"),
        Scalar::Int { width: 8, signed: false } => ("uint8_t", "u8"),
        Scalar::Int { width: 16, signed: true } => ("int16_t", "i16"),
        Scalar::Int { width: 16, signed: false } => ("uint16_t", "u16"),
        Scalar::Int { width: 64, signed: true } => ("int64_t", "i64"),
        Scalar::Int { width: 64, signed: false } => ("uint64_t", "u64"),
        Scalar::Int { signed: true, .. } => ("int", "i"),
        Scalar::Int { signed: false, .. } => ("uint", "u"),
        Scalar::Float(16) => ("float16_t", "f16"),
        Scalar::Float(64) => ("double", "d"),
        Scalar::Float(_) => ("float", ""),
    }
}

/// Where a pointer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Global(GlobalId),
    Param(u32),
}

/// Module-scope variables that a function and what it calls use, and write to.
struct Uses<'m> {
    module: &'m Module,
    used: BTreeSet<GlobalId>,
    written: HashSet<GlobalId>,
    /// Parameters through which a function writes.
    params: HashMap<FuncId, HashSet<u32>>,
    /// What atomic operations of 64 bits work on; `None`: on something that is reached through a parameter.
    wide_atomics: HashSet<Option<GlobalId>>,
}

impl<'m> Uses<'m> {
    fn collect(module: &'m Module, entry: FuncId) -> Uses<'m> {
        let mut uses = Uses {
            module,
            used: BTreeSet::new(),
            written: HashSet::new(),
            params: HashMap::new(),
            wide_atomics: HashSet::new(),
        };
        // Functions that are reached; callees mostly come first in a module, so that few rounds are needed.
        let mut reached = BTreeSet::from([entry]);
        let mut work = vec![entry];
        while let Some(f) = work.pop() {
            module.functions[f].for_each_op(module.functions[f].body, &mut |_, op| {
                if let OpKind::Call { callee, .. } = module.functions[f].ops[op].kind
                    && reached.insert(callee)
                {
                    work.push(callee);
                }
            });
        }
        loop {
            let before = (uses.written.len(), uses.params.values().map(HashSet::len).sum::<usize>());
            reached.iter().for_each(|&f| uses.function(f));
            if before == (uses.written.len(), uses.params.values().map(HashSet::len).sum()) {
                return uses;
            }
        }
    }

    /// May there be an atomic operation of 64 bits on this variable?
    fn has_wide_atomics(&self, id: GlobalId) -> bool {
        self.wide_atomics.contains(&Some(id)) || self.wide_atomics.contains(&None)
    }

    fn function(&mut self, id: FuncId) {
        let f = &self.module.functions[id];
        let mut roots: HashMap<Value, Root> = HashMap::new();
        let root = |roots: &HashMap<Value, Root>, value: Value| match f.values[value].def {
            ValueDef::Global(g) => Some(Root::Global(g)),
            ValueDef::Param(p) => Some(Root::Param(p)),
            _ => roots.get(&value).copied(),
        };
        f.for_each_op(f.body, &mut |_, op| {
            let op = &f.ops[op];
            op.kind.for_each_use(|value| {
                if let ValueDef::Global(g) = f.values[value].def {
                    self.used.insert(g);
                }
            });
            let mut written: Vec<Value> = vec![];
            if let OpKind::Inst(inst) = &op.kind
                && let Some(&pointer) = inst.operands.first()
                && row(inst.opcode).is_some_and(|row| row.family == Family::Atomic)
                && let Some((_, pointee)) = self.module.types.pointee(f.values[pointer].ty)
                && self.module.types.components(pointee).is_some_and(|(scalar, _)| scalar.bits() == 64)
            {
                self.wide_atomics.insert(match root(&roots, pointer) {
                    Some(Root::Global(g)) => Some(g),
                    _ => None,
                });
            }
            match &op.kind {
                OpKind::Inst(inst) => match inst.opcode {
                    Opcode::Core(Op::AccessChain) => {
                        if let (Some(&base), Some(&result)) = (inst.operands.first(), op.results.first())
                            && let Some(root) = root(&roots, base)
                        {
                            roots.insert(result, root);
                        }
                    }
                    Opcode::Core(Op::Load | Op::ArrayLength | Op::AtomicLoad) => {}
                    Opcode::Core(Op::Store | Op::CopyMemory) => written.extend(inst.operands.first()),
                    // Whatever else takes a pointer may write through it: atomics, modf.
                    _ => written.extend(&inst.operands),
                },
                OpKind::Call { callee, args } => {
                    let params = self.params.get(callee);
                    written.extend(params.into_iter().flatten().filter_map(|&p| args.get(p as usize)));
                }
                _ => {}
            }
            for value in written {
                match root(&roots, value) {
                    Some(Root::Global(g)) => drop(self.written.insert(g)),
                    Some(Root::Param(p)) => drop(self.params.entry(id).or_default().insert(p)),
                    None => {}
                }
            }
        });
    }
}

#[cfg(test)]
mod tests;
