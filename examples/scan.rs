//! Prefix sums of a million numbers with `scan.comp`, in five dispatches. `cargo run --example scan`
//!
//! A dispatch scans blocks of 512 numbers; what each block sums up to is scanned in the same way, and then added to the
//! blocks behind.

use glslc2native::{Bindings, Compiler, Kernel};
use std::path::Path;
use std::time::Instant;

/// Numbers that a workgroup scans.
const BLOCK: usize = 512;

/// Replaces each element by the sum of those before it and itself.
fn scan(kernel: &Kernel, data: &mut [u32]) -> Result<(), glslc2native::Error> {
    let blocks = data.len().div_ceil(BLOCK);
    let mut sums = vec![0u32; blocks];
    let pass = |data: &mut [u32], sums: &mut [u32], add: u32| {
        let mut bindings = Bindings::new();
        bindings.bind(0, 0, data).bind(0, 1, sums).push_value("add", add);
        kernel.dispatch(&mut bindings, [blocks as u32, 1, 1])
    };
    pass(data, &mut sums, 0)?;
    if blocks > 1 {
        scan(kernel, &mut sums)?;
        pass(data, &mut sums, 1)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scan.comp");
    let kernel = Compiler::new().compile_file(shader)?;

    let numbers: Vec<u32> = (0..1_000_000u32).map(|i| i * 7 % 10).collect();
    let mut sums = numbers.clone();
    let start = Instant::now();
    scan(&kernel, &mut sums)?;
    println!("{} prefix sums in {:?}: {:?} … {:?}", sums.len(), start.elapsed(), &sums[..8], &sums[sums.len() - 2..]);

    let mut sum = 0;
    for (number, found) in numbers.iter().zip(&sums) {
        sum += number;
        if sum != *found {
            return Err(format!("{found} is not {sum}").into());
        }
    }
    println!("they are what a loop gives");
    Ok(())
}
