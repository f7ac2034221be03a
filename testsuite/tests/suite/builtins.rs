//! Compute builtins for workgroups of many shapes, most of them no multiple of any subgroup size.

use crate::support::{Setup, trial};
use glslc2native_testsuite::matrix;
use libtest_mimic::Trial;

/// Workgroup size and workgroups.
const SHAPES: &[([u32; 3], [u32; 3])] = &[
    ([1, 1, 1], [5, 3, 2]),
    ([1, 1, 1], [37, 1, 1]),
    ([2, 2, 1], [9, 2, 1]),
    ([1, 4, 2], [5, 1, 2]),
    ([3, 1, 1], [23, 2, 1]),
    ([4, 1, 1], [67, 1, 1]),
    ([7, 1, 1], [3, 2, 1]),
    ([1, 7, 1], [2, 1, 3]),
    ([3, 5, 1], [2, 3, 1]),
    ([4, 4, 4], [2, 1, 2]),
    ([5, 1, 3], [1, 2, 2]),
    ([8, 8, 1], [2, 2, 1]),
    ([16, 1, 1], [1, 1, 1]),
    ([33, 1, 1], [4, 1, 1]),
    ([2, 3, 11], [1, 1, 1]),
    ([64, 1, 1], [2, 1, 1]),
    ([1024, 1, 1], [2, 1, 1]),
    ([32, 32, 1], [1, 1, 1]),
];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let name = |a: &[u32; 3]| format!("{}x{}x{}", a[0], a[1], a[2]);
    SHAPES
        .iter()
        .flat_map(|shape| {
            [
                trial(format!("builtins/ids/{}-of-{}", name(&shape.1), name(&shape.0)), move || ids(*shape)),
                trial(format!("builtins/stores/{}-of-{}", name(&shape.1), name(&shape.0)), move || stores(*shape)),
            ]
        })
        .chain([
            trial("builtins/workgroup-size-by-local-size-id".into(), local_size_id),
            trial("builtins/subgroup".into(), subgroup),
        ])
        .collect()
}

/// Invocations in order: of a workgroup by local index, workgroup after workgroup; each with its ids.
fn invocations((local, groups): ([u32; 3], [u32; 3])) -> impl Iterator<Item = Ids> {
    let at = |i: u32, size: [u32; 3]| [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])];
    let (volume, count) = (local.iter().product::<u32>(), groups.iter().product::<u32>());
    (0..count * volume).map(move |i| Ids {
        group: at(i / volume, groups),
        local: at(i % volume, local),
        index: i % volume,
    })
}

struct Ids {
    group: [u32; 3],
    local: [u32; 3],
    index: u32,
}

fn layout(local: [u32; 3]) -> String {
    let [x, y, z] = local;
    format!("layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;")
}

/// Each invocation stores all its ids at its place.
fn ids(shape: ([u32; 3], [u32; 3])) -> Result<usize, String> {
    let (local, groups) = shape;
    let volume: u32 = local.iter().product();
    let source = format!(
        "#version 450
{}
layout(std430, binding = 0) buffer O {{ uint o[]; }};
void main() {{
  uvec3 g = gl_WorkGroupID, l = gl_LocalInvocationID, n = gl_NumWorkGroups, s = gl_WorkGroupSize;
  uint at = ((g.z * n.y + g.y) * n.x + g.x) * {volume}u + gl_LocalInvocationIndex;
  uvec3 id = gl_GlobalInvocationID;
  o[at * 8u] = id.x; o[at * 8u + 1u] = id.y; o[at * 8u + 2u] = id.z;
  o[at * 8u + 3u] = l.x | l.y << 10 | l.z << 20;
  o[at * 8u + 4u] = g.x | g.y << 10 | g.z << 20;
  o[at * 8u + 5u] = n.x | n.y << 10 | n.z << 20;
  o[at * 8u + 6u] = s.x + s.y * 2000u + s.z * 4000000u;
  o[at * 8u + 7u] = gl_LocalInvocationIndex;
}}
",
        layout(local)
    );
    let packed = |v: [u32; 3]| v[0] | v[1] << 10 | v[2] << 20;
    let expected: Vec<u32> = invocations(shape)
        .flat_map(|ids| {
            let global: [u32; 3] = std::array::from_fn(|k| ids.group[k] * local[k] + ids.local[k]);
            let size = local[0] + local[1] * 2000 + local[2] * 4_000_000;
            let [x, y, z] = global;
            [x, y, z, packed(ids.local), packed(ids.group), packed(groups), size, ids.index]
        })
        .collect();
    let [x, y, z] = groups;
    Setup::groups(x, y, z).zeros(0, expected.len()).expect(0, expected).run("ids", &source)
}

/// Each invocation adds to its own element of a picture, in x and y: none is missed, none runs twice.
fn stores(shape: ([u32; 3], [u32; 3])) -> Result<usize, String> {
    let (local, groups) = shape;
    let size: [u32; 3] = std::array::from_fn(|k| local[k] * groups[k]);
    let source = format!(
        "#version 450
{}
layout(std430, binding = 0) buffer O {{ uint o[]; }};
void main() {{
  uvec3 id = gl_GlobalInvocationID;
  uvec3 size = gl_WorkGroupSize * gl_NumWorkGroups;
  o[(id.z * size.y + id.y) * size.x + id.x] += id.x + 3u * id.y + 1u;
}}
",
        layout(local)
    );
    let count: u32 = size.iter().product();
    let [x, y, z] = groups;
    let setup = Setup::groups(x, y, z)
        .words(0, (0..count).map(|i| i * 100))
        .expect(0, (0..count).map(move |i| i * 100 + i % size[0] + i / size[0] % size[1] * 3 + 1));
    let count = setup.run("stores", &source)?;
    Ok(count + setup.run_at("stores", &source, &matrix::configs(&[2, 16, 64]))?)
}

/// The workgroup's size by specialisation constants (`LocalSizeId` in SPIR-V 1.6).
fn local_size_id() -> Result<usize, String> {
    let source = "#version 450
layout(local_size_x_id = 3, local_size_y = 2) in;
layout(std430, binding = 0) buffer O { uint o[]; };
void main() { uint w = gl_WorkGroupSize.x * gl_NumWorkGroups.x; o[gl_GlobalInvocationID.y * w + gl_GlobalInvocationID.x] = gl_LocalInvocationIndex + 100u * gl_WorkGroupSize.x; }
";
    let mut setup = Setup::groups(2, 1, 1).zeros(0, 28).expect(0, (0..28).map(|i| i % 14 % 7 + i / 14 * 7 + 700));
    setup.0.spec.push((3, 7));
    setup.run("local_size_id", source)
}

/// `gl_SubgroupSize`, `gl_SubgroupInvocationID`, `gl_SubgroupID`, `gl_NumSubgroups`: by consecutive local indices.
fn subgroup() -> Result<usize, String> {
    let source = "#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 5, local_size_y = 5) in;
layout(std430, binding = 0) buffer O { uvec4 o[]; };
void main() { o[gl_WorkGroupID.x * 25u + gl_LocalInvocationIndex] = uvec4(gl_SubgroupSize, gl_SubgroupInvocationID, gl_SubgroupID, gl_NumSubgroups); }
";
    let mut count = 0;
    for size in matrix::ALL_SIZES {
        let row = |i: u32| [size, i % 25 % size, i % 25 / size, 25u32.div_ceil(size)];
        let setup = Setup::groups(2, 1, 1).zeros(0, 200).expect(0, (0..50).flat_map(row));
        count += setup.run_at("subgroup", source, &matrix::configs(&[size]))?;
    }
    Ok(count)
}
