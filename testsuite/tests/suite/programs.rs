//! Random programs, a few hundred of them; `cargo xtask random` runs as many as one likes. `GLSLC2NATIVE_SEEDS=100..200` runs
//! other seeds than usual.

use crate::support::trial;
use glslc2native_testsuite::random::{Tally, check_seed};
use libtest_mimic::Trial;

/// Programs of one trial.
const PER_TRIAL: u64 = 20;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let (from, to) = seeds().unwrap_or((0, 300));
    (from..to)
        .step_by(PER_TRIAL as usize)
        .map(|first| {
            let last = (first + PER_TRIAL).min(to);
            trial(format!("programs/{first}..{last}"), move || check(first, last))
        })
        .collect()
}

fn seeds() -> Option<(u64, u64)> {
    let text = std::env::var("GLSLC2NATIVE_SEEDS").ok()?;
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn check(first: u64, last: u64) -> Result<usize, String> {
    let mut tally = Tally::default();
    for seed in first..last {
        match check_seed(seed, None) {
            Ok(more) => tally.add(more),
            Err(failure) => return Err(format!("seed {seed}: {}\n{}", failure.message, failure.text)),
        }
    }
    Ok(tally.programs)
}
