//! The binary form: words → instructions, each with its place (SPIR-V specification, §2.3 "Physical Layout of a SPIR-V
//! Module and Instruction", §2.4 "Logical Layout of a Module").
//!
//! In: the words as given, of either endianness. Out: [`Source`], a flat list of instructions with an index by result id,
//! and side tables of what stands before the types (names, decorations, entry points, execution modes).
//!
//! The framing of every instruction is checked here, so that all later code may slice freely. Operands are decoded when an
//! instruction is lifted, by the grammar tables of rspirv; so an instruction, capability or decoration that the tables do
//! not know costs nothing where nothing uses it. Memory is bounded by the length of the module, whatever its header says.

use super::lines::Lines;
use crate::error::{Error, Place, Result};
use crate::ir::{CustomInstruction, CustomName, EXTENDED_SETS, ExtendedSet, Loc};
use crate::ops::declared::decoration_refusal;
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind, OperandQuantifier};
use spirv::Op;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Grammar of a core instruction.
pub(crate) fn grammar(opcode: u16) -> Option<&'static Instruction<'static>> {
    static TABLE: OnceLock<HashMap<u32, &'static Instruction<'static>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| INSTRUCTION_TABLE.iter().map(|i| (i.opcode as u32, i)).collect());
    table.get(&u32::from(opcode)).copied()
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst {
    /// Its opcode, which the grammar may not know.
    pub opcode: u16,
    /// Words, the first included.
    len: u16,
    /// Where it comes from; `loc.id` is its result, or 0.
    pub loc: Loc,
    /// Result type, or 0.
    pub ty: u32,
    /// First operand after the result.
    operands: u32,
}

impl Inst {
    /// Is it this one?
    pub fn is(&self, op: Op) -> bool {
        u32::from(self.opcode) == op as u32
    }

    /// Its opcode as one that the SPIR-V headers name.
    pub fn op(&self) -> Option<Op> {
        Op::from_u32(u32::from(self.opcode))
    }

    /// Its result id, or 0.
    pub fn id(&self) -> u32 {
        self.loc.id
    }

    /// Its name in the specification, for messages.
    pub fn name(&self) -> String {
        match self.op() {
            Some(op) => format!("Op{op:?}"),
            None => format!("opcode {}", self.opcode),
        }
    }
}

/// A decoration of an id or of a member of it.
#[derive(Clone, Debug)]
pub(super) struct Decoration {
    /// Its number.
    pub kind: u32,
    /// Member of a struct.
    pub member: Option<u32>,
    /// Its operands, in [`Source::words`].
    args: Range<usize>,
}

/// An `OpEntryPoint`.
#[derive(Clone, Debug)]
pub(super) struct EntryDecl {
    /// Execution model.
    pub model: u32,
    /// Function id.
    pub func: u32,
    /// Its name.
    pub name: String,
    /// Interface ids, in [`Source::words`].
    pub interface: Range<usize>,
    /// The instruction.
    pub inst: Inst,
}

/// An extended instruction set.
pub(super) struct ExtSet {
    /// Its name.
    pub name: String,
    /// The set that the op table has.
    pub known: Option<&'static ExtendedSet>,
}

impl ExtSet {
    /// Have its instructions no meaning for the result?
    pub fn is_non_semantic(&self) -> bool {
        self.name.starts_with("NonSemantic.")
    }
}

/// A function: instructions from `OpFunction` to `OpFunctionEnd`.
#[derive(Clone, Debug)]
pub(super) struct FunctionDecl {
    /// Indices into [`Source::insts`].
    pub insts: Range<usize>,
}

/// A module taken apart.
#[derive(Default)]
pub(super) struct Source<'a> {
    /// All words, in the order of the host.
    pub words: Cow<'a, [u32]>,
    /// Instructions that functions of the embedder's compute.
    pub custom: &'a [CustomInstruction],
    /// Version.
    pub version: (u8, u8),
    /// All instructions.
    pub insts: Vec<Inst>,
    /// Index into `insts` of what defines an id.
    pub defs: HashMap<u32, usize>,
    /// Functions by id.
    pub functions: HashMap<u32, FunctionDecl>,
    /// Entry points.
    pub entries: Vec<EntryDecl>,
    /// `OpExecutionMode` and `OpExecutionModeId`, as indices into `insts`, by function.
    pub modes: HashMap<u32, Vec<usize>>,
    /// Imported sets.
    pub sets: HashMap<u32, ExtSet>,
    /// Capabilities that the headers name.
    pub capabilities: Vec<spirv::Capability>,
    /// Extensions.
    pub extensions: Vec<String>,
    /// Names of source files.
    pub files: Vec<String>,
    /// The constant decorated `BuiltIn WorkgroupSize`.
    pub workgroup_size: Option<u32>,
    names: HashMap<u32, usize>,
    member_names: HashMap<(u32, u32), usize>,
    decorations: HashMap<u32, Vec<Decoration>>,
    groups: HashMap<u32, Vec<(u32, Option<u32>)>>,
}

/// Bits of a memory access that bring an id each.
pub(crate) const MEMORY_ACCESS_IDS: spirv::MemoryAccess = spirv::MemoryAccess::MAKE_POINTER_AVAILABLE
    .union(spirv::MemoryAccess::MAKE_POINTER_VISIBLE)
    .union(spirv::MemoryAccess::ALIAS_SCOPE_INTEL_MASK)
    .union(spirv::MemoryAccess::NO_ALIAS_INTEL_MASK);

/// Words of the header.
const HEADER: usize = 5;

impl<'a> Source<'a> {
    /// Takes a module apart.
    ///
    /// The grammar of an instruction that no headers know is that of its entry in `custom`; where it has none, the
    /// instruction is one whose use is an error.
    pub fn parse(words: &'a [u32], custom: &'a [CustomInstruction]) -> Result<Source<'a>> {
        let mut source = Source { words: Cow::Borrowed(words), custom, ..Source::default() };
        source.header()?;
        source.frame()?;
        source.collect()?;
        Ok(source)
    }

    fn header(&mut self) -> Result<()> {
        let Some(&magic) = self.words.first() else { return Err(self.invalid(Loc::default(), "the module is empty")) };
        if magic == spirv::MAGIC_NUMBER.swap_bytes() {
            self.words = Cow::Owned(self.words.iter().map(|w| w.swap_bytes()).collect());
        } else if magic != spirv::MAGIC_NUMBER {
            let what =
                format!("it starts with {magic:#010x} in place of the magic number {:#010x}", spirv::MAGIC_NUMBER);
            return Err(self.invalid(Loc::default(), what));
        }
        if self.words.len() < HEADER {
            let what = format!("the header is cut off: {} words of {HEADER}", self.words.len());
            return Err(self.invalid(at(self.words.len()), what));
        }
        let version = self.words[1];
        let (major, minor) = ((version >> 16) as u8, (version >> 8) as u8);
        if version & 0xff00_00ff != 0 || major != 1 || minor > 6 {
            let what = format!("version word {version:#010x} is not one of SPIR-V 1.0 to 1.6");
            return Err(self.invalid(at(1), what));
        }
        self.version = (major, minor);
        Ok(())
    }

    /// Splits the words into instructions and gives each its place.
    fn frame(&mut self) -> Result<()> {
        let mut word = HEADER;
        let mut lines = Lines::default();
        while word < self.words.len() {
            let first = self.words[word];
            let (len, opcode) = ((first >> 16) as u16, first as u16);
            if len == 0 {
                return Err(self.invalid(at(word), "an instruction with a word count of 0"));
            }
            let left = self.words.len() - word;
            if usize::from(len) > left {
                let what = format!("the module ends within an instruction: {left} words of {len}");
                return Err(self.invalid(at(word), what));
            }
            let loc = Loc { file: lines.file, line: lines.line, word: word as u32, id: 0 };
            let mut inst = Inst { opcode, len, loc, ty: 0, operands: word as u32 + 1 };
            self.result(&mut inst)?;
            if lines.see(self, &inst)? {
                self.insts.push(inst);
            }
            word += usize::from(len);
        }
        Ok(())
    }

    /// Reads result type and result as far as the grammar has them.
    fn result(&self, inst: &mut Inst) -> Result<()> {
        let kinds: &[OperandKind] = match (grammar(inst.opcode), self.custom(&CustomName::Core(inst.opcode))) {
            (Some(grammar), _) => &[0, 1].map(|i| grammar.operands.get(i).map_or(OperandKind::IdRef, |o| o.kind)),
            (None, Some(custom)) if !custom.results.is_empty() => &[OperandKind::IdResultType, OperandKind::IdResult],
            _ => return Ok(()),
        };
        for kind in kinds {
            let field = match kind {
                OperandKind::IdResultType => &mut inst.ty,
                OperandKind::IdResult => &mut inst.loc.id,
                _ => break,
            };
            let end = inst.loc.word + u32::from(inst.len);
            let value = if inst.operands < end { self.words[inst.operands as usize] } else { 0 };
            if value == 0 {
                let what = format!("{} lacks its result", inst.name());
                return Err(self.invalid(inst.loc, what));
            }
            *field = value;
            inst.operands += 1;
        }
        Ok(())
    }

    /// The registered instruction of that name.
    pub fn custom(&self, name: &CustomName) -> Option<&'a CustomInstruction> {
        self.custom.iter().find(|custom| custom.name == *name)
    }

    /// Fills the side tables.
    fn collect(&mut self) -> Result<()> {
        let mut open: Option<usize> = None;
        for index in 0..self.insts.len() {
            let inst = self.insts[index];
            if inst.id() != 0 && self.defs.insert(inst.id(), index).is_some() {
                return Err(self.invalid(inst.loc, "this id is defined twice"));
            }
            match inst.op() {
                Some(Op::Function) if open.is_some() => {
                    return Err(self.invalid(inst.loc, "a function begins within another function"));
                }
                Some(Op::Function) => open = Some(index),
                Some(Op::FunctionEnd) => {
                    let Some(start) = open.take() else {
                        return Err(self.invalid(inst.loc, "OpFunctionEnd outside a function"));
                    };
                    self.functions.insert(self.insts[start].id(), FunctionDecl { insts: start..index + 1 });
                }
                Some(op) if open.is_none() => self.preamble(index, op)?,
                _ => {}
            }
        }
        match open {
            Some(start) => Err(self.invalid(self.insts[start].loc, "the module ends within this function")),
            None => Ok(()),
        }
    }

    fn preamble(&mut self, index: usize, op: Op) -> Result<()> {
        let inst = self.insts[index];
        match op {
            Op::Capability => self.capabilities.extend(spirv::Capability::from_u32(self.word(&inst, 0)?)),
            Op::Extension => {
                let name = self.string(&inst, 0)?.0;
                self.extensions.push(name);
            }
            Op::ExtInstImport => {
                let name = self.string(&inst, 0)?.0;
                let known = EXTENDED_SETS.iter().find(|set| set.name == name);
                self.sets.insert(inst.id(), ExtSet { name, known });
            }
            Op::EntryPoint => {
                let (name, words) = self.string(&inst, 2)?;
                let (model, func) = (self.word(&inst, 0)?, self.word(&inst, 1)?);
                let range = self.range(&inst);
                let interface = range.start + 2 + words..range.end;
                self.entries.push(EntryDecl { model, func, name, interface, inst });
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.modes.entry(self.word(&inst, 0)?).or_default().push(index);
            }
            Op::Name => {
                let target = self.word(&inst, 0)?;
                self.names.insert(target, index);
            }
            Op::MemberName => {
                let target = (self.word(&inst, 0)?, self.word(&inst, 1)?);
                self.member_names.insert(target, index);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => self.decorate(&inst, 1)?,
            Op::MemberDecorate | Op::MemberDecorateString => self.decorate(&inst, 2)?,
            Op::GroupDecorate | Op::GroupMemberDecorate => self.group(&inst, op)?,
            _ => {}
        }
        Ok(())
    }

    fn decorate(&mut self, inst: &Inst, at: usize) -> Result<()> {
        let (target, kind) = (self.word(inst, 0)?, self.word(inst, at)?);
        let member = if at == 2 { Some(self.word(inst, 1)?) } else { None };
        let decoration = spirv::Decoration::from_u32(kind);
        if let Some((decoration, why)) = decoration.and_then(|d| Some((d, decoration_refusal(d)?))) {
            return Err(self.unsupported(inst.loc, format!("decoration {decoration:?}"), why));
        }
        if decoration == Some(spirv::Decoration::FPRoundingMode) {
            let mode = spirv::FPRoundingMode::from_u32(self.word(inst, at + 1)?);
            if mode != Some(spirv::FPRoundingMode::RTE) {
                let what = mode.map_or("decoration FPRoundingMode".into(), |mode| format!("FPRoundingMode {mode:?}"));
                return Err(self.unsupported(inst.loc, what, "conversions are to nearest even: leave it out"));
            }
        }
        let range = self.range(inst);
        let builtin = kind == spirv::Decoration::BuiltIn as u32 && member.is_none();
        if builtin && self.word(inst, 2)? == spirv::BuiltIn::WorkgroupSize as u32 {
            self.workgroup_size = Some(target);
        }
        let decoration = Decoration { kind, member, args: range.start + at + 1..range.end };
        self.decorations.entry(target).or_default().push(decoration);
        Ok(())
    }

    fn group(&mut self, inst: &Inst, op: Op) -> Result<()> {
        let group = self.word(inst, 0)?;
        let step = if op == Op::GroupMemberDecorate { 2 } else { 1 };
        let targets = self.range(inst).skip(1).step_by(step);
        for at in targets {
            let member = if step == 2 { self.words[..self.range(inst).end].get(at + 1).copied() } else { None };
            self.groups.entry(self.words[at]).or_default().push((group, member));
        }
        Ok(())
    }

    fn range(&self, inst: &Inst) -> Range<usize> {
        inst.operands as usize..inst.loc.word as usize + usize::from(inst.len)
    }

    /// Operands after result type and result.
    pub fn operands(&self, inst: &Inst) -> &[u32] {
        &self.words[self.range(inst)]
    }

    /// One operand word.
    pub fn word(&self, inst: &Inst, index: usize) -> Result<u32> {
        self.operands(inst).get(index).copied().ok_or_else(|| {
            let what = format!("{} has too few operands ({index})", inst.name());
            self.invalid(inst.loc, what)
        })
    }

    /// A string operand and its number of words. What is not UTF-8 is replaced.
    pub fn string(&self, inst: &Inst, index: usize) -> Result<(String, usize)> {
        let mut bytes = Vec::new();
        for (at, word) in self.operands(inst).iter().enumerate().skip(index) {
            let chunk = word.to_le_bytes();
            let end = chunk.iter().position(|&b| b == 0);
            bytes.extend_from_slice(&chunk[..end.unwrap_or(4)]);
            if end.is_some() {
                return Ok((String::from_utf8_lossy(&bytes).into_owned(), at + 1 - index));
            }
        }
        Err(self.invalid(inst.loc, format!("the string of {} does not end", inst.name())))
    }

    /// What defines an id.
    pub fn def(&self, id: u32) -> Option<&Inst> {
        self.defs.get(&id).map(|&i| &self.insts[i])
    }

    /// `OpName`, or empty.
    pub fn name(&self, id: u32) -> String {
        let inst = self.names.get(&id).map(|&i| self.insts[i]);
        inst.and_then(|i| self.string(&i, 1).ok()).map_or_else(String::new, |(s, _)| s)
    }

    /// `OpMemberName`, or empty.
    pub fn member_name(&self, id: u32, member: u32) -> String {
        let inst = self.member_names.get(&(id, member)).map(|&i| self.insts[i]);
        inst.and_then(|i| self.string(&i, 2).ok()).map_or_else(String::new, |(s, _)| s)
    }

    /// Calls `f` with member, number and operands of each decoration of an id.
    pub fn decorations(&self, id: u32, mut f: impl FnMut(Option<u32>, spirv::Decoration, &[u32])) {
        let mut each = |d: &Decoration, member| {
            if let Some(kind) = spirv::Decoration::from_u32(d.kind) {
                f(member, kind, &self.words[d.args.clone()]);
            }
        };
        self.decorations.get(&id).into_iter().flatten().for_each(|d| each(d, d.member));
        for &(group, member) in self.groups.get(&id).into_iter().flatten() {
            self.decorations.get(&group).into_iter().flatten().for_each(|d| each(d, member));
        }
    }

    /// The first operand of a decoration of the id itself (0 where it has none), if it is there.
    pub fn decoration(&self, id: u32, wanted: spirv::Decoration) -> Option<u32> {
        let mut found = None;
        self.decorations(id, |member, kind, args| {
            if member.is_none() && kind == wanted && found.is_none() {
                found = Some(args.first().copied().unwrap_or(0));
            }
        });
        found
    }

    /// Is the id itself decorated so that others see each access through it, and are seen by it?
    pub fn is_ordered(&self, id: u32) -> bool {
        let wanted = [spirv::Decoration::Volatile, spirv::Decoration::Coherent];
        wanted.into_iter().any(|kind| self.decoration(id, kind).is_some())
    }

    /// A place for an error.
    pub fn place(&self, loc: Loc) -> Place {
        let file = self.files.get(loc.file as usize).filter(|f| loc.line > 0 && !f.is_empty());
        Place { loc, file: file.cloned() }
    }

    /// The module breaks the specification.
    pub fn invalid(&self, loc: Loc, what: impl Into<String>) -> Error {
        Error::InvalidSpirv { place: self.place(loc), what: what.into() }
    }

    /// The module is valid but cannot be compiled.
    pub fn unsupported(&self, loc: Loc, instruction: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::Unsupported { place: self.place(loc), instruction: instruction.into(), reason: reason.into() }
    }

    /// The module exceeds a limit.
    pub fn limit(&self, loc: Loc, what: impl Into<String>) -> Error {
        Error::Limit { place: self.place(loc), what: what.into() }
    }

    /// Splits the operands of an instruction into ids and literals, by the grammar. `skip` operands are left out.
    pub fn split(&self, inst: &Inst) -> Result<Split> {
        let Some(grammar) = grammar(inst.opcode) else {
            return Err(self.unsupported(inst.loc, inst.name(), "this opcode is not in the SPIR-V headers known here"));
        };
        split(grammar, self.operands(inst)).map_err(|what| {
            let what = format!("{} {what}", inst.name());
            self.invalid(inst.loc, what)
        })
    }
}

/// Operands of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// Ids, in order.
    pub ids: Vec<u32>,
    /// Literals, in order.
    pub literals: Vec<u32>,
}

/// Splits operands (without result type and result) by the grammar of an instruction. The error completes the sentence
/// "OpX …".
pub(super) fn split(grammar: &Instruction<'static>, words: &[u32]) -> std::result::Result<Split, &'static str> {
    let mut out = Split::default();
    let mut words = words.iter().copied();
    let logical =
        grammar.operands.iter().filter(|o| !matches!(o.kind, OperandKind::IdResult | OperandKind::IdResultType));
    for operand in logical {
        loop {
            let Some(word) = words.next() else {
                if operand.quantifier == OperandQuantifier::One {
                    return Err("has too few operands");
                }
                break;
            };
            push(&mut out, operand.kind, word, &mut words).ok_or("has too few operands")?;
            if operand.quantifier != OperandQuantifier::ZeroOrMore {
                break;
            }
        }
    }
    if words.next().is_some() {
        return Err("has too many operands");
    }
    Ok(out)
}

/// Adds one operand that starts with `word`.
fn push(out: &mut Split, kind: OperandKind, word: u32, rest: &mut impl Iterator<Item = u32>) -> Option<()> {
    match kind {
        OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => out.ids.push(word),
        OperandKind::PairIdRefIdRef => out.ids.extend([word, rest.next()?]),
        OperandKind::PairIdRefLiteralInteger => {
            out.ids.push(word);
            out.literals.push(rest.next()?);
        }
        OperandKind::PairLiteralIntegerIdRef => {
            out.literals.push(word);
            out.ids.push(rest.next()?);
        }
        // Masks whose bits bring operands: Aligned brings a literal, the others of these two bring ids.
        OperandKind::MemoryAccess => {
            out.literals.push(word);
            if word & spirv::MemoryAccess::ALIGNED.bits() != 0 {
                out.literals.push(rest.next()?);
            }
            for _ in 0..(word & MEMORY_ACCESS_IDS.bits()).count_ones() {
                out.ids.push(rest.next()?);
            }
        }
        OperandKind::ImageOperands => {
            out.literals.push(word);
            out.ids.extend(rest);
        }
        OperandKind::LiteralString | OperandKind::LiteralContextDependentNumber => {
            out.literals.push(word);
            out.literals.extend(rest);
        }
        _ => out.literals.push(word),
    }
    Some(())
}

/// Does this instruction end a block? (SPIR-V specification, "Block termination instruction".)
pub(super) fn ends_block(op: Op) -> bool {
    rspirv::grammar::reflect::is_block_terminator(op)
}

fn at(word: usize) -> Loc {
    Loc { word: word as u32, ..Loc::default() }
}
