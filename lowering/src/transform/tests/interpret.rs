//! A plain interpreter of one invocation, against which transforms are checked: the module's observable result is the contents
//! of its StorageBuffer globals.

use super::ir::*;
use spirv::{GlslStd450Op as G, Op as S};
use std::collections::HashMap;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// A scalar.
    Bits(u64),
    /// A composite.
    Composite(Vec<Val>),
    /// A cell of memory and a path into it.
    Pointer(usize, Vec<usize>),
}

/// Contents of memory by global, or why the run stopped.
pub type Outcome = Result<Vec<(String, Val)>, String>;

/// Runs a function without parameters (the first of the module) and returns what is in the storage buffers afterwards.
pub fn run(module: &Module, fuel: usize) -> Outcome {
    run_on(module, fuel, &[5, 2, 0x8000_0001])
}

/// The same with values of the push constants, an array of `u32`.
pub fn run_on(module: &Module, fuel: usize, inputs: &[u32]) -> Outcome {
    let push = |global: &Global| {
        let (_, ty) = module.types.pointee(global.ty)?;
        let count = module.types.constituents(ty).filter(|_| global.class == StorageClass::PushConstant)?;
        let input = |n: usize| Val::Bits(u64::from(inputs.get(n).copied().unwrap_or(0)));
        Some(Val::Composite((0..count as usize).map(input).collect()))
    };
    let after = run_from(module, fuel, &push)?;
    let stored = module.globals.iter().filter(|(_, g)| g.class == StorageClass::StorageBuffer);
    Ok(stored.map(|(id, g)| (g.name.clone(), after[&id].clone())).collect())
}

/// Runs the entry point from what `initial` says that globals hold; what it says nothing of holds its initialiser or zero.
/// Gives what all globals hold afterwards.
pub fn run_from(
    module: &Module,
    fuel: usize,
    initial: &dyn Fn(&Global) -> Option<Val>,
) -> Result<HashMap<GlobalId, Val>, String> {
    let mut machine = Machine { module, memory: vec![], globals: HashMap::new(), fuel };
    for (id, global) in module.globals.iter() {
        let (_, ty) = module.types.pointee(global.ty).unwrap();
        let value = match (initial(global), global.init) {
            (Some(value), _) => value,
            (None, Some(init)) => machine.constant(init),
            (None, None) => machine.zero(ty),
        };
        machine.memory.push(value);
        machine.globals.insert(id, machine.memory.len() - 1);
    }
    let func = module.entries.first().map_or_else(|| module.functions.keys().next().unwrap(), |e| e.func);
    match machine.call(func, vec![])? {
        Exit::Return(_) | Exit::Kill => {}
        other => return Err(format!("the function ends in {other:?}")),
    }
    let Machine { globals, mut memory, .. } = machine;
    Ok(globals.into_iter().map(|(id, at)| (id, std::mem::replace(&mut memory[at], Val::Bits(0)))).collect())
}

struct Machine<'m> {
    module: &'m Module,
    memory: Vec<Val>,
    globals: HashMap<GlobalId, usize>,
    fuel: usize,
}

#[derive(Debug)]
enum Exit {
    Fallthrough(Vec<Val>),
    Condition(bool, Vec<Val>),
    Merge(Vec<Val>),
    Reenter(Vec<Val>),
    ReenterIf(bool, Vec<Val>, Vec<Val>),
    Break(OpId, Vec<Val>),
    Continue(OpId, Vec<Val>),
    Return(Option<Val>),
    Kill,
}

type Env = HashMap<Value, Val>;

impl Machine<'_> {
    fn zero(&self, ty: TypeId) -> Val {
        match self.module.types.constituents(ty) {
            Some(count) => {
                let scalar = |i| match self.module.types[ty] {
                    Type::Vector { .. } => Val::Bits(0),
                    _ => self.zero(self.module.types.constituent(ty, i).unwrap()),
                };
                Val::Composite((0..count).map(scalar).collect())
            }
            None => Val::Bits(0),
        }
    }

    fn constant(&self, id: ConstId) -> Val {
        let constant = &self.module.consts[id];
        match &constant.data {
            ConstData::Bits(bits) => Val::Bits(*bits),
            ConstData::Composite(parts) => Val::Composite(parts.iter().map(|&p| self.constant(p)).collect()),
            ConstData::Null | ConstData::Undef => self.zero(constant.ty),
        }
    }

    fn call(&mut self, func: FuncId, args: Vec<Val>) -> Result<Exit, String> {
        let function = &self.module.functions[func];
        let mut env: Env = function.params.iter().copied().zip(args).collect();
        self.region(function, function.body, vec![], &mut env)
    }

    fn value(&self, function: &Function, env: &Env, value: Value) -> Result<Val, String> {
        match function.values[value].def {
            ValueDef::Const(id) => Ok(self.constant(id)),
            ValueDef::Global(id) => Ok(Val::Pointer(self.globals[&id], vec![])),
            _ => env.get(&value).cloned().ok_or_else(|| format!("{value:?} has no value")),
        }
    }

    fn region(&mut self, function: &Function, region: RegionId, args: Vec<Val>, env: &mut Env) -> Result<Exit, String> {
        let region = &function.regions[region];
        assert_eq!(region.args.len(), args.len());
        env.extend(region.args.iter().copied().zip(args));
        for &op in &region.ops {
            self.fuel = self.fuel.checked_sub(1).ok_or("out of fuel")?;
            if let Some(exit) = self.op(function, op, env)? {
                return Ok(exit);
            }
        }
        let all = |values: &[Value]| -> Result<Vec<Val>, String> {
            values.iter().map(|&v| self.value(function, env, v)).collect()
        };
        let boolean = |value: Value| self.value(function, env, value).map(|v| v == Val::Bits(1));
        Ok(match &region.end {
            Terminator::Fallthrough(v) => Exit::Fallthrough(all(v)?),
            Terminator::Condition { cond, exit } => Exit::Condition(boolean(*cond)?, all(exit)?),
            Terminator::Merge(v) => Exit::Merge(all(v)?),
            Terminator::Reenter(v) => Exit::Reenter(all(v)?),
            Terminator::ReenterIf { cond, again, exit } => Exit::ReenterIf(boolean(*cond)?, all(again)?, all(exit)?),
            Terminator::Break(op, v) => Exit::Break(*op, all(v)?),
            Terminator::Continue(op, v) => Exit::Continue(*op, all(v)?),
            Terminator::Return(v) => Exit::Return(v.map(|v| self.value(function, env, v)).transpose()?),
            Terminator::Kill => Exit::Kill,
            Terminator::Unreachable => return Err("unreachable was reached".into()),
        })
    }

    /// Runs an operation; `Some` when control leaves the region that holds it.
    fn op(&mut self, function: &Function, id: OpId, env: &mut Env) -> Result<Option<Exit>, String> {
        let op = &function.ops[id];
        let all = |machine: &Self, env: &Env, values: &[Value]| -> Result<Vec<Val>, String> {
            values.iter().map(|&v| machine.value(function, env, v)).collect()
        };
        let exit = match &op.kind {
            OpKind::Inst(inst) => {
                let operands = all(self, env, &inst.operands)?;
                let result = op.results.first().map(|&v| function.values[v].ty);
                if let Some(value) = self.inst(inst, operands, result)? {
                    env.insert(op.results[0], value);
                }
                return Ok(None);
            }
            OpKind::Variable { init } => {
                let (_, ty) = self.module.types.pointee(function.values[op.results[0]].ty).unwrap();
                let value = match init {
                    Some(init) => self.value(function, env, *init)?,
                    None => self.zero(ty),
                };
                self.memory.push(value);
                env.insert(op.results[0], Val::Pointer(self.memory.len() - 1, vec![]));
                return Ok(None);
            }
            OpKind::Call { callee, args } => {
                let args = all(self, env, args)?;
                match self.call(*callee, args)? {
                    Exit::Return(value) => env.extend(op.results.first().copied().zip(value)),
                    exit => return Ok(Some(exit)),
                }
                return Ok(None);
            }
            OpKind::Selection(s) => {
                let taken = self.value(function, env, s.cond)? == Val::Bits(1);
                self.region(function, if taken { s.then_region } else { s.else_region }, vec![], env)?
            }
            OpKind::Switch(s) => {
                let Val::Bits(selector) = self.value(function, env, s.selector)? else { panic!("selector") };
                let mut at = s.cases.iter().position(|c| c.literals.contains(&selector)).unwrap_or(s.default);
                let mut args = all(self, env, &s.cases[at].init)?;
                loop {
                    match self.region(function, s.cases[at].region, args, env)? {
                        Exit::Fallthrough(passed) => (at, args) = (at + 1, passed),
                        exit => break exit,
                    }
                }
            }
            OpKind::Loop(l) => {
                let init = all(self, env, &l.init)?;
                self.loop_(function, id, l, init, env)?
            }
        };
        match exit {
            Exit::Merge(values) => env.extend(op.results.iter().copied().zip(values)),
            Exit::Break(target, values) if target == id => env.extend(op.results.iter().copied().zip(values)),
            exit => return Ok(Some(exit)),
        }
        Ok(None)
    }

    fn loop_(
        &mut self,
        function: &Function,
        id: OpId,
        l: &Loop,
        init: Vec<Val>,
        env: &mut Env,
    ) -> Result<Exit, String> {
        let mut args = init;
        loop {
            self.fuel = self.fuel.checked_sub(1).ok_or("out of fuel")?;
            let mut exit = self.region(function, l.header, args, env)?;
            match exit {
                Exit::Condition(false, values) => return Ok(Exit::Merge(values)),
                Exit::Condition(true, _) | Exit::Fallthrough(_) => {
                    exit = self.region(function, l.body, vec![], env)?;
                }
                _ => {}
            }
            let passed = match exit {
                Exit::Fallthrough(values) => values,
                Exit::Continue(target, values) if target == id => values,
                exit => return Ok(exit),
            };
            match self.region(function, l.cont, passed, env)? {
                Exit::Reenter(again) | Exit::ReenterIf(true, again, _) => args = again,
                Exit::ReenterIf(false, _, values) => return Ok(Exit::Merge(values)),
                exit => return Ok(exit),
            }
        }
    }

    fn place<'v>(root: &'v mut Val, path: &[usize]) -> Result<&'v mut Val, String> {
        path.iter().try_fold(root, |at, &index| match at {
            Val::Composite(parts) => parts.get_mut(index).ok_or_else(|| "index out of bounds".to_string()),
            _ => Err("a path into a scalar".into()),
        })
    }

    fn inst(&mut self, inst: &Inst, operands: Vec<Val>, result: Option<TypeId>) -> Result<Option<Val>, String> {
        let index = |value: &Val| if let Val::Bits(bits) = value { *bits as usize } else { panic!("index") };
        Ok(Some(match (inst.opcode, &operands[..]) {
            (Opcode::Core(S::AccessChain), [Val::Pointer(cell, path), indices @ ..]) => {
                Val::Pointer(*cell, path.iter().copied().chain(indices.iter().map(index)).collect())
            }
            (Opcode::Core(S::Load), [Val::Pointer(cell, path)]) => Self::place(&mut self.memory[*cell], path)?.clone(),
            (Opcode::Core(S::Store), [Val::Pointer(cell, path), value]) => {
                *Self::place(&mut self.memory[*cell], path)? = value.clone();
                return Ok(None);
            }
            (Opcode::Core(S::CompositeConstruct), parts) => {
                let ty = result.unwrap();
                let mut flat = vec![];
                for part in parts {
                    match (part, &self.module.types[ty]) {
                        (Val::Composite(inner), Type::Vector { .. }) => flat.extend(inner.clone()),
                        _ => flat.push(part.clone()),
                    }
                }
                Val::Composite(flat)
            }
            (Opcode::Core(S::CompositeExtract), [value]) => {
                let path: Vec<usize> = inst.literals.iter().map(|&l| l as usize).collect();
                Self::place(&mut value.clone(), &path)?.clone()
            }
            (Opcode::Core(S::CompositeInsert), [part, whole]) => {
                let path: Vec<usize> = inst.literals.iter().map(|&l| l as usize).collect();
                let mut whole = whole.clone();
                *Self::place(&mut whole, &path)? = part.clone();
                whole
            }
            (Opcode::Core(S::VectorExtractDynamic), [value, at]) => {
                Self::place(&mut value.clone(), &[index(at)])?.clone()
            }
            (Opcode::Core(S::VectorInsertDynamic), [whole, part, at]) => {
                let mut whole = whole.clone();
                *Self::place(&mut whole, &[index(at)])? = part.clone();
                whole
            }
            (Opcode::Core(S::VectorShuffle), [Val::Composite(a), Val::Composite(b)]) => {
                let all: Vec<&Val> = a.iter().chain(b).collect();
                Val::Composite(inst.literals.iter().map(|&l| all[l as usize].clone()).collect())
            }
            (opcode, _) => each(&operands, &|bits| scalar(opcode, bits)),
        }))
    }
}

/// Applies a scalar function to each component.
fn each(operands: &[Val], f: &dyn Fn(&[u64]) -> u64) -> Val {
    let count = operands.iter().find_map(|v| if let Val::Composite(parts) = v { Some(parts.len()) } else { None });
    let component = |index: usize| -> Vec<Val> {
        let of = |v: &Val| if let Val::Composite(parts) = v { parts[index].clone() } else { v.clone() };
        operands.iter().map(of).collect()
    };
    match count {
        Some(count) => Val::Composite((0..count).map(|index| each(&component(index), f)).collect()),
        None => {
            let bits = |v: &Val| if let Val::Bits(bits) = v { *bits } else { panic!("a pointer as operand") };
            Val::Bits(f(&operands.iter().map(bits).collect::<Vec<_>>()))
        }
    }
}

/// 32-bit operations; written apart from the folding that they check.
fn scalar(opcode: Opcode, v: &[u64]) -> u64 {
    let (a, b) = (v[0] as u32, v.get(1).copied().unwrap_or(0) as u32);
    let (i, j) = (a as i32, b as i32);
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let float = |f: f32| u64::from(f.to_bits());
    let Opcode::Core(op) = opcode else {
        let z = f32::from_bits(v.get(2).copied().unwrap_or(0) as u32);
        return match opcode {
            Opcode::Glsl(G::Fma) => float(x.mul_add(y, z)),
            Opcode::Glsl(G::UMin) => u64::from(a.min(b)),
            Opcode::Glsl(G::UMax) => u64::from(a.max(b)),
            Opcode::Glsl(G::FMin) => float(x.min(y)),
            Opcode::Glsl(G::FMax) => float(x.max(y)),
            Opcode::Glsl(G::FClamp) => float(x.max(y).min(z)),
            Opcode::Glsl(G::Floor) => float(x.floor()),
            Opcode::Glsl(G::FAbs) => float(x.abs()),
            other => panic!("{other} is not interpreted"),
        };
    };
    match op {
        S::CopyObject | S::Bitcast => v[0],
        S::ConvertSToF => float(i as f32),
        S::ConvertUToF => float(a as f32),
        S::ConvertFToS => u64::from(x as i32 as u32),
        S::ConvertFToU => u64::from(x as u32),
        S::FOrdLessThan => u64::from(x < y),
        S::FOrdGreaterThan => u64::from(x > y),
        S::UGreaterThan => u64::from(a > b),
        S::ULessThanEqual => u64::from(a <= b),
        S::UGreaterThanEqual => u64::from(a >= b),
        S::SGreaterThanEqual => u64::from(i >= j),
        S::LogicalEqual => u64::from(v[0] == v[1]),
        S::LogicalNotEqual => v[0] ^ v[1],
        S::IAdd => u64::from(a.wrapping_add(b)),
        S::ISub => u64::from(a.wrapping_sub(b)),
        S::IMul => u64::from(a.wrapping_mul(b)),
        S::UDiv => u64::from(a.checked_div(b).unwrap_or(a)),
        S::UMod => u64::from(a.checked_rem(b).unwrap_or(0)),
        S::SDiv => u64::from(if j == 0 { i } else { i.wrapping_div(j) } as u32),
        S::SRem => u64::from(if j == 0 { 0 } else { i.wrapping_rem(j) } as u32),
        S::SMod => u64::from(((i64::from(i) % i64::from(j) + i64::from(j)) % i64::from(j)) as u32),
        S::BitwiseAnd => u64::from(a & b),
        S::BitwiseOr => u64::from(a | b),
        S::BitwiseXor => u64::from(a ^ b),
        S::Not => u64::from(!a),
        S::ShiftLeftLogical => u64::from(a << (b & 31)),
        S::ShiftRightLogical => u64::from(a >> (b & 31)),
        S::ShiftRightArithmetic => u64::from((i >> (b & 31)) as u32),
        S::IEqual => u64::from(a == b),
        S::INotEqual => u64::from(a != b),
        S::ULessThan => u64::from(a < b),
        S::SLessThan => u64::from(i < j),
        S::LogicalAnd => v[0] & v[1],
        S::LogicalOr => v[0] | v[1],
        S::LogicalNot => v[0] ^ 1,
        S::Select => v[if v[0] == 1 { 1 } else { 2 }],
        S::FAdd => float(x + y),
        S::FSub => float(x - y),
        S::FMul => float(x * y),
        S::FNegate => v[0] ^ 0x8000_0000,
        other => panic!("{other:?} is not interpreted"),
    }
}
