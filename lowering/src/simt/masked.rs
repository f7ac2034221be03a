//! Functions of the shader's own that are called with a mask: anything that is not lane-wise.
//!
//! ```text
//! function(context, scratch, frame) -> status
//! frame: mask, then the workgroup's id and the subgroup's number, arguments, results
//! ```
//!
//! The frame is memory of the caller's, since return registers differ from target to target. A component that is uniform
//! takes one CLIF value in it, one that varies a value for each chunk, as the shapes say: there is a version of the function
//! for each combination of shapes that it is called with. The status, where the function loops and so polls the interrupt
//! flag, is 1 when it was interrupted, and callers pass it on.
//!
//! Invariants: a function is called with a mask that is not empty; like any code under a mask it writes nothing for lanes
//! that are off. What it returns for them is anything. It returns at its end only, and has no pointers as parameters
//! (transforms `inline` and `parameters`).

use super::emit::Emitter;
use super::helpers::Callee;
use super::kernel::{Input, Kernel, Parts, context_flags, finish};
use super::legal::Legal;
use super::memory_flags::frame_flags;
use super::value::{Chunks, Comp, Comps, Width};
use crate::abi::Context;
use crate::analysis::functions::without_levels;
use crate::analysis::shape::Shape;
use crate::analysis::uniformity::{MAX_LEAVES, Shapes, Uniformity};
use crate::ir::{FuncId, Loc, Scalar, Terminator, Type, TypeId, Value};
use crate::lowered::LoweredFunction;
use crate::{Error, Result, Target};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, Signature, UserFuncName, types};
use cranelift_entity::packed_option::ReservedValue;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use std::mem::offset_of;
use std::rc::Rc;

/// A component in the frame.
struct Part {
    shape: Shape,
    scalar: Scalar,
    at: i32,
}

/// What is where in a frame. The mask is at its start.
struct Layout {
    /// Workgroup id and subgroup number, four words.
    ids: Option<i32>,
    /// Components of the arguments, one after the other.
    params: Vec<Part>,
    results: Vec<Part>,
    size: i32,
}

/// What is needed of a version of a function, to call it and to make its code.
pub(super) struct Version {
    table: Uniformity,
    layout: Layout,
    polls: bool,
}

impl Version {
    fn new(input: &Input<'_>, callee: FuncId, shapes: &[Shapes], width: Width) -> Result<Version> {
        let functions = input.table.functions();
        let table = Uniformity::of_function(input.module, input.entry, callee, width, shapes, functions);
        let function = &input.module.functions[callee];
        let leaves = |ty: TypeId| {
            let leaves = input.module.types.leaves(ty, MAX_LEAVES);
            leaves.ok_or_else(|| Error::Internal(format!("`{}` takes or gives no value", function.name)))
        };
        let mask = Scalar::Bool;
        let mut at = width.chunks(mask) as i32 * Legal::chunk_type(mask, width.lanes(mask)).bytes() as i32;
        let mut place = |shape: Shape, scalar: Scalar| {
            let (ty, n) = width.held_as(shape, scalar);
            let bytes = ty.bytes() as i32;
            at = (at + bytes - 1) / bytes * bytes;
            let part = Part { shape, scalar, at };
            at += bytes * n as i32;
            part
        };
        let ids = functions.inputs(callee).then(|| {
            let first = place(Shape::CONSTANT, Scalar::U32).at;
            for _ in 1..4 {
                place(Shape::CONSTANT, Scalar::U32);
            }
            first
        });
        let mut params = vec![];
        for &param in &function.params {
            for (&shape, scalar) in table.shapes(param).iter().zip(leaves(function.values[param].ty)?) {
                params.push(place(shape, scalar));
            }
        }
        let mut results = vec![];
        match function.regions[function.body].end {
            Terminator::Return(Some(value)) => {
                for (&shape, scalar) in table.shapes(value).iter().zip(leaves(function.result)?) {
                    results.push(place(shape, scalar));
                }
            }
            // It never returns.
            Terminator::Unreachable if input.module.types[function.result] != Type::Void => {
                results.extend(leaves(function.result)?.into_iter().map(|scalar| place(Shape::Varying, scalar)));
            }
            _ => {}
        }
        let layout = Layout { ids, params, results, size: at };
        Ok(Version { table, layout, polls: functions.loops(callee) })
    }

    fn signature(&self, target: &Target) -> Signature {
        let mut signature = Signature::new(target.call_conv);
        signature.params.extend([types::I64; 3].map(AbiParam::new));
        if self.polls {
            signature.returns.push(AbiParam::new(types::I32));
        }
        signature
    }
}

impl Emitter<'_> {
    /// A call of a function that is not lane-wise.
    pub fn call_masked(&mut self, callee: FuncId, args: &[Value], result: Option<Value>, loc: Loc) -> Result<()> {
        let shapes = self.table.functions().version(callee, self.table.arguments(args));
        let shapes: Rc<[Shapes]> = without_levels(&shapes).into();
        let version = self.version(callee, &shapes, loc)?;
        let target = self.callee(&Callee::Masked(callee, shapes), version.signature(self.legal.target));
        self.legal.stats.calls += 1;
        let slot = self.helpers.frame(&mut self.legal.builder, version.layout.size as u32);
        let frame = self.legal.ins().stack_addr(types::I64, slot, 0);
        let mask = self.exec_mask();
        self.store_held(frame, 0, &mask);
        if let Some(at) = version.layout.ids {
            let [x, y, z] = self.kernel.group;
            let ids: Chunks = [x, y, z, self.kernel.subgroup].into_iter().collect();
            self.store_held(frame, at, &ids);
        }
        let mut comps = Comps::new();
        for &arg in args {
            comps.extend(self.comps(arg)?);
        }
        for (comp, part) in comps.iter().zip(&version.layout.params) {
            let held = self.in_shape(part.shape, part.scalar, comp)?;
            self.store_held(frame, part.at, &held);
        }
        let (context, scratch) = (self.kernel.context, self.kernel.scratch);
        let call = self.legal.ins().call(target, &[context, scratch, frame]);
        if version.polls {
            let status = self.legal.builder.inst_results(call)[0];
            let next = self.legal.builder.create_block();
            let interrupted = self.kernel.interrupted;
            self.legal.ins().brif(status, interrupted, &[], next, &[]);
            self.start(next);
        }
        if let Some(result) = result {
            let frame = self.legal.ins().stack_addr(types::I64, slot, 0);
            let expected: Shapes = self.table.shapes(result).into();
            let mut comps = Comps::new();
            for (part, shape) in version.layout.results.iter().zip(&expected) {
                let comp = self.load_held(frame, part);
                // The analysis may have called it less uniform than it turns out to be.
                comps.push(match (shape.held(), &comp) {
                    (Shape::Varying, _) => Comp::Varying(self.chunks(&comp, part.scalar)),
                    _ => comp,
                });
            }
            self.values[result] = Some(comps);
            self.note_emitted(result);
        }
        Ok(())
    }

    /// A version of a function; looked at when it is called first.
    fn version(&mut self, callee: FuncId, shapes: &Rc<[Shapes]>, loc: Loc) -> Result<Rc<Version>> {
        let key = Callee::Masked(callee, shapes.clone());
        if let Some(known) = self.helpers.callees.versions.get(&key) {
            return Ok(known.clone());
        }
        self.check_callable(callee, loc)?;
        let version = Rc::new(Version::new(&self.input(), callee, shapes, self.width)?);
        self.helpers.callees.versions.insert(key, version.clone());
        Ok(version)
    }

    /// Has the function the form that the transforms give to those that are called?
    fn check_callable(&self, callee: FuncId, loc: Loc) -> Result<()> {
        let function = &self.module.functions[callee];
        let pointers = |value: &Value| matches!(self.module.types[function.values[*value].ty], Type::Pointer { .. });
        let mut early = false;
        function.for_each_op(function.body, &mut |_, op| {
            early |= function
                .regions_of(op)
                .iter()
                .any(|&region| matches!(function.regions[region].end, Terminator::Return(_) | Terminator::Kill));
        });
        if early || function.params.iter().any(pointers) {
            let why = "functions that return early or take pointers are called after the passes inline and parameters";
            return Err(self.unsupported(loc, "OpFunctionCall", why));
        }
        Ok(())
    }

    /// Values side by side, from `at` bytes into the frame.
    fn store_held(&mut self, frame: clif::Value, at: i32, held: &Chunks) {
        for (k, &value) in held.iter().enumerate() {
            let bytes = self.legal.ty(value).bytes() as i32;
            self.legal.ins().store(frame_flags(), value, frame, at + k as i32 * bytes);
        }
    }

    fn load_held(&mut self, frame: clif::Value, part: &Part) -> Comp {
        let (ty, n) = self.held_as(part.shape, part.scalar);
        let bytes = ty.bytes() as i32;
        let load = |k| self.legal.ins().load(ty, frame_flags(), frame, part.at + k * bytes);
        let chunks: Chunks = (0..n as i32).map(load).collect();
        match part.shape.held() {
            Shape::Uniform(_) => Comp::Uniform(chunks[0]),
            Shape::Affine(stride) => Comp::Affine { base: chunks[0], stride },
            Shape::ChunkAffine(stride) => Comp::ChunkAffine { bases: chunks, stride },
            Shape::Varying | Shape::Nearly(_) => Comp::Varying(chunks),
        }
    }
}

/// The code of a version of a function, the `number`-th of the module.
pub(super) fn masked_function(
    input: &Input<'_>,
    callee: FuncId,
    version: &Version,
    width: Width,
    number: u32,
    parts: &mut Parts,
    target: &Target,
) -> Result<LoweredFunction> {
    let name = UserFuncName::user(0, number);
    let mut func = clif::Function::with_name_signature(name, version.signature(target));
    let mut context = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut func, &mut context);
    let input = Input { table: &version.table, func: callee, ..*input };
    let function = &input.module.functions[callee];
    let (mut emitter, frame) = start(Legal::new(builder, target), width, &input, version, parts)?;
    let mask: Comp = {
        let part = Part { shape: Shape::Varying, scalar: Scalar::Bool, at: 0 };
        emitter.load_held(frame, &part)
    };
    if let Comp::Varying(mask) = mask {
        emitter.set_exec(&mask);
    }
    let mut params = version.layout.params.iter();
    for &param in &function.params {
        let n = version.table.shapes(param).len();
        emitter.values[param] = Some(params.by_ref().take(n).map(|part| emitter.load_held(frame, part)).collect());
    }
    if version.layout.ids.is_some() {
        let first = emitter.first_invocation();
        emitter.builtins(first)?;
    }
    let body = &function.regions[function.body];
    for &op in &body.ops {
        emitter.op(op)?;
    }
    if let Terminator::Return(Some(value)) = body.end {
        let comps = emitter.comps(value)?;
        for (comp, part) in comps.iter().zip(&version.layout.results) {
            let held = emitter.in_shape(part.shape, part.scalar, comp)?;
            emitter.store_held(frame, part.at, &held);
        }
    }
    let end = emitter.kernel.subgroup_end;
    emitter.legal.ins().jump(end, &[]);
    finish(emitter, target, parts);
    Ok(LoweredFunction { name: format!("{}.{number}", super::calls::symbol(&function.name)), clif: func })
}

/// The frame of a function up to its first operation; the emitter and the address of what the caller passes.
fn start<'a>(
    mut legal: Legal<'a>,
    width: Width,
    input: &Input<'a>,
    version: &Version,
    parts: &mut Parts,
) -> Result<(Emitter<'a>, clif::Value)> {
    let b = &mut legal.builder;
    let prologue = b.create_block();
    b.append_block_params_for_function_params(prologue);
    b.switch_to_block(prologue);
    let &[context, scratch, frame] = b.block_params(prologue) else {
        return Err(Error::Internal("a function's signature".into()));
    };
    let word =
        |b: &mut FunctionBuilder<'_>, offset: usize| b.ins().load(types::I32, context_flags(), context, offset as i32);
    let none = clif::Value::reserved_value();
    let (mut groups, mut group, mut subgroup) = ([none; 3], [none; 3], none);
    if let Some(at) = version.layout.ids {
        groups = std::array::from_fn(|i| word(b, offset_of!(Context, groups) + 4 * i));
        group = std::array::from_fn(|i| b.ins().load(types::I32, frame_flags(), frame, at + 4 * i as i32));
        subgroup = b.ins().load(types::I32, frame_flags(), frame, at + 12);
    }
    let [body, subgroup_end, interrupted] = std::array::from_fn(|_| b.create_block());
    let mut interrupt = none;
    if version.polls {
        let flag = b.ins().load(types::I64, context_flags(), context, offset_of!(Context, interrupt) as i32);
        let zero = b.ins().load(types::I64, context_flags(), context, offset_of!(Context, zero_block) as i32);
        interrupt = b.ins().select(flag, flag, zero);
    }
    b.ins().jump(body, &[]);
    for (block, status) in [(subgroup_end, 0), (interrupted, 1)] {
        b.switch_to_block(block);
        let status = version.polls.then(|| b.ins().iconst(types::I32, status));
        b.ins().return_(status.as_slice());
    }
    b.set_cold_block(interrupted);
    b.switch_to_block(body);
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
        ..Kernel::none(prologue)
    };
    Ok((input.emitter(legal, width, kernel, parts), frame))
}
