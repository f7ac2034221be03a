//! What glslang makes of HLSL: structured buffers, constant buffers with HLSL's packing and row-major matrices, output
//! parameters of intrinsics, loops and shared memory, at the whole standard matrix.

use crate::support::{Setup, trial};
use glslc2native::{Compiler, Input};
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::values::Compare;
use libtest_mimic::Trial;

/// A shader, and what it is run on.
type Case = (&'static str, &'static str, fn() -> Setup);

/// All trials.
pub fn trials() -> Vec<Trial> {
    CASES
        .iter()
        .map(|&(name, source, setup)| trial(format!("hlsl/{name}"), move || run(name, source, &setup())))
        .collect()
}

fn run(name: &str, source: &str, setup: &Setup) -> Result<usize, String> {
    let input = Input::Hlsl { source: source.into(), file_name: format!("{name}.hlsl") };
    let words = Compiler::new().stages(&input).spirv().map_err(|e| e.to_string())?.to_vec();
    matrix::execute(&Input::Spirv(words), &matrix::standard(), &setup.0, |config, after| {
        setup.0.check(config.subgroup_size, after)
    })
}

const CASES: &[Case] = &[
    ("structured-buffers", STRUCTURED, || {
        let particle = |i: u32| [i as f32, 1.0, 2.0, 0.5].map(f32::to_bits);
        let moved = (0..6u32).flat_map(|i| [i as f32 + 1.0, 1.5, 2.0 - 0.25 * i as f32, 0.5]);
        let how = Compare::Exact;
        Setup::groups(2, 1, 1).words(0, (0..6).flat_map(particle)).zeros(1, 24).expect_floats(1, how, moved)
    }),
    ("constant-buffers", CONSTANTS, || {
        // A float3 and a float share 16 bytes; an array has 16 bytes for each element; columns of a matrix lie one after the other.
        let block = [
            1.0f32, 2., 3., 4., 10., 0., 0., 0., 20., 0., 0., 0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.,
            13., 14., 15., 16.,
        ];
        let expected = (0..4).flat_map(|i| {
            let v = [i as f32, 1.0, 0.0, -1.0];
            let column = |r: usize| (0..4).map(|c| block[12 + 4 * c + r] * v[c]).sum::<f32>();
            let row = |c: usize| (0..4).map(|r| block[12 + 4 * c + r] * v[r]).sum::<f32>();
            [column(0), column(3), row(1), 4.0 * (1.0 + 2.0 + 3.0) + if i % 2 == 0 { 10.0 } else { 20.0 }]
        });
        Setup::groups(1, 1, 1).words(0, block.map(f32::to_bits)).zeros(1, 16).expect_floats(1, Compare::Exact, expected)
    }),
    ("intrinsics", INTRINSICS, || {
        let data = [0.75f32, -1.5, 3.25, 100.0];
        let expected = data.iter().flat_map(|&x| {
            [
                x.clamp(0.0, 1.0),
                x * 0.25 + 2.0 * 0.75,
                x - x.trunc(),
                x.trunc(),
                x.abs() % 2.0,
                1.0 / x,
                if x > 0.5 { 1.0 } else { 0.0 },
                x - x.floor(),
            ]
        });
        let how = Compare::Tolerance(1e-5);
        Setup::groups(1, 1, 1).words(0, data.map(f32::to_bits)).zeros(1, 32).expect_floats(1, how, expected)
    }),
    ("integers", INTEGERS, || {
        let data = [0u32, 1, 0x00ff_00f0, 0x8000_0001];
        let expected = data.iter().flat_map(|&x| {
            let low = if x == 0 { u32::MAX } else { x.trailing_zeros() };
            let high = if x == 0 { u32::MAX } else { 31 - x.leading_zeros() };
            [
                x.count_ones(),
                x.reverse_bits(),
                low,
                high,
                x.rotate_left(4),
                (x as i32 >> 3) as u32,
                x.wrapping_mul(3),
                u32::from(x & 1 != 0),
            ]
        });
        Setup::groups(1, 1, 1).words(0, data).zeros(1, 32).expect(1, expected)
    }),
    ("atomics", ATOMICS, || Setup::groups(2, 1, 1).zeros(0, 4).expect(0, [16, 15, 2, 0xffff])),
    ("shared-memory", SHARED, || {
        let data: Vec<u32> = (0..32).map(|i| i * 5 % 17).collect();
        let sums = [data[..16].iter().sum(), data[16..].iter().sum::<u32>()];
        let back = (0..32usize).map(|i| data[i / 16 * 16 + 15 - i % 16]).collect::<Vec<u32>>();
        Setup::groups(2, 1, 1).words(0, data).zeros(1, 34).expect(1, [&sums[..], &back].concat())
    }),
    ("control", CONTROL, || {
        let expected = (0..12i32).map(|i| {
            let mut sum = 0;
            let mut k = 0;
            while k < 10 {
                k += 1;
                if k == 3 {
                    continue;
                }
                match i % 3 {
                    0 => sum += 1,
                    1 => sum += k,
                    _ => {
                        sum -= 1;
                        if k > i {
                            break;
                        }
                    }
                }
            }
            (sum * 100 + k) as u32
        });
        Setup::groups(3, 1, 1).zeros(0, 12).expect(0, expected)
    }),
    ("byte-address", BYTES, || {
        let expected = (0..4u32).flat_map(|i| [i * 4, 7, 10 + i, 1000 + i]);
        Setup::groups(1, 1, 1).words(0, (0..4).flat_map(|i| [i, 10 + i])).zeros(1, 16).expect(1, expected)
    }),
    ("functions", FUNCTIONS, || {
        let expected = (0..6u32).flat_map(|i| [i + 5, 3 * i, i * i]);
        Setup::groups(1, 1, 1).zeros(0, 18).expect(0, expected)
    }),
    ("local-arrays", ARRAYS, || {
        let expected = (0..8u32).flat_map(|i| {
            let mut t: Vec<u32> = (0..6).map(|k| k * k + i).collect();
            t[(i % 6) as usize] = 99;
            [t[((i + 1) % 6) as usize], t[(i % 6) as usize], [2, 3, 5, 7][(i % 4) as usize]]
        });
        Setup::groups(1, 1, 1).zeros(0, 24).expect(0, expected)
    }),
    ("ids", IDS, || {
        let expected = (0..24u32).flat_map(|n| {
            let (group, index) = (n / 6, n % 6);
            [group % 2 * 3 + index % 3, group / 2 * 2 + index / 3, index, group % 2 + 10 * (group / 2)]
        });
        Setup::groups(2, 2, 1).zeros(0, 96).expect(0, expected)
    }),
    ("early-return", EARLY, || {
        let expected = (0..10u32).map(|i| match i {
            i if i >= 7 => 0,
            i if i % 2 == 0 => 2 * i + 1,
            i => 100 + i,
        });
        Setup::groups(3, 1, 1).words(1, [7, 0, 0, 0]).zeros(0, 10).expect(0, expected)
    }),
];

const STRUCTURED: &str = "
struct Particle { float3 place; float mass; };
[[vk::binding(0, 0)]] StructuredBuffer<Particle> before;
[[vk::binding(1, 0)]] RWStructuredBuffer<Particle> after;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint count, stride;
    before.GetDimensions(count, stride);
    if (id.x >= count) return;
    Particle p = before[id.x];
    p.place += float3(1.0, 0.5, -0.25 * id.x);
    after[id.x] = p;
}";

const CONSTANTS: &str = "
[[vk::binding(0, 0)]] cbuffer Block { float3 a; float b; float list[2]; float4x4 m; };
[[vk::binding(1, 0)]] RWStructuredBuffer<float4> result;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float4 v = float4(id.x, 1.0, 0.0, -1.0);
    float4 column = mul(m, v), row = mul(v, m);
    result[id.x] = float4(column.x, column.w, row.y, dot(a, float3(1, 1, 1)) * b + list[id.x % 2]);
}";

const INTRINSICS: &str = "
[[vk::binding(0, 0)]] StructuredBuffer<float> data;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> result;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float x = data[id.x], whole;
    float fraction = modf(x, whole);
    uint at = 8 * id.x;
    result[at] = saturate(x);
    result[at + 1] = lerp(2.0, x, 0.25);
    result[at + 2] = fraction;
    result[at + 3] = whole;
    result[at + 4] = fmod(abs(x), 2.0);
    result[at + 5] = rcp(x);
    result[at + 6] = step(0.5, x);
    result[at + 7] = frac(x);
}";

const INTEGERS: &str = "
[[vk::binding(0, 0)]] StructuredBuffer<uint> data;
[[vk::binding(1, 0)]] RWStructuredBuffer<uint> result;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint x = data[id.x], at = 8 * id.x;
    result[at] = countbits(x);
    result[at + 1] = reversebits(x);
    result[at + 2] = firstbitlow(x);
    result[at + 3] = firstbithigh(x);
    result[at + 4] = (x << 4) | (x >> 28);
    result[at + 5] = uint(int(x) >> 3);
    result[at + 6] = x * 3u;
    result[at + 7] = (x & 1) ? 1 : 0;
}";

const ATOMICS: &str = "
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> result;
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint before;
    InterlockedAdd(result[0], 1u, before);
    InterlockedMax(result[1], id.x);
    if (id.x % 8 == 3) InterlockedAdd(result[2], 1u);
    InterlockedOr(result[3], 1u << id.x);
}";

const SHARED: &str = "
[[vk::binding(0, 0)]] StructuredBuffer<uint> data;
[[vk::binding(1, 0)]] RWStructuredBuffer<uint> result;
groupshared uint values[16];
groupshared uint partial[16];
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex, uint3 group : SV_GroupID) {
    values[i] = data[id.x];
    partial[i] = values[i];
    GroupMemoryBarrierWithGroupSync();
    for (uint step = 8; step > 0; step >>= 1) {
        if (i < step) partial[i] += partial[i + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (i == 0) result[group.x] = partial[0];
    result[2 + id.x] = values[15 - i];
}";

const CONTROL: &str = "
[[vk::binding(0, 0)]] RWStructuredBuffer<int> result;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    int i = int(id.x), sum = 0, k = 0;
    bool leave = false;
    [loop] while (k < 10) {
        ++k;
        if (k == 3) continue;
        switch (i % 3) {
            case 0: sum += 1; break;
            case 1: sum += k; break;
            default: sum -= 1; leave = k > i; break;
        }
        if (leave) break;
    }
    result[id.x] = sum * 100 + k;
}";

const BYTES: &str = "
[[vk::binding(0, 0)]] ByteAddressBuffer data;
[[vk::binding(1, 0)]] RWByteAddressBuffer result;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint2 pair = data.Load2(8 * id.x);
    result.Store4(16 * id.x, uint4(4 * pair.x, 7, pair.y, 1000 + id.x));
}";

const FUNCTIONS: &str = "
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> result;
struct Pair { uint a, b; };
void change(inout Pair p, in uint by, out uint square) {
    square = p.a * p.a;
    p.a += by;
    p.b *= 3;
}
static uint five = 5;
[numthreads(6, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    Pair p = { id.x, id.x };
    uint square;
    change(p, five, square);
    result[3 * id.x] = p.a;
    result[3 * id.x + 1] = p.b;
    result[3 * id.x + 2] = square;
}";

const ARRAYS: &str = "
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> result;
static const uint primes[4] = { 2, 3, 5, 7 };
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint t[6];
    [unroll] for (uint k = 0; k < 6; ++k) t[k] = k * k + id.x;
    t[id.x % 6] = 99;
    result[3 * id.x] = t[(id.x + 1) % 6];
    result[3 * id.x + 1] = t[id.x % 6];
    result[3 * id.x + 2] = primes[id.x % 4];
}";

const IDS: &str = "
[[vk::binding(0, 0)]] RWStructuredBuffer<uint4> result;
[numthreads(3, 2, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID, uint i : SV_GroupIndex) {
    result[6 * (2 * group.y + group.x) + 3 * local.y + local.x] = uint4(id.xy, i, group.x + 10 * group.y);
}";

const EARLY: &str = "
[[vk::binding(1, 0)]] cbuffer Block { uint limit; };
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> result;
uint twice(uint n) {
    if (n % 2 == 1) return 100 + n;
    return 2 * n + 1;
}
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x >= limit) return;
    result[id.x] = twice(id.x);
}";
