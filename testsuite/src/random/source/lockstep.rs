//! Runs a random program for all invocations of a workgroup in step.
//!
//! Invocations that take a condition apart run one side after the other, and wait at its end. That is the order in which
//! they see each other's values across barriers, so that barriers may be anywhere.

use super::MEMORY;
use super::interpret::{Frame, World};
use super::syntax::{Block, Function, Program, Stmt};

/// Which invocations.
type Set = Vec<bool>;

/// Where the invocations of a block are after it; those that have returned are nowhere.
struct Flow {
    next: Set,
    breaks: Set,
    continues: Set,
}

/// What the workgroup has.
struct Shared {
    words: Vec<u32>,
    /// Invocations of a subgroup.
    subgroup: usize,
    /// Statements that may still run.
    fuel: u32,
}

/// A function that is being run.
struct Running<'r, 'a, 'w> {
    frames: Vec<Frame<'a, 'w>>,
    shared: &'r mut Shared,
    results: Vec<Option<u32>>,
}

/// The results for the inputs `own` of a workgroup with subgroups of this size, and `y`; `None` when it runs for more than
/// `fuel` statements.
pub fn run(
    program: &Program,
    subgroup: usize,
    own: &[u32],
    y: u32,
    inputs: &[u32],
    memory: &mut [[u32; MEMORY as usize]],
    fuel: u32,
) -> Option<Vec<u32>> {
    let worlds = memory.iter_mut().map(|memory| World { program, inputs, memory, fuel });
    let mut worlds: Vec<World<'_>> = worlds.collect();
    let frames = own.iter().zip(&mut worlds).map(|(&x, world)| Frame::new(world, &program.main, x, y)).collect();
    let mut shared = Shared { words: vec![0; own.len()], subgroup, fuel };
    let all = vec![true; own.len()];
    let results = call(&program.main, frames, &mut shared, &all);
    (shared.fuel > 0).then(|| results.into_iter().map(|(result, _)| result).collect())
}

/// The results, and the last values of the second and third parameter.
fn call(function: &Function, frames: Vec<Frame<'_, '_>>, shared: &mut Shared, active: &Set) -> Vec<(u32, [u32; 2])> {
    let results = vec![None; frames.len()];
    let mut running = Running { frames, shared, results };
    running.block(&function.body, active.clone());
    let ends = running.frames.iter().zip(running.results);
    ends.map(|(frame, result)| {
        let result = result.unwrap_or_else(|| frame.expr(&function.result));
        (result, [frame.variables[1], frame.variables[2]])
    })
    .collect()
}

fn union(into: &mut Set, other: &Set) {
    for (a, b) in into.iter_mut().zip(other) {
        *a |= b;
    }
}

impl Running<'_, '_, '_> {
    fn none(&self) -> Set {
        vec![false; self.frames.len()]
    }

    /// Those of `set` for which `holds`, and the others of it.
    fn split(&self, set: &Set, holds: impl Fn(&Frame<'_, '_>) -> bool) -> (Set, Set) {
        let parted = set.iter().zip(&self.frames).map(|(&on, frame)| {
            let holds = on && holds(frame);
            (holds, on && !holds)
        });
        parted.unzip()
    }

    fn block(&mut self, block: &Block, active: Set) -> Flow {
        let mut flow = Flow { next: active, breaks: self.none(), continues: self.none() };
        for stmt in block {
            if !flow.next.contains(&true) || self.shared.fuel == 0 {
                break;
            }
            self.shared.fuel -= 1;
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

    /// Sets the counter of a loop.
    fn count(&mut self, n: usize, on: &Set, next: impl Fn(u32) -> u32) {
        for (frame, _) in self.frames.iter_mut().zip(on).filter(|(_, on)| **on) {
            frame.counters[n] = next(frame.counters[n]);
        }
    }

    /// A loop with its test at the start, which counts before its body or after it. Gives those behind it.
    fn repeat(
        &mut self,
        n: usize,
        body: &Block,
        mut on: Set,
        test: impl Fn(&Frame<'_, '_>) -> bool,
        counts_first: bool,
    ) -> Set {
        let mut left = self.none();
        self.count(n, &on, |_| 0);
        while self.shared.fuel > 0 {
            let (stays, leaves) = self.split(&on, &test);
            union(&mut left, &leaves);
            if !stays.contains(&true) {
                break;
            }
            if counts_first {
                self.count(n, &stays, |count| count + 1);
            }
            on = self.iteration(body, stays, &mut left);
            if !counts_first {
                self.count(n, &on, |count| count + 1);
            }
        }
        left
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
            Stmt::For { n, bound, body } => {
                flow.next = self.repeat(*n, body, on, |frame| frame.counters[*n] < frame.expr(bound) & 7, false);
            }
            Stmt::Forever { n, body } => {
                flow.next = self.repeat(*n, body, on, |frame| frame.counters[*n] < 6, false);
            }
            Stmt::While { n, cond, body } => {
                flow.next = self.repeat(*n, body, on, |frame| frame.counters[*n] < 7 && frame.cond(cond), true);
            }
            Stmt::DoWhile { n, cond, body } => {
                self.count(*n, &on, |_| 0);
                let mut on = on;
                while on.contains(&true) && self.shared.fuel > 0 {
                    self.count(*n, &on, |count| count + 1);
                    let through = self.iteration(body, on, &mut flow.next);
                    let (stays, leaves) = self.split(&through, |frame| frame.counters[*n] < 5 && frame.cond(cond));
                    union(&mut flow.next, &leaves);
                    on = stays;
                }
            }
            Stmt::Switch(selector, cases) => {
                let listed = |frame: &Frame<'_, '_>| {
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
                    self.shared.words[i] = self.frames[i].expr(value);
                }
                for i in active(&on) {
                    let from = (i + *distance as usize) % self.shared.words.len();
                    self.frames[i].variables[*to] = self.shared.words[from];
                }
                flow.next = on;
            }
            Stmt::Group { to, op, value } => {
                let w = self.shared.subgroup;
                for first in (0..on.len()).step_by(w) {
                    let there = |i: usize| on.get(i).is_some_and(|&on| on);
                    let value = |i: usize| there(i).then(|| self.frames[i].expr(value));
                    let lanes: Vec<Option<u32>> = (first..first + w).map(value).collect();
                    let results = op.results(&lanes);
                    for (i, result) in (first..).zip(results).filter(|&(i, _)| there(i)) {
                        self.frames[i].variables[*to] = result;
                    }
                }
                flow.next = on;
            }
            Stmt::Call { to, function, argument, reference, out } => {
                let Some(program) = self.frames.first().map(|frame| frame.world.program) else { return flow };
                let helper = &program.helpers[*function];
                let inner = self.frames.iter_mut().map(|frame| {
                    let (first, second) = (frame.expr(argument), frame.variables[*reference]);
                    Frame::new(&mut *frame.world, helper, first, second)
                });
                let ends = call(helper, inner.collect(), self.shared, &on);
                for ((frame, (result, [second, third])), _) in
                    self.frames.iter_mut().zip(ends).zip(&on).filter(|(_, on)| **on)
                {
                    frame.variables[*reference] = second;
                    frame.variables[*out] = third;
                    frame.variables[*to] = result;
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
