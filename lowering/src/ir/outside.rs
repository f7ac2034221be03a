//! What a shader calls outside of itself: instructions that the embedder has registered, and prints
//! (NonSemantic.DebugPrintf).
//!
//! A function out there is called once for a subgroup. It finds each component of each argument, and leaves each component
//! of its results, as one 32-bit word for each lane, the lanes of a component side by side; literal operands are components
//! too. Booleans are 0 or 1.

use super::{Loc, Scalar, Type, TypeId, Types};
use std::fmt;
use std::str::FromStr;

/// Which instruction: a core opcode, or a number of an extended set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CustomName {
    /// A core instruction by its opcode.
    Core(u16),
    /// An instruction of an extended set by the set's name.
    Set(String, u32),
}

/// A scalar, or a vector of 2 to 4 components; components have 32 bits or are booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CustomType {
    /// Type of a component.
    pub scalar: Scalar,
    /// Number of them: 1 for a scalar.
    pub count: u32,
}

/// An operand of a custom instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CustomParam {
    /// The id of a value.
    Value(CustomType),
    /// A literal word.
    Literal,
}

/// An instruction that a function of the embedder's computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustomInstruction {
    /// Which.
    pub name: CustomName,
    /// Its operands.
    pub params: Vec<CustomParam>,
    /// Its results: none, one, or the members of a struct.
    pub results: Vec<CustomType>,
}

/// A `DebugPrintf` of the shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The format.
    pub text: String,
    /// Types of the arguments.
    pub args: Vec<CustomType>,
    /// Where it stands.
    pub loc: Loc,
}

/// GLSL's names of the types of components, and of vectors of them.
const NAMES: [(Scalar, &str, &str); 4] = [
    (Scalar::F32, "float", "vec"),
    (Scalar::I32, "int", "ivec"),
    (Scalar::U32, "uint", "uvec"),
    (Scalar::Bool, "bool", "bvec"),
];

impl CustomType {
    /// A scalar.
    pub const fn scalar(scalar: Scalar) -> CustomType {
        CustomType { scalar, count: 1 }
    }

    /// The type of the IR as such a one; `None` for one that is not passed to functions outside.
    pub fn of(types: &Types, ty: TypeId) -> Option<CustomType> {
        let (scalar, count) = types.components(ty)?;
        NAMES.iter().any(|(known, ..)| *known == scalar).then_some(CustomType { scalar, count })
    }
}

impl fmt::Display for CustomType {
    /// As GLSL spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = NAMES.iter().find(|(scalar, ..)| *scalar == self.scalar);
        match (known, self.count) {
            (Some((_, scalar, _)), 1) => f.write_str(scalar),
            (Some((_, _, vector)), n) => write!(f, "{vector}{n}"),
            (None, n) => write!(f, "{:?} x {n}", self.scalar),
        }
    }
}

impl FromStr for CustomType {
    type Err = String;

    /// GLSL's spelling: `float`, `uvec3`.
    fn from_str(text: &str) -> Result<CustomType, String> {
        let found = NAMES.iter().find_map(|(scalar, one, many)| {
            let count = match text.strip_prefix(many) {
                _ if text == *one => 1,
                Some("2") => 2,
                Some("3") => 3,
                Some("4") => 4,
                _ => return None,
            };
            Some(CustomType { scalar: *scalar, count })
        });
        found.ok_or_else(|| format!("`{text}` is not float, int, uint, bool or a vector of these"))
    }
}

impl CustomParam {
    /// Words for each lane.
    pub fn components(self) -> usize {
        match self {
            CustomParam::Value(ty) => ty.count as usize,
            CustomParam::Literal => 1,
        }
    }
}

impl fmt::Display for CustomParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CustomParam::Value(ty) => ty.fmt(f),
            CustomParam::Literal => f.write_str("literal"),
        }
    }
}

impl FromStr for CustomParam {
    type Err = String;

    fn from_str(text: &str) -> Result<CustomParam, String> {
        if text == "literal" { Ok(CustomParam::Literal) } else { text.parse().map(CustomParam::Value) }
    }
}

impl fmt::Display for CustomName {
    /// As messages have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CustomName::Core(opcode) => write!(f, "opcode {opcode}"),
            CustomName::Set(set, number) => write!(f, "instruction {number} of the set \"{set}\""),
        }
    }
}

impl CustomInstruction {
    /// Words for each lane of all operands.
    pub fn arguments(&self) -> usize {
        self.params.iter().map(|param| param.components()).sum()
    }

    /// Words for each lane of all results.
    pub fn outputs(&self) -> usize {
        self.results.iter().map(|ty| ty.count as usize).sum()
    }

    /// Does a value of type `ty` (`None`: no value) have the shape of the results?
    pub fn gives(&self, types: &Types, ty: Option<TypeId>) -> bool {
        let ty = ty.filter(|&ty| types[ty] != Type::Void);
        match (ty, &self.results[..]) {
            (None, []) => true,
            (Some(ty), [only]) => CustomType::of(types, ty) == Some(*only),
            (Some(ty), members @ [_, _, ..]) => {
                let member = |i: usize| types.constituent(ty, i as u32).and_then(|ty| CustomType::of(types, ty));
                matches!(types[ty], Type::Struct(_))
                    && types.constituents(ty) == u32::try_from(members.len()).ok()
                    && members.iter().enumerate().all(|(i, ty)| member(i) == Some(*ty))
            }
            _ => false,
        }
    }

    /// `uint(float, literal)`: results and operands.
    pub fn signature(&self) -> String {
        let list = |items: Vec<String>| items.join(", ");
        let results = match &self.results[..] {
            [] => "void".into(),
            [only] => only.to_string(),
            many => format!("{{{}}}", list(many.iter().map(CustomType::to_string).collect())),
        };
        format!("{results}({})", list(self.params.iter().map(CustomParam::to_string).collect()))
    }
}

impl FromStr for CustomInstruction {
    type Err = String;

    /// `OPCODE:RESULT(OPERANDS)` or `SET/NUMBER:RESULT(OPERANDS)`, such as `60000:uint(float,literal)`,
    /// `My.Set/3:{uint,uint}(uvec2)`, `60001:void(uint)`.
    fn from_str(text: &str) -> Result<CustomInstruction, String> {
        const FORM: &str = "OPCODE:RESULT(OPERANDS) or SET/NUMBER:RESULT(OPERANDS)";
        let (name, signature) = text.rsplit_once(':').ok_or(FORM)?;
        let name = match name.rsplit_once('/') {
            Some((set, number)) => {
                let number = number.parse().map_err(|_| format!("`{number}` is no number of an instruction"))?;
                CustomName::Set(set.to_owned(), number)
            }
            None => CustomName::Core(name.parse().map_err(|_| format!("`{name}` is no opcode"))?),
        };
        let (results, params) = signature.strip_suffix(')').and_then(|s| s.split_once('(')).ok_or(FORM)?;
        let parts = |list: &str| -> Vec<String> {
            list.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        };
        let results = match results.trim() {
            "void" => vec![],
            one => match one.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
                Some(members) => parts(members).iter().map(|ty| ty.parse()).collect::<Result<_, _>>()?,
                None => vec![one.parse()?],
            },
        };
        let params = parts(params).iter().map(|param| param.parse()).collect::<Result<_, _>>()?;
        Ok(CustomInstruction { name, params, results })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_as_they_are_printed() {
        let mut checked = 0;
        for (text, params, results) in [
            ("60000:uint(float, literal)", 2, 1),
            ("60001:void()", 0, 0),
            ("7:{uvec2, bool}(ivec3)", 1, 2),
            ("65535:bvec4(bvec4)", 1, 1),
        ] {
            let read: CustomInstruction = text.parse().unwrap();
            assert_eq!((read.params.len(), read.results.len()), (params, results), "{text}");
            let CustomName::Core(opcode) = read.name else { panic!("{text}: {}", read.name) };
            assert_eq!(format!("{opcode}:{}", read.signature()), text);
            checked += 1;
        }
        let named: CustomInstruction = "My.Set/3:float(float)".parse().unwrap();
        assert_eq!(named.name, CustomName::Set("My.Set".into(), 3));
        for text in [
            "",
            "60000",
            "x:uint()",
            "70000:uint()",
            "60000:uint(",
            "60000:mat2(float)",
            "60000:uint(uvec5)",
            "S/x:uint()",
        ] {
            assert!(text.parse::<CustomInstruction>().is_err(), "{text}");
            checked += 1;
        }
        println!("{checked} instructions");
    }
}
