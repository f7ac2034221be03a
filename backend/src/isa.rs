//! Which instruction set: the host's with all its features, or another target by triple and CPU.
//!
//! In: a target triple, a CPU name, an optimisation level. Out: [`Isa`], configured Cranelift backends together with the
//! [`Target`] that lowering reads.

use crate::{Error, Result};
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use glslc2native_lowering::{Arch, OptLevel, Target};
use std::str::FromStr;
use target_lexicon::{Architecture, BinaryFormat, Environment, OperatingSystem, Triple};

/// Functions with more blocks than this are compiled by the single-pass register allocator, whose time stays linear.
const LARGE_BLOCKS: usize = 2000;
/// The same for instructions.
const LARGE_INSTS: usize = 60_000;

/// How an [`Isa`] generates code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IsaOptions {
    /// Optimisation level.
    pub opt: OptLevel,
    /// Run Cranelift's verifier on every function (slow; for tests of the lowering).
    pub verify: bool,
}

/// A target that code can be made for.
#[derive(Clone)]
pub struct Isa {
    regular: OwnedTargetIsa,
    /// The same target with the single-pass register allocator, for very large functions.
    large: OwnedTargetIsa,
    target: Target,
    host: bool,
}

/// Names for RISC-V, which Cranelift configures extension by extension: name, what to enable.
const RISCV_CPUS: &[(&str, &[&str])] =
    &[("rv64g", &[]), ("rv64gc", &["has_c"]), ("rv64gcv", &["has_c", "has_v", "zvl128b"])];

/// x86-64 CPU that is used when none is named.
const DEFAULT_X86_CPU: &str = "x86-64-v2";
/// RISC-V CPU that is used when none is named.
const DEFAULT_RISCV_CPU: &str = "rv64gc";

impl Isa {
    /// This machine, with all features that it has.
    pub fn host(options: IsaOptions) -> Result<Isa> {
        let builder = cranelift_native::builder()
            .map_err(|what| Error::Target(format!("this machine cannot be used: {what}")))?;
        Isa::finish(&builder, options, true)
    }

    /// This machine's architecture, as [`for_target`](Self::for_target) takes it.
    pub fn host_architecture() -> String {
        Triple::host().architecture.to_string()
    }

    /// A target by triple (`x86_64`, `aarch64-unknown-linux-gnu` …) and CPU.
    ///
    /// CPUs are `x86-64-v2` (the default), `x86-64-v3`, `x86-64-v4` and microarchitectures (`haswell`, `znver3` …) for
    /// x86-64; `rv64gc` (the default) and `rv64gcv` for RISC-V; `z15` … for s390x; `native` for the host's architecture.
    pub fn for_target(triple: &str, cpu: Option<&str>, options: IsaOptions) -> Result<Isa> {
        let triple = Triple::from_str(triple).map_err(|e| {
            Error::Target(format!("unknown target `{triple}`: {e}; try x86_64, aarch64, riscv64 or s390x"))
        })?;
        let triple = complete(triple);
        let architecture = triple.architecture;
        let mut builder =
            isa::lookup(triple).map_err(|e| Error::Target(format!("no code can be made for {architecture}: {e}")))?;
        match (architecture, cpu) {
            (_, Some("native")) => {
                if architecture != Triple::host().architecture {
                    return Err(Error::Target(format!("CPU `native` is not of architecture {architecture}")));
                }
                cranelift_native::infer_native_flags(&mut builder)
                    .map_err(|what| Error::Target(format!("this machine cannot be used: {what}")))?;
            }
            (Architecture::X86_64, cpu) => enable_x86(&mut builder, cpu.unwrap_or(DEFAULT_X86_CPU))?,
            (Architecture::Riscv64(_), cpu) => enable_riscv(&mut builder, cpu.unwrap_or(DEFAULT_RISCV_CPU))?,
            (_, Some(cpu)) if cpu != "generic" => enable(&mut builder, cpu, cpu)?,
            _ => {}
        }
        let isa = Isa::finish(&builder, options, false)?;
        if !isa.target.sse41 {
            let cpu = cpu.unwrap_or_default();
            return Err(Error::Target(format!("CPU `{cpu}` has no SSE4.1, which objects need; use {DEFAULT_X86_CPU}")));
        }
        Ok(isa)
    }

    fn finish(builder: &isa::Builder, options: IsaOptions, host: bool) -> Result<Isa> {
        let backtracking = options.opt == OptLevel::Speed;
        let regular = finish(builder, options, backtracking)?;
        let large = if backtracking { finish(builder, options, false)? } else { regular.clone() };
        let target = target_of(&*regular)?;
        Ok(Isa { regular, large, target, host })
    }

    /// What lowering has to know.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Code for this target runs on this machine: it was made by [`Isa::host`].
    pub fn is_host(&self) -> bool {
        self.host
    }

    /// The target triple.
    pub fn triple(&self) -> &Triple {
        self.regular.triple()
    }

    /// Cranelift's view of the target.
    pub fn cranelift(&self) -> &OwnedTargetIsa {
        &self.regular
    }

    /// The backend to compile `function` with.
    pub(crate) fn for_function(&self, function: &cranelift_codegen::ir::Function) -> &dyn TargetIsa {
        if function.dfg.num_blocks() > LARGE_BLOCKS || function.dfg.num_insts() > LARGE_INSTS {
            &*self.large
        } else {
            &*self.regular
        }
    }
}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Isa").field("triple", self.triple()).field("host", &self.host).finish_non_exhaustive()
    }
}

/// An architecture by itself means Linux.
fn complete(mut triple: Triple) -> Triple {
    if triple.operating_system == OperatingSystem::Unknown && triple.binary_format == BinaryFormat::Unknown {
        triple.operating_system = OperatingSystem::Linux;
        triple.environment = Environment::Gnu;
        triple.binary_format = BinaryFormat::Elf;
    }
    triple
}

fn enable(builder: &mut isa::Builder, flag: &str, cpu: &str) -> Result<()> {
    builder.enable(flag).map_err(|e| Error::Target(format!("unknown CPU `{cpu}`: {e}")))
}

fn enable_x86(builder: &mut isa::Builder, cpu: &str) -> Result<()> {
    // Cranelift leaves the number off the lowest level.
    let preset = if cpu == "x86-64-v1" { "x86-64" } else { cpu };
    enable(builder, preset, cpu)?;
    if cpu == "x86-64-v3" || cpu == "x86-64-v4" {
        // The preset leaves out AVX itself, which its AVX2 and FMA stand on.
        enable(builder, "has_avx", cpu)?;
    }
    Ok(())
}

fn enable_riscv(builder: &mut isa::Builder, cpu: &str) -> Result<()> {
    let Some((_, flags)) = RISCV_CPUS.iter().find(|(name, _)| *name == cpu) else {
        let names: Vec<_> = RISCV_CPUS.iter().map(|(name, _)| *name).collect();
        return Err(Error::Target(format!("unknown CPU `{cpu}`; there are {}", names.join(", "))));
    };
    flags.iter().try_for_each(|flag| enable(builder, flag, cpu))
}

/// Settings that all targets share, as name and value.
fn shared_flags(options: IsaOptions, backtracking: bool) -> [(&'static str, &'static str); 9] {
    [
        ("opt_level", if options.opt == OptLevel::Speed { "speed" } else { "none" }),
        ("regalloc_algorithm", if backtracking { "backtracking" } else { "single_pass" }),
        ("enable_alias_analysis", "true"),
        ("enable_verifier", if options.verify { "true" } else { "false" }),
        ("is_pic", "false"),
        // Without probes a frame larger than the guard page is a bare subtraction: a stack overflow that nobody sees.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        // Nothing unwinds through a kernel.
        ("unwind_info", "false"),
        ("use_colocated_libcalls", "false"),
    ]
}

fn finish(builder: &isa::Builder, options: IsaOptions, backtracking: bool) -> Result<OwnedTargetIsa> {
    let mut flags = settings::builder();
    for (name, value) in shared_flags(options, backtracking) {
        flags.set(name, value).map_err(|e| Error::Internal(format!("Cranelift setting {name}={value}: {e}")))?;
    }
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|e| Error::Target(format!("no code can be made for this target: {e}")))
}

/// Derives what lowering has to know.
fn target_of(isa: &dyn TargetIsa) -> Result<Target> {
    let arch = match isa.triple().architecture {
        Architecture::X86_64 => Arch::X86_64,
        Architecture::Aarch64(_) => Arch::Aarch64,
        Architecture::Riscv64(_) => Arch::Riscv64,
        Architecture::S390x => Arch::S390x,
        other => return Err(Error::Target(format!("no kernels can be made for {other}"))),
    };
    let flags = isa.isa_flags();
    let has = |name: &str| flags.iter().any(|f| f.name == name && f.as_bool() == Some(true));
    Ok(Target {
        arch,
        simd: arch != Arch::Riscv64 || has("has_v"),
        fma: arch != Arch::X86_64 || has("has_fma"),
        sse41: arch != Arch::X86_64 || has("has_sse41"),
        call_conv: isa.default_call_conv(),
        frontend: isa.frontend_config(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isa(triple: &str, cpu: Option<&str>) -> Result<Isa> {
        Isa::for_target(triple, cpu, IsaOptions::default())
    }

    #[test]
    fn targets_describe_themselves() -> Result<()> {
        let cases = [
            ("x86_64", None, Arch::X86_64, true, false),
            ("x86_64-unknown-linux-gnu", Some("x86-64-v3"), Arch::X86_64, true, true),
            ("x86_64", Some("x86-64-v4"), Arch::X86_64, true, true),
            ("x86_64", Some("znver3"), Arch::X86_64, true, true),
            ("aarch64", None, Arch::Aarch64, true, true),
            ("riscv64", None, Arch::Riscv64, false, true),
            ("riscv64gc-unknown-linux-gnu", Some("rv64gcv"), Arch::Riscv64, true, true),
            ("s390x", Some("z15"), Arch::S390x, true, true),
        ];
        for (triple, cpu, arch, simd, fma) in cases {
            let target = isa(triple, cpu)?.target().clone();
            assert_eq!(
                (target.arch, target.simd, target.fma, target.sse41),
                (arch, simd, fma, true),
                "{triple} {cpu:?}"
            );
        }
        println!("checked {} targets", cases.len());
        Ok(())
    }

    #[test]
    fn impossible_targets_are_refused_with_a_hint() {
        let cases = [
            ("x86_64", Some("x86-64"), "use x86-64-v2"),
            ("x86_64", Some("x86-64-v1"), "use x86-64-v2"),
            ("x86_64", Some("nocona"), "use x86-64-v2"),
            ("x86_64", Some("pentium"), "unknown CPU `pentium`"),
            ("riscv64", Some("rv32"), "rv64gcv"),
            ("aarch64", Some("m7"), "unknown CPU `m7`"),
            ("wasm32", None, "no code can be made for wasm32"),
            ("no such thing", None, "try x86_64"),
        ];
        for (triple, cpu, part) in cases {
            let error = isa(triple, cpu).expect_err(triple).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn host_is_host() -> Result<()> {
        for opt in [OptLevel::None, OptLevel::Speed] {
            assert!(Isa::host(IsaOptions { opt, verify: true })?.is_host());
        }
        assert!(!isa("x86_64", None)?.is_host());
        Ok(())
    }
}
