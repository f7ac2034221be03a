//! What a shader calls outside of itself, at every configuration of the standard matrix: prints, and instructions that
//! functions of this process compute.

use crate::support::trial;
use glslc2native::{
    Bindings, Compiler, DispatchOptions, ErrorKind, Input, Instruction, Kernel, Literal, Op, Printed, Signature,
    Subgroup,
};
use glslc2native_testsuite::matrix::{self, Config};
use libtest_mimic::Trial;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// An opcode that is nobody's, so far.
const OPCODE: u16 = 60000;

/// All trials.
pub fn trials() -> Vec<Trial> {
    type Check = fn() -> Result<usize, String>;
    let trials: [(&str, Check); 9] = [
        ("prints", prints),
        ("prints-around-barriers", prints_around_barriers),
        ("prints-without-listener", prints_without_listener),
        ("invocations", invocations),
        ("subgroups", subgroups),
        ("known-but-not-done", known_but_not_done),
        ("panics", panics),
        ("misfits", misfits),
        ("text", text),
    ];
    trials.into_iter().map(|(name, check)| trial(format!("outside/{name}"), check)).collect()
}

fn compiler(config: &Config, instructions: &[Instruction]) -> Compiler {
    instructions.iter().cloned().fold(matrix::compiler(*config, &[]), Compiler::instruction)
}

fn kernel(config: &Config, source: &str, instructions: &[Instruction]) -> Result<Kernel, String> {
    compiler(config, instructions).compile_glsl(source, "outside.comp").map_err(|e| format!("{config}: {e}"))
}

/// The prints of a dispatch, as `x,y,z: text (line)`, sorted; prints of one invocation stay in order.
fn printed(
    kernel: &Kernel,
    bindings: &mut Bindings<'_>,
    groups: [u32; 3],
    threads: usize,
) -> Result<Vec<String>, String> {
    let lines: Mutex<Vec<([u32; 3], String)>> = Mutex::default();
    let print = |p: &Printed<'_>| {
        let text = format!("{:?}: {} ({}:{})", p.invocation, p.text, p.file.unwrap_or("?"), p.line);
        lines.lock().unwrap_or_else(|e| e.into_inner()).push((p.invocation, text));
    };
    let options = DispatchOptions { threads, print: Some(&print), ..DispatchOptions::default() };
    kernel.dispatch_with(bindings, groups, options).map_err(|e| e.to_string())?;
    let mut lines = lines.into_inner().unwrap_or_else(|e| e.into_inner());
    lines.sort_by_key(|(invocation, _)| *invocation);
    Ok(lines.into_iter().map(|(_, text)| text).collect())
}

/// Compares at every configuration, with one thread and with two.
fn check_prints(source: &str, data: &[u32], groups: [u32; 3], expected: &[String]) -> Result<usize, String> {
    let mut count = 0;
    for config in matrix::standard() {
        let kernel = kernel(&config, source, &[])?;
        for threads in [1, 2] {
            let mut data = data.to_vec();
            let lines = printed(&kernel, Bindings::new().bind(0, 0, &mut data), groups, threads)?;
            if lines != expected {
                return Err(format!("{config}: {}\ninstead of\n{}", lines.join("\n"), expected.join("\n")));
            }
            count += lines.len();
        }
    }
    Ok(count)
}

const HEADER: &str = "#version 450
#extension GL_EXT_spirv_intrinsics : enable
#extension GL_EXT_debug_printf : enable
";

fn prints() -> Result<usize, String> {
    let source = format!(
        "{HEADER}layout(local_size_x = 6) in;
layout(std430, binding = 0) buffer D {{ uint d[]; }};
void main() {{
  uint i = gl_GlobalInvocationID.x;
  if ((i & 1u) == 1u) debugPrintfEXT(\"odd %u of %d, %1.2f\", i, int(d[i]), float(i) * 0.5);
  for (uint k = 0u; k < d[i]; ++k) {{
    if (k == 2u) break;
    debugPrintfEXT(\"%v2u %s\", uvec2(i, k));
  }}
  if (i == 7u) return;
  debugPrintfEXT(\"%v3f %d\", vec3(1.5, -0.25, float(i)), i > 3u);
}}"
    );
    let data: Vec<u32> = (0..12).map(|i| i % 4).collect();
    let mut expected = vec![];
    for i in 0..12u32 {
        let mut add = |text: String, line: u32| expected.push(format!("[{i}, 0, 0]: {text} (outside.comp:{line})"));
        if i % 2 == 1 {
            add(format!("odd {i} of {}, {:.2}", data[i as usize], i as f32 * 0.5), 8);
        }
        for k in 0..data[i as usize].min(2) {
            add(format!("{i}, {k} %s"), 11);
        }
        if i != 7 {
            add(format!("1.500000, -0.250000, {i}.000000 {}", u32::from(i > 3)), 14);
        }
    }
    check_prints(&source, &data, [2, 1, 1], &expected)
}

fn prints_around_barriers() -> Result<usize, String> {
    let source = format!(
        "{HEADER}layout(local_size_x = 5, local_size_y = 2) in;
shared uint total;
layout(std430, binding = 0) buffer D {{ uint d[]; }};
void main() {{
  uint i = gl_LocalInvocationIndex;
  if (i == 0u) total = 100u;
  for (uint k = 0u; k < 2u; ++k) {{
    barrier();
    if (i == k) {{ debugPrintfEXT(\"%u in round %u\", total, k); ++total; }}
    barrier();
  }}
  if (i == 9u) debugPrintfEXT(\"last %u\", total);
}}"
    );
    let lines =
        [("[0, 0, 0]", "100 in round 0", 12), ("[1, 0, 0]", "101 in round 1", 12), ("[4, 1, 0]", "last 102", 15)];
    let expected: Vec<String> =
        lines.iter().map(|(id, text, line)| format!("{id}: {text} (outside.comp:{line})")).collect();
    check_prints(&source, &[0; 4], [1, 1, 1], &expected)
}

fn prints_without_listener() -> Result<usize, String> {
    let source = format!(
        "{HEADER}layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer D {{ uint d[]; }};
void main() {{ uint i = gl_GlobalInvocationID.x; debugPrintfEXT(\"%d\", i); d[i] = i + 1u; }}"
    );
    let mut count = 0;
    for config in matrix::standard() {
        let mut data = [0u32; 8];
        let kernel = kernel(&config, &source, &[])?;
        kernel.dispatch(Bindings::new().bind(0, 0, &mut data), [2, 1, 1]).map_err(|e| e.to_string())?;
        if data != [1, 2, 3, 4, 5, 6, 7, 8] {
            return Err(format!("{config}: {data:?}"));
        }
        count += 1;
    }
    Ok(count)
}

/// Instructions of all kinds of operands and results.
fn instructions() -> Vec<Instruction> {
    let set = |number| Op::of_set("Testsuite.outside", number);
    vec![
        Instruction::new(Op::opcode(OPCODE), |a: u32, b: u32| a * 10 + b),
        Instruction::new(Op::opcode(OPCODE + 1), |v: [f32; 3], s: f32| v.map(|c| c * s)),
        Instruction::new(Op::opcode(OPCODE + 2), |a: i32, factor: Literal, b: bool| (a * factor.0 as i32, !b)),
        Instruction::new(set(2), |a: [u32; 2]| [a[1], a[0]]),
        Instruction::new(set(3), || 42u32),
    ]
}

const INVOCATIONS: &str = "#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 6) in;
struct R { int product; bool opposite; };
spirv_instruction(id = 60000) uint join(uint a, uint b);
spirv_instruction(id = 60001) vec3 scale(vec3 v, float s);
spirv_instruction(id = 60002) R multiply(int a, spirv_literal int factor, bool b);
spirv_instruction(set = \"Testsuite.outside\", id = 2) uvec2 swap(uvec2 a);
spirv_instruction(set = \"Testsuite.outside\", id = 3) uint answer();
layout(std430, binding = 0) buffer D { uint d[]; };
layout(std430, binding = 1) buffer O { uint o[][8]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint a = 7u, b = join(i, 3u), c = join(4u, 5u);
  if ((i & 2u) != 0u) a = join(d[i], i);
  vec3 v = scale(vec3(i, 2.0, -1.0), 0.5);
  R r = multiply(-int(i), 6, i < 4u);
  for (uint k = 0u; k < i; ++k) c = join(c, k) & 1023u;
  o[i] = uint[8](a, b, c, floatBitsToUint(v.x), floatBitsToUint(v.y), uint(r.product), uint(r.opposite), swap(uvec2(i, answer())).x);
}";

fn invocations() -> Result<usize, String> {
    let data: Vec<u32> = (0..12).map(|i| i * i).collect();
    let join = |a: u32, b: u32| a * 10 + b;
    let expected: Vec<u32> = (0..12u32)
        .flat_map(|i| {
            let a = if i & 2 != 0 { join(data[i as usize], i) } else { 7 };
            let c = (0..i).fold(45, |c, k| join(c, k) & 1023);
            let half = (i as f32 * 0.5).to_bits();
            [a, join(i, 3), c, half, 1f32.to_bits(), (-(i as i32) * 6) as u32, u32::from(i >= 4), 42]
        })
        .collect();
    let mut count = 0;
    for config in matrix::standard() {
        let kernel = kernel(&config, INVOCATIONS, &instructions())?;
        for threads in [1, 2] {
            let (mut input, mut output) = (data.clone(), vec![0u32; 96]);
            let mut bindings = Bindings::new();
            bindings.bind(0, 0, &mut input).bind(0, 1, &mut output);
            let options = DispatchOptions { threads, ..DispatchOptions::default() };
            kernel.dispatch_with(&mut bindings, [2, 1, 1], options).map_err(|e| e.to_string())?;
            drop(bindings);
            if output != expected {
                return Err(format!("{config}: {output:?}\ninstead of {expected:?}"));
            }
            count += 96;
        }
    }
    Ok(count)
}

/// The masks that a function of a subgroup sees are those of the invocations that are there.
fn subgroups() -> Result<usize, String> {
    let source = "#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 6) in;
spirv_instruction(id = 60000) uint sum_of_active(uint value);
layout(std430, binding = 0) buffer D { uint d[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i != 1u && i < 5u) d[i] = sum_of_active(10u + i);
}";
    let calls = std::sync::Arc::new(AtomicU32::new(0));
    let seen = calls.clone();
    let signature = Signature::new().param::<u32>().result::<u32>();
    let sum = Instruction::subgroup(Op::opcode(OPCODE), signature, move |subgroup: &mut Subgroup<'_>| {
        seen.fetch_add(1, Ordering::Relaxed);
        let sum = subgroup.active_lanes().map(|lane| subgroup.get(0, lane)).sum();
        for lane in subgroup.active_lanes() {
            subgroup.set(0, lane, sum);
        }
    });
    let mut count = 0;
    for config in matrix::standard() {
        calls.store(0, Ordering::Relaxed);
        let kernel = kernel(&config, source, std::slice::from_ref(&sum))?;
        let mut data = [0u32; 6];
        kernel.dispatch(Bindings::new().bind(0, 0, &mut data), [1, 1, 1]).map_err(|e| e.to_string())?;
        let w = config.subgroup_size;
        let active: Vec<u32> = [0, 2, 3, 4].to_vec();
        let of = |i: u32| active.iter().filter(|&&k| k / w == i / w).map(|k| 10 + k).sum();
        let expected: Vec<u32> = (0..6).map(|i| if active.contains(&i) { of(i) } else { 0 }).collect();
        let mut subgroups: Vec<u32> = active.iter().map(|i| i / w).collect();
        subgroups.dedup();
        if data[..] != expected || calls.load(Ordering::Relaxed) as usize != subgroups.len() {
            return Err(format!("{config}: {data:?} instead of {expected:?}, {} calls", calls.load(Ordering::Relaxed)));
        }
        count += 1;
    }
    Ok(count)
}

/// An instruction that the headers know and that is not done may be tried; one that is done may not be replaced.
fn known_but_not_done() -> Result<usize, String> {
    let source = "#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
spirv_instruction(extensions = [\"SPV_INTEL_shader_integer_functions2\"], capabilities = [5584], id = 5591) uint average(uint a, uint b);
layout(std430, binding = 0) buffer D { uint d[]; };
void main() { uint i = gl_GlobalInvocationID.x; d[i] = average(d[i], 10u); }";
    let average = Instruction::new(Op::opcode(5591), |a: u32, b: u32| (a + b) / 2);
    let mut count = 0;
    for config in matrix::standard() {
        let kernel = kernel(&config, source, std::slice::from_ref(&average))?;
        let mut data = [0u32, 4, 10, 30];
        kernel.dispatch(Bindings::new().bind(0, 0, &mut data), [1, 1, 1]).map_err(|e| e.to_string())?;
        if data != [5, 7, 10, 20] {
            return Err(format!("{config}: {data:?}"));
        }
        count += 1;
    }
    let add = Compiler::new().instruction(Instruction::new(Op::opcode(128), |a: u32, b: u32| a + b));
    match add.compile_glsl(source, "x.comp") {
        Err(error) if error.to_string().contains("opcode 128 is IAdd, which is compiled") => Ok(count + 1),
        other => Err(format!("IAdd replaced: {:?}", other.map(|_| ()))),
    }
}

/// A panic ends the dispatch with an error that holds its message, also where the shader waits for what the function gives;
/// the next dispatch works.
fn panics() -> Result<usize, String> {
    let source = "#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 4) in;
spirv_instruction(id = 60000) uint check(uint value);
layout(std430, binding = 0) buffer D { uint d[]; };
void main() { uint i = gl_GlobalInvocationID.x; debugPrintfEXT(\"%u\", i); uint r; do { r = check(d[i]); } while (r == 0u); d[i] = r; }";
    let flag = AtomicU32::new(0);
    let check = Instruction::new(Op::opcode(OPCODE), |value: u32| {
        // Not by panic!, whose message would go to standard error.
        if value == 13 {
            std::panic::resume_unwind(Box::new(String::from("thirteen")));
        }
        value + 1
    });
    let mut count = 0;
    for config in matrix::standard() {
        let kernel = kernel(&config, source, std::slice::from_ref(&check))?;
        for threads in [1, 2] {
            let mut data: Vec<u32> = (0..400).collect();
            let interrupt = (threads == 2).then_some(&flag);
            let options = || DispatchOptions { threads, interrupt, ..DispatchOptions::default() };
            let error = match kernel.dispatch_with(Bindings::new().bind(0, 0, &mut data), [100, 1, 1], options()) {
                Ok(()) => return Err(format!("{config}: a panic was lost")),
                Err(error) => error,
            };
            let text = error.to_string();
            if error.kind() != ErrorKind::Function || text != "the function of opcode 60000 panicked: thirteen" {
                return Err(format!("{config}: {text}"));
            }
            let mut data = vec![1u32; 400];
            kernel
                .dispatch_with(Bindings::new().bind(0, 0, &mut data), [100, 1, 1], options())
                .map_err(|e| format!("{config}: {e}"))?;
            let print = |_: &Printed<'_>| std::panic::resume_unwind(Box::new("deaf"));
            let listening = DispatchOptions { print: Some(&print), ..options() };
            let result = kernel.dispatch_with(Bindings::new().bind(0, 0, &mut data), [100, 1, 1], listening);
            if !result.is_err_and(|e| e.to_string() == "the function that listens to prints panicked: deaf") {
                return Err(format!("{config}: a panic of the listener was lost"));
            }
            count += 2;
        }
    }
    Ok(count)
}

/// Operands and results that are not what was registered, and functions that are not there.
fn misfits() -> Result<usize, String> {
    let source = |prototype: &str, call: &str| {
        format!(
            "#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
struct R {{ uint a, b; }};
{prototype};
layout(std430, binding = 0) buffer D {{ uint d[]; }};
void main() {{
  uint i = gl_GlobalInvocationID.x;
  {call};
}}"
        )
    };
    let two = || vec![Instruction::new(Op::opcode(OPCODE), |a: u32, b: f32| a + b as u32)];
    let cases: [(&str, &str, Vec<Instruction>, &str); 8] = [
        (
            "spirv_instruction(id = 60000) uint f(uint a)",
            "d[i] = f(i)",
            two(),
            "registered as uint(uint, float), and used with 1 operands",
        ),
        (
            "spirv_instruction(id = 60000) uint f(uint a, uint b)",
            "d[i] = f(i, i)",
            two(),
            "and used with operand 2 of type uint",
        ),
        (
            "spirv_instruction(id = 60000) uint f(int a, float b)",
            "d[i] = f(1, 1.0)",
            two(),
            "and used with operand 1 of type int",
        ),
        (
            "spirv_instruction(id = 60000) int f(uint a, float b)",
            "d[i] = uint(f(i, 1.0))",
            two(),
            "and used with a result of type int",
        ),
        (
            "spirv_instruction(id = 60000) R f(uint a, float b)",
            "d[i] = f(i, 1.0).a",
            two(),
            "and used with a result of type",
        ),
        (
            "spirv_instruction(id = 60000) uint f(uint a, float b)",
            "d[i] = f(i, 1.0)",
            [two(), two()].concat(),
            "opcode 60000 is registered twice",
        ),
        (
            "spirv_instruction(id = 60001) uint f(uint a)",
            "d[i] = f(i)",
            two(),
            "opcode 60001 in the function `main` is not supported",
        ),
        (
            "spirv_instruction(id = 60000) uint f(uint a)",
            "d[i] = f(i)",
            Instruction::declared("60000:uint(uint)").into_iter().collect(),
            "opcode 60000 (uint(uint)) is not computed by a function of this process",
        ),
    ];
    for (prototype, call, instructions, part) in &cases {
        let compiler = instructions.iter().cloned().fold(Compiler::new(), Compiler::instruction);
        match compiler.compile_glsl(&source(prototype, call), "misfit.comp") {
            Ok(_) => return Err(format!("`{prototype}` compiles")),
            Err(error) if error.to_string().contains(part) => {}
            Err(error) => return Err(format!("`{prototype}`: {error}")),
        }
    }
    Ok(cases.len())
}

/// The text of a module with custom instructions and prints reads back, and runs.
fn text() -> Result<usize, String> {
    let source = INVOCATIONS.replace("#version 450", "#version 450\n#extension GL_EXT_debug_printf : enable");
    let source = source.replace("uint a = 7u,", "debugPrintfEXT(\"\\\"%v2u\\\"\\n\", uvec2(i, 5)); uint a = 7u,");
    let input = Input::Glsl { source, file_name: "outside.comp".into() };
    let mut count = 0;
    for config in matrix::standard() {
        let compiler = compiler(&config, &instructions());
        let printed = compiler.stages(&input).module().map_err(|e| e.to_string())?.to_string();
        let again = Input::Ir { source: printed.clone() };
        let mut stages = compiler.stages(&again);
        let read = stages.module().map_err(|e| format!("{e}\n{printed}"))?.to_string();
        if read != printed {
            return Err(format!("{config}: another module:\n{read}\ninstead of\n{printed}"));
        }
        let kernel = stages.kernel().map_err(|e| format!("{config}: {e}"))?;
        let (mut d, mut o) = ([0u32; 6], [0u32; 48]);
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut d).bind(0, 1, &mut o);
        let lines = self::printed(&kernel, &mut bindings, [1, 1, 1], 1)?;
        drop(bindings);
        if o[1] != 3 || o[9] != 13 || lines.len() != 6 || !lines[2].contains("\"2, 5\"\n") {
            return Err(format!("{config}: {o:?} {lines:?}"));
        }
        count += 1;
    }
    Ok(count)
}
