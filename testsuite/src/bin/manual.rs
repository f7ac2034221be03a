//! Prints the mapping manual: what every SPIR-V instruction becomes. `cargo xtask manual` keeps `docs/mapping-manual.md`
//! equal to it.

fn main() {
    print!("{}", glslc2native::lowering::ops::manual());
}
