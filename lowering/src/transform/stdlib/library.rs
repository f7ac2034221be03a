//! The functions of the library: which there are, their SPIR-V, and how they become functions of a module.
//!
//! Each function is compiled alone, to a module whose entry point reads the parameters from input variables 0, 1 … and
//! writes the results to output variables 0, 1 …: so it is straight-line code on scalars, without calls, variables or
//! branches, when it comes out of SPIRV-Tools' optimiser. `cargo xtask stdlib` makes the words from `lowering/stdlib/*.glsl`
//! and checks all that. A function is lifted once a process, when it is first used.

use crate::error::{Error, Result};
use crate::ir::*;
use crate::lift::lift;
use crate::options::Options;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use smallvec::smallvec;
use spirv::Op as S;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A function of the library.
#[derive(Debug, PartialEq, Eq)]
pub struct LibraryFunction {
    /// Its name: `std_` and this in GLSL.
    pub name: &'static str,
    /// The file in `lowering/stdlib` that defines it, without `.glsl`.
    pub file: &'static str,
    /// Parameters.
    pub params: &'static [Scalar],
    /// Results: one is the GLSL function's result, more are `out` parameters.
    pub results: &'static [Scalar],
    /// Works on one component of each operand; otherwise on all leaves of all operands.
    pub lanes: bool,
}

const F: Scalar = Scalar::F32;
const I: Scalar = Scalar::I32;
const U: Scalar = Scalar::U32;
const D: Scalar = Scalar::Float(64);

/// A function on components.
const fn lanes(
    file: &'static str,
    name: &'static str,
    params: &'static [Scalar],
    results: &'static [Scalar],
) -> LibraryFunction {
    LibraryFunction { name, file, params, results, lanes: true }
}

/// A function on whole operands.
const fn whole(
    file: &'static str,
    name: &'static str,
    params: &'static [Scalar],
    results: &'static [Scalar],
) -> LibraryFunction {
    LibraryFunction { name, file, params, results, lanes: false }
}

/// All functions.
pub const FUNCTIONS: &[LibraryFunction] = &[
    lanes("exponential", "exp", &[F], &[F]),
    lanes("exponential", "exp2", &[F], &[F]),
    lanes("exponential", "log", &[F], &[F]),
    lanes("exponential", "log2", &[F], &[F]),
    lanes("exponential", "pow", &[F; 2], &[F]),
    lanes("trigonometric", "sin", &[F], &[F]),
    lanes("trigonometric", "cos", &[F], &[F]),
    lanes("trigonometric", "tan", &[F], &[F]),
    lanes("trigonometric", "asin", &[F], &[F]),
    lanes("trigonometric", "acos", &[F], &[F]),
    lanes("trigonometric", "atan", &[F], &[F]),
    lanes("trigonometric", "atan2", &[F; 2], &[F]),
    lanes("hyperbolic", "sinh", &[F], &[F]),
    lanes("hyperbolic", "cosh", &[F], &[F]),
    lanes("hyperbolic", "tanh", &[F], &[F]),
    lanes("hyperbolic", "asinh", &[F], &[F]),
    lanes("hyperbolic", "acosh", &[F], &[F]),
    lanes("hyperbolic", "atanh", &[F], &[F]),
    lanes("parts", "modf", &[F], &[F; 2]),
    lanes("parts", "frexp", &[F], &[F, I]),
    lanes("parts", "ldexp", &[F, I], &[F]),
    lanes("parts64", "modf64", &[D], &[D; 2]),
    lanes("parts64", "frexp64", &[D], &[D, I]),
    lanes("parts64", "ldexp64", &[D, I], &[D]),
    whole("packing", "pack_snorm_4x8", &[F; 4], &[U]),
    whole("packing", "pack_unorm_4x8", &[F; 4], &[U]),
    whole("packing", "pack_snorm_2x16", &[F; 2], &[U]),
    whole("packing", "pack_unorm_2x16", &[F; 2], &[U]),
    whole("packing", "pack_half_2x16", &[F; 2], &[U]),
    whole("packing", "unpack_snorm_4x8", &[U], &[F; 4]),
    whole("packing", "unpack_unorm_4x8", &[U], &[F; 4]),
    whole("packing", "unpack_snorm_2x16", &[U], &[F; 2]),
    whole("packing", "unpack_unorm_2x16", &[U], &[F; 2]),
    whole("packing", "unpack_half_2x16", &[U], &[F; 2]),
    lanes("packing", "quantize_to_f16", &[F], &[F]),
    whole("matrix", "determinant2", &[F; 4], &[F]),
    whole("matrix", "determinant3", &[F; 9], &[F]),
    whole("matrix", "determinant4", &[F; 16], &[F]),
    whole("matrix", "inverse2", &[F; 4], &[F; 4]),
    whole("matrix", "inverse3", &[F; 9], &[F; 9]),
    whole("matrix", "inverse4", &[F; 16], &[F; 16]),
];

include!("../../../stdlib/index.rs");

/// The words of all functions, little-endian, one after the other as [`INDEX`] says.
const WORDS: &[u8] = include_bytes!("../../../stdlib/library.bin");

/// The function of that name.
pub fn find(name: &str) -> Option<&'static LibraryFunction> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// The function that does with 64-bit floats what that of the name does with others.
pub fn find_wide(name: &str) -> Option<&'static LibraryFunction> {
    FUNCTIONS.iter().find(|f| f.name.strip_suffix("64") == Some(name))
}

/// The SPIR-V module of a function.
pub(super) fn words(name: &str) -> Option<Vec<u32>> {
    let &(_, start, len) = INDEX.iter().find(|(n, ..)| *n == name)?;
    let bytes = WORDS.get(start * 4..(start + len) * 4)?;
    Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// The SPIR-V of a function as bytes; empty where there is none of that name. Equal bytes give equal results.
pub fn library_bytes(name: &str) -> Vec<u8> {
    words(name).unwrap_or_default().into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A function as it was lifted: a module whose entry point's body is one region.
#[derive(Debug)]
pub(super) struct Lifted {
    pub module: Module,
    pub func: FuncId,
}

fn broken(name: &str, what: &str) -> Error {
    Error::Internal(format!("standard library: {name}: {what}"))
}

/// Lifts a function, without the cache.
pub(super) fn lift_function(function: &LibraryFunction) -> Result<Lifted> {
    let words = words(function.name).ok_or_else(|| broken(function.name, "there are no words for it"))?;
    let module = lift(&words, &Options::default())?;
    let func = module.entries.first().map(|e| e.func).ok_or_else(|| broken(function.name, "no entry point"))?;
    Ok(Lifted { module, func })
}

/// The lifted function; it is lifted when it is asked for first.
fn lifted(function: &'static LibraryFunction) -> Result<&'static Lifted> {
    static CACHE: OnceLock<Vec<OnceLock<Result<Lifted>>>> = OnceLock::new();
    let cache = CACHE.get_or_init(|| FUNCTIONS.iter().map(|_| OnceLock::new()).collect());
    let index = FUNCTIONS.iter().position(|f| f.name == function.name).unwrap_or(0);
    cache[index].get_or_init(|| lift_function(function)).as_ref().map_err(Clone::clone)
}

/// Adds a function to a module. `wide`: with 64-bit floats where it has 32-bit ones, which serves where a function only adds,
/// multiplies and divides.
pub(super) fn import(function: &'static LibraryFunction, wide: bool, into: &mut Module) -> Result<FuncId> {
    let source = lifted(function)?;
    Importer::new(function, wide, source, into).run()
}

/// A 64-bit float in place of a 32-bit one.
fn widened(scalar: Scalar, wide: bool) -> Scalar {
    if wide && scalar == Scalar::F32 { Scalar::Float(64) } else { scalar }
}

/// A function on its way into a module.
struct Importer<'a> {
    library: &'static LibraryFunction,
    wide: bool,
    source: &'a Module,
    from: &'a Function,
    into: &'a mut Module,
    to: Function,
    values: SecondaryMap<Value, PackedOption<Value>>,
    types: HashMap<TypeId, TypeId>,
}

impl<'a> Importer<'a> {
    fn new(library: &'static LibraryFunction, wide: bool, source: &'a Lifted, into: &'a mut Module) -> Importer<'a> {
        let scalars: Vec<TypeId> = library.results.iter().map(|&s| into.types.scalar(widened(s, wide))).collect();
        let result = match scalars[..] {
            [only] => only,
            _ => {
                let member = |ty| Member {
                    name: String::new(),
                    ty,
                    offset: None,
                    matrix_stride: None,
                    row_major: false,
                    builtin: None,
                    access: Access::default(),
                };
                let members = scalars.into_iter().map(member).collect();
                let name = format!("std_{}", library.name);
                let id = into.types.structs.push(StructType { name, block: false, buffer_block: false, members });
                into.types.intern(Type::Struct(id))
            }
        };
        let mut to = Function::new(format!("std_{}", library.name), result, CONST, Loc::default());
        for &scalar in library.params {
            let ty = into.types.scalar(widened(scalar, wide));
            to.add_param(ty);
        }
        let from = &source.module.functions[source.func];
        let values = SecondaryMap::with_capacity(from.values.len());
        Importer { library, wide, source: &source.module, from, into, to, values, types: HashMap::new() }
    }

    fn run(mut self) -> Result<FuncId> {
        let from = self.from;
        let mut outputs = vec![None; self.library.results.len()];
        for &op in &from.regions[from.body].ops {
            let data = &from.ops[op];
            let OpKind::Inst(inst) = &data.kind else { return Err(self.broken("it is not straight-line code")) };
            match (inst.opcode, &inst.operands[..], &data.results[..]) {
                (Opcode::Core(S::Load), &[pointer], &[result]) => {
                    let param = self.location(pointer, StorageClass::Input).and_then(|at| self.to.params.get(at));
                    let param = *param.ok_or_else(|| self.broken("it loads what is no parameter"))?;
                    self.values[result] = Some(param).into();
                }
                (Opcode::Core(S::Store), &[pointer, value], _) => {
                    let at = self.location(pointer, StorageClass::Output).filter(|&at| at < outputs.len());
                    let at = at.ok_or_else(|| self.broken("it stores what is no result"))?;
                    outputs[at] = Some(self.value(value)?);
                }
                (_, _, &[result]) => {
                    let mut inst = inst.clone();
                    for operand in &mut inst.operands {
                        *operand = self.value(*operand)?;
                    }
                    inst.flags |= NO_CONTRACTION;
                    let ty = self.ty(from.values[result].ty)?;
                    let copy = self.to.push_op(self.to.body, OpKind::Inst(inst), &[ty], Loc::default());
                    self.values[result] = Some(self.to.ops[copy].results[0]).into();
                }
                _ => return Err(self.broken("an instruction has no result")),
            }
        }
        let outputs = outputs.into_iter().collect::<Option<Vec<Value>>>();
        let outputs = outputs.ok_or_else(|| self.broken("a result is missing"))?;
        let result = match outputs[..] {
            [only] => only,
            _ => {
                let opcode = Opcode::Core(S::CompositeConstruct);
                let inst = Inst { opcode, operands: outputs.into(), literals: smallvec![], flags: 0 };
                let whole = self.to.push_op(self.to.body, OpKind::Inst(inst), &[self.to.result], Loc::default());
                self.to.ops[whole].results[0]
            }
        };
        let body = self.to.body;
        self.to.regions[body].end = Terminator::Return(Some(result));
        Ok(self.into.functions.push(self.to))
    }

    /// `Location` of the variable that a pointer is the address of.
    fn location(&self, pointer: Value, class: StorageClass) -> Option<usize> {
        let ValueDef::Global(id) = self.from.values[pointer].def else { return None };
        let global = &self.source.globals[id];
        global.location.filter(|_| global.class == class).map(|at| at as usize)
    }

    fn value(&mut self, value: Value) -> Result<Value> {
        if let Some(known) = self.values[value].expand() {
            return Ok(known);
        }
        let data = self.from.values[value];
        let ValueDef::Const(id) = data.def else { return Err(self.broken("a value is used before it is defined")) };
        let id = self.constant(id)?;
        let copy = self.to.const_value(id, self.into.consts[id].ty);
        self.values[value] = Some(copy).into();
        Ok(copy)
    }

    fn constant(&mut self, id: ConstId) -> Result<ConstId> {
        let Constant { ty, data } = self.source.consts[id].clone();
        let single = matches!(self.source.types[ty], Type::Scalar(Scalar::F32));
        let ty = self.ty(ty)?;
        match data {
            ConstData::Bits(bits) if self.wide && single => {
                let bits = f64::from(f32::from_bits(bits as u32)).to_bits();
                Ok(self.into.constant(ty, ConstData::Bits(bits)))
            }
            ConstData::Composite(_) => Err(self.broken("it has a constant that is no scalar")),
            data => Ok(self.into.constant(ty, data)),
        }
    }

    fn ty(&mut self, ty: TypeId) -> Result<TypeId> {
        if let Some(&known) = self.types.get(&ty) {
            return Ok(known);
        }
        let kind = self.source.types[ty].clone();
        let kind = match kind {
            Type::Scalar(scalar) => Type::Scalar(widened(scalar, self.wide)),
            Type::Vector { component, count } => Type::Vector { component: widened(component, self.wide), count },
            _ => return Err(self.broken("it has a value that is neither scalar nor vector")),
        };
        let copy = self.into.types.intern(kind);
        self.types.insert(ty, copy);
        Ok(copy)
    }

    fn broken(&self, what: &str) -> Error {
        broken(self.library.name, what)
    }
}
