//! Arithmetic on whole components, for rows that work across them: sums of products, lengths, products with a scalar.
//!
//! In: components of one float type, each uniform or varying; out: the same. Nothing is contracted.

use crate::ir::Scalar;
use crate::simt::legal::Legal;
use crate::simt::value::{Comp, Comps, Lanes};
use cranelift_codegen::ir as clif;

/// Components of one scalar type.
pub struct Vectors<'x, 'l, 'a> {
    /// Where code goes.
    pub lanes: &'x mut Lanes<'l, 'a>,
    /// The components' type.
    pub scalar: Scalar,
}

impl Vectors<'_, '_, '_> {
    /// A float constant.
    pub fn float(&mut self, value: f64) -> Comp {
        let ty = Legal::scalar_type(self.scalar);
        Comp::Uniform(self.lanes.legal.float(ty, value))
    }

    /// `f(a)`.
    pub fn unary(&mut self, a: &Comp, mut f: impl FnMut(&mut Legal<'_>, clif::Value) -> clif::Value) -> Comp {
        self.lanes.map([(a, self.scalar)], |l, [a]| f(l, a))
    }

    /// `f(a, b)`.
    pub fn binary(
        &mut self,
        a: &Comp,
        b: &Comp,
        mut f: impl FnMut(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value,
    ) -> Comp {
        self.lanes.map([(a, self.scalar), (b, self.scalar)], |l, [a, b]| f(l, a, b))
    }

    /// `a + b`.
    pub fn add(&mut self, a: &Comp, b: &Comp) -> Comp {
        self.binary(a, b, |l, a, b| l.fadd(a, b))
    }

    /// `a - b`.
    pub fn sub(&mut self, a: &Comp, b: &Comp) -> Comp {
        self.binary(a, b, |l, a, b| l.fsub(a, b))
    }

    /// `a * b`.
    pub fn mul(&mut self, a: &Comp, b: &Comp) -> Comp {
        self.binary(a, b, |l, a, b| l.fmul(a, b))
    }

    /// Component by component.
    pub fn zip(&mut self, a: &[Comp], b: &[Comp], mut f: impl FnMut(&mut Self, &Comp, &Comp) -> Comp) -> Comps {
        a.iter().zip(b).map(|(a, b)| f(self, a, b)).collect()
    }

    /// The sum of the products of components, from the first on; 0 for none.
    pub fn dot<'c>(&mut self, pairs: impl IntoIterator<Item = (&'c Comp, &'c Comp)>) -> Comp {
        let mut sum = None;
        for (a, b) in pairs {
            let product = self.mul(a, b);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.add(&sum, &product),
            });
        }
        sum.unwrap_or_else(|| self.float(0.0))
    }

    /// The dot product of two vectors.
    pub fn dot_of(&mut self, a: &[Comp], b: &[Comp]) -> Comp {
        self.dot(a.iter().zip(b))
    }

    /// Each component times `factor`.
    pub fn scale(&mut self, a: &[Comp], factor: &Comp) -> Comps {
        a.iter().map(|a| self.mul(a, factor)).collect()
    }

    /// The length: the magnitude of one component, otherwise the root of the sum of squares.
    pub fn length(&mut self, a: &[Comp]) -> Comp {
        if let [a] = a {
            return self.unary(a, |l, a| l.fabs(a));
        }
        let square = self.dot_of(a, a);
        self.unary(&square, |l, a| l.sqrt(a))
    }
}
