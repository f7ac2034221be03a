//! Measuring the functions of the standard library against the bounds of the Vulkan specification, "Precision and
//! Operation of SPIR-V Instructions".
//!
//! Results come from kernels that our own compiler makes; references are the `f64` functions of Rust's standard library,
//! which are the C library's (glibc documents errors below 2 ULP of `f64`, which is 2⁻²⁸ ULP of `f32`).
//!
//! | module | holds |
//! |---|---|
//! | [`cases`] | the functions, their references and bounds |
//! | [`interval`] | ranges of permitted values, for bounds that are inherited from a formula |

pub mod cases;
pub mod interval;

use crate::matrix;
use crate::rng::Rng;
use cases::{Case, Region};
use glslc2native::{Bindings, DispatchOptions, Kernel};
use interval::ulp;

/// Inputs to a dispatch.
const BATCH: usize = 1 << 22;

/// An error, and the operands where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// How large.
    pub size: f64,
    /// Operands, as bits.
    pub at: [u32; 2],
}

impl Worst {
    fn meet(&mut self, size: f64, at: [u32; 2]) {
        if size > self.size {
            *self = Worst { size, at };
        }
    }
}

/// What was found in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Inputs with a defined result.
    pub count: u64,
    /// Greatest error in units of the exact result's last place.
    pub ulps: Worst,
    /// Greatest absolute error.
    pub absolute: Worst,
    /// Greatest part of the bound that an error took up: above 1, the bound is exceeded.
    pub share: Worst,
}

/// What was found of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// By region.
    pub regions: Vec<Found>,
    /// Greatest excess over [-1, 1], where that is asked.
    pub beyond: Worst,
}

impl Findings {
    fn merge(&mut self, other: &Findings) {
        self.beyond.meet(other.beyond.size, other.beyond.at);
        for (mine, theirs) in self.regions.iter_mut().zip(&other.regions) {
            mine.count += theirs.count;
            mine.ulps.meet(theirs.ulps.size, theirs.ulps.at);
            mine.absolute.meet(theirs.absolute.size, theirs.absolute.at);
            mine.share.meet(theirs.share.size, theirs.share.at);
        }
    }

    /// What exceeds a bound.
    pub fn faults(&self, case: &Case) -> Vec<String> {
        let shown = |at: [u32; 2]| {
            at[..case.operands]
                .iter()
                .map(|&b| format!("{:e} ({b:#010x})", f32::from_bits(b)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut faults = vec![];
        for (found, region) in self.regions.iter().zip(case.regions) {
            if found.share.size > 1.0 {
                let (size, at) = (found.share.size, shown(found.share.at));
                faults.push(format!("{}: {}: {size:.3} times the bound at {at}", case.name, region.inputs));
            }
            if found.count == 0 {
                faults.push(format!("{}: {}: nothing was checked", case.name, region.inputs));
            }
        }
        if self.beyond.size > 0.0 {
            faults.push(format!("{}: beyond [-1, 1] at {}", case.name, shown(self.beyond.at)));
        }
        faults
    }
}

/// Looks at one result.
fn judge(case: &Case, bits: [u32; 2], got: f32, findings: &mut Findings) {
    let operands = bits.map(|b| f64::from(f32::from_bits(b)));
    let operands = &operands[..case.operands];
    if operands.iter().any(|x| x.is_nan()) {
        return;
    }
    let (finite, got) = (operands.iter().all(|x| x.is_finite()), f64::from(got));
    if case.unit && finite && !(-1.0..=1.0).contains(&got) {
        findings.beyond.meet(if got.is_nan() { f64::INFINITY } else { got.abs() - 1.0 }, bits);
    }
    if !case.regions.iter().any(|region| (region.holds)(operands)) {
        return;
    }
    let exact = (case.reference)(operands);
    // Not defined: anything will do.
    if exact.is_nan() {
        return;
    }
    for (region, found) in case.regions.iter().zip(&mut findings.regions) {
        if (region.holds)(operands) {
            judge_in(region, operands, bits, exact, got, found);
        }
    }
}

fn judge_in(region: &Region, operands: &[f64], bits: [u32; 2], exact: f64, got: f64, found: &mut Found) {
    found.count += 1;
    let unit = ulp(exact);
    let error = if exact == got { 0.0 } else { (exact - got).abs() };
    // Rounding to the nearest is always permitted; bounds that are carried through formulas take long to compute.
    if error <= unit * 0.5 {
        found.absolute.meet(error, bits);
        found.ulps.meet(error / unit, bits);
        return;
    }
    let permitted = (region.error)(operands, exact);
    if !permitted.is_finite() {
        return;
    }
    // An infinity is right where the exact result, or one within the bound, is beyond what is finite.
    let max = f64::from(f32::MAX);
    let overflows = exact.abs() + permitted >= max + ulp(max) / 2.0;
    if overflows && got.abs() >= max && got.signum() == exact.signum() {
        return;
    }
    let error = if error.is_nan() { f64::INFINITY } else { error };
    found.absolute.meet(error, bits);
    found.ulps.meet(error / unit, bits);
    // A result below the normal numbers may be 0.
    let flushed = exact.abs() < f64::from(f32::MIN_POSITIVE) && got == 0.0;
    if !flushed {
        found.share.meet(error / permitted.max(unit * 0.5), bits);
    }
}

/// Is this result right: within the bounds, a NaN of a NaN or where there is no result, a zero or an infinity where the exact
/// result is one?
pub fn accepts(case: &Case, operands: &[u32], got: f32) -> bool {
    let bits = [operands[0], operands.get(1).copied().unwrap_or(0)];
    let mut findings = fresh(case);
    judge(case, bits, got, &mut findings);
    let numbers: Vec<f64> = operands.iter().map(|&b| f64::from(f32::from_bits(b))).collect();
    let exact = (case.reference)(&numbers);
    let special = match exact {
        // Undefined by the specification, and so are some results of two operands.
        _ if case.operands > 1 => true,
        _ if exact.is_nan() => got.is_nan(),
        _ if exact == 0.0 || exact.is_infinite() => f64::from(got).to_bits() == exact.to_bits(),
        _ => true,
    };
    let within = findings.regions.iter().all(|found| found.share.size <= 1.0) && findings.beyond.size == 0.0;
    special && within
}

/// The bits of results on every `step`-th `f32`, or of the pairs of edges.
pub fn results(case: &Case, config: matrix::Config, step: u32) -> Result<Vec<u32>, String> {
    let kernel = kernel(case, config)?;
    let count = if case.operands == 1 { (1u64 << 32).div_ceil(u64::from(step)) as usize } else { edges().len().pow(2) };
    let pairs = edges().into_iter().flat_map(|x| edges().into_iter().map(move |y| [x, y]));
    let (mut xs, mut ys): (Vec<u32>, Vec<u32>) = pairs.map(|[x, y]| (x, y)).unzip();
    let mut results = vec![0u32; count.next_multiple_of(64)];
    let push = [0, step].map(u32::to_le_bytes).concat();
    let mut bindings = Bindings::new();
    bindings.bind(0, 0, &mut results);
    match case.operands {
        1 => bindings.push(&push),
        _ => bindings.bind(0, 1, &mut xs).bind(0, 2, &mut ys),
    };
    let groups = [count.div_ceil(64) as u32, 1, 1];
    kernel.dispatch_with(&mut bindings, groups, DispatchOptions::default()).map_err(|error| error.to_string())?;
    drop(bindings);
    // Which NaN a NaN is may depend on the order of operands.
    results.truncate(count);
    Ok(results.into_iter().map(|b| if f32::from_bits(b).is_nan() { 0x7FC0_0000 } else { b }).collect())
}

fn kernel(case: &Case, config: matrix::Config) -> Result<Kernel, String> {
    let inputs = match case.operands {
        1 => "uniform P { uint first; uint step; }; float x = uintBitsToFloat(first + step * i);",
        _ => "uniform P { uint unused; }; float x = xs[i]; float y = ys[i];",
    };
    let (block, operands) = inputs.split_once("; float").unwrap_or((inputs, ""));
    let source = format!(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(push_constant) {block};\n\
         layout(set = 0, binding = 0, std430) writeonly buffer R {{ float r[]; }};\n\
         layout(set = 0, binding = 1, std430) readonly buffer X {{ float xs[]; }};\n\
         layout(set = 0, binding = 2, std430) readonly buffer Y {{ float ys[]; }};\n\
         void main() {{\n  uint i = gl_GlobalInvocationID.x;\n  float{operands}\n  r[i] = {};\n}}\n",
        case.glsl
    );
    let input = matrix::spirv(&source, case.name, false)?;
    matrix::compiler(config, &[]).compile(&input).map_err(|error| format!("{}: {error}\n{source}", case.name))
}

/// Splits a batch among threads.
fn judge_all(case: &Case, results: &[f32], operands: impl Fn(usize) -> [u32; 2] + Sync, findings: &mut Findings) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = results.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (results.chunks(part).enumerate())
            .map(|(k, chunk)| {
                let operands = &operands;
                scope.spawn(move || {
                    let mut mine =
                        Findings { regions: vec![Found::default(); case.regions.len()], ..Findings::default() };
                    for (i, &got) in chunk.iter().enumerate() {
                        judge(case, operands(k * part + i), got, &mut mine);
                    }
                    mine
                })
            })
            .collect();
        for worker in workers {
            // A worker that panicked found nothing, and the count tells.
            findings.merge(&worker.join().unwrap_or_default());
        }
    });
}

fn fresh(case: &Case) -> Findings {
    Findings { regions: vec![Found::default(); case.regions.len()], ..Findings::default() }
}

/// Measures a function of one operand on every `step`-th `f32` from the first on, in order of their bits.
pub fn sweep(
    case: &Case,
    config: matrix::Config,
    step: u32,
    mut progress: impl FnMut(u64, u64),
) -> Result<Findings, String> {
    let kernel = kernel(case, config)?;
    let total = (1u64 << 32).div_ceil(u64::from(step));
    let mut findings = fresh(case);
    let mut results = vec![0f32; BATCH];
    for start in (0..total).step_by(BATCH) {
        let count = (total - start).min(BATCH as u64) as usize;
        let first = (start * u64::from(step)) as u32;
        let push = [first, step].map(u32::to_le_bytes).concat();
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut results).push(&push);
        let groups = [count.div_ceil(64) as u32, 1, 1];
        kernel.dispatch_with(&mut bindings, groups, DispatchOptions::default()).map_err(|error| error.to_string())?;
        drop(bindings);
        judge_all(case, &results[..count], |i| [first.wrapping_add(step * i as u32), 0], &mut findings);
        progress(start + count as u64, total);
    }
    Ok(findings)
}

/// Bit patterns that are worth pairing: powers of two, neighbours of 1, limits.
fn edges() -> Vec<u32> {
    let mut edges: Vec<u32> = vec![0, 1, 0x007F_FFFF, 0x0080_0000, 0x3F7F_FFFF, 0x3F80_0001, 0x7F7F_FFFF, 0x7F80_0000];
    edges.extend((0..32).map(|k| 0x0100_0000 + k * 0x0400_0000));
    edges
        .extend([0.1f32, 0.3, 0.7, 1.0, 1.3, 2.0, 2.2, 3.0, 10.0, 100.0, 126.0, 127.0, 128.0, 149.0].map(f32::to_bits));
    let negative: Vec<u32> = edges.iter().map(|b| b | 1 << 31).collect();
    edges.extend(negative);
    edges
}

/// Measures a function of two operands on all pairs of edges and on `count` random pairs: a third of them any bits, a third
/// of moderate size, a third with results of moderate size.
pub fn sample(
    case: &Case,
    config: matrix::Config,
    count: usize,
    mut progress: impl FnMut(u64, u64),
) -> Result<Findings, String> {
    let kernel = kernel(case, config)?;
    let (mut findings, mut rng) = (fresh(case), Rng::new(3));
    let edges = edges();
    let mut pairs: Vec<[f32; 2]> =
        edges.iter().flat_map(|&x| edges.iter().map(move |&y| [x, y].map(f32::from_bits))).collect();
    let mut done = 0;
    while done < count || !pairs.is_empty() {
        while pairs.len() < BATCH.min(count) && done < count {
            let bits = [rng.u32(), rng.u32()].map(f32::from_bits);
            let x = match done % 3 {
                0 => bits,
                1 => [rng.range(-20.0, 20.0), rng.range(-20.0, 20.0)],
                _ => {
                    // x^y near 2^z.
                    let x = bits[0].abs();
                    [x, rng.range(-150.0, 130.0) / x.log2()]
                }
            };
            pairs.push(x);
            done += 1;
        }
        // Whole workgroups.
        while !pairs.len().is_multiple_of(64) {
            pairs.push([1.0; 2]);
        }
        let [mut xs, mut ys] = [0, 1].map(|k| pairs.iter().map(|p| p[k]).collect::<Vec<f32>>());
        let mut results = vec![0f32; pairs.len()];
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, &mut results).bind(0, 1, &mut xs).bind(0, 2, &mut ys);
        let groups = [(pairs.len() / 64) as u32, 1, 1];
        kernel.dispatch_with(&mut bindings, groups, DispatchOptions::default()).map_err(|error| error.to_string())?;
        drop(bindings);
        judge_all(case, &results, |i| pairs[i].map(f32::to_bits), &mut findings);
        pairs.clear();
        progress(done as u64, count as u64);
    }
    Ok(findings)
}
