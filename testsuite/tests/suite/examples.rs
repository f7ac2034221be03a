//! Every shader of `examples/` at small sizes: that it compiles, runs, and gives what it says.

use crate::support::{Setup, bytes_of, float_bytes, trial, words_of};
use glslc2native_testsuite::matrix;
use glslc2native_testsuite::rng::Rng;
use glslc2native_testsuite::values::Compare;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};

/// A shader and what is checked of it; the result is how many configurations were.
type Example = (&'static str, fn(&str) -> Result<usize, String>);

const EXAMPLES: &[Example] = &[
    ("blur", blur),
    ("landscape", |source| picture("landscape", source, &[29, 18])),
    ("mandelbrot", |source| picture("mandelbrot", source, &[23, 17, 40])),
    ("matmul", matmul),
    ("nbody", nbody),
    ("opiadd", opiadd),
    ("saxpy", saxpy),
    ("scan", scan),
    ("scene", |source| picture("scene", source, &[16, 12])),
];

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let each = EXAMPLES.iter().map(|&(name, check)| {
        trial(format!("examples/{name}"), move || {
            let path = folder().join(format!("{name}.comp"));
            check(&std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?)
        })
    });
    each.chain([trial("examples/all_are_checked".into(), all_are_checked)]).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// No shader lies there that nothing here runs.
fn all_are_checked() -> Result<usize, String> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "comp") {
            let name = path.file_stem().unwrap_or_default();
            if !EXAMPLES.iter().any(|(example, _)| name == *example) {
                return Err(format!("{} has no trial", path.display()));
            }
            count += 1;
        }
    }
    if count == EXAMPLES.len() { Ok(count) } else { Err(format!("{count} shaders, {} trials", EXAMPLES.len())) }
}

/// Pictures whose first push constants are width and height: whole, opaque, not of one colour, and the same at every
/// configuration.
fn picture(name: &str, source: &str, push: &[u32]) -> Result<usize, String> {
    let (width, height) = (push[0], push[1]);
    let setup = Setup::groups(width.div_ceil(8), height.div_ceil(8), 1).push(push).zeros(0, (width * height) as usize);
    let input = matrix::spirv(source, name, false)?;
    let first = std::cell::RefCell::new(None);
    matrix::execute(&input, &matrix::configs(&[4, 8, 16]), &setup.0, |_, after| {
        let pixels = words_of(&after[&(0, 0)]);
        if let Some(pixel) = pixels.iter().find(|pixel| *pixel >> 24 != 255) {
            return Err(format!("a pixel is {pixel:#010x}, which is not opaque"));
        }
        if pixels.iter().all(|pixel| *pixel == pixels[0]) {
            return Err("all pixels are of one colour".into());
        }
        if *first.borrow_mut().get_or_insert_with(|| pixels.clone()) != pixels {
            return Err("the picture changes with the configuration".into());
        }
        Ok(())
    })
}

/// A picture of one colour stays as it is.
fn blur(source: &str) -> Result<usize, String> {
    let (width, height, pixel) = (21u32, 19u32, 0xff80_4020);
    let count = (width * height) as usize;
    Setup::groups(2, 2, 1)
        .push(&[width, height, 3])
        .words(0, vec![pixel; count])
        .zeros(1, count)
        .expect(1, vec![pixel; count])
        .run("blur", source)
}

fn matmul(source: &str) -> Result<usize, String> {
    let n = 32;
    let mut rng = Rng::new(1);
    let mut matrix = || (0..n * n).map(|_| rng.range(-1.0, 1.0)).collect::<Vec<f32>>();
    let (a, b) = (matrix(), matrix());
    let element = |i: usize| (0..n).fold(0.0f32, |sum, k| sum + a[i / n * n + k] * b[k * n + i % n]);
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    Setup::groups(2, 2, 1)
        .push(&[n as u32])
        .bytes(0, float_bytes(a.iter().copied()))
        .bytes(1, float_bytes(b.iter().copied()))
        .zeros(2, n * n)
        .expect_floats(2, Compare::Exact, expected)
        .run("matmul", source)
}

/// On whole numbers, which are exact fused or not.
fn saxpy(source: &str) -> Result<usize, String> {
    let (n, a) = (300usize, 3.0f32);
    let values = |factor: usize| (0..512).map(move |i| (i * factor % 61) as f32);
    let expected = values(7).zip(values(3)).enumerate().map(|(i, (x, y))| if i < n { a * x + y } else { y });
    Setup::groups(2, 1, 1)
        .push(&[n as u32, a.to_bits()])
        .bytes(0, float_bytes(values(7)))
        .bytes(1, float_bytes(values(3)))
        .expect_floats(1, Compare::Exact, expected)
        .run("saxpy", source)
}

fn opiadd(source: &str) -> Result<usize, String> {
    let a: Vec<u32> = (0..70u32).map(|i| i.wrapping_mul(0x1234_5678)).collect();
    let b: Vec<u32> = (0..70u32).map(|i| i.wrapping_mul(0x9abc_def1)).collect();
    let sums: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    Setup::groups(2, 1, 1).words(0, a).words(1, b).zeros(2, sums.len()).expect(2, sums).run("opiadd", source)
}

/// Both passes, each from what the other leaves.
fn scan(source: &str) -> Result<usize, String> {
    let numbers: Vec<u32> = (0..2 * 512 + 77).map(|i| i * 31 % 97).collect();
    let scanned = |numbers: &[u32]| {
        let sum = |sum: &mut u32, number: &u32| {
            *sum += number;
            Some(*sum)
        };
        numbers.iter().scan(0, sum).collect::<Vec<u32>>()
    };
    let blocks: Vec<u32> = numbers.chunks(512).flat_map(scanned).collect();
    let sums: Vec<u32> = numbers.chunks(512).map(|block| block.iter().sum()).collect();
    let first = Setup::groups(3, 1, 1)
        .push(&[0])
        .words(0, numbers.clone())
        .zeros(1, 3)
        .expect(0, blocks.clone())
        .expect(1, sums.clone());
    let second =
        Setup::groups(3, 1, 1).push(&[1]).words(0, blocks).words(1, scanned(&sums)).expect(0, scanned(&numbers));
    Ok(first.run("scan", source)? + second.run("scan", source)?)
}

/// Two bodies at a distance of 2 pull each other: a kick, and a drift.
fn nbody(source: &str) -> Result<usize, String> {
    let bytes = |bodies: &[[f32; 4]]| bytes_of(bodies.iter().flatten().map(|v| v.to_bits()));
    let bodies = [[-1.0f32, 0.0, 0.0, 3.0], [1.0, 0.0, 0.0, 5.0]];
    let motions = [[0.0f32, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]];
    // A body is at a distance of 0 from itself: without any softening there would be NaNs.
    let (step, softening) = (0.5f32, 1e-3f32);
    let setup = |phase: u32| {
        Setup::groups(1, 1, 1)
            .push(&[2, phase, step.to_bits(), softening.to_bits()])
            .bytes(0, bytes(&bodies))
            .bytes(1, bytes(&motions))
    };
    let kicked = [[0.25 * 5.0 / 4.0, 1.0, 0.0, -7.5], [-0.25 * 3.0 / 4.0, -1.0, 0.0, -7.5f32]];
    let moved = [[-1.0, 0.5, 0.0, 3.0], [1.0, -0.5, 0.0, 5.0f32]];
    let near = Compare::Tolerance(1e-4);
    let kick = setup(0).expect_floats(1, near, kicked.into_iter().flatten());
    let drift = setup(1).expect_floats(0, Compare::Exact, moved.into_iter().flatten());
    Ok(kick.run("nbody", source)? + drift.run("nbody", source)?)
}
