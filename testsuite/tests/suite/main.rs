//! The trials of glslc2native: golden files, scripts, kernels, examples, operations, control flow, memory, builtins, random
//! programs, workgroups and layouts, variants, objects, bad input. `cargo test --test golden -- FILTER` runs some of them.

mod amber;
mod bad_input;
mod builtins;
mod control;
mod deadline;
mod examples;
mod functions;
mod golden_files;
mod hlsl;
mod kernels;
mod layouts;
mod memory;
mod objects;
mod ops;
mod outside;
mod producers;
mod programs;
mod round_trip;
mod scale;
mod spec;
mod subgroups;
mod support;
mod variants;
mod wgsl;
mod workgroups;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let families = [
        golden_files::trials(),
        amber::trials(),
        functions::trials(),
        kernels::trials(),
        examples::trials(),
        ops::trials(),
        outside::trials(),
        control::trials(),
        deadline::trials(),
        memory::trials(),
        builtins::trials(),
        layouts::trials(),
        producers::trials(),
        programs::trials(),
        workgroups::trials(),
        round_trip::trials(),
        scale::trials(),
        spec::trials(),
        subgroups::trials(),
        variants::trials(),
        wgsl::trials(),
        hlsl::trials(),
        objects::trials(),
        bad_input::trials(),
    ];
    libtest_mimic::run(&args, families.into_iter().flatten().collect()).exit();
}
