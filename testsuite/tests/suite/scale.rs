//! Large shaders: 500 nested selections, 60 nested loops, 2,000 cases, 100,000 instructions. They compile on a thread with the
//! smallest stack that is usual, and twice the size is twice the work, as the stages count it themselves. (Clocks would say
//! less: the machine may be busy.)

use crate::support::trial;
use glslc2native::{Bindings, Compiler, Input, OptLevel, StageWork};
use glslc2native_testsuite::matrix;
use libtest_mimic::Trial;
use std::fmt::Write as _;

/// Bytes of stack that threads have by default.
const STACK: usize = 2 << 20;
/// How much more work twice the size may be.
const RATIO: f64 = 2.3;
/// Steps that do not depend on the size.
const CONSTANT: f64 = 2000.0;

struct Family {
    name: &'static str,
    /// The larger of the two sizes.
    size: usize,
    body: fn(usize) -> String,
    /// What the first invocation computes from 3 at the larger size.
    result: fn(u32) -> u32,
}

const FAMILIES: &[Family] = &[
    Family { name: "nested-ifs", size: 500, body: nested_ifs, result: |_| 4 },
    Family { name: "nested-uniform-ifs", size: 500, body: nested_uniform_ifs, result: |n| n },
    Family { name: "loop-nest", size: 60, body: loop_nest, result: |n| n + 1 },
    Family { name: "cases", size: 2000, body: cases, result: |_| 10 },
    Family { name: "uniform-cases", size: 2000, body: uniform_cases, result: |_| 1 },
    Family { name: "instructions", size: 17_000, body: instructions, result: straight },
    Family { name: "ifs-in-a-row", size: 2000, body: ifs_in_a_row, result: |n| (0..n).filter(|k| k & 3 != 0).sum() },
    Family { name: "loops-in-a-row", size: 400, body: loops_in_a_row, result: |n| 3 * n },
];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    FAMILIES.iter().map(|family| trial(format!("scale/{}", family.name), || check(family))).collect()
}

fn nested_ifs(n: usize) -> String {
    let open: String = (0..n).fold(String::new(), |text, k| text + &format!("if (x >= {k}u) {{ r += 1u;\n"));
    open + &"}".repeat(n)
}

fn nested_uniform_ifs(n: usize) -> String {
    let open: String = (0..n).fold(String::new(), |text, k| text + &format!("if (n + {k}u < 5000u) {{ r += 1u;\n"));
    open + &"}".repeat(n)
}

fn loop_nest(n: usize) -> String {
    let open =
        |text: String, k: usize| text + &format!("r += 1u; for (uint i{k} = 2u; i{k} < min(x, 3u); ++i{k}) {{\n");
    (0..n).fold(String::new(), open) + "r += 1u;\n" + &"}".repeat(n)
}

fn case_list(selector: &str, n: usize) -> String {
    let case = |text: String, k: usize| text + &format!("case {k}u: r = r * 3u + {}u; break;\n", k * k + 1);
    format!("switch ({selector}) {{\n{}}}\n", (0..n).fold(String::new(), case))
}

fn cases(n: usize) -> String {
    case_list("x", n)
}

fn uniform_cases(n: usize) -> String {
    case_list("n", n)
}

fn instructions(n: usize) -> String {
    let line =
        |text: String, k: usize| text + if k.is_multiple_of(2) { "r = r * 3u + a;\n" } else { "a = a ^ (r + 5u);\n" };
    "uint a = x;\n".to_string() + &(0..n).fold(String::new(), line)
}

fn straight(n: u32) -> u32 {
    let (mut r, mut a) = (0u32, 3u32);
    for k in 0..n {
        if k % 2 == 0 {
            r = r.wrapping_mul(3).wrapping_add(a);
        } else {
            a ^= r.wrapping_add(5);
        }
    }
    r
}

fn ifs_in_a_row(n: usize) -> String {
    let line = |text: String, k: usize| text + &format!("if ((x & {k}u) != 0u) r += {k}u;\n");
    (0..n).fold(String::new(), line)
}

fn loops_in_a_row(n: usize) -> String {
    let line = |text: String, _| text + "for (uint i = 0u; i < x; ++i) r += 1u;\n";
    (0..n).fold(String::new(), line)
}

fn shader(body: &str) -> String {
    format!(
        "#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer O {{ uint o[]; }};
layout(push_constant) uniform P {{ uint n; }};
void main() {{
  uint i = gl_GlobalInvocationID.x;
  uint x = i + 3u;
  uint r = 0u;
{body}
  o[i] = r;
}}
"
    )
}

fn check(family: &'static Family) -> Result<usize, String> {
    let work = || -> Result<usize, String> {
        let mut count = 0;
        for opt in [OptLevel::Speed, OptLevel::None] {
            count += grows(family, opt).map_err(|error| format!("{opt:?}: {error}"))?;
        }
        Ok(count)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| error.to_string())?;
        thread.join().unwrap_or_else(|_| Err("the thread panicked".into()))
    })
}

fn grows(family: &Family, opt: OptLevel) -> Result<usize, String> {
    let compiler = Compiler::new().opt(opt);
    let mut work: Vec<(StageWork, usize)> = vec![];
    for size in [family.size / 2, family.size] {
        let input = matrix::spirv(&shader(&(family.body)(size)), family.name, false)?;
        let mut stages = compiler.stages(&input);
        let instructions = stages.lowered().map_err(|error| format!("{size}: {error}"))?.stats.kernel_insts;
        work.push((stages.work(), instructions));
        let times = stages.times();
        println!(
            "{} {size}: lift {:?}, transform {:?}, lower {:?}",
            family.name, times.lift, times.transform, times.lower
        );
        if size == family.size {
            runs(&compiler, &input, (family.result)(size as u32))?;
        }
    }
    let [(half, half_insts), (whole, whole_insts)] = work[..] else { return Ok(0) };
    let mut text = String::new();
    let mut failed = false;
    let stages = [
        ("lift", half.lift, whole.lift),
        ("transform", half.transform, whole.transform),
        ("lower", half.lower, whole.lower),
        ("CLIF instructions", half_insts as u64, whole_insts as u64),
    ];
    for (stage, half, whole) in stages {
        failed |= whole == 0 || whole as f64 > RATIO * half as f64 + CONSTANT;
        let _ = write!(text, "{stage} {half} -> {whole}; ");
    }
    println!("{} at {opt:?}, {} -> {}: {text}", family.name, family.size / 2, family.size);
    if failed { Err(format!("twice the size is not twice the work: {text}")) } else { Ok(stages.len()) }
}

fn runs(compiler: &Compiler, input: &Input, expected: u32) -> Result<(), String> {
    let kernel = compiler.compile(input).map_err(|error| error.to_string())?;
    let mut out = [0u32; 8];
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut out);
    if kernel.interface().push_size > 0 {
        bindings.push(&[0; 4]);
    }
    kernel.dispatch(&mut bindings, [1, 1, 1]).map_err(|error| error.to_string())?;
    drop(bindings);
    if out[0] == expected { Ok(()) } else { Err(format!("it computes {}, expected {expected}", out[0])) }
}
