//! Element types of buffers, and how values are written, compared and reported.
//!
//! A value is its bits, zero-extended to 64. Values are written as decimal numbers, as `0x…` bits (of floats too), and as
//! `nan`, `inf`, `-inf`.

use crate::rng::Rng;
use half::f16;
use std::fmt;

/// Type of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// 8 bits, unsigned.
    U8,
    /// 8 bits, signed.
    I8,
    /// 16 bits, unsigned.
    U16,
    /// 16 bits, signed.
    I16,
    /// IEEE half.
    F16,
    /// 32 bits, unsigned.
    U32,
    /// 32 bits, signed.
    I32,
    /// IEEE single.
    F32,
    /// 64 bits, unsigned.
    U64,
    /// 64 bits, signed.
    I64,
    /// IEEE double.
    F64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Unsigned,
    Signed,
    Float,
}

/// Name, type, bytes and class.
const ELEMS: [(&str, Elem, usize, Class); 11] = [
    ("u8", Elem::U8, 1, Class::Unsigned),
    ("i8", Elem::I8, 1, Class::Signed),
    ("u16", Elem::U16, 2, Class::Unsigned),
    ("i16", Elem::I16, 2, Class::Signed),
    ("f16", Elem::F16, 2, Class::Float),
    ("u32", Elem::U32, 4, Class::Unsigned),
    ("i32", Elem::I32, 4, Class::Signed),
    ("f32", Elem::F32, 4, Class::Float),
    ("u64", Elem::U64, 8, Class::Unsigned),
    ("i64", Elem::I64, 8, Class::Signed),
    ("f64", Elem::F64, 8, Class::Float),
];

impl Elem {
    fn row(self) -> &'static (&'static str, Elem, usize, Class) {
        &ELEMS[self as usize]
    }

    /// The type that is written `name`.
    pub fn parse(name: &str) -> Option<Elem> {
        ELEMS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// How it is written.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        self.row().2
    }

    /// Is it a floating-point type?
    pub fn is_float(self) -> bool {
        self.row().3 == Class::Float
    }

    /// Is it a signed integer?
    pub fn is_signed(self) -> bool {
        self.row().3 == Class::Signed
    }

    /// Bits of an element.
    pub fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// The bits of a number, for a floating-point type; it rounds to nearest.
    pub fn float_bits(self, number: f64) -> u64 {
        match self {
            Elem::F16 => u64::from(f16::from_f64(number).to_bits()),
            Elem::F32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        }
    }

    /// The number that the bits of a float stand for; of integers the bits as those of a double.
    pub fn to_float(self, bits: u64) -> f64 {
        match self {
            Elem::F16 => f16::from_bits(bits as u16).to_f64(),
            Elem::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// Reads one value.
    pub fn parse_value(self, text: &str) -> Result<u64, String> {
        let wrong = || format!("`{text}` is no {}", self.name());
        if let Some(hex) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(hex, 16).map_err(|_| wrong())?;
            return if self.bits() < 64 && bits >> self.bits() != 0 { Err(wrong()) } else { Ok(bits) };
        }
        if self.row().3 == Class::Float {
            // f32 is parsed as such: by way of f64 it would be rounded twice.
            return match self {
                Elem::F32 => text.parse::<f32>().map(|v| u64::from(v.to_bits())).map_err(|_| wrong()),
                _ => text.parse::<f64>().map(|v| self.float_bits(v)).map_err(|_| wrong()),
            };
        }
        let number: i128 = text.parse().map_err(|_| wrong())?;
        let (low, high) = match self.row().3 {
            Class::Signed => (-(1i128 << (self.bits() - 1)), (1i128 << (self.bits() - 1)) - 1),
            _ => (0, (1i128 << self.bits()) - 1),
        };
        if number < low || number > high {
            return Err(wrong());
        }
        Ok(number as u64 & (u64::MAX >> (64 - self.bits())))
    }

    /// Appends a value to a buffer, little-endian as SPIR-V's memory is.
    pub fn push(self, bits: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&bits.to_le_bytes()[..self.size()]);
    }

    /// Reads a value from exactly as many bytes as an element has.
    pub fn read(self, bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
    }

    /// Writes a value for people: a float with its bits.
    pub fn show(self, bits: u64) -> String {
        let shift = 64 - self.bits();
        match self.row().3 {
            Class::Unsigned => bits.to_string(),
            Class::Signed => (((bits << shift) as i64) >> shift).to_string(),
            Class::Float => format!("{} (0x{bits:0width$x})", self.to_float(bits), width = self.size() * 2),
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        self.row().3 == Class::Float && self.to_float(bits).is_nan()
    }

    /// Distance of two values in units in the last place; for integers their difference. A NaN is far from every number.
    pub fn ulps(self, a: u64, b: u64) -> u64 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => return 0,
            (true, false) | (false, true) => return u64::MAX,
            (false, false) => {}
        }
        // Numbers in the order of their values, both zeros at 0.
        let order = |bits: u64| -> i128 {
            let sign = 1u64 << (self.bits() - 1);
            match self.row().3 {
                Class::Unsigned => i128::from(bits),
                Class::Signed => i128::from(((bits << (64 - self.bits())) as i64) >> (64 - self.bits())),
                Class::Float if bits & sign != 0 => -i128::from(bits & !sign),
                Class::Float => i128::from(bits),
            }
        };
        order(a).abs_diff(order(b)) as u64
    }
}

/// How an expected value is compared with the actual one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Compare {
    /// The same bits; any NaN for a NaN.
    Exact,
    /// At most so many units in the last place apart.
    Ulp(u64),
    /// At most so far apart; infinities must be equal.
    Tolerance(f64),
}

impl Compare {
    /// Does `actual` pass for `expected`?
    pub fn accepts(self, elem: Elem, expected: u64, actual: u64) -> bool {
        if expected == actual || (elem.is_nan(expected) && elem.is_nan(actual)) {
            return true;
        }
        match self {
            Compare::Exact => false,
            Compare::Ulp(bound) => elem.ulps(expected, actual) <= bound,
            Compare::Tolerance(bound) if elem.row().3 == Class::Float => {
                (elem.to_float(expected) - elem.to_float(actual)).abs() <= bound
            }
            Compare::Tolerance(bound) => elem.ulps(expected, actual) as f64 <= bound,
        }
    }
}

/// Elements that differ from what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Index of the first that differs.
    pub index: usize,
    /// What was expected there.
    pub expected: String,
    /// What was there.
    pub actual: String,
    /// How many differ.
    pub count: usize,
    /// How many were compared.
    pub total: usize,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { index, expected, actual, count, total } = self;
        write!(f, "element {index}: expected {expected}, got {actual}; {count} of {total} differ")
    }
}

/// Compares `actual`, the bytes of elements, with expected values.
pub fn compare(elem: Elem, how: Compare, expected: &[u64], actual: &[u8]) -> Result<(), Mismatch> {
    let mut first = None;
    let mut count = 0;
    for (index, &want) in expected.iter().enumerate() {
        let got = actual.get(index * elem.size()..(index + 1) * elem.size()).map(|bytes| elem.read(bytes));
        if got.is_some_and(|got| how.accepts(elem, want, got)) {
            continue;
        }
        count += 1;
        first.get_or_insert((index, want, got));
    }
    match first {
        None => Ok(()),
        Some((index, want, got)) => Err(Mismatch {
            index,
            expected: elem.show(want),
            actual: got.map_or("the end of the buffer".to_string(), |got| elem.show(got)),
            count,
            total: expected.len(),
        }),
    }
}

/// Reads what stands where a buffer's contents do: either one source as the command line spells it (`u32*1024`,
/// `u32*1024=7`, `iota:u32*64`, `rand:f32*64@3`), or a type and then values. A value is a number, `xN` (N zeros), `V*N`
/// (N times V) or `A..B` (the integers from A to below B).
pub fn parse_values(words: &[&str]) -> Result<(Elem, Vec<u64>), String> {
    let (&first, rest) = words.split_first().ok_or("a type is missing")?;
    if let Some(source) = parse_source(first)? {
        return if rest.is_empty() { Ok(source) } else { Err(format!("nothing may follow `{first}`")) };
    }
    let elem = elem_named(first)?;
    let mut values = Vec::new();
    for word in rest {
        push_values(elem, word, &mut values)?;
    }
    Ok((elem, values))
}

fn elem_named(name: &str) -> Result<Elem, String> {
    Elem::parse(name).ok_or_else(|| format!("`{name}` is no element type (u8, i8 … f64)"))
}

fn parse_count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n <= 1 << 24).ok_or_else(|| format!("`{text}` is no count"))
}

fn push_values(elem: Elem, word: &str, out: &mut Vec<u64>) -> Result<(), String> {
    if let Some(count) = word.strip_prefix('x') {
        out.extend(std::iter::repeat_n(0, parse_count(count)?));
    } else if let Some((value, count)) = word.split_once('*') {
        out.extend(std::iter::repeat_n(elem.parse_value(value)?, parse_count(count)?));
    } else if let Some((from, to)) = word.split_once("..") {
        let bound = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is no integer"));
        for number in bound(from)?..bound(to)? {
            out.push(elem.parse_value(&number.to_string())?);
        }
    } else {
        out.push(elem.parse_value(word)?);
    }
    Ok(())
}

/// `None` when `word` is no source at all.
fn parse_source(word: &str) -> Result<Option<(Elem, Vec<u64>)>, String> {
    let (kind, rest) = word.split_once(':').unwrap_or(("", word));
    let Some((name, count)) = rest.split_once('*') else { return Ok(None) };
    let elem = elem_named(name)?;
    let values = match kind {
        "" => {
            let (count, value) = count.split_once('=').unwrap_or((count, "0"));
            vec![elem.parse_value(value)?; parse_count(count)?]
        }
        "iota" => (0..parse_count(count)?).map(|i| elem.parse_value(&i.to_string())).collect::<Result<_, _>>()?,
        "rand" => {
            let (count, seed) = count.split_once('@').unwrap_or((count, "0"));
            let seed = seed.parse().map_err(|_| format!("`{seed}` is no seed"))?;
            random(elem, parse_count(count)?, seed)
        }
        _ => return Err(format!("`{kind}:` is no kind of source (iota, rand)")),
    };
    Ok(Some((elem, values)))
}

/// `count` reproducible values: [0, 1) for floats, the full range for integers.
pub fn random(elem: Elem, count: usize, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mut next = || match elem.row().3 {
        Class::Float => elem.float_bits(f64::from(rng.unit())),
        _ => rng.bits() & (u64::MAX >> (64 - elem.bits())),
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(Elem, Vec<u64>), String> {
        parse_values(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn values_are_read_in_every_form() {
        assert_eq!(parsed("u32 1 x2 7*3 0x10 2..4"), Ok((Elem::U32, vec![1, 0, 0, 7, 7, 7, 16, 2, 3])));
        assert_eq!(parsed("i8 -1 -128"), Ok((Elem::I8, vec![0xFF, 0x80])));
        assert_eq!(
            parsed("f32 1 -0 inf 0x7fc00000"),
            Ok((Elem::F32, vec![0x3F80_0000, 0x8000_0000, 0x7F80_0000, 0x7FC0_0000]))
        );
        assert_eq!(parsed("f16 1"), Ok((Elem::F16, vec![0x3C00])));
        assert_eq!(parsed("u32*3=9"), Ok((Elem::U32, vec![9, 9, 9])));
        assert_eq!(parsed("iota:i64*3"), Ok((Elem::I64, vec![0, 1, 2])));
        let (_, numbers) = parsed("rand:f32*100@5").unwrap();
        assert!(numbers.iter().all(|&b| (0.0..1.0).contains(&f32::from_bits(b as u32))));
        assert_eq!(parsed("rand:u32*4@5"), parsed("rand:u32*4@5"));
    }

    #[test]
    fn wrong_values_are_refused() {
        for text in
            ["", "u32 -1", "i8 128", "u8 0x100", "q32 1", "f32 one", "u32 x", "u32*4 1", "seq:u32*4", "i32 a..b"]
        {
            assert!(parsed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_type_is_in_its_row() {
        for (name, elem, _, _) in ELEMS {
            assert_eq!((elem.name(), Elem::parse(name)), (name, Some(elem)));
        }
    }

    #[test]
    fn comparisons_follow_their_bounds() {
        let bits = |v: f32| u64::from(v.to_bits());
        assert!(Compare::Exact.accepts(Elem::F32, bits(f32::NAN), bits(-f32::NAN)));
        assert!(!Compare::Exact.accepts(Elem::F32, bits(0.0), bits(-0.0)));
        assert!(Compare::Ulp(0).accepts(Elem::F32, bits(0.0), bits(-0.0)));
        assert!(Compare::Ulp(1).accepts(Elem::F32, bits(1.0), bits(1.0) + 1));
        assert!(!Compare::Ulp(1).accepts(Elem::F32, bits(1.0), bits(1.0) + 2));
        assert!(!Compare::Ulp(1 << 40).accepts(Elem::F32, bits(1.0), bits(f32::NAN)));
        assert!(Compare::Tolerance(0.5).accepts(Elem::F32, bits(1.0), bits(1.25)));
        assert!(!Compare::Tolerance(1e30).accepts(Elem::F32, bits(f32::INFINITY), bits(1.0)));
    }

    #[test]
    fn a_mismatch_tells_the_first_and_the_count() {
        let bytes: Vec<u8> = [1u32, 5, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
        let found = compare(Elem::I32, Compare::Exact, &[1, 2, 0xFFFF_FFFF, 4], &bytes).unwrap_err();
        assert_eq!(found.to_string(), "element 1: expected 2, got 5; 3 of 4 differ");
    }
}
