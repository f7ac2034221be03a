//! The text form of a module.
//!
//! In: any [`Module`], also one that the verifier rejects. Out: text that [`parse`](super::parse) reads back. Values,
//! labels, and constants with a table entry are numbered by their first appearance, so two modules that differ only in the
//! order of their arenas, or in entries that nothing refers to, print equally. Locations are not printed.
//!
//! ```text
//! module 1.6
//! capability Shader
//! struct $Params { n: u32 offset 0, data: array<f32, stride 4> offset 16 } block
//! global @params: ptr<StorageBuffer, $Params> set 0 binding 0
//! entry GLCompute "main" @main interface (@params) local_size 64 1 1
//!
//! func @main() -> void {
//!   %0: ptr<StorageBuffer, u32> = AccessChain @params, i32 0
//!   %1: u32 = Load %0
//!   %2: u32 = loop ^loop0
//!     header (%3: u32 = u32 0) = {
//!       %4: bool = ULessThan %3, %1
//!       condition %4 exit (%3)
//!     }
//!     body = {
//!       fallthrough (%3)
//!     }
//!     continue (%5: u32) = {
//!       %6: u32 = IAdd %5, u32 1
//!       reenter (%6)
//!     }
//!   return
//! }
//! ```
//!
//! Constants of scalar, vector type, `null` and `undef` stand inline, with their type; other composites are numbered
//! entries `const #0: array<f32, 2> = {1.0, 2.0}` before the functions. Finite floats print as the shortest decimal that
//! reads back to the same bits, all others as their bits in hexadecimal.

use super::*;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self);
        printer.module();
        f.write_str(&printer.out)
    }
}

/// What is said about values and constructs in [`annotated`] text, behind their definitions; empty for nothing.
pub trait Notes {
    /// About a value that is defined.
    fn value(&self, value: Value, spelling: &Spelling<'_>) -> String;
    /// About a construct.
    fn construct(&self, op: OpId, spelling: &Spelling<'_>) -> String;
}

/// How the printed text names things.
pub struct Spelling<'a> {
    /// Names a value.
    pub value: &'a dyn Fn(Value) -> String,
    /// Names a construct.
    pub label: &'a dyn Fn(OpId) -> String,
    /// Names a module-scope variable.
    pub global: &'a dyn Fn(GlobalId) -> String,
}

/// The text of a function with notes, which stand behind `;`.
pub fn annotated(module: &Module, function: FuncId, notes: &dyn Notes) -> String {
    let mut printer = Printer::new(module);
    printer.constants();
    printer.out.clear();
    printer.notes = Some(notes);
    if let Some(body) = module.functions.get(function) {
        printer.function(function, body);
    }
    printer.out.trim_start().to_owned()
}

/// The text of one type, as [`Module`]'s `Display` spells it.
pub(crate) fn type_text(module: &Module, ty: TypeId) -> String {
    Printer::new(module).ty(ty)
}

struct Printer<'m> {
    module: &'m Module,
    out: String,
    structs: HashMap<StructId, String>,
    globals: HashMap<GlobalId, String>,
    functions: HashMap<FuncId, String>,
    consts: HashMap<ConstId, usize>,
    notes: Option<&'m dyn Notes>,
}

/// State while one function is printed.
struct Names {
    values: HashMap<Value, usize>,
    labels: HashMap<OpId, String>,
}

/// Is `name` printed without quotes?
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.as_bytes()[0].is_ascii_digit()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

/// `name`, quoted where it is not plain; the empty name is the empty text.
fn quoted(name: &str) -> String {
    if name.is_empty() || is_plain(name) { name.to_owned() } else { string(name) }
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Names in order, each made unique: later ones of the same name, and all empty ones, get `#1`, `#2` …, which is not part
/// of the name.
fn unique<K: Copy + Eq + std::hash::Hash>(sigil: char, names: impl Iterator<Item = (K, String)>) -> HashMap<K, String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut result = HashMap::new();
    for (key, name) in names {
        let count = counts.entry(name.clone()).or_insert(usize::from(name.is_empty()));
        let text = if *count == 0 { quoted(&name) } else { format!("{}#{count}", quoted(&name)) };
        *count += 1;
        result.insert(key, format!("{sigil}{text}"));
    }
    result
}

/// Bits as a literal of a scalar type.
fn literal(scalar: Scalar, bits: u64) -> String {
    let hex = format!("{bits:#x}");
    match scalar {
        Scalar::Bool if bits < 2 => (bits == 1).to_string(),
        Scalar::Int { width, signed } if width == 64 || bits >> width == 0 => {
            let shift = 64 - u32::from(width);
            if signed { ((bits << shift) as i64 >> shift).to_string() } else { bits.to_string() }
        }
        Scalar::Float(32) if bits >> 32 == 0 && f32::from_bits(bits as u32).is_finite() => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        Scalar::Float(64) if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        _ => hex,
    }
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Printer<'m> {
        Printer {
            module,
            out: String::new(),
            structs: unique('$', module.types.structs.iter().map(|(id, s)| (id, s.name.clone()))),
            globals: unique('@', module.globals.iter().map(|(id, g)| (id, g.name.clone()))),
            functions: unique('@', module.functions.iter().map(|(id, g)| (id, g.name.clone()))),
            consts: HashMap::new(),
            notes: None,
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn global(&self, id: GlobalId) -> String {
        self.globals.get(&id).cloned().unwrap_or_else(|| format!("@?{id:?}"))
    }

    fn function_name(&self, id: FuncId) -> String {
        self.functions.get(&id).cloned().unwrap_or_else(|| format!("@?{id:?}"))
    }

    fn ty(&self, id: TypeId) -> String {
        match &self.module.types[id] {
            Type::Void => "void".into(),
            Type::Scalar(s) => scalar(*s),
            Type::Vector { component, count } => format!("{}x{count}", scalar(*component)),
            Type::Matrix { column, columns } => format!("matrix<{}, {columns}>", self.ty(*column)),
            Type::Array { element, count, stride } => format!("array<{}, {count}{}>", self.ty(*element), at(*stride)),
            Type::RuntimeArray { element, stride } => format!("array<{}{}>", self.ty(*element), at(*stride)),
            Type::Struct(id) => self.structs.get(id).cloned().unwrap_or_else(|| format!("$?{id:?}")),
            Type::Pointer { class, pointee } => format!("ptr<{class:?}, {}>", self.ty(*pointee)),
            Type::Opaque(name) => format!("opaque<{name}>"),
        }
    }

    fn module(&mut self) {
        let module = self.module;
        self.line(0, &format!("module {}.{}", module.version.0, module.version.1));
        for capability in &module.capabilities {
            self.line(0, &format!("capability {capability:?}"));
        }
        for extension in &module.extensions {
            self.line(0, &format!("extension {}", string(extension)));
        }
        for (id, data) in module.types.structs.iter() {
            self.struct_type(id, data);
        }
        for spec in &module.spec_constants {
            let text = format!(
                "spec {} {}: {} default {:#x} value {:#x}",
                spec.id,
                string(&spec.name),
                self.ty(spec.ty),
                spec.default,
                spec.value
            );
            self.line(0, &text);
        }
        for custom in &module.custom {
            let name = match &custom.name {
                CustomName::Core(opcode) => opcode.to_string(),
                CustomName::Set(set, number) => format!("{} {number}", string(set)),
            };
            let (params, results) = (list(&custom.params), list(&custom.results));
            self.line(0, &format!("custom {name} ({params}) -> ({results})"));
        }
        for print in &module.prints {
            self.line(0, &format!("print {} ({})", string(&print.text), list(&print.args)));
        }
        self.constants();
        for (id, global) in module.globals.iter() {
            self.global_variable(id, global);
        }
        for entry in &module.entries {
            self.entry(entry);
        }
        for (id, function) in module.functions.iter() {
            self.function(id, function);
        }
    }

    fn struct_type(&mut self, id: StructId, data: &StructType) {
        let mut text = format!("struct {} {{", self.structs[&id]);
        for (index, member) in data.members.iter().enumerate() {
            let name = if member.name.is_empty() { "_".into() } else { string_or_plain(&member.name) };
            let _ = write!(text, "{} {name}: {}", if index > 0 { "," } else { "" }, self.ty(member.ty));
            if let Some(offset) = member.offset {
                let _ = write!(text, " offset {offset}");
            }
            if let Some(stride) = member.matrix_stride {
                let _ = write!(text, " matrix_stride {stride}");
            }
            if member.row_major {
                text.push_str(" row_major");
            }
            if let Some(builtin) = member.builtin {
                let _ = write!(text, " builtin {builtin:?}");
            }
            text.push_str(&access(member.access));
        }
        text.push_str(" }");
        text.push_str(if data.block { " block" } else { "" });
        text.push_str(if data.buffer_block { " buffer_block" } else { "" });
        self.line(0, &text);
    }

    fn global_variable(&mut self, id: GlobalId, global: &Global) {
        let mut text = format!("global {}: {}", self.globals[&id], self.ty(global.ty));
        if self.module.types.pointee(global.ty).is_none_or(|(class, _)| class != global.class) {
            let _ = write!(text, " class {:?}", global.class);
        }
        for (word, number) in [("set", global.set), ("binding", global.binding), ("location", global.location)] {
            if let Some(number) = number {
                let _ = write!(text, " {word} {number}");
            }
        }
        if let Some(builtin) = global.builtin {
            let _ = write!(text, " builtin {builtin:?}");
        }
        text.push_str(&access(global.access));
        if let Some(init) = global.init {
            let _ = write!(text, " = {}", self.constant(init));
        }
        self.line(0, &text);
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let mut text = format!("entry {:?} {} {}", entry.model, string(&entry.name), self.function_name(entry.func));
        if !entry.interface.is_empty() {
            let names: Vec<_> = entry.interface.iter().map(|&id| self.global(id)).collect();
            let _ = write!(text, " interface ({})", names.join(", "));
        }
        let [x, y, z] = entry.local_size;
        let _ = write!(text, " local_size {x} {y} {z}");
        for (mode, literals) in &entry.modes {
            let _ = write!(text, " mode {mode:?}{}", words(literals));
        }
        self.line(0, &text);
    }

    /// Prints the table of composite constants, numbered by first use, constituents first.
    fn constants(&mut self) {
        let module = self.module;
        let mut used: Vec<ConstId> = module.globals.values().filter_map(|g| g.init).collect();
        for function in module.functions.values() {
            let mut see = |value: Value| {
                if let Some(ValueDef::Const(id)) = function.values.get(value).map(|v| v.def) {
                    used.push(id);
                }
            };
            for region in function.all_regions() {
                let region = &function.regions[region];
                region.ops.iter().for_each(|&op| function.ops[op].kind.for_each_use(&mut see));
                region.end.for_each_use(&mut see);
            }
        }
        let mut seen = HashSet::new();
        for id in used {
            self.table_entry(id, &mut seen);
        }
    }

    fn table_entry(&mut self, id: ConstId, seen: &mut HashSet<ConstId>) {
        let Some(constant) = self.module.consts.get(id) else { return };
        let ConstData::Composite(parts) = &constant.data else { return };
        if !seen.insert(id) {
            return;
        }
        for &part in parts {
            self.table_entry(part, seen);
        }
        if !matches!(self.module.types[constant.ty], Type::Vector { .. }) {
            let text = format!("const #{}: {} = {}", self.consts.len(), self.ty(constant.ty), self.braces(parts));
            self.line(0, &text);
            self.consts.insert(id, self.consts.len());
        }
    }

    fn braces(&self, parts: &[ConstId]) -> String {
        let parts: Vec<_> = parts.iter().map(|&part| self.constant_data(part)).collect();
        format!("{{{}}}", parts.join(", "))
    }

    /// A constant's value without its type, as it stands within `{}`.
    fn constant_data(&self, id: ConstId) -> String {
        if let Some(number) = self.consts.get(&id) {
            return format!("#{number}");
        }
        let Some(constant) = self.module.consts.get(id) else { return format!("#?{id:?}") };
        match (&constant.data, &self.module.types[constant.ty]) {
            (ConstData::Null, _) => "null".into(),
            (ConstData::Undef, _) => "undef".into(),
            (ConstData::Bits(bits), Type::Scalar(s)) => literal(*s, *bits),
            (ConstData::Bits(bits), _) => format!("{bits:#x}"),
            (ConstData::Composite(parts), _) => self.braces(parts),
        }
    }

    /// A constant as an operand: with its type unless it is an entry of the table.
    fn constant(&self, id: ConstId) -> String {
        match self.module.consts.get(id) {
            Some(constant) if !self.consts.contains_key(&id) => {
                format!("{} {}", self.ty(constant.ty), self.constant_data(id))
            }
            _ => self.constant_data(id),
        }
    }

    fn function(&mut self, id: FuncId, function: &Function) {
        let mut names = Names { values: HashMap::new(), labels: HashMap::new() };
        let params = self.define(function, &function.params, &mut names);
        let mut text = format!("\nfunc {}({}) -> {}", self.functions[&id], params.join(", "), self.ty(function.result));
        if function.control != 0 {
            let _ = write!(text, " control {}", function.control);
        }
        text.push_str(" {");
        self.line(0, &text);
        if self.notes.is_some() {
            // Notes may name values that are defined further down, so numbers are given out beforehand.
            let start = self.out.len();
            self.region(function, function.body, 1, &mut names);
            self.out.truncate(start);
        }
        self.region(function, function.body, 1, &mut names);
        self.line(0, "}");
    }

    /// What there is to say about a construct and values, as a comment.
    fn notes(&self, function: &Function, names: &Names, construct: Option<OpId>, values: &[Value]) -> String {
        let Some(notes) = self.notes else { return String::new() };
        let spelling = Spelling {
            value: &|value| self.value(function, names, value),
            label: &|op| names.labels.get(&op).cloned().unwrap_or_else(|| format!("^?{op:?}")),
            global: &|id| self.global(id),
        };
        let mut parts: Vec<String> = construct.map(|op| notes.construct(op, &spelling)).into_iter().collect();
        parts.extend(values.iter().map(|&value| notes.value(value, &spelling)));
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() { String::new() } else { format!("  ; {}", parts.join("; ")) }
    }

    /// Numbers values; returns `%0: type` for each.
    fn define(&self, function: &Function, values: &[Value], names: &mut Names) -> Vec<String> {
        values
            .iter()
            .map(|&value| {
                let number = names.values.len();
                let number = *names.values.entry(value).or_insert(number);
                format!("%{number}: {}", function.values.get(value).map_or("?".into(), |v| self.ty(v.ty)))
            })
            .collect()
    }

    fn value(&self, function: &Function, names: &Names, value: Value) -> String {
        match function.values.get(value).map(|v| v.def) {
            Some(ValueDef::Const(id)) => self.constant(id),
            Some(ValueDef::Global(id)) => self.global(id),
            _ => match names.values.get(&value) {
                Some(number) => format!("%{number}"),
                None => format!("%?{}", value.as_u32()),
            },
        }
    }

    fn values(&self, function: &Function, names: &Names, values: &[Value]) -> String {
        values.iter().map(|&v| self.value(function, names, v)).collect::<Vec<_>>().join(", ")
    }

    /// ` (%1, %2)`, or nothing for no values.
    fn passed(&self, function: &Function, names: &Names, values: &[Value]) -> String {
        if values.is_empty() { String::new() } else { format!(" ({})", self.values(function, names, values)) }
    }

    fn region(&mut self, function: &Function, region: RegionId, indent: usize, names: &mut Names) {
        for &op in &function.regions[region].ops {
            self.op(function, op, indent, names);
        }
        let text = self.terminator(function, &function.regions[region].end, names);
        self.line(indent, &text);
    }

    fn op(&mut self, function: &Function, id: OpId, indent: usize, names: &mut Names) {
        let op = &function.ops[id];
        // Operands are spelled before the results get their numbers: a value is not visible to its own operation.
        let text = match &op.kind {
            OpKind::Inst(inst) => self.inst(function, names, inst),
            OpKind::Variable { init: None } => "variable".into(),
            OpKind::Variable { init: Some(init) } => format!("variable {}", self.value(function, names, *init)),
            OpKind::Call { callee, args } => {
                format!("call {}({})", self.function_name(*callee), self.values(function, names, args))
            }
            OpKind::Selection(s) => {
                let label = label(names, id, "sel");
                format!("selection {label} ({}){}", self.value(function, names, s.cond), control(s.control))
            }
            OpKind::Switch(s) => {
                let label = label(names, id, "switch");
                format!("switch {label} ({}){}", self.value(function, names, s.selector), control(s.control))
            }
            OpKind::Loop(l) => format!("loop {}{}", label(names, id, "loop"), control(l.control)),
        };
        let init: Vec<Vec<String>> = match &op.kind {
            OpKind::Loop(l) => vec![l.init.iter().map(|&v| self.value(function, names, v)).collect()],
            OpKind::Switch(s) => {
                s.cases.iter().map(|c| c.init.iter().map(|&v| self.value(function, names, v)).collect()).collect()
            }
            _ => vec![],
        };
        let results = self.define(function, &op.results, names);
        let mut text = if results.is_empty() { text } else { format!("{} = {text}", results.join(", ")) };
        let construct = matches!(op.kind, OpKind::Selection(_) | OpKind::Switch(_) | OpKind::Loop(_)).then_some(id);
        text.push_str(&self.notes(function, names, construct, &op.results));
        self.line(indent, &text);
        match &op.kind {
            OpKind::Selection(s) => {
                self.sub_region(function, "then", s.then_region, &[], indent + 1, names);
                let other = &function.regions[s.else_region];
                if !other.ops.is_empty() || other.end != Terminator::Merge(vec![]) {
                    self.sub_region(function, "else", s.else_region, &[], indent + 1, names);
                }
            }
            OpKind::Switch(s) => self.cases(function, s, &init, indent + 1, names),
            OpKind::Loop(l) => {
                let init = init.first().map_or(&[][..], |v| v);
                self.sub_region(function, "header", l.header, init, indent + 1, names);
                self.sub_region(function, "body", l.body, &[], indent + 1, names);
                self.sub_region(function, "continue", l.cont, &[], indent + 1, names);
            }
            OpKind::Inst(_) | OpKind::Variable { .. } | OpKind::Call { .. } => {}
        }
    }

    fn inst(&self, function: &Function, names: &Names, inst: &Inst) -> String {
        let mut text = inst.opcode.to_string();
        if !inst.operands.is_empty() {
            let _ = write!(text, " {}", self.values(function, names, &inst.operands));
        }
        if !inst.literals.is_empty() {
            text.push_str(&words(&inst.literals));
        }
        for (flag, word) in FLAGS {
            if inst.flags & flag != 0 {
                let _ = write!(text, " {word}");
            }
        }
        text
    }

    fn cases(&mut self, function: &Function, switch: &Switch, init: &[Vec<String>], indent: usize, names: &mut Names) {
        let scalar = function.values.get(switch.selector).map(|v| &self.module.types[v.ty]);
        let scalar = if let Some(Type::Scalar(s)) = scalar { *s } else { Scalar::U32 };
        for (index, case) in switch.cases.iter().enumerate() {
            let mut head = Vec::new();
            if !case.literals.is_empty() {
                let literals: Vec<_> = case.literals.iter().map(|&bits| literal(scalar, bits)).collect();
                head.push(format!("case {}", literals.join(", ")));
            }
            if index == switch.default {
                head.push("default".into());
            } else if head.is_empty() {
                head.push("case".into());
            }
            let init = init.get(index).map_or(&[][..], |v| v);
            self.sub_region(function, &head.join(" "), case.region, init, indent, names);
        }
    }

    fn sub_region(
        &mut self,
        function: &Function,
        head: &str,
        region: RegionId,
        init: &[String],
        indent: usize,
        names: &mut Names,
    ) {
        let mut args = self.define(function, &function.regions[region].args, names);
        for (arg, init) in args.iter_mut().zip(init) {
            let _ = write!(arg, " = {init}");
        }
        let args = if args.is_empty() { String::new() } else { format!(" ({})", args.join(", ")) };
        let notes = self.notes(function, names, None, &function.regions[region].args);
        self.line(indent, &format!("{head}{args} = {{{notes}"));
        self.region(function, region, indent + 1, names);
        self.line(indent, "}");
    }

    fn terminator(&self, function: &Function, end: &Terminator, names: &Names) -> String {
        let passed = |values: &[Value]| self.passed(function, names, values);
        let exit_of = |exit: &[Value]| if exit.is_empty() { String::new() } else { format!(" exit{}", passed(exit)) };
        let label_of = |op: &OpId| names.labels.get(op).cloned().unwrap_or_else(|| format!("^?{op:?}"));
        match end {
            Terminator::Fallthrough(v) => format!("fallthrough{}", passed(v)),
            Terminator::Condition { cond, exit } => {
                format!("condition {}{}", self.value(function, names, *cond), exit_of(exit))
            }
            Terminator::Merge(v) => format!("merge{}", passed(v)),
            Terminator::Reenter(v) => format!("reenter{}", passed(v)),
            Terminator::ReenterIf { cond, again, exit } => {
                format!("reenter_if {}{}{}", self.value(function, names, *cond), passed(again), exit_of(exit))
            }
            Terminator::Break(op, v) => format!("break {}{}", label_of(op), passed(v)),
            Terminator::Continue(op, v) => format!("continue {}{}", label_of(op), passed(v)),
            Terminator::Return(None) => "return".into(),
            Terminator::Return(Some(v)) => format!("return {}", self.value(function, names, *v)),
            Terminator::Kill => "kill".into(),
            Terminator::Unreachable => "unreachable".into(),
        }
    }
}

/// Flags of an instruction and their spelling.
pub(super) const FLAGS: [(u32, &str); 2] = [(NO_CONTRACTION, "no_contraction"), (VOLATILE, "volatile")];

/// Access qualifiers and their spelling.
pub(super) fn qualifiers(access: &mut Access) -> [(&mut bool, &'static str); 5] {
    [
        (&mut access.non_writable, "non_writable"),
        (&mut access.non_readable, "non_readable"),
        (&mut access.coherent, "coherent"),
        (&mut access.volatile, "volatile"),
        (&mut access.restrict, "restrict"),
    ]
}

fn access(mut access: Access) -> String {
    qualifiers(&mut access).into_iter().filter(|(set, _)| **set).map(|(_, word)| format!(" {word}")).collect()
}

fn label(names: &mut Names, op: OpId, kind: &str) -> String {
    let text = format!("^{kind}{}", names.labels.len());
    names.labels.entry(op).or_insert(text).clone()
}

fn control(bits: u32) -> String {
    if bits == 0 { String::new() } else { format!(" control {bits}") }
}

fn words(words: &[u32]) -> String {
    format!(" [{}]", words.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

fn at(stride: u32) -> String {
    if stride == 0 { String::new() } else { format!(", stride {stride}") }
}

fn scalar(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "bool".into(),
        Scalar::Int { width, signed: true } => format!("i{width}"),
        Scalar::Int { width, signed: false } => format!("u{width}"),
        Scalar::Float(width) => format!("f{width}"),
    }
}

fn string_or_plain(name: &str) -> String {
    if is_plain(name) && name != "_" { name.to_owned() } else { string(name) }
}
