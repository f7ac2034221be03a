//! `kernels/raymarch_core.h` in Rust: what the picture must be. The names and the order of operations are those of the
//! shader; [`pixel`] is its `renderPixel`.

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        v(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        v(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, factor: f32) -> Vec3 {
        v(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl Mul for Vec3 {
    type Output = Vec3;
    fn mul(self, other: Vec3) -> Vec3 {
        v(self.x * other.x, self.y * other.y, self.z * other.z)
    }
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

fn length(a: Vec3) -> f32 {
    dot(a, a).sqrt()
}

fn normalize(a: Vec3) -> Vec3 {
    a * (1.0 / length(a))
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    v(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y)
}

fn fract(x: f32) -> f32 {
    x - x.floor()
}

fn modulo(x: f32, y: f32) -> f32 {
    x - y * (x / y).floor()
}

fn sat(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

fn hash21(x: f32, y: f32) -> f32 {
    let (a, b) = (fract(x * 123.34), fract(y * 456.21));
    let d = a * (a + 45.32) + b * (b + 45.32);
    fract((a + d) * (b + d))
}

fn noise2(x: f32, y: f32) -> f32 {
    let (ix, iy) = (x.floor(), y.floor());
    let (fx, fy) = (x - ix, y - iy);
    let (ux, uy) = (fx * fx * (3.0 - 2.0 * fx), fy * fy * (3.0 - 2.0 * fy));
    let (a, b) = (hash21(ix, iy), hash21(ix + 1.0, iy));
    let (c, d) = (hash21(ix, iy + 1.0), hash21(ix + 1.0, iy + 1.0));
    let (p, q) = (a + (b - a) * ux, c + (d - c) * ux);
    p + (q - p) * uy
}

fn fbm(mut x: f32, mut y: f32) -> f32 {
    let (mut sum, mut amplitude) = (0.0, 0.5);
    for _ in 0..4 {
        sum += amplitude * noise2(x, y);
        (x, y) = (1.6 * x + 1.2 * y, -1.2 * x + 1.6 * y);
        amplitude *= 0.5;
    }
    sum
}

fn rot_y(p: Vec3, c: f32, s: f32) -> Vec3 {
    v(c * p.x + s * p.z, p.y, c * p.z - s * p.x)
}

fn rot_x(p: Vec3, c: f32, s: f32) -> Vec3 {
    v(p.x, c * p.y - s * p.z, s * p.y + c * p.z)
}

fn sphere(p: Vec3, r: f32) -> f32 {
    length(p) - r
}

fn cuboid(p: Vec3, b: Vec3) -> f32 {
    let (qx, qy, qz) = (p.x.abs() - b.x, p.y.abs() - b.y, p.z.abs() - b.z);
    length(v(qx.max(0.0), qy.max(0.0), qz.max(0.0))) + qx.max(qy.max(qz)).min(0.0)
}

fn torus(p: Vec3, large: f32, small: f32) -> f32 {
    let q = (p.x * p.x + p.z * p.z).sqrt() - large;
    (q * q + p.y * p.y).sqrt() - small
}

fn capsule(p: Vec3, a: Vec3, b: Vec3, r: f32) -> f32 {
    let (pa, ba) = (p - a, b - a);
    length(pa - ba * sat(dot(pa, ba) / dot(ba, ba))) - r
}

fn cylinder(p: Vec3, h: f32, r: f32) -> f32 {
    let (dx, dy) = ((p.x * p.x + p.z * p.z).sqrt() - r, p.y.abs() - h);
    let (ox, oy) = (dx.max(0.0), dy.max(0.0));
    dx.max(dy).min(0.0) + (ox * ox + oy * oy).sqrt()
}

fn octahedron(p: Vec3, s: f32) -> f32 {
    (p.x.abs() + p.y.abs() + p.z.abs() - s) * 0.577_350_3
}

fn smin(a: f32, b: f32, k: f32) -> f32 {
    let h = sat(0.5 + 0.5 * (b - a) / k);
    b + (a - b) * h - k * h * (1.0 - h)
}

fn smax(a: f32, b: f32, k: f32) -> f32 {
    -smin(-a, -b, k)
}

/// A distance, and the material there.
#[derive(Clone, Copy)]
struct Hit {
    d: f32,
    m: u32,
}

impl Hit {
    fn nearer(self, d: f32, m: u32) -> Hit {
        if d < self.d { Hit { d, m } } else { self }
    }
}

fn scene(p: Vec3, time: f32) -> Hit {
    let mut hit = Hit { d: p.y + 1.0 + 0.05 * (p.x * 2.0).sin() * (p.z * 2.0).sin(), m: 1 };
    let s0 = sphere(p - v(-1.2, 0.2 + 0.3 * time.sin(), 0.0), 0.7);
    let s1 = sphere(p - v(-0.5, 0.3, 0.4 * time.cos()), 0.5);
    let s2 = sphere(p - v(-0.9, 0.9, 0.2), 0.35);
    hit = hit.nearer(smin(smin(s0, s1, 0.3), s2, 0.25), 2);

    let q = rot_x(rot_y(p - v(1.3, 0.1, 0.2), (time * 0.7).cos(), (time * 0.7).sin()), 0.8, 0.6);
    let hollow = smax(cuboid(q, v(0.5, 0.5, 0.5)) - 0.08, -sphere(q, 0.68), 0.05);
    hit = hit.nearer(hollow, 3);
    hit = hit.nearer(torus(rot_x(p - v(0.3, 1.5, 1.0), 0.6, 0.8), 0.6, 0.18), 4);

    if p.z > 1.5 {
        let c = v(modulo(p.x + 1.5, 3.0) - 1.5, p.y, modulo(p.z, 3.0) - 1.5);
        let pillar = cylinder(c, 2.5, 0.25 - 0.03 * (p.y * 8.0).cos());
        let cap = cuboid(c - v(0.0, 2.3, 0.0), v(0.4, 0.15, 0.4));
        hit = hit.nearer(pillar.min(cap), 5);
    }

    let mut chain = 1e9;
    let mut a = v(-2.0, -0.6 + 0.2 * time.sin(), -1.0);
    for i in 1..5 {
        let i = i as f32;
        let b = v(-2.0 + 0.9 * i, -0.6 + 0.2 * (i * 1.7 + time).sin(), -1.0);
        chain = smin(chain, capsule(p, a, b, 0.09), 0.06);
        a = b;
    }
    hit.nearer(chain, 6).nearer(octahedron(p - v(0.4, -0.4, -0.3), 0.45), 7)
}

fn normal(p: Vec3, time: f32) -> Vec3 {
    let e = 0.001;
    let at = |x, y, z| scene(p + v(x, y, z), time).d;
    let (a, b, c, d) = (at(e, -e, -e), at(-e, -e, e), at(-e, e, -e), at(e, e, e));
    normalize(v(a - b - c + d, -a - b + c + d, -a + b - c + d))
}

fn march(ro: Vec3, rd: Vec3, limit: f32, time: f32) -> Hit {
    let mut t = 0.02;
    for _ in 0..96 {
        let hit = scene(ro + rd * t, time);
        if hit.d.abs() < 0.0006 * (1.0 + t) {
            return Hit { d: t, m: hit.m };
        }
        t += hit.d * 0.9;
        if t > limit {
            break;
        }
    }
    Hit { d: t, m: 0 }
}

fn shadow(ro: Vec3, rd: Vec3, time: f32) -> f32 {
    let (mut res, mut t) = (1.0f32, 0.04);
    for _ in 0..32 {
        let h = scene(ro + rd * t, time).d;
        res = res.min(10.0 * h / t);
        t += h.clamp(0.03, 0.4);
        if res < 0.005 || t > 8.0 {
            break;
        }
    }
    res = sat(res);
    res * res * (3.0 - 2.0 * res)
}

fn occlusion(p: Vec3, n: Vec3, time: f32) -> f32 {
    let (mut sum, mut scale) = (0.0, 1.0);
    for i in 0..5 {
        let h = 0.01 + 0.11 * i as f32;
        sum += (h - scene(p + n * h, time).d) * scale;
        scale *= 0.75;
    }
    sat(1.0 - 1.6 * sum)
}

fn sky(rd: Vec3) -> Vec3 {
    let t = sat(rd.y * 0.8 + 0.2);
    let colour = v(0.75, 0.8, 0.9) * (1.0 - t) + v(0.2, 0.4, 0.8) * t;
    if rd.y <= 0.05 {
        return colour;
    }
    let clouds = fbm(rd.x / rd.y * 1.5, rd.z / rd.y * 1.5);
    let clouds = sat((clouds - 0.45) * 3.0) * sat(rd.y * 4.0);
    colour * (1.0 - clouds) + v(1.0, 0.98, 0.95) * clouds
}

fn material(m: u32, p: Vec3) -> Vec3 {
    match m {
        1 => {
            let k = modulo((p.x * 1.5).floor() + (p.z * 1.5).floor(), 2.0);
            let g = (0.25 + 0.35 * k) * (0.8 + 0.4 * noise2(p.x * 8.0, p.z * 8.0));
            v(g, g, g * 0.95)
        }
        2 => v(0.8, 0.25, 0.15),
        3 => v(0.2, 0.5, 0.8),
        4 => v(0.85, 0.7, 0.2),
        5 => {
            let s = 0.6 + 0.3 * fbm(p.x * 3.0 + p.z, p.y * 3.0);
            v(s, s * 0.95, s * 0.85)
        }
        6 => v(0.3, 0.7, 0.35),
        7 => v(0.7, 0.3, 0.7),
        _ => v(0.5, 0.5, 0.5),
    }
}

fn shine(m: u32) -> f32 {
    match m {
        2 | 7 => 48.0,
        4 => 96.0,
        _ => 16.0,
    }
}

fn reflectivity(m: u32) -> f32 {
    match m {
        2 => 0.25,
        4 => 0.4,
        7 => 0.3,
        _ => 0.0,
    }
}

fn light() -> Vec3 {
    normalize(v(0.6, 0.8, -0.5))
}

fn shade(p: Vec3, rd: Vec3, n: Vec3, m: u32, time: f32) -> Vec3 {
    let l = light();
    let h = normalize(l - rd);
    let diffuse = sat(dot(n, l));
    let lit = if diffuse > 0.001 { shadow(p + n * 0.01, l, time) } else { 0.0 };
    let ao = occlusion(p, n, time);
    let specular = sat(dot(n, h)).powf(shine(m)) * diffuse * lit;
    let fresnel = sat(1.0 + dot(n, rd)).powf(5.0);
    let above = sat(0.5 + 0.5 * n.y);
    let lights = v(1.3, 1.15, 0.9) * (diffuse * lit) + v(0.35, 0.45, 0.6) * (above * ao);
    let lights = lights + v(0.25, 0.2, 0.15) * (sat(-n.y) * ao);
    let colour = material(m, p) * lights + v(1.0, 0.95, 0.85) * (specular * 1.2);
    colour + v(0.6, 0.7, 0.8) * (fresnel * 0.25 * ao)
}

fn tonemap(x: f32) -> f32 {
    let y = x.max(0.0);
    let y = (y * (2.51 * y + 0.03)) / (y * (2.43 * y + 0.59) + 0.14);
    sat(y).powf(0.4545)
}

/// A pixel, as 0xAABBGGRR.
pub fn pixel(px: u32, py: u32, w: u32, h: u32, time: f32) -> u32 {
    let (w, h) = (w as f32, h as f32);
    let (across, down) = ((2.0 * (px as f32 + 0.5) - w) / h, -(2.0 * (py as f32 + 0.5) - h) / h);
    let ro = v(0.3, 1.1, -4.2);
    let forward = normalize(v(0.0, 0.1, 0.0) - ro);
    let right = normalize(cross(v(0.0, 1.0, 0.0), forward));
    let up = cross(forward, right);
    let rd = normalize(right * across + up * down + forward * 1.6);
    let mut colour = sky(rd);
    let hit = march(ro, rd, 24.0, time);
    if hit.m != 0 {
        let p = ro + rd * hit.d;
        let n = normal(p, time);
        let mut c = shade(p, rd, n, hit.m, time);
        let reflected = reflectivity(hit.m);
        if reflected > 0.0 {
            let r2 = rd - n * (2.0 * dot(rd, n));
            let h2 = march(p + n * 0.02, r2, 12.0, time);
            let mut rc = sky(r2);
            if h2.m != 0 {
                let p2 = p + n * 0.02 + r2 * h2.d;
                rc = material(h2.m, p2) * (0.25 + 0.75 * sat(dot(normal(p2, time), light())));
            }
            c = c * (1.0 - reflected) + rc * reflected;
        }
        let fog = 1.0 - (-0.0012 * hit.d * hit.d * hit.d).exp();
        colour = c * (1.0 - fog) + colour * fog;
    }
    let byte = |x: f32| (tonemap(x) * 255.0 + 0.5) as u32;
    byte(colour.x) | byte(colour.y) << 8 | byte(colour.z) << 16 | 255 << 24
}
