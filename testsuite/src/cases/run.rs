//! Runs a case as a compute shader: one workgroup of one invocation for each row of its values.
//!
//! Each value has a buffer of its own. What goes in is a macro for its element, and so are uniforms; what comes out is a variable,
//! whose value `${OUTPUT}` stores.

use super::{Case, Value};
use crate::values::Elem;
use glslc2native::{Bindings, Compiler, Input, Stage};
use glslc2native_scripts::amber::Number;
use glslc2native_scripts::amber::layout::{Layout, Std};
use std::fmt::Write as _;

/// Floats are as expected up to this difference, as the suite's own comparison has it.
const FLOAT_TOLERANCE: f64 = 0.05;

/// Compiles and runs a case; the number of values that were compared.
///
/// # Errors
///
/// An error of the compiler, or the first value that is not as expected.
pub fn run(case: &Case, compiler: &Compiler) -> Result<usize, String> {
    let both = case.both.as_deref().ok_or("the stages have code of their own: it needs a graphics pipeline")?;
    let source = source(case, both);
    let rows = case.values.iter().map(|value| value.rows.len()).max().unwrap_or(1);
    let mut buffers = vec![];
    for value in &case.values {
        let layout = Layout::of(&value.ty, Std::Std430)?;
        let mut bytes = vec![0; layout.size * rows];
        if !value.output {
            // Where there are fewer rows than of others, they are taken again.
            let numbers = value.rows.iter().cycle().take(rows).flatten().map(|&number| Number::Float(number));
            layout.write(&mut bytes, 0, numbers);
        }
        buffers.push((layout, bytes));
    }
    let input = Input::Glsl { source: source.clone(), file_name: "case.comp".into() };
    let compiler = compiler.clone().stage(Stage::Compute);
    let shown = |error: String| format!("{error}\n{source}");
    let kernel = compiler.compile(&input).map_err(|error| shown(error.to_string()))?;
    let mut bindings = Bindings::new();
    let used = &kernel.interface().resources;
    for (binding, (_, bytes)) in buffers.iter_mut().enumerate() {
        if used.iter().any(|resource| resource.binding as usize == binding) {
            bindings.bind(0, binding as u32, bytes);
        }
    }
    kernel.dispatch(&mut bindings, [rows as u32, 1, 1]).map_err(|error| shown(error.to_string()))?;
    drop(bindings);
    let mut checks = 0;
    for (value, (layout, bytes)) in case.values.iter().zip(&buffers).filter(|(value, _)| value.output) {
        checks += compare(value, layout, bytes, rows).map_err(shown)?;
    }
    Ok(checks)
}

fn compare(value: &Value, layout: &Layout, bytes: &[u8], rows: usize) -> Result<usize, String> {
    let expected = value.rows.iter().cycle().take(rows).flatten();
    let mut count = 0;
    for (index, &expected) in expected.enumerate() {
        let (at, part) = layout.component(index).ok_or("a component past the end")?;
        let bits =
            bytes.get(at..at + part.elem.size()).map(|bytes| part.elem.read(bytes)).ok_or("a byte past the end")?;
        let found = match part.elem {
            Elem::F32 => part.elem.to_float(bits),
            Elem::I32 => f64::from(bits as u32 as i32),
            _ => bits as f64,
        };
        let bound = if part.elem == Elem::F32 { FLOAT_TOLERANCE } else { 0.0 };
        if found.is_nan() || (found - expected).abs() > bound {
            let row = index / layout.parts.len().max(1);
            return Err(format!("{}, run {row}: expected {expected}, found {found}", value.name));
        }
        count += 1;
    }
    Ok(count)
}

/// The case's code as a compute shader.
fn source(case: &Case, both: &str) -> String {
    let mut declarations = String::from("layout(local_size_x = 1) in;\n");
    let mut output = String::new();
    for (binding, value) in case.values.iter().enumerate() {
        let Value { name, glsl, boolean, .. } = value;
        let stored = if *boolean { glsl.replace("bvec", "uvec").replace("bool", "uint") } else { glsl.clone() };
        let access = if value.output { "" } else { "readonly " };
        let precision = if *boolean { "" } else { "highp " };
        let _ = writeln!(
            declarations,
            "layout(std430, set = 0, binding = {binding}) {access}buffer Block{binding} {{ highp {stored} data[]; }} \
             block{binding};"
        );
        let element = format!("block{binding}.data[gl_WorkGroupID.x]");
        if value.output {
            let _ = writeln!(declarations, "{precision}{glsl} {name};");
            let _ = write!(output, "{element} = {stored}({name}); ");
        } else {
            let _ = writeln!(declarations, "#define {name} ({glsl}({element}))");
        }
    }
    // `#version` comes first in GLSL ES.
    let both = both.replace("${DECLARATIONS}", &declarations).replace("${OUTPUT}", &output).replace("${SETUP}", "");
    both.trim_start().to_string()
}
