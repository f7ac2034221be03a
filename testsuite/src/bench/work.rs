//! The eleven kernels: their sizes, inputs and results.
//!
//! Inputs are the same in every process. A result is compared with plain Rust, which follows the shader; floats may differ
//! by what Vulkan's precision and contraction allow.

use super::raymarch;
use crate::rng::Rng;

/// A kernel and how it is dispatched.
pub struct Work {
    /// File name, without extension.
    pub name: &'static str,
    /// The size, for people.
    pub size: &'static str,
    /// Workgroups.
    pub groups: [u32; 3],
    /// The buffers, by binding in set 0.
    pub buffers: &'static [Contents],
    /// Push constants.
    pub push: &'static [Push],
    /// Compares the last buffer with what it must hold after one dispatch.
    check: fn(&Inputs, &[u32]) -> Result<(), String>,
}

/// What a buffer holds: so many words.
#[derive(Clone, Copy)]
pub enum Contents {
    /// Zeros.
    Zeros(usize),
    /// Floats from 0 to 1. Denormals and NaNs would be slow on some CPUs, and are not what is measured.
    Floats(usize),
    /// Any bits.
    Words(usize),
}

/// A push constant.
#[derive(Clone, Copy)]
pub enum Push {
    /// `uint` or `int`.
    U(u32),
    /// `float`.
    F(f32),
}

/// The buffers before a dispatch.
pub type Inputs = Vec<Vec<u32>>;

use Contents::{Floats, Words, Zeros};
use Push::{F, U};

const MI: usize = 1 << 20;
const MATRIX: usize = 512;
const PICTURE: usize = 1024;
const BLUR: usize = 2048;
const SCENE: usize = 512;
const SCALE: f32 = 1.5;
const LIMIT: u32 = 200;
const STEP: f32 = 2.5 / 1024.0;
const TIME: f32 = 0.5;
const PER: usize = 64;

/// All kernels.
pub const WORK: &[Work] = &[
    Work {
        name: "tiny",
        size: "4 Mi",
        groups: [1 << 16, 1, 1],
        buffers: &[Zeros(4 * MI)],
        push: &[],
        check: |_, out| exact(out, (0..out.len() as u32).map(|i| i * 3 + 1)),
    },
    Work {
        name: "saxpy",
        size: "16 Mi",
        groups: [1 << 16, 1, 1],
        buffers: &[Floats(16 * MI), Floats(16 * MI)],
        push: &[U(16 << 20), F(SCALE)],
        check: |inputs, out| {
            let pairs = inputs[0].iter().zip(&inputs[1]);
            close(out, 1e-6, pairs.map(|(x, y)| SCALE * f32::from_bits(*x) + f32::from_bits(*y)))
        },
    },
    Work {
        name: "reduce",
        size: "4 Mi",
        groups: [1 << 14, 1, 1],
        buffers: &[Floats(4 * MI), Zeros(MI / 64)],
        push: &[U(4 << 20)],
        check: |inputs, out| {
            let sum = |part: &[u32]| part.iter().map(|&x| f64::from(f32::from_bits(x))).sum::<f64>() as f32;
            close(out, 1e-5, inputs[0].chunks(256).map(sum))
        },
    },
    Work {
        name: "scan",
        size: "4 Mi",
        groups: [1 << 14, 1, 1],
        buffers: &[Words(4 * MI), Zeros(4 * MI)],
        push: &[U(4 << 20)],
        check: |inputs, out| exact(out, inputs[0].chunks(256).flat_map(sums)),
    },
    Work {
        name: "matmul_naive",
        size: "512²",
        groups: [32, 32, 1],
        buffers: &[Floats(MATRIX * MATRIX), Floats(MATRIX * MATRIX), Zeros(MATRIX * MATRIX)],
        push: &[U(MATRIX as u32)],
        check: product,
    },
    Work {
        name: "matmul_tiled",
        size: "512²",
        groups: [32, 32, 1],
        buffers: &[Floats(MATRIX * MATRIX), Floats(MATRIX * MATRIX), Zeros(MATRIX * MATRIX)],
        push: &[U(MATRIX as u32)],
        check: product,
    },
    Work {
        name: "mandelbrot",
        size: "1024²",
        groups: [64, 64, 1],
        buffers: &[Zeros(PICTURE * PICTURE)],
        push: &[U(PICTURE as u32), U(PICTURE as u32), U(LIMIT), F(-2.0), F(-1.25), F(STEP), F(STEP)],
        check: mandelbrot,
    },
    Work {
        name: "blur5",
        size: "2048²",
        groups: [128, 128, 1],
        buffers: &[Floats(BLUR * BLUR), Zeros(BLUR * BLUR)],
        push: &[U(BLUR as u32), U(BLUR as u32)],
        check: blur,
    },
    Work {
        name: "transc",
        size: "4 Mi",
        groups: [1 << 14, 1, 1],
        buffers: &[Floats(4 * MI), Zeros(4 * MI)],
        push: &[U(4 << 20)],
        check: transcendental,
    },
    Work {
        name: "histogram",
        size: "16 Mi",
        groups: [1 << 10, 1, 1],
        buffers: &[Words(16 * MI), Zeros(256)],
        push: &[U(PER as u32)],
        check: |inputs, out| {
            let mut bins = [0u32; 256];
            inputs[0].iter().for_each(|&word| bins[(word & 255) as usize] += 1);
            exact(out, bins)
        },
    },
    Work {
        name: "raymarch",
        size: "512²",
        groups: [64, 64, 1],
        buffers: &[Zeros(SCENE * SCENE)],
        push: &[U(SCENE as u32), U(SCENE as u32), F(TIME)],
        check: scene,
    },
];

impl Work {
    /// A kernel by its name.
    pub fn named(name: &str) -> Result<&'static Work, String> {
        WORK.iter().find(|work| work.name == name).ok_or_else(|| format!("there is no kernel `{name}`"))
    }

    /// The buffers before the first dispatch.
    pub fn inputs(&self) -> Inputs {
        let mut rng = Rng::new(1);
        let mut buffer = |contents: &Contents| match *contents {
            Zeros(count) => vec![0; count],
            Floats(count) => (0..count).map(|_| rng.unit().to_bits()).collect(),
            Words(count) => (0..count).map(|_| rng.u32()).collect(),
        };
        self.buffers.iter().map(&mut buffer).collect()
    }

    /// Buffers of the same sizes with nothing in them, which take no time to make.
    pub fn blanks(&self) -> Inputs {
        let blank = |contents: &Contents| match *contents {
            Zeros(count) | Floats(count) | Words(count) => vec![0; count],
        };
        self.buffers.iter().map(blank).collect()
    }

    /// The bytes of the push constants.
    pub fn push_bytes(&self) -> Vec<u8> {
        let bytes = |value: &Push| match value {
            U(value) => value.to_ne_bytes(),
            F(value) => value.to_ne_bytes(),
        };
        self.push.iter().flat_map(bytes).collect()
    }

    /// Compares the last buffer after one dispatch with what it must hold.
    pub fn check(&self, output: &[u32]) -> Result<(), String> {
        (self.check)(&self.inputs(), output).map_err(|what| format!("{}: {what}", self.name))
    }
}

/// The sums of the first one, two, three … words.
fn sums(words: &[u32]) -> Vec<u32> {
    let mut sum = 0u32;
    let add = |&word: &u32| {
        sum = sum.wrapping_add(word);
        sum
    };
    words.iter().map(add).collect()
}

/// The same words.
fn exact(out: &[u32], expected: impl IntoIterator<Item = u32>) -> Result<(), String> {
    let mut count = 0;
    for (index, expected) in expected.into_iter().enumerate() {
        if out.get(index) != Some(&expected) {
            return Err(format!("word {index} is {:?}, not {expected}", out.get(index)));
        }
        count += 1;
    }
    all_of(out, count)
}

/// The same floats but for `tolerance`, relative where they are large and absolute where they are small.
fn close(out: &[u32], tolerance: f32, expected: impl IntoIterator<Item = f32>) -> Result<(), String> {
    let mut count = 0;
    for (index, expected) in expected.into_iter().enumerate() {
        let found = out.get(index).map_or(f32::NAN, |&bits| f32::from_bits(bits));
        // So written that a NaN is an error.
        let is_close = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        if !is_close {
            return Err(format!("float {index} is {found}, not {expected}"));
        }
        count += 1;
    }
    all_of(out, count)
}

fn all_of(out: &[u32], count: usize) -> Result<(), String> {
    if count == out.len() { Ok(()) } else { Err(format!("{count} of {} words were checked", out.len())) }
}

/// At most two in a hundred words differ by more than `similar` allows. For results in which a last bit decides how long
/// a loop runs.
fn mostly(out: &[u32], expected: &[u32], similar: fn(u32, u32) -> bool) -> Result<(), String> {
    let different = out.iter().zip(expected).filter(|(a, b)| !similar(**a, **b)).count();
    if different * 50 > out.len() {
        return Err(format!("{different} of {} words differ", out.len()));
    }
    all_of(out, expected.len())
}

fn product(inputs: &Inputs, out: &[u32]) -> Result<(), String> {
    let mut expected = vec![0.0f32; MATRIX * MATRIX];
    for (row, line) in expected.chunks_mut(MATRIX).enumerate() {
        for k in 0..MATRIX {
            let a = f32::from_bits(inputs[0][row * MATRIX + k]);
            let b = &inputs[1][k * MATRIX..][..MATRIX];
            line.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * f32::from_bits(*b));
        }
    }
    close(out, 1e-4, expected)
}

fn mandelbrot(_: &Inputs, out: &[u32]) -> Result<(), String> {
    let steps = |index: usize| {
        let cx = -2.0 + (index % PICTURE) as f32 * STEP;
        let cy = -1.25 + (index / PICTURE) as f32 * STEP;
        let (mut zx, mut zy, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < LIMIT && zx * zx + zy * zy <= 4.0 {
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
            steps += 1;
        }
        steps
    };
    let expected: Vec<u32> = (0..PICTURE * PICTURE).map(steps).collect();
    mostly(out, &expected, |a, b| a == b)
}

fn blur(inputs: &Inputs, out: &[u32]) -> Result<(), String> {
    const K: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    let pixel = |index: usize| {
        let (x, y) = (index % BLUR, index / BLUR);
        let near = |at: usize, step: usize| (at + step).saturating_sub(2).min(BLUR - 1);
        let mut sum = 0.0f32;
        for dy in 0..5 {
            let row = &inputs[0][near(y, dy) * BLUR..][..BLUR];
            for dx in 0..5 {
                sum += K[dx] * K[dy] * f32::from_bits(row[near(x, dx)]);
            }
        }
        sum
    };
    close(out, 1e-5, (0..BLUR * BLUR).map(pixel))
}

/// Vulkan allows sine and cosine an error of 2^-11, and more to powers: hence the tolerance.
fn transcendental(inputs: &Inputs, out: &[u32]) -> Result<(), String> {
    let value = |bits: &u32| {
        let x = f64::from(f32::from_bits(*bits));
        let s = (x * 3.0).sin() * (x * 1.7).cos();
        let e = (-x * x * 0.25).exp();
        let p = (x.abs() + 0.1).powf(1.3);
        let l = (x.abs() + 1.5).ln();
        (s * e + 0.1 * p + l * (s + e).cos()) as f32
    };
    close(out, 2e-3, inputs[0].iter().map(value))
}

fn scene(_: &Inputs, out: &[u32]) -> Result<(), String> {
    let size = SCENE as u32;
    let expected: Vec<u32> =
        (0..size * size).map(|index| raymarch::pixel(index % size, index / size, size, size, TIME)).collect();
    mostly(out, &expected, |a, b| (0..4).all(|c| (a >> (8 * c) & 255).abs_diff(b >> (8 * c) & 255) <= 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_tell_right_from_wrong() {
        assert!(exact(&[1, 2], [1, 2]).is_ok());
        assert!(exact(&[1, 2], [1, 3]).is_err());
        assert!(exact(&[1, 2], [1]).is_err());
        assert!(exact(&[1], [1, 2]).is_err());
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert!(close(&bits(&[100.0, 0.0]), 1e-3, [100.05, 0.0005]).is_ok());
        assert!(close(&bits(&[100.0]), 1e-3, [100.2]).is_err());
        assert!(close(&bits(&[f32::NAN]), 1e-3, [1.0]).is_err());
        assert!(mostly(&[1; 100], &[[1; 99].as_slice(), &[2]].concat(), |a, b| a == b).is_ok());
        assert!(mostly(&[1; 100], &[[1; 97].as_slice(), &[2; 3]].concat(), |a, b| a == b).is_err());
    }

    #[test]
    fn sizes_fit_the_dispatches() {
        for work in WORK {
            assert!(!work.buffers.is_empty(), "{}", work.name);
            assert!(work.push_bytes().len() <= 128, "{}", work.name);
            assert!(Work::named(work.name).is_ok());
        }
        assert!(Work::named("none").is_err());
        assert_eq!(WORK.len(), 11);
    }
}
