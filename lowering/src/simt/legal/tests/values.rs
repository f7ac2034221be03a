//! Everything computes what Rust computes, on this machine.

use super::table::{CASES, FMA, edges};
use super::{Case, Given, Kind, SLOT, build, shapes};
use crate::options::{Arch, Target};
use cranelift_codegen::ir as clif;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};

/// Two pointers: operands and results.
pub type Code = unsafe extern "C" fn(*const u32, *mut u32);

fn host(level: &str) -> OwnedTargetIsa {
    let mut flags = settings::builder();
    flags.set("opt_level", level).unwrap();
    flags.set("is_pic", "false").unwrap();
    cranelift_native::builder().unwrap().finish(settings::Flags::new(flags)).unwrap()
}

/// The host's targets: as it is, and without what its rounding and fused instructions give.
pub fn targets() -> Vec<Target> {
    let isa = host("none");
    let has = |name: &str| isa.isa_flags().iter().any(|f| f.name == name && f.as_bool() == Some(true));
    let arch = match isa.triple().architecture {
        target_lexicon::Architecture::X86_64 => Arch::X86_64,
        target_lexicon::Architecture::Aarch64(_) => Arch::Aarch64,
        target_lexicon::Architecture::S390x => Arch::S390x,
        _ => Arch::Riscv64,
    };
    let target = Target {
        arch,
        simd: arch != Arch::Riscv64 || has("has_v"),
        fma: arch != Arch::X86_64 || has("has_fma"),
        sse41: has("has_sse41"),
        call_conv: isa.default_call_conv(),
        frontend: isa.frontend_config(),
    };
    vec![target.clone(), Target { sse41: false, fma: false, ..target }]
}

/// Compiles functions into one module, which the caller must free after use.
pub fn jit(functions: Vec<clif::Function>, level: &str) -> (JITModule, Vec<Code>) {
    let mut module = JITModule::new(JITBuilder::with_isa(host(level), default_libcall_names()));
    let ids: Vec<_> = (functions.into_iter().enumerate())
        .map(|(i, function)| {
            let id = module.declare_function(&format!("f{i}"), Linkage::Local, &function.signature).unwrap();
            let mut context = module.make_context();
            context.func = function;
            module.define_function(id, &mut context).unwrap();
            id
        })
        .collect();
    module.finalize_definitions().unwrap();
    let code = ids.iter().map(|&id| {
        // SAFETY: the functions were built with exactly this signature and the default calling convention.
        unsafe { std::mem::transmute::<*const u8, Code>(module.get_finalized_function(id)) }
    });
    let code = code.collect();
    (module, code)
}

/// Combinations of edge values of the operands, all or a sample where there are many, and random bits.
fn combinations(case: &Case) -> Vec<Vec<u32>> {
    let counts: Vec<usize> = case.args.iter().map(|&k| edges(k).len()).collect();
    let total: usize = counts.iter().product();
    let step = total.div_ceil(2000) | 1;
    let mut state = 0x9e37_79b9_u32;
    let mut random = |kind: Kind| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // Numbers of all magnitudes.
        let bits = state.wrapping_mul(0x2545_f491) >> (state % 32);
        if kind == Kind::Bool { bits & 1 } else { bits }
    };
    let random: Vec<Vec<u32>> = (0..300).map(|_| case.args.iter().map(|&kind| random(kind)).collect()).collect();
    (0..total)
        .step_by(step)
        .map(|mut index| {
            (case.args.iter().zip(&counts))
                .map(|(&kind, count)| {
                    let value = edges(kind)[index % count];
                    index /= count;
                    value
                })
                .collect()
        })
        .chain(random)
        .collect()
}

fn same(kind: Kind, got: u32, want: u32) -> bool {
    got == want || kind == Kind::Float && f32::from_bits(got).is_nan() && f32::from_bits(want).is_nan()
}

/// Runs one function over operands, `lanes` at once; returns the number of results checked.
fn run(
    case: &Case,
    code: Code,
    lanes: usize,
    given: &[Given],
    operands: &[Vec<u32>],
    wrong: &mut Vec<String>,
) -> usize {
    // Four lanes take four neighbouring sets of operands, so that lanes differ; a repeated operand is the first one's.
    for set in operands.chunks(lanes) {
        let mut input = [0u32; 4 * SLOT as usize / 4];
        let lane_of = |lane: usize| &set[lane.min(set.len() - 1)];
        let operand = |arg: usize, lane: usize| match given[arg] {
            Given::Varying => lane_of(lane)[arg],
            Given::Repeated => set[0][arg],
            Given::Constant(value) => value,
        };
        for (arg, kind) in case.args.iter().enumerate() {
            for lane in 0..lanes {
                let value = operand(arg, lane);
                let as_mask = *kind == Kind::Bool && lanes > 1;
                input[arg * SLOT as usize / 4 + lane] = if as_mask { value.wrapping_neg() } else { value };
            }
        }
        let mut output = [0u32; 4];
        // SAFETY: the function reads as many slots as it has operands and writes one.
        unsafe { code(input.as_ptr(), output.as_mut_ptr()) };
        for (lane, &out) in output.iter().enumerate().take(lanes) {
            let args: Vec<u32> = (0..case.args.len()).map(|arg| operand(arg, lane)).collect();
            let got = match (case.result, lanes) {
                (Kind::Bool, 1) => out & 0xff,
                (Kind::Bool, _) => out.wrapping_neg(),
                _ => out,
            };
            let want = (case.reference)(&args);
            if !same(case.result, got, want) {
                wrong.push(format!("{} {args:x?} {given:?} x{lanes}: {got:#x}, not {want:#x}", case.name));
            }
        }
    }
    operands.len()
}

/// The ways in which operands are given, and lanes.
fn variants(case: &Case) -> Vec<(usize, Vec<Given>)> {
    let n = case.args.len();
    let mut last = vec![Given::Varying; n];
    last[n - 1] = Given::Repeated;
    let mut out = vec![(1, vec![Given::Varying; n]), (4, vec![Given::Varying; n]), (4, vec![Given::Repeated; n])];
    out.push((4, last.clone()));
    for &value in edges(case.args[n - 1]) {
        last[n - 1] = Given::Constant(value);
        out.extend([(1, last.clone()), (4, last.clone())]);
    }
    out
}

fn check(target: &Target, level: &str) -> (usize, Vec<String>) {
    let mut wrong = vec![];
    let mut checked = 0;
    for case in CASES.iter().copied().flatten().chain([&FMA[usize::from(target.fma)]]) {
        let variants: Vec<_> = variants(case).into_iter().filter(|(lanes, _)| *lanes == 1 || target.simd).collect();
        let functions = variants.iter().map(|(lanes, given)| build(case, *lanes as u32, 32, given, target)).collect();
        let (module, code) = jit(functions, level);
        let operands = combinations(case);
        for ((lanes, given), code) in variants.iter().zip(code) {
            checked += run(case, code, *lanes, given, &operands, &mut wrong);
        }
        // SAFETY: nothing holds a pointer into the module any more.
        unsafe { module.free_memory() };
    }
    (checked, wrong)
}

#[test]
fn every_primitive_computes_its_reference() {
    let mut total = 0;
    let mut wrong = vec![];
    for target in targets() {
        for level in ["none", "speed"] {
            let (checked, found) = check(&target, level);
            total += checked;
            wrong.extend(found);
        }
    }
    println!("{total} results");
    assert!(total > 100_000, "{total}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn lanes_move_where_they_should() {
    let targets = targets();
    let target = &targets[0];
    if !target.simd {
        return;
    }
    let input: [u32; 16] = std::array::from_fn(|i| i as u32);
    assert_eq!(shapes::SHAPES.len(), shapes::EXPECTED.len());
    for level in ["none", "speed"] {
        let functions = shapes::SHAPES.iter().map(|(_, shape)| shapes::build(*shape, target)).collect();
        let (module, code) = jit(functions, level);
        for (((name, _), expected), code) in shapes::SHAPES.iter().zip(shapes::EXPECTED).zip(code) {
            let mut output = [0u32; 16];
            // SAFETY: the function reads four chunks and writes at most four.
            unsafe { code(input.as_ptr(), output.as_mut_ptr()) };
            let got: Vec<i32> = output[..expected.len()].iter().map(|&lane| lane as i32).collect();
            assert_eq!(&got, expected, "{name} at {level}");
        }
        // SAFETY: nothing holds a pointer into the module any more.
        unsafe { module.free_memory() };
    }
    println!("{} lane movements", shapes::SHAPES.len());
}

/// A division by the same scalar in all lanes, or by a constant, keeps its vector shape where it can.
#[test]
fn constant_divisors_need_no_division() {
    let targets = targets();
    for case in CASES.iter().copied().flatten().filter(|c| ["udiv", "urem", "sdiv", "srem", "smod"].contains(&c.name)) {
        let divide = build(case, 4, 32, &[Given::Varying, Given::Constant(7)], &targets[0]).to_string();
        for scalar in [" udiv", " urem", " sdiv", " srem", "extractlane"] {
            assert!(!divide.contains(scalar), "{} by 7 has {scalar}:\n{divide}", case.name);
        }
    }
}
