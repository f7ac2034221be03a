//! Lets a disc of bodies fall together with `nbody.comp`, prints its energy and draws it. `cargo run --example nbody [OUT.png]`

use glslc2native::{Bindings, Compiler};
use std::path::{Path, PathBuf};

const BODIES: u32 = 2048;
const STEPS: u32 = 120;
const STEP: f32 = 0.01;
const SIZE: u32 = 512;

/// Reproducible numbers from 0 to 1.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/nbody.comp");
    let kernel = Compiler::new().compile_file(shader)?;
    let groups = kernel.groups_for([BODIES, 1, 1]);

    // A disc that turns, a little too slowly to stay as it is.
    let mut random = Random(1);
    let (mut bodies, mut motions) = (vec![], vec![]);
    for _ in 0..BODIES {
        let (radius, angle) = (random.next().sqrt(), random.next() * std::f32::consts::TAU);
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        bodies.push([x, y, 0.1 * (random.next() - 0.5), 1.0 / BODIES as f32]);
        let speed = 0.6 * radius.sqrt();
        motions.push([-speed * angle.sin(), speed * angle.cos(), 0.0, 0.0]);
    }

    let dispatch = |bodies: &mut [[f32; 4]], motions: &mut [[f32; 4]], phase: u32, step: f32| {
        let mut bindings = Bindings::new();
        bindings
            .bind(0, 0, bodies)
            .bind(0, 1, motions)
            .push_value("count", BODIES)
            .push_value("phase", phase)
            .push_value("step", step)
            .push_value("softening", 0.05f32);
        kernel.dispatch(&mut bindings, groups)
    };
    // A kick of no length: it finds the potential energy of the beginning.
    dispatch(&mut bodies, &mut motions, 0, 0.0)?;
    println!("step   kinetic  potential     total");
    for step in 0..=STEPS {
        if step % 20 == 0 {
            let square = |m: &[f32; 4]| m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
            let kinetic: f32 = bodies.iter().zip(&motions).map(|(b, m)| 0.5 * b[3] * square(m)).sum();
            // Each pair was counted twice.
            let potential: f32 = motions.iter().map(|m| 0.5 * m[3]).sum();
            println!("{step:>4}  {kinetic:>8.4}  {potential:>9.4} {:>9.4}", kinetic + potential);
        }
        for phase in [0, 1, 0] {
            dispatch(&mut bodies, &mut motions, phase, STEP)?;
        }
    }

    let mut pixels = vec![0u8; (SIZE * SIZE) as usize];
    for body in &bodies {
        let at = |coordinate: f32| ((coordinate * 0.4 + 0.5) * SIZE as f32) as i64;
        let (x, y) = (at(body[0]), at(body[1]));
        if (0..i64::from(SIZE)).contains(&x) && (0..i64::from(SIZE)).contains(&y) {
            let pixel = &mut pixels[(y * i64::from(SIZE) + x) as usize];
            *pixel = pixel.saturating_add(120);
        }
    }
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("nbody.png"), PathBuf::from);
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, SIZE, SIZE);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    println!("wrote {}", path.display());
    Ok(())
}
