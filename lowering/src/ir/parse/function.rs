//! Functions: operations, regions, terminators.

use super::lex::{Token, error};
use super::{Parser, opcode_by_name};
use crate::error::Result;
use crate::ir::*;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What is known while a function is read.
struct Scope {
    function: Function,
    values: HashMap<String, Value>,
    labels: HashMap<String, OpId>,
    depth: usize,
}

/// A value with its type, and its name.
type Named = (String, TypeId);

impl Scope {
    fn define(&mut self, name: String, value: Value, line: u32) -> Result<()> {
        match self.values.entry(name) {
            std::collections::hash_map::Entry::Occupied(entry) => {
                error(line, format!("%{} is defined twice", entry.key()))
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(value);
                Ok(())
            }
        }
    }
}

impl Parser {
    pub(super) fn function(&mut self) -> Result<()> {
        let loc = self.loc();
        let id = self.named(|p| &p.functions, "a function")?;
        self.sign('(')?;
        let params = self.list(')', Parser::named_type)?;
        self.sign('→')?;
        let result = self.ty()?;
        let control = self.control()?;
        let name = self.module.functions[id].name.clone();
        let function = Function::new(name, result, control, loc);
        let mut scope = Scope { function, values: HashMap::new(), labels: HashMap::new(), depth: 0 };
        for (name, ty) in params {
            let value = scope.function.add_param(ty);
            scope.define(name, value, loc.line)?;
        }
        let body = scope.function.body;
        self.sign('{')?;
        self.region(&mut scope, body, Terminator::Return(None))?;
        self.module.functions[id] = scope.function;
        Ok(())
    }

    fn loc(&self) -> Loc {
        Loc { line: self.line(), ..Loc::default() }
    }

    fn control(&mut self) -> Result<u32> {
        if self.eat_word("control") { self.number("control bits") } else { Ok(0) }
    }

    fn value_name(&mut self) -> Result<String> {
        match self.peek() {
            Token::Value(name) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.expected("a value"),
        }
    }

    fn named_type(&mut self) -> Result<Named> {
        let name = self.value_name()?;
        self.sign(':')?;
        Ok((name, self.ty()?))
    }

    fn operand(&mut self, scope: &mut Scope) -> Result<Value> {
        match self.peek() {
            Token::Value(name) => match scope.values.get(name) {
                Some(&value) => {
                    self.at += 1;
                    Ok(value)
                }
                None => self.error(format!("%{name} is not defined above")),
            },
            Token::Global(_) => {
                let id = self.named(|p| &p.globals, "a global")?;
                Ok(scope.function.global_value(id, self.module.globals[id].ty))
            }
            Token::Const(key) => match self.consts.get(key) {
                Some(&id) => {
                    self.at += 1;
                    Ok(scope.function.const_value(id, self.module.consts[id].ty))
                }
                None => self.error(format!("there is no constant #{key} above")),
            },
            _ => {
                let ty = self.ty()?;
                let id = self.constant_data(ty)?;
                Ok(scope.function.const_value(id, self.module.consts[id].ty))
            }
        }
    }

    /// `(a, b)` on the same line, or nothing.
    fn passed(&mut self, scope: &mut Scope) -> Result<Vec<Value>> {
        if !self.same_line() || !self.eat('(') {
            return Ok(vec![]);
        }
        self.list(')', |p| p.operand(scope))
    }

    /// `exit (a, b)`, or nothing.
    fn exit(&mut self, scope: &mut Scope) -> Result<Vec<Value>> {
        if self.eat_word("exit") { self.passed(scope) } else { Ok(vec![]) }
    }

    /// Operations and a terminator up to the closing brace.
    fn region(&mut self, scope: &mut Scope, region: RegionId, default: Terminator) -> Result<()> {
        loop {
            let loc = self.loc();
            if self.eat('}') {
                scope.function.regions[region].end = default;
                scope.function.regions[region].end_loc = loc;
                return Ok(());
            }
            if let Some(end) = self.terminator(scope)? {
                self.sign('}')?;
                scope.function.regions[region].end = end;
                scope.function.regions[region].end_loc = loc;
                return Ok(());
            }
            self.op(scope, region)?;
        }
    }

    fn label(&mut self, scope: &Scope) -> Result<OpId> {
        let Token::Label(name) = self.peek() else { return self.expected("a label") };
        match scope.labels.get(name) {
            Some(&op) => {
                self.at += 1;
                Ok(op)
            }
            None => self.error(format!("no construct around this has the label ^{name}")),
        }
    }

    fn terminator(&mut self, scope: &mut Scope) -> Result<Option<Terminator>> {
        let Token::Word(word) = self.peek() else { return Ok(None) };
        let word = word.clone();
        let start = self.at;
        self.at += 1;
        Ok(Some(match word.as_str() {
            "fallthrough" => Terminator::Fallthrough(self.passed(scope)?),
            "condition" => Terminator::Condition { cond: self.operand(scope)?, exit: self.exit(scope)? },
            "merge" => Terminator::Merge(self.passed(scope)?),
            "reenter" => Terminator::Reenter(self.passed(scope)?),
            "reenter_if" => {
                let cond = self.operand(scope)?;
                Terminator::ReenterIf { cond, again: self.passed(scope)?, exit: self.exit(scope)? }
            }
            "break" => Terminator::Break(self.label(scope)?, self.passed(scope)?),
            "continue" => Terminator::Continue(self.label(scope)?, self.passed(scope)?),
            "return" if self.is_sign('}') || !self.same_line() => Terminator::Return(None),
            "return" => Terminator::Return(Some(self.operand(scope)?)),
            "kill" => Terminator::Kill,
            "unreachable" => Terminator::Unreachable,
            _ => {
                self.at = start;
                return Ok(None);
            }
        }))
    }

    fn op(&mut self, scope: &mut Scope, region: RegionId) -> Result<()> {
        let loc = self.loc();
        let mut results: Vec<Named> = vec![];
        if let Token::Value(_) = self.peek() {
            loop {
                results.push(self.named_type()?);
                if !self.eat(',') {
                    break;
                }
            }
            self.sign('=')?;
        }
        let types: Vec<TypeId> = results.iter().map(|&(_, ty)| ty).collect();
        let word = self.word("an instruction")?;
        let op = match word.as_str() {
            "selection" | "switch" | "loop" => self.construct(scope, &word, &types, loc)?,
            "variable" => {
                let init = if self.same_line() && self.starts_operand() { Some(self.operand(scope)?) } else { None };
                scope.function.add_op(OpKind::Variable { init }, &types, loc)
            }
            "call" => {
                let callee = self.named(|p| &p.functions, "a function")?;
                self.sign('(')?;
                let args = self.list(')', |p| p.operand(scope))?;
                scope.function.add_op(OpKind::Call { callee, args }, &types, loc)
            }
            _ => {
                let Some(opcode) = opcode_by_name(&word) else {
                    return error(loc.line, format!("\"{word}\" is no instruction"));
                };
                let inst = self.inst(scope, opcode)?;
                scope.function.add_op(OpKind::Inst(inst), &types, loc)
            }
        };
        scope.function.regions[region].ops.push(op);
        let values = scope.function.ops[op].results.clone();
        for ((name, _), value) in results.into_iter().zip(values) {
            scope.define(name, value, loc.line)?;
        }
        Ok(())
    }

    /// Could an operand start here? A word is a type unless it is a flag.
    fn starts_operand(&self) -> bool {
        match self.peek() {
            Token::Value(_) | Token::Global(_) | Token::Const(_) | Token::Struct(_) => true,
            Token::Word(word) => print::FLAGS.iter().all(|(_, flag)| flag != word),
            _ => false,
        }
    }

    fn inst(&mut self, scope: &mut Scope, opcode: Opcode) -> Result<Inst> {
        let mut operands = Operands::new();
        if self.same_line() && self.starts_operand() {
            loop {
                operands.push(self.operand(scope)?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        let literals = SmallVec::from_vec(self.words()?);
        let mut flags = 0;
        'flags: while self.same_line() {
            for (flag, word) in print::FLAGS {
                if self.eat_word(word) {
                    flags |= flag;
                    continue 'flags;
                }
            }
            break;
        }
        Ok(Inst { opcode, operands, literals, flags })
    }

    fn construct(&mut self, scope: &mut Scope, word: &str, results: &[TypeId], loc: Loc) -> Result<OpId> {
        if scope.depth >= MAX_VERIFIED_NESTING {
            return self.error(format!("constructs nest deeper than {MAX_VERIFIED_NESTING}"));
        }
        scope.depth += 1;
        // The operation exists before its regions are read, since they name it; its kind is put in afterwards.
        let op = scope.function.add_op(OpKind::Variable { init: None }, results, loc);
        if let Token::Label(label) = self.peek() {
            if scope.labels.insert(label.clone(), op).is_some() {
                return self.error(format!("^{label} is the label of another construct"));
            }
            self.at += 1;
        }
        let kind = match word {
            "selection" => self.selection(scope)?,
            "switch" => self.switch(scope)?,
            _ => self.loop_(scope)?,
        };
        scope.function.ops[op].kind = kind;
        scope.depth -= 1;
        Ok(op)
    }

    fn parenthesised(&mut self, scope: &mut Scope) -> Result<Value> {
        self.sign('(')?;
        let value = self.operand(scope)?;
        self.sign(')')?;
        Ok(value)
    }

    fn selection(&mut self, scope: &mut Scope) -> Result<OpKind> {
        let loc = self.loc();
        let cond = self.parenthesised(scope)?;
        let control = self.control()?;
        let (then_region, _) = self.sub_region(scope, "then", Terminator::Merge(vec![]))?;
        let else_region = if self.is_word("else") {
            self.sub_region(scope, "else", Terminator::Merge(vec![]))?.0
        } else {
            let region = scope.function.add_region(loc);
            scope.function.regions[region].end = Terminator::Merge(vec![]);
            region
        };
        Ok(OpKind::Selection(Selection { cond, then_region, else_region, control }))
    }

    fn switch(&mut self, scope: &mut Scope) -> Result<OpKind> {
        let line = self.line();
        let selector = self.parenthesised(scope)?;
        let Type::Scalar(scalar) = self.module.types[scope.function.values[selector].ty] else {
            return error(line, "the selector of a switch is no integer");
        };
        let control = self.control()?;
        let mut cases = vec![];
        let mut default = None;
        while self.is_word("case") || self.is_word("default") {
            let mut literals = vec![];
            if self.eat_word("case") {
                while let Token::Number(text) = self.peek() {
                    let Some(bits) = super::literal(scalar, text) else {
                        return self.error(format!("\"{text}\" is no value of the selector"));
                    };
                    literals.push(bits);
                    self.at += 1;
                    self.eat(',');
                }
            }
            if self.eat_word("default") {
                if default.is_some() {
                    return self.error("a switch has one default");
                }
                default = Some(cases.len());
            }
            let (region, init) = self.sub_region(scope, "", Terminator::Merge(vec![]))?;
            cases.push(Case { literals, region, init });
        }
        match default {
            Some(default) => Ok(OpKind::Switch(Switch { selector, cases, default, control })),
            None => error(line, "a switch must have a default"),
        }
    }

    fn loop_(&mut self, scope: &mut Scope) -> Result<OpKind> {
        let control = self.control()?;
        let (header, init) = self.sub_region(scope, "header", Terminator::Fallthrough(vec![]))?;
        let (body, _) = self.sub_region(scope, "body", Terminator::Fallthrough(vec![]))?;
        let (cont, _) = self.sub_region(scope, "continue", Terminator::Reenter(vec![]))?;
        Ok(OpKind::Loop(Loop { init, header, body, cont, control }))
    }

    /// `word (args) = { … }`. Returns the region and the values of its arguments on entry.
    fn sub_region(&mut self, scope: &mut Scope, word: &str, default: Terminator) -> Result<(RegionId, Vec<Value>)> {
        if !word.is_empty() && !self.eat_word(word) {
            return self.expected(&format!("\"{word}\""));
        }
        let loc = self.loc();
        let region = scope.function.add_region(loc);
        let mut init = vec![];
        if self.eat('(') {
            let args = self.list(')', |p| {
                let line = p.line();
                let (name, ty) = p.named_type()?;
                let value = if p.eat('=') { Some(p.operand(scope)?) } else { None };
                Ok((name, ty, value, line))
            })?;
            for (name, ty, value, line) in args {
                let arg = scope.function.add_arg(region, ty);
                scope.define(name, arg, line)?;
                init.extend(value);
            }
        }
        self.sign('=')?;
        self.sign('{')?;
        self.region(scope, region, default)?;
        Ok((region, init))
    }
}
