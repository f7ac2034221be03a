//! Do operands and results fit a row? What comes from a module that nobody validated must not reach an emitter: CLIF of
//! mixed types is an error at best.
//!
//! In: a row and the scalar leaves of each operand and of the result. Out: nothing, or what does not fit.

use super::{Done, Family, How, Row, required_operands};
use crate::ir::{Opcode, Scalar};
use spirv::Op;

/// Why operands do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// SPIR-V forbids it.
    Invalid(String),
    /// The row is not done for these component types.
    Unsupported(String),
}

impl Row {
    /// Checks operands and results, each by its scalar leaves, before an emitter sees them.
    ///
    /// # Errors
    /// Too few operands, components of different types or numbers, or types for which the row is not done.
    pub fn check<L: AsRef<[Scalar]>>(&self, operands: &[L], results: &[Scalar]) -> Result<(), Misfit> {
        let needed = required_operands(self.opcode);
        if operands.len() < needed {
            return Err(Misfit::Invalid(format!("needs {needed} operands and has {}", operands.len())));
        }
        let first = operands.first().map(AsRef::as_ref).unwrap_or(results);
        for (leaves, done) in [(first, self.done), (results, self.results)] {
            if let Some(leaf) = leaves.iter().find(|&&leaf| done != Done::NONE && !done.has(leaf)) {
                return Err(misfit(done, *leaf));
            }
        }
        match self.how {
            How::Unary(_) | How::Binary(_) | How::Ternary(_) | How::PerLane(_) => self.check_lanes(operands, results),
            How::Convert(_) => {
                let count = first.len();
                if count != results.len() {
                    return Err(Misfit::Invalid(format!("{count} components are converted to {}", results.len())));
                }
                same(first.iter(), first.first())?;
                same(results.iter(), results.first())
            }
            How::Compose(_) if self.opcode == Opcode::Core(Op::Bitcast) => {
                same(first.iter(), first.first())?;
                same(results.iter(), results.first())?;
                let bits = |leaves: &[Scalar]| leaves.iter().map(|leaf| leaf.bits()).sum::<u32>();
                let (from, to) = (bits(first), bits(results));
                let fits = from == to && from > 0;
                if fits { Ok(()) } else { Err(Misfit::Invalid(format!("{from} bits are read as {to}"))) }
            }
            How::Compose(_) if self.family == Family::Composite => self.check_composite(operands, results),
            How::Compose(_) if self.is_integer_dot() => Self::check_dot(operands, results),
            How::Compose(_) => {
                let all = operands.iter().flat_map(AsRef::as_ref).chain(results);
                same(all.filter(|leaf| self.done.has(**leaf)), first.first())?;
                let stray = operands.iter().flat_map(AsRef::as_ref).find(|leaf| !self.done.has(**leaf));
                stray.map_or(Ok(()), |leaf| Err(misfit(self.done, *leaf)))
            }
            How::Simt(_) | How::Lift(_) | How::Stdlib(_) | How::Unsupported(_) => Ok(()),
        }
    }

    /// Component by component: one type and one number of components, or one component that is repeated.
    fn check_lanes<L: AsRef<[Scalar]>>(&self, operands: &[L], results: &[Scalar]) -> Result<(), Misfit> {
        if let Some(count) = operands.iter().map(|o| o.as_ref().len()).find(|&n| n != 1 && n != results.len()) {
            let message = format!("an operand has {count} components and the result {}", results.len());
            return Err(Misfit::Invalid(message));
        }
        // A condition comes first, what it chooses among has the result's type.
        let selects = self.opcode == Opcode::Core(Op::Select);
        let amounts = &operands[self.amounts.min(operands.len())..];
        if amounts.iter().flat_map(AsRef::as_ref).any(|leaf| !leaf.is_int()) {
            return Err(Misfit::Invalid("an amount is not an integer".into()));
        }
        let rest = &operands[usize::from(selects).min(operands.len())..self.amounts.min(operands.len())];
        let leaves = rest.iter().flat_map(AsRef::as_ref);
        if self.done != self.results && !selects {
            let first = leaves.clone().next();
            return same(leaves, first);
        }
        same(leaves.chain(results), results.first())
    }

    fn is_integer_dot(&self) -> bool {
        use Op::{SDot, SDotAccSat, SUDot, SUDotAccSat, UDot, UDotAccSat};
        matches!(self.opcode, Opcode::Core(SDot | UDot | SUDot | SDotAccSat | UDotAccSat | SUDotAccSat))
    }

    /// Integer dot products: two vectors of one type, or two words of bytes, and a scalar that is at least as wide.
    fn check_dot<L: AsRef<[Scalar]>>(operands: &[L], results: &[Scalar]) -> Result<(), Misfit> {
        let part = |i: usize| operands.get(i).map(AsRef::as_ref).unwrap_or_default();
        let first = part(0);
        same(first.iter().chain(part(1)), first.first())?;
        same(part(2).iter().chain(results), results.first())?;
        let widths = (first.first().map_or(0, |s| s.bits()), results.first().map_or(0, |s| s.bits()));
        let fits = match first.len() {
            1 => widths.0 == 32,
            _ => widths.0 <= widths.1,
        };
        let shapes = first.len() == part(1).len() && results.len() == 1 && part(2).len() <= 1;
        let ints = first.iter().chain(results).all(|s| s.is_int());
        match fits && shapes && ints {
            true => Ok(()),
            false => Err(Misfit::Invalid("operands and result do not fit together".into())),
        }
    }

    /// Composites: leaves keep their types and places.
    fn check_composite<L: AsRef<[Scalar]>>(&self, operands: &[L], results: &[Scalar]) -> Result<(), Misfit> {
        let part = |i: usize| operands.get(i).map(AsRef::as_ref).unwrap_or_default();
        let index = match self.opcode {
            Opcode::Core(Op::VectorExtractDynamic) => Some(part(1)),
            Opcode::Core(Op::VectorInsertDynamic) => Some(part(2)),
            _ => None,
        };
        if index.is_some_and(|leaves| !matches!(leaves, [Scalar::Int { .. }])) {
            return Err(Misfit::Invalid("the index is not an integer".into()));
        }
        match self.opcode {
            Opcode::Core(Op::CompositeConstruct) => {
                let given: Vec<Scalar> = operands.iter().flat_map(AsRef::as_ref).copied().collect();
                equal(&given, results)
            }
            Opcode::Core(Op::VectorExtractDynamic) => same(part(0).iter().chain(results), results.first()),
            Opcode::Core(Op::VectorInsertDynamic) => {
                equal(part(0), results)?;
                same(part(1).iter(), results.first())
            }
            Opcode::Core(Op::VectorShuffle | Op::CompositeConstructReplicateEXT) => {
                same(operands.iter().flat_map(AsRef::as_ref).take(1).chain(results), results.first())
            }
            _ => equal(part(0), results),
        }
    }
}

/// The name of a component type.
fn describe(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "bool".into(),
        Scalar::Int { width, .. } => format!("{width}-bit integer"),
        Scalar::Float(width) => format!("{width}-bit float"),
    }
}

/// Of a width that is not done, or of a kind that does not belong there.
fn misfit(done: Done, leaf: Scalar) -> Misfit {
    let wide = match leaf {
        Scalar::Bool => false,
        Scalar::Int { width, .. } => width != 32 && done.has(Scalar::I32),
        Scalar::Float(width) => width != 32 && done.has(Scalar::F32),
    };
    match wide {
        true => Misfit::Unsupported(format!("it is not done for {} components: convert them first", describe(leaf))),
        false => Misfit::Invalid(format!("a component is a {}", describe(leaf))),
    }
}

/// The same kind and width; signedness does not count.
fn alike(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Int { width: a, .. }, Scalar::Int { width: b, .. }) => a == b,
        _ => a == b,
    }
}

fn same<'s>(mut leaves: impl Iterator<Item = &'s Scalar>, like: Option<&Scalar>) -> Result<(), Misfit> {
    let Some(&like) = like else { return Ok(()) };
    leaves.find(|&&leaf| !alike(leaf, like)).map_or(Ok(()), |&leaf| {
        Err(Misfit::Invalid(format!("components of types {} and {}", describe(like), describe(leaf))))
    })
}

fn equal(given: &[Scalar], wanted: &[Scalar]) -> Result<(), Misfit> {
    if given.len() != wanted.len() {
        return Err(Misfit::Invalid(format!("{} components given for {}", given.len(), wanted.len())));
    }
    match given.iter().zip(wanted).find(|(a, b)| !alike(**a, **b)) {
        Some((a, b)) => Err(Misfit::Invalid(format!("a component is a {}, not a {}", describe(*a), describe(*b)))),
        None => Ok(()),
    }
}
