//! Reductions, scans and clusters. The floats are such that every order of joining gives the same bits.

use super::types::Ty;
use super::{Op, Subgroup, op};
use glslc2native_testsuite::rng::Rng;

/// How two values are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

const JOINS: [(&str, Join); 7] = [
    ("Add", Join::Add),
    ("Mul", Join::Mul),
    ("Min", Join::Min),
    ("Max", Join::Max),
    ("And", Join::And),
    ("Or", Join::Or),
    ("Xor", Join::Xor),
];

impl Join {
    fn is_for(self, ty: &Ty) -> bool {
        let bitwise = matches!(self, Join::And | Join::Or | Join::Xor);
        if ty.is_bool() { bitwise } else { !(bitwise && ty.elem.is_float()) }
    }

    fn integers(self, a: i128, b: i128) -> i128 {
        match self {
            Join::Add => a.wrapping_add(b),
            Join::Mul => a.wrapping_mul(b),
            Join::Min => a.min(b),
            Join::Max => a.max(b),
            Join::And => a & b,
            Join::Or => a | b,
            Join::Xor => a ^ b,
        }
    }

    fn floats(self, a: f64, b: f64) -> f64 {
        match self {
            Join::Add => a + b,
            Join::Mul => a * b,
            Join::Min => a.min(b),
            _ => a.max(b),
        }
    }

    /// What there is of no values.
    fn identity(self, ty: &'static Ty) -> u64 {
        if ty.is_bool() {
            return u64::from(self == Join::And);
        }
        if ty.elem.is_float() {
            return ty.elem.float_bits(match self {
                Join::Mul => 1.0,
                Join::Min => f64::INFINITY,
                Join::Max => f64::NEG_INFINITY,
                _ => 0.0,
            });
        }
        let signed = ty.elem.is_signed();
        match self {
            Join::Mul => 1,
            Join::Min if signed => ty.ones() >> 1,
            Join::Min | Join::And => ty.ones(),
            Join::Max if signed => (ty.ones() >> 1) + 1,
            _ => 0,
        }
    }

    /// All values joined.
    fn all(self, ty: &'static Ty, values: impl Iterator<Item = u64>) -> u64 {
        values
            .reduce(|a, b| match ty.elem.is_float() {
                // Joined exactly; sums and products are rounded once.
                true => self.floats(f64::from_bits(a), f64::from_bits(b)).to_bits(),
                false => ty.wrapped(self.integers(ty.integer(a), ty.integer(b))),
            })
            .unwrap_or_else(|| self.identity(ty))
    }

    fn joined(self, ty: &'static Ty, values: impl Iterator<Item = u64>) -> u64 {
        if !ty.elem.is_float() {
            return self.all(ty, values);
        }
        let mut values = values.map(|bits| ty.elem.to_float(bits).to_bits()).peekable();
        match values.peek() {
            None => self.identity(ty),
            Some(_) => ty.elem.float_bits(f64::from_bits(self.all(ty, values))),
        }
    }
}

/// The table.
pub fn ops(ty: &'static Ty) -> Vec<Op> {
    let mut ops = vec![];
    for (name, join) in JOINS.into_iter().filter(|(_, join)| join.is_for(ty)) {
        let of = move |s: &Subgroup, lanes: &dyn Fn(usize) -> bool| {
            join.joined(ty, s.lanes().filter(|&lane| lanes(lane)).map(|lane| s.values[lane]))
        };
        ops.push(op(format!("subgroup{name}(v)"), move |s, _| of(s, &|_| true)));
        ops.push(op(format!("subgroup{name}(u)"), move |s, _| join.joined(ty, s.lanes().map(|_| s.uniform))));
        ops.push(op(format!("subgroupInclusive{name}(v)"), move |s, own| of(s, &|lane| lane <= own)));
        ops.push(op(format!("subgroupExclusive{name}(v)"), move |s, own| of(s, &|lane| lane < own)));
        for size in [1, 2, 4, 16, 64] {
            let cluster = move |s: &Subgroup, own: usize| of(s, &|lane| lane / size == own / size);
            ops.push(op(format!("subgroupClustered{name}(v, {size}u)"), cluster));
        }
    }
    ops
}

/// Integers of all kinds; floats that are powers of two, so that no sum or product of a subgroup has to be rounded but
/// to its type.
pub fn data(ty: &Ty, rng: &mut Rng) -> u64 {
    if ty.is_bool() {
        return u64::from(rng.below(3) == 0);
    }
    if ty.elem.is_float() {
        return ty.elem.float_bits(*rng.pick(&[1.0, -1.0, 0.5, 2.0, -2.0, -0.5]));
    }
    rng.bits() & ty.ones()
}
