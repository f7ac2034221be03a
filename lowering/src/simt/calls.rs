//! Functions out of line: how they are called, and how their code is made.
//!
//! In: a call of the IR. Out: CLIF calls, and for each callee that they name a function of the module.
//!
//! A *lane-wise* function (the standard library's, see [`Functions`](crate::analysis::functions::Functions)) is called
//! once a chunk, without a mask, or once on scalars where all arguments are uniform; its code is the same operations as if
//! it were inlined, so its results have the same bits. It takes and gives one CLIF value for each leaf of a chunk. One result
//! is returned; several, and vectors where the target returns none (RISC-V), are stored to the address in a last argument.
//!
//! Any other function is called with a mask: [`masked`](super::masked).

use super::emit::Emitter;
use super::helpers::Callee;
use super::kernel::{Input, Kernel, Parts, finish};
use super::legal::Legal;
use super::memory_flags::frame_flags;
use super::value::{Chunks, Comp, Comps, Width};
use crate::analysis::uniformity::{MAX_LEAVES, Uniformity};
use crate::ir::{FuncId, Loc, Module, Scalar, Terminator, Value};
use crate::lowered::LoweredFunction;
use crate::{Arch, Error, Result, Target};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, Signature, UserFuncName, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

/// How a lane-wise function is called on one chunk.
struct LaneAbi {
    /// Scalars of the leaves of all arguments, and of the result.
    params: Vec<Scalar>,
    results: Vec<Scalar>,
    /// One subgroup, which is one chunk.
    width: Width,
    /// Results are stored to the last argument.
    in_memory: bool,
}

impl LaneAbi {
    fn new(module: &Module, callee: FuncId, lanes: u32, target: &Target) -> Result<LaneAbi> {
        let function = &module.functions[callee];
        let leaves = |ty| {
            let leaves = module.types.leaves(ty, MAX_LEAVES);
            leaves.ok_or_else(|| Error::Internal(format!("`{}` takes or gives no value", function.name)))
        };
        let mut params = vec![];
        for &param in &function.params {
            params.extend(leaves(function.values[param].ty)?);
        }
        let results = leaves(function.result)?;
        let width = Width { subgroup: lanes, chunk: lanes, groups: 1 };
        let values: usize = results.iter().map(|&scalar| width.chunks(scalar)).sum();
        let in_memory = values != 1 || (lanes > 1 && target.arch == Arch::Riscv64);
        Ok(LaneAbi { params, results, width, in_memory })
    }

    fn ty(&self, scalar: Scalar) -> clif::Type {
        Legal::chunk_type(scalar, self.width.lanes(scalar))
    }

    /// The types of the values that leaves are passed as.
    fn types<'s>(&'s self, scalars: &'s [Scalar]) -> impl Iterator<Item = clif::Type> + 's {
        scalars.iter().flat_map(|&scalar| std::iter::repeat_n(self.ty(scalar), self.width.chunks(scalar)))
    }

    fn signature(&self, target: &Target) -> Signature {
        let mut signature = Signature::new(target.call_conv);
        signature.params.extend(self.types(&self.params).map(AbiParam::new));
        match self.in_memory {
            true => signature.params.push(AbiParam::new(types::I64)),
            false => signature.returns.extend(self.types(&self.results).map(AbiParam::new)),
        }
        signature
    }
}

/// Distance of results in memory: the largest CLIF value.
const STEP: u32 = 16;

impl Emitter<'_> {
    /// `OpFunctionCall`.
    pub fn call(&mut self, callee: FuncId, args: &[Value], result: Option<Value>, loc: Loc) -> Result<()> {
        if !self.table.functions().lane_wise(callee) {
            return self.call_masked(callee, args, result, loc);
        }
        let comps = self.call_lanes(callee, args)?;
        if let Some(result) = result {
            self.values[result] = Some(comps);
            self.note_emitted(result);
        }
        Ok(())
    }

    fn call_lanes(&mut self, callee: FuncId, args: &[Value]) -> Result<Comps> {
        let mut leaves = Comps::new();
        for &arg in args {
            leaves.extend(self.comps(arg)?);
        }
        let uniform = leaves.iter().all(|comp| comp.uniform().is_some());
        let lanes = if uniform { 1 } else { self.width.chunk };
        let abi = LaneAbi::new(self.module, callee, lanes, self.legal.target)?;
        let target = self.callee(&Callee::Lanes(callee, lanes), abi.signature(self.legal.target));
        if uniform {
            let values: Vec<clif::Value> = leaves.iter().filter_map(Comp::uniform).collect();
            return Ok(self.call_chunk(target, &abi, values).into_iter().map(Comp::Uniform).collect());
        }
        let scalars = abi.params.clone();
        let leaves: Vec<Chunks> = leaves.iter().zip(&scalars).map(|(comp, &s)| self.chunks(comp, s)).collect();
        let count = self.mask_chunks();
        let mut results = vec![Chunks::new(); abi.results.len()];
        for k in 0..count {
            let values = leaves.iter().flat_map(|chunks| {
                let each = chunks.len() / count;
                chunks[k * each..(k + 1) * each].to_vec()
            });
            let mut values = self.call_chunk(target, &abi, values.collect()).into_iter();
            for (chunks, &scalar) in results.iter_mut().zip(&abi.results) {
                chunks.extend(values.by_ref().take(abi.width.chunks(scalar)));
            }
        }
        Ok(results.into_iter().map(Comp::Varying).collect())
    }

    /// One call; its results.
    fn call_chunk(&mut self, target: clif::FuncRef, abi: &LaneAbi, mut args: Vec<clif::Value>) -> Vec<clif::Value> {
        self.legal.stats.calls += 1;
        let results: Vec<clif::Type> = abi.types(&abi.results).collect();
        if !abi.in_memory {
            let call = self.legal.ins().call(target, &args);
            return self.legal.builder.inst_results(call).to_vec();
        }
        let slot = self.helpers.results(&mut self.legal.builder, STEP * results.len() as u32);
        args.push(self.legal.ins().stack_addr(types::I64, slot, 0));
        self.legal.ins().call(target, &args);
        let address = self.legal.ins().stack_addr(types::I64, slot, 0);
        let load = |(i, ty)| self.legal.ins().load(ty, frame_flags(), address, (i * STEP as usize) as i32);
        results.into_iter().enumerate().map(load).collect()
    }
}

/// The code of a lane-wise function on `lanes` lanes, the `number`-th of the module.
pub(super) fn lane_function(
    input: &Input<'_>,
    callee: FuncId,
    lanes: u32,
    number: u32,
    parts: &mut Parts,
    target: &Target,
) -> Result<LoweredFunction> {
    let abi = LaneAbi::new(input.module, callee, lanes, target)?;
    let name = UserFuncName::user(0, number);
    let mut func = clif::Function::with_name_signature(name, abi.signature(target));
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut func, &mut context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let mut params = builder.block_params(entry).to_vec().into_iter();
    let functions = input.table.functions();
    let table = Uniformity::of_function(input.module, input.entry, callee, abi.width, &[], functions);
    let input = Input { table: &table, func: callee, ..*input };
    let mut emitter = input.emitter(Legal::new(builder, target), abi.width, Kernel::none(entry), parts);
    let function = &input.module.functions[callee];
    for &param in &function.params {
        let scalars = emitter.scalars(function.values[param].ty)?;
        let leaf = |&scalar: &Scalar| Comp::Varying(params.by_ref().take(abi.width.chunks(scalar)).collect());
        emitter.values[param] = Some(scalars.iter().map(leaf).collect());
    }
    let body = &function.regions[function.body];
    for &op in &body.ops {
        emitter.op(op)?;
    }
    let Terminator::Return(Some(value)) = body.end else {
        return Err(Error::Internal(format!("`{}` does not return at its end", function.name)));
    };
    let comps = emitter.comps(value)?;
    let mut results = vec![];
    for (comp, &scalar) in comps.iter().zip(&abi.results) {
        results.extend(emitter.chunks(comp, scalar));
    }
    if abi.in_memory {
        let address = params.next().ok_or_else(|| Error::Internal("a function has no place for results".into()))?;
        for (i, value) in results.drain(..).enumerate() {
            emitter.legal.ins().store(frame_flags(), value, address, (i * STEP as usize) as i32);
        }
    }
    emitter.legal.ins().return_(&results);
    finish(emitter, target, parts);
    Ok(LoweredFunction { name: format!("{}.{number}", symbol(&function.name)), clif: func })
}

/// A function's name as a part of a symbol: glslang writes the parameters' types behind a parenthesis.
pub(super) fn symbol(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let symbol: String = name.chars().take(64).map(plain).collect();
    if symbol.is_empty() { "function".into() } else { symbol }
}
