//! Bitcasts between components of all widths: memory before is memory after. Double words packed and unpacked.

use super::{HEADER, glsl};
use crate::support::trial;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::runs::{Buffers, Run};
use glslc2native_testsuite::values::Elem::{self, *};
use libtest_mimic::Trial;

/// A component type and how many there are.
type Shape = (Elem, usize);

/// From and to, as many bytes each.
const CASTS: &[(Shape, Shape)] = &[
    ((U8, 4), (U32, 1)),
    ((U32, 1), (I8, 4)),
    ((I8, 4), (F32, 1)),
    ((U8, 2), (I16, 1)),
    ((U16, 1), (U8, 2)),
    ((I16, 2), (U32, 1)),
    ((F32, 1), (U16, 2)),
    ((I16, 4), (I64, 1)),
    ((U64, 1), (U16, 4)),
    ((F64, 1), (I16, 4)),
    ((F16, 2), (U32, 1)),
    ((U32, 1), (F16, 2)),
    ((F16, 4), (F64, 1)),
    ((U64, 1), (F16, 4)),
    ((F16, 1), (I16, 1)),
    ((U16, 3), (F16, 3)),
    ((I8, 1), (U8, 1)),
    ((U16, 4), (I16, 4)),
    ((U32, 2), (U64, 1)),
    ((I64, 1), (U32, 2)),
    ((U32, 2), (F64, 1)),
    ((F64, 1), (U32, 2)),
    ((F64, 2), (U32, 4)),
    ((F32, 4), (I64, 2)),
    ((F64, 1), (U64, 1)),
    ((I64, 3), (F64, 3)),
    ((U32, 1), (F32, 1)),
    ((I32, 3), (U32, 3)),
];

const ELEMENTS: usize = 60;

fn shader(from: (Elem, usize), to: (Elem, usize), instruction: &str) -> String {
    let (a, b) = (glsl(from.0, from.1), glsl(to.0, to.1));
    let load = |index: &str| {
        let parts: Vec<String> = (0..from.1).map(|c| format!("a[{} * {index} + {c}]", from.1)).collect();
        format!("{a}({})", parts.join(", "))
    };
    let store = |name: &str, index: &str| -> String {
        (0..to.1)
            .map(|c| {
                let component = if to.1 == 1 { String::new() } else { format!("[{c}]") };
                format!("    {name}[{} * {index} + {c}] = r{component};\n", to.1)
            })
            .collect()
    };
    format!(
        "{HEADER}layout(local_size_x = 16) in;
spirv_instruction({instruction}) {b} cast_({a} v);
layout(std430, binding = 0) readonly buffer A {{ {} a[]; }};
layout(std430, binding = 1) writeonly buffer B {{ {} b[]; }};
layout(std430, binding = 2) writeonly buffer C {{ {} c[]; }};
void main() {{
  uint i = gl_GlobalInvocationID.x;
  if (i < {ELEMENTS}u) {{
    {b} r = cast_({});
{}  }}
  for (uint k = gl_WorkGroupID.x; k < {ELEMENTS}u; k += gl_NumWorkGroups.x) {{
    {b} r = cast_({});
    if (gl_LocalInvocationIndex == 0u) {{
{}    }}
  }}
}}
",
        glsl(from.0, 1),
        glsl(to.0, 1),
        glsl(to.0, 1),
        load("i"),
        store("b", "i"),
        load("k"),
        store("c", "k"),
    )
}

/// Name, shader, and bytes of an element.
fn cases() -> impl Iterator<Item = (String, String, usize)> {
    let casts = CASTS.iter().map(|&(from, to)| {
        let name = format!("Bitcast-{}x{}-{}x{}", from.0.name(), from.1, to.0.name(), to.1);
        (name, shader(from, to, "id = 124"), from.0.size() * from.1)
    });
    let packing = [("PackDouble2x32", 59, (U32, 2), (F64, 1)), ("UnpackDouble2x32", 65, (F64, 1), (U32, 2))];
    let packing = packing.into_iter().map(|(name, id, from, to)| {
        (name.to_string(), shader(from, to, &format!("set = \"GLSL.std.450\", id = {id}")), 8)
    });
    casts.chain(packing)
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    cases().map(|(name, source, bytes)| trial(format!("ops/typed/{name}"), move || run(&source, bytes))).collect()
}

/// Every shader.
pub fn shaders() -> impl Iterator<Item = (&'static str, String)> {
    cases().map(|(_, source, _)| ("bitcast", source))
}

fn run(source: &str, bytes: usize) -> Result<usize, String> {
    let mut rng = Rng::new(17);
    let input = matrix::spirv(source, "bitcast", false).map_err(|error| format!("{error}\n{source}"))?;
    let memory: Vec<u8> = (0..bytes * ELEMENTS).map(|_| rng.u32() as u8).collect();
    let buffers: Buffers =
        (0..3).map(|k| ((0, k), if k == 0 { memory.clone() } else { vec![0; memory.len()] })).collect();
    let run = Run { groups: [4, 1, 1], buffers, ..Run::default() };
    matrix::execute(&input, &matrix::standard(), &run, |_, after| {
        for k in [1, 2] {
            let got = &after[&(0, k)];
            if let Some(at) = (0..memory.len()).find(|&at| got[at] != memory[at]) {
                let element = at / bytes * bytes;
                return Err(format!(
                    "buffer {k}, element {}: {:x?}, not {:x?}",
                    at / bytes,
                    &got[element..element + bytes],
                    &memory[element..element + bytes]
                ));
            }
        }
        Ok(())
    })
}
