//! Kernels written by hand in Cranelift IR, compiled, linked and dispatched.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AtomicRmwOp, ExtFuncData, ExternalName, Function, InstBuilder, LibCall, MemFlagsData, Signature,
    StackSlotData, StackSlotKind, UserExternalName, UserFuncName, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use glslc2native_backend::{
    Emit, Error, Isa, IsaOptions, JitKernel, MAX_FRAME_SIZE, MAX_STACK_SIZE, RunOptions, compile, object_file, run,
    verify, zero_block,
};
use glslc2native_lowering::abi::{ABI_VERSION, Context, Descriptor, DescriptorKind, PrintSink};
use glslc2native_lowering::analysis::interface::Interface;
use glslc2native_lowering::{LoweredFunction, LoweredModule, OptLevel, Stats};
use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, Ordering};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn host() -> Result<Isa> {
    Ok(Isa::host(IsaOptions { opt: OptLevel::Speed, verify: true })?)
}

fn module(functions: Vec<(&str, Function)>, scratch_size: usize) -> LoweredModule {
    LoweredModule {
        functions: functions.into_iter().map(|(name, clif)| LoweredFunction { name: name.into(), clif }).collect(),
        interface: Interface::default(),
        subgroup_size: 1,
        scratch_size,
        stats: Stats::default(),
        remarks: vec![],
    }
}

/// The signature of every kernel.
fn kernel_signature(isa: &Isa) -> Signature {
    let mut signature = Signature::new(isa.target().call_conv);
    signature.params.extend([types::I64; 4].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Builds a function: `body` gets the builder and the parameters, and returns what to return.
fn function(signature: Signature, body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Value) -> Function {
    let mut clif = Function::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut clif, &mut context);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    let params = b.block_params(block).to_vec();
    let result = body(&mut b, &params);
    b.ins().return_(&[result]);
    b.seal_all_blocks();
    b.finalize(host().map(|isa| isa.target().frontend).expect("a host"));
    clif
}

/// Loops over the workgroups; `body` gets the builder, the context and the workgroup's number. Polls the interrupt flag.
fn kernel(isa: &Isa, body: impl FnOnce(&mut FunctionBuilder, Value, Value)) -> Function {
    function(kernel_signature(isa), |b, params| {
        let &[context, _, first, count] = params else { panic!("four parameters") };
        let end = b.ins().iadd(first, count);
        let [head, poll, run, stop, exit] = [0; 5].map(|_| b.create_block());
        let group = b.append_block_param(head, types::I64);
        let status = b.append_block_param(exit, types::I32);
        let zero = b.ins().iconst(types::I32, 0);
        let one = b.ins().iconst(types::I32, 1);
        let flag = b.ins().load(types::I64, trusted(), context, offset_of!(Context, interrupt) as i32);
        b.ins().jump(head, &[first.into()]);
        b.switch_to_block(head);
        let more = b.ins().icmp(IntCC::UnsignedLessThan, group, end);
        b.ins().brif(more, poll, &[], exit, &[zero.into()]);
        b.switch_to_block(poll);
        let [check, _] = [b.create_block(), poll];
        b.ins().brif(flag, check, &[], run, &[]);
        b.switch_to_block(check);
        let set = b.ins().atomic_load(types::I32, trusted(), flag);
        b.ins().brif(set, stop, &[], run, &[]);
        b.switch_to_block(stop);
        b.ins().jump(exit, &[one.into()]);
        b.switch_to_block(run);
        body(b, context, group);
        let next = b.ins().iadd_imm_s(group, 1);
        b.ins().jump(head, &[next.into()]);
        b.switch_to_block(exit);
        status
    })
}

fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Base of descriptor 0.
fn buffer(b: &mut FunctionBuilder, context: Value) -> Value {
    let table = b.ins().load(types::I64, trusted(), context, offset_of!(Context, descriptors) as i32);
    b.ins().load(types::I64, trusted(), table, offset_of!(Descriptor, base) as i32)
}

/// For workgroup i: `buffer[1 + 2 i] += 1`, `buffer[2 + 2 i] = buffer[0]++`.
fn counting_kernel(isa: &Isa) -> Function {
    kernel(isa, |b, context, group| {
        let base = buffer(b, context);
        let one = b.ins().iconst(types::I32, 1);
        let ticket = b.ins().atomic_rmw(types::I32, trusted(), AtomicRmwOp::Add, base, one);
        let offset = b.ins().ishl_imm_u(group, 3);
        let slot = b.ins().iadd(base, offset);
        let counter = b.ins().iadd_imm_s(slot, 4);
        b.ins().atomic_rmw(types::I32, trusted(), AtomicRmwOp::Add, counter, one);
        b.ins().store(trusted(), ticket, slot, 8);
    })
}

/// A context with `buffer` in slot 0.
fn context(descriptor: &Descriptor, groups: [u32; 3]) -> Context {
    Context {
        version: ABI_VERSION,
        size: size_of::<Context>() as u32,
        groups,
        descriptor_count: 1,
        base_group: [0; 3],
        push_size: 0,
        descriptors: descriptor,
        push: zero_block(),
        zero_block: zero_block(),
        ranges: std::ptr::null(),
        range_count: 0,
        host_functions: std::ptr::null(),
        host_function_count: 0,
        print: PrintSink { call: None, data: std::ptr::null_mut() },
        interrupt: std::ptr::null(),
    }
}

fn descriptor(data: &mut [u32]) -> Descriptor {
    Descriptor {
        kind: DescriptorKind::Buffer as u32,
        flags: 0,
        base: data.as_mut_ptr().cast(),
        size: size_of_val(data) as u64,
        extent: [0; 3],
        format: 0,
        pitch: [0; 2],
        levels: 0,
        reserved: 0,
        mips: std::ptr::null(),
    }
}

/// Dispatches over a buffer.
fn dispatch(
    kernel: &JitKernel,
    data: &mut [u32],
    groups: [u32; 3],
    options: RunOptions<'_>,
) -> std::result::Result<(), Error> {
    let descriptor = descriptor(data);
    // SAFETY: the kernels of these tests use slot 0 only, which holds a buffer large enough for the number of workgroups.
    unsafe { run(kernel, &context(&descriptor, groups), options) }
}

#[test]
fn every_workgroup_runs_once_at_any_number_of_threads() -> Result {
    let isa = host()?;
    let jit = JitKernel::compile(&module(vec![("count", counting_kernel(&isa))], 1000), &isa)?;
    let mut checked = 0;
    for threads in [1, 2, 3, 8] {
        for groups in [[1, 1, 1], [7, 1, 1], [3, 5, 2], [1000, 3, 1], [65_537, 1, 1]] {
            for grain in [0, 64] {
                let total: u32 = groups.iter().product();
                let mut data = vec![0; 1 + 2 * total as usize];
                dispatch(&jit, &mut data, groups, RunOptions { threads, grain, ..Default::default() })?;
                assert_eq!(data[0], total);
                assert!(data[1..].iter().step_by(2).all(|&runs| runs == 1));
                let mut order: Vec<u32> = data[2..].iter().step_by(2).copied().collect();
                if threads > 1 {
                    order.sort_unstable();
                }
                assert!(order.iter().enumerate().all(|(i, &ticket)| ticket == i as u32), "order at {threads} threads");
                checked += 1;
            }
        }
    }
    println!("checked {checked} dispatches");
    Ok(())
}

#[test]
fn an_interrupt_stops_at_a_workgroup() -> Result {
    let isa = host()?;
    // Workgroup 10 sets the flag itself.
    let clif = kernel(&isa, |b, context, group| {
        let base = buffer(b, context);
        let one = b.ins().iconst(types::I32, 1);
        b.ins().atomic_rmw(types::I32, trusted(), AtomicRmwOp::Add, base, one);
        let flag = b.ins().load(types::I64, trusted(), context, offset_of!(Context, interrupt) as i32);
        let here = b.ins().icmp_imm_u(IntCC::Equal, group, 10);
        let [set, after] = [0; 2].map(|_| b.create_block());
        b.ins().brif(here, set, &[], after, &[]);
        b.switch_to_block(set);
        b.ins().atomic_store(trusted(), one, flag);
        b.ins().jump(after, &[]);
        b.switch_to_block(after);
    });
    let jit = JitKernel::compile(&module(vec![("stop", clif)], 0), &isa)?;
    let mut data = [0];
    let interrupt = AtomicU32::new(0);
    let options = RunOptions { threads: 1, interrupt: Some(&interrupt), ..Default::default() };
    assert_eq!(dispatch(&jit, &mut data, [1 << 20, 1, 1], options), Err(Error::Interrupted));
    assert_eq!(data[0], 11);
    // The flag is still set: nothing runs.
    for threads in [1, 4] {
        let options = RunOptions { threads, interrupt: Some(&interrupt), ..Default::default() };
        assert_eq!(dispatch(&jit, &mut data, [1 << 20, 1, 1], options), Err(Error::Interrupted));
    }
    assert_eq!(data[0], 11);
    interrupt.store(0, Ordering::Relaxed);
    let options = RunOptions { threads: 2, interrupt: Some(&interrupt), ..Default::default() };
    dispatch(&jit, &mut data, [10, 1, 1], options)?;
    assert_eq!(data[0], 21);
    Ok(())
}

#[test]
fn progress_ends_at_the_total() -> Result {
    let isa = host()?;
    let jit = JitKernel::compile(&module(vec![("count", counting_kernel(&isa))], 0), &isa)?;
    for threads in [1, 2] {
        let mut data = vec![0; 1 + 2 * 5000];
        let mut seen = vec![];
        let mut progress = |done, total| seen.push((done, total));
        let options = RunOptions { threads, progress: Some(&mut progress), ..Default::default() };
        dispatch(&jit, &mut data, [5000, 1, 1], options)?;
        assert_eq!(seen.last(), Some(&(5000, 5000)));
        assert!(seen.is_sorted());
    }
    Ok(())
}

#[test]
fn empty_and_impossible_dispatches() -> Result {
    let isa = host()?;
    let jit = JitKernel::compile(&module(vec![("count", counting_kernel(&isa))], 0), &isa)?;
    let mut data = [0; 3];
    for groups in [[0, 1, 1], [5, 0, 5], [u32::MAX, u32::MAX, 0]] {
        dispatch(&jit, &mut data, groups, RunOptions::default())?;
    }
    assert_eq!(data, [0; 3]);
    let error = dispatch(&jit, &mut data, [u32::MAX; 3], RunOptions::default()).expect_err("too many");
    assert!(matches!(&error, Error::Dispatch(what) if what.contains("2^64")), "{error}");
    let descriptor = descriptor(&mut data);
    let context = Context { base_group: [0, u32::MAX, 0], ..context(&descriptor, [1, 1, 1]) };
    // SAFETY: as in `dispatch`.
    let error = unsafe { run(&jit, &context, RunOptions::default()) }.expect_err("wraps");
    assert!(matches!(&error, Error::Dispatch(what) if what.contains("in y")), "{error}");
    assert_eq!(data, [0; 3]);
    Ok(())
}

/// A kernel that calls helper 1, which calls helper 2, which returns 42 + its argument; stores the result.
fn calling_module(isa: &Isa) -> LoweredModule {
    let helper_signature = || {
        let mut signature = Signature::new(isa.target().call_conv);
        signature.params.push(AbiParam::new(types::I32));
        signature.returns.push(AbiParam::new(types::I32));
        signature
    };
    let call = |b: &mut FunctionBuilder, index: u32, arg: Value| {
        let name = b.func.declare_imported_user_function(UserExternalName::new(0, index));
        let signature = b.import_signature(helper_signature());
        let data = ExtFuncData { name: ExternalName::user(name), signature, colocated: true, patchable: false };
        let callee = b.import_function(data);
        let call = b.ins().call(callee, &[arg]);
        b.inst_results(call)[0]
    };
    let main = kernel(isa, |b, context, _| {
        let base = buffer(b, context);
        let old = b.ins().load(types::I32, trusted(), base, 0);
        let new = call(b, 1, old);
        b.ins().store(trusted(), new, base, 0);
    });
    let middle = function(helper_signature(), |b, params| call(b, 2, params[0]));
    let leaf = function(helper_signature(), |b, params| b.ins().iadd_imm_s(params[0], 42));
    module(vec![("main", main), ("middle", middle), ("leaf", leaf)], 0)
}

#[test]
fn helpers_are_linked() -> Result {
    for opt in [OptLevel::None, OptLevel::Speed] {
        let isa = Isa::host(IsaOptions { opt, verify: true })?;
        let jit = JitKernel::compile(&calling_module(&isa), &isa)?;
        let mut data = [1];
        dispatch(&jit, &mut data, [2, 1, 1], RunOptions { threads: 1, ..Default::default() })?;
        assert_eq!(data, [85]);
        assert!(jit.code_size() > 0);
    }
    Ok(())
}

#[test]
fn assembly_is_the_same_every_time_and_for_every_target() -> Result {
    for triple in ["x86_64", "aarch64", "riscv64", "s390x"] {
        let isa = Isa::for_target(triple, None, IsaOptions::default())?;
        let lowered = calling_module(&isa);
        let text = compile(&lowered, &isa, Emit::Asm)?.asm_text();
        for name in ["main:", "middle:", "leaf:"] {
            assert!(text.contains(name), "{triple}: {text}");
        }
        assert_eq!(text, compile(&lowered, &isa, Emit::Asm)?.asm_text());
        let without = compile(&lowered, &isa, Emit::Code)?;
        assert_eq!(without.asm_text(), "");
        assert!(without.code_size() > 0);
        assert!(matches!(JitKernel::link(&without, &isa), Err(Error::Target(_))), "{triple} is not the host");
    }
    Ok(())
}

#[test]
fn code_memory_is_freed() -> Result {
    let isa = host()?;
    let lowered = module(vec![("count", counting_kernel(&isa))], 0);
    // Each kernel reserves 128 KiB of addresses. Were they leaked, the process would grow by 2.5 GB here.
    let before = mapped_bytes();
    for _ in 0..20_000 {
        JitKernel::compile(&lowered, &Isa::clone(&isa))?;
    }
    if let (Some(before), Some(after)) = (before, mapped_bytes()) {
        assert!(after < before + (1 << 30), "{before} bytes mapped before, {after} after");
    }
    Ok(())
}

/// Bytes of address space in use, where the system tells.
fn mapped_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').next()?.parse::<u64>().ok()? * 4096)
}

#[test]
fn kernels_are_used_from_many_threads() -> Result {
    let isa = host()?;
    let jit = JitKernel::compile(&module(vec![("count", counting_kernel(&isa))], 64), &isa)?;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut data = vec![0; 1 + 2 * 100];
                for _ in 0..50 {
                    dispatch(&jit, &mut data, [100, 1, 1], RunOptions { threads: 3, ..Default::default() })
                        .expect("runs");
                }
                assert!(data[1..].iter().step_by(2).all(|&runs| runs == 50));
            });
        }
    });
    Ok(())
}

/// Compiles a kernel made by `body` for a target, which must fail.
fn compile_for(triple: &str, body: impl FnOnce(&mut FunctionBuilder)) -> Result<Error> {
    let isa = Isa::for_target(triple, None, IsaOptions::default())?;
    let clif = kernel(&isa, |b, _, _| body(b));
    match compile(&module(vec![("bad", clif)], 0), &isa, Emit::Code) {
        Ok(_) => Err("compiled".into()),
        Err(error) => Ok(error),
    }
}

#[test]
fn what_cranelift_cannot_do_is_an_error() -> Result {
    // No rule for a population count of vectors on x86-64, which Cranelift reports; no vectors at all on RISC-V without V,
    // which makes it panic.
    for (triple, what) in [("x86_64", "no code for an instruction"), ("riscv64", "panic")] {
        let error = compile_for(triple, |b| {
            let address = b.ins().iconst(types::I64, 64);
            let vector = b.ins().load(types::I32X4, trusted(), address, 0);
            let counts = b.ins().popcnt(vector);
            b.ins().store(trusted(), counts, address, 0);
        })?;
        assert!(matches!(&error, Error::Internal(text) if text.contains("`bad`") && text.contains(what)), "{error}");
    }
    // The compiler is as good as new.
    helpers_are_linked()
}

#[test]
fn unknown_symbols_are_errors() -> Result {
    let library_call = compile_for("x86_64", |b| {
        let signature = b.import_signature(Signature::new(cranelift_codegen::isa::CallConv::SystemV));
        let name = ExternalName::LibCall(LibCall::CeilF32);
        let callee = b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false });
        b.ins().call(callee, &[]);
    })?;
    assert!(matches!(&library_call, Error::Internal(what) if what.contains("CeilF32")), "{library_call}");
    let missing = compile_for("x86_64", |b| {
        let signature = b.import_signature(Signature::new(cranelift_codegen::isa::CallConv::SystemV));
        let name = b.func.declare_imported_user_function(UserExternalName::new(0, 1));
        let name = ExternalName::user(name);
        let callee = b.import_function(ExtFuncData { name, signature, colocated: true, patchable: false });
        b.ins().call(callee, &[]);
    })?;
    assert!(matches!(&missing, Error::Internal(what) if what.contains("u0:1")), "{missing}");
    Ok(())
}

#[test]
fn large_frames_are_refused() -> Result {
    let error = compile_for("x86_64", |b| {
        let size = MAX_STACK_SIZE as u32 + 1;
        b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4));
    })?;
    assert!(matches!(&error, Error::Limit(what) if what.contains("stack")), "{error}");
    Ok(())
}

#[test]
fn kernels_with_large_frames_get_threads_with_room() -> Result {
    let isa = host()?;
    const SIZE: u32 = 24 << 20;
    // Writes both ends of the slot, and counts by what it reads there.
    let clif = kernel(&isa, |b, context, group| {
        let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, SIZE, 4));
        let one = b.ins().iconst(types::I32, 1);
        let ends = [0, SIZE as i32 - 4].map(|at| {
            let end = b.ins().stack_addr(types::I64, slot, at);
            b.ins().atomic_store(trusted(), one, end);
            b.ins().atomic_load(types::I32, trusted(), end)
        });
        let sum = b.ins().iadd(ends[0], ends[1]);
        let base = buffer(b, context);
        let offset = b.ins().ishl_imm_u(group, 2);
        let address = b.ins().iadd(base, offset);
        b.ins().store(trusted(), sum, address, 0);
    });
    let compiled = compile(&module(vec![("large", clif)], 0), &isa, Emit::Code)?;
    assert!(compiled.stack_size > u64::from(SIZE));
    let jit = JitKernel::link(&compiled, &isa)?;
    for threads in [1, 3] {
        let mut data = vec![0; 1000];
        dispatch(&jit, &mut data, [1000, 1, 1], RunOptions { threads, ..Default::default() })?;
        assert_eq!(data, vec![2; 1000]);
    }
    // An object's caller may have a small stack.
    let error = object_file(&compiled, &isa, "large").expect_err("too large for an object");
    assert!(matches!(&error, Error::Limit(what) if what.contains(&MAX_FRAME_SIZE.to_string())), "{error}");
    Ok(())
}

#[test]
fn invalid_modules_are_errors() -> Result {
    let isa = host()?;
    assert!(matches!(JitKernel::compile(&module(vec![], 0), &isa), Err(Error::Internal(_))));
    let twice = module(vec![("same", counting_kernel(&isa)), ("same", counting_kernel(&isa))], 0);
    assert!(matches!(JitKernel::compile(&twice, &isa), Err(Error::Internal(_))));
    // No terminator: the verifier's case.
    let mut clif = Function::with_name_signature(UserFuncName::user(0, 0), kernel_signature(&isa));
    let block = clif.dfg.make_block();
    clif.layout.append_block(block);
    let error = JitKernel::compile(&module(vec![("open", clif)], 0), &isa).expect_err("no terminator");
    assert!(matches!(&error, Error::Internal(what) if what.contains("open")), "{error}");
    Ok(())
}

#[test]
fn ill_typed_code_is_found_before_it_is_generated() -> Result {
    let isa = Isa::host(IsaOptions::default())?;
    let good = module(vec![("good", counting_kernel(&isa))], 0);
    verify(&good, &isa)?;
    let bad = kernel(&isa, |b, _, group| {
        let float = b.ins().f32const(1.0);
        b.ins().iadd(group, float);
    });
    let error = verify(&module(vec![("bad", bad)], 0), &isa).expect_err("adds a float to an integer");
    assert!(matches!(&error, Error::Internal(what) if what.contains("`bad`") && what.contains("f32")), "{error}");
    Ok(())
}
