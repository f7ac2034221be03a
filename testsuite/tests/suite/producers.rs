//! Modules of another producer than glslang: WGSL by naga, whose loops, phis and merge blocks look different. They run, and go
//! to SPIR-V and back.

use crate::support::{Setup, trial};
use glslc2native::lowering::{Options, lift, to_spirv};
use glslc2native::{Input, TargetEnv, frontend};
use glslc2native_testsuite::matrix;
use libtest_mimic::Trial;

/// Name, body of `fn f(x: u32) -> u32`, and the same in Rust.
/// A name, a source, and what comes out for each invocation.
type Program = (&'static str, &'static str, fn(u32) -> u32);

const PROGRAMS: &[Program] = &[
    (
        "break-if",
        "var i = 0u; var r = 0u;
        loop {
          if i >= x { break; }
          if i % 3u == 1u { continue; }
          r += i * 2u;
          continuing { i += 1u; break if r > 20u; }
        }
        return r * 100u + i;",
        break_if,
    ),
    (
        "switch-in-loop",
        "var r = 0u;
        for (var k = 0u; k < 5u; k++) {
          switch (x + k) % 6u {
            case 0u, 4u: { r += 1u; }
            case 1u: { if r > 3u { continue; } r += 10u; }
            default: { r += 100u; }
            case 5u: { return r + 7u; }
          }
          r += 1000u;
        }
        return r;",
        switch_in_loop,
    ),
    (
        "early-return-in-nest",
        "var n = 0u;
        while n < 4u {
          for (var m = 0u; m < 4u; m++) {
            if n * m == x % 7u { return n * 10u + m; }
          }
          n++;
        }
        return 99u;",
        early_return,
    ),
    (
        "values-after-loop",
        "var last = 5u; var i = 0u;
        loop {
          let next = last * 3u + i;
          if next > 200u + x { break; }
          last = next;
          i++;
        }
        return last * 10u + i;",
        values_after,
    ),
];

fn break_if(x: u32) -> u32 {
    let (mut i, mut r) = (0, 0);
    while i < x {
        if i % 3 != 1 {
            r += i * 2;
        }
        i += 1;
        if r > 20 {
            break;
        }
    }
    r * 100 + i
}

fn switch_in_loop(x: u32) -> u32 {
    let mut r = 0;
    for k in 0..5 {
        match (x + k) % 6 {
            0 | 4 => r += 1,
            1 if r > 3 => continue,
            1 => r += 10,
            5 => return r + 7,
            _ => r += 100,
        }
        r += 1000;
    }
    r
}

fn early_return(x: u32) -> u32 {
    let pairs = (0..4).flat_map(|n| (0..4).map(move |m| (n, m)));
    pairs.into_iter().find(|(n, m)| n * m == x % 7).map_or(99, |(n, m)| n * 10 + m)
}

fn values_after(x: u32) -> u32 {
    let (mut last, mut i) = (5, 0);
    while last * 3 + i <= 200 + x {
        last = last * 3 + i;
        i += 1;
    }
    last * 10 + i
}

/// Every trial.
pub fn trials() -> Vec<Trial> {
    let each = PROGRAMS.iter();
    each.map(|&(name, body, expected)| trial(format!("producers/naga/{name}"), move || check(body, expected))).collect()
}

fn naga_words(body: &str) -> Result<Vec<u32>, String> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> xs: array<u32>;
         @group(0) @binding(1) var<storage, read_write> rs: array<u32>;
         fn f(x: u32) -> u32 {{ {body} }}
         @compute @workgroup_size(12)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ rs[id.x] = f(xs[id.x]); }}"
    );
    let module = naga::front::wgsl::parse_str(&source).map_err(|error| error.emit_to_string(&source))?;
    let capabilities = naga::valid::Capabilities::empty();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(&source))?;
    naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None).map_err(|e| e.to_string())
}

fn check(body: &str, expected: fn(u32) -> u32) -> Result<usize, String> {
    let words = naga_words(body)?;
    let module = lift::lift(&words, &Options::default()).map_err(|error| error.to_string())?;
    let again = to_spirv(&module).map_err(|error| error.to_string())?;
    frontend::validate(&again, TargetEnv::Vulkan1_3).map_err(|error| format!("{error}\n{module}"))?;
    let xs: Vec<u32> = (0..24).collect();
    let setup = Setup::groups(2, 1, 1).words(0, xs.clone()).zeros(1, 24).expect(1, xs.into_iter().map(expected));
    let mut count = 0;
    for words in [words, again] {
        let input = Input::Spirv(words);
        count += matrix::execute(&input, &matrix::standard(), &setup.0, |config, after| {
            setup.0.check(config.subgroup_size, after)
        })?;
    }
    Ok(count)
}
