//! Makes random programs.

use super::groups::GROUPS;
use super::syntax::{Bin, Block, Cond, Expr, FLOATS, Float, FloatBin, Function, Program, Stmt};
use crate::rng::Rng;

const OPERATORS: [Bin; 12] = [
    Bin::Add,
    Bin::Sub,
    Bin::Mul,
    Bin::Div,
    Bin::Rem,
    Bin::And,
    Bin::Or,
    Bin::Xor,
    Bin::Shl,
    Bin::Shr,
    Bin::Min,
    Bin::Max,
];
const CONSTANTS: [u32; 8] = [0, 1, 2, 3, 7, 31, 0x8000_0000, 0xFFFF_FFFF];
const FLOAT_OPERATORS: [FloatBin; 5] = [FloatBin::Add, FloatBin::Sub, FloatBin::Mul, FloatBin::Min, FloatBin::Max];

/// How invocations learn of each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchanges {
    /// Over barriers.
    pub barriers: bool,
    /// By operations on subgroups.
    pub groups: bool,
}

struct Generator {
    rng: Rng,
    /// Of the function that is being made.
    variables: usize,
    loops: usize,
    /// Helpers that may be called, and how often that may still be done: all is inlined, and code must not explode.
    helpers: usize,
    calls: u32,
    /// Statements that may still be made.
    budget: u32,
    /// `f` must not assign its parameters, so that some conditions are uniform for sure.
    first_assignable: usize,
    exchanges: Exchanges,
}

/// The program of a seed. One in forty has a few hundred statements, the others some dozens.
pub fn program(seed: u64, exchanges: Exchanges) -> Program {
    let mut rng = Rng::new(seed);
    let (budget, depth) = if rng.below(40) == 0 { (400, 6) } else { (6 + rng.below(22), 3 + rng.below(3)) };
    let mut generator =
        Generator { rng, variables: 0, loops: 0, helpers: 0, calls: 0, budget: 15, first_assignable: 0, exchanges };
    let count = generator.rng.below(3) as usize;
    let helpers = (0..count)
        .map(|k| {
            (generator.helpers, generator.budget) = (k, 15);
            generator.function(0, 2)
        })
        .collect();
    (generator.helpers, generator.budget) = (count, budget);
    let main = generator.function(2, depth);
    Program { helpers, main }
}

/// The blocks within a statement.
fn blocks(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::Forever { body, .. } => {
            vec![body]
        }
        Stmt::Switch(_, cases) => cases.iter_mut().map(|(_, block, _)| block).collect(),
        _ => vec![],
    }
}

/// May the block exchange values? Functions may.
fn exchanges(block: &Block) -> bool {
    block.clone().iter_mut().any(|stmt| {
        matches!(stmt, Stmt::Exchange { .. } | Stmt::Call { .. })
            || blocks(stmt).into_iter().any(|block| exchanges(block))
    })
}

/// Takes all exchanges out of the block.
fn silence(block: &mut Block) {
    for stmt in block {
        match stmt {
            Stmt::Exchange { to, value, .. } | Stmt::Call { to, argument: value, .. } => {
                *stmt = Stmt::Assign(*to, value.clone());
            }
            _ => blocks(stmt).into_iter().for_each(silence),
        }
    }
}

impl Generator {
    fn function(&mut self, first_assignable: usize, depth: u32) -> Function {
        self.variables = 4 + self.rng.below(3) as usize;
        self.loops = 0;
        self.calls = 5;
        self.first_assignable = first_assignable;
        let mut body = self.block(depth, false);
        while self.budget > 60 {
            body.extend(self.block(depth, false).into_iter().filter(|stmt| !matches!(stmt, Stmt::Return(_))));
        }
        let result = self.expr(2);
        // The result depends on every variable, so that no fault stays unseen.
        let elements = (0..4).map(|n| Expr::Element(Box::new(Expr::Const(n))));
        let all = (0..self.variables).map(Expr::Var).chain(elements).chain((0..3).map(Expr::Component));
        let all = all.chain((0..FLOATS).map(Expr::Float)).chain((0..self.loops).map(Expr::Counter));
        let result = all.fold(result, |sum, value| {
            let spread = Expr::Bin(Bin::Mul, Box::new(sum), Box::new(Expr::Const(31)));
            Expr::Bin(Bin::Add, Box::new(spread), Box::new(value))
        });
        Function { variables: self.variables, loops: self.loops, body, result }
    }

    fn block(&mut self, depth: u32, in_loop: bool) -> Block {
        let count = (1 + self.rng.below(4)).min(self.budget.max(1));
        self.budget = self.budget.saturating_sub(count);
        let depth = if self.budget == 0 { 0 } else { depth };
        let mut block: Block = (0..count).map(|_| self.stmt(depth, in_loop)).collect();
        if in_loop && self.rng.below(6) == 0 {
            block.push(if self.rng.below(2) == 0 { Stmt::Break } else { Stmt::Continue });
        } else if self.rng.below(16) == 0 {
            block.push(Stmt::Return(self.expr(1)));
        }
        block
    }

    fn stmt(&mut self, depth: u32, in_loop: bool) -> Stmt {
        if self.exchanges.groups && self.rng.below(6) == 0 {
            return Stmt::Group { to: self.assignable(), op: *self.rng.pick(&GROUPS), value: self.expr(1) };
        }
        if self.exchanges.barriers && self.rng.below(6) == 0 {
            return Stmt::Exchange { to: self.assignable(), value: self.expr(1), distance: 1 + self.rng.below(11) };
        }
        match self.rng.below(if depth == 0 { 5 } else { 13 }) {
            0 => match self.rng.below(7) {
                4..=6 => Stmt::AssignFloat(self.rng.below(FLOATS as u32) as usize, self.float(2)),
                0 => Stmt::SetElement(self.expr(1), self.expr(1)),
                1 => Stmt::SetComponent(self.rng.below(3) as usize, self.expr(1)),
                2 => Stmt::Turn(self.expr(1)),
                _ => Stmt::Assign(self.assignable(), self.expr(3)),
            },
            1 | 2 => Stmt::Assign(self.assignable(), self.expr(2)),
            3 => Stmt::Store(self.expr(1), self.expr(2)),
            4 if self.helpers > 0 && self.calls > 0 => {
                self.calls -= 1;
                let function = self.rng.below(self.helpers as u32) as usize;
                let (to, reference) = (self.assignable(), self.assignable());
                let mut out = self.assignable();
                while out == reference {
                    out = self.assignable();
                }
                Stmt::Call { to, function, argument: self.expr(1), reference, out }
            }
            4 => Stmt::Assign(self.assignable(), self.expr(3)),
            5..=7 => {
                let cond = self.cond(1);
                let then = self.block(depth - 1, in_loop);
                let mut otherwise = if self.rng.below(2) == 0 { self.block(depth - 1, in_loop) } else { vec![] };
                // Invocations that go apart see each other's values in the order of the sides, and a compiler may turn a
                // negated condition round.
                if self.exchanges.barriers && exchanges(&then) {
                    silence(&mut otherwise);
                }
                Stmt::If(cond, then, otherwise)
            }
            8 => self.switch(depth - 1, in_loop),
            choice => {
                let n = self.loops;
                self.loops += 1;
                let body = self.block(depth - 1, true);
                match choice {
                    9 => Stmt::For { n, bound: self.expr(1), body },
                    10 => Stmt::While { n, cond: self.cond(1), body },
                    11 => Stmt::Forever { n, body },
                    _ => Stmt::DoWhile { n, cond: self.cond(1), body },
                }
            }
        }
    }

    fn switch(&mut self, depth: u32, in_loop: bool) -> Stmt {
        let selector = self.expr(1);
        let mut labels: Vec<u32> = (0..8).collect();
        let count = 1 + self.rng.below(3);
        let mut default = self.rng.below(count + 1);
        if self.exchanges.barriers {
            // Invocations that go apart see each other's values in the order of the cases, and SPIR-V has the default first.
            default = default.max(count - 1);
        }
        let mut cases = vec![];
        for k in 0..count {
            let mut own = vec![];
            if k != default {
                for _ in 0..1 + self.rng.below(2) {
                    let at = self.rng.below(labels.len() as u32) as usize;
                    own.push(labels.swap_remove(at));
                }
            }
            let breaks = self.rng.below(3) != 0;
            cases.push((own, self.block(depth, in_loop), breaks));
        }
        Stmt::Switch(selector, cases)
    }

    fn assignable(&mut self) -> usize {
        self.first_assignable + self.rng.below((self.variables - self.first_assignable) as u32) as usize
    }

    fn expr(&mut self, depth: u32) -> Expr {
        match self.rng.below(if depth == 0 { 5 } else { 10 }) {
            9 => match self.rng.below(4) {
                0 => Expr::Gather(Box::new(self.expr(depth - 1))),
                1 => Expr::Float(self.rng.below(FLOATS as u32) as usize),
                2 if self.loops > 0 => Expr::Counter(self.rng.below(self.loops as u32) as usize),
                _ => Expr::Element(Box::new(self.expr(depth - 1))),
            },
            4 if depth == 0 => Expr::Component(self.rng.below(3) as usize),
            0 => Expr::Const(*self.rng.pick(&CONSTANTS)),
            1..=3 => Expr::Var(self.rng.below(self.variables as u32) as usize),
            4 => Expr::Load(Box::new(self.expr(depth - 1))),
            5 => Expr::Select(Box::new(self.cond(0)), Box::new(self.expr(depth - 1)), Box::new(self.expr(depth - 1))),
            _ => {
                let op = *self.rng.pick(&OPERATORS);
                Expr::Bin(op, Box::new(self.expr(depth - 1)), Box::new(self.expr(depth - 1)))
            }
        }
    }

    fn float(&mut self, depth: u32) -> Float {
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0 => Float::Const(self.rng.below(1000) as i32 - 500),
            1 | 2 => Float::Var(self.rng.below(FLOATS as u32) as usize),
            3 => Float::Of(Box::new(self.expr(depth.min(1)))),
            4 => {
                Float::Select(Box::new(self.cond(0)), Box::new(self.float(depth - 1)), Box::new(self.float(depth - 1)))
            }
            5 => Float::Whole(Box::new(self.float(depth - 1))),
            _ => {
                let op = *self.rng.pick(&FLOAT_OPERATORS);
                Float::Bin(op, Box::new(self.float(depth - 1)), Box::new(self.float(depth - 1)))
            }
        }
    }

    fn cond(&mut self, depth: u32) -> Cond {
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0 => Cond::Less(self.expr(1), self.expr(1)),
            1 => Cond::Equal(self.expr(1), self.expr(0)),
            2 => Cond::Bit(self.expr(1), self.rng.below(4)),
            // Of the uniform parameter alone.
            3 => Cond::Bit(Expr::Var(1), self.rng.below(4)),
            4 => Cond::And(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            5 => Cond::Or(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            7 => Cond::Below(self.float(1), self.float(1)),
            6 => Cond::Not(Box::new(self.cond(depth - 1))),
            _ => Cond::Less(self.expr(2), self.expr(1)),
        }
    }
}
