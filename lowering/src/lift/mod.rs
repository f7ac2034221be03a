//! SPIR-V → structured IR (SPIR-V specification, §2.11 "Structured Control Flow").
//!
//! In: the words of a module and the options (entry point, values of specialisation constants). Out: an [`ir::Module`]
//! with the chosen entry point and what it reaches; nothing else of the module is looked at, so that what is not used
//! cannot fail. Every error has its place: file and line where the module has them, word offset and id.
//!
//! | file           | does                                                                                   |
//! |----------------|----------------------------------------------------------------------------------------|
//! | `source`       | words → instructions, with the grammar tables of rspirv                                |
//! | `lines`        | the source line of each instruction                                                    |
//! | `types`        | types                                                                                  |
//! | `constants`    | constants and specialisation; `fold` computes `OpSpecConstantOp`                       |
//! | `entry`        | entry point, execution modes, call graph                                               |
//! | `function`     | a function: its blocks, values and their visibility                                    |
//! | `instruction`  | instructions without control flow                                                      |
//! | `check`        | types of their operands and results                                                    |
//! | `structure`    | blocks and merge instructions → regions                                                |
//! | `switch`       | `OpSwitch` → cases                                                                     |
//!
//! Phis and values that leave the regions in which they are visible become Function variables here
//! (`transform::promote` turns them back into values); so each file above stays a short walk.

mod check;
mod constants;
mod entry;
mod fold;
mod function;
mod instruction;
mod lines;
mod source;
mod structure;
mod switch;
#[cfg(test)]
pub(crate) mod tests;
mod types;

use crate::error::Result;
use crate::ir::{self, ConstId, FuncId, Global, GlobalId, StructId, TypeId};
use crate::options::Options;
use crate::stack::with_room;
use source::{Inst, Source};
pub(crate) use source::{MEMORY_ACCESS_IDS, grammar};
use spirv::{Decoration, Op};
use std::collections::HashMap;

/// Lifts a SPIR-V module: the entry point that `options` choose and all that it reaches, specialised.
pub fn lift(words: &[u32], options: &Options) -> Result<ir::Module> {
    let source = Source::parse(words)?;
    let constructs = source.insts.iter().filter(|i| i.is(Op::SelectionMerge) || i.is(Op::LoopMerge)).count();
    with_room(constructs, || lift_source(&source, options))
}

fn lift_source(source: &Source<'_>, options: &Options) -> Result<ir::Module> {
    let mut lifter = Lifter::new(source, options);
    lifter.module.version = source.version;
    lifter.module.capabilities.clone_from(&source.capabilities);
    lifter.module.extensions.clone_from(&source.extensions);
    lifter.module.files.clone_from(&source.files);
    lifter.entry_point()?;
    lifter.list_spec_constants();
    lifter.list_unused();
    Ok(lifter.module)
}

/// State of lifting a module.
struct Lifter<'a> {
    src: &'a Source<'a>,
    options: &'a Options,
    module: ir::Module,
    types: HashMap<u32, TypeId>,
    /// Structs declared whose members are still to come.
    pending_structs: Vec<(u32, StructId)>,
    /// Types whose nesting has not been checked.
    new_types: Vec<TypeId>,
    /// Levels and members of types by value.
    levels: HashMap<TypeId, (u32, u32)>,
    /// Levels of recursion over declarations just now.
    nesting: u32,
    consts: HashMap<u32, ConstId>,
    globals: HashMap<u32, GlobalId>,
    funcs: HashMap<u32, FuncId>,
    /// Widths of floats whose operations must not be fused (`FPFastMathDefault` without `AllowContract`).
    unfused: Vec<u32>,
}

impl<'a> Lifter<'a> {
    fn new(src: &'a Source<'a>, options: &'a Options) -> Lifter<'a> {
        Lifter {
            src,
            options,
            module: ir::Module::default(),
            types: HashMap::new(),
            pending_structs: vec![],
            new_types: vec![],
            levels: HashMap::new(),
            nesting: 0,
            consts: HashMap::new(),
            globals: HashMap::new(),
            funcs: HashMap::new(),
            unfused: vec![],
        }
    }

    /// Notes the resources that are declared, but that the entry point does not use.
    fn list_unused(&mut self) {
        for index in 0..self.src.insts.len() {
            let inst = self.src.insts[index];
            if inst.is(Op::Function) {
                break;
            }
            if !inst.is(Op::Variable) || self.globals.contains_key(&inst.id()) {
                continue;
            }
            let class = self.src.operands(&inst).first().copied().and_then(ir::StorageClass::from_u32);
            let place = |what| self.src.decoration(inst.id(), what);
            match (class, place(Decoration::DescriptorSet), place(Decoration::Binding)) {
                (Some(ir::StorageClass::PushConstant), ..) => self.module.unused.push = true,
                (_, Some(set), Some(binding)) => {
                    let mut name = self.src.name(inst.id());
                    if name.is_empty() {
                        // A block without an instance name goes by its own.
                        let block = self.src.def(inst.ty).and_then(|ty| self.src.operands(ty).get(1).copied());
                        name = block.map(|id| self.src.name(id)).unwrap_or_default();
                    }
                    self.module.unused.bindings.push((set, binding, name));
                }
                _ => {}
            }
        }
    }

    /// The module-scope variable that `inst` declares.
    fn global(&mut self, inst: &Inst, user: &Inst) -> Result<GlobalId> {
        let id = inst.id();
        if let Some(&global) = self.globals.get(&id) {
            return Ok(global);
        }
        let ty = self.ty(inst.ty, inst)?;
        let Some((class, pointee)) = self.module.types.pointee(ty) else {
            return Err(self.src.invalid(inst.loc, "the type of an OpVariable must be a pointer"));
        };
        if self.src.word(inst, 0)? != class as u32 || class == ir::StorageClass::Function {
            let what = format!("storage class of a module-scope variable, {class:?} by its type, is wrong");
            return Err(self.src.invalid(inst.loc, what));
        }
        let init = match self.src.operands(inst).get(1) {
            None => None,
            Some(&init) if self.src.def(init).is_some_and(|i| i.is(Op::Variable)) => {
                let reason = "initialisation with the address of a variable";
                return Err(self.src.unsupported(user.loc, "OpVariable", reason));
            }
            Some(&init) => {
                let init = self.constant(init, inst)?;
                if self.module.consts[init].ty != pointee {
                    return Err(self.src.invalid(inst.loc, "the initialiser has another type than the variable"));
                }
                Some(init)
            }
        };
        let mut global = Global {
            name: self.src.name(id),
            ty,
            class,
            set: None,
            binding: None,
            location: None,
            builtin: None,
            access: ir::Access::default(),
            init,
            loc: inst.loc,
        };
        self.src.decorations(id, |member, kind, args| {
            let arg = args.first().copied();
            match kind {
                _ if member.is_some() => {}
                Decoration::DescriptorSet => global.set = arg,
                Decoration::Binding => global.binding = arg,
                Decoration::Location => global.location = arg,
                Decoration::BuiltIn => global.builtin = arg.and_then(spirv::BuiltIn::from_u32),
                _ => types::decorate_access(&mut global.access, kind),
            }
        });
        let global = self.module.globals.push(global);
        self.globals.insert(id, global);
        Ok(global)
    }
}
