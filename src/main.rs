//! `glslc2native`: compiles shaders, shows what becomes of them, and runs them on real data.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
