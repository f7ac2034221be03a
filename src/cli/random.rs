//! Random numbers for `rand:` sources, the same on every machine and in every version.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), its state
//! the seed. Each number of a buffer takes one step, whose upper bits make an integer over its type's full range, or a
//! multiple of 2^-11, 2^-24 or 2^-53 in [0, 1) for `f16`, `f32` and `f64`.

use super::values::Type;
use half::f16;

/// The generator.
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts from a seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The next 64 bits.
    fn step(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Bits of the next number of a type.
    pub fn next(&mut self, ty: Type) -> u64 {
        let bits = self.step();
        match ty {
            Type::Unsigned(size) | Type::Signed(size) => bits >> (64 - 8 * size),
            Type::Float(2) => f16::from_f32((bits >> 53) as f32 / (1u64 << 11) as f32).to_bits().into(),
            Type::Float(4) => ((bits >> 40) as f32 / (1u64 << 24) as f32).to_bits().into(),
            Type::Float(_) => ((bits >> 11) as f64 / (1u64 << 53) as f64).to_bits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_reference() {
        // First outputs for seed 1234567, from the authors' reference implementation.
        let mut random = SplitMix64::new(1_234_567);
        let expected: [u64; 5] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(std::array::from_fn(|_| random.step()), expected);
    }

    #[test]
    fn floats_are_below_one() {
        let mut random = SplitMix64::new(0);
        for _ in 0..10_000 {
            let half = f16::from_bits(random.next(Type::Float(2)) as u16).to_f32();
            let single = f32::from_bits(random.next(Type::Float(4)) as u32);
            let double = f64::from_bits(random.next(Type::Float(8)));
            assert!((0.0..1.0).contains(&half) && (0.0..1.0).contains(&single) && (0.0..1.0).contains(&double));
        }
        assert!((0..100).any(|_| random.next(Type::Signed(1)) > 127), "the full range of integers");
    }
}
