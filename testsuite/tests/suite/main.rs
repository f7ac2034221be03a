//! The trials of glslc2native: golden files, kernels, examples, operations, control flow, memory, builtins, random programs,
//! workgroups and layouts, variants, objects, bad input. `cargo test --test golden -- FILTER` runs some of them.

mod bad_input;
mod builtins;
mod control;
mod deadline;
mod examples;
mod functions;
mod golden_files;
mod kernels;
mod layouts;
mod memory;
mod objects;
mod ops;
mod programs;
mod round_trip;
mod scale;
mod spec;
mod support;
mod variants;
mod workgroups;

fn main() {
    let args = libtest_mimic::Arguments::from_args();
    let families = [
        golden_files::trials(),
        functions::trials(),
        kernels::trials(),
        examples::trials(),
        ops::trials(),
        control::trials(),
        deadline::trials(),
        memory::trials(),
        builtins::trials(),
        layouts::trials(),
        programs::trials(),
        workgroups::trials(),
        round_trip::trials(),
        scale::trials(),
        spec::trials(),
        variants::trials(),
        objects::trials(),
        bad_input::trials(),
    ];
    libtest_mimic::run(&args, families.into_iter().flatten().collect()).exit();
}
