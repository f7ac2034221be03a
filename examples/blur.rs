//! Blurs a picture with `blur.comp`. `cargo run --example blur [IN.png [OUT.png [RADIUS]]]`
//!
//! Without arguments it blurs `picture.png`, which stands beside this file.

use glslc2native::{Bindings, Compiler};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().map_or_else(|| folder.join("picture.png"), PathBuf::from);
    let output = arguments.next().map_or_else(|| PathBuf::from("blur.png"), PathBuf::from);
    let radius: i32 = arguments.next().as_deref().unwrap_or("6").parse()?;

    let (width, height, source) = read_png(&input)?;
    let kernel = Compiler::new().compile_file(folder.join("blur.comp"))?;
    let mut result = vec![[0u8; 4]; source.len()];
    let mut bindings = Bindings::new();
    bindings
        .bind_read(0, 0, &source)
        .bind(0, 1, &mut result)
        .push_value("width", width as i32)
        .push_value("height", height as i32)
        .push_value("radius", radius);
    kernel.dispatch(&mut bindings, kernel.groups_for([width, height, 1]))?;

    let mut encoder = png::Encoder::new(File::create(&output)?, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(result.as_flattened())?;
    println!("wrote {}", output.display());
    Ok(())
}

/// Width, height and RGBA pixels of a picture with 8 bits a channel.
fn read_png(path: &Path) -> Result<(u32, u32, Vec<[u8; 4]>), Failure> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let pixels: Vec<[u8; 4]> = match info.color_type {
        png::ColorType::Rgba => bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect(),
        png::ColorType::Rgb => bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::Grayscale => bytes.iter().map(|&v| [v, v, v, 255]).collect(),
        other => return Err(format!("{}: {other:?} pictures are not read", path.display()).into()),
    };
    Ok((info.width, info.height, pixels))
}
