//! Specialisation constants by id and by name, and every operation that `OpSpecConstantOp` has for 32-bit types and
//! booleans in shaders (SPIR-V specification, §3.49.7 "Constant-Creation Instructions").

use crate::support::trial;
use glslc2native::{Bindings, Compiler, Input, OptLevel};
use libtest_mimic::Trial;
use std::fmt::Write;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    vec![trial("spec/operations".into(), operations), trial("spec/sizes".into(), sizes)]
}

/// Operands: integers `a` and `b`, booleans `p` and `q`, a float `f`.
#[derive(Clone, Copy, Debug)]
struct Operands {
    a: u32,
    b: u32,
    p: bool,
    q: bool,
    f: f32,
}

/// A result.
#[derive(Clone, Copy)]
enum Of {
    Int(fn(Operands) -> u32),
    Bool(fn(Operands) -> bool),
    Float(fn(Operands) -> f32),
}

fn sdiv(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { (a as i32).wrapping_div(b as i32) as u32 }
}

fn srem(a: u32, b: u32) -> u32 {
    if b == 0 { 0 } else { (a as i32).wrapping_rem(b as i32) as u32 }
}

fn smod(a: u32, b: u32) -> u32 {
    let (a, b) = (i64::from(a as i32), i64::from(b as i32));
    if b == 0 { 0 } else { ((a % b + b) % b) as u32 }
}

/// Operations in assembly and what they give.
const OPERATIONS: &[(&str, Of)] = &[
    ("SNegate %a", Of::Int(|o| o.a.wrapping_neg())),
    ("Not %a", Of::Int(|o| !o.a)),
    ("IAdd %a %b", Of::Int(|o| o.a.wrapping_add(o.b))),
    ("ISub %a %b", Of::Int(|o| o.a.wrapping_sub(o.b))),
    ("IMul %a %b", Of::Int(|o| o.a.wrapping_mul(o.b))),
    ("UDiv %a %b", Of::Int(|o| o.a.checked_div(o.b).unwrap_or(o.a))),
    ("UMod %a %b", Of::Int(|o| o.a.checked_rem(o.b).unwrap_or(0))),
    ("SDiv %a %b", Of::Int(|o| sdiv(o.a, o.b))),
    ("SRem %a %b", Of::Int(|o| srem(o.a, o.b))),
    ("SMod %a %b", Of::Int(|o| smod(o.a, o.b))),
    ("ShiftRightLogical %a %b", Of::Int(|o| o.a >> (o.b & 31))),
    ("ShiftRightArithmetic %a %b", Of::Int(|o| (o.a as i32 >> (o.b & 31)) as u32)),
    ("ShiftLeftLogical %a %b", Of::Int(|o| o.a << (o.b & 31))),
    ("BitwiseOr %a %b", Of::Int(|o| o.a | o.b)),
    ("BitwiseXor %a %b", Of::Int(|o| o.a ^ o.b)),
    ("BitwiseAnd %a %b", Of::Int(|o| o.a & o.b)),
    ("Select %p %a %b", Of::Int(|o| if o.p { o.a } else { o.b })),
    ("CompositeExtract %ab 1", Of::Int(|o| o.b)),
    ("LogicalOr %p %q", Of::Bool(|o| o.p || o.q)),
    ("LogicalAnd %p %q", Of::Bool(|o| o.p && o.q)),
    ("LogicalNot %p", Of::Bool(|o| !o.p)),
    ("LogicalEqual %p %q", Of::Bool(|o| o.p == o.q)),
    ("LogicalNotEqual %p %q", Of::Bool(|o| o.p != o.q)),
    ("IEqual %a %b", Of::Bool(|o| o.a == o.b)),
    ("INotEqual %a %b", Of::Bool(|o| o.a != o.b)),
    ("ULessThan %a %b", Of::Bool(|o| o.a < o.b)),
    ("SLessThan %a %b", Of::Bool(|o| (o.a as i32) < o.b as i32)),
    ("UGreaterThan %a %b", Of::Bool(|o| o.a > o.b)),
    ("SGreaterThan %a %b", Of::Bool(|o| o.a as i32 > o.b as i32)),
    ("ULessThanEqual %a %b", Of::Bool(|o| o.a <= o.b)),
    ("SLessThanEqual %a %b", Of::Bool(|o| o.a as i32 <= o.b as i32)),
    ("UGreaterThanEqual %a %b", Of::Bool(|o| o.a >= o.b)),
    ("SGreaterThanEqual %a %b", Of::Bool(|o| o.a as i32 >= o.b as i32)),
    ("QuantizeToF16 %f", Of::Float(|o| quantized(o.f))),
];

fn quantized(f: f32) -> f32 {
    let half = half::f16::from_f32(f);
    if half.is_normal() || half.is_infinite() || half.is_nan() { half.to_f32() } else { 0f32.copysign(f) }
}

/// Operations on vectors of two: the assembly, and the operation on operands in reverse order for the second component.
const VECTORS: &[&str] = &["IAdd", "ISub", "SDiv", "UMod", "ShiftRightArithmetic", "BitwiseXor", "ULessThan", "IEqual"];

fn word(of: Of, operands: Operands) -> u32 {
    match of {
        Of::Int(f) => f(operands),
        Of::Bool(f) => f(operands).into(),
        Of::Float(f) => f(operands).to_bits(),
    }
}

/// What a result is, by the operands.
type Expected = Box<dyn Fn(Operands) -> u32>;

/// A module that stores every result, and what it has to store.
fn module() -> (String, Vec<Expected>) {
    let (mut constants, mut code) = (String::new(), String::new());
    let mut expected: Vec<Expected> = vec![];
    // Writing to a String cannot fail.
    let mut store = |constants: &mut String, value: &str, ty: &str, expect: Expected| {
        let i = expected.len();
        let _ = writeln!(constants, "%i{i} = OpConstant %uint {i}");
        let _ = writeln!(code, "%p{i} = OpAccessChain %ptr %o %i0 %i{i}");
        let _ = match ty {
            "%bool" => writeln!(code, "%w{i} = OpSelect %uint {value} %i1 %i0"),
            "%float" => writeln!(code, "%w{i} = OpBitcast %uint {value}"),
            _ => writeln!(code, "%w{i} = OpCopyObject %uint {value}"),
        };
        let _ = writeln!(code, "OpStore %p{i} %w{i}");
        expected.push(expect);
    };
    for (i, &(text, of)) in OPERATIONS.iter().enumerate() {
        let ty = match of {
            Of::Int(_) => "%uint",
            Of::Bool(_) => "%bool",
            Of::Float(_) => "%float",
        };
        let _ = writeln!(constants, "%r{i} = OpSpecConstantOp {ty} {text}");
        store(&mut constants, &format!("%r{i}"), ty, Box::new(move |o| word(of, o)));
    }
    for name in VECTORS {
        let Some(&(_, of)) = OPERATIONS.iter().find(|(text, _)| text.split(' ').next() == Some(name)) else { continue };
        let (ty, vector) = if matches!(of, Of::Bool(_)) { ("%bool", "%bool2") } else { ("%uint", "%uint2") };
        let _ = writeln!(constants, "%v{name} = OpSpecConstantOp {vector} {name} %ab %ba");
        for component in 0..2 {
            let _ = writeln!(
                constants,
                "%v{name}{component} = OpSpecConstantOp {ty} CompositeExtract %v{name} {component}"
            );
            let swap = move |o: Operands| if component == 0 { o } else { Operands { a: o.b, b: o.a, ..o } };
            store(&mut constants, &format!("%v{name}{component}"), ty, Box::new(move |o| word(of, swap(o))));
        }
    }
    constants += "%shuffled = OpSpecConstantOp %uint2 VectorShuffle %ab %ab 3 0\n";
    constants += "%inserted = OpSpecConstantOp %uint2 CompositeInsert %a %ab 1\n";
    type Take = (&'static str, u32, fn(Operands) -> u32);
    let takes: [Take; 4] =
        [("%shuffled", 0, |o| o.b), ("%shuffled", 1, |o| o.a), ("%inserted", 0, |o| o.a), ("%inserted", 1, |o| o.a)];
    for (from, component, of) in takes {
        let _ = writeln!(constants, "{from}{component} = OpSpecConstantOp %uint CompositeExtract {from} {component}");
        store(&mut constants, &format!("{from}{component}"), "%uint", Box::new(of));
    }
    let text = format!(
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\" %o
         OpExecutionMode %main LocalSize 1 1 1
         OpName %a \"a\"
         OpName %b \"b\"
         OpName %p \"p\"
         OpName %q \"q\"
         OpName %f \"f\"
         OpDecorate %a SpecId 10
         OpDecorate %b SpecId 11
         OpDecorate %p SpecId 12
         OpDecorate %q SpecId 13
         OpDecorate %f SpecId 14
         OpDecorate %words ArrayStride 4
         OpDecorate %block Block
         OpMemberDecorate %block 0 Offset 0
         OpDecorate %o DescriptorSet 0
         OpDecorate %o Binding 0
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %bool = OpTypeBool
         %bool2 = OpTypeVector %bool 2
         %uint = OpTypeInt 32 0
         %uint2 = OpTypeVector %uint 2
         %float = OpTypeFloat 32
         %words = OpTypeRuntimeArray %uint
         %block = OpTypeStruct %words
         %block_ptr = OpTypePointer StorageBuffer %block
         %ptr = OpTypePointer StorageBuffer %uint
         %o = OpVariable %block_ptr StorageBuffer
         %a = OpSpecConstant %uint 7
         %b = OpSpecConstant %uint 4294967293
         %p = OpSpecConstantTrue %bool
         %q = OpSpecConstantFalse %bool
         %f = OpSpecConstant %float 0.1
         %ab = OpSpecConstantComposite %uint2 %a %b
         %ba = OpSpecConstantComposite %uint2 %b %a
         {constants}
         %main = OpFunction %void None %fn
         %entry = OpLabel
         {code}
         OpReturn
         OpFunctionEnd"
    );
    (text, expected)
}

/// Every operation on many operands, chosen by id and by name, and on the defaults.
fn operations() -> Result<usize, String> {
    const INTS: [u32; 9] = [0, 1, 7, 31, 33, 0x7fff_ffff, 0x8000_0000, 0xffff_fffd, 0xffff_ffff];
    const FLOATS: [f32; 9] = [1.0, -0.1, 65504.0, 65519.9, 65520.0, -6.1e-5, 6.1035e-5, 6.1020e-5, f32::NEG_INFINITY];
    let (source, expected) = module();
    let input = Input::Assembly { source, file_name: "spec.spvasm".into() };
    let compiler = Compiler::new().opt(OptLevel::None).validate(true);
    let check = |compiler: Compiler, operands: Operands| {
        let kernel = compiler.compile(&input).map_err(|error| error.to_string())?;
        let mut words = vec![0u32; expected.len()];
        kernel.dispatch(Bindings::new().bind(0, 0, &mut words), [1; 3]).map_err(|error| error.to_string())?;
        for (i, (is, expect)) in words.iter().zip(&expected).enumerate() {
            if *is != expect(operands) {
                let what = OPERATIONS.get(i).map_or("a vector", |(text, _)| text);
                return Err(format!("result {i}, {what}: {operands:?} give {is:#x}, not {:#x}", expect(operands)));
            }
        }
        Ok(words.len())
    };
    let mut count = check(compiler.clone(), Operands { a: 7, b: 0xffff_fffd, p: true, q: false, f: 0.1 })?;
    for (i, &a) in INTS.iter().enumerate() {
        for (j, &b) in INTS.iter().enumerate() {
            let o = Operands { a, b, p: i % 2 == 0, q: j % 2 == 0, f: FLOATS[(i + j) % FLOATS.len()] };
            let c = compiler.clone();
            let chosen = match (i + j) % 2 {
                0 => c.spec_constant(10, a).spec_constant(11, b).spec_constant(12, o.p).spec_constant(13, o.q),
                _ => {
                    let named = c.spec_constant_named("a", a).spec_constant_named("b", b);
                    named.spec_constant_named("p", o.p).spec_constant_named("q", o.q)
                }
            };
            count += check(chosen.spec_constant_named("f", o.f), o)?;
        }
    }
    Ok(count)
}

/// The workgroup's size, the lengths of local and shared arrays and a loop's bound by constants and operations on them.
fn sizes() -> Result<usize, String> {
    let source = "#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int K = 3;
layout(constant_id = 5) const bool TWICE = false;
const int N = int(gl_WorkGroupSize.x) * K + (TWICE ? 2 : 1);
shared uint turned[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
layout(std430, binding = 0) buffer O { uint o[]; };
void main() {
    uint l = gl_LocalInvocationIndex, n = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    turned[n - 1u - l] = l;
    barrier();
    uint local[N];
    for (int i = 0; i < N; i++) local[i] = uint(i) * 3u;
    o[gl_WorkGroupID.x * n + l] = turned[l] + 1000u * local[(l + 1u) % uint(N)] + 1000000u * uint(local.length());
}
";
    let input = Input::Glsl { source: source.into(), file_name: "sizes.comp".into() };
    let mut count = 0;
    for (x, y, k, twice) in [(1u32, 1u32, 3i32, false), (4, 2, 5, true), (7, 3, 1, false), (32, 1, 0, true)] {
        for opt in [OptLevel::None, OptLevel::Speed] {
            let compiler = Compiler::new().opt(opt).spec_constant(0, x).spec_constant(1, y);
            let compiler = compiler.spec_constant_named("K", k).spec_constant_named("TWICE", twice);
            let kernel = compiler.compile(&input).map_err(|error| error.to_string())?;
            if kernel.interface().local_size != [x, y, 1] {
                return Err(format!("a workgroup of {:?}, not {x} x {y}", kernel.interface().local_size));
            }
            let n = x * y;
            let mut words = vec![0u32; 2 * n as usize];
            kernel.dispatch(Bindings::new().bind(0, 0, &mut words), [2, 1, 1]).map_err(|error| error.to_string())?;
            let length = (x as i32 * k) as u32 + if twice { 2 } else { 1 };
            let expected = (0..2 * n).map(|i| {
                let l = i % n;
                n - 1 - l + 1000 * ((l + 1) % length * 3) + 1_000_000 * length
            });
            if !expected.eq(words.iter().copied()) {
                return Err(format!("{x} x {y}, K = {k}, TWICE = {twice}: {words:?}"));
            }
            count += words.len();
        }
    }
    Ok(count)
}
