//! A small assembler for tests: the usual text form of SPIR-V with `%name` ids, by the grammar tables of rspirv.

use super::super::source::grammar;
use rspirv::grammar::{OperandKind, OperandQuantifier};
use spirv::Op;
use std::collections::HashMap;
use std::str::FromStr;

/// Assembles a module of SPIR-V 1.`minor`. Panics with the line on a mistake.
pub(crate) fn assemble_as(minor: u8, text: &str) -> Vec<u32> {
    let mut asm = Assembler { ids: HashMap::new(), types: HashMap::new() };
    let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0000 | u32::from(minor) << 8, 0, 0, 0];
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(';')) {
        asm.line(line, &mut words);
    }
    words[3] = asm.ids.len() as u32 + 1;
    words
}

/// Assembles a module of SPIR-V 1.3.
pub(crate) fn assemble(text: &str) -> Vec<u32> {
    assemble_as(3, text)
}

struct Assembler {
    ids: HashMap<String, u32>,
    /// Width of integer and float types, and type of each result.
    types: HashMap<u32, (u32, u32)>,
}

impl Assembler {
    fn id(&mut self, token: &str) -> u32 {
        let name = token.strip_prefix('%').unwrap_or_else(|| panic!("'{token}' is no id"));
        let next = self.ids.len() as u32 + 1;
        *self.ids.entry(name.to_owned()).or_insert(next)
    }

    fn line(&mut self, line: &str, words: &mut Vec<u32>) {
        let mut tokens = tokens(line);
        let result = if tokens.len() > 2 && tokens[1] == "=" {
            let result = self.id(&tokens[0]);
            tokens.drain(..2);
            Some(result)
        } else {
            None
        };
        let name = tokens[0].strip_prefix("Op").unwrap_or_else(|| panic!("{line}"));
        let op = op(name).unwrap_or_else(|| panic!("unknown instruction: {line}"));
        let rule = grammar(op as u16).unwrap_or_else(|| panic!("no grammar: {line}"));
        let start = words.len();
        words.push(op as u32);
        let mut rest = tokens.into_iter().skip(1).peekable();
        let mut ty = 0;
        for operand in rule.operands {
            match operand.kind {
                OperandKind::IdResultType => {
                    ty = self.id(&rest.next().unwrap());
                    words.push(ty);
                }
                OperandKind::IdResult => {
                    let id = result.unwrap_or_else(|| panic!("no result: {line}"));
                    words.push(id);
                    let width = rest.peek().and_then(|t| t.parse().ok()).unwrap_or(0);
                    self.types.insert(id, (ty, width));
                }
                kind => {
                    while rest.peek().is_some() {
                        self.operand(kind, ty, &mut rest, (&mut *words, start), line);
                        if operand.quantifier != OperandQuantifier::ZeroOrMore && !brings_more(kind) {
                            break;
                        }
                    }
                }
            }
        }
        assert!(rest.peek().is_none(), "operands left over: {line}");
        words[start] |= ((words.len() - start) as u32) << 16;
    }

    fn operand(
        &mut self,
        kind: OperandKind,
        ty: u32,
        rest: &mut dyn Iterator<Item = String>,
        (words, start): (&mut Vec<u32>, usize),
        line: &str,
    ) {
        let token = rest.next().unwrap();
        let value = match kind {
            _ if token.starts_with('%') => self.id(&token),
            _ if token.starts_with('"') => return string(&token, words),
            OperandKind::LiteralContextDependentNumber => {
                let width = self.types.get(&ty).map_or(32, |t| t.1);
                return number(&token, width, words);
            }
            OperandKind::PairLiteralIntegerIdRef => {
                // The selector is the first operand.
                let ty = self.types.get(&words[start + 1]).map_or(0, |t| t.0);
                number(&token, self.types.get(&ty).map_or(32, |t| t.1), words);
                let label = rest.next().unwrap_or_else(|| panic!("no label: {line}"));
                self.id(&label)
            }
            OperandKind::LiteralSpecConstantOpInteger => match token.parse() {
                Ok(number) => number,
                Err(_) => op(&token).unwrap_or_else(|| panic!("'{token}' in {line}")) as u32,
            },
            _ => enumerant(kind, &token).unwrap_or_else(|| panic!("'{token}' in {line}")),
        };
        words.push(value);
    }
}

fn op(name: &str) -> Option<Op> {
    rspirv::grammar::INSTRUCTION_TABLE.iter().find(|i| i.opname == name).map(|i| i.opcode)
}

fn glsl(name: &str) -> Option<u32> {
    (1..=81).find(|&n| spirv::GlslStd450Op::from_u32(n).is_some_and(|op| format!("{op:?}") == name))
}

/// Operands whose value brings further ones.
fn brings_more(kind: OperandKind) -> bool {
    use OperandKind::{Decoration, ExecutionMode, LiteralSpecConstantOpInteger, LoopControl, MemoryAccess};
    matches!(kind, Decoration | ExecutionMode | MemoryAccess | LoopControl | LiteralSpecConstantOpInteger)
}

fn tokens(line: &str) -> Vec<String> {
    let mut out = vec![];
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[start..];
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').unwrap() + 2,
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        out.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    out
}

fn string(token: &str, words: &mut Vec<u32>) {
    let mut bytes = token.trim_matches('"').as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    words.extend(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
}

fn number(token: &str, width: u32, words: &mut Vec<u32>) {
    let bits = match token.parse::<i64>() {
        Ok(value) => value as u64,
        Err(_) => match token.parse::<u64>() {
            Ok(value) => value,
            Err(_) => u64::from(token.parse::<f32>().unwrap_or_else(|_| panic!("'{token}' is no number")).to_bits()),
        },
    };
    words.push(bits as u32);
    if width == 64 {
        words.push((bits >> 32) as u32);
    }
}

fn enumerant(kind: OperandKind, token: &str) -> Option<u32> {
    if let Ok(value) = token.parse::<u32>() {
        return Some(value);
    }
    let named = match kind {
        OperandKind::Capability => spirv::Capability::from_str(token).ok().map(|v| v as u32),
        OperandKind::AddressingModel => spirv::AddressingModel::from_str(token).ok().map(|v| v as u32),
        OperandKind::MemoryModel => spirv::MemoryModel::from_str(token).ok().map(|v| v as u32),
        OperandKind::ExecutionModel => spirv::ExecutionModel::from_str(token).ok().map(|v| v as u32),
        OperandKind::ExecutionMode => spirv::ExecutionMode::from_str(token).ok().map(|v| v as u32),
        OperandKind::StorageClass => spirv::StorageClass::from_str(token).ok().map(|v| v as u32),
        OperandKind::Decoration => spirv::Decoration::from_str(token).ok().map(|v| v as u32),
        OperandKind::LiteralExtInstInteger => glsl(token),
        _ => None,
    };
    let masks = [("None", 0), ("Unroll", 1), ("Flatten", 1), ("DontUnroll", 2), ("Volatile", 1), ("Aligned", 2)];
    let builtin = || spirv::BuiltIn::from_str(token).ok().map(|v| v as u32);
    named.or_else(|| masks.iter().find(|m| m.0 == token).map(|m| m.1)).or_else(builtin)
}
