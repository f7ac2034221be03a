//! The lattice of the uniformity analysis: how a component differs from lane to lane of a subgroup.
//!
//! ```text
//!                         Varying
//!        /                   |            \
//! ChunkAffine(s)         Nearly(s)     Uniform(Subgroup)
//!         \                 /         Uniform(Workgroup)
//!          `---- Affine(s) -'          Uniform(Dispatch)
//!                                      Uniform(Constant)
//! ```
//!
//! "Uniform" speaks of the *active* lanes. An affine component is a 32-bit integer whose lanes differ by a constant, so
//! that an address made of it is one scalar and a known distance.

use std::fmt;

/// The set of invocations that are known to hold the same value, smallest value set first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Known when compiled.
    Constant,
    /// The same in all invocations of the dispatch.
    Dispatch,
    /// The same in all invocations of the workgroup.
    Workgroup,
    /// The same in all active invocations of the subgroup.
    Subgroup,
}

/// How one component varies over the lanes of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One value for all active lanes.
    Uniform(Level),
    /// 32-bit integer: lane `l` holds lane 0's value plus `l` times this; never 0.
    Affine(i32),
    /// 32-bit integer: within each chunk of C lanes, lane `l` holds the chunk's first value plus `l` times this, which may
    /// be 0; each chunk has a first value of its own.
    ChunkAffine(i32),
    /// 32-bit integer: like [`Affine`](Shape::Affine) in most subgroups, but not in all (an affine index that is clamped).
    /// Held as anything else that varies; an access may test for the common case.
    Nearly(i32),
    /// Anything.
    Varying,
}

impl Shape {
    /// Compile-time constant.
    pub const CONSTANT: Shape = Shape::Uniform(Level::Constant);

    /// Is it one value for the subgroup?
    pub fn is_uniform(self) -> bool {
        matches!(self, Shape::Uniform(_))
    }

    /// The level, where uniform.
    pub fn level(self) -> Option<Level> {
        match self {
            Shape::Uniform(level) => Some(level),
            _ => None,
        }
    }

    /// Least upper bound: what a value is that may be either.
    pub fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Uniform(a), Shape::Uniform(b)) => Shape::Uniform(a.max(b)),
            (a, b) if a == b => a,
            (Shape::Affine(a), Shape::ChunkAffine(b)) | (Shape::ChunkAffine(a), Shape::Affine(b)) if a == b => {
                Shape::ChunkAffine(a)
            }
            (Shape::Affine(a), Shape::Nearly(b)) | (Shape::Nearly(a), Shape::Affine(b)) if a == b => Shape::Nearly(a),
            _ => Shape::Varying,
        }
    }

    /// One of the two, lane by lane: minimum, maximum, selection. Clamping an affine value with uniform bounds leaves it
    /// as it is in most subgroups.
    pub fn either(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Uniform(a), Shape::Uniform(b)) => Shape::Uniform(a.max(b)),
            (Shape::Affine(a) | Shape::Nearly(a), Shape::Uniform(_)) => Shape::Nearly(a),
            (Shape::Uniform(_), Shape::Affine(a) | Shape::Nearly(a)) => Shape::Nearly(a),
            (Shape::Affine(a) | Shape::Nearly(a), Shape::Affine(b) | Shape::Nearly(b)) if a == b => Shape::Nearly(a),
            _ => Shape::Varying,
        }
    }

    /// How a component of this shape is held: [`Nearly`](Shape::Nearly) is no form of its own.
    pub fn held(self) -> Shape {
        match self {
            Shape::Nearly(_) => Shape::Varying,
            other => other,
        }
    }

    /// Join of operands of an operation that keeps uniform values uniform and nothing else.
    pub fn meet_operation(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Uniform(a), Shape::Uniform(b)) => Shape::Uniform(a.max(b)),
            _ => Shape::Varying,
        }
    }

    /// At least `level`.
    pub fn at_least(self, level: Level) -> Shape {
        match self {
            Shape::Uniform(l) => Shape::Uniform(l.max(level)),
            other => other,
        }
    }

    /// `self + sign * other`, the sum or difference of two integers.
    pub fn add(self, other: Shape, sign: i32) -> Shape {
        use Shape::*;
        match (self, other) {
            (Uniform(a), Uniform(b)) => Uniform(a.max(b)),
            (Affine(a), Uniform(_)) => Affine(a),
            (Uniform(_), Affine(b)) => Shape::affine(b.wrapping_mul(sign)),
            (Affine(a), Affine(b)) => Shape::affine(a.wrapping_add(b.wrapping_mul(sign))),
            (ChunkAffine(a), Uniform(_)) => ChunkAffine(a),
            (Uniform(_), ChunkAffine(b)) => ChunkAffine(b.wrapping_mul(sign)),
            (Affine(a) | ChunkAffine(a), Affine(b) | ChunkAffine(b)) => {
                ChunkAffine(a.wrapping_add(b.wrapping_mul(sign)))
            }
            (Nearly(a), Uniform(_)) => Nearly(a),
            (Uniform(_), Nearly(b)) => Nearly(b.wrapping_mul(sign)),
            (Nearly(a), Affine(b) | Nearly(b)) | (Affine(a), Nearly(b)) => match a.wrapping_add(b.wrapping_mul(sign)) {
                0 => Varying,
                stride => Nearly(stride),
            },
            _ => Varying,
        }
    }

    /// `self * factor`.
    pub fn scale(self, factor: i32) -> Shape {
        match self {
            Shape::Affine(a) => Shape::affine(a.wrapping_mul(factor)),
            Shape::ChunkAffine(a) => Shape::ChunkAffine(a.wrapping_mul(factor)),
            Shape::Nearly(a) => match a.wrapping_mul(factor) {
                0 => Shape::Varying,
                stride => Shape::Nearly(stride),
            },
            other => other,
        }
    }

    fn affine(stride: i32) -> Shape {
        if stride == 0 { Shape::Uniform(Level::Subgroup) } else { Shape::Affine(stride) }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Uniform(Level::Constant) => f.write_str("constant"),
            Shape::Uniform(Level::Dispatch) => f.write_str("dispatch"),
            Shape::Uniform(Level::Workgroup) => f.write_str("workgroup"),
            Shape::Uniform(Level::Subgroup) => f.write_str("subgroup"),
            Shape::Affine(s) => write!(f, "affine({s})"),
            Shape::ChunkAffine(s) => write!(f, "chunk-affine({s})"),
            Shape::Nearly(s) => write!(f, "nearly-affine({s})"),
            Shape::Varying => f.write_str("varying"),
        }
    }
}
