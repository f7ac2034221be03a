//! Random programs, a few hundred of them; `cargo xtask random` runs as many as one likes. `GLSLC2NATIVE_SEEDS=100..200` runs
//! other seeds than usual.

use crate::support::trial;
use glslc2native_testsuite::random::source::check_exchanges;
use glslc2native_testsuite::random::{Failure, Tally, check_seed};
use libtest_mimic::Trial;

/// Programs of one trial.
const PER_TRIAL: u64 = 20;

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let programs = family("programs", seeds().unwrap_or((0, 300)), |seed| check_seed(seed, &[]));
    programs.chain(family("exchanges", seeds().unwrap_or((0, 60)), check_exchanges)).collect()
}

/// Checks the program of a seed.
type Check = fn(u64) -> Result<Tally, Box<Failure>>;

fn family(name: &'static str, (from, to): (u64, u64), check_one: Check) -> impl Iterator<Item = Trial> {
    (from..to).step_by(PER_TRIAL as usize).map(move |first| {
        let last = (first + PER_TRIAL).min(to);
        trial(format!("{name}/{first}..{last}"), move || check(first, last, check_one))
    })
}

fn seeds() -> Option<(u64, u64)> {
    let text = std::env::var("GLSLC2NATIVE_SEEDS").ok()?;
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn check(first: u64, last: u64, check_one: Check) -> Result<usize, String> {
    let mut tally = Tally::default();
    for seed in first..last {
        match check_one(seed) {
            Ok(more) => tally.add(more),
            Err(failure) => return Err(format!("seed {seed}: {}\n{}", failure.message, failure.text)),
        }
    }
    Ok(tally.programs)
}
