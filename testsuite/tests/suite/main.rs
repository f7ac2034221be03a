//! The trials of glslc2native: golden files, kernels, examples, operations, control flow, memory, builtins, random programs
//! and layouts, variants, objects, bad input. `cargo test --test golden -- FILTER` runs some of them.

mod bad_input;
mod builtins;
mod control;
mod examples;
mod golden_files;
mod hlsl;
mod kernels;
mod layouts;
mod memory;
mod objects;
mod ops;
mod outside;
mod programs;
mod round_trip;
mod spec;
mod support;
mod variants;
mod wgsl;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let families = [
        golden_files::trials(),
        kernels::trials(),
        examples::trials(),
        ops::trials(),
        outside::trials(),
        control::trials(),
        memory::trials(),
        builtins::trials(),
        layouts::trials(),
        programs::trials(),
        round_trip::trials(),
        spec::trials(),
        variants::trials(),
        wgsl::trials(),
        hlsl::trials(),
        objects::trials(),
        bad_input::trials(),
    ];
    libtest_mimic::run(&args, families.into_iter().flatten().collect()).exit();
}
