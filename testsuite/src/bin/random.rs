//! `cargo xtask random`: checks random programs, many of them, in one process.
//!
//! `--count N` programs from `--seed S` on; every 20th runs on lavapipe too, where it is installed. Failing ones are made
//! smaller and written as golden files. See `docs/random.md`.

use glslc2native_testsuite::bench::vulkan::Device;
use glslc2native_testsuite::random::{Tally, check_seed, write_golden};
use std::process::ExitCode;
use std::time::Instant;

/// Programs between two that run on the other driver.
const DRIVER_EVERY: u64 = 20;
/// Failures after which there is no point in going on.
const MOST_FAILURES: usize = 10;

fn arguments() -> Result<(u64, u64), String> {
    let (mut count, mut seed) = (1000, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let target = match argument.as_str() {
            "--count" => &mut count,
            "--seed" => &mut seed,
            _ => return Err(format!("`{argument}`: there are --count N and --seed S")),
        };
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
        *target = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    }
    Ok((count, seed))
}

/// The other driver, if there is one. `VK_DRIVER_FILES` says which, so that the loader does not choose a GPU.
fn driver() -> Option<Device> {
    if std::env::var_os("VK_DRIVER_FILES").is_none() {
        println!("lavapipe is not installed: nothing is compared with it");
        return None;
    }
    match Device::open() {
        Ok(device) => {
            println!("every {DRIVER_EVERY}th also on {}", device.description());
            Some(device)
        }
        Err(error) => {
            println!("nothing is compared with another driver: {error}");
            None
        }
    }
}

fn report(tally: &Tally, failures: usize, start: Instant) {
    println!(
        "{} programs with {} statements, {} left out as too long; {} runs, {} modules to SPIR-V and back, {} invocations \
         interpreted as IR, {} programs on the other driver: {failures} differences ({:.0} s)",
        tally.programs,
        tally.statements,
        tally.skipped,
        tally.runs,
        tally.trips,
        tally.interpreted,
        tally.driver,
        start.elapsed().as_secs_f64()
    );
}

fn main() -> ExitCode {
    let (count, seed) = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let device = driver();
    let (mut tally, mut failures, start) = (Tally::default(), 0, Instant::now());
    for (index, seed) in (seed..).take(count as usize).enumerate() {
        let device = device.as_ref().filter(|_| seed.is_multiple_of(DRIVER_EVERY) || seed % (2 * DRIVER_EVERY) == 15);
        match check_seed(seed, device) {
            Ok(more) => tally.add(more),
            Err(failure) => {
                failures += 1;
                println!("seed {}: {}\n{}", failure.seed, failure.message, failure.text);
                match write_golden(&failure) {
                    Ok(path) => println!("written to {}", path.display()),
                    Err(error) => println!("not written: {error}"),
                }
            }
        }
        if index % 1000 == 999 {
            report(&tally, failures, start);
        }
        if failures >= MOST_FAILURES {
            break;
        }
    }
    report(&tally, failures, start);
    if failures == 0 && tally.programs > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
