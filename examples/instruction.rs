//! Instructions of one's own: GLSL calls two opcodes that nobody has implemented, closures of this program compute them, and
//! what the shader prints comes here too. `cargo run --example instruction`

use glslc2native::{Bindings, Compiler, DispatchOptions, Instruction, Op, Printed, Signature};

const SHADER: &str = "
#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_debug_printf : require
layout(local_size_x = 8, local_size_y = 8) in;

// How far along the Hilbert curve through a square a place is; the side is a literal operand.
spirv_instruction(id = 60000) uint hilbert(uvec2 place, spirv_literal uint side);
// How many invocations of the subgroup execute this at once.
spirv_instruction(id = 60001) uint companions();

layout(set = 0, binding = 0) buffer Out { uint along[]; };

void main() {
    uvec2 place = gl_GlobalInvocationID.xy;
    along[8 * place.y + place.x] = hilbert(place, 8);
    if (place.x == place.y) debugPrintfEXT(\"%v2u is on the diagonal, with %u in its subgroup\", place, companions());
}
";

/// Quadrant by quadrant, each turned so that the curve goes on.
fn hilbert(mut place: [u32; 2], side: u32) -> u32 {
    let mut along = 0;
    let mut half = side / 2;
    while half > 0 {
        let [right, up] = place.map(|at| u32::from(at & half != 0));
        along += half * half * ((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                place = place.map(|at| (side - 1).wrapping_sub(at));
            }
            place.swap(0, 1);
        }
        half /= 2;
    }
    along
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // For one invocation: operands and result have the types of the closure.
    let curve =
        Instruction::new(Op::opcode(60000), |place: [u32; 2], side: glslc2native::Literal| hilbert(place, side.0));
    // For a subgroup: the closure sees all its invocations, and which of them are active.
    let count = Instruction::subgroup(Op::opcode(60001), Signature::new().result::<u32>(), |subgroup| {
        for lane in subgroup.active_lanes() {
            subgroup.set(0, lane, subgroup.active().count_ones());
        }
    });
    let compiler = Compiler::new().subgroup_size(32).instruction(curve).instruction(count);
    let kernel = compiler.compile_glsl(SHADER, "hilbert.comp")?;

    let mut along = [0u32; 64];
    let print = |printed: &Printed<'_>| println!("line {}: {}", printed.line, printed.text);
    let options = DispatchOptions { print: Some(&print), ..DispatchOptions::default() };
    kernel.dispatch_with(Bindings::new().bind(0, 0, &mut along), [1, 1, 1], options)?;

    for row in along.chunks(8).rev() {
        println!("{}", row.iter().map(|n| format!("{n:4}")).collect::<String>());
    }
    Ok(())
}
