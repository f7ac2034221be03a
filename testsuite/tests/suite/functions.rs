//! Functions out of line: every shader of the suite that calls functions runs with nothing inlined too, and code does not
//! explode, however deep calls nest and however many there are.

use crate::golden_files::folder;
use crate::support::trial;
use glslc2native::{Compiler, Input, OptLevel};
use glslc2native_testsuite::golden::{self, Golden, Kind};
use glslc2native_testsuite::matrix;
use libtest_mimic::Trial;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let mut trials =
        vec![trial("functions/deep-chains".into(), deep_chains), trial("functions/many-calls".into(), many_calls)];
    for path in golden::find(&folder()).unwrap_or_default() {
        let Ok(golden) = Golden::read(&path) else { continue };
        if golden.kind != Kind::Glsl || golden.runs.is_empty() || !golden.header.errors.is_empty() {
            continue;
        }
        let name = path.strip_prefix(folder()).unwrap_or(&path).display().to_string();
        let input = matrix::spirv(&golden.source, &name, false);
        // What cannot be compiled fails as a golden file.
        let Ok(Input::Spirv(words)) = input else { continue };
        if let Some(words) = matrix::out_of_line(&words) {
            trials.push(trial(format!("functions/dont-inline/{name}"), move || run(&golden, words)));
        }
    }
    trials
}

fn run(golden: &Golden, words: Vec<u32>) -> Result<usize, String> {
    let sizes = if golden.header.sizes.is_empty() { &matrix::SIZES[..] } else { &golden.header.sizes };
    let input = Input::Spirv(words);
    let mut count = 0;
    for run in &golden.runs {
        count += matrix::execute(&input, &matrix::configs(sizes), run, |config, after| {
            run.check(config.subgroup_size, after)
        })
        .map_err(|error| format!("run at line {}: {error}", run.line))?;
    }
    Ok(count)
}

/// CLIF instructions of a shader, those of its functions too, and how many functions are out of line.
fn work(source: &str, opt: OptLevel) -> Result<(usize, usize), String> {
    let input = Input::Glsl { source: source.into(), file_name: "work.comp".into() };
    let compiler = Compiler::new().opt(opt);
    let mut stages = compiler.stages(&input);
    let stats = stages.lowered().map_err(|error| error.to_string())?.stats.clone();
    Ok((stats.kernel_insts + stats.helper_insts, stats.functions))
}

const HEADER: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { float b[]; };
";

/// `levels` functions, each of which calls the next twice.
fn chain(levels: usize) -> String {
    let mut text = HEADER.to_string();
    text += "float f0(float x) { for (int i = 0; i < 4; i++) x = x * x + b[i]; return x; }\n";
    for level in 1..levels {
        let inner = level - 1;
        text += &format!(
            "float f{level}(float x) {{ if (x > {level}.0) return f{inner}(x - 1.0); x = x * 1.5 + b[{level}]; \
             return f{inner}(x) + x; }}\n"
        );
    }
    text + &format!("void main() {{ uint i = gl_GlobalInvocationID.x; b[i] = f{}(b[i]); }}\n", levels - 1)
}

fn deep_chains() -> Result<usize, String> {
    let mut count = 0;
    for opt in [OptLevel::None, OptLevel::Speed] {
        let mut sizes = vec![];
        for levels in [12, 24, 48] {
            let (insts, functions) = work(&chain(levels), opt)?;
            println!("{opt:?}: {levels} levels, {insts} instructions, {functions} functions");
            sizes.push(insts);
            count += 1;
        }
        // Inlined, each level would double the code.
        if sizes[1] > 4 * sizes[0] + 8000 || sizes[2] > 3 * sizes[1] {
            return Err(format!("{opt:?}: instructions of 12, 24 and 48 levels: {sizes:?}"));
        }
    }
    Ok(count)
}

fn calls(count: usize) -> String {
    let mut text = HEADER.to_string();
    text += "float g(float x, float y) {\n  for (int i = 0; i < 8; i++) {\n    x = fract(x * y) + sqrt(abs(y)) * b[i];\n\
             if (x > 10.0) return x - y;\n    y = mix(x, y, 0.25) + clamp(x, 0.1, 0.9);\n  }\n  return x * y;\n}\n";
    text += "void main() {\n  uint i = gl_GlobalInvocationID.x;\n  float s = b[i];\n";
    for k in 0..count {
        text += &format!("  s += g(s, {k}.5);\n");
    }
    text + "  b[i] = s;\n}\n"
}

fn many_calls() -> Result<usize, String> {
    let mut count = 0;
    for opt in [OptLevel::None, OptLevel::Speed] {
        let (few, _) = work(&calls(100), opt)?;
        let (many, functions) = work(&calls(400), opt)?;
        println!("{opt:?}: 100 calls, {few} instructions; 400 calls, {many}, {functions} functions");
        // Some ten instructions for each further call.
        if functions == 0 || many - few > 300 * 20 {
            return Err(format!("{opt:?}: 100 calls take {few} instructions, 400 take {many}"));
        }
        count += 2;
    }
    Ok(count)
}
