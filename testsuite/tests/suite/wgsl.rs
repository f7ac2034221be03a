//! What naga makes of WGSL: the SPIR-V of another producer, with its wrappers round divisions and conversions, its loops that
//! count themselves to an end, its checks of indices, and workgroup memory that is zeroed behind a barrier.
//!
//! Each shader is compiled for SPIR-V 1.0 (storage buffers are of class Uniform there) and 1.5, and with three ways to treat
//! indices, and run at the whole standard matrix.

use crate::support::{Setup, trial};
use glslc2native::Input;
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::values::Compare;
use libtest_mimic::Trial;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// A shader, and what it is run on.
type Case = (&'static str, &'static str, fn() -> Setup);

/// All trials.
pub fn trials() -> Vec<Trial> {
    let each = |&(name, source, setup): &Case| trial(format!("wgsl/{name}"), move || run(source, &setup()));
    CASES.iter().map(each).collect()
}

fn words(source: &str, version: (u8, u8), policy: BoundsCheckPolicy) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string(source))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    let info = info.map_err(|e| e.emit_to_string(source))?;
    // naga itself fails on arrays in functions with ReadZeroSkipWrite, and on pointers to parts of what parameters point
    // to with every policy.
    let index = if policy == BoundsCheckPolicy::ReadZeroSkipWrite { BoundsCheckPolicy::Restrict } else { policy };
    let policies = BoundsCheckPolicies { index, buffer: policy, ..BoundsCheckPolicies::default() };
    let options = spv::Options { lang_version: version, bounds_check_policies: policies, ..spv::Options::default() };
    let entry = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".into() };
    spv::write_vec(&module, &info, &options, Some(&entry)).map_err(|e| e.to_string())
}

fn run(source: &str, setup: &Setup) -> Result<usize, String> {
    use BoundsCheckPolicy::{ReadZeroSkipWrite, Restrict, Unchecked};
    let mut count = 0;
    for (version, policy) in [((1, 0), Unchecked), ((1, 5), Restrict), ((1, 3), ReadZeroSkipWrite)] {
        let input = Input::Spirv(words(source, version, policy)?);
        count += matrix::execute(&input, &matrix::standard(), &setup.0, |config, after| {
            setup.0.check(config.subgroup_size, after)
        })
        .map_err(|error| format!("SPIR-V {version:?}, {policy:?}: {error}"))?;
    }
    Ok(count)
}

const CASES: &[Case] = &[
    ("saxpy", SAXPY, || {
        let x = (0..11).map(|i| (i as f32).to_bits());
        let y = (0..10).map(|i| 2.5 * i as f32 + 1.0);
        let how = Compare::Exact;
        Setup::groups(3, 1, 1)
            .words(0, x)
            .words(1, [1f32.to_bits(); 10])
            .words(2, [2.5f32.to_bits(), 0, 0, 0])
            .expect_floats(1, how, y)
    }),
    ("collatz", COLLATZ, || {
        let steps = |mut n: u32| {
            let mut count = 0;
            while n > 1 {
                n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
                count += 1;
            }
            count
        };
        Setup::groups(2, 1, 1).words(0, 1..=13).expect(0, (1..=13).map(steps))
    }),
    ("indices", INDICES, || {
        let expected = (0..8u32).flat_map(|i| {
            let table = [3, 1, 4, 1, 5];
            let mut local = [i, i + 1, i + 2, i + 3];
            local[(i % 4) as usize] = 50;
            [table[(i % 5) as usize], local[((i + 1) % 4) as usize], local[(i % 4) as usize], 10 * (i % 3) + 1 + i % 2]
        });
        Setup::groups(1, 1, 1).zeros(0, 32).expect(0, expected)
    }),
    ("control", CONTROL, || {
        let expected = (0..12u32).map(|i| {
            let mut sum = 0;
            for k in 0..20 {
                match i % 4 {
                    0 => sum += 1,
                    1 | 2 if k > i => break,
                    1 | 2 => sum += 10,
                    _ if k % 2 == 0 => {}
                    _ => sum += 100,
                }
            }
            // The switch's own break only leaves the switch.
            if i % 4 == 1 || i % 4 == 2 { sum + 5 } else { sum + 7 }
        });
        Setup::groups(3, 1, 1).zeros(0, 12).expect(0, expected)
    }),
    ("reduction", REDUCTION, || {
        let data: Vec<u32> = (0..64).map(|i| i * 7 % 31).collect();
        let sum = |range: std::ops::Range<usize>| data[range].iter().sum::<u32>();
        let most = *data.iter().max().unwrap_or(&0);
        let halves = [sum(0..32), sum(32..64)];
        Setup::groups(2, 1, 1)
            .words(0, data.clone())
            .zeros(1, 4)
            .expect(1, [halves[0] + halves[1], most, halves[0], halves[1]])
    }),
    ("matrices", MATRICES, || {
        // A mat3x3 has columns 16 bytes apart, and its columns come first.
        let m = [1., 2., 3., 0., 4., 5., 6., 0., 7., 8., 10., 0.];
        let scale = [2.0f32, 0., 0., 0.];
        let expected = (0..4).flat_map(|i| {
            let v = [i as f32, 1.0, -1.0];
            let product: Vec<f32> = (0..3).map(|r| 2.0 * (0..3).map(|c| m[4 * c + r] * v[c]).sum::<f32>()).collect();
            [product[0], product[1], product[2], -3.0]
        });
        let uniform = m.iter().chain(&scale).map(|v: &f32| v.to_bits());
        Setup::groups(1, 1, 1).words(0, uniform).zeros(1, 16).expect_floats(1, Compare::Tolerance(1e-4), expected)
    }),
    ("division", DIVISION, || {
        let pairs: [[i32; 2]; 8] =
            [[7, 2], [-7, 2], [7, 0], [i32::MIN, -1], [i32::MIN, 2], [5, -3], [0, 0], [-1, i32::MIN]];
        let expected = pairs.iter().flat_map(|&[a, b]| {
            let (u, v) = (a as u32, b as u32);
            let signed = [a.checked_div(b).unwrap_or(a) as u32, a.checked_rem(b).unwrap_or(0) as u32];
            [signed[0], signed[1], u.checked_div(v).unwrap_or(u), u.checked_rem(v).unwrap_or(0)]
        });
        let input = pairs.iter().flatten().map(|&v| v as u32);
        Setup::groups(2, 1, 1).words(0, input).zeros(1, 32).expect(1, expected)
    }),
    ("pointers", POINTERS, || {
        let expected = (0..6u32).flat_map(|i| [i + 3, 2 * i, if i > 2 { 9 } else { i }]);
        Setup::groups(1, 1, 1).zeros(0, 18).expect(0, expected)
    }),
    ("bits", BITS, || {
        let data = [0u32, 1, 0x80, 0xff00_00ff, 0x8000_0000, u32::MAX, 0x0102_0304, 0x7f80_fe01];
        let none = |n: u32, empty: bool| if empty { u32::MAX } else { n };
        let expected = data.iter().flat_map(|&x| {
            let signed = |w: u32| w.to_le_bytes().map(|b| i32::from(b as i8));
            let dot: i32 = signed(x).iter().zip(signed(0x05fa_8003)).map(|(a, b)| a * b).sum();
            let unsigned: u32 = x
                .to_le_bytes()
                .iter()
                .zip(0x05fa_8003u32.to_le_bytes())
                .map(|(&a, b)| u32::from(a) * u32::from(b))
                .sum();
            [
                x.leading_zeros(),
                x.trailing_zeros(),
                none(31u32.wrapping_sub(x.leading_zeros()), x == 0),
                none(x.trailing_zeros(), x == 0),
                x.reverse_bits(),
                x.count_ones(),
                x >> 5 & 0x7f,
                (x & !0xff0) | 0xab0,
                dot as u32,
                unsigned,
            ]
        });
        Setup::groups(2, 1, 1).words(0, data).zeros(1, 80).expect(1, expected)
    }),
    ("floats", FLOATS, || {
        let data = [1.25f32, -2.5, 0.0, 7.75];
        let expected = data.iter().flat_map(|&x| {
            let (fraction, exponent) = if x == 0.0 {
                (0.0, 0.0)
            } else {
                let e = x.abs().log2().floor() + 1.0;
                (x / e.exp2(), e)
            };
            let t = (x / 4.0).clamp(0.0, 1.0);
            [
                x - x.trunc(),
                x.trunc(),
                fraction,
                exponent,
                t * t * (3.0 - 2.0 * t),
                if x > 0.0 { x } else { -1.0 },
                x.signum() * f32::from(u8::from(x != 0.0)),
                x - x.floor(),
            ]
        });
        Setup::groups(1, 1, 1).words(0, data.map(f32::to_bits)).zeros(1, 32).expect_floats(
            1,
            Compare::Tolerance(1e-6),
            expected,
        )
    }),
    ("conversions", CONVERSIONS, || {
        let data = [1.75f32, -1.75, 3e9, 5e9, -3e9, 0.0, 0.99, -0.99];
        // WGSL clamps to the numbers that both types have.
        let expected = data.iter().flat_map(|&x| {
            let signed = x.clamp(-2_147_483_648.0, 2_147_483_520.0) as i32;
            let unsigned = x.clamp(0.0, 4_294_967_040.0) as u32;
            [signed as u32, unsigned, x.to_bits(), u32::from(x != 0.0)]
        });
        Setup::groups(2, 1, 1).words(0, data.map(f32::to_bits)).zeros(1, 32).expect(1, expected)
    }),
    ("structs", STRUCTS, || {
        // Particles of 32 bytes: place, mass, velocity, alive.
        let particle = |i: u32| {
            let f = |v: f32| v.to_bits();
            [f(i as f32), f(0.5), f(-1.0), f(2.0), f(1.0), f(0.0), f(0.25 * i as f32), i % 3]
        };
        let moved = (0..7u32).flat_map(|i| {
            let mut p = particle(i);
            if !i.is_multiple_of(3) {
                p[0] = (i as f32 + 1.0 * 0.5).to_bits();
                p[2] = (-1.0 + 0.25 * i as f32 * 0.5f32).to_bits();
                p[7] += 10;
            }
            p
        });
        Setup::groups(2, 1, 1).words(0, (0..7).flat_map(particle)).expect(0, moved)
    }),
    ("scan", SCAN, || {
        let data: Vec<u32> = (0..16).map(|i| i * i % 7).collect();
        let mut sum = 0;
        let sums: Vec<u32> = data
            .iter()
            .map(|v| {
                sum += v;
                sum
            })
            .collect();
        Setup::groups(1, 1, 1).words(0, data).expect(0, sums)
    }),
    ("shared-uniform", SHARED_UNIFORM, || {
        let expected = (0..16u32).map(|i| if i / 8 == 1 { 3 * 100 + i } else { 2 * 100 + i });
        Setup::groups(2, 1, 1).words(0, [2, 3]).zeros(1, 16).expect(1, expected)
    }),
];

const SAXPY: &str = "
struct Params { a: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&y) { return; }
    y[id.x] = params.a * x[id.x] + y[id.x];
}";

const COLLATZ: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn steps(start: u32) -> u32 {
    var n = start;
    var count = 0u;
    while n > 1u {
        if n % 2u == 0u { n = n / 2u; } else { n = 3u * n + 1u; }
        count++;
    }
    return count;
}
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] = steps(data[id.x]); }
}";

const INDICES: &str = "
const TABLE = array<u32, 5>(3u, 1u, 4u, 1u, 5u);
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var table = TABLE;
    var local = array<u32, 4>(i, i + 1u, i + 2u, i + 3u);
    local[i % 4u] = 50u;
    var m = mat3x2<f32>(1.0, 2.0, 11.0, 12.0, 21.0, 22.0);
    let component = m[i % 3u][i % 2u];
    var result = vec4<u32>(table[i % 5u], 0u, local[i % 4u], u32(component));
    result[1] = local[(i + 1u) % 4u];
    out[i] = result;
}";

const CONTROL: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    var sum = 0u;
    var k = 0u;
    loop {
        if k == 20u { break; }
        var leave = false;
        switch i % 4u {
            case 1u, 2u: {
                if k > i { leave = true; break; }
                sum += 10u;
            }
            default: {
                if k % 2u == 0u { continue; }
                sum += 100u;
            }
            case 0u: { sum += 1u; }
        }
        if leave { break; }
        continuing {
            k += 1u;
            break if k > 25u;
        }
    }
    if k < 20u { out[i] = sum + 5u; } else { out[i] = sum + 7u; }
}";

const REDUCTION: &str = "
@group(0) @binding(0) var<storage, read> data: array<u32>;
struct Out { sum: atomic<u32>, most: atomic<u32>, halves: array<u32, 2> }
@group(0) @binding(1) var<storage, read_write> out: Out;
var<workgroup> partial: array<u32, 32>;
var<workgroup> most: atomic<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    partial[i] = data[id.x];
    atomicMax(&most, data[id.x]);
    workgroupBarrier();
    for (var stride = 16u; stride > 0u; stride /= 2u) {
        if i < stride { partial[i] += partial[i + stride]; }
        workgroupBarrier();
    }
    if i == 0u {
        atomicAdd(&out.sum, partial[0]);
        atomicMax(&out.most, atomicLoad(&most));
        out.halves[group.x] = partial[0];
    }
}";

const MATRICES: &str = "
struct Uniforms { m: mat3x3<f32>, scale: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    let v = vec3<f32>(f32(id.x), 1.0, -1.0);
    out[id.x] = vec4<f32>(u.scale * (u.m * v), determinant(u.m));
}";

const DIVISION: &str = "
@group(0) @binding(0) var<storage, read> pairs: array<vec2<i32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = pairs[id.x];
    let u = bitcast<vec2<u32>>(p);
    out[id.x] = vec4<u32>(bitcast<u32>(p.x / p.y), bitcast<u32>(p.x % p.y), u.x / u.y, u.x % u.y);
}";

const POINTERS: &str = "
struct Pair { a: u32, b: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> total: u32 = 3u;
fn add(p: ptr<function, u32>, by: u32) { *p += by; }
fn double(p: ptr<function, Pair>) { (*p).b *= 2u; (*p).a += 1u; }
fn limited(p: ptr<function, Pair>, limit: u32) -> u32 {
    if (*p).a > limit || (*p).b > limit { return 9u; }
    return (*p).a;
}
@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    var pair = Pair(i, i);
    double(&pair);
    var list = Pair(i, 1u);
    var sum = pair.a - 1u;
    add(&sum, total);
    out[3u * i] = sum;
    out[3u * i + 1u] = pair.b;
    out[3u * i + 2u] = limited(&list, 2u);
}";

const BITS: &str = "
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<array<u32, 10>>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = data[id.x];
    out[id.x] = array<u32, 10>(
        countLeadingZeros(x), countTrailingZeros(x), firstLeadingBit(x), firstTrailingBit(x), reverseBits(x), countOneBits(x),
        extractBits(x, 5u, 7u), insertBits(x, 0xabu, 4u, 8u), bitcast<u32>(dot4I8Packed(x, 0x05fa8003u)),
        dot4U8Packed(x, 0x05fa8003u));
}";

const FLOATS: &str = "
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<array<f32, 8>>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = data[id.x];
    let parts = modf(x);
    let split = frexp(x);
    let chosen = select(vec2<f32>(-1.0), vec2<f32>(x), vec2<bool>(x > 0.0, false));
    out[id.x] = array<f32, 8>(parts.fract, parts.whole, split.fract, f32(split.exp), smoothstep(0.0, 4.0, x), chosen.x,
        sign(x), fract(x));
}";

const CONVERSIONS: &str = "
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = data[id.x];
    out[id.x] = vec4<u32>(bitcast<u32>(i32(x)), u32(x), bitcast<u32>(x), u32(bool(x)));
}";

const STRUCTS: &str = "
struct Particle { place: vec3<f32>, mass: f32, velocity: vec3<f32>, state: u32 }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
fn step(p: Particle) -> Particle {
    if p.state == 0u { return p; }
    var moved = p;
    moved.place += p.velocity / p.mass;
    moved.state += 10u;
    return moved;
}
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&particles) { particles[id.x] = step(particles[id.x]); }
}";

const SCAN: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> a: array<u32, 16>;
var<workgroup> b: array<u32, 16>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = data[i];
    workgroupBarrier();
    for (var step = 1u; step < 16u; step <<= 1u) {
        var value = a[i];
        if i >= step { value += a[i - step]; }
        b[i] = value;
        workgroupBarrier();
        a[i] = b[i];
        workgroupBarrier();
    }
    data[i] = a[i];
}";

const SHARED_UNIFORM: &str = "
@group(0) @binding(0) var<storage, read> factors: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> factor: u32;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if i == 7u { factor = factors[group.x]; }
    let f = workgroupUniformLoad(&factor);
    out[id.x] = f * 100u + id.x;
}";
