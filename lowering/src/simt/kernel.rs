//! The kernel around a subgroup's code: loops over workgroups and their subgroups, built-in variables, the interrupt flag.
//!
//! ```text
//! entry ─ count = 0? ─► prologue (hoisted loads) ─► workgroup loop ─► subgroup loop ─► code of one subgroup
//! ```
//!
//! In: an IR module with its variables promoted, its interface, options. Out: the functions of a [`LoweredModule`]: the
//! kernel, then what it calls. ABI: [`abi`](crate::abi). Built-ins: Vulkan specification, "Built-In Variables".

use super::calls::lane_function;
use super::emit::{Emitter, place_in};
use super::helpers::{self, Callee, Callees, Helpers};
use super::legal::Legal;
use super::mask::Exec;
use super::masked::masked_function;
use super::memory::Locals;
use super::outside::{functions_called, has_functions};
use super::value::{Chunks, Comp, Comps, Width};
use super::{pack, pairs};
use crate::abi::{Context, STATUS_DONE, STATUS_INTERRUPTED, STATUS_NO_FUNCTION};
use crate::analysis::barriers::BarrierPlan;
use crate::analysis::interface::interface;
use crate::analysis::shape::Shape;
use crate::analysis::uniformity::Uniformity;
use crate::analysis::{builtin_shapes, interface::Interface};
use crate::ir::{BuiltIn, FuncId, Loop, Module, OpKind, Opcode, RegionId, Terminator, Value, ValueDef};
use crate::lowered::{LoweredFunction, LoweredModule};
use crate::stack::{levels, with_room};
use crate::{Error, OptLevel, Options, Place, Result, Stats, Target};
use cranelift_codegen::ir::{
    self as clif, AbiParam, InstBuilder, MemFlagsData, Signature, UserFuncName, condcodes::IntCC, types,
};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::ReservedValue;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use smallvec::{SmallVec, smallvec};
use spirv::Op;
use std::collections::HashMap;
use std::mem::offset_of;

/// Most invocations of a workgroup.
pub const MAX_WORKGROUP: u64 = 1024;

/// CLIF values and blocks of the kernel around the subgroup's code.
pub(super) struct Kernel {
    /// The context's address.
    pub context: clif::Value,
    /// Scratch memory of the call.
    pub scratch: clif::Value,
    /// Hoisted code goes before this block's terminator.
    pub prologue: clif::Block,
    /// End of one subgroup's code.
    pub subgroup_end: clif::Block,
    /// Where an interrupted kernel returns.
    pub interrupted: clif::Block,
    /// Address of the interrupt flag, or of a zero.
    pub interrupt: clif::Value,
    /// `gl_NumWorkGroups`, 32 bits each.
    pub groups: [clif::Value; 3],
    /// `gl_WorkGroupID`.
    pub group: [clif::Value; 3],
    /// Number of the subgroup in its workgroup, 32 bits.
    pub subgroup: clif::Value,
    /// Where workgroups are packed: the number of invocations in those that are there, 32 bits.
    pub live: Option<clif::Value>,
    /// Built-ins, by variable.
    pub builtins: HashMap<BuiltIn, Comps>,
}

impl Kernel {
    /// Where none of the values is there: for functions that compute and do nothing else, and to add those that are.
    pub fn none(entry: clif::Block) -> Kernel {
        let none = clif::Value::reserved_value();
        Kernel {
            context: none,
            scratch: none,
            prologue: entry,
            subgroup_end: entry,
            interrupted: entry,
            interrupt: none,
            groups: [none; 3],
            group: [none; 3],
            subgroup: none,
            live: None,
            builtins: HashMap::new(),
        }
    }
}

/// Lowers the entry point of `module` that `options` names.
///
/// # Errors
/// `Unsupported` for what has no row or no form here, `Limit` for too large workgroups or values, `Options` for a subgroup
/// size that is not a power of two up to 64.
pub fn lower(module: &Module, options: &Options, target: &Target) -> Result<LoweredModule> {
    with_room(levels(module), || lower_entry(module, options, target))
}

fn lower_entry(module: &Module, options: &Options, target: &Target) -> Result<LoweredModule> {
    let index = match &options.entry {
        Some(name) => module.entries.iter().position(|e| e.name == *name),
        None => (!module.entries.is_empty()).then_some(0),
    };
    let index = index.ok_or_else(|| Error::Options("the module has no such entry point".into()))?;
    let entry = &module.entries[index];
    if entry.model != spirv::ExecutionModel::GLCompute {
        return Err(Error::Unsupported {
            place: Place::default(),
            instruction: format!("execution model {:?}", entry.model),
            reason: "this version runs compute shaders".into(),
        });
    }
    let w = options.subgroup_size;
    if !w.is_power_of_two() || w > 64 {
        return Err(Error::Options(format!("subgroup size {w} is not one of 1, 2, 4, 8, 16, 32, 64")));
    }
    let invocations = entry.local_size.iter().map(|&n| u64::from(n)).product::<u64>();
    if invocations > MAX_WORKGROUP || invocations == 0 {
        return Err(Error::Limit {
            place: place_in(module, module.functions[entry.func].loc),
            what: format!("a workgroup of {invocations} invocations; the size must be from 1 to {MAX_WORKGROUP}"),
        });
    }
    let width = Width::new(options, target);
    let interface = interface(module, index)?;
    let (mut width, mut remarks) = (width, vec![]);
    match pack::packed(module, entry, width) {
        Ok(packed) => width = packed,
        Err(reason) => remarks.push(format!("small workgroups are not packed into subgroups: {reason}")),
    }
    let mut table = Uniformity::run(module, entry, width)?;
    // One subgroup has nobody to wait for.
    let mut plan = match invocations > u64::from(w) {
        true => BarrierPlan::run(module, &module.functions[entry.func], &table, shared_is_initialised(module, entry)),
        false => None,
    };
    if plan.is_some()
        && options.opt == OptLevel::Speed
        && let Some(double) = pairs::doubled(module, entry, width, &table)
    {
        width = double;
        table = Uniformity::run(module, entry, width)?;
        plan = BarrierPlan::run(module, &module.functions[entry.func], &table, shared_is_initialised(module, entry));
    }

    let pointer = types::I64;
    let mut signature = Signature::new(target.call_conv);
    signature.params.extend([pointer, pointer, types::I64, types::I64].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I32));
    let mut func = clif::Function::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut builder_context = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut func, &mut builder_context);
    let input = Input { module, entry, func: entry.func, options, table: &table, interface: &interface };
    let mut parts = Parts { remarks, ..Parts::default() };
    parts.stats.packed = width.groups as usize;
    let mut emitter = start(Legal::new(builder, target), width, &input, plan.is_some(), &mut parts)?;
    let emitted = match &plan {
        Some(plan) => emitter.workgroup_code(plan),
        None => emitter.subgroup_code(),
    };
    let within = |func: FuncId| move |error: Error| error.or_at(|| place_in(module, module.functions[func].loc));
    emitted.map_err(within(entry.func))?;
    finish(emitter, target, &mut parts);
    parts.stats.kernel_insts = instructions(&func);
    parts.stats.blocks = func.layout.blocks().count();
    let mut functions = vec![LoweredFunction { name: entry.name.clone(), clif: func }];
    // Functions may call functions: the list grows while it is gone through.
    let mut number = 1;
    while let Some(callee) = parts.callees.get(number).cloned() {
        let function = match callee {
            Callee::Helper(helper) => helpers::build(helper, number, target),
            Callee::Lanes(func, lanes) => {
                parts.stats.functions += 1;
                lane_function(&input, func, lanes, number, &mut parts, target).map_err(within(func))?
            }
            Callee::Masked(func, _) => {
                parts.stats.functions += 1;
                let version = parts.callees.versions.get(&callee).cloned();
                let version = version.ok_or_else(|| Error::Internal("a function without a version".into()))?;
                masked_function(&input, func, &version, width, number, &mut parts, target).map_err(within(func))?
            }
        };
        parts.stats.helper_insts += instructions(&function.clif);
        functions.push(function);
        number += 1;
    }
    // Three components may be loaded as four.
    let scratch_size = if parts.locals.scratch_size == 0 { 0 } else { parts.locals.scratch_size + 4 };
    let Parts { stats, remarks, .. } = parts;
    Ok(LoweredModule { functions, interface, subgroup_size: w, scratch_size, stats, remarks })
}

fn instructions(func: &clif::Function) -> usize {
    func.layout.blocks().map(|block| func.layout.block_insts(block).count()).sum()
}

/// Is there a Workgroup variable with an initialiser? It is set before any subgroup runs.
fn shared_is_initialised(module: &Module, entry: &crate::ir::EntryPoint) -> bool {
    let used = module.functions[entry.func].values.values().filter_map(|v| match v.def {
        ValueDef::Global(id) => Some(id),
        _ => None,
    });
    let initialised = |id: crate::ir::GlobalId| {
        module.globals[id].class == crate::ir::StorageClass::Workgroup && module.globals[id].init.is_some()
    };
    used.chain(entry.interface.iter().copied()).any(initialised)
}

/// What the functions of a module share; it goes from one to the next.
#[derive(Default)]
pub(super) struct Parts {
    pub callees: Callees,
    pub locals: Locals,
    pub stats: Stats,
    pub remarks: Vec<String>,
}

/// Ends a function.
pub(super) fn finish(emitter: Emitter<'_>, target: &Target, parts: &mut Parts) {
    let Legal { mut builder, stats, .. } = emitter.legal;
    builder.seal_all_blocks();
    builder.finalize(target.frontend);
    let Emitter { helpers, locals, remarks, .. } = emitter;
    *parts = Parts { callees: helpers.callees, locals: locals.for_next(), stats, remarks };
}

/// What a function is made of.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub module: &'a Module,
    pub entry: &'a crate::ir::EntryPoint,
    pub func: FuncId,
    pub options: &'a Options,
    pub table: &'a Uniformity,
    pub interface: &'a Interface,
}

impl<'a> Input<'a> {
    /// The emitter of a function, before its first instruction.
    pub fn emitter(&self, mut legal: Legal<'a>, width: Width, kernel: Kernel, parts: &mut Parts) -> Emitter<'a> {
        let Parts { callees, locals, stats, remarks } = std::mem::take(parts);
        legal.stats = stats;
        let mask_type = Legal::chunk_type(crate::ir::Scalar::Bool, width.chunk);
        let vars = (0..width.chunks(crate::ir::Scalar::Bool)).map(|_| legal.builder.declare_var(mask_type)).collect();
        Emitter {
            legal,
            width,
            module: self.module,
            func: &self.module.functions[self.func],
            id: self.func,
            entry: self.entry,
            options: self.options,
            table: self.table,
            interface: self.interface,
            values: SecondaryMap::new(),
            pointers: SecondaryMap::new(),
            exec: Exec { vars, full: true },
            frames: vec![],
            joins: vec![Some(kernel.subgroup_end)],
            kernel,
            hoisted: HashMap::new(),
            helpers: Helpers::new(callees),
            locals,
            remarks,
            bodies: vec![],
            used: None,
            workgroup: None,
            emitted_in: SecondaryMap::new(),
            scalars: HashMap::new(),
        }
    }
}

/// Emits the kernel's frame up to the start of one subgroup's code, and its end.
/// `whole`: the code is of a workgroup, and loops over its subgroups itself.
fn start<'a>(
    mut legal: Legal<'a>,
    width: Width,
    input: &Input<'a>,
    whole: bool,
    parts: &mut Parts,
) -> Result<Emitter<'a>> {
    let entry = input.entry;
    let b = &mut legal.builder;
    let entry_block = b.create_block();
    b.append_block_params_for_function_params(entry_block);
    b.switch_to_block(entry_block);
    let params: SmallVec<[clif::Value; 4]> = b.block_params(entry_block).into();
    let [context, scratch, first, count] = params[..] else {
        return Err(Error::Internal("kernel signature".into()));
    };
    let [prologue, head, body, next, done, interrupted] = std::array::from_fn(|_| b.create_block());
    let functions = functions_called(input.module);
    if functions > 0 {
        let [checked, missing] = std::array::from_fn(|_| legal.builder.create_block());
        let there = has_functions(&mut legal, context, functions);
        legal.ins().brif(there, checked, &[], missing, &[]);
        legal.builder.switch_to_block(missing);
        let status = legal.ins().iconst(types::I32, i64::from(STATUS_NO_FUNCTION));
        legal.ins().return_(&[status]);
        legal.builder.switch_to_block(checked);
    }
    let b = &mut legal.builder;
    b.ins().brif(count, prologue, &[], done, &[]);

    b.switch_to_block(prologue);
    let field =
        |b: &mut FunctionBuilder<'_>, ty, offset: usize| b.ins().load(ty, context_flags(), context, offset as i32);
    let groups: [clif::Value; 3] = std::array::from_fn(|i| field(b, types::I32, offset_of!(Context, groups) + 4 * i));
    let bases: [clif::Value; 3] =
        std::array::from_fn(|i| field(b, types::I32, offset_of!(Context, base_group) + 4 * i));
    let interrupt = field(b, types::I64, offset_of!(Context, interrupt));
    let zero_block = field(b, types::I64, offset_of!(Context, zero_block));
    let interrupt = b.ins().select(interrupt, interrupt, zero_block);
    // first = x + groups.x * (y + groups.y * z); no component is 0, or there would be nothing to run.
    let wide: [clif::Value; 2] = std::array::from_fn(|i| b.ins().uextend(types::I64, groups[i]));
    let x = b.ins().urem(first, wide[0]);
    let rest = b.ins().udiv(first, wide[0]);
    let y = b.ins().urem(rest, wide[1]);
    let z = b.ins().udiv(rest, wide[1]);
    let start: [clif::Value; 3] = [x, y, z].map(|v| b.ins().ireduce(types::I32, v));
    b.ins().jump(head, &[count.into(), start[0].into(), start[1].into(), start[2].into()]);

    let left = b.append_block_param(head, types::I64);
    let id: [clif::Value; 3] = std::array::from_fn(|_| b.append_block_param(head, types::I32));
    b.switch_to_block(head);
    let flag = b.ins().atomic_load(types::I32, MemFlagsData::trusted(), interrupt);
    b.ins().brif(flag, interrupted, &[], body, &[]);

    b.switch_to_block(done);
    let status = b.ins().iconst(types::I32, i64::from(STATUS_DONE));
    b.ins().return_(&[status]);
    b.switch_to_block(interrupted);
    b.set_cold_block(interrupted);
    let status = b.ins().iconst(types::I32, i64::from(STATUS_INTERRUPTED));
    b.ins().return_(&[status]);

    b.switch_to_block(body);
    let group: [clif::Value; 3] = std::array::from_fn(|i| b.ins().iadd(id[i], bases[i]));
    let invocations: u32 = entry.local_size.iter().product();
    // As many workgroups as fit, are left, and are in the row.
    let taken = (width.groups > 1).then(|| {
        let most = b.ins().iconst(types::I64, i64::from(width.groups));
        let most = b.ins().umin(left, most);
        let most = b.ins().ireduce(types::I32, most);
        let row = b.ins().isub(groups[0], id[0]);
        b.ins().umin(most, row)
    });
    let live = taken.map(|n| b.ins().imul_imm_u(n, i64::from(invocations)));

    // On to the next workgroup.
    b.switch_to_block(next);
    let done_now = match taken {
        Some(n) => b.ins().uextend(types::I64, n),
        None => b.ins().iconst(types::I64, 1),
    };
    let less = b.ins().isub(left, done_now);
    let mut carry = taken.unwrap_or_else(|| b.ins().iconst(types::I32, 1));
    let zero = b.ins().iconst(types::I32, 0);
    let mut following = id;
    for i in 0..2 {
        let up = b.ins().iadd(id[i], carry);
        let wraps = b.ins().icmp(IntCC::Equal, up, groups[i]);
        following[i] = b.ins().select(wraps, zero, up);
        carry = b.ins().uextend(types::I32, wraps);
    }
    following[2] = b.ins().iadd(id[2], carry);
    let again = b.create_block();
    b.ins().brif(less, again, &[], done, &[]);
    b.switch_to_block(again);
    b.ins().jump(head, &[less.into(), following[0].into(), following[1].into(), following[2].into()]);

    b.switch_to_block(body);
    let subgroups = if whole { 1 } else { invocations.div_ceil(width.subgroup) };
    let subgroup_end = b.create_block();
    let zero = b.ins().iconst(types::I32, 0);
    let subgroup = if subgroups == 1 {
        let code = b.create_block();
        b.ins().jump(code, &[]);
        b.switch_to_block(subgroup_end);
        b.ins().jump(next, &[]);
        b.switch_to_block(code);
        zero
    } else {
        let code = b.create_block();
        let number = b.append_block_param(code, types::I32);
        b.ins().jump(code, &[zero.into()]);
        b.switch_to_block(subgroup_end);
        let one = b.ins().iconst(types::I32, 1);
        let up = b.ins().iadd(number, one);
        let all = b.ins().iconst(types::I32, i64::from(subgroups));
        let more = b.ins().icmp(IntCC::UnsignedLessThan, up, all);
        b.ins().brif(more, code, &[up.into()], next, &[]);
        b.switch_to_block(code);
        number
    };

    let kernel = Kernel {
        context,
        scratch,
        prologue,
        subgroup_end,
        interrupted,
        interrupt,
        groups,
        group,
        subgroup,
        live,
        ..Kernel::none(prologue)
    };
    Ok(input.emitter(legal, width, kernel, parts))
}

/// Flags of loads from the context and the descriptors: always there, aligned, never written while a kernel runs.
pub(super) fn context_flags() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

impl Emitter<'_> {
    /// The code of one subgroup, from its mask to its end.
    fn subgroup_code(&mut self) -> Result<()> {
        self.place_shared()?;
        let first = self.first_invocation();
        self.starting_mask(first);
        self.builtins(first)?;
        self.private_variables()?;
        let flow = self.region(self.func.body)?;
        if flow != super::control::Flow::Closed {
            let end = self.kernel.subgroup_end;
            self.legal.ins().jump(end, &[]);
        }
        Ok(())
    }

    /// Number of lane 0 in its workgroup.
    pub(super) fn first_invocation(&mut self) -> clif::Value {
        let w = self.legal.ins().iconst(types::I32, i64::from(self.width.subgroup));
        self.legal.ins().imul(self.kernel.subgroup, w)
    }

    /// Sets the mask to the lanes that are invocations of the workgroup.
    pub(super) fn starting_mask(&mut self, first: clif::Value) {
        let invocations: u32 = self.entry.local_size.iter().product();
        if let Some(live) = self.kernel.live {
            let zero = self.legal.ins().iconst(types::I32, 0);
            let mask = self.mask_below(zero, live);
            self.set_exec(&mask);
        } else if invocations.is_multiple_of(self.width.subgroup) {
            self.set_exec_full();
        } else {
            let limit = self.legal.ins().iconst(types::I32, i64::from(invocations));
            let mask = self.mask_below(first, limit);
            self.set_exec(&mask);
        }
    }

    /// The built-ins that are the same in the whole workgroup; no others are there at workgroup level.
    pub(super) fn workgroup_builtins(&mut self) {
        let size = self.entry.local_size;
        let subgroups = self.subgroups();
        let mut map = HashMap::new();
        map.insert(BuiltIn::WorkgroupId, self.kernel.group.iter().map(|&v| Comp::Uniform(v)).collect());
        map.insert(BuiltIn::NumWorkgroups, self.kernel.groups.iter().map(|&v| Comp::Uniform(v)).collect());
        map.insert(BuiltIn::WorkgroupSize, size.iter().map(|&n| self.number(n)).collect());
        map.insert(BuiltIn::SubgroupSize, smallvec![self.number(self.width.subgroup)]);
        map.insert(BuiltIn::NumSubgroups, smallvec![self.number(subgroups)]);
        self.kernel.builtins = map;
    }

    /// Computes the built-in variables that the function uses. `first`: number of lane 0 in its workgroup.
    pub(super) fn builtins(&mut self, first: clif::Value) -> Result<()> {
        let mut used: SmallVec<[BuiltIn; 4]> = self
            .func
            .values
            .values()
            .filter_map(|v| match v.def {
                ValueDef::Global(id) => self.module.globals[id].builtin,
                _ => None,
            })
            .collect();
        used.sort_unstable_by_key(|b| *b as u32);
        used.dedup();
        let by_dimension = |b: &BuiltIn| matches!(b, BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId);
        let local =
            if self.width.groups == 1 && used.iter().any(by_dimension) { self.local_id(first) } else { Comps::new() };
        let size = self.entry.local_size;
        let subgroups = size.iter().product::<u32>().div_ceil(self.width.subgroup);
        for builtin in used {
            let packed = if self.width.groups > 1 { self.packed_builtin(builtin) } else { None };
            if let Some(comps) = packed {
                self.kernel.builtins.insert(builtin, comps);
                continue;
            }
            let comps: Comps = match builtin {
                BuiltIn::LocalInvocationId => local.clone(),
                BuiltIn::GlobalInvocationId => (0..3).map(|i| self.global_id(i, &local[i])).collect(),
                BuiltIn::LocalInvocationIndex => smallvec![self.lanes_from(first)],
                BuiltIn::SubgroupLocalInvocationId => {
                    let zero = self.legal.ins().iconst(types::I32, 0);
                    smallvec![self.lanes_from(zero)]
                }
                BuiltIn::WorkgroupId => self.kernel.group.iter().map(|&v| Comp::Uniform(v)).collect(),
                BuiltIn::NumWorkgroups => self.kernel.groups.iter().map(|&v| Comp::Uniform(v)).collect(),
                BuiltIn::WorkgroupSize => size.iter().map(|&n| self.number(n)).collect(),
                BuiltIn::SubgroupId => smallvec![Comp::Uniform(self.kernel.subgroup)],
                BuiltIn::SubgroupSize => smallvec![self.number(self.width.subgroup)],
                BuiltIn::NumSubgroups => smallvec![self.number(subgroups)],
                builtin => match self.subgroup_mask(builtin) {
                    Some(mask) => mask,
                    // A load of it is the error, not its declaration.
                    None => continue,
                },
            };
            self.kernel.builtins.insert(builtin, comps);
        }
        Ok(())
    }

    fn number(&mut self, n: u32) -> Comp {
        Comp::Uniform(self.legal.ins().iconst(types::I32, i64::from(n)))
    }

    fn lanes_from(&mut self, base: clif::Value) -> Comp {
        if self.width.subgroup == 1 { Comp::Uniform(base) } else { Comp::Affine { base, stride: 1 } }
    }

    /// The workgroup's first invocation in a dimension, plus `local`.
    pub(super) fn global_id(&mut self, dim: usize, local: &Comp) -> Comp {
        let size = self.legal.ins().iconst(types::I32, i64::from(self.entry.local_size[dim]));
        let base = self.legal.ins().imul(self.kernel.group[dim], size);
        self.plus(base, local)
    }

    /// `base + comp`, a component of 32-bit integers.
    pub(super) fn plus(&mut self, base: clif::Value, comp: &Comp) -> Comp {
        match comp {
            Comp::Uniform(v) => Comp::Uniform(self.legal.ins().iadd(base, *v)),
            Comp::Affine { base: b, stride } => Comp::Affine { base: self.legal.ins().iadd(base, *b), stride: *stride },
            Comp::ChunkAffine { bases, stride } => Comp::ChunkAffine {
                bases: bases.iter().map(|&b| self.legal.ins().iadd(base, b)).collect(),
                stride: *stride,
            },
            Comp::Varying(chunks) => {
                let wide = self.legal.broadcast(base, crate::ir::Scalar::U32, self.width.chunk);
                Comp::Varying(chunks.iter().map(|&c| self.legal.ins().iadd(wide, c)).collect())
            }
        }
    }

    /// `gl_LocalInvocationID` of invocation `first + lane`, each dimension in the shape that the analysis gives it.
    fn local_id(&mut self, first: clif::Value) -> Comps {
        let size = self.entry.local_size;
        let shapes = builtin_shapes(BuiltIn::LocalInvocationId, size, self.width);
        let mut below = 1u32;
        let mut out = Comps::new();
        for dim in 0..3 {
            let n = size[dim];
            let last = size[dim + 1..].iter().all(|&s| s == 1);
            let comp = match shapes[dim] {
                Shape::Uniform(_) if n == 1 => self.number(0),
                Shape::Uniform(_) => Comp::Uniform(self.first_coordinate(first, below, n, last)),
                Shape::Affine(stride) => Comp::Affine { base: self.first_coordinate(first, below, n, last), stride },
                Shape::ChunkAffine(stride) => {
                    let chunks = self.width.chunks(crate::ir::Scalar::U32) as u32;
                    let bases: Chunks = (0..chunks)
                        .map(|k| {
                            let start = self.legal.add_const(first, (k * self.width.chunk) as i32);
                            self.coordinate(start, below, n, last)
                        })
                        .collect();
                    Comp::ChunkAffine { bases, stride }
                }
                Shape::Varying | Shape::Nearly(_) => {
                    let index = Comp::Affine { base: first, stride: 1 };
                    let index = self.chunks(&index, crate::ir::Scalar::U32);
                    Comp::Varying(index.iter().map(|&i| self.coordinate(i, below, n, last)).collect())
                }
            };
            out.push(comp);
            below *= n;
        }
        out
    }

    /// `(index / below) % n`, scalar or chunk; the remainder is left out in the last dimension that is not 1.
    fn coordinate(&mut self, index: clif::Value, below: u32, n: u32, last: bool) -> clif::Value {
        let quotient = self.divide(index, below);
        self.within_dimension(quotient, n, last)
    }

    /// The same for lane 0 of the subgroup, whose index is a multiple of W.
    fn first_coordinate(&mut self, first: clif::Value, below: u32, n: u32, last: bool) -> clif::Value {
        let (w, number) = (self.width.subgroup, self.kernel.subgroup);
        if below.is_multiple_of(w) {
            let quotient = self.divide(number, below / w);
            return self.within_dimension(quotient, n, last);
        }
        if !w.is_multiple_of(below) {
            return self.coordinate(first, below, n, last);
        }
        let step = w / below;
        if !last && step.is_multiple_of(n) {
            return self.legal.ins().iconst(types::I32, 0);
        }
        let quotient = match below {
            1 => first,
            _ if step == 1 => number,
            _ => {
                let step = self.legal.ins().iconst(types::I32, i64::from(step));
                self.legal.ins().imul(number, step)
            }
        };
        self.within_dimension(quotient, n, last)
    }

    fn within_dimension(&mut self, quotient: clif::Value, n: u32, last: bool) -> clif::Value {
        if last {
            return quotient;
        }
        if n.is_power_of_two() {
            let mask = self.like(quotient, n - 1);
            return self.legal.ins().band(quotient, mask);
        }
        let times = self.divide(quotient, n);
        let n = self.like(quotient, n);
        let product = self.legal.ins().imul(times, n);
        self.legal.ins().isub(quotient, product)
    }

    fn like(&mut self, value: clif::Value, n: u32) -> clif::Value {
        let ty = self.legal.ty(value);
        let constant = self.legal.ins().iconst(types::I32, i64::from(n));
        if ty.is_vector() { self.legal.ins().splat(ty, constant) } else { constant }
    }

    /// `index / divisor` for indices of invocations: below [`MAX_WORKGROUP`], by a multiplication with the rounded-up
    /// reciprocal in 20 bits, which is exact where `index * (divisor - 1) < 2^20`.
    fn divide(&mut self, index: clif::Value, divisor: u32) -> clif::Value {
        if divisor == 1 {
            return index;
        }
        if divisor.is_power_of_two() {
            return self.legal.ins().ushr_imm_u(index, i64::from(divisor.trailing_zeros()));
        }
        const SHIFT: u32 = 20;
        let reciprocal = self.like(index, (1u32 << SHIFT).div_ceil(divisor));
        let product = self.legal.ins().imul(index, reciprocal);
        self.legal.ins().ushr_imm_u(product, i64::from(SHIFT))
    }

    /// Stops the kernel when the caller has set the interrupt flag.
    pub fn poll_interrupt(&mut self) {
        let flag = self.legal.ins().atomic_load(types::I32, MemFlagsData::trusted(), self.kernel.interrupt);
        let next = self.legal.builder.create_block();
        let interrupted = self.kernel.interrupted;
        self.legal.ins().brif(flag, interrupted, &[], next, &[]);
        self.start(next);
    }

    /// Does the loop look at the interrupt flag? All do that need not end. One that counts ends within 2^32 iterations and
    /// does not, unless a loop within it makes an iteration long, or the options want to stop it at once.
    pub fn polls(&self, l: &Loop) -> bool {
        if !self.is_counted(l) || [l.header, l.body, l.cont].iter().any(|&region| self.holds_loop(region)) {
            return true;
        }
        self.options.interruptible && !self.is_short(l)
    }

    /// Each operation is looked at for its innermost loop only, since the walk ends at the first loop.
    fn holds_loop(&self, region: RegionId) -> bool {
        self.func.regions[region].ops.iter().any(|&op| match &self.func.ops[op].kind {
            OpKind::Loop(_) => true,
            OpKind::Call { callee, .. } => self.table.functions().loops(*callee),
            OpKind::Selection(_) | OpKind::Switch(_) => self.func.regions_of(op).iter().any(|&r| self.holds_loop(r)),
            _ => false,
        })
    }

    /// Does a loop that counts run from one small constant to another?
    fn is_short(&self, l: &Loop) -> bool {
        const SHORT: u64 = 1024;
        let Terminator::Condition { cond, .. } = &self.func.regions[l.header].end else { return false };
        let bound = self.defining_inst(*cond).and_then(|test| test.operands.get(1).copied());
        let small = |value: Value| {
            let bits = self.func.as_const(value).and_then(|c| self.module.scalar_bits(c));
            bits.is_some_and(|bits| bits <= SHORT)
        };
        bound.is_some_and(small) && l.init.iter().copied().filter(|&v| self.func.as_const(v).is_some()).all(small)
    }

    /// Does the loop count a header argument by a constant until it passes a bound that does not change, so that it cannot
    /// step over the bound and wrap? Such a loop ends by itself within 2^32 steps.
    pub fn is_counted(&self, l: &Loop) -> bool {
        let func = self.func;
        let header = &func.regions[l.header];
        let Terminator::Condition { cond, .. } = &header.end else { return false };
        let Terminator::Reenter(again) = &func.regions[l.cont].end else { return false };
        let Some(test) = self.defining_inst(*cond) else { return false };
        let highest = match test.opcode {
            Opcode::Core(Op::ULessThan) => Some(u64::from(u32::MAX)),
            Opcode::Core(Op::SLessThan) => Some(i32::MAX as u64),
            Opcode::Core(Op::SGreaterThan | Op::UGreaterThan) => None,
            _ => return false,
        };
        let &[counter, bound] = &test.operands[..] else { return false };
        let Some(step) = self.step_of(counter, l, again) else { return false };
        if self.changes_within(bound, l) {
            return false;
        }
        // A step of one meets every value; a longer one must not be able to jump from below the bound past the end.
        let bound = self.func.as_const(bound).and_then(|c| self.module.scalar_bits(c));
        let lands = |bound: u64| highest.is_some_and(|h| bound <= h && bound + u64::from(step.unsigned_abs()) <= h);
        step.unsigned_abs() == 1 || (step > 0 && bound.is_some_and(lands))
    }

    fn defining_inst(&self, value: Value) -> Option<&crate::ir::Inst> {
        match self.func.values[value].def {
            ValueDef::Result(op, _) => match &self.func.ops[op].kind {
                OpKind::Inst(inst) => Some(inst),
                _ => None,
            },
            _ => None,
        }
    }

    /// How far each iteration moves `counter`, an argument of the loop's header, where that is a constant.
    fn step_of(&self, counter: Value, l: &Loop, again: &[Value]) -> Option<i32> {
        let ValueDef::Arg(region, index) = self.func.values[counter].def else { return None };
        if region != l.header {
            return None;
        }
        let step = self.defining_inst(*again.get(index as usize)?)?;
        let constant = |i: usize| {
            let id = self.func.as_const(*step.operands.get(i)?)?;
            self.module.scalar_bits(id).map(|bits| bits as u32 as i32)
        };
        let by = match (step.opcode, step.operands.iter().position(|&v| v == counter)?) {
            (Opcode::Core(Op::IAdd), at) => constant(1 - at)?,
            (Opcode::Core(Op::ISub), 0) => constant(1)?.wrapping_neg(),
            _ => return None,
        };
        (by != 0).then_some(by)
    }

    /// May `value` differ from iteration to iteration? Constants and what is defined before the loop do not.
    fn changes_within(&self, value: Value, l: &Loop) -> bool {
        match self.func.values[value].def {
            ValueDef::Const(_) | ValueDef::Global(_) | ValueDef::Param(_) => false,
            ValueDef::Arg(region, _) => region == l.header || self.values[value].is_none(),
            // Emitted before the loop, or not yet and so within; loads of what no shader writes are the same each time.
            ValueDef::Result(..) => {
                self.values[value].is_none()
                    && !self
                        .table
                        .shapes(value)
                        .iter()
                        .all(|s| matches!(s, Shape::Uniform(l) if *l <= crate::analysis::shape::Level::Dispatch))
            }
        }
    }
}
