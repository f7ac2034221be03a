//! Shaders that do not end, in every form of loop, are stopped: by a time, by a flag, on one thread and on two, as vectors and
//! lane by lane.

use crate::support::trial;
use glslc2native::{Bindings, Compiler, DispatchOptions, Error, ErrorKind, Input, Kernel};
use glslc2native_testsuite::matrix::{self, Config};
use libtest_mimic::Trial;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Time that shaders get.
const TIME: Duration = Duration::from_millis(40);
/// Longer than this is no stop. The machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Loops that do not end, or not in time; `x` differs from lane to lane, `n` is a push constant of 0, and `o` is the output.
const FOREVER: &[(&str, &str)] = &[
    ("while-true", "while (true) { o[i] += 1u; }"),
    ("for-without-condition", "for (;;) { o[i] += 1u; }"),
    ("do-while-true", "do { o[i] += 1u; } while (true);"),
    ("nothing-in-it", "while (n == 0u) {}"),
    ("uniform-condition", "uint k = 0u; while (n < 5u) { k += n; } o[i] = k;"),
    ("varying-condition", "uint k = x; while (k != 4096u) { k = k & 3u; } o[i] = k;"),
    ("one-lane-stays", "while (true) { if (x != 3u) break; }"),
    ("continue-always", "while (true) { if (x < 100u) continue; break; }"),
    ("break-never-taken", "for (uint k = 0u;; k += 0u) { if (k > 5u) break; o[i] = k; }"),
    ("step-that-wraps", "for (uint k = 0u; k < 4294967295u; k += 2u) { o[i] = k; }"),
    (
        "counted-in-counted",
        "for (uint a = 0u; a < 4294967295u; ++a) for (uint b = 0u; b < 4294967295u; ++b) o[i] += b;",
    ),
    ("counted", "uint t = 0u; for (uint a = n; a < 4294967295u; ++a) { t = t * 3u + (a ^ x); } o[i] = t;"),
    (
        "switch-in-loop",
        "while (true) { switch (x & 3u) { case 0u: o[i] = 1u; break; case 1u: continue; default: o[i] = 2u; } }",
    ),
    ("loop-in-switch", "switch (x & 1u) { case 0u: for (;;) { o[i] += 1u; } default: o[i] = 3u; }"),
    ("loop-in-loop", "while (true) { uint k = 0u; do { ++k; if (k > x) break; } while (k < 9u); o[i] = k; }"),
    ("under-masks", "if (x > 1u) { if ((x & 1u) == 1u) { while (o[i] < 5u) { if (x > 50u) return; } } }"),
    ("in-a-function", "o[i] = spin(x);"),
    ("barrier-in-loop", "while (n < 5u) { s[gl_LocalInvocationIndex] = x; barrier(); o[i] = s[0]; barrier(); }"),
];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let each = FOREVER.iter().map(|&(name, body)| trial(format!("deadline/{name}"), move || stops(name, body)));
    let others = [
        trial("deadline/flag".into(), flag_stops),
        trial("deadline/in-time".into(), ends_in_time),
        trial("deadline/single-block".into(), single_block),
    ];
    each.chain(others).collect()
}

fn shader(body: &str) -> String {
    format!(
        "#version 450
layout(local_size_x = 20) in;
layout(std430, binding = 0) buffer O {{ uint o[]; }};
layout(push_constant) uniform P {{ uint n; }};
shared uint s[20];
uint spin(uint y) {{ while (y < 1000u) {{ if (y == 2000u) return 7u; }} return y; }}
void main() {{
  uint i = gl_GlobalInvocationID.x;
  uint x = gl_LocalInvocationID.x;
  {body}
  if (x > 1000u) o[i] = s[n] + spin(n + 2000u);
}}
"
    )
}

fn kernel(input: &Input, config: Config) -> Result<Kernel, String> {
    matrix::compiler(config, &[]).interruptible(true).compile(input).map_err(|error| format!("{config}: {error}"))
}

/// Dispatches, and makes sure that it failed in time as it should.
fn must_stop(what: &str, kind: ErrorKind, dispatch: impl FnOnce() -> Result<(), Error>) -> Result<(), String> {
    let start = Instant::now();
    match dispatch() {
        Err(error) if error.kind() == kind && start.elapsed() < PATIENCE => Ok(()),
        Err(error) => Err(format!("{what}: {error} after {:?}", start.elapsed())),
        Ok(()) => Err(format!("{what}: it ended")),
    }
}

fn stops(name: &str, body: &str) -> Result<usize, String> {
    let input = matrix::spirv(&shader(body), name, false)?;
    let mut count = 0;
    for config in matrix::configs(&[8]) {
        let kernel = kernel(&input, config)?;
        for threads in [1, 2] {
            let mut out = [0u32; 40];
            let mut bindings = Bindings::new();
            bindings.bind(0, 0, &mut out).push(&[0; 4]);
            let options = DispatchOptions { threads, timeout: Some(TIME), ..DispatchOptions::default() };
            must_stop(&format!("{config}, {threads} threads"), ErrorKind::Timeout, || {
                kernel.dispatch_with(&mut bindings, [2, 1, 1], options)
            })?;
            count += 1;
        }
    }
    Ok(count)
}

/// A flag of the caller's own stops too, beside a time as well.
fn flag_stops() -> Result<usize, String> {
    let input = matrix::spirv(&shader(FOREVER[0].1), "flag", false)?;
    let kernel = kernel(&input, matrix::standard()[0])?;
    let mut count = 0;
    for timeout in [None, Some(PATIENCE)] {
        let interrupt = AtomicU32::new(0);
        let mut out = [0u32; 40];
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut out).push(&[0; 4]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(TIME);
                interrupt.store(1, Ordering::Relaxed);
            });
            let options = DispatchOptions { interrupt: Some(&interrupt), timeout, ..DispatchOptions::default() };
            must_stop("a flag", ErrorKind::Interrupted, || kernel.dispatch_with(&mut bindings, [2, 1, 1], options))
        })?;
        count += 1;
    }
    Ok(count)
}

/// What ends before its time is done as if there were none.
fn ends_in_time() -> Result<usize, String> {
    let input = matrix::spirv(&shader("for (uint k = 0u; k < 100u; ++k) { o[i] += k; }"), "in-time", false)?;
    let kernel = Compiler::new().compile(&input).map_err(|error| error.to_string())?;
    let mut out = [0u32; 40];
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut out).push(&[0; 4]);
    kernel.dispatch_with_timeout(&mut bindings, [2, 1, 1], PATIENCE).map_err(|error| error.to_string())?;
    drop(bindings);
    if out == [4950; 40] { Ok(1) } else { Err(format!("{out:?}")) }
}

/// A loop of a single block that branches to itself, which GLSL has no form for.
fn single_block() -> Result<usize, String> {
    let source = "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 8 1 1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %true = OpConstantTrue %bool
        %main = OpFunction %void None %fn
        %entry = OpLabel
        OpBranch %loop
        %loop = OpLabel
        OpLoopMerge %end %loop None
        OpBranchConditional %true %loop %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd";
    let input = Input::Assembly { source: source.into(), file_name: "single-block.spvasm".into() };
    let mut count = 0;
    for config in matrix::configs(&[8]) {
        let kernel = kernel(&input, config)?;
        must_stop(&config.to_string(), ErrorKind::Timeout, || {
            kernel.dispatch_with_timeout(&mut Bindings::new(), [1, 1, 1], TIME)
        })?;
        count += 1;
    }
    Ok(count)
}
