//! Types whose slices may be bound as buffers: numbers and arrays of numbers, which have no padding and no invalid bits.

use crate::lowering::ir::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// A number or an array of numbers, laid out as in memory.
///
/// Sealed: no padding, any bits are a value, so that slices can be given to kernels as bytes. `bool` is not one.
pub trait Element: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The number.
    const SCALAR: Scalar;
    /// How many of them: 1, or the length of an array.
    const COUNT: usize;

    /// Appends the bytes of the value, in this machine's order.
    fn append_to(self, bytes: &mut Vec<u8>);
}

macro_rules! element {
    ($($ty:ty, $scalar:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const SCALAR: Scalar = $scalar;
            const COUNT: usize = 1;
            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

const fn int(width: u8, signed: bool) -> Scalar {
    Scalar::Int { width, signed }
}

element! {
    u8, int(8, false);
    i8, int(8, true);
    u16, int(16, false);
    i16, int(16, true);
    u32, int(32, false);
    i32, int(32, true);
    u64, int(64, false);
    i64, int(64, true);
    half::f16, Scalar::Float(16);
    f32, Scalar::Float(32);
    f64, Scalar::Float(64);
}

impl<T: Element, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Element, const N: usize> Element for [T; N] {
    const SCALAR: Scalar = T::SCALAR;
    const COUNT: usize = T::COUNT * N;
    fn append_to(self, bytes: &mut Vec<u8>) {
        for value in self {
            value.append_to(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_their_bytes() {
        let mut bytes = vec![];
        [[1u16, 2], [3, 4]].append_to(&mut bytes);
        assert_eq!(bytes, [1u16, 2, 3, 4].map(u16::to_ne_bytes).concat());
        assert_eq!((<[[u16; 2]; 2]>::COUNT, <[[u16; 2]; 2]>::SCALAR.bits()), (4, 16));
        fn sizes<T: Element>() {
            assert_eq!(T::COUNT * T::SCALAR.bits() as usize, 8 * size_of::<T>());
        }
        sizes::<half::f16>();
        sizes::<[f64; 3]>();
        sizes::<[[i8; 3]; 5]>();
    }
}
