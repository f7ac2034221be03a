//! Specialisation constants by `SpecId` or by name, with values that know their type.
//!
//! In: SPIR-V words and what the user chose. Out: `(SpecId, bits)`, as lifting wants them. The declarations are read from
//! the words themselves, since their values have to be known before the module is lifted (SPIR-V §3.20 "SpecId",
//! §3.42.7 "Constant-Creation Instructions").

use crate::{Error, Result};
use std::collections::HashMap;
use std::fmt;

/// A value for a specialisation constant; it is converted to the constant's type, which has to hold it exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecValue {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// Bits, whatever the type.
    Bits(u64),
}

impl fmt::Display for SpecValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecValue::Bool(value) => write!(f, "{value}"),
            SpecValue::Int(value) => write!(f, "{value}"),
            SpecValue::Float(value) => write!(f, "{value}"),
            SpecValue::Bits(bits) => write!(f, "{bits:#x}"),
        }
    }
}

macro_rules! spec_values {
    ($($ty:ty => $case:ident;)*) => {$(
        impl From<$ty> for SpecValue {
            fn from(value: $ty) -> SpecValue {
                SpecValue::$case(value.into())
            }
        }
    )*};
}

spec_values! {
    bool => Bool;
    u32 => Int;
    i32 => Int;
    u64 => Int;
    i64 => Int;
    f32 => Float;
    f64 => Float;
}

/// Which specialisation constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SpecKey {
    /// `layout(constant_id = …)`.
    Id(u32),
    /// Its name in the source.
    Name(String),
}

/// Type of a specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpecType {
    Bool,
    Int { bits: u32, signed: bool },
    Float(u32),
}

/// As GLSL has it.
impl fmt::Display for SpecType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SpecType::Bool => f.write_str("bool"),
            SpecType::Int { bits: 32, signed: true } => f.write_str("int"),
            SpecType::Int { bits: 32, signed: false } => f.write_str("uint"),
            SpecType::Int { bits, signed } => write!(f, "{}int{bits}_t", if signed { "" } else { "u" }),
            SpecType::Float(32) => f.write_str("float"),
            SpecType::Float(64) => f.write_str("double"),
            SpecType::Float(bits) => write!(f, "float{bits}_t"),
        }
    }
}

/// A specialisation constant that a module declares.
#[derive(Debug, PartialEq, Eq)]
struct Declared {
    id: u32,
    name: String,
    ty: SpecType,
}

/// As messages have it: `3 \`N\` (int)`.
impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        if !self.name.is_empty() {
            write!(f, " `{}`", self.name)?;
        }
        write!(f, " ({})", self.ty)
    }
}

/// Finds the constants and converts the values.
pub(crate) fn resolve(words: &[u32], chosen: &[(SpecKey, SpecValue)]) -> Result<Vec<(u32, u64)>> {
    if chosen.is_empty() {
        return Ok(vec![]);
    }
    let declared = declared(words);
    let mut values = Vec::with_capacity(chosen.len());
    for (key, value) in chosen {
        let mut found = declared.iter().filter(|d| match key {
            SpecKey::Id(id) => d.id == *id,
            SpecKey::Name(name) => d.name == *name,
        });
        let Some(constant) = found.next() else { return Err(unknown(key, &declared, 0)) };
        // Several constants may share an id (a workgroup's size is declared twice), but a name must mean one id.
        if found.any(|other| other.id != constant.id) {
            return Err(unknown(key, &declared, 2));
        }
        let bits = to_bits(constant.ty, *value)
            .map_err(|what| Error::Options(format!("specialisation constant {constant}: {what}")))?;
        values.push((constant.id, bits));
    }
    Ok(values)
}

fn unknown(key: &SpecKey, declared: &[Declared], count: usize) -> Error {
    let key = match key {
        SpecKey::Id(id) => format!("with id {id}"),
        SpecKey::Name(name) => format!("named `{name}`"),
    };
    // A workgroup's size may be declared twice.
    let mut all: Vec<String> = vec![];
    for text in declared.iter().map(Declared::to_string) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let all = if all.is_empty() { "none".into() } else { all.join(", ") };
    Error::Options(match count {
        0 => format!("there is no specialisation constant {key}; the shader declares {all}"),
        _ => format!("several specialisation constants are {key}, choose one by its id; the shader declares {all}"),
    })
}

fn to_bits(ty: SpecType, value: SpecValue) -> Result<u64, String> {
    let unfit = || format!("{value} is not a value of type {ty}");
    match (ty, value) {
        (_, SpecValue::Bits(bits)) => Ok(bits),
        (SpecType::Bool, SpecValue::Bool(value)) => Ok(value.into()),
        (SpecType::Bool, SpecValue::Int(value @ (0 | 1))) => Ok(value as u64),
        (SpecType::Int { bits, signed }, SpecValue::Int(value)) => {
            let range = match signed {
                true => -(1i128 << (bits - 1))..=(1i128 << (bits - 1)) - 1,
                false => 0..=(1i128 << bits) - 1,
            };
            let mask = u64::MAX >> (64 - bits);
            if range.contains(&value) { Ok(value as u64 & mask) } else { Err(unfit()) }
        }
        (SpecType::Float(bits), SpecValue::Int(value)) => {
            to_bits(SpecType::Float(bits), SpecValue::Float(value as f64))
        }
        (SpecType::Float(16), SpecValue::Float(value)) => Ok(half::f16::from_f64(value).to_bits().into()),
        (SpecType::Float(32), SpecValue::Float(value)) => Ok((value as f32).to_bits().into()),
        (SpecType::Float(_), SpecValue::Float(value)) => Ok(value.to_bits()),
        _ => Err(unfit()),
    }
}

/// Reads the declarations. Stops at the first instruction that cannot be one: lifting reports what is wrong.
fn declared(words: &[u32]) -> Vec<Declared> {
    use spirv_op::*;
    let mut names = HashMap::new();
    let mut ids = HashMap::new();
    let mut types = HashMap::new();
    let mut found = vec![];
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some(operands) = rest.get(1..length) else { break };
        match (first & 0xffff, operands) {
            (NAME, [id, text @ ..]) => drop(names.insert(*id, string(text))),
            (DECORATE, [id, SPEC_ID, spec]) => drop(ids.insert(*id, *spec)),
            (TYPE_BOOL, [id]) => drop(types.insert(*id, SpecType::Bool)),
            (TYPE_INT, [id, bits @ (8 | 16 | 32 | 64), signed]) => {
                types.insert(*id, SpecType::Int { bits: *bits, signed: *signed != 0 });
            }
            (TYPE_FLOAT, [id, bits @ (16 | 32 | 64), ..]) => drop(types.insert(*id, SpecType::Float(*bits))),
            (SPEC_CONSTANT_TRUE..=SPEC_CONSTANT, [ty, id, ..]) => {
                if let (Some(ty), Some(spec)) = (types.get(ty), ids.get(id)) {
                    found.push(Declared { id: *spec, name: names.remove(id).unwrap_or_default(), ty: *ty });
                }
            }
            (FUNCTION, _) => break,
            _ => {}
        }
        rest = &rest[length..];
    }
    found
}

/// A literal string of SPIR-V.
fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The few numbers of SPIR-V that are needed here.
mod spirv_op {
    pub const NAME: u32 = 5;
    pub const TYPE_BOOL: u32 = 20;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_FLOAT: u32 = 22;
    pub const SPEC_CONSTANT_TRUE: u32 = 48;
    pub const SPEC_CONSTANT: u32 = 50;
    pub const FUNCTION: u32 = 54;
    pub const DECORATE: u32 = 71;
    /// The decoration `SpecId`.
    pub const SPEC_ID: u32 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `layout(constant_id = 7) const int N = 1;`, with the name `N`, and an unnamed boolean of id 8.
    const MODULE: [u32; 30] = [
        0x0723_0203,
        0x0001_0600,
        0,
        10,
        0, // header
        0x0003_0005,
        3,
        0x4e, // OpName %3 "N"
        0x0004_0047,
        3,
        1,
        7, // OpDecorate %3 SpecId 7
        0x0004_0047,
        4,
        1,
        8, // OpDecorate %4 SpecId 8
        0x0004_0015,
        1,
        32,
        1, // %1 = OpTypeInt 32 1
        0x0002_0014,
        2, // %2 = OpTypeBool
        0x0004_0032,
        1,
        3,
        1, // %3 = OpSpecConstant %1 1
        0x0003_0030,
        2,
        4,           // %4 = OpSpecConstantTrue %2
        0x0001_0036, // (OpFunction)
    ];

    fn one(key: SpecKey, value: impl Into<SpecValue>) -> Result<Vec<(u32, u64)>> {
        resolve(&MODULE, &[(key, value.into())])
    }

    #[test]
    fn by_id_and_by_name() -> Result<()> {
        assert_eq!(one(SpecKey::Id(7), 5)?, [(7, 5)]);
        assert_eq!(one(SpecKey::Name("N".into()), -1)?, [(7, 0xffff_ffff)]);
        assert_eq!(one(SpecKey::Id(8), false)?, [(8, 0)]);
        assert_eq!(one(SpecKey::Id(8), SpecValue::Bits(1))?, [(8, 1)]);
        for (key, value, part) in [
            (SpecKey::Id(9), SpecValue::Int(1), "7 `N` (int), 8 (bool)"),
            (SpecKey::Name("M".into()), SpecValue::Int(1), "named `M`"),
            (SpecKey::Id(7), SpecValue::Int(1 << 31), "2147483648 is not a value of type int"),
            (SpecKey::Id(7), SpecValue::Float(1.0), "not a value"),
            (SpecKey::Id(8), SpecValue::Int(2), "not a value"),
        ] {
            let error = resolve(&MODULE, &[(key, value)]).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
        Ok(())
    }

    #[test]
    fn truncated_modules_declare_less() {
        for length in 0..MODULE.len() {
            assert!(declared(&MODULE[..length]).len() <= 2);
        }
        assert_eq!(declared(&MODULE).len(), 2);
    }

    #[test]
    fn floats_are_converted() {
        assert_eq!(to_bits(SpecType::Float(16), SpecValue::Float(1.0)), Ok(0x3c00));
        assert_eq!(to_bits(SpecType::Float(32), SpecValue::Int(2)), Ok(0x4000_0000));
        assert_eq!(to_bits(SpecType::Int { bits: 64, signed: false }, u64::MAX.into()), Ok(u64::MAX));
        assert_eq!(to_bits(SpecType::Int { bits: 64, signed: true }, i64::MIN.into()), Ok(1 << 63));
    }
}
