//! What the families of trials share.

use glslc2native_testsuite::matrix::{self, Config};
use glslc2native_testsuite::runs::{Expect, Run};
use glslc2native_testsuite::values::{Compare, Elem};
use libtest_mimic::Trial;

/// A trial that counts what it checked; nothing checked is a failure.
pub fn trial(name: String, check: impl FnOnce() -> Result<usize, String> + Send + 'static) -> Trial {
    Trial::test(name, move || match check() {
        Ok(0) => Err("nothing was checked".into()),
        Ok(_) => Ok(()),
        Err(message) => Err(message.into()),
    })
}

/// Bytes as 32-bit words.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| Elem::U32.read(word) as u32).collect()
}

/// 32-bit words as bytes.
pub fn bytes_of(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Floats as bytes.
pub fn float_bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
    bytes_of(floats.into_iter().map(f32::to_bits))
}

/// Builds a run piece by piece; bindings are of set 0.
#[derive(Clone, Default)]
pub struct Setup(pub Run);

impl Setup {
    /// That many workgroups.
    pub fn groups(x: u32, y: u32, z: u32) -> Setup {
        Setup(Run { groups: [x, y, z], ..Run::default() })
    }

    /// Push constants.
    pub fn push(mut self, words: &[u32]) -> Setup {
        self.0.push = bytes_of(words.iter().copied());
        self
    }

    /// A buffer of words.
    pub fn words(self, binding: u32, words: impl IntoIterator<Item = u32>) -> Setup {
        self.bytes(binding, bytes_of(words))
    }

    /// A buffer of bytes.
    pub fn bytes(mut self, binding: u32, bytes: Vec<u8>) -> Setup {
        self.0.buffers.insert((0, binding), bytes);
        self
    }

    /// A buffer of zeros.
    pub fn zeros(self, binding: u32, count: usize) -> Setup {
        self.bytes(binding, vec![0; count * 4])
    }

    /// Words that a buffer must hold afterwards.
    pub fn expect(self, binding: u32, words: impl IntoIterator<Item = u32>) -> Setup {
        self.expect_as(binding, Elem::U32, Compare::Exact, words)
    }

    /// Floats that a buffer must hold afterwards.
    pub fn expect_floats(self, binding: u32, how: Compare, floats: impl IntoIterator<Item = f32>) -> Setup {
        self.expect_as(binding, Elem::F32, how, floats.into_iter().map(f32::to_bits))
    }

    fn expect_as(mut self, binding: u32, elem: Elem, how: Compare, words: impl IntoIterator<Item = u32>) -> Setup {
        let values = words.into_iter().map(u64::from).collect();
        let slot = (0, binding);
        self.0.expects.push(Expect { line: 0, subgroup_size: None, slot, elem, how, values, at: 0 });
        self
    }

    /// Runs GLSL at the given configurations.
    pub fn run_at(&self, name: &str, source: &str, configs: &[Config]) -> Result<usize, String> {
        let input = matrix::spirv(source, name, false)?;
        matrix::execute(&input, configs, &self.0, |config, after| self.0.check(config.subgroup_size, after))
    }

    /// Runs GLSL at the whole standard matrix, from a module as the front end makes it and from an optimised one.
    pub fn run(&self, name: &str, source: &str) -> Result<usize, String> {
        let mut count = 0;
        for optimised in [false, true] {
            let input = matrix::spirv(source, name, optimised)?;
            count += matrix::execute(&input, &matrix::standard(), &self.0, |config, after| {
                self.0.check(config.subgroup_size, after)
            })
            .map_err(|error| if optimised { format!("optimised module: {error}") } else { error })?;
        }
        Ok(count)
    }
}
