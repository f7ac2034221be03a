//! The smallest use of the library: compile a shader, bind slices, dispatch. `cargo run --example saxpy`

use glslc2native::{Bindings, Compiler};

const SHADER: &str = "
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Push { float a; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = a * x[i] + y[i];
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kernel = Compiler::new().compile_glsl(SHADER, "saxpy.comp")?;
    print!("{}", glslc2native::interface_text(kernel.interface()));

    // 1000 is no multiple of the workgroup's 64 invocations: the last ones find no element, and do nothing.
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut y = vec![1.0f32; 1000];
    let mut bindings = Bindings::new();
    bindings.bind_read(0, 0, &x).bind(0, 1, &mut y).push_value("a", 2.0f32);
    kernel.dispatch(&mut bindings, kernel.groups_for([1000, 1, 1]))?;

    println!("y = {:?} … {:?}", &y[..4], &y[996..]);
    println!("compiled in {:?}", kernel.times());
    Ok(())
}
