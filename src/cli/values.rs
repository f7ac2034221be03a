//! Number types of the command line: their names, how numbers are read and how they are printed.
//!
//! Integers are decimal or `0x…`, with a sign. Floating-point numbers are decimal (`1`, `-2.5`, `1e-3`), `inf`, `-inf`,
//! `nan`, or `0x…`, which are the bits. What a type cannot hold is an error. Printing gives the shortest text that reads
//! back as the same number.

use half::f16;

/// A type of numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Unsigned, of that many bytes.
    Unsigned(usize),
    /// Signed, of that many bytes.
    Signed(usize),
    /// Floating-point, of that many bytes.
    Float(usize),
}

/// All types with their names.
pub const TYPES: &[(&str, Type)] = &[
    ("u8", Type::Unsigned(1)),
    ("i8", Type::Signed(1)),
    ("u16", Type::Unsigned(2)),
    ("i16", Type::Signed(2)),
    ("f16", Type::Float(2)),
    ("u32", Type::Unsigned(4)),
    ("i32", Type::Signed(4)),
    ("f32", Type::Float(4)),
    ("u64", Type::Unsigned(8)),
    ("i64", Type::Signed(8)),
    ("f64", Type::Float(8)),
];

/// GLSL's names of numbers.
const GLSL_TYPES: &[(&str, Type)] = &[
    ("uint8_t", Type::Unsigned(1)),
    ("int8_t", Type::Signed(1)),
    ("uint16_t", Type::Unsigned(2)),
    ("int16_t", Type::Signed(2)),
    ("float16_t", Type::Float(2)),
    ("uint", Type::Unsigned(4)),
    ("int", Type::Signed(4)),
    ("float", Type::Float(4)),
    ("uint64_t", Type::Unsigned(8)),
    ("int64_t", Type::Signed(8)),
    ("double", Type::Float(8)),
];

/// What stands before `vec` and `mat` in GLSL's names.
const GLSL_PREFIXES: &[(&str, Type)] = &[
    ("u8", Type::Unsigned(1)),
    ("i8", Type::Signed(1)),
    ("u16", Type::Unsigned(2)),
    ("i16", Type::Signed(2)),
    ("f16", Type::Float(2)),
    ("u", Type::Unsigned(4)),
    ("i", Type::Signed(4)),
    ("", Type::Float(4)),
    ("u64", Type::Unsigned(8)),
    ("i64", Type::Signed(8)),
    ("d", Type::Float(8)),
];

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(TYPES.iter().find(|(_, ty)| ty == self).map_or("?", |(name, _)| name))
    }
}

impl Type {
    /// The type of that name.
    pub fn named(name: &str) -> Option<Type> {
        TYPES.iter().find(|(n, _)| *n == name).map(|(_, ty)| *ty)
    }

    /// The type of that name, or an error that lists all.
    pub fn parse(name: &str) -> Result<Type, String> {
        Type::named(name).ok_or_else(|| {
            let names: Vec<_> = TYPES.iter().map(|(name, _)| *name).collect();
            format!("unknown type `{name}`; there are {}", names.join(", "))
        })
    }

    /// The type of the numbers in a scalar, vector, matrix or array of GLSL; `None` for structs.
    pub fn of_glsl(name: &str) -> Option<Type> {
        let name = name.split('[').next().unwrap_or_default();
        if let Some((_, ty)) = GLSL_TYPES.iter().find(|(glsl, _)| *glsl == name) {
            return Some(*ty);
        }
        let (prefix, size) = name.split_once("vec").or_else(|| name.split_once("mat"))?;
        if !size.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        GLSL_PREFIXES.iter().find(|(glsl, _)| *glsl == prefix).map(|(_, ty)| *ty)
    }

    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Type::Unsigned(size) | Type::Signed(size) | Type::Float(size) => size,
        }
    }

    /// Appends a number, given as bits, in this machine's order.
    pub fn append(self, bits: u64, bytes: &mut Vec<u8>) {
        match self.size() {
            1 => bytes.push(bits as u8),
            2 => bytes.extend((bits as u16).to_ne_bytes()),
            4 => bytes.extend((bits as u32).to_ne_bytes()),
            _ => bytes.extend(bits.to_ne_bytes()),
        }
    }

    /// Bits of the number that is nearest to an integer; integers wrap.
    pub fn nearest(self, index: u64) -> u64 {
        match self {
            Type::Unsigned(_) | Type::Signed(_) => index,
            Type::Float(2) => f16::from_f64(index as f64).to_bits().into(),
            Type::Float(4) => (index as f32).to_bits().into(),
            Type::Float(_) => (index as f64).to_bits(),
        }
    }

    /// Reads a number; gives its bits.
    pub fn read(self, text: &str) -> Result<u64, String> {
        let bits = 8 * self.size() as u32;
        match self {
            Type::Unsigned(_) => integer(text, 0, i128::from(u64::MAX >> (64 - bits)), self),
            Type::Signed(_) => {
                let largest = i128::from(i64::MAX >> (64 - bits));
                integer(text, -largest - 1, largest, self)
            }
            Type::Float(_) if is_hex(text) => integer(text, 0, i128::from(u64::MAX >> (64 - bits)), self),
            Type::Float(_) => self.read_float(text),
        }
    }

    fn read_float(self, text: &str) -> Result<u64, String> {
        let wrong = |_| format!("`{text}` is not a number of type {self}");
        let (bits, finite) = match self {
            Type::Float(2) => {
                let value = f16::from_f64(text.parse::<f64>().map_err(wrong)?);
                (value.to_bits().into(), value.is_finite())
            }
            Type::Float(4) => {
                let value = text.parse::<f32>().map_err(wrong)?;
                (value.to_bits().into(), value.is_finite())
            }
            _ => {
                let value = text.parse::<f64>().map_err(wrong)?;
                (value.to_bits(), value.is_finite())
            }
        };
        // Rust reads 1e99 as an infinite `f32`; only one that was written as such is meant.
        if finite || text.contains(['i', 'I', 'n', 'N']) { Ok(bits) } else { Err(self.out_of_range(text)) }
    }

    fn out_of_range(self, text: &str) -> String {
        format!("`{text}` is out of the range of type {self}")
    }

    /// Prints a number, given as its bytes in this machine's order.
    pub fn print(self, bytes: &[u8]) -> String {
        let bits = match *bytes {
            [a] => u64::from(a),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        match self {
            Type::Unsigned(_) => bits.to_string(),
            Type::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused).to_string()
            }
            Type::Float(2) => float(format!("{:?}", f16::from_bits(bits as u16))),
            Type::Float(4) => float(format!("{:?}", f32::from_bits(bits as u32))),
            Type::Float(_) => float(format!("{:?}", f64::from_bits(bits))),
        }
    }
}

/// Rust's debug form without what is superfluous.
fn float(text: String) -> String {
    match text.strip_suffix(".0") {
        Some(whole) => whole.into(),
        None if text == "NaN" => "nan".into(),
        None => text,
    }
}

fn is_hex(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.starts_with("0x") || digits.starts_with("0X")
}

/// Reads an integer in a range; gives the bits of its two's complement.
fn integer(text: &str, smallest: i128, largest: i128, ty: Type) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a number of type {ty}");
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = if is_hex(digits) { (16, &digits[2..]) } else { (10, digits) };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(wrong());
    }
    // More digits than fit 128 bits are out of any range too.
    let value = i128::from_str_radix(digits, radix).map_err(|_| ty.out_of_range(text))?;
    let value = if negative { -value } else { value };
    if (smallest..=largest).contains(&value) { Ok(value as u64) } else { Err(ty.out_of_range(text)) }
}

/// Reads numbers separated by commas; gives their bytes.
pub fn read_list(ty: Type, text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = vec![];
    for number in text.split(',') {
        ty.append(ty.read(number.trim())?, &mut bytes);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(ty: &str, text: &str) -> Result<String, String> {
        let ty = Type::parse(ty)?;
        Ok(ty.print(&read_list(ty, text)?))
    }

    #[test]
    fn numbers_read_back() {
        let cases = [
            ("u8", "0xff", "255"),
            ("i8", "-128", "-128"),
            ("i8", "-0x80", "-128"),
            ("u16", "65535", "65535"),
            ("i16", "-1", "-1"),
            ("u32", "4294967295", "4294967295"),
            ("i32", "+7", "7"),
            ("u64", "18446744073709551615", "18446744073709551615"),
            ("i64", "-9223372036854775808", "-9223372036854775808"),
            ("f32", "1", "1"),
            ("f32", "-0", "-0"),
            ("f32", "0.1", "0.1"),
            ("f32", "1e-45", "1e-45"),
            ("f32", "3.4028235e38", "3.4028235e38"),
            ("f32", "0x3f800000", "1"),
            ("f32", "inf", "inf"),
            ("f32", "-inf", "-inf"),
            ("f32", "NaN", "nan"),
            ("f32", "0x7fc00001", "nan"),
            ("f64", "0.1", "0.1"),
            ("f64", "1e300", "1e300"),
            ("f16", "65504", "65504"),
            ("f16", "0.1", "0.099975586"),
        ];
        for (ty, text, printed) in cases {
            assert_eq!(round_trip(ty, text).as_deref(), Ok(printed), "{ty} {text}");
        }
        println!("checked {} numbers", cases.len());
    }

    #[test]
    fn types_of_glsl() {
        let cases =
            [("float[]", "f32"), ("ivec3", "i32"), ("u8vec4[2][]", "u8"), ("f16mat2x3", "f16"), ("dmat2", "f64")];
        for (glsl, name) in cases {
            assert_eq!(Type::of_glsl(glsl), Type::named(name), "{glsl}");
        }
        for other in ["Light[]", "bvec2", "vector", "mat", "bool", ""] {
            assert_eq!(Type::of_glsl(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_type_cannot_hold_is_an_error() {
        let range = [
            ("u8", "256"),
            ("u8", "-1"),
            ("i8", "128"),
            ("i16", "-32769"),
            ("u32", "0x100000000"),
            ("i32", "2147483648"),
            ("u64", "18446744073709551616"),
            ("i64", "999999999999999999999999999999999999999999"),
            ("f16", "65520"),
            ("f16", "0x10000"),
            ("f32", "1e39"),
            ("f32", "-1e39"),
            ("f64", "1e309"),
        ];
        for (ty, text) in range {
            let error = round_trip(ty, text).expect_err(text);
            assert!(error.contains("range") && error.contains(ty), "{error}");
        }
        for (ty, text) in
            [("u32", "1.0"), ("u32", ""), ("u32", "0x"), ("i32", "--1"), ("f32", "1f"), ("f32", ""), ("f32", "i")]
        {
            let error = round_trip(ty, text).expect_err(text);
            assert!(error.contains("not a number"), "{error}");
        }
        assert!(Type::parse("f8").is_err_and(|e| e.contains("f16")));
    }
}
