//! The kernels that benches use, against plain Rust in the same order of operations: exact without contraction, in units
//! in the last place with it. Sizes are no multiples of the workgroup or the subgroup.

use crate::support::{Setup, float_bytes, trial, words_of};
use glslc2native_testsuite::bench::raymarch;
use glslc2native_testsuite::matrix::{self, Config};
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::values::Compare;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};

/// Where a kernel is.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(format!("{name}.comp"))
}

/// The source of a kernel.
fn source(name: &str) -> Result<String, String> {
    let path = path(name);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs a kernel at every subgroup size without contraction, then with it. `setup` gets how floats are compared.
fn check(name: &'static str, setup: fn(Compare) -> Setup, contracted: Compare) -> Trial {
    trial(format!("kernels/{name}"), move || {
        let source = source(name)?;
        let mut count = setup(Compare::Exact).run(name, &source)?;
        count += setup(Compare::Exact).run_at(name, &source, &matrix::configs(&[2, 16, 64]))?;
        let fused: Vec<Config> = matrix::standard().into_iter().map(|c| Config { contract: true, ..c }).collect();
        Ok(count + setup(contracted).run_at(name, &source, &fused)?)
    })
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    vec![
        check("tiny", |_| tiny(), Compare::Exact),
        check("saxpy", saxpy, Compare::Tolerance(1e-6)),
        check("matmul_naive", matmul, Compare::Tolerance(1e-4)),
        trial("kernels/mandelbrot".into(), mandelbrot_trial),
        check("blur5", blur, Compare::Tolerance(1e-6)),
        check("transc", transcendental, Compare::Tolerance(3e-3)),
        trial("kernels/raymarch".into(), raymarch_trial),
        check("reduce", reduce, Compare::Exact),
        check("scan", |_| scan(), Compare::Exact),
        check("matmul_tiled", matmul_tiled, Compare::Tolerance(1e-4)),
        check("histogram", |_| histogram(), Compare::Exact),
    ]
}

/// All kernels with their sources and what they must do exactly, without contraction.
pub fn exact() -> Result<Vec<(&'static str, String, Setup)>, String> {
    let setups = [
        ("tiny", tiny()),
        ("saxpy", saxpy(Compare::Exact)),
        ("matmul_naive", matmul(Compare::Exact)),
        ("mandelbrot", mandelbrot()),
        ("blur5", blur(Compare::Exact)),
        ("reduce", reduce(Compare::Exact)),
        ("scan", scan()),
        ("matmul_tiled", matmul_tiled(Compare::Exact)),
        ("histogram", histogram()),
    ];
    setups.into_iter().map(|(name, setup)| Ok((name, source(name)?, setup))).collect()
}

fn randoms(count: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| rng.range(-1.0, 1.0)).collect()
}

fn tiny() -> Setup {
    let n = 5 * 64 - 3;
    // Three invocations fewer than there are elements for: their stores are dropped.
    Setup::groups(5, 1, 1).zeros(0, n).expect(0, (0..n as u32).map(|i| i * 3 + 1))
}

fn saxpy(how: Compare) -> Setup {
    let n = 1021;
    let (x, y, a) = (randoms(n, 1), randoms(n + 5, 2), 1.7f32);
    // `n` ends before the buffer does.
    let expected: Vec<f32> = (0..n + 5).map(|i| if i < n { a * x[i] + y[i] } else { y[i] }).collect();
    Setup::groups(4, 1, 1)
        .push(&[n as u32, a.to_bits()])
        .bytes(0, float_bytes(x.iter().copied()))
        .bytes(1, float_bytes(y))
        .expect_floats(1, how, expected)
}

fn matmul(how: Compare) -> Setup {
    let n = 37;
    let (a, b) = (randoms(n * n, 3), randoms(n * n, 4));
    let element = |i: usize| (0..n).fold(0.0f32, |sum, k| sum + a[i / n * n + k] * b[k * n + i % n]);
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    Setup::groups(3, 3, 1)
        .push(&[n as u32])
        .bytes(0, float_bytes(a))
        .bytes(1, float_bytes(b))
        .zeros(2, n * n)
        .expect_floats(2, how, expected)
}

/// Sine and cosine may be 2^-11 off, which is more than all else here: what remains is a bound on the whole.
fn transcendental(_: Compare) -> Setup {
    let n = 2003;
    let src: Vec<f32> = randoms(n, 6).into_iter().map(|x| 3.0 * x).collect();
    let value = |x: f32| {
        let s = (x * 3.0).sin() * (x * 1.7).cos();
        let e = (-x * x * 0.25).exp();
        let p = (x.abs() + 0.1).powf(1.3);
        let l = (x.abs() + 1.5).ln();
        s * e + 0.1 * p + l * (s + e).cos()
    };
    let expected: Vec<f32> = src.iter().map(|&x| value(x)).collect();
    Setup::groups(8, 1, 1).push(&[n as u32]).bytes(0, float_bytes(src)).zeros(1, n).expect_floats(
        1,
        Compare::Tolerance(3e-3),
        expected,
    )
}

/// Runs at every configuration without contraction, then with it, where a last bit may decide how many steps a pixel
/// takes: at most one in `share` of the words may be other than expected, by `similar`, and configurations must agree on
/// every bit.
fn mostly(
    name: &str,
    source: &str,
    setup: &Setup,
    share: usize,
    sizes: &[u32],
    similar: fn(u32, u32) -> bool,
) -> Result<usize, String> {
    let mut count = 0;
    for (contract, optimised) in [(false, false), (false, true), (true, false), (true, true)] {
        let input = matrix::spirv(source, name, optimised)?;
        let exact = &setup.0.expects[0].values;
        let first = std::cell::RefCell::new([None, None]);
        let configs = matrix::configs(sizes).into_iter().map(|c| Config { contract, ..c });
        count += matrix::execute(&input, &configs.collect::<Vec<_>>(), &setup.0, |config, after| {
            let words = words_of(&after[&setup.0.expects[0].slot]);
            let different = words.iter().zip(exact).filter(|(a, b)| !similar(**a, **b as u32)).count();
            if words.len() != exact.len() || different * share > words.len() {
                return Err(format!("{different} of {} words are not as expected", words.len()));
            }
            // What is fused depends on what was simplified before, and so on the level, but on nothing else.
            let level = usize::from(contract && config.o0);
            if *first.borrow_mut()[level].get_or_insert_with(|| words.clone()) != words {
                return Err("the result changes with the configuration".into());
            }
            Ok(())
        })
        .map_err(|error| if optimised { format!("optimised module: {error}") } else { error })?;
    }
    Ok(count)
}

/// Each channel may be off by a few steps of 256: what the precision of sines and powers leaves open.
fn raymarch_trial() -> Result<usize, String> {
    let (w, h, time) = (45u32, 29u32, 0.5f32);
    let expected = (0..w * h).map(|i| raymarch::pixel(i % w, i / w, w, h, time));
    let setup = Setup::groups(6, 4, 1).push(&[w, h, time.to_bits()]).zeros(0, (w * h) as usize).expect(0, expected);
    // By its path, for what it includes.
    mostly(&path("raymarch").to_string_lossy(), &source("raymarch")?, &setup, 50, &[8, 1, 2, 4, 16, 32, 64], |a, b| {
        a.to_le_bytes().into_iter().zip(b.to_le_bytes()).all(|(a, b)| a.abs_diff(b) <= 4)
    })
}

/// Exact without contraction; with it, few points may take another number of steps.
fn mandelbrot_trial() -> Result<usize, String> {
    let (setup, source) = (mandelbrot(), source("mandelbrot")?);
    let mut count = setup.run("mandelbrot", &source)?;
    count += setup.run_at("mandelbrot", &source, &matrix::configs(&[2, 16, 64]))?;
    Ok(count + mostly("mandelbrot", &source, &setup, 50, &matrix::ALL_SIZES, |a, b| a == b)?)
}

fn mandelbrot() -> Setup {
    let (w, h, limit) = (45u32, 29u32, 60u32);
    let (x0, y0, dx, dy) = (-2.3f32, -1.6f32, 0.0703125f32, 0.109375f32);
    let steps = |cx: f32, cy: f32| {
        let (mut zx, mut zy, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < limit && zx * zx + zy * zy <= 4.0 {
            let (x2, y2) = (zx * zx, zy * zy);
            zy = 2.0 * zx * zy + cy;
            zx = x2 - y2 + cx;
            steps += 1;
        }
        steps
    };
    let expected = (0..w * h).map(move |i| steps(x0 + (i % w) as f32 * dx, y0 + (i / w) as f32 * dy));
    Setup::groups(3, 2, 1)
        .push(&[w, h, limit, x0.to_bits(), y0.to_bits(), dx.to_bits(), dy.to_bits()])
        .zeros(0, (w * h) as usize)
        .expect(0, expected)
}

fn blur(how: Compare) -> Setup {
    const K: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    let (w, h) = (53i32, 21i32);
    let src = randoms((w * h) as usize, 5);
    let pixel = |i: i32| {
        let (x, y) = (i % w, i / w);
        let mut sum = 0.0f32;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let (xx, yy) = ((x + dx).clamp(0, w - 1), (y + dy).clamp(0, h - 1));
                sum += K[(dx + 2) as usize] * K[(dy + 2) as usize] * src[(yy * w + xx) as usize];
            }
        }
        sum
    };
    let expected: Vec<f32> = (0..w * h).map(pixel).collect();
    Setup::groups(4, 2, 1)
        .push(&[w as u32, h as u32])
        .bytes(0, float_bytes(src.iter().copied()))
        .zeros(1, (w * h) as usize)
        .expect_floats(1, how, expected)
}

/// Partial sums of 256 elements each, in the order of the tree.
fn reduce(how: Compare) -> Setup {
    let n = 3 * 256 + 77;
    let x = randoms(n, 11);
    let sum = |group: usize| {
        let mut part: Vec<f32> = (0..256).map(|i| x.get(group * 256 + i).copied().unwrap_or(0.0)).collect();
        let mut step = 128;
        while step > 0 {
            for i in 0..step {
                part[i] += part[i + step];
            }
            step /= 2;
        }
        part[0]
    };
    let expected: Vec<f32> = (0..4).map(sum).collect();
    Setup::groups(4, 1, 1)
        .push(&[n as u32])
        .bytes(0, float_bytes(x.iter().copied()))
        .zeros(1, 4)
        .expect_floats(1, how, expected)
}

/// Sums within each workgroup; the last is not full.
fn scan() -> Setup {
    let n = 3 * 256 + 77;
    let mut rng = Rng::new(12);
    let x: Vec<u32> = (0..n).map(|_| rng.u32()).collect();
    let sums = |part: &[u32]| -> Vec<u32> {
        (0..part.len()).map(|i| part[..=i].iter().fold(0u32, |sum, &v| sum.wrapping_add(v))).collect()
    };
    let expected: Vec<u32> = x.chunks(256).flat_map(sums).collect();
    Setup::groups(4, 1, 1).push(&[n as u32]).words(0, x).zeros(1, n).expect(1, expected)
}

/// Tiles of 16; the size is a multiple of them, as the kernel asks.
fn matmul_tiled(how: Compare) -> Setup {
    let n = 48;
    let (a, b) = (randoms(n * n, 12), randoms(n * n, 13));
    let element = |i: usize| (0..n).fold(0.0f32, |sum, k| sum + a[i / n * n + k] * b[k * n + i % n]);
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    Setup::groups(3, 3, 1)
        .push(&[n as u32])
        .bytes(0, float_bytes(a))
        .bytes(1, float_bytes(b))
        .zeros(2, n * n)
        .expect_floats(2, how, expected)
}

fn histogram() -> Setup {
    let (per, groups) = (5, 3);
    let mut rng = Rng::new(14);
    let src: Vec<u32> = (0..groups * 256 * per).map(|_| rng.u32()).collect();
    let mut bins = [0u32; 256];
    for value in &src {
        bins[(value & 255) as usize] += 1;
    }
    Setup::groups(groups as u32, 1, 1).push(&[per as u32]).words(0, src).zeros(1, 256).expect(1, bins)
}
