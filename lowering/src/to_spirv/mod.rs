//! Structured IR → SPIR-V (SPIR-V specification, §2.4 "Logical Layout of a Module", §2.11 "Structured Control Flow").
//!
//! In: a verified [`Module`], before functions of the standard library are brought in or after. Out: the words of a valid
//! SPIR-V module that does the same. Regions become blocks with merge instructions, region arguments and results become
//! phis; names, decorations, layouts, entry points, execution modes and lines are kept as far as the IR has them. What lift
//! has put in stays: specialisation constants are plain constants here.
//!
//! Lifting the words again gives the same IR up to numbering, where region arguments and results are variables again, as
//! lift makes them; exits for which SPIR-V has no branch go by way of a variable, see [`regions`].
//!
//! | file          | does                                                     |
//! |---------------|----------------------------------------------------------|
//! | `mod`         | sections of the module, entry points, global variables   |
//! | `types`       | types and their decorations, constants                   |
//! | `function`    | functions, instructions, variables                       |
//! | `regions`     | regions → blocks                                         |

mod function;
mod regions;
#[cfg(test)]
mod tests;
mod types;

use crate::error::{Error, Place, Result};
use crate::ir::{
    Access, ConstId, EntryPoint, FuncId, Global, GlobalId, Loc, Module, Scalar, StorageClass, Type, TypeId,
};
use crate::stack::{levels, with_room};
use spirv::{Capability, Decoration, ExecutionMode, Op};
use std::collections::{HashMap, HashSet};

/// Most words of an instruction.
const MAX_WORDS: usize = 0xffff;

/// The module as SPIR-V words.
///
/// # Errors
/// `Unsupported` for types without a value (images and the like) and for exits out of the continue construct of a loop;
/// `Limit` for instructions of more than 65,535 words.
pub fn to_spirv(module: &Module) -> Result<Vec<u32>> {
    with_room(levels(module), || write(module))
}

fn write(module: &Module) -> Result<Vec<u32>> {
    let mut writer = Writer::new(module);
    for (id, _) in module.functions.iter() {
        let function = writer.id();
        writer.functions.insert(id, function);
    }
    for id in module.functions.keys() {
        writer.function(id)?;
    }
    for entry in &module.entries {
        writer.entry(entry)?;
    }
    writer.finish()
}

/// A section of a module: instructions one after the other.
#[derive(Default)]
struct Section(Vec<u32>);

impl Section {
    /// Appends an instruction.
    fn push(&mut self, op: Op, words: &[u32]) {
        self.push_number(op as u16, words);
    }

    /// Appends an instruction that no headers need to know.
    fn push_number(&mut self, opcode: u16, words: &[u32]) {
        debug_assert!(words.len() < MAX_WORDS, "the length is checked where it depends on the input");
        self.0.push((words.len() as u32 + 1) << 16 | u32::from(opcode));
        self.0.extend_from_slice(words);
    }
}

/// Words of a string, with its end.
fn string(text: &str) -> Vec<u32> {
    // A NUL would end the string early.
    let bytes: Vec<u8> = text.bytes().filter(|&b| b != 0).take(4 * (MAX_WORDS - 16)).collect();
    let mut words: Vec<u32> = bytes
        .chunks(4)
        .map(|chunk| chunk.iter().enumerate().fold(0, |word, (i, &b)| word | u32::from(b) << (8 * i)))
        .collect();
    if bytes.len().is_multiple_of(4) {
        words.push(0);
    }
    words
}

/// State of writing a module.
struct Writer<'m> {
    module: &'m Module,
    next: u32,
    version: (u8, u8),
    capabilities: Vec<Capability>,
    entries: Section,
    modes: Section,
    strings: Section,
    names: Section,
    decorations: Section,
    /// Types, constants and global variables, each before its uses.
    declarations: Section,
    code: Section,
    functions: HashMap<FuncId, u32>,
    globals: HashMap<GlobalId, u32>,
    types: HashMap<TypeId, u32>,
    function_types: HashMap<Vec<u32>, u32>,
    consts: HashMap<ConstId, u32>,
    /// `uint` and `bool`, where the module does not have them.
    own_types: HashMap<Scalar, u32>,
    /// Pointers to Function variables, where the module does not have them, by their pointee.
    own_pointers: HashMap<u32, u32>,
    /// Numbers that the words need and the module need not have.
    numbers: HashMap<u32, u32>,
    undefs: HashMap<TypeId, u32>,
    files: HashMap<u32, u32>,
    /// Extended instruction sets, by name.
    sets: Vec<(String, u32)>,
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module) -> Writer<'m> {
        let version = if module.version.0 == 0 { (1, 6) } else { module.version };
        let mut capabilities = module.capabilities.clone();
        if capabilities.is_empty() {
            capabilities.push(Capability::Shader);
        }
        Writer {
            module,
            next: 1,
            version,
            capabilities,
            entries: Section::default(),
            modes: Section::default(),
            strings: Section::default(),
            names: Section::default(),
            decorations: Section::default(),
            declarations: Section::default(),
            code: Section::default(),
            functions: HashMap::new(),
            globals: HashMap::new(),
            types: HashMap::new(),
            function_types: HashMap::new(),
            consts: HashMap::new(),
            own_types: HashMap::new(),
            own_pointers: HashMap::new(),
            numbers: HashMap::new(),
            undefs: HashMap::new(),
            files: HashMap::new(),
            sets: vec![],
        }
    }

    /// A new id.
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn place(&self, loc: Loc) -> Place {
        let file = self.module.files.get(loc.file as usize).filter(|f| loc.line > 0 && !f.is_empty());
        Place { loc, file: file.cloned() }
    }

    fn unsupported<T>(&self, loc: Loc, instruction: impl Into<String>, reason: &str) -> Result<T> {
        Err(Error::Unsupported { place: self.place(loc), instruction: instruction.into(), reason: reason.into() })
    }

    fn name(&mut self, id: u32, name: &str) {
        if !name.is_empty() {
            self.names.push(Op::Name, &[&[id][..], &string(name)].concat());
        }
    }

    fn decorate(&mut self, id: u32, decoration: Decoration, args: &[u32]) {
        self.decorations.push(Op::Decorate, &[&[id, decoration as u32], args].concat());
    }

    /// The id of an extended instruction set.
    fn set(&mut self, name: &str) -> u32 {
        if let Some((_, id)) = self.sets.iter().find(|(known, _)| known == name) {
            return *id;
        }
        let id = self.id();
        self.sets.push((name.into(), id));
        id
    }

    /// The type of what has no value.
    fn void(&mut self, loc: Loc) -> Result<u32> {
        match self.module.types.find(&Type::Void) {
            Some(ty) => self.ty(ty, loc),
            None => Err(Error::Internal("a module without a void type".into())),
        }
    }

    /// Instructions have at most 65,535 words.
    fn check_length(&self, words: &[u32]) -> Result<()> {
        if words.len() < MAX_WORDS {
            return Ok(());
        }
        let what = format!("an instruction of {} words; SPIR-V has at most {MAX_WORDS}", words.len() + 1);
        Err(Error::Limit { place: Place::default(), what })
    }

    /// The `OpString` of a source file.
    fn file(&mut self, file: u32) -> u32 {
        if let Some(&id) = self.files.get(&file) {
            return id;
        }
        let id = self.id();
        let name = self.module.files.get(file as usize).map_or("", String::as_str);
        self.strings.push(Op::String, &[&[id][..], &string(name)].concat());
        self.files.insert(file, id);
        id
    }

    /// The id of a global variable.
    fn global(&mut self, id: GlobalId) -> Result<u32> {
        if let Some(&found) = self.globals.get(&id) {
            return Ok(found);
        }
        let module = self.module;
        let global = &module.globals[id];
        let ty = self.ty(global.ty, global.loc)?;
        let mut words = vec![ty, 0, global.class as u32];
        if let Some(init) = global.init {
            words.push(self.constant(init)?);
        }
        words[1] = self.id();
        self.declarations.push(Op::Variable, &words);
        self.globals.insert(id, words[1]);
        self.decorate_global(words[1], global);
        Ok(words[1])
    }

    fn decorate_global(&mut self, id: u32, global: &Global) {
        self.name(id, &global.name);
        let numbers = [
            (Decoration::DescriptorSet, global.set),
            (Decoration::Binding, global.binding),
            (Decoration::Location, global.location),
            (Decoration::BuiltIn, global.builtin.map(|b| b as u32)),
        ];
        for (decoration, number) in numbers {
            if let Some(number) = number {
                self.decorate(id, decoration, &[number]);
            }
        }
        for decoration in access_decorations(global.access) {
            self.decorate(id, decoration, &[]);
        }
        // All blocks of shared memory lie in the same bytes, and have to say so where there are several.
        let is_block = |global: &Global| match self.module.types.pointee(global.ty) {
            Some((StorageClass::Workgroup, ty)) => {
                matches!(self.module.types[ty], Type::Struct(id) if self.module.types.structs[id].block)
            }
            _ => false,
        };
        if is_block(global) && self.module.globals.values().filter(|other| is_block(other)).count() > 1 {
            self.decorate(id, Decoration::Aliased, &[]);
        }
        // Integers between stages are flat by rule.
        if global.class == StorageClass::Input && global.location.is_some() && self.is_integer(global.ty) {
            self.decorate(id, Decoration::Flat, &[]);
        }
    }

    fn is_integer(&self, pointer: TypeId) -> bool {
        let pointee = self.module.types.pointee(pointer).map(|p| p.1);
        let scalar = pointee.and_then(|ty| self.module.types.components(ty));
        scalar.is_some_and(|(scalar, _)| scalar.is_int() || scalar == Scalar::Float(64))
    }

    fn entry(&mut self, entry: &EntryPoint) -> Result<()> {
        let Some(&function) = self.functions.get(&entry.func) else {
            return Err(Error::Internal(format!("entry point \"{}\" without its function", entry.name)));
        };
        for &global in &entry.interface {
            self.global(global)?;
        }
        let mut words = vec![entry.model as u32, function];
        words.extend(string(&entry.name));
        // Before version 1.4 only inputs and outputs are listed, since then all variables.
        let all = self.version >= (1, 4);
        let listed = |class| all || matches!(class, StorageClass::Input | StorageClass::Output);
        let mut interface = entry.interface.clone();
        let seen: HashSet<GlobalId> = interface.iter().copied().collect();
        let mut others: Vec<GlobalId> = self.globals.keys().copied().filter(|id| !seen.contains(id)).collect();
        others.sort_unstable();
        interface.extend(others);
        let interface = interface.iter().filter(|&&id| listed(self.module.globals[id].class));
        words.extend(interface.filter_map(|id| self.globals.get(id)));
        self.entries.push(Op::EntryPoint, &words);
        let mode = |mode: ExecutionMode, args: &[u32]| [&[function, mode as u32], args].concat();
        if entry.model == spirv::ExecutionModel::GLCompute {
            self.modes.push(Op::ExecutionMode, &mode(ExecutionMode::LocalSize, &entry.local_size));
        }
        for (number, args) in &entry.modes {
            if is_by_id(*number) {
                let ids = args.iter().map(|&n| self.number(n)).collect::<Result<Vec<u32>>>()?;
                self.modes.push(Op::ExecutionModeId, &mode(*number, &ids));
            } else {
                self.modes.push(Op::ExecutionMode, &mode(*number, args));
            }
        }
        Ok(())
    }

    /// Puts the sections together.
    fn finish(mut self) -> Result<Vec<u32>> {
        let mut head = Section::default();
        self.needed_capabilities();
        for capability in std::mem::take(&mut self.capabilities) {
            head.push(Op::Capability, &[capability as u32]);
        }
        for extension in &self.module.extensions {
            head.push(Op::Extension, &string(extension));
        }
        for (name, id) in &self.sets {
            head.push(Op::ExtInstImport, &[&[*id][..], &string(name)].concat());
        }
        let has = |capability| self.module.capabilities.contains(&capability);
        let addressing = match has(Capability::PhysicalStorageBufferAddresses) {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        let memory = match has(Capability::VulkanMemoryModel) {
            true => spirv::MemoryModel::Vulkan,
            false => spirv::MemoryModel::GLSL450,
        };
        head.push(Op::MemoryModel, &[addressing as u32, memory as u32]);
        let version = u32::from(self.version.0) << 16 | u32::from(self.version.1) << 8;
        let mut words = vec![spirv::MAGIC_NUMBER, version, 0, self.next, 0];
        let sections = [
            &head,
            &self.entries,
            &self.modes,
            &self.strings,
            &self.names,
            &self.decorations,
            &self.declarations,
            &self.code,
        ];
        sections.into_iter().for_each(|section| words.extend_from_slice(&section.0));
        Ok(words)
    }

    /// Capabilities that types ask for: text of the IR may have been written without.
    fn needed_capabilities(&mut self) {
        let mut wanted = vec![];
        for ty in self.types.keys() {
            wanted.extend(match self.module.types[*ty] {
                Type::Scalar(Scalar::Int { width: 8, .. }) => Some(Capability::Int8),
                Type::Scalar(Scalar::Int { width: 16, .. }) => Some(Capability::Int16),
                Type::Scalar(Scalar::Int { width: 64, .. }) => Some(Capability::Int64),
                Type::Scalar(Scalar::Float(64)) => Some(Capability::Float64),
                _ => None,
            });
        }
        wanted.sort_unstable_by_key(|c| *c as u32);
        wanted.retain(|c| !self.module.capabilities.contains(c) && self.module.capabilities.is_empty());
        self.capabilities.extend(wanted);
    }
}

/// Decorations that access qualifiers stand for.
fn access_decorations(access: Access) -> impl Iterator<Item = Decoration> {
    let all = [
        (access.non_writable, Decoration::NonWritable),
        (access.non_readable, Decoration::NonReadable),
        (access.coherent, Decoration::Coherent),
        (access.volatile, Decoration::Volatile),
        (access.restrict, Decoration::Restrict),
    ];
    all.into_iter().filter_map(|(there, decoration)| there.then_some(decoration))
}

/// Are the operands of this mode ids? The IR has their values.
fn is_by_id(mode: ExecutionMode) -> bool {
    use ExecutionMode as M;
    matches!(mode, M::LocalSizeId | M::LocalSizeHintId | M::SubgroupsPerWorkgroupId)
}
