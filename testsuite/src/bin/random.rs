//! `cargo xtask random`: checks random programs, many of them, in one process.
//!
//! `--count N` programs from `--seed S` on; every 20th runs on lavapipe too, where it is installed. `--exchanges`: programs
//! whose invocations exchange values over barriers. Failing ones are made smaller and written as golden files. See
//! `docs/random.md`.

use glslc2native_testsuite::bench::vulkan::Device;
use glslc2native_testsuite::random::source::check_exchanges;
use glslc2native_testsuite::random::{Tally, check_seed, write_golden};
use std::process::ExitCode;
use std::time::Instant;

/// Programs between two that run on the other driver.
const DRIVER_EVERY: u64 = 20;
/// Failures after which there is no point in going on.
const MOST_FAILURES: usize = 10;

struct Arguments {
    count: u64,
    seed: u64,
    exchanges: bool,
}

fn arguments() -> Result<Arguments, String> {
    let (mut count, mut seed, mut exchanges) = (1000, 0, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let target = match argument.as_str() {
            "--count" => &mut count,
            "--seed" => &mut seed,
            "--exchanges" => {
                exchanges = true;
                continue;
            }
            _ => return Err(format!("`{argument}`: there are --count N, --seed S and --exchanges")),
        };
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
        *target = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    }
    Ok(Arguments { count, seed, exchanges })
}

/// The other drivers, if there are any. `VK_DRIVER_FILES` says which, so that the loader does not choose a GPU.
fn drivers() -> Vec<Device> {
    if std::env::var_os("VK_DRIVER_FILES").is_none() {
        println!("lavapipe is not installed: nothing is compared with it");
        return vec![];
    }
    match Device::open_all() {
        Ok(devices) => {
            let names: Vec<String> = devices.iter().map(Device::description).collect();
            println!("every {DRIVER_EVERY}th also on {}", names.join(", where that differs on "));
            devices
        }
        Err(error) => {
            println!("nothing is compared with another driver: {error}");
            vec![]
        }
    }
}

fn report(tally: &Tally, failures: usize, start: Instant) {
    println!(
        "{} programs with {} statements, {} left out as too long; {} runs, {} modules to SPIR-V and back, {} invocations \
         interpreted as IR, {} programs on another driver, {} of them after others had differed, {} all with results of their own: {failures} differences ({:.0} s)",
        tally.programs,
        tally.statements,
        tally.skipped,
        tally.runs,
        tally.trips,
        tally.interpreted,
        tally.driver,
        tally.alone,
        tally.at_odds,
        start.elapsed().as_secs_f64()
    );
}

fn main() -> ExitCode {
    let Arguments { count, seed, exchanges } = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let devices = if exchanges { vec![] } else { drivers() };
    let (mut tally, mut failures, start) = (Tally::default(), 0, Instant::now());
    for (index, seed) in (seed..).take(count as usize).enumerate() {
        let devices = if seed.is_multiple_of(DRIVER_EVERY) { &devices[..] } else { &[] };
        match if exchanges { check_exchanges(seed) } else { check_seed(seed, devices) } {
            Ok(more) => {
                if more.alone + more.at_odds > 0 {
                    println!("seed {seed}: other drivers are at odds with each other or with themselves");
                }
                tally.add(more);
            }
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
