//! Compares buffers with what a script expects.
//!
//! In: an expectation, the script's buffers, and what they hold. Out: the number of values that were compared, or a message
//! that names the buffer, the byte, the expected value and the one that was found. The caller adds the line.

use super::layout::{Layout, Part};
use super::script::{Buffer, Comparator, Expect, Number, Tolerance};
use super::types::{Channel, Mode, Type};
use crate::values::Elem;
use std::cmp::Ordering;

/// Doubles are equal that differ by this factor: scripts are written with fewer digits than doubles have.
const DOUBLE_EPSILON: f64 = 1e-8;
/// Colours are equal that differ by half a step of 8 bits.
const TEXEL_TOLERANCE: Tolerance = Tolerance { bound: 0.002, percent: false };

/// Checks an expectation; `memory` has what each buffer holds.
///
/// # Errors
///
/// What differs, or why it cannot be compared.
pub fn check(expect: &Expect, buffers: &[Buffer], memory: &[&[u8]]) -> Result<usize, String> {
    let view = |index: usize| match (buffers.get(index), memory.get(index)) {
        (Some(buffer), Some(bytes)) => Ok(View { buffer, bytes }),
        _ => Err(format!("there is no buffer number {index}")),
    };
    match expect {
        Expect::Values { buffer, offset, layout, how, tolerances, values } => {
            view(*buffer)?.values(*offset, layout, *how, tolerances, values)
        }
        Expect::Pixels { buffer, rect, color, tolerances } => view(*buffer)?.pixels(*rect, color, tolerances),
        Expect::Same { left, right } => same(view(*left)?, view(*right)?),
        Expect::Rmse { left, right, bound } => rmse(view(*left)?, view(*right)?, *bound),
        Expect::HistogramEmd { left, right, bound } => emd(view(*left)?, view(*right)?, *bound),
    }
}

/// A buffer with what it holds.
#[derive(Clone, Copy)]
struct View<'a> {
    buffer: &'a Buffer,
    bytes: &'a [u8],
}

/// Bits of a value in a buffer.
fn read(bytes: &[u8], at: usize, elem: Elem) -> Option<u64> {
    bytes.get(at..at.checked_add(elem.size())?).map(|bytes| elem.read(bytes))
}

/// The value that bits stand for.
fn number(elem: Elem, bits: u64) -> Number {
    let shift = 64 - elem.bits();
    match elem {
        elem if elem.is_float() => Number::Float(elem.to_float(bits)),
        elem if elem.is_signed() => Number::Int((((bits << shift) as i64) >> shift).into()),
        _ => Number::Int(bits.into()),
    }
}

/// Compares two values of one type; NaNs are equal.
fn compare(how: Comparator, elem: Elem, found: u64, expected: u64) -> bool {
    let (found, expected) = (number(elem, found), number(elem, expected));
    let order = match (found, expected) {
        (Number::Int(found), Number::Int(expected)) => Some(found.cmp(&expected)),
        (found, expected) => {
            let (found, expected) = (found.to_f64(), expected.to_f64());
            let close = elem == Elem::F64 && within(found, expected, DOUBLE_EPSILON * expected.abs());
            let equal = close || (found.is_nan() && expected.is_nan());
            if equal { Some(Ordering::Equal) } else { found.partial_cmp(&expected) }
        }
    };
    match how {
        Comparator::Eq => order == Some(Ordering::Equal),
        Comparator::Ne => order != Some(Ordering::Equal),
        Comparator::Lt => order == Some(Ordering::Less),
        Comparator::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparator::Gt => order == Some(Ordering::Greater),
        Comparator::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn within(found: f64, expected: f64, bound: f64) -> bool {
    found == expected || (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= bound
}

impl Tolerance {
    fn accepts(self, found: f64, expected: f64) -> bool {
        within(found, expected, if self.percent { self.bound / 100.0 * expected.abs() } else { self.bound })
    }
}

/// As scripts write comparisons.
fn symbol(how: Comparator) -> &'static str {
    match how {
        Comparator::Eq => "==",
        Comparator::Ne => "!=",
        Comparator::Lt => "<",
        Comparator::Le => "<=",
        Comparator::Gt => ">",
        Comparator::Ge => ">=",
    }
}

impl<'a> View<'a> {
    fn values(
        self,
        offset: usize,
        layout: &Layout,
        how: Comparator,
        tolerances: &[Tolerance],
        values: &[Number],
    ) -> Result<usize, String> {
        // Values may begin within an element, at one of its components; else an element begins where they do.
        let first = match (layout.component_at(offset), layout.component_at(0)) {
            (Some(first), _) => (first, 0),
            (None, _) => (0, offset),
        };
        for (index, expected) in values.iter().enumerate() {
            let name = &self.buffer.name;
            let (at, part) = layout.component(first.0 + index).ok_or("the place is past all buffers")?;
            let at = first.1 + at;
            let Some(found) = read(self.bytes, at, part.elem) else {
                return Err(format!(
                    "value {index} of `{name}`, at byte {at}: the buffer has {} bytes",
                    self.bytes.len()
                ));
            };
            let bits = expected.bits(part.elem);
            let passes = match tolerance(tolerances, part) {
                Some(tolerance) => {
                    tolerance.accepts(number(part.elem, found).to_f64(), number(part.elem, bits).to_f64())
                }
                None => compare(how, part.elem, found, bits),
            };
            if !passes {
                let (shown, found) = (part.elem.show(bits), part.elem.show(found));
                let how = symbol(how);
                return Err(format!("value {index} of `{name}`, at byte {at}: expected {how} {shown}, found {found}"));
            }
        }
        Ok(values.len())
    }

    /// A format, or a vector of 3 or 4 bytes, as the channels of texels.
    fn channels(self) -> Result<Vec<Channel>, String> {
        match &self.buffer.ty {
            Type::Format(format) if format.packed.is_none() => Ok(format.channels.clone()),
            Type::Vector { elem: Elem::U8, rows: rows @ 3..=4 } => {
                let channel = |name| Channel { name, bits: 8, mode: Mode::Unorm };
                Ok("RGBA".chars().take(usize::from(*rows)).map(channel).collect())
            }
            _ => Err(format!("`{}` holds no colours", self.buffer.name)),
        }
    }

    fn pixels(self, rect: [u32; 4], color: &[u8], tolerances: &[Tolerance]) -> Result<usize, String> {
        let name = &self.buffer.name;
        let channels = self.channels()?;
        let width = self.buffer.width.ok_or_else(|| format!("`{name}` has no width"))? as usize;
        let [x, y, columns, rows] = rect.map(|n| n as usize);
        if x + columns > width || (y + rows).saturating_mul(width) > self.buffer.count {
            return Err(format!("the rectangle is larger than `{name}`"));
        }
        let layout = &self.buffer.layout;
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let texel = ((y + row) * width + x + column) * layout.size;
            for (channel, part) in channels.iter().zip(&layout.parts) {
                let lane = match "RGBA".find(channel.name) {
                    Some(lane) if lane < color.len() => lane,
                    _ => continue,
                };
                let bits = read(self.bytes, texel + part.offset, part.elem).ok_or("the buffer is too small")?;
                let found = scaled(*channel, number(part.elem, bits).to_f64());
                let expected = f64::from(color[lane]) / 255.0;
                let tolerance = match tolerances {
                    [] => TEXEL_TOLERANCE,
                    // Tolerances of colours are in the same steps as they are.
                    [one] | [.., one] if tolerances.len() == 1 || lane >= tolerances.len() => *one,
                    many => many[lane],
                };
                let steps = if tolerances.is_empty() || tolerance.percent { 1.0 } else { 255.0 };
                let tolerance = Tolerance { bound: tolerance.bound / steps, ..tolerance };
                if !tolerance.accepts(found, expected) {
                    let (x, y, channel) = (x + column, y + row, channel.name);
                    let expected = color[lane];
                    return Err(format!(
                        "channel {channel} of `{name}` at {x}, {y}: expected {expected}, found {}",
                        found * 255.0
                    ));
                }
            }
        }
        Ok(rows * columns)
    }

    /// Components with their bytes and values.
    fn components(self) -> impl Iterator<Item = (usize, Elem, u64)> + 'a {
        let layout = &self.buffer.layout;
        (0..self.buffer.count * layout.parts.len()).filter_map(move |index| {
            let (at, part) = layout.component(index)?;
            Some((at, part.elem, read(self.bytes, at, part.elem)?))
        })
    }
}

fn tolerance(tolerances: &[Tolerance], part: Part) -> Option<Tolerance> {
    match tolerances {
        [] => None,
        [one] => Some(*one),
        many => many.get(part.lane).copied(),
    }
}

/// A channel's value as a colour.
fn scaled(channel: Channel, value: f64) -> f64 {
    let full = |bits: u32| ((1u64 << bits.min(63)) - 1) as f64;
    match channel.mode {
        Mode::Unorm | Mode::Srgb => value / full(channel.bits),
        Mode::Snorm => value / full(channel.bits.saturating_sub(1)),
        _ => value,
    }
}

/// Buffers that are compared have the same type and number of elements.
fn alike(left: View<'_>, right: View<'_>) -> Result<(), String> {
    let names = format!("`{}` and `{}`", left.buffer.name, right.buffer.name);
    if left.buffer.ty != right.buffer.ty || left.buffer.layout != right.buffer.layout {
        return Err(format!("{names} have different types"));
    }
    if left.buffer.count != right.buffer.count || left.buffer.width != right.buffer.width {
        return Err(format!("{names} have different sizes"));
    }
    Ok(())
}

fn same(left: View<'_>, right: View<'_>) -> Result<usize, String> {
    alike(left, right)?;
    let pairs = || left.components().zip(right.components());
    let differs = |(found, expected): &((usize, Elem, u64), (usize, Elem, u64))| found.2 != expected.2;
    let Some((index, ((at, elem, found), (_, _, expected)))) = pairs().enumerate().find(|(_, pair)| differs(pair))
    else {
        return Ok(pairs().count());
    };
    let (shown, found) = (elem.show(expected), elem.show(found));
    let names = (&left.buffer.name, &right.buffer.name);
    let count = pairs().filter(differs).count();
    Err(format!(
        "value {index} of `{}`, at byte {at}: expected {shown} as in `{}`, found {found}; {count} values differ",
        names.0, names.1
    ))
}

fn rmse(left: View<'_>, right: View<'_>, bound: f64) -> Result<usize, String> {
    alike(left, right)?;
    let value = |(_, elem, bits)| number(elem, bits).to_f64();
    let squares = left.components().zip(right.components()).map(|(a, b)| (value(a) - value(b)).powi(2));
    let (count, sum) = squares.fold((0usize, 0.0), |(count, sum), square| (count + 1, sum + square));
    let error = (sum / count.max(1) as f64).sqrt();
    if error <= bound {
        return Ok(count);
    }
    let names = (&left.buffer.name, &right.buffer.name);
    Err(format!("`{}` and `{}`: the root mean square error is {error}, more than {bound}", names.0, names.1))
}

/// For each channel, the sum of the differences of both histograms' running sums, as a part of all there could be.
fn emd(left: View<'_>, right: View<'_>, bound: f64) -> Result<usize, String> {
    alike(left, right)?;
    let channels = left.buffer.layout.parts.len();
    if channels != 4 || left.buffer.layout.parts.iter().any(|part| part.elem != Elem::U8) {
        return Err(format!("`{}`: histograms are compared of four channels of 8 bits", left.buffer.name));
    }
    let histogram = |view: View<'_>, channel: usize| {
        let mut bins = [0usize; 256];
        view.components().skip(channel).step_by(channels).for_each(|(_, _, bits)| bins[usize::from(bits as u8)] += 1);
        bins
    };
    let elements = left.buffer.count.max(1) as f64;
    for channel in 0..channels {
        let (mut running, mut total) = (0.0, 0.0f64);
        for (a, b) in histogram(left, channel).into_iter().zip(histogram(right, channel)) {
            running += (a as f64 - b as f64) / elements;
            total += running.abs();
        }
        let distance = total / 256.0;
        if distance > bound {
            let name = &left.buffer.name;
            return Err(format!(
                "channel {channel} of `{name}`: the histograms' distance is {distance}, more than {bound}"
            ));
        }
    }
    Ok(left.buffer.count * channels)
}
