//! Random structured SPIR-V, run block by block as it stands and as lifted (and as transformed): the buffer must hold the
//! same in the end.
//!
//! The generator knows, for each branch target, which values reach it along which edge; so phis and uses across constructs
//! are valid by construction, whichever way control came.

use super::asm::assemble_as;
use crate::Options;
use crate::transform::tests::interpret::{self, Val};
use std::collections::HashMap;
use std::fmt::Write;

const WORDS: usize = 8;

const HEAD: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %out \"out\"
OpDecorate %arr ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%c6 = OpConstant %uint 6
%c7 = OpConstant %uint 7
%c8 = OpConstant %uint 8
%arr = OpTypeArray %uint %c8
%S = OpTypeStruct %arr
%pS = OpTypePointer StorageBuffer %S
%pu = OpTypePointer StorageBuffer %uint
%out = OpVariable %pS StorageBuffer
";

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Ids that are defined on every way to a point: numbers and pointers.
#[derive(Clone, Default)]
struct Known {
    values: Vec<String>,
    pointers: Vec<String>,
}

/// A construct around the code being written: labels of merge block and continue target.
#[derive(Clone)]
struct Around {
    merge: String,
    cont: Option<String>,
    is_selection: bool,
    /// Switches: the case after the one being written.
    next: Option<String>,
}

struct Generator {
    random: Random,
    text: String,
    count: usize,
    budget: usize,
    /// Label of the block being written, `None` behind a terminator.
    block: Option<String>,
    known: Known,
    /// Edges into labels: predecessor and what is known on it.
    edges: HashMap<String, Vec<(String, Known)>>,
    around: Vec<Around>,
}

/// The text of a random module.
fn module(seed: u64) -> String {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let values = (0..8).map(|n| format!("%c{n}")).collect();
    let known = Known { values, pointers: vec![] };
    let (edges, around) = (HashMap::new(), vec![]);
    let (text, block) = (HEAD.to_owned(), Some("%entry".to_owned()));
    let mut g = Generator { random, text, count: 0, budget: 60, block, known, edges, around };
    g.text.push_str("%main = OpFunction %void None %fn\n%entry = OpLabel\n");
    g.statements(0);
    g.store();
    if g.block.is_some() {
        g.text.push_str("OpReturn\n");
    }
    g.text.push_str("OpFunctionEnd\n");
    g.text
}

impl Generator {
    fn id(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("%{prefix}{}", self.count)
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn pick(&mut self) -> String {
        // Late values more often than early ones.
        let len = self.known.values.len();
        let from = if self.random.chance(60) { len.saturating_sub(6) } else { 0 };
        let at = from + self.random.below(len - from);
        self.known.values[at].clone()
    }

    fn compute(&mut self) {
        let op = ["IAdd", "ISub", "IMul", "BitwiseXor"][self.random.below(4)];
        let (a, b, id) = (self.pick(), self.pick(), self.id("v"));
        self.line(&format!("{id} = Op{op} %uint {a} {b}"));
        self.known.values.push(id);
    }

    fn condition(&mut self) -> String {
        let op = ["ULessThan", "IEqual", "INotEqual"][self.random.below(3)];
        let (a, b, odd, id) = (self.pick(), self.pick(), self.id("o"), self.id("b"));
        // The low bits, so that either outcome is likely.
        self.line(&format!("{odd} = OpBitwiseAnd %uint {a} %c3"));
        let second = self.id("o");
        self.line(&format!("{second} = OpBitwiseAnd %uint {b} %c3"));
        self.line(&format!("{id} = Op{op} %bool {odd} {second}"));
        id
    }

    /// Mixes a value into a word of the buffer.
    fn store(&mut self) {
        if self.block.is_none() {
            return;
        }
        let pointer = match self.known.pointers.last() {
            Some(pointer) if self.random.chance(50) => pointer.clone(),
            _ => {
                let id = self.id("p");
                let word = self.random.below(WORDS);
                self.line(&format!("{id} = OpAccessChain %pu %out %c0 %c{word}"));
                self.known.pointers.push(id.clone());
                id
            }
        };
        let (old, scaled, new, value) = (self.id("v"), self.id("v"), self.id("v"), self.pick());
        self.line(&format!("{old} = OpLoad %uint {pointer}"));
        self.line(&format!("{scaled} = OpIMul %uint {old} %c7"));
        self.line(&format!("{new} = OpIAdd %uint {scaled} {value}"));
        self.line(&format!("OpStore {pointer} {new}"));
        self.known.values.push(new);
    }

    fn edge(&mut self, to: &str) {
        if let Some(block) = &self.block {
            self.edges.entry(to.to_owned()).or_default().push((block.clone(), self.known.clone()));
        }
    }

    fn branch(&mut self, to: &str) {
        if self.block.is_some() {
            self.edge(to);
            self.line(&format!("OpBranch {to}"));
            self.block = None;
        }
    }

    fn branch_if(&mut self, cond: &str, yes: &str, no: &str) {
        self.edge(yes);
        self.edge(no);
        self.line(&format!("OpBranchConditional {cond} {yes} {no}"));
        self.block = None;
    }

    /// Starts a block at a label: what is known on all edges is known, and phis join what differs. False when nothing
    /// comes here; then the block is closed at once.
    fn label(&mut self, label: &str) -> bool {
        self.line(&format!("{label} = OpLabel"));
        let edges = self.edges.remove(label).unwrap_or_default();
        let Some((_, first)) = edges.first() else {
            self.line("OpUnreachable");
            self.block = None;
            return false;
        };
        let common = |list: fn(&Known) -> &Vec<String>| -> Vec<String> {
            list(first).iter().filter(|v| edges.iter().all(|(_, k)| list(k).contains(v))).cloned().collect()
        };
        self.known = Known { values: common(|k| &k.values), pointers: common(|k| &k.pointers) };
        for _ in 0..self.random.below(3) {
            let id = self.id("v");
            let mut line = format!("{id} = OpPhi %uint");
            for (block, known) in &edges {
                let at = known.values.len() - 1 - self.random.below(known.values.len().min(8));
                write!(line, " {} {block}", known.values[at]).unwrap();
            }
            self.line(&line);
            self.known.values.push(id);
        }
        self.block = Some(label.to_owned());
        true
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            if self.block.is_none() || self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.random.below(if depth < 5 { 13 } else { 7 }) {
                0..=1 => self.compute(),
                2..=3 => self.store(),
                4 if self.random.chance(40) => self.leave(),
                4 | 5 => self.leave_if(),
                6 => self.compute(),
                7..=9 => self.selection(depth),
                10 => self.switch(depth),
                _ => self.loop_(depth),
            }
        }
    }

    /// Labels to which code here may branch out of its construct.
    fn exits(&self) -> Vec<String> {
        let mut out = vec![];
        let mut in_switch = false;
        for around in self.around.iter().rev() {
            match &around.cont {
                Some(cont) => {
                    out.extend([around.merge.clone(), cont.clone()]);
                    return out;
                }
                None if !around.is_selection && !in_switch => {
                    out.push(around.merge.clone());
                    out.extend(around.next.clone());
                    in_switch = true;
                }
                None => {}
            }
        }
        out
    }

    fn leave(&mut self) {
        let exits = self.exits();
        if exits.is_empty() || self.random.chance(10) {
            self.line("OpReturn");
            self.block = None;
            return;
        }
        let to = exits[self.random.below(exits.len())].clone();
        self.branch(&to);
    }

    /// A conditional branch without a merge instruction.
    fn leave_if(&mut self) {
        let exits = self.exits();
        if exits.is_empty() {
            return self.compute();
        }
        let (to, next, cond) = (exits[self.random.below(exits.len())].clone(), self.id("next"), self.condition());
        if self.random.chance(50) {
            self.branch_if(&cond, &to, &next)
        } else {
            self.branch_if(&cond, &next, &to)
        }
        self.label(&next);
    }

    fn selection(&mut self, depth: usize) {
        let (yes, no, merge) = (self.id("then"), self.id("else"), self.id("merge"));
        let cond = self.condition();
        self.line(&format!("OpSelectionMerge {merge} None"));
        let sides = self.random.below(3);
        let (to_yes, to_no) = match sides {
            0 => (yes.clone(), merge.clone()),
            1 => (merge.clone(), no.clone()),
            _ => (yes.clone(), no.clone()),
        };
        self.branch_if(&cond, &to_yes, &to_no);
        self.around.push(Around { merge: merge.clone(), cont: None, is_selection: true, next: None });
        for side in [yes, no] {
            if (side == to_yes || side == to_no) && self.label(&side) {
                self.statements(depth + 1);
                self.branch(&merge);
            }
        }
        self.around.pop();
        self.label(&merge);
    }

    fn switch(&mut self, depth: usize) {
        let (selector, picked, merge) = (self.id("o"), self.pick(), self.id("merge"));
        self.line(&format!("{selector} = OpBitwiseAnd %uint {picked} %c7"));
        let cases: Vec<String> = (0..2 + self.random.below(3)).map(|_| self.id("case")).collect();
        let default_at = self.random.below(cases.len() + 1);
        let default = cases.get(default_at).unwrap_or(&merge).clone();
        let mut line = format!("OpSwitch {selector} {default}");
        let mut targets = vec![];
        for literal in 0..7 {
            let target = match self.random.below(cases.len() + 2) {
                at if at < cases.len() && at != default_at => cases[at].clone(),
                at if at == cases.len() => merge.clone(),
                at if at == default_at => default.clone(),
                _ => continue,
            };
            targets.push((cases.iter().position(|c| *c == target), literal, target));
        }
        // A case that falls through must come before the one it falls into.
        targets.sort();
        for (_, literal, target) in targets {
            self.edge_once(&target);
            write!(line, " {literal} {target}").unwrap();
        }
        self.edge_once(&default);
        self.line(&format!("OpSelectionMerge {merge} None"));
        self.line(&line);
        self.block = None;
        self.around.push(Around { merge: merge.clone(), cont: None, is_selection: false, next: None });
        for (index, case) in cases.iter().enumerate() {
            if !self.edges.contains_key(case) {
                continue;
            }
            let next = cases[index + 1..].iter().find(|c| self.edges.contains_key(*c)).cloned();
            if let Some(own) = self.around.last_mut() {
                own.next = next.clone();
            }
            self.label(case);
            self.statements(depth + 1);
            match next {
                Some(next) if self.random.chance(40) => self.branch(&next),
                _ => self.branch(&merge),
            }
        }
        self.around.pop();
        self.label(&merge);
    }

    /// An edge of a switch, which may name a target several times.
    fn edge_once(&mut self, to: &str) {
        let known = self.edges.get(to).is_some_and(|e| e.iter().any(|(b, _)| Some(b) == self.block.as_ref()));
        if !known {
            self.edge(to);
        }
    }

    fn loop_(&mut self, depth: usize) {
        let (header, cont, merge, body) = (self.id("header"), self.id("cont"), self.id("merge"), self.id("body"));
        let (counter, next_counter, carried) = (self.id("v"), self.id("v"), self.id("v"));
        let Some(before) = self.block.clone() else { return };
        let initial = self.pick();
        self.line(&format!("OpBranch {header}"));
        self.line(&format!("{header} = OpLabel"));
        // What comes along the back edge is known only in the end.
        let patch = format!("<{header}>");
        self.line(&format!("{counter} = OpPhi %uint %c0 {before} {next_counter} {patch}"));
        self.line(&format!("{carried} = OpPhi %uint {initial} {before} <{carried}> {patch}"));
        self.known.values.extend([counter.clone(), carried.clone()]);
        self.block = Some(header.clone());
        for _ in 0..self.random.below(3) {
            self.compute();
        }
        let style = self.random.below(4);
        self.around.push(Around { merge: merge.clone(), cont: Some(cont.clone()), is_selection: false, next: None });
        let bound = self.random.below(4);
        let go_on = self.id("b");
        if style == 0 {
            // The test stands in the header block.
            self.line(&format!("{go_on} = OpULessThan %bool {counter} %c{bound}"));
            self.line(&format!("OpLoopMerge {merge} {cont} None"));
            self.branch_if(&go_on, &body, &merge);
        } else {
            self.line(&format!("OpLoopMerge {merge} {cont} None"));
            let test = self.id("test");
            self.branch(&test);
            self.label(&test);
            if style == 1 {
                // A test of its own, perhaps behind a selection.
                if self.random.chance(50) && depth < 5 {
                    self.selection(depth + 1);
                }
                if self.block.is_some() {
                    self.line(&format!("{go_on} = OpULessThan %bool {counter} %c{bound}"));
                    if self.random.chance(50) {
                        self.branch_if(&go_on, &body, &merge);
                    } else {
                        let stop = self.id("b");
                        self.line(&format!("{stop} = OpLogicalNot %bool {go_on}"));
                        self.branch_if(&stop, &merge, &body);
                    }
                }
            } else {
                self.branch(&body);
            }
        }
        if self.label(&body) {
            self.statements(depth + 1);
            self.branch(&cont);
        }
        self.around.pop();
        let header_known = Known { values: vec!["%c5".into(), counter.clone()], pointers: vec![] };
        if self.edges.contains_key(&cont) {
            self.label(&cont);
            self.compute();
            self.line(&format!("{next_counter} = OpIAdd %uint {counter} %c1"));
            let back = self.pick();
            self.text = self.text.replace(&format!("<{carried}>"), &back);
            if style >= 2 {
                // The test stands in the continue construct, also so that every loop ends.
                self.line(&format!("{go_on} = OpULessThan %bool {next_counter} %c{bound}"));
                self.edge(&merge);
                if self.random.chance(50) {
                    self.line(&format!("OpBranchConditional {go_on} {header} {merge}"));
                } else {
                    let stop = self.id("b");
                    self.line(&format!("{stop} = OpLogicalNot %bool {go_on}"));
                    self.line(&format!("OpBranchConditional {stop} {merge} {header}"));
                }
            } else {
                self.line(&format!("OpBranch {header}"));
            }
        } else {
            self.line(&format!("{cont} = OpLabel"));
            self.line(&format!("{next_counter} = OpIAdd %uint {counter} %c1"));
            self.text = self.text.replace(&format!("<{carried}>"), &header_known.values[0]);
            self.line(&format!("OpBranch {header}"));
        }
        self.text = self.text.replace(&patch, &cont);
        self.block = None;
        self.label(&merge);
    }
}

/// Runs the text block by block.
fn run(text: &str, mut fuel: usize) -> Option<[u32; WORDS]> {
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    let labels: HashMap<&str, usize> =
        lines.iter().enumerate().filter(|(_, l)| l.get(2) == Some(&"OpLabel")).map(|(at, l)| (l[0], at)).collect();
    let mut memory = [0u32; WORDS];
    let mut values: HashMap<&str, u32> =
        (0..9).map(|n| (["%c0", "%c1", "%c2", "%c3", "%c4", "%c5", "%c6", "%c7", "%c8"][n], n as u32)).collect();
    let (mut from, mut at_label) = ("", "%entry");
    loop {
        fuel = fuel.checked_sub(1)?;
        let mut at = labels[at_label] + 1;
        let phis: Vec<(&str, u32)> = lines[at..]
            .iter()
            .take_while(|l| l.get(2) == Some(&"OpPhi"))
            .map(|l| (l[0], values[l[4..].chunks(2).find(|pair| pair[1] == from).unwrap()[0]]))
            .collect();
        at += phis.len();
        values.extend(phis);
        let next = loop {
            let line = &lines[at];
            at += 1;
            match line[..] {
                ["OpSelectionMerge" | "OpLoopMerge", ..] => {}
                ["OpStore", pointer, value] => memory[values[pointer] as usize] = values[value],
                ["OpReturn"] => return Some(memory),
                ["OpBranch", to] => break to,
                ["OpBranchConditional", cond, yes, no] => break if values[cond] != 0 { yes } else { no },
                ["OpSwitch", selector, default, ref cases @ ..] => {
                    let literal = values[selector].to_string();
                    break cases.chunks(2).find(|c| c[0] == literal).map_or(default, |c| c[1]);
                }
                [result, "=", "OpAccessChain", _, _, _, index] => drop(values.insert(result, values[index])),
                [result, "=", "OpLoad", _, pointer] => drop(values.insert(result, memory[values[pointer] as usize])),
                [result, "=", "OpLogicalNot", _, a] => drop(values.insert(result, 1 - values[a])),
                [result, "=", op, _, a, b] => {
                    let (a, b) = (values[a], values[b]);
                    let value = match op {
                        "OpIAdd" => a.wrapping_add(b),
                        "OpISub" => a.wrapping_sub(b),
                        "OpIMul" => a.wrapping_mul(b),
                        "OpBitwiseXor" => a ^ b,
                        "OpBitwiseAnd" => a & b,
                        "OpULessThan" => u32::from(a < b),
                        "OpIEqual" => u32::from(a == b),
                        "OpINotEqual" => u32::from(a != b),
                        _ => panic!("{line:?}"),
                    };
                    values.insert(result, value);
                }
                _ => panic!("{line:?}"),
            }
        };
        (from, at_label) = (at_label, next);
    }
}

/// The words of the buffer `out` after the lifted module has run.
fn run_lifted(module: &crate::ir::Module, text: &str) -> Option<[u32; WORDS]> {
    let out = match interpret::run(module, 200_000) {
        Ok(out) => out,
        Err(what) if what == "out of fuel" => return None,
        Err(what) => panic!("{what}\n{text}\n{module}"),
    };
    let Some((_, Val::Composite(members))) = out.into_iter().next() else { return Some([0; WORDS]) };
    let Val::Composite(words) = &members[0] else { panic!("no array") };
    let word = |v: &Val| if let Val::Bits(bits) = v { *bits as u32 } else { panic!("no word") };
    Some(std::array::from_fn(|n| word(&words[n])))
}

#[test]
fn lifted_modules_give_what_their_blocks_give() {
    const SEEDS: u64 = 1000;
    let (mut finished, mut loops, mut switches) = (0, 0, 0);
    for seed in 0..SEEDS {
        let text = module(seed);
        let expected = run(&text, 20_000);
        let mut lifted = super::super::lift(&assemble_as(3, &text), &Options::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        crate::ir::verify::verify(&lifted).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}\n{lifted}"));
        if expected.is_none() {
            continue;
        }
        finished += 1;
        loops += text.matches("OpLoopMerge").count();
        switches += text.matches("OpSwitch").count();
        assert_eq!(run_lifted(&lifted, &text), expected, "seed {seed}\n{text}\n{lifted}");
        for pass in ["promote", "clean"] {
            (crate::transform::by_name(pass).unwrap().run)(&mut lifted).unwrap();
            crate::ir::verify::verify(&lifted).unwrap_or_else(|e| panic!("seed {seed}, {pass}: {e}\n{text}\n{lifted}"));
            assert_eq!(run_lifted(&lifted, &text), expected, "seed {seed}, {pass}\n{text}\n{lifted}");
        }
    }
    println!("{finished} of {SEEDS} modules ran to their end, with {loops} loops and {switches} switches");
    assert!(finished > SEEDS * 9 / 10 && loops > 1000 && switches > 500);
}
