//! Draws the Mandelbrot set with `mandelbrot.comp` and writes a PNG. `cargo run --example mandelbrot [OUT.png]`

use glslc2native::{Bindings, Compiler};
use std::path::{Path, PathBuf};
use std::time::Instant;

const WIDTH: u32 = 1024;
const HEIGHT: u32 = 768;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/mandelbrot.comp");
    let kernel = Compiler::new().compile_file(shader)?;

    let mut pixels = vec![[0u8; 4]; (WIDTH * HEIGHT) as usize];
    let mut bindings = Bindings::new();
    bindings
        .bind(0, 0, &mut pixels)
        .push_value("width", WIDTH)
        .push_value("height", HEIGHT)
        .push_value("iterations", 500u32);
    let start = Instant::now();
    kernel.dispatch(&mut bindings, kernel.groups_for([WIDTH, HEIGHT, 1]))?;
    println!("{WIDTH} × {HEIGHT} points in {:?}", start.elapsed());

    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("mandelbrot.png"), PathBuf::from);
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    println!("wrote {}", path.display());
    Ok(())
}
