//! Everything compiles for every target.

use super::shapes;
use super::table::CASES;
use super::{Case, Given, Kind, MACHINES, Machine, build};
use crate::options::Arch;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::{Context, ir as clif, isa::TargetIsa};

/// Compiles; the error as text. A call of a library function is one: nothing that a kernel executes leaves it.
pub fn compile(function: clif::Function, isa: &dyn TargetIsa) -> Result<(), String> {
    let mut context = Context::for_function(function);
    let compiled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let code = context.compile(isa, &mut ControlPlane::default()).map_err(|e| format!("{:?}", e.inner))?;
        let called = code.buffer.relocs().iter().map(|r| format!("calls {:?}", r.target)).next();
        called.map_or(Ok(()), Err)
    }));
    compiled.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or(panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default())
    })
}

/// Varying, then with the last operands repeated, then with them constant.
fn given(case: &Case) -> Vec<Vec<Given>> {
    let n = case.args.len();
    let constant = |kind: &Kind| Given::Constant(if *kind == Kind::Float { 0x40e0_0000 } else { 1 });
    let mut constants: Vec<Given> = case.args.iter().map(constant).collect();
    constants[0] = Given::Varying;
    let mut last = vec![Given::Varying; n];
    last[n - 1] = Given::Repeated;
    vec![vec![Given::Varying; n], vec![Given::Repeated; n], last, constants]
}

fn check(machine: &Machine) -> (usize, Vec<String>) {
    let target = machine.target();
    let mut wrong = vec![];
    let mut checked = 0;
    for level in ["none", "speed"] {
        let isa = machine.isa(level);
        let mut check = |name: &str, function: clif::Function| {
            checked += 1;
            if let Err(error) = compile(function, &*isa) {
                let first = error.lines().next().unwrap_or_default().to_string();
                wrong.push(format!("{}, {level}: {name}: {first}", machine.name));
            }
        };
        for case in CASES.iter().copied().flatten() {
            for given in given(case) {
                check(case.name, build(case, 1, 32, &given, &target));
                check(case.name, build(case, 1, 64, &given, &target));
                if machine.simd {
                    check(case.name, build(case, 4, 32, &given, &target));
                    check(case.name, build(case, 2, 64, &given, &target));
                }
            }
        }
        if machine.simd {
            for (name, shape) in shapes::SHAPES {
                check(name, shapes::build(*shape, &target));
            }
        }
    }
    (checked, wrong)
}

#[test]
fn every_primitive_compiles_for_every_target() {
    let results: Vec<_> = MACHINES.iter().map(check).collect();
    let checked: usize = results.iter().map(|(n, _)| n).sum();
    let wrong: Vec<String> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    println!("{checked} functions for {} targets", MACHINES.len());
    assert!(checked > 5000, "{checked}");
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Forms that Cranelift recognises stay recognised.
#[test]
fn idioms_become_single_instructions() {
    const EXPECTED: &[(&str, &str)] = &[
        ("fmin", "minps"),
        ("fmax", "maxps"),
        ("step", "blendv"),
        ("select less float", "blendv"),
        ("smin", "pminsd"),
        ("umax", "pmaxud"),
        ("imul", "pmulld"),
        ("umulhi", "pmuludq"),
        ("smulhi", "pmuldq"),
        ("sdiv", "divpd"),
        ("floor", "roundps"),
        ("sqrt", "sqrtps"),
        ("fcvt_from_sint", "cvtdq2ps"),
    ];
    for machine in MACHINES.iter().filter(|m| m.arch == Arch::X86_64) {
        let (isa, target) = (machine.isa("speed"), machine.target());
        for (name, instruction) in EXPECTED {
            let case = CASES.iter().copied().flatten().find(|c| c.name == *name).unwrap();
            let function = build(case, 4, 32, &vec![Given::Varying; case.args.len()], &target);
            let mut context = Context::for_function(function);
            context.set_disasm(true);
            let code = context.compile(&*isa, &mut ControlPlane::default()).unwrap();
            let text = code.vcode.as_deref().unwrap_or_default();
            assert!(text.contains(instruction), "{name} on {}: no {instruction} in\n{text}", machine.name);
        }
    }
    println!("{} idioms", EXPECTED.len());
}
