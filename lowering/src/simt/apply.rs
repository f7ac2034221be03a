//! Rows of the op table that work component by component, applied to components of every type and shape.
//!
//! In: a row, its operands' components and their types. Out: the result's component, held as its type is (see
//! [`value`](super::value)). What is 32 bits wide goes to the row's emitter as it is. For the other types:
//!
//! - integers of 8 and 16 bits are extended as the row reads them, and the result is wrapped to its type;
//! - results in 16-bit floats are rounded to them;
//! - where components have 64 bits, booleans beside them are lane masks of 64 bits for the emitter;
//! - amounts get the type of what they are amounts of.

use super::legal::{Conversion, Legal};
use super::value::{Chunks, Comp, Comps, Lanes};
use crate::analysis::shape::Shape;
use crate::ir::Scalar;
use crate::ops::{Family, How, LaneContext, Reads, Row};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use smallvec::SmallVec;

/// Is a component of this type a lane of 32 bits that needs no care?
fn is_plain(scalar: Scalar) -> bool {
    scalar.bits() == 32
}

impl Lanes<'_, '_> {
    /// One component of a row, in the shape that the analysis gives its result. `scalars`: the operands' types.
    pub fn component(
        &mut self,
        row: &Row,
        context: &LaneContext,
        args: &[&Comp],
        scalars: &[Scalar],
        shape: Shape,
    ) -> Comp {
        if let How::Convert(conversion) = row.how {
            return self.convert(conversion, context.operand, context.result, args[0]);
        }
        if is_plain(context.result) && scalars.iter().all(|&s| is_plain(s)) {
            return self.apply(row, context, args, scalars, shape);
        }
        let base = scalars[0];
        let mut held: SmallVec<[Comp; 4]> = SmallVec::new();
        let mut types: SmallVec<[Scalar; 4]> = SmallVec::new();
        for (i, (&arg, &scalar)) in args.iter().zip(scalars).enumerate() {
            if i >= row.amounts {
                held.push(self.amount(row, arg, scalar, base));
                types.push(base);
            } else {
                held.push(self.read(row.reads, arg, scalar));
                types.push(scalar);
            }
        }
        let args: SmallVec<[&Comp; 4]> = held.iter().collect();
        self.apply(row, context, &args, &types, shape)
    }

    /// A component as another numeric type.
    pub fn convert(&mut self, conversion: Conversion, from: Scalar, to: Scalar, comp: &Comp) -> Comp {
        match comp {
            Comp::Uniform(v) => Comp::Uniform(self.legal.convert(conversion, from, to, &[*v])[0]),
            _ => {
                let chunks = self.chunks(comp, from);
                Comp::Varying(self.legal.convert(conversion, from, to, &chunks))
            }
        }
    }

    /// `cond ? x : y`, of two components of type `scalar`.
    pub fn choose(&mut self, cond: &Comp, x: &Comp, y: &Comp, scalar: Scalar) -> Comp {
        let all_uniform = [cond, x, y].iter().all(|comp| comp.uniform().is_some());
        if scalar.bits() != 64 || all_uniform {
            return self.map([(cond, Scalar::Bool), (x, scalar), (y, scalar)], |l, [c, x, y]| l.select(c, x, y));
        }
        let masks = self.chunks(cond, Scalar::Bool);
        let masks = self.legal.widen_masks(&masks);
        let (x, y) = (self.chunks(x, scalar), self.chunks(y, scalar));
        Comp::Varying((0..x.len()).map(|k| self.legal.select(masks[k], x[k], y[k])).collect())
    }

    /// Components of a row that works across them, as their types hold them: 16-bit floats are computed as 32-bit ones.
    pub fn rounded(&mut self, row: &Row, comps: Comps, scalars: &[Scalar]) -> Comps {
        if row.fits || scalars.iter().all(|s| *s != Scalar::Float(16)) {
            return comps;
        }
        let round = |(comp, &scalar): (Comp, &Scalar)| match scalar {
            Scalar::Float(16) => self.map([(&comp, scalar)], |l, [v]| l.round_to_half(v)),
            _ => comp,
        };
        comps.into_iter().zip(scalars).map(round).collect()
    }

    /// An integer of 8 or 16 bits as a row reads it.
    fn read(&mut self, reads: Reads, comp: &Comp, scalar: Scalar) -> Comp {
        let signed = match reads {
            Reads::Bits => return comp.clone(),
            Reads::Signed => true,
            Reads::Unsigned => false,
        };
        match scalar {
            Scalar::Int { width: 8 | 16, signed: held } if held != signed => {
                self.map([(comp, scalar)], |l, [v]| l.read_int(v, scalar, signed))
            }
            _ => comp.clone(),
        }
    }

    /// An amount in the type of the base; of shifts modulo its width.
    fn amount(&mut self, row: &Row, comp: &Comp, scalar: Scalar, base: Scalar) -> Comp {
        let unsigned = Scalar::Int { width: base.bits() as u8, signed: false };
        let amount = match base.bits() == scalar.bits() && base.bits() >= 32 {
            true => comp.clone(),
            false => self.convert(Conversion::Int { signed: false }, scalar, unsigned, comp),
        };
        if row.family != Family::Shift || base.bits() >= 32 {
            return amount;
        }
        self.map([(&amount, unsigned)], |l, [v]| {
            let width = l.int_like(v, i64::from(base.bits() - 1));
            l.band(v, width)
        })
    }

    fn apply(&mut self, row: &Row, context: &LaneContext, args: &[&Comp], scalars: &[Scalar], shape: Shape) -> Comp {
        let wraps = wraps(row, scalars, context.result);
        let emit = |l: &mut Legal<'_>, lanes: &[clif::Value]| {
            let value = emit(row, l, context, lanes);
            if wraps { wrap(l, value, context.result) } else { value }
        };
        let uniform = args.iter().all(|a| a.uniform().is_some());
        let linear = !uniform && shape != Shape::Varying;
        match shape {
            Shape::ChunkAffine(stride) if linear => {
                let n = self.width.chunks(Scalar::U32);
                let bases = (0..n).map(|k| {
                    let bases: SmallVec<[clif::Value; 4]> = args.iter().map(|a| self.chunk_base(a, k)).collect();
                    emit(self.legal, &bases)
                });
                Comp::ChunkAffine { bases: bases.collect(), stride }
            }
            // The analysis calls these linear in their operands: lane 0 tells all.
            _ if uniform || linear => {
                let bases: SmallVec<[clif::Value; 4]> = args.iter().map(|a| self.chunk_base(a, 0)).collect();
                let base = emit(self.legal, &bases);
                match shape {
                    Shape::Affine(stride) if linear => Comp::Affine { base, stride },
                    _ => Comp::Uniform(base),
                }
            }
            _ => {
                let wide = scalars.iter().any(|s| s.bits() == 64);
                let mut chunks: SmallVec<[Chunks; 4]> =
                    args.iter().zip(scalars).map(|(a, &s)| self.chunks(a, s)).collect();
                if wide {
                    for (chunks, _) in chunks.iter_mut().zip(scalars).filter(|(_, s)| **s == Scalar::Bool) {
                        *chunks = self.legal.widen_masks(chunks);
                    }
                }
                let n = chunks.iter().map(|c| c.len()).min().unwrap_or(0);
                let results: Chunks = (0..n)
                    .map(|k| {
                        let lanes: SmallVec<[clif::Value; 4]> = chunks.iter().map(|c| c[k]).collect();
                        emit(self.legal, &lanes)
                    })
                    .collect();
                match wide && context.result == Scalar::Bool {
                    true => Comp::Varying(self.legal.narrow_masks(&results)),
                    false => Comp::Varying(results),
                }
            }
        }
    }

    /// Lane 0 of chunk `k` of a component that is not merely varying.
    pub fn chunk_base(&mut self, comp: &Comp, k: usize) -> clif::Value {
        match comp {
            Comp::Uniform(v) => *v,
            Comp::Affine { base, stride } => {
                let lanes = k as i32 * self.width.chunk as i32;
                self.legal.add_const(*base, lanes.wrapping_mul(*stride))
            }
            Comp::ChunkAffine { bases, .. } => bases[k],
            Comp::Varying(chunks) => chunks[k],
        }
    }
}

/// Must results be brought back to what their type represents?
fn wraps(row: &Row, scalars: &[Scalar], result: Scalar) -> bool {
    match result {
        Scalar::Int { width: 8 | 16, signed } => {
            let own = &scalars[..row.amounts.min(scalars.len())];
            let held = match row.reads {
                Reads::Signed => signed,
                Reads::Unsigned => !signed,
                Reads::Bits => own.iter().all(|s| !s.is_int() || s.is_signed() == signed),
            };
            !(row.fits && held)
        }
        Scalar::Float(16) => !row.fits,
        _ => false,
    }
}

fn wrap(l: &mut Legal<'_>, value: clif::Value, result: Scalar) -> clif::Value {
    if result.is_float() { l.round_to_half(value) } else { l.wrap_int(value, result) }
}

/// Emits a lane-wise row on one CLIF value an operand.
fn emit(row: &Row, legal: &mut Legal<'_>, context: &LaneContext, args: &[clif::Value]) -> clif::Value {
    match (row.how, args) {
        (How::Unary(f), [a, ..]) => f(legal, *a),
        (How::Binary(f), [a, b, ..]) => f(legal, *a, *b),
        (How::Ternary(f), [a, b, c, ..]) => f(legal, *a, *b, *c),
        (How::PerLane(f), _) => f(legal, context, args),
        // The verifier has counted the operands.
        _ => legal.ins().iconst(types::I32, 0),
    }
}
