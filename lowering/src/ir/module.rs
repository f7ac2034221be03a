//! The module: types, constants, globals, functions, entry points.

use super::function::Function;
use super::outside::{CustomInstruction, Print};
use super::types::{Access, StorageClass, Type, TypeId, Types};
use cranelift_entity::{PrimaryMap, entity_impl};
use std::collections::HashMap;

pub use spirv::BuiltIn;

/// An interned constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u32);
entity_impl!(ConstId, "const");

/// A module-scope variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(u32);
entity_impl!(GlobalId, "global");

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(u32);
entity_impl!(FuncId, "func");

/// Where something comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Loc {
    /// Index into [`Module::files`] of the source file named by `OpLine`.
    pub file: u32,
    /// Line in that file, from 1; 0 when there is no `OpLine`.
    pub line: u32,
    /// Word offset of the instruction in the SPIR-V module; 0 for what no instruction stands for.
    pub word: u32,
    /// Result id in the SPIR-V module, or 0.
    pub id: u32,
}

/// A constant: a type and its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The type.
    pub ty: TypeId,
    /// The value.
    pub data: ConstData,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstData {
    /// A boolean (0 or 1), integer or float, as bits zero-extended to 64.
    Bits(u64),
    /// A vector, matrix, array or struct, by its constituents.
    Composite(Vec<ConstId>),
    /// `OpConstantNull`: all bits zero.
    Null,
    /// `OpUndef`.
    Undef,
}

/// A specialisation constant that the module declared. Its value has been put in already; this is what reflection shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// `SpecId`.
    pub id: u32,
    /// `OpName`, or empty.
    pub name: String,
    /// A scalar type.
    pub ty: TypeId,
    /// The default, as bits.
    pub default: u64,
    /// The value used, as bits.
    pub value: u64,
}

/// Resources that are declared and not used. Nothing of them is lifted; to bind them is no error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// Descriptor set, binding, and the variable's or its block's `OpName`.
    pub bindings: Vec<(u32, u32, String)>,
    /// There is a push-constant block.
    pub push: bool,
}

/// A module-scope `OpVariable`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// `OpName`, or empty.
    pub name: String,
    /// The pointer type.
    pub ty: TypeId,
    /// Storage class.
    pub class: StorageClass,
    /// `DescriptorSet`.
    pub set: Option<u32>,
    /// `Binding`.
    pub binding: Option<u32>,
    /// `Location` of an interface variable.
    pub location: Option<u32>,
    /// `BuiltIn`.
    pub builtin: Option<BuiltIn>,
    /// Access qualifiers.
    pub access: Access,
    /// Initialiser.
    pub init: Option<ConstId>,
    /// Where it was declared.
    pub loc: Loc,
}

/// An entry point with its execution modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// Its execution model.
    pub model: spirv::ExecutionModel,
    /// The function.
    pub func: FuncId,
    /// Interface variables.
    pub interface: Vec<GlobalId>,
    /// Workgroup size, from `WorkgroupSize`, `LocalSizeId` or `LocalSize`, specialised; 1, 1, 1 where there is none.
    pub local_size: [u32; 3],
    /// The remaining execution modes: number and literals (ids replaced by their values).
    pub modes: Vec<(spirv::ExecutionMode, Vec<u32>)>,
}

/// A SPIR-V module with structured functions.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// SPIR-V version, `(major, minor)`.
    pub version: (u8, u8),
    /// Capabilities declared.
    pub capabilities: Vec<spirv::Capability>,
    /// Extensions declared.
    pub extensions: Vec<String>,
    /// Types.
    pub types: Types,
    /// Constants.
    pub consts: PrimaryMap<ConstId, Constant>,
    const_ids: HashMap<Constant, ConstId>,
    /// Specialisation constants, in order of declaration.
    pub spec_constants: Vec<SpecConstant>,
    /// Resources that the module declares and the entry point does not use.
    pub unused: Unused,
    /// Instructions that functions of the embedder's compute, those that are used; their places are the functions' indices
    /// in [`Context::host_functions`](crate::abi::Context::host_functions).
    pub custom: Vec<CustomInstruction>,
    /// What the module prints.
    pub prints: Vec<Print>,
    /// Module-scope variables.
    pub globals: PrimaryMap<GlobalId, Global>,
    /// Functions; callees need not precede callers.
    pub functions: PrimaryMap<FuncId, Function>,
    /// Entry points.
    pub entries: Vec<EntryPoint>,
    /// Source file names, indexed by [`Loc::file`].
    pub files: Vec<String>,
}

impl Module {
    /// The id of a constant, interned now if it is new.
    pub fn constant(&mut self, ty: TypeId, data: ConstData) -> ConstId {
        let key = Constant { ty, data };
        if let Some(&id) = self.const_ids.get(&key) {
            return id;
        }
        let id = self.consts.push(key.clone());
        self.const_ids.insert(key, id);
        id
    }

    /// The value of a scalar constant as bits; `Null` is 0, `Undef` is 0, a composite has none.
    pub fn scalar_bits(&self, id: ConstId) -> Option<u64> {
        match (&self.types[self.consts[id].ty], &self.consts[id].data) {
            (Type::Scalar(_), ConstData::Bits(b)) => Some(*b),
            (Type::Scalar(_), ConstData::Null | ConstData::Undef) => Some(0),
            _ => None,
        }
    }
}
