//! Runs a random program for one invocation, statement by statement.

use super::MEMORY;
use super::syntax::{Bin, Block, Cond, Expr, FLOAT_LIMIT, FLOATS, Float, FloatBin, Function, Program, Stmt};

enum Flow {
    Next,
    Break,
    Continue,
    Return(u32),
    /// No statements are left that may run.
    Spent,
}

/// What the whole invocation has.
pub(super) struct World<'a> {
    pub program: &'a Program,
    pub inputs: &'a [u32],
    pub memory: &'a mut [u32; MEMORY as usize],
    pub fuel: u32,
}

/// An invocation in a function.
pub(super) struct Frame<'a, 'w> {
    pub world: &'w mut World<'a>,
    pub variables: Vec<u32>,
    floats: [f32; FLOATS],
    pub counters: Vec<u32>,
    array: [u32; 4],
    vector: [u32; 3],
}

/// The result for inputs `x` and `y`, with all inputs and the invocation's memory; `None` when it runs for more than
/// `fuel` statements.
pub fn run(
    program: &Program,
    (x, y): (u32, u32),
    inputs: &[u32],
    memory: &mut [u32; MEMORY as usize],
    fuel: u32,
) -> Option<u32> {
    let mut world = World { program, inputs, memory, fuel };
    call(&mut world, &program.main, x, y).map(|(result, _)| result)
}

/// The result and the last values of the second and third parameter.
fn call(world: &mut World<'_>, function: &Function, first: u32, second: u32) -> Option<(u32, [u32; 2])> {
    let mut frame = Frame::new(world, function, first, second);
    let result = match frame.block(&function.body) {
        Flow::Return(value) => value,
        Flow::Spent => return None,
        _ => frame.expr(&function.result),
    };
    Some((result, [frame.variables[1], frame.variables[2]]))
}

impl<'a, 'w> Frame<'a, 'w> {
    /// At the start of a function.
    pub fn new(world: &'w mut World<'a>, function: &Function, first: u32, second: u32) -> Frame<'a, 'w> {
        let mut variables: Vec<u32> = (0..function.variables as u32).collect();
        variables[0] = first;
        variables[1] = second;
        let (floats, counters) = (std::array::from_fn(|n| n as f32 + 0.5), vec![0; function.loops]);
        Frame { world, variables, floats, counters, array: [5, 6, 7, 8], vector: [1, 2, 3] }
    }

    pub fn expr(&self, expr: &Expr) -> u32 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Var(n) => self.variables[*n],
            Expr::Load(index) => self.world.memory[(self.expr(index) % MEMORY) as usize],
            Expr::Gather(index) => self.world.inputs[self.expr(index) as usize % self.world.inputs.len()],
            Expr::Counter(n) => self.counters[*n],
            Expr::Float(n) => (self.floats[*n] * 8.0) as i32 as u32,
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

    fn float(&self, float: &Float) -> f32 {
        match float {
            Float::Const(eighths) => *eighths as f32 * 0.125,
            Float::Var(n) => self.floats[*n],
            Float::Of(value) => ((self.expr(value) & 2047) as i32 - 1024) as f32 * 0.125,
            Float::Select(cond, a, b) => self.float(if self.cond(cond) { a } else { b }),
            Float::Whole(value) => self.float(value).abs().floor(),
            Float::Bin(op, a, b) => {
                let (a, b) = (self.float(a), self.float(b));
                match op {
                    FloatBin::Add => a + b,
                    FloatBin::Sub => a - b,
                    FloatBin::Mul => a * b,
                    FloatBin::Min => a.min(b),
                    FloatBin::Max => a.max(b),
                }
            }
        }
    }

    pub fn cond(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Below(a, b) => self.float(a) < self.float(b),
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
            let Some(fuel) = self.world.fuel.checked_sub(1) else { return Flow::Spent };
            self.world.fuel = fuel;
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
            Stmt::AssignFloat(to, value) => {
                let eighths = (self.float(value) * 8.0).floor();
                self.floats[*to] = (eighths * 0.125).clamp(-FLOAT_LIMIT, FLOAT_LIMIT);
            }
            Stmt::Store(index, value) => {
                let (index, value) = (self.expr(index), self.expr(value));
                self.world.memory[(index % MEMORY) as usize] = value;
            }
            Stmt::If(cond, then, otherwise) => return self.block(if self.cond(cond) { then } else { otherwise }),
            Stmt::For { n, bound, body } => {
                self.counters[*n] = 0;
                // The bound is evaluated before every iteration, as the loop is printed.
                while self.counters[*n] < self.expr(bound) & 7 {
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                    self.counters[*n] += 1;
                }
            }
            Stmt::Forever { n, body } => {
                self.counters[*n] = 0;
                while self.counters[*n] < 6 {
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                    self.counters[*n] += 1;
                }
            }
            Stmt::While { n, cond, body } => {
                self.counters[*n] = 0;
                while self.counters[*n] < 7 && self.cond(cond) {
                    self.counters[*n] += 1;
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                }
            }
            Stmt::DoWhile { n, cond, body } => {
                self.counters[*n] = 0;
                loop {
                    self.counters[*n] += 1;
                    if let Some(flow) = self.iteration(body) {
                        return flow;
                    }
                    if self.counters[*n] >= 5 || !self.cond(cond) {
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
            Stmt::Call { to, function, argument, reference, out } => {
                let (first, second) = (self.expr(argument), self.variables[*reference]);
                let program = self.world.program;
                let helper = &program.helpers[*function];
                let Some((result, [second, third])) = call(self.world, helper, first, second) else {
                    return Flow::Spent;
                };
                // Parameters are copied back, then the result is assigned.
                self.variables[*reference] = second;
                self.variables[*out] = third;
                self.variables[*to] = result;
            }
            // Programs with exchanges are for the interpreter in step.
            Stmt::Exchange { .. } | Stmt::Group { .. } => {}
        }
        Flow::Next
    }
}
