//! The trees of random programs, and their GLSL.

use super::MEMORY;
use std::fmt;

/// Everything is a `uint`.
#[derive(Clone, Debug)]
pub enum Expr {
    Const(u32),
    Var(usize),
    Bin(Bin, Box<Expr>, Box<Expr>),
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
    /// A word of the invocation's own memory.
    Load(Box<Expr>),
    /// An element of the function's array `t` of four.
    Element(Box<Expr>),
    /// A component of the function's vector `w` of three.
    Component(usize),
}

/// Operators. Divisors are made odd and shift amounts masked where they are printed and interpreted, since an optimiser
/// may fold what SPIR-V leaves undefined as it likes.
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

#[derive(Clone, Debug)]
pub enum Cond {
    Less(Expr, Expr),
    Equal(Expr, Expr),
    Bit(Expr, u32),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
}

/// Loops have counters of their own, which bound them; `n` numbers loops in a function.
#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(usize, Expr),
    Store(Expr, Expr),
    If(Cond, Block, Block),
    /// `for (c = 0; c < (bound & 7); ++c)`
    For {
        n: usize,
        bound: Expr,
        body: Block,
    },
    /// `while (c < 7 && cond) { ++c; … }`
    While {
        n: usize,
        cond: Cond,
        body: Block,
    },
    /// `do { ++c; … } while (c < 5 && cond)`
    DoWhile {
        n: usize,
        cond: Cond,
        body: Block,
    },
    /// `switch (selector & 7)`: labels, body, whether the body ends in `break`. An empty list of labels is the default.
    Switch(Expr, Vec<(Vec<u32>, Block, bool)>),
    /// `t[index] = value`
    SetElement(Expr, Expr),
    /// `w[component] = value`
    SetComponent(usize, Expr),
    /// `w = w.yzx * factor + w`
    Turn(Expr),
    Break,
    Continue,
    Return(Expr),
    /// `var = g(argument, inout reference)`
    Call {
        to: usize,
        function: usize,
        argument: Expr,
        reference: usize,
    },
    /// `s[l] = value; barrier(); var = s[(l + distance) % invocations]; barrier();`
    Exchange {
        to: usize,
        value: Expr,
        distance: u32,
    },
}

pub type Block = Vec<Stmt>;

/// A function. Variable 0 is its first parameter, variable 1 the second; all others are declared at its start.
#[derive(Clone, Debug)]
pub struct Function {
    pub variables: usize,
    pub loops: usize,
    pub body: Block,
    pub result: Expr,
}

/// Helpers `g0`, `g1` …, each calling only those before it, and `f`.
#[derive(Clone, Debug)]
pub struct Program {
    pub helpers: Vec<Function>,
    pub main: Function,
}

impl Program {
    /// The program without statement `at`, counted through all functions; `None` when there are fewer.
    pub fn without(&self, at: usize) -> Option<Program> {
        let mut program = self.clone();
        let mut left = at;
        let bodies = std::iter::once(&mut program.main).chain(&mut program.helpers).map(|function| &mut function.body);
        for body in bodies {
            if remove(body, &mut left) {
                return Some(program);
            }
        }
        None
    }
}

fn remove(block: &mut Block, left: &mut usize) -> bool {
    for k in 0..block.len() {
        if *left == 0 {
            block.remove(k);
            return true;
        }
        *left -= 1;
        let inner: &mut [&mut Block] = match &mut block[k] {
            Stmt::If(_, then, otherwise) => &mut [then, otherwise],
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => &mut [body],
            Stmt::Switch(_, cases) => &mut cases.iter_mut().map(|(_, body, _)| body).collect::<Vec<_>>(),
            _ => &mut [],
        };
        if inner.iter_mut().any(|block| remove(block, left)) {
            return true;
        }
    }
    false
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}u"),
            Expr::Var(n) => write!(f, "v{n}"),
            Expr::Load(index) => write!(f, "memory[base + ({index} & {}u)]", MEMORY - 1),
            Expr::Element(index) => write!(f, "t[{index} & 3u]"),
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

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cond::Less(a, b) => write!(f, "({a} < {b})"),
            Cond::Equal(a, b) => write!(f, "({a} == {b})"),
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
        Stmt::Switch(selector, cases) => write_switch(f, selector, cases, indent),
        Stmt::SetElement(index, value) => writeln!(f, "{pad}t[{index} & 3u] = {value};"),
        Stmt::SetComponent(n, value) => writeln!(f, "{pad}w.{} = {value};", ["x", "y", "z"][*n]),
        Stmt::Turn(factor) => writeln!(f, "{pad}w = w.yzx * {factor} + w;"),
        Stmt::Break => writeln!(f, "{pad}break;"),
        Stmt::Continue => writeln!(f, "{pad}continue;"),
        Stmt::Return(value) => writeln!(f, "{pad}return {value};"),
        Stmt::Call { to, function, argument, reference } => {
            writeln!(f, "{pad}v{to} = g{function}({argument}, v{reference});")
        }
        Stmt::Exchange { to, value, distance } => writeln!(
            f,
            "{pad}s[l] = {value};\n{pad}barrier();\n{pad}v{to} = s[(l + {distance}u) % gl_WorkGroupSize.x];\n{pad}barrier();"
        ),
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

fn write_function(f: &mut fmt::Formatter<'_>, head: &str, function: &Function) -> fmt::Result {
    writeln!(f, "uint {head} {{")?;
    for n in 2..function.variables {
        writeln!(f, "  uint v{n} = {n}u;")?;
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
            write_function(f, &format!("g{k}(uint v0, inout uint v1)"), helper)?;
        }
        write_function(f, "f(uint v0, uint v1)", &self.main)
    }
}
