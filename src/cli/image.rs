//! PNG files as arrays of numbers, and back.
//!
//! Any PNG can be read: palettes, grey and 16 bits are converted. Brightness of coloured pixels is Rec. 709's luma of the
//! stored values, 0.2126 R + 0.7152 G + 0.0722 B; alpha is left aside. Files are written with 8 bits a channel.

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// Largest picture that is read, in bytes.
const MAX_BYTES: usize = 1 << 30;

/// A picture, rows from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<T> {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Numbers: one or four a pixel.
    pub pixels: Vec<T>,
}

/// A decoded file: samples of 8 or 16 bits.
struct Decoded {
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
    bytes: Vec<u8>,
}

fn decode(path: &Path, transformations: Transformations) -> Result<Decoded, String> {
    let name = path.display();
    let file = File::open(path).map_err(|e| format!("{name}: {e}"))?;
    let mut decoder = Decoder::new_with_limits(BufReader::new(file), Limits { bytes: MAX_BYTES });
    decoder.set_transformations(transformations);
    let mut reader = decoder.read_info().map_err(|e| format!("{name}: {e}"))?;
    let size = reader.output_buffer_size().filter(|&size| size <= MAX_BYTES);
    let size = size.ok_or_else(|| format!("{name}: a picture of more than {MAX_BYTES} bytes"))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(|e| format!("{name}: {e}"))?;
    bytes.truncate(info.buffer_size());
    Ok(Decoded { width: info.width, height: info.height, color: info.color_type, depth: info.bit_depth, bytes })
}

/// Numbers a pixel.
fn channels(color: ColorType) -> usize {
    match color {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    }
}

/// Reads a file as four bytes a pixel.
pub fn read_rgba8(path: &Path) -> Result<Image<u8>, String> {
    let Decoded { width, height, color, bytes, .. } = decode(path, Transformations::normalize_to_color8())?;
    let rgba = |pixel: &[u8]| match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, a, ..] => [r, g, b, a],
        [] => [0; 4],
    };
    Ok(Image { width, height, pixels: bytes.chunks_exact(channels(color)).flat_map(rgba).collect() })
}

/// Reads a file as one number a pixel, its brightness from 0 to 1.
pub fn read_grey(path: &Path) -> Result<Image<f32>, String> {
    let Decoded { width, height, color, depth, bytes } = decode(path, Transformations::EXPAND)?;
    let samples: Vec<f32> = match depth {
        BitDepth::Sixteen => {
            bytes.as_chunks::<2>().0.iter().map(|&s| f32::from(u16::from_be_bytes(s)) / 65535.0).collect()
        }
        _ => bytes.iter().map(|&s| f32::from(s) / 255.0).collect(),
    };
    let luma = |pixel: &[f32]| match *pixel {
        [r, g, b, ..] => 0.2126 * r + 0.7152 * g + 0.0722 * b,
        [grey, ..] => grey,
        [] => 0.0,
    };
    Ok(Image { width, height, pixels: samples.chunks_exact(channels(color)).map(luma).collect() })
}

/// Writes four bytes a pixel.
pub fn write_rgba8(path: &Path, image: &Image<u8>) -> Result<(), String> {
    encode(path, image.width, image.height, ColorType::Rgba, &image.pixels)
}

/// Writes one number a pixel; what is outside of 0 to 1, or no number, is clamped.
pub fn write_grey(path: &Path, image: &Image<f32>) -> Result<(), String> {
    // `as` saturates, and makes 0 of what is no number.
    let bytes: Vec<u8> = image.pixels.iter().map(|&v| (v * 255.0).round() as u8).collect();
    encode(path, image.width, image.height, ColorType::Grayscale, &bytes)
}

fn encode(path: &Path, width: u32, height: u32, color: ColorType, bytes: &[u8]) -> Result<(), String> {
    let name = path.display();
    let file = File::create(path).map_err(|e| format!("{name}: {e}"))?;
    let mut file = BufWriter::new(file);
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| format!("{name}: {e}"))?;
    writer.write_image_data(bytes).map_err(|e| format!("{name}: {e}"))?;
    writer.finish().map_err(|e| format!("{name}: {e}"))?;
    file.flush().map_err(|e| format!("{name}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is gone when dropped.
    struct Temporary(std::path::PathBuf);

    impl Temporary {
        fn new(name: &str) -> Temporary {
            Temporary(std::env::temp_dir().join(format!("glslc2native-{}-{name}", std::process::id())))
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn colour_survives_a_round_trip() -> Result<(), String> {
        let file = Temporary::new("rgba.png");
        let image = Image { width: 3, height: 2, pixels: (0..24).map(|i| i * 10).collect() };
        write_rgba8(&file.0, &image)?;
        assert_eq!(read_rgba8(&file.0)?, image);
        let grey = read_grey(&file.0)?;
        assert_eq!((grey.width, grey.height, grey.pixels.len()), (3, 2, 6));
        assert!((grey.pixels[0] - (0.7152 * 10.0 + 0.0722 * 20.0) / 255.0).abs() < 1e-6);
        Ok(())
    }

    #[test]
    fn grey_survives_a_round_trip() -> Result<(), String> {
        let file = Temporary::new("grey.png");
        let pixels: Vec<f32> = (0..=255).map(|i| i as f32 / 255.0).collect();
        write_grey(&file.0, &Image { width: 16, height: 16, pixels: pixels.clone() })?;
        assert_eq!(read_grey(&file.0)?.pixels, pixels);
        assert_eq!(read_rgba8(&file.0)?.pixels[4..8], [1, 1, 1, 255]);
        write_grey(&file.0, &Image { width: 2, height: 2, pixels: vec![-1.0, 2.0, f32::NAN, f32::INFINITY] })?;
        assert_eq!(read_grey(&file.0)?.pixels, [0.0, 1.0, 0.0, 1.0]);
        Ok(())
    }

    #[test]
    fn sixteen_bits_are_read_in_full() -> Result<(), String> {
        let file = Temporary::new("grey16.png");
        let mut encoder = Encoder::new(File::create(&file.0).map_err(|e| e.to_string())?, 2, 1);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::Sixteen);
        let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
        writer.write_image_data(&[0x12, 0x34, 0xff, 0xff]).map_err(|e| e.to_string())?;
        writer.finish().map_err(|e| e.to_string())?;
        assert_eq!(read_grey(&file.0)?.pixels, [f32::from(0x1234u16) / 65535.0, 1.0]);
        Ok(())
    }

    #[test]
    fn what_is_no_picture_is_an_error() -> Result<(), String> {
        let file = Temporary::new("text.png");
        std::fs::write(&file.0, b"no picture").map_err(|e| e.to_string())?;
        let name = file.0.display().to_string();
        assert!(read_rgba8(&file.0).is_err_and(|e| e.contains(&name)));
        assert!(read_grey(Path::new("/no/such.png")).is_err());
        assert!(write_grey(&file.0, &Image { width: 0, height: 2, pixels: vec![] }).is_err());
        assert!(write_grey(&file.0, &Image { width: 2, height: 2, pixels: vec![0.0] }).is_err());
        Ok(())
    }
}
