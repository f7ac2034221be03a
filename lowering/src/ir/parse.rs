//! Reads the text form of a module that [`print`](super::print) writes.
//!
//! In: text. Out: a module, not yet verified, whose locations are lines of the text; or [`Error::InvalidIr`] with a line.
//! Bad text never panics; constructs, types and constants nest to a bound.
//!
//! What may be left out: the `else` of a selection; a region's terminator, which is then `merge` in a selection or switch,
//! `fallthrough` in a header or body, `reenter` in a continue region, `return` in a function. The operands of an instruction
//! start on its line. Structs, globals and functions may be referred to before they are declared, but globals and entries
//! of the table of constants stand before functions.

mod function;
mod lex;

use super::*;
use crate::error::Result;
use lex::{Lexed, Name, Token, error, lex};
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::OnceLock;

/// Parses a module.
pub fn parse(text: &str) -> Result<Module> {
    let mut parser = Parser {
        tokens: lex(text)?,
        at: 0,
        module: Module::default(),
        structs: HashMap::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        consts: HashMap::new(),
        depth: 0,
    };
    parser.module.version = (1, 6);
    parser.declare()?;
    parser.module()?;
    Ok(parser.module)
}

/// The instruction of that name, as [`Opcode`]'s `Display` spells it.
pub fn opcode_by_name(name: &str) -> Option<Opcode> {
    static NAMES: OnceLock<HashMap<String, Opcode>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let core = (0..=9000).filter_map(spirv::Op::from_u32).map(Opcode::Core);
        let extended = EXTENDED_SETS.iter().flat_map(|set| (0..=255).filter_map(set.instruction));
        core.chain(extended).chain([Opcode::Custom]).map(|opcode| (opcode.to_string(), opcode)).collect()
    });
    names.get(name).copied()
}

/// Types without a value form of ours that the text may name.
const OPAQUE: [&str; 8] = [
    "OpTypeImage",
    "OpTypeSampler",
    "OpTypeSampledImage",
    "OpTypeAccelerationStructureKHR",
    "OpTypeRayQueryKHR",
    "OpTypeFunction",
    "OpTypeEvent",
    "OpTypeOpaque",
];

/// How deep types and constants may nest.
const MAX_DEPTH: usize = 200;

struct Parser {
    tokens: Vec<Lexed>,
    at: usize,
    module: Module,
    structs: HashMap<Name, StructId>,
    globals: HashMap<Name, GlobalId>,
    functions: HashMap<Name, FuncId>,
    consts: HashMap<String, ConstId>,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is `End`, which is never passed.
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |&(_, line)| line)
    }

    /// Is the next token on the line of the last?
    fn same_line(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.is_none_or(|&(_, line)| line == self.line())
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        error(self.line(), what)
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.peek() {
            Token::Word(text) | Token::Number(text) => format!("\"{text}\""),
            Token::Text(text) => format!("the text {text:?}"),
            Token::Value(text) => format!("%{text}"),
            Token::Label(text) => format!("^{text}"),
            Token::Global(name) => format!("@{}", name.name),
            Token::Struct(name) => format!("${}", name.name),
            Token::Const(text) => format!("#{text}"),
            Token::Sign('→') => "\"->\"".into(),
            Token::Sign(c) => format!("\"{c}\""),
            Token::End => "the end".into(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Token::Word(word) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    fn is_sign(&self, sign: char) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { self.expected(&format!("\"{sign}\"")) }
    }

    fn text(&mut self) -> Result<String> {
        match self.peek() {
            Token::Text(text) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => self.expected("a text in quotes"),
        }
    }

    /// A number that fits `T`, decimal or hexadecimal.
    fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T> {
        let Token::Number(text) = self.peek() else { return self.expected(what) };
        let value = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        match value.ok().and_then(|value| T::try_from(value).ok()) {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => self.error(format!("\"{text}\" is not {what}, or too large")),
        }
    }

    /// A word of one of SPIR-V's enumerations.
    fn enumerant<T: FromStr>(&mut self, what: &str) -> Result<T> {
        let line = self.line();
        let word = self.word(what)?;
        word.parse().or_else(|_| error(line, format!("\"{word}\" is not {what}")))
    }

    /// `a, b` up to the closing sign, which is taken.
    fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Parser) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.sign(',')?;
        }
    }

    fn words(&mut self) -> Result<Vec<u32>> {
        if !self.same_line() || !self.eat('[') {
            return Ok(vec![]);
        }
        self.list(']', |p| p.number("a word"))
    }

    /// Gives ids to everything that may be referred to before it is declared.
    fn declare(&mut self) -> Result<()> {
        let void = self.module.types.intern(Type::Void);
        for index in 1..self.tokens.len() {
            let (Token::Word(word), line) = &self.tokens[index - 1] else { continue };
            let duplicate = match (word.as_str(), &self.tokens[index].0) {
                ("struct", Token::Struct(name)) => {
                    let data = StructType { name: name.name.clone(), ..StructType::default() };
                    self.structs.insert(name.clone(), self.module.types.structs.push(data)).is_some()
                }
                ("global", Token::Global(name)) => {
                    let global = Global {
                        name: name.name.clone(),
                        ty: void,
                        class: StorageClass::Private,
                        set: None,
                        binding: None,
                        location: None,
                        builtin: None,
                        access: Access::default(),
                        init: None,
                        loc: Loc { line: *line, ..Loc::default() },
                    };
                    self.globals.insert(name.clone(), self.module.globals.push(global)).is_some()
                }
                ("func", Token::Global(name)) => {
                    let loc = Loc { line: *line, ..Loc::default() };
                    let function = Function::new(name.name.clone(), void, 0, loc);
                    self.functions.insert(name.clone(), self.module.functions.push(function)).is_some()
                }
                _ => false,
            };
            if duplicate {
                return error(*line, format!("{word} declared twice; add #1, #2 … to tell equal names apart"));
            }
        }
        Ok(())
    }

    fn module(&mut self) -> Result<()> {
        let mut functions = false;
        loop {
            if *self.peek() == Token::End {
                return Ok(());
            }
            let line = self.line();
            let word = self.word("a declaration")?;
            if functions && matches!(word.as_str(), "global" | "const") {
                return error(line, format!("a {word} must stand before the functions"));
            }
            match word.as_str() {
                "module" => self.version()?,
                "capability" => {
                    let capability = self.enumerant("a capability")?;
                    self.module.capabilities.push(capability);
                }
                "extension" => {
                    let extension = self.text()?;
                    self.module.extensions.push(extension);
                }
                "custom" => self.custom()?,
                "print" => self.print()?,
                "struct" => self.struct_type()?,
                "spec" => self.spec_constant()?,
                "const" => self.table_entry()?,
                "global" => self.global_variable()?,
                "entry" => self.entry()?,
                "func" => {
                    functions = true;
                    self.function()?;
                }
                _ => return error(line, format!("\"{word}\" starts no declaration")),
            }
        }
    }

    fn version(&mut self) -> Result<()> {
        let Token::Number(text) = self.peek() else { return self.expected("a version") };
        let version = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some(version) = version else { return self.expected("a version such as 1.6") };
        self.module.version = version;
        self.at += 1;
        Ok(())
    }

    /// A list of words in parentheses.
    fn word_list<T: FromStr<Err = String>>(&mut self) -> Result<Vec<T>> {
        self.sign('(')?;
        self.list(')', |p| {
            let (line, word) = (p.line(), p.word("a type")?);
            word.parse().or_else(|what: String| error(line, what))
        })
    }

    fn custom(&mut self) -> Result<()> {
        let name = match self.peek() {
            Token::Text(_) => CustomName::Set(self.text()?, self.number("the number of an instruction")?),
            _ => CustomName::Core(self.number("an opcode")?),
        };
        let params = self.word_list()?;
        self.sign('→')?;
        let results = self.word_list()?;
        self.module.custom.push(CustomInstruction { name, params, results });
        Ok(())
    }

    fn print(&mut self) -> Result<()> {
        let loc = Loc { line: self.line(), ..Loc::default() };
        let (text, args) = (self.text()?, self.word_list()?);
        self.module.prints.push(Print { text, args, loc });
        Ok(())
    }

    fn named<T: Copy>(&mut self, ids: impl Fn(&Parser) -> &HashMap<Name, T>, what: &str) -> Result<T> {
        let name = match self.peek() {
            Token::Global(name) | Token::Struct(name) => name.clone(),
            _ => return self.expected(what),
        };
        match ids(self).get(&name) {
            Some(&id) => {
                self.at += 1;
                Ok(id)
            }
            None => self.error(format!("{what} \"{}\" is not declared", name.name)),
        }
    }

    fn struct_type(&mut self) -> Result<()> {
        let id = self.named(|p| &p.structs, "a struct")?;
        self.sign('{')?;
        let members = self.list('}', Parser::member)?;
        let (mut block, mut buffer_block) = (false, false);
        loop {
            match () {
                () if self.eat_word("block") => block = true,
                () if self.eat_word("buffer_block") => buffer_block = true,
                () => break,
            }
        }
        let data = &mut self.module.types.structs[id];
        (data.members, data.block, data.buffer_block) = (members, block, buffer_block);
        Ok(())
    }

    fn member(&mut self) -> Result<Member> {
        let name = match self.peek() {
            Token::Text(_) => self.text()?,
            _ => self.word("a member's name")?,
        };
        let name = if name == "_" { String::new() } else { name };
        self.sign(':')?;
        let ty = self.ty()?;
        let (offset, matrix_stride, row_major, builtin) = (None, None, false, None);
        let mut member = Member { name, ty, offset, matrix_stride, row_major, builtin, access: Access::default() };
        while let Token::Word(word) = self.peek() {
            let word = word.clone();
            self.at += 1;
            match word.as_str() {
                "offset" => member.offset = Some(self.number("an offset")?),
                "matrix_stride" => member.matrix_stride = Some(self.number("a stride")?),
                "row_major" => member.row_major = true,
                "builtin" => member.builtin = Some(self.enumerant("a builtin")?),
                word => self.qualifier(word, &mut member.access)?,
            }
        }
        Ok(member)
    }

    fn qualifier(&self, word: &str, access: &mut Access) -> Result<()> {
        for (set, name) in print::qualifiers(access) {
            if name == word {
                *set = true;
                return Ok(());
            }
        }
        error(self.tokens[self.at - 1].1, format!("\"{word}\" is no decoration that stands here"))
    }

    fn spec_constant(&mut self) -> Result<()> {
        let id = self.number("a SpecId")?;
        let name = self.text()?;
        self.sign(':')?;
        let ty = self.ty()?;
        let mut values = [0; 2];
        for (value, word) in values.iter_mut().zip(["default", "value"]) {
            if !self.eat_word(word) {
                return self.expected(word);
            }
            *value = self.number("bits")?;
        }
        let [default, value] = values;
        self.module.spec_constants.push(SpecConstant { id, name, ty, default, value });
        Ok(())
    }

    fn table_entry(&mut self) -> Result<()> {
        let Token::Const(key) = self.next() else {
            self.at -= 1;
            return self.expected("# and a number");
        };
        self.sign(':')?;
        let ty = self.ty()?;
        self.sign('=')?;
        let id = self.constant_data(ty)?;
        match self.consts.insert(key, id) {
            None => Ok(()),
            Some(_) => self.error("a constant of that number stands above"),
        }
    }

    fn global_variable(&mut self) -> Result<()> {
        let id = self.named(|p| &p.globals, "a global")?;
        self.sign(':')?;
        let ty = self.ty()?;
        let mut global = self.module.globals[id].clone();
        global.ty = ty;
        let Some((class, pointee)) = self.module.types.pointee(ty) else {
            return self.error("a global's type must be a pointer, ptr<class, type>");
        };
        global.class = class;
        while let Token::Word(word) = self.peek() {
            let word = word.clone();
            // The next declaration starts on a line of its own.
            if !self.same_line() {
                break;
            }
            self.at += 1;
            match word.as_str() {
                "class" => global.class = self.enumerant("a storage class")?,
                "set" => global.set = Some(self.number("a descriptor set")?),
                "binding" => global.binding = Some(self.number("a binding")?),
                "location" => global.location = Some(self.number("a location")?),
                "builtin" => global.builtin = Some(self.enumerant("a builtin")?),
                word => self.qualifier(word, &mut global.access)?,
            }
        }
        if self.eat('=') {
            global.init = Some(match self.peek() {
                Token::Const(_) => self.constant_data(pointee)?,
                _ => {
                    let ty = self.ty()?;
                    self.constant_data(ty)?
                }
            });
        }
        self.module.globals[id] = global;
        Ok(())
    }

    fn entry(&mut self) -> Result<()> {
        let model = self.enumerant("an execution model")?;
        let name = self.text()?;
        let func = self.named(|p| &p.functions, "a function")?;
        let mut interface = vec![];
        if self.eat_word("interface") {
            self.sign('(')?;
            interface = self.list(')', |p| p.named(|p| &p.globals, "a global"))?;
        }
        let mut local_size = [1; 3];
        if self.eat_word("local_size") {
            for size in &mut local_size {
                *size = self.number("a workgroup size")?;
            }
        }
        let mut modes = vec![];
        while self.eat_word("mode") {
            let mode = self.enumerant("an execution mode")?;
            modes.push((mode, self.words()?));
        }
        self.module.entries.push(EntryPoint { name, model, func, interface, local_size, modes });
        Ok(())
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("types and constants nest deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn ty(&mut self) -> Result<TypeId> {
        if let Token::Struct(_) = self.peek() {
            let id = self.named(|p| &p.structs, "a struct")?;
            return Ok(self.module.types.intern(Type::Struct(id)));
        }
        let line = self.line();
        let word = self.word("a type")?;
        let ty = match word.as_str() {
            "void" => Type::Void,
            "matrix" | "array" | "ptr" | "opaque" => {
                self.sign('<')?;
                let ty = self.nested(|p| p.composite_type(&word))?;
                self.sign('>')?;
                ty
            }
            word => match scalar_or_vector(word) {
                Some(ty) => {
                    if let Type::Vector { component, .. } = ty {
                        self.module.types.scalar(component);
                    }
                    ty
                }
                None => return error(line, format!("\"{word}\" is no type")),
            },
        };
        Ok(self.module.types.intern(ty))
    }

    /// What stands between `<` and `>`.
    fn composite_type(&mut self, word: &str) -> Result<Type> {
        match word {
            "matrix" => {
                let column = self.ty()?;
                if !matches!(self.module.types[column], Type::Vector { .. }) {
                    return self.error("the columns of a matrix are vectors");
                }
                self.sign(',')?;
                Ok(Type::Matrix { column, columns: self.number("a number of columns")? })
            }
            "array" => {
                let element = self.ty()?;
                let (mut count, mut stride) = (None, 0);
                while self.eat(',') {
                    if self.eat_word("stride") {
                        stride = self.number("a stride")?;
                    } else {
                        count = Some(self.number("a number of elements")?);
                    }
                }
                Ok(match count {
                    Some(count) => Type::Array { element, count, stride },
                    None => Type::RuntimeArray { element, stride },
                })
            }
            "ptr" => {
                let class = self.enumerant("a storage class")?;
                self.sign(',')?;
                Ok(Type::Pointer { class, pointee: self.ty()? })
            }
            _ => {
                let line = self.line();
                let name = self.word("the name of a type instruction")?;
                match OPAQUE.iter().find(|known| **known == name) {
                    Some(name) => Ok(Type::Opaque(name)),
                    None => error(line, format!("\"{name}\" is no opaque type; there are {}", OPAQUE.join(", "))),
                }
            }
        }
    }

    /// A constant's value, of a type that is known.
    fn constant_data(&mut self, ty: TypeId) -> Result<ConstId> {
        if let Token::Const(key) = self.peek() {
            return match self.consts.get(key) {
                Some(&id) => {
                    self.at += 1;
                    Ok(id)
                }
                None => self.error(format!("there is no constant #{key} above")),
            };
        }
        let data = match self.peek().clone() {
            Token::Word(word) => {
                let data = match word.as_str() {
                    "null" => ConstData::Null,
                    "undef" => ConstData::Undef,
                    "false" => ConstData::Bits(0),
                    "true" => ConstData::Bits(1),
                    _ => return self.expected("a constant's value"),
                };
                self.at += 1;
                data
            }
            Token::Number(text) => {
                let Type::Scalar(scalar) = self.module.types[ty] else {
                    return self.error("a number cannot be the value of a composite");
                };
                match literal(scalar, &text) {
                    Some(bits) => {
                        self.at += 1;
                        ConstData::Bits(bits)
                    }
                    None => return self.error(format!("\"{text}\" is no value of the type, or too large")),
                }
            }
            Token::Sign('{') => {
                self.at += 1;
                let mut index = 0;
                let parts = self.nested(|p| {
                    p.list('}', |p| match p.module.types.constituent(ty, index) {
                        Some(part) => {
                            index += 1;
                            p.constant_data(part)
                        }
                        None => p.error("more constituents than the type has"),
                    })
                })?;
                ConstData::Composite(parts)
            }
            _ => return self.expected("a constant's value"),
        };
        Ok(self.module.constant(ty, data))
    }
}

/// The bits of a literal: hexadecimal bits, or a number of the type.
fn literal(scalar: Scalar, text: &str) -> Option<u64> {
    let fits = |bits: u64| (scalar.bits() >= 64 || bits >> scalar.bits() == 0).then_some(bits);
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().and_then(fits);
    }
    match scalar {
        Scalar::Float(32) => text.parse().ok().map(|value: f32| u64::from(value.to_bits())),
        Scalar::Float(64) => text.parse().ok().map(|value: f64| value.to_bits()),
        Scalar::Float(_) => None,
        Scalar::Bool => None,
        Scalar::Int { width, .. } => {
            let value: i128 = text.parse().ok()?;
            let least = -(1i128 << (u32::from(width).min(64) - 1));
            let bits = (value as u64) & (u64::MAX >> (64 - u32::from(width).clamp(1, 64)));
            (value >= least && value < 1i128 << u32::from(width).min(64)).then_some(bits)
        }
    }
}

/// `f32`, `i16x4`, `boolx2`.
fn scalar_or_vector(word: &str) -> Option<Type> {
    let (scalar, count) = match word.split_once('x') {
        Some((scalar, count)) => (scalar, Some(count)),
        None => (word, None),
    };
    let scalar = match scalar {
        "bool" => Scalar::Bool,
        _ => {
            let (kind, width) = scalar.split_at_checked(1)?;
            let width: u8 = width.parse().ok()?;
            match (kind, width) {
                ("i", 8 | 16 | 32 | 64) => Scalar::Int { width, signed: true },
                ("u", 8 | 16 | 32 | 64) => Scalar::Int { width, signed: false },
                ("f", 16 | 32 | 64) => Scalar::Float(width),
                _ => return None,
            }
        }
    };
    match count {
        None => Some(Type::Scalar(scalar)),
        Some(count) => {
            let count = count.parse().ok().filter(|count| (2..=16).contains(count))?;
            Some(Type::Vector { component: scalar, count })
        }
    }
}
