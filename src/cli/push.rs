//! Push constants on the command line: the argument of `--push`.
//!
//! | argument | meaning |
//! |---|---|
//! | `NAME=1` or `NAME=1,2,3` | a member of the block, a number or a vector of its own type |
//! | `f32:1,2` | these numbers, behind what earlier arguments of this form gave |
//! | `push.bin` | a file's bytes, likewise |

use super::source::has_extension;
use super::values::{Type, read_list};
use glslc2native::lowering::analysis::interface::MemberInfo;
use glslc2native::lowering::ir::Scalar;
use glslc2native::{Bindings, Interface, interface_text};
use std::path::PathBuf;

/// An argument, parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// Bytes, behind the earlier ones.
    Bytes(Vec<u8>),
    /// A file's bytes, behind the earlier ones.
    File(PathBuf),
    /// A member's value; its type is known when the shader is.
    Member { name: String, value: String },
}

impl Push {
    /// Parses the text of an argument.
    pub fn parse(text: &str) -> Result<Push, String> {
        if let Some((ty, numbers)) = text.split_once(':').and_then(|(ty, rest)| Some((Type::named(ty)?, rest))) {
            return Ok(Push::Bytes(read_list(ty, numbers)?));
        }
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Push::Member { name: name.into(), value: value.into() }),
            None if has_extension(text, "bin") => Ok(Push::File(text.into())),
            _ => Err(format!("`{text}` is not NAME=VALUE, nor TYPE:V,V,…, nor a file.bin")),
        }
    }
}

/// Puts all arguments into `bindings`.
pub fn apply(arguments: &[Push], interface: &Interface, bindings: &mut Bindings<'_>) -> Result<(), String> {
    // A block that is declared and not used takes anything, to no effect.
    if interface.push_size == 0 && interface.unused.push {
        return Ok(());
    }
    let mut end = 0;
    for argument in arguments {
        let bytes = match argument {
            Push::Bytes(bytes) => bytes.clone(),
            Push::File(path) => std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?,
            Push::Member { name, value } => {
                let member = interface.push_members.iter().find(|member| member.name == *name).ok_or_else(|| {
                    format!(
                        "there is no push constant `{name}`; this is what the shader declares:\n{}",
                        interface_text(interface)
                    )
                })?;
                bindings.push_at(member.offset as usize, &member_bytes(member, value)?);
                continue;
            }
        };
        bindings.push_at(end, &bytes);
        end += bytes.len();
    }
    Ok(())
}

/// The bytes of a member's value.
fn member_bytes(member: &MemberInfo, value: &str) -> Result<Vec<u8>, String> {
    let MemberInfo { name, ty, .. } = member;
    let Some((scalar, count)) = member.scalar else {
        return Err(format!("push constant `{name}` is of type {ty}; give the whole block as TYPE:V,V,… or as a file"));
    };
    let bytes = read_list(number_type(scalar), value).map_err(|what| format!("push constant `{name}`: {what}"))?;
    match bytes.len() as u32 * 8 / scalar.bits() {
        given if given == count => Ok(bytes),
        given => Err(format!("push constant `{name}` is of type {ty}: {count} numbers, not {given}")),
    }
}

/// The command line's type for a component. Booleans have no form in memory; compilers declare them as `uint`.
fn number_type(scalar: Scalar) -> Type {
    let size = scalar.bits() as usize / 8;
    match scalar {
        Scalar::Int { signed: true, .. } => Type::Signed(size),
        Scalar::Float(_) => Type::Float(size),
        Scalar::Int { .. } | Scalar::Bool => Type::Unsigned(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_apart() {
        assert_eq!(Push::parse("n=3"), Ok(Push::Member { name: "n".into(), value: "3".into() }));
        assert_eq!(Push::parse("light.pos=1,2"), Ok(Push::Member { name: "light.pos".into(), value: "1,2".into() }));
        assert_eq!(Push::parse("u8:1,2"), Ok(Push::Bytes(vec![1, 2])));
        assert_eq!(Push::parse("a.bin"), Ok(Push::File("a.bin".into())));
        for text in ["", "n", "=3", "a.txt"] {
            assert!(Push::parse(text).is_err_and(|e| e.contains("NAME=VALUE")), "{text}");
        }
        assert!(Push::parse("u8:300").is_err_and(|e| e.contains("range")));
    }

    #[test]
    fn values_take_the_type_of_their_member() {
        let member = |scalar, count| MemberInfo {
            name: "m".into(),
            ty: "T".into(),
            offset: 0,
            size: 0,
            scalar: Some((scalar, count)),
        };
        let bytes = |scalar, count, text: &str| member_bytes(&member(scalar, count), text);
        assert_eq!(bytes(Scalar::F32, 2, "1,-1"), Ok([1.0f32, -1.0].map(f32::to_ne_bytes).concat()));
        assert_eq!(bytes(Scalar::I32, 1, "-1"), Ok(vec![255; 4]));
        assert!(bytes(Scalar::U32, 1, "-1").is_err_and(|e| e.contains("range")));
        assert!(bytes(Scalar::U32, 1, "1.5").is_err_and(|e| e.contains("not a number")));
        assert!(bytes(Scalar::F32, 3, "1,2").is_err_and(|e| e.contains("3 numbers, not 2")));
        assert!(member_bytes(&MemberInfo { scalar: None, ..member(Scalar::F32, 1) }, "1").is_err());
    }
}
