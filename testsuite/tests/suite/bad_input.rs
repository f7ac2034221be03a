//! Bad input gives a clear error or the right result, and never a panic.

use crate::support::{Setup, trial};
use glslc2native::{Bindings, Compiler, DispatchOptions, ErrorKind, Input, Kernel, OptLevel};
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use libtest_mimic::Trial;
use std::panic::{AssertUnwindSafe, catch_unwind};

const SAXPY: &str = include_str!("../../kernels/saxpy.comp");
const MANDELBROT: &str = include_str!("../../kernels/mandelbrot.comp");

/// Every trial.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("bad-input/every-prefix".into(), every_prefix),
        trial("bad-input/changed-words".into(), changed_words),
        trial("bad-input/wrong-magic".into(), wrong_magic),
        trial("bad-input/glsl-errors".into(), glsl_errors),
        trial("bad-input/recursion".into(), recursion),
        trial("bad-input/options".into(), options),
        trial("bad-input/missing-buffer".into(), missing_buffer),
        trial("bad-input/small-buffer".into(), small_buffer),
        trial("bad-input/read-only-buffer".into(), read_only_buffer),
        trial("bad-input/unused-resources".into(), unused_resources),
        trial("bad-input/push-constants".into(), push_constants),
        trial("bad-input/zero-groups".into(), zero_groups),
        trial("bad-input/large-dispatch".into(), large_dispatch),
        trial("bad-input/many-threads".into(), many_threads),
        trial("bad-input/large-frame".into(), large_frame),
    ]
}

fn words(source: &str) -> Result<Vec<u32>, String> {
    match matrix::spirv(source, "bad", false)? {
        Input::Spirv(words) => Ok(words),
        _ => Err("no SPIR-V".into()),
    }
}

fn saxpy() -> Result<Kernel, String> {
    Compiler::new().compile_spirv(&words(SAXPY)?).map_err(|error| error.to_string())
}

/// An error of a kind whose message holds all parts.
fn expect_error<T>(what: &str, result: glslc2native::Result<T>, kind: ErrorKind, parts: &[&str]) -> Result<(), String> {
    let Err(error) = result else { return Err(format!("{what}: no error")) };
    let message = error.to_string();
    match parts.iter().find(|part| !message.contains(*part)) {
        _ if error.kind() != kind => {
            Err(format!("{what}: a {:?} where a {kind:?} was expected: {message}", error.kind()))
        }
        Some(part) => Err(format!("{what}: `{part}` is missing in: {message}")),
        None => Ok(()),
    }
}

/// A prefix of a module is either an error or, where only names are cut off, a module. No prefix panics.
fn every_prefix() -> Result<usize, String> {
    let compiler = Compiler::new().opt(OptLevel::None);
    let mut count = 0;
    for source in [SAXPY, MANDELBROT] {
        let words = words(source)?;
        for length in 0..words.len() {
            let Err(error) = compiler.compile_spirv(&words[..length]) else {
                return Err(format!("the first {length} of {} words compile", words.len()));
            };
            if error.kind() == ErrorKind::Internal || error.to_string().len() < 10 {
                return Err(format!("the first {length} words: {error}"));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Single words changed: whatever comes of it, it is no panic and no fault of the compiler's own. What compiles is not run.
fn changed_words() -> Result<usize, String> {
    let compiler = Compiler::new().opt(OptLevel::None);
    let mut rng = Rng::new(5);
    let mut count = 0;
    let mut faults = vec![];
    for source in [SAXPY, MANDELBROT] {
        let words = words(source)?;
        for at in 0..words.len() {
            for value in [0, words[at] ^ 1, words[at].wrapping_add(1), rng.u32() & 0xFF, 0xFFFF_FFFF] {
                let mut changed = words.clone();
                changed[at] = value;
                let fault = match catch_unwind(AssertUnwindSafe(|| compiler.compile_spirv(&changed))) {
                    Err(_) => "a panic".into(),
                    Ok(Err(error)) if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Codegen) => {
                        error.to_string()
                    }
                    Ok(_) => String::new(),
                };
                if !fault.is_empty() {
                    faults.push(format!("word {at} = {value:#x} (was {:#x}): {fault}", words[at]));
                }
                count += 1;
            }
        }
    }
    if faults.is_empty() { Ok(count) } else { Err(format!("{} of {count}:\n{}", faults.len(), faults.join("\n"))) }
}

fn wrong_magic() -> Result<usize, String> {
    let mut words = words(SAXPY)?;
    words[0] = 0x0302_2307;
    expect_error("magic", Compiler::new().compile_spirv(&words), ErrorKind::InvalidSpirv, &[])?;
    words[0] = 0xDEAD_BEEF;
    expect_error("magic", Compiler::new().compile_spirv(&words), ErrorKind::InvalidSpirv, &[])?;
    expect_error("nothing", Compiler::new().compile_spirv(&[]), ErrorKind::InvalidSpirv, &[])?;
    Ok(3)
}

/// Messages have the file, the line, the column and the line itself.
fn glsl_errors() -> Result<usize, String> {
    let cases: &[(&str, &[&str])] = &[
        ("#version 450\nvoid main() {\n  uint x = 1u;\n  x = = 2u;\n}\n", &["wrong.comp:4", "x = = 2u;"]),
        ("#version 450\nvoid main() {\n  float y = missing * 2.0;\n}\n", &["wrong.comp:3:13", "missing"]),
        ("#version 450\nvoid main() {\n", &["wrong.comp:"]),
        ("", &["wrong.comp"]),
        ("#version 450\n#include \"absent.glsl\"\nvoid main() {}\n", &["wrong.comp:2", "absent.glsl"]),
        ("#version 450\nvoid main() { } \0", &[]),
    ];
    for (source, parts) in cases {
        expect_error(source, Compiler::new().compile_glsl(source, "wrong.comp"), ErrorKind::Glsl, parts)?;
    }
    Ok(cases.len())
}

/// glslang refuses recursion in GLSL; in SPIR-V we do.
fn recursion() -> Result<usize, String> {
    let glsl = "#version 450
layout(std430, binding = 0) buffer O { uint o[]; };
uint f(uint x) { return x == 0u ? 1u : x * f(x - 1u); }
void main() { o[0] = f(5u); }
";
    expect_error("GLSL", Compiler::new().compile_glsl(glsl, "r.comp"), ErrorKind::Glsl, &["r.comp", "ecursion"])?;
    let assembly = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %f \"again\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%call = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
%f = OpFunction %void None %fn
%body = OpLabel
%inner = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
";
    let input = Input::Assembly { source: assembly.into(), file_name: "r.spvasm".into() };
    let Err(error) = Compiler::new().compile(&input) else { return Err("recursion compiles".into()) };
    if !error.to_string().contains("ecursi") || error.kind() == ErrorKind::Internal {
        return Err(format!("recursion is not named: {error}"));
    }
    Ok(2)
}

fn options() -> Result<usize, String> {
    let words = words(SAXPY)?;
    for size in [0, 3, 5, 128, u32::MAX] {
        let result = Compiler::new().subgroup_size(size).compile_spirv(&words);
        expect_error("subgroup size", result, ErrorKind::Options, &["subgroup size", "64"])?;
    }
    let result = Compiler::new().entry("elsewhere").compile_spirv(&words);
    let Err(error) = result else { return Err("an entry point that is not there".into()) };
    if !(error.to_string().contains("elsewhere") && error.to_string().contains("main")) {
        return Err(format!("the entry points are not named: {error}"));
    }
    expect_error("spec", Compiler::new().spec_constant(7, 1u32).compile_spirv(&words), ErrorKind::Options, &["7"])?;
    Ok(7)
}

fn missing_buffer() -> Result<usize, String> {
    let kernel = saxpy()?;
    let mut y = [0f32; 4];
    let mut bindings = Bindings::new();
    bindings.bind(0, 1, &mut y).push(&[0; 8]);
    let result = kernel.dispatch(&mut bindings, [1, 1, 1]);
    // What the shader declares is listed: both buffers, the push constants.
    expect_error(
        "missing",
        result,
        ErrorKind::Interface,
        &["set 0 binding 0", "set 0 binding 1", "`X`", "Y", "float", "n"],
    )?;
    let mut other = [0f32; 4];
    let mut x = [0f32; 4];
    let mut y = [0f32; 4];
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).bind(3, 9, &mut other).push(&[0; 8]);
    let result = kernel.dispatch(&mut bindings, [1, 1, 1]);
    expect_error("unknown", result, ErrorKind::Interface, &["set 3 binding 9", "set 0 binding 1"])?;
    Ok(2)
}

fn small_buffer() -> Result<usize, String> {
    let source = "#version 450
layout(std430, binding = 0) buffer O { uint head[5]; uint rest[]; };
layout(std140, binding = 1) uniform U { vec4 v[2]; };
void main() { rest[0] = head[0] + uint(v[1].x); }
";
    let kernel = Compiler::new().compile_glsl(source, "small.comp").map_err(|error| error.to_string())?;
    let mut count = 0;
    for (o, u) in [(19, 32), (0, 32), (20, 31)] {
        let (mut o, mut u) = (vec![0u8; o], vec![0u8; u]);
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut o).bind(0, 1, &mut u);
        expect_error("small", kernel.dispatch(&mut bindings, [1, 1, 1]), ErrorKind::Interface, &["bytes"])?;
        count += 1;
    }
    // No byte of the runtime array: its elements are out of bounds, and that is no error.
    let (mut o, mut u) = (vec![7u8; 20], vec![0u8; 32]);
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut o).bind(0, 1, &mut u);
    kernel.dispatch(&mut bindings, [1, 1, 1]).map_err(|error| error.to_string())?;
    if o != [7; 20] { Err("a store out of bounds was made".into()) } else { Ok(count + 1) }
}

fn read_only_buffer() -> Result<usize, String> {
    let kernel = saxpy()?;
    let (x, y) = ([1f32; 4], [1f32; 4]);
    let mut bindings = Bindings::new();
    bindings.bind_read(0, 0, &x).bind_read(0, 1, &y).push(&[0; 8]);
    expect_error("read-only", kernel.dispatch(&mut bindings, [1, 1, 1]), ErrorKind::Interface, &["set 0 binding 1"])?;
    Ok(1)
}

fn push_constants() -> Result<usize, String> {
    let kernel = saxpy()?;
    let (mut x, mut y) = ([1f32; 4], [1f32; 4]);
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).push(&[0; 64]);
    expect_error("too many", kernel.dispatch(&mut bindings, [1, 1, 1]), ErrorKind::Interface, &["8"])?;
    let (mut x, mut y) = ([1f32; 4], [1f32; 4]);
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).push_value("nothing", 1u32);
    expect_error("unknown", kernel.dispatch(&mut bindings, [1, 1, 1]), ErrorKind::Interface, &["nothing", "n", "a"])?;
    let (mut x, mut y) = ([1f32; 4], [1f32; 4]);
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).push_value("n", 1.5f32).push_value("a", 1f32);
    expect_error("type", kernel.dispatch(&mut bindings, [1, 1, 1]), ErrorKind::Interface, &["n"])?;
    Ok(3)
}

/// As in Vulkan, no workgroups do nothing.
fn zero_groups() -> Result<usize, String> {
    let source = "#version 450
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { o[0] = 1u; }
";
    let mut count = 0;
    for (x, y, z) in [(0, 1, 1), (1, 0, 1), (5, 5, 0), (0, 0, 0), (u32::MAX, u32::MAX, 0)] {
        count += Setup::groups(x, y, z).words(0, [9]).expect(0, [9]).run("zero", source)?;
    }
    Ok(count)
}

fn large_dispatch() -> Result<usize, String> {
    let kernel = saxpy()?;
    for groups in [[u32::MAX, 1, 1], [1 << 24 | 1, 1, 1], [u32::MAX; 3]] {
        let (mut x, mut y) = ([1f32; 4], [1f32; 4]);
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).push(&[0; 8]);
        expect_error("large", kernel.dispatch(&mut bindings, groups), ErrorKind::Limit, &["2^32"])?;
        if y != [1f32; 4] {
            return Err("something ran".into());
        }
    }
    Ok(3)
}

/// More threads than workgroups, and than CPUs.
fn many_threads() -> Result<usize, String> {
    let kernel = saxpy()?;
    for threads in [0, 1, 3, 200] {
        let (mut x, mut y) = ([2f32; 300], [1f32; 300]);
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut x).bind(0, 1, &mut y).push_value("n", 300u32).push_value("a", 2f32);
        let options = DispatchOptions { threads, ..DispatchOptions::default() };
        kernel.dispatch_with(&mut bindings, [2, 1, 1], options).map_err(|error| error.to_string())?;
        if y != [5f32; 300] {
            return Err(format!("{threads} threads: wrong results"));
        }
    }
    Ok(4)
}

/// More values are live at once than a stack has room for.
fn large_frame() -> Result<usize, String> {
    use std::fmt::Write as _;
    let mut source = String::from(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) buffer O { uint o[]; };\nvoid main() {\n  \
         uint i = gl_GlobalInvocationID.x, v0 = o[i];\n",
    );
    let count = 6000;
    for k in 1..count {
        let _ = writeln!(source, "  uint v{k} = v{} * 3u ^ i;", k - 1);
    }
    source += "  uint r = 0u;\n";
    for k in (0..count).rev() {
        let _ = writeln!(source, "  r = r * 5u ^ v{k};");
    }
    source += "  o[i] = r;\n}\n";
    let compiler = Compiler::new().subgroup_size(64).opt(OptLevel::None);
    // More than the caller's stack has, but there are threads of its own; an object has none.
    let input = Input::Glsl { source, file_name: "frame.comp".into() };
    let kernel = compiler.compile(&input).map_err(|error| error.to_string())?;
    let (mut data, mut expected) = ((0..64u32).collect::<Vec<_>>(), vec![]);
    for i in 0..64u32 {
        let values: Vec<u32> = std::iter::successors(Some(i), |v| Some(v.wrapping_mul(3) ^ i)).take(count).collect();
        expected.push(values.iter().rev().fold(0, |r: u32, v| r.wrapping_mul(5) ^ v));
    }
    let mut bindings = Bindings::new();
    kernel.dispatch(bindings.bind(0, 0, &mut data), [1, 1, 1]).map_err(|error| error.to_string())?;
    if data != expected {
        return Err(format!("{data:?}, expected {expected:?}"));
    }
    let object = compiler.compile_to_object(&input);
    expect_error("large frame", object, ErrorKind::Limit, &["bytes of stack", "subgroup size"])?;
    Ok(2)
}

/// What a shader declares and does not use may be bound, by number and by name; what it does not declare may not.
fn unused_resources() -> Result<usize, String> {
    const SOURCE: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; } unused_buffer;
layout(push_constant) uniform P { uint n; } unused_push;
void main() {
    a[gl_GlobalInvocationID.x] = 7u;
    uint n = unused_push.n + unused_buffer.b[0];
}
";
    let kernel = Compiler::new().compile_glsl(SOURCE, "unused.comp").map_err(|error| error.to_string())?;
    let (mut a, b) = ([0u32; 4], [0u32; 4]);
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut a).bind_read(0, 1, &b).bind_read_named("unused_buffer", &b).push(&[1, 2, 3, 4]);
    kernel.dispatch(&mut bindings, [1, 1, 1]).map_err(|error| error.to_string())?;
    if a != [7; 4] {
        return Err(format!("{a:?}"));
    }
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut a).bind_read(0, 2, &b);
    match kernel.dispatch(&mut bindings, [1, 1, 1]) {
        Ok(()) => Err("a binding that is not declared was taken".into()),
        Err(_) => Ok(2),
    }
}
