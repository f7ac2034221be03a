//! Every emission primitive, in every shape: compiles for every target, and computes what Rust computes.
//!
//! [`table`] lists the primitives with their references; [`targets`] compiles them all for all targets; [`values`] runs
//! them over edge values on this machine, scalar and vector, operands varying, repeated and constant.

mod half;
mod shapes;
mod table;
pub mod targets;
pub mod values;

use super::Legal;
use crate::options::{Arch, Target};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, MemFlagsData, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

/// What an operand or a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 32-bit integer.
    Int,
    /// 32-bit float.
    Float,
    /// Boolean.
    Bool,
}

/// How an operand is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Loaded, lane by lane different.
    Varying,
    /// One loaded scalar in all lanes.
    Repeated,
    /// A constant, by its bits.
    Constant(u32),
}

/// An emission primitive.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Operands.
    pub args: &'static [Kind],
    /// Result.
    pub result: Kind,
    /// The primitive.
    pub emit: fn(&mut Legal<'_>, &[clif::Value]) -> clif::Value,
    /// What it computes, on the bits of one lane (booleans 0 and 1).
    pub reference: fn(&[u32]) -> u32,
}

impl Kind {
    /// The CLIF type, with `lanes` lanes of `bits` bits.
    pub fn ty(self, lanes: u32, bits: u16) -> clif::Type {
        let lane = match (self, bits) {
            (Kind::Bool, _) if lanes == 1 => types::I8,
            (Kind::Float, 64) => types::F64,
            (Kind::Float, _) => types::F32,
            (_, 64) => types::I64,
            (..) => types::I32,
        };
        lane.by(lanes).unwrap()
    }
}

/// Bytes from one operand to the next.
pub const SLOT: i32 = 16;

/// Builds `f(operands, result)` that applies a case to operands in memory, [`SLOT`] bytes apart.
pub fn build(case: &Case, lanes: u32, bits: u16, given: &[Given], target: &Target) -> clif::Function {
    let pointer = types::I64;
    build_with(target, pointer, |l, inputs, output| {
        let args: Vec<clif::Value> = (case.args.iter().zip(given).enumerate())
            .map(|(i, (kind, given))| load(l, *kind, *given, lanes, bits, inputs, i as i32 * SLOT))
            .collect();
        let result = (case.emit)(l, &args);
        assert_eq!(l.ty(result), case.result.ty(lanes, bits), "{}: type of the result", case.name);
        l.ins().store(little(), result, output, 0);
    })
}

/// Builds a function of two pointers.
pub fn build_with(
    target: &Target,
    pointer: clif::Type,
    body: impl FnOnce(&mut Legal<'_>, clif::Value, clif::Value),
) -> clif::Function {
    let mut function = clif::Function::new();
    function.signature = clif::Signature::new(target.call_conv);
    function.signature.params.extend([AbiParam::new(pointer); 2]);
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut function, &mut context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let (inputs, output) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
    let mut legal = Legal::new(builder, target);
    body(&mut legal, inputs, output);
    legal.ins().return_(&[]);
    legal.builder.finalize(target.frontend);
    function
}

/// Flags of memory accesses.
pub fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(clif::Endianness::Little)
}

fn load(
    l: &mut Legal<'_>,
    kind: Kind,
    given: Given,
    lanes: u32,
    bits: u16,
    inputs: clif::Value,
    offset: i32,
) -> clif::Value {
    let ty = kind.ty(lanes, bits);
    match given {
        Given::Varying => l.ins().load(ty, little(), inputs, offset),
        Given::Repeated => {
            let scalar = l.ins().load(ty.lane_type(), little(), inputs, offset);
            if ty.is_vector() { l.ins().splat(ty, scalar) } else { scalar }
        }
        Given::Constant(value) => match kind {
            Kind::Bool if ty.is_vector() => l.int(ty, -i64::from(value)),
            _ => l.lane_bits(ty, u64::from(value)),
        },
    }
}

/// A target: name for messages, triple, settings, description.
pub struct Machine {
    /// Name.
    pub name: &'static str,
    /// Triple.
    pub triple: &'static str,
    /// Settings that are on.
    pub enable: &'static [&'static str],
    /// Architecture.
    pub arch: Arch,
    /// Vectors.
    pub simd: bool,
    /// Fused multiply-add.
    pub fma: bool,
}

/// Every kind of target.
pub const MACHINES: &[Machine] = &[
    Machine {
        name: "x86-64-v2",
        triple: "x86_64-unknown-linux",
        enable: &["x86-64-v2"],
        arch: Arch::X86_64,
        simd: true,
        fma: false,
    },
    Machine {
        name: "x86-64-v3",
        triple: "x86_64-unknown-linux",
        // The preset leaves out AVX itself, which its FMA needs.
        enable: &["x86-64-v3", "has_avx"],
        arch: Arch::X86_64,
        simd: true,
        fma: true,
    },
    Machine {
        name: "aarch64",
        triple: "aarch64-unknown-linux",
        enable: &[],
        arch: Arch::Aarch64,
        simd: true,
        fma: true,
    },
    Machine { name: "s390x", triple: "s390x-unknown-linux", enable: &[], arch: Arch::S390x, simd: true, fma: true },
    Machine {
        name: "s390x z15",
        triple: "s390x-unknown-linux",
        enable: &["has_vxrs_ext2", "has_mie3"],
        arch: Arch::S390x,
        simd: true,
        fma: true,
    },
    Machine {
        name: "riscv64",
        triple: "riscv64gc-unknown-linux",
        enable: &[],
        arch: Arch::Riscv64,
        simd: false,
        fma: true,
    },
    Machine {
        name: "riscv64 v",
        triple: "riscv64gc-unknown-linux",
        enable: &["has_v"],
        arch: Arch::Riscv64,
        simd: true,
        fma: true,
    },
];

impl Machine {
    /// Cranelift's description at an optimisation level.
    pub fn isa(&self, level: &str) -> OwnedTargetIsa {
        let mut flags = settings::builder();
        flags.set("opt_level", level).unwrap();
        flags.set("enable_verifier", "true").unwrap();
        let mut isa = cranelift_codegen::isa::lookup_by_name(self.triple).unwrap();
        for setting in self.enable {
            isa.enable(setting).unwrap();
        }
        isa.finish(settings::Flags::new(flags)).unwrap()
    }

    /// Ours.
    pub fn target(&self) -> Target {
        let isa = self.isa("none");
        Target {
            arch: self.arch,
            simd: self.simd,
            fma: self.fma,
            sse41: self.arch == Arch::X86_64,
            call_conv: isa.default_call_conv(),
            frontend: isa.frontend_config(),
        }
    }
}
