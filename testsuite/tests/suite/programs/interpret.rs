//! Runs a random program for one invocation.

use super::MEMORY;
use super::syntax::{Bin, Block, Cond, Expr, Function, Program, Stmt};

enum Flow {
    Next,
    Break,
    Continue,
    Return(u32),
}

/// An invocation's state in a function.
pub struct Frame<'a> {
    pub program: &'a Program,
    pub memory: &'a mut [u32; MEMORY as usize],
    pub variables: Vec<u32>,
    array: [u32; 4],
    vector: [u32; 3],
}

/// The result for inputs `x` and `y`, with the invocation's memory.
pub fn run(program: &Program, x: u32, y: u32, memory: &mut [u32; MEMORY as usize]) -> u32 {
    call(program, &program.main, x, y, memory).0
}

/// The result and the last value of the second parameter.
fn call(
    program: &Program,
    function: &Function,
    first: u32,
    second: u32,
    memory: &mut [u32; MEMORY as usize],
) -> (u32, u32) {
    let mut frame = Frame::new(program, function, first, second, memory);
    let result = match frame.block(&function.body) {
        Flow::Return(value) => value,
        _ => frame.expr(&function.result),
    };
    (result, frame.variables[1])
}

impl<'a> Frame<'a> {
    /// At the start of a function.
    pub fn new(
        program: &'a Program,
        function: &Function,
        first: u32,
        second: u32,
        memory: &'a mut [u32; MEMORY as usize],
    ) -> Frame<'a> {
        let mut variables: Vec<u32> = (0..function.variables as u32).collect();
        variables[0] = first;
        variables[1] = second;
        Frame { program, memory, variables, array: [5, 6, 7, 8], vector: [1, 2, 3] }
    }

    pub fn expr(&self, expr: &Expr) -> u32 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Var(n) => self.variables[*n],
            Expr::Load(index) => self.memory[(self.expr(index) % MEMORY) as usize],
            Expr::Element(index) => self.array[(self.expr(index) & 3) as usize],
            Expr::Component(n) => self.vector[*n],
            Expr::Select(cond, a, b) => self.expr(if self.cond(cond) { a } else { b }),
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op {
                    Bin::Add => a.wrapping_add(b),
                    Bin::Sub => a.wrapping_sub(b),
                    Bin::Mul => a.wrapping_mul(b),
                    Bin::Div => a / (b | 1),
                    Bin::Rem => a % (b | 1),
                    Bin::And => a & b,
                    Bin::Or => a | b,
                    Bin::Xor => a ^ b,
                    Bin::Shl => a << (b & 31),
                    Bin::Shr => a >> (b & 31),
                    Bin::Min => a.min(b),
                    Bin::Max => a.max(b),
                }
            }
        }
    }

    pub fn cond(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Less(a, b) => self.expr(a) < self.expr(b),
            Cond::Equal(a, b) => self.expr(a) == self.expr(b),
            Cond::Bit(a, bit) => (self.expr(a) >> bit) & 1 != 0,
            Cond::And(a, b) => self.cond(a) && self.cond(b),
            Cond::Or(a, b) => self.cond(a) || self.cond(b),
            Cond::Not(a) => !self.cond(a),
        }
    }

    fn block(&mut self, block: &Block) -> Flow {
        for stmt in block {
            match self.stmt(stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    /// One iteration; `Some` when the loop ends, with how.
    fn iteration(&mut self, body: &Block) -> Option<Flow> {
        match self.block(body) {
            Flow::Next | Flow::Continue => None,
            Flow::Break => Some(Flow::Next),
            flow => Some(flow),
        }
    }

    /// From the case that lists the selector, else from the default, on through the cases that do not break.
    fn switch(&mut self, selector: u32, cases: &[(Vec<u32>, Block, bool)]) -> Flow {
        let listed = cases.iter().position(|(labels, ..)| labels.contains(&selector));
        let Some(first) = listed.or_else(|| cases.iter().position(|(labels, ..)| labels.is_empty())) else {
            return Flow::Next;
        };
        for (_, body, breaks) in &cases[first..] {
            match self.block(body) {
                Flow::Next if *breaks => return Flow::Next,
                Flow::Next => {}
                Flow::Break => return Flow::Next,
                flow => return flow,
            }
        }
        Flow::Next
    }

    /// A statement without control flow.
    pub fn simple(&mut self, stmt: &Stmt) {
        self.stmt(stmt);
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Assign(to, value) => self.variables[*to] = self.expr(value),
            Stmt::Store(index, value) => {
                let (index, value) = (self.expr(index), self.expr(value));
                self.memory[(index % MEMORY) as usize] = value;
            }
            Stmt::If(cond, then, otherwise) => return self.block(if self.cond(cond) { then } else { otherwise }),
            Stmt::For { bound, body, .. } => {
                let mut count = 0;
                // The bound is evaluated before every iteration, as the loop is printed.
                while count < self.expr(bound) & 7 {
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                    count += 1;
                }
            }
            Stmt::While { cond, body, .. } => {
                let mut count = 0;
                while count < 7 && self.cond(cond) {
                    count += 1;
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                }
            }
            Stmt::DoWhile { cond, body, .. } => {
                let mut count = 0;
                loop {
                    count += 1;
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                    if count >= 5 || !self.cond(cond) {
                        break;
                    }
                }
            }
            Stmt::Switch(selector, cases) => return self.switch(self.expr(selector) & 7, cases),
            Stmt::SetElement(index, value) => {
                let (index, value) = (self.expr(index), self.expr(value));
                self.array[(index & 3) as usize] = value;
            }
            Stmt::SetComponent(n, value) => self.vector[*n] = self.expr(value),
            Stmt::Turn(factor) => {
                let (factor, [x, y, z]) = (self.expr(factor), self.vector);
                let each = |turned: u32, own: u32| turned.wrapping_mul(factor).wrapping_add(own);
                self.vector = [each(y, x), each(z, y), each(x, z)];
            }
            Stmt::Break => return Flow::Break,
            Stmt::Continue => return Flow::Continue,
            Stmt::Return(value) => return Flow::Return(self.expr(value)),
            Stmt::Call { to, function, argument, reference } => {
                let (first, second) = (self.expr(argument), self.variables[*reference]);
                let program = self.program;
                let (result, second) = call(program, &program.helpers[*function], first, second, self.memory);
                // The parameter is copied back, then the result is assigned.
                self.variables[*reference] = second;
                self.variables[*to] = result;
            }
            // Programs with exchanges are for the other interpreter.
            Stmt::Exchange { .. } => {}
        }
        Flow::Next
    }
}
