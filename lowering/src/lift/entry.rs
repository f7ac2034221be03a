//! The entry point: which one, its execution modes, and the functions that it reaches (SPIR-V specification, §2.16.1
//! "Universal Validation Rules": the static call graph of an entry point has no cycle; §3.6 "Execution Mode").

use super::Lifter;
use super::source::{EntryDecl, Inst};
use crate::error::{Error, Result};
use crate::ir::{EntryPoint, FuncId, Loc, Type};
use crate::ops::declared::execution_mode_refusal;
use crate::simt::MAX_WORKGROUP;
use spirv::{ExecutionMode, ExecutionModel, FPFastMathMode, Op, StorageClass};
use std::collections::{HashMap, HashSet};

impl<'a> Lifter<'a> {
    /// Lifts the entry point that the options choose, with what it reaches.
    pub(super) fn entry_point(&mut self) -> Result<()> {
        let decl = self.choose()?;
        let Some(model) = ExecutionModel::from_u32(decl.model) else {
            let reason = format!("execution model {} is not known here", decl.model);
            return Err(self.src.unsupported(decl.inst.loc, "OpEntryPoint", reason));
        };
        self.fast_math(decl)?;
        let func = self.functions(decl)?;
        let body = &self.module.functions[func];
        if !body.params.is_empty() || self.module.types[body.result] != Type::Void {
            return Err(self.src.invalid(body.loc, "an entry point must be a function without parameters and result"));
        }
        let (local_size, modes) = self.modes(decl)?;
        self.initialised(decl)?;
        let interface = self.src.words[decl.interface.clone()].iter().filter_map(|id| self.globals.get(id).copied());
        let mut interface: Vec<_> = interface.collect();
        // What prints read, and the module does not declare.
        let declared: HashSet<_> = self.globals.values().copied().collect();
        interface.extend(self.module.globals.keys().filter(|id| !declared.contains(id)));
        self.module.entries.push(EntryPoint { name: decl.name.clone(), model, func, interface, local_size, modes });
        Ok(())
    }

    /// Lifts Workgroup variables with an initialiser, whether or not the code names them: explicitly laid out blocks are all
    /// the same memory, so that one sets what is read through another.
    fn initialised(&mut self, decl: &EntryDecl) -> Result<()> {
        let src = self.src;
        for inst in src.words[decl.interface.clone()].iter().filter_map(|&id| src.def(id)) {
            let is_workgroup =
                inst.is(Op::Variable) && src.operands(inst).first() == Some(&(StorageClass::Workgroup as u32));
            if is_workgroup && src.operands(inst).len() > 1 {
                self.global(inst, inst)?;
            }
        }
        Ok(())
    }

    fn choose(&self) -> Result<&'a EntryDecl> {
        let src = self.src;
        let compute = ExecutionModel::GLCompute as u32;
        let named: Vec<&EntryDecl> = match &self.options.entry {
            Some(name) => src.entries.iter().filter(|e| e.name == *name).collect(),
            None => src.entries.iter().collect(),
        };
        let names = || {
            let names: Vec<String> = src.entries.iter().map(|e| format!("'{}'", e.name)).collect();
            names.join(", ")
        };
        if src.entries.is_empty() {
            return Err(src.invalid(Loc::default(), "the module has no entry point"));
        }
        match (&named[..], &self.options.entry) {
            (&[only], _) => Ok(only),
            ([], name) => {
                let name = name.as_deref().unwrap_or_default();
                Err(Error::Options(format!("there is no entry point '{name}'; the module has {}", names())))
            }
            (many, _) => {
                let mut computes = many.iter().filter(|e| e.model == compute);
                match (computes.next(), computes.next()) {
                    (Some(only), None) => Ok(only),
                    _ => Err(Error::Options(format!("the module has several entry points; choose one of {}", names()))),
                }
            }
        }
    }

    /// Lifts the functions that an entry point reaches, callees first. The walk keeps its own stack: a chain of calls may
    /// be as long as the module.
    fn functions(&mut self, entry: &EntryDecl) -> Result<FuncId> {
        enum State {
            Open,
            Done,
        }
        let src = self.src;
        let mut states: HashMap<u32, State> = HashMap::new();
        let mut stack: Vec<(u32, Vec<Inst>)> = vec![(entry.func, self.calls(entry.func, &entry.inst)?)];
        states.insert(entry.func, State::Open);
        while let Some((id, calls)) = stack.last_mut() {
            let id = *id;
            let Some(call) = calls.pop() else {
                let func = self.function(id)?;
                self.funcs.insert(id, func);
                states.insert(id, State::Done);
                stack.pop();
                continue;
            };
            let callee = src.word(&call, 0)?;
            match states.get(&callee) {
                Some(State::Done) => {}
                Some(State::Open) => {
                    let from = stack.iter().position(|(f, _)| *f == callee).unwrap_or(0);
                    let path = stack[from..].iter().map(|(f, _)| *f).chain([callee]);
                    let path: Vec<String> = path.map(|f| self.function_name(f)).collect();
                    let what = format!("recursion, which SPIR-V does not allow: {}", path.join(" calls "));
                    return Err(src.invalid(call.loc, what));
                }
                None => {
                    stack.push((callee, self.calls(callee, &call)?));
                    states.insert(callee, State::Open);
                }
            }
        }
        self.funcs.get(&entry.func).copied().ok_or_else(|| Error::Internal("the entry point was not lifted".into()))
    }

    /// The calls in a function, last first.
    fn calls(&self, func: u32, user: &Inst) -> Result<Vec<Inst>> {
        let Some(decl) = self.src.functions.get(&func) else {
            return Err(self.src.invalid(user.loc, format!("%{func} is called but is not a function of the module")));
        };
        let insts = &self.src.insts[decl.insts.clone()];
        Ok(insts.iter().rev().filter(|i| i.is(Op::FunctionCall)).copied().collect())
    }

    fn function_name(&self, id: u32) -> String {
        let name = self.src.name(id);
        let name = name.split('(').next().unwrap_or_default();
        if name.is_empty() { format!("%{id}") } else { name.to_owned() }
    }

    /// Notes the types of floats whose operations the entry point's `FPFastMathDefault` forbids to fuse.
    fn fast_math(&mut self, decl: &EntryDecl) -> Result<()> {
        for index in self.src.modes.get(&decl.func).cloned().unwrap_or_default() {
            let inst = self.src.insts[index];
            if ExecutionMode::from_u32(self.src.word(&inst, 1)?) != Some(ExecutionMode::FPFastMathDefault) {
                continue;
            }
            let (ty, mask) = (self.src.word(&inst, 2)?, self.src.word(&inst, 3)?);
            // It is declared behind the execution modes.
            let float = self.src.def(ty).filter(|ty| ty.is(Op::TypeFloat));
            let Some(width) = float.and_then(|ty| self.src.operands(ty).first()) else {
                return Err(self.src.invalid(inst.loc, "the type of FPFastMathDefault must be a scalar float"));
            };
            if !may_fuse(self.constant_u32(mask, &inst)?) {
                self.unfused.push(*width);
            }
        }
        Ok(())
    }

    /// Workgroup size and the other modes of an entry point.
    #[allow(clippy::type_complexity)] // the type is that of two fields of EntryPoint
    fn modes(&mut self, decl: &EntryDecl) -> Result<([u32; 3], Vec<(ExecutionMode, Vec<u32>)>)> {
        let mut size = [1; 3];
        let mut loc = decl.inst.loc;
        let mut others = vec![];
        let indices = self.src.modes.get(&decl.func).cloned().unwrap_or_default();
        for index in indices {
            let inst = self.src.insts[index];
            let Some(mode) = ExecutionMode::from_u32(self.src.word(&inst, 1)?) else { continue };
            if let Some(why) = execution_mode_refusal(mode) {
                return Err(self.src.unsupported(inst.loc, format!("execution mode {mode:?}"), why));
            }
            // Its operands are a type and a mask; `fast_math` has read them.
            if mode == ExecutionMode::FPFastMathDefault {
                continue;
            }
            let mut args = self.src.operands(&inst)[2..].to_vec();
            if inst.is(Op::ExecutionModeId) {
                for arg in &mut args {
                    *arg = self.constant_u32(*arg, &inst)?;
                }
            }
            match (mode, &args[..]) {
                (ExecutionMode::LocalSize | ExecutionMode::LocalSizeId, &[x, y, z]) => {
                    size = [x, y, z];
                    loc = inst.loc;
                }
                (ExecutionMode::LocalSize | ExecutionMode::LocalSizeId, _) => {
                    return Err(self.src.invalid(inst.loc, "LocalSize must have three operands"));
                }
                _ => others.push((mode, args)),
            }
        }
        if let Some(id) = self.src.workgroup_size {
            (size, loc) = self.workgroup_size(id, loc)?;
        }
        if size.contains(&0) {
            return Err(self.src.invalid(loc, format!("the workgroup size is {}x{}x{}", size[0], size[1], size[2])));
        }
        let invocations = size.iter().try_fold(1u64, |n, &s| n.checked_mul(u64::from(s)));
        if invocations.is_none_or(|n| n > MAX_WORKGROUP) {
            let size = format!("a workgroup of {}x{}x{} invocations", size[0], size[1], size[2]);
            return Err(self.src.limit(loc, format!("{size}; the most is {MAX_WORKGROUP}")));
        }
        Ok((size, others))
    }

    /// The value of the constant decorated `BuiltIn WorkgroupSize`, which goes before the execution modes.
    fn workgroup_size(&mut self, id: u32, loc: Loc) -> Result<([u32; 3], Loc)> {
        let Some(&inst) = self.src.def(id) else {
            return Err(self.src.invalid(loc, format!("WorkgroupSize decorates %{id}, which nothing defines")));
        };
        let found = self.constant_anywhere(id, &inst)?;
        let bad = "the constant WorkgroupSize must be a vector of three 32-bit integers";
        let mut size = [0; 3];
        let crate::ir::ConstData::Composite(parts) = &self.module.consts[found].data else {
            return Err(self.src.invalid(inst.loc, bad));
        };
        if parts.len() != 3 {
            return Err(self.src.invalid(inst.loc, bad));
        }
        for (size, &part) in size.iter_mut().zip(parts) {
            let bits = self.module.scalar_bits(part).and_then(|b| u32::try_from(b).ok());
            *size = bits.ok_or_else(|| self.src.invalid(inst.loc, bad))?;
        }
        Ok((size, inst.loc))
    }
}

/// Does a fast-math mask allow a multiplication and an addition to become one operation?
pub(super) fn may_fuse(mask: u32) -> bool {
    mask & (FPFastMathMode::ALLOW_CONTRACT | FPFastMathMode::FAST).bits() != 0
}
