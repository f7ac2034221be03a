//! Parameters by value: what functions that are called share with their callers by address is passed in and out instead.
//!
//! In: a verified module after inlining: entry points' functions and those that they call. Out: the same, in which functions
//! that are called have no pointers as parameters and use no Private globals. A pointer parameter becomes the value at the
//! call, copied into a variable of the callee; what the callee may have written is a further result, which the caller stores
//! back. A Private global that a callee uses, itself or through others, is treated as one more pointer parameter. So
//! [`promote`](super::promote) makes values of all of them, and no address of one function's frame gets to another.
//! Functions that then have no effect but their result are marked `Pure`, and `Const` where it depends on the arguments alone.
//!
//! That is the same program only where no two of the pointers lead to the same variable:
//! [`inline`](super::inline) keeps no function for which that is not plain to see.

use super::subst::Subst;
use crate::analysis::functions::{Functions, bottom_up, callees};
use crate::error::Result;
use crate::ir::*;
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::smallvec;
use spirv::Op as S;
use std::collections::BTreeSet;

/// Runs the pass.
pub fn run(module: &mut Module) -> Result<()> {
    let roots: Vec<FuncId> = module.entries.iter().map(|e| e.func).collect();
    let all: Vec<FuncId> = if roots.is_empty() { module.functions.keys().collect() } else { roots.clone() };
    let order = bottom_up(module, &all)?;
    let mut called = EntitySet::new();
    for &id in &order {
        called.extend(callees(&module.functions[id]).into_iter().map(|(callee, _)| callee));
    }
    let mut interfaces: SecondaryMap<FuncId, Interface> = SecondaryMap::new();
    for &id in &order {
        if called.contains(id) {
            interfaces[id] = Interface::of(module, id, &interfaces);
        }
    }
    for &id in &order {
        let calls = callees(&module.functions[id]);
        if interfaces[id].is_empty() && calls.iter().all(|(callee, _)| interfaces[*callee].is_empty()) {
            continue;
        }
        let empty = Function::new(String::new(), module.functions[id].result, 0, Loc::default());
        let function = std::mem::replace(&mut module.functions[id], empty);
        let (subst, private) = (Subst::new(), vec![]);
        let mut rewriter = Rewriter { module, interfaces: &interfaces, function, subst, private, id };
        rewriter.run();
        let function = rewriter.function;
        module.functions[id] = function;
    }
    note_effects(module, &called)
}

/// Notes which functions that are called have no effect but their result, and whose results depend on the arguments alone.
fn note_effects(module: &mut Module, called: &EntitySet<FuncId>) -> Result<()> {
    let functions = Functions::run(module)?;
    for (id, function) in module.functions.iter_mut().filter(|(id, _)| called.contains(*id)) {
        function.control |= functions.effects(id);
    }
    Ok(())
}

/// Something that is passed by value where it was shared by address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// A parameter, by its number.
    Param(usize),
    /// A Private global; its parameter comes behind the others.
    Global(GlobalId),
}

/// What a function's parameters and results become.
#[derive(Clone, Default)]
struct Interface {
    /// Pointers, each with the type that it leads to.
    shared: Vec<(Shared, TypeId)>,
    /// Those of `shared` that come back changed.
    written: Vec<bool>,
    /// The function has a result of its own.
    result: Option<TypeId>,
}

impl Interface {
    fn is_empty(&self) -> bool {
        self.shared.is_empty()
    }

    fn of(module: &Module, id: FuncId, interfaces: &SecondaryMap<FuncId, Interface>) -> Interface {
        let function = &module.functions[id];
        let pointee = |ty| module.types.pointee(ty).map(|(_, pointee)| pointee);
        let mut shared: Vec<(Shared, TypeId)> = vec![];
        for (index, &param) in function.params.iter().enumerate() {
            shared.extend(pointee(function.values[param].ty).map(|ty| (Shared::Param(index), ty)));
        }
        let mut private = BTreeSet::new();
        function.for_each_op(function.body, &mut |_, op| {
            function.ops[op].kind.for_each_use(|value| {
                if let ValueDef::Global(global) = function.values[value].def
                    && module.globals[global].class == StorageClass::Private
                {
                    private.insert(global);
                }
            });
            if let OpKind::Call { callee, .. } = function.ops[op].kind {
                private.extend(interfaces[callee].shared.iter().filter_map(|(shared, _)| match shared {
                    Shared::Global(global) => Some(*global),
                    Shared::Param(_) => None,
                }));
            }
        });
        for global in private {
            shared.extend(pointee(module.globals[global].ty).map(|ty| (Shared::Global(global), ty)));
        }
        let written = written(function, &shared, interfaces);
        let result = (module.types[function.result] != Type::Void).then_some(function.result);
        Interface { shared, written, result }
    }

    /// Types of all results in order.
    fn results(&self) -> Vec<TypeId> {
        let back = self.shared.iter().zip(&self.written).filter(|(_, written)| **written).map(|((_, ty), _)| *ty);
        self.result.into_iter().chain(back).collect()
    }
}

/// Which of the shared places may the function write to?
fn written(
    function: &Function,
    shared: &[(Shared, TypeId)],
    interfaces: &SecondaryMap<FuncId, Interface>,
) -> Vec<bool> {
    let mut written = vec![false; shared.len()];
    let mut roots: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
    let place = |wanted: Shared| shared.iter().position(|(shared, _)| *shared == wanted);
    for (value, data) in function.values.iter() {
        roots[value] = match data.def {
            ValueDef::Param(index) => place(Shared::Param(index as usize)),
            ValueDef::Global(global) => place(Shared::Global(global)),
            _ => None,
        };
    }
    function.for_each_op(function.body, &mut |_, op| {
        let data = &function.ops[op];
        match &data.kind {
            OpKind::Inst(inst) => match (inst.opcode, &inst.operands[..], &data.results[..]) {
                (Opcode::Core(S::Load), ..) => {}
                (Opcode::Core(S::AccessChain | S::InBoundsAccessChain | S::CopyObject), &[base, ..], &[result]) => {
                    roots[result] = roots[base];
                }
                (_, operands, _) => operands.iter().filter_map(|&v| roots[v]).for_each(|i| written[i] = true),
            },
            OpKind::Call { callee, args } => {
                let interface = &interfaces[*callee];
                for ((shared, _), changes) in interface.shared.iter().zip(&interface.written) {
                    let at = match *shared {
                        Shared::Param(index) => args.get(index).and_then(|&arg| roots[arg]),
                        Shared::Global(_) => place(*shared),
                    };
                    if let Some(at) = at.filter(|_| *changes) {
                        written[at] = true;
                    }
                }
            }
            _ => {}
        }
    });
    written
}

struct Rewriter<'m> {
    module: &'m mut Module,
    interfaces: &'m SecondaryMap<FuncId, Interface>,
    function: Function,
    id: FuncId,
    subst: Subst,
    /// Addresses of the copies of Private globals.
    private: Vec<(GlobalId, Value)>,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let interface = self.interfaces[self.id].clone();
        let (loc, body) = (self.function.loc, self.function.body);
        let mut start = vec![];
        let mut copies = vec![];
        for &(shared, ty) in &interface.shared {
            let pointer = self.module.types.pointer(StorageClass::Function, ty);
            let variable = self.function.add_op(OpKind::Variable { init: None }, &[pointer], loc);
            let address = self.function.ops[variable].results[0];
            let param = match shared {
                Shared::Param(index) => {
                    let old = self.function.params[index];
                    // The parameter is another value from now on, so that its old uses can be told from the copy's.
                    let def = ValueDef::Param(index as u32);
                    let param = self.function.values.push(ValueData { ty, def });
                    self.function.params[index] = param;
                    self.subst.set(old, address);
                    param
                }
                Shared::Global(global) => {
                    let old = self.function.global_value(global, self.module.globals[global].ty);
                    self.subst.set(old, address);
                    self.private.push((global, address));
                    self.function.add_param(ty)
                }
            };
            let store = self.op(S::Store, &[address, param], &[], None, loc);
            start.extend([variable, store]);
            copies.push(address);
        }
        for region in self.function.all_regions() {
            self.region(region);
        }
        if !interface.is_empty() {
            self.results(&interface, &copies);
        }
        self.function.regions[body].ops.splice(0..0, start);
    }

    fn op(&mut self, opcode: S, operands: &[Value], literals: &[u32], ty: Option<TypeId>, loc: Loc) -> OpId {
        let (operands, literals) = (operands.into(), literals.into());
        let inst = Inst { opcode: Opcode::Core(opcode), operands, literals, flags: 0 };
        self.function.add_op(OpKind::Inst(inst), ty.as_slice(), loc)
    }

    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.function.regions[region].ops);
        let mut out = Vec::with_capacity(ops.len());
        for op in ops {
            let subst = &mut self.subst;
            self.function.ops[op].kind.for_each_operand(|v| *v = subst.get(*v));
            match &self.function.ops[op].kind {
                OpKind::Call { callee, .. } if !self.interfaces[*callee].is_empty() => self.call(op, &mut out),
                OpKind::Inst(_) => {
                    self.reclass(op);
                    out.push(op);
                }
                _ => out.push(op),
            }
        }
        let (data, subst) = (&mut self.function.regions[region], &mut self.subst);
        data.ops = out;
        data.end.for_each_operand(|v| *v = subst.get(*v));
    }

    /// The address of a part of a Function variable has that storage class.
    fn reclass(&mut self, op: OpId) {
        let data = &self.function.ops[op];
        let OpKind::Inst(Inst { opcode: Opcode::Core(S::AccessChain | S::InBoundsAccessChain), operands, .. }) =
            &data.kind
        else {
            return;
        };
        let (&[base, ..], &[result]) = (&operands[..], &data.results[..]) else { return };
        let class = |value: Value| self.module.types.pointee(self.function.values[value].ty);
        if let (Some((StorageClass::Function, _)), Some((StorageClass::Private, ty))) = (class(base), class(result)) {
            self.function.values[result].ty = self.module.types.pointer(StorageClass::Function, ty);
        }
    }

    /// A call: values go in, and what comes back is stored.
    fn call(&mut self, op: OpId, out: &mut Vec<OpId>) {
        let loc = self.function.ops[op].loc;
        let OpKind::Call { callee, mut args } = self.function.ops[op].kind.clone() else { return };
        let interface = self.interfaces[callee].clone();
        let mut addresses = vec![];
        for &(shared, ty) in &interface.shared {
            let address = match shared {
                Shared::Param(index) => args[index],
                Shared::Global(global) => self.address_of(global),
            };
            let load = self.op(S::Load, &[address], &[], Some(ty), loc);
            out.push(load);
            let value = self.function.ops[load].results[0];
            match shared {
                Shared::Param(index) => args[index] = value,
                Shared::Global(_) => args.push(value),
            }
            addresses.push(address);
        }
        let results = interface.results();
        let ty = match results[..] {
            [] => None,
            _ => Some(self.module.functions[callee].result),
        };
        let call = self.function.add_op(OpKind::Call { callee, args }, ty.as_slice(), loc);
        out.push(call);
        let Some(&whole) = self.function.ops[call].results.first() else { return };
        let mut parts = (0u32..).zip(results.iter().copied());
        let alone = results.len() == 1;
        let mut part = |rewriter: &mut Self, out: &mut Vec<OpId>| {
            let (index, ty) = parts.next()?;
            if alone {
                return Some(whole);
            }
            let extract = rewriter.op(S::CompositeExtract, &[whole], &[index], Some(ty), loc);
            out.push(extract);
            Some(rewriter.function.ops[extract].results[0])
        };
        if interface.result.is_some() {
            let own = part(self, out);
            if let (Some(own), Some(&old)) = (own, self.function.ops[op].results.first()) {
                self.subst.set(old, own);
            }
        }
        for (&address, _) in addresses.iter().zip(&interface.written).filter(|(_, written)| **written) {
            if let Some(value) = part(self, out) {
                let store = self.op(S::Store, &[address, value], &[], None, loc);
                out.push(store);
            }
        }
    }

    /// Where a Private global is in this function: its copy, or in an entry point itself.
    fn address_of(&mut self, global: GlobalId) -> Value {
        let copy = self.private.iter().find(|(id, _)| *id == global).map(|(_, address)| *address);
        copy.unwrap_or_else(|| self.function.global_value(global, self.module.globals[global].ty))
    }

    /// The function returns what it was to write, behind its own result.
    fn results(&mut self, interface: &Interface, copies: &[Value]) {
        let body = self.function.body;
        let results = interface.results();
        self.function.result = self.whole(&results);
        let Terminator::Return(own) = self.function.regions[body].end.clone() else { return };
        let loc = self.function.regions[body].end_loc;
        let mut values: Vec<Value> = own.into_iter().collect();
        for (i, &address) in copies.iter().enumerate().filter(|(i, _)| interface.written[*i]) {
            let load = self.op(S::Load, &[address], &[], Some(interface.shared[i].1), loc);
            self.function.regions[body].ops.push(load);
            values.push(self.function.ops[load].results[0]);
        }
        let value = match values[..] {
            [] => None,
            [only] => Some(only),
            _ => {
                let operands = values.into();
                let inst =
                    Inst { opcode: Opcode::Core(S::CompositeConstruct), operands, literals: smallvec![], flags: 0 };
                let ty = self.function.result;
                let op = self.function.push_op(body, OpKind::Inst(inst), &[ty], loc);
                Some(self.function.ops[op].results[0])
            }
        };
        self.function.regions[body].end = Terminator::Return(value);
    }

    /// The type of all results together.
    fn whole(&mut self, results: &[TypeId]) -> TypeId {
        match *results {
            [] => self.module.types.intern(Type::Void),
            [only] => only,
            _ => {
                let member = |&ty: &TypeId| Member {
                    name: String::new(),
                    ty,
                    offset: None,
                    matrix_stride: None,
                    row_major: false,
                    builtin: None,
                    access: Access::default(),
                };
                let members = results.iter().map(member).collect();
                let name = format!("{} results", self.function.name);
                let ty = StructType { name, block: false, buffer_block: false, members };
                let id = self.module.types.structs.push(ty);
                self.module.types.intern(Type::Struct(id))
            }
        }
    }
}
