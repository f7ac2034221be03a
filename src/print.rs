//! Formats of `debugPrintfEXT` (Vulkan's "Debug Printf" layer documentation): `%d`, `%i`, `%u`, `%x`, `%X`, `%o`, `%f`,
//! `%e`, `%g`, `%a` with C's flags, width and precision, `%v2f` to `%v4x` for vectors, `%%`.
//!
//! In: a format and the arguments as words. Out: text; never an error. A value is shown by its own type where the format has
//! another, and what lacks its argument says so.

use crate::lowering::ir::{CustomType, Scalar};
use std::fmt::Write;

/// An argument: its type, and the bits of its components.
pub(crate) struct Argument {
    pub ty: CustomType,
    pub bits: Vec<u32>,
}

/// A conversion, taken apart.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// The letter at the end.
    letter: char,
}

/// No padding is longer, whatever a format asks for.
const MAX_WIDTH: usize = 256;

/// The text of a print.
pub(crate) fn format(text: &str, args: &[Argument]) -> String {
    let mut out = String::new();
    let mut args = args.iter();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once('%') {
        out.push_str(before);
        if let Some(after) = from.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let Some((spec, after)) = Spec::parse(from) else {
            // Not a conversion: as it stands.
            out.push('%');
            rest = from;
            continue;
        };
        match args.next() {
            Some(arg) => {
                let parts: Vec<String> = arg.bits.iter().map(|&bits| spec.show(arg.ty.scalar, bits)).collect();
                out.push_str(&parts.join(", "));
            }
            None => out.push_str("(no argument)"),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

impl Spec {
    /// Reads what follows a `%`; gives what comes behind.
    fn parse(text: &str) -> Option<(Spec, &str)> {
        let mut spec = Spec::default();
        let mut rest = text;
        loop {
            let mut chars = rest.chars();
            match chars.next()? {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '#' => spec.alternate = true,
                '0' => spec.zeros = true,
                _ => break,
            }
            rest = chars.as_str();
        }
        (spec.width, rest) = number(rest);
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = number(after);
            (spec.precision, rest) = (Some(precision), after);
        }
        // The number of components is the argument's own.
        if let Some(after) = rest.strip_prefix('v') {
            rest = after.strip_prefix(['2', '3', '4'])?;
        }
        // 64 bits: there are none here.
        rest = rest.strip_prefix('l').unwrap_or(rest);
        let mut chars = rest.chars();
        spec.letter = chars.next().filter(|c| "diouxXfFeEgGaA".contains(*c))?;
        Some((spec, chars.as_str()))
    }

    fn show(&self, scalar: Scalar, bits: u32) -> String {
        let hexadecimal = matches!(self.letter, 'x' | 'X' | 'o');
        let (negative, digits) = match scalar {
            Scalar::Float(_) if !hexadecimal => self.float(f32::from_bits(bits)),
            Scalar::Bool if !hexadecimal => (false, bits.to_string()),
            _ if hexadecimal => (false, self.integer(bits)),
            // By the format where that is of an integer, else by the value's own type.
            _ if self.letter == 'u' || (scalar == Scalar::U32 && !matches!(self.letter, 'd' | 'i')) => {
                (false, self.integer(bits))
            }
            _ => ((bits as i32) < 0, self.integer((bits as i32).unsigned_abs())),
        };
        self.pad(negative, digits, scalar)
    }

    /// Digits of an integer, with the prefix that the format asks for.
    fn integer(&self, value: u32) -> String {
        let digits = match self.letter {
            'x' => format!("{value:x}"),
            'X' => format!("{value:X}"),
            'o' => format!("{value:o}"),
            _ => value.to_string(),
        };
        let least = self.precision.unwrap_or(0).min(MAX_WIDTH);
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        let prefix = match self.letter {
            'x' if self.alternate && value != 0 => "0x",
            'X' if self.alternate && value != 0 => "0X",
            'o' if self.alternate => "0",
            _ => "",
        };
        format!("{prefix}{zeros}{digits}")
    }

    /// Sign and digits of a float.
    fn float(&self, value: f32) -> (bool, String) {
        let upper = self.letter.is_ascii_uppercase();
        let negative = value.is_sign_negative();
        let size = f64::from(value.abs());
        let precision = self.precision.unwrap_or(6).min(MAX_WIDTH);
        let digits = match self.letter {
            _ if value.is_nan() => "nan".into(),
            _ if value.is_infinite() => "inf".into(),
            'e' | 'E' => exponent(size, precision),
            'g' | 'G' => shortest(size, precision.max(1), self.alternate),
            'a' | 'A' => hexadecimal(size),
            _ => format!("{size:.precision$}"),
        };
        (negative, if upper { digits.to_ascii_uppercase() } else { digits })
    }

    fn pad(&self, negative: bool, digits: String, scalar: Scalar) -> String {
        let signed = !matches!(self.letter, 'u' | 'x' | 'X' | 'o');
        let sign = match () {
            () if negative => "-",
            () if self.plus && signed => "+",
            () if self.space && signed => " ",
            () => "",
        };
        let fill = self.width.min(MAX_WIDTH).saturating_sub(sign.len() + digits.len());
        // Zeros do not stand before what is no number, nor beside an integer's own precision.
        let whole = !scalar.is_float();
        let number = digits.bytes().any(|b| b.is_ascii_digit()) && !(whole && self.precision.is_some());
        match () {
            () if self.left => format!("{sign}{digits}{}", " ".repeat(fill)),
            () if self.zeros && number => format!("{sign}{}{digits}", "0".repeat(fill)),
            () => format!("{}{sign}{digits}", " ".repeat(fill)),
        }
    }
}

/// Decimal digits at the start of a text as a number, bounded; 0 where there are none.
fn number(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().unwrap_or(if end == 0 { 0 } else { MAX_WIDTH }), &text[end..])
}

/// As C's `%e`.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// As C's `%g`.
fn shortest(value: f64, precision: usize, keep: bool) -> String {
    let scientific = exponent(value, precision - 1);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let fixed = (-4..precision as i32).contains(&power);
    let text = if fixed { format!("{value:.*}", (precision as i32 - 1 - power) as usize) } else { scientific };
    if keep {
        return text;
    }
    let (mantissa, tail) = text.find('e').map_or((&text[..], ""), |at| text.split_at(at));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{tail}")
}

/// As C's `%a`, of a number that is not negative.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (power, fraction) = ((bits >> 52) as i32 - 1023, bits & ((1 << 52) - 1));
    if value == 0.0 {
        return "0x0p+0".into();
    }
    let mut out = String::from("0x1");
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    if !digits.is_empty() {
        let _ = write!(out, ".{digits}");
    }
    let _ = write!(out, "p{power:+}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(values: &[f32]) -> Argument {
        let ty = CustomType { scalar: Scalar::F32, count: values.len() as u32 };
        Argument { ty, bits: values.iter().map(|v| v.to_bits()).collect() }
    }

    fn int(scalar: Scalar, bits: &[u32]) -> Argument {
        Argument { ty: CustomType { scalar, count: bits.len() as u32 }, bits: bits.to_vec() }
    }

    #[test]
    fn formats_are_those_of_c() {
        let i = |v: i32| int(Scalar::I32, &[v as u32]);
        let u = |v: u32| int(Scalar::U32, &[v]);
        let f = |v: f32| float(&[v]);
        let cases = [
            ("%d|%i|%u", vec![i(-5), i(7), u(u32::MAX)], "-5|7|4294967295"),
            ("%u of a signed", vec![i(-1)], "4294967295 of a signed"),
            ("%x %X %#x %o", vec![u(255), u(0xabc), u(16), u(8)], "ff ABC 0x10 10"),
            ("[%5d][%-5d][%05d][%+d]", vec![i(42), i(42), i(-42), i(1)], "[   42][42   ][-0042][+1]"),
            ("%.3d", vec![i(7)], "007"),
            ("%f %.2f %8.3f", vec![f(1.5), f(2.345), f(-1.0)], "1.500000 2.35 [pad]"),
            ("%e %E", vec![f(12345.0), f(0.00025)], "1.234500e+04 2.500000E-04"),
            ("%g %g %g %g", vec![f(0.0001), f(100_000.0), f(1e6), f(0.5)], "0.0001 100000 1e+06 0.5"),
            ("%a", vec![f(1.5)], "0x1.8p+0"),
            ("%f %f", vec![f(f32::NAN), f(f32::NEG_INFINITY)], "nan -inf"),
            (
                "%v3f|%1.1v2f|%v4d",
                vec![float(&[1.0, 2.0, 3.0]), float(&[0.25, 0.5]), int(Scalar::I32, &[1, 2, 3, u32::MAX])],
                "1.000000, 2.000000, 3.000000|0.2, 0.5|1, 2, 3, -1",
            ),
            ("100%% of %d", vec![i(3)], "100% of 3"),
            ("%d and %d", vec![i(3)], "3 and (no argument)"),
            ("%q stays, so does %", vec![], "%q stays, so does %"),
            ("%d of a float, %f of an int", vec![f(2.5), i(-3)], "2.500000 of a float, -3 of an int"),
            ("%d %x", vec![int(Scalar::Bool, &[1]), f(1.0)], "1 3f800000"),
            ("%9999999999d|", vec![i(1)], "[wide]"),
        ];
        for (text, args, expected) in &cases {
            let actual = format(text, args);
            let expected = expected.replace("[pad]", "  -1.000").replace("[wide]", &format!("{:>256}|", 1));
            assert_eq!(actual, expected, "{text}");
        }
        println!("{} formats", cases.len());
    }
}
