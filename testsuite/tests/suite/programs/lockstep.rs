//! Runs a random program for all invocations of a workgroup in step.
//!
//! Invocations that take a condition apart run one side after the other, and wait at its end. That is the order in which
//! they see each other's values across barriers, so that barriers may be anywhere.

use super::MEMORY;
use super::interpret::Frame;
use super::syntax::{Block, Function, Program, Stmt};

/// Which invocations.
type Set = Vec<bool>;

/// Where the invocations of a block are after it; those that have returned are nowhere.
struct Flow {
    next: Set,
    breaks: Set,
    continues: Set,
}

/// A function that is being run.
struct Running<'r, 'a> {
    frames: Vec<Frame<'a>>,
    shared: &'r mut Vec<u32>,
    results: Vec<Option<u32>>,
}

/// The results for the inputs of a workgroup, and `y`.
pub fn run(program: &Program, inputs: &[u32], y: u32, memory: &mut [[u32; MEMORY as usize]]) -> Vec<u32> {
    let frames = inputs.iter().zip(memory).map(|(&x, own)| Frame::new(program, &program.main, x, y, own)).collect();
    let mut shared = vec![0; inputs.len()];
    let all = vec![true; inputs.len()];
    call(&program.main, frames, &mut shared, &all).0
}

/// The results, and the last values of the second parameter.
fn call(function: &Function, frames: Vec<Frame<'_>>, shared: &mut Vec<u32>, active: &Set) -> (Vec<u32>, Vec<u32>) {
    let results = vec![None; frames.len()];
    let mut running = Running { frames, shared, results };
    running.block(&function.body, active.clone());
    let Running { frames, results, .. } = running;
    let ends = frames.iter().zip(results);
    ends.map(|(frame, result)| (result.unwrap_or_else(|| frame.expr(&function.result)), frame.variables[1])).unzip()
}

fn union(into: &mut Set, other: &Set) {
    for (a, b) in into.iter_mut().zip(other) {
        *a |= b;
    }
}

impl Running<'_, '_> {
    fn none(&self) -> Set {
        vec![false; self.frames.len()]
    }

    /// Those of `set` for which `holds`, and the others of it.
    fn split(&self, set: &Set, holds: impl Fn(&Frame<'_>) -> bool) -> (Set, Set) {
        let parted = set.iter().zip(&self.frames).map(|(&on, frame)| {
            let holds = on && holds(frame);
            (holds, on && !holds)
        });
        parted.unzip()
    }

    fn block(&mut self, block: &Block, active: Set) -> Flow {
        let mut flow = Flow { next: active, breaks: self.none(), continues: self.none() };
        for stmt in block {
            if !flow.next.contains(&true) {
                break;
            }
            let after = self.stmt(stmt, flow.next);
            union(&mut flow.breaks, &after.breaks);
            union(&mut flow.continues, &after.continues);
            flow.next = after.next;
        }
        flow
    }

    /// An iteration: those that go on with the next; those that break are put into `left`.
    fn iteration(&mut self, body: &Block, on: Set, left: &mut Set) -> Set {
        let mut flow = self.block(body, on);
        union(left, &flow.breaks);
        union(&mut flow.next, &flow.continues);
        flow.next
    }

    fn stmt(&mut self, stmt: &Stmt, on: Set) -> Flow {
        let mut flow = Flow { next: self.none(), breaks: self.none(), continues: self.none() };
        match stmt {
            Stmt::If(cond, then, otherwise) => {
                let (yes, no) = self.split(&on, |frame| frame.cond(cond));
                for (block, set) in [(then, yes), (otherwise, no)] {
                    let side = self.block(block, set);
                    union(&mut flow.next, &side.next);
                    union(&mut flow.breaks, &side.breaks);
                    union(&mut flow.continues, &side.continues);
                }
            }
            Stmt::For { bound, body, .. } => {
                let mut on = on;
                for count in 0.. {
                    let (stays, leaves) = self.split(&on, |frame| count < frame.expr(bound) & 7);
                    union(&mut flow.next, &leaves);
                    if !stays.contains(&true) {
                        break;
                    }
                    on = self.iteration(body, stays, &mut flow.next);
                }
            }
            Stmt::While { cond, body, .. } => {
                let mut on = on;
                for count in 0.. {
                    let (stays, leaves) = self.split(&on, |frame| count < 7 && frame.cond(cond));
                    union(&mut flow.next, &leaves);
                    if !stays.contains(&true) {
                        break;
                    }
                    on = self.iteration(body, stays, &mut flow.next);
                }
            }
            Stmt::DoWhile { cond, body, .. } => {
                let mut on = on;
                for count in 1.. {
                    let through = self.iteration(body, on, &mut flow.next);
                    let (stays, leaves) = self.split(&through, |frame| count < 5 && frame.cond(cond));
                    union(&mut flow.next, &leaves);
                    if !stays.contains(&true) {
                        break;
                    }
                    on = stays;
                }
            }
            Stmt::Switch(selector, cases) => {
                let listed = |frame: &Frame<'_>| {
                    let selector = frame.expr(selector) & 7;
                    let named = cases.iter().position(|(labels, ..)| labels.contains(&selector));
                    named.or_else(|| cases.iter().position(|(labels, ..)| labels.is_empty()))
                };
                let starts: Vec<Option<usize>> = self.frames.iter().map(listed).collect();
                let mut falling = self.none();
                for (at, (_, body, breaks)) in cases.iter().enumerate() {
                    let mut set: Set = starts.iter().zip(&on).map(|(&start, &on)| on && start == Some(at)).collect();
                    union(&mut set, &falling);
                    let case = self.block(body, set);
                    union(&mut flow.next, &case.breaks);
                    union(&mut flow.continues, &case.continues);
                    falling = case.next;
                    if *breaks {
                        union(&mut flow.next, &falling);
                        falling = self.none();
                    }
                }
                union(&mut flow.next, &falling);
                let nowhere: Set = starts.iter().zip(&on).map(|(start, &on)| on && start.is_none()).collect();
                union(&mut flow.next, &nowhere);
            }
            Stmt::Break => flow.breaks = on,
            Stmt::Continue => flow.continues = on,
            Stmt::Return(value) => {
                for ((frame, result), on) in self.frames.iter().zip(&mut self.results).zip(on) {
                    if on {
                        *result = Some(frame.expr(value));
                    }
                }
            }
            Stmt::Exchange { to, value, distance } => {
                let active = |on: &Set| -> Vec<usize> { (0..on.len()).filter(|&i| on[i]).collect() };
                for i in active(&on) {
                    self.shared[i] = self.frames[i].expr(value);
                }
                for i in active(&on) {
                    self.frames[i].variables[*to] = self.shared[(i + *distance as usize) % self.shared.len()];
                }
                flow.next = on;
            }
            Stmt::Call { to, function, argument, reference } => {
                let inner = self.frames.iter_mut().map(|frame| {
                    let (first, second) = (frame.expr(argument), frame.variables[*reference]);
                    let helper = &frame.program.helpers[*function];
                    Frame::new(frame.program, helper, first, second, &mut *frame.memory)
                });
                let inner: Vec<Frame<'_>> = inner.collect();
                let Some(helper) = inner.first().map(|frame| &frame.program.helpers[*function]) else { return flow };
                let (results, seconds) = call(helper, inner, self.shared, &on);
                for (i, frame) in self.frames.iter_mut().enumerate().filter(|(i, _)| on[*i]) {
                    frame.variables[*reference] = seconds[i];
                    frame.variables[*to] = results[i];
                }
                flow.next = on;
            }
            _ => {
                for (frame, _) in self.frames.iter_mut().zip(&on).filter(|(_, on)| **on) {
                    frame.simple(stmt);
                }
                flow.next = on;
            }
        }
        flow
    }
}
