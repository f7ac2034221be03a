//! Random modules with every kind of control flow, as text. They terminate, define what they read, and store what they compute
//! to the buffer `@out`. [`module`] makes one for the interpreter alone, [`shader`] one that is compiled and run too: there each
//! invocation reads an input of its own and has its own words of the output.

use std::fmt::Write;

/// xorshift64*: the same numbers for the same seed everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A construct around the statement being written.
struct Around {
    label: String,
    results: usize,
    /// Number of arguments of the continue region, if a `continue` may stand here.
    continues: Option<usize>,
}

struct Generator {
    /// A whole shader.
    shader: bool,
    random: Random,
    out: String,
    count: usize,
    /// Visible `u32` values.
    values: Vec<String>,
    around: Vec<Around>,
    /// Function being written: 0 is main.
    function: usize,
    functions: usize,
    budget: usize,
}

const HEAD: &str = "struct $S { a: u32, v: u32x2, w: array<u32, 2> }
const #0: array<u32, 4> = {3, 1, 4, 1}
global @out: ptr<StorageBuffer, array<u32, 16>>
global @p: ptr<Private, u32> = u32 5
";

/// Words of the output for each invocation of a [`shader`].
pub const WORDS: usize = 16;

const SHADER_HEAD: &str = "module 1.5
capability Shader
struct $S { a: u32, v: u32x2, w: array<u32, 2> }
struct $B { data: array<u32, stride 4> offset 0 } block
const #0: array<u32, 4> = {3, 1, 4, 1}
global @in: ptr<StorageBuffer, $B> set 0 binding 0
global @out: ptr<StorageBuffer, $B> set 0 binding 1
global @id: ptr<Input, u32x3> builtin GlobalInvocationId
global @p: ptr<Private, u32> = u32 5
";

/// Variables of each function: name, type, and the constant that initialises it.
const VARIABLES: [(&str, &str, &str); 7] = [
    ("x", "u32", "u32 7"),
    ("y", "u32", "u32 9"),
    ("v", "u32x4", "u32x4 {1, 2, 3, 4}"),
    ("s", "$S", "$S null"),
    ("t", "$S", "$S null"),
    ("m", "array<u32, 4>", "array<u32, 4> null"),
    ("k", "array<u32, 4>", "#0"),
];

/// The text of a random module.
pub fn module(seed: u64) -> String {
    text(seed, None)
}

/// The text of a random shader with workgroups of that many invocations.
pub fn shader(seed: u64, group: u32) -> String {
    text(seed, Some(group))
}

fn text(seed: u64, group: Option<u32>) -> String {
    let mut random = Random::new(seed);
    let functions = 1 + random.below(4);
    let budget = if group.is_some() && random.chance(3) { 300 } else { 12 + random.below(60) };
    let (values, around) = (vec![], vec![]);
    let out = match group {
        None => HEAD.to_owned(),
        Some(n) => {
            format!("{SHADER_HEAD}entry GLCompute \"main\" @f0 interface (@in, @out, @id, @p) local_size {n} 1 1\n")
        }
    };
    let shader = group.is_some();
    let mut g = Generator { shader, random, out, count: 0, values, around, function: 0, functions, budget };
    for function in 0..functions {
        g.function = function;
        g.budget = if function == 0 { budget } else { 12 };
        g.one_function();
    }
    g.out
}

impl Generator {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("%n{}", self.count)
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn constant(&mut self) -> String {
        let interesting = [0, 1, 2, 3, 31, 32, 0x7fff_ffff, 0x8000_0000u32, 0xffff_ffff];
        format!("u32 {}", interesting[self.random.below(interesting.len())])
    }

    fn value(&mut self) -> String {
        if self.values.is_empty() || self.random.chance(15) {
            return self.constant();
        }
        let at = self.random.below(self.values.len());
        self.values[at].clone()
    }

    fn values(&mut self, count: usize) -> String {
        if count == 0 {
            return String::new();
        }
        let values: Vec<_> = (0..count).map(|_| self.value()).collect();
        format!(" ({})", values.join(", "))
    }

    /// Writes an instruction whose result becomes visible.
    fn define(&mut self, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name}: u32 = {text}"));
        self.values.push(name.clone());
        name
    }

    fn one_function(&mut self) {
        let function = self.function;
        let result = if function == 0 { "void" } else { "u32" };
        let params = match (function, self.shader) {
            (0, _) => "",
            (_, false) => "%a: u32, %q: ptr<Function, u32>",
            (_, true) => "%a: u32, %q: ptr<Function, u32>, %base: u32",
        };
        self.line(&format!("func @f{function}({params}) -> {result} {{"));
        self.values = if function == 0 { vec![] } else { vec!["%a".into()] };
        if function == 0 && self.shader {
            self.line("%gid: u32x3 = Load @id\n%i: u32 = CompositeExtract %gid [0]\n%base: u32 = IMul %i, u32 16");
            self.line("%pi: ptr<StorageBuffer, u32> = AccessChain @in, i32 0, %i\n%a: u32 = Load %pi");
            self.values = vec!["%a".into(), "%i".into()];
        }
        for (name, ty, init) in VARIABLES {
            let at_once = self.random.chance(50);
            let text = if at_once { format!(" {init}") } else { String::new() };
            self.line(&format!("%{name}: ptr<Function, {ty}> = variable{text}"));
            if !at_once {
                self.line(&format!("Store %{name}, {init}"));
            }
        }
        self.block(0);
        if function == 0 {
            let places =
                ["%x", "%y", "@p", "%v, u32 0", "%v, u32 3", "%s, u32 0", "%s, u32 1, u32 1", "%t, u32 2, u32 0"];
            for (index, path) in places.into_iter().enumerate() {
                let text = if path.contains(',') {
                    let name = self.name();
                    self.line(&format!("{name}: ptr<Function, u32> = AccessChain {path}"));
                    format!("Load {name}")
                } else {
                    format!("Load {path}")
                };
                let value = self.define(&text);
                self.store_out(index, &value);
            }
            self.line("return");
        } else {
            let value = self.value();
            self.line(&format!("return {value}"));
        }
        self.line("}");
    }

    fn store_out(&mut self, index: usize, value: &str) {
        let pointer = self.name();
        if self.shader {
            let at = self.name();
            self.line(&format!("{at}: u32 = IAdd %base, u32 {index}"));
            self.line(&format!("{pointer}: ptr<StorageBuffer, u32> = AccessChain @out, i32 0, {at}"));
        } else {
            self.line(&format!("{pointer}: ptr<StorageBuffer, u32> = AccessChain @out, u32 {index}"));
        }
        self.line(&format!("Store {pointer}, {value}"));
    }

    /// Statements; what they define is visible in the block only.
    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth < 5 { 22 } else { 16 }) {
            0..=4 => self.arithmetic(),
            5..=7 => self.load(),
            8..=10 => self.store(),
            11 | 14 | 15 => {
                let (index, value) = (8 + self.random.below(8), self.value());
                self.store_out(index, &value);
            }
            12 => self.copies(),
            13 => self.call(),
            16..=18 => self.selection(depth),
            19 => self.switch(depth),
            _ => self.loop_(depth),
        }
    }

    fn arithmetic(&mut self) {
        let ops = ["IAdd", "ISub", "IMul", "UDiv", "UMod", "SDiv", "SRem", "BitwiseAnd", "BitwiseOr", "BitwiseXor"];
        let shifts = ["ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"];
        let (a, b) = (self.value(), self.value());
        match self.random.below(16) {
            n @ 0..=9 => drop(self.define(&format!("{} {a}, {b}", ops[n]))),
            n @ 10..=12 => drop(self.define(&format!("{} {a}, {b}", shifts[n - 10]))),
            13 => drop(self.define(&format!("Not {a}"))),
            14 => {
                let cond = self.condition();
                self.define(&format!("Select {cond}, {a}, {b}"));
            }
            _ => {
                let (vector, other) = (self.name(), self.name());
                self.line(&format!("{vector}: u32x2 = CompositeConstruct {a}, {b}"));
                self.line(&format!("{other}: u32x4 = VectorShuffle {vector}, {vector} [1, 0, 3, 2]"));
                let index = self.random.below(4);
                self.define(&format!("CompositeExtract {other} [{index}]"));
            }
        }
    }

    fn condition(&mut self) -> String {
        let ops = ["IEqual", "INotEqual", "ULessThan", "SLessThan"];
        let (op, a, b) = (ops[self.random.below(4)], self.value(), self.value());
        let name = self.name();
        self.line(&format!("{name}: bool = {op} {a}, {b}"));
        name
    }

    /// A pointer to some `u32`; `%k` is a constant table that is read only.
    fn place(&mut self, write: bool) -> String {
        let index = self.random.below(2);
        let path = match self.random.below(if write { 9 } else { 11 }) {
            0 => return "%x".into(),
            1 => return "%y".into(),
            2 => return "@p".into(),
            3 if self.function > 0 => return "%q".into(),
            3 | 4 => format!("%v, u32 {index}"),
            5 => format!("%s, i32 {}, u32 {index}", 1 + self.random.below(2)),
            6 => format!("%t, i32 {}, u32 {index}", 1 + self.random.below(2)),
            7 => "%s, i32 0".into(),
            n => {
                let value = self.value();
                let dynamic = self.define(&format!("BitwiseAnd {value}, u32 3"));
                let base = ["%v", "%m", "%k"][n - 8];
                format!("{base}, {dynamic}")
            }
        };
        let class = "Function";
        let name = self.name();
        self.line(&format!("{name}: ptr<{class}, u32> = AccessChain {path}"));
        name
    }

    fn load(&mut self) {
        let place = self.place(false);
        self.define(&format!("Load {place}"));
    }

    fn store(&mut self) {
        let (place, value) = (self.place(true), self.value());
        self.line(&format!("Store {place}, {value}"));
    }

    /// Loads and stores of composites.
    fn copies(&mut self) {
        let name = self.name();
        if self.random.chance(50) {
            self.line(&format!("{name}: $S = Load %s"));
            self.line(&format!("Store %t, {name}"));
        } else {
            self.line(&format!("{name}: u32x4 = Load %v"));
            let sum = self.name();
            self.line(&format!("{sum}: u32x4 = IAdd {name}, {name}"));
            self.line(&format!("Store %v, {sum}"));
        }
    }

    fn call(&mut self) {
        if self.function + 1 >= self.functions {
            return self.load();
        }
        let callee = self.function + 1 + self.random.below(self.functions - self.function - 1);
        let pointer = if self.random.chance(50) { "%x" } else { "%y" };
        let value = self.value();
        let base = if self.shader { ", %base" } else { "" };
        self.define(&format!("call @f{callee}({value}, {pointer}{base})"));
    }

    fn results(&mut self) -> (Vec<String>, String) {
        let names: Vec<String> = (0..self.random.below(3)).map(|_| self.name()).collect();
        let list: Vec<String> = names.iter().map(|n| format!("{n}: u32")).collect();
        let text = if list.is_empty() { String::new() } else { format!("{} = ", list.join(", ")) };
        (names, text)
    }

    /// A block in braces and how it ends: as `ends` says, or by leaving a construct further out.
    fn braces(&mut self, depth: usize, end: &str, passed: usize) {
        let visible = self.values.len();
        self.line("= {");
        self.block(depth + 1);
        if !self.random.chance(30) || !self.leave() {
            let values = self.values(passed);
            self.line(&format!("{end}{values}"));
        }
        self.line("}");
        self.values.truncate(visible);
    }

    fn leave(&mut self) -> bool {
        if self.random.chance(15) {
            let text = if self.function == 0 { "return".into() } else { format!("return {}", self.value()) };
            self.line(&text);
            return true;
        }
        let at = self.random.below(self.around.len());
        let Around { label, results, continues } = &self.around[at];
        let (label, results, continues) = (label.clone(), *results, *continues);
        match continues {
            Some(args) if self.random.chance(50) => {
                let values = self.values(args);
                self.line(&format!("continue {label}{values}"));
            }
            _ => {
                let values = self.values(results);
                self.line(&format!("break {label}{values}"));
            }
        }
        true
    }

    fn label(&mut self) -> String {
        self.count += 1;
        format!("^c{}", self.count)
    }

    fn selection(&mut self, depth: usize) {
        let cond = if self.random.chance(10) { "bool true".into() } else { self.condition() };
        let ((names, text), label) = (self.results(), self.label());
        self.line(&format!("{text}selection {label} ({cond})"));
        self.around.push(Around { label, results: names.len(), continues: None });
        self.line("then");
        self.braces(depth, "merge", names.len());
        if !names.is_empty() || self.random.chance(50) {
            self.line("else");
            self.braces(depth, "merge", names.len());
        }
        self.around.pop();
        self.values.extend(names);
    }

    fn switch(&mut self, depth: usize) {
        let value = self.value();
        let selector = self.define(&format!("BitwiseAnd {value}, u32 7"));
        let ((names, text), label) = (self.results(), self.label());
        self.line(&format!("{text}switch {label} ({selector})"));
        self.around.push(Around { label, results: names.len(), continues: None });
        let count = 1 + self.random.below(4);
        let default = self.random.below(count);
        let mut falls = false;
        for case in 0..count {
            let mut head = String::new();
            if case != default || self.random.chance(50) {
                let _ = write!(head, "case {}, {} ", case * 2, case * 2 + 1);
            }
            head.push_str(if case == default { "default " } else { "" });
            let visible = self.values.len();
            let mut args = String::new();
            if falls {
                let (arg, init) = (self.name(), self.value());
                args = format!("({arg}: u32 = {init}) ");
                self.values.push(arg);
            }
            self.line(&format!("{head}{args}"));
            falls = case + 1 < count && self.random.chance(40);
            if falls {
                self.braces(depth, "fallthrough", 1);
            } else {
                self.braces(depth, "merge", names.len());
            }
            self.values.truncate(visible);
        }
        self.around.pop();
        self.values.extend(names);
    }

    fn loop_(&mut self, depth: usize) {
        let ((names, text), label) = (self.results(), self.label());
        let (counter, carried, passed) = (self.name(), self.name(), self.name());
        let (times, init) = (1 + self.random.below(3), self.value());
        self.line(&format!("{text}loop {label}"));
        let results = names.len();
        let visible = self.values.len();
        self.around.push(Around { label, results, continues: Some(1) });
        self.line(&format!("header ({counter}: u32 = u32 0, {carried}: u32 = {init}) = {{"));
        self.values.extend([counter.clone(), carried]);
        // A `continue` in the header would hide what the header defines later: values of the block are not kept.
        let header = self.values.len();
        self.block(depth + 2);
        self.values.truncate(header);
        let at_end = self.random.chance(30);
        if at_end {
            self.line("fallthrough }");
        } else {
            let cond = self.name();
            self.line(&format!("{cond}: bool = ULessThan {counter}, u32 {times}"));
            let values = self.values(results);
            let exit = if results > 0 { format!("exit{values}") } else { String::new() };
            self.line(&format!("condition {cond} {exit} }}"));
        }
        self.line("body");
        self.braces(depth, "fallthrough", 1);
        if let Some(around) = self.around.last_mut() {
            around.continues = None;
        }
        self.line(&format!("continue ({passed}: u32) = {{"));
        self.values.push(passed);
        self.block(depth + 3);
        let next = self.define(&format!("IAdd {counter}, u32 1"));
        let value = self.value();
        if at_end {
            let cond = self.name();
            self.line(&format!("{cond}: bool = ULessThan {next}, u32 {times}"));
            let values = self.values(results);
            let exit = if results > 0 { format!("exit{values}") } else { String::new() };
            self.line(&format!("reenter_if {cond} ({next}, {value}) {exit}\n}}"));
        } else {
            self.line(&format!("reenter ({next}, {value})\n}}"));
        }
        self.around.pop();
        self.values.truncate(visible);
        self.values.extend(names);
    }
}
