//! The trees of random programs, and their GLSL.

use super::MEMORY;
use super::groups::Group;
use crate::random::COUNT;
use std::fmt;

/// A `uint`.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A literal.
    Const(u32),
    /// A variable.
    Var(usize),
    /// Two operands.
    Bin(Bin, Box<Expr>, Box<Expr>),
    /// `?:`
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
    /// A word of the invocation's own memory.
    Load(Box<Expr>),
    /// A word of the inputs, of whichever invocation.
    Gather(Box<Expr>),
    /// An element of the function's array `t` of four.
    Element(Box<Expr>),
    /// A component of the function's vector `w` of three.
    Component(usize),
    /// How often a loop has gone round, during it and after it.
    Counter(usize),
    /// Eighths of a float variable.
    Float(usize),
}

/// A `float`. Variables hold multiples of 1/8 up to [`FLOAT_LIMIT`], to which each assignment rounds them, so that every
/// operation has one result on every machine.
#[derive(Clone, Debug)]
pub enum Float {
    /// Eighths.
    Const(i32),
    /// A float variable.
    Var(usize),
    /// The low bits of a number, in eighths.
    Of(Box<Expr>),
    /// Two operands.
    Bin(FloatBin, Box<Float>, Box<Float>),
    /// `?:`
    Select(Box<Cond>, Box<Float>, Box<Float>),
    /// `floor(abs(…))`
    Whole(Box<Float>),
}

/// The largest value of a float variable.
pub const FLOAT_LIMIT: f32 = 4096.0;
/// Float variables of a function.
pub const FLOATS: usize = 3;

/// Operators of floats.
#[derive(Clone, Copy, Debug)]
pub enum FloatBin {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `min`
    Min,
    /// `max`
    Max,
}

/// Operators. Divisors are made odd and shift amounts masked where they are printed and interpreted, since an optimiser
/// may fold what SPIR-V leaves undefined as it likes.
#[allow(missing_docs)] // each is what its name says
#[derive(Clone, Copy, Debug)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
}

/// A `bool`.
#[derive(Clone, Debug)]
pub enum Cond {
    /// `<`
    Less(Expr, Expr),
    /// `==`
    Equal(Expr, Expr),
    /// `<` of floats
    Below(Float, Float),
    /// A bit of a number.
    Bit(Expr, u32),
    /// `&&`
    And(Box<Cond>, Box<Cond>),
    /// `||`
    Or(Box<Cond>, Box<Cond>),
    /// `!`
    Not(Box<Cond>),
}

/// Loops have counters of their own, which bound them; `n` numbers loops in a function.
#[allow(missing_docs)] // the fields are those of the texts
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `v = …`
    Assign(usize, Expr),
    /// `f = …`, rounded
    AssignFloat(usize, Float),
    /// To a word of the invocation's own memory.
    Store(Expr, Expr),
    /// `if`
    If(Cond, Block, Block),
    /// `for (c = 0; c < (bound & 7); ++c)`
    For { n: usize, bound: Expr, body: Block },
    /// `while (c < 7 && cond) { ++c; … }`
    While { n: usize, cond: Cond, body: Block },
    /// `do { ++c; … } while (c < 5 && cond)`
    DoWhile { n: usize, cond: Cond, body: Block },
    /// `for (c = 0;; ++c) { if (c >= 6) break; … }`
    Forever { n: usize, body: Block },
    /// `switch (selector & 7)`: labels, body, whether the body ends in `break`. An empty list of labels is the default.
    Switch(Expr, Vec<(Vec<u32>, Block, bool)>),
    /// `t[index] = value`
    SetElement(Expr, Expr),
    /// `w[component] = value`
    SetComponent(usize, Expr),
    /// `w = w.yzx * factor + w`
    Turn(Expr),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Expr),
    /// `var = g(argument, inout reference, out second)`
    Call { to: usize, function: usize, argument: Expr, reference: usize, out: usize },
    /// `s[l] = value; barrier(); var = s[(l + distance) % invocations]; barrier();`
    Exchange { to: usize, value: Expr, distance: u32 },
    /// `var = subgroup…(value)`
    Group { to: usize, op: Group, value: Expr },
}

/// Statements in braces.
pub type Block = Vec<Stmt>;

/// A function. Variable 0 is its first parameter, variable 1 the second, and variable 2 the third of a helper; all others
/// are declared at its start.
#[allow(missing_docs)] // the fields are what their names say
#[derive(Clone, Debug)]
pub struct Function {
    pub variables: usize,
    pub loops: usize,
    pub body: Block,
    pub result: Expr,
}

/// Helpers `g0`, `g1` …, each calling only those before it, and `f`.
#[allow(missing_docs)] // as above
#[derive(Clone, Debug)]
pub struct Program {
    pub helpers: Vec<Function>,
    pub main: Function,
}

impl Program {
    /// The program without statement `at`, counted through all functions; `None` when there are fewer. `keep`: the
    /// statements of an `if` stay where it stood.
    pub fn without(&self, at: usize, keep: bool) -> Option<Program> {
        let mut program = self.clone();
        let mut left = at;
        let bodies = std::iter::once(&mut program.main).chain(&mut program.helpers).map(|function| &mut function.body);
        for body in bodies {
            if remove(body, &mut left, keep) {
                return Some(program);
            }
        }
        None
    }

    /// Statements in all functions.
    pub fn statements(&self) -> usize {
        std::iter::once(&self.main).chain(&self.helpers).map(|function| count(&function.body)).sum()
    }
}

fn remove(block: &mut Block, left: &mut usize, keep: bool) -> bool {
    for k in 0..block.len() {
        if *left == 0 {
            let inner = match block.remove(k) {
                Stmt::If(_, then, otherwise) if keep => then.into_iter().chain(otherwise).collect(),
                _ => vec![],
            };
            block.splice(k..k, inner);
            return true;
        }
        *left -= 1;
        if blocks(&mut block[k]).into_iter().any(|block| remove(block, left, keep)) {
            return true;
        }
    }
    false
}

fn count(block: &Block) -> usize {
    let inner = block.iter().map(|stmt| match stmt {
        Stmt::If(_, then, otherwise) => count(then) + count(otherwise),
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::Forever { body, .. } => {
            count(body)
        }
        Stmt::Switch(_, cases) => cases.iter().map(|(_, body, _)| count(body)).sum(),
        _ => 0,
    });
    block.len() + inner.sum::<usize>()
}

/// The blocks in a statement.
fn blocks(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::Forever { body, .. } => {
            vec![body]
        }
        Stmt::Switch(_, cases) => cases.iter_mut().map(|(_, body, _)| body).collect(),
        _ => vec![],
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}u"),
            Expr::Var(n) => write!(f, "v{n}"),
            Expr::Load(index) => write!(f, "memory[base + ({index} & {}u)]", MEMORY - 1),
            Expr::Gather(index) => write!(f, "input_[{index} % {COUNT}u]"),
            Expr::Element(index) => write!(f, "t[{index} & 3u]"),
            Expr::Counter(n) => write!(f, "c{n}"),
            Expr::Float(n) => write!(f, "uint(int(f{n} * 8.0))"),
            Expr::Component(n) => write!(f, "w.{}", ["x", "y", "z"][*n]),
            Expr::Select(cond, a, b) => write!(f, "({cond} ? {a} : {b})"),
            Expr::Bin(op, a, b) => match op {
                Bin::Add => write!(f, "({a} + {b})"),
                Bin::Sub => write!(f, "({a} - {b})"),
                Bin::Mul => write!(f, "({a} * {b})"),
                Bin::Div => write!(f, "({a} / ({b} | 1u))"),
                Bin::Rem => write!(f, "({a} % ({b} | 1u))"),
                Bin::And => write!(f, "({a} & {b})"),
                Bin::Or => write!(f, "({a} | {b})"),
                Bin::Xor => write!(f, "({a} ^ {b})"),
                Bin::Shl => write!(f, "({a} << ({b} & 31u))"),
                Bin::Shr => write!(f, "({a} >> ({b} & 31u))"),
                Bin::Min => write!(f, "min({a}, {b})"),
                Bin::Max => write!(f, "max({a}, {b})"),
            },
        }
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Float::Const(eighths) => write!(f, "({:?})", *eighths as f32 * 0.125),
            Float::Var(n) => write!(f, "f{n}"),
            Float::Of(value) => write!(f, "(float(int({value} & 2047u) - 1024) * 0.125)"),
            Float::Select(cond, a, b) => write!(f, "({cond} ? {a} : {b})"),
            Float::Whole(value) => write!(f, "floor(abs({value}))"),
            Float::Bin(op, a, b) => match op {
                FloatBin::Add => write!(f, "({a} + {b})"),
                FloatBin::Sub => write!(f, "({a} - {b})"),
                FloatBin::Mul => write!(f, "({a} * {b})"),
                FloatBin::Min => write!(f, "min({a}, {b})"),
                FloatBin::Max => write!(f, "max({a}, {b})"),
            },
        }
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cond::Less(a, b) => write!(f, "({a} < {b})"),
            Cond::Equal(a, b) => write!(f, "({a} == {b})"),
            Cond::Below(a, b) => write!(f, "({a} < {b})"),
            Cond::Bit(a, bit) => write!(f, "((({a} >> {bit}u) & 1u) != 0u)"),
            Cond::And(a, b) => write!(f, "({a} && {b})"),
            Cond::Or(a, b) => write!(f, "({a} || {b})"),
            Cond::Not(a) => write!(f, "!{a}"),
        }
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, block: &Block, indent: usize) -> fmt::Result {
    block.iter().try_for_each(|stmt| write_stmt(f, stmt, indent))
}

fn write_stmt(f: &mut fmt::Formatter<'_>, stmt: &Stmt, indent: usize) -> fmt::Result {
    let pad = " ".repeat(indent * 2);
    let inner = indent + 1;
    match stmt {
        Stmt::Assign(to, value) => writeln!(f, "{pad}v{to} = {value};"),
        Stmt::AssignFloat(to, value) => {
            writeln!(f, "{pad}f{to} = clamp(floor({value} * 8.0) * 0.125, -{FLOAT_LIMIT:?}, {FLOAT_LIMIT:?});")
        }
        Stmt::Store(index, value) => writeln!(f, "{pad}memory[base + ({index} & {}u)] = {value};", MEMORY - 1),
        Stmt::If(cond, then, otherwise) => {
            writeln!(f, "{pad}if ({cond}) {{")?;
            write_block(f, then, inner)?;
            if !otherwise.is_empty() {
                writeln!(f, "{pad}}} else {{")?;
                write_block(f, otherwise, inner)?;
            }
            writeln!(f, "{pad}}}")
        }
        Stmt::For { n, bound, body } => {
            writeln!(f, "{pad}for (c{n} = 0u; c{n} < ({bound} & 7u); ++c{n}) {{")?;
            write_block(f, body, inner)?;
            writeln!(f, "{pad}}}")
        }
        Stmt::While { n, cond, body } => {
            writeln!(f, "{pad}c{n} = 0u;\n{pad}while (c{n} < 7u && {cond}) {{\n{pad}  ++c{n};")?;
            write_block(f, body, inner)?;
            writeln!(f, "{pad}}}")
        }
        Stmt::DoWhile { n, cond, body } => {
            writeln!(f, "{pad}c{n} = 0u;\n{pad}do {{\n{pad}  ++c{n};")?;
            write_block(f, body, inner)?;
            writeln!(f, "{pad}}} while (c{n} < 5u && {cond});")
        }
        Stmt::Forever { n, body } => {
            writeln!(f, "{pad}for (c{n} = 0u;; ++c{n}) {{\n{pad}  if (c{n} >= 6u) break;")?;
            write_block(f, body, inner)?;
            writeln!(f, "{pad}}}")
        }
        Stmt::Switch(selector, cases) => write_switch(f, selector, cases, indent),
        Stmt::SetElement(index, value) => writeln!(f, "{pad}t[{index} & 3u] = {value};"),
        Stmt::SetComponent(n, value) => writeln!(f, "{pad}w.{} = {value};", ["x", "y", "z"][*n]),
        Stmt::Turn(factor) => writeln!(f, "{pad}w = w.yzx * {factor} + w;"),
        Stmt::Break => writeln!(f, "{pad}break;"),
        Stmt::Continue => writeln!(f, "{pad}continue;"),
        Stmt::Return(value) => writeln!(f, "{pad}return {value};"),
        Stmt::Call { to, function, argument, reference, out } => {
            writeln!(f, "{pad}v{to} = g{function}({argument}, v{reference}, v{out});")
        }
        Stmt::Group { to, op, value } => writeln!(f, "{pad}v{to} = {};", op.glsl(value)),
        Stmt::Exchange { to, value, distance } => {
            writeln!(f, "{pad}s[l] = {value};\n{pad}barrier();")?;
            writeln!(f, "{pad}v{to} = s[(l + {distance}u) % gl_WorkGroupSize.x];\n{pad}barrier();")
        }
    }
}

fn write_switch(
    f: &mut fmt::Formatter<'_>,
    selector: &Expr,
    cases: &[(Vec<u32>, Block, bool)],
    indent: usize,
) -> fmt::Result {
    let pad = " ".repeat(indent * 2);
    writeln!(f, "{pad}switch ({selector} & 7u) {{")?;
    for (labels, body, breaks) in cases {
        labels.iter().try_for_each(|label| writeln!(f, "{pad}  case {label}u:"))?;
        if labels.is_empty() {
            writeln!(f, "{pad}  default:")?;
        }
        write_block(f, body, indent + 2)?;
        // GLSL wants a statement after the last label.
        writeln!(f, "{pad}    {}", if *breaks { "break;" } else { ";" })?;
    }
    writeln!(f, "{pad}}}")
}

fn write_function(f: &mut fmt::Formatter<'_>, head: &str, function: &Function, params: usize) -> fmt::Result {
    writeln!(f, "uint {head} {{")?;
    for n in 2..function.variables {
        writeln!(f, "  {}v{n} = {n}u;", if n < params { "" } else { "uint " })?;
    }
    for n in 0..FLOATS {
        writeln!(f, "  precise float f{n} = {n}.5;")?;
    }
    for n in 0..function.loops {
        writeln!(f, "  uint c{n} = 0u;")?;
    }
    writeln!(f, "  uint t[4] = uint[4](5u, 6u, 7u, 8u);\n  uvec3 w = uvec3(1u, 2u, 3u);")?;
    write_block(f, &function.body, 1)?;
    writeln!(f, "  return {};\n}}", function.result)
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, helper) in self.helpers.iter().enumerate() {
            write_function(f, &format!("g{k}(uint v0, inout uint v1, out uint v2)"), helper, 3)?;
        }
        write_function(f, "f(uint v0, uint v1)", &self.main, 2)
    }
}
