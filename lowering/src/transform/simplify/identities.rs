//! Algebraic identities, exact for floats too, and cheaper forms of divisions by powers of two.

use super::Simplifier;
use crate::ir::*;
use smallvec::smallvec;
use spirv::Op as S;

const ONE: u64 = 0x3f80_0000;
const MINUS_ZERO: u64 = 0x8000_0000;
const ALL: u64 = 0xffff_ffff;

/// `x op n = x`: the instruction, n, and whether `n op x = x` as well.
const NEUTRAL: &[(S, u64, bool)] = &[
    (S::IAdd, 0, true),
    (S::ISub, 0, false),
    (S::IMul, 1, true),
    (S::UDiv, 1, false),
    (S::SDiv, 1, false),
    (S::BitwiseAnd, ALL, true),
    (S::BitwiseOr, 0, true),
    (S::BitwiseXor, 0, true),
    (S::ShiftLeftLogical, 0, false),
    (S::ShiftRightLogical, 0, false),
    (S::ShiftRightArithmetic, 0, false),
    (S::FAdd, MINUS_ZERO, true),
    (S::FSub, 0, false),
    (S::FMul, ONE, true),
    (S::VectorTimesScalar, ONE, false),
    (S::FDiv, ONE, false),
    (S::LogicalAnd, 1, true),
    (S::LogicalOr, 0, true),
    (S::LogicalEqual, 1, true),
    (S::LogicalNotEqual, 0, true),
];

/// `x op n = n op x = r`: the instruction, n and r.
const ABSORBING: &[(S, u64, u64)] =
    &[(S::IMul, 0, 0), (S::BitwiseAnd, 0, 0), (S::BitwiseOr, ALL, ALL), (S::LogicalAnd, 0, 0), (S::LogicalOr, 1, 1)];

/// `x op x`: the instruction, and the result if that is not x.
const SAME: &[(S, Option<u64>)] = &[
    (S::ISub, Some(0)),
    (S::BitwiseXor, Some(0)),
    (S::BitwiseAnd, None),
    (S::BitwiseOr, None),
    (S::LogicalAnd, None),
    (S::LogicalOr, None),
    (S::IEqual, Some(1)),
    (S::INotEqual, Some(0)),
    (S::ULessThan, Some(0)),
    (S::SLessThan, Some(0)),
    (S::UGreaterThan, Some(0)),
    (S::SGreaterThan, Some(0)),
    (S::ULessThanEqual, Some(1)),
    (S::SLessThanEqual, Some(1)),
    (S::UGreaterThanEqual, Some(1)),
    (S::SGreaterThanEqual, Some(1)),
    (S::LogicalEqual, Some(1)),
    (S::LogicalNotEqual, Some(0)),
];

/// `op(op x) = x`.
const INVOLUTIONS: &[S] = &[S::FNegate, S::SNegate, S::Not, S::LogicalNot, S::BitReverse, S::Bitcast];

impl Simplifier<'_> {
    /// What an instruction of 32-bit numbers or booleans is by an identity.
    pub(super) fn identity(&mut self, op: S, inst: &Inst, ty: TypeId) -> Option<Value> {
        let found = match inst.operands[..] {
            [x] => self.unary(op, x),
            [x, y] => self.binary(op, x, y, ty),
            [cond, x, y] if op == S::Select => self.select(cond, x, y),
            _ => None,
        };
        // Instructions of integers may change the signedness: then the value needs a cast, and stays as it is.
        found.filter(|&value| self.function.values[value].ty == ty)
    }

    fn unary(&self, op: S, x: Value) -> Option<Value> {
        match op {
            S::CopyObject | S::CopyLogical => return Some(x),
            _ if !INVOLUTIONS.contains(&op) => return None,
            _ => {}
        }
        let inner = self.inst(x).filter(|inner| inner.opcode == Opcode::Core(op))?;
        inner.operands.first().copied()
    }

    fn binary(&mut self, op: S, x: Value, y: Value, ty: TypeId) -> Option<Value> {
        let (left, right) = (self.uniform_bits(x), self.uniform_bits(y));
        for &(_, neutral, both) in NEUTRAL.iter().filter(|row| row.0 == op) {
            if right == Some(neutral) {
                return Some(x);
            }
            if both && left == Some(neutral) {
                return Some(y);
            }
        }
        for &(_, absorbing, result) in ABSORBING.iter().filter(|row| row.0 == op) {
            if left == Some(absorbing) || right == Some(absorbing) {
                return self.repeated(ty, result);
            }
        }
        if right == Some(1) && matches!(op, S::UMod | S::SRem | S::SMod) {
            return self.repeated(ty, 0);
        }
        if x == y {
            let &(_, result) = SAME.iter().find(|row| row.0 == op)?;
            return match result {
                Some(bits) => self.repeated(ty, bits),
                None => Some(x),
            };
        }
        None
    }

    fn select(&self, cond: Value, x: Value, y: Value) -> Option<Value> {
        match self.uniform_bits(cond) {
            Some(1) => Some(x),
            Some(_) => Some(y),
            None if x == y => Some(x),
            None if self.uniform_bits(x) == Some(1) && self.uniform_bits(y) == Some(0) => Some(cond),
            None => None,
        }
    }

    /// Divisions and remainders by powers of two, and choices between booleans, for which others are cheaper.
    pub(super) fn strength(&mut self, id: OpId, op: S, inst: &Inst, ty: TypeId, out: &mut Vec<OpId>) -> Option<Value> {
        if let (S::Select, &[cond, x, y]) = (op, &inst.operands[..]) {
            return self.logical(id, [cond, x, y], ty, out);
        }
        let &[x, y] = &inst.operands[..] else { return None };
        let divisor = self.uniform_bits(y)?;
        if op == S::FDiv {
            let reciprocal = self.repeated(ty, reciprocal(divisor as u32)?.into())?;
            return Some(self.emit(id, S::FMul, x, reciprocal, ty, out));
        }
        if !matches!(op, S::UDiv | S::UMod | S::SDiv | S::SRem | S::SMod) {
            return None;
        }
        let power = (divisor as u32).is_power_of_two().then_some(divisor.trailing_zeros())?;
        if power == 0 || (power == 31 && !matches!(op, S::UDiv | S::UMod)) {
            return None;
        }
        match op {
            S::UDiv => {
                let amount = self.repeated(ty, power.into())?;
                Some(self.emit(id, S::ShiftRightLogical, x, amount, ty, out))
            }
            S::UMod | S::SMod => {
                let mask = self.repeated(ty, divisor - 1)?;
                Some(self.emit(id, S::BitwiseAnd, x, mask, ty, out))
            }
            _ => {
                // Rounds towards zero: adds divisor - 1 to negative dividends first.
                let (amounts, mask) = ([31, 32 - power, power], self.repeated(ty, ALL & !(divisor - 1))?);
                let [all, rest, power] = amounts.map(|bits| self.repeated(ty, bits.into()));
                let sign = self.emit(id, S::ShiftRightArithmetic, x, all?, ty, out);
                let bias = self.emit(id, S::ShiftRightLogical, sign, rest?, ty, out);
                let sum = self.emit(id, S::IAdd, x, bias, ty, out);
                if op == S::SDiv {
                    return Some(self.emit(id, S::ShiftRightArithmetic, sum, power?, ty, out));
                }
                let whole = self.emit(id, S::BitwiseAnd, sum, mask, ty, out);
                Some(self.emit(id, S::ISub, x, whole, ty, out))
            }
        }
    }

    /// A choice between booleans, one of them known where it is chosen.
    fn logical(&mut self, id: OpId, [cond, x, y]: [Value; 3], ty: TypeId, out: &mut Vec<OpId>) -> Option<Value> {
        if self.function.values[cond].ty != ty || !matches!(self.module.types.components(ty), Some((Scalar::Bool, _))) {
            return None;
        }
        match (self.uniform_bits(x), self.uniform_bits(y)) {
            _ if x == cond => Some(self.emit(id, S::LogicalOr, cond, y, ty, out)),
            _ if y == cond => Some(self.emit(id, S::LogicalAnd, cond, x, ty, out)),
            (_, Some(0)) => Some(self.emit(id, S::LogicalAnd, cond, x, ty, out)),
            (Some(1), _) => Some(self.emit(id, S::LogicalOr, cond, y, ty, out)),
            _ => None,
        }
    }

    fn emit(&mut self, at: OpId, op: S, x: Value, y: Value, ty: TypeId, out: &mut Vec<OpId>) -> Value {
        let flags = match &self.function.ops[at].kind {
            OpKind::Inst(inst) => inst.flags,
            _ => 0,
        };
        let inst = Inst { opcode: Opcode::Core(op), operands: smallvec![x, y], literals: smallvec![], flags };
        let op = self.function.add_op(OpKind::Inst(inst), &[ty], self.function.ops[at].loc);
        out.push(op);
        self.function.ops[op].results[0]
    }
}

/// 1/x if that is exact and neither it nor x is subnormal: then multiplying by it rounds as dividing by x does.
fn reciprocal(bits: u32) -> Option<u32> {
    let exponent = bits >> 23 & 0xff;
    let power_of_two = bits & 0x7f_ffff == 0 && (1..=253).contains(&exponent);
    power_of_two.then(|| bits & 0x8000_0000 | (254 - exponent) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_exact() {
        assert_eq!(reciprocal(4.0f32.to_bits()), Some(0.25f32.to_bits()));
        assert_eq!(reciprocal((-0.5f32).to_bits()), Some((-2.0f32).to_bits()));
        assert_eq!(reciprocal(2f32.powi(126).to_bits()), Some(f32::MIN_POSITIVE.to_bits()));
        for x in [3.0, 0.0, -0.0, f32::INFINITY, f32::NAN, 2f32.powi(127), 1e-40] {
            assert_eq!(reciprocal(x.to_bits()), None, "{x}");
        }
    }
}
